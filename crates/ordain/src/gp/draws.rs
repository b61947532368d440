//! Joint draws of utilities from the posterior.
//!
//! A belief is a Gaussian, but the posterior after "a before b" is not: it ends where a meets b. This matters where the
//! prior is wide beside the noise. After one such answer, the Gaussian of the same mean and variance gives a better b
//! one chance in eleven. For the best of many items, which has beaten all others by a little, such chances add up.
//!
//! So draws start from the belief, and elliptical slice sampling moves them towards the posterior (Murray, Adams and
//! MacKay 2010, with the belief in place of the prior as in Fagan, Bhandari and Cunningham 2016). An ellipse goes
//! through the last draw and a fresh draw of the belief. The next draw is a point on it whose likelihood, relative to
//! the belief's sites, is above a random share of the last one's. Where sites are exact, every point is accepted and
//! draws are independent.
//!
//! If answers may be lapses, the posterior has several tops: an item is where most of its answers put it, or they are lapses and it
//! is elsewhere. All items together hardly ever move from one top to another. If the noise is tiny, they hardly move at all. So every
//! item also moves by itself where lapses are possible and where the noise is learned ([`one_by_one`]), and a chain does not begin at
//! the belief ([`anneal`]).

mod anneal;
mod ellipse;
mod one_by_one;

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use self::ellipse::{Ellipse, log_likelihood};
use self::one_by_one::{OneByOne, Place};
use super::{Belief, Factor, Functional, Observation, UnderNoise};
use crate::data::ItemId;
use crate::numeric::dense::{SemidefiniteFactor, multiply, transpose};
use crate::numeric::{Matrix, Purpose, Seed, Stream};
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// The largest group whose joint covariance is formed: 3.2 GB.
const LARGEST_GROUP: usize = 20_000;

/// Answers per item beyond which the Gaussian is near enough and a pass over all answers per draw is not worth its
/// time.
const MANY: usize = 32;

/// Draws per task. Fixed, so that draws do not depend on the number of threads.
const BATCH: usize = 128;

/// Steps from the beginning of a chain to the first draw that counts.
const SETTLE: usize = 32;

/// The same for a chain that was annealed, which has left the belief behind.
const SETTLE_ANNEALED: usize = 8;

/// Refuses more items than can be drawn together.
pub(crate) fn check_size(items: usize) -> Result<()> {
    if items <= LARGEST_GROUP {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: "a group of items".into(),
        size: items,
        limit: LARGEST_GROUP,
        method: "the joint draws behind rank intervals",
    })
}

/// Chains in which draws of a mixture are made if there are enough draws, so that as many of its laws take part.
const CHAINS: usize = 16;

/// The fewest and the most draws of one of these chains. Every chain sees one of many tops, so there are many of them.
const OF_A_CHAIN: (usize, usize) = (32, 64);

/// Draws from the joint law of some items' utilities, ready to be made. It is that of a belief, or a mixture over noises.
pub(crate) struct Draws {
    /// The laws that take part, each with its number among the noises.
    laws: Vec<(usize, Law)>,
    /// The law and the number of draws of every task.
    tasks: Vec<(usize, usize)>,
}

impl Draws {
    /// Prepares so many draws for these items. `g³/3` operations for g items, per law of a mixture that takes part.
    ///
    /// Observations of other items count only through the belief.
    ///
    /// # Errors
    /// If there are more than 20,000, or the kernel cannot be evaluated.
    pub(crate) fn new(belief: &dyn Belief, items: &[ItemId], count: usize) -> Result<Self> {
        let of_a_chain = count.div_ceil(CHAINS).clamp(OF_A_CHAIN.0, OF_A_CHAIN.1);
        Self::in_chains(belief, items, [count, of_a_chain], |judge| judge.weight)
    }

