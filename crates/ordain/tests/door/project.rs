//! A model in a folder.

use std::fs;

use ordain::active::AskOptions;
use ordain::data::{Answer, Ask, Entry, Goal, Outcome};
use ordain::formats::{named_pair, read_project, write_ask};
use ordain::gp::TuningParams;
use ordain::kernel::Parameter;
use ordain::{Error, Inference, Recorder, Watch};
use proptest::prelude::*;

use super::Folder;

/// Whoever comes back finds what was there: questions, belief and answers to the bit.
#[test]
fn reopening_equals_going_on() {
    let folder = Folder::new();
    let mut live = folder.open();
    for at in 0..12 {
        let question = live.ask().unwrap().unwrap();
        let outcome = [Outcome::First, Outcome::Second, Outcome::Skip][at % 3];
        live.tell(question.answer(outcome).unwrap().by("ann").at("noon")).unwrap();
        if at % 4 == 3 {
            let taken = live.undo(Some("ann"), None).unwrap().unwrap();
            assert_eq!(taken.outcome, outcome);
        }
        let mut again = folder.open();
        assert_eq!(again.ask().unwrap(), live.ask().unwrap());
        assert_eq!(again.model().answers(), live.model().answers());
        let mean = |project: &mut ordain::Project| project.session().unwrap().belief().mean().to_vec();
        assert_eq!(mean(&mut again), mean(&mut live));
    }
    assert_eq!(folder.read("answers.csv").lines().count(), 1 + 1 + 12 + 3);
    assert_eq!(live.undo(Some("nobody"), None).unwrap(), None);
}

/// What cannot be put on the disk is not believed either, and what cannot be learned is not put on the disk.
#[test]
fn nothing_is_half_done() {
    let folder = Folder::new();
    let mut project = folder.open();
    let question = project.ask().unwrap().unwrap();
    let before = (folder.read("answers.csv"), project.session().unwrap().belief().mean().to_vec());
    // A tie has no width here.
    let tie = question.answer(Outcome::Tie).unwrap();
    assert!(project.tell(tie).is_err());
    // A judge whose name is two lines cannot be written.
    let two_lines = question.answer(Outcome::First).unwrap().by("a\nb");
    assert!(project.tell(two_lines).is_err());
    assert_eq!((folder.read("answers.csv"), project.session().unwrap().belief().mean().to_vec()), before);
    assert_eq!(project.ask().unwrap(), Some(question));
    fs::remove_file(folder.path("answers.csv")).unwrap();
    fs::create_dir(folder.path("answers.csv")).unwrap();
    assert!(project.tell(question.answer(Outcome::First).unwrap()).is_err());
    assert_eq!(project.session().unwrap().belief().mean(), before.1);
}

/// An undo takes back the answer that it says. Where another process answered meanwhile under the same name, it refuses.
#[test]
fn an_undo_takes_back_what_it_says() {
    let folder = Folder::new();
    let mut one = folder.open();
    let mut other = folder.open();
    let question = one.ask().unwrap().unwrap();
    one.tell(question.answer(Outcome::First).unwrap()).unwrap();
    other.tell(question.answer(Outcome::Second).unwrap()).unwrap();
    let before = folder.read("answers.csv");
    let Error::Input(error) = one.undo(None, None).unwrap_err() else { panic!() };
    assert!(error.hint.unwrap().contains("somebody else answered meanwhile"));
    assert_eq!(folder.read("answers.csv"), before);
    assert_eq!(one.session().unwrap().answers().len(), 2, "nothing was taken back here either");
    let taken = other.undo(None, None).unwrap().unwrap();
    assert_eq!(taken.outcome, Outcome::Second);
    assert_eq!(folder.open().model().answers().standing().len(), 2);
}

/// Recording checks what an opened project would: groups, items, one item or two; and an empty name is no judge.
#[test]
fn recording_checks_items_and_judges() {
    let folder = Folder::new();
    folder.write("items.csv", "id,q,x\na,1,1\nb,1,2\na,2,3\nc,2,4\n");
    folder.write("ordain.toml", "[items]\nfile = \"items.csv\"\ngroup = \"q\"\n[[kernel]]\nkind = \"independent\"\n");
    fs::remove_file(folder.path("answers.csv")).unwrap();
    let mut recorder = Recorder::open(folder.path("")).unwrap();
    let item = ordain::data::ItemId::new;
    let answer = |first, second| Answer::new(item(first), Some(item(second)), Outcome::First).unwrap();
    for wrong in [
        answer(0, 3),
        answer(0, 9),
        Answer { second: None, ..answer(0, 1) },
        Answer { second: Some(item(0)), ..answer(0, 1) },
    ] {
        assert!(recorder.record(Entry::Answer(wrong)).is_err());
    }
    assert!(!folder.path("answers.csv").exists());
    recorder.record(Entry::Answer(Answer { judge: Some(String::new()), ..answer(2, 3) })).unwrap();
    recorder.record(Entry::Undo { judge: Some(String::new()), time: None }).unwrap();
    assert!(recorder.answers().standing().is_empty() && folder.open().model().answers().standing().is_empty());
}

