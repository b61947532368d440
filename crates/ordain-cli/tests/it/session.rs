//! A pseudo-terminal with the command at its other end.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::util::{Folder, ORDAIN};

/// Nothing here takes a tenth of it, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

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
    pub fn start(folder: &Folder, columns: u16, arguments: &[&str]) -> Self {
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
    pub fn wait_for(&mut self, words: &str) -> String {
        let start = Instant::now();
        while !self.said.contains(words) {
            let left = PATIENCE.saturating_sub(start.elapsed());
            let chunk = self.chunks.recv_timeout(left);
            self.said += &String::from_utf8_lossy(&chunk.unwrap_or_else(|_| panic!("no {words:?} in {}", self.said)));
        }
        let end = self.said.find(words).unwrap() + words.len();
        self.said.drain(..end).collect()
    }

    pub fn is_raw(&self) -> bool {
        !tcgetattr(&self.theirs).unwrap().local_modes.contains(LocalModes::ICANON)
    }

    #[track_caller]
    pub fn wait_until_raw(&self) {
        let start = Instant::now();
        while !self.is_raw() {
            assert!(start.elapsed() < PATIENCE, "the terminal delivers lines");
            std::thread::yield_now();
        }
    }

    /// Whether the terminal is as it was before the command.
    pub fn is_restored(&self) -> bool {
        let (now, before) = (tcgetattr(&self.theirs).unwrap(), &self.before);
        let modes = |one: &Termios| (one.input_modes, one.output_modes, one.control_modes, one.local_modes);
        modes(&now) == modes(before)
    }

    pub fn press(&mut self, keys: &[u8]) {
        self.ours.write_all(keys).unwrap();
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    #[track_caller]
    pub fn wait_until_stopped(&self) {
        let (_, status) = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "{status:?}");
    }

    /// Waits for the end.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
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
