//! `ordain fuse`: orders, scores and weights worked out by hand, what is kept and gone on from, and odd input.

use ordain::numeric::Seed;
use rand::seq::SliceRandom;
use serde_json::Value;

use crate::util::{Folder, Run, gzip};

/// One query: `a` has d1, d2, d3, and `b` has d2, d3, d4. d2 is relevant.
fn files() -> Folder {
    let folder = Folder::empty();
    folder.write("a.run", "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq1 Q0 d3 3 1 a\n");
    folder.write("b.run", "q1 Q0 d2 1 9 b\nq1 Q0 d3 2 8 b\nq1 Q0 d4 3 7 b\n");
    folder.write("qrels", "q1 0 d2 1\nq1 0 d9 2\n");
    folder
}

/// Documents and scores of the fused run, which is printed.
fn fused(folder: &Folder, more: &[&str]) -> Vec<(String, f64)> {
    let run = folder.run(["fuse", "a.run", "b.run"].iter().chain(more));
    let row = |(at, line): (usize, &str)| {
        let cells: Vec<&str> = line.split(' ').collect();
        assert_eq!((cells[0], cells[1], cells[3], cells[5]), ("q1", "Q0", &*(at + 1).to_string(), "ordain"));
        (cells[2].to_owned(), cells[4].parse().unwrap())
    };
    run.fine().lines().enumerate().map(row).collect()
}

