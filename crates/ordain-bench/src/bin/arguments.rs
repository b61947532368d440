//! Judges told apart on real judgements: which of two arguments convinces more, by 3,815 workers (UKPConvArg1).
//!
//! `cargo run --release -p ordain-bench --bin arguments -- DATA [TOPICS]`, where DATA is the folder of public data, for the first so many of 32
//! topics by name. Judges told apart beside one noise for all and the majority: log loss of held-out judgements, the consensus beside the
//! authors' order, and whether the noise that one half of the judgements gives a worker tells how often he is wrong in the other half.
//! Prints tables in Markdown.

#![allow(clippy::print_stdout)] // It prints tables.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use ordain::data::{Answer, AnswerLog, Entry, ItemId, Items, Outcome};
use ordain::gp::AnswerModel;
use ordain::kernel::{KernelSpec, Shape};
use ordain::measure::{Mean, kendall_tau_a, spearman_rho};
use ordain::numeric::Seed;
use ordain::{Error, Fitted, Inference, Model, Result, Watch};
use rand::RngExt;

/// One judgement in so many is held out.
const HELD_OUT: usize = 5;

/// The first width of ties, in deviations of utilities: one judgement in ten is a tie.
const WIDTH: f64 = 0.18;

/// Judgements that a worker must have in either half.
const LEAST: usize = 10;

/// What people said of pairs of arguments.
struct Judgements {
    /// Topic and name of every argument, and its place by the authors, the smaller the better.
    items: Vec<(String, String, f64)>,
    answers: Vec<Answer>,
    /// The authors' label of the pair of every answer: the better one, if there is one.
    gold: Vec<Option<Outcome>>,
}

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let data = words.next().ok_or_else(|| wrong("no folder", "the folder of public data"))?;
    let topics =
        words.next().map_or(Ok(usize::MAX), |word| word.parse().map_err(|_| wrong(&word, "a number of topics")))?;
    let said = read(&Path::new(&data).join("pairwise/ukpconvarg1"), topics)?;
    let workers: std::collections::BTreeSet<_> = said.answers.iter().filter_map(|one| one.judge.as_deref()).collect();
    println!("{} judgements by {} workers about {} arguments.\n", said.answers.len(), workers.len(), said.items.len());
    held_out(&said)?;
    consensus(&said)?;
    halves(&said)
}

fn wrong(found: &str, expected: &str) -> Error {
    Error::Data { what: "arguments", found: found.into(), expected: expected.into() }
}

fn table(path: &Path) -> Result<Vec<BTreeMap<String, String>>> {
    let failed = |error: std::io::Error| wrong(&error.to_string(), &path.display().to_string());
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).map_err(failed)?).read_to_string(&mut text).map_err(failed)?;
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned));
    let names: Vec<String> = lines.next().into_iter().flatten().collect();
    Ok(lines.map(|cells| names.iter().cloned().zip(cells).collect()).collect())
}

fn read(folder: &Path, topics: usize) -> Result<Judgements> {
    let cell = |row: &BTreeMap<String, String>, name: &str| row.get(name).cloned().unwrap_or_default();
    let arguments = table(&folder.join("arguments.tsv.gz"))?;
    let mut names: Vec<String> = arguments.iter().map(|row| cell(row, "topic")).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(topics);
    let mut items: Vec<(String, String, f64)> = arguments
        .iter()
        .map(|row| (cell(row, "topic"), cell(row, "arg"), cell(row, "rank_score").parse().unwrap_or(f64::NAN)))
        .filter(|(topic, ..)| names.binary_search(topic).is_ok())
        .collect();
    items.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
    let place = |topic: &str, name: &str| {
        items.binary_search_by(|one| (one.0.as_str(), one.1.as_str()).cmp(&(topic, name))).ok()
    };
    let mut pairs = BTreeMap::new();
    for row in table(&folder.join("pairs.tsv.gz"))? {
        let topic = cell(&row, "topic");
        if let (Some(first), Some(second)) = (place(&topic, &cell(&row, "arg1")), place(&topic, &cell(&row, "arg2"))) {
            pairs.insert(cell(&row, "pair"), (first, second, outcome(&cell(&row, "gold"))));
        }
    }
    let (mut answers, mut gold) = (Vec::new(), Vec::new());
    for row in table(&folder.join("annotations.tsv.gz"))? {
        let Some(&(first, second, label)) = pairs.get(&cell(&row, "pair")) else { continue };
        let Some(said) = outcome(&cell(&row, "value")) else { continue };
        let answer = Answer::new(ItemId::new(first), Some(ItemId::new(second)), said)?;
        answers.push(answer.by(cell(&row, "worker")));
        gold.push(label.filter(|label| *label != Outcome::Tie));
    }
    Ok(Judgements { items, answers, gold })
}

