//! `ordain add` and `ordain answer --new`: new items, checked, in their table whole or not at all.

use std::process::Stdio;

use crate::util::{Folder, gzip};

/// A project with this table of items, whose kernels take attributes if there are any.
fn project(items: &str, keys: &str) -> Folder {
    let folder = Folder::empty();
    folder.write("items.csv", items);
    folder.write(
        "ordain.toml",
        format!("[items]\nfile = \"items.csv\"\n{keys}\n[[kernel]]\nkind = \"independent\"\n[answers]\nfile = \"answers.csv\"\n"),
    );
    folder
}

/// The items' table after adding the cells.
#[track_caller]
fn added(folder: &Folder, words: &[&str]) -> String {
    let before = folder.read("items.csv");
    folder.run(["add"].iter().chain(words)).fine();
    let after = folder.read("items.csv");
    // One more item, and everything else is as it was.
    assert!(after.starts_with(&before), "{after}");
    folder.run(["rank"]).fine();
    after[before.len()..].to_owned()
}

#[test]
fn one_item_by_its_cells() {
    let folder = Folder::project();
    let told = folder.run(["add", "x=3.5", "id=dog"]);
    told.fine();
    assert_eq!(told.stderr, "added 1 item to ./items.csv: dog; now 4 items\n");
    assert_eq!(folder.read("items.csv"), "id,x\nant,1\nbee,2\ncow,4\ndog,3.5\n");
    folder.run(["answer", "dog", "ant", "first"]).fine();
    assert_eq!(folder.json(["rank"])["items"].as_array().unwrap().len(), 4);
}

/// However the file is written, the new line is written so too.
#[test]
fn the_form_of_the_file_is_kept() {
    let cases: [(&str, &[&str], &str); 7] = [
        ("id,note,x\na,,1", &["id=b", "x=2"], "\nb,,2\n"),
        ("id,note,x\r\na,,1\r\n", &["id=b", "x=2"], "b,,2\r\n"),
        ("id,note,x\r\na,,1", &["id=b", "x=2"], "\r\nb,,2\r\n"),
        ("id,note,x\na,\"x, y\",1\n", &["id=b, c", "note=say \"hi\"", "x=2"], "\"b, c\",\"say \"\"hi\"\"\",2\n"),
        ("id\tnote\tx\na\t\t1\n", &["id=b", "note=say \"hi\", you", "x=2"], "b\tsay \"hi\", you\t2\n"),
        ("{\"id\": \"a\", \"x\": 1}\n", &["id=b\"c", "x=2.50"], "{\"id\": \"b\\\"c\", \"x\": 2.50}\n"),
        (
            "{\"id\": 7, \"x\": 1, \"n\": \"1\"}\n",
            &["n=2", "id=8", "x=-1e3"],
            "{\"id\": 8, \"x\": -1e3, \"n\": \"2\"}\n",
        ),
    ];
    for (items, words, lines) in cases {
        assert_eq!(added(&project(items, ""), words), lines, "{items}");
    }
}

#[test]
fn rows_of_a_table() {
    let folder = project("id,title,x\nm1,Alien,1\n", "name = \"title\"\n");
    folder.write("new.tsv", "x\ttitle\tid\n2\tGood, the Bad\tm2\n3\tAlien\tm3\n");
    let told = folder.run(["add", "new.tsv"]);
    told.fine();
    assert_eq!(told.stderr, "added 2 items to ./items.csv: \"Good, the Bad\", Alien (m3); now 3 items\n");
    assert_eq!(folder.read("items.csv"), "id,title,x\nm1,Alien,1\nm2,\"Good, the Bad\",2\nm3,Alien,3\n");
    // From elsewhere, packed and as objects.
    folder.write("new=.jsonl.gz", gzip("{\"id\": \"m4\", \"x\": 4}\n"));
    folder.run(["add", "new=.jsonl.gz"]).fine();
    assert!(folder.read("items.csv").ends_with("m4,,4\n"));
}

