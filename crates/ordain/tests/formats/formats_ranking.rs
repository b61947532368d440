//! LETOR, qrels and runs.

use ordain::formats::{read_letor, read_letor_ranks, read_qrels, read_run, read_runs};
use proptest::prelude::*;

use crate::{Folder, check, input};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn letor_comes_back(rows in prop::collection::vec((0i32..3, 0u8..4, prop::collection::vec(prop::option::of(any::<f64>().prop_filter("finite", |v| v.is_finite())), 4)), 1..30)) {
        let mut text = String::new();
        for (line, (grade, query, features)) in rows.iter().enumerate() {
            text += &format!("{grade} qid:q{query}");
            for (at, value) in features.iter().enumerate().filter_map(|(at, value)| value.map(|value| (at, value))) {
                text += &format!(" {}:{value:e}", at + 1);
            }
            text += if line % 2 == 0 { "\n" } else { "  #docid = D inc = 1\n" };
            if line % 2 == 1 {
                text = text.replace("= D ", &format!("= D{line} "));
            }
        }
        let folder = Folder::new();
        let letor = read_letor(folder.write("s.txt", text)).unwrap();
        let width = letor.items.attributes().len();
        let groups = letor.items.groups().unwrap();
        for (line, (grade, query, features)) in rows.iter().enumerate() {
            prop_assert_eq!(letor.grades[line], f64::from(*grade));
            prop_assert_eq!(groups.names()[groups.of(ordain::data::ItemId::new(line))].clone(), format!("q{query}"));
            for (at, &value) in letor.items.attributes().row(line).iter().enumerate() {
                prop_assert_eq!(value, features[at].unwrap_or(0.0));
            }
            prop_assert!(features[width..].iter().all(Option::is_none));
            let id = if line % 2 == 0 { format!("q{query}:{}", line + 1) } else { format!("D{line}") };
            prop_assert_eq!(&letor.items.ids()[line], &id);
        }
    }

    #[test]
    fn qrels_and_runs_come_back(rows in prop::collection::vec(("[a-c]", "[a-z0-9-]{1,5}", any::<i32>(), any::<f64>(), "[xy]"), 1..40)) {
        let folder = Folder::new();
        let mut files = [String::new(), "qid\tdocid\trel\n".into(), String::new(), "run\tqid\tdocid\trank\tscore\n".into()];
        // A document is judged once for a query.
        let rows: Vec<_> =
            rows.into_iter().enumerate().map(|(at, (q, d, n, score, tag))| (q, format!("{d}.{at}"), n, score, tag)).collect();
        for (query, document, n, score, tag) in &rows {
            files[0] += &format!("{query} 0 {document} {n}\n");
            files[1] += &format!("{query}\t{document}\t{n}\n");
            files[2] += &format!("{query} Q0 {document} {n} {score:e} {tag}\n");
            files[3] += &format!("{tag}\t{query}\t{document}\t{n}\t{score:e}\n");
        }
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| folder.write(&at.to_string(), &files[at]));
        let qrels = read_qrels(a).unwrap();
        prop_assert_eq!(&read_qrels(b).unwrap(), &qrels);
        for (query, grades) in &qrels.queries {
            let own = rows.iter().filter(|row| row.0 == *query).map(|row| (row.1.clone(), row.2));
            prop_assert_eq!(&own.collect::<std::collections::HashMap<_, _>>(), grades);
        }
        let runs = read_runs(c).unwrap();
        for run in &runs {
            for (query, found) in &run.queries {
                let own: Vec<_> = rows.iter().filter(|row| row.0 == *query && row.4 == run.name).collect();
                prop_assert_eq!(own.len(), found.len());
                for (own, found) in own.iter().zip(found) {
                    prop_assert_eq!(&own.1, run.document(found));
                    prop_assert_eq!(own.2, found.rank);
                    prop_assert!(own.3 == found.score || (own.3.is_nan() && found.score.is_nan()));
                }
            }
        }
        prop_assert_eq!(read_runs(d).unwrap().len(), runs.len());
    }
}

