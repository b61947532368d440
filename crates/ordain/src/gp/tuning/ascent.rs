//! Climbs the evidence itself.

use rand::seq::IndexedRandom;
use rayon::prelude::*;

use super::{EP, EpParams, Observation, Problem, Space};
use crate::gp::ep::Evidence;
use crate::kernel::Kernel;
use crate::numeric::dense::{Cholesky, add_scaled};
use crate::numeric::optimise::{Lbfgs, largest};
use crate::numeric::{Matrix, Purpose, Seed};
use crate::{Error, Result};

/// The objective: log evidence of all problems plus log prior.
pub(super) struct Ascent<'a> {
    pub(super) space: &'a Space,
    pub(super) problems: &'a mut [Problem],
    /// One per set of observations of each problem.
    evidences: Vec<Vec<Evidence>>,
    pub(super) ep: EpParams,
    evaluations: usize,
    /// Whether some answers are left out.
    is_thinned: bool,
    /// An estimate of minus the objective's Hessian, if there is one.
    curvature: Option<Cholesky>,
}

/// The most coordinates of a problem while starts are tried.
const MOST_TRIED: usize = 1000;

/// Where a climb ended.
#[derive(Debug, Clone)]
pub(super) struct Peak {
    pub(super) at: Vec<f64>,
    pub(super) objective: f64,
    /// The objective where it began.
    pub(super) first: f64,
    /// The largest entry of the gradient.
    pub(super) gradient: f64,
}

impl<'a> Ascent<'a> {
    pub(super) fn new(space: &'a Space, problems: &'a mut [Problem], ep: EpParams) -> Self {
        let evidences = problems.iter().map(evidences_of).collect();
        Self { space, problems, evidences, ep, evaluations: 0, is_thinned: false, curvature: None }
    }

    /// Leaves out answers of sets with very many coordinates: a seeded choice of as many answers as are tried stays. A few thousand
    /// answers make an evaluation hundreds of times slower, and a thousand show which way is up.
    pub(super) fn thin(&mut self, seed: Seed) {
        let mut task = 0;
        for (problem, evidences) in self.problems.iter().zip(&mut self.evidences) {
            for (set, evidence) in problem.sets.iter().zip(evidences) {
                task += 1;
                if evidence.basis().len() > MOST_TRIED {
                    // Kind 0 are the starts.
                    let mut stream = seed.stream(Purpose::TaskOf { kind: 1, task });
                    let some: Vec<Observation> = set.sample(&mut stream, MOST_TRIED).copied().collect();
                    *evidence = Evidence::new(&some, problem.kernel.len());
                    self.is_thinned = true;
                }
            }
        }
    }

    /// Whether some answers are left out.
    pub(super) fn is_thinned(&self) -> bool {
        self.is_thinned
    }

    /// Takes all answers again. What those that were tried say of the curvature at their peak counts for all, in proportion to their
    /// number: climbs from there on begin with Newton's steps, and an evaluation takes as long as hundreds of those that the curvature
    /// takes, one per coordinate.
    pub(super) fn take_all(&mut self, peak: &[f64]) -> Result<()> {
        let tried = self.count_observations();
        let curvature = match self.curvature_by_differences(peak) {
            Err(error @ Error::Cancelled { .. }) => return Err(error),
            found => found.ok(),
        };
        self.forget_tried();
        let more = self.count_observations() as f64 / tried as f64;
        // The prior is the same for any number of answers.
        let of_prior = |row, column| if row == column { self.space.prior_precision() } else { 0.0 };
        let all = curvature.map(|curvature| {
            Matrix::from_fn(peak.len(), peak.len(), |row, column| {
                let prior = of_prior(row, column);
                more * (curvature[(row, column)] - prior) + prior
            })
        });
        // Where it is no peak in every direction, climbs begin as anywhere.
        self.curvature = all.and_then(|all| Cholesky::factor(all).ok());
        Ok(())
    }

    /// Takes all answers again.
    pub(super) fn forget_tried(&mut self) {
        self.evidences = self.problems.iter().map(evidences_of).collect();
        self.is_thinned = false;
    }

    /// The number of observations that count.
    fn count_observations(&self) -> usize {
        self.evidences.iter().flatten().map(Evidence::count).sum()
    }

    /// Minus the objective's Hessian, by central differences of the gradient: two evaluations per coordinate.
    pub(super) fn curvature_by_differences(&mut self, peak: &[f64]) -> Result<Matrix> {
        /// With this step, rounding in the gradient (about 1e-7 of it) and the third derivative weigh the same.
        const STEP: f64 = 1e-2;
        let mut hessian = Matrix::zeros(peak.len(), peak.len());
        for (number, column) in hessian.columns_mut().enumerate() {
            for sign in [-1.0, 1.0] {
                let mut at = peak.to_vec();
                at[number] += sign * STEP;
                let (_, gradient) = self.objective(&at)?;
                column.iter_mut().zip(gradient).for_each(|(entry, slope)| *entry -= sign * slope / (2.0 * STEP));
            }
        }
        Ok(Matrix::from_fn(peak.len(), peak.len(), |i, j| 0.5 * (hessian[(i, j)] + hessian[(j, i)])))
    }

