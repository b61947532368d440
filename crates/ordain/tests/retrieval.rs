//! Measures of retrieval against pytrec_eval, ir_measures and scikit-learn, brute force over all orders of equal scores, definitions,
//! and the published figures of LETOR.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::stream;
use ordain::data::{Judgements, Run};
use ordain::measure::retrieval::{expected_reciprocal_rank, rank_biased_precision};
use ordain::measure::{EvaluationParams, JudgedList, Measure, Ties, Warning, evaluate};
use rand::{Rng, RngExt};
use serde_json::{Value, json};

fn measure(name: &str) -> Measure {
    name.parse().unwrap()
}

/// Compares every value of an oracle with ours; both sides as lists of queries.
fn compare(queries: &Value, oracle: &Value) -> usize {
    let queries = queries.as_array().unwrap();
    let mut judgements = Judgements::default();
    let mut run = Run::new("run");
    for (number, query) in queries.iter().enumerate() {
        let grades = query["qrels"].as_object().unwrap();
        if !grades.is_empty() {
            let grades = grades.iter().map(|(document, grade)| (document.clone(), grade.as_i64().unwrap() as i32));
            judgements.queries.push((number.to_string(), grades.collect()));
        }
        let found = query["run"].as_object().unwrap();
        if !found.is_empty() {
            run.queries.push((number.to_string(), Vec::new()));
            for (document, score) in found {
                assert!(run.push(run.queries.len() - 1, document, 0, score.as_f64().unwrap(), 1));
            }
        }
    }
    let mut compared = 0;
    for (side, ties) in [("pytrec_eval", Ties::Trec), ("ir_measures", Ties::Trec), ("scikit-learn", Ties::Expected)] {
        let theirs = oracle[side].as_array().unwrap();
        // Queries without a value have no names.
        let names = theirs.iter().filter_map(Value::as_object).find(|values| !values.is_empty()).unwrap().keys();
        for name in names {
            // Success at 1 is one minus our cost.
            let (ours, flip) = if name == "Success@1" { (measure("wta"), true) } else { (measure(name), false) };
            let params = EvaluationParams::new(vec![ours]).with_ties(ties);
            let evaluation = evaluate(std::slice::from_ref(&run), &judgements, &params).unwrap();
            let values: HashMap<&String, Option<f64>> =
                evaluation.queries.iter().zip(evaluation.runs[0].values[0].iter().copied()).collect();
            for (number, theirs) in theirs.iter().enumerate() {
                let ours = values.get(&number.to_string()).copied().flatten();
                let ours = if flip { ours.map(|cost| 1.0 - cost) } else { ours };
                // scikit-learn has values only where the run holds everything relevant.
                let both = ours.is_some() == theirs.get(name).is_some();
                assert!(both || side == "scikit-learn" && ours.is_some(), "{side} {name} query {number}");
                if let (Some(ours), Some(theirs)) = (ours, theirs.get(name)) {
                    let theirs = theirs.as_f64().unwrap();
                    assert!((ours - theirs).abs() < 1e-12, "{side} {name} query {number}: {ours} {theirs}");
                    compared += 1;
                }
            }
        }
    }
    compared
}

#[test]
fn golden_values() {
    let golden: Value = serde_json::from_str(include_str!("data/retrieval.json")).unwrap();
    assert!(compare(&golden["queries"], &golden) > 2000);
}

/// Thousands of random lists, with ties, documents missing on either side, and empty queries.
#[test]
fn random_lists() {
    let Ok(python) = std::env::var("ORDAIN_PYTHON") else {
        eprintln!(
            "SKIPPED: ORDAIN_PYTHON is not set, so there is no trec_eval to compare with; run `cargo xtask test`"
        );
        return;
    };
    let mut stream = stream(1);
    let queries: Vec<Value> = (0..4000).map(|_| random_query(&mut stream)).collect();
    let task = json!({ "queries": queries });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracles/retrieval.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = task.to_string();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    assert!(compare(&task["queries"], &serde_json::from_slice(&output.stdout).unwrap()) > 50_000);
}

