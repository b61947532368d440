//! The answer log against a model of it: writers that stay open, undo, readers, other tools that replace the log, crashes, in
//! random interleavings. What was acknowledged stands in the log once, in its judge's order; what was refused does not.
//!
//! `PROPTEST_CASES` says how many interleavings there are.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ordain::data::{Answer, Entry, ItemId, Items, Outcome};
use ordain::formats::{AnswerWriter, read_answers};
use ordain::{Error, Result};
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use tempfile::TempDir;

const WRITERS: usize = 3;
const ITEMS: u32 = 4;

/// The first judge is nobody.
const JUDGES: [Option<&str>; 4] = [None, Some("ann"), Some("bo, \"b\""), Some("çe")];

/// The columns under which other tools write the log again.
const COLUMNS: [&str; 3] =
    ["first,second,outcome,judge,time", "time,judge,page,outcome,second,first", "outcome,first,second,note,judge,time"];

fn items() -> Items {
    Items::from_ids((0..ITEMS).map(|item| format!("item {item}"))).unwrap()
}

/// What a writer is asked to do.
#[derive(Debug, Clone)]
enum Work {
    Answer {
        judge: usize,
        first: u32,
        step: u32,
        outcome: usize,
    },
    /// Takes back the judge's latest answer that this writer knows.
    Undo {
        judge: usize,
    },
}

#[derive(Debug, Clone)]
enum Transition {
    /// The writer's process starts again.
    Open {
        writer: usize,
    },
    /// The writer reads the log.
    Read {
        writer: usize,
    },
    Work {
        writer: usize,
        work: Work,
    },
    /// Another tool takes the lock, puts a copy with other columns in the place of the log, and lets go.
    Replace {
        columns: usize,
    },
    /// The same while a writer waits for the lock.
    ReplaceBefore {
        columns: usize,
        writer: usize,
        work: Work,
    },
    /// Every writer works for a judge of its own at the same time, while another tool replaces the log over and over.
    Together {
        answers: [usize; WRITERS],
    },
    /// The machine stops while somebody writes: only part of the line is on the disk. All of it may be, unacknowledged. The test
    /// leaves such a line itself; what a writer leaves that is killed is the matter of the command's tests.
    Crash {
        part: f64,
        work: Work,
    },
    /// A person deletes the torn line.
    Mend,
    Empty,
    Remove,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Missing,
    Empty,
    Whole,
    Torn,
}

#[derive(Debug, Clone)]
struct Model {
    form: Form,
    columns: usize,
    /// What each judge did, in order.
    log: BTreeMap<usize, Vec<Entry>>,
    /// Whether each writer has seen a header.
    begun: [bool; WRITERS],
    /// The judges' latest standing answers as each writer knows them.
    known: [BTreeMap<usize, Answer>; WRITERS],
    /// The number of entries so far; each has its own as its time.
    number: usize,
    /// What the latest transition writes, if it is one entry.
    entry: Option<Entry>,
    /// Whether it is acknowledged.
    acknowledged: bool,
}

fn standing(entries: &[Entry]) -> Vec<Answer> {
    let mut standing = Vec::new();
    for entry in entries {
        match entry {
            Entry::Answer(answer) => standing.push(answer.clone()),
            Entry::Undo { .. } => drop(standing.pop()),
        }
    }
    standing
}

impl Model {
    fn latest(&self, judge: usize) -> Option<Answer> {
        standing(self.log.get(&judge)?).pop()
    }

    fn entry(&mut self, work: &Work) -> Entry {
        self.number += 1;
        let time = Some(format!("t{}", self.number));
        match *work {
            Work::Answer { judge, first, step, outcome } => {
                let outcome =
                    [Outcome::First, Outcome::Second, Outcome::Tie, Outcome::Skip, Outcome::Grade(4)][outcome];
                let second = (!outcome.is_single()).then_some(ItemId((first + step) % ITEMS));
                let answer = Answer::new(ItemId(first), second, outcome).unwrap();
                Entry::Answer(Answer { judge: JUDGES[judge].map(str::to_owned), time, ..answer })
            }
            Work::Undo { judge } => Entry::Undo { judge: JUDGES[judge].map(str::to_owned), time },
        }
    }

