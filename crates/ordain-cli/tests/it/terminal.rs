//! The command on a real terminal: keys, signals, and lines that fit.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};
use unicode_width::UnicodeWidthStr;

use crate::util::{Folder, ORDAIN};

/// Nothing here takes a tenth of it, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The command in a session of its own, with a terminal of this width.
pub struct Session {
    child: Child,
    /// The side of the keyboard and of the screen.
    ours: File,
    /// The side of the command.
    theirs: OwnedFd,
    before: Termios,
    chunks: Receiver<Vec<u8>>,
    said: String,
}

impl Session {
    fn start(folder: &Folder, columns: u16, arguments: &[&str]) -> Self {
        Self::run(folder, columns, &[&[ORDAIN], arguments].concat())
    }

    /// The same of any command.
    pub fn run(folder: &Folder, columns: u16, words: &[&str]) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let before = tcgetattr(&theirs).unwrap();
        let mut command = Command::new("setsid");
        command.arg("--ctty").args(words).current_dir(folder.path("")).env_remove("COLUMNS");
        let side = || theirs.try_clone().unwrap();
        let child = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
        // The command holds clones of its side too.
        drop(command);
        let ours = File::from(ours);
        let (send, chunks) = channel();
        let mut screen = ours.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            // The end is an error: nobody has the other side any more.
            while let Ok(read @ 1..) = screen.read(&mut chunk) {
                if send.send(chunk[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, ours, theirs, before, chunks, said: String::new() }
    }

    /// Waits until the screen shows this, after all that was waited for before.
    #[track_caller]
    fn wait_for(&mut self, words: &str) -> String {
        let start = Instant::now();
        while !self.said.contains(words) {
            let left = PATIENCE.saturating_sub(start.elapsed());
            let chunk = self.chunks.recv_timeout(left);
            self.said += &String::from_utf8_lossy(&chunk.unwrap_or_else(|_| panic!("no {words:?} in {}", self.said)));
        }
        let end = self.said.find(words).unwrap() + words.len();
        self.said.drain(..end).collect()
    }

    fn is_raw(&self) -> bool {
        !tcgetattr(&self.theirs).unwrap().local_modes.contains(LocalModes::ICANON)
    }

    #[track_caller]
    fn wait_until_raw(&self) {
        let start = Instant::now();
        while !self.is_raw() {
            assert!(start.elapsed() < PATIENCE, "the terminal delivers lines");
            std::thread::yield_now();
        }
    }

    /// Whether the terminal is as it was before the command.
    fn is_restored(&self) -> bool {
        let (now, before) = (tcgetattr(&self.theirs).unwrap(), &self.before);
        let modes = |one: &Termios| (one.input_modes, one.output_modes, one.control_modes, one.local_modes);
        modes(&now) == modes(before)
    }

    fn press(&mut self, keys: &[u8]) {
        self.ours.write_all(keys).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    #[track_caller]
    fn wait_until_stopped(&self) {
        let (_, status) = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "{status:?}");
    }

    /// Waits for the end; returns the status and all that was said since it was last waited for.
    pub fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        drop(self.theirs);
        while let Ok(chunk) = self.chunks.recv_timeout(PATIENCE) {
            self.said += &String::from_utf8_lossy(&chunk);
        }
        (status, self.said)
    }
}

/// Asking, with the first question on the screen and the terminal raw.
fn asking(folder: &Folder) -> Session {
    let mut session = Session::start(folder, 80, &["ask"]);
    session.wait_for("[q]uit: ");
    session.wait_until_raw();
    assert!(!session.is_restored());
    session
}

/// A forecast that was made while the judge thought is shown beside the next question, as answers in all.
#[test]
fn forecasts_come_while_the_judge_thinks() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,x\na,1\nb,2\nc,3\nd,4\ne,5\nf,6\ng,7\n");
    folder.run(["init", "items.csv"]).fine();
    let mut session = asking(&folder);
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < PATIENCE, "no forecast");
        std::thread::sleep(Duration::from_millis(300));
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
        let status = session.child.wait().unwrap();
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
