//! Joint draws of utilities from the posterior.
//!
//! A belief is a Gaussian, but the posterior after "a before b" is not: it ends where a meets b. This matters where the
//! prior is wide beside the noise. After one such answer, the Gaussian of the same mean and variance gives a better b
//! one chance in eleven. For the best of many items, which has beaten all others by a little, such chances add up.
//!
//! So draws start from the belief, and where answers are sharp beside it, elliptical slice sampling moves them towards the posterior (Murray, Adams and
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
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use self::ellipse::{Ellipse, log_likelihood};
use self::one_by_one::{OneByOne, Place};
use super::belief::root_of;
use super::ep::conditioning::coordinates;
use super::{Belief, Factor, Functional, Observation, Paths, UnderNoise};
use crate::data::ItemId;
use crate::kernel::PriorDraws;
use crate::numeric::dense::{SemidefiniteFactor, add_scaled, multiply, subtract_product};
use crate::numeric::{Matrix, Purpose, Seed, Stream};
use crate::watch::Step;
use crate::{Result, Watch};

/// What a watch is told.
const DRAWING: &str = "drawing rankings";

/// The largest group whose joint covariance is formed, if there is another way: 32 MB, and as long as a few hundred draws.
pub(crate) const LARGEST_GROUP: usize = 2000;

/// Numbers of a block of draws of all items, where a group is larger: 128 MB.
pub(crate) const BLOCK: usize = 1 << 24;

/// The fewest and the most draws of such a block.
pub(crate) const OF_A_BLOCK: (usize, usize) = (32, 512);

/// The first stream of such draws, one per draw. Earlier ones are those of batches.
const FIRST_PATH: u32 = 1 << 31;

/// Answers per item beyond which the Gaussian is near enough and a pass over all answers per draw is not worth its
/// time.
const MANY: usize = 32;

/// The variance of a functional, in squares of the noise, up to which the Gaussian stands for its answer.
const BLUNT: f64 = 2.0;

/// So few answers are all followed: steps are long enough.
const FEW: usize = 100;

/// Draws per task. Fixed, so that draws do not depend on the number of threads.
const BATCH: usize = 128;

/// Steps from the beginning of a chain to the first draw that counts.
const SETTLE: usize = 32;

/// The same for a chain that was annealed, which has left the belief behind.
const SETTLE_ANNEALED: usize = 8;

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
    /// The items' means in the belief.
    mean: Vec<f64>,
}

/// Variances counted from draws that do not depend on each other.
pub(crate) struct Counted {
    /// Every item's variance.
    pub variances: Vec<f64>,
    /// Every item's mean square deviation from its mean in the belief, both less the mean of all the items.
    pub centred: Vec<f64>,
}

impl Draws {
    /// Prepares so many draws for these items. Up to 2000 of them `g³/3` operations for g items, per law of a mixture that takes
    /// part; beyond, nothing that grows faster than their number.
    ///
    /// Observations of other items count only through the belief.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated.
    pub(crate) fn new(belief: &dyn Belief, items: &[ItemId], count: usize) -> Result<Self> {
        let of_a_chain = count.div_ceil(CHAINS).clamp(OF_A_CHAIN.0, OF_A_CHAIN.1);
        Self::in_chains(belief, items, [count, of_a_chain], |judge| judge.weight)
    }

    /// As [`Draws::new`], with this number of draws in each chain where laws or tops are many, and with these weights of the beliefs under
    /// the noises.
    pub(crate) fn in_chains(
        belief: &dyn Belief,
        items: &[ItemId],
        chains: [usize; 2],
        weight: impl Fn(&UnderNoise) -> f64,
    ) -> Result<Self> {
        Self::prepared(belief, items, chains, weight, LARGEST_GROUP)
    }

