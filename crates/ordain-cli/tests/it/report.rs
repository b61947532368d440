//! `ordain report`: a project as one page.

use std::fmt::Write;

use crate::util::{Folder, order};

/// The page of a project.
fn page(folder: &Folder, more: &[&str]) -> String {
    let run = folder.run(["report", ".", "-o", "page.html"].iter().chain(more));
    assert_eq!(run.fine(), "", "nothing is data");
    assert!(run.stderr.contains("wrote page.html"), "{}", run.stderr);
    let page = folder.read("page.html");
    whole(&page);
    page
}

/// One file that needs nothing beside it, for phones and in the dark, with every tag closed.
pub fn whole(page: &str) {
    for outside in ["src=", "href=", "url(", "@import", "http://", "https://", "<script", "<link"] {
        // But for the names of XML's own dialects.
        assert!(!page.replace("http://www.w3.org/", "").contains(outside), "{outside}");
    }
    for words in ["width=device-width", "prefers-color-scheme: dark", "<h1>", "</html>"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf%") && !page.contains("nothing to show"));
    let body = &page[page.find("<body>").unwrap()..];
    let mut open = Vec::new();
    for tag in body.split('<').skip(1).map(|rest| rest.split_once('>').unwrap().0) {
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
        if tag.starts_with('/') {
            if name != "html" {
                assert_eq!(open.pop(), Some(name));
            }
        } else if !tag.ends_with('/') && name != "br" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// The text of a page without its tags.
fn text(page: &str) -> String {
    page.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect()
}

#[test]
fn everything_about_a_project() {
    let folder = Folder::example("world");
    let page = page(&folder, &[]);
    let words = text(&page).replace('\u{A0}', " ");
    for heading in [
        "The ranking",
        "How the ranking settled",
        "Judges",
        "What attributes and links contribute",
        "Links",
        "Settings",
    ] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    // The same sentence as that of rank, and the same order.
    let rank = folder.run(["rank"]);
    let sentence = rank.stderr.lines().find(|line| line.contains(" sure that ")).unwrap();
    assert!(words.contains(&sentence[1..]), "{sentence}");
    let ranking = folder.json(["rank"]);
    let rows: Vec<&str> = page.split("<th scope=\"row\" class=\"item\"><bdi>").skip(1).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.split("</bdi>").next().unwrap()).take(141).collect();
    assert_eq!(names, order(&ranking));
    for (row, item) in rows.iter().zip(ranking["items"].as_array().unwrap()) {
        assert!(row.contains(&format!("<td>{}–{}</td>", item["rank_low"], item["rank_high"])), "{row}");
    }
    // What compare says.
    let compared = folder.json(["compare"]);
    for model in &compared["models"].as_array().unwrap()[1..] {
        let change = format!("<td>{:+.3} <small>", model["difference"]["log_loss"]["mean"].as_f64().unwrap());
        assert!(page.contains(&change.replace('-', "−")), "{change}");
    }
    // Two curves from no answer to all, each with a title and names of axes, and the graph.
    let pictures: Vec<&str> = page.split("<svg ").skip(1).map(|rest| rest.split("</svg>").next().unwrap()).collect();
    assert_eq!(pictures.len(), 3);
    for (picture, words) in pictures.iter().zip([
        &["Expected wrong pairs", "Answers", "Pairs in the wrong order", "50 %"][..],
        &["How sure the goal was", "Answers", "Probability of the goal"],
        &["Links of neighbours.csv", "Utility"],
    ]) {
        for words in words {
            assert!(picture.contains(words), "{words}");
        }
    }
    // The title is the only place of the name: one series has no legend.
    assert_eq!(pictures[0].matches("Expected wrong pairs").count(), 1);
    let again = folder.read("page.html");
    self::page(&folder, &[]);
    assert!(folder.read("page.html") == again, "the same page again");
}

/// The curve ends with what the ranking says, and begins where half of the pairs are wrong.
#[test]
fn the_curve_from_the_first_answer() {
    let folder = Folder::example("countries");
    let page = page(&folder, &[]);
    let picture = page.split("<svg ").nth(1).unwrap();
    let curve = picture.split("<polyline").map(|rest| rest.split("points=\"").nth(1).unwrap_or_default());
    let curves: Vec<Vec<(f64, f64)>> = curve
        .map(|points| {
            let points = points.split('"').next().unwrap().split_whitespace();
            points
                .map(|point| point.split_once(',').unwrap())
                .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                .collect()
        })
        .collect();
    // The longest line is the data: axes and ticks have two or three points.
    let curve = curves.iter().max_by_key(|points| points.len()).unwrap();
    assert!(curve.len() > 5, "{curve:?}");
    let (first, last) = (curve[0], curve[curve.len() - 1]);
    let wrong = folder.json(["rank"])["certainty"]["wrong_pairs"].as_f64().unwrap();
    // The axis begins at 0. One pixel is 1/270 of its height, and 512 draws of a share near a half have an error of 1 %.
    let bottom = curves.iter().filter(|points| points.len() == 3).map(|points| points[1].1).fold(0.0, f64::max);
    let (start, end) = (bottom - first.1, bottom - last.1);
    assert!((end / start - wrong / 0.5).abs() < 0.05, "{end} {start} {wrong}");
}

/// Names cannot break out of the page, and very long ones are cut.
#[test]
fn hostile_names() {
    let folder = Folder::empty();
    let long = "long ".repeat(2000);
    let names = ["<script>alert(1)</script>", "\"><b>&amp;", "a\u{202E}b", "</td></tr></table>", &long];
    let mut items = "id,x\n".to_owned();
    for (at, name) in names.iter().enumerate() {
        writeln!(items, "\"{}\",{at}", name.replace('"', "\"\"")).unwrap();
    }
    folder.write("items.csv", items);
    folder.run(["init", "items.csv"]).fine();
    let mut answers = csv::Writer::from_writer(Vec::new());
    answers.write_record(["first", "second", "outcome", "judge"]).unwrap();
    answers.write_record([names[0], names[1], "first", "<img onerror=x>"]).unwrap();
    answers.write_record([names[0], names[1], "second", names[4]]).unwrap();
    folder.write("answers.csv", answers.into_inner().unwrap());
    let page = page(&folder, &[]);
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("&lt;img onerror=x&gt;"));
    for raw in ["<script", "<img", "\u{202E}", "<b>&amp;amp;", &long[..500]] {
        assert!(!page.contains(raw), "{raw}");
    }
}

/// No answers, one item, groups, grades, a project of answers alone.
#[test]
fn projects_of_every_kind() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,x\nant,1\nbee,2\ncow,4\n");
    folder.run(["init", "items.csv"]).fine();
    let fresh = page(&folder, &[]);
    assert!(fresh.contains("No answers yet") && fresh.contains("<td>1–3</td>"));
    assert!(!fresh.contains("<svg") && !fresh.contains("Judges"), "nothing to draw");

    let single = Folder::empty();
    single.write("items.csv", "id,x\nant,1\n");
    single.write("ordain.toml", "[items]\nfile = \"items.csv\"\n\n[[kernel]]\nkind = \"independent\"\n");
    assert!(page(&single, &[]).contains("<td>1–1</td>"));
    single.append("ordain.toml", "\n[answers]\nfile = \"answers.csv\"\n");
    single.write("answers.csv", "first,second,outcome\nant,,good\n");
    assert!(page(&single, &["--full"]).contains("nothing to settle"));

    let groups = Folder::empty();
    groups.write("items.csv", "id,group,x\nant,<zoo>,1\nbee,<zoo>,2\nant,farm,1\ncow,farm,3\n");
    groups.run(["init", "items.csv"]).fine();
    groups.write("answers.csv", "first,second,outcome,group,judge\nant,bee,first,<zoo>,eve\nant,cow,second,farm,bob\n");
    let shown = page(&groups, &[]);
    assert!(shown.contains("&lt;zoo&gt;</bdi></th></tr>") && shown.contains("least settled of 2 groups"));
    assert!(shown.contains("on at least 10 different pairs; there are 2."), "too few pairs to compare");

    let graded = Folder::project();
    graded.append("answers.csv", "ant,,grade:5,eve,\nbee,,grade:2,bob,\nant,bee,skip,eve,\n");
    let shown = text(&page(&graded, &[]));
    assert!(shown.contains("3 answers") || shown.contains("3answers"), "{shown}");

    let arena = Folder::empty();
    arena.write("battles.csv", "winner,loser\nx,y\ny,z\nx,z\n");
    arena.run(["init", "battles.csv"]).fine();
    assert!(page(&arena, &[]).contains("First: <b><bdi>x</bdi></b>"));
}

