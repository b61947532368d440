//! What an experiment found, in every form in which it is shown.

/// What an experiment found.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The gist of it, for a terminal.
    pub gist: Gist,
    /// Tables and figures: how the names of their files end, and what these hold.
    pub(crate) files: Vec<(String, String)>,
    /// HTML: figures and tables.
    pub(crate) measured: String,
    /// HTML, paragraphs: how large the experiment was, and how it measured.
    pub(crate) how: String,
    /// HTML: what came out beside what the paper says.
    pub(crate) comparison: String,
}

/// A short table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gist {
    /// What its numbers are.
    pub title: String,
    /// The heads of its columns.
    pub header: Vec<String>,
    /// Its rows; the first cell names the row.
    pub rows: Vec<Vec<String>>,
    /// What its marks mean; may be empty.
    pub note: String,
}
