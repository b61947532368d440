//! `ordain train` and `ordain score`: a model from graded lists, applied and measured; what is refused.

use crate::util::Folder;

/// Queries whose grade follows the first feature and falls with the second; the third says nothing.
fn lists(queries: std::ops::Range<usize>) -> String {
    let mut text = String::new();
    for query in queries {
        for document in 0..8 {
            let mixed = |salt: usize| mixed(((query * 8 + document) * 3 + salt) as u64);
            let (good, bad, nothing) = (mixed(1), mixed(2), mixed(3));
            let grade = usize::from(good - 0.5 * bad > 0.2) + usize::from(good - 0.5 * bad > 0.5);
            text.push_str(&format!("{grade} qid:{query} 1:{good} 2:{bad} 3:{nothing} # docid = d{document}\n"));
        }
    }
    text
}

/// A number between 0 and 1 that looks random and is not (SplitMix64).
fn mixed(number: u64) -> f64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn folder() -> Folder {
    let folder = Folder::empty();
    folder.write("a.txt", lists(0..20));
    folder.write("b.txt", lists(20..30));
    folder.write("c.txt", lists(30..40));
    folder
}

const QUICK: [&str; 4] = ["--restarts", "1", "--epochs", "20"];

/// Learns, scores and measures: every learner ranks queries that it never saw nearly as they are graded.
#[test]
fn from_grades_to_a_measured_run() {
    for learner in ["lambdarank", "ranknet", "ranksvm"] {
        let folder = folder();
        let train = ["train", learner, "--train", "a.txt", "--validate", "b.txt", "-o", "model.json"];
        let said = folder.json(train.iter().chain(if learner == "ranksvm" { &[][..] } else { &QUICK }));
        assert_eq!((&said["queries"], &said["documents"]), (&20.into(), &160.into()));
        assert_eq!(said["learner"], learner);
        let features = said["features"].as_array().unwrap();
        assert!(features[0]["weight"].as_f64().unwrap() > 0.0 && features[1]["weight"].as_f64().unwrap() < 0.0);
        folder.run(["score", "model.json", "c.txt", "-o", "c.run"]).fine();
        let run = folder.read("c.run");
        let first: Vec<&str> = run.lines().next().unwrap().split(' ').collect();
        assert_eq!([first[0], first[1], first[3], first[5]], ["30", "Q0", "1", learner], "{run}");
        folder.write("qrels.txt", qrels());
        let said = folder.json(["eval", "c.run", "--qrels", "qrels.txt", "--measure", "map"]);
        let map = said["runs"][0]["measures"]["map"].as_f64().unwrap();
        assert!(map > 0.9, "{learner}: {said}");
        let scores = folder.run(["score", "model.json", "c.txt", "--format", "letor"]);
        assert_eq!(scores.fine().lines().count(), 80);
        let table = folder.run(["score", "model.json", "c.txt", "--format", "csv"]);
        let lines: Vec<&str> = table.fine().lines().collect();
        assert_eq!((lines[0], lines.len()), ("qid,id,score,f1,f2,f3", 81));
        let first: f64 = scores.stdout.lines().next().unwrap().parse().unwrap();
        assert!(lines[1].starts_with(&format!("30,d0,{first},")), "{}", lines[1]);
    }
}

/// The grades of `c.txt`.
fn qrels() -> String {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split_ascii_whitespace().collect();
        format!("{} 0 {} {}\n", &cells[1][4..], cells[cells.len() - 1], cells[0])
    };
    lists(30..40).lines().map(line).collect()
}

/// From a model to a project: its score is the prior mean, so nobody need answer for a first ranking.
#[test]
fn a_score_is_a_prior() {
    let folder = folder();
    folder.run(["train", "ranksvm", "--train", "a.txt", "-o", "model.json"]).fine();
    folder.run(["score", "model.json", "c.txt", "--format", "csv", "-o", "items.csv"]).fine();
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\ngroup = \"qid\"\nattributes = [\"f1\", \"f2\", \"f3\"]\nprior = [\"score\"]\n\n\
         [[kernel]]\nkind = \"independent\"\nweight = 1.0\n\n[answers]\nfile = \"answers.csv\"\nnoise = \"learn\"\n",
    );
    folder.write("answers.csv", "first,second,outcome,judge,time\n");
    let ranked = folder.run(["rank", "--format", "csv"]);
    let ranked: Vec<&str> = ranked.fine().lines().filter(|line| line.contains("30")).collect();
    let run = folder.run(["score", "model.json", "c.txt"]);
    let scored: Vec<&str> = run.fine().lines().take(8).map(|line| line.split(' ').nth(2).unwrap()).collect();
    for (ranked, scored) in ranked.iter().zip(&scored) {
        assert!(ranked.contains(scored), "{ranked} {scored}");
    }
    let asked = folder.json(["next"]);
    assert!(asked.to_string().contains("first"), "{asked}");
}

#[test]
fn what_a_person_sees() {
    let folder = folder();
    let train = ["train", "lambdarank", "--train", "a.txt", "-o", "model.json", "--hidden", "4", "--plot", "curve.svg"];
    let said = folder.run(train.iter().chain(&QUICK));
    assert!(said.fine().contains("feature") && said.stdout.contains("validated"), "{}", said.stdout);
    assert!(said.stderr.contains("learned from 20 queries with 160 documents"), "{}", said.stderr);
    assert!(said.stderr.contains("on every fifth query, which did not teach: "), "{}", said.stderr);
    assert!(said.stderr.contains("written to model.json"), "{}", said.stderr);
    assert!(!said.stderr.contains(".0,"), "whole numbers are shown without a fraction: {}", said.stderr);
    assert!(folder.read("curve.svg").starts_with("<svg"));
}

