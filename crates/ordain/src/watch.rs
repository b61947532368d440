//! Following long work, and stopping it.

use std::any::Any;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use crate::{Error, Result};

/// The work of turning answers into a belief.
pub(crate) const LEARNING: &str = "learning from the answers";

/// One step of long work.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The work, in words: "learning from the answers".
    pub work: &'static str,
    /// The number of steps done.
    pub done: usize,
    /// The number of all steps, where that is known.
    pub of: Option<usize>,
    /// The number that the work improves, where there is one: the log posterior while tuning.
    pub value: Option<f64>,
    /// More about this step, for people.
    pub detail: Option<String>,
}

impl Step {
    /// Step `done` of `of` steps.
    pub(crate) fn new(work: &'static str, done: usize, of: impl Into<Option<usize>>) -> Self {
        Self { work, done, of: of.into(), value: None, detail: None }
    }

    /// The same step, with words about it.
    pub(crate) fn detail(self, detail: String) -> Self {
        Self { detail: Some(detail), ..self }
    }
}

/// A handle that follows long work and can stop it: a progress bar, Ctrl-C, a time-out.
///
/// Every call that can take long accepts one. Both functions are called from worker threads, often, so they must be quick. The
/// library reads no clock: whoever wants a time-out looks at a clock in [`Watch::stop_when`].
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::sync::Arc;
/// use ordain::{Error, Inference, Model, Watch};
/// use ordain::data::Items;
/// use ordain::kernel::KernelSpec;
///
/// let cancelled = Arc::new(AtomicBool::new(true));
/// let watch = Watch::default().stop_when({
///     let cancelled = cancelled.clone();
///     move || cancelled.load(Ordering::Relaxed)
/// });
/// let model = Model::new(Items::from_ids(["a", "b"])?, vec![KernelSpec::independent(1.0)])?;
/// assert!(matches!(model.fit(Inference::Ep, &watch), Err(Error::Cancelled { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Watch {
    report: Option<Arc<Report>>,
    stop: Option<Arc<Stop>>,
}

type Report = dyn Fn(&Step) + Send + Sync;
type Stop = dyn Fn() -> bool + Send + Sync;

impl Watch {
    /// A watch that neither reports nor stops.
    pub const NONE: Self = Self { report: None, stop: None };

    /// The same watch, which reports every step to a function.
    pub fn report(mut self, report: impl Fn(&Step) + Send + Sync + 'static) -> Self {
        self.report = Some(Arc::new(report));
        self
    }

    /// The same watch, which stops the work as soon as a function says so. The call then returns [`Error::Cancelled`].
    /// A stop that was wanted once stays wanted.
    pub fn stop_when(mut self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let wanted = AtomicBool::new(false);
        self.stop = Some(Arc::new(move || {
            if stop() {
                wanted.store(true, Relaxed);
            }
            wanted.load(Relaxed)
        }));
        self
    }

    /// The same watch without reports: for work that is itself one step of larger work.
    pub(crate) fn silent(&self) -> Self {
        Self { report: None, stop: self.stop.clone() }
    }

    /// Reports a step, then stops if that is wanted.
    pub(crate) fn step(&self, step: impl FnOnce() -> Step) -> Result<()> {
        if self.report.is_none() && self.stop.is_none() {
            return Ok(());
        }
        let step = step();
        if let Some(report) = &self.report {
            report(&step);
        }
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            return Err(Error::Cancelled { work: step.work });
        }
        Ok(())
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { report, stop } = self;
        f.debug_struct("Watch").field("reports", &report.is_some()).field("stops", &stop.is_some()).finish()
    }
}

type Told = dyn Fn(&str) -> Box<dyn Any> + Send + Sync;

/// Files are read and written far below any watch, so this is for the whole process.
static TOLD: OnceLock<Box<Told>> = OnceLock::new();

/// Has a function told what the library waits for whenever that may last: a lock that another process holds, the other end of a
/// pipe. The function gets it in words. What it returns is dropped when the wait is over. It is for the whole process; only the
/// first one counts.
pub fn on_wait(told: impl Fn(&str) -> Box<dyn Any> + Send + Sync + 'static) {
    let _ = TOLD.set(Box::new(told));
}

/// Tells what the library waits for until the returned value is dropped.
pub(crate) fn waiting(what: impl FnOnce() -> String) -> Option<Box<dyn Any>> {
    TOLD.get().map(|told| told(&what()))
}