#[test]
fn what_does_not_fit_is_refused_whole() {
    let folder = project("id,q,title,x\na,zoo,one,1\nb,zoo,two,2\n", "group = \"q\"\nattributes = [\"x\"]\n");
    let cases: [(&[&str], &[&str]); 9] = [
        (&["id=a", "q=zoo", "x=3"], &["command line", "\"a\"", "the id of an item that the project does not have"]),
        (&["id=", "q=zoo", "x=3"], &["command line", "an id"]),
        (&["id=c", "q=zoo", "x=many"], &["command line, column x", "\"many\"", "a finite number"]),
        (&["id=c", "q=zoo"], &["command line, column x", "missing = \"mean\""]),
        (&["id=c", "x=3"], &["a column \"q\"", "the groups of the new items"]),
        (&["id=c", "q=", "x=3"], &["column q", "a group"]),
        (&["q=zoo", "x=3"], &["a column \"id\""]),
        (
            &["id=c", "q=zoo", "x=3", "titel=three"],
            &["\"titel\"", "a column of ./items.csv", "did you mean \"title\"?"],
        ),
        (&["id=c", "id=d", "q=zoo", "x=3"], &["each column name once"]),
    ];
    for (words, told) in cases {
        folder.refuses(["add"].iter().chain(words), told);
    }
    folder.run(["add", "id=c", "zoo"]).fails(2, &["\"zoo\"", "COLUMN=CELL", "hint: "]);
    // One wrong row refuses all, at its line.
    folder.write("new.csv", "id,q,x\nc,zoo,3\nd,zoo,four\n");
    folder.refuses(["add", "new.csv"], &["new.csv, line 3, column x", "\"four\""]);
    folder.write("new.csv", "id,q,x\nc,zoo,3\nc,zoo,4\n");
    folder.refuses(["add", "new.csv"], &["new.csv, line 3", "line 2 has the same id"]);
    folder.refuses(["add", "items.csv"], &["items.csv, line 2"]);
    // The same id in another group, which the log then could not tell apart.
    folder.write("answers.csv", "first,second,outcome\na,b,first\n");
    folder.refuses(["add", "id=a", "q=farm", "x=3"], &["answers.csv, line 2", "2 groups have this item"]);
    folder.run(["add", "id=c", "q=farm", "x=3"]).fine();
}

#[test]
fn what_rows_cannot_be_added_to() {
    let folder = project("id,x\na,1\n", "");
    folder.write("items.csv", gzip("id,x\na,1\n"));
    folder.refuses(["add", "id=b", "x=2"], &["items.csv", "a packed file", "decompress it first"]);
    // A number in a column of no numbers would make it an attribute.
    let folder = project("id,x,note\na,1,\nb,2,\n", "");
    folder.refuses(["add", "id=c", "x=3", "note=5"], &["command line, column note", "attributes = [...]"]);
    // A word of the log's own columns is no id.
    let folder = project("id,x\na,1\nb,2\n", "");
    folder.write("answers.csv", "left,right,winner\na,b,left\n");
    folder.refuses(["add", "id=tie", "x=3"], &["answers.csv", "could be mistaken for a verdict"]);
    // Cells of tabs have no quotes.
    let folder = project("id\tx\na\t1\n", "");
    folder.refuses(["add", "id=b\tc", "x=2"], &["column id", "without line breaks and tabs"]);
    // Items of the answers need no row.
    let folder = Folder::empty();
    folder.write("battles.csv", "winner,loser\nant,bee\n");
    folder.run(["init", "battles.csv"]).fine();
    folder.refuses(["add", "id=cow"], &["those that the answers name", "ordain answer FIRST SECOND first --new"]);
}

