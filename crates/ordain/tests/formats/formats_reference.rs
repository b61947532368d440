//! `docs/project-file.md` against the parser: both know the same sections, keys, kinds and words, and the same defaults.

use std::collections::BTreeSet;

use ordain::Result;
use ordain::active::Strategy;
use ordain::formats::{ProjectData, read_project};

use crate::formats_text::word_weights;
use crate::{Folder, input};

const REFERENCE: &str = include_str!("../../../../docs/project-file.md");

/// A word like no other, so that the parser's hint lists the known words without a guess.
const UNKNOWN: &str = "qqqqqqqqqqqqqqqq";

/// Values for the keys whose default is not a literal.
const EXAMPLES: [(&str, &str); 17] = [
    ("file", "\"items.csv\""),
    ("name", "\"x1\""),
    ("attributes", "[\"x1\"]"),
    ("prior_weights", "[-0.5]"),
    ("group", "\"query\""),
    ("rho", "0.5"),
    ("relation", "\"links.csv\""),
    ("k", "3"),
    ("strategy", "\"expected-loss\""),
    ("focus", "0.5"),
    ("columns", "[\"query\"]"),
    ("model", "\"words.json\""),
    ("stem", "\"english\""),
    ("semi_supervised", "{ neighbours = 3, strength = 1.0 }"),
    ("lowest", "1"),
    ("highest", "5"),
    ("gold", "\"gold.csv\""),
];

/// The keys that need another key beside them.
const COMPANIONS: [(&str, &str, &str); 4] = [
    ("k", "goal", "\"top\""),
    ("as", "relation", "\"links.csv\""),
    ("prior_weights", "prior", "[\"x2\"]"),
    ("gold_rate", "gold", "\"gold.csv\""),
];

/// The kinds of kernel that must have a relation.
const OVER_LINKS: [&str; 4] = ["regularized-laplacian", "common-cause", "diffusion", "directed-laplacian"];

/// A row of the reference that explains a key.
struct Key {
    name: String,
    /// The default as TOML, if it is a literal.
    default: Option<String>,
    /// The words that the key takes, if it takes words.
    words: BTreeSet<String>,
    /// The kinds of kernel that take the key, where the table says so.
    kinds: BTreeSet<String>,
}

