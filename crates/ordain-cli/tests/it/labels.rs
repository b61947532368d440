//! Rankings of labels from a table to measures.

use crate::util::Folder;

/// Examples whose labels follow two attributes: sets, orders or classes.
fn table(kind: &str, from: usize, count: usize) -> String {
    let mut out = match kind {
        "class" => "x,y,kind\n".to_owned(),
        _ => "x,y,left,right,\"up, high\"\n".into(),
    };
    for at in from..from + count {
        let (x, y) = ((at * 37 % 101) as f64 / 50.0 - 1.0, (at * 59 % 103) as f64 / 51.0 - 1.0);
        let utilities = [-x, x, y + 0.1];
        let place = |label: usize| 1 + utilities.iter().filter(|other| **other > utilities[label]).count();
        let marks: Vec<String> = match kind {
            "set" => utilities.iter().map(|utility| u8::from(*utility > 0.0).to_string()).collect(),
            "order" => (0..3).map(|label| place(label).to_string()).collect(),
            _ => vec![["left", "right", "up"][(0..3).find(|label| place(*label) == 1).unwrap()].to_owned()],
        };
        out.push_str(&format!("{x},{y},{}\n", marks.join(",")));
    }
    out
}

fn folder(kind: &str) -> Folder {
    let folder = Folder::empty();
    folder.write("train.csv", table(kind, 0, 200));
    folder.write("test.csv", table(kind, 200, 60));
    folder
}

const METHODS: [&str; 7] = ["forest", "kernel", "online", "fourier", "logistic", "pairwise", "neighbours"];

/// Every method from a table of sets to measures; what `train` measures on a file is what `eval` measures.
#[test]
fn from_a_table_to_measures() {
    let folder = folder("set");
    for method in METHODS {
        let train =
            ["train", "labels", "--train", "train.csv", "--validate", "test.csv", "--labels", "3", "-o", "m.json"];
        let said = folder.json(train.iter().chain(&["--method", method]));
        assert_eq!((&said["examples"], &said["features"], &said["calibrated"]), (&200.into(), &2.into(), &true.into()));
        assert_eq!(said["labels"], serde_json::json!(["left", "right", "up, high"]));
        assert_eq!(said["method"], method);
        folder.run(["score", "m.json", "test.csv", "--format", "csv", "-o", "found.csv"]).fine();
        let measured = folder.json(["eval", "--truth", "test.csv", "--labels", "3", "found.csv"]);
        let measures = &measured["runs"][0]["measures"];
        let hamming = measures["hamming"].as_f64().unwrap();
        assert!(hamming < 0.1, "{method}: {hamming}");
        assert!((hamming - said["validate"]["hamming"].as_f64().unwrap()).abs() < 1e-12, "{method}");
        assert!(measures.get("tau").is_none(), "{method}: sets have no order");
    }
}

#[test]
fn orders_and_classes() {
    let folder = folder("order");
    folder.run(["train", "labels", "--train", "train.csv", "--labels", "3", "-o", "m.json"]).fine();
    folder.run(["score", "m.json", "test.csv", "--format", "csv", "-o", "found.csv"]).fine();
    let measured = folder.json(["eval", "--truth", "test.csv", "--labels", "left,right,\"up, high\"", "found.csv"]);
    assert!(measured["runs"][0]["measures"]["tau"].as_f64().unwrap() > 0.8, "{measured}");
    let lines = folder.run(["score", "m.json", "test.csv"]).fine().to_owned();
    assert!(lines.starts_with("1: ") && !lines.contains('|'), "no zero point is known: {lines}");

    let folder = self::folder("class");
    folder
        .run(["train", "labels", "--train", "train.csv", "--labels", "kind", "-o", "m.json", "--method", "online"])
        .fine();
    folder.run(["score", "m.json", "test.csv", "--format", "csv", "-o", "found.csv"]).fine();
    let measured = folder.json(["eval", "--truth", "test.csv", "--labels", "kind", "found.csv"]);
    assert!(measured["runs"][0]["measures"]["accuracy"].as_f64().unwrap() > 0.8, "{measured}");
}

