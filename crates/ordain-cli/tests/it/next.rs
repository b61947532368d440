//! Pairs worth asking.

use std::collections::HashSet;

use serde_json::Value;

use crate::util::Folder;

/// The ids of every pair, in the order of the alphabet.
fn pairs(said: &Value) -> Vec<[String; 2]> {
    let pair = |pair: &Value| {
        let mut ids = ["first", "second"].map(|key| pair[key].as_str().unwrap().to_owned());
        ids.sort_unstable();
        ids
    };
    said["pairs"].as_array().unwrap().iter().map(pair).collect()
}

/// Two groups, of three and two items, that share an id.
fn grouped() -> Folder {
    let folder = Folder::empty();
    folder.write("items.csv", "id,query,x\nant,zoo,1\nbee,zoo,2\nant,farm,1\ncow,farm,3\nhen,farm,2\n");
    folder.run(["init", "items.csv"]).fine();
    folder
}

#[test]
fn keys() {
    let said = Folder::example("countries").json(["next", "--count", "7"]);
    assert_eq!(said.as_object().unwrap().len(), 1);
    assert_eq!(said["pairs"].as_array().unwrap().len(), 7);
    for pair in said["pairs"].as_array().unwrap() {
        assert_eq!(pair.as_object().unwrap().keys().collect::<Vec<_>>(), ["first", "score", "second"]);
        assert!(pair["score"].as_f64().unwrap() > 0.0);
    }
    for pair in grouped().json(["next", "--count", "9"])["pairs"].as_array().unwrap() {
        assert_eq!(pair.as_object().unwrap().keys().collect::<Vec<_>>(), ["first", "group", "score", "second"]);
    }
}

#[test]
fn csv_and_table_name_the_same_pairs() {
    let folder = Folder::example("countries");
    let said = folder.json(["next", "--count", "4"]);
    let csv = folder.run(["next", "--count", "4", "--format", "csv"]);
    let table = folder.run(["next", "--count", "4"]);
    let mut lines = csv.fine().lines();
    assert_eq!(lines.next(), Some("first,second,score"));
    for ((pair, line), row) in said["pairs"].as_array().unwrap().iter().zip(lines).zip(table.fine().lines().skip(1)) {
        let (first, second) = (pair["first"].as_str().unwrap(), pair["second"].as_str().unwrap());
        assert!(line.starts_with(&format!("{first},{second},")), "{line}");
        assert!(row.contains(first) && row.contains(second), "{row}");
    }
    assert!(table.stderr.starts_with("by wrong-pairs;"), "{}", table.stderr);
    assert_eq!(grouped().run(["next", "--format", "csv"]).fine().lines().next(), Some("first,second,score,group"));
}

/// Without an answer all pairs of like items are as good, and the seed decides.
#[test]
fn the_seed_decides_among_equals() {
    let folder = Folder::empty();
    let ids: Vec<String> = (0..30).map(|number| format!("item{number}")).collect();
    folder.write("items.csv", format!("id\n{}\n", ids.join("\n")));
    folder.write("ordain.toml", "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\n");
    let with = |seed: usize| folder.run(["next", "--format", "json", "--seed", &seed.to_string()]).fine().to_owned();
    assert_eq!(with(3), with(3));
    let different: HashSet<String> = (0..20).map(with).collect();
    // Of 435 pairs, twenty draws rarely meet.
    assert!(different.len() > 10, "{}", different.len());
    folder.append("ordain.toml", "[ask]\nseed = 3\n");
    assert_eq!(folder.run(["next", "--format", "json"]).fine(), with(3));
}

#[test]
fn only_within_groups_and_all_of_those() {
    let folder = grouped();
    for inference in ["ep", "incremental"] {
        let said = folder.json(["next", "--count", "99", "--inference", inference]);
        let mut found: Vec<String> =
            said["pairs"].as_array().unwrap().iter().map(|pair| pair["group"].to_string()).collect();
        found.sort_unstable();
        assert_eq!(found, ["\"farm\"", "\"farm\"", "\"farm\"", "\"zoo\""]);
        assert_eq!(pairs(&said).iter().collect::<HashSet<_>>().len(), 4);
    }
}

