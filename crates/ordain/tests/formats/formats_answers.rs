//! Reading answers.

use ordain::data::{Answer, AnswerLog, Entry, ItemId, Items, Outcome};
use ordain::formats::{ItemsSpec, read_answer_ids, read_answer_items, read_answers, read_gold, read_items};

use crate::{Folder, check, input};

fn items() -> Items {
    Items::from_ids(["lamp", "chair", "table"]).unwrap()
}

fn pairs(log: &AnswerLog) -> Vec<(u32, Option<u32>, Outcome)> {
    log.standing().iter().map(|answer| (answer.first.0, answer.second.map(|item| item.0), answer.outcome)).collect()
}

#[test]
fn every_layout_is_read() {
    use Outcome::{Bad, First, Second, Tie};
    let folder = Folder::new();
    let read = |text: &str| pairs(&read_answers(folder.write("a.csv", text), &items()).unwrap());
    let expected = [(0, Some(1), First), (0, Some(1), Second), (1, Some(2), Tie)];
    assert_eq!(read("first,second,outcome\nlamp,chair,first\nlamp,chair,second\nchair,table,tie\n"), expected);
    assert_eq!(read("left,right,winner\nlamp,chair,left\nlamp,chair,chair\nchair,table,tie\n"), expected);
    assert_eq!(read("worker,left,right,label\n7,lamp,chair,1\n7,lamp,chair,2\n8,chair,table,0\n"), expected);
    assert_eq!(read("worker,left,right,label\n7,lamp,chair,lamp\n7,lamp,chair,right\n8,chair,table,equal\n"), expected);
    assert_eq!(read("Winner,LOSER\nlamp,chair\nchair,table\n"), [(0, Some(1), First), (1, Some(2), First)]);
    let arena = "model_a,model_b,winner,judge,turn,tstamp\nlamp,chair,model_a,j,1,5.5\nlamp,chair,model_b,j,1,6\n\
        chair,table,tie,j,1,7\nlamp,table,tie (bothbad),k,1,8\n";
    let bad = [(0, None, Bad), (2, None, Bad)];
    assert_eq!(read(arena), [&expected[..], &bad].concat());
    for spelling in ["both_bad", "bothbad", "tie (bothbad)", "Both_Bad"] {
        assert_eq!(read(&arena.replace("tie (bothbad)", spelling)), [&expected[..], &bad].concat());
    }
    let log = read_answers(folder.write("a.csv", arena), &items()).unwrap();
    let Entry::Answer(last) = &log.entries()[4] else { panic!("an answer") };
    assert_eq!((last.judge.as_deref(), last.time.as_deref()), (Some("k"), Some("8")));
    assert_eq!(read("{\"winner\": \"lamp\", \"loser\": \"chair\"}\n"), [(0, Some(1), First)]);
    assert_eq!(read("first\tsecond\toutcome\tnote\nlamp\tchair\tfirst\t\"\n"), [(0, Some(1), First)]);
}

/// Strengths, probabilities and votes: in the log, and in tables of probabilities and of votes.
#[test]
fn soft_answers_are_read() {
    let folder = Folder::new();
    let read = |text: &str| pairs(&read_answers(folder.write("a.csv", text), &items()).unwrap());
    let outcome = |text: &str| text.parse::<Outcome>().unwrap();
    let words = ["first>", "SECOND>>", "first:0.8", "second:0.8", "7:3", "7:2:3", "first:1", "0:0:1"];
    let log: String = words.iter().map(|word| format!("lamp,chair,{word}\n")).collect();
    let expected: Vec<Outcome> = words.iter().map(|word| outcome(&word.to_lowercase())).collect();
    let found: Vec<Outcome> = read(&format!("first,second,outcome\n{log}")).into_iter().map(|one| one.2).collect();
    assert_eq!(found, expected);
    let stated = read("judge,first,second,probability\nann,lamp,chair,0.8\nann,chair,table,0\nann,lamp,table,1\n");
    let one = |word: &str| outcome(word);
    assert_eq!(stated, [(0, Some(1), one("first:0.8")), (1, Some(2), Outcome::Second), (0, Some(2), Outcome::First)]);
    let voted = "model_a,model_b,votes_a,votes_b\nlamp,chair,7,3\nchair,table,0,12\n";
    assert_eq!(read(voted), [(0, Some(1), one("7:3")), (1, Some(2), one("0:12"))]);
    let tied = "votes_tie,model_a,model_b,votes_a,votes_b\n2,lamp,chair,7,3\n";
    assert_eq!(read(tied), [(0, Some(1), one("7:2:3"))]);
    // A winner beside the votes is the answer.
    assert_eq!(read("model_a,model_b,winner,votes_a,votes_b\nlamp,chair,tie,7,3\n"), [(0, Some(1), Outcome::Tie)]);
}

