//! Best of four beside pairs, for the four goals: how good the ranking is after as many questions, and after as many items that were read.
//!
//! `cargo run --release -p ordain-bench --bin choices -- [WORLDS]`. Thirty items with independent utilities of variance 1, and a judge who
//! sees each with noise 0.5, drawn once per item and screen. The belief knows this noise. A third row tells each screen as three independent
//! pairs. Prints tables in Markdown.

#![allow(clippy::print_stdout)] // It prints tables.

use ordain::active::{AskOptions, QualityMeasure, Truth};
use ordain::data::{Answer, Attributes, Goal, ItemId, Items, Outcome};
use ordain::gp::AnswerModel;
use ordain::kernel::{KernelSpec, Shape};
use ordain::measure::Mean;
use ordain::numeric::{Seed, Stream};
use ordain::{Error, Model, Result, Watch};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

const ITEMS: usize = 30;

const NOISE: f64 = 0.5;

/// Questions after which the ranking is measured.
const MARKS: [usize; 4] = [15, 30, 60, 120];

/// How a judge is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Pairs,
    BestOfFour,
    /// Best of four, told as three pairs.
    AsPairs,
}

impl Way {
    const ALL: [Self; 3] = [Self::Pairs, Self::BestOfFour, Self::AsPairs];

    fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::BestOfFour => "best of 4",
            Self::AsPairs => "best of 4, told as pairs",
        }
    }
}

/// A session at its marks: the goal's measure, and the squared error of the differences from the mean, in units of their variance: 1 if
/// the belief is as sure as it may be.
type Marks = [[f64; 2]; MARKS.len()];

fn main() -> Result<()> {
    let worlds = match std::env::args().nth(1) {
        None => 400,
        Some(word) => word.parse().map_err(|_| Error::Data {
            what: "choices",
            found: word.clone(),
            expected: "a number of worlds".into(),
        })?,
    };
    for goal in [Goal::Best, Goal::Top { k: 5 }, Goal::WholeOrder, Goal::TopHeavy] {
        println!("\n{goal}, {}\n", QualityMeasure::for_goal(goal).name());
        println!(
            "| asked | {} |\n|---|{}",
            MARKS.map(|mark| format!("{mark} questions")).join(" | "),
            "---|".repeat(MARKS.len())
        );
        for way in Way::ALL {
            let played: Vec<Marks> =
                (0..worlds).into_par_iter().map(|world| play(goal, way, world)).collect::<Result<_>>()?;
            let cell = |mark: usize| {
                let of = |what: usize| played.iter().map(|marks| marks[mark][what]).collect::<Vec<_>>();
                let Mean { value, error, .. } = Mean::of(&of(0));
                format!("{value:.3} ± {error:.3} ({:.2})", Mean::of(&of(1)).value)
            };
            println!("| {} | {} |", way.name(), [0, 1, 2, 3].map(cell).join(" | "));
        }
    }
    Ok(())
}

fn play(goal: Goal, way: Way, world: u64) -> Result<Marks> {
    let mut stream = Seed(91).stream(world);
    let utilities: Vec<f64> = (0..ITEMS).map(|_| stream.sample(StandardNormal)).collect();
    let truth = Truth::from_utilities(utilities.clone(), None)?;
    let items = Items::new((0..ITEMS).map(|item| format!("i{item}")).collect(), None, Attributes::none(ITEMS))?;
    let model = Model::new(items, vec![KernelSpec::new(1.0, Shape::Independent)])?;
    let options = AskOptions::default().with_goal(Some(goal)).with_seed(Some(world));
    let mut session = model.with_answer_model(AnswerModel::new(NOISE, 0.0)?).session(&options, None, &Watch::NONE)?;
    let mut out = [[f64::NAN; 2]; MARKS.len()];
    let mut asked = 0;
    for (mark, out) in MARKS.into_iter().zip(&mut out) {
        while asked < mark {
            let shown = match way {
                Way::Pairs => session.ask()?.map(|question| vec![question.first, question.second]),
                _ => session.ask_screens(4, 1)?.pop().map(|screen| screen.items),
            };
            let Some(shown) = shown else { break };
            let best = chosen(&shown, &utilities, &mut stream);
            match way {
                Way::AsPairs => {
                    for &other in shown.iter().filter(|&&other| other != best) {
                        session.tell(Answer::new(best, Some(other), Outcome::First)?)?;
                    }
                }
                _ => session.tell(Answer::best(&shown, best)?)?,
            }
            asked += 1;
        }
        let belief = session.belief();
        let all: Vec<ItemId> = (0..ITEMS).map(ItemId::new).collect();
        let variances = belief.centred_variances(&all)?;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / ITEMS as f64;
        let (level, true_level) = (mean(belief.mean()), mean(&utilities));
        let off =
            |item: usize| ((belief.mean()[item] - level) - (utilities[item] - true_level)).powi(2) / variances[item];
        let quality = truth.measure(belief.mean(), None)?;
        *out = [QualityMeasure::for_goal(goal).of(&quality), (0..ITEMS).map(off).sum::<f64>() / ITEMS as f64];
    }
    Ok(out)
}

/// The item that seems best, each with noise of its own.
fn chosen(shown: &[ItemId], utilities: &[f64], stream: &mut Stream) -> ItemId {
    let mut seen: Vec<(f64, ItemId)> = Vec::new();
    // The noise must not depend on the order of the items.
    let mut order = shown.to_vec();
    order.sort_unstable();
    for item in order {
        seen.push((utilities[item.index()] + NOISE * stream.sample::<f64, _>(StandardNormal), item));
    }
    seen.sort_by(|one, other| other.0.total_cmp(&one.0));
    seen[0].1
}
