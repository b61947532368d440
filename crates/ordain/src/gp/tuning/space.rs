//! The coordinates of the tuned parameters, and the prior on them.
//!
//! The coordinate of a positive parameter is its logarithm. That of a weight of the prior mean, which may be negative or
//! 0, is the weight in units of its typical size. So a coordinate of either kind has a prior of the same width.

use super::{Problem, TuningMethod, TuningParams};
use crate::data::TIE_WIDTH;
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
    /// The axes of the tuned parameters, and that of the tie width at the end if it is tuned.
    axes: Vec<Axis>,
    /// The tie width at the start, if it is tuned.
    width: Option<f64>,
    /// The standard deviation of the prior on every coordinate.
    spread: f64,
}

/// The coordinate of a tuned parameter.
#[derive(Debug, Clone, Copy)]
enum Axis {
    /// Its logarithm, with the middle of its prior.
    Logarithm { centre: f64 },
    /// The weight of a column of the prior mean, in this unit. The middle of its prior is 0: a column may be worthless,
    /// and with many columns most are. So a column counts only as far as answers speak for it.
    Linear { unit: f64 },
}

impl Axis {
    fn centre(self) -> f64 {
        match self {
            Self::Logarithm { centre } => centre,
            Self::Linear { .. } => 0.0,
        }
    }

    fn coordinate(self, value: f64) -> f64 {
        match self {
            Self::Logarithm { .. } => value.ln(),
            Self::Linear { unit } => value / unit,
        }
    }

    fn value(self, coordinate: f64) -> f64 {
        match self {
            Self::Logarithm { .. } => coordinate.exp(),
            Self::Linear { unit } => coordinate * unit,
        }
    }

    /// The derivative of the value by the coordinate.
    fn slope(self, coordinate: f64) -> f64 {
        match self {
            Self::Logarithm { .. } => coordinate.exp(),
            Self::Linear { unit } => unit,
        }
    }
}

impl Space {
    /// The space that these problems share. It starts at the first kernel's values, and sets all kernels to them.
    pub(super) fn new(problems: &mut [Problem], params: &TuningParams) -> Result<Self> {
        let spread = params.spread;
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
        if problems.iter().all(|problem| problem.observations().next().is_none()) {
            return Err(nothing("answers"));
        }
        let typical = typical(problems, &all)?;
        let kernel = &problems[0].kernel;
        let axis = |(position, centre): (usize, f64)| match kernel.is_mean(position) {
            true => (position, Axis::Linear { unit: centre.exp() }),
            false => (position, Axis::Logarithm { centre }),
        };
        let found = typical.into_iter().enumerate().filter_map(|(position, centre)| Some((position, centre?)));
        let found = found.filter(|&(position, _)| !params.hold_kernels || kernel.is_mean(position));
        let (tuned, mut axes): (Vec<usize>, Vec<Axis>) = found.map(axis).unzip();
        let mut names: Vec<String> = tuned.iter().map(|&position| parameters[position].name.clone()).collect();
        let is_open = params.method == TuningMethod::Ascent && !params.hold_kernels;
        let open = problems.iter().all(|problem| problem.tie_width.is_some()) && is_open;
        let width = problems[0].tie_width.filter(|_| open);
        if width.is_some() {
            axes.push(Axis::Logarithm { centre: typical_width(problems) });
            names.push(TIE_WIDTH.into());
        }
        Ok(Self { all, tuned, names, axes, width, spread })
    }

    /// The number of parameters that are tuned.
    pub(super) fn len(&self) -> usize {
        self.axes.len()
    }

    /// Their names.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The values at the start.
    pub(super) fn found(&self) -> Vec<f64> {
        self.tuned.iter().map(|&position| self.all[position]).chain(self.width).collect()
    }

    /// The coordinates of the values at the start.
    pub(super) fn start(&self) -> Vec<f64> {
        self.axes.iter().zip(self.found()).map(|(axis, value)| axis.coordinate(value)).collect()
    }

    /// Turns standard normal numbers into coordinates drawn from the prior.
    pub(super) fn draw(&self, normals: &[f64]) -> Vec<f64> {
        self.axes.iter().zip(normals).map(|(axis, normal)| axis.centre() + self.spread * normal).collect()
    }

    /// The values of the tuned parameters.
    pub(super) fn values(&self, at: &[f64]) -> Vec<f64> {
        self.axes.iter().zip(at).map(|(axis, &coordinate)| axis.value(coordinate)).collect()
    }