fn outcome(word: &str) -> Option<Outcome> {
    match word {
        "a1" => Some(Outcome::First),
        "a2" => Some(Outcome::Second),
        "equal" => Some(Outcome::Tie),
        _ => None,
    }
}

fn fit<'a>(said: &Judgements, answers: impl Iterator<Item = &'a Answer>, told_apart: bool) -> Result<Fitted> {
    let ids = said.items.iter().map(|(topic, name, _)| format!("{topic}/{name}"));
    let named = |answer: &Answer| if told_apart { answer.clone() } else { answer.clone().by("") };
    let log = AnswerLog::new(answers.map(|one| Entry::Answer(named(one))).collect())?;
    let model = Model::new(Items::from_ids(ids)?, vec![KernelSpec::new(1.0, Shape::Independent)])?;
    model.with_answer_model(AnswerModel::learning(WIDTH)?).with_answers(log)?.fit(Inference::Ep, &Watch::NONE)
}

/// The log loss of judgements that nothing was learned from, with standard errors over workers.
fn held_out(said: &Judgements) -> Result<()> {
    let mut stream = Seed(71).stream(0);
    let out: Vec<bool> = said.answers.iter().map(|_| stream.random_range(0..HELD_OUT) == 0).collect();
    let kept = || said.answers.iter().zip(&out).filter(|(_, out)| !**out).map(|(answer, _)| answer);
    let told_apart = fit(said, kept(), true)?;
    let one_noise = fit(said, kept(), false)?;
    let majority = Majority::of(kept());
    let mut losses: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    for answer in said.answers.iter().zip(&out).filter(|(_, out)| **out).map(|(answer, _)| answer) {
        let loss = |fitted: &Fitted| Ok::<f64, Error>(-fitted.log_probability(answer)?.unwrap_or_default());
        let own = [loss(&told_apart)?, loss(&one_noise)?, -majority.probability(answer).ln()];
        losses.entry(answer.judge.as_deref().unwrap_or_default()).or_default().push(own);
    }
    println!("| held-out judgements | log loss | more than judges told apart |\n|---|---|---|");
    for (at, name) in ["judges told apart", "one noise for all", "majority"].iter().enumerate() {
        let (loss, _) = clustered(&losses, |own| own[at]);
        let (more, error) = clustered(&losses, |own| own[at] - own[0]);
        println!("| {name} | {loss:.4} | {more:.4} ± {error:.4} |");
    }
    println!();
    Ok(())
}

/// The mean over all judgements, and its standard error where those of one worker go together.
fn clustered(losses: &BTreeMap<&str, Vec<[f64; 3]>>, of: impl Fn(&[f64; 3]) -> f64) -> (f64, f64) {
    let count: usize = losses.values().map(Vec::len).sum();
    let mean = losses.values().flatten().map(&of).sum::<f64>() / count as f64;
    let off = |own: &Vec<[f64; 3]>| own.iter().map(|one| of(one) - mean).sum::<f64>().powi(2);
    (mean, losses.values().map(off).sum::<f64>().sqrt() / count as f64)
}

/// How often each verdict was given of a pair, with one more of each.
struct Majority(BTreeMap<(ItemId, ItemId), [f64; 3]>);

impl Majority {
    fn of<'a>(answers: impl Iterator<Item = &'a Answer>) -> Self {
        let mut counts: BTreeMap<(ItemId, ItemId), [f64; 3]> = BTreeMap::new();
        for answer in answers {
            let (pair, verdict) = placed(answer);
            counts.entry(pair).or_insert([1.0; 3])[verdict] += 1.0;
        }
        Self(counts)
    }

    fn probability(&self, answer: &Answer) -> f64 {
        let (pair, verdict) = placed(answer);
        let counts = self.0.get(&pair).copied().unwrap_or([1.0; 3]);
        counts[verdict] / counts.iter().sum::<f64>()
    }

    /// For every item the share of the items met that it beats by more votes.
    fn scores(&self, items: usize) -> Vec<f64> {
        let (mut won, mut met) = (vec![0.0; items], vec![0.0; items]);
        for ((first, second), [one, tie, other]) in &self.0 {
            let share = if one > other && one > tie {
                1.0
            } else if other > one && other > tie {
                0.0
            } else {
                0.5
            };
            for (item, share) in [(first, share), (second, 1.0 - share)] {
                won[item.index()] += share;
                met[item.index()] += 1.0;
            }
        }
        won.into_iter().zip(met).map(|(won, met): (f64, f64)| won / met.max(1.0)).collect()
    }
}

