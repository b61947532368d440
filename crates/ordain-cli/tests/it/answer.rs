//! `ordain answer`: what is acknowledged is in the log, whole and once, and what is refused is not.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::util::{Folder, Run};

/// The lines of the log after those that were there.
fn added(folder: &Folder, before: &str) -> Vec<String> {
    let after = folder.read("answers.csv");
    let added = after.strip_prefix(before).expect("what was in the log has changed");
    assert!(after.ends_with('\n'));
    added.lines().map(str::to_owned).collect()
}

#[test]
fn one_line_each() {
    let folder = Folder::project();
    let cases: [(&[&str], &str); 12] = [
        (&["ant", "cow", "first"], "ant,cow,first,,"),
        (&["ant", "cow", "second", "--judge", "eve"], "ant,cow,second,eve,"),
        (&["ant", "cow", "skip", "--judge", "Ann, \"the\" judge"], "ant,cow,skip,\"Ann, \"\"the\"\" judge\","),
        (&["ant", "cow", "first>>"], "ant,cow,first>>,,"),
        (&["ant", "cow", "second:0.8"], "ant,cow,first:0.2,,"),
        (&["ant", "cow", "first:1"], "ant,cow,first,,"),
        (&["ant", "cow", "7:3", "--judge", "eve"], "ant,cow,7:3,eve,"),
        (&["ant", "good"], "ant,,good,,"),
        (&["ant", "bad"], "ant,,bad,,"),
        (&["cow", "--grade", "4", "--judge", "eve"], "cow,,grade:4,eve,"),
        (&["cow", "skip"], "cow,,skip,,"),
        (&["undo", "--judge", "eve"], ",,undo,eve,"),
    ];
    for (words, line) in cases {
        let before = folder.read("answers.csv");
        folder.run(["answer"].iter().chain(words)).fine();
        let added = added(&folder, &before);
        assert_eq!(added.len(), 1, "{added:?}");
        let time = added[0].strip_prefix(line).unwrap_or_else(|| panic!("{added:?} is not {line}"));
        // As 2024-03-04T09:00:07Z.
        assert!(time.len() == 20 && time.starts_with("20") && time.ends_with('Z'), "{time}");
        folder.run(["rank"]).fine();
    }
}

/// What is wrong is named with what to write, and nothing is recorded; a log of winners holds no more than winners.
#[test]
fn soft_answers_that_are_wrong() {
    let folder = Folder::project();
    let before = folder.read("answers.csv");
    for (word, expected) in [
        ("first:1.2", "a probability from 0 to 1"),
        ("first:much", "a probability from 0 to 1"),
        ("0:0", "at least one vote"),
        ("7:-3", "whole numbers of votes that are not negative"),
        ("9999999:1", "at most 1000000 votes of a kind"),
        ("fist>", "such as first:0.8 or 7:3"),
    ] {
        folder.run(["answer", "ant", "cow", word]).fails(2, &[word, expected, "for example"]);
    }
    assert_eq!(folder.read("answers.csv"), before);
    folder.write("answers.csv", "winner,loser\nant,bee\n");
    folder.refuses(["answer", "ant", "cow", "first:0.8"], &["answers.csv", "\"first:0.8\"", "start a new log"]);
}

#[test]
fn columns_of_others_are_kept() {
    let folder = Folder::project();
    let log = "page,second,first,outcome,mood\nhome,bee,ant,first,\"gay, and glad\"\n";
    folder.write("answers.csv", log);
    folder.run(["answer", "ant", "cow", "second"]).fine();
    assert_eq!(added(&folder, log), [",cow,ant,second,"]);
    assert_eq!(folder.json(["rank"])["answers"], 2);
}

