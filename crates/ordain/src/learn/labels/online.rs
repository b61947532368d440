//! Online calibrated constraint classification (CLR algorithm 1).
//!
//! Labels are ranked by linear utilities. If the ranking of an example costs something, every violated constraint pushes its labels apart:
//! with $\beta_r$ the number of violated constraints in which label r should be higher, less those in which it should be lower, and c the
//! number of all violated ones,
//!
//! $$w_r \leftarrow w_r + \mathrm{loss} \cdot \frac{\beta_r}{c} \, x.$$
//!
//! If weights of norm 1 satisfy all constraints with margin γ, and no example is longer than R, the losses sum up to at most $2 \Lambda R^2 /
//! \gamma^2$, where Λ is the largest loss, here 1.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use super::LabelRanker;
use super::examples::LabelledExamples;
use super::loss::LabelLoss;
use super::model::{LabelModel, Machine};
use super::prepared::{Rows, Standard};
use super::target::{Encoding, LabelPreferences, Target};
use crate::numeric::Seed;
use crate::numeric::dense::{add_scaled, row_products, squared_distance};
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// What utilities are linear in.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Features {
    /// The attributes and a constant.
    #[default]
    Attributes,
    /// Random waves whose products are about those of the Gaussian kernel (Rahimi, Recht 2007), and a constant.
    Fourier {
        /// The number of waves.
        count: usize,
        /// The width of the kernel.
        width: f64,
    },
    /// The Gaussian kernel itself, and a constant: $k(x, z) = 1 + \exp(-|x - z|^2 / (2 n w^2))$ for n attributes, each standardised, and the
    /// width w. A prediction takes all examples that taught.
    Kernel {
        /// The width.
        width: f64,
    },
}

/// The settings of the online algorithm. A pass over m examples with n attributes and d labels takes `O(m d (n + d))`, with a kernel
/// `O(m² (n + d))`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OnlineParams {
    /// Which constraints orders become.
    pub encoding: Encoding,
    /// What a wrong ranking costs: the length of the step.
    pub loss: LabelLoss,
    /// The number of passes over the examples, each in another random order.
    pub epochs: usize,
    /// Whether the weights are means over all steps.
    pub averaged: bool,
    /// What utilities are linear in.
    pub features: Features,
    /// The seed of orders and waves.
    pub seed: Seed,
}

impl Default for OnlineParams {
    fn default() -> Self {
        Self {
            encoding: Encoding::default(),
            loss: LabelLoss::default(),
            epochs: 5,
            averaged: true,
            features: Features::default(),
            seed: Seed(1),
        }
    }
}

setters! {
    OnlineParams:
    with_encoding = encoding: Encoding,
    with_loss = loss: LabelLoss,
    with_epochs = epochs: usize,
    with_averaged = averaged: bool,
    with_features = features: Features,
    with_seed = seed: Seed,
}

/// How far to move every label for an example: the loss, times the balance of violated constraints over their number (CLR algorithm 1). None
/// if the loss is 0.
fn steps(
    utilities: &[f64],
    target: &Target,
    known: &LabelPreferences,
    loss: LabelLoss,
) -> Result<(f64, Option<Vec<f64>>)> {
    let loss = loss.of_known(utilities, target)?;
    if loss == 0.0 {
        return Ok((0.0, None));
    }
    let (mut balance, mut violated) = (vec![0.0; utilities.len()], 0.0);
    for (one, other) in known.ordered().filter(|(one, other)| utilities[*one] <= utilities[*other]) {
        balance[one] += 1.0;
        balance[other] -= 1.0;
        violated += 1.0;
    }
    for &label in known.relevant.iter().filter(|label| utilities[**label] <= 0.0) {
        balance[label] += 1.0;
        violated += 1.0;
    }
    for &label in known.irrelevant.iter().filter(|label| utilities[**label] >= 0.0) {
        balance[label] -= 1.0;
        violated += 1.0;
    }
    if violated == 0.0 {
        return Ok((loss, None));
    }
    balance.iter_mut().for_each(|step| *step *= loss / violated);
    Ok((loss, Some(balance)))
}

/// The online algorithm itself, an example at a time.
///
/// ```
/// use ordain::learn::labels::{LabelLoss, OnlineRanker, Encoding, Target};
/// let mut ranker = OnlineRanker::new(2, 3);
/// let (encoding, loss) = (Encoding::default(), LabelLoss::Kendall);
/// let suffered = ranker.learn(&[1.0, 0.5, 0.0], &Target::Order(vec![1, 0]), encoding, loss)?;
/// assert_eq!(suffered, 1.0);
/// let utilities = ranker.utilities(&[1.0, 0.5, 0.0]);
/// assert!(utilities[1] > utilities[0]);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct OnlineRanker {
    labels: usize,
    /// Label by label.
    weights: Vec<f64>,
    /// The sum of all steps, each times the number of examples before it.
    late: Vec<f64>,
    seen: f64,
}

