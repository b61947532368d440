//! The one error type of the library. It has fields rather than text, and keeps hints apart from messages.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of the library's fallible functions.
pub type Result<T> = std::result::Result<T, Error>;

/// An error that is not the library's fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The content of a file is not as expected.
    #[error(transparent)]
    Input(Box<InputError>),

    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", named(path))]
    Io {
        /// The action that failed: "read", "append to".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },

    /// A number given to a model is outside its range.
    #[error("{name} is {}, expected {expected}", brief(*value))]
    Parameter {
        /// The parameter, as the user writes it.
        name: String,
        /// The value given.
        value: f64,
        /// The range in which it must lie.
        expected: &'static str,
    },

    /// A relation does not suit the kernel over it.
    #[error("relation {number}: {error}")]
    Relation {
        /// The position of the relation.
        number: usize,
        /// Why.
        error: Box<Error>,
    },

    /// What a file says leads to an error, though each of its parts is as expected.
    #[error("{}: {error}", file.display())]
    In {
        /// The file.
        file: PathBuf,
        /// The error.
        error: Box<Error>,
    },

    /// The work needs more memory than there is.
    #[error("{work} needs about {} of memory, and {} are free", gigabytes(*needed), gigabytes(*available))]
    Memory {
        /// The work: "ranking 20000 items".
        work: String,
        /// The bytes that it needs.
        needed: u64,
        /// The bytes that there are.
        available: u64,
    },

    /// An unknown word.
    #[error("found \"{}\", expected a known {what}", token(found))]
    UnknownWord {
        /// The kind of word: "strategy", "goal".
        what: &'static str,
        /// The word given.
        found: String,
        /// The nearest known word, and all known words if they are few.
        hint: Option<String>,
    },

    /// A word of a known form whose number is wrong, such as `first:1.2`.
    #[error("found \"{}\", expected {expected}", token(found))]
    Malformed {
        /// The kind of word: "outcome".
        what: &'static str,
        /// The word given.
        found: String,
        /// The expected form.
        expected: String,
        /// How to mend it.
        hint: &'static str,
    },

    /// Data handed to a constructor contradict each other.
    #[error("{what}: found {}, expected {expected}", description(found))]
    Data {
        /// The part that is wrong.
        what: &'static str,
        /// The value given.
        found: String,
        /// The expected value.
        expected: String,
    },

    /// Every attribute is constant over the items of a group, so standardizing leaves nothing.
    #[error(
        "attributes: found only constant columns ({}), expected at least one attribute that differs between items",
        listed(names)
    )]
    ConstantAttributes {
        /// The names of the attributes.
        names: Vec<String>,
    },

    /// A matrix that should be positive definite is not.
    #[error("{what} is not positive definite: pivot {pivot} of {dimension}")]
    NotPositiveDefinite {
        /// The matrix.
        what: &'static str,
        /// The first pivot that failed, from 0.
        pivot: usize,
        /// The size of the matrix.
        dimension: usize,
    },

    /// An iteration did not converge within its limit of steps.
    #[error("{what} did not converge in {iterations} iterations: residual {residual:.3e}, dimension {dimension}")]
    NotConverged {
        /// The iteration.
        what: &'static str,
        /// The number of steps taken.
        iterations: usize,
        /// The size of the last change or residual.
        residual: f64,
        /// The size of the problem.
        dimension: usize,
    },

    /// A setting that the caller gave does not fit the rest.
    #[error("{name}: found \"{}\", expected {expected}", token(found))]
    Setting {
        /// The setting, as the caller names it.
        name: &'static str,
        /// The value given.
        found: String,
        /// The expected value.
        expected: String,
        /// How to mend it.
        hint: &'static str,
    },

    /// A [`Watch`](crate::Watch) stopped the work.
    #[error("stopped while {work}")]
    Cancelled {
        /// The work that was not finished.
        work: &'static str,
    },

    /// The problem is too large for the requested method.
    #[error("{what} has {size}, more than the {limit} that {method} can hold")]
    TooLarge {
        /// The part that is too large.
        what: String,
        /// Its size.
        size: usize,
        /// The largest size that works.
        limit: usize,
        /// The method that sets the limit.
        method: &'static str,
    },
}

