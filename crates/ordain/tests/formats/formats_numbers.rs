//! Numbers as people write them, semicolons, and tables without a header.

use ordain::data::{Entry, ItemId, Items, Outcome};
use ordain::formats::{
    AnswerWriter, ItemsSpec, Known, Missing, Sketch, Table, draft_project, read_answers, read_items, read_project,
    read_relation,
};
use proptest::prelude::*;

use crate::{Folder, check, input};

/// A number in thousandths, written with this mark of decimals and perhaps with marks between thousands.
fn written(thousandths: i64, mark: char, grouped: bool) -> String {
    let (whole, rest) = (thousandths.abs() / 1000, thousandths.abs() % 1000);
    let digits = whole.to_string();
    let mut text = if thousandths < 0 { String::from("-") } else { String::new() };
    for (at, digit) in digits.chars().enumerate() {
        if grouped && at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(if mark == '.' { ',' } else { '.' });
        }
        text.push(digit);
    }
    // Two decimals show the mark; three would not.
    if rest > 0 { text + &format!("{mark}{:02}", rest / 10) } else { text }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The same numbers in every way of writing them, in tables and in weights of links.
    #[test]
    fn numbers_come_back(
        mut values in prop::collection::vec(-5_000_000i64..5_000_000, 2..12),
        comma in any::<bool>(), grouped in any::<bool>(), sign in 0usize..4, separator in 0usize..3,
    ) {
        // Thousandths with two decimals, the first of which shows the mark.
        values.iter_mut().for_each(|value| *value = *value / 10 * 10);
        values[0] = 1_250;
        let mark = if comma { ',' } else { '.' };
        let separator = [",", ";", "\t"][separator];
        let cell = |value: &i64| {
            let number = written(*value, mark, grouped);
            let cell = [format!("{number} %"), format!("€{number}"), format!("{number} $"), number][sign].clone();
            if separator == "," { format!("\"{cell}\"") } else { cell }
        };
        let mut text = format!("id{separator}x\n");
        values.iter().enumerate().for_each(|(row, value)| text += &format!("i{row}{separator}{}\n", cell(value)));
        let folder = Folder::new();
        let items = read_items(folder.write("items.csv", text), &ItemsSpec::default()).unwrap().items;
        for (row, value) in values.iter().enumerate() {
            // Exact: the parser of the standard library reads the same digits.
            let expected: f64 = written(*value, '.', false).parse().unwrap();
            prop_assert_eq!(items.attributes().row(row), &[expected]);
        }
        let mut text = format!("source{separator}target{separator}weight\n");
        for value in &values {
            let weight = written(value.abs(), mark, grouped);
            let weight = if separator == "," { format!("\"{weight}\"") } else { weight };
            text += &format!("i0{separator}i1{separator}{weight}\n");
        }
        let relation = read_relation(folder.write("links.csv", text), &items, false).unwrap();
        for (link, value) in relation.links().iter().zip(&values) {
            prop_assert_eq!(link.weight, written(value.abs(), '.', false).parse::<f64>().unwrap());
        }
    }
}

#[test]
fn missing_numbers_are_missing() {
    let folder = Folder::new();
    let path = folder.write("items.csv", "id,x\na,1\nb,NA\nc,n/a\nd,NaN\ne,-\nf,?\ng,\nh,null\ni,4\n");
    let mean = ItemsSpec { missing: Missing::Mean, ..ItemsSpec::default() };
    let items = read_items(&path, &mean).unwrap().items;
    let values: Vec<f64> = (0..9).map(|item| items.attributes().row(item)[0]).collect();
    assert_eq!(values, [1.0, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 4.0]);
    check(&input(read_items(&path, &ItemsSpec::default()), "items.csv"), 3, "x", "NA", "missing = \"mean\"");
    // A missing number is none of words, either.
    let path = folder.write("items.csv", "id,x\na,NA\nb,-\n");
    assert!(read_items(path, &ItemsSpec::default()).unwrap().items.attributes().is_empty());
}

