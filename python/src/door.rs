//! The library's two doors behind one, and threads that take turns at it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ordain::active::{AskOptions, Session};
use ordain::data::{ItemId, Items};
use ordain::{Inference, Model, Project, Watch};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::failure::Outcome;
use crate::long::{long, quick};
use crate::memory::Memory;

/// A model in memory, or in a folder.
pub enum Door {
    Memory(Box<Memory>),
    Folder(Box<Project>),
}

impl Door {
    /// The model.
    pub fn model(&self) -> &Model {
        match self {
            Self::Memory(memory) => &memory.model,
            Self::Folder(project) => project.model(),
        }
    }

    /// The session that has learned all standing answers one by one.
    pub fn session(&mut self) -> ordain::Result<&Session> {
        match self {
            Self::Memory(memory) => memory.session().map(|session| &*session),
            Self::Folder(project) => project.session(),
        }
    }

    /// The settings of questions, with these options.
    pub fn asking(&self, options: &AskOptions) -> ordain::Result<ordain::active::Asking> {
        self.model().asking(options)
    }

    /// How it asks.
    pub fn options(&self) -> &AskOptions {
        match self {
            Self::Memory(memory) => &memory.options,
            Self::Folder(project) => project.options(),
        }
    }

    /// The pairs to which questions are confined, if they are.
    pub fn pool(&self) -> Option<&[(ItemId, ItemId)]> {
        match self {
            Self::Memory(memory) => memory.pool.as_deref(),
            Self::Folder(project) => project.pool(),
        }
    }

    /// The model as if these judges had never answered.
    pub fn without(&self, judges: &[String]) -> ordain::Result<Model> {
        match self {
            Self::Memory(memory) => memory.model.clone().without_judges(judges),
            Self::Folder(project) => project.without(judges),
        }
    }
}

/// What was fitted since the latest answer.
pub struct Known {
    pub inference: Inference,
    /// The judges who were left out.
    pub without: Vec<String>,
    pub fitted: Arc<ordain::Fitted>,
}

/// A model, its session, and what was fitted since the latest answer.
pub struct Inner {
    pub door: Door,
    pub fitted: Vec<Known>,
    /// The latest session that leaves these judges out, if it still has learned all other answers.
    pub aside: Option<(Vec<String>, Session)>,
    /// Grows with every change.
    pub version: u64,
    /// Whether the session of a project is there, with all answers.
    pub resumed: bool,
}

impl Inner {
    /// Something was learned or taken back.
    pub fn changed(&mut self) {
        self.fitted.clear();
        self.asks_otherwise();
    }

    /// Questions are chosen in another way, or from other answers.
    pub fn asks_otherwise(&mut self) {
        self.aside = None;
        self.version += 1;
    }
}

/// A model in memory or in a folder. Threads may call it at once: they take turns.
#[pyclass(frozen, module = "ordain._core")]
pub struct Engine {
    inner: Arc<Mutex<Inner>>,
    /// The threads whose long calls have the model, or wait for it.
    busy: Mutex<Vec<ThreadId>>,
}

impl Engine {
    /// A model that nobody has yet.
    pub fn new(door: Door) -> Self {
        let inner = Inner { door, fitted: Vec::new(), aside: None, version: 0, resumed: false };
        Self { inner: Arc::new(Mutex::new(inner)), busy: Mutex::default() }
    }

    /// The model, once no other thread has it. Ctrl-C ends the wait.
    pub fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        loop {
            match self.inner.try_lock() {
                Ok(inner) => return Ok(inner),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            if self.busy.lock().unwrap_or_else(PoisonError::into_inner).contains(&thread::current().id()) {
                let message = "the model is busy with a call of this thread: a progress function must not call it";
                return Err(PyRuntimeError::new_err(message));
            }
            py.check_signals()?;
            py.detach(|| thread::sleep(Duration::from_millis(1)));
        }
    }