/// A large project shows its first rows and says so; what takes long is left out with a remedy.
#[test]
fn large_projects() {
    let folder = Folder::empty();
    let rows: String = (0..1200).map(|at| format!("i{at},{}\n", at * 7919 % 1000)).collect();
    folder.write("items.csv", format!("id,x\n{rows}"));
    let links: String = (1..1200).map(|at| format!("i{at},i{}\n", at / 2)).collect();
    folder.write("links.csv", format!("source,target\n{links}"));
    folder.run(["init", "items.csv", "--relation", "links.csv"]).fine();
    folder.replace("ordain.toml", "noise = \"learn\"", "noise = 0.5");
    let answers: String = (0..900).map(|at| format!("i{},i{},first,eve\n", at, at + 200)).collect();
    folder.write("answers.csv", format!("first,second,outcome,judge\n{answers}"));
    let page = page(&folder, &[]);
    assert_eq!(page.matches("<th scope=\"row\" class=\"item\"><bdi>i").count(), 500);
    let words = text(&page);
    assert!(words.contains("the first 500 of 1200 items") && words.contains("--full shows all"), "{words}");
    assert!(words.contains("ordain report --full puts it here"), "comparing 900 answers takes long");
    assert!(words.contains("The 10 items with the highest utility and their neighbours"));
}

/// An output that is an input, or that has no folder, is refused before anything is written.
#[test]
fn what_is_refused() {
    let folder = Folder::project();
    for (output, words) in [
        ("items.csv", "--output than for [items]"),
        ("answers.csv", "[answers]"),
        ("ordain.toml", "the project"),
        ("links.csv", "a relation"),
        ("no/such/page.html", "a folder that exists"),
    ] {
        let words = words.trim_start_matches("--output than for ");
        folder.refuses(["report", "-o", output], &[output, words]);
    }
    folder.write("empty.csv", "id,x\n");
    folder.replace("ordain.toml", "items.csv", "empty.csv");
    folder.refuses(["report"], &["empty.csv", "at least one item"]);
    folder.run(["report", "--output"]).fails(2, &["--output"]);
}
