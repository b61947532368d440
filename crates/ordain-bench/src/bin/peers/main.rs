//! Peers beside ours on the same problems in one run: `cargo xtask bench-peers [PART...]`.
//!
//! Called with an interpreter that has the peers; calls itself for processes whose memory is their own.
#![expect(clippy::print_stdout, reason = "this program reports at the terminal")]

mod arena;
mod engine;
mod evaluation;
mod fit;
mod fusion;
mod goals;
mod graph;
mod labels;
mod linklearn;
mod rankers;
mod ratings;
mod search;
mod shared;
mod tune;

use std::error::Error;

/// A name, and what runs with an interpreter that has the peers.
type Part = (&'static str, fn(&str) -> Result<(), Box<dyn Error>>);

/// The parts, each of which records a result of its own.
const PARTS: [Part; 13] = [
    ("evaluation", evaluation::side_by_side),
    ("search", search::side_by_side),
    ("fit", fit::side_by_side),
    ("tune", tune::side_by_side),
    ("engine", engine::side_by_side),
    ("goals", goals::side_by_side),
    ("graph", graph::side_by_side),
    ("fusion", fusion::side_by_side),
    ("rankers", rankers::side_by_side),
    ("labels", labels::side_by_side),
    ("linklearn", linklearn::side_by_side),
    ("ratings", ratings::side_by_side),
    ("arena", arena::side_by_side),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["ours", "fit"] => fit::ours(),
        ["ours", "arena", place] => arena::ours(place),
        ["ours", "tune", restarts] => tune::ours(restarts),
        ["ours", "graph", place, tolerance] => graph::ours(place, tolerance),
        ["ours", "search", collection] => search::ours(collection),
        ["ours", "fusion", folder] => fusion::ours(folder),
        ["ours", "rankers", place] => rankers::ours(place),
        ["ours", "labels", place] => labels::ours(place),
        ["ours", "linklearn"] => linklearn::ours(),
        ["ours", "linklearn", setting] => linklearn::whole(setting),
        ["ours", "ratings", place] => ratings::ours(place),
        ["ours", "raters", users, items] => ratings::grown(users, items),
        ["ours", "greedy", items] => fusion::grown(items),
        ["ours", "evaluation", run, qrels] => evaluation::ours(run, qrels),
        ["ours", "engine", contender, world, answers] => engine::ours(contender, world, answers),
        [_, "engine-plot"] => engine::redraw(),
        [python, ref wanted @ ..] => {
            let known = PARTS.map(|(name, _)| name);
            if let Some(unknown) = wanted.iter().find(|name| !known.contains(name)) {
                return Err(format!("no part is named {unknown}; there are {}", known.join(", ")).into());
            }
            let chosen = PARTS.iter().filter(|(name, _)| wanted.is_empty() || wanted.contains(name));
            chosen.into_iter().try_for_each(|(_, run)| run(python))
        }
        [] => Err("expected a Python interpreter that has the peers; use `cargo xtask bench-peers`".into()),
    }
}
