//! Wrong input: a clear error with place and remedy, exit code 1, and every file as it was.

use crate::util::{Folder, gzip};

/// A line too much in one of the files of a project, and what must be said about it.
#[test]
fn a_wrong_line() {
    let cases: [(&str, &str, &[&str]); 16] = [
        (
            "answers.csv",
            "ant,bea,first,,",
            &["answers.csv, line 3, column second", "\"bea\"", "hint: did you mean \"bee\"?"],
        ),
        ("answers.csv", "ant,ant,first,,", &["answers.csv, line 3, column second", "\"ant\"", "hint: ", "itself"]),
        (
            "answers.csv",
            "ant,bee,frist,,",
            &["answers.csv, line 3, column outcome", "\"frist\"", "hint: did you mean \"first\"?"],
        ),
        (
            "answers.csv",
            "ant,bee,first:80,,",
            &["answers.csv, line 3, column outcome", "\"first:80\"", "a probability from 0 to 1", "hint: "],
        ),
        ("answers.csv", "ant,bee,0:0,,", &["answers.csv, line 3, column outcome", "at least one vote", "hint: "]),
        (
            "answers.csv",
            "ant,bee,good,,",
            &["answers.csv, line 3, column second", "\"bee\"", "an empty cell with \"good\"", "hint: "],
        ),
        ("answers.csv", ",,undo,bob,", &["answers.csv, line 3, column outcome", "\"undo\"", "hint: "]),
        ("answers.csv", "ant,bee", &["answers.csv, line 3", "2 cells", "expected 5", "hint: "]),
        (
            "items.csv",
            "ant,5",
            &["items.csv, line 5, column id", "\"ant\"", "each id once", "hint: line 2 has the same id"],
        ),
        ("items.csv", ",5", &["items.csv, line 5, column id", "\"\"", "an id", "hint: "]),
        (
            "items.csv",
            "dog,NaN",
            &["items.csv, line 5, column x", "\"NaN\"", "hint: fill the cell", "missing = \"mean\""],
        ),
        ("items.csv", "dog,inf", &["items.csv, line 5, column x", "\"inf\"", "a finite number", "hint: mend the cell"]),
        (
            "items.csv",
            "dog,wide",
            &["items.csv, line 5, column x", "\"wide\"", "a finite number", "hint: mend the cell"],
        ),
        ("items.csv", "dog,", &["items.csv, line 5, column x", "\"\"", "hint: fill the cell", "missing = \"mean\""]),
        (
            "links.csv",
            "ant,nowhere,1",
            &["links.csv, line 3, column target", "\"nowhere\"", "hint: there are: ant, bee, cow"],
        ),
        ("links.csv", "ant,cow,-1", &["links.csv, line 3, column weight", "\"-1\"", "at least 0", "hint: "]),
    ];
    for (file, line, words) in cases {
        let folder = Folder::project();
        folder.append(file, format!("{line}\n"));
        folder.refuses(["rank"], words);
        folder.refuses(["predict", "ant", "bee"], words);
        answer(&folder, words, file == "answers.csv" || words[0].contains("column id"));
    }
}

/// `ordain answer` needs the ids and the log. It refuses what is wrong with these, and records whatever is wrong elsewhere.
fn answer(folder: &Folder, words: &[&str], concerned: bool) {
    let words_of_answer = ["answer", "ant", "cow", "first"];
    if concerned {
        folder.refuses(words_of_answer, words);
    } else {
        folder.run(words_of_answer).fine();
        assert!(folder.read("answers.csv").contains("\nant,cow,first,,"));
    }
}

/// A wrong word in the project file.
#[test]
fn a_wrong_setting() {
    let cases: [(&str, &str, &[&str]); 11] = [
        ("relation = \"links.csv\"", "", &["ordain.toml, line 9, column relation", "hint: "]),
        ("rho = 0.5", "rho = -0.5", &["ordain.toml, line 7, column rho", "\"-0.5\"", "above 0", "hint: "]),
        ("rho = 0.5", "weight = -1", &["ordain.toml, line 7, column weight", "\"-1\"", "above 0", "hint: "]),
        ("rho = 0.5", "rho = nan", &["ordain.toml, line 7, column rho", "\"nan\"", "a finite number"]),
        ("rho = 0.5", "rhoo = 0.5", &["ordain.toml, line 7, column rhoo", "hint: did you mean \"rho\"?"]),
        ("rho = 0.5", "rho = ", &["ordain.toml, line 7", "valid TOML", "hint: "]),
        ("[answers]", "[anwsers]", &["ordain.toml, line 13, column anwsers", "hint: did you mean \"answers\"?"]),
        (
            "regularized-laplacian",
            "regularised-laplacian",
            &["line 10, column kind", "hint: did you mean \"regularized-laplacian\"?"],
        ),
        (
            "\"links.csv\"",
            "\"lniks.csv\"",
            &["ordain.toml, line 11, column relation", "lniks.csv", "hint: there is no file"],
        ),
        (
            "\"items.csv\"",
            "\"itmes.csv\"",
            &["ordain.toml, line 2, column file", "itmes.csv", "hint: there is no file"],
        ),
        ("[\"x\"]", "[\"size\"]", &["items.csv, line 1", "\"size\"", "hint: there are: id, x"]),
    ];
    for (from, to, words) in cases {
        let folder = Folder::project();
        folder.replace("ordain.toml", from, to);
        folder.refuses(["rank"], words);
        let concerned = words.contains(&"valid TOML") || from == "[answers]" || from == "\"items.csv\"";
        answer(&folder, words, concerned);
    }
}