    /// Runs quick work on the model.
    pub fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Inner) -> Outcome<T> + Send) -> Outcome<T> {
        let mut inner = self.lock(py)?;
        let inner = &mut *inner;
        quick(py, move || work(inner))
    }

    /// Has the session learn all answers, if it has not. That may last.
    pub fn resume(&self, py: Python<'_>) -> Outcome<()> {
        let (begun, version) = {
            let inner = self.lock(py)?;
            let begun = match &inner.door {
                Door::Memory(memory) if memory.session.is_some() => return Ok(()),
                Door::Memory(memory) => Some((memory.model.clone(), memory.options.clone(), memory.pool.clone())),
                Door::Folder(_) if inner.resumed => return Ok(()),
                Door::Folder(_) => None,
            };
            (begun, inner.version)
        };
        let Some((model, options, pool)) = begun else {
            let inner = self.inner.clone();
            return self.while_busy(|| {
                long(py, None, move |watch| {
                    let mut inner = inner.lock().unwrap_or_else(PoisonError::into_inner);
                    let Door::Folder(project) = &mut inner.door else { return Ok(()) };
                    project.set_watch(watch.clone());
                    let found = project.session().map(|_| ());
                    project.set_watch(Watch::NONE);
                    inner.resumed = found.is_ok();
                    found
                })
            });
        };
        let session = long(py, None, move |watch| model.session(&options, pool.as_deref(), watch))?;
        let mut inner = self.lock(py)?;
        let same = inner.version == version;
        if let (Door::Memory(memory), true) = (&mut inner.door, same) {
            memory.session = Some(session);
        }
        Ok(())
    }

    /// Asks the session that has learned all answers, or all but those of some judges, about so many items.
    pub fn in_session<T: Send>(
        &self,
        py: Python<'_>,
        without: Vec<String>,
        work: impl FnOnce(&Session, usize) -> Outcome<T> + Send,
    ) -> Outcome<T> {
        if without.is_empty() {
            self.resume(py)?;
            return self.with(py, |inner| {
                let items = inner.door.model().items().len();
                work(inner.door.session()?, items)
            });
        }
        loop {
            let (model, options, pool, version) = {
                let mut guard = self.lock(py)?;
                let inner = &mut *guard;
                let items = inner.door.model().items().len();
                if let Some((_, session)) = inner.aside.as_ref().filter(|(known, _)| *known == without) {
                    return quick(py, move || work(session, items));
                }
                let pool = inner.door.pool().map(<[_]>::to_vec);
                (inner.door.without(&without)?, inner.door.options().clone(), pool, inner.version)
            };
            let session = long(py, None, move |watch| model.session(&options, pool.as_deref(), watch))?;
            let mut inner = self.lock(py)?;
            // Where another thread told something meanwhile, it begins again.
            if inner.version == version {
                inner.aside = Some((without.clone(), session));
            }
        }
    }

    /// The items, for a log.
    pub fn items(&self, py: Python<'_>) -> PyResult<Items> {
        Ok(self.lock(py)?.door.model().items().clone())
    }

    /// Marks this thread as one that has the model.
    pub fn while_busy<T>(&self, work: impl FnOnce() -> T) -> T {
        let own = thread::current().id();
        let busy = || self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        busy().push(own);
        let done = work();
        busy().retain(|thread| *thread != own);
        done
    }

    /// Runs long work on the model. One in memory is cheap to copy, so others may call it meanwhile; a project has others wait.
    pub fn with_long<T: Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<&Py<PyAny>>,
        on_model: impl FnOnce(&Model, &Watch) -> ordain::Result<T> + Send + 'static,
        on_project: impl FnOnce(&Project, &Watch) -> ordain::Result<T> + Send + 'static,
    ) -> Outcome<T> {
        let model = match &self.lock(py)?.door {
            Door::Memory(memory) => Some(memory.model.clone()),
            Door::Folder(_) => None,
        };
        if let Some(model) = model {
            return long(py, progress, move |watch| on_model(&model, watch));
        }
        let inner = self.inner.clone();
        self.while_busy(|| {
            long(py, progress, move |watch| match &inner.lock().unwrap_or_else(PoisonError::into_inner).door {
                Door::Folder(project) => on_project(project, watch),
                Door::Memory(memory) => on_model(&memory.model, watch),
            })
        })
    }
}
