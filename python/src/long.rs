//! Calls that may last: they let other threads run, tell how far they are, and stop on Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ordain::{Step, Watch};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::{Failure, Outcome};

/// How often a long call looks whether somebody pressed Ctrl-C, and tells how far it is.
const LOOK: Duration = Duration::from_millis(50);

/// As much as the main thread of a process usually has.
const STACK: usize = 8 << 20;

/// How long a call that was stopped waits for its work to end. Work looks at its watch at every step, and steps of large models are long:
/// what has not ended then ends by itself, unheard.
const GRACE: Duration = Duration::from_millis(50);

/// Runs work that may last on a thread of its own, while this one looks out for Ctrl-C and calls `progress(work, done, of, value,
/// detail)` with the latest step. What either raises stops the work and is raised.
pub fn long<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watch) -> ordain::Result<T> + Send + 'static,
) -> Outcome<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let latest: Arc<Mutex<Option<Step>>> = Arc::default();
    let mut watch = Watch::default().stop_when({
        let stop = stop.clone();
        move || stop.load(Relaxed)
    });
    if progress.is_some() {
        let latest = latest.clone();
        watch = watch.report(move |step| *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(step.clone()));
    }
    let look = || {
        Python::attach(|py| -> PyResult<()> {
            py.check_signals()?;
            let step = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let (Some(step), Some(progress)) = (step, progress) {
                progress.call1(py, (step.work, step.done, step.of, step.value, step.detail))?;
            }
            Ok(())
        })
    };
    py.detach(|| {
        let (finished, wait) = sync_channel(1);
        let run = move || {
            let done = in_pool(|| work(&watch));
            // Nobody hears it if the call was stopped.
            let _ = finished.send(done);
        };
        let running = thread::Builder::new().name("ordain".into()).stack_size(STACK).spawn(run);
        let running = running.map_err(|error| Failure::Python(error.into()))?;
        loop {
            match wait.recv_timeout(LOOK) {
                Ok(done) => {
                    if progress.is_some() {
                        look()?;
                    }
                    return Ok(done?);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = look() {
                        stop.store(true, Relaxed);
                        let _ = wait.recv_timeout(GRACE);
                        return Err(error.into());
                    }
                }
                // The thread panicked, which is our fault.
                Err(RecvTimeoutError::Disconnected) => match running.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => unreachable!("a thread that ends has sent what it found"),
                },
            }
        }
    })
}

/// Runs work that is over at once, while other threads of Python may run.
pub fn quick<T: Send>(py: Python<'_>, work: impl FnOnce() -> Outcome<T> + Send) -> Outcome<T> {
    py.detach(|| in_pool(work))
}

/// Runs work in threads that this process has. A child that was forked has none of its parent's, so it makes its own.
fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match own_pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The threads of a forked child; none where the usual ones are there.
fn own_pool() -> Option<Arc<ThreadPool>> {
    static FIRST: Mutex<Option<u32>> = Mutex::new(None);
    static OWN: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let here = std::process::id();
    if *FIRST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(here) == here {
        return None;
    }
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    match &*own {
        Some((process, pool)) if *process == here => Some(pool.clone()),
        _ => {
            // Threads that cannot be had leave the work to this one.
            let pool = Arc::new(ThreadPoolBuilder::new().build().ok()?);
            // A pool of the parent has no threads that could be ended.
            std::mem::forget(own.replace((here, pool.clone())));
            Some(pool)
        }
    }
}
