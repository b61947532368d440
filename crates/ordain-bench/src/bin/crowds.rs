//! Simulated crowds: 60 judges with a noise of a quarter to four times the common one, a third of whom favour a side by half a deviation of
//! utilities, and a tenth of whom answer blindly; 60 items without attributes, random pairs on random sides.
//!
//! `cargo xtask bench-crowds [WORLDS]` prepares a Python that has `crowd-kit` and runs `crowds WORLDS PYTHON`. After 100 answers per judge: how
//! well noise and bias are known; after 50: how many careless judges are found where one careful judge in a hundred is taken for one; Kendall's
//! tau of the consensus beside one shared noise, the majority of pairs and NoisyBradleyTerry; and what an answer costs with a hundred judges.
//! Prints tables in Markdown. With a Python they are recorded; without one, NoisyBradleyTerry is left out.

#![allow(clippy::print_stdout)] // It prints tables.

#[allow(dead_code)]
#[path = "peers/shared.rs"]
mod shared;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ordain::active::{Session, SessionParams, Strategy};
use ordain::data::{Answer, AnswerLog, Entry, ItemId, Items, Outcome};
use ordain::gp::{AnswerModel, Estimate, JudgeSummary};
use ordain::kernel::{KernelSpec, Shape};
use ordain::measure::{Mean, kendall_tau_a};
use ordain::numeric::{Seed, Stream};
use ordain::{Error, Inference, Model, Result, Watch};
use ordain_bench::Problem;
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

const ITEMS: usize = 60;
const JUDGES: usize = 60;

/// The noise in the middle, beside a deviation of 1 of the utilities: a judge like that is right about nine random pairs in ten.
const NOISE: f64 = 0.3;

/// How much the noise of judges differs at most, to either side.
const FACTOR: f64 = 4.0;

const BIAS: f64 = 0.5;

/// Answers per judge at which careless ones are looked for, and at which all else is.
const MARKS: [usize; 2] = [50, 100];

#[derive(Debug, Clone, Copy)]
struct Nature {
    sigma: f64,
    bias: f64,
    is_careless: bool,
}

/// What was found in one world.
struct Found {
    natures: Vec<Nature>,
    /// After 50 answers per judge, and after 100.
    judges: [Vec<JudgeSummary>; 2],
    /// Kendall's tau: judges told apart, one noise for all, majority, NoisyBradleyTerry.
    taus: [Option<f64>; 4],
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let worlds = match words.next() {
        None => 20,
        Some(word) => word.parse().map_err(|_| wrong(&word))?,
    };
    let python = words.next();
    // Before the worlds, which keep all threads busy.
    let costs = report_costs()?;
    let found: Vec<Found> =
        (0..worlds).into_par_iter().map(|world| play(world, python.as_deref())).collect::<Result<_>>()?;
    let tables = [report_noise(&found), report_careless(&found), report_consensus(&found), costs].join("\n");
    if python.is_none() {
        println!("{tables}");
        return Ok(());
    }
    let text = format!(
        "{worlds} worlds of {JUDGES} judges and {ITEMS} items, as [`src/bin/crowds.rs`](../src/bin/crowds.rs) describes them.\n\n{tables}\n\
         Command: `cargo xtask bench-crowds {worlds}`. {}.\n",
        shared::machine()?
    );
    shared::record("crowds", "Simulated crowds", &text)
}

fn wrong(word: &str) -> Error {
    Error::Data { what: "crowds", found: word.into(), expected: "a number of worlds, then a Python".into() }
}

