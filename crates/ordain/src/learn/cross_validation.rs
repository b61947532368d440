//! Cross-validation for the two parameters of a ranking SVM with the RBF kernel.

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::RankSvmParams;
use super::rank_svm::{Dual, check_pairs};
use crate::data::{Attributes, ItemId};
use crate::kernel::{Form, Rho, VectorKernel, Vectors};
use crate::measure::wrong_pairs;
use crate::numeric::Seed;
use crate::params::setters;
use crate::{Error, Result};

/// Items with attributes, and pairs of a better and a worse one: one query.
#[derive(Debug, Clone)]
pub struct RankSvmProblem {
    /// The attributes as the kernel sees them, for example standardized.
    pub attributes: Attributes,
    /// Pairs of a better and a worse item.
    pub pairs: Vec<(ItemId, ItemId)>,
}

/// The values tried for the cost and for the inverse width of the RBF kernel, `exp(-rho² |x - y|² / 2)`.
///
/// Every combination is fitted on all folds but one of each problem's pairs. It is judged by the share of held-out
/// pairs that it puts in the wrong order, over all folds and problems. Equal scores count one half.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RankSvmGrid {
    /// Costs, ascending. Default: 10⁻², 10⁻¹, ..., 10³.
    pub costs: Vec<f64>,
    /// Inverse widths. Default: 2⁻⁵, 2⁻⁴, ..., 2.
    pub rhos: Vec<f64>,
    /// The number of parts of a problem's pairs. Default: 5.
    pub folds: usize,
    /// The seed that assigns pairs to folds.
    pub seed: Seed,
    /// The tolerance of the fits. Default: 10⁻³, which moves no score that matters.
    pub tolerance: f64,
}

impl Default for RankSvmGrid {
    fn default() -> Self {
        Self {
            costs: (-2..=3).map(|power| 10.0_f64.powi(power)).collect(),
            rhos: (-5..=1).map(|power| 2.0_f64.powi(power)).collect(),
            folds: 5,
            seed: Seed(1),
            tolerance: 1e-3,
        }
    }
}

setters! {
    RankSvmGrid:
    with_costs = costs: Vec<f64>,
    with_rhos = rhos: Vec<f64>,
    with_folds = folds: usize,
    with_seed = seed: Seed,
    with_tolerance = tolerance: f64,
}

/// One combination and its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridPoint {
    /// The cost.
    pub cost: f64,
    /// The inverse width.
    pub rho: f64,
    /// The share of held-out pairs in the wrong order.
    pub error: f64,
}

impl RankSvmGrid {
    /// All combinations, the best first: by error, then by smaller cost, then by smaller inverse width, which give
    /// smoother functions. A problem with fewer pairs than folds leaves out one pair at a time.
    ///
    /// Costs `rhos * folds` sequences of fits per problem. Each goes from the smallest cost to the largest and starts
    /// where the last one ended. Runs in parallel, with the same result for any number of threads.
    ///
    /// # Errors
    /// If there is no value to try, fewer than two folds, no problem, a problem with fewer than two pairs, or a value
    /// or pair out of range, or if a fit does not converge.
    pub fn search(&self, problems: &[RankSvmProblem]) -> Result<Vec<GridPoint>> {
        self.check(problems)?;
        let mut tasks = Vec::new();
        for (number, problem) in problems.iter().enumerate() {
            check_pairs(&problem.pairs, problem.attributes.items())?;
            let mut order = problem.pairs.clone();
            order.shuffle(&mut self.seed.stream(number as u64));
            let folds = self.folds.min(order.len());
            for &rho in &self.rhos {
                tasks.extend((0..folds).map(|fold| (problem, order.clone(), rho, fold, folds)));
            }
        }
        let errors = tasks.par_iter().map(|(problem, order, rho, fold, folds)| {
            let held_out = |at: &usize| at % folds == *fold;
            let part = |keep: bool| (0..order.len()).filter(|at| held_out(at) == keep).map(|at| order[at]).collect();
            self.errors(problem, *rho, part(false), part(true))
        });
        let errors = errors.collect::<Result<Vec<Vec<f64>>>>()?;
        let held_out: usize = problems.iter().map(|problem| problem.pairs.len()).sum();
        let mut points = Vec::with_capacity(self.rhos.len() * self.costs.len());
        for &rho in &self.rhos {
            for (at, &cost) in self.costs.iter().enumerate() {
                let of_rho = tasks.iter().zip(&errors).filter(|((_, _, other, _, _), _)| *other == rho);
                let wrong: f64 = of_rho.map(|(_, errors)| errors[at]).sum();
                points.push(GridPoint { cost, rho, error: wrong / held_out as f64 });
            }
        }
        points.sort_by(|a, b| {
            let by = |of: fn(&GridPoint) -> f64| of(a).total_cmp(&of(b));
            by(|point| point.error).then(by(|point| point.cost)).then(by(|point| point.rho))
        });
        Ok(points)
    }

    /// For every cost, the number of held-out pairs in the wrong order. Equal scores count one half.
    fn errors(
        &self,
        problem: &RankSvmProblem,
        rho: f64,
        known: Vec<(ItemId, ItemId)>,
        held_out: Vec<(ItemId, ItemId)>,
    ) -> Result<Vec<f64>> {
        let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(rho) };
        let kernel = VectorKernel::new(Vectors::from_attributes(&problem.attributes)?, form)?;
        let mut dual = Dual::new(&kernel, &known)?;
        let mut out = Vec::with_capacity(self.costs.len());
        for &cost in &self.costs {
            dual.solve(&RankSvmParams { cost, tolerance: self.tolerance, ..RankSvmParams::default() })?;
            out.push(wrong_pairs(&dual.all_scores(), &held_out)?);
        }
        Ok(out)
    }

    fn check(&self, problems: &[RankSvmProblem]) -> Result<()> {
        let data = |what, found: &str, expected: &str| {
            Err(Error::Data { what, found: found.into(), expected: expected.into() })
        };
        if self.costs.is_empty() || self.rhos.is_empty() {
            return data("a grid", "no value", "at least one cost and one rho");
        }
        for (name, values) in [("cost", &self.costs), ("rho", &self.rhos)] {
            if let Some(&value) = values.iter().find(|value| !(value.is_finite() && **value > 0.0)) {
                return Err(Error::Parameter { name: name.into(), value, expected: "a positive, finite number" });
            }
        }
        if !self.costs.is_sorted() {
            return data("the costs of a grid", "another order", "ascending values");
        }
        if self.folds < 2 {
            let value = self.folds as f64;
            return Err(Error::Parameter { name: "folds".into(), value, expected: "2 or more" });
        }
        if problems.is_empty() || problems.iter().any(|problem| problem.pairs.len() < 2) {
            return data("cross-validation", "too few pairs", "at least one problem, each with at least two pairs");
        }
        Ok(())
    }
}
