//! `ordain demo`: a newcomer's first command.

use crate::util::Folder;

/// The parts that Ordain has, as the table of gains names them.
const PARTS: [&str; 3] = ["neighbours", "attributes", "asking"];

/// From nothing to a ranking, the race and the page; a second run says the same and changes nothing.
#[test]
fn from_nothing_to_a_ranking() {
    let folder = Folder::empty();
    let first = folder.run(["demo"]);
    let said = first.fine();
    assert!(first.stderr.contains("wrote the example to ordain-demo"), "{}", first.stderr);
    assert!(first.stderr.contains("% of all pairs stand in their true order"));
    assert!(first.stderr.contains("ordain rank ordain-demo --top 5"));
    assert!(first.stderr.contains("All this with pictures: ordain-demo/report.html"), "{}", first.stderr);
    for file in ["items.csv", "neighbours.csv", "answers.csv", "ordain.toml", "report.html"] {
        assert!(folder.path("ordain-demo").join(file).is_file());
    }
    // A screen's width, and the ends of the ranking that `rank` gives.
    assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
    let ranking = folder.json(["rank", "ordain-demo"]);
    let items = ranking["items"].as_array().unwrap();
    let shown: Vec<&str> = said.lines().skip(1).take(14).collect();
    assert_eq!((items.len(), shown[10].trim()), (141, "…"));
    for (line, item) in shown[..10].iter().chain(&shown[11..]).zip(items[..10].iter().chain(&items[138..])) {
        let start = format!("{} {}", item["rank"], item["id"].as_str().unwrap());
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(words.join(" ").starts_with(&start), "{line}");
    }
    for name in ["Ordain without neighbours", "Ordain without attributes", "with random pairs", "Glicko"] {
        // In the table and under the chart.
        assert!(said.matches(name).count() >= 2, "{said}");
    }
    each_part_helps(said);
    the_page(&folder.read("ordain-demo/report.html"));

    let before = folder.files();
    let second = folder.run(["demo"]);
    assert_eq!(second.fine(), first.stdout);
    assert!(second.stderr.contains("is there already"));
    assert!(folder.files() == before);
}

/// Neighbours, attributes and asking are each worth two standard errors, at two or more of the four marks.
fn each_part_helps(said: &str) {
    let row = |name: &str| -> Vec<f64> {
        let line = said.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.trim_start()[name.len()..].split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    for part in PARTS {
        let gains = row(part);
        assert_eq!(gains.len(), 8, "{part}: {gains:?}");
        let clear = gains.chunks(2).filter(|gain| gain[0] >= 2.0 * gain[1]).count();
        assert!(clear >= 2, "{part}: {gains:?}");
    }
    // Knowing the countries beats ratings by themselves, by far.
    let (ordain, ratings) = (row("Ordain "), row("Glicko with random pairs"));
    assert!(ordain.chunks(2).zip(ratings.chunks(2)).all(|(own, other)| own[0] > other[0] + 0.1), "{said}");
    // The gains are differences of the first table, up to rounding.
    let without = row("Ordain without neighbours");
    for (at, gain) in row("neighbours").chunks(2).enumerate() {
        assert!((ordain[2 * at] - without[2 * at] - gain[0]).abs() < 0.0016, "{said}");
    }
}

/// The page needs nothing beside it, suits a phone, names every country with its interval and true rank, and has three
/// pictures.
fn the_page(page: &str) {
    assert_eq!(page.matches("<svg ").count(), 3);
    assert_eq!((page.matches("</svg>").count(), page.matches("class=\"interval\"").count()), (3, 141));
    assert_eq!((page.matches("<html").count(), page.matches("</html>").count()), (1, 1));
    assert_eq!(page.matches(" viewBox=").count(), 3, "pictures that shrink with the page");
    for outside in ["src=", "href=", "url(", "@import", "http://", "https://"] {
        // But for the names of XML's own dialects.
        let rest = page.replace("http://www.w3.org/", "");
        assert!(!rest.contains(outside), "{outside}");
    }
    assert!(!page.contains("NaN") && !page.contains("-0.00<"));
    for words in ["ordain init items.csv", "width=device-width", "prefers-color-scheme: dark", "what Ordain expects"] {
        assert!(page.contains(words), "{words}");
    }
    // Percent everywhere, and curves from no answer on, where half of the pairs are right.
    assert!(
        page.contains(">\n50 %\n<") && !page.contains("Share of pairs") && !page.contains(">\n0.50\n<"),
        "one unit"
    );
    // True ranks are those of the column that the model does not see.
    let row = |name: &str| page.lines().find(|line| line.contains(&format!(">{name}</td>"))).unwrap();
    assert!(row("Japan").ends_with("<td>1</td><td>82.6</td></tr>"), "{}", row("Japan"));
    assert!(row("Eswatini").ends_with("<td>141</td><td>39.6</td></tr>"), "{}", row("Eswatini"));
}

/// What it says to try next works as typed.
#[test]
fn its_advice_works() {
    let folder = Folder::empty();
    let run = folder.run(["demo", "it's here"]);
    run.fine();
    let (here, own) = run.stderr.split_once("# and on your own data:").unwrap();
    let commands = |lines: &str| lines.matches("\n  ordain ").count();
    assert_eq!((commands(here), commands(own)), (6, 3));
    let advice: Vec<&str> = here.lines().filter_map(|line| line.trim().strip_prefix("ordain ")).collect();
    assert_eq!(advice.len(), 6);
    for line in advice {
        let typed = line.replace(r"'it'\''s here'", "it's/here").split(' ').map(str::to_owned).collect::<Vec<_>>();
        folder.run(typed.iter().map(|word| word.replace("it's/here", "it's here"))).fine();
    }
}

/// A changed example is played as it is, and changed items are only ranked.
#[test]
fn changed_examples() {
    let folder = Folder::example("world");
    let toml = folder.read("ordain.toml");
    let neighbours = toml.find("[[kernel]]                     # neighbours").unwrap();
    let own = toml.find("[[kernel]]                     # what is").unwrap();
    let first = toml.find("[[kernel]]").unwrap();
    let answers = toml.find("[answers]").unwrap();
    folder.write("ordain.toml", format!("{}{}{}", &toml[..first], &toml[neighbours..own], &toml[answers..]));
    let run = folder.run(["demo", "."]);
    assert!(run.fine().contains("Ordain with random pairs") && !run.stdout.contains("without"), "{}", run.stdout);
    assert!(!run.stdout.contains("attributes") && run.stdout.contains(" asking  "), "{}", run.stdout);
    folder.replace("items.csv", "76.423", "many");
    let run = folder.run(["demo", "."]);
    assert_eq!(run.fine(), folder.run(["rank"]).fine());
    assert!(!run.stderr.contains("true order"));
}

#[test]
fn own_files_stay() {
    for own in ["items.csv", "report.html"] {
        let folder = Folder::empty();
        folder.write(own, "my own");
        folder.refuses(["demo", "."], &[own, "hint: it stays as it was"]);
    }
}

#[test]
fn another_project_is_ranked_as_it_is() {
    let folder = Folder::project();
    let run = folder.run(["demo", "."]);
    assert_eq!(run.fine(), folder.run(["rank"]).fine());
    assert!(!run.stderr.contains("Italy"));
}
