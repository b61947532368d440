//! Damage of every kind to every kind of file, and extreme numbers for every option: exit code 1 or 2 with a reason, or
//! all is well; never a crash, never without end.

use std::time::{Duration, Instant};

use crate::util::{Folder, Run};

/// Nothing here takes a tenth of it, even on a busy machine.
const QUICK: Duration = Duration::from_secs(20);

/// A project and every other kind of file that the command reads.
fn everything() -> Folder {
    let folder = Folder::project();
    folder.write("items.csv", "id,x,truth\nant,1,3\nbee,2,2\ncow,4,1\n");
    folder.append("answers.csv", "bee,cow,second,eve,\n");
    folder.write("some.run", "1 Q0 a 1 3 some\n1 Q0 b 2 2 some\n2 Q0 a 1 1 some\n");
    folder.write("other.run", "1 Q0 b 1 3 other\n1 Q0 a 2 2 other\n");
    folder.write("qrels.txt", "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n");
    folder.write("clicks.csv", "qid,docid\n1,a\n");
    folder.write("letor.txt", "1 qid:1 1:1 2:2 #docid = a\n0 qid:1 1:2 2:1 #docid = b\n1 qid:2 1:1 2:3 #docid = a\n0 qid:2 1:2 2:1 #docid = b\n");
    folder.write("unlabelled.txt", "0 qid:3 1:1 2:2 #docid = a\n0 qid:3 1:2 2:1 #docid = b\n");
    folder.write("scores.txt", "1\n2\n3\n4\n");
    folder.write("documents.csv", "id,text\na,some words\nb,words\n");
    folder.write("queries.tsv", "qid\ttext\n1\twords\n");
    folder.write("stop.txt", "the\n");
    folder.write("pool.csv", "first,second\nant,bee\nant,cow\n");
    folder.write("new.csv", "id,x,truth\ndog,3,2\n");
    folder.write("new-links.csv", "source,target\ndog,ant\n");
    folder.write("kernels.toml", "[[kernel]]\nkind = \"linear\"\n");
    folder.run(FUSE).fine();
    folder
}

const FUSE: [&str; 9] =
    ["fuse", "some.run", "other.run", "--qrels", "qrels.txt", "--state", "state.json", "--output", "fused.run"];

#[track_caller]
fn ends_well(folder: &Folder, arguments: &[&str]) -> Run {
    let start = Instant::now();
    let run = folder.run(arguments);
    assert!(matches!(run.code, Some(0..=2)), "{arguments:?}: {:?}\n{}", run.code, run.stderr);
    assert!(run.code == Some(0) || run.stderr.contains("error: "), "{arguments:?}: {}", run.stderr);
    assert!(start.elapsed() < QUICK, "{arguments:?} took {:?}", start.elapsed());
    run
}

fn damaged(kind: &str, text: &[u8]) -> Vec<u8> {
    let middle = text.len() / 2;
    let insert = |bytes: &[u8]| [&text[..middle], bytes, &text[middle..]].concat();
    let replace = |from: u8, to: &[u8]| -> Vec<u8> {
        text.iter().flat_map(|&byte| if byte == from { to.to_vec() } else { vec![byte] }).collect()
    };
    match kind {
        "empty" => Vec::new(),
        "blank" => b"\n\n \n".to_vec(),
        "first line" => text.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default().to_vec(),
        "crlf" => replace(b'\n', b"\r\n"),
        "cr" => replace(b'\n', b"\r"),
        "nul" => insert(b"\0"),
        "only nul" => vec![0; 100],
        "not utf-8" => insert(b"\xff"),
        "escape" => insert(b"\x1b[2J"),
        "cut" => text[..text.len() * 2 / 3].to_vec(),
        "twice" => [text, text].concat(),
        "utf-16" => [b"\xff\xfe".to_vec(), text.iter().flat_map(|&byte| [byte, 0]).collect()].concat(),
        "quotes" => replace(b',', b",\""),
        "brackets" => b"[".repeat(100_000),
        "objects" => b"{\"a\":".repeat(50_000),
        "long line" => [text, &b"x".repeat(200_000), b"\n"].concat(),
        other => unreachable!("{other}"),
    }
}