fn play(world: u64, python: Option<&str>) -> Result<Found> {
    let mut stream = Seed(61).stream(world);
    let utilities: Vec<f64> = (0..ITEMS).map(|_| stream.sample(StandardNormal)).collect();
    let natures: Vec<Nature> = (0..JUDGES).map(|number| nature(number, &mut stream)).collect();
    let mut answers = Vec::new();
    let mut judges = [Vec::new(), Vec::new()];
    for (mark, judges) in MARKS.iter().zip(&mut judges) {
        while answers.len() < mark * JUDGES {
            answers.push(answer(&utilities, &natures, answers.len() % JUDGES, &mut stream)?);
        }
        *judges = model(&answers, true)?.fit(Inference::Ep, &Watch::NONE)?.judges(&Watch::NONE)?;
    }
    let tau = |scores: &[f64]| kendall_tau_a(scores, &utilities);
    let consensus = |answers: &[Answer], sides: bool| -> Result<f64> {
        tau(model(answers, sides)?.fit(Inference::Ep, &Watch::NONE)?.belief().mean())
    };
    let nameless: Vec<Answer> = answers.iter().map(|one| one.clone().by("")).collect();
    let noisy = python.map(|python| noisy_bradley_terry(python, &answers)).transpose()?;
    let taus = [
        Some(consensus(&answers, true)?),
        Some(consensus(&nameless, false)?),
        Some(tau(&majority(&answers))?),
        noisy.map(|scores| tau(&scores)).transpose()?,
    ];
    Ok(Found { natures, judges, taus })
}

/// Noise is even on a logarithmic scale.
fn nature(number: usize, stream: &mut Stream) -> Nature {
    let sigma = NOISE * FACTOR.powf(stream.random_range(-1.0..1.0));
    let bias = match number % 6 {
        0 => BIAS,
        1 => -BIAS,
        _ => 0.0,
    };
    Nature { sigma, bias, is_careless: number % 10 == 9 }
}

fn answer(utilities: &[f64], natures: &[Nature], judge: usize, stream: &mut Stream) -> Result<Answer> {
    let first = stream.random_range(0..ITEMS);
    let second = (first + stream.random_range(1..ITEMS)) % ITEMS;
    let Nature { sigma, bias, is_careless } = natures[judge];
    let noise: f64 = stream.sample(StandardNormal);
    let seen = utilities[first] - utilities[second] + bias + std::f64::consts::SQRT_2 * sigma * noise;
    let says_first = if is_careless { stream.random_bool(0.5) } else { seen > 0.0 };
    let outcome = if says_first { Outcome::First } else { Outcome::Second };
    Ok(Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome)?.by(name(judge)))
}

fn name(judge: usize) -> String {
    format!("judge{judge:02}")
}

fn model(answers: &[Answer], sides: bool) -> Result<Model> {
    let items = Items::from_ids((0..ITEMS).map(|item| item.to_string()))?;
    let log = AnswerLog::new(answers.iter().cloned().map(Entry::Answer).collect())?;
    let answer_model = AnswerModel::learning(0.0)?.with_sides(sides);
    Model::new(items, vec![KernelSpec::new(1.0, Shape::Independent)])?.with_answer_model(answer_model).with_answers(log)
}

/// For every item, of the other items with which it was compared, the share that it beats in the majority of the answers; a half for as
/// many on either side.
fn majority(answers: &[Answer]) -> Vec<f64> {
    let mut lead = vec![[0_i32; 2]; ITEMS * ITEMS];
    for answer in answers {
        let (first, second) = (answer.first.index(), answer.second.map_or(0, ItemId::index));
        let sign = if answer.outcome == Outcome::First { 1 } else { -1 };
        for (one, other, sign) in [(first, second, sign), (second, first, -sign)] {
            lead[one * ITEMS + other][0] += sign;
            lead[one * ITEMS + other][1] += 1;
        }
    }
    let share = |row: &[[i32; 2]]| {
        let met: Vec<f64> =
            row.iter().filter(|[_, count]| *count > 0).map(|[lead, _]| 0.5 + 0.5 * f64::from(lead.signum())).collect();
        met.iter().sum::<f64>() / met.len().max(1) as f64
    };
    lead.chunks(ITEMS).map(share).collect()
}

