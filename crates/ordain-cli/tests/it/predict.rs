//! `ordain predict`.

use crate::util::Folder;

fn probabilities(folder: &Folder, first: &str, second: &str, inference: &str) -> (f64, f64) {
    let said = folder.json(["predict", first, second, "--inference", inference]);
    assert_eq!((said["first"].as_str(), said["second"].as_str()), (Some(first), Some(second)));
    (said["probability"].as_f64().unwrap(), said["tie"].as_f64().unwrap())
}

/// Either the first is preferred, or the second, or it is a tie.
#[test]
fn the_outcomes_add_up() {
    // Countries have a tie width, papers have none.
    for (folder, [first, second]) in
        [(Folder::example("countries"), ["Malta", "France"]), (Folder::example("six-papers"), ["b", "e"])]
    {
        for inference in ["ep", "incremental"] {
            let (one, tie) = probabilities(&folder, first, second, inference);
            let (other, same_tie) = probabilities(&folder, second, first, inference);
            // Rounding only: three values of the normal law.
            assert!((one + other + tie - 1.0).abs() < 1e-12, "{one} + {other} + {tie}");
            assert!((tie - same_tie).abs() < 1e-12);
            assert!(one > 0.0 && other > 0.0 && tie >= 0.0);
        }
    }
}

#[test]
fn what_was_answered_is_expected_again() {
    let (probability, tie) = probabilities(&Folder::example("six-papers"), "b", "e", "ep");
    assert!(probability > 0.5);
    assert_eq!(tie, 0.0);
}

#[test]
fn people_see_percentages() {
    let folder = Folder::project();
    let run = folder.run(["predict", "ant", "bee"]);
    let lines: Vec<&str> = run.fine().lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].ends_with(" %  ant") && lines[1].ends_with(" %  bee"), "{lines:?}");
    let run = folder.run(["predict", "ant", "bee", "--format", "csv"]);
    assert!(run.fine().starts_with("first,second,probability,tie\nant,bee,0."));
}

#[test]
fn items_that_cannot_be_compared() {
    let folder = Folder::example("countries");
    folder.refuses(["predict", "France", "Spian"], &["\"Spian\"", "did you mean \"Spain\"?"]);
    folder.refuses(["predict", "France", "France"], &["\"France\"", "an item cannot be compared with itself"]);

    let groups = Folder::empty();
    groups.write("items.csv", "id,group,x\nant,zoo,1\nbee,zoo,2\nant,farm,1\ncow,farm,3\n");
    groups.run(["init", "items.csv"]).fine();
    groups.refuses(["predict", "bee", "cow"], &["only items of one group are compared"]);
    groups.refuses(["predict", "ant", "bee"], &["\"ant\"", "name the group too"]);
    groups.run(["predict", "ant", "bee", "--group", "zoo"]).fine();
}

/// Every grade has its probability; a project without grades says what to do.
#[test]
fn grades_of_one_item() {
    let folder = Folder::project();
    folder.refuses(["predict", "ant"], &["a project without grades", "ordain answer ant --grade 4"]);
    folder.append("ordain.toml", "\n[grades]\nfile = \"grades.csv\"\n");
    folder.write("grades.csv", "item,grade\nant,5\nbee,2\ncow,1\n");
    let said = folder.json(["predict", "ant"]);
    let share = |row: &serde_json::Value| row["probability"].as_f64().unwrap();
    let rows = said["grades"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["grade"].as_i64().unwrap()).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!((rows.iter().map(share).sum::<f64>() - 1.0).abs() < 1e-12);
    let median = |item: &str| folder.json(["predict", item])["median"].as_i64().unwrap();
    assert!(median("ant") > median("cow"));
    let run = folder.run(["predict", "ant"]);
    assert!(run.fine().lines().next().unwrap().ends_with(" %  grade 5") && run.stderr.contains("median"));
    assert!(folder.run(["predict", "ant", "--format", "csv"]).fine().starts_with("grade,probability\n1,0."));
}