#[test]
fn letor_that_is_wrong_says_where() {
    let folder = Folder::new();
    let read = |text: &str| read_letor(folder.write("s.txt", text));
    check(&input(read("0 qid:1 1:2\nx qid:1 1:2\n"), "s.txt"), 2, "1", "x", "");
    check(&input(read("0 qid:1 1:2\n0 1:2\n"), "s.txt"), 2, "2", "1:2", "");
    check(&input(read("0 qid:1 1:2 2:NULL\n"), "s.txt"), 1, "4", "2:NULL", "");
    check(&input(read("0 qid:1 1:2 2:nan\n"), "s.txt"), 1, "4", "2:nan", "");
    check(&input(read("0 qid:1 2:2 1:3\n"), "s.txt"), 1, "4", "1:3", "");
    check(&input(read("0 qid:1 0:2\n"), "s.txt"), 1, "3", "0:2", "");
    check(&input(read("0 qid:1 4000000000:2\n"), "s.txt"), 1, "3", "4000000000:2", "");
    let twice = "0 qid:1 1:2 #docid = A\n0 qid:2 1:2 #docid = A\n\n1 qid:1 1:3 #docid = A\n";
    check(&input(read(twice), "s.txt"), 4, "docid", "A", "line 1");
    assert_eq!(input(read("# only a comment\n"), "s.txt").found.as_deref(), Some("an empty file"));
    let plain = read("1 1:2 3:4\n-1 2:1\n").unwrap();
    assert!(plain.items.groups().is_none());
    assert_eq!(plain.items.ids(), ["1", "2"]);
    assert_eq!(plain.items.attributes().row(1), [0.0, 1.0, 0.0]);
}

#[test]
fn ranks_may_be_null() {
    let folder = Folder::new();
    let text = "2 qid:1 1:1 2:NULL 3:7 #docid = A\n0 qid:2 1:NULL 2:3 3:NULL #docid = A\n";
    let ranks = read_letor_ranks(folder.write("a.txt", text)).unwrap();
    assert_eq!(ranks.rankers, 3);
    assert_eq!(ranks.ranks(0), [Some(1.0), None, Some(7.0)]);
    assert_eq!(ranks.ranks(1), [None, Some(3.0), None]);
    assert_eq!(ranks.grades, [2.0, 0.0]);
}

#[test]
fn trec_files_that_are_wrong_say_where() {
    let folder = Folder::new();
    let qrels = |text: &str| read_qrels(folder.write("q", text));
    let runs = |text: &str| read_runs(folder.write("r", text));
    check(&input(qrels("1 0 d1 1\n1 0 d2 high\n"), "q"), 2, "4", "high", "");
    let error = input(qrels("1 0 d1 1\n1 d2 1\n"), "q");
    assert_eq!((error.line, error.found.as_deref()), (Some(2), Some("3 cells")));
    assert_eq!(input(qrels("qid\tdocid\n"), "q").expected, "a column rel or grade or code");
    check(&input(qrels("1 0 d1 1\n2 0 d1 1\n1 0 d1 0\n"), "q"), 3, "3", "d1", "");
    assert_eq!(input(qrels(""), "q").found.as_deref(), Some("an empty file"));
    check(&input(runs("1 Q0 d1 first 2.5 tag\n"), "r"), 1, "4", "first", "");
    check(&input(runs("1 Q0 d1 1 high tag\n"), "r"), 1, "5", "high", "");
    let run = read_run(folder.write("r", "1 Q0 d1 1 NaN tag\n2 Q0 d1 1 2 tag\n1 Q0 d1 2 1 tag\n")).unwrap();
    assert_eq!(run.queries[0].1.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 3]);
    assert!(run.queries[0].1[0].score.is_nan());
    assert!(input(read_run(folder.write("r", "1 Q0 d 1 2 a\n1 Q0 d 1 2 b\n")), "r").found.unwrap().contains("2 runs"));
}
