//! Four people who meet Ordain for the first time. Each goes from the files that they have to a ranking, with no edit by hand.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod evaluator;
mod manager;
mod scientist;
mod searcher;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../it/session.rs"]
mod session;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../it/util.rs"]
mod util;