impl Error {
    /// A hint for the user, if the message alone does not say what to do.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Input(input) => input.hint.as_deref(),
            Self::UnknownWord { hint, .. } => hint.as_deref(),
            Self::Setting { hint, .. } | Self::Malformed { hint, .. } => Some(hint),
            Self::Relation { error, .. } | Self::In { error, .. } => error.hint(),
            Self::NotConverged { .. } | Self::NotPositiveDefinite { .. } => Some(
                "weights, lengths, noise, tie width or links differ by very many orders of magnitude: bring them closer",
            ),
            Self::Memory { .. } => {
                Some("take fewer items, or name a column as their group: groups are ranked by themselves")
            }
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::NotFound => Some("check the name and the folder it is looked for in"),
                std::io::ErrorKind::AlreadyExists => Some("it stays as it was: move it away, or choose another folder"),
                std::io::ErrorKind::PermissionDenied => Some("check who owns it and who may read and write it"),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A number as people write it: very large and very small ones with an exponent.
pub(crate) fn brief(value: f64) -> String {
    let ordinary = value == 0.0 || (1e-6..1e15).contains(&value.abs());
    if ordinary || !value.is_finite() { value.to_string() } else { format!("{value:e}") }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::Input(Box::new(error))
    }
}

/// An error in a file: the place, the text found there, the text expected, and how to correct it.
///
/// ```
/// use ordain::InputError;
/// let error = InputError::new("items.csv", "a number").line(3).column("area").found("wide");
/// assert_eq!(error.to_string(), "items.csv, line 3, column area: found \"wide\", expected a number");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file, as the user named it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The column's name, or its number from 1.
    pub column: Option<String>,
    /// The offending token, cut to a readable length.
    pub found: Option<String>,
    /// A description of the expected text.
    pub expected: String,
    /// How to correct it.
    pub hint: Option<String>,
    /// Whether the last line lacks its line feed, as while another process is still writing it.
    pub torn: bool,
}

/// Longer tokens are cut in messages to stay readable.
pub(crate) const LONGEST_TOKEN: usize = 60;

/// Longer descriptions of what was found are cut in messages.
const LONGEST_DESCRIPTION: usize = 200;

/// A token as messages show it: cut if it is long, with quotation marks, controls and other invisible characters
/// escaped.
pub(crate) fn token(text: &str) -> String {
    let (start, more) = beginning(text, LONGEST_TOKEN);
    format!("{}{more}", start.escape_debug())
}

/// A token in a list: in quotation marks if it holds a comma.
pub(crate) fn list_token(text: &str) -> String {
    let token = token(text);
    if token.contains(',') { format!("\"{token}\"") } else { token }
}

/// A description as messages show it: cut if it is long, with controls escaped.
fn description(text: &str) -> String {
    let (start, more) = beginning(text, LONGEST_DESCRIPTION);
    without_controls(start) + more
}

/// The name of a file as messages show it, with controls escaped.
fn named(path: &Path) -> String {
    without_controls(&path.to_string_lossy())
}

fn without_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() { shown.extend(letter.escape_debug()) } else { shown.push(letter) }
    }
    shown
}

/// The first letters of a text, and an ellipsis if there are more.
pub(crate) fn beginning(text: &str, most: usize) -> (&str, &'static str) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    }
}

/// The first of these names, and an ellipsis if there are more.
pub(crate) fn listed(names: &[String]) -> String {
    const MOST: usize = 10;
    let mut shown: Vec<String> = names.iter().take(MOST).map(|name| list_token(name)).collect();
    shown.extend((names.len() > MOST).then(|| "…".into()));
    shown.join(", ")
}

impl InputError {
    /// An error about `file`, in which `expected` was expected.
    pub fn new(file: impl AsRef<Path>, expected: impl Into<String>) -> Self {
        Self {
            file: file.as_ref().to_path_buf(),
            line: None,
            column: None,
            found: None,
            expected: expected.into(),
            hint: None,
            torn: false,
        }
    }

    /// Sets the line, from 1. Line 0 is no line, as of what no file says.
    pub fn line(mut self, line: u64) -> Self {
        self.line = (line > 0).then_some(line);
        self
    }

    /// Sets the column's name, or its number from 1. Messages escape control characters and cut long names.
    pub fn column(mut self, column: impl ToString) -> Self {
        self.column = Some(column.to_string());
        self
    }

    /// Sets the offending token. Control characters are escaped, and long tokens are cut.
    pub fn found(mut self, token: impl AsRef<str>) -> Self {
        self.found = Some(self::token(token.as_ref()));
        self
    }

    /// Sets the hint: how to correct the file.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", named(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column {}", token(column))?;
        }
        match &self.found {
            Some(found) => write!(f, ": found \"{found}\", expected {}", self.expected),
            None => write!(f, ": expected {}", self.expected),
        }
    }
}

impl std::error::Error for InputError {}
