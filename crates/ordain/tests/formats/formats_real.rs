//! Real public data, where the folder of them is at hand: `ORDAIN_DATA`, or `shared/data` beside the workspace.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use ordain::data::Items;
use ordain::formats::{
    ItemsSpec, Missing, Sketch, Table, draft_project, read_answers, read_items, read_letor, read_letor_ranks,
    read_project, read_qrels, read_relation, read_runs,
};

use crate::Folder;

fn data(folder: &str) -> Option<PathBuf> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("ORDAIN_DATA").map_or_else(default, PathBuf::from).join(folder);
    if !path.exists() {
        eprintln!("SKIPPED: no {}; set ORDAIN_DATA to the folder of public data", path.display());
        return None;
    }
    Some(path)
}

/// Pairs, queries, features, grades 0/1/2 and distinct documents of the five parts of a LETOR set.
fn letor_counts(folder: &str) -> Option<(usize, usize, usize, [usize; 3], usize)> {
    let path = data(folder)?;
    let (mut pairs, mut queries, mut features) = (0, HashSet::new(), 0);
    let mut grades = [0; 3];
    let mut documents = HashSet::new();
    for part in 1..=5 {
        let letor = read_letor(path.join(format!("S{part}.txt.gz"))).unwrap();
        pairs += letor.items.len();
        features = letor.items.attributes().len();
        queries.extend(letor.items.groups().unwrap().names().to_vec());
        letor.grades.iter().for_each(|&grade| grades[grade as usize] += 1);
        documents.extend(letor.items.ids().to_vec());
    }
    Some((pairs, queries.len(), features, grades, documents.len()))
}

#[test]
fn letor_sets_have_their_published_counts() {
    if let Some(counts) = letor_counts("letor-ohsumed") {
        assert_eq!(counts, (16_140, 106, 25, [11_303, 2_585, 2_252], 14_430));
    }
    if let Some(counts) = letor_counts("letor-mq2008") {
        assert_eq!(counts, (15_211, 784, 46, [12_279, 2_001, 931], 14_384));
    }
}

#[test]
fn rank_aggregation_has_its_published_counts() {
    let Some(path) = data("letor-agg/mq2008-agg") else { return };
    let (mut pairs, mut queries, mut filled) = (0, 0, 0);
    for part in 1..=5 {
        let ranks = read_letor_ranks(path.join(format!("A{part}.txt.gz"))).unwrap();
        assert_eq!(ranks.rankers, 25);
        pairs += ranks.items.len();
        queries += ranks.items.groups().unwrap().len();
        filled += (0..ranks.items.len()).map(|item| ranks.ranks(item).iter().flatten().count()).sum::<usize>();
    }
    assert_eq!((pairs, queries), (15_211, 784));
    let share = filled as f64 / (pairs * 25) as f64;
    assert!((0.345..0.355).contains(&share), "{share}");
}

#[test]
fn lizards_become_a_project() {
    let Some(path) = data("pairwise/flatlizards") else { return };
    let spec = ItemsSpec { id: "lizard".into(), missing: Missing::Mean, ..ItemsSpec::default() };
    let items = read_items(path.join("lizards.csv"), &spec).unwrap().items;
    assert_eq!(items.len(), 77);
    assert_eq!(read_answers(path.join("contests.csv"), &items).unwrap().standing().len(), 100);
    let strict = ItemsSpec { missing: Missing::Error, ..spec };
    assert!(read_items(path.join("lizards.csv"), &strict).is_err());
    let folder = Folder::new();
    let sketch = Sketch {
        folder: folder.path(""),
        file: path.join("lizards.csv"),
        answers: Some(path.join("contests.csv")),
        ..Sketch::default()
    };
    let project = read_project(folder.write("ordain.toml", draft_project(&sketch).unwrap().text)).unwrap();
    // The table has a column "id" as well, but the contests name the column "lizard".
    assert_eq!(project.items.id(ordain::data::ItemId(0)), "lizard003");
    assert_eq!(project.answers.standing().len(), 100);
    assert!(!project.items.attributes().names().contains(&"id".to_string()));
}

#[test]
fn convincing_arguments_become_answers() {
    let Some(path) = data("pairwise/ukpconvarg1") else { return };
    let spec = ItemsSpec { id: "arg".into(), group: Some("topic".into()), ..ItemsSpec::default() };
    let table = read_items(path.join("arguments.tsv.gz"), &spec).unwrap();
    assert_eq!((table.items.len(), table.items.groups().unwrap().len()), (1_052, 32));
    let pairs = Table::read(path.join("pairs.tsv.gz")).unwrap();
    assert_eq!(pairs.len(), 16_927);
    let column = |name: &str| pairs.column(name).unwrap();
    let (topic, left, right, gold) = (column("topic"), column("arg1"), column("arg2"), column("gold"));
    let mut text = String::from("group,left,right,label\n");
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for row in 0..pairs.len() {
        let label = match pairs.cell(row, gold) {
            "a1" => "left",
            "a2" => "right",
            "equal" => "equal",
            _ => continue,
        };
        *counts.entry(label).or_default() += 1;
        let cells = [topic, left, right].map(|at| pairs.cell(row, at));
        text += &format!("{},{label}\n", cells.join(","));
    }
    assert_eq!((counts["left"], counts["right"], counts["equal"]), (6_398, 6_394, 3_289));
    let folder = Folder::new();
    let log = read_answers(folder.write("answers.csv", text), &table.items).unwrap();
    assert_eq!(log.standing().len(), 16_081);
}

#[test]
fn citations_and_judgements_are_read() {
    if let Some(path) = data("linked-docs/cora") {
        let spec = ItemsSpec { id: "node".into(), attributes: Some(vec![]), ..ItemsSpec::default() };
        let papers = read_items(path.join("nodes.tsv.gz"), &spec).unwrap();
        assert_eq!(papers.items.len(), 2_708);
        assert_eq!(papers.other.get("class").unwrap().iter().collect::<HashSet<_>>().len(), 7);
        assert_eq!(read_relation(path.join("edges.tsv.gz"), &papers.items, false).unwrap().links().len(), 5_429);
    }
    if let Some(path) = data("wiki-schools") {
        let items = Items::from_ids((0..4_655).map(|article| article.to_string())).unwrap();
        assert_eq!(read_relation(path.join("links.tsv.gz"), &items, false).unwrap().links().len(), 121_363);
    }
    if let Some(path) = data("ohsumed-runs") {
        let qrels = read_qrels(path.join("qrels.tsv.gz")).unwrap();
        assert_eq!(qrels.queries.iter().map(|(_, grades)| grades.len()).sum::<usize>(), 3_205);
        let runs = read_runs(path.join("runs.tsv.gz")).unwrap();
        assert_eq!(runs.len(), 9);
        let rows = runs.iter().flat_map(|run| &run.queries).map(|(_, rows)| rows.len()).sum::<usize>();
        assert_eq!(rows, 25_430);
    }
    if let Some(path) = data("classic-ir/cranfield") {
        let qrels = read_qrels(path.join("qrels.tsv.gz")).unwrap();
        assert_eq!(qrels.queries.iter().map(|(_, grades)| grades.len()).sum::<usize>(), 1_837);
    }
}
