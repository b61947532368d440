//! A contender of ours in a process of its own: it asks, the judge answers, it learns, and the clock runs.

use std::error::Error;
use std::time::Instant;

use ordain::active::{Question, Session, SessionParams, Strategy};
use ordain::data::{Answer, Goal, ItemId, Outcome};
use ordain::gp::AnswerModel;
use ordain::numeric::Seed;
use ordain_bench::World;

use super::{CAP, PREFETCHED, Played, floor, ratings};
use crate::shared::{data, peak_mb};

/// One who asks and learns.
pub trait Asker {
    /// The next pair.
    fn ask(&mut self) -> Result<(ItemId, ItemId), Box<dyn Error>>;
    /// Learns an answer.
    fn tell(&mut self, answer: Answer) -> Result<(), Box<dyn Error>>;
    /// Makes ready for the answer to the pair that was asked, while the judge thinks.
    fn prefetch(&mut self) -> Result<(), Box<dyn Error>> {
        Ok(())
    }
}

/// Ours, and what it asked last.
struct Ours {
    session: Session,
    question: Option<Question>,
}

impl Asker for Ours {
    fn ask(&mut self) -> Result<(ItemId, ItemId), Box<dyn Error>> {
        let question = self.session.ask()?.ok_or("no pair is left")?;
        self.question = Some(question);
        Ok((question.first, question.second))
    }

    fn tell(&mut self, answer: Answer) -> Result<(), Box<dyn Error>> {
        Ok(self.session.tell(answer)?)
    }

    fn prefetch(&mut self) -> Result<(), Box<dyn Error>> {
        let question = self.question.as_ref().ok_or("nothing was asked yet")?;
        Ok(self.session.prefetch(question)?)
    }
}

/// Plays in this process and prints what it took.
pub fn ours(contender: &str, world: &str, answers: &str) -> Result<(), Box<dyn Error>> {
    if contender == "floor" {
        return Ok(serde_json::to_writer(std::io::stdout(), &floor::measure(world.parse()?))?);
    }
    let world = World::named(world, &data())?;
    let base_mb = peak_mb()?;
    let mut played = play(contender, &world, answers.parse()?)?;
    (played.base_mb, played.peak_mb) = (base_mb, peak_mb()?);
    Ok(serde_json::to_writer(std::io::stdout(), &played)?)
}

fn play(contender: &str, world: &World, answers: usize) -> Result<Played, Box<dyn Error>> {
    let (contender, prefetched) = match contender.strip_suffix(PREFETCHED) {
        Some(contender) => (contender, true),
        None => (contender, false),
    };
    let started = Instant::now();
    let mut asker = asker(contender, world)?;
    let mut pair = asker.ask()?;
    let mut played = Played { first: started.elapsed().as_secs_f64(), ..Played::default() };
    let mut spent = 0.0;
    while played.counts.len() < answers && spent <= CAP {
        if prefetched {
            asker.prefetch()?;
        }
        let answer = world.answer(pair.0, pair.1)?;
        let (winner, loser) = if answer.outcome == Outcome::First { pair } else { (pair.1, pair.0) };
        let started = Instant::now();
        asker.tell(answer)?;
        let told = started.elapsed().as_secs_f64();
        pair = asker.ask()?;
        let asked = started.elapsed().as_secs_f64();
        played.counts.push(played.counts.len() + 1);
        played.answers.push([winner.0, loser.0]);
        played.tell.push(told);
        played.ask.push(asked - told);
        spent += asked;
    }
    played.next = Some([pair.0.0, pair.1.0]);
    Ok(played)
}

fn asker(contender: &str, world: &World) -> Result<Box<dyn Asker>, Box<dyn Error>> {
    let items = world.len() as f64;
    let strategy = match contender {
        "focus-1" => Strategy::ExpectedLoss { focus: 1.0 },
        "best" => Strategy::for_goal(Goal::Best, items),
        "top-10" => Strategy::for_goal(Goal::Top { k: 10 }, items),
        "whole-order" => Strategy::for_goal(Goal::WholeOrder, items),
        "top-heavy" => Strategy::for_goal(Goal::TopHeavy, items),
        "glicko-2" => return Ok(Box::new(ratings::glicko_2(world.len()))),
        "trueskill" => return Ok(Box::new(ratings::trueskill(world.len()))),
        _ => return Err(format!("no contender is named {contender}").into()),
    };
    let params = SessionParams::new(strategy).with_seed(Seed(1));
    let session = Session::new(world.kernel()?, None, AnswerModel::default(), params)?;
    Ok(Box::new(Ours { session, question: None }))
}
