//! Tables, items and relations.

use ordain::data::Items;
use ordain::formats::{ItemsSpec, Missing, Table, read_items, read_relation};
use proptest::prelude::*;

use crate::{Folder, check, input};

fn cells() -> impl Strategy<Value = Vec<Vec<String>>> {
    (1usize..5).prop_flat_map(|width| {
        // Carriage returns are left out: inside a quoted cell "\r\n" is read as "\n", as every line end is.
        let cell = "[ a-zA-Z0-9,\"\t;'\n|äß€𝄞-]{0,8}";
        prop::collection::vec(prop::collection::vec(cell, width), 1..12)
    })
}

fn csv_text(rows: &[Vec<String>]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header: Vec<String> = (0..rows[0].len()).map(|column| format!("c{column}")).collect();
    writer.write_record(&header).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.into_inner().unwrap()
}

fn rows_of(table: &Table) -> Vec<Vec<String>> {
    let row = |row| (0..table.columns().len()).map(|column| table.cell(row, column).to_owned()).collect();
    (0..table.len()).map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn csv_comes_back(rows in cells()) {
        // A row of one cell of blanks is a blank line, which is skipped.
        let rows: Vec<_> = rows.into_iter().filter(|row| row.len() > 1 || !row[0].trim_matches(' ').is_empty()).collect();
        prop_assume!(!rows.is_empty());
        let folder = Folder::new();
        let text = csv_text(&rows);
        let table = Table::read(folder.write("t.csv", &text)).unwrap();
        prop_assert_eq!(rows_of(&table), rows.clone());
        // The same with other line ends, packed, and a byte order mark.
        let packed = zstd::encode_all([b"\xef\xbb\xbf", &text[..]].concat().as_slice(), 1).unwrap();
        prop_assert_eq!(rows_of(&Table::read(folder.write("t", packed)).unwrap()), rows.clone());
        if rows.iter().flatten().all(|cell| !cell.contains('\n')) {
            let crlf = String::from_utf8(text).unwrap().replace('\n', "\r\n");
            prop_assert_eq!(rows_of(&Table::read(folder.write("t.csv", crlf)).unwrap()), rows);
        }
    }

    #[test]
    fn tsv_comes_back(rows in cells()) {
        let clean = |cell: &String| cell.replace(['\n', '\t'], " ") + ".";
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(clean).collect()).collect();
        let header: Vec<String> = (0..rows[0].len()).map(|column| format!("c{column}")).collect();
        let text: String = std::iter::once(&header).chain(&rows).map(|row| row.join("\t") + "\n").collect();
        let folder = Folder::new();
        prop_assert_eq!(rows_of(&Table::read(folder.write("t.tsv", text)).unwrap()), rows);
    }

    #[test]
    fn jsonl_comes_back(rows in cells(), numbers in prop::collection::vec(any::<f64>(), 12)) {
        let mut text = String::new();
        let mut expected = Vec::new();
        for (row, number) in rows.iter().zip(&numbers) {
            let mut object: Vec<String> = row.iter().enumerate()
                .map(|(column, cell)| format!("\"c{column}\": {}", serde_json::to_string(cell).unwrap())).collect();
            let number = if number.is_finite() { format!("{number:e}") } else { "null".into() };
            object.push(format!("\"n\":{number}"));
            text += &format!("{{{}}}\n", object.join(", "));
            let number = if number == "null" { String::new() } else { number };
            expected.push(row.iter().cloned().chain([number]).collect::<Vec<_>>());
        }
        let folder = Folder::new();
        prop_assert_eq!(rows_of(&Table::read(folder.write("t.jsonl", text)).unwrap()), expected);
    }

    #[test]
    fn items_come_back(values in prop::collection::vec(prop::collection::vec(-1e300f64..1e300, 3), 1..20)) {
        let folder = Folder::new();
        let mut text = String::from("a,id,b,c,note\n");
        for (row, v) in values.iter().enumerate() {
            text += &format!("{:?},item {row},{:e},{},x\n", v[0], v[1], v[2]);
        }
        let table = read_items(folder.write("items.csv", text), &ItemsSpec::default()).unwrap();
        prop_assert_eq!(table.items.attributes().names(), ["a", "b", "c"]);
        for (row, value) in values.iter().enumerate() {
            prop_assert_eq!(table.items.attributes().row(row), value.as_slice());
        }
        prop_assert_eq!(table.other.get("note").unwrap().len(), values.len());
    }

    #[test]
    fn links_come_back(links in prop::collection::vec((0usize..6, 0usize..6, 0f64..1e9), 1..30), form in 0usize..6) {
        let items = Items::from_ids((0..6).map(|item| format!("i{item}"))).unwrap();
        let (header, separator) = [("source,target,weight\n", ","), ("", " "), ("", ","), ("", "\t"),
            ("weight\tto\tfrom\n", "\t"), ("# comment\n", "  ")][form];
        let mut text = header.to_owned();
        for (source, target, weight) in &links {
            let cells = [format!("i{source}"), format!("i{target}"), format!("{weight:?}")];
            let order = if form == 4 { [2, 1, 0] } else { [0, 1, 2] };
            text += &(order.map(|at| cells[at].clone()).join(separator) + "\n");
        }
        let folder = Folder::new();
        let path = folder.write("links.txt", text);
        let relation = read_relation(&path, &items, false).unwrap();
        let read: Vec<_> = relation.links().iter().map(|l| (l.source as usize, l.target as usize, l.weight)).collect();
        prop_assert_eq!(&read, &links);
        let bipartite = read_relation(&path, &items, true).unwrap();
        prop_assert_eq!(bipartite.links().len(), links.len());
        let distinct: std::collections::HashSet<_> = links.iter().map(|link| link.1).collect();
        prop_assert_eq!(bipartite.targets(), distinct.len());
    }
}

