//! The queries of LETOR files. Each is a problem of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ordain::data::{Attributes, ItemId, Items, Prior};
use ordain::formats::{Letor, USUAL_OWN_WEIGHT, USUAL_WEIGHT, read_letor, whole_grade};
use ordain::kernel::{Form, KernelSpec, Over, Rho, Shape};
use ordain::{InputError, Result};

use crate::output;
use crate::working::during;

/// A query of a LETOR file: its documents, standardized within the query, and their grades.
pub struct Query {
    pub items: Items,
    pub grades: Vec<i32>,
}

/// The queries of all files by name, and their documents by id, so the order of lines does not matter. Queries with
/// fewer than two documents are left out with a note.
pub fn queries(files: &[PathBuf]) -> Result<Vec<Query>> {
    let mut out: BTreeMap<String, (&Path, Query)> = BTreeMap::new();
    let mut alone = 0;
    for path in files {
        let letor = during("reading the queries", || read_letor(path))?;
        let attributes = letor.items.attributes();
        // Attributes that are the same for all documents say nothing about them.
        let attributes = attributes.standardized(letor.items.groups());
        let attributes = attributes.unwrap_or_else(|_| Attributes::none(letor.items.len()));
        for (name, members) in groups(&letor.items) {
            if members.len() < 2 {
                alone += 1;
                continue;
            }
            let query = query(path, &letor, &attributes, members)?;
            if let Some((first, _)) = out.insert(name.clone(), (path, query)) {
                let error = InputError::new(path, format!("queries that {} does not have", first.display()));
                return Err(error.found(name).hint("give every query in one file alone").into());
            }
        }
    }
    if alone > 0 {
        let queries = if alone == 1 { "1 query".into() } else { format!("{alone} queries") };
        output::note(format!("left out {queries} with a single document"));
    }
    if out.is_empty() {
        let error = InputError::new(&files[0], "a query with at least two documents");
        return Err(error.hint("documents of a query bear the same qid").into());
    }
    Ok(out.into_values().map(|(_, query)| query).collect())
}

/// The groups by name, or one group of all items if there are no groups.
fn groups(items: &Items) -> Vec<(String, Vec<ItemId>)> {
    match items.groups() {
        None => vec![(String::new(), items.iter().collect())],
        Some(groups) => {
            let names = groups.names().iter().enumerate();
            names.map(|(at, name)| (name.clone(), groups.members(at).to_vec())).collect()
        }
    }
}

fn query(path: &Path, letor: &Letor, attributes: &Attributes, mut members: Vec<ItemId>) -> Result<Query> {
    members.sort_by_key(|&item| letor.items.id(item));
    let ids = members.iter().map(|&item| letor.items.id(item).to_owned()).collect();
    let values = members.iter().flat_map(|item| attributes.row(item.index())).copied().collect();
    let own = Attributes::new(attributes.names().to_vec(), members.len(), values)?;
    let grade = |item: &ItemId| whole_grade(path, letor.lines[item.index()], letor.grades[item.index()]);
    let grades = members.iter().map(grade);
    Ok(Query { items: Items::new(ids, None, own)?, grades: grades.collect::<Result<_>>()? })
}

/// Makes every attribute of any query a column of the prior, with weight 0 until it is learned. The columns of an
/// attribute that a query lacks are 0 there.
pub fn add_priors(queries: &mut [Query]) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    for name in queries.iter().flat_map(|query| query.items.attributes().names()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    for query in queries {
        let own = query.items.attributes();
        let places: Vec<Option<usize>> =
            names.iter().map(|name| own.names().iter().position(|own| own == name)).collect();
        let row = |item: usize| places.iter().map(move |place| place.map_or(0.0, |at| own.row(item)[at]));
        let values = (0..own.items()).flat_map(row).collect();
        let columns = Attributes::new(names.clone(), own.items(), values)?;
        let prior = Prior::new(columns)?.with_weights(vec![0.0; names.len()])?;
        query.items = query.items.clone().with_prior(Some(prior))?;
    }
    Ok(())
}

/// The kernels that `ordain init` would write for items with this many attributes.
pub fn usual_kernels(attributes: usize) -> Vec<KernelSpec> {
    let own = KernelSpec::new(USUAL_OWN_WEIGHT, Shape::Independent);
    if attributes == 0 {
        return vec![own];
    }
    let rho = Rho::Shared(1.0 / (attributes as f64).sqrt());
    let form = Form::SquaredExponential { kappa: 1.0, rho };
    vec![KernelSpec::new(USUAL_WEIGHT, Shape::Vector { form, over: Over::Attributes }), own]
}
