//! `ordain reproduce`: the papers' experiments, here on small made-up data in the form of the real ones.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::util::{Folder, Run, gzip};

const OHSUMED: &str = "xpgp-ohsumed";
const LINKS: &str = "xpgp-links";
const TOP: &str = "xpgp-links-top";
const EXPLORE: &str = "axpgp-ohsumed";
const EXPLORE_LINKS: &str = "axpgp-links";
const STRATEGIES: &str = "strategies";
const K_PARTITE: &str = "kp-bounds";
const UNLABELLED: &str = "ud-bounds";

/// Numbers that look random and are the same everywhere.
struct Numbers(u64);

impl Numbers {
    /// Below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Data for all experiments under `data`: ten LETOR queries of 40 documents and ten of 10, a collection of 60 documents with
/// four queries of eight relevant documents, and three topics of twelve arguments.
fn with_data() -> Folder {
    let folder = Folder::empty();
    let mut numbers = Numbers(1);
    for name in ["data/letor-ohsumed", "data/letor-mq2008", "data/classic-ir/cacm", "data/pairwise/ukpconvarg1"] {
        std::fs::create_dir_all(folder.path(name)).unwrap();
    }
    let mut letor = |part: u64, documents: u64| {
        let mut text = String::new();
        for query in [2 * part - 1, 2 * part] {
            for document in 0..documents {
                let grade = (document % 5) / 2;
                let mut feature = || numbers.below(100) + 30 * grade;
                let (a, b, c) = (feature(), feature(), feature());
                writeln!(text, "{grade} qid:{query} 1:{a} 2:{b} 3:{c} #docid = {document}").unwrap();
            }
        }
        gzip(text)
    };
    for part in 1..=5 {
        folder.write(&format!("data/letor-ohsumed/S{part}.txt.gz"), letor(part, 40));
    }
    for part in 1..=5 {
        folder.write(&format!("data/letor-mq2008/S{part}.txt.gz"), letor(part, 10));
    }
    let words = ["tree", "stack", "queue", "graph", "logic", "tape"];
    let mut arguments = "topic\targ\trank_score\ttext\n".to_owned();
    for argument in 0..36 {
        let text: Vec<&str> = (0..2 + argument % 12).map(|_| words[numbers.below(6) as usize]).collect();
        let score = 0.001 * (36 - argument) as f64;
        writeln!(arguments, "t{}\ta{argument}\t{score}\t{}.", argument % 3, text.join(" ")).unwrap();
    }
    folder.write("data/pairwise/ukpconvarg1/arguments.tsv.gz", gzip(arguments));
    let (mut documents, mut relations) = (String::new(), "doc\tother\ttype\tweight\n".to_owned());
    for id in 1..=60 {
        let text: Vec<&str> = (0..8).map(|_| words[numbers.below(6) as usize]).collect();
        writeln!(
            documents,
            r#"{{"id": {id}, "title": "{}", "authors": ["X"], "published": "CACM May, {}", "abstract": "", "keywords": ""}}"#,
            text.join(" "),
            1958 + numbers.below(20)
        )
        .unwrap();
        // Documents of the same query, which are those of the same remainder, are linked.
        let other = (id + 4 * (1 + numbers.below(3)) - 1) % 60 + 1;
        for (from, to) in [(id, other), (other, id)] {
            writeln!(relations, "{from}\t{to}\tlink\t1").unwrap();
        }
    }
    relations.push_str("1\t1\tcocitation\t9\n");
    let (mut queries, mut judgements) = ("qid\ttext\tauthors\n".to_owned(), "qid\tdocid\trel\n".to_owned());
    for query in 1..=4_u64 {
        writeln!(queries, "{query}\tthe {} and {}\t", words[query as usize], words[0]).unwrap();
        for document in 0..8 {
            writeln!(judgements, "{query}\t{}\t1", 1 + (query + 4 * document) % 60).unwrap();
        }
    }
    for (name, text) in
        [("docs.jsonl", documents), ("relations.tsv", relations), ("queries.tsv", queries), ("qrels.tsv", judgements)]
    {
        folder.write(&format!("data/classic-ir/cacm/{name}.gz"), gzip(text));
    }
    folder
}

fn arguments<'a>(names: &[&'a str], out: &'a str) -> Vec<&'a str> {
    [&["reproduce"], names, &["--quick", "--data", "data", "--out", out]].concat()
}

