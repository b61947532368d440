//! Judges who differ.

#![allow(clippy::unwrap_used)]

mod care;
#[path = "../common/mod.rs"]
mod common;
mod naive;
mod sampler;
mod sides;
mod ties;
mod whom;
