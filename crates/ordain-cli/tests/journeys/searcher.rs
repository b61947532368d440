//! A searcher has runs of two engines under one tag, judgements, and queries in a file without a header.

use crate::util::Folder;

fn files() -> Folder {
    let folder = Folder::empty();
    let run = |shift: usize| -> String {
        let line = |query: usize, rank: usize| {
            format!("q{query} Q0 d{} {} {} engine\n", (rank * (shift + 3) + query) % 20, rank + 1, 20 - rank)
        };
        (0..6).flat_map(|query| (0..20).map(move |rank| line(query, rank))).collect()
    };
    std::fs::create_dir(folder.path("a")).unwrap();
    std::fs::create_dir(folder.path("b")).unwrap();
    folder.write("a/bm25.run", run(0));
    folder.write("b/dense.run", run(4));
    let judged =
        |query: usize| (0..12).map(move |at| format!("q{query} 0 d{} {}\n", (at * 7 + query) % 20, at % 3 / 2));
    folder.write("qrels.txt", (0..6).flat_map(judged).collect::<String>());
    folder.write("docs.csv", "id,text\nd0,ranking of pages\nd1,cooking with herbs\nd2,ranking of films\n");
    folder.write("queries.tsv", "q0\tranking films\nq1\therbs\n");
    folder
}

#[test]
fn from_runs_to_a_fused_ranking() {
    let folder = files();
    let runs = ["a/bm25.run", "b/dense.run", "--qrels", "qrels.txt"];
    let run = |words: &[&str], more: &[&str]| folder.run(words.iter().chain(&runs).chain(more));
    // Of both runs, each with the same tag: for every query the dense one has relevant documents at the ranks 3, 6, 9 and 12.
    let measures = ["--measure", "mrr@10,map@10,success@5,bpref,judged@10,infap"];
    let eval = run(&["eval"], &measures);
    let said = eval.fine();
    let dense: Vec<&str> =
        said.lines().find(|line| line.contains("b/dense.run:engine")).unwrap().split_whitespace().collect();
    assert!(said.contains("a/bm25.run:engine"), "{said}");
    assert_eq!(dense[1..], ["6", "0.3333", "0.2500", "1.0000", "0.1250", "1.0000", "0.3333"], "{said}");

    // Side by side, one row per query.
    let each = run(&["eval"], &["--per-query", "--measure", "mrr", "--format", "csv"]);
    let rows: Vec<&str> = each.fine().lines().collect();
    assert_eq!(rows[0], "query,a/bm25.run:engine,b/dense.run:engine");
    assert_eq!(rows.iter().filter(|row| row.starts_with("q3,") && row.ends_with(",0.3333333333333333")).count(), 1);

    // Fused with weights that the judgements teach. The same judgements again would count twice.
    let state = ["--state", "weights.json", "--output", "fused.run"];
    let first = run(&["fuse"], &state);
    assert!(first.fine().contains("b/dense.run:engine") && !first.stderr.contains("warning"), "{}", first.stderr);
    let again = run(&["fuse"], &state);
    again.fine();
    assert!(
        again.stderr.contains("warning: weights.json had learned from 6 of these queries already"),
        "{}",
        again.stderr
    );
    let measured = folder.json(["eval", "fused.run", "a/bm25.run", "--qrels", "qrels.txt", "--measure", "map"]);
    let map = |at: usize| measured["runs"][at]["measures"]["map"].as_f64().unwrap();
    assert!(map(0) > map(1), "{measured}");
}

/// Queries without a header, searched in the searcher's own documents, and measured as any run.
#[test]
fn from_documents_to_a_measured_run() {
    let folder = files();
    let search = folder.run(["search", "docs.csv", "--queries", "queries.tsv", "--output", "own.run"]);
    search.fine();
    assert!(search.stderr.contains("queries.tsv has no header"), "{}", search.stderr);
    // "ranking" is in two documents, and "films" in one of them.
    let run = folder.read("own.run");
    let found: Vec<Vec<&str>> = run.lines().map(|line| line.split(' ').collect()).collect();
    let listed: Vec<(&str, &str)> = found.iter().map(|line| (line[0], line[2])).collect();
    assert_eq!(listed, [("q0", "d2"), ("q0", "d0"), ("q1", "d1")], "{run}");
    folder.run(["eval", "own.run", "--qrels", "qrels.txt", "--measure", "success@1"]).fine();
}