#[test]
fn tables_that_are_wrong_say_where() {
    let folder = Folder::new();
    let read = |text: &str| Table::read(folder.write("t.csv", text));
    let error = input(read("a,b\n1,2\n\n1,2,3\n"), "t.csv");
    assert_eq!((error.line, error.found.as_deref()), (Some(4), Some("3 cells")));
    check(&input(read("a,b,a\n"), "t.csv"), 1, "3", "a", "column 1");
    check(&input(read("a,b\n1,2\n1,\"2\n3,4\n"), "t.csv"), 3, "2", "a quoted cell without end", "close");
    check(&input(read("a,b\n\"1\"x,2\n"), "t.csv"), 2, "1", "x", "twice");
    for empty in ["", "\n \n"] {
        let error = input(read(empty), "t.csv");
        assert_eq!(error.found.as_deref(), Some("an empty file"));
        assert!(error.hint.unwrap().contains("names the columns"));
    }
    let error = input(read("a,b\n1,\"2\n3\"\n4,5,6\n"), "t.csv");
    assert_eq!(error.line, Some(4));
}

#[test]
fn a_gigabyte_on_one_line_is_refused_in_little_memory() {
    let folder = Folder::new();
    let path = folder.path("items.csv");
    let mut packed = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"id,x\na,1\nb,").unwrap();
    std::io::copy(&mut std::io::Read::take(std::io::repeat(b'1'), 1 << 30), &mut packed).unwrap();
    packed.finish().unwrap();
    assert_eq!(input(read_items(&path, &ItemsSpec::default()), "items.csv").line, Some(3));
    // The same as a quoted cell of many lines, which never ends.
    let mut packed = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"id,x\na,1\nb,\"").unwrap();
    for _ in 0..1 << 18 {
        std::io::Write::write_all(&mut packed, &[&[b'1'; 255][..], b"\n"].concat()).unwrap();
    }
    packed.finish().unwrap();
    check(&input(read_items(&path, &ItemsSpec::default()), "items.csv"), 3, "2", "a quoted cell without end", "");
    crate::check_memory(512);
}

/// As in `ordain rank <(zcat items.csv.gz)`.
#[test]
#[cfg(unix)]
fn pipes_are_read() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    assert!(made.success());
    let read = |text: &str| {
        std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(folder.path("pipe"), text).unwrap());
            let items = Items::from_ids(["a", "b"]).unwrap();
            match text.starts_with("id") {
                true => read_items(folder.path("pipe"), &ItemsSpec::default()).unwrap().items.len(),
                false => read_relation(folder.path("pipe"), &items, false).unwrap().links().len(),
            }
        })
    };
    assert_eq!(read("id,x\na,1\nb,2\n"), 2);
    assert_eq!(read("{\"source\":\"a\",\"target\":\"b\"}\n"), 1);
    assert_eq!(read("a b\n"), 1);
}

