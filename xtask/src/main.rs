//! Development tasks: `cargo xtask` lists them. Nothing but the standard library, so that they start at once.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to the developer at the terminal")]

mod edges;
mod pictures;
mod python;
mod soak;
mod step;
mod tools;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use step::{Course, Failure, Step};

const HELP: &str = "\
Development tasks of Ordain

Usage: cargo xtask <TASK>

Tasks:
  test            Everything CI runs, in order, up to the first failure: edges, the oracles' Python environment,
                  format, lints, licences and sources of dependencies, documentation, doc tests, tests (by cargo-nextest where
                  it is installed), the wheel of the Python package and its tests
  edges           Check that folders and crates use only those that the block `edges` of ARCHITECTURE.md allows
  deny            Check the licences and sources of all dependencies against deny.toml
  soak [PART...]  The long runs, all or these parts of them: kills, log, projects, stopping, fuzz. Two
                  hours on two cores, and several more for stopping, which goes on where it was interrupted
  package         Build the wheel of the Python package, install it into a fresh environment, and run its tests
  man             Write the pages of the manual of the `ordain` command to target/man
  pictures [EXPERIMENT...]
                  Make the reports of the bundled projects, the demo's page and the report of quick runs of these experiments of
                  `ordain reproduce`, and take pictures of them with a headless browser: for a screen and a phone, in the light
                  and in the dark. They are in target/pictures, to be looked at
  bench [ARGS]    Run the benches; ARGS go to `cargo bench`
  oracles         Prepare the oracles' Python environment and print its interpreter, for example
                  ORDAIN_PYTHON=\"$(cargo xtask oracles)\" cargo test
  bench-peers [PART...]
                  Run the peers' implementations beside ours, all or these parts of it, and record the results
                  under crates/ordain-bench/results; installs several gigabytes of Python packages first.
                  Parts: evaluation, search, fit, tune, engine, goals, graph, fusion, rankers, labels, linklearn, ratings, arena; engine-plot
                  draws docs/engine.svg and writes the report of the latest engine run again
  bench-crowds [WORLDS]
                  Judges told apart in so many simulated crowds, beside crowd-kit's NoisyBradleyTerry, and record the result
                  under crates/ordain-bench/results [default: 20]
  bench-commands [agreement | questions]
                  Run whole commands beside those of an earlier commit, on projects of up to a million items, or compare what
                  both say, or how long people wait for a question, and record the result under crates/ordain-bench/results. Builds that commit first
  help            Print this

Environment:
  ORDAIN_PYTHON        A Python that has what tests/oracles/requirements.txt lists, used instead of a new environment
  ORDAIN_PEERS_PYTHON  The same for crates/ordain-bench/peers/requirements.txt
  ORDAIN_PACKAGE_PYTHON  The same for python/tests/requirements.txt; the package is installed there
  ORDAIN_CROWDS_PYTHON  The same for crates/ordain-bench/peers/crowds.txt
  ORDAIN_FUZZ_SECONDS  How long soak fuzzes each target [default: 600]
  ORDAIN_COMMANDS_CELLS  A quick look at some projects of bench-commands, as in `1000, arena`: nothing is recorded
  ORDAIN_ENGINE_CELLS  A quick look at some cells of the part engine, as in `focus-1 1000, numpy-naive`: nothing is recorded
";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let task = args.next();
    let rest: Vec<OsString> = args.collect();
    let task = task.as_ref().map(|task| task.to_string_lossy());
    match (task.as_deref(), rest.as_slice()) {
        (None | Some("help" | "--help" | "-h"), _) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        (Some("test"), []) => finish(test()),
        (Some("edges"), []) => finish(check_edges("")),
        (Some("deny"), []) => finish(deny("")),
        (Some("soak"), parts) => finish(soak::run(parts)),
        (Some("package"), []) => finish(python::PACKAGE.prepare("").and_then(|python| test_package(&python, ""))),
        (Some("man"), []) => finish(man()),
        (Some("pictures"), experiments) => finish(pictures::take(experiments)),
        (Some("bench"), args) => finish(cargo("benches", &["bench", "-p", "ordain-bench"]).args(args).run("")),
        (Some("oracles"), []) => finish(python::ORACLES.prepare("").map(|python| println!("{}", python.display()))),
        (Some("bench-peers"), parts) => finish(bench_peers(parts)),
        (Some("bench-crowds"), []) => finish(bench_crowds("20".into())),
        (Some("bench-crowds"), [worlds]) => finish(bench_crowds(worlds.clone())),
        (Some("bench-crowds"), [_, more, ..]) => {
            misuse(&format!("`bench-crowds` takes a number of worlds, found `{}` too", more.to_string_lossy()))
        }
        (Some("bench-commands"), []) => finish(bench_commands(&[])),
        (Some("bench-commands"), [part]) if part == "agreement" => finish(bench_agreement()),
        (Some("bench-commands"), [part]) if part == "questions" => finish(bench_commands(&["questions".into()])),
        (Some("bench-commands"), [part, ..]) => misuse(&format!(
            "`bench-commands` takes `agreement`, `questions` or nothing, found `{}`",
            part.to_string_lossy()
        )),
        (Some(task @ ("test" | "edges" | "deny" | "man" | "oracles" | "package")), [first, ..]) => {
            misuse(&format!("`{task}` takes no arguments, found `{}`", first.to_string_lossy()))
        }
        (Some(task), _) => misuse(&format!("unknown task `{task}`")),
    }
}