fn random_query(stream: &mut impl Rng) -> Value {
    let size = [1, 2, 4, 12, 40][stream.random_range(0..5)];
    let levels = [1, 2, 5, 100_000][stream.random_range(0..4)];
    let (judged, found) = (stream.random_range(0.0..1.0), stream.random_range(0.0..1.0));
    let (mut qrels, mut run) = (serde_json::Map::new(), serde_json::Map::new());
    for document in 0..size {
        let id = format!("{:x}", document * 7919 % 1009);
        if stream.random_bool(judged) {
            qrels.insert(id.clone(), json!(stream.random_range(-1..4)));
        }
        if stream.random_bool(found) {
            run.insert(id, json!(f64::from(stream.random_range(0..levels)) / 4.0 - 3.0));
        }
    }
    json!({ "qrels": qrels, "run": run })
}

/// All orders of a slice.
fn permutations(values: &[usize]) -> Vec<Vec<usize>> {
    if values.len() <= 1 {
        return vec![values.to_vec()];
    }
    (0..values.len())
        .flat_map(|first| {
            let mut rest = values.to_vec();
            let head = rest.remove(first);
            permutations(&rest).into_iter().map(move |tail| [vec![head], tail].concat())
        })
        .collect()
}

/// The expected value over ties is the mean over all orders that the scores allow.
#[test]
fn open_ties_equal_all_orders() {
    let mut stream = stream(2);
    let names = [
        "map",
        "p@1",
        "p@3",
        "recall@2",
        "rprec",
        "mrr",
        "wta",
        "map@3",
        "mrr@2",
        "success@2",
        "bpref",
        "judged@3",
        "ndcg",
        "ndcg@3",
        "ndcg-exp@4",
        "ndcg-letor@3",
        "rbp@0.7",
    ];
    for _ in 0..60 {
        let size = stream.random_range(1..=6);
        let scores: Vec<f64> = (0..size).map(|_| f64::from(stream.random_range(0..3))).collect();
        let grades: Vec<i32> = (0..size).map(|_| stream.random_range(-1..4)).collect();
        let judged: Vec<i32> = grades.iter().copied().chain([2, 0]).collect();
        // Which documents the judgements name, in the given order; those that they do not name have grade 0.
        let named: Vec<bool> = grades.iter().map(|&grade| grade != 0 || stream.random_bool(0.5)).collect();
        let mut by_score: Vec<usize> = (0..size).collect();
        by_score.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let of = |order: &[usize]| order.iter().map(|&at| named[at]).collect::<Vec<bool>>();
        let open = JudgedList::tied(&scores, &grades, judged.clone()).unwrap().with_named(of(&by_score)).unwrap();
        let falling = |order: &&Vec<usize>| order.windows(2).all(|pair| scores[pair[0]] >= scores[pair[1]]);
        let orders = permutations(&(0..size).collect::<Vec<_>>());
        let orders: Vec<&Vec<usize>> = orders.iter().filter(falling).collect();
        for name in names {
            let value = |order: &&Vec<usize>| {
                let grades = order.iter().map(|&at| grades[at]).collect();
                let list = JudgedList::ranked(grades, judged.clone()).with_named(of(order)).unwrap();
                measure(name).of(&list).unwrap()
            };
            let mean = orders.iter().map(value).sum::<f64>() / orders.len() as f64;
            let ours = measure(name).of(&open).unwrap();
            assert!((ours - mean).abs() < 1e-12, "{name}: {ours} {mean} for {scores:?} {grades:?}");
        }
    }
    let open = JudgedList::tied(&[1.0, 1.0], &[1, 0], [1, 0]).unwrap();
    assert!(measure("err").of(&open).is_err());
    assert!(measure("infap").of(&open).is_err());
    assert!(open.with_named(vec![true]).is_err());
}

