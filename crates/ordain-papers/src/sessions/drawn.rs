//! Some queries of OHSUMED to play on, and the belief about them, tuned on others.

use std::path::Path;
use std::sync::Arc;

use ordain::active::{Facts, Judge};
use ordain::data::{Attributes, Goal, Groups, Items, Relation};
use ordain::kernel::Kernel;
use ordain::numeric::Seed;
use ordain::{InputError, Result};
use rand::seq::SliceRandom;

use super::tuned::{Tuned, tune_once};
use super::{Asks, Mind, Problem, Way};
use crate::collections::letor;
use crate::data::DataFolder;

/// A judge who never errs, as in the paper.
pub const JUDGE: Judge = Judge { noise: 0.0, tie_width: 0.0 };

/// Queries to play on, and others to tune on.
pub struct Drawn {
    /// To play on.
    pub played: Vec<Problem>,
    /// To tune on.
    pub tuned_on: Vec<Problem>,
}

impl Drawn {
    /// So many queries of both kinds, drawn from all that have a relevant document and one that is not.
    ///
    /// # Errors
    /// If files cannot be read or have too few such queries.
    pub fn new(folder: &DataFolder, played: usize, tuned_on: usize, seed: Seed) -> Result<Self> {
        let mut queries = letor::read_all(folder, &letor::OHSUMED)?;
        // On others all rankings are equally good.
        queries.retain(|query| query.grades.iter().any(|&grade| grade > 0.0) && query.grades.contains(&0.0));
        let (least, found) = (played + tuned_on, queries.len());
        if found < least {
            let expected = format!("{least} queries with relevant documents and others");
            let error = InputError::new(folder.file(&letor::OHSUMED[0]), expected);
            return Err(error.found(format!("{found} queries")).into());
        }
        queries.shuffle(&mut seed.stream(0));
        queries.truncate(least);
        let mut played_on: Vec<Problem> = queries.into_iter().map(Problem::graded).collect::<Result<_>>()?;
        let tuned_on = played_on.split_off(played);
        Ok(Self { played: played_on, tuned_on })
    }

    /// The names of the queries that are played on, and of those that are tuned on.
    pub fn names(&self) -> [Vec<String>; 2] {
        [&self.played, &self.tuned_on].map(|problems| problems.iter().map(|problem| problem.name.clone()).collect())
    }

    /// The numbers of items of the queries that are played on.
    pub fn sizes(&self) -> Vec<usize> {
        self.played.iter().map(|problem| problem.items.len()).collect()
    }

    /// The average precision of each before any answer.
    ///
    /// # Errors
    /// If a utility is not a number.
    pub fn precision_before(&self) -> Result<Vec<f64>> {
        self.played.iter().map(|problem| problem.before().map(|[map, ..]| map)).collect()
    }

    /// Tunes the belief for sessions of so many answers that ask for the order of the whole list; kept in a file, and read from it
    /// once it is there.
    ///
    /// # Errors
    /// If the file cannot be read and written or holds anything else, or sessions cannot be played.
    pub fn tune(&self, path: &Path, answers: usize, seed: Seed) -> Result<Believes> {
        let way = Way::Both(Asks::For(Goal::TopHeavy), answers);
        tune_once(path, MIND, way, &self.tuned_on, seed).map(Believes)
    }
}

/// Attributes, and what is a document's own.
pub const MIND: Mind = Mind::Gp { attributes: true, links: false };

/// A tuned belief.
pub struct Believes(Tuned);

impl Believes {
    /// The kernel over a problem's items, as a matrix.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn kernel(&self, problem: &Problem) -> Result<Arc<dyn Kernel>> {
        Ok(self.0.prepare(MIND, problem)?.kernel)
    }
}

/// All documents of several queries as one problem, each query a group.
///
/// # Errors
/// If queries have different attributes.
pub fn together(problems: &[Problem]) -> Result<Problem> {
    let items = |problem: &Problem| problem.items.len();
    let groups = problems.iter().flat_map(|problem| vec![problem.name.clone(); items(problem)]);
    let ids = problems.iter().flat_map(|problem| problem.items.ids().to_vec()).collect();
    let rows = |problem: &Problem| {
        let attributes = problem.items.attributes();
        (0..items(problem)).flat_map(|item| attributes.row(item).to_vec()).collect::<Vec<f64>>()
    };
    let count = problems.iter().map(items).sum();
    let names = problems.first().map_or_else(Vec::new, |problem| problem.items.attributes().names().to_vec());
    let attributes = Attributes::new(names, count, problems.iter().flat_map(rows).collect())?;
    let grades = |problem: &Problem| match &problem.facts {
        Facts::Grades(grades) => grades.clone(),
        Facts::Utilities(_) => Vec::new(),
    };
    Ok(Problem {
        name: "all".into(),
        items: Items::new(ids, Some(Groups::new(groups)), attributes)?,
        relation: Relation::new(count, Vec::new())?,
        facts: Facts::Grades(problems.iter().flat_map(grades).collect()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::real_data;

    #[test]
    fn drawn_queries_do_not_overlap() {
        let Some(folder) = real_data(&letor::OHSUMED[0]) else { return };
        let drawn = Drawn::new(&folder, 30, 20, Seed(1)).unwrap();
        let [played, tuned_on] = drawn.names();
        assert_eq!((played.len(), tuned_on.len()), (30, 20));
        assert!(played.iter().all(|name| !tuned_on.contains(name)));
        assert_ne!(Drawn::new(&folder, 30, 20, Seed(2)).unwrap().names()[0], played);
        let too_many = Drawn::new(&folder, 1000, 20, Seed(1)).err().unwrap().to_string();
        assert!(too_many.contains("1020 queries"), "{too_many}");
        let all = together(&drawn.played[..3]).unwrap();
        let groups = all.items.groups().unwrap();
        let sizes: Vec<usize> = groups.sizes().collect();
        assert_eq!(sizes, drawn.sizes()[..3]);
        let second = sizes[0];
        assert_eq!(all.items.attributes().row(second), drawn.played[1].items.attributes().row(0));
        let grade = |problem: &Problem, item: usize| problem.facts.truth(None, Seed(1)).unwrap().grades()[item];
        assert_eq!(grade(&all, second + 5), grade(&drawn.played[1], 5));
    }
}
