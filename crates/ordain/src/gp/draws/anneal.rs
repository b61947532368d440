//! Where a chain begins if the posterior has several tops.
//!
//! If answers may be lapses, a chain stays at the top where it begins. That of the belief is one of many, and often the wrong one. Ties
//! hold items together and make it worse: many items would have to move at once. So a chain begins with a judge who tells nothing. All
//! his answers are lapses, and his ties are vague. Step by step he becomes the judge of the belief (simulated annealing), and chains end
//! at one top or another, nearly in proportion to what they weigh.

use super::one_by_one::{OneByOne, Place};
use crate::gp::Factor;
use crate::numeric::Stream;

/// Steps from the judge who tells nothing to that of the belief.
const STEPS: usize = 32;

/// The noise of ties at the first step, in their half widths.
const VAGUE: f64 = 2.0;

/// Whether there may be several tops, or items that hardly move because ties hold them.
pub(super) fn is_needed(observed: &[Factor]) -> bool {
    observed.iter().any(|factor| factor.observation.may_lapse() || factor.observation.has_two_ends())
}

/// Moves a draw to where a chain begins.
pub(super) fn begin(place: &mut Place, moves: &OneByOne, stream: &mut Stream) {
    let mut eased = place.observed.to_vec();
    for step in 0..STEPS {
        let attention = step as f64 / STEPS as f64;
        eased.iter_mut().zip(place.observed).for_each(|(eased, factor)| *eased = ease(factor, attention));
        let mut easier = Place { apart: place.apart, seen: place.seen, observed: &eased, ..*place };
        moves.sweep(&mut easier, stream);
    }
}

/// An observation by a judge with this share of the attention: lapses have this power of their odds.
fn ease(factor: &Factor, attention: f64) -> Factor {
    let mut eased = *factor;
    let observation = &mut eased.observation;
    let may_be_turned = observation.may_be_turned();
    if observation.has_two_ends() {
        let half_width = 0.5 * (observation.high - observation.low);
        observation.noise = observation.noise.hypot(VAGUE * (1.0 - attention) * half_width);
    }
    if may_be_turned {
        let odds = (observation.lapse / (1.0 - observation.lapse)).powf(attention);
        observation.lapse = odds / (1.0 + odds);
    }
    if observation.heedless > 0.0 {
        // 1 at first would leave nothing to divide by.
        observation.heedless = (1.0 - (1.0 - observation.heedless) * attention).min(1.0 - f64::EPSILON);
    }
    eased
}
