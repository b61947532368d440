//! `ordain demo`: a newcomer's first command.

use crate::util::Folder;

#[test]
fn from_nothing_to_a_ranking() {
    let folder = Folder::empty();
    let first = folder.run(["demo"]);
    let lines: Vec<&str> = first.fine().lines().collect();
    assert_eq!(lines.len(), 1 + 45);
    assert!(first.stderr.contains("wrote the example to ordain-demo"), "{}", first.stderr);
    assert!(first.stderr.contains("% of all pairs stand in their true order"));
    assert!(first.stderr.contains("ordain rank ordain-demo --top 5"));
    for file in ["items.csv", "borders.csv", "answers.csv", "ordain.toml"] {
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
    let advice = run.stderr.lines().filter_map(|line| line.trim().strip_prefix("ordain "));
    let advice: Vec<&str> = advice.filter(|line| !line.starts_with("init")).collect();
    assert_eq!(advice.len(), 5);
    for line in advice {
        let typed = line.replace(r"'it'\''s here'", "it's/here").split(' ').map(str::to_owned).collect::<Vec<_>>();
        folder.run(typed.iter().map(|word| word.replace("it's/here", "it's here"))).fine();
    }
}

#[test]
fn own_files_stay() {
    let folder = Folder::empty();
    folder.write("items.csv", "my own");
    folder.refuses(["demo", "."], &["items.csv", "hint: it stays as it was"]);
}

#[test]
fn another_project_is_ranked_as_it_is() {
    let folder = Folder::project();
    let run = folder.run(["demo", "."]);
    assert_eq!(run.fine(), folder.run(["rank"]).fine());
    assert!(!run.stderr.contains("Italy"));
}