    /// As [`Draws::in_chains`], without the joint covariance of more items than these.
    fn prepared(
        belief: &dyn Belief,
        items: &[ItemId],
        [count, of_a_chain]: [usize; 2],
        weight: impl Fn(&UnderNoise) -> f64,
        largest: usize,
    ) -> Result<Self> {
        let noises = belief.noises();
        let mean = items.iter().map(|item| belief.mean()[item.index()]).collect();
        if noises.is_empty() {
            let law = Law::new(belief, items, false, largest)?;
            let most = match law.source {
                _ if law.anneals => of_a_chain,
                Source::Root(_) => BATCH,
                Source::Paths(_) => count,
            };
            return Ok(Self { laws: vec![(0, law)], tasks: sizes(count, most).map(|size| (0, size)).collect(), mean });
        }
        let sizes: Vec<usize> = sizes(count, of_a_chain).collect();
        let (mut laws, mut tasks): (Vec<(usize, Law)>, _) = (Vec::new(), Vec::new());
        let weights: Vec<f64> = noises.iter().map(weight).collect();
        for (size, number) in sizes.iter().zip(shared(&weights, sizes.len())) {
            if laws.last().is_none_or(|(last, _)| *last != number) {
                laws.push((number, Law::new(&noises[number].belief, items, true, largest)?));
            }
            tasks.push((laws.len() - 1, *size));
        }
        Ok(Self { laws, tasks, mean })
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
            watch.step(|| Step::new(DRAWING, done.fetch_add(1, Ordering::Relaxed), self.tasks.len()))?;
            let mut stream = seed.stream(Purpose::Draws { group, batch: task as u32 });
            let (number, law) = &self.laws[law];
            let take = |utilities: &mut [f64], stream: &mut Stream| take(utilities, *number, stream);
            Ok(law.draw(size, &mut stream, &take))
        };
        if self.laws.iter().any(|(_, law)| matches!(law.source, Source::Paths(_))) {
            return Ok(self.each_along_paths(seed, group, watch, take)?.0);
        }
        let drawn: Vec<Vec<T>> = self.tasks.par_iter().enumerate().map(one).collect::<Result<_>>()?;
        Ok(drawn.into_iter().flatten().collect())
    }

    /// As [`Draws::each`]; and what the draws tell of the items' variances, if they come without the joint covariance.
    pub(crate) fn each_and_counted<T: Send>(
        &self,
        seed: Seed,
        group: u32,
        watch: &Watch,
        take: impl Fn(&mut [f64], usize, &mut Stream) -> T + Sync,
    ) -> Result<(Vec<T>, Option<Counted>)> {
        match self.laws.iter().any(|(_, law)| matches!(law.source, Source::Paths(_))) {
            true => self.each_along_paths(seed, group, watch, take).map(|(drawn, counted)| (drawn, Some(counted))),
            false => Ok((self.each(seed, group, watch, take)?, None)),
        }
    }

    /// Draws without the joint covariance: chain after chain, each in blocks that the threads share. Also the mean squares of
    /// every item's deviations in the belief, whose draws do not depend on each other as those of a chain do.
    fn each_along_paths<T: Send>(
        &self,
        seed: Seed,
        group: u32,
        watch: &Watch,
        take: impl Fn(&mut [f64], usize, &mut Stream) -> T + Sync,
    ) -> Result<(Vec<T>, Counted)> {
        let (mut out, mut squares, mut centred) = (Vec::new(), Vec::new(), vec![0.0; self.mean.len()]);
        let mut drawn = 0;
        // All noises have the same prior.
        let mut known: Option<Box<dyn PriorDraws + '_>> = None;
        let total: usize = self.tasks.iter().map(|&(law, size)| self.laws[law].1.settle() + size).sum();
        for &(law, size) in &self.tasks {
            let (number, law) = &self.laws[law];
            let Source::Paths(along) = &law.source else { unreachable!("the laws of a group have one kind of source") };
            let prior = match known.take() {
                Some(prior) => prior,
                None => along.paths.kernel.prior_draws()?,
            };
            let mut chain = Chain::default();
            let (settle, count) = (law.settle(), law.settle() + size);
            // A block has all items, not those of the group alone.
            let block = (BLOCK / along.paths.kernel.len().max(1)).clamp(OF_A_BLOCK.0, OF_A_BLOCK.1);
            for from in (0..count).step_by(block) {
                watch.step(|| Step::new(DRAWING, drawn, total))?;
                let size = block.min(count - from);
                let stream = |at: usize| seed.stream(Purpose::Draws { group, batch: FIRST_PATH | (drawn + at) as u32 });
                let mut streams: Vec<Stream> = (0..size).map(stream).collect();
                let mut apart = Matrix::zeros(along.paths.kernel.len(), size);
                along.paths.draw(prior.as_ref(), &mut streams, &mut apart)?;
                squares.resize(apart.rows(), 0.0);
                add_squares(&apart, &mut squares);
                let off: Vec<f64> = law.mean.iter().zip(&self.mean).map(|(own, all)| own - all).collect();
                add_centred_squares(&apart, &along.items, &off, &mut centred);
                along.correct(law, &mut apart, &mut chain, &mut streams);
                let mut apart = along.of_items(apart);
                let unsettled = settle.saturating_sub(from).min(size);
                let columns =
                    apart.values_mut().par_chunks_mut(law.mean.len().max(1)).zip(&mut streams).skip(unsettled);
                let taken = columns.map(|(column, stream)| {
                    column.iter_mut().zip(&law.mean).for_each(|(utility, mean)| *utility += mean);
                    take(column, *number, stream)
                });
                out.extend(taken.collect::<Vec<T>>());
                drawn += size;
            }
            known = Some(prior);
        }
        let share = |sum: f64| sum / drawn.max(1) as f64;
        let variances = match self.laws.first() {
            Some((_, Law { source: Source::Paths(along), .. })) => {
                along.items.iter().map(|&item| share(squares[item])).collect()
            }
            _ => Vec::new(),
        };
        Ok((out, Counted { variances, centred: centred.into_iter().map(share).collect() }))
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

/// Adds the squares of all columns to one number per row.
fn add_squares(columns: &Matrix, sums: &mut [f64]) {
    const ROWS: usize = 1 << 12;
    sums.par_chunks_mut(ROWS).enumerate().for_each(|(block, sums)| {
        for column in 0..columns.columns() {
            let own = &columns.column(column)[block * ROWS..][..sums.len()];
            sums.iter_mut().zip(own).for_each(|(sum, value)| *sum += value * value);
        }
    });
}

/// Adds the squares of some rows of all columns, which are off by so much, less their mean in the column.
fn add_centred_squares(columns: &Matrix, rows: &[usize], off: &[f64], sums: &mut [f64]) {
    const ROWS: usize = 1 << 12;
    let value = |column: usize, (row, off): (&usize, &f64)| columns.column(column)[*row] + off;
    let mean =
        |column: usize| rows.iter().zip(off).map(|one| value(column, one)).sum::<f64>() / rows.len().max(1) as f64;
    let means: Vec<f64> = (0..columns.columns()).into_par_iter().map(mean).collect();
    let blocks = sums.par_chunks_mut(ROWS).zip(rows.par_chunks(ROWS)).zip(off.par_chunks(ROWS));
    blocks.for_each(|((sums, rows), off)| {
        for (column, mean) in means.iter().enumerate() {
            let own = rows.iter().zip(off).map(|one| value(column, one));
            sums.iter_mut().zip(own).for_each(|(sum, value)| *sum += (value - mean).powi(2));
        }
    });
}

/// The joint law of some items' utilities under one belief.
///
/// A chain of draws moves coordinates: the items themselves, or those that the belief's paths start from.
struct Law {
    mean: Vec<f64>,
    source: Source,
    /// The observations of these items alone that draws follow, as functionals of coordinates.
    observed: Vec<Factor>,
    /// The values of their functionals at the mean.
    centre: Vec<f64>,
    /// How coordinates move one by one, if they do.
    one_by_one: Option<OneByOne>,
    /// The coordinates' means.
    coordinate_mean: Vec<f64>,
    /// Whether a chain begins elsewhere than at the belief.
    anneals: bool,
}

/// Where draws of a belief's deviations come from.
enum Source {
    /// A root of the joint covariance.
    Root(Matrix),
    /// The draws of the prior.
    Paths(Box<Along>),
}

/// Draws of a prior, corrected.
struct Along {
    paths: Paths,
    /// The items among those of the prior.
    items: Vec<usize>,
    /// What a move of the coordinates is to all items: a factor of their prior covariance. Only where coordinates move.
    moves: Option<SemidefiniteFactor>,
}

impl Along {
    /// Turns draws of the belief about all items into a chain of draws of the posterior. The chain moves the coordinates, and all
    /// items follow as the prior says. So the rest of each item is as independent from draw to draw as it was.
    fn correct(&self, law: &Law, apart: &mut Matrix, chain: &mut Chain, streams: &mut [Stream]) {
        let Some(prior) = &self.moves else { return };
        let mut moves = coordinates(&self.paths.basis, apart);
        let mut moved = moves.clone();
        law.correct(&mut moved, chain, streams);
        add_scaled(moves.values_mut(), -1.0, moved.values());
        subtract_product(apart, &self.paths.columns, &prior.divide(moves));
    }

    /// The rows of the items.
    fn of_items(&self, all: Matrix) -> Matrix {
        if self.items.iter().copied().eq(0..all.rows()) {
            return all;
        }
        let mut out = Matrix::zeros(self.items.len(), all.columns());
        for (at, out) in out.columns_mut().enumerate() {
            let all = all.column(at);
            out.iter_mut().zip(&self.items).for_each(|(out, &item)| *out = all[item]);
        }
        out
    }
}

/// Where a chain is.
#[derive(Default)]
struct Chain {
    last: Option<Last>,
    likelihood: f64,
}

struct Last {
    /// The coordinates' deviations.
    apart: Vec<f64>,
    /// The deviations of the observed functionals.
    seen: Vec<f64>,
}

/// `fresh = cos from + sin fresh`.
fn turn(fresh: &mut [f64], from: &[f64], (sin, cos): (f64, f64)) {
    fresh.iter_mut().zip(from).for_each(|(fresh, from)| *fresh = cos * from + sin * *fresh);
}

impl Law {
    /// The law of a belief. `any_noise` says that the noise is one of many, of which some are tiny. The joint covariance of more items than
    /// `largest` is not formed if there is another way.
    fn new(belief: &dyn Belief, items: &[ItemId], any_noise: bool, largest: usize) -> Result<Self> {
        let mean: Vec<f64> = items.iter().map(|item| belief.mean()[item.index()]).collect();
        let paths = if items.len() > largest { belief.paths()? } else { None };
        let (mut observed, mut coordinates) = among(&sharp(belief)?, items, belief);
        if observed.iter().map(|factor| factor.count as usize).sum::<usize>() > MANY * items.len() {
            observed.clear();
            coordinates.truncate(items.len());
        }
        let may_lapse = observed.iter().any(|factor| factor.observation.may_lapse());
        let by_themselves = any_noise || may_lapse;
        let Some(paths) = paths else {
            let covariance = if by_themselves { Some(belief.covariance(&coordinates)?) } else { None };
            let source = Source::Root(match &covariance {
                Some(covariance) => root_of(covariance),
                None => belief.root(&coordinates)?,
            });
            let asides = coordinates[items.len()..].iter().map(|aside| belief.asides()[aside.index() - belief.len()]);
            let coordinate_mean: Vec<f64> = mean.iter().copied().chain(asides).collect();
            let centre = centre(&observed, &coordinate_mean);
            let one_by_one = covariance.and_then(|covariance| OneByOne::new(covariance, &observed, &centre));
            let anneals = one_by_one.is_some() && anneal::is_needed(&observed);
            return Ok(Self { mean, source, observed, centre, one_by_one, coordinate_mean, anneals });
        };
        let places = |at: u32| coordinates[at as usize].0;
        for factor in &mut observed {
            let functional = &mut factor.observation.functional;
            *functional = functional.of_others(places).within(&paths.basis);
        }
        let of_all = [belief.mean(), belief.asides()].concat();
        let coordinate_mean: Vec<f64> = paths.basis.iter().map(|axis| axis.of(&of_all)).collect();
        let centre = centre(&observed, &coordinate_mean);
        let moves = (!observed.is_empty()).then(|| paths.prior_of_coordinates());
        let mut one_by_one = None;
        if let (true, Some(coordinates)) = (by_themselves, paths.items()) {
            one_by_one = OneByOne::new(belief.covariance(&coordinates)?, &observed, &centre);
        }
        let anneals = one_by_one.is_some() && anneal::is_needed(&observed);
        let items = items.iter().map(|item| item.index()).collect();
        let source = Source::Paths(Box::new(Along { paths, items, moves }));
        Ok(Self { mean, source, observed, centre, one_by_one, coordinate_mean, anneals })
    }

    /// The results of `take` on this many draws, by the root of the joint covariance.
    fn draw<T>(&self, count: usize, stream: &mut Stream, take: &impl Fn(&mut [f64], &mut Stream) -> T) -> Vec<T> {
        let Source::Root(root) = &self.source else { unreachable!("the laws of a group have one kind of source") };
        let settle = self.settle();
        let noise = Matrix::from_fn(root.columns(), settle + count, |_, _| stream.sample(StandardNormal));
        let mut apart = multiply(root, &noise);
        self.correct(&mut apart, &mut Chain::default(), std::slice::from_mut(stream));
        let own = |column: &mut [f64]| {
            let utilities = &mut column[..self.mean.len()];
            utilities.iter_mut().zip(&self.mean).for_each(|(utility, mean)| *utility += mean);
            take(utilities, stream)
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

    /// Turns draws of the belief, given as the coordinates' deviations from its mean, into a chain of draws of the posterior. Every
    /// draw has a stream of its own, or all have one.
    fn correct(&self, apart: &mut Matrix, chain: &mut Chain, streams: &mut [Stream]) {
        if self.observed.is_empty() {
            return;
        }
        let likelihood_of = |seen: &[f64]| {
            let values = self.observed.iter().zip(self.centre.iter().zip(seen));
            log_likelihood(values.map(|(factor, (centre, seen))| (factor, centre + seen)), f64::NEG_INFINITY)
        };
        let last_stream = streams.len() - 1;
        for (at, column) in apart.columns_mut().enumerate() {
            let stream = &mut streams[at.min(last_stream)];
            let mut seen: Vec<f64> =
                self.observed.iter().map(|factor| factor.observation.functional.of(column)).collect();
            let begins = chain.last.is_none();
            if let Some(last) = &chain.last {
                let ellipse = Ellipse { factors: &self.observed, centre: &self.centre, from: &last.seen, fresh: &seen };
                let (angle, likelihood) = ellipse.turn(chain.likelihood, stream);
                chain.likelihood = likelihood;
                turn(column, &last.apart, angle.sin_cos());
                turn(&mut seen, &last.seen, angle.sin_cos());
            }
            if let Some(one_by_one) = &self.one_by_one {
                let mut place = Place {
                    apart: column,
                    seen: &mut seen,
                    observed: &self.observed,
                    centre: &self.centre,
                    mean: &self.coordinate_mean,
                };
                if begins && self.anneals {
                    anneal::begin(&mut place, one_by_one, stream);
                }
                one_by_one.sweep(&mut place, stream);
                chain.likelihood = likelihood_of(&seen);
            } else if begins {
                chain.likelihood = likelihood_of(&seen);
            }
            chain.last = Some(Last { apart: column.to_vec(), seen });
        }
    }
}

/// The values of the observed functionals at a mean.
fn centre(observed: &[Factor], mean: &[f64]) -> Vec<f64> {
    observed.iter().map(|factor| factor.observation.functional.of(mean)).collect()
}

/// The factors that a Gaussian does not describe well: answers that may be lapses, and those whose functional the belief knows
/// less well than the judge's noise. For the others, the likelihood bends so little where the belief is that all of them are off by
/// little (the law of one functional by at most 6 %, in total variation, where its variance is twice that of the noise), while steps
/// that follow thousands of them together would be short and draws alike.
fn sharp(belief: &dyn Belief) -> Result<Vec<Factor>> {
    let factors = belief.factors();
    if factors.len() <= FEW {
        return Ok(factors.to_vec());
    }
    let is_sharp = |(factor, variance): (&Factor, f64)| {
        let observation = &factor.observation;
        let noise = observation.noise * observation.noise;
        let sharp = observation.may_lapse() || (!observation.is_value() && variance > BLUNT * noise);
        sharp.then_some(*factor)
    };
    Ok(factors.iter().zip(belief.factor_variances()?).filter_map(is_sharp).collect())
}

/// The factors about these items and their asides alone, by their positions in what comes second: the items, then these asides.
fn among(factors: &[Factor], items: &[ItemId], belief: &dyn Belief) -> (Vec<Factor>, Vec<ItemId>) {
    let mut positions: Vec<Option<u32>> = vec![None; belief.len() + belief.asides().len()];
    let mut coordinates = items.to_vec();
    items.iter().enumerate().for_each(|(at, item)| positions[item.index()] = Some(at as u32));
    let mut place = |factor: &Factor| {
        let functional = match factor.observation.functional {
            Functional::Item(item) => Functional::Item(positions[item as usize]?),
            Functional::Difference(first, second) => {
                Functional::Difference(positions[first as usize]?, positions[second as usize]?)
            }
            beside => {
                let (first, second) = beside.pair()?;
                positions[first as usize].and(positions[second as usize])?;
                for (aside, _) in beside.asides() {
                    positions[aside as usize].get_or_insert_with(|| {
                        coordinates.push(ItemId(aside));
                        coordinates.len() as u32 - 1
                    });
                }
                beside.of_others(|at| positions[at as usize].unwrap_or_default())
            }
        };
        Some(Factor { observation: Observation { functional, ..factor.observation }, ..*factor })
    };
    let found = factors.iter().filter_map(&mut place).collect();
    (found, coordinates)
}
