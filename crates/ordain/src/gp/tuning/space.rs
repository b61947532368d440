//! The logarithms of the tuned parameters, and the prior on them.

use super::Problem;
use crate::kernel::Kernel;
use crate::{Error, Result};

/// The tuned parameters and the middle of their prior.
#[derive(Debug, Clone)]
pub(super) struct Space {
    /// The value of every parameter at the start, including held ones.
    all: Vec<f64>,
    /// The positions of the tuned parameters.
    tuned: Vec<usize>,
    names: Vec<String>,
    /// The middle of the prior on each logarithm.
    centres: Vec<f64>,
    /// Its standard deviation.
    spread: f64,
}

impl Space {
    /// The space that these problems share. It starts at the first kernel's values, and sets all kernels to them.
    pub(super) fn new(problems: &mut [Problem], spread: f64) -> Result<Self> {
        let expected = "a positive, finite number";
        if !(spread > 0.0 && spread.is_finite()) {
            return Err(Error::Parameter { name: "spread".into(), value: spread, expected });
        }
        let Some(first) = problems.first() else { return Err(nothing("problems")) };
        let parameters = first.kernel.parameters();
        let all: Vec<f64> = parameters.iter().map(|parameter| parameter.value).collect();
        for problem in problems.iter() {
            let others = problem.kernel.parameters();
            if !parameters.iter().map(|one| &one.name).eq(others.iter().map(|one| &one.name)) {
                return Err(Error::Data {
                    what: "the parameters of the kernels that are tuned together",
                    found: "different names".into(),
                    expected: "the same for all".into(),
                });
            }
        }
        if problems.iter().all(|problem| problem.observations.is_empty()) {
            return Err(nothing("answers"));
        }
        let typical = typical(problems, &all)?;
        let tuned: Vec<usize> = (0..all.len()).filter(|&position| typical[position].is_some()).collect();
        let centres = typical.into_iter().flatten().collect();
        let names = tuned.iter().map(|&position| parameters[position].name.clone()).collect();
        Ok(Self { all, tuned, names, centres, spread })
    }

    /// The number of parameters that are tuned.
    pub(super) fn len(&self) -> usize {
        self.tuned.len()
    }

    /// Their names.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The values at the start.
    pub(super) fn found(&self) -> Vec<f64> {
        self.tuned.iter().map(|&position| self.all[position]).collect()
    }

    /// The logarithms of the values at the start.
    pub(super) fn start(&self) -> Vec<f64> {
        self.found().into_iter().map(f64::ln).collect()
    }

    /// Turns standard normal numbers into logarithms drawn from the prior.
    pub(super) fn draw(&self, normals: &[f64]) -> Vec<f64> {
        self.centres.iter().zip(normals).map(|(centre, normal)| centre + self.spread * normal).collect()
    }

    /// The values of the tuned parameters.
    pub(super) fn values(&self, logarithms: &[f64]) -> Vec<f64> {
        logarithms.iter().map(|value| value.exp()).collect()
    }

    /// The values of all parameters.
    pub(super) fn everything(&self, logarithms: &[f64]) -> Vec<f64> {
        let mut out = self.all.clone();
        for (&position, value) in self.tuned.iter().zip(self.values(logarithms)) {
            out[position] = value;
        }
        out
    }

    /// Gives all kernels these values.
    pub(super) fn set(&self, problems: &mut [Problem], logarithms: &[f64]) -> Result<()> {
        let values = self.everything(logarithms);
        problems.iter_mut().try_for_each(|problem| problem.kernel.set_parameters(&values))
    }

    /// The derivatives by the tuned logarithms, from those by all parameters.
    pub(super) fn by_logarithms(&self, derivatives: &[f64], logarithms: &[f64]) -> Vec<f64> {
        self.tuned.iter().zip(logarithms).map(|(&position, value)| derivatives[position] * value.exp()).collect()
    }

    /// The log density of the prior, up to a constant; adds its derivatives.
    pub(super) fn log_prior(&self, logarithms: &[f64], gradient: &mut [f64]) -> f64 {
        let mut out = 0.0;
        for ((value, centre), slope) in logarithms.iter().zip(&self.centres).zip(gradient) {
            let off = (value - centre) / self.spread;
            out -= 0.5 * off * off;
            *slope -= off / self.spread;
        }
        out
    }
}

/// The middle of the prior on the logarithm of every tuned parameter: the mean of the problems' typical values. A
/// weight is typical if its part, with a typical shape, varies as much as the noise.
fn typical(problems: &mut [Problem], all: &[f64]) -> Result<Vec<Option<f64>>> {
    let mut sums = vec![Some(0.0); all.len()];
    let count = problems.len() as f64;
    for problem in problems {
        let noise = mean_log_noise(problem);
        let shapes = problem.kernel.typical()?;
        let mut shaped = all.to_vec();
        for (position, value) in shapes.iter().enumerate() {
            if let Some(value) = value.filter(|_| !problem.kernel.is_weight(position)) {
                shaped[position] = value;
            }
        }
        problem.kernel.set_parameters(&shaped)?;
        let shaped = problem.kernel.typical();
        problem.kernel.set_parameters(all)?;
        for (position, (sum, value)) in sums.iter_mut().zip(shaped?).enumerate() {
            let unit = if problem.kernel.is_weight(position) { noise } else { 0.0 };
            *sum = sum.zip(value).map(|(sum, value)| sum + (value.ln() + unit) / count);
        }
    }
    Ok(sums)
}

/// The mean logarithm of the observations' noise; 0 without any.
fn mean_log_noise(problem: &Problem) -> f64 {
    let sum: f64 = problem.observations.iter().map(|observation| observation.noise.ln()).sum();
    sum / problem.observations.len().max(1) as f64
}

fn nothing(of: &str) -> Error {
    Error::Data { what: "tuning", found: format!("no {of}"), expected: "at least one".into() }
}