#[test]
fn damaged_files() {
    const KINDS: [&str; 16] = [
        "empty",
        "blank",
        "first line",
        "crlf",
        "cr",
        "nul",
        "only nul",
        "not utf-8",
        "escape",
        "cut",
        "twice",
        "utf-16",
        "quotes",
        "brackets",
        "objects",
        "long line",
    ];
    let commands: [(&str, &[&str]); 26] = [
        ("items.csv", &["rank"]),
        ("items.csv", &["answer", "ant", "cow", "first"]),
        ("items.csv", &["init", "items.csv", "--folder", "new"]),
        ("items.csv", &["ask"]),
        ("links.csv", &["rank"]),
        ("links.csv", &["init", "items.csv", "--relation", "links.csv", "--folder", "new"]),
        ("answers.csv", &["rank"]),
        ("answers.csv", &["answer", "ant", "cow", "first"]),
        ("answers.csv", &["init", "answers.csv", "--folder", "new"]),
        ("ordain.toml", &["rank"]),
        ("ordain.toml", &["tune", "--restarts", "0"]),
        ("some.run", &["eval", "some.run", "--qrels", "qrels.txt"]),
        ("some.run", &["fuse", "some.run", "other.run", "--output", "fused.run"]),
        ("qrels.txt", &["eval", "some.run", "--qrels", "qrels.txt"]),
        ("state.json", &FUSE),
        ("clicks.csv", &["fuse", "some.run", "--clicks", "clicks.csv", "--output", "fused.run"]),
        ("letor.txt", &["simulate", "--letor", "letor.txt", "--answers", "2"]),
        ("letor.txt", &["eval", "--letor", "letor.txt", "--bounds", "--unlabelled", "unlabelled.txt", "--folds", "2"]),
        ("letor.txt", &["fuse", "--letor", "letor.txt", "--output", "fused.run"]),
        ("scores.txt", &["eval", "scores.txt", "--letor", "letor.txt"]),
        ("documents.csv", &["search", "documents.csv", "words"]),
        ("queries.tsv", &["search", "documents.csv", "--queries", "queries.tsv"]),
        ("pool.csv", &["next", "--pool", "pool.csv"]),
        ("new.csv", &["rank", "--with", "new.csv"]),
        ("new-links.csv", &["rank", "--with", "new.csv", "--with-links", "new-links.csv"]),
        ("kernels.toml", &["simulate", "--truth", "truth", "--answers", "2", "--model", "kernels.toml"]),
    ];
    let whole = everything();
    let files = whole.files();
    let restore = || {
        let _ = std::fs::remove_dir_all(whole.path("new"));
        files.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    };
    for (file, arguments) in commands {
        ends_well(&whole, arguments);
        let check = |kind: &str| {
            let run = ends_well(&whole, arguments);
            let named = files.keys().any(|path| run.stderr.contains(path.file_name().unwrap().to_str().unwrap()));
            assert!(run.code == Some(0) || named, "{file}, {kind}: an error without a file:\n{}", run.stderr);
            assert!(!run.stderr.contains('\u{1b}'), "{file}, {kind}");
        };
        for kind in KINDS {
            restore();
            whole.write(file, damaged(kind, files[&whole.path(file)].as_slice()));
            check(kind);
        }
        restore();
        std::fs::remove_file(whole.path(file)).unwrap();
        check("missing");
        // It may have been written anew.
        let _ = std::fs::remove_file(whole.path(file));
        std::fs::create_dir(whole.path(file)).unwrap();
        check("a folder");
        std::fs::remove_dir(whole.path(file)).unwrap();
        restore();
    }
}

/// A device that never ends is not read to its end.
#[cfg(target_os = "linux")]
#[test]
fn endless_files() {
    for device in ["/dev/zero", "/dev/urandom"] {
        let commands: [(&str, &[&str]); 9] = [
            ("items.csv", &["rank"]),
            ("links.csv", &["rank"]),
            ("answers.csv", &["rank"]),
            ("ordain.toml", &["rank"]),
            ("some.run", &["eval", "some.run", "--qrels", "qrels.txt"]),
            ("state.json", &FUSE),
            ("letor.txt", &["simulate", "--letor", "letor.txt"]),
            ("documents.csv", &["search", "documents.csv", "words"]),
            ("stop.txt", &["search", "documents.csv", "words", "--stop", "stop.txt"]),
        ];
        for (file, arguments) in commands {
            let folder = everything();
            std::fs::remove_file(folder.path(file)).unwrap();
            std::os::unix::fs::symlink(device, folder.path(file)).unwrap();
            let run = ends_well(&folder, arguments);
            assert!(run.code == Some(1) && run.stderr.contains(file), "{device} {arguments:?}: {}", run.stderr);
        }
    }
}

#[test]
fn extreme_numbers() {
    const VALUES: [&str; 14] = [
        "0",
        "-0",
        "-1",
        "1e308",
        "1e-320",
        "1e400",
        "NaN",
        "inf",
        "4294967295",
        "4294967296",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "",
    ];
    let commands: [(&[&str], &[&str]); 12] = [
        (&["rank"], &["--top", "--target", "--error"]),
        (&["next"], &["--count", "--focus", "--seed", "--target", "--error"]),
        (&["next", "--goal", "top"], &["--top"]),
        (&["ask"], &["--focus", "--seed", "--target", "--error", "--limit"]),
        (&["tune", "--dry-run"], &["--restarts", "--seed"]),
        (&["compare", "--fixed"], &["--folds", "--repeats", "--seed"]),
        (&["eval", "some.run", "--qrels", "qrels.txt", "--bounds"], &["--confidence", "--alpha"]),
        (
            &["eval", "--letor", "letor.txt", "--bounds", "--unlabelled", "unlabelled.txt"],
            &["--folds", "--confidence", "--alpha"],
        ),
        (&["fuse", "some.run", "other.run"], &["--initial", "--depth", "--top"]),
        (&["fuse", "some.run", "--learn", "hedge", "--qrels", "qrels.txt"], &["--beta"]),
        (&["search", "documents.csv", "words"], &["--top", "--k1", "--b"]),
        (
            &["simulate", "--truth", "truth"],
            &["--answers", "--focus", "--top", "--repeats", "--seed", "--noise", "--tie-width"],
        ),
    ];
    let folder = everything();
    for (command, options) in commands {
        for (option, value) in options.iter().flat_map(|option| VALUES.map(|value| (option, value))) {
            ends_well(&folder, &[command, &[&format!("{option}={value}")]].concat());
        }
    }
    for depth in VALUES {
        ends_well(
            &folder,
            &["eval", "some.run", "--qrels", "qrels.txt", "--measure", &format!("ndcg@{depth},rbp@{depth}")],
        );
    }
    // Each by itself is within bounds, but not together.
    let all = ["simulate", "--truth", "truth", "--answers", "1000000", "--repeats", "1000000"];
    folder.run(all).fails(2, &["more results than fit", "--repeats"]);
}

