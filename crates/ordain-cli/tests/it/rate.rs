//! `ordain rate train` and `ordain rate predict`: what users share, personal rankings and grades, and what is refused.

use serde_json::Value;

use crate::util::Folder;

/// Twelve users who like early items, each with a level, and one who likes late ones.
fn ratings() -> Folder {
    let folder = Folder::empty();
    let mut text = "user,item,grade\n".to_owned();
    for user in 0..12_i32 {
        for item in (0..8_i32).filter(|item| (user + item) % 3 != 0) {
            let grade = (5 - item / 2 + user % 3 - 1).clamp(1, 5);
            text.push_str(&format!("user{user},item{item},{grade}\n"));
        }
    }
    (0..8).for_each(|item| text.push_str(&format!("contrary,item{item},{}\n", 1 + item / 2)));
    folder.write("ratings.csv", text);
    folder
}

fn items(said: &Value, user: usize) -> Vec<(String, i64)> {
    let rows = said["users"][user]["items"].as_array().unwrap();
    rows.iter().map(|row| (row["id"].as_str().unwrap().to_owned(), row["grade"].as_i64().unwrap_or(-1))).collect()
}

#[test]
fn from_ratings_to_personal_rankings() {
    let folder = ratings();
    let learned = folder.json(["rate", "train", "ratings.csv", "-o", "taste.json"]);
    assert_eq!((&learned["users"], &learned["items"], &learned["answers"]), (&13.into(), &8.into(), &0.into()));
    assert_eq!(learned["rounds"].as_array().unwrap().len(), 11);
    assert_eq!(learned["thresholds"].as_array().unwrap().len(), 4);
    let consensus = folder.json(["rate", "predict", "taste.json"]);
    assert_eq!(consensus["users"][0]["user"], Value::Null);
    assert!(["item0", "item1"].contains(&items(&consensus, 0)[0].0.as_str()), "{consensus}");
    let people = folder.json(["rate", "predict", "taste.json", "--user", "user1", "--user", "contrary"]);
    let (first, contrary) = (items(&people, 0), items(&people, 1));
    assert!(["item0", "item1"].contains(&first[0].0.as_str()), "{people}");
    assert!(["item6", "item7"].contains(&contrary[0].0.as_str()), "{people}");
    assert!(contrary[0].1 > contrary[7].1, "grades fall with rank");
    for row in people["users"][0]["items"].as_array().unwrap() {
        let sum: f64 = row["probabilities"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9 && row["rank_low"].as_u64() <= row["rank_high"].as_u64());
    }
    let all = folder.json(["rate", "predict", "taste.json", "--all"]);
    assert_eq!(all["users"].as_array().unwrap().len(), 13);
    assert_eq!(all["users"][1], people["users"][0]);
    // A guest who likes what the contrary one likes.
    folder.write("guest.csv", "user,item,grade\nguest,item0,1\nguest,item7,5\n");
    let guest = folder.json(["rate", "predict", "taste.json", "--new", "guest.csv", "--by", "mode"]);
    let guest = items(&guest, 0);
    assert_eq!((guest[0].0.as_str(), guest[0].1), ("item7", 5));
    let shown = folder.run(["rate", "predict", "taste.json", "--user", "contrary"]);
    assert!(shown.fine().contains("What contrary likes") && shown.stdout.contains("P(5)"), "{}", shown.stdout);
    let csv = folder.run(["rate", "predict", "taste.json", "--format", "csv"]);
    assert!(csv.fine().starts_with("user,item,rank,mean,sd,rank_low,rank_high\n,item"), "{}", csv.stdout);
}

#[test]
fn other_readings_and_kernels() {
    let folder = ratings();
    let train = |more: &[&str]| folder.json(["rate", "train", "ratings.csv", "-o", "taste.json"].iter().chain(more));
    let values = train(&["--grades", "values", "--rounds", "3"]);
    assert!(values["thresholds"].is_null() && values["noise"].as_f64().unwrap() > 0.0, "{values}");
    let rounds = values["rounds"].as_array().unwrap();
    let objective = |row: &Value| row["log_evidence"].as_f64().unwrap() + row["log_prior"].as_f64().unwrap();
    assert!(rounds.windows(2).all(|pair| objective(&pair[1]) >= objective(&pair[0]) - 1e-9));
    folder.write("others.csv", "user,item,grade\nx,item0,1\nx,item1,1\nx,item2,5\ny,item0,5\ny,item1,5\ny,item2,1\n");
    train(&["--raters", "others.csv", "--alone"]);
    folder.write(
        "items.csv",
        "id,size\n".to_owned() + &(0..9).map(|item| format!("item{item},{item}\n")).collect::<String>(),
    );
    folder.run(["init", "items.csv"]).fine();
    let with_kernel = train(&["--project", ".", "--scale", "0..5"]);
    assert_eq!((&with_kernel["items"], with_kernel["thresholds"].as_array().unwrap().len()), (&9.into(), 5));
    let said = folder.json(["rate", "predict", "taste.json", "--user", "user0"]);
    assert_eq!(items(&said, 0).len(), 9, "an item that nobody rated is ranked too");
}