/// The scores of crowd-kit's NoisyBradleyTerry.
fn noisy_bradley_terry(python: &str, answers: &[Answer]) -> Result<Vec<f64>> {
    const SCRIPT: &str = "import sys, pandas\n\
        from crowdkit.aggregation import NoisyBradleyTerry\n\
        table = pandas.read_csv(sys.stdin, dtype=str)\n\
        scores = NoisyBradleyTerry(n_iter=100, random_state=0).fit_predict(table)\n\
        print('\\n'.join(f'{item},{score}' for item, score in scores.items()))\n";
    let failed =
        |found: String| Error::Data { what: "NoisyBradleyTerry", found, expected: "a Python with crowd-kit".into() };
    let mut table = String::from("worker,left,right,label\n");
    for answer in answers {
        let (left, right) = (answer.first.index(), answer.second.map_or(0, ItemId::index));
        let label = if answer.outcome == Outcome::First { left } else { right };
        table += &format!("{},{left},{right},{label}\n", answer.judge.as_deref().unwrap_or_default());
    }
    let file = std::env::temp_dir().join(format!(
        "crowd-{}-{}.csv",
        std::process::id(),
        rayon::current_thread_index().unwrap_or(0)
    ));
    let run = |path: &Path| -> std::io::Result<std::process::Output> {
        std::fs::write(path, &table)?;
        Command::new(python).args(["-c", SCRIPT]).stdin(std::fs::File::open(path)?).output()
    };
    let output = run(&file);
    let _ = std::fs::remove_file(&file);
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let mut scores = vec![0.0; ITEMS];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let parsed = line
            .split_once(',')
            .and_then(|(item, score)| Some((item.parse::<usize>().ok()?, score.parse::<f64>().ok()?)));
        let (item, score) = parsed.ok_or_else(|| failed(line.to_owned()))?;
        *scores.get_mut(item).ok_or_else(|| failed(line.to_owned()))? = score;
    }
    Ok(scores)
}

fn report_noise(found: &[Found]) -> String {
    let careful: Vec<(&Nature, &JudgeSummary)> = found
        .iter()
        .flat_map(|world| world.natures.iter().zip(&world.judges[1]))
        .filter(|(nature, _)| !nature.is_careless)
        .collect();
    let holds = |one: &Estimate, truth: f64| (one.low..=one.high).contains(&truth);
    let noise = careful.iter().filter(|(nature, one)| holds(&one.noise, nature.sigma)).count();
    let bias = careful.iter().filter(|(nature, one)| one.bias.is_some_and(|bias| holds(&bias, nature.bias))).count();
    let each: Vec<f64> = found
        .iter()
        .map(|world| {
            let pairs = world.natures.iter().zip(&world.judges[1]).filter(|(nature, _)| !nature.is_careless);
            let (truth, known): (Vec<f64>, Vec<f64>) =
                pairs.map(|(nature, one)| (nature.sigma.ln(), one.noise.value.ln())).unzip();
            correlation(&truth, &known)
        })
        .collect();
    let Mean { value, error, .. } = Mean::of(&each);
    let share = |count: usize| {
        let share = count as f64 / careful.len() as f64;
        format!("{:.1} % ± {:.1}", 100.0 * share, 100.0 * (share * (1.0 - share) / careful.len() as f64).sqrt())
    };
    format!(
        "| after {} answers per judge | |\n|---|---|\n\
         | correlation of the logarithm of noise with the truth | {value:.3} ± {error:.3} |\n\
         | 90 % intervals of noise that hold the truth | {} |\n\
         | 90 % intervals of bias that hold the truth | {} |\n",
        MARKS[1],
        share(noise),
        share(bias)
    )
}

fn correlation(left: &[f64], right: &[f64]) -> f64 {
    let count = left.len() as f64;
    let (one, other) = (left.iter().sum::<f64>() / count, right.iter().sum::<f64>() / count);
    let product = |a: &[f64], b: &[f64], x: f64, y: f64| a.iter().zip(b).map(|(p, q)| (p - x) * (q - y)).sum::<f64>();
    product(left, right, one, other) / (product(left, left, one, one) * product(right, right, other, other)).sqrt()
}

