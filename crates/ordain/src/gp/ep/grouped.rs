//! Observations that are the same, counted.
//!
//! Votes are counted already. A million answers about the pairs of two hundred items are forty thousand different observations at most. The same
//! observations have the same sites, so EP and all that follows work on one of each, with its count.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::gp::{Functional, NoiseLaw, Observation};

/// The different ones among some observations.
#[derive(Debug, Clone, Default)]
pub(in crate::gp) struct Grouped {
    /// One of each, in the order in which they first occur, as if it was said once.
    pub observations: Vec<Observation>,
    /// How many there are of each.
    pub counts: Vec<u32>,
    /// The place of each observation among the different ones.
    pub of: Vec<u32>,
    /// How often each observation was said.
    pub said: Vec<u32>,
}

impl Grouped {
    /// Linear in the number of observations.
    pub(in crate::gp) fn new(all: &[Observation]) -> Self {
        let (of, said) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
        let mut out = Self { of, said, ..Self::default() };
        let mut known: HashMap<(Functional, [u64; 9], bool), u32> = HashMap::new();
        for observation in all {
            // A screen has asides of its own, so none of its observations is like another.
            let Observation {
                functional,
                low,
                high,
                noise,
                law,
                lapse,
                middle,
                heedless,
                blindly,
                gap,
                unit,
                count,
                ..
            } = *observation;
            let numbers = [low, high, noise, lapse, middle, heedless, blindly, gap, unit].map(f64::to_bits);
            let place = match known.entry((functional, numbers, law == NoiseLaw::Logistic)) {
                Entry::Occupied(place) => *place.get(),
                Entry::Vacant(place) => {
                    out.observations.push(Observation { count: 1, ..*observation });
                    out.counts.push(0);
                    *place.insert(out.counts.len() as u32 - 1)
                }
            };
            // Beyond four billion equal answers, more say nothing that a number of double precision could hold.
            let known = &mut out.counts[place as usize];
            *known = known.saturating_add(count);
            out.of.push(place);
            out.said.push(count);
        }
        out
    }

    /// For every observation, what was found for its kind.
    pub(in crate::gp) fn each<T: Copy>(&self, found: &[T]) -> Vec<T> {
        self.of.iter().map(|&place| found[place as usize]).collect()
    }
}
