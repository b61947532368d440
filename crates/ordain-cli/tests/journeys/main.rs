//! Four people who meet Ordain for the first time. Each goes from the files that they have to a ranking, with no edit by hand, and types at
//! a terminal where a person would.
//!
//! `docs/tests.md` says which of these, and which tests in `it`, show each part of what a newcomer meets.

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

use session::Session;

/// The screen up to the next question, which waits for a key.
fn question(session: &mut Session) -> String {
    let screen = session.wait_for("[q]uit: ");
    session.wait_until_raw();
    screen
}

/// The names of the two items that the screen asks about.
fn asked(screen: &str) -> [String; 2] {
    let line = screen.lines().map(str::trim).rfind(|line| line.ends_with('?') && line.contains(" or ")).unwrap();
    let (left, right) = line.trim_end_matches('?').split_once(" or ").unwrap();
    [left, right].map(str::to_owned)
}

/// What is said of how sure the goal is, from a screen or from what a command noted.
fn sure(said: &str) -> &str {
    let line = said.lines().rfind(|line| line.contains(" % sure that ")).unwrap();
    line.split(['(', ';']).next().unwrap().trim()
}