#[test]
fn soft_answers_that_are_wrong_say_where() {
    let folder = Folder::new();
    let read = |text: &str| input(read_answers(folder.write("a.csv", text), &items()), "a.csv");
    let head = "first,second,outcome\nlamp,chair,first\n";
    for (cell, expected) in [
        ("first:1.2", "a probability from 0 to 1"),
        ("first:x", "a probability from 0 to 1"),
        ("0:0", "at least one vote"),
        ("-1:3", "whole numbers of votes that are not negative"),
        ("2000000:1", "at most 1000000 votes of a kind"),
    ] {
        let error = read(&format!("{head}lamp,table,{cell}\n"));
        check(&error, 3, "outcome", cell, "write for example");
        assert_eq!(error.expected, expected);
    }
    check(&read(&format!("{head}lamp,table,fisrt>>\n")), 3, "outcome", "fisrt>>", "did you mean \"first>>\"?");
    let error = read("first,second,probability\nlamp,chair,80%\n");
    check(&error, 2, "probability", "80%", "write for example 0.8");
    let votes = "model_a,model_b,votes_a,votes_b\n";
    let error = read(&format!("{votes}lamp,chair,0,0\n"));
    assert_eq!((error.line, error.expected.as_str()), (Some(2), "at least one vote"));
    let error = read(&format!("{votes}lamp,chair,7,-3\n"));
    assert_eq!((error.column.as_deref(), error.found.as_deref()), (Some("votes_b"), Some("-3")));
    assert_eq!(error.expected, "a whole number of votes from 0 to 1000000");
    // Tables that hold no more than a winner say which ones do.
    let hold = "first,second,outcome hold strengths, probabilities and votes";
    check(&read("model_a,model_b,winner\nlamp,chair,first:0.8\n"), 2, "winner", "first:0.8", hold);
}

/// Gold pairs in any form; what contradicts itself names both lines.
#[test]
fn gold_is_read_or_refused_with_both_lines() {
    let folder = Folder::new();
    let read = |text: &str| read_gold(folder.write("gold.csv", text), &items());
    let (lamp, chair, table) = (ItemId(0), ItemId(1), ItemId(2));
    let gold = read("first,second,outcome\nlamp,chair,first>>\nchair,lamp,second\ntable,chair,3:3\n").unwrap();
    assert_eq!(gold.pairs(), [(lamp, chair), (table, chair)]);
    assert_eq!(gold.known(lamp, chair), Some(Outcome::First));
    assert_eq!(gold.known(chair, lamp), Some(Outcome::Second));
    assert_eq!(gold.known(chair, table), Some(Outcome::Tie));
    assert_eq!(gold.known(lamp, table), None);
    assert_eq!(read("winner,loser\nlamp,chair\n").unwrap().pairs(), [(lamp, chair)]);
    let refused = |text: &str| input(read(text), "gold.csv");
    let error = refused("first,second,outcome\nlamp,chair,first\ntable,chair,tie\nchair,lamp,first:0.8\n");
    assert_eq!((error.line, error.found.as_deref()), (Some(4), Some("first:0.8")));
    assert_eq!(error.expected, "\"second\", which line 2 says of the same pair");
    for (line, found) in [("lamp,,good", "good"), ("lamp,chair,skip", "skip"), ("lamp,,grade:4", "grade:4")] {
        let error = refused(&format!("first,second,outcome\n{line}\n"));
        assert_eq!((error.line, error.found.as_deref()), (Some(2), Some(found)));
    }
    assert_eq!(refused("first,second,outcome\nlamp,chair,first\n,,undo\n").line, Some(3));
    assert!(refused("first,second,outcome\n").hint.unwrap().contains("one line per pair"));
}

#[test]
fn the_log_has_all_outcomes() {
    let folder = Folder::new();
    let text = "first,second,outcome,judge,time,page\nlamp,chair,first,ann,1,x\nlamp,,good,ann,2,\ntable,,bad,bob,3,\n\
        lamp,table,skip,,4,\n,,undo,ann,5,\nchair,table,second,,6,\n";
    let log = read_answers(folder.write("a.csv", text), &items()).unwrap();
    assert_eq!(log.entries().len(), 6);
    assert_eq!(
        pairs(&log),
        [
            (0, Some(1), Outcome::First),
            (2, None, Outcome::Bad),
            (0, Some(2), Outcome::Skip),
            (1, Some(2), Outcome::Second)
        ]
    );
    assert!(matches!(&log.entries()[4], Entry::Undo { judge: Some(judge), .. } if judge == "ann"));
}

