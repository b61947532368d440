//! Peers beside ours on the same problems in one run: `cargo xtask bench-peers`.
//!
//! Called with an interpreter that has the peers; calls itself for processes whose memory is their own.
#![expect(clippy::print_stdout, reason = "this program reports at the terminal")]

mod evaluation;
mod fit;
mod search;
mod shared;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["fit"] => fit::ours(),
        ["evaluate", run, qrels] => evaluation::ours(run, qrels),
        ["search", collection] => search::ours(collection),
        ["beside", python] => {
            evaluation::side_by_side(python)?;
            search::side_by_side(python)?;
            fit::side_by_side(python)
        }
        ["beside", python, "evaluation"] => evaluation::side_by_side(python),
        ["beside", python, "search"] => search::side_by_side(python),
        ["beside", python, "fit"] => fit::side_by_side(python),
        _ => Err(
            "expected `beside`, a Python interpreter that has the peers, and evaluation, search or fit if only one is \
                  wanted; use `cargo xtask bench-peers`"
                .into(),
        ),
    }
}