/// Three items have three pairs; one is answered.
#[test]
fn answered_and_skipped_pairs() {
    let folder = Folder::project();
    let asked = |folder: &Folder, inference: &str| {
        let mut pairs = pairs(&folder.json(["next", "--count", "9", "--inference", inference]));
        pairs.sort_unstable();
        pairs.iter().map(|pair| pair.join("-")).collect::<Vec<_>>()
    };
    for inference in ["ep", "incremental"] {
        assert_eq!(asked(&folder, inference), ["ant-cow", "bee-cow"]);
    }
    folder.run(["answer", "cow", "bee", "skip"]).fine();
    for inference in ["ep", "incremental"] {
        assert_eq!(asked(&folder, inference), ["ant-cow"]);
    }
    folder.append("ordain.toml", "[ask]\nrepeat = true\n");
    for inference in ["ep", "incremental"] {
        assert_eq!(asked(&folder, inference), ["ant-bee", "ant-cow"]);
    }
    folder.write("answers.csv", "first,second,outcome\nant,bee,skip\nant,cow,skip\nbee,cow,skip\n");
    assert_eq!(folder.json(["next"]), serde_json::json!({ "pairs": [] }));
    let table = folder.run(["next"]);
    assert_eq!((table.fine(), table.stderr.as_str()), ("", "no pair is left to ask\n"));
    assert_eq!(folder.run(["next", "--format", "csv"]).fine(), "first,second,score\n");
}

#[test]
fn pools() {
    let folder = Folder::example("countries");
    folder.write("pool.csv", "second,first,note\nSpain,Italy,a\nMalta,Monaco,b\n");
    for inference in ["ep", "incremental"] {
        let said = folder.json(["next", "--count", "9", "--pool", "pool.csv", "--inference", inference]);
        let mut found = pairs(&said);
        found.sort_unstable();
        assert_eq!(found, [["Italy", "Spain"], ["Malta", "Monaco"]]);
    }
    folder.write("pool.csv", "first,second\nSpain,Italy\nMalta,Monako\n");
    folder.refuses(["next", "--pool", "pool.csv"], &["pool.csv, line 3", "\"Monako\"", "did you mean \"Monaco\"?"]);
    folder.write("pool.csv", "first,second\nSpain,Spain\n");
    folder.refuses(["next", "--pool", "pool.csv"], &["pool.csv, line 2", "compared with itself"]);
    folder.refuses(["next", "--pool", "items.csv"], &["items.csv", "\"first\"", "hint: "]);
    let folder = grouped();
    folder.write("pool.csv", "first,second,group\nant,bee,zoo\nant,hen,farm\n");
    assert_eq!(pairs(&folder.json(["next", "--count", "9", "--pool", "pool.csv"])).len(), 2);
    folder.write("pool.csv", "first,second\nbee,hen\n");
    folder.refuses(["next", "--pool", "pool.csv"], &["pool.csv, line 2", "one group"]);
}

/// Nothing need be asked once the goal is reached, and what is said of it is what `rank` says.
#[test]
fn a_target() {
    let folder = Folder::example("countries");
    for inference in ["ep", "incremental"] {
        let more = ["--inference", inference];
        let asked = folder.run(["next", "--target", "0.9", "--error", "0.01"].iter().chain(&more));
        assert_eq!(asked.fine(), folder.run(["next"].iter().chain(&more)).fine());
        let enough = folder.run(["next", "--target", "0.9", "--error", "0.3"].iter().chain(&more));
        assert_eq!(enough.fine(), "");
        let sure = "nothing more need be asked: over 99 % sure that at most 30 % of pairs stand in the wrong order\n";
        assert_eq!(enough.stderr, sure);
        let said = folder.json(["next", "--target", "0.9", "--error", "0.3", "--count", "3"].iter().chain(&more));
        assert_eq!(said, serde_json::json!({ "pairs": [] }));
    }
    let best = folder.json(["rank", "--goal", "best"])["certainty"]["probability"].as_f64().unwrap();
    let pairs = |target: f64| {
        let target = target.to_string();
        pairs(&folder.json(["next", "--inference", "ep", "--goal", "best", "--target", target.as_str()])).len()
    };
    assert_eq!((pairs(best), pairs(best + 1e-6)), (0, 1));
    assert_eq!(folder.run(["next", "--target", "1.5"]).code, Some(2));
}

