//! Commands that write, killed at every system call, and with every system call on files failing: what was acknowledged is stored
//! once, files are old or new and never half, and the next run works.
//!
//! This takes strace. `ORDAIN_KILLS` says how many kills per command there are at least; without it, one point of a few is tried,
//! spread over the run.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]
#![allow(clippy::print_stderr, reason = "a skipped test says so, and a long one what it did")]

#[path = "it/util.rs"]
#[expect(dead_code, reason = "shared with the other tests of the command")]
mod util;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use util::{Folder, ORDAIN};

/// A command and the files that it writes.
struct Trial {
    folder: fn() -> Folder,
    arguments: &'static [&'static str],
    writes: &'static [&'static str],
}

/// The normal files of a trial, by name: the texts, with times taken out.
type Texts = Vec<Option<String>>;

fn answered() -> Folder {
    let folder = Folder::project();
    folder.append("answers.csv", "bee,cow,second,ann,\ncow,ant,tie,,\ncow,ant,first,ann,\n");
    folder.replace("ordain.toml", "[answers]\n", "[answers]\ntie_width = 0.2\n");
    folder
}

fn unanswered() -> Folder {
    let folder = answered();
    fs::remove_file(folder.path("answers.csv")).unwrap();
    folder
}

fn other_columns() -> Folder {
    let folder = answered();
    folder.write("answers.csv", "judge,page,outcome,second,first\nann,7,tie,bee,ant\n");
    folder
}

fn fillable() -> Folder {
    let folder = answered();
    folder.replace("ordain.toml", "attributes = [\"x\"]", "attributes = [\"x\"]\nmissing = \"mean\"");
    folder
}

fn table() -> Folder {
    let folder = Folder::empty();
    folder.write("items.csv", "id,x\nant,1\nbee,2\ncow,4\n");
    folder
}

fn runs() -> Folder {
    let folder = Folder::empty();
    folder.write("a.run", "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq2 Q0 d1 1 1 a\n");
    folder.write("b.run", "q1 Q0 d2 1 3 b\nq1 Q0 d3 2 2 b\nq2 Q0 d2 1 1 b\n");
    folder.write("qrels", "q1 0 d2 1\nq1 0 d1 0\nq2 0 d1 1\n");
    folder
}

fn runs_again() -> Folder {
    let folder = runs();
    folder.run(FUSE).fine();
    folder.write("qrels", "q1 0 d1 1\nq1 0 d3 0\nq2 0 d2 1\n");
    folder
}

const FUSE: &[&str] =
    &["fuse", "a.run", "b.run", "--qrels", "qrels", "--state", "weights.json", "--output", "fused.run"];

const ANSWER: &[Trial] = &[
    Trial { folder: answered, arguments: &["answer", "ant", "cow", "first"], writes: &["answers.csv"] },
    Trial {
        folder: unanswered,
        arguments: &["answer", "ant", "cow", "first", "--judge", "ann"],
        writes: &["answers.csv"],
    },
    Trial { folder: answered, arguments: &["answer", "undo", "--judge", "ann"], writes: &["answers.csv"] },
    Trial {
        folder: other_columns,
        arguments: &["answer", "ant", "cow", "skip", "--judge", "bo"],
        writes: &["answers.csv"],
    },
];
const ADD: &[Trial] = &[
    Trial { folder: answered, arguments: &["add", "id=dog", "x=3"], writes: &["items.csv"] },
    Trial {
        folder: fillable,
        arguments: &["answer", "dog", "ant", "first", "--new"],
        writes: &["answers.csv", "items.csv"],
    },
];
const TUNE: &[Trial] = &[Trial { folder: answered, arguments: &["tune"], writes: &["ordain.toml"] }];
const INIT: &[Trial] = &[Trial { folder: table, arguments: &["init", "items.csv"], writes: &["ordain.toml"] }];
const FUSED: &[Trial] = &[
    Trial { folder: runs, arguments: FUSE, writes: &["fused.run", "weights.json"] },
    Trial { folder: runs_again, arguments: FUSE, writes: &["fused.run", "weights.json"] },
];