/// A recorder that stays open knows after an undo what the log says, whoever answered meanwhile.
#[test]
fn a_recorder_follows_the_log() {
    let folder = Folder::new();
    let item = ordain::data::ItemId::new;
    let answer = |second| Entry::Answer(Answer::new(item(0), Some(item(second)), Outcome::First).unwrap());
    let mut one = Recorder::open(folder.path("")).unwrap();
    one.record(answer(1)).unwrap();
    Recorder::open(folder.path("")).unwrap().record(answer(2)).unwrap();
    one.record(Entry::Undo { judge: None, time: None }).unwrap();
    assert_eq!(one.answers(), folder.open().model().answers());
    assert_eq!(one.answers().standing().len(), 2, "the answer of the log and ours: the other one is taken back");
}

/// A tie that somebody recorded before ties lost their width can be taken back.
#[test]
fn a_tie_without_width_can_be_taken_back() {
    let folder = Folder::new();
    folder.write("answers.csv", "first,second,outcome,judge,time\ni0,i3,tie,ann,\n");
    let mut project = folder.open();
    assert!(project.ask().is_err());
    assert_eq!(project.undo(Some("ann"), None).unwrap().unwrap().outcome, Outcome::Tie);
    assert!(project.ask().unwrap().is_some());
    folder.write("answers.csv", "first,second,outcome,judge,time\ni0,i3,tie,ann,\n");
    let mut recorder = Recorder::open(folder.path("")).unwrap();
    recorder.record(Entry::Undo { judge: Some("ann".into()), time: None }).unwrap();
    assert!(folder.open().ask().unwrap().is_some());
}

/// Recording needs ids and the log alone: neither links nor attributes are looked at.
#[test]
fn recording_reads_neither_links_nor_attributes() {
    let folder = Folder::new();
    folder.write("links.csv", "\u{0}this is, no table\nof links");
    folder.write("items.csv", &folder.read("items.csv").replace("-1.4", "wide"));
    assert!(ordain::Project::open(folder.path("")).is_err());
    let mut recorder = Recorder::open(folder.path("")).unwrap();
    let (first, second) = named_pair(recorder.items(), "here", ["i1", "i2"], None).unwrap();
    let answer = |outcome| Entry::Answer(Answer::new(first, Some(second), outcome).unwrap());
    recorder.record(answer(Outcome::First)).unwrap();
    assert!(recorder.record(answer(Outcome::Tie)).is_err());
    assert!(recorder.record(Entry::Undo { judge: Some("bob".into()), time: None }).is_err());
    recorder.record(Entry::Undo { judge: None, time: None }).unwrap();
    let expected = "first,second,outcome,judge,time\ni0,i3,first,ann,\ni1,i2,first,,\n,,undo,,\n";
    assert_eq!(folder.read("answers.csv"), expected);
    assert_eq!(recorder.answers().standing().len(), 1);
}

#[test]
fn ties_are_asked_a_width() {
    let folder = Folder::new();
    folder.write("answers.csv", "first,second,outcome,judge,time\ni0,i3,tie,,\n");
    let mut project = folder.open();
    for error in [project.fit(Inference::Ep, &Watch::NONE).err().unwrap(), project.ask().unwrap_err()] {
        let Error::Input(error) = error else { panic!("{error}") };
        assert_eq!(error.column.as_deref(), Some("tie_width"));
        assert!(error.hint.unwrap().contains("tie_width = 0.2"));
    }
}

/// A strategy that the project names wrongly is shown with its place and the nearest name.
#[test]
fn wrong_settings_have_a_place() {
    let folder = Folder::new();
    folder.write("ordain.toml", &(folder.read("ordain.toml") + "strategy = \"entropi\"\n"));
    let Error::Input(error) = folder.open().asking().unwrap_err() else { panic!() };
    assert_eq!((error.line, error.column.as_deref()), (Some(18), Some("strategy")));
    assert!(error.hint.unwrap().contains("did you mean \"entropy\"?"));
    folder.open().set_options(AskOptions::default().with_strategy(Some("random".into()))).unwrap();
}

