//! What programs that call the command rely on: keys, headers, streams and exit codes.

use std::io::pipe;

use serde_json::Value;

use crate::util::{Folder, Run};

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Two groups that both have an item `ant`.
fn grouped() -> Folder {
    let folder = Folder::empty();
    folder.write("items.csv", "id,query,x\nant,zoo,1\nbee,zoo,2\nant,farm,1\ncow,farm,3\nhen,farm,2\n");
    folder.run(["init", "items.csv"]).fine();
    folder.run(["answer", "ant", "cow", "second", "--group", "farm"]).fine();
    folder
}

#[test]
fn keys_of_a_ranking() {
    let always = ["centred", "centred_sd", "id", "mean", "rank", "rank_high", "rank_low", "sd", "tier"];
    let with = |more: &[&'static str]| {
        let mut keys = [&always[..], more].concat();
        keys.sort_unstable();
        keys
    };
    for (folder, top, expected) in [
        (Folder::project(), false, with(&[])),
        (Folder::project(), true, with(&["top"])),
        (grouped(), false, with(&["group"])),
        (grouped(), true, with(&["group", "top"])),
    ] {
        let ranking = folder.json(if top { ["rank", "--top", "2"].as_slice() } else { &["rank"] });
        assert_eq!(keys(&ranking), ["answers", "certainty", "inference", "items", "log_evidence"]);
        for item in ranking["items"].as_array().unwrap() {
            assert_eq!(keys(item), expected);
        }
    }
}

