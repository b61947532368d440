//! `ordain eval --bounds`: values worked out by hand, the parts of a bound, and what is refused.

use std::fmt::Write;

use crate::eval::{files, near};
use crate::util::Folder;

#[test]
fn values_by_hand() {
    let folder = files();
    let said = folder.json(["eval", "a.run", "b.run", "--qrels", "qrels", "--bounds"]);
    let [a, b] = &said["runs"].as_array().unwrap()[..] else { panic!("two runs: {said}") };
    // q1: one of two pairs is wrong; q2: the only one.
    assert_eq!((a["queries"].as_u64(), b["queries"].as_u64()), (Some(2), Some(1)));
    near(&a["risk"], 0.75);
    near(&b["risk"], 0.5);
    // Two runs at once: δ/2 = 1/40.
    let ln = 40.0_f64.ln();
    near(&a["risk_bound"], 0.75 + (ln / 4.0).sqrt());
    near(&b["risk_bound"], 0.5 + (ln / 2.0).sqrt());
    // Of the 8 pairs of different grade, three are wrong and one is tied.
    assert_eq!(a["documents"].as_u64(), Some(5));
    near(&a["error"], 3.5 / 8.0);
    // Shares .4, .4, .2; γ = .32; mean square of C: (2 · .4 · .6² + .2 · .8²) / .32².
    let slack = ((2.0_f64.ln() + ln) / 10.0 * 4.0625).sqrt();
    near(&a["error_from"], 0.0);
    near(&a["error_to"], 3.5 / 8.0 + slack);
    let steeper = folder.json(["eval", "a.run", "--qrels", "qrels", "--bounds", "--alpha", "1", "--confidence", "0.5"]);
    near(&steeper["runs"][0]["risk_bound"], 0.75 + (2.0_f64.ln() / 4.0).sqrt());
    near(&steeper["runs"][0]["error"], 3.5 / 8.0);
    // C: (1 · .4 + 2 · .2), (1 · .4 + 1 · .2), (2 · .4 + 1 · .4), each over γ.
    let square = (0.4 * 0.64 + 0.4 * 0.36 + 0.2 * 1.44) / (0.32 * 0.32);
    near(&steeper["runs"][0]["error_to"], 3.5 / 8.0 + (4.0_f64.ln() / 10.0 * square).sqrt());
}

/// Documents that another run returned stand below all, negative grades are not relevant.
#[test]
fn documents_that_a_run_does_not_return() {
    let folder = files();
    folder.write("qrels", "q1 0 d1 1\nq1 0 d2 -1\nq1 0 d3 1\n");
    folder.write("c.run", "q1 Q0 d2 1 1 c\nq1 Q0 d1 2 0 c\nq7 Q0 d1 2 0 c\n");
    folder.write("e.run", "q1 Q0 d5 1 1 e\n");
    let said = folder.run(["eval", "c.run", "e.run", "--qrels", "qrels", "--bounds", "--format", "csv"]);
    let rows: Vec<Vec<&str>> = said.fine().lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "run,queries,risk,risk_bound,documents,error,error_from,error_to");
    // c: d2 above d1 and d3, d1 above d5, d3 and d5 are tied. e: d5 above both, which are tied with d2.
    assert_eq!((rows[1][..3].join(","), rows[2][..3].join(",")), ("c,1,0.625".into(), "e,1,0.75".into()));
    assert_eq!((rows[1][4], rows[2][4]), ("4", "4"));
    assert!(said.stderr.contains("no judgements for 1 query (q7)"), "{}", said.stderr);
}

#[test]
fn tables_name_bounds_that_say_nothing() {
    let folder = files();
    let table = folder.run(["eval", "a.run", "--qrels", "qrels", "--bounds"]);
    assert!(table.fine().contains("risk bound") && table.stdout.contains("1.6154 !"), "{}", table.stdout);
    for words in ["95 % confidence", "for all of 1 run at once", "documents are drawn independently", "! says nothing"]
    {
        assert!(table.stderr.contains(words), "no {words:?} in {}", table.stderr);
    }
    // A thousand queries of two documents, all right: the bounds do say something.
    let (mut qrels, mut run) = (String::new(), String::new());
    for query in 0..1000 {
        writeln!(qrels, "{query} 0 good 1\n{query} 0 bad 0").unwrap();
        writeln!(run, "{query} Q0 good 1 2 r\n{query} Q0 bad 2 1 r").unwrap();
    }
    folder.write("many", qrels);
    folder.write("many.run", run);
    let table = folder.run(["eval", "many.run", "--qrels", "many", "--bounds", "--confidence", "0.99"]);
    assert!(table.fine().contains("0.0480") && !table.stdout.contains('!'), "{}", table.stdout);
    assert!(table.stderr.contains("99 % confidence") && !table.stderr.contains("says nothing"), "{}", table.stderr);
}

/// Queries of five documents, whose grade the first feature tells with some noise.
fn letor(queries: std::ops::Range<u32>, features: u32) -> String {
    let mut text = String::new();
    for query in queries {
        for document in 0..5 {
            let grade = (document + query) % 3;
            write!(text, "{grade} qid:{query} 1:{}", 10 * grade + (7 * document + 3 * query) % 11).unwrap();
            (2..=features).for_each(|at| write!(text, " {at}:{}", (document * at + query) % 7).unwrap());
            writeln!(text, " #docid = {document}").unwrap();
        }
    }
    text
}

