//! Laws that every kernel keeps, and each kernel against a dense or brute-force computation written here.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod graphs;
mod laws;
mod tools;
mod vectors;
