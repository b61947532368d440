//! The public collections that experiments read.

pub mod arguments;
pub mod boston;
pub mod breakfast;
pub mod cacm;
pub mod classic;
pub mod jester;
pub mod labels;
pub mod letor;
pub mod ohsumed_runs;
pub mod wiki_schools;
