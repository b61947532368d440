//! Whether there is a cost behind lambdas, and whether it is convex (LambdaRank section 4).
//!
//! Where lambdas are smooth, they are derivatives of a cost if and only if their Jacobian is symmetric (eq. 11). Lambdas that depend on
//! ranks jump where two documents change places. There the Jacobian says nothing: what tells is the integral of the lambdas along a closed
//! path across the swap, which is 0 for derivatives of any cost.

use super::{Lambda, Workspace, check_scores};
use crate::numeric::Matrix;
use crate::numeric::dense::Cholesky;
use crate::{Error, Result};

/// What [`check_lambda`] found at some scores.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LambdaCheck {
    /// The pair of documents that shows that there is no cost; none if nothing speaks against one.
    pub failure: Option<Failure>,
    /// Whether a cost would be convex here: minus the Jacobian is positive semidefinite (the paper has the sign reversed), and no force
    /// grows where its document passes a neighbour in the ranking.
    pub is_convex: bool,
}

impl LambdaCheck {
    /// Whether the lambdas may be derivatives of a cost near these scores.
    pub fn has_cost(&self) -> bool {
        self.failure.is_none()
    }
}

/// Two documents whose lambdas are not derivatives of one cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Failure {
    /// The derivative of the first one's lambda by the second one's score is not that of the second one's by the first one's.
    Asymmetry {
        /// The two documents.
        pair: [usize; 2],
        /// The difference of the derivatives.
        difference: f64,
    },
    /// A closed path on which the two change places and back has an integral.
    Swap {
        /// The two documents.
        pair: [usize; 2],
        /// The integral along the path.
        integral: f64,
    },
}

/// Looks for a cost behind lambdas near some scores: the Jacobian must be symmetric, and closed paths on which two neighbours in the ranking
/// change places must have no integral. The pair that fails most is named. `2n` evaluations for the Jacobian, and some hundreds per
/// neighbours.
///
/// ```
/// use ordain::learn::{Failure, PairLambda, Swap, check_lambda};
///
/// let (grades, scores) = ([2, 1, 0], [0.1, 0.2, -0.4]);
/// let ranknet = check_lambda(&PairLambda::new(Swap::Pairs), &grades, &scores)?;
/// assert!(ranknet.has_cost() && ranknet.is_convex);
/// let ndcg = check_lambda(&PairLambda::new(Swap::ndcg()), &grades, &scores)?;
/// assert!(matches!(ndcg.failure, Some(Failure::Swap { .. })));
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
/// If there are not as many grades as scores, a score is not finite, or two are equal or nearly so: there ranks are about to swap.
pub fn check_lambda(lambda: &dyn Lambda, grades: &[i32], scores: &[f64]) -> Result<LambdaCheck> {
    check_scores(grades, scores)?;
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&one, &other| scores[other].total_cmp(&scores[one]));
    let gaps = order.windows(2).map(|pair| scores[pair[0]] - scores[pair[1]]);
    let least = gaps.fold(f64::INFINITY, f64::min);
    let largest = scores.iter().fold(0.0_f64, |most, score| most.max(score.abs()));
    // A step within the gap must be well above the rounding of lambdas and of scores.
    if least < (1e-8_f64).max(64.0 * f64::EPSILON * largest) {
        return Err(Error::Data {
            what: "scores to check lambdas at",
            found: "equal scores, or nearly equal ones".into(),
            expected: "different scores: a derivative needs ranks that stay".into(),
        });
    }
    let jacobian = jacobian(lambda, grades, scores, least);
    let neighbours: Vec<[usize; 2]> = order.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    let is_convex =
        is_convex(&jacobian) && !neighbours.iter().any(|&pair| grows(lambda, grades, scores, pair, 0.125 * least));
    let failure = match asymmetry(&jacobian) {
        None => across_swaps(lambda, grades, scores, &neighbours)?,
        found => found,
    };
    Ok(LambdaCheck { failure, is_convex })
}

/// The error of forces, and of integrals per length of the path, that is rounding: lambdas are of the size 1.
const TOLERANCE: f64 = 1e-7;

/// `∂λ_i/∂s_j` by central differences within the least gap between scores.
fn jacobian(lambda: &dyn Lambda, grades: &[i32], scores: &[f64], least: f64) -> Matrix {
    // The cube root of the rounding error balances it with the error of the difference.
    let step = (f64::EPSILON.cbrt()).min(0.25 * least);
    let mut workspace = Workspace::default();
    let mut moved = scores.to_vec();
    let mut out = Matrix::zeros(scores.len(), scores.len());
    for of in 0..scores.len() {
        let mut at = |to: f64| {
            moved[of] = to;
            let lambdas = workspace.forces(lambda, grades, &moved).lambdas.clone();
            moved[of] = scores[of];
            lambdas
        };
        // Rounded as they are: large scores do not move by the step exactly.
        let (above, below) = (scores[of] + step, scores[of] - step);
        let (up, down) = (at(above), at(below));
        let slopes = out.column_mut(of).iter_mut().zip(up.iter().zip(&down));
        slopes.for_each(|(slope, (up, down))| *slope = (up - down) / (above - below));
    }
    out
}

/// The pair of documents that differs most from symmetry.
fn asymmetry(jacobian: &Matrix) -> Option<Failure> {
    let count = jacobian.rows();
    let pairs = (0..count).flat_map(|first| (first + 1..count).map(move |second| [first, second]));
    let difference = |[first, second]: [usize; 2]| jacobian[(first, second)] - jacobian[(second, first)];
    let worst = pairs.max_by(|&one, &other| difference(one).abs().total_cmp(&difference(other).abs()))?;
    // Differences of numbers of the size 1 over steps of the size 1e-5.
    let rounding = 1e-6 * jacobian.values().iter().fold(1.0_f64, |most, slope| most.max(slope.abs()));
    let difference = difference(worst);
    (difference.abs() > rounding).then_some(Failure::Asymmetry { pair: worst, difference })
}

