//! Whether it pays to know who is asked: 30 items without attributes and six judges with a noise of a quarter to four times the common one,
//! who come in turn at random and answer ten questions each; in half of the worlds, one of them answers blindly.
//!
//! `cargo run --release -p ordain-bench --bin whom -- [WORLDS]`. Kendall's tau after 60, 120 and 180 answers, if questions are chosen for the
//! judge who comes, and if they are chosen for any judge. Worlds, judges and the order in which they come are the same for both. Prints a
//! table in Markdown.

#![allow(clippy::print_stdout)] // It prints tables.

use std::collections::HashSet;

use ordain::active::AskOptions;
use ordain::data::{Answer, AnswerLog, Entry, Goal, ItemId, Items, Outcome};
use ordain::gp::AnswerModel;
use ordain::kernel::{KernelSpec, Shape};
use ordain::measure::{Mean, kendall_tau_a};
use ordain::numeric::Seed;
use ordain::{Error, Inference, Model, Result, Watch};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

const ITEMS: usize = 30;
const JUDGES: usize = 6;

/// The noise in the middle, beside a deviation of 1 of the utilities.
const NOISE: f64 = 0.3;

/// How much the noise of judges differs at most, to either side.
const FACTOR: f64 = 4.0;

/// Questions to a judge before another one comes.
const SITTING: usize = 10;

/// The numbers of answers after which the order is measured.
const MARKS: [usize; 3] = [60, 120, 180];

/// What a session came to.
struct Course {
    /// Kendall's tau at each mark.
    taus: [f64; MARKS.len()],
    /// The answers about pairs that had an answer.
    again: usize,
}

fn main() -> Result<()> {
    let worlds = std::env::args().nth(1).map_or(Ok(100), |word| word.parse().map_err(|_| wrong(&word)))?;
    for goal in [Goal::WholeOrder, Goal::Top { k: 5 }] {
        for careless in [false, true] {
            let play = |world: u64| Ok([play(world, goal, careless, true)?, play(world, goal, careless, false)?]);
            let found: Vec<[Course; 2]> = (0..worlds).into_par_iter().map(play).collect::<Result<_>>()?;
            report(goal, careless, &found);
        }
    }
    Ok(())
}

fn wrong(word: &str) -> Error {
    Error::Data { what: "whom", found: word.into(), expected: "a number of worlds".into() }
}

/// A session in one world. `knows` says whether questions are for the judge who comes.
fn play(world: u64, goal: Goal, careless: bool, knows: bool) -> Result<Course> {
    let mut nature = Seed(81).stream(world);
    let utilities: Vec<f64> = (0..ITEMS).map(|_| nature.sample(StandardNormal)).collect();
    let sigma = |judge: usize| NOISE * FACTOR.powf(2.0 * judge as f64 / (JUDGES - 1) as f64 - 1.0);
    let blind = if careless { Some(nature.random_range(0..JUDGES)) } else { None };
    let items = Items::from_ids((0..ITEMS).map(|item| item.to_string()))?;
    let model = Model::new(items, vec![KernelSpec::new(1.0, Shape::Independent)])?
        .with_answer_model(AnswerModel::learning(0.0)?);
    let mut log: Vec<Entry> = Vec::new();
    let (mut asked, mut again, mut taus) = (HashSet::new(), 0, [0.0; MARKS.len()]);
    while log.len() < MARKS[MARKS.len() - 1] {
        let judge = nature.random_range(0..JUDGES);
        let name = format!("judge{judge}");
        let options = AskOptions::default().with_goal(Some(goal)).with_judge(knows.then(|| name.clone()));
        let known = model.clone().with_answers(AnswerLog::new(log.clone())?)?;
        let mut session = known.session(&options, None, &Watch::NONE)?;
        for _ in 0..SITTING {
            let Some(question) = session.ask()? else { break };
            let (first, second) = (question.first, question.second);
            // An answer depends on the pair, the judge and the number of answers alone.
            let mut chance = Seed(82).stream(1_000_000 * world + log.len() as u64);
            let (noise, coin): (f64, bool) = (chance.sample(StandardNormal), chance.random());
            let seen =
                utilities[first.index()] - utilities[second.index()] + std::f64::consts::SQRT_2 * sigma(judge) * noise;
            let says_first = if blind == Some(judge) { coin } else { seen > 0.0 };
            let answer = question.answer(if says_first { Outcome::First } else { Outcome::Second })?.by(name.as_str());
            session.tell(answer.clone())?;
            again += usize::from(!asked.insert(pair(&answer)));
            log.push(Entry::Answer(answer));
        }
        if let Some(mark) = MARKS.iter().position(|mark| *mark == log.len()) {
            let known = model.clone().with_answers(AnswerLog::new(log.clone())?)?;
            taus[mark] = kendall_tau_a(known.fit(Inference::Ep, &Watch::NONE)?.belief().mean(), &utilities)?;
        }
    }
    Ok(Course { taus, again })
}

fn pair(answer: &Answer) -> (ItemId, Option<ItemId>) {
    let second = answer.second.unwrap_or(answer.first);
    (answer.first.min(second), Some(answer.first.max(second)))
}

fn report(goal: Goal, careless: bool, found: &[[Course; 2]]) {
    let crowd = if careless { "one of six judges answers blindly" } else { "no judge answers blindly" };
    println!(
        "\nGoal {goal}, {crowd}, {} worlds.\n\n| answers | for the judge who comes | for any judge | more |\n|---|---|---|---|",
        found.len()
    );
    let shown = |values: Vec<f64>| {
        let Mean { value, error, .. } = Mean::of(&values);
        format!("{value:.4} ± {error:.4}")
    };
    for (at, mark) in MARKS.iter().enumerate() {
        let taus = |who: usize| found.iter().map(|both| both[who].taus[at]).collect::<Vec<f64>>();
        let more = found.iter().map(|both| both[0].taus[at] - both[1].taus[at]).collect();
        println!("| {mark} | {} | {} | {} |", shown(taus(0)), shown(taus(1)), shown(more));
    }
    let again = |who: usize| {
        let all: usize = found.iter().map(|both| both[who].again).sum();
        format!("{:.1} %", 100.0 * all as f64 / (found.len() * MARKS[MARKS.len() - 1]) as f64)
    };
    println!("| about pairs with an answer | {} | {} | |", again(0), again(1));
}