#[test]
fn the_first_answer_makes_the_log() {
    let folder = Folder::project();
    std::fs::remove_file(folder.path("answers.csv")).unwrap();
    folder.run(["answer", "ant", "cow", "first", "--judge", "eve"]).fine();
    assert!(folder.read("answers.csv").starts_with("first,second,outcome,judge,time\nant,cow,first,eve,20"));
    // A log that was made but never written to.
    folder.write("answers.csv", "");
    folder.run(["answer", "ant", "cow", "first"]).fine();
    assert_eq!(added(&folder, "first,second,outcome,judge,time\n").len(), 1);
}

#[test]
fn groups_are_named_where_ids_do_not_say() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,query,x\nant,zoo,1\nbee,zoo,2\nant,farm,1\ncow,farm,3\n");
    folder.run(["init", "items.csv"]).fine();
    folder.refuses(["answer", "ant", "bee", "first"], &["\"ant\"", "name the group too"]);
    folder.run(["answer", "ant", "bee", "first", "--group", "zoo"]).fine();
    assert!(folder.read("answers.csv").starts_with("first,second,outcome,judge,time,group\nant,bee,first,,20"));
    assert!(folder.read("answers.csv").ends_with(",zoo\n"));
    assert_eq!(folder.json(["rank"])["answers"], 1);
}

#[test]
fn an_undo_takes_back_the_judges_latest() {
    let folder = Folder::project();
    folder.run(["answer", "bee", "cow", "first", "--judge", "eve"]).fine();
    folder.run(["answer", "cow", "ant", "first", "--judge", "bob"]).fine();
    let told = folder.run(["answer", "undo", "--judge", "eve"]);
    told.fine();
    assert!(told.stderr.contains("2 answers"), "{}", told.stderr);

    let same = Folder::project();
    same.write("answers.csv", "winner,loser,judge\nant,bee,eve\ncow,ant,bob\n");
    assert_eq!(folder.run(["rank", "--format", "json"]).fine(), same.run(["rank", "--format", "json"]).fine());
}

#[test]
fn nothing_to_take_back() {
    let folder = Folder::project();
    folder.refuses(["answer", "undo"], &["answers.csv", "\"undo\"", "hint: ", "--judge eve"]);
    folder.refuses(["answer", "undo", "--judge", "bob"], &["\"bob\"", "--judge eve"]);
    folder.run(["answer", "undo", "--judge", "eve"]).fine();
    folder.refuses(["answer", "undo", "--judge", "eve"], &["there are no answers to take back"]);
}

#[test]
fn ties_need_a_width() {
    let folder = Folder::project();
    folder.refuses(["answer", "ant", "bee", "tie"], &["ordain.toml", "tie_width", "hint: ", "under [answers]"]);
    folder.append("ordain.toml", "tie_width = 0.2\n");
    folder.run(["answer", "ant", "bee", "tie"]).fine();
    folder.replace("ordain.toml", "tie_width = 0.2\n", "");
    folder.refuses(["rank"], &["ordain.toml", "tie_width", "hint: "]);
}

#[test]
fn what_is_refused_is_not_written() {
    let folder = Folder::project();
    folder.refuses(["answer", "ant", "bea", "first"], &["\"bea\"", "did you mean \"bee\"?"]);
    folder.refuses(["answer", "ant", "ant", "first"], &["\"ant\"", "compared with itself"]);
    folder.refuses(["answer", "dog", "good"], &["\"dog\"", "there are: ant, bee, cow"]);
    std::fs::remove_file(folder.path("answers.csv")).unwrap();
    folder.refuses(["answer", "ant", "bea", "first"], &["\"bea\""]);
    folder.refuses(["answer", "ant", "bee", "tie"], &["tie_width"]);
    folder.refuses(["answer", "undo"], &["no answers to take back"]);
}

#[test]
fn a_torn_line_is_not_written_onto() {
    let folder = Folder::project();
    folder.append("answers.csv", "ant,cow,first,eve,2024-0");
    for arguments in [["answer", "ant", "cow", "first"].as_slice(), &["answer", "undo", "--judge", "eve"], &["rank"]] {
        folder.refuses(arguments, &["answers.csv, line 3", "torn", "hint: "]);
    }
}