    /// Whether the writer's entry is acknowledged, and what changes by it.
    fn work(&mut self, writer: usize, work: &Work) {
        let entry = self.entry(work);
        self.entry = Some(entry.clone());
        self.acknowledged = false;
        let answer = matches!(entry, Entry::Answer(_));
        match self.form {
            Form::Torn => return,
            Form::Missing | Form::Empty if self.begun[writer] || !answer => return,
            Form::Missing | Form::Empty => (self.form, self.columns) = (Form::Whole, 0),
            Form::Whole => {}
        }
        self.begun[writer] = true;
        let (Work::Answer { judge, .. } | Work::Undo { judge }) = *work;
        if !answer && self.latest(judge) != self.known[writer].get(&judge).cloned() {
            return;
        }
        self.acknowledged = true;
        self.log.entry(judge).or_default().push(entry);
        self.know(writer, judge);
    }

    fn know(&mut self, writer: usize, judge: usize) {
        match self.latest(judge) {
            Some(answer) => self.known[writer].insert(judge, answer),
            None => self.known[writer].remove(&judge),
        };
    }
}

fn work() -> impl Strategy<Value = Work> {
    prop_oneof![
        3 => (0..JUDGES.len(), 0..ITEMS, 1..ITEMS, 0usize..5)
            .prop_map(|(judge, first, step, outcome)| Work::Answer { judge, first, step, outcome }),
        1 => (0..JUDGES.len()).prop_map(|judge| Work::Undo { judge }),
    ]
}

impl ReferenceStateMachine for Model {
    type State = Self;
    type Transition = Transition;

    fn init_state() -> BoxedStrategy<Self> {
        let model = Self {
            form: Form::Missing,
            columns: 0,
            log: BTreeMap::new(),
            begun: [false; WRITERS],
            known: Default::default(),
            number: 0,
            entry: None,
            acknowledged: false,
        };
        Just(model).boxed()
    }

    fn transitions(_: &Self) -> BoxedStrategy<Transition> {
        let columns = || 0..COLUMNS.len();
        let writer = || 0..WRITERS;
        prop_oneof![
            1 => writer().prop_map(|writer| Transition::Open { writer }),
            2 => writer().prop_map(|writer| Transition::Read { writer }),
            8 => (writer(), work()).prop_map(|(writer, work)| Transition::Work { writer, work }),
            2 => columns().prop_map(|columns| Transition::Replace { columns }),
            2 => (columns(), writer(), work())
                .prop_map(|(columns, writer, work)| Transition::ReplaceBefore { columns, writer, work }),
            1 => [0usize..3, 0usize..3, 0usize..3].prop_map(|answers| Transition::Together { answers }),
            1 => (0.0..=1.0, work()).prop_map(|(part, work)| Transition::Crash { part, work }),
            1 => Just(Transition::Mend),
            1 => Just(Transition::Empty),
            1 => Just(Transition::Remove),
        ]
        .boxed()
    }

    fn preconditions(model: &Self, transition: &Transition) -> bool {
        let undo = |writer: usize, work: &Work| match work {
            Work::Undo { judge } => model.known[writer].contains_key(judge),
            Work::Answer { .. } => true,
        };
        match transition {
            Transition::Open { .. } | Transition::Read { .. } => model.form != Form::Torn,
            Transition::Work { writer, work } => undo(*writer, work),
            Transition::ReplaceBefore { writer, work, .. } => model.form == Form::Whole && undo(*writer, work),
            Transition::Replace { .. } | Transition::Together { .. } => model.form == Form::Whole,
            Transition::Crash { work, .. } => model.form == Form::Whole && matches!(work, Work::Answer { .. }),
            Transition::Mend => model.form == Form::Torn,
            Transition::Empty | Transition::Remove => model.form != Form::Missing,
        }
    }

    fn apply(mut model: Self, transition: &Transition) -> Self {
        model.entry = None;
        match transition {
            Transition::Open { writer } => {
                model.begun[*writer] = model.form == Form::Whole;
                model.known[*writer].clear();
            }
            Transition::Read { writer } => (0..JUDGES.len()).for_each(|judge| model.know(*writer, judge)),
            Transition::Work { writer, work } => model.work(*writer, work),
            Transition::Replace { columns } => model.columns = *columns,
            Transition::ReplaceBefore { columns, writer, work } => {
                model.columns = *columns;
                model.work(*writer, work);
            }
            Transition::Together { answers } => {
                for (writer, &count) in answers.iter().enumerate() {
                    for _ in 0..count {
                        model.work(writer, &together(writer));
                    }
                }
                model.entry = None;
            }
            Transition::Crash { part, work } => {
                let entry = model.entry(work);
                model.entry = Some(entry.clone());
                let line = line(&entry, model.columns);
                match cut(&line, *part) {
                    0 => {}
                    end if end < line.len() => model.form = Form::Torn,
                    _ => {
                        let Work::Answer { judge, .. } = work else { unreachable!("only answers crash") };
                        model.log.entry(*judge).or_default().push(entry);
                    }
                }
            }
            Transition::Mend => model.form = Form::Whole,
            Transition::Empty => {
                model.form = Form::Empty;
                model.log.clear();
            }
            Transition::Remove => {
                model.form = Form::Missing;
                model.log.clear();
            }
        }
        model
    }
}

