//! A few documents of every query.

use ordain::Result;
use ordain::active::Facts;
use ordain::data::{Attributes, Items, Relation};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::super::Problem;

/// So many documents of every query, or all where there are fewer, drawn at random; their links are left out.
pub fn draw(problems: &[Problem], documents: usize, mut stream: impl RngExt) -> Result<Vec<Problem>> {
    problems.iter().map(|problem| one(problem, documents, &mut stream)).collect()
}

fn one(problem: &Problem, documents: usize, stream: &mut impl RngExt) -> Result<Problem> {
    let mut chosen: Vec<usize> = (0..problem.items.len()).collect();
    chosen.shuffle(stream);
    chosen.truncate(documents);
    let (items, attributes) = (&problem.items, problem.items.attributes());
    let values = chosen.iter().flat_map(|&at| attributes.row(at).to_vec()).collect();
    let ids = chosen.iter().map(|&at| items.ids()[at].clone()).collect();
    let facts = match &problem.facts {
        Facts::Grades(grades) => Facts::Grades(chosen.iter().map(|&at| grades[at]).collect()),
        Facts::Utilities(utilities) => Facts::Utilities(chosen.iter().map(|&at| utilities[at]).collect()),
    };
    Ok(Problem {
        name: problem.name.clone(),
        items: Items::new(ids, None, Attributes::new(attributes.names().to_vec(), chosen.len(), values)?)?,
        relation: Relation::new(chosen.len(), Vec::new())?,
        facts,
    })
}

#[cfg(test)]
mod tests {
    use ordain::numeric::Seed;

    use super::*;

    /// Ids, attributes and grades stay together.
    #[test]
    fn documents_stay_whole() {
        let ids: Vec<String> = (0..9).map(|at| at.to_string()).collect();
        let attributes = Attributes::new(vec!["x".into()], 9, (0..9).map(f64::from).collect()).unwrap();
        let problem = Problem {
            name: "q".into(),
            items: Items::new(ids, None, attributes).unwrap(),
            relation: Relation::new(9, Vec::new()).unwrap(),
            facts: Facts::Grades((0..9).collect()),
        };
        let [few, all] = [4, 20].map(|count| one(&problem, count, &mut Seed(1).stream(0)).unwrap());
        assert_eq!((few.items.len(), all.items.len()), (4, 9));
        let Facts::Grades(grades) = &few.facts else { unreachable!() };
        for (at, grade) in grades.iter().enumerate() {
            assert_eq!(few.items.ids()[at], grade.to_string());
            assert_eq!(few.items.attributes().row(at), [f64::from(*grade)]);
        }
    }
}
