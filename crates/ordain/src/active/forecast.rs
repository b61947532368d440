//! A forecast of the number of answers still needed.
//!
//! The belief says which worlds are possible. Some worlds are drawn from it: utilities, and the noise of the judge if that is learned.
//! In each world the session itself goes on: it asks, a judge of that world answers, and it learns, until its stop rule is met. The
//! numbers of answers in the worlds are the forecast. The forecast is as right as the belief itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;
use rayon::prelude::*;

use super::outlook::Cost;
use super::{Judge, Question, Session};
use crate::data::{Answer, ItemId};
use crate::gp::{Belief, Draws, without_caution};
use crate::numeric::{Purpose, Seed, Stream};
use crate::params::setters;
use crate::watch::Step;
use crate::{Result, Watch};

/// Parameters of a forecast.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ForecastParams {
    /// The number of worlds to draw.
    pub worlds: usize,
    /// The number of answers after which a world is given up.
    pub most: usize,
    /// The stop rule is checked after every `every` answers, so this is the resolution of the forecast. If the noise is learned, it is
    /// checked 16 times while the answers double.
    pub every: usize,
    /// The probability that the forecast interval holds the number of answers. The interval has the ends of that many worlds:
    /// with 9 worlds at least, 80 % are possible.
    pub level: f64,
    /// The operations after which a world is given up, and what a step costs.
    pub(super) budget: f64,
    pub(super) cost: Cost,
    /// The seed of the worlds.
    pub seed: Seed,
    /// Follows the worlds and can cancel the forecast.
    pub watch: Watch,
}

impl Default for ForecastParams {
    fn default() -> Self {
        Self {
            worlds: 39,
            most: 1000,
            every: 5,
            level: 0.8,
            budget: f64::INFINITY,
            cost: Cost::default(),
            seed: Seed(1),
            watch: Watch::NONE,
        }
    }
}

setters! {
    ForecastParams:
    with_worlds = worlds: usize,
    with_most = most: usize,
    with_every = every: usize,
    with_level = level: f64,
    with_seed = seed: Seed,
    with_watch = watch: Watch,
}

/// The number of answers still needed. `None` means more answers than the forecast looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    /// The lower end of the interval. Half of the probability outside the interval lies below it.
    pub low: Option<usize>,
    /// The median: more answers are as likely as fewer.
    pub median: Option<usize>,
    /// The upper end of the interval. Half of the probability outside the interval lies above it.
    pub high: Option<usize>,
}

/// The name of this step for a [`Watch`].
const LOOKING: &str = "looking ahead";

/// Draws form chains. One draw out of this many becomes a world. Where judges are many, each world has a chain of its own.
const APART: usize = 8;

/// Forecasts the number of answers until the stop rule of a session is met. The cost is at most `worlds * most` questions and answers of
/// the session, and `worlds * most / every` counts of certainty. Worlds that take more than four times the median are given up.
///
/// # Errors
/// If the kernel cannot be evaluated, or there are more than 20,000 items.
pub fn forecast(session: &Session, params: &ForecastParams) -> Result<Forecast> {
    Ok(look_ahead(session, params)?.0)
}