/// Every judge has every key, and CSV has them as columns in this order.
#[test]
fn keys_of_judges() {
    const KEYS: [&str; 19] = [
        "judge",
        "answers",
        "ties",
        "skips",
        "agreement",
        "common_pairs",
        "ranking_agreement",
        "noise",
        "noise_low",
        "noise_high",
        "bias",
        "bias_low",
        "bias_high",
        "careless",
        "gold",
        "gold_low",
        "gold_high",
        "gold_answers",
        "verdict",
    ];
    let folder = Folder::project();
    folder.append("answers.csv", "bee,cow,skip,zoe,\nant,cow,good,,\n".replace("ant,cow,good", "ant,,good"));
    let said = folder.json(["judges"]);
    assert_eq!(keys(&said), ["judges", "noise", "told_apart"]);
    let rows = said["judges"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    let mut sorted = KEYS;
    sorted.sort_unstable();
    rows.iter().for_each(|row| assert_eq!(keys(row), sorted));
    let csv = folder.run(["judges", "--format", "csv"]);
    assert_eq!(csv.fine().lines().next().unwrap(), KEYS.join(","));
    assert_eq!(csv.stderr, "");
    // What is not known is null, and empty.
    let zoe = rows.iter().find(|row| row["judge"] == "zoe").unwrap();
    assert_eq!((&zoe["noise"], &zoe["verdict"]), (&Value::Null, &"compared nothing".into()));
    assert!(csv.stdout.lines().any(|line| line == "zoe,0,0,1,,0,,,,,,,,,,,,0,compared nothing"), "{}", csv.stdout);
}

#[test]
fn keys_of_a_prediction() {
    let said = Folder::project().json(["predict", "ant", "cow"]);
    assert_eq!(keys(&said), ["first", "probability", "second", "tie"]);
}

#[test]
fn headers_of_csv() {
    let header = |folder: &Folder, more: &[&str]| {
        let run = folder.run(["rank", "--format", "csv"].iter().chain(more));
        run.fine().lines().next().unwrap().to_owned()
    };
    assert_eq!(header(&Folder::project(), &[]), "id,rank,mean,sd,centred,centred_sd,rank_low,rank_high,tier");
    assert_eq!(
        header(&Folder::project(), &["--top", "1"]),
        "id,rank,mean,sd,centred,centred_sd,rank_low,rank_high,top,tier"
    );
    assert_eq!(
        header(&grouped(), &["--top", "1"]),
        "id,rank,mean,sd,centred,centred_sd,rank_low,rank_high,top,group,tier"
    );
}

#[test]
fn csv_and_json_say_the_same() {
    let folder = Folder::example("countries");
    let ranking = folder.json(["rank", "--top", "3"]);
    let run = folder.run(["rank", "--top", "3", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(run.fine().as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let items = ranking["items"].as_array().unwrap();
    assert_eq!(rows.len(), items.len());
    for (row, item) in rows.iter().zip(items) {
        for (key, cell) in header.iter().zip(row) {
            match &item[key] {
                Value::String(text) => assert_eq!(text, cell),
                // Reading JSON may round the last bit of a number, which is printed exactly in both forms.
                number => {
                    let (json, csv) = (number.as_f64().unwrap(), cell.parse::<f64>().unwrap());
                    assert!((json - csv).abs() <= 2.0 * f64::EPSILON * csv.abs(), "{key}: {json} and {csv}");
                }
            }
        }
    }
}

/// Data to standard output, everything else to standard error.
#[test]
fn streams() {
    let folder = Folder::project();
    for format in ["json", "csv"] {
        assert_eq!(folder.run(["rank", "--format", format]).stderr, "");
    }
    let table = folder.run(["rank"]);
    assert!(table.fine().starts_with(" rank"));
    assert!(table.stderr.starts_with("3 items, 1 answer, log evidence -0.693\n"), "{}", table.stderr);
    let answer = folder.run(["answer", "ant", "cow", "first"]);
    assert_eq!(answer.fine(), "");
    assert!(answer.stderr.ends_with("; 2 answers to learn from\n"), "{}", answer.stderr);
}

/// A project is a folder or its file, the current one if not named.
#[test]
fn ways_to_name_a_project() {
    let folder = Folder::project();
    let here = folder.run(["rank", "--format", "json"]);
    for name in [".", "ordain.toml", "./ordain.toml"] {
        assert_eq!(folder.run(["rank", name, "--format", "json"]).fine(), here.fine());
    }
    let elsewhere = Folder::empty();
    let path = folder.path("");
    assert_eq!(elsewhere.run(["rank", path.to_str().unwrap(), "--format", "json"]).fine(), here.fine());
    elsewhere.refuses(["rank"], &["ordain.toml", "hint: ", "ordain init"]);
    elsewhere.refuses(["rank", "nowhere"], &["nowhere", "hint: "]);
    let words = ["items.csv", "ordain.toml", "hint: ", "ordain init items.csv"];
    folder.refuses(["rank", "items.csv"], &words);
    folder.refuses(["predict", "ant", "bee", "--project", "items.csv"], &words);
    folder.refuses(["answer", "ant", "bee", "first", "--project", "items.csv"], &words);
}

#[test]
fn wrong_usage() {
    let folder = Folder::project();
    let before = folder.files();
    for arguments in [
        ["rnk"].as_slice(),
        &["rank", "--top", "0"],
        &["rank", "--top", "-1"],
        &["rank", "--format", "xml"],
        &["rank", "--inference", "magic"],
        &["rank", ".", "."],
        &["predict"],
        &["init"],
        &["answer"],
        &["answer", "ant", "bee"],
        &["answer", "ant", "tie"],
        &["answer", "ant", "bee", "frist"],
        &["answer", "ant", "bee", "first", "cow"],
        &["answer", "ant", "bee", "first", "--judge", "two\nlines"],
    ] {
        folder.run(arguments).fails(2, &[]);
    }
    assert_eq!(folder.run([""; 0]).code, Some(2));
    assert!(folder.files() == before);
}

#[test]
fn help_for_everything() {
    let folder = Folder::empty();
    for command in [
        "init",
        "rank",
        "next",
        "ask",
        "judges",
        "tune",
        "compare",
        "report",
        "predict",
        "answer",
        "reproduce",
        "search",
        "simulate",
        "demo",
    ] {
        for help in ["-h", "--help"] {
            let run = folder.run([command, help]);
            assert!(run.fine().contains(&format!("Usage: ordain {command}")), "{}", run.stdout);
            assert_eq!(run.stderr, "");
        }
        assert!(folder.run(["--help"]).fine().contains(command));
        folder.run(["help", command]).fine();
    }
    assert!(folder.run(["--version"]).fine().starts_with("ordain "));
    assert!(folder.files().is_empty());
}

/// `ordain rank | head -1`: whoever reads has seen enough.
#[test]
fn nobody_reads_the_output() {
    let folder = Folder::example("countries");
    for format in ["table", "json", "csv"] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let mut command = folder.command(["rank", "--format", format]);
        let child = command.stdout(writer).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{format}");
    }
}

/// Every command that prints says so if its output is full, and is content if nobody reads it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    use std::process::Stdio;

    let folder = Folder::project();
    folder.write("items.csv", "id,x,truth\nant,1,3\nbee,2,2\ncow,4,1\n");
    folder.write("some.run", "1 Q0 a 1 3 some\n1 Q0 b 2 2 some\n");
    folder.write("pairs.csv", "first,second\nant,bee\n");
    folder.write("qrels.txt", "1 0 a 1\n1 0 b 0\n");
    folder.write("documents.csv", "id,text\na,some words\nb,words\n");
    let eval = ["eval", "some.run", "--qrels", "qrels.txt"];
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["--help"],
        vec!["--version"],
        vec!["help", "rank"],
        vec!["rank", "-h"],
        vec!["ask"],
        vec!["rank", "--format", "csv", "--columns", "all"],
        vec!["reproduce", "list"],
        vec!["fuse", "some.run"],
        vec!["search", "documents.csv", "words", "--format", "trec"],
    ];
    for format in ["table", "json", "csv"] {
        let simulate = ["simulate", "--truth", "truth", "--answers", "2"];
        let tune = ["tune", "--dry-run", "--restarts", "0"];
        let fuse = ["fuse", "some.run", "--output", "fused.run"];
        for command in [
            ["rank"].as_slice(),
            &["next"],
            &["judges"],
            &["predict", "ant", "bee"],
            &["predict", "--pairs", "pairs.csv"],
            &["search", "documents.csv", "words"],
            &eval,
            &[&eval[..], &["--per-query"]].concat(),
            &[&eval[..], &["--bounds"]].concat(),
            &simulate,
            &tune,
            &fuse,
        ] {
            commands.push([command, &["--format", format]].concat());
        }
    }
    for command in commands {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(&command).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        assert!(said.contains("error: cannot write to standard output: No space left"), "{command:?}: {said}");
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let child = folder.command(&command).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && !said.contains("error"), "{command:?}: {said}");
    }
}

#[test]
fn numbers_do_not_depend_on_the_run() {
    let folder = Folder::example("countries");
    let run = || Run::of(&mut folder.command(["rank", "--format", "json", "--top", "7"]));
    assert_eq!(run().fine(), run().fine());
}

/// The command is arguments, progress and printing: it assembles nothing that the library's front door assembles.
#[test]
fn nothing_is_assembled_by_hand() {
    fn sources(folder: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() { sources(&entry, out) } else { out.push(entry) }
        }
    }
    let mut files = Vec::new();
    sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 20, "{files:?}");
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
        let text = std::fs::read_to_string(file).unwrap();
        for word in ["kernel::build", "build(", "EpParams", "gp::Incremental", "Session::new", "AnswerWriter"] {
            let by_hand = text.lines().find(|line| line.contains(word) && !line.trim_start().starts_with("//"));
            // A thread pool is built too, and the parser of arguments.
            let other = ["ThreadPoolBuilder", "command.build()"];
            let fine = by_hand.is_none_or(|line| other.iter().any(|word| line.contains(word)));
            assert!(fine, "{}: {by_hand:?}", file.display());
        }
    }
}
