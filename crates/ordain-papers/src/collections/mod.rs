//! The public collections that experiments read.

pub mod cacm;
pub mod letor;
