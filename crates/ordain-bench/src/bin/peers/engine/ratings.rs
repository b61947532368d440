//! Ratings by `skillratings`, asked about the pair whose outcome they find most open.

use std::collections::HashSet;
use std::error::Error;

use ordain::data::{Answer, ItemId, Outcome};
use rayon::prelude::*;
use skillratings::Outcomes;
use skillratings::glicko2::{self, Glicko2Config, Glicko2Rating};
use skillratings::trueskill::{self, TrueSkillConfig, TrueSkillRating};

use super::play::Asker;

/// Ratings of all items.
pub struct Ratings<R, O, L> {
    ratings: Vec<R>,
    /// How open a pair is.
    openness: O,
    /// The ratings of winner and loser after a comparison.
    learn: L,
    told: HashSet<(usize, usize)>,
}

/// Glicko-2: the expected score closest to one half.
pub fn glicko_2(items: usize) -> impl Asker {
    let config = Glicko2Config::new();
    Ratings {
        ratings: vec![Glicko2Rating::new(); items],
        openness: |one: &Glicko2Rating, other: &Glicko2Rating| -(glicko2::expected_score(one, other).0 - 0.5).abs(),
        learn: move |winner: &Glicko2Rating, loser: &Glicko2Rating| {
            glicko2::glicko2(winner, loser, &Outcomes::WIN, &config)
        },
        told: HashSet::new(),
    }
}

/// TrueSkill without draws: the best match quality.
pub fn trueskill(items: usize) -> impl Asker {
    let config = TrueSkillConfig { draw_probability: 0.0, ..TrueSkillConfig::new() };
    Ratings {
        ratings: vec![TrueSkillRating::new(); items],
        openness: move |one: &TrueSkillRating, other: &TrueSkillRating| trueskill::match_quality(one, other, &config),
        learn: move |winner: &TrueSkillRating, loser: &TrueSkillRating| {
            trueskill::trueskill(winner, loser, &Outcomes::WIN, &config)
        },
        told: HashSet::new(),
    }
}

impl<R, O, L> Asker for Ratings<R, O, L>
where
    R: Copy + Sync,
    O: Fn(&R, &R) -> f64 + Sync,
    L: Fn(&R, &R) -> (R, R) + Sync,
{
    /// All pairs, rows in parallel.
    fn ask(&mut self) -> Result<(ItemId, ItemId), Box<dyn Error>> {
        let best_of_row = |one: usize| {
            let mut best = (f64::NEG_INFINITY, one, one);
            for other in one + 1..self.ratings.len() {
                let open = (self.openness)(&self.ratings[one], &self.ratings[other]);
                if open > best.0 && !self.told.contains(&(one, other)) {
                    best = (open, one, other);
                }
            }
            best
        };
        let better = |one: (f64, usize, usize), other: (f64, usize, usize)| if other.0 > one.0 { other } else { one };
        let rows = (0..self.ratings.len()).into_par_iter().map(best_of_row);
        let (_, one, other) = rows.reduce(|| (f64::NEG_INFINITY, 0, 0), better);
        if one == other {
            return Err("no pair is left".into());
        }
        Ok((ItemId::new(one), ItemId::new(other)))
    }

    fn tell(&mut self, answer: Answer) -> Result<(), Box<dyn Error>> {
        let (first, second) = (answer.first.index(), answer.second.ok_or("not a pair")?.index());
        let (winner, loser) = if answer.outcome == Outcome::First { (first, second) } else { (second, first) };
        let after = (self.learn)(&self.ratings[winner], &self.ratings[loser]);
        (self.ratings[winner], self.ratings[loser]) = after;
        self.told.insert((first.min(second), first.max(second)));
        Ok(())
    }
}
