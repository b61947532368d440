//! Climbs the evidence itself.

use rand::seq::IndexedRandom;
use rayon::prelude::*;

use super::{EpParams, Observation, Problem, Space};
use crate::gp::ep::Evidence;
use crate::kernel::Kernel;
use crate::numeric::dense::add_scaled;
use crate::numeric::optimise::{Lbfgs, largest};
use crate::numeric::{Purpose, Seed};
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
}

/// The most coordinates of a problem while starts are tried.
const MOST_TRIED: usize = 1000;

/// Where a climb ended.
#[derive(Debug, Clone)]
pub(super) struct Peak {
    pub(super) at: Vec<f64>,
    pub(super) objective: f64,
    /// The largest entry of the gradient.
    pub(super) gradient: f64,
}

impl<'a> Ascent<'a> {
    pub(super) fn new(space: &'a Space, problems: &'a mut [Problem], ep: EpParams) -> Self {
        let evidences = problems.iter().map(evidences_of).collect();
        Self { space, problems, evidences, ep, evaluations: 0, is_thinned: false }
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

    /// Takes all answers again. Returns whether some were left out.
    pub(super) fn take_all(&mut self) -> bool {
        let was_thinned = std::mem::replace(&mut self.is_thinned, false);
        if was_thinned {
            self.evidences = self.problems.iter().map(evidences_of).collect();
        }
        was_thinned
    }

    /// The number of evaluations of the evidence.
    pub(super) fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Counts evaluations made elsewhere.
    pub(super) fn count(&mut self, evaluations: usize) {
        self.evaluations += evaluations;
    }

    /// The log evidence of all problems.
    pub(super) fn log_evidence(&mut self, at: &[f64]) -> Result<f64> {
        let (objective, _) = self.objective(at)?;
        Ok(objective - self.space.log_prior(at, &mut vec![0.0; at.len()]))
    }

    /// The objective and its gradient by the coordinates.
    pub(super) fn objective(&mut self, at: &[f64]) -> Result<(f64, Vec<f64>)> {
        self.evaluations += 1;
        let values = self.space.everything(at);
        let (ep, width) = (&self.ep, self.space.tie_width(at));
        let evaluate = |evidence: &mut Evidence, problem: &Problem| {
            let Some(width) = width else {
                return evidence.evaluate(ep, &problem.kernel).map(|(found, derivatives)| (found, derivatives, 0.0));
            };
            evidence.set_tie_width(width);
            evidence.evaluate_with_width(ep, &problem.kernel)
        };
        let one = |(problem, evidences): (&mut Problem, &mut Vec<Evidence>)| -> Result<Vec<(f64, Vec<f64>, f64)>> {
            problem.kernel.set_parameters(&values)?;
            evidences.par_iter_mut().map(|evidence| evaluate(evidence, problem)).collect()
        };
        let all: Vec<Vec<(f64, Vec<f64>, f64)>> =
            self.problems.par_iter_mut().zip(&mut self.evidences).map(one).collect::<Result<_>>()?;
        let (mut sum, mut derivatives, mut by_width) = (0.0, vec![0.0; values.len()], 0.0);
        for (log_evidence, own, own_by_width) in all.iter().flatten() {
            sum += log_evidence;
            by_width += own_by_width;
            add_scaled(&mut derivatives, 1.0, own);
        }
        let mut gradient = self.space.by_coordinates(&derivatives, by_width, at);
        let log_prior = self.space.log_prior(at, &mut gradient);
        Ok((sum + log_prior, gradient))
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
        let lbfgs = Lbfgs { tolerance, max_iterations: most, longest: LONGEST, ..Lbfgs::default() };
        let mut failure = None;
        let valley = |at: &[f64], gradient: &mut [f64]| match self.objective(at) {
            Ok((objective, slopes)) => {
                gradient.iter_mut().zip(slopes).for_each(|(out, slope)| *out = -slope);
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
            _ => Ok(Peak { gradient: largest(&minimum.gradient), objective: -minimum.value, at: minimum.at }),
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
