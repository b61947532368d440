//! The engine: a search that prunes against plain scans over all pairs, covariances that are never formed against ones that are
//! updated here by the formulas, and the same bits however a session came to where it is.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too"
)]

mod beliefs;
mod bits;
#[path = "../common/mod.rs"]
mod common;
mod hostile;
mod many;
mod plain;
mod problems;
mod questions;
