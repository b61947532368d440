//! `ordain simulate`: sessions against a known truth.

use serde_json::Value;

use crate::util::{Folder, Run};

/// Queries whose grades follow the first of three attributes; the others are noise.
fn letor(queries: usize, documents: usize) -> String {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut out = String::new();
    for query in 1..=queries {
        for document in 0..documents {
            let [x, y, z] = [uniform(), uniform(), uniform()];
            let grade = (3.0 * x) as u8;
            out.push_str(&format!("{grade} qid:{query} 1:{x:.6} 2:{y:.6} 3:{z:.6} #docid = d{query}-{document}\n"));
        }
    }
    out
}

fn folder(queries: usize, documents: usize) -> Folder {
    let folder = Folder::empty();
    folder.write("data.txt", letor(queries, documents));
    folder
}

fn simulated(folder: &Folder, arguments: &str) -> Value {
    folder.json(["simulate", "--letor", "data.txt"].into_iter().chain(arguments.split_whitespace()))
}

fn last(run: &Value) -> &Value {
    run["curve"].as_array().unwrap().last().unwrap()
}

const MEASURES: [&str; 5] = ["map", "ndcg10", "best", "tau", "accuracy"];

#[test]
fn the_promised_object() {
    let folder = folder(3, 20);
    let result = simulated(&folder, "--answers 160 --strategy expected-loss,random --goal top --top 5");
    assert_eq!(result.as_object().unwrap().keys().collect::<Vec<_>>(), ["runs"]);
    let runs = result["runs"].as_array().unwrap();
    assert_eq!((&runs[0]["belief"], &runs[0]["strategy"]), (&"gp".into(), &"expected-loss".into()));
    // An e-fold over the first five, in every query.
    assert_eq!(runs[0]["focus"], 0.2);
    assert!(runs[1].get("focus").is_none());
    for run in runs {
        let curve = run["curve"].as_array().unwrap();
        let marks: Vec<u64> = curve.iter().map(|point| point["answers"].as_u64().unwrap()).collect();
        assert_eq!(marks, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 150, 160]);
        for point in curve {
            assert_eq!(point.as_object().unwrap().len(), 1 + 2 * MEASURES.len());
            for measure in MEASURES {
                let least = if measure == "tau" { -1.0 } else { 0.0 };
                assert!((least..=1.0).contains(&point[measure].as_f64().unwrap()), "{point}");
                assert!(point[format!("{measure}_se")].as_f64().unwrap() >= 0.0);
            }
            // Kendall's tau counts right pairs less wrong ones.
            let (tau, accuracy) = (point["tau"].as_f64().unwrap(), point["accuracy"].as_f64().unwrap());
            assert!((tau - (2.0 * accuracy - 1.0)).abs() < 1e-12);
        }
    }
}

/// A focus that differs between queries is not said; one session has no standard error.
#[test]
fn what_is_not_known_is_left_out() {
    let several = Folder::empty();
    several.write("data.txt", letor(1, 12) + &letor(2, 30).replace("qid:1 ", "qid:9 "));
    let run = &simulated(&several, "--answers 10 --goal top-heavy")["runs"][0];
    assert_eq!(run["strategy"], "expected-regret");
    assert!(run.get("focus").is_none());
    let alone = folder(1, 12);
    let run = &simulated(&alone, "--answers 10 --goal top-heavy")["runs"][0];
    assert_eq!((&run["focus"], run["curve"][0].as_object().unwrap().len()), (&0.25.into(), 1 + MEASURES.len()));
}