    /// As [`Draws::new`], with this number of draws in each chain where laws or tops are many, and with these weights of the beliefs under
    /// the noises.
    pub(crate) fn in_chains(
        belief: &dyn Belief,
        items: &[ItemId],
        [count, of_a_chain]: [usize; 2],
        weight: impl Fn(&UnderNoise) -> f64,
    ) -> Result<Self> {
        check_size(items.len())?;
        let noises = belief.noises();
        if noises.is_empty() {
            let law = Law::new(belief, items, false)?;
            let most = if law.anneals { of_a_chain } else { BATCH };
            return Ok(Self { laws: vec![(0, law)], tasks: sizes(count, most).map(|size| (0, size)).collect() });
        }
        let sizes: Vec<usize> = sizes(count, of_a_chain).collect();
        let (mut laws, mut tasks): (Vec<(usize, Law)>, _) = (Vec::new(), Vec::new());
        let weights: Vec<f64> = noises.iter().map(weight).collect();
        for (size, number) in sizes.iter().zip(shared(&weights, sizes.len())) {
            if laws.last().is_none_or(|(last, _)| *last != number) {
                laws.push((number, Law::new(&noises[number].belief, items, true)?));
            }
            tasks.push((laws.len() - 1, *size));
        }
        Ok(Self { laws, tasks })
    }

    /// The results of `take` on the draws, in order. `g²` operations per draw, and about five likelihoods of all
    /// observations. `take` also gets the number of the belief under a noise that the draw is from, and a random stream. `group`
    /// separates the streams of several groups.
    ///
    /// # Errors
    /// If the watch stops it.
    pub(crate) fn each<T: Send>(
        &self,
        seed: Seed,
        group: u32,
        watch: &Watch,
        take: impl Fn(&mut [f64], usize, &mut Stream) -> T + Sync,
    ) -> Result<Vec<T>> {
        let done = AtomicUsize::new(0);
        let one = |(task, &(law, size)): (usize, &(usize, usize))| -> Result<Vec<T>> {
            watch.step(|| Step::new("drawing rankings", done.fetch_add(1, Ordering::Relaxed), self.tasks.len()))?;
            let mut stream = seed.stream(Purpose::Draws { group, batch: task as u32 });
            let (number, law) = &self.laws[law];
            let take = |utilities: &mut [f64], stream: &mut Stream| take(utilities, *number, stream);
            Ok(law.draw(size, &mut stream, &take))
        };
        let drawn: Vec<Vec<T>> = self.tasks.par_iter().enumerate().map(one).collect::<Result<_>>()?;
        Ok(drawn.into_iter().flatten().collect())
    }
}

/// The sizes of tasks of at most `most` draws each.
fn sizes(count: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(most).map(move |from| most.min(count - from))
}

/// The number of the noise of each of so many tasks: the tasks stand at equal distances along all noises, each of which is as long as its
/// weight. So noises of little weight have their turn too, and all of them together have their share.
fn shared(weights: &[f64], tasks: usize) -> impl Iterator<Item = usize> {
    let total: f64 = weights.iter().sum();
    let (mut number, mut until) = (0, weights[0]);
    (0..tasks).map(move |task| {
        let at = total * (task as f64 + 0.5) / tasks as f64;
        while at > until && number + 1 < weights.len() {
            number += 1;
            until += weights[number];
        }
        number
    })
}

/// The joint law of some items' utilities under one belief.
struct Law {
    mean: Vec<f64>,
    factor: Matrix,
    /// The observations of these items alone. Items are numbered from 0.
    observed: Vec<Factor>,
    /// The values of their functionals at the mean.
    centre: Vec<f64>,
    /// How items move one by one, if they do.
    one_by_one: Option<OneByOne>,
    /// Whether a chain begins elsewhere than at the belief.
    anneals: bool,
}

impl Law {
    /// The law of a belief. `any_noise` says that the noise is one of many, of which some are tiny.
    fn new(belief: &dyn Belief, items: &[ItemId], any_noise: bool) -> Result<Self> {
        let mean: Vec<f64> = items.iter().map(|item| belief.mean()[item.index()]).collect();
        let covariance = belief.covariance(items)?;
        let factor = transpose(SemidefiniteFactor::new(&covariance).transpose());
        let mut observed = among(belief.factors(), items, belief.len());
        if observed.len() > MANY * items.len() {
            observed.clear();
        }
        let centre: Vec<f64> = observed.iter().map(|factor| factor.observation.functional.of(&mean)).collect();
        let may_lapse = observed.iter().any(|factor| factor.observation.lapse > 0.0);
        let one_by_one = if any_noise || may_lapse { OneByOne::new(covariance, &observed, &centre) } else { None };
        let anneals = one_by_one.is_some() && anneal::is_needed(&observed);
        Ok(Self { mean, factor, observed, centre, one_by_one, anneals })
    }