#[test]
fn what_a_person_sees() {
    let folder = folder("set");
    let said = folder.run([
        "train",
        "labels",
        "--train",
        "train.csv",
        "--validate",
        "test.csv",
        "--labels",
        "3",
        "-o",
        "m.json",
        "--method",
        "pairwise",
    ]);
    assert!(said.fine().contains("hamming"), "{}", said.stdout);
    for words in
        ["learned 3 labels and their zero point from 200 examples with 2 attributes", "penalty", "written to m.json"]
    {
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
    let lines = folder.run(["score", "m.json", "test.csv"]).fine().to_owned();
    assert_eq!(lines.lines().count(), 60);
    assert!(lines.lines().all(|line| line.contains(" | ") || line.ends_with(" |") || line.contains(": |")), "{lines}");
    assert!(lines.contains('%'), "votes beside the zero point are probabilities: {lines}");
    let json: serde_json::Value =
        serde_json::from_str(folder.run(["score", "m.json", "test.csv", "--format", "json"]).fine()).unwrap();
    assert_eq!(json["examples"][0]["order"].as_array().unwrap().len(), 3);
    let twice = |output: &str| {
        folder.run(["train", "labels", "--train", "train.csv", "--labels", "3", "-o", output]).fine();
        folder.read(output)
    };
    assert_eq!(twice("one.json"), twice("two.json"), "same seed, same bytes");
}

/// Two files are one, in whatever order classes are met.
#[test]
fn several_files() {
    let folder = folder("class");
    folder
        .write("all.csv", format!("{}{}", table("class", 0, 200), table("class", 200, 60).split_once('\n').unwrap().1));
    let train = |files: &[&str], output: &str| {
        let arguments = ["train", "labels", "--labels", "kind", "--method", "online", "-o", output, "--train"];
        folder.run(arguments.iter().chain(files)).fine();
        folder.read(output)
    };
    assert_eq!(train(&["train.csv", "test.csv"], "parts.json"), train(&["all.csv"], "all.json"));
}

#[test]
fn refusals() {
    let folder = folder("set");
    let refused = |arguments: &[&str]| {
        let said = folder.run(arguments);
        assert!(said.code != Some(0), "{arguments:?}");
        said.stderr
    };
    let train =
        |more: &[&str]| refused(&[&["train", "labels", "--train", "train.csv", "-o", "m.json"][..], more].concat());
    assert!(train(&[]).contains("which columns are labels"));
    assert!(train(&["--labels", "lift,right"]).contains("left"));
    assert!(train(&["--labels", "5"]).contains("attributes must be left"));
    assert!(train(&["--labels", "3", "--hidden", "3"]).contains("labels has no --hidden"));
    assert!(train(&["--labels", "3", "--epochs", "3"]).contains("--method forest has no --epochs"));
    assert!(
        train(&["--labels", "3", "--method", "online", "--penalties", "1"])
            .contains("--method online has no --penalties")
    );
    assert!(
        refused(&["train", "ranknet", "--train", "a.txt", "--labels", "3", "-o", "m.json"])
            .contains("ranknet has no --labels")
    );
    folder.write("never.csv", "x,a,b\n1,1,0\n2,1,0\n");
    let never = refused(&["train", "labels", "--train", "never.csv", "--labels", "2", "-o", "m.json"]);
    assert!(
        never.contains("never.csv, column b: found \"none\", expected every label in at least one example"),
        "{never}"
    );
    folder.write("text.csv", "x,a,b\nred,1,0\n2,0,1\n");
    let text = refused(&["train", "labels", "--train", "text.csv", "--labels", "2", "-o", "m.json"]);
    assert!(text.contains("text.csv, line 2, column x: found \"red\", expected a finite number"), "{text}");
    folder.write("other.csv", "z,left,right,\"up, high\"\n1,1,0,1\n");
    let other = refused(&["train", "labels", "--train", "train.csv", "other.csv", "--labels", "3", "-o", "m.json"]);
    assert!(other.contains("other.csv"), "{other}");
    assert!(!folder.path("m.json").exists());

    folder.run(["train", "labels", "--train", "train.csv", "--labels", "3", "-o", "m.json"]).fine();
    assert!(refused(&["score", "m.json", "other.csv"]).contains("a column \"x\""));
    assert!(refused(&["score", "m.json", "test.csv", "--format", "trec"]).contains("ranks labels"));
    assert!(refused(&["score", "m.json", "test.csv", "--tag", "t"]).contains("--tag"));
    folder.run(["score", "m.json", "test.csv", "--format", "csv", "-o", "found.csv"]).fine();
    let eval = |text: &str| {
        folder.write("found.csv", text);
        refused(&["eval", "--truth", "test.csv", "--labels", "3", "found.csv"])
    };
    let found = folder.read("found.csv");
    let cut: String = found.lines().take(10).map(|line| format!("{line}\n")).collect();
    assert!(eval(&cut).contains("expected 3 labels of example 4"), "{}", eval(&cut));
    assert!(eval(&found.replacen("60,", "61,", 1)).contains("the number of an example, from 1 to 60"));
    assert!(eval(&found.replace("left", "lift")).contains("found.csv"));
    assert!(refused(&["eval", "--labels", "3", "found.csv"]).contains("--truth"));
    assert!(refused(&["eval", "--truth", "test.csv", "--qrels", "q", "found.csv"]).contains("cannot be used with"));
}
