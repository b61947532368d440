//! `ordain demo`: a newcomer's first command.

use crate::util::Folder;

#[test]
fn from_nothing_to_a_ranking() {
    let folder = Folder::empty();
    let first = folder.run(["demo"]);
    let ranking = Folder::example("countries").run(["rank"]);
    assert_eq!(ranking.fine().lines().count(), 1 + 45);
    let race = first.fine().strip_prefix(ranking.fine()).unwrap();
    for name in ["with borders", "without borders", "pairs at random", "Glicko ratings"] {
        // In the table and under the chart.
        assert!(race.matches(name).count() >= 2, "{race}");
    }
    assert!(first.stderr.contains("wrote the example to ordain-demo"), "{}", first.stderr);
    assert!(first.stderr.contains("% of all pairs stand in their true order"));
    assert!(first.stderr.contains("ordain rank ordain-demo --top 5"));
    assert!(first.stderr.contains("All this with pictures: ordain-demo/report.html"), "{}", first.stderr);
    for file in ["items.csv", "borders.csv", "answers.csv", "ordain.toml", "report.html"] {
        assert!(folder.path("ordain-demo").join(file).is_file());
    }

    let before = folder.files();
    let second = folder.run(["demo"]);
    assert_eq!(second.fine(), first.stdout);
    assert!(second.stderr.contains("is there already"));
    assert!(folder.files() == before);
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

/// Knowing the countries beats ratings by themselves, by far.
#[test]
fn its_curves_end_where_they_should() {
    let folder = Folder::empty();
    let run = folder.run(["demo"]);
    let last = |name: &str| -> f64 {
        let row = run.fine().lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        cells[cells.len() - 3].parse().unwrap()
    };
    let [asked, random, ratings] = ["Ordain, with borders", "Ordain, pairs at random", "Glicko"].map(last);
    assert!(asked > random && random > ratings + 0.05, "{asked} {random} {ratings}");
}

/// A changed example is played as it is, and changed items are only ranked.
#[test]
fn changed_examples() {
    let folder = Folder::empty();
    folder.run(["demo", "."]).fine();
    let toml = folder.read("ordain.toml");
    let borders = toml.find("[[kernel]]                     # neighbours").unwrap();
    let own = toml.find("[[kernel]]                     # what is").unwrap();
    let first = toml.find("[[kernel]]").unwrap();
    let answers = toml.find("[answers]").unwrap();
    folder.write("ordain.toml", format!("{}{}{}", &toml[..first], &toml[borders..own], &toml[answers..]));
    let run = folder.run(["demo", "."]);
    assert!(run.fine().contains("with borders") && !run.stdout.contains("without borders"), "{}", run.stdout);
    folder.replace("items.csv", "2746000", "many");
    assert!(!folder.run(["demo", "."]).fine().contains("borders"));
}

/// The page needs nothing beside it, names every country with its interval and true rank, and has three pictures.
#[test]
fn its_report() {
    let folder = Folder::empty();
    let run = folder.run(["demo", "it's here"]);
    run.fine();
    let page = folder.read("it's here/report.html");
    assert_eq!(page.matches("<svg ").count(), 3);
    assert_eq!((page.matches("</svg>").count(), page.matches("class=\"interval\"").count()), (3, 45));
    assert_eq!((page.matches("<html").count(), page.matches("</html>").count()), (1, 1));
    for outside in ["src=", "href=", "url(", "@import", "http://", "https://"] {
        // But for the names of XML's own dialects.
        let rest = page.replace("http://www.w3.org/", "");
        assert!(!rest.contains(outside), "{outside}");
    }
    assert!(!page.contains("NaN") && !page.contains("-0.00<"));
    for words in ["ordain init items.csv", "Bosnia and Herzegovina", "prefers-color-scheme: dark", "what Ordain says"] {
        assert!(page.contains(words), "{words}");
    }
    // True ranks are those of the column that the model does not see.
    let row =
        |name: &str| page.lines().find(|line| line.contains(&format!(">{name}<")) && line.contains("<td>")).unwrap();
    assert!(row("Russia").contains("<td>1</td><td>1"), "{}", row("Russia"));
    let ranks: Vec<u64> = folder.json(["rank", "it's here"])["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["rank"].as_u64().unwrap())
        .collect();
    assert_eq!(ranks.len(), page.matches("<td style=\"text-align:left\">").count());
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