    /// The tie width, if it is tuned.
    pub(super) fn tie_width(&self, at: &[f64]) -> Option<f64> {
        self.width.and_then(|_| Some(self.axes.last()?.value(*at.last()?)))
    }

    /// The values of all parameters of the kernel.
    pub(super) fn everything(&self, at: &[f64]) -> Vec<f64> {
        let mut out = self.all.clone();
        for (&position, value) in self.tuned.iter().zip(self.values(at)) {
            out[position] = value;
        }
        out
    }

    /// Gives all kernels these values, and all ties this width.
    pub(super) fn set(&self, problems: &mut [Problem], at: &[f64]) -> Result<()> {
        if let Some(width) = self.tie_width(at) {
            problems.iter_mut().for_each(|problem| problem.set_tie_width(width));
        }
        let values = self.everything(at);
        problems.iter_mut().try_for_each(|problem| problem.kernel.set_parameters(&values))
    }

    /// The derivatives by the coordinates, from those by all parameters of the kernel and by the tie width.
    pub(super) fn by_coordinates(&self, derivatives: &[f64], by_width: f64, at: &[f64]) -> Vec<f64> {
        let tuned = self.tuned.iter().map(|&position| derivatives[position]).chain(self.width.map(|_| by_width));
        let axes = self.axes.iter().zip(at);
        tuned.zip(axes).map(|(derivative, (axis, &coordinate))| derivative * axis.slope(coordinate)).collect()
    }

    /// A step of each coordinate as one of the logarithm, or of the weight itself.
    pub(super) fn in_units(&self, steps: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let unit = |axis: &Axis| match axis {
            Axis::Logarithm { .. } => 1.0,
            Axis::Linear { unit } => *unit,
        };
        self.axes.iter().zip(steps).map(|(axis, step)| step * unit(axis)).collect()
    }

    /// Minus the second derivative of the log prior by every coordinate.
    pub(super) fn prior_precision(&self) -> f64 {
        self.spread.powi(-2)
    }

    /// The log density of the prior, up to a constant; adds its derivatives.
    pub(super) fn log_prior(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let mut out = 0.0;
        for ((value, axis), slope) in at.iter().zip(&self.axes).zip(gradient) {
            let off = (value - axis.centre()) / self.spread;
            out -= 0.5 * off * off;
            *slope -= off / self.spread;
        }
        out
    }
}

/// The middle of the prior on the logarithm of every tuned parameter: the mean of the problems' typical values. A
/// weight is typical if its part, with a typical shape, varies as much as the noise. For the weights of the mean it is
/// the logarithm of their unit: with such weights the mean varies half as much as the noise.
fn typical(problems: &mut [Problem], all: &[f64]) -> Result<Vec<Option<f64>>> {
    let mut sums = vec![Some(0.0); all.len()];
    let count = problems.len() as f64;
    for problem in problems {
        let noise = mean_log_noise(problem);
        let shapes = problem.kernel.typical()?;
        let mut shaped = all.to_vec();
        for (position, value) in shapes.iter().enumerate() {
            let scales = problem.kernel.is_weight(position) || problem.kernel.is_mean(position);
            if let Some(value) = value.filter(|_| !scales) {
                shaped[position] = value;
            }
        }
        problem.kernel.set_parameters(&shaped)?;
        let shaped = problem.kernel.typical();
        problem.kernel.set_parameters(all)?;
        for (position, (sum, value)) in sums.iter_mut().zip(shaped?).enumerate() {
            let scales = problem.kernel.is_weight(position) || problem.kernel.is_mean(position);
            let unit = if scales { noise } else { 0.0 };
            *sum = sum.zip(value).map(|(sum, value)| sum + (value.ln() + unit) / count);
        }
    }
    Ok(sums)
}

/// The middle of the prior on the logarithm of the tie width: half the noise of a difference, the mean over the problems.
fn typical_width(problems: &[Problem]) -> f64 {
    let sum: f64 = problems.iter().map(|problem| mean_log_noise(problem) - std::f64::consts::LN_2).sum();
    sum / problems.len() as f64
}

/// The mean logarithm of the observations' noise; 0 without any.
fn mean_log_noise(problem: &Problem) -> f64 {
    let sum: f64 = problem.observations().map(|observation| observation.noise.ln()).sum();
    sum / problem.observations().count().max(1) as f64
}

fn nothing(of: &str) -> Error {
    Error::Data { what: "tuning", found: format!("no {of}"), expected: "at least one".into() }
}
