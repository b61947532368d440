//! How good rankings of labels are.

use std::cmp::Ordering;

use serde::Serialize;

use super::loss::LabelLoss;
use super::model::LabelPrediction;
use super::target::{Encoding, LabelPreferences, Target};
use crate::measure::{
    LabelCounts, kendall_tau_a, label_average_precision, label_coverage, label_ranking_loss, mean, normalised_footrule,
    one_error,
};
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
    /// The share of examples whose class has the highest utility, alone. A class beyond the labels, which nobody learned, counts as wrong.
    pub accuracy: Option<f64>,
    /// Kendall's tau over the pairs that the truth orders, where equal utilities count as half; for top rankings 1 less twice the distance of the
    /// lists.
    pub tau: Option<f64>,
    /// The differences of places, over their largest sum.
    pub footrule: Option<f64>,
}

impl LabelEvaluation {
    /// Compares predictions with what is known.
    ///
    /// # Errors
    /// If there are not as many predictions as targets, not as many utilities as labels, or a target names another label.
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
        let labels = utilities.len();
        if !matches!(target, Target::Class(_)) {
            target.check(labels)?;
        }
        let known = Encoding::ALL.preferences(target, labels);
        match target {
            Target::Class(class) => {
                let alone = |own: &f64| utilities.iter().enumerate().all(|(at, other)| at == *class || other < own);
                self.accuracy.push(f64::from(u8::from(utilities.get(*class).is_some_and(alone))));
            }
            Target::First(first) => {
                let others: Vec<usize> = (0..labels).filter(|label| !first.contains(label)).collect();
                self.ordered_set(utilities, first, &others);
            }
            Target::Set(_) => self.set(utilities, &known),
            Target::Order(order) => {
                if order.len() > 1 {
                    let places: Vec<f64> = (0..order.len()).map(|place| -(place as f64)).collect();
                    let own: Vec<f64> = order.iter().map(|&label| utilities[label]).collect();
                    self.tau.push(kendall_tau_a(&own, &places)?);
                    self.footrule.push(normalised_footrule(&own, &places)?);
                }
            }
            Target::Top(_) => {
                self.set(utilities, &known);
                if self.calibrated {
                    self.tau.push(1.0 - 2.0 * LabelLoss::Kendall.of_known(utilities, target)?);
                    self.footrule.push(LabelLoss::Footrule.of_known(utilities, target)?);
                }
            }
            Target::Partial(_) => {
                if !known.pairs.is_empty() {
                    let sign = |&(one, other): &(usize, usize)| match utilities[one].total_cmp(&utilities[other]) {
                        Ordering::Greater => 1.0,
                        Ordering::Equal => 0.0,
                        Ordering::Less => -1.0,
                    };
                    self.tau.push(known.pairs.iter().map(sign).sum::<f64>() / known.pairs.len() as f64);
                }
                if target.has_zero() {
                    self.set(utilities, &known);
                }
            }
        }
        Ok(())
    }

    /// The measures of a set, over the labels of which it is known on which side they are.
    fn set(&mut self, utilities: &[f64], known: &LabelPreferences) {
        if self.calibrated {
            let sides = [(&known.relevant, true), (&known.irrelevant, false)];
            let mut wrong = 0.0;
            for (&label, relevant) in
                sides.into_iter().flat_map(|(labels, side)| labels.iter().map(move |label| (label, side)))
            {
                let predicted = utilities[label] > 0.0;
                self.labels[label].add(predicted, relevant);
                wrong += f64::from(u8::from(predicted != relevant));
            }
            self.hamming.push(wrong / (known.relevant.len() + known.irrelevant.len()) as f64);
        }
        self.ordered_set(utilities, &known.relevant, &known.irrelevant);
    }

    /// Those that need no zero point.
    fn ordered_set(&mut self, utilities: &[f64], relevant: &[usize], irrelevant: &[usize]) {
        let mut labels: Vec<usize> = relevant.iter().chain(irrelevant).copied().collect();
        labels.sort_unstable();
        let own: Vec<f64> = labels.iter().map(|&label| utilities[label]).collect();
        let truth: Vec<bool> = labels.iter().map(|label| relevant.contains(label)).collect();
        self.ranking_loss.push(label_ranking_loss(&own, &truth));
        self.one_error.push(one_error(&own, &truth));
        self.coverage.push(label_coverage(&own, &truth));
        self.average_precision.push(label_average_precision(&own, &truth));
    }

    fn evaluation(&self, examples: usize) -> LabelEvaluation {
        let of = |values: &Vec<f64>| (!values.is_empty()).then(|| mean(values));
        let is_set = !self.hamming.is_empty();
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