    /// What is known of the curvature.
    pub(super) fn into_curvature(self) -> Option<Cholesky> {
        self.curvature
    }

    /// Begins with Newton's steps by this curvature.
    pub(super) fn set_curvature(&mut self, curvature: Option<Cholesky>) {
        self.curvature = curvature;
    }

    /// The number of evaluations of the evidence.
    pub(super) fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Counts evaluations made elsewhere.
    pub(super) fn count(&mut self, evaluations: usize) {
        self.evaluations += evaluations;
    }

    /// The log evidence of all problems, as it is reported: EP stops later than while climbing.
    pub(super) fn log_evidence(&mut self, at: &[f64]) -> Result<f64> {
        let all = self.evaluate(at, |evidence, ep, kernel, _| {
            let exact = EpParams { tolerance: EP.tolerance, ..ep.clone() };
            evidence.log_evidence(&exact, kernel)
        })?;
        Ok(all.iter().flatten().sum())
    }

    /// The objective and its gradient by the coordinates.
    pub(super) fn objective(&mut self, at: &[f64]) -> Result<(f64, Vec<f64>)> {
        let all = self.evaluate(at, |evidence, ep, kernel, has_width| match has_width {
            true => evidence.evaluate_with_width(ep, kernel),
            false => evidence.evaluate(ep, kernel).map(|(found, derivatives)| (found, derivatives, 0.0)),
        })?;
        let mut derivatives = vec![0.0; self.space.everything(at).len()];
        let (mut sum, mut by_width) = (0.0, 0.0);
        for (log_evidence, own, own_by_width) in all.iter().flatten() {
            sum += log_evidence;
            by_width += own_by_width;
            add_scaled(&mut derivatives, 1.0, own);
        }
        let mut gradient = self.space.by_coordinates(&derivatives, by_width, at);
        let log_prior = self.space.log_prior(at, &mut gradient);
        Ok((sum + log_prior, gradient))
    }

    /// Something of every evidence at these coordinates, which `what` is also told whether the width of ties is one of.
    fn evaluate<T: Send>(
        &mut self,
        at: &[f64],
        what: impl Fn(&mut Evidence, &EpParams, &dyn Kernel, bool) -> Result<T> + Sync,
    ) -> Result<Vec<Vec<T>>> {
        self.evaluations += 1;
        let values = self.space.everything(at);
        let (ep, width) = (&self.ep, self.space.tie_width(at));
        let one = |(problem, evidences): (&mut Problem, &mut Vec<Evidence>)| -> Result<Vec<T>> {
            problem.kernel.set_parameters(&values)?;
            problem.under(|kernel| {
                let evaluate = |evidence: &mut Evidence| {
                    width.into_iter().for_each(|width| evidence.set_tie_width(width));
                    what(evidence, ep, kernel, width.is_some())
                };
                evidences.par_iter_mut().map(evaluate).collect()
            })
        };
        self.problems.par_iter_mut().zip(&mut self.evidences).map(one).collect()
    }

    /// Climbs from here by at most this many steps of L-BFGS, and reports each.
    pub(super) fn climb(
        &mut self,
        from: Vec<f64>,
        tolerance: f64,
        most: usize,
        step: &mut dyn FnMut(usize, f64, f64),
    ) -> Result<Peak> {
        /// A parameter changes by at most this many e-folds per step, and a weight of the mean by this many units.
        const LONGEST: f64 = 2.0;
        let lbfgs = Lbfgs {
            tolerance,
            max_iterations: most,
            longest: LONGEST,
            curvature: self.curvature.clone(),
            ..Lbfgs::default()
        };
        let (mut failure, mut first) = (None, None);
        let valley = |at: &[f64], gradient: &mut [f64]| match self.objective(at) {
            Ok((objective, slopes)) => {
                gradient.iter_mut().zip(slopes).for_each(|(out, slope)| *out = -slope);
                first.get_or_insert(objective);
                -objective
            }
            Err(error) => {
                failure = Some(error);
                f64::INFINITY
            }
        };
        let minimum = lbfgs.minimise(from, valley, |minimum| {
            step(minimum.iterations, -minimum.value, largest(&minimum.gradient));
        });
        match failure {
            Some(error @ Error::Cancelled { .. }) => Err(error),
            Some(error) if !minimum.value.is_finite() => Err(error),
            _ if !minimum.value.is_finite() => Err(not_finite()),
            _ => Ok(Peak {
                gradient: largest(&minimum.gradient),
                objective: -minimum.value,
                first: first.unwrap_or(-minimum.value),
                at: minimum.at,
            }),
        }
    }
}

/// The evidences of a problem's sets.
fn evidences_of(problem: &Problem) -> Vec<Evidence> {
    problem.sets.iter().map(|set| Evidence::new(set, problem.kernel.len())).collect()
}

fn not_finite() -> Error {
    Error::Data {
        what: "the evidence at the start",
        found: "a value that is not finite".into(),
        expected: "kernels and noise of ordinary size".into(),
    }
}
