//! Ordain learns the order of things from as few comparisons as possible.
//!
//! Items have attributes, links to each other, or both. Somebody answers "which of these two?". Ordain keeps a Gaussian-process
//! belief about every item's utility, names the pair that is worth asking next, and ranks all items with their uncertainty at
//! any moment.
//!
//! There are two doors. A [`Project`] lives in a folder with an `ordain.toml`: open it, ask, tell, take back, rank. An answer that
//! [`Project::tell`] acknowledged survives a crash.
//!
//! ```
//! use ordain::{Inference, Project, Watch, data::Outcome, gp::RankingParams};
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path();
//! # std::fs::write(folder.join("items.csv"), "id,watts\nred,40\nblue,60\ngreen,25\n").unwrap();
//! # std::fs::write(folder.join("ordain.toml"), "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\n").unwrap();
//!
//! let mut project = Project::open(folder)?;
//! while let Some(question) = project.ask()? {
//!     project.tell(question.answer(Outcome::First)?.by("ann"))?; // ann prefers the first, always
//! }
//! project.undo(Some("ann"), None)?;
//! let ranking = project.fit(Inference::Ep, &Watch::NONE)?.rank(&RankingParams::default())?;
//! for row in &ranking.items {
//!     println!("{}. {} {:.2} ± {:.2}", row.rank, project.items().id(row.item), row.mean, row.sd);
//! }
//! # assert_eq!((ranking.items.len(), project.model().answers().standing().len()), (3, 2));
//! # Ok::<(), ordain::Error>(())
//! ```
//!
//! A [`Model`] is the same in memory, without files. Its answers live wherever you keep them: here in a `Vec`, in a service in its
//! database.
//!
//! ```
//! use ordain::data::{AnswerLog, Entry, Items, Outcome};
//! use ordain::{Inference, Model, Watch, active::AskOptions, gp::RankingParams, kernel::KernelSpec};
//!
//! let mut answers: Vec<Entry> = Vec::new();
//! let model = Model::new(Items::from_ids(["ash", "birch", "cedar"])?, vec![KernelSpec::independent(1.0)])?;
//! let mut session = model.session(&AskOptions::default(), None, &Watch::NONE)?;
//! while let Some(question) = session.ask()? {
//!     let answer = question.answer(Outcome::Second)?;
//!     session.tell(answer.clone())?; // learn first: what cannot be learned is not kept
//!     answers.push(Entry::Answer(answer));
//! }
//! session.undo(None)?;
//! answers.push(Entry::Undo { judge: None, time: None });
//!
//! let model = model.with_answers(AnswerLog::new(answers)?)?;
//! let ranking = model.fit(Inference::Ep, &Watch::NONE)?.rank(&RankingParams::default())?;
//! assert_eq!(ranking.items.len(), 3);
//! # Ok::<(), ordain::Error>(())
//! ```
//!
//! Behind the doors are rooms, and data flows through them one way. [`formats`] reads files into [`data`]. [`kernel`] says how alike
//! two items are a priori. [`gp`] turns answers into a belief and its ranking. [`active`] chooses pairs, counts certainty and
//! forecasts. [`order`] makes one order from many experts. [`learn`] holds rankers of other kinds. [`measure`] says how good a ranking
//! is. [`text`] ranks documents by their words. [`numeric`] holds the mathematics that all of them share.
// What bad input can reach is an error. An invariant that only we can break is an `assert!` or `unreachable!`, with its reason.
#![warn(clippy::expect_used, clippy::panic)]

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
pub use model::{Agreement, Fitted, Inference, JudgeReport, Model, Ranking, Tally};
pub use project::{Project, Recorder};
pub use watch::{Step, Watch, on_wait};
pub use words::Vocabulary;

/// Compiles and runs what the README shows.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