impl OnlineRanker {
    /// With all weights 0. A constant attribute is not added.
    pub fn new(labels: usize, attributes: usize) -> Self {
        let size = labels * attributes;
        Self { labels, weights: vec![0.0; size], late: vec![0.0; size], seen: 0.0 }
    }

    /// The utilities of an example, one per label.
    ///
    /// # Panics
    /// If the example has not as many numbers as there are attributes.
    pub fn utilities(&self, example: &[f64]) -> Vec<f64> {
        assert_eq!(example.len() * self.labels, self.weights.len(), "one number per attribute");
        let mut out = Vec::with_capacity(self.labels);
        row_products(&self.weights, example, &mut out);
        out
    }

    /// Learns an example, and returns what its ranking cost before.
    ///
    /// # Errors
    /// If the example has not as many finite numbers as there are attributes, the target names a label that is not there, or the loss is not
    /// defined for it. Nothing is learned then.
    pub fn learn(&mut self, example: &[f64], target: &Target, encoding: Encoding, loss: LabelLoss) -> Result<f64> {
        target.check(self.labels)?;
        let fits = !example.is_empty() && example.len() * self.labels == self.weights.len();
        if !fits || example.iter().any(|value| !value.is_finite()) {
            return Err(Error::Data {
                what: "an example",
                found: format!("{} numbers, not all of them finite perhaps", example.len()),
                expected: format!("{} finite numbers", self.weights.len() / self.labels.max(1)),
            });
        }
        self.learn_known(example, target, &encoding.preferences(target, self.labels), loss)
    }

    fn learn_known(
        &mut self,
        example: &[f64],
        target: &Target,
        known: &LabelPreferences,
        loss: LabelLoss,
    ) -> Result<f64> {
        let (loss, steps) = steps(&self.utilities(example), target, known, loss)?;
        for (label, step) in steps.into_iter().flatten().enumerate().filter(|(_, step)| *step != 0.0) {
            let own = label * example.len()..(label + 1) * example.len();
            add_scaled(&mut self.weights[own.clone()], step, example);
            add_scaled(&mut self.late[own], step * self.seen, example);
        }
        self.seen += 1.0;
        Ok(loss)
    }

    /// The weights, label by label; if averaged, their mean over the examples that were learned, each after its own step.
    pub fn into_weights(mut self, averaged: bool) -> Vec<f64> {
        if averaged && self.seen > 0.0 {
            add_scaled(&mut self.weights, -1.0 / self.seen, &self.late);
        }
        self.weights
    }
}

/// Random waves: rows are mapped to `√(2 / count) cos(ω x + phase)` and a constant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Fourier {
    /// Wave by wave; the constant of a row has the phase as its factor.
    pub(super) waves: Vec<f64>,
}

impl Fourier {
    fn new(attributes: usize, count: usize, width: f64, seed: Seed) -> Self {
        let mut stream = seed.stream(u64::MAX >> 3);
        let deviation = 1.0 / (width * (attributes as f64).sqrt());
        let wave = |_| {
            let mut wave: Vec<f64> =
                (0..attributes).map(|_| deviation * stream.sample::<f64, _>(StandardNormal)).collect();
            wave.push(stream.random_range(0.0..std::f64::consts::TAU));
            wave
        };
        Self { waves: (0..count).flat_map(wave).collect() }
    }

    pub(super) fn of(&self, rows: &Rows) -> Rows {
        let count = self.waves.len() / rows.width;
        let height = (2.0 / count as f64).sqrt();
        let mut values = Vec::with_capacity(rows.len() * (count + 1));
        let mut phases = Vec::with_capacity(count);
        for row in rows.iter() {
            phases.clear();
            row_products(&self.waves, row, &mut phases);
            values.extend(phases.iter().map(|phase| height * phase.cos()));
            values.push(1.0);
        }
        Rows { values, width: count + 1 }
    }
}

/// Widths whose squares are neither 0 nor infinite.
pub(super) const WIDTHS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// The Gaussian kernel of two rows, which end with a constant, and 1.
pub(super) fn gaussian(one: &[f64], other: &[f64], width: f64) -> f64 {
    let attributes = (one.len() - 1) as f64;
    1.0 + (-0.5 * squared_distance(one, other) / (attributes * width * width)).exp()
}