#[test]
fn numbers_with_two_readings_say_where() {
    let folder = Folder::new();
    let read = |text: &str| read_items(folder.write("items.csv", text), &ItemsSpec::default());
    check(&input(read("id;x\na;7\nb;1,234\n"), "items.csv"), 3, "x", "1,234", "1234 or 1.234");
    check(&input(read("id;x\na;7,5\nb;8,5\nc;1.5\n"), "items.csv"), 4, "x", "1.5", "mend");
    check(&input(read("id,x\na,$1\nb,£2\n"), "items.csv"), 3, "x", "£2", "mend");
    check(&input(read("id,x\na,1\nb,2\nc,3 %\n"), "items.csv"), 4, "x", "3 %", "mend");
    let items = Items::from_ids(["a", "b", "c"]).unwrap();
    let links = |text: &str| read_relation(folder.write("links.csv", text), &items, false);
    let error = input(links("source;target;weight\na;b;0,5\na;c;0.5\n"), "links.csv");
    check(&error, 3, "weight", "0.5", "line 2 has \"0,5\"");
    check(&input(links("a\tb\t1,234\na\tc\t2\n"), "links.csv"), 1, "3", "1,234", "decimals or thousands");
    check(&input(links("source,target,weight\na,b,$1\n"), "links.csv"), 2, "weight", "$1", "");
    check(&input(links("source;target;weight\na;b;-0,5\n"), "links.csv"), 2, "weight", "-0,5", "delete the line");
    // One weight tells for all before it.
    let weights: Vec<f64> = links("a;b;1,234\nb;c;0,5\n").unwrap().links().iter().map(|link| link.weight).collect();
    assert_eq!(weights, [1.234, 0.5]);
}

/// What separates cells, where the first line could be read in two ways.
#[test]
fn semicolons_and_commas() {
    let folder = Folder::new();
    let read = |text: &str| Table::read(folder.write("t.csv", text));
    let columns = |text: &str| read(text).unwrap().columns().to_vec();
    assert_eq!(columns("a;b\n1;2\n"), ["a", "b"]);
    assert_eq!(columns("\"a, b\";c\n1;2\n"), ["a, b", "c"]);
    assert_eq!(columns("a;x, in m;b\n1;2,5;3\n"), ["a", "x, in m", "b"]);
    assert_eq!(columns("a,x;y,b\n1,2,3\n"), ["a", "x;y", "b"]);
    assert_eq!(columns("name,x;y\nant,1\n"), ["name", "x;y"]);
    assert_eq!(columns("5\";b\n1;2\n"), ["5\"", "b"]);
    for row in ["u;v,w", "u;1,5"] {
        let error = input(read(&format!("a;x,y\n{row}\n")), "t.csv");
        assert_eq!((error.line, error.found.as_deref()), (Some(1), Some("a;x,y")));
        assert!(error.hint.unwrap().contains("quote the cells"));
    }
    let table = read("a;b\n\"x;1\";\"say \"\"so\"\"\nthen\"\n").unwrap();
    assert_eq!((table.cell(0, 0), table.cell(0, 1)), ("x;1", "say \"so\"\nthen"));
    check(&input(read("a;b\n\"1\"x;2\n"), "t.csv"), 2, "1", "x", "twice");
    // A log with semicolons stays one.
    let items = Items::from_ids(["a;1", "b"]).unwrap();
    let log = folder.write("log.csv", "first;second;outcome;judge\nb;\"a;1\";second;ann\n");
    let answers = read_answers(&log, &items).unwrap();
    assert_eq!(answers.standing()[0].outcome, Outcome::Second);
    let entry = Entry::Answer(answers.standing()[0].clone());
    AnswerWriter::open(&log, &items).unwrap().append(&entry, &items).unwrap();
    assert!(folder.read("log.csv").ends_with("\nb;\"a;1\";second;ann\n"));
    assert_eq!(read_answers(&log, &items).unwrap().standing().len(), 2);
}

