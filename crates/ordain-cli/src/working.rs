//! Progress on a terminal.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ordain::{Step, Watch};

use crate::{manners, output};

/// How long nothing is said: most work is over by then.
const PATIENCE: Duration = Duration::from_secs(1);

/// Work in progress. A terminal shows a bar for it if it takes more than a second. Dropping this value ends the bar.
pub struct Working {
    bar: ProgressBar,
    over: Option<Sender<()>>,
    shown: Option<JoinHandle<()>>,
}

/// Starts a piece of work. Nothing is shown if standard error is not a terminal, or with `--quiet`.
pub fn working(on: &'static str) -> Working {
    let (over, waits) = channel();
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    bar.set_style(ProgressStyle::default_spinner());
    bar.set_message(on);
    let drawn = bar.clone();
    let shown = thread::spawn(move || {
        if waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && !manners::is_quiet() {
            drawn.set_draw_target(ProgressDrawTarget::stderr());
            drawn.enable_steady_tick(Duration::from_millis(100));
            let _ = waits.recv();
            drawn.finish_and_clear();
        }
    });
    Working { bar, over: Some(over), shown: Some(shown) }
}

/// Does a piece of work that has no steps.
pub fn during<T>(on: &'static str, work: impl FnOnce() -> T) -> T {
    let _working = working(on);
    work()
}

impl Working {
    /// A watch that shows the library's steps.
    pub fn watch(&self) -> Watch {
        let bar = self.bar.clone();
        Watch::default().report(move |step| show(&bar, step))
    }

    /// Shows the state of other work, in words.
    pub fn say(&self, what: String) {
        self.bar.set_message(what);
    }

    /// Shows the state of other work: `done` steps of `of`.
    pub fn progress(&self, done: usize, of: usize) {
        advance(&self.bar, done, of);
    }
}

fn show(bar: &ProgressBar, step: &Step) {
    let message = match &step.detail {
        Some(detail) => format!("{}: {detail}", step.work),
        None => step.work.into(),
    };
    bar.set_message(message);
    if let Some(of) = step.of {
        advance(bar, step.done, of);
    }
}

fn advance(bar: &ProgressBar, done: usize, of: usize) {
    if bar.length() != Some(of as u64) {
        bar.set_style(bar_style("{spinner} {msg} {wide_bar} {pos} of {len}, {eta} left"));
        bar.set_length(of as u64);
    }
    bar.set_position(done as u64);
}

/// The style of a bar. A narrow terminal has room for the numbers and the beginning of the message alone.
pub fn bar_style(wide: &str) -> ProgressStyle {
    const NARROW: usize = 60;
    let narrow = output::columns() < NARROW;
    let style = ProgressStyle::with_template(if narrow { "{pos}/{len} {wide_msg}" } else { wide });
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Drop for Working {
    fn drop(&mut self) {
        self.over.take();
        // The thread is joined, so that the bar is gone from the terminal before anything else is written there.
        if let Some(shown) = self.shown.take() {
            let _ = shown.join();
        }
    }
}

/// Says on standard error what the command waits for, once it has waited for a second.
pub fn tell_waits() {
    ordain::on_wait(|what| Box::new(Waiting::begin(format!("waiting for {what}"))));
}

/// A wait for another process. Dropping this value ends it.
struct Waiting {
    _over: Sender<()>,
}

impl Waiting {
    fn begin(words: String) -> Self {
        let (over, waits) = channel::<()>();
        // Not joined: a wait that ends is no reason to wait for its words.
        thread::spawn(move || {
            if waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                output::note(words);
            }
        });
        Self { _over: over }
    }
}
