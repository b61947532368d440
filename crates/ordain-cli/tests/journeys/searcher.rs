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
    folder.write("docs.csv", "id,text\nd0,learning to rank pages\nd1,cooking with herbs\nd2,ranking of films\n");
    folder.write("queries.tsv", "q0\tranking films\nq1\therbs\n");
    folder
}

#[test]
fn from_runs_to_a_fused_ranking() {
    let folder = files();
    let measures = "mrr@10,map@10,success@5,bpref,judged@10,infap,ndcg@10";
    let eval = folder.run(["eval", "a/bm25.run", "b/dense.run", "--qrels", "qrels.txt", "--measure", measures]);
    // One tag, two files.
    let said = eval.fine();
    assert!(said.contains("bm25.run:engine") && said.contains("dense.run:engine"), "{said}");
    let each =
        folder.run(["eval", "a/bm25.run", "b/dense.run", "--qrels", "qrels.txt", "--per-query", "--format", "csv"]);
    let rows: Vec<&str> = each.fine().lines().collect();
    assert_eq!(rows.iter().filter(|row| row.starts_with("q3,")).count(), 1, "{rows:?}");
    let fuse = [
        "fuse",
        "a/bm25.run",
        "b/dense.run",
        "--qrels",
        "qrels.txt",
        "--state",
        "weights.json",
        "--output",
        "fused.run",
    ];
    let first = folder.run(fuse);
    first.fine();
    assert!(!first.stderr.contains("already learned"), "{}", first.stderr);
    let again = folder.run(fuse);
    again.fine();
    assert!(again.stderr.contains("already learned"), "{}", again.stderr);
    folder.run(["eval", "fused.run", "--qrels", "qrels.txt"]).fine();
    folder.run(["search", "docs.csv", "--queries", "queries.tsv", "--output", "own.run"]).fine();
    assert!(folder.read("own.run").starts_with("q0 "));
}