impl LabelRanker for OnlineParams {
    fn fit(&self, examples: &LabelledExamples, watch: &Watch) -> Result<LabelModel> {
        self.check()?;
        examples.check()?;
        let (standard, rows) = Standard::of(examples.attributes());
        let machine = match self.features {
            Features::Attributes => {
                Machine::Linear { weights: self.linear(&rows, examples, watch)?, fourier: None, is_log_odds: false }
            }
            Features::Fourier { count, width } => {
                let fourier = Fourier::new(standard.len(), count, width, self.seed);
                Machine::Linear {
                    weights: self.linear(&fourier.of(&rows), examples, watch)?,
                    fourier: Some(fourier),
                    is_log_odds: false,
                }
            }
            Features::Kernel { width } => self.kernel(rows, width, examples, watch)?,
        };
        let name = match self.features {
            Features::Attributes => "online",
            Features::Fourier { .. } => "fourier",
            Features::Kernel { .. } => "kernel",
        };
        Ok(LabelModel::new(name, examples, standard, machine))
    }
}

impl OnlineParams {
    fn check(&self) -> Result<()> {
        let parameter = |name: &str, value: f64, expected| Err(Error::Parameter { name: name.into(), value, expected });
        if self.epochs == 0 {
            return parameter("epochs", 0.0, "at least 1");
        }
        match self.features {
            Features::Fourier { count: 0, .. } => parameter("the number of waves", 0.0, "at least 1"),
            Features::Fourier { width, .. } | Features::Kernel { width } if !WIDTHS.contains(&width) => {
                parameter("width", width, "between 1e-100 and 1e100")
            }
            _ => Ok(()),
        }
    }

    /// Shows all examples in every pass, in random orders.
    fn passes(
        &self,
        examples: &LabelledExamples,
        watch: &Watch,
        mut learn: impl FnMut(usize, &Target, &LabelPreferences) -> Result<()>,
    ) -> Result<()> {
        let labels = examples.labels().len();
        let known: Vec<LabelPreferences> =
            examples.targets().iter().map(|target| self.encoding.preferences(target, labels)).collect();
        let mut stream = self.seed.stream(0);
        let mut order: Vec<usize> = (0..examples.len()).collect();
        const OFTEN: usize = 1000;
        for epoch in 0..self.epochs {
            order.shuffle(&mut stream);
            for (at, &example) in order.iter().enumerate() {
                if at.is_multiple_of(OFTEN) {
                    let done = epoch * examples.len() + at;
                    watch.step(|| Step::new("training", done, self.epochs * examples.len()))?;
                }
                learn(example, &examples.targets()[example], &known[example])?;
            }
        }
        Ok(())
    }

    fn linear(&self, rows: &Rows, examples: &LabelledExamples, watch: &Watch) -> Result<Vec<f64>> {
        let mut ranker = OnlineRanker::new(examples.labels().len(), rows.width);
        self.passes(examples, watch, |example, target, known| {
            ranker.learn_known(rows.row(example), target, known, self.loss).map(drop)
        })?;
        Ok(ranker.into_weights(self.averaged))
    }

    /// The same with weights that are sums over examples.
    fn kernel(&self, rows: Rows, width: f64, examples: &LabelledExamples, watch: &Watch) -> Result<Machine> {
        let labels = examples.labels().len();
        let (mut shares, mut late) = (vec![0.0; rows.len() * labels], vec![0.0; rows.len() * labels]);
        let mut taught: Vec<usize> = Vec::new();
        let mut seen = 0.0;
        self.passes(examples, watch, |example, target, known| {
            let mut utilities = vec![0.0; labels];
            for &other in &taught {
                let near = gaussian(rows.row(example), rows.row(other), width);
                add_scaled(&mut utilities, near, &shares[other * labels..(other + 1) * labels]);
            }
            if let (_, Some(steps)) = steps(&utilities, target, known, self.loss)? {
                let own = example * labels..(example + 1) * labels;
                if shares[own.clone()].iter().all(|share| *share == 0.0) && !taught.contains(&example) {
                    taught.push(example);
                }
                add_scaled(&mut shares[own.clone()], 1.0, &steps);
                add_scaled(&mut late[own], seen, &steps);
            }
            seen += 1.0;
            Ok(())
        })?;
        if self.averaged {
            add_scaled(&mut shares, -1.0 / seen, &late);
        }
        let of = |values: &[f64], size: usize| {
            taught.iter().flat_map(|&at| &values[at * size..(at + 1) * size]).copied().collect::<Vec<f64>>()
        };
        Ok(Machine::Kernel { rows: of(&rows.values, rows.width), shares: of(&shares, labels), width })
    }
}
