//! The papers' experiments as programs: data in, CSV, SVG and one HTML report out.
//!
//! [`experiments`] lists them, and [`find`] finds one by name. [`run`] computes the missing results of one in an output
//! folder and writes its summary and figures. [`write_report`] makes one page of everything in the folder.
//!
//! There are nine kinds of experiments: `known_pairs` (some pairs of a query are known, the others are predicted),
//! `sessions` (a judge who knows the truth is asked pair by pair), `metasearch` (experts are combined), `rankers` (from
//! graded lists), `labels` (are ranked), `linklearn` (texts and links), `semi_supervised` (unlabelled items), `collaborative` (many users) and `bounds` (on errors, beside the truth). A kind computes into journals. It makes its findings, for a terminal and for the report,
//! from these files alone. `collections` reads the data. The crate `ordain-plot` has the pieces of figures and pages.
//!
//! Work is cut into cells. The random stream of a cell depends only on the seed and the cell. Cells are computed in
//! parallel and written in a fixed order, so a file is always the beginning of the finished one. An interrupted run
//! goes on where it stopped and ends with the same bytes.
//!
//! Nothing here prints, reads the environment or looks at a clock, except the one experiment about time. Its timings
//! have a file of their own.

mod bounds;
mod collaborative;
mod collections;
mod data;
mod experiment;
mod findings;
mod illustration;
mod journal;
mod known_pairs;
mod labels;
mod linklearn;
mod metasearch;
mod query;
mod rankers;
mod record;
mod registry;
mod report;
mod search;
mod semi_supervised;
mod sessions;
mod stream;
mod tabulated;

pub use data::{DataCollection, DataFile, DataFolder};
pub use experiment::{Experiment, Options, Progress, run};
pub use findings::{Findings, Gist};
pub use registry::{experiments, find};
pub use report::write_report;