/// Whatever the number of threads, and whatever the order of lines: documents have names.
#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = folder(4, 15);
    let words = ["simulate", "--letor", "data.txt", "--answers", "30", "--repeats", "2", "--noise", "0.3"];
    let run = |threads: &str, seed: &str, format: &str| {
        let mut command = folder.command(words);
        command.args(["--belief", "gp,glicko", "--seed", seed, "--format", format]).env("RAYON_NUM_THREADS", threads);
        Run::of(&mut command).fine().to_owned()
    };
    let first = run("1", "5", "json");
    assert_eq!(first, run("4", "5", "json"));
    assert_ne!(first, run("1", "6", "json"));
    assert_eq!(run("1", "5", "table"), run("3", "5", "table"));
    let text = folder.read("data.txt");
    let lines: Vec<&str> = text.lines().rev().collect();
    folder.write("data.txt", lines.join("\n"));
    let within = |one: &Value, other: &Value| (one.as_f64().unwrap() - other.as_f64().unwrap()).abs() < 1e-9;
    let (one, other): (Value, Value) =
        (serde_json::from_str(&first).unwrap(), serde_json::from_str(&run("1", "5", "json")).unwrap());
    for (one, other) in one["runs"].as_array().unwrap().iter().zip(other["runs"].as_array().unwrap()) {
        // Attributes are summed in another order, which their scale may show in the last digit.
        assert!(MEASURES.iter().all(|measure| within(&last(one)[measure], &last(other)[measure])));
    }
}

/// Side by side is what each would be alone, every belief with every strategy, and with every focus where there is one.
#[test]
fn lists_run_side_by_side() {
    let folder = folder(3, 15);
    let beliefs = ["gp", "gp-refined", "gp-full", "glicko", "independent"];
    let list = format!("--answers 20 --belief {} --strategy expected-loss,entropy --focus 0.1,1", beliefs.join(","));
    let all = simulated(&folder, &list);
    let mut runs = all["runs"].as_array().unwrap().iter();
    for belief in beliefs {
        for strategy in ["expected-loss --focus 0.1", "expected-loss --focus 1", "entropy"] {
            let alone = simulated(&folder, &format!("--answers 20 --belief {belief} --strategy {strategy}"));
            assert_eq!(runs.next(), Some(&alone["runs"][0]), "{belief} {strategy}");
        }
    }
    assert_eq!(runs.next(), None);
}

/// Where attributes tell nearly all, asking well beats asking at random, and knowing them beats not to.
#[test]
fn asking_well_and_knowing_more_pays() {
    let folder = folder(10, 30);
    let result =
        simulated(&folder, "--answers 40 --repeats 2 --belief gp,independent --strategy expected-regret,random");
    let value = |run: usize, measure: &str| last(&result["runs"][run])[measure].as_f64().unwrap();
    for measure in ["accuracy", "ndcg10"] {
        assert!(value(0, measure) > value(1, measure), "asking: {result}");
        assert!(value(0, measure) > value(2, measure), "attributes: {result}");
    }
}

/// Once a judge who never errs has answered all pairs, items that are alike a priori differ only by how often they won,
/// which is the true order.
#[test]
fn all_answers_give_the_true_order() {
    let folder = folder(3, 5);
    folder.write("own.toml", "[[kernel]]\nkind = \"independent\"\n");
    let result =
        simulated(&folder, "--answers 20 --model own.toml --belief gp-full --repeats 3 --strategy random,entropy");
    for run in result["runs"].as_array().unwrap() {
        for measure in MEASURES.iter().filter(|measure| !["map", "ndcg10"].contains(measure)) {
            assert_eq!(last(run)[measure], 1.0, "{run}");
        }
    }
}

/// A judge who hears nothing but noise teaches nothing.
#[test]
fn noise_alone_teaches_nothing() {
    let folder = folder(10, 20);
    for judge in ["--noise 1e6", "--tie-width 100"] {
        let run = &simulated(&folder, &format!("--answers 50 --repeats 4 --strategy random {judge}"))["runs"][0];
        // Five standard errors.
        let (tau, error) = (last(run)["tau"].as_f64().unwrap(), last(run)["tau_se"].as_f64().unwrap());
        assert!(tau.abs() < 5.0 * error && error < 0.1, "{judge}: {tau} {error}");
    }
}