#[test]
fn files_cut_or_not_text_say_where() {
    let folder = Folder::new();
    let read = |bytes: &[u8]| read_items(folder.write("items.csv", bytes), &ItemsSpec::default());
    assert_eq!(input(read(b"id,x\na,1\nb"), "items.csv").line, Some(3));
    check(&input(read(b"id,x\na,1\nb\xe4,2\n"), "items.csv"), 3, "byte 2", "0xE4", "UTF-8");
    let items = Items::from_ids(["a"]).unwrap();
    let links = folder.write("links.csv", b"source,target\na,\xff\n");
    check(&input(read_relation(links, &items, false), "links.csv"), 2, "byte 3", "0xFF", "UTF-8");
    let answers = folder.write("a.csv", b"winner,loser\n\xff,a\n");
    check(&input(ordain::formats::read_answers(answers, &items), "a.csv"), 2, "byte 1", "0xFF", "UTF-8");
    assert_eq!(input(Table::read(folder.path("")), "").found.as_deref(), Some("a folder"));
}

#[test]
fn json_that_is_wrong_says_where() {
    let folder = Folder::new();
    let read = |text: &str| Table::read(folder.write("t.jsonl", text));
    check(&input(read("{\"a\":1}\n{\"a\":[1,2]}\n"), "t.jsonl"), 2, "a", "[1,2]", "flatten");
    check(&input(read("{\"a\":1,\"a\":2}\n"), "t.jsonl"), 1, "a", "a", "");
    assert_eq!(input(read("{\"a\":1}\n{\"a\":1\n"), "t.jsonl").line, Some(2));
    assert_eq!(input(read("{\"a\":1}\nnull\n"), "t.jsonl").line, Some(2));
    let table =
        read("{\"id\":12345678901234567890123,\"x\":0.10000000000000000001}\n\n{\"y\":true,\"id\":\"b\"}\n").unwrap();
    assert_eq!(table.columns(), ["id", "x", "y"]);
    assert_eq!(rows_of(&table), [["12345678901234567890123", "0.10000000000000000001", ""], ["b", "", "true"]]);
    assert_eq!(table.line(1), 3);
}

#[test]
fn items_that_are_wrong_say_where() {
    let folder = Folder::new();
    let all = ItemsSpec::default();
    let read = |text: &str, spec: &ItemsSpec| read_items(folder.write("items.csv", text), spec);
    let want = |names: &[&str]| ItemsSpec {
        attributes: Some(names.iter().map(|name| name.to_string()).collect()),
        ..ItemsSpec::default()
    };
    check(&input(read("id,x\na,1\nb,2\na,3\n", &all), "items.csv"), 4, "id", "a", "line 2");
    check(&input(read("id,x\na,1\n,2\n", &all), "items.csv"), 3, "id", "", "delete the line");
    check(&input(read("id,x\na,1\nb,NaN\n", &all), "items.csv"), 3, "x", "NaN", "missing = \"mean\"");
    check(&input(read("id,x\na,1\nb,wide\n", &want(&["x"])), "items.csv"), 3, "x", "wide", "mend");
    check(&input(read("id,x\na,1\nb,1e999\n", &want(&["x"])), "items.csv"), 3, "x", "1e999", "");
    check(&input(read("id,x\na,1\nb,\n", &all), "items.csv"), 3, "x", "", "missing = \"mean\"");
    let error = input(read("id,width,x\na,1,2\n", &want(&["widht"])), "items.csv");
    assert_eq!(error.hint.as_deref(), Some("did you mean \"width\"? there are: id, width, x"));
    assert!(input(read("name,x\na,1\n", &all), "items.csv").hint.unwrap().contains("name, x"));
    let error = input(read("id,x\n", &all), "items.csv");
    assert_eq!(
        (error.found.as_deref(), error.hint.as_deref()),
        (Some("only a header"), Some("add a line for every item"))
    );
    check(&input(read("id,x\n\"a\nb\",1\n", &all), "items.csv"), 2, "id", "a\\nb", "one line");
    let grouped = ItemsSpec { group: Some("q".into()), ..all.clone() };
    let table = read("id,q,x\na,1,1\na,2,5\n", &grouped).unwrap();
    assert_eq!(table.items.groups().unwrap().names(), ["1", "2"]);
    check(&input(read("id,q,x\na,1,1\nb,1,2\na,1,5\n", &grouped), "items.csv"), 4, "id", "a", "line 2");
    let mean = ItemsSpec { missing: Missing::Mean, ..all };
    let table = read("id,x,y\na,1,\nb,,4\nc,5,6\nd,,\n", &mean).unwrap();
    assert_eq!(table.items.attributes().row(1), [3.0, 4.0]);
    assert_eq!(table.items.attributes().row(3), [3.0, 5.0]);
    let error = input(read("id,x\na,\n", &ItemsSpec { missing: Missing::Mean, ..want(&["x"]) }), "items.csv");
    assert_eq!(error.found.as_deref(), Some("only missing numbers"));
}

