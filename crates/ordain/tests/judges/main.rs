//! Judges who differ.

mod care;
#[path = "../common/mod.rs"]
mod common;
mod naive;
mod sampler;
mod sides;
mod whom;
