//! `ordain tune`: parameters learned and written back.

use serde_json::Value;

use crate::util::Folder;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// What is reported is what then stands in the file, and `rank` finds the evidence that was promised.
#[test]
fn the_file_says_what_was_reported() {
    let folder = Folder::example("countries");
    let before = number(&folder.json(["rank"])["log_evidence"]);
    let text = folder.read("ordain.toml");
    let report = folder.json(["tune", "--intervals"]);
    assert_eq!((&report["written"], &report["converged"]), (&Value::Bool(true), &Value::Bool(true)));
    let after = number(&folder.json(["rank"])["log_evidence"]);
    // EP stops at changes of 1e-7 where the evidence is reported.
    assert!((number(&report["log_evidence_before"]) - before).abs() < 1e-6);
    // Six values are written to six digits, each off by up to 5e-6 of itself. At the top of the posterior the evidence still has the
    // slope that the prior takes back, of about 1.
    assert!((number(&report["log_evidence"]) - after).abs() < 3e-5);
    assert!(after > before + 1.0, "{before} {after}");

    let mut expected = text;
    let rows = report["parameters"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    let own =
        ["kernel[0].weight", "kernel[0].rho", "kernel[1].weight", "kernel[1].iota", "kernel[2].weight", "tie_width"];
    assert_eq!(names, own);
    for (row, line) in
        rows.iter().zip(["weight = 1.0", "rho = 0.5", "weight = 0.5", "iota = 1.0", "weight = 0.5", "tie_width = 0.1"])
    {
        let (low, value, high) = (number(&row["low"]), number(&row["value"]), number(&row["high"]));
        assert!(0.0 < low && low < value && value < high);
        let key = line.split(" = ").next().unwrap();
        expected = expected.replacen(line, &format!("{key} = {value:?}"), 1);
    }
    assert_eq!(folder.read("ordain.toml"), expected, "comments, order and all else stay");

    // From there, there is nowhere to climb.
    let again = folder.json(["tune", "--restarts", "0"]);
    assert!((number(&again["log_evidence"]) - after).abs() < 1e-3);
}

#[test]
fn a_dry_run_changes_nothing() {
    let folder = Folder::example("countries");
    let before = folder.files();
    let report = folder.json(["tune", "--dry-run", "--seed", "5"]);
    assert_eq!(report["written"], false);
    assert!(folder.files() == before);
    let run = folder.run(["tune", "--dry-run"]);
    assert!(run.fine().contains("regularized-laplacian over borders.csv  weight"));
    assert!(
        run.stderr.contains("log evidence of 60 answers: -32.7") && !run.stderr.contains("written"),
        "{}",
        run.stderr
    );
}

#[test]
fn both_methods_agree() {
    let folder = Folder::example("countries");
    let one = folder.json(["tune", "--dry-run", "--restarts", "0"]);
    let other = folder.json(["tune", "--dry-run", "--restarts", "0", "--method", "em-ep"]);
    // Slopes below 0.01 nats an e-fold leave logarithms with standard deviations of about 1 within some 0.02 of the
    // optimum, and where the prior balances it the evidence itself changes by at most a nat or so an e-fold.
    assert!((number(&one["log_evidence"]) - number(&other["log_evidence"])).abs() < 0.05);
}

/// A length for every attribute, by a list in the file.
#[test]
fn separate_lengths() {
    let folder = Folder::example("countries");
    folder.replace("ordain.toml", "rho = 0.5 ", "rho = [0.5, 0.5, 0.5, 0.5, 0.5] ");
    let report = folder.json(["tune"]);
    // Three weights, five lengths, iota and the width of ties.
    assert_eq!(report["parameters"].as_array().unwrap().len(), 10);
    let evidence = number(&folder.json(["rank"])["log_evidence"]);
    // Ten values are written to six digits, where the prior balances slopes of about a nat an e-fold.
    assert!((number(&report["log_evidence"]) - evidence).abs() < 1e-5);
}

#[test]
fn nothing_to_learn_from() {
    let folder = Folder::project();
    folder.write("answers.csv", "first,second,outcome,judge,time\n");
    folder.refuses(["tune"], &["answers.csv", "expected answers to learn from", "ordain answer"]);
    folder.run(["tune", "--method", "luck"]).code.filter(|&code| code == 2).unwrap();
}

/// The width of ties is tuned, shown, and written.
#[test]
fn ties_have_a_width() {
    let folder = Folder::empty();
    folder.write("items.csv", "id\na\nb\nc\nd\n");
    let rows: String = ["a,b,tie", "a,c,first", "b,c,tie", "b,d,first", "c,d,first", "a,d,first"].join("\n");
    folder.write("answers.csv", format!("first,second,outcome\n{}\n", [rows.as_str(); 5].join("\n")));
    folder.run(["init", "items.csv", "--answers", "answers.csv"]).fine();
    let tuned = folder.json(["tune"]);
    let width = tuned["parameters"].as_array().unwrap().iter().find(|row| row["name"] == "tie_width").unwrap();
    let value = width["value"].as_f64().unwrap();
    assert!(value > 0.0 && tuned["log_posterior"].as_f64() > tuned["log_posterior_before"].as_f64(), "{tuned}");
    assert!(folder.read("ordain.toml").contains(&format!("tie_width = {value:?}")), "{}", folder.read("ordain.toml"));
    assert!(folder.run(["tune", "--dry-run"]).fine().contains("tie_width"));
}