#[test]
fn answers_about_pairs() {
    let folder = Folder::empty();
    let mut text = "winner,loser,judge\n".to_owned();
    for judge in ["ann", "bob", "eve"] {
        text.push_str(&format!("a,b,{judge}\nb,c,{judge}\na,c,{judge}\n"));
    }
    text.push_str("c,a,dan\nc,b,dan\nb,a,dan\n");
    folder.write("answers.csv", text);
    for law in ["normal", "logistic"] {
        let learned = folder.json(["rate", "train", "answers.csv", "-o", "taste.json", "--law", law]);
        assert_eq!((&learned["users"], &learned["answers"], &learned["grades"]), (&4.into(), &12.into(), &0.into()));
        let order = |arguments: &[&str]| -> Vec<String> {
            let said = folder.json(["rate", "predict", "taste.json"].iter().chain(arguments));
            items(&said, 0).into_iter().map(|(id, _)| id).collect()
        };
        assert_eq!(order(&[]), ["a", "b", "c"]);
        assert_eq!(order(&["--user", "ann"]), ["a", "b", "c"]);
        assert_eq!(order(&["--user", "dan"]), ["c", "b", "a"]);
    }
    folder.write("ties.csv", "first,second,outcome,judge\na,b,tie,ann\nb,c,first,ann\na,c,skip,bob\n");
    folder.run(["rate", "train", "ties.csv", "-o", "ties.json"]).fine();
}

#[test]
fn what_is_refused() {
    let folder = ratings();
    let train = |file: &str, words: &[&str]| folder.refuses(["rate", "train", file, "-o", "out.json"], words);
    folder.write("half.csv", "user,item,grade\nann,a,3\nann,b,2.5\n");
    train("half.csv", &["half.csv, line 3, column grade", "\"2.5\"", "whole number"]);
    folder.write("nobody.csv", "user,item,grade\n,a,3\n");
    train("nobody.csv", &["line 2, column user", "the name of a user"]);
    folder.write("none.csv", "user,item,grade\n");
    train("none.csv", &["none.csv", "user,item,grade"]);
    folder.write("wide.csv", "user,item,grade\nann,a,1\nann,b,1000000\n");
    train("wide.csv", &["from 2 to 100 grades"]);
    folder.write("other.csv", "a,b\n1,2\n");
    train("other.csv", &["a,b", "user, item and grade"]);
    folder.write("nojudge.csv", "winner,loser\na,b\n");
    train("nojudge.csv", &["a column judge"]);
    train("missing.csv", &["missing.csv"]);
    folder.run(["rate", "train", "ratings.csv", "-o", "taste.json"]).fine();
    let predict = |more: &[&str], words: &[&str]| {
        folder.refuses(["rate", "predict", "taste.json"].iter().chain(more), words);
    };
    predict(&["--user", "nobody"], &["nobody", "a user of the ratings", "--new"]);
    folder.write("strange.csv", "user,item,grade\nann,item99,3\n");
    predict(&["--new", "strange.csv"], &["strange.csv, line 2, column item", "item99"]);
    folder.write("high.csv", "user,item,grade\nann,item1,6\n");
    predict(&["--new", "high.csv"], &["high.csv, line 2, column grade", "1 to 5"]);
    let whole = folder.read("taste.json");
    for (name, text) in [
        ("cut.json", whole[..whole.len() / 2].to_owned()),
        ("empty.json", String::new()),
        ("later.json", whole.replacen("\"version\":1", "\"version\":9", 1)),
        ("kind.json", whole.replacen("ordain raters model", "ordain text model", 1)),
        ("item.json", whole.replacen("\"grades\":[[", "\"grades\":[[4000000000,0],[", 1)),
        ("scale.json", whole.replacen("\"scale\":[1,5]", "\"scale\":[1,7]", 1)),
        ("noise.json", whole.replacen("\"noise\":1.0", "\"noise\":-1.0", 1)),
        ("mean.json", whole.replacen("\"mean\":[", "\"mean\":[1.0,", 1)),
    ] {
        assert_ne!(text, whole, "{name}");
        folder.write(name, text);
        folder.refuses(["rate", "predict", name], &[name]);
    }
    // The output may not be the input.
    folder.refuses(["rate", "train", "ratings.csv", "-o", "ratings.csv"], &["ratings.csv"]);
    let usage = folder.run(["rate", "train", "ratings.csv", "-o", "x.json", "--shrinkage", "inf"]);
    usage.fails(2, &["shrinkage"]);
}
