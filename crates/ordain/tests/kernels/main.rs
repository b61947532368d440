//! Laws that every kernel keeps, and each kernel against a dense or brute-force computation written here.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "the helpers of tests are tests too")]

mod draws;
mod entries;
mod graphs;
mod hubs;
mod large_graphs;
mod laws;
mod newcomers;
mod semi_supervised;
mod tools;
mod vectors;