/// The forecast, and the number of answers that it looked at in every world that was given up.
///
/// Worlds are played some answers at a time, twice as many in each round. Once the median is known, those that take much longer are
/// given up: most of the time would go to the worlds that say least.
pub(super) fn look_ahead(session: &Session, params: &ForecastParams) -> Result<(Forecast, usize)> {
    /// The answers of the first round.
    const FIRST: usize = 25;
    /// A world is given up after this many times the median.
    const FARTHEST: usize = 4;
    let silent = params.watch.silent();
    let done = AtomicUsize::new(0);
    let worlds = worlds(session, params, &silent)?;
    let session = session.in_passing();
    // What all worlds begin with is found once.
    session.ask()?;
    let mut worlds: Vec<Playing> =
        worlds.into_iter().enumerate().map(|world| Playing::new(world, &session, params)).collect();
    let mut until = FIRST.min(params.most);
    let ascending = loop {
        let play = |world: &mut Playing| {
            let cancel = || silent.step(|| Step::new(LOOKING, done.load(Ordering::Relaxed), params.worlds));
            world.play(until, params, cancel)?;
            done.fetch_add(usize::from(world.needed.is_some()), Ordering::Relaxed);
            params.watch.step(|| Step::new(LOOKING, done.load(Ordering::Relaxed), params.worlds))
        };
        worlds.par_iter_mut().filter(|world| world.needed.is_none()).try_for_each(play)?;
        let mut needed: Vec<Needed> = worlds.iter().map(Playing::so_far).collect();
        needed.sort_unstable();
        let all = until == params.most || worlds.iter().all(|world| world.needed.is_some());
        let median = needed.get(needed.len().div_ceil(2).saturating_sub(1)).and_then(|needed| needed.answers());
        if all || median.is_some_and(|[_, most]| until >= FARTHEST * most) {
            break needed;
        }
        until = (2 * until).min(params.most);
    };
    // Worlds that cost more are given up sooner; what the others needed is known all the same.
    let known = ascending.iter().filter_map(|needed| needed.answers()).map(|[_, most]| most).max().unwrap_or(0);
    let looked = ascending.iter().filter_map(|needed| needed.given_up()).min().unwrap_or(params.most).max(known);
    let ascending: Vec<Option<[usize; 2]>> = ascending.into_iter().map(Needed::answers).collect();
    Ok((interval(&ascending, params.level), looked))
}

/// The answers that a world needed: at least and at most so many, because it was looked at now and then. Worlds that were given up took
/// longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Needed {
    Answers { least: usize, most: usize },
    MoreThan(usize),
}

impl Needed {
    fn answers(self) -> Option<[usize; 2]> {
        if let Self::Answers { least, most } = self { Some([least, most]) } else { None }
    }

    fn given_up(self) -> Option<usize> {
        if let Self::MoreThan(answers) = self { Some(answers) } else { None }
    }
}

/// A world that fits the answers.
struct World {
    utilities: Vec<f64>,
    judge: Judge,
    lapse: f64,
    /// The name of the judge: that of the latest answer, if the session tells judges apart.
    name: String,
}

/// A session that goes on in a world.
struct Playing {
    world: World,
    session: Session,
    stream: Stream,
    /// The operations that are left.
    left: f64,
    answers: usize,
    last_look: usize,
    /// The answers that it needed, once that is known or it is given up.
    needed: Option<Needed>,
}

impl Playing {
    fn new((number, world): (usize, World), session: &Session, params: &ForecastParams) -> Self {
        // These streams differ from those of the draws.
        let stream = params.seed.stream(Purpose::World(number));
        Self { world, session: session.clone(), stream, left: params.budget, answers: 0, last_look: 0, needed: None }
    }

    /// The answers that it needed, as far as that is known.
    fn so_far(&self) -> Needed {
        // Since the last look, the goal may have been reached.
        self.needed.unwrap_or(Needed::MoreThan(self.last_look))
    }

