//! An evaluator of language models has nine thousand battles from an arena.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::util::{Folder, gzip};

const MODELS: usize = 59;
const BATTLES: usize = 9_000;

/// A uniform number from 0 to 1.
fn uniform(stream: &mut ChaCha8Rng) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A normal number, by Box and Muller.
fn normal(stream: &mut ChaCha8Rng) -> f64 {
    (-2.0 * (1.0 - uniform(stream)).ln()).sqrt() * (std::f64::consts::TAU * uniform(stream)).cos()
}

/// Battles as an arena exports them, of which two in five are ties, some of them because both are bad.
fn battles() -> String {
    let mut stream = ChaCha8Rng::seed_from_u64(5);
    let strengths: Vec<f64> = (0..MODELS).map(|_| normal(&mut stream)).collect();
    let mut out = String::from("question_id,model_a,model_b,winner,judge\n");
    for battle in 0..BATTLES {
        let first = (stream.next_u64() % MODELS as u64) as usize;
        let second = (first + 1 + (stream.next_u64() % (MODELS as u64 - 1)) as usize) % MODELS;
        let seen = strengths[first] - strengths[second] + 1.4 * normal(&mut stream);
        let bad = uniform(&mut stream) < 0.4;
        let winner = match seen {
            seen if seen > 1.0 => "model_a",
            seen if seen < -1.0 => "model_b",
            _ if bad => "tie (bothbad)",
            _ => "tie",
        };
        out += &format!("q{battle},model-{first},model-{second},{winner},user{}\n", battle % 700);
    }
    out
}

#[test]
fn from_battles_to_tiers() {
    let folder = Folder::empty();
    folder.write("battles.csv", battles());
    let init = folder.run(["init", "battles.csv"]);
    init.fine();
    for words in ["59 items", "9000 answers", "ties", "bothbad", "700 judges", "repeat"] {
        assert!(init.stderr.contains(words), "no {words:?} in:\n{}", init.stderr);
    }
    assert!(folder.read("ordain.toml").contains("repeat = true"));
    let ranking = folder.json(["rank"]);
    let items = ranking["items"].as_array().unwrap();
    assert_eq!(items.len(), MODELS);
    let number = |item: &serde_json::Value, key: &str| item[key].as_f64().unwrap();
    // The offset that all share tells nothing and is not shown.
    let sum: f64 = items.iter().map(|item| number(item, "centred")).sum();
    assert!(sum.abs() < 1e-6, "{sum}");
    assert!(items.iter().all(|item| number(item, "centred_sd") < 0.2), "{items:?}");
    for item in items {
        let rank = number(item, "rank");
        assert!(number(item, "rank_low") <= rank && rank <= number(item, "rank_high"), "{item}");
    }
    let tiers = number(items.last().unwrap(), "tier");
    assert!(tiers >= 6.0, "{tiers}");
    folder.run(["next", "--count", "3"]).fine();
    folder.run(["answer", "model-1", "model-60", "first", "--judge", "me"]).fails(1, &["model-60", "--new"]);
    folder.run(["answer", "model-1", "model-60", "first", "--judge", "me", "--new"]).fine();
}

#[test]
fn packed_battles_are_refused_with_the_remedy() {
    let folder = Folder::empty();
    folder.write("battles.csv.gz", gzip(battles()));
    folder.refuses(["init", "battles.csv.gz"], &["packed", "gunzip"]);
}