/// What is wrong with the content of a file is said with its name, though the library found out only later.
#[test]
fn errors_name_their_file() {
    let cases: [(&str, &str, &[&str], &[&str]); 7] = [
        (
            "qrels.txt",
            "1 0 a 9\n1 0 b 0\n",
            &["eval", "some.run", "--qrels", "qrels.txt", "--measure", "err@5"],
            &["qrels.txt: found \"9\"", "at most 4"],
        ),
        (
            "letor.txt",
            "# comment\n1 qid:1 1:1\n0.5 qid:1 1:2\n",
            &["eval", "scores.txt", "--letor", "letor.txt"],
            &["letor.txt, line 3, column 1: found \"0.5\"", "whole numbers"],
        ),
        (
            "letor.txt",
            "0.5 qid:1 1:1\n1 qid:1 1:2\n",
            &["simulate", "--letor", "letor.txt"],
            &["letor.txt, line 1, column 1: found \"0.5\"", "whole numbers"],
        ),
        (
            "letor.txt",
            "1 qid:1 1:1 2:1\n1 qid:2 1:2 2:1\n",
            &["eval", "--letor", "letor.txt", "--bounds", "--unlabelled", "unlabelled.txt", "--folds", "2"],
            &["letor.txt: found \"none with both\"", "a relevant document and one that is not"],
        ),
        (
            "some.run",
            "1 Q0 a 1 3 some\n1 Q0 b 2 -inf some\n",
            &["fuse", "other.run", "some.run", "--order", "combsum"],
            &["some.run, line 2: found \"-inf\"", "--order combsum", "hint: "],
        ),
        (
            "kernels.toml",
            "[[kernel]]\nkind = \"squared-exponential\"\nrho = [1, 2]\n",
            &["simulate", "--letor", "letor.txt", "wide.txt", "--model", "kernels.toml"],
            &["kernels.toml, column rho: found \"2 numbers\""],
        ),
        ("state.json", "", &FUSE, &["state.json: "]),
    ];
    for (file, text, arguments, words) in cases {
        let folder = everything();
        folder.write("wide.txt", "1 qid:8 1:1 2:2 3:1\n0 qid:8 1:2 2:1 3:3\n");
        folder.write(file, text);
        folder.refuses(arguments, words);
    }
    // Scores whose range overflows are added all the same.
    let folder = everything();
    folder.write("some.run", "1 Q0 a 1 1e308 some\n1 Q0 b 2 -1e308 some\n1 Q0 c 3 0 some\n");
    let fused = folder.run(["fuse", "some.run", "--order", "combsum"]);
    let scores: Vec<f64> = fused.fine().lines().map(|line| line.split(' ').nth(4).unwrap().parse().unwrap()).collect();
    assert_eq!(scores, [1.0, 0.5, 0.0]);
}

/// Names that are not UTF-8 are names.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_text() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;

    let folder = everything();
    let odd = |end: &str| -> OsString {
        let mut name = OsStr::from_bytes(b"x\xff").to_owned();
        name.push(end);
        name
    };
    std::fs::copy(folder.path("some.run"), folder.path(odd(".run"))).unwrap();
    std::fs::copy(folder.path("items.csv"), folder.path(odd(".csv"))).unwrap();
    let run = |arguments: &[&OsStr]| folder.run(arguments);
    let word = OsStr::new;
    run(&[word("eval"), &odd(".run"), word("--qrels"), word("qrels.txt")]).fine();
    run(&[word("fuse"), &odd(".run"), word("--output"), &odd(".out")]).fine();
    assert!(folder.path(odd(".out")).exists());
    run(&[word("init"), &odd(".csv"), word("--folder"), word("new")]).fails(1, &["a file name in UTF-8", "hint: "]);
    run(&[word("rank"), &odd("")]).fails(1, &["cannot read x\u{fffd}"]);
    run(&[word("predict"), &odd(""), word("ant")]).fails(2, &["invalid UTF-8"]);
    run(&[&odd("")]).fails(2, &["unrecognized subcommand"]);
}
