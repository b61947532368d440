//! A manager has a table of thirty films, saved by a spreadsheet, and wants the five best.

use crate::session::Session;
use crate::util::Folder;

/// Title, year, genre, rating, price, and how good the manager finds the film. Semicolons part columns, commas part decimals.
const FILMS: [(&str, u32, &str, &str, &str, u32); 30] = [
    ("Alien", 1979, "horror", "8,5", "3,99", 27),
    ("The Good, the Bad and the Ugly", 1966, "western", "8,8", "2,99", 30),
    ("Metropolis", 1927, "science fiction", "8,3", "0,99", 24),
    ("Casablanca", 1942, "drama", "8,5", "2,49", 29),
    ("Vertigo", 1958, "thriller", "8,3", "2,99", 26),
    ("Rear Window", 1954, "thriller", "8,5", "2,99", 28),
    ("Modern Times", 1936, "comedy", "8,5", "1,99", 25),
    ("Psycho", 1960, "horror", "8,5", "2,99", 23),
    ("Stalker", 1979, "science fiction", "8,1", "3,49", 22),
    ("Amadeus", 1984, "drama", "8,4", "3,99", 21),
    ("Brazil", 1985, "science fiction", "7,9", "3,49", 20),
    ("Fargo", 1996, "crime", "8,1", "4,49", 19),
    ("Heat", 1995, "crime", "8,3", "4,49", 18),
    ("Ran", 1985, "drama", "8,2", "3,99", 17),
    ("Tron", 1982, "science fiction", "6,7", "2,49", 8),
    ("Big", 1988, "comedy", "7,3", "2,99", 16),
    ("Jaws", 1975, "thriller", "8,1", "3,99", 15),
    ("Rocky", 1976, "drama", "8,1", "3,99", 14),
    ("Grease", 1978, "musical", "7,2", "2,99", 7),
    ("Hair", 1979, "musical", "7,5", "2,49", 13),
    ("Help!", 1965, "musical", "7,1", "1,99", 6),
    ("Gandhi", 1982, "drama", "8,0", "3,49", 12),
    ("Speed", 1994, "action", "7,3", "3,99", 11),
    ("Twister", 1996, "action", "6,5", "3,49", 4),
    ("Volcano", 1997, "action", "5,5", "1,99", 1),
    ("Congo", 1995, "action", "5,3", "1,49", 2),
    ("Dune", 1984, "science fiction", "6,3", "2,99", 5),
    ("Mulan", 1998, "animation", "7,7", "4,99", 10),
    ("Bambi", 1942, "animation", "7,3", "4,99", 9),
    ("Showgirls", 1995, "drama", "NA", "1,49", 3),
];

fn worth(title: &str) -> u32 {
    FILMS.iter().find(|film| film.0 == title).map(|film| film.5).unwrap()
}

fn table() -> String {
    let rows =
        FILMS.iter().map(|(title, year, genre, rating, price, _)| format!("{title};{year};{genre};{rating};{price}\n"));
    std::iter::once("title;year;genre;rating;price\n".to_owned()).chain(rows).collect()
}

/// The two titles of the question that the screen shows last.
fn asked(screen: &str) -> [String; 2] {
    let line = screen.lines().map(str::trim).rfind(|line| line.ends_with('?') && line.contains(" or ")).unwrap();
    let (left, right) = line.trim_end_matches('?').split_once(" or ").unwrap();
    [left, right].map(|name| name.trim_matches('"').to_owned())
}

#[test]
fn from_a_spreadsheet_to_the_five_best() {
    let folder = Folder::empty();
    folder.write("films.csv", table());
    let init = folder.run(["init", "films.csv"]);
    init.fine();
    // What was understood: names, numbers with commas, a missing rating, and what says nothing.
    for words in ["30 items", "title", "year, rating, price", "1 of 30", "genre: text"] {
        assert!(init.stderr.contains(words), "no {words:?} in:\n{}", init.stderr);
    }
    let mut session = Session::start(&folder, 100, &["ask", "--judge", "ann", "--goal", "top", "--top", "5"]);
    let mut seen = 0;
    while seen < 25 {
        let screen = session.wait_for("[q]uit: ");
        // Before enough is known it asks; at the goal it would offer to stop.
        let [left, right] = asked(&screen);
        session.wait_until_raw();
        match seen {
            3 => session.press(b"s"),
            5 => session.press(b"t"),
            7 => session.press(b"u"),
            _ => session.press(if worth(&left) > worth(&right) { b"l" } else { b"r" }),
        }
        seen += 1;
    }
    session.wait_for("[q]uit: ");
    session.press(b"q");
    let (status, said) = session.end();
    assert!(status.success() && said.contains("21 answers given"), "{said}");
    // The goal stays.
    let toml = folder.read("ordain.toml");
    assert!(toml.contains("goal = \"top\"") && toml.contains("k = 5"), "{toml}");
    let rank = folder.run(["rank"]);
    let shown = rank.fine().to_owned();
    assert!(shown.contains("The Good, the Bad and the Ugly"), "{shown}");
    assert!(rank.stderr.contains("first 5") && rank.stderr.contains("21 answers"), "{}", rank.stderr);
    let best: Vec<u32> = shown
        .lines()
        .skip(1)
        .take(5)
        .map(|line| FILMS.iter().find(|film| line.contains(film.0)).map(|film| film.5).unwrap())
        .collect();
    // Twenty answers do not find all five, but few that are bad.
    assert!(best.iter().sum::<u32>() >= 90, "{shown}");
    folder.run(["report", "-o", "films.html"]).fine();
    let page = folder.read("films.html");
    assert!(page.contains("The Good, the Bad and the Ugly") && page.contains("ann"));
    assert!(!page.contains("http://") || !page.contains("src=\"http"), "the page needs no network");
}

#[test]
fn a_table_with_a_fault_says_so() {
    let folder = Folder::empty();
    folder.write("films.csv", "id,title,price\n1,Alien,3\n1,Brazil,4\n2,Ran,5\n");
    folder.refuses(["init", "films.csv"], &["id", "\"1\"", "line 3", "--id"]);
    folder.run(["init", "films.csv", "--id", "title"]).fine();
    folder.run(["answer", "Alien", "Ran", "first"]).fine();
    folder.run(["rank", "--top", "4"]).fails(2, &["3 items"]);
}