#[test]
fn tuned_on_the_other_half() {
    let folder = folder(6, 15);
    let words = ["simulate", "--letor", "data.txt", "--answers", "20", "--format", "json"];
    let plain = folder.run(words);
    let tuned = Run::of(folder.command(words).arg("--tune"));
    assert_ne!(plain.fine(), tuned.fine());
    assert!(tuned.stderr.contains("tuned for part 1 of 2: kernel[0].weight = "), "{}", tuned.stderr);
    folder.write("data.txt", letor(1, 15));
    folder.refuses(["simulate", "--letor", "data.txt", "--tune"], &["data.txt", "at least two queries", "--tune"]);
}

#[test]
fn a_project_with_its_truth() {
    let folder = Folder::example("countries");
    let words = ["simulate", "--truth", "inhabitants", "--answers", "60", "--strategy", "expected-regret,random"];
    let result = folder.json(words.iter().copied().chain(["--repeats", "3"]));
    let tau = |run: usize| last(&result["runs"][run])["tau"].as_f64().unwrap();
    assert!(tau(0) > tau(1) && tau(1) > 0.5, "{result}");
    let csv = Run::of(folder.command(words).args(["--format", "csv"]));
    let mut lines = csv.fine().lines();
    assert_eq!(lines.next(), Some("belief,strategy,focus,answers,measure,value,se"));
    assert_eq!(lines.count(), 2 * 7 * MEASURES.len());
    let table = Run::of(folder.command(words).args(["--measure", "tau"]));
    for word in ["10 answers", "60 answers", "● gp expected-regret (focus 0)", "○ gp random", "└──"] {
        assert!(table.fine().contains(word), "{}", table.stdout);
    }
    assert!(table.stderr.contains("tau of 45 items"));
}

/// A session is measured at its end, however short it is; what it would be in a longer one, since it is the same.
#[test]
fn short_sessions() {
    let folder = folder(2, 12);
    let curve = |answers: usize| simulated(&folder, &format!("--answers {answers}"))["runs"][0]["curve"].clone();
    let marks = |answers: usize| -> Vec<u64> {
        curve(answers).as_array().unwrap().iter().map(|point| point["answers"].as_u64().unwrap()).collect()
    };
    assert_eq!((marks(1), marks(7), marks(13)), (vec![0, 1], vec![0, 7], vec![0, 10, 13]));
    assert_eq!(curve(10)[1], curve(13)[1]);
    // Before the first answer all items are equal, so half of the pairs are right and tau is 0.
    assert_eq!((curve(1)[0]["accuracy"].as_f64(), curve(1)[0]["tau"].as_f64()), (Some(0.5), Some(0.0)));
}

