//! An evaluator of language models has nine thousand battles from an arena.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use serde_json::Value;

use crate::session::Session;
use crate::util::{Folder, Run, gzip};
use crate::{asked, question};

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

/// How good the models are.
fn strengths() -> Vec<f64> {
    let mut stream = ChaCha8Rng::seed_from_u64(5);
    (0..MODELS).map(|_| normal(&mut stream)).collect()
}

/// Battles as an arena exports them, of which two in five are ties, some of them because both are bad.
fn battles() -> String {
    let strengths = strengths();
    let mut stream = ChaCha8Rng::seed_from_u64(6);
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
    let bad = battles().matches("bothbad").count();
    let in_all = format!("so {} answers in all", BATTLES + bad);
    for words in [
        "59 items, as named in the answers",
        "9000 answers, ",
        "\"tie (bothbad)\"",
        &in_all,
        "700 judges",
        "so repeat = true",
    ] {
        assert!(init.stderr.contains(words), "no {words:?} in:\n{}", init.stderr);
    }
    assert!(folder.read("ordain.toml").contains("\nrepeat = true"));

    let ranking = folder.json(["rank"]);
    assert_eq!(ranking["answers"], BATTLES + bad);
    let items = ranking["items"].as_array().unwrap();
    assert_eq!(items.len(), MODELS);
    let number = |item: &Value, key: &str| item[key].as_f64().unwrap();
    // A part that all models share tells nothing and is not shown, so 9,000 battles leave little doubt.
    let sum: f64 = items.iter().map(|item| number(item, "centred")).sum();
    assert!(sum.abs() < 1e-6, "{sum}");
    let spread = number(&items[0], "centred") - number(&items[MODELS - 1], "centred");
    assert!(items.iter().all(|item| number(item, "centred_sd") < 0.05 * spread), "{spread}");
    for item in items {
        let rank = number(item, "rank");
        assert!(number(item, "rank_low") <= rank && rank <= number(item, "rank_high"), "{item}");
    }
    assert_eq!(tiers_that_hold(items), MODELS);
    assert!(number(&items[MODELS - 1], "tier") >= 6.0);
    // Strong models stand before weak ones: at most one pair in twenty is in the wrong order.
    let strengths = strengths();
    let place = |item: &Value| strengths[item["id"].as_str().unwrap()[6..].parse::<usize>().unwrap()];
    let pairs = || (0..MODELS).flat_map(|one| (one + 1..MODELS).map(move |other| (one, other)));
    let wrong = pairs().filter(|&(one, other)| place(&items[one]) < place(&items[other])).count();
    assert!(20 * wrong <= MODELS * (MODELS - 1) / 2, "{wrong}");
}

/// How many items are in a tier with a member that is ranked no better than their interval reaches. Two items whose intervals
/// are apart can be told apart, so no tier holds them.
fn tiers_that_hold(items: &[Value]) -> usize {
    let tier = |item: &Value| item["tier"].as_u64().unwrap();
    let fits = |item: &&Value| {
        let members = || items.iter().filter(|other| tier(other) == tier(item));
        members().all(|other| {
            let apart = |one: &Value, other: &Value| one["rank_high"].as_u64() < other["rank_low"].as_u64();
            !apart(item, other) && !apart(other, item)
        })
    };
    items.iter().filter(fits).count()
}

/// The evaluator judges too: a tie at once, and a model that is new.
#[test]
fn a_session_over_battles() {
    let folder = Folder::empty();
    folder.write("battles.csv", battles().lines().take(301).map(|line| format!("{line}\n")).collect::<String>());
    folder.run(["init", "battles.csv", "--folder", "arena"]).fine();
    let mut session = Session::start(&folder, 90, &["ask", "arena", "--judge", "me", "--goal", "best"]);
    let screen = question(&mut session);
    let [left, right] = asked(&screen);
    session.press(b"t");
    question(&mut session);
    session.press(b"q");
    let (status, said) = session.end();
    assert!(status.success() && said.contains("see you: 1 answer given"), "{said}");
    let last = |folder: &Folder| folder.read("battles.csv").lines().last().unwrap().to_owned();
    assert!(
        [[&left, &right], [&right, &left]].iter().any(|[a, b]| last(&folder) == format!(",{a},{b},tie,me")),
        "{}",
        last(&folder)
    );
    let answer = ["answer", "model-1", "model-60", "first", "--judge", "me", "--project", "arena"];
    folder.run(answer).fails(1, &["\"model-60\"", "--new"]);
    folder.run(answer.iter().chain(&["--new"])).fine();
    assert_eq!(last(&folder), ",model-1,model-60,model_a,me");
    folder.run(["next", "arena", "--count", "3"]).fine();
}

#[test]
fn packed_battles_are_refused_with_the_remedy() {
    let folder = Folder::empty();
    folder.write("battles.csv.gz", gzip(battles()));
    let remedy = "gzip -dc battles.csv.gz > battles.csv";
    folder.refuses(["init", "battles.csv.gz"], &["packed by gzip", remedy]);
    assert!(
        Run::of(std::process::Command::new("sh").args(["-c", remedy]).current_dir(folder.path(""))).fine().is_empty()
    );
    folder.run(["init", "battles.csv"]).fine();
}