/// System calls on files, and how they can fail. Memory, threads and signals are not among them: without them, no process goes on.
/// Neither is closing, which always closes; a call that is made to fail is not made.
const FAILING: &[(&str, &[&str])] = &[
    ("openat", &["EIO", "EMFILE", "ENOSPC", "EINTR"]),
    ("read", &["EIO", "EINTR"]),
    ("write", &["EIO", "ENOSPC", "EINTR"]),
    ("fsync", &["EIO", "EINTR"]),
    ("fdatasync", &["EIO", "ENOSPC", "EINTR"]),
    ("flock", &["EIO", "EINTR", "ENOLCK"]),
    ("rename", &["EIO", "ENOSPC"]),
    ("link", &["EIO", "EPERM", "ENOSPC"]),
    ("linkat", &["EIO", "EPERM", "ENOSPC"]),
    ("unlink", &["EIO"]),
    ("mkdir", &["ENOSPC"]),
    ("lseek", &["EIO"]),
    ("statx", &["EIO"]),
    ("newfstatat", &["EIO"]),
    ("getdents64", &["EIO"]),
    ("fchmod", &["EIO"]),
];

/// A fault at one point of a run.
#[derive(Debug, Clone, PartialEq)]
struct Fault {
    call: String,
    number: usize,
    what: String,
}

impl Fault {
    fn option(&self) -> String {
        format!("inject={}:{}:when={}", self.call, self.what, self.number)
    }
}

impl Trial {
    fn texts(&self, folder: &Folder) -> Texts {
        self.writes.iter().map(|name| fs::read_to_string(folder.path(name)).ok().map(|text| timeless(&text))).collect()
    }

    /// Runs the command under strace with these options.
    fn traced(&self, folder: &Folder, options: &[&str]) -> (ExitStatus, String) {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq"]).args(options).arg(ORDAIN).args(self.arguments);
        // One thread, so that the same point is the same in every run.
        strace.current_dir(folder.path("")).env("RAYON_NUM_THREADS", "1").stdin(Stdio::null());
        let output = strace.output().unwrap();
        (output.status, String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// How often a run calls what: the most that one of its threads does.
    fn calls(&self) -> BTreeMap<String, usize> {
        let folder = (self.folder)();
        let (status, said) = self.traced(&folder, &["-o", "trace.txt"]);
        assert!(status.success(), "{said}");
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for line in folder.read("trace.txt").lines() {
            // As `1234 openat(AT_FDCWD, ...`; others resume what was begun, or tell of signals and ends.
            let Some((thread, call)) = line.split_once(char::is_whitespace) else { continue };
            let Some((name, _)) = call.trim_start().split_once('(') else { continue };
            if name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
                *counts.entry((thread.to_owned(), name.to_owned())).or_default() += 1;
            }
        }
        let mut most = BTreeMap::new();
        for ((_, name), count) in counts {
            let known: &mut usize = most.entry(name).or_default();
            *known = count.max(*known);
        }
        // The process does not exist before it, and is not ours to lose after it.
        most.remove("execve");
        most
    }

    /// Runs the command with a fault and checks what it leaves. Whether the fault killed it.
    fn suffer(&self, fault: &Fault) -> bool {
        let whole = (self.folder)();
        let before = self.texts(&whole);
        whole.run(self.arguments).fine();
        let after = self.texts(&whole);

        let folder = (self.folder)();
        let (status, said) = self.traced(&folder, &["-o", "/dev/null", "-e", "signal=none", "-e", &fault.option()]);
        let left = self.texts(&folder);
        let place = format!("{:?} with {}: {status}: {said}", self.arguments, fault.option());
        let answer = self.arguments[0] == "answer";
        for ((before, after), left) in before.iter().zip(&after).zip(&left) {
            // A log without its first answer is empty, which is no log yet.
            let begun = answer && before.is_none() && left.as_deref() == Some("");
            assert!(left == before || left == after || begun, "{place}\nleft half: {left:?}");
        }
        if answer && said.contains("recorded in") {
            assert_eq!(left, after, "{place}\nsaid to be recorded and not stored");
        }
        // A file system without locks is no reason to refuse.
        assert!(!fault.what.ends_with("ENOLCK") || status.success(), "{place}");
        match status.code() {
            Some(0) => assert_eq!(left, after, "{place}\nacknowledged and not stored"),
            // 127 is the dynamic loader, before there is a command.
            Some(1 | 127) => {
                // A new item may have its row before there is an answer about it.
                let old = left[0] == before[0] || left[0].as_deref() == Some("");
                assert!(!answer || old || said.contains("may stand in the log"), "{place}\nrefused and stored");
            }
            _ => assert_eq!(status.signal(), Some(9), "{place}"),
        }
        self.go_on(&folder, &left, &place);
        status.signal() == Some(9)
    }

    /// The next run works, and clears away what was left.
    fn go_on(&self, folder: &Folder, left: &Texts, place: &str) {
        if self.arguments[0] == "init" && left[0].is_some() {
            // It is whole, so the next one has nothing to do, and other commands work on it.
            assert_eq!(folder.run(self.arguments).code, Some(1), "{place}");
            folder.run(["answer", "ant", "bee", "first"]).fine();
            folder.run(["tune"]).fine();
            fs::remove_file(folder.path(self.writes[0])).unwrap();
        }
        if self.arguments == ["answer", "undo", "--judge", "ann"] {
            folder.run(["answer", "ant", "bee", "first", "--judge", "ann"]).fine();
        }
        if self.arguments[0] == "add" && left[0].as_ref().is_some_and(|text| text.contains("dog")) {
            // It is added, so the next one has nothing to do; what it says is that the item is there.
            folder.run(self.arguments).fails(1, &["an item that the project does not have"]);
            folder.write("items.csv", "id,x\nant,1\nbee,2\ncow,4\n");
        }
        let lines = |texts: &Texts| texts[0].as_ref().map_or(0, |text| text.lines().count());
        let before = lines(&self.texts(folder));
        let run = folder.run(self.arguments);
        assert_eq!(run.code, Some(0), "{place}\nthe next run: {}", run.stderr);
        if self.arguments[0] == "answer" {
            let header = usize::from(before == 0);
            assert_eq!(lines(&self.texts(folder)), before + header + 1, "{place}\nthe next answer");
        }
        let left: Vec<_> =
            folder.files().into_keys().filter(|path| path.to_string_lossy().contains(".ordain-")).collect();
        assert!(left.is_empty(), "{place}\nnobody cleared {left:?}");
    }
}

/// A text without the times at the ends of its lines.
fn timeless(text: &str) -> String {
    let time = |line: &str| match line.rsplit_once(',') {
        Some((rest, time)) if time.len() == 20 && time.ends_with('Z') => format!("{rest},time"),
        _ => line.to_owned(),
    };
    let end = if text.ends_with('\n') { "\n" } else { "" };
    text.lines().map(time).collect::<Vec<_>>().join("\n") + end
}

/// How many kills there are per command at least, if that was said.
fn wanted() -> Option<usize> {
    let text = std::env::var("ORDAIN_KILLS").ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("ORDAIN_KILLS is {text:?}, expected a number")))
}