/// The curves as a picture: a line and a band for each, the legend, the titles of the axes.
#[test]
fn plots() {
    let folder = folder(4, 12);
    let words =
        "simulate --letor data.txt --answers 20 --strategy expected-loss,random --plot curves.svg --measure tau";
    let run = folder.run(words.split(' '));
    run.fine();
    assert!(run.stderr.contains("wrote curves.svg"), "{}", run.stderr);
    let svg = folder.read("curves.svg");
    for text in ["gp random", "gp expected-loss", "Answers", "tau with the truth"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // Band and line of each run, and its stroke in the legend.
    assert!(svg.matches("<polygon").count() >= 2 && svg.matches("<polyline").count() >= 2, "{svg}");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"));
    let before = folder.files();
    folder.run(words.split(' ')).fine();
    assert!(folder.files() == before, "the same picture again");
    // JSON stays alone on standard output.
    let json = Run::of(folder.command(words.split(' ')).args(["--format", "json"]));
    assert!(serde_json::from_str::<Value>(json.fine()).is_ok());
    // A judge who teaches nothing has curves about 0.
    folder.run(words.split(' ').chain(["--noise", "1e6", "--repeats", "2"])).fine();
    let table = Run::of(folder.command(words.split(' ')).args(["--noise", "1e6"]));
    assert!(!table.fine().contains("-0.000 "), "{}", table.stdout);
    let nowhere = "simulate --letor data.txt --answers 2 --plot no/such/curves.svg";
    assert_eq!(folder.run(nowhere.split(' ')).code, Some(1));
}

/// Kernels of another file in place of the project's: items by themselves learn more slowly.
#[test]
fn other_kernels_for_a_project() {
    let folder = Folder::example("countries");
    folder.write("own.toml", "[[kernel]]\nkind = \"independent\"\n");
    let words = ["simulate", "--truth", "inhabitants", "--answers", "30", "--repeats", "2"];
    let tau = |result: &Value| last(&result["runs"][0])["tau"].as_f64().unwrap();
    let (own, other) = (folder.json(words), folder.json(words.iter().copied().chain(["--model", "own.toml"])));
    assert!(tau(&own) > tau(&other) + 0.05, "{own} {other}");
}

/// Whole numbers from 0 to 4 are grades, and groups of one are left out with a note.
#[test]
fn groups_and_grades_of_a_project() {
    let folder = Folder::empty();
    let rows: String = (0..24).map(|at| format!("i{at},{},{},{}\n", at % 3, at, at / 8)).collect();
    folder.write("items.csv", format!("id,query,x,grade\n{rows}i99,9,5,1\n"));
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\nattributes = [\"x\"]\ngroup = \"query\"\n\n\
         [[kernel]]\nkind = \"squared-exponential\"\n",
    );
    let run = folder.run(["simulate", "--truth", "grade", "--answers", "80", "--format", "json"]);
    let result: Value = serde_json::from_str(run.fine()).unwrap();
    // Three groups of 28 pairs each, of which 80 are answered.
    assert!(last(&result["runs"][0])["map"].as_f64().unwrap() > 0.99, "{result}");
    assert!(run.stderr.contains("1 group with a single item"), "{}", run.stderr);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::example("countries");
    folder.write("data.txt", letor(2, 5));
    folder.write("again.txt", letor(1, 5));
    folder.write("odd.txt", "0.5 qid:1 1:2\n1 qid:1 1:3\n");
    folder.write("alone.txt", "1 qid:1 1:2\n0 qid:2 1:3\n");
    folder.refuses(["simulate", "--truth", "people"], &["items.csv", "column people", "inhabitants"]);
    folder.refuses(["simulate", "--truth", "latitude"], &["items.csv", "latitude", "attribute", "ordain.toml"]);
    let letor = |file: &'static str| ["simulate", "--letor", "data.txt", file];
    folder.refuses(letor("again.txt"), &["again.txt", "data.txt", "one file alone"]);
    folder.refuses(["simulate", "--letor", "odd.txt"], &["odd.txt", "whole numbers as grades", "0.5"]);
    let alone = folder.run(["simulate", "--letor", "alone.txt"]);
    assert_eq!(alone.code, Some(1));
    assert!(alone.stderr.contains("2 queries with a single document"), "{}", alone.stderr);
    folder.refuses(["simulate", "--letor", "data.txt", "--model", "."], &["ordain.toml", "line 21", "relation"]);
    folder.replace("items.csv", "2746000", "many");
    folder.refuses(["simulate", "--truth", "inhabitants"], &["items.csv", "inhabitants", "many", "Albania"]);
    for (words, said) in [
        ("--strategy expected-los", "'expected-loss'"),
        ("--belief glico", "'glicko'"),
        ("--goal top", "--top 10"),
        ("--focus -1", "'-1'"),
        ("--strategy random --focus 1", "means nothing to random"),
        ("--answers 0", "0 is not in 1.."),
        ("--plot curves.png", ".svg"),
        ("--truth inhabitants", "cannot be used with"),
    ] {
        let run = folder.run(["simulate", "--letor", "data.txt"].into_iter().chain(words.split(' ')));
        run.fails(2, &[said]);
    }
    folder.run(["simulate"]).fails(2, &["--truth"]);
}
