//! `ordain rank --with`: items that the project does not have.

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::util::{Folder, Run, order};

/// The small project, and a newcomer like the bee that links to the ant.
fn project() -> Folder {
    let folder = Folder::project();
    folder.write("new.csv", "id,x\ndog,2\n");
    folder.write("new-links.csv", "source,target\ndog,ant\n");
    folder
}

fn item<'a>(ranking: &'a Value, id: &str) -> &'a Value {
    ranking["items"].as_array().unwrap().iter().find(|item| item["id"] == id).unwrap()
}

#[test]
fn newcomers_are_ranked_and_marked() {
    let folder = project();
    let before = folder.files();
    let alone = folder.json(["rank"]);
    for inference in ["ep", "incremental"] {
        let ranking = folder.json(["rank", "--with", "new.csv", "--inference", inference]);
        assert_eq!(ranking["items"].as_array().unwrap().len(), 4);
        assert_eq!(item(&ranking, "dog")["new"], true);
        assert_eq!(ranking["answers"], 1);
        assert_eq!(ranking["inference"], inference);
        for id in ["ant", "bee", "cow"] {
            let (here, there) = (item(&ranking, id), item(&alone, id));
            assert_eq!(here.get("new"), None, "only newcomers have the key");
            for key in ["mean", "sd"] {
                // One answer, for which both ways to learn are exact; rounding only.
                assert!((here[key].as_f64().unwrap() - there[key].as_f64().unwrap()).abs() < 1e-9, "{id} {key}");
            }
        }
    }
    assert!(folder.files() == before);
}

#[test]
fn links_matter() {
    let folder = project();
    let mean = |arguments: &[&str]| item(&folder.json(arguments), "dog")["mean"].as_f64().unwrap();
    let without = mean(&["rank", "--with", "new.csv"]);
    let with = mean(&["rank", "--with", "new.csv", "--with-links", "new-links.csv"]);
    let named = mean(&["rank", "--with", "new.csv", "--with-links", "links.csv=new-links.csv"]);
    // The ant was preferred to the bee.
    assert!(without < with, "{without} {with}");
    assert_eq!(with, named);
}

/// The whole example, and the example without some countries that come back as newcomers: attributes on the known scale
/// and links as they were. What differs are the moments of the attributes and the links' prior among the known.
#[test]
fn countries_that_come_back() {
    let folder = Folder::example("countries");
    let lost = ["Andorra", "Estonia", "Ireland"];
    let with = |text: &str| -> (String, String) {
        let (header, rows) = text.split_once('\n').unwrap();
        let lost = |row: &&str| lost.iter().any(|id| row.split(',').take(2).any(|cell| cell == *id));
        let (gone, kept): (Vec<&str>, Vec<&str>) = rows.lines().partition(lost);
        (format!("{header}\n{}\n", kept.join("\n")), format!("{header}\n{}\n", gone.join("\n")))
    };
    let (answers, _) = with(&folder.read("answers.csv"));
    folder.write("answers.csv", answers);
    let whole = folder.json(["rank"]);
    for name in ["items.csv", "borders.csv"] {
        let (kept, gone) = with(&folder.read(name));
        folder.write(name, kept);
        folder.write(&format!("new-{name}"), gone);
    }
    let back = folder.json(["rank", "--with", "new-items.csv", "--with-links", "new-borders.csv"]);
    assert_eq!(back["items"].as_array().unwrap().len(), whole["items"].as_array().unwrap().len());
    for id in lost {
        let number = |ranking: &Value, key: &str| item(ranking, id)[key].as_f64().unwrap();
        let (mean, sd) = (number(&whole, "mean"), number(&whole, "sd"));
        let (found, spread) = (number(&back, "mean"), number(&back, "sd"));
        // Not the same prior: a tenth of a standard deviation is what three of 45 countries move.
        assert!(
            (found - mean).abs() < 0.1 * sd && (spread / sd - 1.0).abs() < 0.05,
            "{id}: {found} {mean} {spread} {sd}"
        );
    }
}

#[test]
fn tables_with_newcomers() {
    let folder = project();
    let run = Run::of(folder.command(["rank", "--with", "new.csv", "--top", "2"]).env("COLUMNS", "90"));
    let marked: Vec<&str> = run.fine().lines().filter(|line| line.contains(" new ")).collect();
    assert_eq!(marked.len(), 1);
    assert!(marked[0].contains("dog"));
    assert!(run.stderr.starts_with("4 items (1 new), 1 answer, "), "{}", run.stderr);
    for columns in [60, 80, 100] {
        let run = Run::of(folder.command(["rank", "--with", "new.csv"]).env("COLUMNS", columns.to_string()));
        assert!(run.fine().lines().all(|line| line.width() <= columns));
    }
    let csv = folder.run(["rank", "--with", "new.csv", "--format", "csv"]);
    assert_eq!(csv.fine().lines().next().unwrap(), "id,rank,mean,sd,centred,centred_sd,rank_low,rank_high,new,tier");
    assert_eq!(csv.stdout.lines().filter(|line| line.contains(",true,")).count(), 1);
    // Without newcomers nothing of the kind is shown.
    assert!(!folder.run(["rank", "--format", "csv"]).fine().contains("new"));
    assert_eq!(order(&folder.json(["rank"])).len(), 3);
}

#[test]
fn threads_change_nothing() {
    let folder = project();
    let arguments = ["rank", "--with", "new.csv", "--with-links", "new-links.csv", "--format", "json"];
    let with = |threads: &str| Run::of(folder.command(arguments).env("RAYON_NUM_THREADS", threads));
    assert_eq!(with("1").fine(), with("2").fine());
}

#[test]
fn wrong_newcomers() {
    let folder = project();
    folder.write("known.csv", "id,x\ndog,1\nbee,2\n");
    folder.refuses(["rank", "--with", "known.csv"], &["known.csv, line 3, column id", "\"bee\""]);
    folder.refuses(["rank", "--with", "nowhere.csv"], &["nowhere.csv"]);
    folder.write("old-links.csv", "source,target\ndog,bee\nant,cow\n");
    let links = |file: &'static str| ["rank", "--with", "new.csv", "--with-links", file];
    folder.refuses(links("old-links.csv"), &["old-links.csv, line 3", "ant,cow", "hint"]);
    folder.refuses(links("lynx.csv=new-links.csv"), &["\"lynx.csv\"", "links.csv"]);
    assert_eq!(folder.run(links("=new-links.csv")).code, Some(2));
    assert_eq!(folder.run(["rank", "--with-links", "new-links.csv"]).code, Some(2));
}
