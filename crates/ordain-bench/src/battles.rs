//! Battles of an arena in which many end in a tie.

use std::fmt::Write as _;

use ordain::numeric::Seed;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Models of the arena.
pub const MODELS: usize = 59;

/// Battles of the arena.
pub const BATTLES: usize = 9_000;

/// The deviation of the models' utilities. The noise on a difference is 1, so the models are near each other beside it, as in real arenas.
const DEVIATION: f64 = 0.45;

/// The judges call a difference a tie that is at most this, noise included: 39 % of the battles.
const TIE_WIDTH: f64 = 0.6;

/// The table of an arena, `model_a,model_b,winner`: 59 models, some of which fight ten times as often as others, and 9,000 battles. No
/// verdict is "both bad", which is learned as bad about either model and not as a tie. The same for the same seed.
pub fn arena(seed: Seed) -> String {
    /// Fights of the model of rank r go by `1 / (r + this)`.
    const FADES: f64 = 6.0;
    let mut stream = seed.stream(59_u64);
    let utilities: Vec<f64> = (0..MODELS).map(|_| DEVIATION * stream.sample::<f64, _>(StandardNormal)).collect();
    let until: Vec<f64> = (0..MODELS)
        .scan(0.0, |sum, model| {
            *sum += 1.0 / (model as f64 + FADES);
            Some(*sum)
        })
        .collect();
    let model = |stream: &mut ordain::numeric::Stream| {
        let at = stream.random_range(0.0..until[MODELS - 1]);
        until.partition_point(|until| *until <= at).min(MODELS - 1)
    };
    let mut out = String::from("model_a,model_b,winner\n");
    for _ in 0..BATTLES {
        let first = model(&mut stream);
        let second = std::iter::repeat_with(|| model(&mut stream)).find(|second| *second != first).unwrap_or(first);
        let heard = utilities[first] - utilities[second] + stream.sample::<f64, _>(StandardNormal);
        let winner = match heard {
            _ if heard.abs() <= TIE_WIDTH => "tie",
            _ if heard > 0.0 => "model_a",
            _ => "model_b",
        };
        let _ = writeln!(out, "model-{first},model-{second},{winner}");
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn an_arena_has_its_shape() {
        let table = arena(Seed(1));
        let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let models: HashSet<&str> = rows.iter().flat_map(|row| [row[0], row[1]]).collect();
        let ties = rows.iter().filter(|row| row[2] == "tie").count() as f64 / rows.len() as f64;
        assert_eq!((rows.len(), models.len()), (BATTLES, MODELS));
        // The standard error is 0.005; which models fight adds as much.
        assert!((ties - 0.39).abs() < 0.02, "{ties}");
        assert!(rows.iter().all(|row| row[0] != row[1]));
        assert_eq!(table, arena(Seed(1)));
    }
}