/// An example by hand, for judgements of a sample: of the pool, a and c were judged relevant, d not relevant, b and e were not judged.
#[test]
fn judgements_of_a_sample() {
    // Ranked: a, b (pool), x (unknown), d, c. Two relevant; before c the pool has a, b and d, of which one of two judged is relevant.
    let list = JudgedList::ranked(vec![1, -1, 0, 0, 2], [1, -1, 2, 0, -1]);
    let list = list.with_named(vec![true, true, false, true, true]).unwrap();
    // 1 at place 1, and at place 5 (1 + 3/2) / 5; the epsilon of trec_eval shifts the share 1/2 by nothing.
    let expected = (1.0 + (1.0 + 3.0 * 0.5) / 5.0) / 2.0;
    assert!((measure("infap").of(&list).unwrap() - expected).abs() < 1e-15);
    // One document was judged not relevant, and it precedes c: 1 - 1/1.
    assert!((measure("bpref").of(&list).unwrap() - 0.5).abs() < 1e-15);
    assert!((measure("judged@4").of(&list).unwrap() - 0.75).abs() < 1e-15);
    // Fewer documents than places.
    assert!((measure("judged@40").of(&list).unwrap() - 0.8).abs() < 1e-15);
}

/// Users who walk down the list, simulated by enumerating where they stop.
#[test]
fn user_models() {
    let list = JudgedList::ranked(vec![3, 0, 1, 4, 0, 2], [3, 1, 4, 2]);
    let satisfied = |grade: i32| (f64::from(1 << grade) - 1.0) / 16.0;
    let mut expected = 0.0;
    for (at, &grade) in list.grades().iter().enumerate() {
        let reaches: f64 = list.grades()[..at].iter().map(|&before| 1.0 - satisfied(before)).product();
        expected += reaches * satisfied(grade) / (at as f64 + 1.0);
    }
    assert!((expected_reciprocal_rank(&list, None, 4).unwrap() - expected).abs() < 1e-15);
    assert!(expected_reciprocal_rank(&list, None, 3).is_err());
    // (1 - p) Σ p^(place - 1) over relevant places.
    let places = [1, 3, 4, 6];
    let expected: f64 = places.iter().map(|&place| 0.2 * 0.8_f64.powi(place - 1)).sum();
    assert!((rank_biased_precision(&list, 0.8).unwrap() - expected).abs() < 1e-15);
    assert!(rank_biased_precision(&list, 1.0).is_err());
}

#[test]
fn names_as_people_write_them() {
    for (written, shown) in [
        ("MAP", "map"),
        ("ap", "map"),
        ("P_10", "p@10"),
        ("precision@5", "p@5"),
        ("recall_1000", "recall@1000"),
        ("R@3", "recall@3"),
        ("recip_rank", "mrr"),
        ("RR", "mrr"),
        ("Rprec", "rprec"),
        ("bep", "rprec"),
        ("ndcg_cut_10", "ndcg@10"),
        ("nDCG@10", "ndcg@10"),
        ("ndcg", "ndcg"),
        ("ndcg-burges@5", "ndcg-exp@5"),
        ("ndcg-letor@5", "ndcg-letor@5"),
        ("err@20", "err@20"),
        ("rbp@0.95", "rbp@0.95"),
        ("wta", "wta"),
        ("map_cut_5", "map@5"),
        ("AP@5", "map@5"),
        ("RR@10", "mrr@10"),
        ("MRR@10", "mrr@10"),
        ("success_1", "success@1"),
        ("Bpref", "bpref"),
        ("infAP", "infap"),
        ("Judged@10", "judged@10"),
    ] {
        assert_eq!(measure(written).to_string(), shown);
        assert_eq!(measure(shown), measure(written));
    }
    for wrong in ["", "p", "p@0", "p@x", "map@", "map@0", "success", "bpref@3", "judged", "ndgc@10", "rbp@1", "ndcg@-1"]
    {
        assert!(wrong.parse::<Measure>().is_err(), "{wrong}");
    }
}