/// What a writer does when all work at the same time.
fn together(writer: usize) -> Work {
    Work::Answer { judge: writer + 1, first: writer as u32, step: 1, outcome: writer }
}

/// How much of a line is on the disk.
fn cut(line: &str, part: f64) -> usize {
    (part * line.len() as f64).round() as usize
}

/// An entry as a line under these columns, as any CSV library writes it.
fn line(entry: &Entry, columns: usize) -> String {
    let id = |item: ItemId| format!("item {}", item.0);
    let cell = |name: &str| match (name, entry) {
        ("first", Entry::Answer(answer)) => id(answer.first),
        ("second", Entry::Answer(answer)) => answer.second.map(id).unwrap_or_default(),
        ("outcome", Entry::Answer(answer)) => answer.outcome.to_string(),
        ("outcome", Entry::Undo { .. }) => "undo".into(),
        ("judge", Entry::Answer(Answer { judge, .. }) | Entry::Undo { judge, .. }) => judge.clone().unwrap_or_default(),
        ("time", Entry::Answer(Answer { time, .. }) | Entry::Undo { time, .. }) => time.clone().unwrap_or_default(),
        _ => String::new(),
    };
    let cells = COLUMNS[columns].split(',').map(|name| format!("\"{}\"", cell(name).replace('"', "\"\"")));
    cells.collect::<Vec<_>>().join(",") + "\n"
}

/// Puts a copy with these columns in the place of a log whose lock is held.
fn replace(path: &Path, columns: usize) {
    let copy = path.with_extension("copy");
    let mut text = COLUMNS[columns].to_owned() + "\n";
    for entry in read_answers(path, &items()).unwrap().entries() {
        text += &line(entry, columns);
    }
    fs::write(&copy, text).unwrap();
    fs::rename(copy, path).unwrap();
}

fn locked(path: &Path) -> File {
    loop {
        let file = File::open(path).unwrap();
        file.lock().unwrap();
        // Another replacement may have come first: the same rule as for writers.
        if same_file::Handle::from_file(file.try_clone().unwrap()).unwrap()
            == same_file::Handle::from_path(path).unwrap()
        {
            return file;
        }
    }
}

/// How often a writer has begun to wait for a lock.
fn waits() -> usize {
    static WAITS: AtomicUsize = AtomicUsize::new(0);
    static COUNTED: Once = Once::new();
    COUNTED.call_once(|| {
        ordain::on_wait(|_| {
            WAITS.fetch_add(1, Ordering::SeqCst);
            Box::new(())
        });
    });
    WAITS.load(Ordering::SeqCst)
}

struct Files {
    _folder: TempDir,
    path: PathBuf,
    writers: [AnswerWriter; WRITERS],
    known: [BTreeMap<usize, Answer>; WRITERS],
}

impl Files {
    fn write(&mut self, writer: usize, entry: &Entry, work: &Work) -> Result<()> {
        write(&mut self.writers[writer], &self.known[writer], entry, work)
    }
}

fn write(writer: &mut AnswerWriter, known: &BTreeMap<usize, Answer>, entry: &Entry, work: &Work) -> Result<()> {
    match (work, entry) {
        (Work::Undo { judge }, Entry::Undo { time, .. }) => writer.undo(&known[judge], time.clone(), &items()),
        _ => writer.append(entry, &items()),
    }
}

struct Test;

impl StateMachineTest for Test {
    type SystemUnderTest = Files;
    type Reference = Model;

    fn init_test(_: &Model) -> Files {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.csv");
        let writers = [(); WRITERS].map(|()| AnswerWriter::open(&path, &items()).unwrap());
        Files { _folder: folder, path, writers, known: Default::default() }
    }