/// Numbers in most cells make a column of numbers, and what is none in it a mistake.
#[test]
fn a_slip_in_a_column_of_numbers_is_not_passed_over() {
    let folder = Folder::new();
    let read = |cells: &[&str]| {
        let rows: Vec<String> = cells.iter().enumerate().map(|(row, cell)| format!("{row},{cell}\n")).collect();
        read_items(folder.write("items.csv", format!("id,x\n{}", rows.concat())), &ItemsSpec::default())
    };
    check(&input(read(&["1", "2", "", "3O", "4"]), "items.csv"), 5, "x", "3O", "attributes = [");
    check(&input(read(&["1", "2", "3", "inf"]), "items.csv"), 5, "x", "inf", "mend");
    check(&input(read(&["1", "NaN", "NaN"]), "items.csv"), 3, "x", "NaN", "missing");
    for text in [&["1", "red"][..], &["1", "2", "", "red", "blue"], &["", ""], &["NaN"], &["1", "2", "inf", "x"]] {
        let table = read(text).unwrap();
        assert!(table.items.attributes().is_empty());
        assert_eq!(table.other.get("x").unwrap(), text);
    }
}

#[test]
fn links_that_are_wrong_say_where() {
    let folder = Folder::new();
    let items = Items::from_ids(["lamp", "chair", "table"]).unwrap();
    let read = |text: &str| read_relation(folder.write("links.csv", text), &items, false);
    check(&input(read("source,target\nlamp,chair\nlamp,chiar\n"), "links.csv"), 3, "target", "chiar", "\"chair\"");
    check(&input(read("source,target,weight\nlamp,chair,-1\n"), "links.csv"), 2, "weight", "-1", "delete the line");
    check(&input(read("source,target,weight\nlamp,chair,NaN\n"), "links.csv"), 2, "weight", "NaN", "");
    check(&input(read("source,target,weight\nlamp,chair,\n"), "links.csv"), 2, "weight", "", "");
    check(&input(read("doc,other\nlamp,chair\n"), "links.csv"), 1, "1", "doc", "name its columns source and target");
    for (text, line) in [("lamp chair\nlamp chair 2\n", Some(2)), ("lamp\n", Some(1)), ("", None)] {
        let error = input(read(text), "links.csv");
        assert_eq!(error.line, line);
        assert!(error.hint.unwrap().contains("source"));
    }
    assert!(read("source,target\n").unwrap().links().is_empty());
    assert_eq!(read("from to weight\nlamp chair 2\n").unwrap().links()[0].weight, 2.0);
    assert!(read("source target\n# none\n").unwrap().links().is_empty());
}

#[test]
fn ids_in_several_groups_need_the_group() {
    let folder = Folder::new();
    let spec = ItemsSpec { group: Some("q".into()), ..ItemsSpec::default() };
    let items = read_items(folder.write("items.csv", "id,q\na,1\nb,1\na,2\nc,2\n"), &spec).unwrap().items;
    let read = |text: &str| read_relation(folder.write("links.csv", text), &items, false);
    check(&input(read("source,target\na,b\n"), "links.csv"), 2, "source", "a", "column \"group\"");
    let relation = read("source,target,group\na,b,1\na,c,2\n").unwrap();
    assert_eq!(relation.links().iter().map(|link| (link.source, link.target)).collect::<Vec<_>>(), [(0, 1), (2, 3)]);
    check(&input(read("source,target,group\na,c,1\n"), "links.csv"), 2, "target", "c", "not in the group \"1\"");
}
