//! A manager has a table of thirty films, saved by a spreadsheet, and wants the five best.

use crate::session::Session;
use crate::util::Folder;
use crate::{asked, question, sure};

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

/// The key for the better of the two films that are asked about.
fn key(screen: &str) -> &'static [u8] {
    let [left, right] = asked(screen);
    if worth(&left) > worth(&right) { b"l" } else { b"r" }
}

#[test]
fn from_a_spreadsheet_to_the_five_best() {
    let folder = Folder::empty();
    folder.write("films.csv", table());
    let init = folder.run(["init", "films.csv"]);
    init.fine();
    // Names, numbers with commas, a missing rating, and a column that is not used.
    for line in [
        "30 items by column \"title\"",
        "3 attributes: \"year\", \"rating\" (1 of 30 missing), \"price\"",
        "with decimal commas: \"rating\", \"price\"",
        "ignored: genre: text",
    ] {
        assert!(init.stderr.contains(line), "no {line:?} in:\n{}", init.stderr);
    }
    let mut session = Session::start(&folder, 100, &["ask", "--judge", "ann", "--goal", "top", "--top", "5"]);
    session.wait_for("now has goal = \"top\", k = 5 under [ask]");
    let first = question(&mut session);
    // Nothing is known yet, so no film is called the first.
    assert!(first.contains("0 answers\r\n") && first.contains("[t]ie"), "{first}");
    session.press(key(&first));
    for round in 1..26 {
        let screen = question(&mut session);
        match round {
            3 => session.press(b"s"),
            5 => session.press(b"t"),
            7 => session.press(b"u"),
            _ => session.press(key(&screen)),
        }
    }
    let last = question(&mut session);
    assert!(last.contains("23 answers; first: "), "{last}");
    session.press(b"q");
    let (status, said) = session.end();
    assert!(status.success() && said.contains("see you: 23 answers given"), "{said}");
    let log = folder.read("answers.csv");
    assert!([",tie,ann,", ",skip,ann,", ",undo,ann,"].iter().all(|said| log.contains(said)), "{log}");

    // The goal stays, and is as sure in the ranking as it was in the session.
    let rank = folder.run(["rank"]);
    let shown = rank.fine();
    assert!(rank.stderr.contains("30 items, 23 answers"), "{}", rank.stderr);
    assert_eq!(sure(&rank.stderr), sure(&last));
    assert!(sure(&last).contains("the first 5 are the best 5"), "{last}");
    let best: u32 =
        shown.lines().skip(1).take(5).map(|line| FILMS.iter().find(|film| line.contains(film.0)).unwrap().5).sum();
    // The five best are worth 140, five by chance 78. Answers about a fifth of all pairs find most of them.
    assert!(best >= 110, "{best} in\n{shown}");

    // Tomorrow: the same question, without naming the goal again.
    let mut session = Session::start(&folder, 100, &["ask", "--judge", "ann"]);
    assert_eq!(asked(&question(&mut session)), asked(&last));
    session.press(b"q");
    assert!(session.end().0.success());

    // A new film, and the page for the others of the team.
    folder.run(["add", "title=Gattaca; or not", "year=1997", "genre=drama", "rating=7,8", "price=2,99"]).fine();
    assert_eq!(folder.json(["rank"])["items"].as_array().unwrap().len(), 31);
    folder.run(["report", "-o", "films.html"]).fine();
    let page = folder.read("films.html");
    for words in ["The Good, the Bad and the Ugly", "Gattaca; or not", "ann", "the best 5"] {
        assert!(page.contains(words), "no {words:?} in the page");
    }
    assert!(!page.contains("src=\"http") && !page.contains("@import"), "the page needs the network");
}

/// Repeated ids are told with their lines, and the option that the hint names works. More first items than there are is an error.
#[test]
fn a_table_with_a_fault_says_so() {
    let folder = Folder::empty();
    folder.write("films.csv", "id,title,price\n1,Alien,3\n1,Brazil,4\n2,Ran,5\n");
    folder.refuses(["init", "films.csv"], &["films.csv, line 3, column id", "\"1\"", "lines 2, 3", "--id title"]);
    folder.run(["init", "films.csv", "--id", "title"]).fine();
    folder.run(["answer", "Alien", "Ran", "first"]).fine();
    folder.run(["rank", "--top", "4"]).fails(2, &["--top", "\"4\"", "at most 3"]);
}