    fn apply(mut files: Files, model: &Model, transition: Transition) -> Files {
        let path = files.path.clone();
        let said = |result: Result<()>| {
            assert_eq!(result.is_ok(), model.acknowledged, "{:?}: {result:?}", model.entry);
            // What is refused is refused in words about the log.
            if let Err(error) = result {
                assert!(error.to_string().contains("answers.csv"), "{error}");
            }
        };
        match &transition {
            Transition::Open { writer } => files.writers[*writer] = AnswerWriter::open(&path, &items()).unwrap(),
            Transition::Read { .. } => {}
            Transition::Work { writer, work } => said(files.write(*writer, model.entry.as_ref().unwrap(), work)),
            Transition::Replace { columns } => {
                let lock = locked(&path);
                replace(&path, *columns);
                drop(lock);
            }
            Transition::ReplaceBefore { columns, writer, work } => {
                let lock = locked(&path);
                let (one, known) = (&mut files.writers[*writer], &files.known[*writer]);
                let entry = model.entry.as_ref().unwrap();
                let before = waits();
                let result = thread::scope(|scope| {
                    let waits_now = scope.spawn(move || write(one, known, entry, work));
                    while waits() == before && !waits_now.is_finished() {
                        thread::yield_now();
                    }
                    replace(&path, *columns);
                    drop(lock);
                    waits_now.join().unwrap()
                });
                said(result);
            }
            Transition::Together { answers } => together_in_threads(&mut files, model, answers),
            Transition::Crash { part, .. } => {
                let line = line(model.entry.as_ref().unwrap(), model.columns);
                let mut file = File::options().append(true).open(&path).unwrap();
                file.write_all(&line.as_bytes()[..cut(&line, *part)]).unwrap();
            }
            Transition::Mend => {
                let text = fs::read(&path).unwrap();
                let end = text.iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
                fs::write(&path, &text[..end]).unwrap();
            }
            Transition::Empty => fs::write(&path, "").unwrap(),
            Transition::Remove => fs::remove_file(&path).unwrap(),
        }
        files.known = model.known.clone();
        files
    }

    fn check_invariants(files: &Files, model: &Model) {
        let read = read_answers(&files.path, &items());
        match model.form {
            Form::Missing => assert!(!files.path.exists()),
            Form::Empty => assert_eq!(fs::metadata(&files.path).unwrap().len(), 0),
            Form::Torn => assert!(matches!(read, Err(Error::Input(error)) if error.torn)),
            Form::Whole => {
                let log = read.unwrap();
                assert_eq!(by_judge(log.entries()), by_judge_of(model), "a judge's entries, in order");
                for (judge, entries) in &model.log {
                    let judge = JUDGES[*judge];
                    let mut stand = log.standing();
                    stand.retain(|answer| answer.judge.as_deref() == judge);
                    assert!(stand.into_iter().eq(&standing(entries)), "what stands of {judge:?}");
                }
            }
        }
        let beside = fs::read_dir(files.path.parent().unwrap()).unwrap().count();
        assert!(beside <= 1, "nothing is left beside the log");
    }
}

type Times = BTreeMap<Option<String>, Vec<Option<String>>>;

fn by_judge(entries: &[Entry]) -> Times {
    let mut times = Times::new();
    for entry in entries {
        let (Entry::Answer(Answer { judge, time, .. }) | Entry::Undo { judge, time }) = entry;
        times.entry(judge.clone()).or_default().push(time.clone());
    }
    times
}

fn by_judge_of(model: &Model) -> Times {
    by_judge(&model.log.values().flatten().cloned().collect::<Vec<_>>())
}

/// All writers at the same time, each for a judge of its own, while the log is replaced over and over.
fn together_in_threads(files: &mut Files, model: &Model, answers: &[usize; WRITERS]) {
    let path = &files.path;
    thread::scope(|scope| {
        for (writer, (one, &count)) in files.writers.iter_mut().zip(answers).enumerate() {
            let entries = model.log.get(&(writer + 1)).map_or(&[][..], |entries| &entries[entries.len() - count..]);
            scope.spawn(move || entries.iter().for_each(|entry| one.append(entry, &items()).unwrap()));
        }
        scope.spawn(|| {
            for _ in 0..2 {
                let lock = locked(path);
                // The columns that the model believes in stay.
                replace(path, model.columns);
                drop(lock);
            }
        });
    });
}

prop_state_machine! {
    // A transition that is impossible at its moment is drawn again, however often.
    #![proptest_config(ProptestConfig { failure_persistence: None, max_local_rejects: u32::MAX, ..ProptestConfig::default() })]

    #[test]
    fn nothing_acknowledged_is_lost_or_doubled(sequential 1..16 => Test);
}
