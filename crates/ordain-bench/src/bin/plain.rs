//! Whole orders of items without attributes, by a judge who answers a fifth of random pairs wrongly: Kendall's tau after 2, 5 and 10
//! answers per item, for the goal's own strategy beside random pairs.
//!
//! `cargo run --release -p ordain-bench --bin plain -- [TRUTHS [ITEMS...]]`. Projects are as `ordain init` writes them. Prints a table in Markdown.

#![allow(clippy::print_stdout)] // It prints a table.

use ordain::active::{AskOptions, Judge};
use ordain::data::Goal;
use ordain::measure::{Mean, kendall_tau_a};
use ordain::numeric::Seed;
use ordain::{Error, Result, Watch};
use ordain_bench::fresh;
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

const SIZES: [usize; 3] = [20, 50, 100];

/// Answers per item.
const MARKS: [usize; 3] = [2, 5, 10];

/// The noise on a difference of two utilities of variance 1 with which random pairs are answered rightly with probability 0.8: the
/// solution of `1/2 + atan(√2 / noise) / π = 0.8`.
fn noise() -> f64 {
    std::f64::consts::SQRT_2 / (0.3 * std::f64::consts::PI).tan()
}

fn main() -> Result<()> {
    let given: Vec<usize> = std::env::args().skip(1).map(|word| number(&word)).collect::<Result<_>>()?;
    let (truths, sizes) = match given.split_first() {
        None => (200, SIZES.as_slice()),
        Some((&truths, [])) => (truths, SIZES.as_slice()),
        Some((&truths, sizes)) => (truths, sizes),
    };
    println!("| items | pairs | 2n | 5n | 10n |\n|---|---|---|---|---|");
    for &items in sizes {
        for strategy in [None, Some("random")] {
            let played: Vec<[f64; 3]> =
                (0..truths as u64).into_par_iter().map(|truth| play(items, strategy, truth)).collect::<Result<_>>()?;
            let cell = |mark: usize| {
                let taus: Vec<f64> = played.iter().map(|taus| taus[mark]).collect();
                let Mean { value, error, .. } = Mean::of(&taus);
                format!("{value:.3} ± {error:.3}")
            };
            println!("| {items} | {} | {} | {} | {} |", strategy.unwrap_or("own"), cell(0), cell(1), cell(2));
        }
    }
    Ok(())
}

fn number(word: &str) -> Result<usize> {
    let wrong =
        |_| Error::Data { what: "plain", found: word.into(), expected: "a number of truths, or of items".into() };
    word.parse().map_err(wrong)
}

/// Kendall's tau at the marks of one session.
fn play(items: usize, strategy: Option<&str>, truth: u64) -> Result<[f64; 3]> {
    let mut stream = Seed(78).stream(truth);
    let utilities: Vec<f64> = (0..items).map(|_| stream.sample(StandardNormal)).collect();
    let judge = Judge { noise: noise(), tie_width: 0.0 };
    let model = fresh::project("items.csv", &fresh::plain_table(items), &[])?;
    let strategy = strategy.map(str::to_owned);
    let options =
        AskOptions::default().with_goal(Some(Goal::WholeOrder)).with_strategy(strategy).with_seed(Some(truth));
    let mut session = model.session(&options, None, &Watch::NONE)?;
    let mut taus = [f64::NAN; 3];
    for (tau, mark) in taus.iter_mut().zip(MARKS) {
        while session.answers().len() < mark * items {
            let Some(question) = session.ask()? else { break };
            session.tell(judge.compare(&utilities, question.first, question.second, &mut stream)?)?;
        }
        *tau = kendall_tau_a(session.belief().mean(), &utilities)?;
    }
    Ok(taus)
}
