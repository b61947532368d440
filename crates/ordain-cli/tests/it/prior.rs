//! `[items] prior`: what is known before any answer, from the project file to rankings, and learned by `tune`.

use std::fmt::Write;

use serde_json::Value;

use crate::util::{Folder, Run, order};

const ITEMS: &str = "id,x,score,words\nant,1,0.2,a\nbee,2,0.9,b\ncow,4,0.5,c\ndog,3,0.1,d\n";

/// Four items with a score that nobody has answered about.
fn project(prior: &str) -> Folder {
    let folder = Folder::empty();
    folder.write("items.csv", ITEMS);
    folder.write("answers.csv", "first,second,outcome,judge,time\n");
    folder.write(
        "ordain.toml",
        format!("[items]\nfile = \"items.csv\" # the table\n{prior}\n\n[[kernel]]\nkind = \"independent\"\n"),
    );
    folder
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn zero_answers_give_the_order_of_the_score_and_answers_correct_it() {
    let folder = project("prior = [\"score\"]");
    assert_eq!(order(&folder.json(["rank"])), ["bee", "cow", "ant", "dog"]);
    let turned = project("prior = [\"score\"]\nprior_weights = [-1]");
    assert_eq!(order(&turned.json(["rank"])), ["dog", "ant", "cow", "bee"]);
    // Two columns, of which the second is worth nothing.
    let two = project("prior = [\"score\", \"x\"]\nprior_weights = [1.0, 0]");
    assert_eq!(order(&two.json(["rank"])), ["bee", "cow", "ant", "dog"]);
    for _ in 0..6 {
        folder.run(["answer", "dog", "bee", "first"]).fine();
    }
    for inference in ["ep", "incremental"] {
        let ranked = folder.json(["rank", "--inference", inference]);
        let place = |id: &str| order(&ranked).iter().position(|own| *own == id).unwrap();
        assert!(place("dog") < place("bee"), "{ranked}");
    }
    let predicted = folder.json(["predict", "cow", "ant"]);
    assert!(number(&predicted["probability"]) > 0.5, "{predicted}");
}

/// A column of the prior is no attribute unless it is listed as one.
#[test]
fn a_prior_is_no_attribute() {
    let kernel = "\n[[kernel]]\nkind = \"linear\"";
    let evidence = |keys: &str| {
        let folder = project(&format!("{keys}\nprior = [\"score\"]\nprior_weights = [0]\n{kernel}"));
        folder.run(["answer", "bee", "dog", "first"]).fine();
        number(&folder.json(["rank"])["log_evidence"])
    };
    assert_eq!(evidence(""), evidence("attributes = [\"x\"]"));
    assert_ne!(evidence(""), evidence("attributes = [\"x\", \"score\"]"));
}

#[test]
fn wrong_priors_are_refused_where_they_stand() {
    let refused = |keys: &str, words: &[&str]| project(keys).refuses(["rank"], words);
    refused("prior = [\"scores\"]", &["items.csv", "scores", "score"]);
    refused("prior = \"score\"", &["ordain.toml", "line 3", "prior", "an array of texts"]);
    refused("prior = [\"score\", \"score\"]", &["items.csv", "score", "each column once in prior"]);
    refused("prior = [\"words\"]", &["items.csv", "line 2", "words", "a finite number", "\"a\""]);
    let weights = |weights: &str| format!("prior = [\"score\"]\nprior_weights = {weights}");
    refused(&weights("[1, 2]"), &["ordain.toml", "line 4", "prior_weights", "1 numbers, one per column", "[1, 2]"]);
    refused(&weights("[]"), &["ordain.toml", "line 4", "one per column of prior"]);
    refused(&weights("[nan]"), &["ordain.toml", "line 4", "a finite number", "nan"]);
    refused(&weights("[\"1\"]"), &["ordain.toml", "line 4", "a finite number"]);
    refused(&weights("1"), &["ordain.toml", "line 4", "an array of finite numbers"]);
    refused("prior_weights = [1]", &["ordain.toml", "line 3", "a key prior beside it"]);

    let folder = project("prior = [\"score\"]");
    folder.write("items.csv", "id,score\nant,5\nbee,5\n");
    folder.refuses(["rank"], &["items.csv", "score", "differs between items", "delete the column from prior"]);
    folder.write("items.csv", "id,score\nant,5\nbee,\n");
    folder.refuses(["rank"], &["items.csv", "line 3", "score", "missing = \"mean\""]);
    folder.replace("ordain.toml", "prior =", "missing = \"mean\"\nprior =");
    folder.write("items.csv", "id,score\nant,5\nbee,\ncow,7\n");
    assert_eq!(order(&folder.json(["rank"])), ["cow", "bee", "ant"]);
    folder.write("items.csv", "id,score\nant,1e308\nbee,-1e308\n");
    folder.replace("ordain.toml", "prior =", "standardize = false\nprior_weights = [10]\nprior =");
    folder.refuses(["rank"], &["items.csv", "score", "a finite number", "smaller weights"]);
}

/// The truth may not be what the prior knows.
#[test]
fn a_truth_is_no_prior() {
    let folder = project("prior = [\"score\"]");
    folder.refuses(["simulate", "--truth", "score"], &["items.csv", "score", "not one of the prior"]);
    let curve = project("attributes = []\nprior = [\"score\"]").json(["simulate", "--truth", "x", "--answers", "10"]);
    assert_eq!(curve["runs"][0]["curve"][0]["answers"], 0);
}

#[test]
fn newcomers_have_their_score_too() {
    let folder = project("prior = [\"score\"]");
    folder.write("new.csv", "id,x,score\nelk,1,0.95\nfox,1,0.0\n");
    let ranked = folder.json(["rank", "--with", "new.csv"]);
    assert_eq!(order(&ranked), ["elk", "bee", "cow", "ant", "dog", "fox"]);
    folder.write("new.csv", "id,x\nelk,1\n");
    folder.refuses(["rank", "--with", "new.csv"], &["new.csv", "score"]);
}

/// Twelve groups of eight items; utilities follow the first score against the second. Only the first nine groups have
/// answers.
fn grouped() -> Folder {
    let folder = Folder::empty();
    let (mut items, mut answers) = (String::from("id,query,good,bad\n"), String::from("first,second,outcome,group\n"));
    for group in 0..12 {
        let scores: Vec<(usize, usize)> =
            (0..8).map(|item| ((item * 5 + group * 3) % 11, (item * 7 + group) % 9)).collect();
        for (item, (good, bad)) in scores.iter().enumerate() {
            writeln!(items, "i{item},q{group},{good},{bad}").unwrap();
        }
        for (item, second) in (0..8).flat_map(|item| [1, 3].map(|step| (item, (item + step) % 8))) {
            let utility = |(good, bad): (usize, usize)| 2 * good as i32 - bad as i32;
            let outcome = if utility(scores[item]) > utility(scores[second]) { "first" } else { "second" };
            if group < 9 {
                writeln!(answers, "i{item},i{second},{outcome},q{group}").unwrap();
            }
        }
    }
    folder.write("items.csv", items);
    folder.write("answers.csv", answers);
    folder.write(
        "ordain.toml",
        "# A search.\n[items]\nfile = \"items.csv\"\nattributes = []\ngroup = \"query\"\n\
         prior = [\"good\", \"bad\"] # two engines\n\n[[kernel]]\nkind = \"independent\"\nweight = 1.0\n",
    );
    folder
}

/// What `tune` says is what stands in the file, comments stay, and `rank` finds the evidence that was promised. A
/// second run edits the numbers where they stand.
#[test]
fn tune_writes_the_weights() {
    let folder = grouped();
    let text = folder.read("ordain.toml");
    let report = folder.json(["tune", "--intervals"]);
    let rows = report["parameters"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["kernel[0].weight", "prior[0]", "prior[1]"]);
    let [good, bad] = [&rows[1], &rows[2]].map(|row| number(&row["value"]));
    assert!(good > 0.5 && bad < -0.2 && good > -bad, "{report}");
    assert!(number(&rows[2]["low"]) < bad && bad < number(&rows[2]["high"]), "{report}");
    let weight = number(&rows[0]["value"]);
    let expected = text
        .replace("# two engines", &format!("# two engines\nprior_weights = [{good:?}, {bad:?}]"))
        .replace("weight = 1.0\n", &format!("weight = {weight:?}\n"));
    assert_eq!(folder.read("ordain.toml"), expected);
    let after = number(&folder.json(["rank"])["log_evidence"]);
    // Where the prior balances it, the evidence has a slope of some nats, and weights are written to six digits.
    assert!((number(&report["log_evidence"]) - after).abs() < 1e-4, "{} {after}", report["log_evidence"]);
    assert!(after > number(&report["log_evidence_before"]));

    folder.replace("ordain.toml", "prior_weights = [", "prior_weights = [ # learned\n  ");
    let again = folder.run(["tune", "--restarts", "0"]);
    assert!(again.fine().contains("prior") && again.stdout.contains("good"), "{}", again.stdout);
    assert!(folder.read("ordain.toml").contains("# learned\n  "));
}

#[test]
fn groups_with_answers_teach_those_without() {
    let folder = grouped();
    let run = Run::of(&mut folder.command(["tune", "--groups", "--format", "json"]));
    let report: Value = serde_json::from_str(run.fine()).unwrap();
    assert_eq!((&report["groups"], &report["groups_without_answers"]), (&Value::from(9), &Value::from(3)));
    assert!(run.stderr.contains("learned on 9 groups with answers, each by itself; the other 3"), "{}", run.stderr);
    // Groups are independent under this kernel, so together or by themselves is the same.
    let together = grouped().json(["tune"]);
    for (one, other) in report["parameters"].as_array().unwrap().iter().zip(together["parameters"].as_array().unwrap())
    {
        assert!((number(&one["value"]) - number(&other["value"])).abs() < 0.02, "{one} {other}");
    }
    // Within a group without answers, the order is that of the learned mean: nearly that of the truth.
    let ranked = folder.json(["rank"]);
    let last = ranked["items"].as_array().unwrap().iter().filter(|item| item["group"] == "q11");
    let ids: Vec<usize> = last.map(|item| item["id"].as_str().unwrap()[1..].parse().unwrap()).collect();
    let truth = |item: usize| 2 * ((item * 5 + 33) % 11) as i32 - ((item * 7 + 11) % 9) as i32;
    let right = (0..8).flat_map(|a| (a + 1..8).map(move |b| (a, b)));
    let right = right.filter(|&(a, b)| truth(ids[a]) >= truth(ids[b])).count();
    assert!(right >= 24, "{right} of 28 pairs: {ids:?}");

    let plain = project("prior = [\"score\"]");
    plain.run(["answer", "ant", "bee", "first"]).fine();
    plain.refuses(["tune", "--groups"], &["ordain.toml", "group", "leave out --groups"]);
}

/// The prior of other queries puts the best first before any answer. Grades follow the first attribute.
#[test]
fn simulations_learn_a_prior_on_other_queries() {
    let folder = Folder::empty();
    let mut data = String::new();
    for query in 0..10 {
        for document in 0..12 {
            let (x, y) = ((document * 7 + query * 5) % 13, (document * 3 + query) % 5);
            writeln!(data, "{} qid:{query} 1:{x} 2:{y} 3:1 #docid = d{document}", x / 5).unwrap();
        }
    }
    // A query in which no attribute varies.
    data.push_str("1 qid:99 1:2 2:2 3:1 #docid = a\n0 qid:99 1:2 2:2 3:1 #docid = b\n");
    folder.write("data.txt", &data);
    let words = ["simulate", "--letor", "data.txt", "--answers", "10"];
    let first = |more: &[&str]| {
        let report = folder.json(words.iter().chain(more));
        report["runs"][0]["curve"][0].clone()
    };
    // Without a prior all items are equal at first.
    assert_eq!((first(&[])["answers"].as_u64(), number(&first(&[])["tau"])), (Some(0), 0.0));
    for more in [&["--prior"][..], &["--prior", "--tune"]] {
        let start = first(more);
        assert_eq!(start["answers"], 0);
        assert!(number(&start["tau"]) > 0.6 && number(&start["ndcg10"]) > 0.9, "{start}");
    }
    folder.write("data.txt", "1 qid:1 1:2 #docid = a\n0 qid:1 1:3 #docid = b\n");
    folder.refuses(["simulate", "--letor", "data.txt", "--prior"], &["data.txt", "at least two queries", "--prior"]);
    // No attribute varies anywhere, so there is nothing to learn a prior from.
    folder.write(
        "data.txt",
        "1 qid:1 1:2 #docid = a\n0 qid:1 1:2 #docid = b\n2 qid:2 1:2 #docid = a\n0 qid:2 1:2 #docid = c\n",
    );
    assert_eq!(number(&first(&["--prior"])["tau"]), 0.0);
}
