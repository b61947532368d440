//! Ordain learns the order of things from as few comparisons as possible.
//!
//! Items come with attributes, links to each other, or both; somebody answers "which of these two?"; Ordain keeps a
//! Gaussian-process belief over every item's utility and gives a ranking with its uncertainty at any moment.
//!
//! Data flows one way, and the modules follow it: [`formats`] reads files into [`data`], [`kernel`] says how alike two
//! items are a priori, [`gp`] turns answers into a belief and its ranking, [`active`] says what a pair is worth asking.
//! [`order`] makes one order of many experts' and learns what each is worth, [`learn`] holds rankers of other kinds, [`measure`] says how good a ranking is, [`text`] ranks documents by their words.
//! [`numeric`] holds the mathematics that all of them share.

pub mod active;
pub mod data;
mod error;
pub mod formats;
pub mod gp;
pub mod kernel;
pub mod learn;
pub mod measure;
mod model;
pub mod numeric;
pub mod order;
mod params;
mod project;
pub mod text;
mod watch;
mod words;

pub use error::{Error, InputError, Result};
pub use model::{Fitted, Inference, Model, Pool, Ranking};
pub use project::{Project, Recorder};
pub use watch::{Step, Watch};
pub use words::Vocabulary;

/// Compiles and runs what the README shows.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
