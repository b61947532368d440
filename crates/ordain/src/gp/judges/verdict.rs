//! What is known of a judge, in words.

use std::fmt;

use super::fit::Care;
use super::summary::{Agreement, Estimate};

/// What the answers say of how a judge answers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// The answers say too little.
    TooFew,
    /// All answers are blind, as far as one can tell.
    AtRandom {
        /// The probability.
        probability: f64,
    },
    /// All answers may be blind.
    MaybeAtRandom {
        /// The probability.
        probability: f64,
    },
    /// He prefers the item that all others do not prefer, more often than chance explains.
    Contradicts,
    /// Answers that are blind explain him best, but he prefers what all others prefer, more often than chance explains. All judges share
    /// one width of ties, so this is somebody who calls ties far more or less often than others do.
    TiesUnlike,
    /// He has more noise than most, and does not prefer what all others prefer more often than chance does.
    AsChance,
    /// He takes care.
    Careful {
        /// His noise beside that of most judges, where the answers tell the two apart.
        exactness: Exactness,
        /// The side that he favours, if he favours one.
        favours: Option<Side>,
    },
}

/// The noise of a judge beside the common one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// Less noise.
    More,
    /// As far as the answers tell, the same.
    Usual,
    /// More noise.
    Less,
}

/// Where an item stands when a question is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first item.
    Left,
    /// The second item.
    Right,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if *self == Self::Left { "left" } else { "right" })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounding must not make a probability certain.
        let percent = |probability: f64| (100.0 * probability).round().clamp(1.0, 99.0);
        match *self {
            Self::TooFew => f.pad("too few answers to tell"),
            Self::AtRandom { probability } => write!(f, "seems to answer at random ({} %)", percent(probability)),
            Self::MaybeAtRandom { probability } => write!(f, "may answer at random ({} %)", percent(probability)),
            Self::Contradicts => f.pad("contradicts the others"),
            Self::AsChance => f.pad("agrees no more than chance"),
            Self::TiesUnlike => f.pad("calls ties unlike the others"),
            Self::Careful { exactness, favours } => {
                let noise = match exactness {
                    Exactness::More => Some("more exact than most"),
                    Exactness::Usual => None,
                    Exactness::Less => Some("less exact than most"),
                };
                match (noise, favours) {
                    (None, None) => f.pad("careful"),
                    (Some(noise), None) => write!(f, "{noise}"),
                    (None, Some(side)) => write!(f, "favours the {side}"),
                    (Some(noise), Some(side)) => write!(f, "{noise}, favours the {side}"),
                }
            }
        }
    }
}

/// Chance is so far from one half, in deviations, in about one case of a thousand on either side.
const DEVIATIONS: f64 = 3.0;

/// What a verdict is found from.
pub(super) struct Known {
    /// Standing answers.
    pub answers: usize,
    pub care: Care,
    /// How much judges differ: the deviation of the logarithm of their noise.
    pub spread: f64,
    pub agreement: Option<Agreement>,
    pub bias: Option<Estimate>,
    /// Whether somebody else answered too.
    pub has_others: bool,
}

impl Known {
    pub fn verdict(&self) -> Verdict {
        /// An accusation is right in nine cases of ten.
        const SURE: f64 = 0.9;
        /// From here on, somebody should look: four times what is expected of any judge before his first answer.
        const SUSPECT: f64 = 0.2;
        /// Fewer answers than these say nothing of a person, whatever the model makes of them.
        const FEW: usize = 5;
        /// Chance is above it in one case of twenty.
        const LITTLE: f64 = 1.645;
        let probability = self.care.careless;
        let agreement = self.agreement.map_or(0.0, Agreement::deviations);
        if self.answers < FEW {
            return Verdict::TooFew;
        }
        if agreement < -DEVIATIONS {
            return Verdict::Contradicts;
        }
        if probability >= SURE {
            return if agreement > DEVIATIONS { Verdict::TiesUnlike } else { Verdict::AtRandom { probability } };
        }
        let favours = match self.bias {
            Some(Estimate { low, .. }) if low > 0.0 => Some(Side::Left),
            Some(Estimate { high, .. }) if high < 0.0 => Some(Side::Right),
            _ => None,
        };
        match self.exactness() {
            // Who agrees with the others more often than chance takes care, however little is known of his noise.
            Exactness::Usual if favours.is_none() && agreement < LITTLE && self.says_little() => Verdict::TooFew,
            Exactness::Less if agreement < LITTLE => Verdict::AsChance,
            _ if probability >= SUSPECT => Verdict::MaybeAtRandom { probability },
            exactness => Verdict::Careful { exactness, favours },
        }
    }

