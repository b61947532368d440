//! Certainty and forecasts in words. The command and all other doors use the same words.

use super::{Forecast, Foreseen, StopRule};
use crate::data::Goal;

/// A probability in words. It was counted from draws, so the text never says 0 or 100 %.
pub fn percent(probability: f64) -> String {
    match (100.0 * probability).round() {
        100.0.. => "over 99 %".into(),
        percent if percent < 1.0 => "under 1 %".into(),
        percent => format!("{percent:.0} %"),
    }
}

/// A share as a percentage, rounded to hide the digits that multiplication by 100 adds.
fn share(share: f64) -> String {
    format!("{} %", (1e4 * share).round() / 1e2)
}

/// A number with its noun: `1 answer`, `2 answers`.
fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

impl StopRule {
    /// How sure the goal is, in words. With several groups, the sentence is about the least settled one.
    pub fn sentence(&self, probability: f64, groups: usize) -> String {
        let what = match self.goal {
            Goal::Best | Goal::Top { k: 1 } => "the first item is the best".into(),
            Goal::Top { k } => format!("the first {k} are the best {k}"),
            Goal::WholeOrder => format!("at most {} of pairs stand in the wrong order", share(self.error)),
            Goal::TopHeavy => {
                format!("at most {} of pairs stand in the wrong order, early places counting more", share(self.error))
            }
        };
        let place = if groups > 1 { format!(" in the least settled of {groups} groups") } else { String::new() };
        format!("{} sure that {what}{place}", percent(probability))
    }
}

impl Foreseen {
    /// How many answers the goal takes in all, in words.
    pub fn in_all(self) -> String {
        let given = self.given;
        let end = |end: Option<usize>| match end {
            Some(end) => (given + end).to_string(),
            None => format!("over {}", given + self.looked),
        };
        let target = share(self.target);
        let Forecast { low, median, high } = self.forecast;
        match (low, median) {
            (_, Some(median)) => {
                let (low, high) = (end(low), end(high));
                let range = if low == high { String::new() } else { format!(" ({low} to {high})") };
                format!("{target} after about {} in all{range}", count(given + median, "answer"))
            }
            (Some(low), None) => {
                let what = count(given + low, "answer");
                format!("{target} after {what} in all or more; cannot tell yet how many: {}", self.reason())
            }
            (None, None) => format!("cannot tell yet how many answers {target} takes: {}", self.reason()),
        }
    }

    /// Why a forecast has no end.
    fn reason(self) -> String {
        match self.is_short() {
            true => format!("the {} left may be too few", count(self.looked, "pair")),
            false => format!("{} may not be enough", count(self.looked, "more answer")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_counted_is_certain() {
        let said = [0.0, 0.004, 0.006, 0.5, 0.994, 0.996, 1.0].map(percent);
        assert_eq!(said, ["under 1 %", "under 1 %", "1 %", "50 %", "99 %", "over 99 %", "over 99 %"]);
    }

    #[test]
    fn forecasts_in_words() {
        let forecast = Forecast { low: Some(8), median: Some(12), high: None };
        let foreseen = Foreseen { forecast, target: 0.9, given: 20, looked: 40, all: false };
        assert_eq!(foreseen.in_all(), "90 % after about 32 answers in all (28 to over 60)");
        let far = Foreseen { forecast: Forecast { median: None, ..forecast }, ..foreseen };
        let expected =
            "90 % after 28 answers in all or more; cannot tell yet how many: 40 more answers may not be enough";
        assert_eq!(far.in_all(), expected);
        let unknown = Foreseen { forecast: Forecast { low: None, ..far.forecast }, all: true, ..foreseen };
        let expected = "cannot tell yet how many answers 90 % takes: the 40 pairs left may be too few";
        assert_eq!(unknown.in_all(), expected);
    }
}