/// The results in a folder, by their names.
fn results(folder: &Folder, out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let inside = folder.path(out);
    let files = folder.files().into_iter();
    files.filter_map(|(path, bytes)| Some((path.strip_prefix(&inside).ok()?.to_path_buf(), bytes))).collect()
}

#[test]
fn the_list() {
    let folder = Folder::empty();
    let list = folder.run(["reproduce", "list"]);
    let names = [OHSUMED, LINKS, TOP, EXPLORE, EXPLORE_LINKS, STRATEGIES, K_PARTITE, UNLABELLED];
    for word in [&names[..], &["XPGP, figure 2", "XPGP, figure 3", "AXPGP, figure 2, top", "ours", "minutes"]].concat()
    {
        assert!(list.fine().contains(word), "no {word} in {}", list.stdout);
    }
    assert!(folder.files().is_empty());
}

#[test]
fn wrong_names() {
    let folder = Folder::empty();
    folder.run(["reproduce", "xpgp-link"]).fails(2, &["xpgp-link", "similar", "'xpgp-links'"]);
    folder.run(["reproduce"]).fails(2, &["<NAME>"]);
    folder.run(["reproduce", "list", LINKS]).fails(2, &["list cannot be combined"]);
    assert!(folder.files().is_empty());
}

#[test]
fn missing_data() {
    let folder = Folder::empty();
    // Which folder, how many files, each of them with its collection, and where to get them.
    let words = ["error: nowhere: ", "5 files", "5 are missing", "docs/data.md"];
    let files: Vec<String> =
        (1..=5).map(|part| format!("\n  letor-ohsumed/S{part}.txt.gz, of LETOR OHSUMED")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    folder.refuses(["reproduce", OHSUMED, "--data", "nowhere"], &[&words[..], &files].concat());
    let of = |variable: Option<&str>, more: &[&str]| {
        let mut command = folder.command([&["reproduce", LINKS], more].concat());
        match variable {
            Some(value) => command.env("ORDAIN_DATA", value),
            None => command.env_remove("ORDAIN_DATA"),
        };
        Run::of(&mut command)
    };
    let words = ["docs.jsonl.gz, of CACM", "classic-ir/cacm/relations.tsv.gz", "docs/data.md"];
    let with = |folder: &'static str| [&words[..], &["hint: ", folder]].concat();
    of(Some("elsewhere"), &["--data", "nowhere"]).fails(1, &with("The folder nowhere is from --data"));
    of(Some("elsewhere"), &[]).fails(1, &with("The folder elsewhere is from the variable ORDAIN_DATA"));
    of(None, &[]).fails(1, &with("The folder data is from the default"));
    let help = folder.run(["reproduce", "--help"]);
    for word in ["letor-ohsumed/S5.txt.gz", "qid, docid and rel", "Microsoft Research", "SMART", "ORDAIN_DATA"] {
        assert!(help.fine().contains(word), "no {word} in {}", help.stdout);
    }
    assert!(folder.files().is_empty());

    let folder = with_data();
    for gone in ["letor-ohsumed/S2.txt.gz", "letor-ohsumed/S4.txt.gz"] {
        std::fs::remove_file(folder.path(format!("data/{gone}"))).unwrap();
    }
    let run = folder.run(arguments(&[OHSUMED], "out"));
    run.fails(1, &["but 2 are missing", "\n  letor-ohsumed/S2.txt.gz, of", "\n  letor-ohsumed/S4.txt.gz, of"]);
    assert!(!run.stderr.contains("\n  letor-ohsumed/S1.txt.gz"), "{}", run.stderr);
}

/// Files other than those that the page lists are read, and a warning names them: the made-up ones are not the real ones.
#[test]
fn other_data() {
    let folder = with_data();
    let run = folder.run(arguments(&[K_PARTITE], "out"));
    run.fine();
    let warnings: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    let [warning] = warnings[..] else { panic!("{}", run.stderr) };
    for part in 1..=5 {
        assert!(warning.contains(&format!("letor-ohsumed/S{part}.txt.gz")), "{warning}");
    }
    assert!(warning.contains("SHA-256") && warning.contains("docs/data.md"), "{warning}");
}

#[test]
fn all_experiments() {
    let folder = with_data();
    let run = |names: &[&str], out: &str, threads: &str| {
        Run::of(folder.command(arguments(names, out)).env("RAYON_NUM_THREADS", threads)).fine();
        results(&folder, out)
    };
    let one = run(&[OHSUMED, LINKS, TOP], "one", "1");
    assert!(one == run(&[OHSUMED, LINKS, TOP], "one", "2"), "nothing was left to do, and something changed");
    for (name, bytes) in run(&[LINKS], "two", "2") {
        assert!(name == Path::new("report.html") || one[&name] == bytes, "{name:?} with another number of threads");
    }
    for name in [OHSUMED, LINKS, TOP] {
        for ending in [".json", ".csv", "-tuned.csv", "-summary.csv", "-error.svg", "-auc.svg"] {
            assert!(one.contains_key(Path::new(&format!("{name}{ending}"))), "no {name}{ending}");
        }
    }
    assert_eq!(one.len(), 19, "{:?}", one.keys());
    let text = |name: &str| String::from_utf8(one[Path::new(name)].clone()).unwrap();
    // Queries times numbers of known pairs times reruns times models.
    let rows = |name: &str| text(name).lines().count() - 1;
    assert_eq!((rows("xpgp-ohsumed.csv"), rows("xpgp-links.csv")), (3 * 3 * 2 * 4, 4 * 4 * 2 * 4));
    assert_eq!((rows("xpgp-ohsumed-summary.csv"), rows("xpgp-links-summary.csv")), (3 * 4, 4 * 4));
    let report = text("report.html");
    for words in
        ["A quick run", "The paper's claim", "Where and why they differ", "<svg", "ordain reproduce xpgp-links --quick"]
    {
        assert!(report.contains(words), "no {words:?} in the report");
    }
    // Nothing beside it is needed.
    assert!(!report.contains("src=") && !report.contains("href="));
    check_summary(&text("xpgp-links.csv"), &text("xpgp-links-summary.csv"));
}

/// The summary's means are those of the cells, each query counting the same.
fn check_summary(cells: &str, summary: &str) {
    let rows = |text: &str| -> Vec<Vec<String>> {
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let cells = rows(cells);
    for row in rows(summary) {
        let own = cells.iter().filter(|cell| cell[1] == row[0] && cell[3] == row[1]);
        for (column, at) in [(2, 4), (4, 5)] {
            let values: Vec<f64> = own.clone().filter_map(|cell| cell[at].parse().ok()).collect();
            let Ok(mean) = row[column].parse::<f64>() else {
                assert!(values.is_empty() && row[1] == "svm");
                continue;
            };
            assert!((0.0..=1.0).contains(&mean));
            // Sums of a few numbers below 1 in another order.
            assert!((mean - values.iter().sum::<f64>() / values.len() as f64).abs() < 1e-12, "{row:?}");
        }
    }
}

/// Sessions: the same bytes for any number of threads and interruptions, and means that are those of the sessions.
#[test]
fn exploration() {
    let folder = with_data();
    let run = |out: &str, threads: &str| {
        let names = [EXPLORE, EXPLORE_LINKS, STRATEGIES];
        Run::of(folder.command(arguments(&names, out)).env("RAYON_NUM_THREADS", threads)).fine();
        results(&folder, out)
    };
    let whole = run("one", "1");
    assert!(whole == run("two", "2"), "with another number of threads");
    for name in [EXPLORE, EXPLORE_LINKS] {
        for ending in [".json", ".csv", "-tuned.csv", "-summary.csv", "-map.svg", "-glicko.svg"] {
            assert!(whole.contains_key(Path::new(&format!("{name}{ending}"))), "no {name}{ending}");
        }
    }
    for set in ["ohsumed", "mq2008", "mq2008-small", "cacm", "arguments"] {
        for ending in [".csv", "-tuned.csv", "-summary.csv", "-map.svg", "-ndcg10.svg", "-best.svg"] {
            let name = format!("{STRATEGIES}-{set}{ending}");
            assert!(whole.contains_key(Path::new(&name)), "no {name}");
        }
    }
    let text = |name: &str| String::from_utf8(whole[Path::new(name)].clone()).unwrap();
    // Queries times repeats times contenders.
    let rows = |name: &str| text(name).lines().count() - 1;
    assert_eq!((rows("axpgp-ohsumed.csv"), rows("axpgp-links.csv")), (6 * 2 * 6, 4 * 2 * 7));
    assert_eq!((rows("strategies-mq2008-small.csv"), rows("strategies-arguments.csv")), (4 * 19, 3 * 15));
    for name in ["axpgp-ohsumed", "strategies-mq2008"] {
        check_curves(&text(&format!("{name}.csv")), &text(&format!("{name}-summary.csv")));
    }
    let report = text("report.html");
    for words in ["The question", "What came out", "signed-rank p", "id=\"strategies\"", "Glicko, whole order"] {
        assert!(report.contains(words), "no {words:?} in the report");
    }
    for name in ["axpgp-ohsumed.csv", "axpgp-links-tuned.csv", "strategies-cacm.csv"] {
        let bytes = &whole[Path::new(name)];
        for end in [0, 7, bytes.len() / 2, bytes.len() - 1] {
            folder.write(&format!("two/{name}"), &bytes[..end]);
            assert!(run("two", "2") == whole, "{name} torn at {end}");
        }
    }
    let with = |more: &[&'static str]| [arguments(&[STRATEGIES], "one"), more.to_vec()].concat();
    folder.refuses(with(&["--seed", "2"]), &["strategies.json", "found \"1\"", "seed 2", "--out"]);
}

/// The summary's means and standard errors are those of the queries' means, computed another way.
fn check_curves(sessions: &str, summary: &str) {
    let cells = |line: &str| -> Vec<String> { line.split(',').map(str::to_owned).collect() };
    let columns = cells(sessions.lines().next().unwrap());
    let sessions: Vec<Vec<String>> = sessions.lines().skip(1).map(cells).collect();
    let heads = cells(summary.lines().next().unwrap());
    for row in summary.lines().skip(1).map(cells) {
        for measure in ["map", "ndcg10", "best"] {
            let column = columns.iter().position(|column| *column == format!("{measure}_{}", row[1])).unwrap();
            let mut queries: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
            for session in sessions.iter().filter(|session| session[2] == row[0]) {
                queries.entry(&session[0]).or_default().push(session[column].parse().unwrap());
            }
            let means: Vec<f64> = queries.values().map(|all| all.iter().sum::<f64>() / all.len() as f64).collect();
            let count = means.len() as f64;
            let mean = means.iter().sum::<f64>() / count;
            // The variance as half the mean squared difference of two.
            let squares: f64 = means.iter().flat_map(|a| means.iter().map(move |b| (a - b).powi(2))).sum();
            let error = (squares / (2.0 * count * (count - 1.0)) / count).sqrt();
            let at = heads.iter().position(|head| head == measure).unwrap();
            let found: [f64; 2] = [at, at + 1].map(|at| row[at].parse().unwrap());
            // Sums of a few numbers below 1 in another order; a root of what should be 0 is larger.
            assert!((found[0] - mean).abs() < 1e-12 && (found[1] - error).abs() < 1e-7, "{row:?} {mean} {error}");
        }
    }
}

/// Bounds: the same bytes for any number of threads and interruptions, and inequalities that hold in every sample.
#[test]
fn bounds() {
    let folder = with_data();
    let run = |out: &str, threads: &str| {
        Run::of(folder.command(arguments(&[K_PARTITE, UNLABELLED], out)).env("RAYON_NUM_THREADS", threads)).fine();
        results(&folder, out)
    };
    let whole = run("one", "1");
    assert!(whole == run("two", "2"), "with another number of threads");
    let of_k_partite =
        [".json", ".csv", "-summary.csv", "-bound.svg", "-slack.svg"].map(|end| format!("{K_PARTITE}{end}"));
    let endings = [".json", ".csv", "-summary.csv", "-bound-0.001.svg", "-bound-0.1.svg", "-distance.svg"];
    let of_unlabelled = endings.map(|end| format!("{UNLABELLED}{end}"));
    for name in of_k_partite.iter().chain(&of_unlabelled) {
        assert!(whole.contains_key(Path::new(name)), "no {name}");
    }
    let text = |name: &str| String::from_utf8(whole[Path::new(name)].clone()).unwrap();
    let rows = |name: &str| -> Vec<BTreeMap<String, f64>> {
        let text = text(name);
        let header: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
        let row = |line: &str| header.iter().cloned().zip(line.split(',').map(|cell| cell.parse().unwrap())).collect();
        text.lines().skip(1).map(row).collect()
    };
    // Sizes times samples; penalties times sizes times samples.
    let (k_partite, unlabelled) = (rows("kp-bounds.csv"), rows("ud-bounds.csv"));
    assert_eq!((k_partite.len(), unlabelled.len()), (3 * 20, 2 * 3 * 4));
    for row in &k_partite {
        assert!(row["linear_pooled_slack"] <= row["linear_slack"] && row["feature_slack"] < row["linear_slack"]);
        assert!(row["feature_largest_deviation"] >= (row["feature_error"] - row["feature_truth"]).abs());
        assert!(row["feature_largest_deviation"] < row["feature_slack"] && (1.0..=3.0).contains(&row["feature"]));
    }
    for row in &unlabelled {
        // UD's inequality of expectations, whatever the sample; rounding.
        assert!((row["truth"] - row["folds_truth"]).abs() <= row["distance_truth"] + 1e-12, "{row:?}");
        let bound = row["folds_risk"] + row["folds_slack"] + row["distance_10000"] + (40.0_f64.ln() / 20_000.0).sqrt();
        assert!(row["truth"] <= bound, "{row:?}");
    }
    let summary = text("kp-bounds-summary.csv");
    let last = summary.lines().last().unwrap().split(',').collect::<Vec<_>>();
    let own: Vec<&BTreeMap<String, f64>> = k_partite.iter().filter(|row| row["size"] == 1e6).collect();
    let upper = own.iter().map(|row| row["linear_error"] + row["linear_pooled_slack"]).sum::<f64>() / 20.0;
    // A sum in another order.
    assert!((last[7].parse::<f64>().unwrap() - upper).abs() < 1e-12, "{last:?} {upper}");
    let report = text("report.html");
    for words in
        ["is below 1", "theory allows", "id=\"ud-bounds\"", "unlabelled", "Bounds fell short of the truth in 0 of"]
    {
        assert!(report.contains(words), "no {words:?} in the report");
    }
    for name in ["kp-bounds.csv", "ud-bounds.csv"] {
        let bytes = &whole[Path::new(name)];
        for end in [0, 7, bytes.len() / 2, bytes.len() - 1] {
            folder.write(&format!("two/{name}"), &bytes[..end]);
            assert!(run("two", "2") == whole, "{name} torn at {end}");
        }
    }
    folder.write("data/letor-ohsumed/S3.txt.gz", gzip("0.5 qid:1 1:2 2:1 3:1\n"));
    folder.refuses(arguments(&[K_PARTITE], "three"), &["S3.txt.gz", "0.5", "grades 0, 1, 2"]);
    folder.write("data/letor-ohsumed/S3.txt.gz", gzip("1 qid:1 1:2 2:1\n0 qid:1 1:2 2:0\n"));
    for name in [K_PARTITE, UNLABELLED] {
        folder.refuses(arguments(&[name], "three"), &["S3.txt.gz", "features 1 to 3", "2"]);
    }
}

/// Killed at work, torn in the middle of a line, or with files lost: the run goes on and ends with the same bytes.
#[test]
fn interrupted_runs_go_on() {
    let folder = with_data();
    folder.run(arguments(&[LINKS], "whole")).fine();
    let whole = results(&folder, "whole");

    let mut child = folder.command(arguments(&[LINKS], "killed")).stderr(Stdio::null()).spawn().unwrap();
    let begun =
        || std::fs::read_to_string(folder.path("killed/xpgp-links-tuned.csv")).is_ok_and(|text| text.len() > 200);
    while !begun() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    folder.run(arguments(&[LINKS], "killed")).fine();
    assert!(results(&folder, "killed") == whole, "after a kill");

    let cells = folder.read("whole/xpgp-links.csv");
    for end in [0, 3, cells.len() / 2, cells.len() - 1] {
        folder.write("killed/xpgp-links.csv", &cells[..end]);
        std::fs::remove_file(folder.path("killed/report.html")).unwrap();
        folder.run(arguments(&[LINKS], "killed")).fine();
        assert!(results(&folder, "killed") == whole, "torn at {end}");
    }
}

/// What was made otherwise is neither mixed nor changed.
#[test]
fn other_settings_are_refused() {
    let folder = with_data();
    folder.run(arguments(&[LINKS], "out")).fine();
    let with = |more: &[&'static str]| [arguments(&[LINKS], "out"), more.to_vec()].concat();
    folder.refuses(with(&["--seed", "2"]), &["xpgp-links.json", "found \"1\"", "seed 2", "--out"]);
    folder.refuses(
        ["reproduce", LINKS, "--data", "data", "--out", "out"],
        &["a quick run", "a full run", "hint: ", "--out"],
    );
    folder.write("out/xpgp-links.csv", "query,known,rerun,model,error,auc\n1,5,1,svm,0.5,\n");
    folder.refuses(with(&[]), &["xpgp-links.csv", "line 2", "1,5,1,svm"]);
    folder.write("data/classic-ir/cacm/queries.tsv.gz", gzip("qid\ttext\n1\ttree\n2\ttree\n3\ttree\n4\ttree\n"));
    folder.refuses(with(&[]), &["queries.tsv.gz with checksum"]);
    folder.write("out/xpgp-links.json", "{}\n");
    folder.refuses(with(&[]), &["xpgp-links.json", "line 1", "hint: "]);
}

#[test]
fn broken_data() {
    let name = "data/classic-ir/cacm/relations.tsv.gz";
    for (row, words) in [
        ("1\t99\tlink\t1", ["line 2", "column other", "99"]),
        ("1\t2\tfriend\t1", ["line 2", "column type", "friend"]),
        ("1\t2\tlink\tmany", ["line 2", "column weight", "many"]),
    ] {
        let folder = with_data();
        folder.write(name, gzip(format!("doc\tother\ttype\tweight\n{row}\n")));
        folder.refuses(arguments(&[LINKS], "out"), &words);
    }
    let folder = with_data();
    folder.write("data/classic-ir/cacm/docs.jsonl.gz", gzip("{\"id\": 1}\n"));
    folder.refuses(arguments(&[LINKS], "out"), &["docs.jsonl.gz", "line 1", "title"]);
    folder.write("data/letor-ohsumed/S3.txt.gz", gzip("1 qid:1 1:x\n"));
    folder.refuses(arguments(&[OHSUMED], "out"), &["S3.txt.gz", "line 1"]);
}

/// A finished run is shown though another one's record cannot be read for the report.
#[test]
fn a_broken_record_of_another() {
    let folder = with_data();
    std::fs::create_dir(folder.path("out")).unwrap();
    folder.write("out/xpgp-ohsumed.json", "{\n");
    let run = folder.run(arguments(&[LINKS], "out"));
    assert_eq!(run.code, Some(1));
    for words in ["xpgp-ohsumed.json", "--out", "signed-rank test over the queries"] {
        assert!(run.stderr.contains(words), "no {words:?} in {}", run.stderr);
    }
    for words in ["xpgp-links (a quick run: few queries and reruns, no result)", "known pairs", "XPGP, common cause"] {
        assert!(run.stdout.contains(words), "no {words:?} in {}", run.stdout);
    }
}

/// A run that stopped is in the report as what it is.
#[test]
fn unfinished_runs_in_the_report() {
    let folder = with_data();
    folder.run(arguments(&[LINKS], "out")).fine();
    folder.write("out/xpgp-links.csv", "query,known,rerun,model,error,auc\n");
    folder.run(arguments(&[OHSUMED], "out")).fine();
    let report = folder.read("out/report.html");
    assert!(report.contains("not finished") && report.contains("id=\"xpgp-links\""));
}