/// Many pairs at once are what single predictions say, in the order of the file, in every format.
#[test]
fn many_pairs() {
    let folder = Folder::example("countries");
    let pairs = [["Malta", "France"], ["Spain", "Italy"], ["France", "Malta"], ["Malta", "France"]];
    let rows: String = pairs.iter().map(|[first, second]| format!("{first},{second},note\n")).collect();
    folder.write("pairs.csv", format!("first,second,why\n{rows}"));
    let said = folder.json(["predict", "--pairs", "pairs.csv"]);
    let said = said["pairs"].as_array().unwrap();
    assert_eq!(said.len(), pairs.len());
    for (row, [first, second]) in said.iter().zip(pairs) {
        assert_eq!((row["first"].as_str(), row["second"].as_str()), (Some(first), Some(second)));
        let alone = probabilities(&folder, first, second, "ep");
        assert_eq!((row["probability"].as_f64().unwrap(), row["tie"].as_f64().unwrap()), alone);
    }
    let csv = folder.run(["predict", "--pairs", "pairs.csv", "--format", "csv"]);
    let lines: Vec<&str> = csv.fine().lines().collect();
    assert_eq!((lines[0], lines.len()), ("first,second,probability,tie", 5));
    assert_eq!(lines[2], format!("Spain,Italy,{},{}", said[1]["probability"], said[1]["tie"]));
    let table = folder.run(["predict", "--pairs", "pairs.csv"]);
    let percent = |key: &str| format!("{:.1} %", 100.0 * said[0][key].as_f64().unwrap());
    let first = table.fine().lines().nth(1).unwrap();
    assert!(
        first.contains("Malta") && first.contains(&percent("probability")) && first.contains(&percent("tie")),
        "{first}"
    );
    assert!(table.stdout.lines().next().unwrap().contains("second wins"), "{}", table.stdout);
    // No pair is no prediction.
    folder.write("pairs.csv", "first,second\n");
    assert_eq!(
        folder.run(["predict", "--pairs", "pairs.csv", "--format", "csv"]).fine(),
        "first,second,probability,tie\n"
    );
    assert_eq!(folder.json(["predict", "--pairs", "pairs.csv"])["pairs"].as_array().unwrap().len(), 0);
}

#[test]
fn pairs_that_cannot_be_compared() {
    let folder = Folder::example("countries");
    let refuses = |text: &str, words: &[&str]| {
        folder.write("pairs.csv", text);
        folder.refuses(["predict", "--pairs", "pairs.csv"], words);
    };
    refuses("first,second\nMalta,France\nMalta,Spian\n", &["pairs.csv", "line 3", "\"Spian\"", "Spain"]);
    refuses("first,second\nMalta,Malta\n", &["pairs.csv", "line 2", "an item cannot be compared with itself"]);
    refuses("one,other\nMalta,France\n", &["pairs.csv", "first"]);
    folder.refuses(["predict", "--pairs", "no.csv"], &["no.csv"]);
    folder.run(["predict"]).fails(2, &["FIRST"]);
    folder.run(["predict", "Malta", "France", "--pairs", "pairs.csv"]).fails(2, &["--pairs"]);

    let groups = Folder::empty();
    groups.write("items.csv", "id,group,x\nant,zoo,1\nbee,zoo,2\nant,farm,1\ncow,farm,3\n");
    groups.run(["init", "items.csv"]).fine();
    groups.write("pairs.csv", "first,second,group\nant,bee,\n");
    groups.refuses(["predict", "--pairs", "pairs.csv"], &["pairs.csv", "line 2", "name the group too"]);
    groups.write("pairs.csv", "first,second,group\nant,bee,zoo\ncow,ant,farm\n");
    let csv = groups.run(["predict", "--pairs", "pairs.csv", "--format", "csv"]);
    let lines: Vec<&str> = csv.fine().lines().collect();
    assert_eq!(lines[0], "first,second,probability,tie,group");
    assert!(lines[1].ends_with(",zoo") && lines[2].ends_with(",farm"), "{lines:?}");
}
