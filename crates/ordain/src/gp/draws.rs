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

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{Belief, Ep, Factor, Functional, Observation, Site};
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

/// Steps from the first draw of the belief to the first draw that counts.
const SETTLE: usize = 32;

/// The logarithm of a product of probabilities is taken when it is smaller than this.
const SMALL: f64 = 1e-6;

/// Deviations beyond which the tail of the normal law is below rounding. Most answers are that certain and need no
/// logarithm.
const CERTAIN: f64 = 8.5;

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

/// The joint law of some items' utilities, ready to draw from: that of a belief, or a mixture over noises.
pub(crate) struct Draws(Vec<(f64, Law)>);

impl Draws {
    /// Prepares draws for these items. `g³/3` operations for g items, per noise.
    ///
    /// Observations of other items count only through the belief.
    ///
    /// # Errors
    /// If there are more than 20,000, or the kernel cannot be evaluated.
    pub(crate) fn new(belief: &dyn Belief, items: &[ItemId]) -> Result<Self> {
        check_size(items.len())?;
        let law = |(weight, belief): &(f64, Ep)| Ok((*weight, Law::new(belief, items)?));
        match belief.noises() {
            [] => Ok(Self(vec![(1.0, Law::new(belief, items)?)])),
            noises => noises.iter().map(law).collect::<Result<_>>().map(Self),
        }
    }

    /// The results of `take` on this many draws, in order. `g²` operations per draw, and about five likelihoods of all
    /// observations. `take` also gets the number of the belief under a noise that the draw is from, and a random stream. `group`
    /// separates the streams of several groups.
    ///
    /// # Errors
    /// If the watch stops it.
    pub(crate) fn each<T: Send>(
        &self,
        count: usize,
        seed: Seed,
        group: u32,
        watch: &Watch,
        take: impl Fn(&mut [f64], usize, &mut Stream) -> T + Sync,
    ) -> Result<Vec<T>> {
        let batches = self.batches(count);
        let done = AtomicUsize::new(0);
        let one = |(batch, &(law, size)): (usize, &(usize, usize))| -> Result<Vec<T>> {
            watch.step(|| Step::new("drawing rankings", done.fetch_add(1, Ordering::Relaxed), batches.len()))?;
            let mut stream = seed.stream(Purpose::Draws { group, batch: batch as u32 });
            let take = |utilities: &mut [f64], stream: &mut Stream| take(utilities, law, stream);
            Ok(self.0[law].1.draw(size, &mut stream, &take))
        };
        let drawn: Vec<Vec<T>> = batches.par_iter().enumerate().map(one).collect::<Result<_>>()?;
        Ok(drawn.into_iter().flatten().collect())
    }

    /// The law and the number of draws of every task. Laws share the draws by their weights.
    fn batches(&self, count: usize) -> Vec<(usize, usize)> {
        let total: f64 = self.0.iter().map(|(weight, _)| weight).sum();
        let (mut out, mut weight, mut drawn) = (Vec::new(), 0.0, 0);
        for (law, (own, _)) in self.0.iter().enumerate() {
            weight += own;
            let until = (count as f64 * weight / total).round() as usize;
            while drawn < until {
                let size = BATCH.min(until - drawn);
                out.push((law, size));
                drawn += size;
            }
        }
        out
    }
}

/// The joint law of some items' utilities under one belief.
struct Law {
    mean: Vec<f64>,
    factor: Matrix,
    /// The observations of these items alone. Items are numbered from 0.
    observed: Vec<Factor>,
}

impl Law {
    fn new(belief: &dyn Belief, items: &[ItemId]) -> Result<Self> {
        let mean = items.iter().map(|item| belief.mean()[item.index()]).collect();
        let factor = transpose(SemidefiniteFactor::new(&belief.covariance(items)?).transpose());
        let mut observed = among(belief.factors(), items, belief.len());
        if observed.len() > MANY * items.len() {
            observed.clear();
        }
        Ok(Self { mean, factor, observed })
    }

    /// The results of `take` on this many draws.
    fn draw<T>(&self, count: usize, stream: &mut Stream, take: &impl Fn(&mut [f64], &mut Stream) -> T) -> Vec<T> {
        let settle = if self.observed.is_empty() { 0 } else { SETTLE };
        let noise = Matrix::from_fn(self.factor.columns(), settle + count, |_, _| stream.sample(StandardNormal));
        let mut apart = multiply(&self.factor, &noise);
        self.correct(&mut apart, stream);
        let own = |column: &mut [f64]| {
            column.iter_mut().zip(&self.mean).for_each(|(utility, mean)| *utility += mean);
            take(column, stream)
        };
        apart.columns_mut().skip(settle).map(own).collect()
    }

