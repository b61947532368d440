//! Names of items: what people see and type, while files, CSV and JSON have ids.

use std::io::Write;
use std::process::Stdio;

use crate::util::{Folder, Run};

/// Five films. One name holds a comma, two are the same, one is missing.
fn films() -> Folder {
    let folder = Folder::empty();
    folder.write("items.csv", "id,title,x\nm1,\"Good, the Bad\",1\nm2,Alien,2\nm3,Solaris,4\nm4,Solaris,7\nm5,,3\n");
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\nname = \"title\"\n\n[[kernel]]\nkind = \"squared-exponential\"\n\n\
         [[kernel]]\nkind = \"independent\"\n\n[answers]\nfile = \"answers.csv\"\n",
    );
    folder
}

/// What `ordain ask` says to these lines.
fn ask(folder: &Folder, more: &[&str], lines: &str) -> Run {
    let mut command = folder.command(["ask", "--error", "0", "--target", "1"].iter().chain(more));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn people_see_names_and_programs_ids() {
    let folder = films();
    folder.write("answers.csv", "first,second,outcome\nm1,m2,first\nm3,m2,first\n");
    let table = folder.run(["rank"]);
    for label in ["Good, the Bad", "Alien", "Solaris (m3)", "Solaris (m4)", "m5"] {
        assert!(table.fine().contains(label), "no {label} in\n{}", table.stdout);
    }
    assert!(!table.stdout.contains("m1") && !table.stdout.contains("m2"), "{}", table.stdout);
    let json = folder.run(["rank", "--format", "json"]);
    let csv = folder.run(["rank", "--format", "csv"]);
    for said in [json.fine(), csv.fine()] {
        assert!((1..=5).all(|number| said.contains(&format!("m{number}"))) && !said.contains("Alien"), "{said}");
    }
    // All ten pairs but the answered ones, each by label in the table and by id elsewhere.
    let pairs = folder.run(["next", "--count", "9"]);
    assert!(pairs.fine().contains("Solaris (m4)") && !pairs.fine().contains("m1"), "{}", pairs.stdout);
    let said = folder.run(["next", "--count", "9", "--format", "csv"]);
    assert!(said.fine().contains("m1") && !said.fine().contains("Alien"), "{}", said.stdout);
    let said = folder.run(["predict", "m1", "Alien"]);
    assert!(said.fine().contains("Good, the Bad\n") && said.stdout.contains("Alien\n"), "{}", said.stdout);
    let said = folder.json(["predict", "Good, the Bad", "m4"]);
    assert_eq!([&said["first"], &said["second"]], ["m1", "m4"]);
    // The column of names is no attribute, even where its cells are numbers.
    folder.replace("items.csv", "Alien", "1979");
    folder.replace("items.csv", "\"Good, the Bad\"", "1966");
    folder.write("items.csv", folder.read("items.csv").replace("Solaris", "1972"));
    assert_eq!(folder.run(["rank", "--format", "json"]).fine(), json.stdout);
}

#[test]
fn a_name_is_typed_where_it_is_one_items() {
    let folder = films();
    let told = folder.run(["answer", "Alien", "Good, the  Bad", "second"]);
    told.fine();
    assert_eq!(told.stderr, "recorded in ./answers.csv: Good, the Bad over Alien; 1 answer to learn from\n");
    folder.run(["answer", "m3", "Alien", "first"]).fine();
    let log = folder.read("answers.csv");
    let lines: Vec<&str> = log.lines().skip(1).map(|line| line.rsplit_once(",,").unwrap().0).collect();
    assert_eq!(lines, ["m2,m1,second", "m3,m2,first"]);
    let ambiguous = ["\"Solaris\"", "a name that only one item has", "2 items have this name", "m3, m4"];
    folder.refuses(["answer", "Solaris", "Alien", "first"], &ambiguous);
    folder.refuses(["predict", "Solaris", "Alien"], &ambiguous);
    folder.refuses(["predict", "Alein", "m1"], &["the id or the name of an item", "did you mean \"Alien\"?"]);
    // In a list of names, one with a comma is quoted.
    folder
        .refuses(["predict", "Zorro", "m1"], &["there are: \"Good, the Bad\", Alien, Solaris (m3), Solaris (m4), m5"]);
    // Tables name items by id.
    folder.write("pool.csv", "first,second\nAlien,m1\n");
    folder.refuses(["next", "--pool", "pool.csv"], &["pool.csv, line 2", "\"Alien\"", "the id of an item"]);
    // An undo that somebody else forestalled says whose answers differ, by name: the log is about ids.
    folder.run(["answer", "undo"]).fine();
    assert!(folder.read("answers.csv").lines().last().unwrap().starts_with(",,undo,"));
}

#[test]
fn judges_are_asked_by_name() {
    let folder = films();
    folder.write("answers.csv", "first,second,outcome\nm1,m2,first\nm1,m3,first\nm1,m4,first\nm1,m5,first\n");
    let run = ask(&folder, &[], "l\nr\nq\n");
    let said = run.fine();
    assert!(said.contains("4 answers; first: \"Good, the Bad\", "), "{said}");
    assert!(said.contains("Solaris (m") && !said.contains("m1"), "{said}");
    // The name stands above the card, not in it too.
    assert!(!said.contains("title") && said.contains("left: "), "{said}");
    let recorded = said.lines().filter(|line| line.starts_with("recorded: "));
    assert!(recorded.clone().count() == 2 && recorded.clone().all(|line| !line.contains("m2")), "{said}");
    let log = folder.read("answers.csv");
    assert!(log.lines().skip(5).all(|line| line.starts_with('m')), "{log}");
    // Without the column of names, judges see ids.
    let run = ask(&folder, &["--hide", "title"], "q\n");
    assert!(run.fine().contains("first: m1, ") && !run.stdout.contains("Solaris"), "{}", run.stdout);
    assert!(!run.stdout.contains("title"), "{}", run.stdout);
}

#[test]
fn names_come_from_jsonl_too_and_newcomers_have_them() {
    let folder = films();
    let line = |id: &str, title: &str, x: f64| format!("{{\"id\": \"{id}\", \"title\": \"{title}\", \"x\": {x}}}\n");
    folder.write("items.jsonl", line("m1", "Alien", 1.0) + &line("m2", "Solaris\\nagain", 2.0));
    folder.replace("ordain.toml", "items.csv", "items.jsonl");
    folder.write("new.csv", "id,x,title\nm8,3,Heat\nm9,4,Alien\n");
    let table = folder.run(["rank", "--with", "new.csv"]);
    for label in ["Alien (m1)", "Alien (m9)", "Solaris again", "Heat"] {
        assert!(table.fine().contains(label), "no {label} in\n{}", table.stdout);
    }
    folder.write("new.csv", "id,x\nm8,3\n");
    assert!(folder.run(["rank", "--with", "new.csv"]).fine().contains("m8"));
    folder.replace("ordain.toml", "\"title\"", "\"titel\"");
    folder.refuses(["rank"], &["items.jsonl", "a column \"titel\"", "did you mean \"title\"?"]);
}
