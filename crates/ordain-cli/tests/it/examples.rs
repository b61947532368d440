//! The examples in the help texts: every subcommand has some, and each of them runs.

use std::path::Path;
use std::process::Command;

use crate::manners::subcommands;
use crate::util::{Folder, ORDAIN, Run, gzip};

/// The lines of commands below `Examples:`. A comment may follow each.
fn examples(folder: &Folder, words: &[&str]) -> Vec<String> {
    let help = folder.run(words.iter().chain(&["--help"]));
    let help = help.fine();
    assert!(help.contains("\nExamples:\n"), "ordain {} --help has no examples", words.join(" "));
    let block: Vec<&str> = help.lines().skip_while(|line| *line != "Examples:").skip(1).collect();
    let lines: Vec<&str> = block.into_iter().take_while(|line| !line.is_empty()).collect();
    for line in &lines {
        // A line that is too long for the help would be broken, and could not be copied.
        assert!(line.starts_with("  ordain "), "ordain {} --help: {line:?}", words.join(" "));
    }
    assert!(!lines.is_empty());
    lines.into_iter().map(|line| line.trim().to_owned()).collect()
}

/// Runs a line as a shell does.
fn shell(folder: &Folder, line: &str) -> Run {
    let path = Path::new(ORDAIN).parent().unwrap().display().to_string();
    let path = format!("{path}:{}", std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder.path("")).env("PATH", path).stdin(std::process::Stdio::null());
    ["COLUMNS", "ORDAIN_PROJECT", "NO_COLOR"].iter().for_each(|name| _ = command.env_remove(name));
    Run::of(&mut command)
}

/// Runs what the help of these words shows, in a folder that has what it needs.
fn run_all(folder: &Folder, words: &[&str]) {
    for line in examples(folder, words) {
        let run = shell(folder, &line);
        assert_eq!(run.code, Some(0), "{line}\n{}{}", run.stdout, run.stderr);
    }
}