fn report_careless(found: &[Found]) -> String {
    let mut out = String::from(
        "| after | careless judges with more than one half | careful ones | careless ones found at 1 % false alarms | threshold |\n|---|---|---|---|---|\n",
    );
    for (mark, answers) in MARKS.iter().enumerate() {
        let all = found.iter().flat_map(|world| world.natures.iter().zip(&world.judges[mark]));
        let (careless, careful): (Vec<_>, Vec<_>) = all.partition(|(nature, _)| nature.is_careless);
        let probabilities =
            |judges: &[(&Nature, &JudgeSummary)]| judges.iter().map(|(_, one)| one.careless).collect::<Vec<f64>>();
        let (careless, mut careful) = (probabilities(&careless), probabilities(&careful));
        careful.sort_by(|one, other| other.total_cmp(one));
        // So many careful judges may be above it.
        let threshold = careful.get(careful.len() / 100).copied().unwrap_or(0.0);
        let share = |all: &[f64], least: f64| {
            100.0 * all.iter().filter(|&&one| one > least).count() as f64 / all.len().max(1) as f64
        };
        let (right, false_alarms) = (share(&careless, 0.5), share(&careful, 0.5));
        let at_threshold = share(&careless, threshold);
        let _ = writeln!(
            out,
            "| {answers} answers | {right:.1} % | {false_alarms:.1} % | {at_threshold:.1} % | {threshold:.3} |"
        );
    }
    out
}

fn report_consensus(found: &[Found]) -> String {
    let mut out = format!(
        "| consensus after {} answers per judge | Kendall's tau | less than judges told apart |\n|---|---|---|\n",
        MARKS[1]
    );
    for (at, name) in
        ["judges told apart", "one noise for all", "majority of pairs", "NoisyBradleyTerry"].iter().enumerate()
    {
        let taus: Vec<f64> = found.iter().filter_map(|world| world.taus[at]).collect();
        if taus.is_empty() {
            continue;
        }
        let less: Vec<f64> = found.iter().filter_map(|world| Some(world.taus[0]? - world.taus[at]?)).collect();
        let [tau, less] =
            [Mean::of(&taus), Mean::of(&less)].map(|Mean { value, error, .. }| format!("{value:.4} ± {error:.4}"));
        let _ = writeln!(out, "| {name} | {tau} | {less} |");
    }
    out
}

/// What one answer takes, in a session that knows a hundred judges and the side that each favours, beside one that knows of none. Both are
/// told the same answers in turn, and the middle of the times is that of a plain step.
fn report_costs() -> Result<String> {
    const JUDGES: usize = 100;
    const BEFORE: usize = 600;
    const TIMED: usize = 300;
    let mut out = String::from(
        "| items | an answer without judges, µs | with 100 judges, µs | times as long | with their sides, µs | times as long |\n\
         |---|---|---|---|---|---|\n",
    );
    for items in [100, 1000, 3000] {
        let problem = Problem::new(items, BEFORE + TIMED);
        let said = |at: usize, judge: &dyn Fn(usize) -> String| {
            let [winner, loser] = problem.pairs[at].map(ItemId);
            let (first, second, outcome) =
                if at.is_multiple_of(2) { (winner, loser, Outcome::First) } else { (loser, winner, Outcome::Second) };
            Ok::<Answer, Error>(Answer::new(first, Some(second), outcome)?.by(judge(at)))
        };
        let nobody = |_: usize| String::new();
        let each = |at: usize| name(at % JUDGES);
        let start = |sides: bool, judge: &dyn Fn(usize) -> String| {
            let before: Vec<Entry> =
                (0..BEFORE).map(|at| Ok(Entry::Answer(said(at, judge)?))).collect::<Result<_>>()?;
            let params = SessionParams::new(Strategy::Random).with_repeat(true);
            let model = AnswerModel::learning(0.0)?.with_sides(sides);
            let mut session = Session::new(problem.kernel(), None, model, params)?;
            session.resume(&AnswerLog::new(before)?)?;
            Ok::<Session, Error>(session)
        };
        let mut sessions = [start(false, &nobody)?, start(false, &each)?, start(true, &each)?];
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for at in BEFORE..BEFORE + TIMED {
            for (number, (session, times)) in sessions.iter_mut().zip(&mut times).enumerate() {
                let answer = if number == 0 { said(at, &nobody)? } else { said(at, &each)? };
                let started = Instant::now();
                session.tell(answer)?;
                times.push(1e6 * started.elapsed().as_secs_f64());
            }
        }
        let [plain, judges, sides] = times.map(|times| shared::median(&times));
        let _ = writeln!(
            out,
            "| {items} | {plain:.0} | {judges:.0} | {:.2} | {sides:.0} | {:.2} |",
            judges / plain,
            sides / plain
        );
    }
    Ok(out)
}
