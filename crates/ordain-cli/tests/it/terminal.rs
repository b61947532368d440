//! The command on a real terminal: keys, signals, and lines that fit.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use unicode_width::UnicodeWidthStr;

use crate::session::{PATIENCE, Session};
use crate::util::{Folder, ORDAIN};

/// Asking, with the first question on the screen and the terminal raw.
fn asking(folder: &Folder) -> Session {
    let mut session = Session::start(folder, 80, &["ask"]);
    session.wait_for("[q]uit: ");
    session.wait_until_raw();
    assert!(!session.is_restored());
    session
}

/// A forecast that was made while the judge thought is shown beside the next question, as answers in all. How long it takes depends on
/// what else the machine does, and there are 21 pairs, so the judge thinks longer each time.
#[test]
fn forecasts_come_while_the_judge_thinks() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,x\na,1\nb,2\nc,3\nd,4\ne,5\nf,6\ng,7\n");
    folder.run(["init", "items.csv"]).fine();
    let mut session = asking(&folder);
    let mut thinks = Duration::from_millis(300);
    loop {
        assert!(thinks < PATIENCE, "no forecast");
        std::thread::sleep(thinks);
        thinks *= 2;
        session.press(b"s");
        let said = session.wait_for("[q]uit: ");
        if said.contains(" in all") || said.contains("cannot tell yet how many answers 90 % takes: ") {
            break;
        }
    }
    session.press(b"q");
    assert!(session.end().0.success());
}

/// The keys offer a tie where there are ties. Elsewhere its key says what to set.
#[test]
fn the_keys_offer_what_can_be_answered() {
    let folder = Folder::project();
    let mut session = Session::start(&folder, 80, &["ask"]);
    assert!(session.wait_for("[q]uit: ").contains("[l]eft [r]ight [s]kip [u]ndo "));
    session.wait_until_raw();
    session.press(b"t");
    assert!(session.wait_for("[q]uit: ").contains("there are no ties in this project"));
    session.press(b"q");
    assert!(session.end().0.success());
    folder.append("ordain.toml", "tie_width = 0.2\n");
    let mut session = Session::start(&folder, 80, &["ask"]);
    assert!(session.wait_for("[q]uit: ").contains("[l]eft [r]ight [t]ie [s]kip [u]ndo "));
    session.press(b"q");
    assert!(session.end().0.success());
}

/// Reading that takes more than a second says so: here the items come from a pipe that nothing is written to until then.
#[test]
fn reading_that_takes_long_is_shown() {
    let folder = Folder::project();
    let items = folder.read("items.csv");
    std::fs::remove_file(folder.path("items.csv")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("items.csv")).status().unwrap().success());
    let mut session = Session::start(&folder, 80, &["rank"]);
    let mut pipe = std::fs::OpenOptions::new().write(true).open(folder.path("items.csv")).unwrap();
    session.wait_for("reading the project");
    pipe.write_all(items.as_bytes()).unwrap();
    drop(pipe);
    let (status, said) = session.end();
    assert!(status.success() && said.contains("cow"), "{said}");
}

#[test]
fn signals_leave_the_terminal_as_it_was() {
    let folder = Folder::project();
    let before = folder.read("answers.csv");
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let mut session = asking(&folder);
        session.signal(signal);
        let status = session.wait();
        assert!(session.is_restored(), "{signal:?}");
        assert_eq!(status.signal(), Some(signal.as_raw()), "{signal:?}");
    }
    assert_eq!(folder.read("answers.csv"), before);
}

/// Stopped from outside or by Ctrl-Z, the command leaves the terminal to the shell and takes it again.
#[test]
fn stopping_and_going_on() {
    let folder = Folder::project();
    let mut session = asking(&folder);
    for by_key in [false, true] {
        if by_key {
            session.press(b"\x1a")
        } else {
            session.signal(Signal::TSTP)
        }
        session.wait_until_stopped();
        assert!(session.is_restored());
        session.signal(Signal::CONT);
        session.wait_until_raw();
    }
    session.press(b"q");
    let (status, said) = session.end();
    assert!(status.success() && said.contains("see you: 0 answers given"), "{said}");
}

/// In the background the terminal is not ours: a signal must end the command without touching it.
#[test]
fn a_signal_ends_it_in_the_background_too() {
    let folder = Folder::project();
    let words = format!("set -m; {ORDAIN} ask; bg; kill %1; wait %1; echo ended with $?");
    let mut session = Session::run(&folder, 80, &["bash", "-c", &words]);
    session.wait_for("[q]uit: ");
    session.wait_until_raw();
    session.press(b"\x1a");
    session.wait_for("ended with 143");
    assert!(session.end().0.success());
}