    /// The results of `take` on this many draws.
    fn draw<T>(&self, count: usize, stream: &mut Stream, take: &impl Fn(&mut [f64], &mut Stream) -> T) -> Vec<T> {
        let settle = self.settle();
        let noise = Matrix::from_fn(self.factor.columns(), settle + count, |_, _| stream.sample(StandardNormal));
        let mut apart = multiply(&self.factor, &noise);
        self.correct(&mut apart, stream);
        let own = |column: &mut [f64]| {
            column.iter_mut().zip(&self.mean).for_each(|(utility, mean)| *utility += mean);
            take(column, stream)
        };
        apart.columns_mut().skip(settle).map(own).collect()
    }

    /// The number of steps before the first draw that counts.
    fn settle(&self) -> usize {
        match self.anneals {
            _ if self.observed.is_empty() => 0,
            true => SETTLE_ANNEALED,
            false => SETTLE,
        }
    }

    fn place<'a>(&'a self, apart: &'a mut [f64], seen: &'a mut [f64]) -> Place<'a> {
        Place { apart, seen, observed: &self.observed, centre: &self.centre, mean: &self.mean }
    }

    /// Turns draws of the belief, given as deviations from its mean, into a chain of draws of the posterior.
    fn correct(&self, apart: &mut Matrix, stream: &mut Stream) {
        if self.observed.is_empty() {
            return;
        }
        let of = |utilities: &[f64]| -> Vec<f64> {
            self.observed.iter().map(|factor| factor.observation.functional.of(utilities)).collect()
        };
        let likelihood_of = |seen: &[f64]| {
            let values = self.observed.iter().zip(self.centre.iter().zip(seen));
            log_likelihood(values.map(|(factor, (centre, seen))| (factor, centre + seen)), f64::NEG_INFINITY)
        };
        let mut last: Option<(Vec<f64>, Vec<f64>)> = None;
        let mut likelihood = 0.0;
        for column in apart.columns_mut() {
            let mut seen = of(column);
            if let Some((from, from_seen)) = &last {
                let angle;
                let ellipse = Ellipse { factors: &self.observed, centre: &self.centre, from: from_seen, fresh: &seen };
                (angle, likelihood) = ellipse.turn(likelihood, stream);
                let (sin, cos) = angle.sin_cos();
                let turn = |fresh: &mut [f64], from: &[f64]| {
                    fresh.iter_mut().zip(from).for_each(|(fresh, from)| *fresh = cos * from + sin * *fresh);
                };
                turn(column, from);
                turn(&mut seen, from_seen);
            } else {
                if let Some(moves) = self.one_by_one.as_ref().filter(|_| self.anneals) {
                    anneal::begin(&mut self.place(column, &mut seen), moves, stream);
                }
                likelihood = likelihood_of(&seen);
            }
            if let Some(one_by_one) = &self.one_by_one {
                one_by_one.sweep(&mut self.place(column, &mut seen), stream);
                likelihood = likelihood_of(&seen);
            }
            last = Some((column.to_vec(), seen));
        }
    }
}

/// The factors about these items alone, by the items' positions.
fn among(factors: &[Factor], items: &[ItemId], count: usize) -> Vec<Factor> {
    let mut positions: Vec<Option<u32>> = vec![None; count];
    items.iter().enumerate().for_each(|(at, item)| positions[item.index()] = Some(at as u32));
    let place = |factor: &Factor| {
        let at = |item: u32| positions[item as usize];
        let functional = match factor.observation.functional {
            Functional::Item(item) => Functional::Item(at(item)?),
            Functional::Difference(first, second) => Functional::Difference(at(first)?, at(second)?),
        };
        Some(Factor { observation: Observation { functional, ..factor.observation }, ..*factor })
    };
    factors.iter().filter_map(place).collect()
}