#[track_caller]
fn check(found: &[(String, f64)], expected: &[(&str, f64)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((document, score), (name, value)) in found.iter().zip(expected) {
        // Scores are rounded to 1e-12 of the largest.
        assert!(document == name && (score - value).abs() <= 1e-12 * value.abs().max(1.0), "{found:?} {expected:?}");
    }
}

#[track_caller]
fn near(found: &Value, expected: f64) {
    assert!((found.as_f64().unwrap() - expected).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn orders_by_hand() {
    let folder = files();
    let rrf = |places: &[f64]| places.iter().map(|place| 1.0 / (60.0 + place)).sum::<f64>();
    let expected = [("d2", rrf(&[2.0, 1.0])), ("d3", rrf(&[3.0, 2.0])), ("d1", rrf(&[1.0])), ("d4", rrf(&[3.0]))];
    check(&fused(&folder, &["--order", "rrf"]), &expected);
    // Points for documents below: 3 2 1 0 and 0 3 2 1.
    check(&fused(&folder, &["--order", "borda"]), &[("d2", 5.0), ("d1", 3.0), ("d3", 3.0), ("d4", 1.0)]);
    // Half a point for each pair without opinion: 2.5 1.5 0.5 1.5 and 1.5 2.5 1.5 0.5.
    let abstain = ["--order", "borda", "--unretrieved", "abstain"];
    check(&fused(&folder, &abstain), &[("d1", 4.0), ("d2", 4.0), ("d3", 2.0), ("d4", 2.0)]);
    // Scaled scores 1 0.5 0 - and - 1 0.5 0; d2 and d3 are in both lists.
    check(&fused(&folder, &["--order", "combsum"]), &[("d2", 1.5), ("d1", 1.0), ("d3", 0.5), ("d4", 0.0)]);
    check(&fused(&folder, &["--order", "combmnz"]), &[("d2", 3.0), ("d1", 1.0), ("d3", 1.0), ("d4", 0.0)]);
    // After d2, d3 is level with d1 and before d4 for both, d1 level with both others.
    let equal = [("d2", 4.0), ("d3", 3.0), ("d1", 2.0), ("d4", 1.0)];
    check(&fused(&folder, &[]), &equal);
    // With three quarters of the weight, `a` decides every pair.
    let first = [("d1", 4.0), ("d2", 3.0), ("d3", 2.0), ("d4", 1.0)];
    check(&fused(&folder, &["--initial", "3,1"]), &first);
    check(&fused(&folder, &["--initial", "3,1", "--top", "2"]), &first[..2]);
    check(&fused(&folder, &["--depth", "1"]), &[("d1", 2.0), ("d2", 1.0)]);
    check(&fused(&folder, &["--depth", "18446744073709551615"]), &equal);
    for order in ["components", "local", "copeland"] {
        assert_eq!(fused(&folder, &["--order", order])[0].0, "d2", "{order}");
    }
}

#[test]
fn weights_by_the_formula() {
    let folder = files();
    // Of d2 before d1, d3 and d4, `a` contradicts the first, `b` nothing.
    let hedge =
        ["fuse", "a.run", "b.run", "--qrels", "qrels", "--output", "f.run", "--learn", "hedge", "--beta", "0.2"];
    let said = folder.json(hedge);
    let (a, b) = (0.2_f64.powf(1.0 / 3.0), 1.0);
    near(&said["experts"][0]["weight"], a / (a + b));
    near(&said["experts"][1]["weight"], b / (a + b));
    near(&said["experts"][0]["loss"], 1.0 / 3.0);
    near(&said["experts"][1]["loss"], 0.0);
    near(&said["loss"], 1.0 / 6.0);
    near(&said["bound"], 2.0_f64.ln() / 0.8);
    assert_eq!((said["rounds"].as_u64(), said["queries"].as_u64()), (Some(1), Some(1)));
    // The run was ordered before the feedback came.
    assert_eq!(folder.read("f.run"), folder.run(["fuse", "a.run", "b.run"]).fine());
    // Margin's losses are logistic in the margin, here of opinions 1 and -1, and 0 for equal weights that differ.
    let margin = folder.json(["fuse", "a.run", "b.run", "--qrels", "qrels", "--output", "f.run"]);
    let logistic = |margin: f64| (-2.0 * margin).exp().ln_1p();
    near(&margin["loss"], (logistic(0.0) + 2.0 * logistic(1.0)) / 3.0);
    near(&margin["experts"][0]["loss"], (logistic(-1.0) + 2.0 * logistic(1.0)) / 3.0);
    assert!(margin["experts"][1]["weight"].as_f64() > Some(0.5), "{margin}");
    assert!(margin["loss"].as_f64() <= margin["bound"].as_f64(), "{margin}");
    let fixed = folder.json(["fuse", "a.run", "b.run", "--qrels", "qrels", "--output", "f.run", "--learn", "none"]);
    near(&fixed["loss"], 1.0 / 6.0);
    assert!(fixed["bound"].is_null() && fixed["experts"][0]["weight"] == 0.5, "{fixed}");
    let silent = folder.json(["fuse", "a.run", "b.run", "--output", "f.run"]);
    assert!(silent["loss"].is_null() && silent["experts"][0]["loss"].is_null(), "{silent}");
}

#[test]
fn clicks_beat_what_was_passed_over() {
    let folder = files();
    let hedge = |more: &[&str]| {
        let start = ["fuse", "a.run", "b.run", "--learn", "hedge", "--output", "f.run", "--clicks", "clicks.csv"];
        folder.json(start.iter().chain(more))
    };
    // Shown d2 d3 d1 d4: d1 beats d2 and d3, as `a` says of both and `b` of none.
    folder.write("clicks.csv", "qid,docid,time\nq1,d1,2026-01-01\nq1,d1,\n");
    let said = hedge(&[]);
    near(&said["experts"][0]["weight"], 2.0 / 3.0);
    near(&said["experts"][1]["loss"], 1.0);
    // Shown first, it beats nothing; d9, which no expert has, counts for nothing either.
    folder.write("shown.run", "q1 Q0 d1 9 3 s\nq1 Q0 d9 1 2 s\nq1 Q0 d2 2 1 s\n");
    assert_eq!(hedge(&["--shown", "shown.run"])["rounds"], 0);
    folder.write("clicks.csv", "docid\tqid\nd9\tq1\nd2\tq1\n");
    assert_eq!(hedge(&["--shown", "shown.run"])["rounds"], 1);
    // All that is shown is clicked: no one is passed over.
    folder.write("clicks.csv", "qid,docid\nq1,d4\nq1,d1\nq1,d2\nq1,d3\n");
    assert_eq!(hedge(&[])["rounds"], 0);
    folder.write("clicks.csv", "qid,docid\n");
    assert_eq!(hedge(&[])["rounds"], 0);
    folder.write("clicks.csv", "qid,docid\nq7,d1\n");
    let unknown = folder.run(["fuse", "a.run", "b.run", "--clicks", "clicks.csv"]);
    unknown.fine();
    assert!(unknown.stderr.contains("clicks on 1 query that no run has (q7)"), "{}", unknown.stderr);
    folder.write("clicks.csv", "qid,docid\nq1,d2\nq1,d9\n");
    let clicks = ["fuse", "a.run", "b.run", "--clicks", "clicks.csv", "--output", "f.run"];
    folder.refuses(clicks, &["clicks.csv", "line 3", "d9", "query q1", "--shown"]);
    folder.write("clicks.csv", "query,docid\nq1,d2\n");
    folder.refuses(clicks, &["clicks.csv", "qid"]);
}

/// Six queries of three experts, of which each lacks some, or the first none.
fn many(seed: u64, first_has_all: bool) -> (Vec<Vec<String>>, String) {
    let mut stream = Seed(seed).stream(0);
    let mut runs = vec![Vec::new(); 3];
    for (expert, run) in runs.iter_mut().enumerate() {
        let lacks =
            |query: usize| (query + expert + seed as usize).is_multiple_of(4) && !(first_has_all && expert == 0);
        for query in (0..6).filter(|query| !lacks(*query)) {
            let mut documents: Vec<usize> = (0..8).collect();
            documents.shuffle(&mut stream);
            let row = |(at, document): (usize, &usize)| format!("q{query} Q0 d{document} {at} {} t{expert}\n", 10 - at);
            run.push(documents.iter().take(5).enumerate().map(row).collect());
        }
    }
    let qrels = (0..6).map(|query| format!("q{query} 0 d{} 2\nq{query} 0 d{} 1\n", query % 3, query % 3 + 3)).collect();
    (runs, qrels)
}

#[test]
fn reading_side_by_side_is_reading_whole() {
    for seed in 0..12 {
        let folder = Folder::empty();
        let (mut runs, qrels) = many(seed, false);
        folder.write("qrels", qrels);
        let mut stream = Seed(seed).stream(1);
        runs.iter_mut().for_each(|run| run.shuffle(&mut stream));
        let texts: Vec<String> = runs.iter().map(|run| run.concat()).collect();
        for (at, text) in texts.iter().enumerate() {
            folder.write(&format!("{at}.gz"), gzip(text));
        }
        folder.write("all", texts.concat());
        let apart = folder.json(["fuse", "0.gz", "1.gz", "2.gz", "--qrels", "qrels", "--output", "apart"]);
        let whole = folder.json(["fuse", "all", "--qrels", "qrels", "--output", "whole"]);
        assert_eq!(apart, whole);
        assert_eq!(folder.read("apart"), folder.read("whole"));
        // Equal weights leave the orders to all cores, however many there are.
        let alone = |threads: &str| {
            let mut command = folder.command(["fuse", "0.gz", "1.gz", "2.gz", "--order", "rrf"]);
            Run::of(command.env("RAYON_NUM_THREADS", threads)).fine().to_owned()
        };
        assert_eq!(alone("1"), alone("3"));
    }
}

#[test]
fn what_is_gone_on_from_is_as_if_never_left() {
    for (learn, seed) in [("hedge", 1), ("margin", 2)] {
        let folder = Folder::empty();
        // So that the order of the queries is the same in parts.
        let (runs, qrels) = many(seed, true);
        folder.write("qrels", qrels);
        let early = |block: &&String| block.starts_with("q0") || block.starts_with("q1") || block.starts_with("q2");
        let part = |name: &str, keep: &dyn Fn(&&String) -> bool| -> Vec<String> {
            let file = |(at, run): (usize, &Vec<String>)| {
                let file = format!("{name}{at}");
                folder.write(&file, run.iter().filter(keep).cloned().collect::<String>());
                file
            };
            runs.iter().enumerate().map(file).collect()
        };
        let fuse = |files: Vec<String>, state: &str, output: &str| {
            let options = ["--qrels", "qrels", "--learn", learn, "--initial", "0.2,0.3,0.5", "--state", state];
            let words = ["fuse".to_owned()].into_iter().chain(files);
            let mut said = folder.json(words.chain(options.map(Into::into)).chain(["--output".into(), output.into()]));
            said.as_object_mut().unwrap().remove("queries");
            said
        };
        let once = fuse(part("all", &|_| true), "once", "once.run");
        fuse(part("early", &early), "twice", "early.run");
        let twice = fuse(part("late", &|block| !early(block)), "twice", "late.run");
        assert_eq!(once, twice);
        assert_eq!(folder.read("once"), folder.read("twice"));
        assert_eq!(folder.read("once.run"), folder.read("early.run") + &folder.read("late.run"));
    }
}

#[test]
fn a_second_pass_has_the_weights_and_leaves_them() {
    let folder = files();
    let learn = ["fuse", "a.run", "b.run", "--qrels", "qrels", "--learn", "hedge", "--state", "w", "--output", "f.run"];
    let learned = folder.json(learn);
    let state = folder.read("w");
    let second = folder.json(["fuse", "a.run", "b.run", "--state", "w", "--output", "g.run"]);
    assert_eq!(second["experts"][0]["weight"], learned["experts"][0]["weight"]);
    assert_eq!((second["learn"].as_str(), &folder.read("w")), (Some("none"), &state));
    // `b` is trusted more, so that its order decides.
    assert!(folder.read("g.run").lines().map(|line| &line[6..8]).eq(["d2", "d3", "d4", "d1"]));
    let go_on = |more: &[&str]| folder.run(learn.iter().chain(more));
    go_on(&["--beta", "0.3"]).fails(2, &["--beta", "\"0.3\"", "0.5, with which the state was begun", "hint: "]);
    go_on(&["--initial", "1,2"]).fails(2, &["--initial", "equal weights"]);
    for initial in ["1,2", "1,1"] {
        let fixed = ["fuse", "a.run", "b.run", "--learn", "none", "--state", "w", "--initial", initial];
        folder.run(fixed).fails(2, &["--initial", "hint: "]);
    }
    // Without --learn, a state that exists says that beta is right, and one that does not exist is begun by the margin.
    let beta = ["fuse", "a.run", "b.run", "--qrels", "qrels", "--beta", "0.5", "--output", "f.run", "--state"];
    folder.run(beta.iter().chain(&["new"])).fails(2, &["--beta with --learn margin", "add --learn hedge"]);
    assert!(!folder.path("new").exists());
    assert_eq!(folder.json(beta.iter().chain(&["w"]))["learn"], "hedge");
    folder.write("w", &state);
    let begun = folder.json(beta[..5].iter().chain(&["--output", "f.run", "--state", "new"]));
    assert_eq!(begun["learn"], "margin");
    let margin = ["fuse", "a.run", "b.run", "--qrels", "qrels", "--learn", "margin", "--state", "w"];
    folder.run(margin).fails(2, &["--learn", "\"margin\"", "a new file for --state"]);
    folder.refuses(["fuse", "b.run", "a.run", "--state", "w"], &["w", "expert 1: a", "b, as given now", "same runs"]);
    folder.refuses(["fuse", "a.run", "--state", "w"], &["w", "2 experts", "1, as given now"]);
    folder.refuses(["fuse", "a.run", "--state", "none"], &["cannot read none"]);
    for broken in ["", "{}", "hello", &state.replace("\"beta\": 0.5", "\"beta\": 7"), &state[..state.len() / 2]] {
        folder.write("w", broken);
        folder.refuses(
            ["fuse", "a.run", "b.run", "--state", "w"],
            &["w", "ordain fuse --state wrote", "remove this one"],
        );
    }
}

/// Runs whose tags clash are told apart in the report and in the state.
#[test]
fn tags_that_clash() {
    let folder = files();
    folder.write("c.run", folder.read("b.run").replace(" b\n", " a\n"));
    let said = folder.json(["fuse", "a.run", "b.run", "c.run", "--output", "f.run"]);
    let names: Vec<&str> =
        said["experts"].as_array().unwrap().iter().map(|expert| expert["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a.run:a", "b", "c.run:a"]);
}

/// A state knows the queries that it was learned from, and says when they come again: learned once more, or only ordered.
#[test]
fn a_second_pass_over_learned_queries_warns() {
    let folder = files();
    let append = |query: &str| {
        for file in ["a.run", "b.run"] {
            let first: String = folder
                .read(file)
                .lines()
                .filter(|line| line.starts_with("q1 "))
                .map(|line| format!("{line}\n"))
                .collect();
            folder.append(file, first.replace("q1 ", &format!("{query} ")));
        }
    };
    let fuse = |more: &[&str]| {
        let run = folder.run(
            ["fuse", "a.run", "b.run", "--qrels", "qrels", "--output", "f.run", "--state", "w"].iter().chain(more),
        );
        run.fine();
        run.stderr
    };
    assert_eq!(fuse(&[]), "");
    // A query that taught nothing is not remembered.
    append("q2");
    let again = fuse(&[]);
    assert!(
        again.contains("warning: w had learned from 1 of these queries already (q1): their feedback now counts twice"),
        "{again}"
    );
    let ordered = fuse(&["--learn", "none"]);
    assert!(
        ordered.contains("w had learned from 1 of these queries already (q1)") && ordered.contains("flatters"),
        "{ordered}"
    );
    // Without feedback on a query, learning it again changes nothing.
    folder.write("qrels", "q2 0 d2 1\n");
    assert_eq!(fuse(&[]), "");
    assert!(fuse(&[]).contains("(q2)"));
    // A state of an earlier version knows no queries.
    let state: Value = serde_json::from_str(&folder.read("w")).unwrap();
    assert_eq!(state["queries"], serde_json::json!(["q1", "q2"]));
    let mut old = state.clone();
    old.as_object_mut().unwrap().remove("queries");
    folder.write("w", old.to_string());
    assert_eq!(fuse(&[]), "");
}

#[test]
fn letor_ranks_and_grades() {
    let folder = Folder::empty();
    // Ranker 1 has A before B, ranker 2 B before A; B is better. No ranker has C. The second query teaches nothing.
    let first = "0 qid:1 1:1 2:7 3:NULL #docid = A\n2 qid:1 1:2 2:3 3:NULL #docid = B\n1 qid:1 1:NULL 2:NULL 3:NULL #docid = C\n";
    folder.write("x.txt", first);
    folder.write("y.txt", "1 qid:2 1:2 2:NULL 3:NULL #docid = A\n1 qid:2 1:1 2:NULL 3:NULL #docid = D\n");
    let said = folder.json(["fuse", "--learn", "hedge", "--output", "f.run", "--letor", "x.txt", "y.txt"]);
    // Losses 1, 0 and a half for no opinion.
    let sum = 0.5 + 1.0 + 0.5_f64.sqrt();
    for (at, (name, weight)) in [("1", 0.5), ("2", 1.0), ("3", 0.5_f64.sqrt())].into_iter().enumerate() {
        assert_eq!(said["experts"][at]["name"], name);
        near(&said["experts"][at]["weight"], weight / sum);
    }
    assert_eq!((said["queries"].as_u64(), said["rounds"].as_u64()), (Some(2), Some(1)));
    let run = folder.read("f.run");
    assert!(run.starts_with("1 Q0 A 1 2 ordain\n1 Q0 B 2 1 ordain\n2 Q0 D 1 2 ordain\n"), "{run}");
    // Clicks count in place of the grades: A is on top, so that a click on B is one for ranker 2.
    folder.write("clicks.csv", "qid,docid\n1,B\n");
    let clicked =
        folder.json(["fuse", "--letor", "x.txt", "--clicks", "clicks.csv", "--learn", "hedge", "--output", "f.run"]);
    near(&clicked["experts"][0]["loss"], 1.0);
    near(&clicked["experts"][1]["loss"], 0.0);
    folder.refuses(["fuse", "--letor", "x.txt", "x.txt", "--output", "f.run"], &["x.txt", "line 1", "sort -s -k2,2"]);
    folder.write("wide.txt", "1 qid:1 99999:1 #docid = A\n");
    folder.refuses(["fuse", "--letor", "wide.txt"], &["99999", "2000"]);
    folder.run(["fuse", "--letor", "x.txt", "--qrels", "q"]).fails(2, &["--qrels"]);
}

#[test]
fn forms_of_the_report() {
    let folder = files();
    let fuse = |more: &[&str]| {
        folder.run(["fuse", "a.run", "b.run", "--qrels", "qrels", "--learn", "hedge"].iter().chain(more))
    };
    let table = fuse(&["--output", "f.run", "--plot", "w.svg"]);
    let lines: Vec<&str> = table.fine().lines().collect();
    assert!(lines[0].contains("mean loss") && lines[1].starts_with(" b ") && lines[2].starts_with(" a "), "{lines:?}");
    assert_eq!(lines[1].matches('█').count(), 30);
    assert!(table.stdout.contains("each with the weights from before its feedback"), "{}", table.stdout);
    let csv = fuse(&["--output", "f.run", "--format", "csv"]);
    assert!(csv.fine().starts_with("name,weight,loss\na,0.44"), "{}", csv.stdout);
    let printed = fuse(&[]);
    assert_eq!(printed.fine(), folder.read("f.run"));
    assert!(printed.stderr.contains("mean loss"), "{}", printed.stderr);
    let svg = folder.read("w.svg");
    assert!(svg.starts_with("<svg") && svg.contains("\nb\n</text>") && svg.contains("learned by hedge"), "{svg}");
    folder.write("c.run", folder.read("b.run").replace(" b\n", " a<&\n"));
    folder.run(["fuse", "c.run", "--plot", "w.svg"]).fine();
    assert!(folder.read("w.svg").contains("\na&lt;&amp;\n</text>"));
}

#[test]
fn odd_input_changes_nothing() {
    let folder = files();
    folder.write("f.run", "as it was");
    let odd = |run: &str, words: &[&str]| {
        folder.write("odd", run);
        folder.refuses(["fuse", "a.run", "odd", "--qrels", "qrels", "--state", "s", "--output", "f.run"], words);
    };
    odd(
        "q1 Q0 d 1 2 t\nq2 Q0 d 1 2 t\nq2 Q0 e 2 1 t\nq2 Q0 d 3 0 t\n",
        &["odd", "line 4", "document d", "query q2", "line 2"],
    );
    odd("q1 Q0 d 1 2 t\nq2 Q0 d 1 NaN t\n", &["odd", "line 2", "NaN", "query q2"]);
    odd("q1 Q0 d 1 2 t\nq2 Q0 d 1 2 t\nq1 Q0 e 1 2 t\n", &["odd", "line 3", "q1", "sort -s -k1,1"]);
    odd("q1 Q0 d 1 2\n", &["odd", "line 1", "5 cells"]);
    odd("", &["odd", "empty"]);
    odd("run\tqid\tdocid\trank\tscore\nt\tq1\ta b\t1\t2\n", &["odd, line 2", "a b", "spaces"]);
    folder.write("odd", "q1 Q0 d1 1 inf t\nq1 Q0 d2 2 1 t\n");
    folder.refuses(["fuse", "a.run", "odd", "--order", "combsum"], &["inf", "query q1"]);
    folder.run(["fuse", "a.run", "odd"]).fine();
    // An expert that puts all documents level, one without this query, ranks that contradict scores.
    folder.write("odd", "q1 Q0 d1 1 0 t\nq1 Q0 d2 1 0 t\n");
    folder.run(["fuse", "a.run", "odd", "--qrels", "qrels"]).fine();
    folder.write("odd", "q2 Q0 d1 1 0 t\n");
    folder.run(["fuse", "a.run", "odd", "--qrels", "qrels"]).fine();
    folder.write("odd", "q1 Q0 d1 1 0 t\nq1 Q0 d2 2 1 t\n");
    assert!(folder.run(["fuse", "odd"]).fine().starts_with("q1 Q0 d2 1 2 ordain\n"));
    folder.write("odd", "q7 0 d1 1\n");
    let nothing = folder.run(["fuse", "a.run", "b.run", "--qrels", "odd"]);
    nothing.fine();
    assert!(nothing.stderr.contains("odd teaches nothing"), "{}", nothing.stderr);
}

#[test]
fn wrong_usage() {
    let folder = files();
    let usage = |words: &[&str], said: &[&str]| folder.run(["fuse"].iter().chain(words)).fails(2, said);
    usage(&[], &["RUN"]);
    usage(&["a.run", "--learn", "margin"], &["--learn margin", "--qrels", "--clicks"]);
    usage(&["a.run", "--beta", "0.5", "--qrels", "qrels"], &["--beta", "--learn hedge"]);
    usage(&["a.run", "--beta", "1", "--learn", "hedge", "--qrels", "qrels"], &["below 1"]);
    usage(&["a.run", "--format", "json"], &["--output"]);
    usage(
        &["a.run", "b.run", "--initial", "0.5,0.2,0.3"],
        &["--initial", "2 weights", "one for each of a, b", "hint: "],
    );
    usage(&["a.run", "--initial", "0"], &["--initial", "a positive, finite sum"]);
    usage(&["a.run", "--initial=-1"], &["--initial", "0 or more"]);
    usage(&["a.run", "--order", "best"], &["greedy", "rrf", "copeland"]);
    usage(&["a.run", "--depth", "0"], &["--depth"]);
    usage(&["a.run", "--tag", "my run"], &["spaces"]);
    usage(&["a.run", "--plot", "w.png"], &[".svg"]);
    usage(&["a.run", "--shown", "b.run"], &["--clicks"]);
    usage(&["a.run", "--qrels", "qrels", "--clicks", "c"], &["--clicks"]);
}