#[test]
fn a_linear_function_fitted_on_the_lines() {
    let folder = Folder::empty();
    folder.write("l.txt", letor(0..40, 3));
    let scores: String =
        letor(0..40, 3).lines().map(|line| format!("{}\n", line.split([' ', ':']).nth(4).unwrap())).collect();
    folder.write("scores.txt", scores);
    let said = folder.json(["eval", "scores.txt", "--letor", "l.txt", "--bounds", "--linear"]);
    assert_eq!(said["features"].as_u64(), Some(3));
    let run = &said["runs"][0];
    let [error, to, linear] = ["error", "error_to", "linear_to"].map(|name| run[name].as_f64().unwrap());
    assert!(error < to && to < linear, "{said}");
    let table = folder.run(["eval", "scores.txt", "--letor", "l.txt", "--bounds", "--linear"]);
    assert!(table.fine().contains("linear to") && table.stderr.contains("of the 3 features"), "{}", table.stderr);
    let plain = folder.json(["eval", "scores.txt", "--letor", "l.txt", "--bounds"]);
    assert!(plain["runs"][0].get("linear_to").is_none() && plain.get("features").is_none());
}

#[test]
fn a_scorer_and_its_parts() {
    let folder = Folder::empty();
    folder.write("l.txt", letor(0..31, 4) + "1 qid:none 1:1 2:0 3:1 4:1\n");
    folder.write("u.txt", letor(50..90, 4));
    let arguments = ["eval", "--letor", "l.txt", "--unlabelled", "u.txt", "--bounds", "--folds", "4"];
    let said = folder.json(arguments);
    assert_eq!((said["queries"].as_u64(), said["without_pair"].as_u64()), (Some(32), Some(1)));
    assert_eq!((said["unlabelled"].as_u64(), said["features"].as_u64()), (Some(40), Some(4)));
    let folds = said["folds"].as_array().unwrap();
    assert_eq!(folds.iter().map(|fold| fold["queries"].as_u64().unwrap()).collect::<Vec<_>>(), [8, 8, 8, 8]);
    let of = |name: &str| said[name].as_f64().unwrap();
    near(&said["risk"], folds.iter().map(|fold| fold["risk"].as_f64().unwrap()).sum::<f64>() / 4.0);
    // δ/2K = 1/160, δ/2 = 1/40.
    near(&said["risk_slack"], (160.0_f64.ln() / 16.0).sqrt());
    near(&said["distance_slack"], (40.0_f64.ln() / 80.0).sqrt());
    near(&said["bound"], of("risk") + of("risk_slack") + of("distance") + of("distance_slack"));
    assert!(of("risk") < 0.3 && of("distance") < 0.5, "{said}");

    let table = folder.run(arguments);
    for words in ["fold 4", "distance", "bound", "at most"] {
        assert!(table.fine().contains(words), "no {words:?} in {}", table.stdout);
    }
    assert!(table.stderr.contains("count as risk 0: 1"), "{}", table.stderr);
    let csv = folder.run([&arguments[..], &["--format", "csv"]].concat());
    assert_eq!(csv.fine().lines().next(), Some("part,queries,value,slack,at_most"));
    assert_eq!(csv.stdout.lines().count(), 1 + 4 + 3);
    // Grades of the unlabelled queries are not read.
    let without: String = letor(50..90, 4).lines().map(|line| format!("0{}\n", &line[1..])).collect();
    folder.write("u.txt", without);
    assert_eq!(folder.json(arguments), said);
}

#[test]
fn what_is_refused() {
    let folder = files();
    folder.write("l.txt", letor(0..9, 3));
    folder.write("u.txt", letor(0..9, 4));
    folder.write("one.txt", "1 qid:1 1:0\n0 qid:1 1:1\n");
    let with = |words: &[&'static str]| folder.run([&["eval", "--bounds"], words].concat());
    with(&["--letor", "l.txt", "--unlabelled", "u.txt"]).fails(1, &["u.txt", "3 features", "l.txt"]);
    with(&["--letor", "one.txt", "--unlabelled", "u.txt"]).fails(1, &["one.txt", "5 queries", "--folds"]);
    with(&["--letor", "l.txt", "--unlabelled", "u.txt", "a.run"]).fails(2, &["--unlabelled", "RUN"]);
    with(&["--letor", "l.txt", "--unlabelled", "l.txt", "--folds", "1"]).fails(2, &["--folds", "2 or more"]);
    with(&["--qrels", "qrels", "--unlabelled", "u.txt"]).fails(2, &["--qrels", "--unlabelled"]);
    with(&["--qrels", "qrels"]).fails(2, &["RUN"]);
    with(&["--qrels", "qrels", "a.run", "--linear"]).fails(2, &["--qrels", "--linear"]);
    with(&["--qrels", "qrels", "a.run", "--confidence", "95"]).fails(2, &["--confidence", "between 0 and 1"]);
    with(&["--qrels", "qrels", "a.run", "--alpha", "-1"]).fails(2, &["--alpha"]);
    with(&["--qrels", "qrels", "a.run", "--alpha", "1e4"]).fails(1, &["alpha", "overflow"]);
    with(&["--qrels", "qrels", "a.run", "--per-query"]).fails(2, &["--per-query"]);
    with(&["--qrels", "qrels", "a.run", "--measure", "map"]).fails(2, &["--measure"]);
    folder.run(["eval", "a.run", "--qrels", "qrels", "--confidence", "0.9"]).fails(2, &["--bounds"]);
    folder.write("same", "q1 0 d1 1\nq1 0 d2 1\nq1 0 d3 1\n");
    folder.run(["eval", "b.run", "--qrels", "same", "--bounds"]).fails(1, &["same", "run b", "a relevant document"]);
    folder.write("odd.run", "q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n");
    folder.run(["eval", "odd.run", "--qrels", "qrels", "--bounds"]).fails(1, &["odd.run", "d1", "lines 1 and 2"]);
}