fn has_strace() -> bool {
    let found = Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(found || std::env::var_os("CI").is_none(), "strace is not installed, and CI needs it");
    if !found {
        eprintln!("SKIPPED: strace is not installed, so no command is killed and no system call fails");
    }
    found
}

/// How many points of a run the short form tries, of kills and of errors each.
const SHORT: usize = 100;

/// Kills and disturbs the trials of one command.
fn besiege(trials: &[Trial]) {
    if !has_strace() {
        return;
    }
    let wanted = wanted();
    let mut kills = Vec::new();
    let mut errors = Vec::new();
    for trial in trials {
        for (call, count) in trial.calls() {
            for number in 1..=count {
                let fault = |what: String| (trial, Fault { call: call.clone(), number, what });
                kills.push(fault("signal=KILL".into()));
                let failing = FAILING.iter().find(|(name, _)| *name == call).map_or(&[][..], |(_, errors)| errors);
                errors.extend(failing.iter().map(|error| fault(format!("error={error}"))));
            }
        }
    }
    let points = (kills.len(), errors.len());
    if wanted.is_none() {
        kills = spread(kills);
        errors = spread(errors);
    }
    let mut killed = 0;
    while {
        killed += kills.iter().filter(|(trial, fault)| trial.suffer(fault)).count();
        assert!(killed > 0, "nothing was killed");
        wanted.is_some_and(|wanted| killed < wanted)
    } {}
    for (trial, fault) in &errors {
        trial.suffer(fault);
    }
    let command = trials[0].arguments[0];
    eprintln!(
        "{command}: {} points, {killed} kills; {} errors of {} injected; nothing lost, doubled or half",
        points.0,
        errors.len(),
        points.1
    );
}

/// A few of many, from the whole range.
fn spread<T>(all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(SHORT).max(1);
    all.into_iter().step_by(step).collect()
}

#[test]
fn answers_are_stored_once() {
    besiege(ANSWER);
}

#[test]
fn added_items_are_whole_or_absent() {
    besiege(ADD);
}

#[test]
fn a_tuned_project_is_old_or_new() {
    besiege(TUNE);
}

#[test]
fn a_first_project_is_whole_or_absent() {
    besiege(INIT);
}

#[test]
fn fused_runs_and_weights_are_old_or_new() {
    besiege(FUSED);
}