    /// Turns draws of the belief, given as deviations from its mean, into a chain of draws of the posterior.
    fn correct(&self, apart: &mut Matrix, stream: &mut Stream) {
        if self.observed.is_empty() {
            return;
        }
        let of = |utilities: &[f64]| -> Vec<f64> {
            self.observed.iter().map(|factor| factor.observation.functional.of(utilities)).collect()
        };
        let centre = of(&self.mean);
        let mut last: Option<(Vec<f64>, Vec<f64>)> = None;
        let mut likelihood = 0.0;
        for column in apart.columns_mut() {
            let mut seen = of(column);
            let from = last.as_ref().map_or(&seen, |(_, from)| from);
            let ellipse = Ellipse { factors: &self.observed, centre: &centre, from, fresh: &seen };
            if let Some((from, from_seen)) = &last {
                let angle;
                (angle, likelihood) = ellipse.turn(likelihood, stream);
                let (sin, cos) = angle.sin_cos();
                let turn = |fresh: &mut [f64], from: &[f64]| {
                    fresh.iter_mut().zip(from).for_each(|(fresh, from)| *fresh = cos * from + sin * *fresh);
                };
                turn(column, from);
                turn(&mut seen, from_seen);
            } else {
                likelihood = ellipse.likelihood(0.0, f64::NEG_INFINITY);
            }
            last = Some((column.to_vec(), seen));
        }
    }
}

/// The ellipse through two draws of a belief, as the value of every observed functional along it: `centre + cos from +
/// sin fresh`.
struct Ellipse<'a> {
    factors: &'a [Factor],
    centre: &'a [f64],
    from: &'a [f64],
    fresh: &'a [f64],
}

impl Ellipse<'_> {
    /// The angle that slice sampling accepts, starting from this log likelihood, and the log likelihood there.
    fn turn(&self, likelihood: f64, stream: &mut Stream) -> (f64, f64) {
        use std::f64::consts::TAU;
        let sites = self.sites();
        let log_share = stream.random::<f64>().ln();
        let least = |angle: f64| likelihood + log_share + sites(angle) - sites(0.0);
        let mut angle = TAU * stream.random::<f64>();
        let (mut low, mut high) = (angle - TAU, angle);
        // The bracket always holds the angle 0. Where rounding leaves nothing else, the draw stays.
        while high - low > f64::EPSILON {
            let least = least(angle);
            let found = self.likelihood(angle, least);
            if found >= least {
                return (angle, found);
            }
            *(if angle < 0.0 { &mut low } else { &mut high }) = angle;
            angle = low + (high - low) * stream.random::<f64>();
        }
        (0.0, likelihood)
    }

    /// The log likelihood at an angle. Every part is negative, so the sum stops early once it is below `least`; the
    /// result is then any value below it.
    fn likelihood(&self, angle: f64, least: f64) -> f64 {
        let (sin, cos) = angle.sin_cos();
        let mut sum = 0.0;
        // Where answers may be lapses, no probability is tiny, and one logarithm serves for many.
        let mut product = 1.0;
        for (((factor, centre), from), fresh) in self.factors.iter().zip(self.centre).zip(self.from).zip(self.fresh) {
            let Observation { low, high, noise, .. } = factor.observation;
            let x = centre + cos * from + sin * fresh;
            if (x - low).min(high - x) > CERTAIN * noise {
                continue;
            }
            if factor.observation.lapse > 0.0 {
                product *= factor.observation.relative_mass(x);
                if product > SMALL {
                    continue;
                }
                sum += f64::ln(std::mem::replace(&mut product, 1.0));
            } else {
                sum += factor.observation.log_mass(x, 0.0);
            }
            if sum < least {
                break;
            }
        }
        sum + product.ln()
    }

    /// The log of all sites, up to a constant, at any angle: a quadratic in its cosine and sine.
    fn sites(&self) -> impl Fn(f64) -> f64 + use<> {
        let [mut by_cos, mut by_sin, mut cos_cos, mut sin_sin, mut cos_sin] = [0.0; 5];
        for (((factor, centre), from), fresh) in self.factors.iter().zip(self.centre).zip(self.from).zip(self.fresh) {
            let Site { precision, shift } = factor.site;
            let slope = shift - precision * centre;
            by_cos += slope * from;
            by_sin += slope * fresh;
            cos_cos += precision * from * from;
            sin_sin += precision * fresh * fresh;
            cos_sin += precision * from * fresh;
        }
        move |angle| {
            let (sin, cos) = angle.sin_cos();
            by_cos * cos + by_sin * sin - 0.5 * (cos_cos * cos * cos + sin_sin * sin * sin) - cos_sin * cos * sin
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