#[test]
fn logs_that_cannot_be_appended_to() {
    let folder = Folder::project();
    folder.write("answers.csv", "winner,loser\nant,bee\n");
    folder.refuses(["answer", "undo"], &["answers.csv", "undo", "hint: "]);
    folder.refuses(["answer", "ant", "good"], &["answers.csv", "good", "hint: "]);
    folder.refuses(["answer", "ant", "bee", "first", "--judge", "eve"], &["judge", "hint: "]);
    folder.run(["answer", "ant", "cow", "second"]).fine();
    assert_eq!(folder.read("answers.csv"), "winner,loser\nant,bee\ncow,ant\n");
    folder.write("answers.csv", crate::util::gzip("winner,loser\nant,bee\n"));
    folder.refuses(["answer", "ant", "cow", "first"], &["packed", "decompress"]);
}

/// Eight judges answer at once, each in processes of their own.
#[test]
fn judges_do_not_lose_each_others_answers() {
    const JUDGES: usize = 8;
    const EACH: usize = 20;
    let folder = Folder::project();
    // Short lines, so that the log stays within one page of memory: a file system may show a reader half of a line that
    // is being written across two, which is a torn line to that reader.
    let before = "first,second,outcome,judge\n";
    folder.write("answers.csv", before);
    thread::scope(|scope| {
        for judge in 0..JUDGES {
            let folder = &folder;
            scope.spawn(move || {
                for number in 0..EACH {
                    let outcome = if number % 2 == 0 { "first" } else { "second" };
                    folder.run(["answer", "ant", "cow", outcome, "--judge", &judge.to_string()]).fine();
                }
            });
        }
    });
    let added = added(&folder, before);
    assert_eq!(added.len(), JUDGES * EACH);
    for judge in 0..JUDGES {
        let said: Vec<&str> = added
            .iter()
            .map(|line| line.split(',').collect::<Vec<_>>())
            .inspect(|cells| assert_eq!(cells.len(), 4))
            .filter(|cells| cells[3] == judge.to_string())
            .map(|cells| cells[2])
            .collect();
        // All of them, in the order in which this judge gave them.
        assert_eq!(said, ["first", "second"].repeat(EACH / 2));
    }
    assert_eq!(folder.json(["rank"])["answers"], JUDGES * EACH);
}

/// Whoever comes too late is told so, and the log stays readable.
#[test]
fn undos_at_the_same_moment() {
    for _ in 0..5 {
        let folder = Folder::project();
        let undo = || folder.command(["answer", "undo", "--judge", "eve"]).stderr(Stdio::null()).spawn().unwrap();
        let mut running: Vec<_> = (0..6).map(|_| undo()).collect();
        let codes: Vec<_> = running.iter_mut().map(|child| child.wait().unwrap().code()).collect();
        assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
        assert_eq!(folder.json(["rank"])["answers"], 0);
    }
}

/// Killed at any moment, the log stays readable and holds every acknowledged answer once.
#[test]
fn a_kill_tears_nothing() {
    let folder = Folder::project();
    std::fs::remove_file(folder.path("answers.csv")).unwrap();
    let mut acknowledged = Vec::new();
    let mut started = 0;
    for round in 0..60u64 {
        // Spread over 0 to 8 ms, in an order that does not repeat: multiples of the golden ratio.
        let delay = Duration::from_micros(round * 4_944 % 8_000);
        let judge = format!("judge{round}");
        let mut command = folder.command(["answer", "ant", "cow", "first", "--judge", &judge]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while start.elapsed() < delay {
            std::hint::spin_loop();
        }
        // Fails if the process is over already.
        let _ = child.kill();
        if child.wait().unwrap().success() {
            acknowledged.push(judge);
        } else {
            started += 1;
        }
        let run = folder.run(["rank", "--format", "json"]);
        let ranking: serde_json::Value = serde_json::from_str(run.fine()).unwrap();
        let count = ranking["answers"].as_u64().unwrap() as usize;
        assert!((acknowledged.len()..=acknowledged.len() + started).contains(&count));
    }
    // However busy the machine was, one answer at least goes through.
    Run::of(&mut folder.command(["answer", "ant", "cow", "first", "--judge", "last"])).fine();
    acknowledged.push("last".into());
    let log = folder.read("answers.csv");
    for line in log.lines() {
        assert_eq!(line.split(',').count(), 5, "{line}");
    }
    for judge in acknowledged {
        assert_eq!(log.matches(&format!("ant,cow,first,{judge},")).count(), 1, "{judge}");
    }
}

/// The first line that a command says while it runs, and the rest after `meanwhile`.
fn says_first(mut command: Command, meanwhile: impl FnOnce()) -> [String; 2] {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let [mut first, mut rest] = [String::new(), String::new()];
    said.read_line(&mut first).unwrap();
    meanwhile();
    said.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success(), "{first}{rest}");
    [first, rest]
}