#[test]
fn answers_that_are_wrong_say_where() {
    let folder = Folder::new();
    let read = |text: &str| {
        let path = folder.write("a.csv", text);
        let before = folder.snapshot();
        let result = read_answers(path, &items());
        assert_eq!(folder.snapshot(), before);
        result
    };
    let head = "first,second,outcome,judge\n";
    check(&input(read(&format!("{head}lamp,chiar,first,\n")), "a.csv"), 2, "second", "chiar", "\"chair\"");
    check(&input(read(&format!("{head}lamp,chair,tie,\nlamp,lamp,first,\n")), "a.csv"), 3, "second", "lamp", "itself");
    check(&input(read(&format!("{head}lamp,chair,fisrt,\n")), "a.csv"), 2, "outcome", "fisrt", "\"first\"");
    check(&input(read(&format!("{head}lamp,chair,good,\n")), "a.csv"), 2, "second", "chair", "about one item");
    check(&input(read(&format!("{head}lamp,,first,\n")), "a.csv"), 2, "second", "", "");
    check(&input(read(&format!("{head}lamp,,undo,\n")), "a.csv"), 2, "first", "lamp", "names no items");
    let undo = format!("{head}lamp,chair,first,ann\n\n,,undo,bob\n");
    check(&input(read(&undo), "a.csv"), 4, "outcome", "undo", "nothing to take back");
    let error = input(read("winer,loser\nlamp,chair\n"), "a.csv");
    assert_eq!((error.line, error.found.as_deref()), (Some(1), Some("winer,loser")));
    for known in
        ["first,second,outcome", "model_a,model_b,winner", "left,right,winner", "left,right,label", "winner,loser"]
    {
        assert!(error.hint.as_deref().unwrap().contains(known));
    }
    check(&input(read("left,right,winner\nlamp,chair,table\n"), "a.csv"), 2, "winner", "table", "left, right, tie");
    assert_eq!(input(read(""), "a.csv").found.as_deref(), Some("an empty file"));
}

#[test]
fn a_torn_last_line_is_never_an_answer() {
    let folder = Folder::new();
    for (text, line) in [
        ("winner,loser\nlamp,chair\nlamp,table", 3),
        ("first,second,outcome,judge,time\nlamp,chair,first,ann,2024-0", 2),
        ("winner,loser", 1),
        ("winner,loser\nlamp,\"chair", 2),
        ("{\"winner\":\"lamp\",\"loser\":\"chair\"}", 1),
    ] {
        let path = folder.write("a.csv", text);
        let error = input(read_answers(&path, &items()), "a.csv");
        assert_eq!((error.line, error.found.as_deref()), (Some(line), Some("a torn line")));
        assert!(error.hint.unwrap().contains("delete the line"));
        assert!(read_answer_ids(&path).is_err());
    }
}

#[test]
fn verdicts_that_are_ids_and_words_follow_the_file() {
    let folder = Folder::new();
    let items = Items::from_ids(["1", "2", "3", "left"]).unwrap();
    let read = |text: &str| read_answers(folder.write("a.csv", text), &items);
    // The second row only makes sense as an id, so the first is one too.
    assert_eq!(pairs(&read("left,right,label\n2,1,1\n2,3,3\n").unwrap())[0].2, Outcome::Second);
    // The second row only makes sense as a position.
    assert_eq!(pairs(&read("left,right,label\n2,1,1\n3,left,2\n").unwrap())[0].2, Outcome::First);
    check(&input(read("left,right,label\n2,1,1\n"), "a.csv"), 2, "label", "1", "rename");
    check(&input(read("left,right,winner\n1,left,left\n"), "a.csv"), 2, "winner", "left", "rename");
}

#[test]
fn groups_are_kept_apart() {
    let folder = Folder::new();
    let spec = ItemsSpec { group: Some("q".into()), ..ItemsSpec::default() };
    let items = read_items(folder.write("items.csv", "id,q\na,1\nb,1\na,2\nc,2\n"), &spec).unwrap().items;
    let read = |text: &str| read_answers(folder.write("a.csv", text), &items);
    check(&input(read("winner,loser\na,b\n"), "a.csv"), 2, "winner", "a", "\"group\"");
    check(&input(read("winner,loser\nb,c\n"), "a.csv"), 2, "loser", "c", "one group");
    assert_eq!(pairs(&read("winner,loser,group\na,c,2\n").unwrap()), [(2, Some(3), Outcome::First)]);
}

#[test]
fn items_can_come_from_answers_alone() {
    let folder = Folder::new();
    let text = "model_a,model_b,winner\nb,a,model_a\na,c,tie\n";
    let path = folder.write("battles.csv", text);
    assert_eq!(read_answer_ids(&path).unwrap(), ["b", "a", "c"]);
    let items = read_answer_items(&path).unwrap();
    assert_eq!(read_answers(&path, &items).unwrap().entries().len(), 2);
    let path = folder.write("grouped.csv", "winner,loser,group\na,b,1\na,c,2\n");
    let items = read_answer_items(&path).unwrap();
    assert_eq!((items.len(), items.groups().unwrap().len()), (4, 2));
    let log = read_answers(&path, &items).unwrap();
    let first = Answer::new(ItemId(2), Some(ItemId(3)), Outcome::First).unwrap();
    assert_eq!(log.standing()[1], &first);
    assert!(input(read_answer_items(folder.write("none.csv", "winner,loser\n")), "none.csv").found.is_some());
}