#[test]
fn pools_are_read_with_their_lines() {
    let folder = Folder::new();
    folder.write("pool.csv", "first,second\ni0,i1\ni4,i5\n");
    let mut project = folder.open();
    project.set_pool(folder.path("pool.csv")).unwrap();
    let question = project.ask().unwrap().unwrap();
    let ids = [question.first, question.second].map(|item| project.items().id(item).to_owned());
    let pair = ["i0", "i1"].map(str::to_owned);
    let other = ["i4", "i5"].map(str::to_owned);
    let asked = {
        let mut asked = ids;
        asked.sort();
        asked
    };
    assert!(asked == pair || asked == other, "{asked:?}");
    assert_eq!(project.pool().unwrap().len(), 2);
    project.set_pairs(None).unwrap();
    assert!(project.pool().is_none() && project.set_pairs(Some(vec![(question.first, question.first)])).is_err());
    folder.write("pool.csv", "first,second\ni0,i1\ni4,i99\n");
    let Error::Input(error) = project.set_pool(folder.path("pool.csv")).unwrap_err() else { panic!() };
    assert_eq!((error.line, error.found.as_deref()), (Some(3), Some("i99")));
}

/// Tuned values are in the file, the rest of which stays; the project goes on with them, and can save again.
#[test]
fn what_was_tuned_is_saved_and_used() {
    let folder = Folder::new();
    let mut project = folder.open();
    let tuned = project.tune(&TuningParams::default().with_restarts(0)).unwrap();
    let values: Vec<Parameter> =
        tuned.parameters.iter().map(|one| Parameter { name: one.name.clone(), value: 0.123_456_789 }).collect();
    project.save(&values).unwrap();
    assert_eq!(project.model().kernels(), folder.open().model().kernels());
    project.save(&[Parameter { name: "kernel[2].weight".into(), value: 0.25 }]).unwrap();
    assert_eq!(folder.open().model().kernels()[2].weight, 0.25);
    let text = folder.read("ordain.toml");
    assert!(text.contains("# My project.\n") && text.contains("[[kernel]] # by x\n"), "{text}");
    fs::write(folder.path("ordain.toml"), text + "\n").unwrap();
    assert!(project.save(&values).is_err(), "somebody else has changed the file");
}

fn asks() -> impl Strategy<Value = Ask> {
    let goal = prop_oneof![
        Just(Goal::Best),
        Just(Goal::WholeOrder),
        Just(Goal::TopHeavy),
        (1_usize..=12).prop_map(|k| Goal::Top { k })
    ];
    let strategy = prop_oneof![Just(None), Just(Some("expected-loss".to_owned())), Just(Some("look-ahead".to_owned()))];
    let parts = (goal, strategy, proptest::option::of(0.0..5.0_f64), any::<bool>(), any::<bool>(), any::<u32>());
    parts.prop_map(|(goal, strategy, focus, repeat, grades, seed)| {
        let mut ask = Ask::default();
        // Without a strategy, a focus means one that has a focus.
        (ask.goal, ask.strategy, ask.focus, ask.repeat, ask.seed) = (goal, strategy, focus, repeat, u64::from(seed));
        ask.with_grades(grades)
    })
}

/// Settings that a project file cannot hold are refused, and the file stays as it is.
#[test]
fn asking_that_cannot_be_read_back_is_refused() {
    let folder = Folder::new();
    let before = folder.read("ordain.toml");
    let mut file = read_project(folder.path("")).unwrap().file;
    let mut none = Ask::default();
    none.goal = Goal::Top { k: 0 };
    let mut nameless = Ask::default();
    nameless.strategy = Some(String::new());
    let mut endless = Ask::default();
    endless.focus = Some(f64::INFINITY);
    for ask in [none, nameless, endless] {
        let error = write_ask(&mut file, &ask).unwrap_err();
        assert!(matches!(error, Error::Input(_)) && error.hint().unwrap().contains("stays as it is"), "{error}");
        assert_eq!(folder.read("ordain.toml"), before);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is saved is read back, whatever stood there before; everything else in the file stays.
    #[test]
    fn asking_is_saved(first in asks(), second in asks(), form in 0..5) {
        let folder = Folder::new();
        let text = folder.read("ordain.toml");
        let (head, _) = text.split_once("[ask]").unwrap();
        folder.write("ordain.toml", &match form {
            0 => text.clone(),
            1 => head.to_owned(),
            2 => format!("{head}[ask]\r\ngoal = \"top\" # few\r\nk = 4\r\n# the end\r\n"),
            3 => format!("ask = {{ goal = \"best\", seed = 3 }}\n{head}"),
            _ => format!("ask.goal = \"best\" # dotted\nask.focus = 0.3\n{head}"),
        });
        let before = folder.read("ordain.toml");
        let mut project = folder.open();
        project.save_ask(first.clone()).unwrap();
        prop_assert_eq!(&read_project(folder.path("")).unwrap().ask, &first);
        project.save_ask(second.clone()).unwrap();
        let after = read_project(folder.path("")).unwrap();
        prop_assert_eq!(&after.ask, &second);
        prop_assert_eq!(&after.kernels, project.model().kernels());
        let lines = folder.read("ordain.toml");
        for line in before.lines().filter(|line| !line.contains('=') || line.contains("kind")) {
            prop_assert!(lines.lines().any(|other| other == line), "{line:?} is gone from {lines:?}");
        }
    }
}
