//! Measures of the labels of one example, with scikit-learn's conventions where it has the measure.
//!
//! Equal scores count against the ranking: a tie of a relevant and an irrelevant label is wrong, and a relevant label stands behind all with its
//! score.

/// The share of pairs of a relevant and an irrelevant label in which the irrelevant one has at least the other's score. 0 if all labels are of one
/// kind.
pub fn label_ranking_loss(scores: &[f64], relevant: &[bool]) -> f64 {
    let of = |kind: bool| scores.iter().zip(relevant).filter(move |(_, is)| **is == kind).map(|(score, _)| *score);
    let wrong = of(true).map(|one| of(false).filter(|other| *other >= one).count()).sum::<usize>();
    let pairs = of(true).count() * of(false).count();
    if pairs == 0 { 0.0 } else { wrong as f64 / pairs as f64 }
}

/// 1 if a label of the highest score is irrelevant; else 0.
pub fn one_error(scores: &[f64], relevant: &[bool]) -> f64 {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let wrong = scores.iter().zip(relevant).any(|(score, is)| *score == highest && !is);
    f64::from(u8::from(wrong || scores.is_empty()))
}

/// How many labels, best first, one must go through to have seen all relevant ones. 0 if none is relevant.
pub fn label_coverage(scores: &[f64], relevant: &[bool]) -> f64 {
    let lowest = scores.iter().zip(relevant).filter(|(_, is)| **is).map(|(score, _)| *score).reduce(f64::min);
    lowest.map_or(0.0, |lowest| scores.iter().filter(|score| **score >= lowest).count() as f64)
}

/// The mean over relevant labels of the share of relevant ones among those of at least its score. 1 if all labels are of one kind.
pub fn label_average_precision(scores: &[f64], relevant: &[bool]) -> f64 {
    let count = relevant.iter().filter(|is| **is).count();
    if count == 0 || count == relevant.len() {
        return 1.0;
    }
    let share = |least: f64| {
        let (mut above, mut right) = (0.0, 0.0);
        for (_, is) in scores.iter().zip(relevant).filter(|(score, _)| **score >= least) {
            above += 1.0;
            right += f64::from(u8::from(*is));
        }
        right / above
    };
    let shares = scores.iter().zip(relevant).filter(|(_, is)| **is).map(|(score, _)| share(*score));
    shares.sum::<f64>() / count as f64
}

/// Counts of right and wrong predictions of one label, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LabelCounts {
    /// Predicted and relevant.
    pub right: f64,
    /// Predicted and irrelevant.
    pub wrong: f64,
    /// Relevant and not predicted.
    pub missed: f64,
}

impl LabelCounts {
    /// Counts a label of an example.
    pub fn add(&mut self, predicted: bool, relevant: bool) {
        match (predicted, relevant) {
            (true, true) => self.right += 1.0,
            (true, false) => self.wrong += 1.0,
            (false, true) => self.missed += 1.0,
            (false, false) => {}
        }
    }

    /// The harmonic mean of precision and recall; 0 if the label is neither predicted nor relevant anywhere.
    pub fn f1(&self) -> f64 {
        let all = 2.0 * self.right + self.wrong + self.missed;
        if all == 0.0 { 0.0 } else { 2.0 * self.right / all }
    }
}
