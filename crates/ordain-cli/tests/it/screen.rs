//! Text that the screen shows: long, hostile, or both.

use std::time::{Duration, Instant};

use crate::util::{Folder, Run};

/// Long texts took minutes when every letter that was cut off measured the rest again. Now this takes well under a
/// second.
const QUICK: Duration = Duration::from_secs(20);

#[track_caller]
fn quickly(folder: &Folder, arguments: &[&str], code: i32) -> Run {
    let start = Instant::now();
    let run = folder.run(arguments);
    assert!(start.elapsed() < QUICK, "{arguments:?} took {:?}", start.elapsed());
    assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
    run
}

fn longest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn long_cells_and_ids_are_cut_in_no_time() {
    const LONG: usize = 1 << 20;
    let id = "i".repeat(LONG);
    let folder = Folder::empty();
    folder.write(
        "items.csv",
        format!("id,text,x\n{id},\"{}\",1\nbee,\"{}\",2\n", "word ".repeat(LONG / 5), "語".repeat(LONG)),
    );
    quickly(&folder, &["init", "items.csv"], 0);
    for arguments in [["ask"].as_slice(), &["rank"], &["next"]] {
        let run = quickly(&folder, arguments, 0);
        assert!(longest(&run.stdout) <= 600, "{arguments:?}: a line of {} letters", longest(&run.stdout));
    }
    // A slip in such a name: the message has its beginning, and so does the hint.
    let run = quickly(&folder, &["predict", "bee", &id[..100_000]], 1);
    assert!(longest(&run.stderr) <= 300, "a line of {} letters", longest(&run.stderr));
}

#[test]
fn long_names_of_columns_are_cut_in_errors() {
    let name = "c".repeat(1 << 20);
    let folder = Folder::empty();
    folder.write("items.csv", format!("id,{name}\nant,1\nbee,wide\ncow,2\n"));
    folder.write("ordain.toml", "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\n");
    let run = quickly(&folder, &["init", "items.csv", "--folder", "new"], 0);
    assert!(run.stderr.contains("ccc…\" is left out") && longest(&run.stderr) <= 400, "{:.2000}", run.stderr);
    for arguments in [["rank"].as_slice(), &["ask", "--hide", "x"]] {
        let run = quickly(&folder, arguments, 1);
        assert!(run.stderr.contains("items.csv, line 3") && longest(&run.stderr) <= 400, "{:.2000}", run.stderr);
    }
}

/// The lookup of every column went through all columns.
#[test]
fn a_hundred_thousand_columns() {
    const COLUMNS: usize = 100_000;
    for (cell, attributes) in [("", COLUMNS), ("t", 0)] {
        let line = |item: usize| {
            let cells = (0..COLUMNS).map(|column| format!(",{cell}{}", (item * 7919 + column * 104_729) % 1009));
            format!("item{item}{}\n", cells.collect::<String>())
        };
        let header: String = (0..COLUMNS).map(|column| format!(",c{column}")).collect();
        let folder = Folder::empty();
        folder.write("items.csv", format!("id{header}\n{}", (0..3).map(line).collect::<String>()));
        quickly(&folder, &["init", "items.csv"], 0);
        assert_eq!(folder.read("ordain.toml").matches("\"c").count(), attributes);
        quickly(&folder, &["rank"], 0);
        quickly(&folder, &["ask"], 0);
        let run = quickly(&folder, &["ask", "--hide", "nothing"], 1);
        assert!(longest(&run.stderr) < 1000);
    }
}

/// One id in every one of many groups.
#[test]
fn many_groups_with_the_same_id() {
    const GROUPS: usize = 300_000;
    let folder = Folder::empty();
    let rows: String = (0..GROUPS).map(|group| format!("ant,{group},{}\n", group % 7)).collect();
    folder.write("items.csv", format!("id,group,x\n{rows}"));
    quickly(&folder, &["init", "items.csv"], 0);
}

/// What could give the terminal an instruction, reorder a line or break it.
const HOSTILE: [char; 9] =
    ['\u{1b}', '\u{7}', '\u{8}', '\u{9b}', '\u{7f}', '\u{202e}', '\u{2066}', '\u{200f}', '\u{2028}'];

#[track_caller]
fn harmless(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let found = text.chars().find(|letter| HOSTILE.contains(letter));
        assert!(found.is_none(), "{found:?} in {text:?}");
    }
}

#[test]
fn hostile_characters_stay_off_the_screen() {
    let folder = Folder::empty();
    let evil: String = HOSTILE.iter().collect::<String>() + "evil";
    folder.write("items.csv", format!("id,{evil}x,{evil}y\n{evil}ant,1,{evil}\n{evil}bee,2,{evil}\n"));
    folder.write("some.run", format!("{evil} Q0 {evil} 1 3 {evil}\n"));
    folder.write("qrels.txt", format!("{evil} 0 {evil} 1\n{evil} 0 b{evil} 0\n"));
    harmless(&folder.run(["init", "items.csv"]));
    let (ant, bee) = (format!("{evil}ant"), format!("{evil}bee"));
    // Programs get what is there.
    assert!(folder.json(["next"])["pairs"][0]["first"].as_str().unwrap().starts_with(&evil));
    let commands: [&[&str]; 17] = [
        &["rank"],
        &["next"],
        &["ask"],
        &["ask", "--hide", &evil],
        &["predict", &ant, &bee],
        &["predict", &ant, &evil],
        &["answer", &ant, &bee, "first"],
        &["answer", &ant, &bee, &evil],
        &["answer", &ant, &evil, "first"],
        &["answer", &ant, &bee, "first", "--judge", &evil],
        &["answer", "undo", "--judge", "other"],
        &["rank", &evil],
        &["rank", "--top", &evil],
        &[&evil],
        &["simulate", "--truth", &evil],
        &["eval", "some.run", "some.run", "--qrels", "qrels.txt", "--per-query"],
        &["fuse", "some.run", "--qrels", "qrels.txt", "--output", "fused.run"],
    ];
    for arguments in commands {
        let run = folder.run(arguments);
        assert!(matches!(run.code, Some(0..=2)), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.is_empty() || !run.stdout.is_empty());
        harmless(&run);
    }
}

/// An error is one line, whatever a name holds.
#[test]
fn a_name_adds_no_lines_to_an_error() {
    let folder = Folder::project();
    let run = folder.run(["rank", "no\nerror: such\r\nfolder"]);
    run.fails(1, &["error: cannot read no"]);
    assert_eq!(run.stderr.matches("\nerror").count(), 0, "{}", run.stderr);
}
