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
    /// How many answers are still needed, in words. `since` answers came after the forecast; a negative number means
    /// that answers were taken back.
    pub fn to_go(self, since: isize) -> String {
        let rest = |needed: usize| needed.saturating_add_signed(-since).max(1);
        let end = |end: Option<usize>| end.map_or(format!("over {}", rest(self.looked)), |end| rest(end).to_string());
        let target = format!("for {}", share(self.target));
        let looked = rest(self.looked);
        let Forecast { low, median, high } = self.forecast;
        match median.map(rest) {
            Some(median) => {
                let (low, high) = (end(low), end(high));
                let range = if low == high { String::new() } else { format!(" ({low} to {high})") };
                format!("about {} {target}{range}", count(median, "more answer"))
            }
            None if self.is_short() => format!("{} left, perhaps too few {target}", count(looked, "pair")),
            None => format!("more than {} {target}", count(looked, "more answer")),
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
    fn forecasts_count_down() {
        let forecast = Forecast { low: Some(8), median: Some(12), high: None };
        let foreseen = Foreseen { forecast, target: 0.9, looked: 40, all: false };
        assert_eq!(foreseen.to_go(0), "about 12 more answers for 90 % (8 to over 40)");
        assert_eq!(foreseen.to_go(11), "about 1 more answer for 90 % (1 to over 29)");
        let far = Foreseen { forecast: Forecast { low: None, median: None, high: None }, ..foreseen };
        assert_eq!(far.to_go(-2), "more than 42 more answers for 90 %");
        assert_eq!(Foreseen { all: true, ..far }.to_go(0), "40 pairs left, perhaps too few for 90 %");
    }
}