/// The rows of the table with these columns at its left, in the section under a heading.
fn rows(heading: &str, columns: &str) -> Vec<Vec<String>> {
    let section = REFERENCE.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let table = section.split_once(&format!("\n| {columns}")).unwrap().1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    // No cell that is looked at here has a bar of its own.
    rows.map(|row| row.split('|').skip(1).map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The texts between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn first_column(heading: &str, columns: &str) -> BTreeSet<String> {
    rows(heading, columns).iter().map(|row| row[0].trim_matches('`').to_owned()).collect()
}

fn keys(heading: &str, columns: &str) -> Vec<Key> {
    let word = |text: &str| text.strip_prefix('"')?.strip_suffix('"').map(str::to_owned);
    let key = |row: Vec<String>| Key {
        name: row[0].trim_matches('`').to_owned(),
        default: row[1].strip_prefix('`').and_then(|cell| cell.strip_suffix('`')).map(str::to_owned),
        words: quoted(&row[2]).filter_map(word).collect(),
        kinds: quoted(&row[3]).map(str::to_owned).collect(),
    };
    rows(heading, columns).into_iter().map(key).collect()
}

/// The keys of a section other than the kernels'.
fn keys_of(section: &str) -> Vec<Key> {
    keys(&format!("`[{section}]`"), "key | default | values | meaning")
}

/// The keys of every kind of kernel, then those of some kinds.
fn kernel_keys() -> (Vec<Key>, Vec<Key>) {
    let heading = "`[[kernel]]`";
    (keys(heading, "key | default | values | meaning"), keys(heading, "key | default | values | kinds"))
}

fn kinds() -> BTreeSet<String> {
    first_column("`[[kernel]]`", "kind |")
}

/// A project over four items, with these keys in one of its sections.
fn open(section: &str, settings: &[(&str, &str)]) -> Result<ProjectData> {
    let folder = Folder::new();
    // The table of items is one of grades too.
    folder.write("items.csv", "id,x1,x2,query,item,grade\na,1,5,q,a,1\nb,2,4,q,b,4\nc,3,1,r,c,3\nd,4,2,r,d,5\n");
    folder.write("links.csv", "source,target\na,b\nc,d\n");
    folder.write("gold.csv", "first,second,outcome\na,b,first\n");
    word_weights().save(folder.path("words.json")).unwrap();
    let mut text = String::new();
    for (name, header, own) in [
        ("items", "[items]", Some(("file", "\"items.csv\""))),
        ("kernel", "[[kernel]]", Some(("kind", "\"independent\""))),
        ("answers", "[answers]", None),
        ("grades", "[grades]", None),
        ("ask", "[ask]", None),
        ("", "", None),
    ] {
        let given = if name == section { settings } else { &[] };
        let own = own.filter(|(key, _)| given.iter().all(|(other, _)| other != key));
        let lines = own.iter().chain(given).map(|(key, value)| format!("{key} = {value}\n"));
        let lines: String = lines.collect();
        // Keys of no section must come first.
        text = if name.is_empty() { lines + &text } else { format!("{text}{header}\n{lines}") };
    }
    folder.write("ordain.toml", text);
    read_project(folder.path(""))
}

/// The words that the parser lists in the hint of its error.
#[track_caller]
fn known<T>(result: Result<T>) -> BTreeSet<String> {
    let error = input(result, "ordain.toml");
    let hint = error.hint.as_deref().unwrap();
    hint.strip_prefix("there are: ").unwrap().split(", ").map(str::to_owned).collect()
}

/// All that a project file decides.
fn decided(project: &ProjectData) -> String {
    let file = project.file.answers.strip_prefix(&project.file.folder).unwrap();
    let ProjectData { items, relations, kernels, noise, tie_width, sides, gold, grades, ask, .. } = project;
    let (ids, groups, attributes, prior) = (items.ids(), items.groups(), items.attributes(), items.prior());
    format!(
        "{ids:?} {groups:?} {attributes:?} {prior:?} {relations:?} {kernels:?} {file:?} {noise:?} {tie_width:?} {sides:?} {gold:?} {grades:?} {ask:?}"
    )
}

/// A kind that must have a relation, with one.
fn of_kind(kind: &str) -> Vec<(&'static str, String)> {
    let mut out = vec![("kind", format!("\"{kind}\""))];
    if OVER_LINKS.contains(&kind) {
        out.push(("relation", "\"links.csv\"".into()));
    }
    out
}

/// Opens a project with a key set, and checks that a literal default is the default, and that the words are all words.
#[track_caller]
fn check(section: &str, key: &Key, others: &[(&str, &str)]) {
    let mut others: Vec<(&str, &str)> = others.iter().filter(|(name, _)| *name != key.name).copied().collect();
    if let Some(&(_, name, value)) = COMPANIONS.iter().find(|(name, ..)| *name == key.name) {
        others.retain(|(other, _)| *other != name);
        others.push((name, value));
    }
    let with = |value: &str| {
        let settings: Vec<(&str, &str)> = others.iter().copied().chain([(key.name.as_str(), value)]).collect();
        open(section, &settings)
    };
    match &key.default {
        Some(default) => {
            let (given, absent) = (with(default).unwrap(), open(section, &others).unwrap());
            assert_eq!(decided(&given), decided(&absent), "[{section}] {} = {default}", key.name);
        }
        None => {
            let (_, example) = EXAMPLES.iter().find(|(name, _)| *name == key.name).unwrap();
            with(example).unwrap();
        }
    }
    if !key.words.is_empty() {
        assert_eq!(known(with(&format!("\"{UNKNOWN}\""))), key.words, "[{section}] {}", key.name);
    }
}

#[test]
fn the_reference_has_the_sections_of_the_parser() {
    let headings = REFERENCE.lines().filter_map(|line| line.strip_prefix("## "));
    let sections: BTreeSet<String> = headings.map(|name| name.trim_matches(['`', '[', ']']).to_owned()).collect();
    assert_eq!(known(open("", &[(UNKNOWN, "1")])), sections);
}

#[test]
fn the_reference_has_the_keys_defaults_and_words_of_the_parser() {
    for section in ["items", "answers", "grades", "ask"] {
        let keys = keys_of(section);
        let names: BTreeSet<String> = keys.iter().map(|key| key.name.clone()).collect();
        assert_eq!(known(open(section, &[(UNKNOWN, "1")])), names, "[{section}]");
        keys.iter().for_each(|key| check(section, key, &[]));
    }
}

#[test]
fn the_reference_has_the_kinds_of_the_parser_each_with_its_keys() {
    let kinds = kinds();
    assert_eq!(known(open("kernel", &[("kind", &format!("\"{UNKNOWN}\""))])), kinds);
    let (common, own) = kernel_keys();
    for key in &own {
        assert!(!key.kinds.is_empty() && key.kinds.is_subset(&kinds), "{}", key.name);
    }
    for kind in &kinds {
        let keys: Vec<&Key> = common.iter().chain(own.iter().filter(|key| key.kinds.contains(kind))).collect();
        let names: BTreeSet<String> = keys.iter().map(|key| key.name.clone()).collect();
        let settings = of_kind(kind);
        let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let unknown: Vec<(&str, &str)> = settings.iter().copied().chain([(UNKNOWN, "1")]).collect();
        assert_eq!(known(open("kernel", &unknown)), names, "{kind}");
        // All of these projects have the key kind.
        keys.iter().filter(|key| key.name != "kind").for_each(|key| check("kernel", key, &settings));
    }
    let roles = keys("`[[kernel]]`", "key | default | values | kinds").into_iter().find(|key| key.name == "as");
    assert_eq!(first_column("`[[kernel]]`", "`as` | items"), roles.unwrap().words);
}

/// The keys of the table within a kernel, and their defaults.
#[test]
fn the_reference_has_the_keys_of_neighbours() {
    let with = |value: &str| open("kernel", &[("kind", "\"linear\""), ("semi_supervised", value)]);
    let keys = keys("`[[kernel]]`", "key within the table | default");
    let names: BTreeSet<String> = keys.iter().map(|key| key.name.clone()).collect();
    assert_eq!(known(with(&format!("{{ {UNKNOWN} = 1 }}"))), names);
    for key in keys {
        let given = with(&format!("{{ {} = {} }}", key.name, key.default.unwrap())).unwrap();
        assert_eq!(decided(&given), decided(&with("{}").unwrap()), "{}", key.name);
    }
}

#[test]
fn the_reference_has_every_strategy() {
    let names: BTreeSet<String> = Strategy::names().iter().map(|&name| name.to_owned()).collect();
    assert_eq!(first_column("`[ask]`", "strategy |"), names);
}
