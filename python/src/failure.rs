//! Errors of the library become exceptions of the package, with the same text.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Why a call failed: the library says so, or Python does.
pub enum Failure {
    Library(Box<ordain::Error>),
    /// About one of many things, which is named before the text.
    About(String, Box<ordain::Error>),
    Python(PyErr),
}

/// The result of a function that Python calls.
pub type Outcome<T> = Result<T, Failure>;

impl From<ordain::Error> for Failure {
    fn from(error: ordain::Error) -> Self {
        Self::Library(Box::new(error))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Library(error) => raised(&error, error.to_string()),
            Failure::About(what, error) => raised(&error, format!("{what}: {error}")),
        }
    }
}

impl Failure {
    /// The same, about one of many things.
    pub fn about(self, what: impl FnOnce() -> String) -> Self {
        match self {
            Self::Library(error) => Self::About(what(), error),
            other => other,
        }
    }
}

fn raised(error: &ordain::Error, text: String) -> PyErr {
    Python::attach(|py| exception(py, error, text).unwrap_or_else(|error| error))
}

/// A value that does not suit, in the words of the library.
pub fn unfit(what: &'static str, found: impl Into<String>, expected: impl Into<String>) -> Failure {
    ordain::Error::Data { what, found: found.into(), expected: expected.into() }.into()
}

/// The exception for an error of the library. What is known beside its text become attributes.
fn exception(py: Python<'_>, error: &ordain::Error, text: String) -> PyResult<PyErr> {
    let about = PyDict::new(py);
    about.set_item("hint", error.hint())?;
    if let ordain::Error::Input(input) = innermost(error) {
        about.set_item("file", &input.file)?;
        about.set_item("line", input.line)?;
        about.set_item("column", &input.column)?;
        about.set_item("found", &input.found)?;
    }
    let class = py.import("ordain.errors")?.getattr(class_of(error))?;
    Ok(PyErr::from_value(class.call((text,), Some(&about))?))
}

fn innermost(error: &ordain::Error) -> &ordain::Error {
    match error {
        ordain::Error::Relation { error, .. } | ordain::Error::In { error, .. } => innermost(error),
        error => error,
    }
}

/// The name of the exception's class in `ordain.errors`.
fn class_of(error: &ordain::Error) -> &'static str {
    use ordain::Error::*;
    match innermost(error) {
        Input(_) => "InputError",
        Io { .. } => "FileError",
        Parameter { .. } | Setting { .. } => "ParameterError",
        UnknownWord { .. } | Malformed { .. } => "UnknownWordError",
        Data { .. } | ConstantAttributes { .. } => "DataError",
        NotConverged { .. } | NotPositiveDefinite { .. } => "NumericalError",
        Memory { .. } | TooLarge { .. } => "TooLargeError",
        Cancelled { .. } => "CancelledError",
        _ => "OrdainError",
    }
}
