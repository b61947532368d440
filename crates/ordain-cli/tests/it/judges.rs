//! `ordain judges`, `--without`, and questions for one judge.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::ask::{ON_AND_ON, ask, questions};
use crate::util::Folder;

/// Numbers that look random and are the same everywhere, from 0 to 1: bits of multiples of the golden ratio.
fn chance(at: usize) -> f64 {
    ((at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1 << 24) as f64
}

/// A project of ten items, of which the first is the best and so on.
fn project(settings: &str) -> Folder {
    let folder = Folder::empty();
    let items: String = (0..10).map(|number| format!("item{number}\n")).collect();
    folder.write("items.csv", format!("id\n{items}"));
    folder.write(
        "ordain.toml",
        format!(
            "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\n\
             [answers]\nfile = \"answers.csv\"\nnoise = \"learn\"\n{settings}"
        ),
    );
    folder
}

/// How somebody answers who is shown two items.
type Habit = fn(left: usize, right: usize, at: usize) -> bool;

const CAREFUL: Habit = |left, right, at| (left < right) == (left.abs_diff(right) > 2 || chance(7 * at) < 0.8);
const BLIND: Habit = |_, _, at| chance(11 * at + 3) < 0.5;
const LEFT: Habit = |left, right, at| left < right + 3 || chance(13 * at) < 0.1;
const OPPOSITE: Habit = |left, right, at| !CAREFUL(left, right, at);

/// The lines of a log: so many answers of each of these judges in turn, about pairs in no order.
fn answers(judges: &[(&str, Habit, usize)]) -> String {
    let mut out = String::from("first,second,outcome,judge\n");
    let most = judges.iter().map(|(.., count)| *count).max().unwrap_or(0);
    for at in 0..most {
        for (number, (name, habit, _)) in judges.iter().enumerate().filter(|(_, (.., count))| at < *count) {
            let key = 31 * at + 1009 * number;
            let left = (10.0 * chance(key)) as usize;
            let right = (left + 1 + (9.0 * chance(key + 500_000)) as usize) % 10;
            let outcome = if habit(left, right, key) { "first" } else { "second" };
            out.push_str(&format!("item{left},item{right},{outcome},{name}\n"));
        }
    }
    out
}

/// The rows of `judges` by name.
fn judges(folder: &Folder) -> BTreeMap<String, Value> {
    let said = folder.json(["judges"]);
    let row = |row: &Value| (row["judge"].as_str().unwrap_or_default().to_owned(), row.clone());
    said["judges"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn everybody_gets_a_verdict() {
    let folder = project("sides = true\n");
    let crowd = [
        ("ann", CAREFUL, 60),
        ("bob", CAREFUL, 60),
        ("cyd", CAREFUL, 60),
        ("dan", BLIND, 60),
        ("eve", LEFT, 60),
        ("fay", OPPOSITE, 60),
        ("new", CAREFUL, 2),
    ];
    folder.write("answers.csv", answers(&crowd));
    let found = judges(&folder);
    let verdict = |name: &str| found[name]["verdict"].as_str().unwrap();
    for name in ["ann", "bob", "cyd"] {
        assert!(["careful", "more exact than most"].contains(&verdict(name)), "{name}: {}", verdict(name));
        assert!(
            found[name]["agreement"].as_f64().unwrap() > 0.0
                && found[name]["ranking_agreement"].as_f64().unwrap() > 0.4
        );
        assert_eq!(found[name]["answers"], 60);
    }
    assert!(verdict("dan").starts_with("seems to answer at random ("), "{}", verdict("dan"));
    assert!(verdict("eve").ends_with("favours the left"), "{}", verdict("eve"));
    assert!(found["eve"]["bias_low"].as_f64().unwrap() > 0.0);
    assert_eq!(verdict("fay"), "contradicts the others");
    assert_eq!(verdict("new"), "too few answers to tell");
    // The table says the same, the busiest first; without sides there is no column about them.
    let run = folder.run(["judges"]);
    let table = run.fine();
    assert!(table.lines().next().unwrap().contains("left (90 %)"), "{table}");
    let names: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["ann", "bob", "cyd", "dan", "eve", "fay", "new"]);
    for (line, name) in table.lines().skip(1).zip(names) {
        assert!(line.contains(verdict(name)), "{line}");
    }
    assert!(run.stderr.starts_with("7 judges, 362 answers; the noise that they have in common is "), "{}", run.stderr);
    folder.replace("ordain.toml", "sides = true\n", "");
    assert!(!folder.run(["judges"]).fine().contains("left"));
    assert_eq!(judges(&folder)["ann"]["bias"], Value::Null);
    // Rows of a terminal that is too narrow become lists.
    let narrow = crate::util::Run::of(folder.command(["judges"]).env("COLUMNS", "40"));
    assert!(narrow.fine().starts_with("judge: ann\nanswers: 60\n"), "{}", narrow.stdout);
}

/// Without judges, with one, with answers that have no name, and where the noise is held, the command says what there is.
#[test]
fn few_judges_or_none() {
    let folder = project("");
    for arguments in [["judges"].as_slice(), &["judges", "-o", "page.html"]] {
        let run = folder.run(arguments);
        assert_eq!(run.fine(), "");
        assert!(run.stderr.starts_with("no answers yet, so there are no judges; \"ordain ask\""), "{}", run.stderr);
    }
    assert!(folder.read("page.html").contains("No answers yet"));
    assert_eq!(folder.json(["judges"])["judges"], Value::Array(Vec::new()));
    let header = folder.run(["judges", "--format", "csv"]).fine().to_owned();
    assert_eq!(header.lines().count(), 1, "{header}");
    folder.write("answers.csv", answers(&[("ann", CAREFUL, 40)]));
    let alone = folder.run(["judges"]);
    assert!(alone.fine().lines().nth(1).unwrap().starts_with(" ann "), "{}", alone.stdout);
    assert!(!alone.stdout.contains("agrees") && !alone.stdout.contains("as ranked"), "{}", alone.stdout);
    assert!(alone.stderr.contains("1 judge, 40 answers: there is nobody to compare"), "{}", alone.stderr);
    let rows = folder.run(["judges", "--format", "csv"]).fine().to_owned();
    assert!(rows.starts_with(&header) && rows.lines().count() == 2, "{header}{rows}");
    let row = &judges(&folder)["ann"];
    assert_eq!(
        (&row["agreement"], &row["ranking_agreement"], &row["common_pairs"]),
        (&Value::Null, &Value::Null, &0.into())
    );
    // Who compared nothing has a row too.
    folder.append("answers.csv", "item1,item2,skip,zoe\nitem1,item2,first,\n");
    let run = folder.run(["judges"]);
    assert!(run.fine().contains("(no name)") && run.stdout.contains("compared nothing; 1 skip"), "{}", run.stdout);
    assert!(run.stderr.contains("once two with a name have compared items"), "{}", run.stderr);
    assert_eq!(judges(&folder)["zoe"]["noise"], Value::Null);
    folder.replace("ordain.toml", "\"learn\"", "0.5");
    folder.append("answers.csv", "item1,item2,first,zoe\n");
    let run = folder.run(["judges"]);
    assert!(
        run.stderr.contains("noise = 0.5 under [answers] is held") && run.stderr.contains("\"learn\""),
        "{}",
        run.stderr
    );
}

/// What a judge took back was never said, whoever answered in between.
#[test]
fn undo_with_several_judges() {
    let folder = project("");
    let log = answers(&[("ann", CAREFUL, 20), ("bob", CAREFUL, 20), ("cyd", BLIND, 20)]);
    folder.write("answers.csv", &log);
    folder.append("answers.csv", ",,undo,ann\n,,undo,cyd\n,,undo,ann\n");
    let taken_back = folder.run(["judges", "--format", "json"]);
    let lines: Vec<&str> = log.lines().collect();
    // The last rows are ann, bob, cyd, ann, bob, cyd.
    let kept = |(at, _): &(usize, &&str)| ![1, 3, 6].contains(&(lines.len() - at));
    let rest: String = lines.iter().enumerate().filter(kept).map(|(_, line)| format!("{line}\n")).collect();
    folder.write("answers.csv", rest);
    assert_eq!(taken_back.fine(), folder.run(["judges", "--format", "json"]).fine());
    assert_eq!(judges(&folder)["ann"]["answers"], 18);
}

/// `--without` says what a log says from which the judges' lines are deleted, to the bit; with undo, sides and gold.
#[test]
fn without_is_as_if_never() {
    let settings = "sides = true\ngold = \"gold.csv\"\ngold_rate = 0.2\n";
    let (folder, never) = (project(settings), project(settings));
    let mut log = answers(&[("ann", CAREFUL, 25), ("bob", BLIND, 25), ("cyd", LEFT, 25), ("dan", CAREFUL, 4)]);
    log.push_str("item0,item9,first,bob\n,,undo,bob\nitem0,item9,second,bob\nitem0,item9,first,ann\n,,undo,cyd\n");
    let others: String = log
        .lines()
        .filter(|line| !line.ends_with(",bob") && !line.ends_with(",dan"))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write("answers.csv", &log);
    never.write("answers.csv", &others);
    for project in [&folder, &never] {
        project.write("gold.csv", "first,second,outcome\nitem0,item9,first\nitem1,item8,first\nitem2,item7,first\n");
    }
    let without = ["--without", "bob", "--without", "dan"];
    for arguments in [
        ["rank", "--top", "3", "--format", "json"].as_slice(),
        &["rank", "--inference", "incremental", "--format", "csv"],
        &["next", "--count", "4", "--format", "json"],
        &["next", "--count", "3", "--judge", "cyd", "--inference", "ep", "--format", "json"],
    ] {
        let run = folder.run(arguments.iter().chain(&without));
        assert_eq!(run.fine(), never.run(arguments).fine(), "{arguments:?}");
        assert!(run.stderr.starts_with("without 2 judges: "), "{}", run.stderr);
        assert_ne!(run.fine(), folder.run(arguments).fine(), "{arguments:?}");
    }
    // A talk: the same questions, and what is answered goes into the log. An undo takes back an answer of the judge who asks for it.
    let words = ["left", "right", "left", "undo", "right", "left", "quit"];
    let more = [&ON_AND_ON[..], &["--judge", "cyd"]].concat();
    let run = ask(&folder, &[&more[..], &without].concat(), &words);
    let other = ask(&never, &more, &words);
    assert_eq!(run.fine(), other.fine());
    assert!(run.stderr.starts_with("without 2 judges: 30 answers left out\n"), "{}", run.stderr);
    let [told, would] = [&folder, &never].map(|project| project.read("answers.csv"));
    let added = |text: &str, before: &str| -> Vec<String> {
        let lines = text.strip_prefix(before).unwrap().lines();
        lines.map(|line| line.split(',').take(4).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(added(&told, &log), added(&would, &others));
    assert_eq!(added(&told, &log).len(), 6);
    assert_eq!(added(&told, &log)[3], ",,undo,cyd");
}

#[test]
fn who_can_be_left_out() {
    let folder = project("");
    folder.write("answers.csv", answers(&[("anna", CAREFUL, 5), ("bob", CAREFUL, 5)]));
    for command in ["rank", "next", "ask"] {
        folder.refuses([command, "--without", "ana"], &["answers.csv", "judge", "\"ana\"", "did you mean \"anna\"?"]);
        folder.refuses([command, "--without", "bob", "--without", "zoe"], &["\"zoe\"", "hint: there are: anna, bob"]);
    }
    let both = ["--judge", "bob", "--without", "bob"];
    for command in ["next", "ask"] {
        folder.run([command].iter().chain(&both)).fails(2, &["--judge bob with --without bob", "hint: "]);
    }
    // Without anybody, there are no answers.
    let run = folder.run(["rank", "--without", "anna", "--without", "bob"]);
    assert!(run.fine().contains("item0") && run.stderr.contains("no answers yet"), "{}", run.stderr);
}

/// `next --judge` names different questions for judges who differ, and `ask --judge` asks what it names.
#[test]
fn questions_for_a_judge() {
    let folder = project("");
    let exact: Habit = |left, right, _| left < right;
    let rough: Habit = |left, right, at| (left < right) == (left.abs_diff(right) > 5 || chance(7 * at) < 0.6);
    folder.write("answers.csv", answers(&[("ann", exact, 40), ("bob", rough, 40), ("cyd", exact, 40)]));
    let mut scores = Vec::new();
    for judge in ["ann", "bob", "stranger"] {
        let pair = &folder.json(["next", "--judge", judge])["pairs"][0];
        let mut named = ["first", "second"].map(|key| pair[key].as_str().unwrap().to_owned());
        let run = ask(&folder, &[&ON_AND_ON[..], &["--judge", judge]].concat(), &["quit"]);
        let mut asked = questions(run.fine()).swap_remove(0);
        named.sort();
        asked.sort();
        assert_eq!(asked, named, "{judge}");
        scores.push((pair["first"].to_string(), pair["second"].to_string(), pair["score"].as_f64().unwrap()));
    }
    assert_ne!(scores[0], scores[1]);
    assert_eq!(folder.run(["next", "--judge", "stranger"]).fine(), folder.run(["next"]).fine());
    assert!(folder.run(["next", "--judge", "stranger"]).stderr.contains("stranger has not answered yet"));
    assert!(!folder.run(["next", "--judge", "ann"]).stderr.contains("has not answered"));
}

/// Where the columns say who won, nobody knows what was shown left, whatever the project file says.
#[test]
fn sides_are_of_answers_that_know_them() {
    let folder = project("sides = true\n");
    let bias = |answers: &str| {
        folder.write("answers.csv", answers);
        judges(&folder)["ann"]["bias"].clone()
    };
    assert_eq!(bias("winner,loser,judge\nitem0,item1,ann\n"), Value::Null);
    assert!(bias("first,second,outcome,judge\nitem0,item1,first,ann\n").as_f64().unwrap() > 0.0);
}

/// Gold pairs are asked at the stated rate, and nothing in a talk tells them from others; the share that is right is what `judges` says.
#[test]
fn gold_through_the_command() {
    let folder = project("gold = \"gold.csv\"\ngold_rate = 0.25\n[ask]\nrepeat = true\n");
    // Every pair of neighbours, and some more.
    let is_gold = |left: usize, right: usize| left.abs_diff(right) == 1 || left + right == 9;
    let gold: String = (0..10)
        .flat_map(|one| (one + 1..10).map(move |other| (one, other)))
        .filter(|&(one, other)| is_gold(one, other))
        .map(|(one, other)| format!("item{one},item{other},first\n"))
        .collect();
    folder.write("gold.csv", format!("first,second,outcome\n{gold}"));
    let number = |name: &str| name.strip_prefix("item").unwrap().parse::<usize>().unwrap();
    let more = [&ON_AND_ON[..], &["--judge", "ann"]].concat();
    let run = ask(&folder, &more, &["left"; 48]);
    let asked: Vec<(usize, usize)> =
        questions(run.fine()).iter().map(|[left, right]| (number(left), number(right))).take(48).collect();
    let of_gold: Vec<&(usize, usize)> = asked.iter().filter(|(left, right)| is_gold(*left, *right)).collect();
    // Of 48 questions at a rate of a quarter, 4 to 20 are gold in 999 of 1,000 cases; the seed is the project's.
    assert!((4..=20).contains(&of_gold.len()), "{}", of_gold.len());
    let right = of_gold.iter().filter(|(left, right)| left < right).count();
    let row = &judges(&folder)["ann"];
    assert_eq!((&row["gold_answers"], &row["answers"]), (&of_gold.len().into(), &48.into()));
    assert!((row["gold"].as_f64().unwrap() - right as f64 / of_gold.len() as f64).abs() < 1e-12, "{row}");
    let table = folder.run(["judges"]);
    assert!(table.fine().contains(&format!("{right} of {} (", of_gold.len())), "{}", table.stdout);
    assert_eq!(folder.json(["rank"])["answers"], 48 - of_gold.len());
    // A block of lines per question. Numbers and names differ; the words must not tell which is gold.
    let blocks: Vec<&str> = run.stdout.split("\n\n").skip(1).collect();
    let words = |block: &str| -> Vec<String> {
        let plain =
            |line: &str| -> String { line.chars().filter(|letter| letter.is_alphabetic() || *letter == ' ').collect() };
        block
            .lines()
            .map(plain)
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" "))
            .collect()
    };
    let shapes = |wanted: bool| -> std::collections::BTreeSet<Vec<String>> {
        let of = blocks.iter().zip(&asked).filter(|(_, (left, right))| is_gold(*left, *right) == wanted);
        of.map(|(block, _)| words(block)).collect()
    };
    assert!(shapes(true).is_subset(&shapes(false)), "{:#?}\n{:#?}", shapes(true), shapes(false));
    assert!(!run.stdout.to_lowercase().contains("gold"));
    // Beyond 64 answers the goal is looked at after every second one. The numbers of answers must not show which the gold ones were.
    let run = ask(&folder, &more, &["left"; 40]);
    let mut apart = Vec::new();
    for block in run.fine().split("\n\n") {
        let count =
            |line: &str, end: &str| -> Option<usize> { line.split_once(end)?.0.rsplit(' ').next()?.parse().ok() };
        let all = block.lines().find_map(|line| count(line, " answers; first"));
        let after = block.lines().find_map(|line| count(line.strip_prefix("after ")?, " answers: "));
        apart.extend(all.zip(after).map(|(all, after)| all - after));
    }
    assert!(!apart.is_empty() && apart.iter().all(|apart| *apart == 1), "{apart:?}");
}

/// The page of many judges is whole, cuts long names and lets none break out; a report folds them up.
#[test]
fn pages_of_judges() {
    let folder = project("");
    let names: Vec<String> = (0..60)
        .map(|number| match number {
            0 => "<script>alert(1)</script>".to_owned(),
            1 => "a very long name ".repeat(40).trim().to_owned(),
            other => format!("judge{other}"),
        })
        .collect();
    // A few who answer blindly and much, among many who do not.
    let habit = |at: usize| if at % 20 == 5 { (BLIND, 60) } else { (CAREFUL, (75 - at) / 5) };
    let crowd: Vec<(&str, Habit, usize)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), habit(at).0, habit(at).1)).collect();
    folder.write("answers.csv", answers(&crowd));
    let run = folder.run(["judges", "--output", "judges.html"]);
    assert_eq!(run.fine().lines().count(), 61);
    assert!(run.stderr.ends_with("wrote judges.html\n"), "{}", run.stderr);
    let page = folder.read("judges.html");
    crate::report::whole(&page);
    assert!(!page.contains("alert(1)</script>") && page.contains("&lt;script&gt;"));
    assert_eq!(page.matches("<tr").count(), 61, "everybody and the header");
    assert_eq!(page.matches("class=\"picture\"").count(), 60);
    assert!(page.contains("<tr class=\"suspect\">") && !page.contains(&"a very long name ".repeat(30)));
    folder.run(["report"]).fine();
    let report = folder.read("report.html");
    crate::report::whole(&report);
    assert!(report.contains("<summary>The next 40 judges</summary>") && report.contains("And 10 more judges with "));
    folder.run(["judges", "-o", "judges.svg"]).fails(2, &["ends in .html"]);
    folder.refuses(["judges", "-o", "items.html/x.html"], &["items.html"]);
}
