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
    assert_eq!(folder.run(every).fine(), "run,query,mrr\na,q1,1\na,q2,0.5\n");
    folder.write("c.run", folder.read("b.run").replace(" b\n", " a\n"));
    let same = folder.run(["eval", "a.run", "c.run", "--qrels", "qrels", "--measure", "mrr", "--format", "csv"]);
    assert_eq!(same.fine(), "run,queries,mrr\na.run,2,0.75\nc.run,1,1\n");
    let table = folder.run(["eval", "a.run", "b.run", "--qrels", "qrels"]);
    assert!(table.fine().contains("ndcg@10"), "{}", table.fine());
    assert!(table.stderr.contains("b.run, run b: no documents for 1 judged query (q2)"), "{}", table.stderr);
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