/// Whole files that are not what they should be.
#[test]
fn a_wrong_file() {
    let cases: [(&str, &[u8], &[&str]); 11] = [
        ("items.csv", b"", &["items.csv", "an empty file", "hint: "]),
        ("items.csv", b"id,x\n", &["items.csv", "only a header", "hint: "]),
        ("links.csv", b"", &["links.csv", "an empty file", "hint: "]),
        ("ordain.toml", b"", &["ordain.toml", "[[kernel]]", "hint: "]),
        ("items.csv", b"id,x\nant,1\nbee,2\ncow", &["items.csv, line 4", "1 cell\"", "hint: "]),
        ("items.csv", b"id,x\nant,1\nbee,2\n\"cow,4\n", &["items.csv, line 4", "closing quotation mark", "hint: "]),
        ("answers.csv", b"first,second,outcome\nant,bee,fir", &["answers.csv, line 2", "torn", "hint: "]),
        ("items.csv", b"id,x\nant,1\nb\xffe,2\ncow,4\n", &["items.csv, line 3", "byte 2", "0xFF", "hint: ", "UTF-8"]),
        ("ordain.toml", b"[items]\nfile = \"\xff\"\n", &["ordain.toml, line 2", "0xFF", "hint: ", "UTF-8"]),
        ("items.csv", b"id,x\nant,1\nbee,1\ncow,1\n", &["items.csv", "constant", "(x)", "hint: "]),
        ("answers.csv", b"who,what\nant,bee\n", &["answers.csv, line 1", "who,what", "hint: the columns must include"]),
    ];
    for (file, content, words) in cases {
        let folder = Folder::project();
        folder.write(file, content);
        folder.refuses(["rank"], words);
        match (file, content) {
            ("ordain.toml", b"") => {
                folder.refuses(["answer", "ant", "cow", "first"], &["a table [items]", "hint: "]);
            }
            _ => answer(&folder, words, file != "links.csv" && !words.contains(&"constant")),
        }
    }
}

#[test]
fn a_cut_archive() {
    let folder = Folder::project();
    let packed = gzip(folder.read("items.csv"));
    folder.write("items.csv", &packed[..packed.len() - 9]);
    folder.refuses(["rank"], &["items.csv", "end early", "hint: "]);
}

/// Without care these would fill the memory: a line of a gigabyte, plain and packed, and many lines behind gzip. The
/// command has 800 MB of address space, less than any of them.
#[cfg(target_os = "linux")]
mod too_much {
    use std::io::Write;
    use std::process::Command;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::util::{ORDAIN, Run};

    const GIGABYTE: usize = 1 << 30;
    /// Archives can be joined, so that a gigabyte is packed piece by piece.
    const PIECE: usize = 1 << 24;

    #[track_caller]
    fn refused_in_bounds(folder: &Folder, words: &[&str]) {
        for arguments in
            [["rank"].as_slice(), &["answer", "ant", "cow", "first"], &["init", "items.csv", "--folder", "new"]]
        {
            let mut command = Command::new("sh");
            command.args(["-c", "ulimit -v 800000; exec \"$0\" \"$@\"", ORDAIN]).args(arguments);
            // Every thread takes address space of its own.
            command.current_dir(folder.path("")).env("RAYON_NUM_THREADS", "2");
            Run::of(&mut command).fails(1, words);
        }
        assert_eq!(std::fs::read_dir(folder.path("new")).unwrap().count(), 0);
    }

    fn folder() -> Folder {
        let folder = Folder::project();
        std::fs::create_dir(folder.path("new")).unwrap();
        folder
    }

    #[test]
    fn a_line_of_a_gigabyte() {
        let folder = folder();
        // Zeros that take no room on the disk.
        let file = std::fs::OpenOptions::new().append(true).open(folder.path("items.csv")).unwrap();
        file.set_len(GIGABYTE as u64).unwrap();
        refused_in_bounds(&folder, &["items.csv, line 5", "bytes", "hint: "]);
    }

    #[test]
    fn a_packed_line_of_a_gigabyte() {
        let folder = folder();
        let piece = gzip(vec![b'a'; PIECE]);
        folder.write("items.csv", [gzip("id,x\n"), piece.repeat(GIGABYTE / PIECE)].concat());
        refused_in_bounds(&folder, &["items.csv, line 2", "bytes", "hint: "]);
    }

    #[test]
    fn a_bomb() {
        let folder = folder();
        let lines = [vec![b'a'; PIECE / 16 - 3], b",1\n".to_vec()].concat().repeat(16);
        // At its fastest gzip packs this 229-fold, at its best 1030-fold.
        let mut fast = GzEncoder::new(Vec::new(), Compression::fast());
        fast.write_all(&lines).unwrap();
        for piece in [fast.finish().unwrap(), gzip(&lines)] {
            folder.write("items.csv", [gzip("id,x\n"), piece.repeat(GIGABYTE / PIECE)].concat());
            refused_in_bounds(&folder, &["items.csv", "64 MiB", "hint: ", "decompress it first"]);
        }
    }
}
