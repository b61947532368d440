//! Queries of LETOR's OHSUMED as sessions see them: documents with attributes, grades that the judge knows, and a kernel tuned
//! on other queries.

use std::path::Path;
use std::sync::Arc;

use ordain::active::{Judge, Truth};
use ordain::data::{Attributes, Groups, ItemId, Items};
use ordain::gp::{AnswerModel, Problem, TuningParams};
use ordain::kernel::{Form, Kernel, KernelSpec, Over, Rho, Shape, build};
use ordain::numeric::Seed;
use ordain::{Error, InputError, Result};
use rand::RngExt;
use rand::seq::SliceRandom;

use crate::collections::letor;
use crate::data::DataFolder;
use crate::journal::{Journal, Layout};

/// A query's documents, standardized among themselves, and their grades.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Its name in the data.
    pub name: String,
    /// The documents.
    pub items: Items,
    /// Their grades.
    pub grades: Vec<i32>,
}

/// Queries to play on, and others to tune on.
pub struct Drawn {
    /// To play on.
    pub played: Vec<Judged>,
    /// To tune on.
    pub tuned_on: Vec<Judged>,
}

impl Drawn {
    /// So many queries of both kinds, drawn from all that have a relevant document and one that is not.
    ///
    /// # Errors
    /// If files cannot be read or have too few such queries.
    pub fn new(folder: &DataFolder, played: usize, tuned_on: usize, seed: Seed) -> Result<Self> {
        let path = folder.file(&letor::OHSUMED[0]);
        let mut queries = Vec::new();
        for query in letor::read_all(folder, &letor::OHSUMED)? {
            let grades: Vec<i32> = query.grades.iter().map(|&grade| whole(&path, grade)).collect::<Result<_>>()?;
            // On others all rankings are equally good.
            if grades.iter().any(|&grade| grade > 0) && grades.contains(&0) {
                queries.push(Judged { name: query.name, items: query.items, grades });
            }
        }
        let (least, found) = (played + tuned_on, queries.len());
        if found < least {
            let expected = format!("{least} queries with relevant documents and others");
            return Err(InputError::new(path, expected).found(format!("{found} queries")).into());
        }
        queries.shuffle(&mut seed.stream(0));
        queries.truncate(least);
        let tuned_on = queries.split_off(played);
        Ok(Self { played: queries, tuned_on })
    }
}

fn whole(path: &Path, grade: f64) -> Result<i32> {
    if grade.fract() == 0.0 && (0.0..=100.0).contains(&grade) {
        return Ok(grade as i32);
    }
    Err(InputError::new(path, "whole numbers from 0 as grades").found(grade.to_string()).into())
}

/// All documents of several queries as one set of items, each query a group.
///
/// # Errors
/// If queries have different attributes.
pub fn together(queries: &[Judged]) -> Result<Judged> {
    let of = |query: &Judged| vec![query.name.clone(); query.items.len()];
    let groups = Groups::new(queries.iter().flat_map(of));
    let ids = queries.iter().flat_map(|query| query.items.ids().to_vec()).collect();
    let values: Vec<f64> = queries.iter().flat_map(|query| values(&query.items)).collect();
    // Attributes that are constant within one query only are 0 there once standardized, so that names agree.
    let names = queries[0].items.attributes().names().to_vec();
    let grades: Vec<i32> = queries.iter().flat_map(|query| query.grades.clone()).collect();
    let attributes = Attributes::new(names, grades.len(), values)?;
    Ok(Judged { name: "all".into(), items: Items::new(ids, Some(groups), attributes)?, grades })
}

fn values(items: &Items) -> Vec<f64> {
    items.iter().flat_map(|item| items.attributes().row(item.index())).copied().collect()
}

/// The numbers of the kernel: over attributes, and what is a document's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    /// The weight of the part from attributes.
    pub attributes: f64,
    /// The inverse length of its squared exponential.
    pub rho: f64,
    /// The weight of what is a document's own.
    pub own: f64,
}

/// Answers to random pairs of every query that is tuned on.
const TUNING_ANSWERS: usize = 100;

