//! Choices among several items: recorded, asked through pipes and on a terminal, and named for programs.

use std::io::Write;
use std::process::Stdio;

use crate::util::{Folder, Run};

/// Eight items with long names and a column of text; the first ids are not easy to write.
fn eight() -> Folder {
    let folder = Folder::empty();
    let ids = ["a,b", "x|y", "cat", "dog", "eel", "fox", "gnu", "hen"];
    let rows: String =
        ids.iter().enumerate().map(|(at, id)| format!("\"{id}\",{at},number {at} of the zoo\n")).collect();
    folder.write("items.csv", format!("id,x,note\n{rows}"));
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\nattributes = [\"x\"]\n[[kernel]]\nkind = \"squared-exponential\"\n\
         [[kernel]]\nkind = \"independent\"\n[answers]\nfile = \"answers.csv\"\n",
    );
    folder
}

fn log(folder: &Folder) -> Vec<String> {
    let text = folder.read("answers.csv");
    assert!(text.ends_with('\n'), "a torn line");
    text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect()
}

fn ask(folder: &Folder, more: &[&str], lines: &str) -> Run {
    let mut command = folder.command(["ask"].iter().chain(more));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn answers_about_several_are_one_line() {
    let folder = eight();
    for (words, line) in [
        (vec!["a,b", "x|y", "cat", "dog", "--best", "cat"], "cat,\"a,b\",best:x\\|y|dog,"),
        (vec!["dog", "x|y", "a,b", "--order", "--judge", "ann"], "dog,x|y,\"order:a,b\",ann"),
        (vec!["eel", "cat", "fox", "skip"], "cat,eel,skip:fox,"),
        (vec!["eel", "cat", "--best", "cat"], "eel,cat,second,"),
        (vec!["undo"], ",,undo,"),
    ] {
        folder.run(["answer"].iter().chain(&words)).fine();
        assert_eq!(log(&folder).last().unwrap(), line);
        folder.run(["rank"]).fine();
    }
    let before = folder.read("answers.csv");
    for (words, expected) in [
        (vec!["cat", "dog", "eel", "--best", "fox"], "--best names the best of them"),
        (vec!["cat", "dog", "cat", "--order"], "cannot be compared with itself"),
        (vec!["cat", "dog", "nobody", "--order"], "\"nobody\""),
        (vec!["cat", "--order"], "two to 32 items"),
        (vec!["cat", "dog", "eel", "fox"], "--best, --order or skip"),
        (vec!["cat", "dog", "--best", "cat", "--order"], "cannot be used with"),
    ] {
        let run = folder.run(["answer"].iter().chain(&words));
        assert!(run.code != Some(0) && run.stderr.contains(expected), "{words:?}: {}", run.stderr);
        assert_eq!(folder.read("answers.csv"), before);
    }
    let run = folder.run(["compare", "--folds", "2"]);
    assert!(run.code == Some(1) && run.stderr.contains("choice among several"), "{}", run.stderr);
    folder.run(["tune"]).fine();
    folder.run(["predict", "cat", "dog"]).fine();
    // A log of winners holds no choice, and nobody is asked in vain.
    folder.write("answers.csv", "winner,loser\ncat,dog\n");
    let run = ask(&folder, &["--choose", "4"], "1\n");
    assert!(run.code == Some(1) && run.stderr.contains("start a new log"), "{}", run.stderr);
    let run = folder.run(["answer", "cat", "dog", "eel", "--best", "cat"]);
    assert!(run.code == Some(1) && run.stderr.contains("start a new log"), "{}", run.stderr);
}

/// Groups: a screen across groups is refused, and where ids repeat, the log names the group.
#[test]
fn screens_are_of_one_group() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,q,x\na,1,1\nb,1,2\nc,1,3\na,2,4\nb,2,5\nd,2,6\n");
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\nattributes = [\"x\"]\ngroup = \"q\"\n[[kernel]]\nkind = \"independent\"\n\
         [answers]\nfile = \"answers.csv\"\n",
    );
    folder.run(["answer", "a", "b", "d", "--best", "d", "--group", "2"]).fine();
    assert!(folder.read("answers.csv").starts_with("first,second,outcome,judge,time,group\nd,a,best:b,,"));
    folder.run(["rank"]).fine();
    let run = folder.run(["answer", "c", "d", "--order"]);
    assert!(run.code == Some(1) && run.stderr.contains("one group"), "{}", run.stderr);
    let named = folder.run(["next", "--choose", "3", "--count", "3", "--format", "json"]).fine().to_owned();
    let named: serde_json::Value = serde_json::from_str(&named).unwrap();
    for screen in named["screens"].as_array().unwrap() {
        assert!(["1", "2"].contains(&screen["group"].as_str().unwrap()) && screen["score"].is_number());
    }
}

