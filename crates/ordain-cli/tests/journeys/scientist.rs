//! A scientist has a citation graph: papers with numbers of their own, and who cites whom by these numbers.

use serde_json::Value;

use crate::session::Session;
use crate::util::Folder;
use crate::{asked, question, sure};

fn papers() -> (String, String) {
    let (mut nodes, mut links) = (String::from("title,node,year,field\n"), String::from("source,target\n"));
    for paper in 0..60_usize {
        nodes += &format!("\"Paper {paper}, on ranking\",{},{},f{}\n", paper, 1990 + paper % 30, paper % 4);
        for back in [1, 7, 13] {
            if let Some(cited) = paper.checked_sub(back) {
                links += &format!("{paper},{cited}\n");
            }
        }
    }
    (nodes, links)
}

#[test]
fn from_a_citation_graph_to_a_ranking() {
    let folder = Folder::empty();
    let (nodes, links) = papers();
    folder.write("papers.csv", nodes);
    folder.write("cites.csv", links);
    // The titles are taken for ids first; the links say otherwise.
    folder.refuses(["init", "papers.csv", "--relation", "cites.csv"], &["cites.csv, line 2", "\"1\"", "--id node"]);
    let init = folder.run(["init", "papers.csv", "--relation", "cites.csv", "--id", "node"]);
    init.fine();
    for line in [
        "60 items by column \"node\"",
        "shown by their names in column \"title\"",
        "1 attribute: \"year\"",
        "ignored: field: text",
        "cites.csv: 159 links between items, by column \"node\"",
    ] {
        assert!(init.stderr.contains(line), "no {line:?} in:\n{}", init.stderr);
    }

    // Later papers are better. People see titles, the log has ids.
    let mut session = Session::start(&folder, 90, &["ask"]);
    let number = |title: &str| title.split([' ', ',']).nth(1).unwrap().parse::<usize>().unwrap();
    for _ in 0..20 {
        let [left, right] = asked(&question(&mut session));
        assert!(left.starts_with("Paper ") && right.ends_with(", on ranking"), "{left} {right}");
        session.press(if number(&left) > number(&right) { b"l" } else { b"r" });
    }
    let last = question(&mut session);
    session.press(b"q");
    assert!(session.end().0.success());
    let log = folder.read("answers.csv");
    assert!(log.lines().skip(1).all(|line| line.split(',').take(2).all(|id| id.parse::<u32>().is_ok())), "{log}");
    let rank = folder.run(["rank", "--limit", "3"]);
    assert_eq!(rank.fine().matches(", on ranking").count(), 3, "{}", rank.stdout);
    assert_eq!(sure(&rank.stderr), sure(&last));
    // Names with a comma are quoted in the list of the first.
    assert!(last.contains("20 answers; first: \"Paper "), "{last}");

    // Papers that nobody was asked about follow those that cite them.
    let ranking = folder.json(["rank"]);
    let items = ranking["items"].as_array().unwrap();
    let mean = |items: &[Value]| {
        items.iter().map(|item| item["id"].as_str().unwrap().parse::<f64>().unwrap()).sum::<f64>() / 20.0
    };
    assert!(mean(&items[..20]) > mean(&items[40..]) + 15.0, "{ranking}");

    folder.run(["compare"]).fine();
    folder.run(["tune"]).fine();
    let all = folder.run(["rank", "--format", "csv", "--columns", "all"]);
    assert!(all.fine().lines().next().unwrap().ends_with(",title,year,field"), "{}", all.stdout);
    folder.write("pairs.csv", "first,second\n0,59\n59,0\n");
    assert_eq!(folder.run(["predict", "--pairs", "pairs.csv", "--format", "csv"]).fine().lines().count(), 3);
    let table = folder.run(["predict", "--pairs", "pairs.csv"]);
    assert!(table.fine().contains("Paper 59, on ranking"), "{}", table.stdout);
    folder.run(["report", "-o", "papers.html"]).fine();
    let page = folder.read("papers.html");
    assert!(page.contains("cites.csv") && page.contains("Paper 59, on ranking"));
}
