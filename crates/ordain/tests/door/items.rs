//! Items by name, new items, and what counts as an answer.

use ordain::data::{Answer, Attributes, Entry, Groups, ItemId, Items, Lookup, Outcome, quoted_in_list};
use ordain::formats::{Table, named_item, named_pair};
use ordain::{Error, Inference, InputError, Recorder, Watch};

use super::Folder;

fn input(error: Error) -> InputError {
    let Error::Input(error) = error else { panic!("{error}") };
    *error
}

/// Two groups of three items. `two` is an id, and the name of another item.
fn named() -> Items {
    let ids = ["one", "two", "three", "one", "five", "six"].map(str::to_owned).to_vec();
    let groups = Groups::new(["a", "a", "a", "b", "b", "b"]);
    let items = Items::new(ids, Some(groups), Attributes::none(6)).unwrap();
    items.with_names(["Uno", " Due\n  volte", "two", "", "Uno", "six"]).unwrap()
}

#[test]
fn an_id_goes_before_a_name() {
    let items = named();
    let found = |word, group| items.find_called(word, group);
    assert_eq!(found("two", None), Lookup::Found(ItemId(1)));
    assert_eq!(found("Due volte", None), Lookup::Found(ItemId(1)));
    assert_eq!(found("Due  volte ", None), Lookup::Found(ItemId(1)));
    assert_eq!(found("one", None), Lookup::Ambiguous(vec![ItemId(0), ItemId(3)]));
    assert_eq!(found("Uno", None), Lookup::Ambiguous(vec![ItemId(0), ItemId(4)]));
    assert_eq!(found("Uno", Some("b")), Lookup::Found(ItemId(4)));
    assert_eq!(found("six", Some("b")), Lookup::Found(ItemId(5)));
    assert_eq!([found("", None), found("uno", None)], [Lookup::Unknown, Lookup::Unknown]);
    // Files say ids.
    assert_eq!(items.find("Uno", Some("b")), Lookup::Unknown);
    let error = input(named_item(&items, "a request", "Uno", None).unwrap_err());
    assert_eq!(
        error.hint.unwrap(),
        "2 items have this name; write the id of one: one in the group a, five in the group b"
    );
    assert!(named_pair(&items, "a request", ["Uno", "five"], Some("b")).is_err(), "one item twice");
}

/// A label says which item of the group is meant, whatever the names: by brute force over all items, no two of a group share one.
#[test]
fn labels_are_of_one_item() {
    let items = named();
    let labels: Vec<String> = items.iter().map(|item| items.label(item).into_owned()).collect();
    assert_eq!(labels, ["Uno", "Due volte", "two (three)", "one", "Uno", "six"]);
    let many = ["a", "b", "a", "", "c d", "e"];
    for shift in 0..many.len() {
        let names: Vec<&str> = many.iter().cycle().skip(shift).take(many.len()).copied().collect();
        let items = Items::from_ids(["a", "x", "b", "c d", "y", "z"]).unwrap().with_names(&names).unwrap();
        for item in items.iter() {
            let label = items.label(item);
            assert_eq!(items.iter().filter(|other| items.label(*other) == label).count(), 1, "{names:?}");
            // A label without an id behind it is enough to find the item.
            assert!(
                label.ends_with(')') || items.find_called(&label, None) == Lookup::Found(item),
                "{label} of {names:?}"
            );
        }
    }
    assert_eq!(
        [quoted_in_list("a, b"), quoted_in_list("ab"), quoted_in_list("\"a\"")],
        ["\"a, b\"", "ab", "\"\"\"a\"\"\""]
    );
    assert!(Items::from_ids(["a"]).unwrap().with_names(["x", "y"]).is_err());
    // Names follow items.
    let joined =
        items.joined(&Items::new(vec!["new".into()], Some(Groups::new(["a"])), Attributes::none(1)).unwrap()).unwrap();
    assert_eq!([joined.name(ItemId(0)), joined.name(ItemId(6))], ["Uno", "new"]);
    assert!(!joined.without_names().has_names());
}

fn row(id: &str, x: &str) -> Table {
    Table::given("a request", vec!["id".into(), "x".into()], &[vec![id.into(), x.into()]]).unwrap()
}

