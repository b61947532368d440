//! Gradient descent where the cost is given only by its derivatives (LambdaRank section 3).
//!
//! A measure such as NDCG is flat almost everywhere, so it has no useful gradient. But it is easy to say how each document of a query
//! should move. That force is its lambda:
//!
//! $$\lambda_i = -\frac{\partial C}{\partial s_i}$$
//!
//! for scores $s$ and a cost $C$ that need not be written down, and need not exist ([`check_lambda`]). [`MarginLambda`] is the paper's
//! example with two documents. [`PairLambda`] pushes every two documents of different grades apart, and weighs each pair by what a swap
//! would change in a measure; with all weights 1 it is RankNet (Burges et al. 2005).
//!
//! Trees that boost along gradients, such as LightGBM's and XGBoost's, take the same numbers: [`gradients`] gives them.

mod check;
mod margin;
mod pairs;
mod swap;

pub use check::{Failure, LambdaCheck, check_lambda, loop_integral};
pub use margin::MarginLambda;
pub use pairs::{PairLambda, cross_entropy};
pub use swap::Swap;

use crate::measure::{JudgedList, Measure};
use crate::{Error, Result};

/// The documents of a query, as a lambda sees them.
#[derive(Debug, Clone, Copy)]
pub struct Scored<'a> {
    /// One grade per document; the higher, the better.
    pub grades: &'a [i32],
    /// One score per document; the higher, the better.
    pub scores: &'a [f64],
    /// The place of every document if they are ordered by falling scores, from 0. Equal scores keep the given order.
    pub ranks: &'a [usize],
}

/// The force on every document of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forces {
    /// The lambdas: minus the derivatives of the cost by the scores.
    pub lambdas: Vec<f64>,
    /// The second derivatives of the cost by each document's own score, `-∂λ_i/∂s_i`.
    pub curvatures: Vec<f64>,
}

impl Forces {
    /// No force on any of these documents.
    pub fn none(documents: usize) -> Self {
        Self { lambdas: vec![0.0; documents], curvatures: vec![0.0; documents] }
    }

    fn reset(&mut self, documents: usize) {
        self.lambdas.clear();
        self.lambdas.resize(documents, 0.0);
        self.curvatures.clear();
        self.curvatures.resize(documents, 0.0);
    }
}

/// A rule for the forces on one query's documents. It may depend on scores, grades and ranks.
pub trait Lambda: Send + Sync {
    /// Adds the forces on the documents.
    fn add(&self, query: &Scored<'_>, forces: &mut Forces);

    /// Says what is wrong with its parameters, if anything.
    ///
    /// # Errors
    /// If a parameter is out of its range.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// A lambda that also draws every score towards 0: $\lambda_i - \alpha s_i$.
///
/// It adds $\alpha$ to the diagonal of the cost's Hessian, so a cost that is not quite convex becomes so. The paper prints the opposite
/// sign, but its lambdas are minus the derivatives.
#[derive(Debug, Clone, Copy)]
pub struct Regularised<L> {
    /// The lambda without it.
    pub lambda: L,
    /// The strength, at least 0.
    pub alpha: f64,
}

impl<L: Lambda> Lambda for Regularised<L> {
    fn add(&self, query: &Scored<'_>, forces: &mut Forces) {
        self.lambda.add(query, forces);
        let documents = forces.lambdas.iter_mut().zip(&mut forces.curvatures).zip(query.scores);
        for ((lambda, curvature), score) in documents {
            *lambda -= self.alpha * score;
            *curvature += self.alpha;
        }
    }

    fn check(&self) -> Result<()> {
        self.lambda.check()?;
        in_range("alpha", self.alpha, self.alpha >= 0.0, "a finite number of at least 0")
    }
}

/// Fails unless a parameter is finite and in its range.
fn in_range(name: &str, value: f64, is_in: bool, expected: &'static str) -> Result<()> {
    if value.is_finite() && is_in { Ok(()) } else { Err(Error::Parameter { name: name.into(), value, expected }) }
}

/// The gradient and the curvature of the cost for the documents of one query, as LightGBM and XGBoost expect them of an objective.
///
/// ```
/// use ordain::learn::{PairLambda, Swap, gradients};
///
/// let [gradient, curvature] = gradients(&PairLambda::new(Swap::ndcg()), &[1, 0], &[0.0, 0.0])?;
/// // The relevant document moves up, the other one down.
/// assert!(gradient[0] < 0.0 && gradient[1] == -gradient[0]);
/// assert!(curvature[0] > 0.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
/// If there are not as many grades as scores, a score is not finite, or a parameter of the lambda is out of its range.
pub fn gradients(lambda: &dyn Lambda, grades: &[i32], scores: &[f64]) -> Result<[Vec<f64>; 2]> {
    lambda.check()?;
    check_scores(grades, scores)?;
    let mut workspace = Workspace::default();
    let forces = workspace.forces(lambda, grades, scores);
    Ok([forces.lambdas.iter().map(|lambda| -lambda).collect(), forces.curvatures.clone()])
}

fn check_scores(grades: &[i32], scores: &[f64]) -> Result<()> {
    let wrong = |found: String, expected: String| Err(Error::Data { what: "the scores of a query", found, expected });
    if grades.len() != scores.len() {
        return wrong(format!("{} scores", scores.len()), format!("{}, one per grade", grades.len()));
    }
    match scores.iter().position(|score| !score.is_finite()) {
        Some(at) => wrong(format!("{} for document {at}", scores[at]), "finite numbers".into()),
        None => Ok(()),
    }
}

/// Memory that is used again for every query.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    /// The documents by falling score, each behind a number that orders as its score does.
    order: Vec<(u64, usize)>,
    ranks: Vec<usize>,
    forces: Forces,
}

impl Workspace {
    /// The forces on the documents of a query. `n log n` operations beside those of the lambda.
    pub(super) fn forces(&mut self, lambda: &dyn Lambda, grades: &[i32], scores: &[f64]) -> &Forces {
        let count = scores.len();
        self.order.clear();
        self.order.extend(scores.iter().enumerate().map(|(document, score)| (falling(*score), document)));
        self.order.sort_unstable();
        self.ranks.resize(count, 0);
        self.order.iter().enumerate().for_each(|(rank, &(_, document))| self.ranks[document] = rank);
        self.forces.reset(count);
        lambda.add(&Scored { grades, scores, ranks: &self.ranks }, &mut self.forces);
        &self.forces
    }

    /// A measure of the query that forces were last computed for. Equal scores keep the order of the file.
    pub(super) fn measured(&self, measure: Measure, grades: &[i32]) -> Result<f64> {
        let ranked = self.order.iter().map(|&(_, document)| grades[document]).collect();
        measure.of(&JudgedList::ranked(ranked, grades.iter().copied()))
    }
}

/// A number that falls as the score rises: whole numbers are sorted faster.
fn falling(score: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    // Adding 0 makes one zero of both, which are equal scores.
    let bits = (score + 0.0).to_bits();
    // The bits of positive numbers rise with them, those of negative ones fall.
    if bits & SIGN == 0 { !(bits | SIGN) } else { bits }
}
