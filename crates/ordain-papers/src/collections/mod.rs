//! The public collections that experiments read.

pub mod arguments;
pub mod cacm;
pub mod labels;
pub mod letor;
pub mod ohsumed_runs;
