//! EM-EP (XPGP section 4.3).
//!
//! *E*: EP at the present parameters gives the belief `N(m, Σ)` over the observed items. *M*: scaled conjugate
//! gradients maximise the expected log prior `-½ log|K| - ½ tr(K⁻¹ (Σ + m m'))` (eq. 15), with the gradient of eq. 16,
//! `½ Σ_ij (K⁻¹ (Σ + m m') K⁻¹ - K⁻¹)_ij ∂K_ij/∂θ`. At parameters that M does not change, this is the gradient of EP's
//! evidence, so both methods stop at the same places. With a prior mean `m0 = X w`, `m - m0` takes the place of `m`,
//! and the gradient by the weight of column c is `x_c' K⁻¹ (m - m0)`.

use rayon::prelude::*;

use super::Problem;
use super::ascent::{Ascent, Peak};
use crate::gp::ep::{Evidence, Posterior};
use crate::kernel::Kernel;
use crate::numeric::dense::{Cholesky, add_scaled, dot, multiply, multiply_vector};
use crate::numeric::optimise::{ScaledConjugateGradients, largest};
use crate::{Error, Result};

/// Rounds of E and M over the problems of an ascent.
pub(super) struct Rounds<'a, 'b> {
    ascent: &'a mut Ascent<'b>,
    /// One per set of observations of each problem.
    evidences: Vec<Vec<Evidence>>,
}

/// The most steps of M per round.
const STEPS: usize = 20;

impl<'a, 'b> Rounds<'a, 'b> {
    pub(super) fn new(ascent: &'a mut Ascent<'b>) -> Self {
        let evidences = |problem: &Problem| problem.sets.iter().map(|set| Evidence::of_items(set)).collect::<Vec<_>>();
        let evidences = ascent.problems.iter().map(evidences).collect();
        Self { ascent, evidences }
    }

    /// At most this many rounds from here; reports each.
    pub(super) fn climb(
        &mut self,
        from: Vec<f64>,
        tolerance: f64,
        most: usize,
        step: &mut dyn FnMut(usize, f64, f64),
    ) -> Result<Peak> {
        let mut at = from;
        let (mut round, mut first) = (0, None);
        loop {
            let (log_evidence, beliefs) = self.expect(&at)?;
            // At the start of M, its gradient is the evidence's.
            let (_, slopes) = self.expected_log_prior(&beliefs, &at)?;
            let gradient = largest(&slopes);
            let objective = log_evidence + self.ascent.space.log_prior(&at, &mut vec![0.0; at.len()]);
            let first = *first.get_or_insert(objective);
            step(round, objective, gradient);
            if gradient <= tolerance || round == most {
                return Ok(Peak { at, objective, first, gradient });
            }
            at = self.maximise(&beliefs, at, gradient);
            round += 1;
        }
    }

    /// E: the log evidence of all problems and their beliefs.
    fn expect(&mut self, at: &[f64]) -> Result<(f64, Vec<Vec<Posterior>>)> {
        self.ascent.count(1);
        let values = self.ascent.space.everything(at);
        let ep = &self.ascent.ep;
        let one = |(problem, evidences): (&mut Problem, &mut Vec<Evidence>)| -> Result<Vec<(f64, Posterior)>> {
            problem.kernel.set_parameters(&values)?;
            problem.under(|kernel| evidences.par_iter_mut().map(|evidence| evidence.believe(ep, kernel)).collect())
        };
        let all: Vec<Vec<(f64, Posterior)>> =
            self.ascent.problems.par_iter_mut().zip(&mut self.evidences).map(one).collect::<Result<_>>()?;
        let log_evidence = all.iter().flatten().map(|(log_evidence, _)| log_evidence).sum();
        let beliefs = |all: Vec<(f64, Posterior)>| all.into_iter().map(|(_, belief)| belief).collect();
        Ok((log_evidence, all.into_iter().map(beliefs).collect()))
    }

