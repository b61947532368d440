//! `ordain compare`: whether each kernel helps.

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::util::{Folder, Run};

fn number(value: &Value, path: &str) -> f64 {
    value.pointer(path).unwrap().as_f64().unwrap()
}

/// Two families; everybody of the first is preferred to everybody of the second. Who is kin is known from links alone.
fn families() -> Folder {
    let folder = Folder::empty();
    let member = |family: usize, number: usize| format!("{}{number}", ["ann", "bob"][family]);
    let mut items = String::from("id,x\n");
    let mut links = String::from("source,target\n");
    let mut answers = String::from("winner,loser\n");
    for number in 0..8 {
        for family in 0..2 {
            items += &format!("{},{}\n", member(family, number), (number * 5 + family * 3) % 7);
            links += &format!("{},{}\n", member(family, number), member(family, (number + 1) % 8));
            links += &format!("{},{}\n", member(family, number), member(family, (number + 3) % 8));
        }
        answers += &format!("{},{}\n", member(0, number), member(1, (3 * number + 1) % 8));
        answers += &format!("{},{}\n", member(0, (number + 2) % 8), member(1, number));
        answers += &format!("{},{}\n", member(0, number), member(1, (number + 4) % 8));
    }
    folder.write("items.csv", items);
    folder.write("links.csv", links);
    folder.write("answers.csv", answers);
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\n\n\
         [[kernel]]\nkind = \"squared-exponential\"\n\n\
         [[kernel]]\nkind = \"regularized-laplacian\"\nrelation = \"links.csv\"\nweight = 2.0\niota = 2.0\n\n\
         [[kernel]]\nkind = \"independent\"\nweight = 0.3\n",
    );
    folder
}

#[test]
fn links_help() {
    let folder = families();
    let before = folder.files();
    for more in [&[] as &[&str], &["--fixed"]] {
        let found = folder.json([&["compare"], more].concat());
        let models = found["models"].as_array().unwrap();
        assert_eq!(models.len(), 4);
        assert_eq!(models[0]["model"], "all kernels");
        assert!(models[0].get("difference").is_none() && models[0].get("without").is_none());
        let links = &models[2];
        assert_eq!(links["model"], "without regularized-laplacian over links.csv");
        assert_eq!(links["without"], 1);
        assert!(number(links, "/difference/log_loss/low") > 0.0, "{links}");
        let change = number(links, "/log_loss/mean") - number(&models[0], "/log_loss/mean");
        assert!((number(links, "/difference/log_loss/mean") - change).abs() < 1e-12);
        assert!(number(links, "/difference/log_evidence") < 0.0);
        assert_eq!(found["answers"], 24);
        assert_eq!(found["folds"], 10);
        assert_eq!(found["tuned"], more.is_empty());
    }
    assert!(folder.files() == before, "nothing is written");
}

#[test]
fn words_and_pictures() {
    let folder = families();
    for columns in [80, 100, 140] {
        let run = Run::of(folder.command(["compare"]).env("COLUMNS", columns.to_string()));
        let (shown, words) = run.fine().rsplit_once("\n\n").unwrap();
        assert!(shown.lines().all(|line| line.width() <= columns), "{columns}\n{shown}");
        assert_eq!(shown.lines().filter(|line| line.contains('●')).count(), 3);
        assert!(words.contains("regularized-laplacian over links.csv: helps; without it the log loss changes by +"));
        assert_eq!(words.lines().count(), 3);
        assert!(
            run.stderr.contains("24 answers on 24 pairs, in 10 folds, each model tuned on the other"),
            "{}",
            run.stderr
        );
    }
    let fixed = folder.run(["compare", "--fixed"]);
    fixed.fine();
    assert!(fixed.stderr.contains("at the values of the file: no held-out test if"), "{}", fixed.stderr);
    let csv = folder.run(["compare", "--format", "csv", "--folds", "4", "--repeats", "2"]);
    assert!(csv.fine().starts_with("model,without,log_loss,log_loss_low,log_loss_high,error,"));
    assert_eq!(csv.stdout.lines().count(), 5);
}

/// Tuning the project on all answers before it is compared must not make its held-out answers known.
#[test]
fn tuning_before_comparing_changes_nothing() {
    let folder = families();
    let before = folder.run(["compare", "--format", "json", "--folds", "4"]);
    let fixed = folder.run(["compare", "--format", "json", "--folds", "4", "--fixed"]);
    folder.run(["tune"]).fine();
    assert_eq!(folder.run(["compare", "--format", "json", "--folds", "4"]).fine(), before.fine());
    assert_ne!(folder.run(["compare", "--format", "json", "--folds", "4", "--fixed"]).fine(), fixed.fine());
}

/// Two kernels of one kind are told apart by their place in the file; a model without its only kernel is a guess.
#[test]
fn names_and_guesses() {
    let folder = families();
    folder.append("ordain.toml", "\n[[kernel]]\nkind = \"independent\"\nweight = 0.2\n");
    let found = folder.json(["compare"]);
    assert_eq!(found["models"][3]["model"], "without independent (kernel[2])");
    assert_eq!(found["models"][4]["model"], "without independent (kernel[3])");
    folder.write("ordain.toml", "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"linear\"\n");
    let found = folder.json(["compare"]);
    // Rounding of sums of 24 logarithms.
    assert!((number(&found, "/models/1/log_loss/mean") - 2_f64.ln()).abs() < 1e-12);
    assert_eq!(number(&found, "/models/1/error/mean"), 0.5);
}

#[test]
fn the_seed_decides() {
    let folder = families();
    let with = |arguments: &[&str], threads: &str| {
        Run::of(
            folder.command([&["compare", "--format", "json"], arguments].concat()).env("RAYON_NUM_THREADS", threads),
        )
    };
    let one = with(&["--seed", "3"], "1");
    assert_eq!(one.fine(), with(&["--seed", "3"], "2").fine());
    assert_ne!(one.fine(), with(&["--seed", "4"], "2").fine());
    // The project's seed unless told otherwise, which is 1 unless the project says otherwise.
    assert_eq!(with(&[], "2").fine(), with(&["--seed", "1"], "2").fine());
}

/// Two answers that agree make an interval without zero, and prove nothing.
#[test]
fn few_pairs_prove_nothing() {
    let folder = families();
    folder.write("answers.csv", "winner,loser\nann0,bob1\nann1,bob4\n");
    let run = folder.run(["compare", "--folds", "2"]);
    let (_, words) = run.fine().rsplit_once("\n\n").unwrap();
    assert!(words.lines().all(|line| line.contains(": too few pairs to tell; ")), "{words}");
}

#[test]
fn too_few_answers() {
    let folder = Folder::project();
    let more = "ordain answer FIRST SECOND";
    folder.refuses(["compare"], &["answers.csv", "1 answer on 1 pair\"", "at least 10 different pairs", more]);
    folder.write("answers.csv", "first,second,outcome\n");
    folder.refuses(["compare", "--folds", "2"], &["0 answers on 0 pairs", "at least 2 different pairs", more]);
    let families = families();
    families.write("answers.csv", "winner,loser\nann0,bob1\nann0,bob1\nann1,bob4\nann2,bob0\n");
    families.refuses(["compare"], &["4 answers on 3 pairs", "or take fewer folds: --folds 3"]);
    families.run(["compare", "--folds", "3"]).fine();
    assert_eq!(folder.run(["compare", "--folds", "1"]).code, Some(2));
    for repeats in ["0", "1001", "4000000000"] {
        assert_eq!(folder.run(["compare", "--repeats", repeats]).code, Some(2));
    }
}
