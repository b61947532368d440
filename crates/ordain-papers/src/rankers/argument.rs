//! LambdaRank's argument: a list in which nearly all pairs are put right and the winner is lost.

use ordain::Result;
use ordain::learn::{PairLambda, Swap, gradients};
use ordain::measure::retrieval::winner_takes_all;
use ordain::measure::{JudgedList, pair_error};

/// The number of documents, of which two are relevant.
const DOCUMENTS: usize = 1000;

/// A list of the paper's example.
pub struct Example {
    pub title: &'static str,
    /// Pairs in the wrong order.
    pub wrong_pairs: usize,
    /// The winner-takes-all cost.
    pub winner: f64,
    /// How hard the first and the second relevant document are pushed up, by lambdas for each of [`PUSHED_BY`].
    pub pushes: Vec<[f64; 2]>,
}

/// The lambdas that push.
pub const PUSHED_BY: [(&str, Swap); 3] =
    [("RankNet", Swap::Pairs), ("NDCG", Swap::Ndcg { k: None }), ("the winner", Swap::Winner)];

/// The relevant documents first and last, and then second and third.
pub fn examples() -> Result<Vec<Example>> {
    let lists = [("first and last", [0, DOCUMENTS - 1]), ("second and third", [1, 2])];
    lists.into_iter().map(|(title, places)| example(title, places)).collect()
}

fn example(title: &'static str, places: [usize; 2]) -> Result<Example> {
    let grades: Vec<i32> = (0..DOCUMENTS).map(|place| i32::from(places.contains(&place))).collect();
    // Scores that fall by 1 per place.
    let scores: Vec<f64> = (0..DOCUMENTS).map(|place| -(place as f64)).collect();
    let truth: Vec<f64> = grades.iter().map(|&grade| f64::from(grade)).collect();
    let pairs = 2.0 * (DOCUMENTS - 2) as f64;
    let push = |(_, swap): &(&str, Swap)| {
        let [gradient, _] = gradients(&PairLambda::new(*swap), &grades, &scores)?;
        Ok(places.map(|place| -gradient[place]))
    };
    Ok(Example {
        title,
        wrong_pairs: (pair_error(&scores, &truth)? * pairs).round() as usize,
        winner: winner_takes_all(&JudgedList::given(&scores, &grades, grades.iter().copied())?),
        pushes: PUSHED_BY.iter().map(push).collect::<Result<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's numbers.
    #[test]
    fn the_winner_is_lost() {
        let found: Vec<(usize, f64)> = examples().unwrap().iter().map(|one| (one.wrong_pairs, one.winner)).collect();
        assert_eq!(found, [(998, 0.0), (2, 1.0)]);
    }
}
