//! Runs and LETOR ranks query by query: the same as the files read whole.

use std::path::PathBuf;

use ordain::data::Run;
use ordain::formats::{
    LetorQueries, RunQueries, RunQuery, Scored, read_letor_judgements, read_letor_ranks, read_queries, read_runs,
    read_scores_or_runs,
};
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
    let [first, second] = paths.each_ref().map(|path| format!("{}:x", path.display()));
    assert_eq!(queries.names(), [first, second, "y".into()]);
}

/// The same documents with features and with ranks; without queries; in several files.
#[test]
fn judgements_leave_out_the_values() {
    let folder = Folder::new();
    let features =
        folder.write("f", "2 qid:a 1:0.5 3:1 #docid = A\n# a comment\n-1 qid:b 2:1\n0 qid:a 1:1 #docid = B\n");
    let ranks = folder.write("r", "2 qid:a 1:NULL 3:1 #docid = A\n-1 qid:b 2:NULL\n0 qid:a 1:1 #docid = B\n");
    for (file, line) in [(&features, 3), (&ranks, 2)] {
        let read = read_letor_judgements(&[file]).unwrap();
        let second = format!("b:{line}");
        let expected = [("a", vec![("A", 2), ("B", 0)]), ("b", vec![(second.as_str(), -1)])];
        assert_eq!(read.judgements.queries.len(), 2);
        for ((query, grades), (name, own)) in read.judgements.queries.iter().zip(&expected) {
            let own = own.iter().map(|&(document, grade)| (document.to_owned(), grade)).collect();
            assert_eq!((query.as_str(), grades), (*name, &own));
        }
        let documents: Vec<(usize, &str)> = read.documents.iter().map(|(query, id)| (*query, id.as_str())).collect();
        assert_eq!((documents, read.values), (vec![(0, "A"), (1, &*second), (0, "B")], 3));
    }
    let alone = read_letor_judgements(&[folder.write("n", "1 1:2\n0 1:NULL\n")]).unwrap();
    assert_eq!(alone.judgements.queries[0].0, "1");
    assert_eq!(alone.judgements.queries[0].1["2"], 0);
    let other = folder.write("o", "1 qid:c 1:2\n");
    let both = read_letor_judgements(&[&features, &other]).unwrap();
    assert_eq!((both.judgements.queries.len(), both.documents.last()), (3, Some(&(2, "c:1".to_owned()))));
    let twice = input(read_letor_judgements(&[&features, &ranks]), "r");
    assert_eq!((twice.line, twice.found.as_deref()), (Some(1), Some("qid:a")));
    check(&input(read_letor_judgements(&[folder.write("h", "0.5 qid:1 1:2\n")]), "h"), 1, "1", "0.5", "");
    check(&input(read_letor_judgements(&[folder.write("x", "1 qid:1 1:none\n")]), "x"), 1, "3", "1:none", "");
}

/// The first line says whether a file has scores or runs.
#[test]
fn scores_or_runs() {
    let folder = Folder::new();
    let read = |text: &str| read_scores_or_runs(folder.write("s", text));
    for (text, scores) in
        [("3\n\n1e2\n", [3.0, 100.0]), ("1 qid:1 x 3\n1 qid:1 x 4\n", [3.0, 4.0]), ("1 2 3 4 5 6\n7\n", [6.0, 7.0])]
    {
        assert_eq!(read(text).unwrap(), Scored::Scores(scores.to_vec()), "{text}");
    }
    for text in
        ["1 Q0 d 1 2.5 t\n", "1 0 d 1 2.5 t\n", "1 q0 d 1 2.5 7\n", "run\tqid\tdocid\trank\tscore\nt\t1\td\t1\t2.5\n"]
    {
        let Scored::Runs(runs) = read(text).unwrap() else { panic!("{text}") };
        assert_eq!(rows(&runs[0], "1").unwrap()[0].3, 2.5, "{text}");
    }
    let short = input(read("1 Q0 d 1 2 t\n1 Q0 e\n"), "s");
    assert_eq!((short.line, short.found.as_deref()), (Some(2), Some("3 cells")));
    assert_eq!(input(read("3\nhigh\n"), "s").line, Some(2));
    assert_eq!(input(read(""), "s").found.as_deref(), Some("an empty file"));
}

/// With a header and without: the same queries.
#[test]
fn queries_with_and_without_a_header() {
    let folder = Folder::new();
    let read = |text: &str| read_queries(folder.write("q", text));
    let bare = read("7\twhat is \"rank\nx1\ta\tb \n\n9\t\n").unwrap();
    let texts: Vec<(u64, &str, &str)> = bare.queries.iter().map(|one| (one.line, &*one.id, &*one.text)).collect();
    assert_eq!(texts, [(1, "7", "what is \"rank"), (2, "x1", "a\tb "), (4, "9", "")]);
    let headed = read("qid\ttext\n7\twhat is \"rank\n").unwrap();
    assert_eq!((headed.queries[0].text.as_str(), headed.header, bare.header), ("what is \"rank", true, false));
    // A header with some name that we know is a header, whatever else it lacks.
    assert_eq!(input(read("number\ttext\n7\tx\n"), "q").found.as_deref(), Some("number,text"));
    assert_eq!(input(read("QID\ttitle\n7\tx\n"), "q").found.as_deref(), Some("QID,title"));
    let torn = input(read("7\tx\n8 y\n"), "q");
    assert_eq!((torn.line, torn.found.as_deref()), (Some(2), Some("8 y")));
    check(&input(read("7\tx\n7\ty\n"), "q"), 2, "qid", "7", "line 1");
    check(&input(read("7\tx\n \ty\n"), "q"), 2, "qid", "", "an id of its own");
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
