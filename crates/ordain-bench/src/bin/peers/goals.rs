//! What a question of every goal's own strategy costs in a project as `ordain init` writes it, beside AXPGP's expected loss.
//!
//! The judge's noise is learned and the goal is looked at before every question, as in `ordain ask`.

use std::error::Error;
use std::fmt::Write as _;
use std::time::Instant;

use ordain::active::AskOptions;
use ordain::data::Goal;
use ordain::{Model, Watch};
use ordain_bench::{World, fresh};

use crate::engine::time;
use crate::shared::{machine, median, record};

const SIZES: [usize; 6] = [30, 152, 350, 1000, 10_000, 100_000];

const ANSWERS: usize = 200;

/// A goal, or the rival: the paper's rule.
const CONTENDERS: [(&str, Goal, Option<&str>); 5] = [
    ("best", Goal::Best, None),
    ("top 10", Goal::Top { k: 10 }, None),
    ("whole-order", Goal::WholeOrder, None),
    ("top-heavy", Goal::TopHeavy, None),
    ("expected-loss", Goal::TopHeavy, Some("expected-loss")),
];

/// Seconds from an answer to the next question, for every answer.
struct Took {
    items: usize,
    contender: &'static str,
    plain: Vec<f64>,
    prefetched: Vec<f64>,
    /// The seconds of making ready.
    ready: Vec<f64>,
}

pub fn side_by_side(_python: &str) -> Result<(), Box<dyn Error>> {
    let mut all = Vec::new();
    for items in SIZES {
        let world = World::of_attributes(items);
        let model = fresh::project("items.csv", &table(&world), &[])?;
        for (contender, goal, strategy) in CONTENDERS {
            let options = AskOptions::default().with_goal(Some(goal)).with_strategy(strategy.map(str::to_owned));
            let (plain, _) = play(&model, &world, &options, false)?;
            let (prefetched, ready) = play(&model, &world, &options, true)?;
            println!("{contender}, {items} items: {} per question", time(mean(&plain)));
            all.push(Took { items, contender, plain, prefetched, ready });
        }
    }
    record("goals", "Goals and what their questions cost", &report(&all)?)
}

/// The world's items as a table.
fn table(world: &World) -> String {
    let names: Vec<String> = (0..world.attributes[0].len()).map(|at| format!("a{at}")).collect();
    let mut out = format!("id,{}\n", names.join(","));
    for (item, row) in world.attributes.iter().enumerate() {
        let row: Vec<String> = row.iter().map(f64::to_string).collect();
        let _ = writeln!(out, "i{item},{}", row.join(","));
    }
    out
}

/// The seconds from every answer to the next question: learning it, looking at the goal and choosing a pair. With them come the seconds
/// of making ready for the answer.
fn play(
    model: &Model,
    world: &World,
    options: &AskOptions,
    prefetch: bool,
) -> Result<(Vec<f64>, Vec<f64>), Box<dyn Error>> {
    let mut session = model.session(options, None, &Watch::NONE)?;
    let mut question = session.ask()?.ok_or("no pair to ask")?;
    let (mut took, mut ready) = (Vec::new(), Vec::new());
    for _ in 0..ANSWERS {
        let started = Instant::now();
        if prefetch {
            session.prefetch(&question)?;
        }
        ready.push(started.elapsed().as_secs_f64());
        let answer = world.answer(question.first, question.second)?;
        let started = Instant::now();
        session.tell(answer)?;
        question = session.ask()?.ok_or("no pair is left")?;
        session.standing()?;
        took.push(started.elapsed().as_secs_f64());
    }
    Ok((took, ready))
}

fn mean(seconds: &[f64]) -> f64 {
    seconds.iter().sum::<f64>() / seconds.len() as f64
}

fn report(all: &[Took]) -> Result<String, Box<dyn Error>> {
    let mut out = format!(
        "`cargo xtask bench-peers goals` on {}.\n\nFrom an answer to the next question, over {ANSWERS} answers, in projects as `ordain \
         init` writes them: the noise is learned, the goal is looked at, a pair is chosen. Items have 25 attributes. Prefetched: with what is made \
         ready for either outcome while the judge thinks. The last rows are the paper's rule with the focus of `top-heavy`; it looks at the goal as well.\n\n\
         | items | goal | mean | median | longest | prefetched, mean | prefetched, longest | making ready, mean | over expected-loss |\n|---|---|---|---|---|---|---|---|---|\n",
        machine()?
    );
    let longest = |seconds: &[f64]| seconds.iter().copied().fold(0.0, f64::max);
    for one in all {
        let rival = all.iter().rfind(|other| other.items == one.items).ok_or("no rival")?;
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.2} |",
            one.items,
            one.contender,
            time(mean(&one.plain)),
            time(median(&one.plain)),
            time(longest(&one.plain)),
            time(mean(&one.prefetched)),
            time(longest(&one.prefetched)),
            time(mean(&one.ready)),
            mean(&one.plain) / mean(&rival.plain),
        )?;
    }
    writeln!(out, "\n| goal | exponent from 1,000 to 100,000 items |\n|---|---|")?;
    for (contender, ..) in CONTENDERS {
        let at = |items: usize| all.iter().find(|one| one.items == items && one.contender == contender);
        let (Some(small), Some(large)) = (at(1000), at(100_000)) else { continue };
        writeln!(out, "| {contender} | {:.2} |", (mean(&large.plain) / mean(&small.plain)).ln() / 100_f64.ln())?;
    }
    Ok(out)
}
