//! The facts of `examples/world`, against what anybody knows of the world.

use std::collections::{BTreeMap, BTreeSet};

use crate::util::Folder;

/// The rows of a table by the names of its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap()
}

#[test]
fn countries() {
    let countries = rows(&Folder::example("world").read("items.csv"));
    let by_id: BTreeMap<&str, &BTreeMap<String, String>> =
        countries.iter().map(|row| (row["id"].as_str(), row)).collect();
    assert_eq!((countries.len(), by_id.len()), (141, 141));
    for row in &countries {
        for (raw, log) in [("income", "log_income"), ("population", "log_population"), ("area", "log_area")] {
            // Incomes and areas are rounded to whole numbers, of three digits at least, and logarithms to three places.
            assert!((number(row, raw).log10() - number(row, log)).abs() < 2e-3, "{row:?}");
        }
        // Both are rounded from one number.
        assert_eq!(number(row, "latitude").abs(), number(row, "from_equator"));
        assert!((0.0..=1.0).contains(&number(row, "coast")) && number(row, "from_equator") < 90.0);
        assert!((35.0..85.0).contains(&number(row, "life_expectancy")), "{row:?}");
    }

    // From memory: 6.6 billion people in 2007, most of them here; the largest countries; the longest lives.
    let people: f64 = countries.iter().map(|row| number(row, "population")).sum();
    assert!((6.0e9..6.6e9).contains(&people), "{people}");
    for (id, million_km2) in [("Australia", 7.7), ("Brazil", 8.5), ("China", 9.5), ("India", 3.2), ("France", 0.55)] {
        let area = number(by_id[id], "area") / 1e6;
        assert!((area / million_km2 - 1.0).abs() < 0.05, "{id}: {area}");
    }
    for (id, latitude) in [("Iceland", 65.0), ("Kenya", 0.5), ("New Zealand", -41.5), ("Cuba", 21.5), ("Japan", 37.5)] {
        assert!((number(by_id[id], "latitude") - latitude).abs() < 2.0, "{id}");
    }
    let longest = countries.iter().max_by(|a, b| number(a, "life_expectancy").total_cmp(&number(b, "life_expectancy")));
    assert_eq!(longest.unwrap()["id"], "Japan");
    let landlocked: Vec<&str> =
        countries.iter().filter(|row| number(row, "coast") == 0.0).map(|row| row["id"].as_str()).collect();
    let known = "Afghanistan,Austria,Bolivia,Botswana,Burkina Faso,Burundi,Central African Republic,Chad,Czechia,Eswatini,\
                 Ethiopia,Hungary,Lesotho,Malawi,Mali,Mongolia,Nepal,Niger,Paraguay,Rwanda,Serbia,Slovakia,Switzerland,\
                 Uganda,Zambia,Zimbabwe";
    assert_eq!(landlocked.join(","), known);
}

#[test]
fn neighbours() {
    let folder = Folder::example("world");
    let ids: BTreeSet<String> = rows(&folder.read("items.csv")).into_iter().map(|row| row["id"].clone()).collect();
    let links = rows(&folder.read("neighbours.csv"));
    let mut of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for link in &links {
        let (a, b) = (link["source"].as_str(), link["target"].as_str());
        assert!(a < b && ids.contains(a) && ids.contains(b), "{a}, {b}");
        assert!(of.entry(a).or_default().insert(b) && of.entry(b).or_default().insert(a), "{a}, {b} twice");
    }
    assert_eq!(of.len(), ids.len(), "every country has a neighbour");
    // From memory; by land alone, by sea alone, and by both.
    for (id, known) in [
        ("Brazil", "Argentina,Bolivia,Colombia,Paraguay,Peru,Uruguay,Venezuela"),
        ("Switzerland", "Austria,France,Germany,Italy"),
        ("Mongolia", "China"),
        ("Lesotho", "South Africa"),
        ("Madagascar", "Comoros,Mauritius"),
        ("New Zealand", "Australia"),
        ("Jamaica", "Cuba,Haiti"),
        ("Spain", "Algeria,France,Morocco,Portugal"),
        ("United Kingdom", "Belgium,France,Iceland,Ireland,Netherlands"),
    ] {
        assert_eq!(of[id].iter().copied().collect::<Vec<_>>().join(","), known, "{id}");
    }
    // The New World and the Old are far apart, and each is one piece.
    let reached = |from| {
        let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(here) = open.pop() {
            open.extend(of[here].iter().copied().filter(|&next| reached.insert(next)));
        }
        reached.len()
    };
    assert_eq!((reached("Chile"), reached("France")), (25, 116));
}