/// Several processes add at once, and none loses another's rows.
#[test]
fn nobody_loses_anothers_rows() {
    const MANY: usize = 6;
    let folder = Folder::project();
    let add = |number: usize| {
        let words = ["add".to_owned(), format!("id=new{number}"), format!("x={number}")];
        folder.command(words).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut running: Vec<_> = (0..MANY).map(add).collect();
    assert!(running.iter_mut().all(|child| child.wait().unwrap().success()));
    let text = folder.read("items.csv");
    assert_eq!(text.lines().count(), 4 + MANY);
    assert!((0..MANY).all(|number| text.contains(&format!("\nnew{number},{number}\n"))), "{text}");
}

#[test]
fn answers_about_items_that_only_answers_name() {
    let folder = Folder::empty();
    folder.write("battles.csv", "winner,loser\nant,bee\n");
    folder.run(["init", "battles.csv"]).fine();
    folder.refuses(["answer", "cow", "ant", "first"], &["\"cow\"", "if it is a new item, say --new"]);
    let told = folder.run(["answer", "cow", "dog", "first", "--new"]);
    told.fine();
    assert_eq!(told.stderr, "recorded in ./battles.csv: cow over dog; 2 answers to learn from\nnew: cow, dog\n");
    assert_eq!(folder.read("battles.csv"), "winner,loser\nant,bee\ncow,dog\n");
    assert_eq!(folder.json(["rank"])["items"].as_array().unwrap().len(), 4);
    // Nothing is new here.
    assert!(!folder.run(["answer", "cow", "ant", "first", "--new"]).stderr.contains("new:"));
    folder.refuses(["answer", "elk", "elk", "first", "--new"], &["compared with itself"]);
    folder.run(["answer", "undo", "--new"]).fails(2, &["--new", "undo"]);
    // The very first answer.
    folder.replace("ordain.toml", "battles.csv", "begun.csv");
    folder.refuses(["answer", "cow", "ant", "first"], &["begun.csv"]);
    folder.run(["answer", "cow", "ant", "first", "--new", "--judge", "eve"]).fine();
    assert!(folder.read("begun.csv").starts_with("first,second,outcome,judge,time\ncow,ant,first,eve,"));
    folder.run(["answer", "undo", "--judge", "eve"]).fine();
    folder.run(["rank"]).fine();
    // With groups, a new item needs one.
    folder.write("begun.csv", "first,second,outcome,group\na,b,first,zoo\n");
    folder.refuses(["answer", "c", "a", "first", "--new"], &["\"c\"", "name it with --group"]);
    folder.run(["answer", "c", "a", "first", "--new", "--group", "zoo"]).fine();
    assert!(folder.read("begun.csv").ends_with("c,a,first,zoo\n"));
}

#[test]
fn answers_about_items_that_the_table_lacks() {
    let folder = Folder::project();
    let needs =
        ["items.csv", "\"dog\"", "numbers of the new item: x", "ordain add id=ID x=NUMBER", "missing = \"mean\""];
    folder.refuses(["answer", "dog", "ant", "first", "--new"], &needs);
    folder.replace("ordain.toml", "attributes = [\"x\"]", "attributes = [\"x\"]\nmissing = \"mean\"");
    // What cannot be answered adds no row.
    folder.refuses(["answer", "dog", "ant", "tie", "--new"], &["tie_width"]);
    folder.refuses(["answer", "dog", "--grade", "9", "--new"], &["a grade from 1 to 5"]);
    let told = folder.run(["answer", "dog", "ant", "first", "--new", "--judge", "eve"]);
    told.fine();
    assert!(
        told.stderr.ends_with("2 answers to learn from\nnew in ./items.csv, with empty cells: dog\n"),
        "{}",
        told.stderr
    );
    assert_eq!(folder.read("items.csv"), "id,x\nant,1\nbee,2\ncow,4\ndog,\n");
    assert!(folder.read("answers.csv").contains("\ndog,ant,first,eve,"));
    // An undo takes back the answer; the item stays.
    folder.run(["answer", "undo", "--judge", "eve"]).fine();
    let ranking = folder.json(["rank"]);
    assert_eq!((&ranking["answers"], ranking["items"].as_array().unwrap().len()), (&1.into(), 4));
    // A log that cannot hold the answer.
    folder.write("answers.csv", "winner,loser\nant,bee\n");
    folder.refuses(["answer", "elk", "good", "--new"], &["answers.csv", "good"]);
    // Without attributes nothing is needed.
    let folder = project("id,note\na,x\nb,y\n", "");
    folder.run(["answer", "c", "a", "second", "--new"]).fine();
    assert_eq!(folder.read("items.csv"), "id,note\na,x\nb,y\nc,\n");
}
