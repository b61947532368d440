//! The papers' experiments as programs: data in, CSV, SVG and one HTML report out.
//!
//! [`experiments`] lists them and [`find`] finds one by name. [`run`] computes what is still missing of one in an output
//! folder, writes its summary and figures, and [`write_report`] makes one page of everything that the folder holds.
//!
//! Experiments are of kinds: `known_pairs` (some pairs of a query are known, the others predicted), `sessions` (a judge who
//! knows the truth is asked pair by pair), `metasearch` (experts are combined) and `bounds` (on errors, beside the truth). A kind
//! computes into journals and makes its findings, which are shown in a terminal and in the report, from these files alone.
//! `collections` reads the data; the pieces of figures and pages are in the crate `ordain-plot`.
//!
//! Work is cut into cells whose random streams depend on nothing but the seed and the cell. Cells are computed in
//! parallel and written in a fixed order, so a file is always the beginning of the finished one: a run that was
//! interrupted goes on where it stopped and ends with the same bytes.
//!
//! Nothing here prints, reads the environment or looks at a clock, but for the one experiment that is about time: what its clock
//! says has a file of its own.

mod bounds;
mod collections;
mod data;
mod experiment;
mod findings;
mod illustration;
mod journal;
mod known_pairs;
mod metasearch;
mod query;
mod record;
mod registry;
mod report;
mod search;
mod sessions;
mod tabulated;

pub use data::{DataCollection, DataFile, DataFolder};
pub use experiment::{Experiment, Options, Progress, run};
pub use findings::{Findings, Gist};
pub use registry::{experiments, find};
pub use report::write_report;
