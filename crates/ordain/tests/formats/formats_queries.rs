//! Runs and LETOR ranks query by query: the same as the files read whole.

use std::path::PathBuf;

use ordain::data::Run;
use ordain::formats::{LetorQueries, RunQueries, RunQuery, read_letor_ranks, read_runs};
use proptest::prelude::*;

use crate::{Folder, check, input};

fn all(paths: &[PathBuf]) -> ordain::Result<Vec<RunQuery>> {
    let mut queries = RunQueries::open(paths)?;
    let mut out = Vec::new();
    while let Some(query) = queries.next()? {
        out.push(query);
    }
    Ok(out)
}

type Rows = Vec<(String, i32, u32, f64)>;

fn rows(run: &Run, query: &str) -> Option<Rows> {
    let (_, rows) = run.queries.iter().find(|(name, _)| name == query)?;
    Some(rows.iter().map(|row| (run.document(row).to_owned(), row.rank, row.line, row.score)).collect())
}

/// Queries by first appearance, were the files read one after the other, with the rows of each run.
fn whole(paths: &[PathBuf]) -> Vec<(String, Vec<Option<Rows>>)> {
    let runs: Vec<Run> = paths.iter().flat_map(|path| read_runs(path).unwrap()).collect();
    let mut queries: Vec<String> = Vec::new();
    for (query, _) in runs.iter().flat_map(|run| &run.queries) {
        if !queries.contains(query) {
            queries.push(query.clone());
        }
    }
    queries.into_iter().map(|query| (query.clone(), runs.iter().map(|run| rows(run, &query)).collect())).collect()
}

fn streamed(paths: &[PathBuf]) -> Vec<(String, Vec<Option<Rows>>)> {
    let of = |found: RunQuery| {
        let lists = found.lists.iter().map(|list| list.as_ref().and_then(|run| rows(run, &found.query))).collect();
        (found.query, lists)
    };
    all(paths).unwrap().into_iter().map(of).collect()
}