/// Everything CI runs.
fn test() -> Result<(), Failure> {
    let mut course = Course::new(10);
    course.take("edges", check_edges)?;
    course.take("dependencies", deny)?;
    let python = course.take("oracles", |position| python::ORACLES.prepare(position))?;
    let tests = if has_nextest() {
        cargo("tests, by cargo-nextest", &["nextest", "run", "--workspace", "--all-features"])
    } else {
        // Nextest runs no doc tests, so they are a step of their own and not part of this one.
        cargo(
            "tests, by cargo test (cargo-nextest is not installed)",
            &["test", "--workspace", "--all-features", "--lib", "--bins", "--tests", "--examples"],
        )
    };
    let steps = [
        cargo("format", &["fmt", "--all", "--check"]),
        cargo("lints", &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]),
        cargo("documentation", &["doc", "--workspace", "--no-deps", "--all-features"])
            .env("RUSTDOCFLAGS", "-D warnings"),
        cargo("doc tests", &["test", "--doc", "-p", "ordain", "--all-features"]),
        // The same cases in every run; `cargo test` by hand tries new ones.
        tests.env("ORDAIN_PYTHON", &python).env("PROPTEST_RNG_SEED", "2026"),
    ];
    tools::debian_tool("strace", "no command is killed, and no system call fails")?;
    for step in &steps {
        course.take(step.title(), |position| step.run(position))?;
    }
    let python = course.take("package", |position| python::PACKAGE.prepare(position))?;
    course.take("package", |position| test_package(&python, position))?;
    course.finish();
    Ok(())
}

/// The Python package: its wheel, and its tests, which compare it with the command.
fn test_package(python: &std::path::Path, position: &str) -> Result<(), Failure> {
    // With the workspace, so that it is the one that the tests have built.
    cargo("the command", &["build", "--workspace", "--all-features", "--bin", "ordain"]).run(position)?;
    python::test_package(python, position)
}

/// The version of cargo-deny.
const CARGO_DENY: &str = "0.20.2";

/// That every dependency may be used, and comes from where it should.
fn deny(position: &str) -> Result<(), Failure> {
    let tool = tools::cargo_tool("cargo-deny", CARGO_DENY, position)?;
    Step::new("licences and sources of dependencies", tool)
        .args(&["check", "licenses", "bans", "sources"])
        .run(position)
}

/// That the code has no edges but those of ARCHITECTURE.md.
fn check_edges(position: &str) -> Result<(), Failure> {
    step::title(&format!("{position}edges"));
    let started = std::time::Instant::now();
    edges::check(&root())?;
    step::report(&format!("ok in {}", step::elapsed(started)));
    Ok(())
}

/// The pages of the manual, by the command itself: it alone knows its arguments.
fn man() -> Result<(), Failure> {
    cargo("pages of the manual", &["run", "-p", "ordain-cli", "--", "man"]).args(&[root().join("target/man")]).run("")
}

/// Ours and the peers', on the same problems in one run.
fn bench_peers(parts: &[OsString]) -> Result<(), Failure> {
    let python = python::PEERS.prepare("")?;
    let run = cargo("peers", &["run", "--release", "-p", "ordain-bench", "--bin", "peers", "--"]);
    run.args(&[python]).args(parts).run("")
}

/// Judges told apart in so many simulated crowds.
fn bench_crowds(worlds: OsString) -> Result<(), Failure> {
    let python = python::CROWDS.prepare("")?;
    let run = cargo("crowds", &["run", "--release", "-p", "ordain-bench", "--bin", "crowds", "--"]);
    run.args(&[worlds, python.into()]).run("")
}

/// What commands of this build say beside those of an earlier commit, and beside a sampler.
fn bench_agreement() -> Result<(), Failure> {
    let python = python::ORACLES.prepare("")?;
    bench_commands(&["agreement".into(), python.into()])
}

/// Whole commands of this build and of an earlier commit; or, with this part, what they say or how long people wait for a question.
fn bench_commands(part: &[OsString]) -> Result<(), Failure> {
    /// The commit whose commands are compared.
    const BEFORE: &str = "5e190f2";
    let place = root().join("target/commands");
    let (source, built) = (place.join(BEFORE), place.join("build"));
    if !source.exists() {
        let add = Step::new("the sources of the earlier commit", "git").args(&["worktree", "add", "--detach"]);
        add.args(&[source.as_os_str()]).args(&[BEFORE]).run("")?;
    }
    let build = cargo("the earlier commit", &["build", "--release", "-p", "ordain-cli"]);
    build
        .args(&["--manifest-path".into(), source.join("Cargo.toml")])
        .args(&["--target-dir".into(), built.clone()])
        .run("")?;
    cargo("this one", &["build", "--release", "-p", "ordain-cli"]).run("")?;
    let run = cargo("commands", &["run", "--release", "-p", "ordain-bench", "--bin", "commands", "--"]);
    let ordain = |target: PathBuf| target.join("release/ordain");
    run.args(&[ordain(root().join("target")), ordain(built)]).args(&[BEFORE]).args(part).run("")
}

/// A step that runs the cargo this program was started by.
fn cargo(title: &str, args: &[&str]) -> Step {
    Step::new(title, std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())).args(args)
}

fn has_nextest() -> bool {
    cargo("", &["nextest", "--version"]).succeeds_quietly()
}

/// The repository.
fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map_or_else(|| manifest.clone(), PathBuf::from)
}

fn finish(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            step::complain(&failure.to_string());
            ExitCode::from(1)
        }
    }
}

fn misuse(what: &str) -> ExitCode {
    step::complain(&format!("{what}; `cargo xtask help` lists the tasks"));
    ExitCode::from(2)
}
