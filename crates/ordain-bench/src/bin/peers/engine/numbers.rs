//! The raw numbers of a run: what the report and the plot are made from.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Played;
use super::floor::Floor;

/// Everything that a run found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Numbers {
    pub date: String,
    pub machine: String,
    pub versions: BTreeMap<String, String>,
    pub floors: Vec<Floor>,
    pub rows: Vec<Row>,
}

/// What a contender took in a world; times are seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub contender: String,
    pub world: String,
    /// How many answers the times are over; 0 if the contender had to be stopped.
    pub answers: usize,
    /// After how many of them the clock was looked at.
    pub timed: usize,
    /// Whether that was only some of them: means are then by the trapezoid rule, and there are no quantiles.
    pub sampled: bool,
    /// From the items to the first question.
    pub first: f64,
    /// To learn an answer,
    pub tell: Times,
    /// to choose the next pair,
    pub ask: Times,
    /// and both.
    pub answer: Times,
    /// The largest resident memory, and what of it was there before the contender.
    pub peak_mb: f64,
    pub base_mb: f64,
    /// How many threads its libraries were given, where that was a choice.
    pub threads: Option<usize>,
    /// Whose answers it heard, if not its own,
    pub follows: Option<String>,
    /// how many of its questions were then not those that were asked,
    pub different: usize,
    /// and by which part the value of a question that was asked is below that of its own, at most.
    pub shortfall: f64,
}

/// Times over answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    pub mean: f64,
    pub median: f64,
    pub p95: f64,
}

impl Numbers {
    pub fn new(date: String, machine: String) -> Self {
        Self { date, machine, versions: BTreeMap::new(), floors: Vec::new(), rows: Vec::new() }
    }

    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = std::fs::read_to_string(path)?;
        Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        Ok(std::fs::write(path, serde_json::to_string_pretty(self)? + "\n")?)
    }

    /// What a contender took in a world, if it was not stopped.
    pub fn row(&self, contender: &str, world: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.contender == contender && row.world == world && row.answers > 0)
    }

    /// The mean time an answer takes a contender with so many items.
    pub fn mean(&self, contender: &str, items: usize) -> Option<f64> {
        self.row(contender, &items.to_string()).map(|row| row.answer.mean)
    }

    pub fn floor(&self, items: usize) -> Option<f64> {
        self.floors.iter().find(|floor| floor.items == items).map(|floor| floor.seconds)
    }
}

impl Row {
    pub fn new(contender: &str, world: &str) -> Self {
        Self { contender: contender.to_owned(), world: world.to_owned(), ..Self::default() }
    }

    /// Takes over what a process says.
    pub fn fill(&mut self, played: &Played) {
        let times = |values: &[f64]| Times::over(&played.counts, values);
        self.answers = played.counts.last().copied().unwrap_or(0);
        self.timed = played.counts.len();
        self.first = played.first;
        (self.tell, self.ask) = (times(&played.tell), times(&played.ask));
        self.answer = times(&played.both());
        (self.peak_mb, self.base_mb) = (played.peak_mb, played.base_mb);
        self.different = played.shortfalls.len();
        self.shortfall = played.shortfalls.iter().copied().fold(0.0, f64::max);
    }

    /// Its items, where they have attributes.
    pub fn items(&self) -> Option<usize> {
        self.world.parse().ok()
    }
}

impl Played {
    /// From an answer to the next question.
    fn both(&self) -> Vec<f64> {
        self.tell.iter().zip(&self.ask).map(|(tell, ask)| tell + ask).collect()
    }

    /// The mean of that.
    pub fn mean(&self) -> f64 {
        mean(&self.counts, &self.both())
    }
}

impl Times {
    /// Of times after these answers, by rising number.
    fn over(counts: &[usize], times: &[f64]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let at = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        Self { mean: mean(counts, times), median: quantile(0.5), p95: quantile(0.95) }
    }
}

/// The mean over all answers from the first to the last that was timed, linear between those that were (the trapezoid
/// rule); for answers without gaps the plain mean.
fn mean(counts: &[usize], times: &[f64]) -> f64 {
    let (Some(&first), Some(&last)) = (counts.first(), counts.last()) else { return 0.0 };
    // Between two that were timed: the line's mean over the answers after the first of the two, up to the second.
    let between = |at: usize| {
        let (steps, start, end) = ((counts[at + 1] - counts[at]) as f64, times[at], times[at + 1]);
        steps * start + (end - start) * (steps + 1.0) / 2.0
    };
    let sum: f64 = times[0] + (0..counts.len() - 1).map(between).sum::<f64>();
    sum / (last - first + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_over_all_answers_whether_timed_or_not() {
        let all: Vec<usize> = (1..=500).collect();
        let line = |count: usize| 3.0 + 0.25 * count as f64;
        let times: Vec<f64> = all.iter().copied().map(line).collect();
        let plain = times.iter().sum::<f64>() / 500.0;
        let some = [1, 10, 50, 100, 250, 500];
        let sampled: Vec<f64> = some.iter().copied().map(line).collect();
        // Rounding only.
        assert!((mean(&all, &times) - plain).abs() < 1e-9);
        assert!((mean(&some, &sampled) - plain).abs() < 1e-9);
        assert_eq!(mean(&[7], &[2.0]), 2.0);
        // Gaps that matter: 1, 1, 1 and then 5.
        assert_eq!(mean(&[1, 2, 3, 4], &[1.0, 1.0, 1.0, 5.0]), 2.0);
    }

    #[test]
    fn quantiles_are_of_the_sorted_times() {
        let counts: Vec<usize> = (1..=100).collect();
        let times: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let times = Times::over(&counts, &times);
        assert_eq!((times.mean, times.median, times.p95), (50.5, 50.0, 95.0));
        assert_eq!(Times::over(&[], &[]), Times::default());
    }
}