/// What trec_eval refuses, and what it passes over in silence.
#[test]
fn odd_runs() {
    let judgements = Judgements {
        queries: ["a", "b"].map(|query| (query.to_owned(), HashMap::from([("d1".to_owned(), 1)]))).to_vec(),
    };
    let run = |rows: &[(&str, &str, i32, f64)]| {
        let mut run = Run::new("r");
        for (line, (query, document, rank, score)) in rows.iter().enumerate() {
            let at = run.queries.iter().position(|(name, _)| name == query).unwrap_or_else(|| {
                run.queries.push(((*query).to_owned(), Vec::new()));
                run.queries.len() - 1
            });
            assert!(run.push(at, document, *rank, *score, line as u64 + 1));
        }
        run
    };
    let params = |complete| {
        EvaluationParams::new(vec![measure("map"), measure("wta")]).with_ties(Ties::Trec).with_complete(complete)
    };
    let fails =
        |rows: &[(&str, &str, i32, f64)]| evaluate(&[run(rows)], &judgements, &params(false)).unwrap_err().to_string();
    let twice = fails(&[("a", "d1", 1, 2.0), ("a", "d2", 2, 1.5), ("a", "d1", 3, 1.0)]);
    assert!(twice.contains("d1") && twice.contains("query a") && twice.contains("lines 1 and 3"), "{twice}");
    let nan = fails(&[("a", "d1", 1, 2.0), ("a", "d2", 2, f64::NAN)]);
    assert!(nan.contains("NaN") && nan.contains("query a") && nan.contains("line 2"), "{nan}");

    let odd = [run(&[("a", "d2", 2, 2.0), ("a", "d1", 1, 1.0), ("z", "d1", 1, 1.0)])];
    let evaluation = evaluate(&odd, &judgements, &params(false)).unwrap();
    assert_eq!(evaluation.runs[0].values, [[Some(0.5), None], [Some(1.0), None]]);
    assert_eq!(evaluation.runs[0].mean(0), 0.5);
    assert_eq!(
        evaluation.runs[0].warnings,
        [
            Warning::NotAnswered(vec!["b".into()]),
            Warning::NotJudged(vec!["z".into()]),
            Warning::RanksDisagree { line: 1, query: "a".into(), queries: 1 },
        ]
    );
    let complete = evaluate(&odd, &judgements, &params(true)).unwrap();
    assert_eq!(complete.runs[0].values, [[Some(0.5), Some(0.0)], [Some(1.0), Some(1.0)]]);
}

/// All 25 single-feature rankings of LETOR OHSUMED equal the published figures.
#[test]
fn letor_single_features() {
    let folder = std::env::var_os("ORDAIN_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from)
        .join("letor-ohsumed");
    if !folder.exists() {
        eprintln!("SKIPPED: no LETOR data in {}; set ORDAIN_DATA", folder.display());
        return;
    }
    let published = std::fs::read_to_string(folder.join("published_single_feature.csv")).unwrap();
    let parts: Vec<_> =
        (1..=5).map(|part| ordain::formats::read_letor(folder.join(format!("S{part}.txt.gz"))).unwrap()).collect();
    let mut compared = 0;
    for line in published.lines().skip(1) {
        let [feature, metric, value] = line.split(',').collect::<Vec<_>>()[..] else { panic!("three columns: {line}") };
        let feature: usize = feature.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
        let name = metric.to_ascii_lowercase().replace("ndcg@", "ndcg-letor@");
        let Ok(measure) = name.parse::<Measure>() else { continue };
        let mut values = Vec::new();
        for letor in &parts {
            let groups = letor.items.groups().unwrap();
            for group in 0..groups.len() {
                let members = groups.members(group);
                let scores: Vec<f64> =
                    members.iter().map(|item| letor.items.attributes().row(item.index())[feature - 1]).collect();
                let grades: Vec<i32> = members.iter().map(|item| letor.grades[item.index()] as i32).collect();
                values.push(measure.of(&JudgedList::given(&scores, &grades, grades.iter().copied()).unwrap()).unwrap());
            }
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let value: f64 = value.parse().unwrap();
        assert!((mean - value).abs() < 1e-5, "feature {feature} {metric}: {mean} {value}");
        compared += 1;
    }
    // MAP, NDCG and P at 1 to 10.
    assert_eq!(compared, 25 * 21);
}
