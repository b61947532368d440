//! The goal that `ordain ask` was given is the project's from then on.

use std::fs::{File, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use crate::util::{Folder, Run};

const ASK: &str = "\n[ask]\n# What the answers are for.\ngoal = \"whole-order\"  # or \"best\"\nseed = 7  # lucky\n";

fn project() -> Folder {
    let folder = Folder::project();
    folder.append("ordain.toml", ASK);
    folder
}

fn quit(folder: &Folder, more: &[&str]) -> Run {
    let mut command = folder.command(["ask"].iter().chain(more));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A talk that is over does not read on.
    let _ = child.stdin.take().unwrap().write_all(b"q\n");
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_goal_is_remembered_and_pursued() {
    let folder = project();
    let run = quit(&folder, &["--goal", "top", "--top", "2"]);
    run.fine();
    assert!(run.stderr.starts_with("./ordain.toml now has goal = \"top\", k = 2 under [ask]: "), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
    // Everything else stays, comments and order too.
    let expected = ASK.replace("\"whole-order\"  #", "\"top\"  #") + "k = 2\n";
    let text = folder.read("ordain.toml");
    let ask = text.split_once("[answers]\nfile = \"answers.csv\"\n").unwrap().1;
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(ask), sorted(&expected));
    assert!(ask.contains("# What the answers are for.\ngoal = \"top\"  # or \"best\"\n"), "{ask}");
    // The others pursue it as if it were said to them.
    let certainty = &folder.json(["rank"])["certainty"];
    assert_eq!((&certainty["goal"], &certainty["k"]), (&"top".into(), &2.into()));
    let other = project();
    assert_eq!(folder.json(["next"]), other.json(["next", "--goal", "top", "--top", "2"]));
    let again = quit(&folder, &[]);
    assert!(again.fine().contains("sure that the first 2 are the best 2"), "{}", again.stdout);
    assert_eq!(again.stderr, "");
    // What does not change is not written or said again.
    let before = folder.files();
    assert_eq!(quit(&folder, &["--goal", "top"]).stderr, "");
    assert_eq!(quit(&folder, &["--top", "2"]).stderr, "");
    assert!(folder.files() == before);
    // Back again: k goes.
    quit(&folder, &["--goal", "whole-order"]).fine();
    assert_eq!(folder.read("ordain.toml"), project().read("ordain.toml"));
}

#[test]
fn a_look_changes_nothing() {
    let folder = project();
    let before = folder.files();
    folder.run(["rank", "--goal", "best"]).fine();
    folder.run(["rank", "--top", "2"]).fine();
    folder.run(["next", "--goal", "best"]).fine();
    // Neither does what cannot be asked.
    folder.run(["ask", "--goal", "best", "--pool", "nothing.csv"]).fails(1, &["nothing.csv"]);
    folder.run(["ask", "--goal", "best", "--strategy", "random", "--focus", "1"]).fails(2, &["focus"]);
    assert!(folder.files() == before);
}

/// A focus that was meant for the former goal would be refused with the new one.
#[test]
fn a_focus_goes_with_its_goal() {
    let folder = Folder::project();
    folder.append("ordain.toml", "[ask]\nfocus = 0.5\n");
    let run = quit(&folder, &["--goal", "best"]);
    run.fine();
    assert!(run.stderr.contains("without focus = 0.5"), "{}", run.stderr);
    assert!(folder.read("ordain.toml").ends_with("[ask]\ngoal = \"best\"\n"), "{}", folder.read("ordain.toml"));
    folder.run(["rank"]).fine();
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_no_reason_not_to_ask() {
    use std::os::unix::fs::PermissionsExt;
    let folder = project();
    let before = folder.read("ordain.toml");
    std::fs::set_permissions(folder.path("ordain.toml"), Permissions::from_mode(0o444)).unwrap();
    let run = quit(&folder, &["--goal", "best"]);
    assert!(run.fine().contains("sure that the first item is the best"), "{}", run.stdout);
    assert!(run.stderr.starts_with("the goal is pursued now, but not remembered: "), "{}", run.stderr);
    assert!(run.stderr.contains("ordain.toml"), "{}", run.stderr);
    assert_eq!(folder.read("ordain.toml"), before);
}

/// Whoever changes the project file meanwhile keeps the change.
#[test]
fn a_file_that_changed_meanwhile_stays() {
    let folder = project();
    let lock = File::open(folder.path("ordain.toml")).unwrap();
    lock.lock().unwrap();
    let mut command = folder.command(["ask", "--goal", "best"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let [mut waits, mut rest] = [String::new(), String::new()];
    said.read_line(&mut waits).unwrap();
    assert!(waits.contains("waiting for the lock of ./ordain.toml"), "{waits}");
    folder.replace("ordain.toml", "# lucky", "# not so lucky");
    let changed = folder.read("ordain.toml");
    lock.unlock().unwrap();
    child.stdin.take().unwrap().write_all(b"q\n").unwrap();
    said.read_to_string(&mut rest).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert!(rest.starts_with("the goal is pursued now, but not remembered: "), "{rest}");
    assert_eq!(folder.read("ordain.toml"), changed);
}