    /// M: the parameters that fit these beliefs best.
    fn maximise(&mut self, beliefs: &[Vec<Posterior>], from: Vec<f64>, gradient: f64) -> Vec<f64> {
        // A part of the gradient is enough, since the belief moves on anyway.
        let minimiser = ScaledConjugateGradients { tolerance: 1e-2 * gradient, max_iterations: STEPS };
        let valley = |at: &[f64], gradient: &mut [f64]| match self.expected_log_prior(beliefs, at) {
            Ok((value, slopes)) => {
                gradient.iter_mut().zip(slopes).for_each(|(out, slope)| *out = -slope);
                -value
            }
            // The objective is not defined there, so the step is made shorter. At the start it is defined; the caller
            // has checked.
            Err(_) => f64::INFINITY,
        };
        minimiser.minimise(from, valley).at
    }

    /// The expected log prior of the utilities plus the log prior of the parameters, and its gradient.
    fn expected_log_prior(&mut self, beliefs: &[Vec<Posterior>], at: &[f64]) -> Result<(f64, Vec<f64>)> {
        let values = self.ascent.space.everything(at);
        let one = |(problem, beliefs): (&mut Problem, &Vec<Posterior>)| -> Result<Vec<(f64, Vec<f64>)>> {
            problem.kernel.set_parameters(&values)?;
            problem.under(|kernel| beliefs.par_iter().map(|belief| log_prior_of(kernel, belief)).collect())
        };
        let all: Vec<Vec<(f64, Vec<f64>)>> =
            self.ascent.problems.par_iter_mut().zip(beliefs).map(one).collect::<Result<_>>()?;
        let (mut sum, mut derivatives) = (0.0, vec![0.0; values.len()]);
        for (value, own) in all.iter().flatten() {
            sum += value;
            add_scaled(&mut derivatives, 0.5, own);
        }
        let mut gradient = self.ascent.space.by_coordinates(&derivatives, 0.0, at);
        let log_prior = self.ascent.space.log_prior(at, &mut gradient);
        Ok((sum + log_prior, gradient))
    }
}

/// The expected log prior of the utilities under a belief, and twice its derivatives by the kernel's parameters.
fn log_prior_of(kernel: &dyn Kernel, belief: &Posterior) -> Result<(f64, Vec<f64>)> {
    let prior = kernel.among(&belief.items)?;
    let dimension = belief.items.len();
    let what = "the prior of the compared items, which EM-EP inverts (a kernel of kind \"independent\" helps),";
    let not_definite = |pivot| Error::NotPositiveDefinite { what, pivot, dimension };
    let cholesky = Cholesky::factor(prior).map_err(not_definite)?;
    let inverse = cholesky.inverse();
    let apart = apart(belief, kernel.mean());
    let mut second_moments = belief.covariance.clone();
    for (column, &own) in second_moments.columns_mut().zip(&apart) {
        add_scaled(column, own, &apart);
    }
    let spread = dot(inverse.values(), second_moments.values());
    let mut weights = multiply(&multiply(&inverse, &second_moments), &inverse);
    add_scaled(weights.values_mut(), -1.0, inverse.values());
    let mut derivatives = kernel.contract(&belief.items, &weights)?.derivatives;
    if let Some(columns) = kernel.mean_columns() {
        let pull = multiply_vector(&inverse, &apart);
        let first = derivatives.len() - columns.columns();
        for (at, derivative) in derivatives[first..].iter_mut().enumerate() {
            let column = columns.column(at);
            *derivative = 2.0 * belief.items.iter().zip(&pull).map(|(&item, pull)| pull * column[item]).sum::<f64>();
        }
    }
    Ok((-0.5 * (cholesky.log_det() + spread), derivatives))
}

/// The means of the observed items, less their prior means.
fn apart(belief: &Posterior, prior: Option<&[f64]>) -> Vec<f64> {
    match prior {
        Some(prior) => belief.mean.iter().zip(&belief.items).map(|(mean, &item)| mean - prior[item]).collect(),
        None => belief.mean.clone(),
    }
}