fn is_convex(jacobian: &Matrix) -> bool {
    let count = jacobian.rows();
    let scale = jacobian.values().iter().fold(1.0_f64, |most, slope| most.max(slope.abs()));
    let shifted = Matrix::from_fn(count, count, |row, column| {
        let hessian = -0.5 * (jacobian[(row, column)] + jacobian[(column, row)]);
        if row == column { hessian + 1e-6 * scale } else { hessian }
    });
    Cholesky::factor(shifted).is_ok()
}

/// Whether a document's force is larger this little above the next one in the ranking than below it.
fn grows(lambda: &dyn Lambda, grades: &[i32], scores: &[f64], [upper, lower]: [usize; 2], beside: f64) -> bool {
    let mut workspace = Workspace::default();
    let mut moved = scores.to_vec();
    let mut force = |to: f64| {
        moved[lower] = to;
        workspace.forces(lambda, grades, &moved).lambdas[lower]
    };
    force(scores[upper] + beside) > force(scores[upper] - beside) + TOLERANCE
}

/// The neighbours in the ranking that fail most if they change places and back.
fn across_swaps(lambda: &dyn Lambda, grades: &[i32], scores: &[f64], pairs: &[[usize; 2]]) -> Result<Option<Failure>> {
    let (mut failure, mut largest) = (None, TOLERANCE);
    for &pair in pairs {
        let (integral, side) = across_swap(lambda, grades, scores, pair)?;
        if integral.abs() / side > largest {
            largest = integral.abs() / side;
            failure = Some(Failure::Swap { pair, integral });
        }
    }
    Ok(failure)
}

/// The integral of the lambdas along a square on which two neighbours in the ranking change places and back, and the length of its side. No
/// other documents change places.
fn across_swap(lambda: &dyn Lambda, grades: &[i32], scores: &[f64], [first, second]: [usize; 2]) -> Result<(f64, f64)> {
    let middle = 0.5 * (scores[first] + scores[second]);
    let others = scores.iter().enumerate().filter(|(at, _)| *at != first && *at != second);
    // The nearest other document stays outside: half of the side is less than the distance to it.
    let side = others.map(|(_, score)| (score - middle).abs()).fold(1.0, f64::min);
    let mut corner = scores.to_vec();
    corner[first] = middle - 0.5 * side;
    corner[second] = middle - 0.5 * side;
    Ok((loop_integral(lambda, grades, &corner, [first, second], side)?, side))
}

/// The integral of lambdas along a square in the plane of two documents' scores: from the given scores, the first document's rises by the
/// side, then the second one's, and both return. It is 0 if the lambdas are derivatives of a cost.
///
/// # Errors
/// If there are not as many grades as scores, a score is not finite, or the documents are not two of them.
pub fn loop_integral(
    lambda: &dyn Lambda,
    grades: &[i32],
    scores: &[f64],
    [first, second]: [usize; 2],
    side: f64,
) -> Result<f64> {
    check_scores(grades, scores)?;
    if first == second || first.max(second) >= scores.len() || !side.is_finite() {
        return Err(Error::Data {
            what: "a path around two documents",
            found: format!("documents {first} and {second}, side {side}"),
            expected: format!("two of the documents 0 to {}, a finite side", scores.len().saturating_sub(1)),
        });
    }
    let mut path = Path { lambda, grades, at: scores.to_vec(), workspace: Workspace::default() };
    let edges = [(first, side), (second, side), (first, -side), (second, -side)];
    Ok(edges.into_iter().map(|(document, by)| path.follow(document, by)).sum())
}

struct Path<'a> {
    lambda: &'a dyn Lambda,
    grades: &'a [i32],
    at: Vec<f64>,
    workspace: Workspace,
}

impl Path<'_> {
    /// Moves a document's score, and integrates its lambda on the way: piece by piece between the places where it meets another document.
    fn follow(&mut self, document: usize, by: f64) -> f64 {
        let (from, to) = (self.at[document], self.at[document] + by);
        let (low, high) = (from.min(to), from.max(to));
        let met = self.at.iter().copied().filter(|score| *score > low && *score < high);
        let mut ends: Vec<f64> = [low, high].into_iter().chain(met).collect();
        ends.sort_unstable_by(f64::total_cmp);
        let pieces: f64 = ends.windows(2).map(|ends| self.piece(document, ends[0], ends[1])).sum();
        self.at[document] = to;
        pieces * by.signum()
    }

    /// The integral between two scores by Gauss's rule of three points on short panels. It is exact for polynomials of degree 5.
    fn piece(&mut self, document: usize, low: f64, high: f64) -> f64 {
        const PANELS: usize = 64;
        const WEIGHTS: [f64; 3] = [5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0];
        let nodes = [-(0.6_f64.sqrt()), 0.0, 0.6_f64.sqrt()];
        let width = (high - low) / PANELS as f64;
        let mut sum = 0.0;
        for panel in 0..PANELS {
            let middle = low + (panel as f64 + 0.5) * width;
            for (node, weight) in nodes.into_iter().zip(WEIGHTS) {
                self.at[document] = middle + 0.5 * width * node;
                sum += weight * width * self.workspace.forces(self.lambda, self.grades, &self.at).lambdas[document];
            }
        }
        sum
    }
}
