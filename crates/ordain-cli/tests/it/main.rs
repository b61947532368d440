//! The real `ordain` command, run in a fresh folder for every test.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod add;
mod answer;
mod apart;
mod ask;
mod bad_input;
mod bounds;
mod choices;
mod compare;
mod contract;
mod demo;
mod eval;
#[cfg(unix)]
mod examples;
mod extremes;
mod fine;
mod fire;
mod fuse;
mod goal;
mod init;
mod judges;
mod labels;
mod linklearn;
mod manners;
mod names;
mod newcomers;
mod next;
mod predict;
mod prior;
mod rank;
mod rate;
mod report;
mod reproduce;
mod screen;
mod search;
#[cfg(target_os = "linux")]
mod session;
mod simulate;
#[cfg(target_os = "linux")]
mod terminal;
mod train;
mod tune;
mod util;
mod world;