/// Numbers that look random and are the same everywhere, from 0 to 1.
fn noise(at: usize) -> f64 {
    ((at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1 << 24) as f64
}

const COUNTRIES: [&str; 12] = [
    "France", "Spain", "Italy", "Poland", "Greece", "Norway", "Malta", "Latvia", "Ireland", "Sweden", "Austria",
    "Cyprus",
];

/// A project of twelve countries with answers and grades.
fn project() -> Folder {
    let folder = Folder::empty();
    let row = |at: usize, name: &str| format!("{name},{at},{},{}\n", noise(at), 70.0 + 10.0 * noise(at + 50));
    let rows: String = COUNTRIES.iter().enumerate().map(|(at, name)| row(at, name)).collect();
    folder.write("items.csv", format!("id,x,y,life_expectancy\n{rows}"));
    folder.write("new.csv", format!("id,x,y,life_expectancy\n{}", row(20, "Utopia")));
    let pair = |at: usize| format!("{},{},first,ann,\n", COUNTRIES[at], COUNTRIES[(3 * at + 1) % 8]);
    let mut answers: String = [0, 1, 2, 3, 5, 6, 7].into_iter().map(pair).collect();
    answers.push_str("France,,grade:4,ann,\nSpain,,grade:2,ann,\nItaly,,grade:3,ann,\n");
    folder.write("answers.csv", format!("first,second,outcome,judge,time\n{answers}"));
    folder.write("pairs.csv", "first,second\nFrance,Malta\nSpain,Norway\nItaly,Latvia\n");
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\nattributes = [\"x\", \"y\"]\n\n[[kernel]]\nkind = \"squared-exponential\"\n\n\
         [[kernel]]\nkind = \"independent\"\nweight = 0.5\n\n[answers]\nfile = \"answers.csv\"\n\n[grades]\nlowest = 1\nhighest = 5\n",
    );
    folder
}

/// Tables for new projects.
fn tables() -> Folder {
    let folder = Folder::empty();
    folder.write(
        "films.csv",
        "id,year,minutes\nAlien,1979,117\nHeat,1995,170\nJaws,1975,124\nUp,2009,96\nBig,1988,104\nRan,1985,162\n\
         Tron,1982,96\nHair,1979,121\nDune,1984,137\nSpeed,1994,116\n",
    );
    folder.write("papers.csv", "id,pages\np1,10\np2,12\np3,9\n");
    folder.write("cites.csv", "source,target\np1,p2\np2,p3\n");
    folder.write("battles.csv", "winner,loser\nm1,m2\nm2,m3\nm1,m3\n");
    folder
}

/// A LETOR file of this many queries, with features or with ranks.
fn letor(first: usize, queries: usize, ranks: bool) -> String {
    let mut out = String::new();
    for query in first..first + queries {
        for document in 0..8 {
            let (grade, at) = (document % 3, 100 * query + document);
            let value = |feature: usize| match ranks {
                true if noise(at + 7 * feature) < 0.3 => "NULL".to_owned(),
                true => (1 + (document * (feature + 3)) % 8).to_string(),
                false => format!("{:.4}", grade as f64 + noise(at + 7 * feature)),
            };
            let (a, b) = (value(1), value(2));
            out.push_str(&format!("{grade} qid:{query} 1:{a} 2:{b} #docid = d{document}\n"));
        }
    }
    out
}

/// Runs, judgements, clicks and LETOR files.
fn retrieval() -> Folder {
    let folder = Folder::empty();
    let (mut bm25, mut dense, mut qrels) = (String::new(), String::new(), String::new());
    for query in 1..=4 {
        for document in 1..=6 {
            bm25.push_str(&format!("q{query} Q0 d{document} {document} {} bm25\n", 10 - document));
            dense.push_str(&format!("q{query} Q0 d{} {document} {} dense\n", 7 - document, 10 - document));
            qrels.push_str(&format!("q{query} 0 d{document} {}\n", [0, 1, -1, 2][(query + document) % 4]));
        }
    }
    folder.write("shown.run", bm25.replace(" bm25", " shown"));
    folder.write("bm25.run", bm25);
    folder.write("dense.run", dense);
    folder.write("qrels.txt", qrels);
    folder.write("clicks.csv", "qid,docid\nq1,d3\nq2,d2\n");
    for (name, first) in [("A1.txt", 1), ("A2.txt", 5)] {
        folder.write(name, letor(first, 4, true));
    }
    for part in 1..=5 {
        folder.write(&format!("S{part}.txt"), letor(10 * part, 4, false));
    }
    folder.write("S1.txt.gz", gzip(letor(10, 2, false)));
    folder.write("grades.txt", letor(80, 4, false));
    folder.write("test.txt", letor(90, 2, false));
    folder.write("scores.txt", (0..16).map(|at| format!("{}\n", noise(at))).collect::<String>());
    folder
}

/// Examples with labels, linked documents and queries beside the lists.
fn learners() -> Folder {
    let folder = retrieval();
    let attributes = (1..=3).map(|at| format!("@attribute f{at} numeric\n"));
    let labels = (1..=6).map(|at| format!("@attribute label{at} {{0,1}}\n"));
    let header: String = ["@relation music\n".to_owned()].into_iter().chain(attributes).chain(labels).collect();
    let row = |at: usize| {
        let values = [noise(at), noise(at + 300), noise(at + 600)];
        let marks = (0..6).map(|label| u8::from(values[label % 3] > 0.3 + 0.1 * label as f64 / 2.0).to_string());
        let cells: Vec<String> = values.iter().map(|value| format!("{value:.4}")).chain(marks).collect();
        cells.join(",") + "\n"
    };
    let arff = |from: usize| format!("{header}@data\n{}", (from..from + 40).map(row).collect::<String>());
    [("music.arff", 0), ("new.arff", 40), ("test.arff", 80)]
        .iter()
        .for_each(|(name, from)| folder.write(name, arff(*from)));
    let mood = |at: usize| {
        let (x, y) = (noise(at), noise(at + 300));
        format!("{x:.4},{y:.4},{},{},{}\n", u8::from(x < 0.5), u8::from(x > y), u8::from(y > 0.5))
    };
    folder.write("a.csv", format!("x,y,calm,happy,sad\n{}", (0..40).map(mood).collect::<String>()));
    let (mut articles, mut links) = (String::new(), "source,target\n".to_owned());
    for at in 0..60_usize {
        let topic = at % 4;
        let word = |place: usize| match place % 3 {
            0 => format!("topic{topic}word{}", (noise(31 * at + place) * 8.0) as usize),
            _ => format!("common{}", (noise(17 * at + place) * 12.0) as usize),
        };
        let text: Vec<String> = (0..20).map(word).collect();
        articles.push_str(&format!(
            "{{\"id\": {at}, \"title\": \"learning {topic}\", \"body\": \"{}\"}}\n",
            text.join(" ")
        ));
        (1..5).for_each(|step| links.push_str(&format!("{at},{}\n", (at + 4 * step) % 60)));
    }
    folder.write("articles.jsonl", articles);
    folder.write("links.csv", links);
    folder.write(
        "papers.jsonl",
        "{\"id\": \"d1\", \"title\": \"Learning to rank\"}\n{\"id\": \"d2\", \"title\": \"Ranking by rank\"}\n",
    );
    folder.write("queries.tsv", "qid\ttext\nq1\tlearning\nq2\trank\n");
    folder
}

/// Ratings of users, and of guests.
fn ratings() -> Folder {
    let folder = Folder::empty();
    let of = |users: &[&str]| -> String {
        let row = |user: usize, item: usize| format!("{},item{item},{}\n", users[user], 1 + (user + item) % 5);
        (0..users.len()).flat_map(|user| (0..6).map(move |item| row(user, item))).collect()
    };
    folder.write("ratings.csv", format!("user,item,grade\n{}", of(&["ann", "bob", "cy", "dee"])));
    folder.write("guests.csv", format!("user,item,grade\n{}", of(&["eve", "fay"])));
    folder
}

/// The folder in which the examples of a subcommand run.
fn folder_for(name: &str) -> Folder {
    let with = |folder: Folder, lines: &[&str]| {
        lines.iter().for_each(|line| _ = shell(&folder, line).fine());
        folder
    };
    let linklearn = "ordain train linklearn --docs articles.jsonl --links links.csv --text title,body -o words.json";
    match name {
        "init" => tables(),
        "eval" | "fuse" => retrieval(),
        "train" => learners(),
        "score" => with(
            learners(),
            &[
                "ordain train ranksvm --train S1.txt S2.txt -o model.json",
                "ordain train labels --train music.arff --labels 6 -o labels.json",
            ],
        ),
        "search" => with(learners(), &[linklearn]),
        "rate" => ratings(),
        "simulate" => {
            let (folder, lists) = (project(), retrieval());
            folder.write("S1.txt.gz", std::fs::read(lists.path("S1.txt.gz")).unwrap());
            folder
        }
        "demo" | "completions" => Folder::empty(),
        _ => project(),
    }
}

#[test]
fn those_of_the_command_itself() {
    run_all(&tables(), &[]);
}

/// Subcommands whose examples take long or need public data have tests of their own.
const APART: [&str; 2] = ["demo", "reproduce"];

#[test]
fn those_of_every_subcommand() {
    let names = subcommands(&Folder::empty());
    for name in names.iter().filter(|name| !APART.contains(&name.as_str())) {
        run_all(&folder_for(name), &[name]);
    }
    let rate = ratings();
    run_all(&rate, &["rate", "train"]);
    run_all(&rate, &["rate", "predict"]);
}

#[test]
fn those_of_the_demo() {
    run_all(&Folder::empty(), &["demo"]);
}

/// An experiment without data runs. Those that need data say which file is missing.
#[test]
fn those_of_reproduce() {
    let folder = Folder::empty();
    for line in examples(&folder, &["reproduce"]) {
        let run = shell(&folder, &line);
        match line.contains("--data") {
            true => run.fails(1, &["letor-ohsumed/S1.txt.gz", "hint: "]),
            false => _ = run.fine(),
        }
    }
}