/// New items are the last ones, for whoever added them and whoever comes later.
#[test]
fn new_items_come_last() {
    let folder = Folder::new();
    let (mut one, mut other) = (Recorder::open(folder.path("")).unwrap(), Recorder::open(folder.path("")).unwrap());
    assert_eq!(one.add(&row("new", "0.5")).unwrap(), [ItemId(12)]);
    // The other sees what the first one added.
    assert_eq!(other.add(&row("newer", "0.7")).unwrap(), [ItemId(13)]);
    assert_eq!(other.items().ids()[11..], ["i11", "new", "newer"]);
    assert_eq!(input(other.add(&row("new", "1")).unwrap_err()).line, None);
    let project = folder.open();
    assert_eq!(project.items().ids(), other.items().ids());
    project.fit(Inference::Ep, &Watch::NONE).unwrap();
    // A table that somebody rewrote meanwhile is not the one whose items the answers are about.
    let text = folder.read("items.csv").replace("i3,", "i33,");
    folder.write("items.csv", &text);
    folder.write("answers.csv", "first,second,outcome\ni0,i1,first\n");
    assert_eq!(input(other.add(&row("last", "1")).unwrap_err()).found.unwrap(), "other items");
    assert_eq!(folder.read("items.csv"), text);
}

/// An admitted item has its row only once there is an answer about it, and not if the table changed meanwhile.
#[test]
fn an_admitted_item_comes_with_its_answer() {
    let folder = Folder::new();
    folder.write("ordain.toml", &folder.read("ordain.toml").replace("[items]", "[items]\nmissing = \"mean\""));
    let before = folder.read("items.csv");
    let mut recorder = Recorder::open(folder.path("")).unwrap();
    recorder.admit(&["new"], None).unwrap();
    assert_eq!(folder.read("items.csv"), before);
    let (new, i0) = named_pair(recorder.items(), "a request", ["new", "i0"], None).unwrap();
    let answer = || Entry::Answer(Answer::new(new, Some(i0), Outcome::First).unwrap());
    assert!(recorder.record(Entry::Answer(Answer::new(new, Some(i0), Outcome::Tie).unwrap())).is_err());
    assert_eq!(folder.read("items.csv"), before);
    let mut other = Recorder::open(folder.path("")).unwrap();
    other.add(&row("quick", "1")).unwrap();
    assert_eq!(input(recorder.record(answer()).unwrap_err()).found.unwrap(), "other items");
    assert_eq!(folder.read("items.csv"), format!("{before}quick,1\n"));
    assert_eq!(folder.read("answers.csv").lines().count(), 2);
    let mut recorder = Recorder::open(folder.path("")).unwrap();
    recorder.admit(&["new"], None).unwrap();
    let (new, i0) = named_pair(recorder.items(), "a request", ["new", "i0"], None).unwrap();
    recorder.record(Entry::Answer(Answer::new(new, Some(i0), Outcome::First).unwrap())).unwrap();
    assert_eq!(folder.read("items.csv"), format!("{before}quick,1\nnew,\n"));
    assert_eq!(folder.open().model().answers().count(), 2);
}

/// Skips are no answers, for the log, the recorder, the session, its forecast and the fit.
#[test]
fn skips_do_not_count() {
    let folder = Folder::new();
    let mut project = folder.open();
    for outcome in [Outcome::Skip, Outcome::First, Outcome::Skip, Outcome::Second] {
        let question = project.ask().unwrap().unwrap();
        project.tell(question.answer(outcome).unwrap()).unwrap();
    }
    let session = project.session().unwrap();
    assert_eq!((session.learned(), session.answers().len()), (3, 5));
    let asking = project.asking().unwrap();
    let fitted = project.fit(Inference::Ep, &Watch::NONE).unwrap();
    assert_eq!(fitted.learned(), 3);
    let ranking = fitted.rank(&Default::default()).unwrap();
    let foreseen = fitted.forecast(&ranking, &asking, ordain::active::Effort::Whole, &Watch::NONE).unwrap().unwrap();
    assert_eq!(foreseen.given, 3);
    assert_eq!(project.model().answers().count(), 3);
    assert_eq!(Recorder::open(folder.path("")).unwrap().learned(), 3);
    // An undo takes back an answer that counts.
    let mut again = folder.open();
    again.undo(None, None).unwrap();
    assert_eq!(again.model().answers().count(), 2);
}
