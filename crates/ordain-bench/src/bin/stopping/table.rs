//! Tables of what was played.

use serde::{Deserialize, Serialize};

/// Both ends of a forecast interval; none is later than all that was looked at.
pub type Ends = (Option<usize>, Option<usize>);

/// A session that was played.
#[derive(Serialize, Deserialize)]
pub struct Played {
    /// The names of its setting, judge, goal and strategy.
    pub kind: [String; 4],
    pub number: usize,
    pub answers: usize,
    pub stopped: bool,
    pub right: bool,
    /// The probability that it is right; none if that was not counted.
    pub stated: Option<f64>,
    /// The forecasts on the way, each with the number of answers that were needed; none where nothing could be told.
    pub foreseen: Vec<Option<(Ends, usize)>>,
}

/// Prints all tables.
pub fn print(played: &[Played]) {
    println!(
        "| setting | judge | goal | strategy | stopped | least | median | most | right | stated | standard error |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    each(played, |one| one.kind.clone(), |kind, own| println!("| {} | {} |", kind.join(" | "), cell(own)));
    println!("\n| goal | judge | strategy | stopped | right |\n|---|---|---|---|---|");
    let key = |one: &Played| [2, 1, 3].map(|place| one.kind[place].clone());
    each(played, key, |kind, own| {
        let stopped = own.iter().filter(|one| one.stopped).count();
        println!("| {} | {stopped} of {} | {} |", kind.join(" | "), own.len(), share(share_right(own)));
    });
    if played.iter().all(|one| one.foreseen.is_empty()) {
        return;
    }
    println!("\n| goal | at | forecasts | cannot tell | sooner | inside | later |\n|---|---|---|---|---|---|---|");
    each(
        played,
        |one| one.kind[2].clone(),
        |goal, own| {
            for (place, at) in ["25 %", "50 %", "75 %"].iter().enumerate() {
                println!("| {goal} | {at} | {} |", foresight(own, place));
            }
        },
    );
}

/// A share as a cell; nothing stopped if it is not a number.
fn share(value: f64) -> String {
    if value.is_nan() { "-".into() } else { format!("{value:.3}") }
}

/// The share of sessions that were right when they stopped.
fn share_right(played: &[&Played]) -> f64 {
    let stopped = played.iter().filter(|one| one.stopped).count();
    played.iter().filter(|one| one.stopped && one.right).count() as f64 / stopped as f64
}

/// The columns of sessions of one kind.
fn cell(played: &[&Played]) -> String {
    let stopped: Vec<&&Played> = played.iter().filter(|one| one.stopped).collect();
    let mut answers: Vec<usize> = stopped.iter().map(|one| one.answers).collect();
    answers.sort_unstable();
    let count = stopped.len() as f64;
    let stated = stopped.iter().filter_map(|one| one.stated).sum::<f64>() / count;
    let error = (stated * (1.0 - stated) / count).sqrt();
    let number = |number: Option<&usize>| number.map_or("-".into(), |number| number.to_string());
    format!(
        "{} of {} | {} | {} | {} | {} | {} | {}",
        stopped.len(),
        played.len(),
        number(answers.first()),
        number(answers.get(answers.len() / 2)),
        number(answers.last()),
        share(share_right(played)),
        share(stated),
        share(error),
    )
}

/// The columns of forecasts at one of the places on the way.
fn foresight(played: &[&Played], place: usize) -> String {
    let made: Vec<Option<(Ends, usize)>> = played.iter().filter_map(|one| one.foreseen.get(place).copied()).collect();
    let told: Vec<(Ends, usize)> = made.iter().flatten().copied().collect();
    let late = |end: Option<usize>| end.unwrap_or(usize::MAX);
    let count = told.len() as f64;
    let sooner = told.iter().filter(|((low, _), needed)| *needed < late(*low)).count() as f64 / count;
    let later = told.iter().filter(|((_, high), needed)| *needed > late(*high)).count() as f64 / count;
    let unknown = (made.len() - told.len()) as f64 / made.len() as f64;
    let inside = 1.0 - sooner - later;
    format!("{} | {unknown:.2} | {sooner:.2} | {inside:.2} | {later:.2}", made.len())
}

/// Gathers sessions by a key, in the order in which keys appear.
fn each<K: PartialEq>(played: &[Played], key: impl Fn(&Played) -> K, show: impl Fn(K, &[&Played])) {
    let mut keys: Vec<K> = Vec::new();
    for own in played.iter().map(&key) {
        if !keys.contains(&own) {
            keys.push(own);
        }
    }
    for own in keys {
        let gathered: Vec<&Played> = played.iter().filter(|one| key(one) == own).collect();
        show(own, &gathered);
    }
}
