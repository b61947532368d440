//! `ordain eval`: values worked out by hand, the forms of the output, and what trec_eval's users expect of odd files.

use crate::util::Folder;

/// Two queries. For q1, run `a` finds the grade 2 first and the grade 1 third, run `b` the other way round; only `a`
/// answers q2.
pub fn files() -> Folder {
    let folder = Folder::empty();
    folder.write("qrels", "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\n");
    folder.write("a.run", "q1 Q0 d1 1 3.0 a\nq1 Q0 d2 2 2.0 a\nq1 Q0 d3 3 1.0 a\nq2 Q0 d9 1 1.0 a\nq2 Q0 d1 2 0.5 a\n");
    folder.write("b.run", "q1 Q0 d3 1 3.0 b\nq1 Q0 d2 2 2.0 b\nq1 Q0 d1 3 1.0 b\n");
    folder
}

#[track_caller]
pub fn near(found: &serde_json::Value, expected: f64) {
    // A dozen roundings.
    assert!((found.as_f64().unwrap() - expected).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn values_by_hand() {
    let folder = files();
    let measures = "map,p@2,recall@2,mrr,ndcg@3,rprec,wta";
    let said = folder.json(["eval", "a.run", "b.run", "--qrels", "qrels", "--measure", measures, "--per-query"]);
    let [a, b] = &said["runs"].as_array().unwrap()[..] else { panic!("two runs: {said}") };
    assert_eq!((a["name"].as_str(), a["queries"].as_u64()), (Some("a"), Some(2)));
    assert_eq!((b["name"].as_str(), b["queries"].as_u64()), (Some("b"), Some(1)));
    // q1: relevant at 1 and 3 of 2 relevant ones; q2: at 2 of 1.
    near(&a["per_query"]["q1"]["map"], (1.0 + 2.0 / 3.0) / 2.0);
    near(&a["per_query"]["q2"]["map"], 0.5);
    near(&a["measures"]["map"], ((1.0 + 2.0 / 3.0) / 2.0 + 0.5) / 2.0);
    near(&a["measures"]["p@2"], 0.5);
    near(&a["measures"]["recall@2"], 0.75);
    near(&a["measures"]["mrr"], 0.75);
    near(&a["measures"]["rprec"], 0.25);
    near(&a["measures"]["wta"], 0.5);
    // DCG 2 + 1/2 over 2 + 1/log2(3); the other way round 1 + 2/2.
    let best = 2.0 + 1.0 / 3.0_f64.log2();
    near(&a["per_query"]["q1"]["ndcg@3"], 2.5 / best);
    near(&b["measures"]["ndcg@3"], 2.0 / best);
    assert!(b["per_query"].get("q2").is_none());
    let complete = folder.json(["eval", "b.run", "--qrels", "qrels", "--measure", "map,wta", "--complete"]);
    near(&complete["runs"][0]["measures"]["map"], (1.0 + 2.0 / 3.0) / 4.0);
    near(&complete["runs"][0]["measures"]["wta"], 0.5);
}

#[test]
fn forms_of_the_output() {
    let folder = files();
    let csv = folder.run(["eval", "a.run", "b.run", "--qrels", "qrels", "--measure", "MAP,P_2", "--format", "csv"]);
    let lines: Vec<&str> = csv.fine().lines().collect();
    assert_eq!(lines[0], "run,queries,map,p@2");
    assert!(lines[1].starts_with("a,2,0.6666666666666") && lines[2].starts_with("b,1,0.83333333333333"), "{lines:?}");
    let every = ["eval", "a.run", "--qrels", "qrels", "--measure", "mrr", "--format", "csv", "--per-query"];
    assert_eq!(folder.run(every).fine(), "query,a\nq1,1\nq2,0.5\n");
    folder.write("c.run", folder.read("b.run").replace(" b\n", " a\n"));
    let same = folder.run(["eval", "a.run", "c.run", "--qrels", "qrels", "--measure", "mrr", "--format", "csv"]);
    assert_eq!(same.fine(), "run,queries,mrr\na.run:a,2,0.75\nc.run:a,1,1\n");
    let table = folder.run(["eval", "a.run", "b.run", "--qrels", "qrels"]);
    assert!(table.fine().contains("ndcg@10"), "{}", table.fine());
    assert!(table.stderr.contains("b.run, run b: no documents for 1 judged query (q2)"), "{}", table.stderr);
}

/// One row per query, one column per run, or per measure and run. Nothing stands where a run does not answer.
#[test]
fn runs_stand_side_by_side() {
    let folder = files();
    let eval = |runs: &[&str], measure: &str, format: &str| {
        let options = ["--qrels", "qrels", "--per-query", "--measure", measure, "--format", format];
        folder.run(["eval"].iter().chain(runs).chain(&options)).fine().to_owned()
    };
    assert_eq!(eval(&["a.run", "b.run"], "mrr", "csv"), "query,a,b\nq1,1,1\nq2,0.5,\n");
    assert_eq!(eval(&["a.run"], "mrr,p@2", "csv"), "query,mrr,p@2\nq1,1,0.5\nq2,0.5,0.5\n");
    let both = eval(&["a.run", "b.run"], "mrr,p@2", "csv");
    assert_eq!(both, "query,mrr a,mrr b,p@2 a,p@2 b\nq1,1,1,0.5,0.5\nq2,0.5,,0.5,\n");
    let table = eval(&["a.run", "b.run"], "mrr", "table");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let expected: [&[&str]; 4] =
        [&["query", "a", "b"], &["q1", "1.0000", "1.0000"], &["q2", "0.5000"], &["all", "0.7500", "1.0000"]];
    assert_eq!(rows, expected);
    // JSON has each run's queries under the run.
    let said: serde_json::Value = serde_json::from_str(&eval(&["a.run", "b.run"], "mrr", "json")).unwrap();
    assert_eq!(said["runs"][1]["per_query"], serde_json::json!({ "q1": { "mrr": 1.0 } }));
}

/// Measures by hand that look at what was judged: of q1, d2 was judged not relevant, d5 is in the pool but was not judged.
#[test]
fn incomplete_judgements() {
    let folder = files();
    folder.append("qrels", "q1 0 d5 -1\n");
    folder.write("c.run", "q1 Q0 d5 1 9 c\nq1 Q0 d1 2 8 c\nq1 Q0 d7 3 7 c\nq1 Q0 d2 4 6 c\nq1 Q0 d3 5 5 c\n");
    let measures = "bpref,infap,judged@4,success@1,mrr@1,mrr@2,map@2";
    let said = folder.json(["eval", "c.run", "--qrels", "qrels", "--measure", measures]);
    let found = &said["runs"][0]["measures"];
    // One document was judged not relevant; it comes after d1 and before d3.
    near(&found["bpref"], 0.5);
    // d1 at place 2: itself, and d5 before it, taken for relevant by half for lack of judged ones. d3 at place 5: d5, d1 and d2 before it,
    // of the judged ones half are relevant.
    near(&found["infap"], ((1.0 + 0.5) / 2.0 + (1.0 + 3.0 * 0.5) / 5.0) / 2.0);
    near(&found["judged@4"], 0.75);
    for (measure, value) in [("success@1", 0.0), ("mrr@1", 0.0), ("mrr@2", 0.5), ("map@2", 0.25)] {
        near(&found[measure], value);
    }
    let note = |qrels: &str| folder.run(["eval", "c.run", "--qrels", qrels, "--measure", "infap"]).stderr;
    assert!(!note("qrels").contains("infap is map"), "{}", note("qrels"));
    folder.replace("qrels", "q1 0 d5 -1\n", "");
    assert!(note("qrels").contains("infap: no grade of qrels is negative"), "{}", note("qrels"));
}

/// LETOR's rank aggregation: grades from a file of ranks and NULL, with scores, and with the run that `fuse --letor` writes.
#[test]
fn letor_ranks_and_the_run_fused_from_them() {
    let folder = Folder::empty();
    folder.write(
        "x.txt",
        "0 qid:1 1:1 2:NULL #docid = A\n2 qid:1 1:2 2:NULL #docid = B\n1 qid:1 1:NULL 2:NULL #docid = C\n",
    );
    folder.write("y.txt", "1 qid:2 1:2 2:NULL #docid = A\n0 qid:2 1:1 2:2 #docid = D\n");
    folder.run(["fuse", "--letor", "x.txt", "y.txt", "--learn", "none", "--output", "f.run"]).fine();
    let said = folder.json(["eval", "f.run", "--letor", "x.txt", "--letor", "y.txt", "--measure", "map,mrr"]);
    assert_eq!((said["runs"][0]["name"].as_str(), said["runs"][0]["queries"].as_u64()), (Some("ordain"), Some(2)));
    // Query 1 is A, B, and C which no ranker has; query 2 is D, A.
    near(&said["runs"][0]["measures"]["map"], ((0.5 / 2.0) + 0.5) / 2.0);
    near(&said["runs"][0]["measures"]["mrr"], 0.5);
    let one = folder.run(["eval", "f.run", "--letor", "x.txt", "--measure", "mrr", "--format", "csv"]);
    assert_eq!(one.fine(), "run,queries,mrr\nordain,1,0.5\n");
    assert!(one.stderr.contains("no judgements for 1 query (2)"), "{}", one.stderr);
    // Scores beside it: B first.
    folder.write("s.txt", "1\n3\n2\n");
    let scores = folder.json(["eval", "s.txt", "f.run", "--letor", "x.txt", "--measure", "mrr"]);
    near(&scores["runs"][0]["measures"]["mrr"], 1.0);
    near(&scores["runs"][1]["measures"]["mrr"], 0.5);
    folder.run(["eval", "s.txt", "--letor", "x.txt", "--letor", "y.txt"]).fails(1, &["5 scores", "x.txt, y.txt"]);
    folder.run(["eval", "f.run", "--letor", "x.txt", "--letor", "x.txt"]).fails(1, &["x.txt", "qid:1"]);
    let unlabelled = ["eval", "--bounds", "--unlabelled", "y.txt", "--letor", "x.txt", "--letor", "y.txt"];
    folder.run(unlabelled).fails(2, &["--unlabelled", "one file"]);
}

#[test]
fn ties_as_asked() {
    let folder = files();
    folder.write("tied.run", "q1 Q0 d1 1 1 t\nq1 Q0 d2 2 1 t\n");
    let mrr = |ties: &str| {
        let said = folder.json(["eval", "tied.run", "--qrels", "qrels", "--measure", "mrr", "--ties", ties]);
        said["runs"][0]["measures"]["mrr"].as_f64().unwrap()
    };
    // trec_eval puts the larger id first.
    assert_eq!((mrr("trec"), mrr("given"), mrr("expected")), (0.5, 1.0, 0.75));
}

#[test]
fn letor_with_scores() {
    let folder = Folder::empty();
    folder.write("test.txt", "2 qid:1 1:0 #docid = A\n0 qid:1 1:0 #docid = B\n1 qid:2 1:0 #docid = A\n");
    folder.write("good.txt", "3\n1\n0.5\n");
    folder.write("bad.txt", "1\n3\n0.5\n");
    let said = folder.json(["eval", "good.txt", "bad.txt", "--letor", "test.txt", "--measure", "mrr,ndcg-letor@2"]);
    near(&said["runs"][0]["measures"]["mrr"], 1.0);
    near(&said["runs"][1]["measures"]["mrr"], 0.75);
    // LETOR discounts the second place by nothing.
    near(&said["runs"][1]["measures"]["ndcg-letor@2"], 1.0);
    folder.write("short.txt", "1\n");
    let short = folder.run(["eval", "short.txt", "--letor", "test.txt"]);
    short.fails(1, &["short.txt", "3 scores"]);
    folder.write("half.txt", "0.5 qid:1 1:0 #docid = A\n");
    folder.run(["eval", "short.txt", "--letor", "half.txt"]).fails(1, &["half.txt", "0.5", "whole numbers"]);
    folder.write("text.txt", "1\nhigh\n3\n");
    folder.run(["eval", "text.txt", "--letor", "test.txt"]).fails(1, &["text.txt", "line 2", "high"]);
}

#[test]
fn odd_files_are_said() {
    let folder = files();
    let eval = |run: &str| {
        folder.write("odd.run", run);
        folder.run(["eval", "odd.run", "--qrels", "qrels"])
    };
    eval("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq1 Q0 d1 3 0 t\n").fails(1, &["odd.run", "d1", "query q1", "lines 1 and 3"]);
    eval("q1 Q0 d1 1 nan t\n").fails(1, &["odd.run", "NaN", "query q1", "line 1"]);
    eval("q1 Q0 d1 1 x t\n").fails(1, &["odd.run", "line 1", "x"]);
    let ranks = eval("q1 Q0 d1 2 2 t\nq1 Q0 d2 1 1 t\nq9 Q0 d2 1 1 t\n");
    ranks.fine();
    assert!(ranks.stderr.contains("line 1, query q1: the rank contradicts the score"), "{}", ranks.stderr);
    assert!(ranks.stderr.contains("no judgements for 1 query (q9)"), "{}", ranks.stderr);
    folder.write("steep", "q1 0 d1 5000\n");
    let steep = |measure| folder.run(["eval", "a.run", "--qrels", "steep", "--measure", measure]);
    steep("ndcg-exp@10").fails(1, &["5000", "1023"]);
    steep("err").fails(1, &["5000", "at most 4"]);
    steep("ndcg@10").fine();
    folder.write("twice", "q1 0 d1 1\nq1 0 d1 0\n");
    folder.run(["eval", "a.run", "--qrels", "twice"]).fails(1, &["twice", "line 2", "d1", "q1"]);
    folder.run(["eval", "a.run", "--qrels", "qrels", "--measure", "ndgc@10"]).fails(2, &["ndgc@10", "ndcg@k"]);
    folder.run(["eval", "a.run"]).fails(2, &["--qrels"]);
}
