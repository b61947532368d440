//! Outputs that are inputs: refused before anything is written.

use std::fs;

use crate::util::Folder;

fn folder() -> Folder {
    let folder = Folder::project();
    folder.replace("items.csv", "id,x\nant,1\nbee,2\ncow,4\n", "id,x,truth\nant,1,3\nbee,2,2\ncow,4,1\n");
    folder.write("some.run", "1 Q0 a 1 3 some\n1 Q0 b 2 2 some\n");
    folder.write("qrels.txt", "1 0 a 1\n1 0 b 0\n");
    folder.write("clicks.csv", "qid,docid\n1,a\n");
    folder.write("ranks.txt", "1 qid:1 1:1 2:2 #docid = a\n0 qid:1 1:2 2:1 #docid = b\n");
    folder.write("documents.csv", "id,text\na,some words\nb,words\n");
    folder.write("queries.tsv", "qid\ttext\n1\twords\n");
    folder.write("stop.txt", "the\n");
    folder.write("features.svg", "1 qid:1 1:1 2:2 #docid = a\n0 qid:1 1:2 2:1 #docid = b\n");
    folder.write("kernels.svg", "[[kernel]]\nkind = \"independent\"\n");
    fs::create_dir(folder.path("sub")).unwrap();
    folder
}

const SAME: &str = "both names lead to the same place";

#[test]
fn outputs_that_are_inputs() {
    let folder = folder();
    let fuse = |more: &[&'static str]| [&["fuse", "some.run"][..], more].concat();
    let search = |more: &[&'static str]| [&["search", "documents.csv"][..], more].concat();
    let simulate = |more: &[&'static str]| [&["simulate", "--answers", "2"][..], more].concat();
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (fuse(&["--output", "some.run"]), "--output than for a run"),
        (fuse(&["--output", "./sub/../some.run"]), "--output than for a run"),
        (fuse(&["--qrels", "qrels.txt", "--output", "qrels.txt"]), "--output than for --qrels"),
        (fuse(&["--qrels", "qrels.txt", "--state", "qrels.txt"]), "--state than for --qrels"),
        (fuse(&["--clicks", "clicks.csv", "--output", "clicks.csv"]), "--output than for --clicks"),
        (fuse(&["--clicks", "clicks.csv", "--shown", "some.run", "--state", "some.run"]), "--state than for a run"),
        (fuse(&["--qrels", "qrels.txt", "--state", "new", "--output", "new"]), "--state than for --output"),
        (
            fuse(&["--qrels", "qrels.txt", "--state", "sub/new", "--output", "./sub/../sub/new"]),
            "--state than for --output",
        ),
        (fuse(&["--output", "new.svg", "--plot", "new.svg"]), "--plot than for --output"),
        (vec!["fuse", "--letor", "ranks.txt", "--output", "ranks.txt"], "--output than for --letor"),
        (search(&["words", "--output", "documents.csv"]), "--output than for the collection"),
        (search(&["--queries", "queries.tsv", "--output", "queries.tsv"]), "--output than for --queries"),
        (search(&["words", "--stop", "stop.txt", "--output", "stop.txt"]), "--output than for --stop"),
        (simulate(&["--letor", "features.svg", "--plot", "features.svg"]), "--plot than for --letor"),
        (simulate(&["--truth", "truth", "--model", "kernels.svg", "--plot", "kernels.svg"]), "--plot than for --model"),
        (vec!["reproduce", "axpgp-speed", "--data", "sub", "--out", "./sub"], "--out than for --data"),
    ];
    for (arguments, words) in cases {
        folder.refuses(arguments, &[words, SAME]);
    }
    // What is not the same is fine.
    folder.run(fuse(&["--qrels", "qrels.txt", "--state", "state.json", "--output", "fused.run"])).fine();
    folder.run(search(&["words", "--output", "found.txt"])).fine();
    folder.run(simulate(&["--truth", "truth", "--plot", "new.svg"])).fine();
}

#[cfg(unix)]
#[test]
fn links_to_inputs() {
    let folder = folder();
    std::os::unix::fs::symlink("some.run", folder.path("soft.run")).unwrap();
    fs::hard_link(folder.path("some.run"), folder.path("hard.run")).unwrap();
    std::os::unix::fs::symlink(folder.path("items.csv"), folder.path("items.svg")).unwrap();
    for output in ["soft.run", "hard.run"] {
        folder.refuses(["fuse", "some.run", "--output", output], &[SAME]);
        folder.refuses(["search", output, "words", "--output", "some.run"], &[SAME]);
    }
    let plot = ["simulate", "--truth", "truth", "--plot", "items.svg"];
    folder.refuses(plot, &["--plot than for [items]", SAME]);
    // A device is not overwritten.
    folder
        .run(["fuse", "some.run", "--output", "/dev/null", "--state", "/dev/null", "--learn", "none"])
        .fails(1, &["/dev/null"]);
    folder.run(["search", "documents.csv", "words", "--output", "/dev/null"]).fine();
}

/// Answers must not be appended to the items, the links or the project.
#[test]
fn a_log_that_is_another_file_of_the_project() {
    for (file, words) in [
        ("items.csv", "[answers] than for [items]"),
        ("links.csv", "[answers] than for a relation"),
        ("ordain.toml", "[answers] than for the project"),
    ] {
        let folder = Folder::project();
        folder.replace("ordain.toml", "\"answers.csv\"", &format!("\"./{file}\""));
        folder.refuses(["rank"], &[words, SAME]);
        if file != "links.csv" {
            folder.refuses(["answer", "ant", "bee", "first"], &[words, SAME]);
        }
    }
}