    /// Goes on until the stop rule is met, or for so many answers in all.
    fn play(&mut self, until: usize, params: &ForecastParams, cancel: impl Fn() -> Result<()>) -> Result<()> {
        let learns = self.session.model().learns();
        // After the most answers of all, certainty is still to be counted.
        while self.needed.is_none() && (self.answers < until || until == params.most) {
            cancel()?;
            let looks =
                if learns { self.session.looks_now() } else { self.answers.is_multiple_of(params.every.max(1)) };
            self.left -= params.cost.question;
            if looks && self.left.is_finite() {
                self.left -= if self.session.is_near()? { params.cost.near } else { params.cost.far };
            }
            let question = if self.answers < params.most && self.left > 0.0 { self.session.ask()? } else { None };
            // Certainty is also counted when nothing more can be asked.
            if (looks || question.is_none()) && self.session.is_done()? {
                // The goal was reached at any time since the last look. A session that looks more often sees it soon after.
                let least = if learns { self.answers.min(self.last_look + 1) } else { self.answers };
                self.needed = Some(Needed::Answers { least, most: self.answers });
            } else if let Some(question) = question {
                let answer = self.world.answer(&question, &mut self.stream)?;
                self.session.tell(self.session.as_shown(&question, answer))?;
                if looks {
                    self.last_look = self.answers;
                }
                self.answers += 1;
            } else {
                self.needed = Some(Needed::MoreThan(self.answers));
            }
        }
        Ok(())
    }
}

impl World {
    /// What its judge says.
    fn answer(&self, question: &Question, stream: &mut Stream) -> Result<Answer> {
        let answer = self.judge.compare(&self.utilities, question.first, question.second, stream)?;
        let answer = if self.lapse > 0.0 && stream.random::<f64>() < self.lapse { answer.turned() } else { answer };
        Ok(answer.by(self.name.as_str()))
    }
}

/// Utilities that fit the answers, and the judges who give them.
fn worlds(session: &Session, params: &ForecastParams, watch: &Watch) -> Result<Vec<World>> {
    let belief = session.over_noises()?;
    let items: Vec<ItemId> = (0..belief.len()).map(ItemId::new).collect();
    let draws = Draws::in_chains(&belief, &items, [params.worlds * APART, APART], without_caution)?;
    let name = session.judge_to_come();
    let take = |utilities: &mut [f64], law: usize, _: &mut _| -> Result<World> {
        let model = belief.noises().get(law).map_or(session.model(), |judge| &judge.model);
        let judge = Judge::from(&model.of_judge(Some(name.as_str()))?);
        Ok(World { utilities: utilities.to_vec(), judge, lapse: model.lapse(), name: name.clone() })
    };
    let drawn = draws.each(params.seed, 0, watch, take)?.into_iter().collect::<Result<Vec<World>>>()?;
    Ok(drawn.into_iter().step_by(APART).collect())
}

/// The median of ascending numbers of worlds, each at least and at most so much, and the interval that holds one more world with this
/// probability: of w worlds, the number of the next one is below the i-th with probability `i / (w + 1)`.
fn interval(ascending: &[Option<[usize; 2]>], level: f64) -> Forecast {
    let places = (ascending.len() + 1) as f64;
    // A tenth of 20 is 1.99… in binary.
    let outside = ((0.5 * (1.0 - level) * places + 1e-9).floor() as usize).max(1);
    let at = |place: usize| ascending.get(place.wrapping_sub(1)).copied().flatten();
    Forecast {
        low: at(outside).map(|[least, _]| least),
        median: at(ascending.len().div_ceil(2)).map(|[least, most]| least.midpoint(most)),
        high: at((ascending.len() + 1).saturating_sub(outside)).map(|[_, most]| most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With 9 worlds the whole range holds the tenth with probability 8/10, with 19 the range without one at either end.
    #[test]
    fn intervals_are_of_the_next_world() {
        let needed = |at: usize| (at <= 17).then_some([10 * at - 2, 10 * at + 2]);
        let worlds = |count: usize| (1..=count).map(needed).collect::<Vec<_>>();
        let forecast = |low, median, high| Forecast { low, median, high };
        assert_eq!(interval(&worlds(9), 0.8), forecast(Some(8), Some(50), Some(92)));
        assert_eq!(interval(&worlds(19), 0.8), forecast(Some(18), Some(100), None));
        assert_eq!(interval(&[], 0.8), forecast(None, None, None));
        assert_eq!(interval(&[Some([3, 3])], 0.8), forecast(Some(3), Some(3), Some(3)));
    }
}
