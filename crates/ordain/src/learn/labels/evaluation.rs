//! How good rankings of labels are.

use serde::Serialize;

use super::loss::LabelLoss;
use super::model::LabelPrediction;
use super::target::Target;
use crate::measure::{LabelCounts, label_average_precision, label_coverage, label_ranking_loss, mean, one_error};
use crate::{Error, Result};

/// Means over examples. What depends on the zero point is left out if predictions have none. Those of sets are over the examples that say which labels are relevant, those of orders over the examples that order
/// labels; none where there is no such example.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct LabelEvaluation {
    /// The number of examples.
    pub examples: usize,
    /// The share of labels on the wrong side of the zero point.
    pub hamming: Option<f64>,
    /// The share of pairs of a relevant and an irrelevant label in the wrong order.
    pub ranking_loss: Option<f64>,
    /// The share of examples whose first label is irrelevant.
    pub one_error: Option<f64>,
    /// How many labels one must go through to see all relevant ones.
    pub coverage: Option<f64>,
    /// The mean share of relevant labels up to each relevant one.
    pub average_precision: Option<f64>,
    /// The F1 measure over all decisions.
    pub micro_f1: Option<f64>,
    /// The mean over labels of the F1 measure.
    pub macro_f1: Option<f64>,
    /// The share of examples whose first label is the class.
    pub accuracy: Option<f64>,
    /// Kendall's tau: 1 less twice the share of pairs in the wrong order; for top rankings of the distance of the lists.
    pub tau: Option<f64>,
    /// The differences of places, over their largest sum.
    pub footrule: Option<f64>,
}

impl LabelEvaluation {
    /// Compares predictions with what is known.
    ///
    /// # Errors
    /// If there are not as many predictions as targets, or not as many utilities as labels.
    pub fn of(predictions: &[LabelPrediction], targets: &[Target], labels: usize) -> Result<Self> {
        let fits = predictions.len() == targets.len();
        if !fits || predictions.iter().any(|found| found.utilities.len() != labels) {
            return Err(Error::Data {
                what: "predictions",
                found: format!("{} predictions", predictions.len()),
                expected: format!("{} predictions with {labels} utilities each", targets.len()),
            });
        }
        let calibrated = predictions.iter().all(|found| found.relevant().is_some());
        let mut sums = Sums { labels: vec![LabelCounts::default(); labels], calibrated, ..Sums::default() };
        for (found, target) in predictions.iter().zip(targets) {
            sums.add(&found.utilities, target)?;
        }
        Ok(sums.evaluation(targets.len()))
    }
}

/// Values of every example, by measure.
#[derive(Default)]
struct Sums {
    /// Whether predictions have a zero point.
    calibrated: bool,
    labels: Vec<LabelCounts>,
    hamming: Vec<f64>,
    ranking_loss: Vec<f64>,
    one_error: Vec<f64>,
    coverage: Vec<f64>,
    average_precision: Vec<f64>,
    accuracy: Vec<f64>,
    tau: Vec<f64>,
    footrule: Vec<f64>,
}

impl Sums {
    fn add(&mut self, utilities: &[f64], target: &Target) -> Result<()> {
        match target {
            Target::Class(_) => self.accuracy.push(1.0 - LabelLoss::ZeroOne.of(utilities, target)?),
            Target::Set(relevant) => self.set(utilities, relevant),
            Target::Order(_) => self.order(utilities, target)?,
            Target::Top(relevant) => {
                self.set(utilities, relevant);
                if self.calibrated {
                    self.order(utilities, target)?;
                }
            }
            Target::Partial(known) => {
                if known.ordered().next().is_some() {
                    self.tau.push(1.0 - 2.0 * LabelLoss::Kendall.of(utilities, target)?);
                }
                if target.has_zero() && self.calibrated {
                    self.hamming.push(LabelLoss::Hamming.of(utilities, target)?);
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, utilities: &[f64], relevant: &[usize]) {
        let truth: Vec<bool> = (0..utilities.len()).map(|label| relevant.contains(&label)).collect();
        for (label, counts) in self.labels.iter_mut().enumerate() {
            counts.add(utilities[label] > 0.0, truth[label]);
        }
        let wrong = truth.iter().zip(utilities).filter(|(is, utility)| **is != (**utility > 0.0)).count();
        if self.calibrated {
            self.hamming.push(wrong as f64 / utilities.len() as f64);
        }
        self.ranking_loss.push(label_ranking_loss(utilities, &truth));
        self.one_error.push(one_error(utilities, &truth));
        self.coverage.push(label_coverage(utilities, &truth));
        self.average_precision.push(label_average_precision(utilities, &truth));
    }

    fn order(&mut self, utilities: &[f64], target: &Target) -> Result<()> {
        self.tau.push(1.0 - 2.0 * LabelLoss::Kendall.of(utilities, target)?);
        self.footrule.push(LabelLoss::Footrule.of(utilities, target)?);
        Ok(())
    }

    fn evaluation(&self, examples: usize) -> LabelEvaluation {
        let of = |values: &Vec<f64>| (!values.is_empty()).then(|| mean(values));
        let is_set = !self.one_error.is_empty() && self.calibrated;
        let mut all = LabelCounts::default();
        for counts in &self.labels {
            all.right += counts.right;
            all.wrong += counts.wrong;
            all.missed += counts.missed;
        }
        let f1: Vec<f64> = self.labels.iter().map(LabelCounts::f1).collect();
        LabelEvaluation {
            examples,
            hamming: of(&self.hamming),
            ranking_loss: of(&self.ranking_loss),
            one_error: of(&self.one_error),
            coverage: of(&self.coverage),
            average_precision: of(&self.average_precision),
            micro_f1: is_set.then(|| all.f1()),
            macro_f1: is_set.then(|| mean(&f1)),
            accuracy: of(&self.accuracy),
            tau: of(&self.tau),
            footrule: of(&self.footrule),
        }
    }
}