impl Numbers {
    /// Tunes by the evidence of the answers to random pairs of these queries; kept in a file, and read from it once it is there.
    ///
    /// # Errors
    /// If the file cannot be read and written or holds anything else, or a fit fails.
    pub fn tuned(path: &Path, queries: &[Judged], seed: Seed) -> Result<Self> {
        let layout = Layout {
            columns: ["kernel", "attributes", "rho", "own"].map(str::to_owned).to_vec(),
            keys: vec!["tuned".into()],
        };
        let mut journal = Journal::open(path, layout)?;
        let compute = |_| {
            let Self { attributes, rho, own } = Self::tune(queries, seed)?;
            Ok([attributes, rho, own].map(Some).to_vec())
        };
        journal.complete(0..1, compute, |_| {})?;
        match journal.rows()[0][..] {
            [Some(attributes), Some(rho), Some(own)] => Ok(Self { attributes, rho, own }),
            _ => Err(Error::Data {
                what: "tuned numbers",
                found: format!("an empty cell in {}", path.display()),
                expected: "three numbers; move the file away".into(),
            }),
        }
    }

    fn tune(queries: &[Judged], seed: Seed) -> Result<Self> {
        // Good values on such data; the search goes on from there.
        let start = Self { attributes: 4.0, rho: 0.13, own: 6.0 };
        let problem = |(at, query): (usize, &Judged)| {
            let mut stream = seed.stream(1 << 32 | at as u64);
            let truth = Truth::from_grades(query.grades.clone(), Seed(stream.random()), 0);
            let (model, items) = (AnswerModel::default(), query.items.len());
            let mut observations = Vec::with_capacity(TUNING_ANSWERS);
            for _ in 0..TUNING_ANSWERS {
                let first = stream.random_range(0..items);
                let second = (first + stream.random_range(1..items)) % items;
                let (first, second) = (ItemId::new(first), ItemId::new(second));
                observations.extend(model.observe(&JUDGE.compare(truth.utilities(), first, second, &mut stream)?)?);
            }
            Ok(Problem { kernel: build(&start.specs(), &query.items, &[])?, observations })
        };
        let mut problems = queries.iter().enumerate().map(problem).collect::<Result<Vec<_>>>()?;
        let found = TuningParams { seed, restarts: 0, ..TuningParams::default() }.tune(&mut problems, |_| {})?;
        let value = |name: &str| {
            let parameter = found.parameters.iter().find(|parameter| parameter.name == name);
            parameter.map(|parameter| parameter.value).ok_or_else(|| Error::Data {
                what: "tuned parameters",
                found: format!("no {name}"),
                expected: "those of the kernel".into(),
            })
        };
        Ok(Self {
            attributes: value("kernel[0].weight")?,
            rho: value("kernel[0].rho")?,
            own: value("kernel[1].weight")?,
        })
    }

    fn specs(&self) -> [KernelSpec; 2] {
        let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(self.rho) };
        let attributes = Shape::Vector { form, over: Over::Attributes };
        [
            KernelSpec { weight: self.attributes, shape: attributes },
            KernelSpec { weight: self.own, shape: Shape::Independent },
        ]
    }

    /// The kernel over these items.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn kernel(&self, items: &Items) -> Result<Arc<dyn Kernel>> {
        Ok(Arc::new(build(&self.specs(), items, &[])?))
    }
}

/// A judge who never errs, as in the paper.
pub const JUDGE: Judge = Judge { noise: 0.0, tie_width: 0.0 };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::real_data;

    /// 106 queries are published, all of which have documents of both kinds.
    #[test]
    fn drawn_queries_do_not_overlap() {
        let Some(folder) = real_data(&letor::OHSUMED[0]) else { return };
        let drawn = Drawn::new(&folder, 30, 20, Seed(1)).unwrap();
        assert_eq!((drawn.played.len(), drawn.tuned_on.len()), (30, 20));
        assert!(drawn.played.iter().all(|query| drawn.tuned_on.iter().all(|other| other.name != query.name)));
        let again = Drawn::new(&folder, 30, 20, Seed(2)).unwrap();
        assert!(again.played[0].name != drawn.played[0].name || again.played[1].name != drawn.played[1].name);
        let too_many = Drawn::new(&folder, 1000, 20, Seed(1)).err().unwrap().to_string();
        assert!(too_many.contains("1020 queries"), "{too_many}");
        let all = together(&drawn.played[..3]).unwrap();
        let sizes: Vec<usize> = (0..3).map(|group| all.items.groups().unwrap().members(group).len()).collect();
        assert_eq!(sizes, drawn.played[..3].iter().map(|query| query.items.len()).collect::<Vec<_>>());
        let second = drawn.played[0].items.len();
        assert_eq!(all.items.attributes().row(second), drawn.played[1].items.attributes().row(0));
        assert_eq!(all.grades[second], drawn.played[1].grades[0]);
    }
}
