//! Everything that the answers say of every judge, side by side.

use super::tally::{Tally, tallies};
use super::{Fitted, Model};
use crate::active::GoldScore;
use crate::gp::{Estimate, JudgeSummary};
use crate::{Result, Watch};

/// What is known of a judge: what is counted of his answers, what the belief says of him, and what gold pairs say.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JudgeReport {
    /// What is counted.
    pub tally: Tally,
    /// What the answers say of the judge; `None` of somebody who compared nothing.
    pub summary: Option<JudgeSummary>,
    /// The answers about gold pairs, if there are any.
    pub gold: Option<GoldScore>,
}

impl JudgeReport {
    /// The bias for the item that stands left.
    pub fn bias(&self) -> Option<Estimate> {
        self.summary.as_ref().and_then(|summary| summary.bias)
    }

    /// What is known, in words.
    pub fn verdict(&self) -> String {
        self.summary.as_ref().map_or_else(|| "compared nothing".into(), |summary| summary.verdict.to_string())
    }
}

impl Model {
    /// What is counted of the standing answers of every judge, the busiest first.
    pub fn tallies(&self) -> Vec<Tally> {
        tallies(&self.answers().standing(), self.gold())
    }
}

impl Fitted {
    /// Everything that the answers say of every judge, the busiest first; those with equally many answers by name.
    ///
    /// # Errors
    /// As [`Fitted::judges`].
    pub fn judge_reports(&self, watch: &Watch) -> Result<Vec<JudgeReport>> {
        /// That of the noise and the bias.
        const LEVEL: f64 = 0.9;
        let mut summaries = self.judges(watch)?;
        if let [alone] = &mut summaries[..] {
            // There is nobody to agree with.
            alone.agreement = None;
        }
        let gold = self.model().gold_scores(LEVEL);
        let report = |tally: Tally| JudgeReport {
            summary: summaries.iter().find(|one| one.name == tally.judge).cloned(),
            gold: gold.iter().find(|one| one.judge == tally.judge).cloned(),
            tally,
        };
        Ok(self.model().tallies().into_iter().map(report).collect())
    }
}