/// The pair with the smaller item first, and the verdict: for the first, neither, for the second.
fn placed(answer: &Answer) -> ((ItemId, ItemId), usize) {
    let second = answer.second.unwrap_or(answer.first);
    let verdict = match answer.outcome {
        Outcome::First => 0,
        Outcome::Second => 2,
        _ => 1,
    };
    if answer.first < second { ((answer.first, second), verdict) } else { ((second, answer.first), 2 - verdict) }
}

/// Kendall's tau of the consensus with the authors' order, over topics.
fn consensus(said: &Judgements) -> Result<()> {
    let told_apart = fit(said, said.answers.iter(), true)?.belief().mean().to_vec();
    let one_noise = fit(said, said.answers.iter(), false)?.belief().mean().to_vec();
    let majority = Majority::of(said.answers.iter()).scores(said.items.len());
    let by_topic = |scores: &[f64]| -> Result<Vec<f64>> {
        let same = |one: &(String, String, f64), other: &(String, String, f64)| one.0 == other.0;
        let mut from = 0;
        let topics = said.items.chunk_by(same).map(|topic| {
            let own = &scores[from..from + topic.len()];
            from += topic.len();
            let (own, truth): (Vec<f64>, Vec<f64>) = own
                .iter()
                .zip(topic)
                .filter(|(_, item)| item.2.is_finite())
                .map(|(score, item)| (*score, -item.2))
                .unzip();
            kendall_tau_a(&own, &truth)
        });
        topics.collect()
    };
    println!(
        "| consensus beside the authors' order | Kendall's tau over topics | less than judges told apart |\n|---|---|---|"
    );
    let first = by_topic(&told_apart)?;
    for (name, scores) in
        [("judges told apart", &told_apart), ("one noise for all", &one_noise), ("majority", &majority)]
    {
        let taus = by_topic(scores)?;
        let less: Vec<f64> = first.iter().zip(&taus).map(|(first, tau)| first - tau).collect();
        let [tau, less] =
            [Mean::of(&taus), Mean::of(&less)].map(|Mean { value, error, .. }| format!("{value:.4} ± {error:.4}"));
        println!("| {name} | {tau} | {less} |");
    }
    println!();
    Ok(())
}

/// Whether the noise of a worker in one half of the judgements tells the share of his judgements in the other half that prefer the worse
/// argument by the authors' label. A judgement that two are equal is no such error.
fn halves(said: &Judgements) -> Result<()> {
    let mut stream = Seed(72).stream(0);
    let half: Vec<bool> = said.answers.iter().map(|_| stream.random::<bool>()).collect();
    let fitted = fit(said, said.answers.iter().zip(&half).filter(|(_, half)| **half).map(|(answer, _)| answer), true)?;
    let mut errors: BTreeMap<&str, [[f64; 2]; 2]> = BTreeMap::new();
    for ((answer, gold), half) in said.answers.iter().zip(&said.gold).zip(&half) {
        if let Some(gold) = gold.filter(|_| answer.outcome != Outcome::Tie) {
            let own = errors.entry(answer.judge.as_deref().unwrap_or_default()).or_default();
            own[usize::from(*half)][0] += f64::from(u8::from(answer.outcome != gold));
            own[usize::from(*half)][1] += 1.0;
        }
    }
    let mut rows: Vec<[f64; 4]> = Vec::new();
    for judge in fitted.judges(&Watch::NONE)? {
        let Some([[wrong, count], [known, learned]]) = judge.name.as_deref().and_then(|name| errors.get(name)) else {
            continue;
        };
        if *count >= LEAST as f64 && *learned >= LEAST as f64 {
            rows.push([judge.noise.value.ln(), known / learned, wrong / count, *count]);
        }
    }
    rows.sort_by(|one, other| one[0].total_cmp(&other[0]));
    let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<f64>>();
    let by_noise = spearman_rho(&column(0), &column(2))?;
    let by_errors = spearman_rho(&column(1), &column(2))?;
    println!("| {} workers with {LEAST} judgements or more in either half | |\n|---|---|", rows.len());
    println!("| rank correlation of the noise in one half with the errors in the other | {by_noise:.3} |");
    println!("| of the errors beside the authors' label in one half with those in the other | {by_errors:.3} |");
    for (name, part) in
        [("most careful", &rows[..rows.len() / 4]), ("least careful", &rows[rows.len() - rows.len() / 4..])]
    {
        let (wrong, count) =
            part.iter().fold((0.0, 0.0), |(wrong, count), row| (wrong + row[2] * row[3], count + row[3]));
        println!("| errors of the quarter that seemed {name} | {:.1} % |", 100.0 * wrong / count);
    }
    Ok(())
}