#[test]
fn escape_swallows_no_key() {
    let folder = Folder::project();
    let before = folder.read("answers.csv");
    let mut session = asking(&folder);
    session.press(b"\x1bs");
    session.wait_for("recorded: ");
    session.wait_until_raw();
    session.press(b"\x1bq");
    let (status, said) = session.end();
    assert!(status.success() && said.contains("see you: 0 answers given"), "{said}");
    assert_eq!(folder.read("answers.csv").lines().count(), before.lines().count() + 1);
}

/// The lines on a screen of this width, and how the command ended.
fn screen(folder: &Folder, columns: u16, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let (status, said) = Session::start(folder, columns, arguments).end();
    (status.code(), said.split(['\n', '\r']).map(uncoloured).collect())
}

/// A line without the colours of messages, which take no room.
fn uncoloured(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest)).collect::<String>()
}

/// A project, runs and documents to show everything with. Names are long.
fn everything() -> Folder {
    let folder = Folder::project();
    let long = ["an-id-of-many-letters", "another-id-of-many-letters", "牛の名前はとても長い名前です"];
    for (short, long) in ["ant", "bee", "cow"].iter().zip(long) {
        for file in ["items.csv", "links.csv", "answers.csv"] {
            folder.write(file, folder.read(file).replace(short, long));
        }
    }
    folder.replace("items.csv", "id,x\n", "id,x,truth\n");
    folder.write(
        "items.csv",
        folder
            .read("items.csv")
            .lines()
            .map(|line| if line.ends_with("truth") { format!("{line}\n") } else { format!("{line},{}\n", line.len()) })
            .collect::<String>(),
    );
    folder.write("some.run", "1 Q0 a 1 3 a-long-name-of-a-run\n1 Q0 b 2 2 a-long-name-of-a-run\n");
    folder.write("other.run", "1 Q0 b 1 3 other\n1 Q0 a 2 2 other\n");
    folder.write("qrels.txt", "1 0 a 1\n1 0 b 0\n");
    folder.write(
        "documents.csv",
        "id,text\na-long-name-of-a-document,\"some words and more words of a text\"\nb,words\n",
    );
    folder
}

#[test]
fn lines_fit_a_narrow_terminal() {
    let folder = everything();
    let (first, second) = ("an-id-of-many-letters", "another-id-of-many-letters");
    let commands: [&[&str]; 19] = [
        &["rank"],
        &["rank", "--top", "2"],
        &["next"],
        &["next", "--count", "3"],
        &["predict", first, second],
        &["tune", "--dry-run", "--restarts", "0"],
        &["compare", "--fixed", "--folds", "2"],
        &["eval", "some.run", "other.run", "--qrels", "qrels.txt"],
        &["eval", "some.run", "--qrels", "qrels.txt", "--per-query"],
        &["eval", "some.run", "--qrels", "qrels.txt", "--bounds"],
        &["fuse", "some.run", "other.run", "--qrels", "qrels.txt", "--output", "fused.run"],
        &["search", "documents.csv", "words"],
        &["simulate", "--truth", "truth", "--answers", "3", "--repeats", "2"],
        &["reproduce", "list"],
        &["init", "items.csv", "--folder", "new"],
        &["answer", first, second, "tie"],
        &["answer", first, second, "first"],
        &["rank", "--forecast", "--format", "csv"],
        &["rank", "a-folder-that-does-not-exist-anywhere"],
    ];
    for columns in [20, 33, 47, 80] {
        for arguments in commands {
            let (code, lines) = screen(&folder, columns, arguments);
            assert!(matches!(code, Some(0..=2)), "{arguments:?}: {code:?} {lines:?}");
            assert!(lines.iter().any(|line| !line.is_empty()), "{arguments:?}");
            for line in &lines {
                assert!(line.width() <= columns.into(), "{columns} {arguments:?}: {line:?} in\n{}", lines.join("\n"));
            }
        }
        let _ = std::fs::remove_file(folder.path("new/ordain.toml"));
    }
}

/// Cards, prompts and acknowledgements.
#[test]
fn questions_fit_a_narrow_terminal() {
    let folder = everything();
    let mut session = Session::start(&folder, 20, &["ask", "--judge", "eve", "--error", "0", "--target", "1"]);
    let mut said = String::new();
    for key in [b"x", b"l", b"u", b"t", b"q"] {
        // A key that comes before the prompt for it would be echoed by the terminal.
        said += &session.wait_for("uit: ");
        session.wait_until_raw();
        session.press(key);
    }
    let (status, rest) = session.end();
    said += &rest;
    assert!(status.success(), "{said}");
    for line in said.split(['\n', '\r']) {
        assert!(line.width() <= 20, "{line:?} in\n{said}");
    }
}

/// Some terminals say that they have no columns at all.
#[test]
fn a_terminal_without_a_width() {
    let (code, lines) = screen(&Folder::project(), 0, &["rank"]);
    assert_eq!(code, Some(0), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("ant") && line.contains('●')), "{lines:?}");
}