    /// Whether his answers say less of his noise than is known of any judge's: then they leave more than half of the variance. Of a judge
    /// who never errs they do too, since any small noise explains him.
    fn says_little(&self) -> bool {
        let left = self.care.log_factor.1 / self.spread;
        left * left > 0.5
    }

    /// Whether the 90 % interval of his noise holds the common noise.
    fn exactness(&self) -> Exactness {
        let (mean, deviation) = self.care.log_factor;
        let factor = Estimate::normal(mean, deviation);
        match (factor.low, factor.high) {
            (low, _) if self.has_others && low > 0.0 => Exactness::Less,
            (_, high) if self.has_others && high < 0.0 => Exactness::More,
            _ => Exactness::Usual,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn known(log_factor: (f64, f64), careless: f64) -> Known {
        let agreement = Some(Agreement { agreeing: 25.0, all: 40.0 });
        let care = Care { log_factor, log_width: (0.0, 0.0), careless };
        Known { answers: 40, care, spread: 0.7, agreement, bias: None, has_others: true }
    }

    #[test]
    fn verdicts_in_words() {
        let said = |known: Known| known.verdict().to_string();
        assert_eq!(said(known((0.1, 0.3), 0.01)), "careful");
        assert_eq!(said(known((-0.6, 0.3), 0.01)), "more exact than most");
        assert_eq!(said(Known { has_others: false, ..known((-0.6, 0.3), 0.01) }), "careful");
        // Two thirds of the variance are left.
        assert_eq!(said(known((0.0, 0.57), 0.01)), "too few answers to tell");
        let agrees = Some(Agreement { agreeing: 30.0, all: 40.0 });
        assert_eq!(said(Known { agreement: agrees, ..known((0.0, 0.57), 0.01) }), "careful");
        assert_eq!(said(known((0.0, 0.57), 0.968)), "seems to answer at random (97 %)");
        assert_eq!(said(known((0.0, 0.57), 0.9999)), "seems to answer at random (99 %)");
        assert_eq!(said(known((0.1, 0.3), 0.23)), "may answer at random (23 %)");
        let blunt =
            |agreeing: f64| Known { agreement: Some(Agreement { agreeing, all: 40.0 }), ..known((0.6, 0.3), 0.01) };
        assert_eq!(said(blunt(25.0)), "agrees no more than chance");
        assert_eq!(said(blunt(26.0)), "less exact than most");
        // The answers leave nearly all of the variance: whoever gave them may be anybody.
        assert_eq!(said(known((0.0, 0.68), 0.54)), "too few answers to tell");
        let bias = |low: f64, high: f64| Some(Estimate { value: 0.5 * (low + high), low, high });
        assert_eq!(said(Known { bias: bias(0.1, 0.9), ..known((0.0, 0.3), 0.0) }), "favours the left");
        assert_eq!(said(Known { bias: bias(-0.9, -0.1), ..known((0.0, 0.3), 0.0) }), "favours the right");
        assert_eq!(said(Known { bias: bias(-0.1, 0.3), ..known((0.0, 0.3), 0.0) }), "careful");
        let both = Known { bias: bias(0.1, 0.9), ..blunt(30.0) };
        assert_eq!(said(both), "less exact than most, favours the left");
        // Of 40 preferences, 20 agree by chance, with a deviation of √10 = 3.16.
        let agreeing = |agreeing: f64| Some(Agreement { agreeing, all: 40.0 });
        assert_eq!(said(Known { agreement: agreeing(10.0), ..known((0.0, 0.3), 0.9) }), "contradicts the others");
        assert_eq!(said(Known { agreement: agreeing(30.0), ..known((0.0, 0.3), 0.9) }), "calls ties unlike the others");
        assert_eq!(
            said(Known { agreement: agreeing(11.0), ..known((0.0, 0.3), 0.9) }),
            "seems to answer at random (90 %)"
        );
    }
}