#[test]
fn what_an_answer_waits_for_is_said() {
    let folder = Folder::project();
    let lock = File::open(folder.path("answers.csv")).unwrap();
    lock.lock().unwrap();
    let [first, rest] = says_first(folder.command(["answer", "ant", "cow", "first"]), || lock.unlock().unwrap());
    assert_eq!(first, "waiting for the lock of ./answers.csv, which another process holds\n");
    assert!(rest.starts_with("recorded in "), "{rest}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_waited_for_aloud_and_is_no_log() {
    let folder = Folder::project();
    let pipe = folder.path("pipe.csv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    folder.replace("ordain.toml", "file = \"items.csv\"", "file = \"pipe.csv\"");
    let fill = || fs::write(&pipe, folder.read("items.csv")).unwrap();
    let [first, _] = says_first(folder.command(["rank"]), fill);
    assert_eq!(first, "waiting for what comes through ./pipe.csv\n");
    // What is written to a pipe in the place of the log would be gone.
    folder.replace("ordain.toml", "file = \"pipe.csv\"", "file = \"items.csv\"");
    folder.replace("ordain.toml", "file = \"answers.csv\"", "file = \"pipe.csv\"");
    let words = ["pipe.csv", "a pipe or a device", "a plain text file to append to"];
    folder.run(["answer", "ant", "cow", "first"]).fails(1, &words);
}

/// Under a limit on the size of files, part of a line can be written before the limit is met.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_size_of_files_tears_nothing() {
    let folder = Folder::project();
    let length = folder.read("answers.csv").len();
    for (bytes, arguments) in [(length + 5, &["answer", "ant", "cow", "first"][..]), (10, &["tune"])] {
        let before = folder.files();
        let mut command = Command::new("prlimit");
        command.arg(format!("--fsize={bytes}")).arg(crate::util::ORDAIN).args(arguments).current_dir(folder.path(""));
        Run::of(&mut command).fails(1, &["File too large"]);
        assert!(folder.files() == before, "{arguments:?}");
    }
}

/// Grades of one item that is there, on the scale; nothing else is written.
#[test]
fn wrong_grades() {
    let folder = Folder::project();
    let before = folder.read("answers.csv");
    folder.refuses(
        ["answer", "ant", "--grade", "6"],
        &["\"6\"", "a grade from 1 to 5", "lowest and highest under [grades]"],
    );
    folder.refuses(["answer", "art", "--grade", "4"], &["did you mean \"ant\"?"]);
    let usage: [(&[&str], &[&str]); 3] = [
        (&["ant", "bee", "--grade", "4"], &["\"ant bee\"", "ordain answer France --grade 4"]),
        (&["ant", "--grade", "good"], &["--grade"]),
        (&["ant", "grade:four"], &["grade:four"]),
    ];
    for (words, told) in usage {
        folder.run(["answer"].iter().chain(words)).fails(2, told);
    }
    assert_eq!(folder.read("answers.csv"), before);
}