#[test]
fn same_seed_same_bytes() {
    let folder = folder();
    let train = |output: &str, seed: &str| {
        let train = ["train", "ranknet", "--train", "a.txt", "--hidden", "3", "--seed", seed, "-o", output];
        folder.run(train.iter().chain(&QUICK)).fine();
        folder.read(output)
    };
    assert_eq!(train("one.json", "1"), train("two.json", "1"));
    assert_ne!(train("one.json", "1"), train("two.json", "2"));
}

#[test]
fn queries_with_one_grade_are_counted() {
    let folder = Folder::empty();
    folder.write("a.txt", format!("{}1 qid:x 1:0.5 2:1\n1 qid:x 1:0.1\n", lists(0..6)));
    let said = folder.json(["train", "ranksvm", "--train", "a.txt", "-o", "model.json"]);
    assert_eq!((&said["queries"], &said["one_grade_only"]), (&7.into(), &1.into()));
}

#[test]
fn refusals() {
    let folder = folder();
    folder.write("words.txt", "good qid:1 1:0.5\n");
    folder.write("half.txt", "1 qid:1 1:0.5\n0.5 qid:1 1:0.1\n");
    folder.write("alike.txt", "1 qid:1 1:0.5\n1 qid:1 1:0.1\n");
    folder.write("infinite.txt", "1 qid:1 1:inf\n");
    folder.write("wide.txt", "1 qid:1 1:0.5 4:1\n");
    folder.write("empty.txt", "");
    let refused = |arguments: &[&str]| {
        let said = folder.run(arguments);
        assert!(said.code != Some(0), "{arguments:?}");
        said.stderr
    };
    let train = |file: &str| refused(&["train", "lambdarank", "--train", file, "-o", "model.json"]);
    assert!(
        train("words.txt").contains("words.txt, line 1, column 1: found \"good\", expected a grade: a finite number")
    );
    assert!(
        train("half.txt")
            .contains("half.txt, line 2, column 1: found \"0.5\", expected a whole number up to 1023 as the grade")
    );
    folder.write("high.txt", "1 qid:1 1:0.5\n2000 qid:1 1:0.1\n");
    assert!(train("high.txt").contains("high.txt, line 2, column 1: found \"2000\""));
    folder.write("bare.txt", "1 qid:1\n0 qid:1\n");
    assert!(train("bare.txt").contains("bare.txt: found \"none\", expected lines with features"));
    assert!(train("alike.txt").contains("expected a query whose documents differ in grade"));
    assert!(train("infinite.txt").contains("infinite.txt, line 1"));
    assert!(train("empty.txt").contains("empty.txt"));
    assert!(train("missing.txt").contains("missing.txt"));
    assert!(refused(&["train", "lambdarank", "--train", "a.txt", "-o", "a.txt"]).contains("a.txt"));
    assert!(
        refused(&["train", "ranksvm", "--train", "a.txt", "--hidden", "3", "-o", "m.json"])
            .contains("ranksvm has no --hidden")
    );
    assert!(
        refused(&["train", "ranknet", "--train", "a.txt", "--improve", "map", "-o", "m.json"])
            .contains("ranknet has no --improve")
    );
    let nowhere = refused(&["train", "ranksvm", "--train", "missing.txt", "-o", "nowhere/m.json"]);
    assert!(
        nowhere.contains("nowhere/m.json: expected a place in a folder that exists, for --output"),
        "before anything is read: {nowhere}"
    );
    assert!(refused(&["train", "ranknet", "--train", "a.txt", "a.txt", "-o", "m.json"]).contains("a.txt"));
    folder.write("again.txt", lists(19..21));
    let twice = refused(&["train", "ranknet", "--train", "a.txt", "--validate", "again.txt", "-o", "m.json"]);
    assert!(twice.contains("again.txt, line 1: found \"qid:19\"") && twice.contains("it is also in a.txt"), "{twice}");
    assert!(
        refused(&["train", "lambdarank", "--train", "a.txt", "--improve", "luck", "-o", "m.json"]).contains("ndcg@k")
    );
    assert!(refused(&["train", "ranknet", "--train", "a.txt", "--choose-by", "wta", "-o", "m.json"]).contains("cost"));
    let judged = refused(&["train", "ranknet", "--train", "a.txt", "--choose-by", "judged@5", "-o", "m.json"]);
    assert!(judged.contains("judged@5 says nothing of the order"), "{judged}");
    assert!(refused(&["train", "ranknet", "--train", "a.txt", "--rates", "0", "-o", "m.json"]).contains("rate"));
    assert!(!folder.path("model.json").exists());

    folder.run(["train", "ranksvm", "--train", "a.txt", "-o", "model.json"]).fine();
    let score = |model: &str, file: &str| refused(&["score", model, file]);
    assert!(score("model.json", "wide.txt").contains("wide.txt, line 1: found \"4\", expected features from 1 to 3"));
    let narrow = score("model.json", "alike.txt");
    assert!(narrow.contains("alike.txt: found \"features up to 1\", expected features up to 3"), "{narrow}");
    assert!(narrow.contains("write 3:0 in one of them"), "{narrow}");
    let whole = folder.read("model.json");
    folder.write("cut.json", &whole[..whole.len() / 2]);
    assert!(score("cut.json", "c.txt").contains("it ends too early"));
    folder.write("later.json", whole.replace("\"version\": 1", "\"version\": 9"));
    assert!(score("later.json", "c.txt").contains("a later version of ordain wrote it"));
    assert!(score("c.txt", "c.txt").contains("expected a model"));
    assert!(refused(&["score", "model.json", "c.txt", "--tag", "two words"]).contains("two words"));
}