/// Links without a header, whose ids decide where the separator is in doubt.
#[test]
fn semicolons_among_bare_links() {
    let folder = Folder::new();
    let ends = |ids: &[&str], text: &str| {
        let items = Items::from_ids(ids.iter().copied()).unwrap();
        let relation = read_relation(folder.write("links", text), &items, false)?;
        Ok(relation.links().iter().map(|link| (link.source, link.target)).collect::<Vec<_>>())
    };
    assert_eq!(ends(&["a", "b"], "a;b\nb;a\n").unwrap(), [(0, 1), (1, 0)]);
    assert_eq!(ends(&["a", "b"], "a;b;0,5\n").unwrap(), [(0, 1)]);
    assert_eq!(ends(&["a;1", "b;2"], "a;1,b;2\n").unwrap(), [(0, 1)]);
    assert_eq!(ends(&["a;1", "b;2"], "a;1 b;2\n").unwrap(), [(0, 1)]);
    let error = input(ends(&["a", "b"], "0;1\n"), "links");
    assert_eq!((error.line, error.found.as_deref()), (Some(1), Some("0")));
    let error = input(ends(&["a;b", "c", "a", "b,c"], "a;b,c\n"), "links");
    assert_eq!(error.found.as_deref(), Some("a;b,c"));
    assert!(error.hint.unwrap().contains("begin the list with the line"));
}

/// Which first lines are headers: see the rule at `first_line`.
#[test]
fn first_lines() {
    let folder = Folder::new();
    let draft = |text: &str| {
        let sketch = Sketch { folder: folder.path(""), file: folder.write("t.csv", text), ..Sketch::default() };
        draft_project(&sketch)
    };
    let is_header = |text: &str| !draft(text).unwrap().text.contains("header = false");
    // A word over numbers, a word that names columns, words alone.
    for text in ["film,length\na,1\nb,2\n", "id,1\na,1\nb,2\n", ",x\n0,1\n1,2\n", "film\na\nb\n", "Key;1\na;1\nb;2,5\n"]
    {
        assert!(is_header(text), "{text}");
    }
    // A fraction, a sign, a unit, two equal cells, a text that comes again.
    for text in [
        "a,1.5\nb,2\nc,3\n",
        "a,-1\nb,2\nc,3\n",
        "a,$1\nb,$2\nc,3\n",
        "a,1,1\nb,2,4\nc,3,9\n",
        "a,red,1\nb,red,2\nc,blue,5\n",
        "a;1,5;3\nb;2,5;4\nc;1;9\n",
        "a,,1.5\nb,1,2\nc,2,3\n",
    ] {
        assert!(!is_header(text), "{text}");
    }
    for text in ["a,1\nb,2\n", "1,2\n3,4\n5,6\n", "a,,2\nb,1,3\nc,5,4\n"] {
        let error = input(draft(text), "t.csv");
        assert!(error.line == Some(1) && error.expected.contains("plainly"), "{text}: {error}");
        assert!(error.hint.unwrap().contains("--id "));
    }
    // Names that repeat are no names.
    assert!(input(draft("id,x,x\na,1,2\n"), "t.csv").expected.contains("each column name once"));
}

/// A table without a header and newcomers, which are read in the same way: no header, and the marks of the known items.
#[test]
fn newcomers_are_read_like_the_items() {
    let folder = Folder::new();
    let sketch = Sketch {
        folder: folder.path(""),
        file: folder.write("items.csv", "ant;1,5;7\nbee;2,5;8\ncow;4;2\n"),
        ..Sketch::default()
    };
    folder.write("ordain.toml", draft_project(&sketch).unwrap().text);
    let project = read_project(folder.path("")).unwrap();
    assert_eq!(project.items.ids(), ["ant", "bee", "cow"]);
    let known = Known { items: &project.items, relations: &project.relations, kernels: &project.kernels };
    // By itself, 1,234 could be more than a thousand.
    let newcomers = project.file.newcomers(known, folder.write("new.csv", "doe;1,234;5\n"), &[]).unwrap();
    let items = newcomers.items();
    assert_eq!(items.id(ItemId(3)), "doe");
    // (x - mean) / deviation, by hand, of 1.5, 2.5, 4.
    let (mean, values) = (8.0 / 3.0, [1.5, 2.5, 4.0]);
    let deviation = (values.iter().map(|x: &f64| (x - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    let scaled = |x: f64| (x - mean) / deviation;
    let found = |item: usize| items.attributes().row(item)[0];
    for (item, x) in [(0, 1.5), (3, 1.234)] {
        // A few roundings of numbers near 1.
        assert!((found(item) - scaled(x)).abs() < 1e-12, "{} {}", found(item), scaled(x));
    }
}