/// A run: some of eight queries in any order, each with a number of documents.
fn run() -> impl Strategy<Value = Vec<(u8, u8)>> {
    let queries = prop::sample::subsequence((0..8).collect::<Vec<u8>>(), 1..=8).prop_shuffle();
    queries.prop_flat_map(|queries| {
        let counts = prop::collection::vec(1u8..4, queries.len());
        counts.prop_map(move |counts| queries.iter().copied().zip(counts).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn queries_are_those_of_the_files(runs in prop::collection::vec(run(), 1..5), together in any::<bool>(), header in any::<bool>()) {
        let folder = Folder::new();
        let mut files = vec![String::new(); if together { 1 } else { runs.len() }];
        if header {
            files.iter_mut().for_each(|file| file.push_str("run\tqid\tdocid\trank\tscore\n"));
        }
        for (at, run) in runs.iter().enumerate() {
            let file = &mut files[if together { 0 } else { at }];
            for (query, count) in run {
                for rank in 1..=*count {
                    let (document, score) = (u32::from(rank) * 7 % 5, 1.0 / f64::from(rank));
                    *file += &match header {
                        true => format!("t{at}\tq{query}\td{document}\t{rank}\t{score}\n"),
                        false => format!("q{query} Q0 d{document} {rank} {score} t{at}\n"),
                    };
                }
            }
        }
        let paths: Vec<PathBuf> = files.iter().enumerate().map(|(at, file)| folder.write(&at.to_string(), file)).collect();
        prop_assert_eq!(streamed(&paths), whole(&paths));
    }

    #[test]
    fn ranks_are_those_of_the_files(queries in prop::collection::vec(prop::collection::vec((0u8..3, prop::collection::vec(prop::option::of(1u8..9), 3)), 1..4), 1..6), cut in 0usize..6) {
        let folder = Folder::new();
        let mut files = [String::new(), String::new()];
        let cut = cut % queries.len();
        for (at, documents) in queries.iter().enumerate() {
            for (document, (grade, ranks)) in documents.iter().enumerate() {
                let rank = |rank: &Option<u8>| rank.map_or("NULL".to_owned(), |rank| rank.to_string());
                let [a, b, c] = [0, 1, 2].map(|ranker| rank(&ranks[ranker]));
                files[usize::from(at > cut)] += &format!("{grade} qid:{at} 1:{a} 2:{b} 3:{c} #docid = D{document}\n# a comment\n");
            }
        }
        let mut paths = vec![folder.write("a", &files[0])];
        paths.extend((!files[1].is_empty()).then(|| folder.write("b", &files[1])));
        let held = read_letor_ranks(folder.write("both", files.concat())).unwrap();
        let mut stream = LetorQueries::open(&paths).unwrap();
        prop_assert_eq!(stream.rankers(), 3);
        let mut item = 0;
        while let Some((query, ranks)) = stream.next().unwrap() {
            for at in 0..ranks.items.len() {
                prop_assert_eq!(Some(query.as_str()), held.items.group_name(ordain::data::ItemId::new(item)));
                prop_assert_eq!(&ranks.items.ids()[at], &held.items.ids()[item]);
                prop_assert_eq!((ranks.ranks(at), ranks.grades[at]), (held.ranks(item), held.grades[item]));
                item += 1;
            }
        }
        prop_assert_eq!(item, held.items.len());
    }
}

#[test]
fn runs_are_told_apart() {
    let folder = Folder::new();
    let (a, b) = (folder.write("a.run", "1 Q0 d 1 2 x\n"), folder.write("b.run", "1 Q0 d 1 2 x\n1 Q0 d 1 3 y\n"));
    let paths = [a, b];
    let queries = RunQueries::open(&paths).unwrap();
    let [first, second] = paths.each_ref().map(|path| path.display().to_string());
    assert_eq!(queries.names(), [first, second, "y".into()]);
}

#[test]
fn runs_that_are_wrong_say_where() {
    let folder = Folder::new();
    let read = |text: &str| all(&[folder.write("a", "1 Q0 d 1 2 other\n"), folder.write("r", text)]);
    let apart = read("1 Q0 d1 1 2 t\n2 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n");
    check(&input(apart, "r"), 3, "1", "1", "sort -s -k1,1");
    let twice = input(read("1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n1 Q0 d1 3 0 t\n"), "r");
    assert_eq!((twice.line, twice.found.as_deref()), (Some(3), Some("document d1 again for query 1")));
    assert_eq!(twice.hint.as_deref(), Some("line 1 has the same document"));
    // So too in a file of several runs, which is held.
    let held = input(read("1 Q0 d1 1 2 t\n1 Q0 d1 2 1 u\n1 Q0 d1 3 0 t\n"), "r");
    assert_eq!((held.line, held.hint), (Some(3), twice.hint));
    let nan = input(read("1 Q0 d1 1 2 t\n2 Q0 d1 1 nan t\n"), "r");
    assert_eq!(nan.line, Some(2));
    assert!(nan.found.unwrap().contains("NaN of document d1 for query 2"));
    check(&input(read("1 Q0 d1 1 high t\n"), "r"), 1, "5", "high", "");
    assert_eq!(input(read(""), "r").found.as_deref(), Some("an empty file"));
}

#[test]
fn ranks_that_are_wrong_say_where() {
    let folder = Folder::new();
    let read = |text: &str| -> ordain::Result<usize> {
        let mut queries = LetorQueries::open(&[folder.write("l", text)])?;
        let mut count = 0;
        while queries.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    };
    assert_eq!(read("1 qid:1 1:3 2:NULL\n0 qid:1 1:4\n\n0 qid:2 2:1\n").unwrap(), 2);
    check(&input(read("1 qid:1 1:3\n0 qid:2 1:4\n0 qid:1 1:1\n"), "l"), 3, "2", "1", "sort -s -k2,2");
    check(&input(read("1 qid:1 1:3\n0 qid:2 1:x\n"), "l"), 2, "3", "1:x", "");
    check(&input(read("1 qid:1 1:3 #docid = A\n0 qid:1 1:4 #docid = A\n"), "l"), 2, "docid", "A", "line 1");
    check(&input(read("1 1:3\n"), "l"), 1, "2", "1:3", "");
    let wide = input(read("1 qid:1 1:3\n0 qid:1 1:4 2:1\n"), "l");
    assert_eq!((wide.line, wide.found.as_deref()), (Some(2), Some("2")));
    assert!(wide.expected.contains("rankers 1 to 1"), "{wide}");
    assert_eq!(input(read("# nothing\n"), "l").found.as_deref(), Some("an empty file"));
}