#[test]
fn strategies_by_goal_by_name_and_by_project() {
    let folder = Folder::example("countries");
    let by = |folder: &Folder, more: &[&str]| {
        let run = folder.run(["next"].iter().chain(more));
        run.fine();
        run.stderr.split(';').next().unwrap().to_owned()
    };
    assert_eq!(by(&folder, &["--goal", "best"]), "by optimistic-best");
    assert_eq!(by(&folder, &["--goal", "top", "--top", "4"]), "by top-regret (of 4)");
    assert_eq!(by(&folder, &["--top", "4"]), "by top-regret (of 4)");
    assert_eq!(by(&folder, &["--strategy", "entropy"]), "by entropy");
    // A focus is for a strategy that has one.
    assert_eq!(by(&folder, &["--goal", "best", "--focus", "0.0003"]), "by expected-loss (focus 3.0e-4)");
    assert_eq!(by(&folder, &["--strategy", "expected-loss-item", "--focus", "2"]), "by expected-loss-item (focus 2)");
    for strategy in ["variance-ratio", "random", "look-ahead", "predictive-entropy"] {
        let folder = Folder::project();
        let run = folder.run(["next", "--strategy", strategy]);
        assert!(run.stderr.contains(strategy), "{}{}", run.fine(), run.stderr);
    }
    folder.replace(
        "ordain.toml",
        "goal = \"whole-order\"",
        "goal = \"best\"\nstrategy = \"expected-loss\"\nfocus = 0.5",
    );
    assert_eq!(by(&folder, &[]), "by expected-loss (focus 0.5)");
    // The project's focus is that of its strategy.
    assert_eq!(by(&folder, &["--strategy", "entropy"]), "by entropy");
    assert_eq!(by(&folder, &["--strategy", "expected-regret"]), "by expected-regret (focus 1)");
}

#[test]
fn what_makes_no_sense() {
    let folder = Folder::example("countries");
    folder.run(["next", "--goal", "top"]).fails(2, &["--top", "hint: "]);
    folder.run(["next", "--goal", "best", "--top", "3"]).fails(2, &["--top", "hint: "]);
    folder.run(["next", "--strategy", "entropy", "--focus", "1"]).fails(2, &["--focus", "entropy", "hint: "]);
    for wrong in [["--focus", "-1"], ["--focus", "NaN"], ["--strategy", "entropie"], ["--count", "0"], ["--top", "0"]] {
        let run = folder.run(["next"].iter().chain(&wrong));
        assert_eq!(run.code, Some(2), "{wrong:?}");
    }
    folder.replace("ordain.toml", "goal = \"whole-order\"", "strategy = \"best-option\"\nfocus = 0.5");
    folder.refuses(["next"], &["ordain.toml", "focus", "0.5", "best-option", "hint: "]);
    folder.replace("ordain.toml", "strategy = \"best-option\"\nfocus = 0.5", "strategy = \"entropie\"");
    folder.refuses(["next"], &["ordain.toml, line ", "entropie", "did you mean \"entropy\"?"]);
}

/// An infinite score is null, since JSON has no word for it.
#[test]
fn infinite_scores() {
    let folder = Folder::project();
    folder.write("answers.csv", "");
    let pair = &folder.json(["next", "--strategy", "variance-ratio"])["pairs"][0];
    assert_eq!(pair["score"], Value::Null);
}
