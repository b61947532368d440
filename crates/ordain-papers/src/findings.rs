//! The findings of an experiment, in every form in which they are shown.

/// The findings of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The gist, for a terminal.
    pub gist: Gist,
    /// Tables and figures: the endings of their file names, and their contents.
    pub(crate) files: Vec<(String, String)>,
    /// HTML: figures and tables.
    pub(crate) measured: String,
    /// HTML paragraphs: the size of the experiment, and how it measured.
    pub(crate) how: String,
    /// HTML: the findings beside the paper's claims.
    pub(crate) comparison: String,
}

/// A short table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gist {
    /// The meaning of its numbers.
    pub title: String,
    /// The heads of its columns.
    pub header: Vec<String>,
    /// Its rows; the first cell names the row.
    pub rows: Vec<Vec<String>>,
    /// The meaning of its marks; may be empty.
    pub note: String,
}
