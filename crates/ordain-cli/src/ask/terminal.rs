//! The terminal while it delivers keys one by one, and the signals that must not leave it so.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

pub use signals::{next_byte, stop, watch_signals};

/// Whether keys are wanted one by one. Whoever changes the terminal holds the lock, so a signal sees it in one state or
/// the other.
static RAW: Mutex<bool> = Mutex::new(false);

fn lock() -> MutexGuard<'static, bool> {
    RAW.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this lives, the terminal delivers every key at once. Dropping it restores the terminal.
pub struct Raw;

impl Raw {
    pub fn begin() -> io::Result<Self> {
        let mut raw = lock();
        enable_raw_mode()?;
        *raw = true;
        Ok(Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let mut raw = lock();
        *raw = false;
        // If the terminal is gone, there is nothing to restore.
        let _ = disable_raw_mode();
    }
}

#[cfg(unix)]
mod signals {
    use std::io;
    use std::thread;

    use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::{Errno, read};
    use rustix::process::getpgrp;
    use rustix::termios::tcgetpgrp;
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::{emulate_default_handler, raise};

    use super::lock;

    /// From now on, a signal that ends or stops the process restores the terminal first.
    pub fn watch_signals() -> io::Result<()> {
        let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT])?;
        let watch = move || signals.forever().for_each(answer);
        thread::Builder::new().name("signals".into()).spawn(watch)?;
        Ok(())
    }

    fn answer(signal: i32) {
        // Held until the process has ended or stopped, so that the terminal does not become raw meanwhile.
        let raw = lock();
        let ours = in_foreground();
        if ours {
            // If the terminal is gone, there is nothing to restore.
            let _ = disable_raw_mode();
        }
        if signal != SIGCONT {
            // Ends or stops the process. If it was stopped, it goes on here, and the signal to go on comes next.
            let _ = emulate_default_handler(signal);
        } else if *raw && ours {
            // Whoever had the terminal meanwhile may have changed it.
            let _ = enable_raw_mode();
        }
    }

    /// Whether the terminal is for this process to change. One in the background that tries is stopped, and would read no signal
    /// any more.
    fn in_foreground() -> bool {
        tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
    }

    /// The next byte of the terminal; `None` at its end. It is read only once it is there: a process in the background that reads is
    /// stopped, again and again, before its signals are answered.
    pub fn next_byte() -> io::Result<Option<u8>> {
        let input = io::stdin();
        let mut byte = [0];
        loop {
            let there = poll(&mut [PollFd::new(&input, PollFlags::IN)], None);
            match there.and_then(|_| read(&input, &mut byte)) {
                Err(Errno::INTR) => {}
                count => return Ok((count? == 1).then_some(byte[0])),
            }
        }
    }

    /// Stops the process, as Ctrl-Z does if the terminal is not raw.
    pub fn stop() -> io::Result<()> {
        raise(SIGTSTP)
    }
}

#[cfg(not(unix))]
mod signals {
    use std::io;

    /// The next byte of the terminal; `None` at its end.
    pub fn next_byte() -> io::Result<Option<u8>> {
        let mut byte = [0];
        Ok((io::Read::read(&mut io::stdin(), &mut byte)? == 1).then_some(byte[0]))
    }

    /// There are no signals to watch.
    pub fn watch_signals() -> io::Result<()> {
        Ok(())
    }

    /// There are no processes that stop and go on.
    pub fn stop() -> io::Result<()> {
        Ok(())
    }
}