/// `next` names what `ask` shows; JSON, CSV and a table.
#[test]
fn next_names_the_screen_that_ask_shows() {
    let folder = eight();
    let json = folder.run(["next", "--choose", "4", "--count", "2", "--format", "json"]).fine().to_owned();
    let named: serde_json::Value = serde_json::from_str(&json).unwrap();
    let screens = named["screens"].as_array().unwrap();
    assert!(screens.len() == 2 && screens.iter().all(|screen| screen["items"].as_array().unwrap().len() == 4));
    let first: Vec<&str> = screens[0]["items"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let asked = ask(&folder, &["--choose", "4"], "q\n");
    for (at, id) in first.iter().enumerate() {
        assert!(asked.stdout.contains(id), "{at} {id}: {}", asked.stdout);
    }
    let csv = folder.run(["next", "--choose", "4", "--format", "csv"]).fine().to_owned();
    let escaped = first.iter().map(|id| id.replace('|', "\\|")).collect::<Vec<_>>().join("|");
    assert!(csv.starts_with("items,score\n") && csv.contains(&escaped), "{csv}");
    let table = folder.run(["next", "--choose", "4"]).fine().to_owned();
    assert!(table.contains("score"), "{table}");
    let plain = folder.run(["next", "--format", "json"]).fine().to_owned();
    let plain: serde_json::Value = serde_json::from_str(&plain).unwrap();
    assert_eq!([&plain["pairs"][0]["first"], &plain["pairs"][0]["second"]], [first[0], first[1]]);
    assert_eq!(folder.run(["next", "--choose", "1"]).code, Some(2));
    let ep = folder.run(["next", "--choose", "3", "--inference", "ep", "--format", "json"]).fine().to_owned();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&ep).unwrap()["screens"][0]["items"].as_array().unwrap().len(),
        3
    );
    let ahead = folder.run(["next", "--choose", "3", "--strategy", "predictive-entropy"]);
    assert!(ahead.code == Some(1) && ahead.stderr.contains("predictive-entropy"), "{}", ahead.stderr);
}

/// A talk through a pipe: choices, skip, undo, words that are none; a resumed talk goes on as an uninterrupted one.
#[test]
fn a_talk_of_screens() {
    let folder = eight();
    let run = ask(&folder, &["--choose", "4", "--error", "0", "--target", "1"], "2\n7\nskip\nundo\n1\nu\nu\nu\n3\nq\n");
    let said = run.fine();
    assert!(
        said.contains("which is best?") && said.contains("\"7\" is none of 1, 2, 3, 4, skip, undo, quit"),
        "{said}"
    );
    assert!(said.contains("there is no answer to take back"), "{said}");
    let lines = log(&folder);
    let words: Vec<&str> = lines
        .iter()
        .map(|line| {
            if line.contains("best:") {
                "best"
            } else if line.contains("skip:") {
                "skip"
            } else {
                "undo"
            }
        })
        .collect();
    assert_eq!(words, ["best", "skip", "undo", "best", "undo", "undo", "best"]);
    // Nothing of the first talk stands but its last answer: a project that heard only that asks the same.
    let other = eight();
    let text = folder.read("answers.csv");
    let last = text.lines().last().unwrap();
    other.write("answers.csv", format!("{}\n{last}\n", text.lines().next().unwrap()));
    let next = |folder: &Folder| folder.run(["next", "--choose", "4", "--format", "json"]).fine().to_owned();
    assert_eq!(next(&folder), next(&other));
}

/// Keys on a terminal, wide and narrow: no line is wider than it.
#[cfg(target_os = "linux")]
#[test]
fn keys_choose_on_a_terminal() {
    use unicode_width::UnicodeWidthStr;

    use crate::session::Session;
    for width in [80, 40] {
        let folder = eight();
        let mut session = Session::start(&folder, width, &["ask", "--choose", "4"]);
        let said = session.wait_for("[q]uit: ");
        assert!(said.contains("[1] [2] [3] [4] [s]kip [u]ndo "), "{said}");
        assert!(said.contains("which is best?"), "{said}");
        for line in said.lines().filter(|line| !line.contains('\u{1b}')) {
            assert!(line.trim_end_matches('\r').width() <= width as usize, "{width}: {line:?}");
        }
        for (key, expected) in [("3", "recorded: "), ("s", ", skip"), ("u", "undo of"), ("1", "recorded: ")] {
            session.wait_until_raw();
            session.press(key.as_bytes());
            let said = session.wait_for("[q]uit: ");
            assert!(said.contains(expected), "{key}: {said}");
        }
        session.wait_until_raw();
        session.press(b"q");
        assert!(session.end().0.success());
        assert_eq!(log(&folder).len(), 4);
    }
}
