//! Appending to the answer log.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::process::Command;

use ordain::data::{Answer, Entry, Groups, ItemId, Items, Outcome};
use ordain::formats::{AnswerWriter, read_answers};
use proptest::prelude::*;

use crate::{Folder, input};

fn items() -> Items {
    Items::from_ids(["lamp", "a \"quoted\", id", "table"]).unwrap()
}

fn answer(first: u32, second: Option<u32>, outcome: Outcome) -> Entry {
    Entry::Answer(Answer::new(ItemId(first), second.map(ItemId), outcome).unwrap())
}

fn undo(judge: &str) -> Entry {
    Entry::Undo { judge: Some(judge.into()), time: None }
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let text = prop::option::of("[a-z ,\"'äß#;-]{1,6}");
    let entry = (0u32..3, 1u32..3, 0usize..13, text.clone(), text).prop_map(|(first, step, kind, judge, time)| {
        let words = Outcome::WORDS.map(|(_, outcome)| outcome).into_iter();
        let soft = [Outcome::probability(0.3 + 0.2 * f64::from(step)).unwrap(), "7:2:3".parse().unwrap()];
        let outcomes: Vec<Outcome> = words.chain(soft).chain([Outcome::Grade(first as i32 - 1)]).collect();
        let second = (!outcomes[kind].is_single()).then_some(ItemId((first + step) % 3));
        let answer = Answer::new(ItemId(first), second, outcomes[kind]).unwrap();
        let answer = Answer { judge: judge.clone(), time: time.clone(), ..answer };
        // Now and then the judge takes it back at once.
        let undo = (kind == 6).then_some(Entry::Undo { judge, time });
        [Some(Entry::Answer(answer)), undo]
    });
    prop::collection::vec(entry, 0..8).prop_map(|entries| entries.into_iter().flatten().flatten().collect())
}

proptest! {
    // Every append waits for the disk.
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn entries_come_back(entries in entries(), name in 0usize..2) {
        let folder = Folder::new();
        let path = folder.path(["answers.csv", "answers.tsv"][name]);
        let mut writer = AnswerWriter::open(&path, &items()).unwrap();
        for entry in &entries {
            writer.append(entry, &items()).unwrap();
        }
        prop_assert_eq!(path.exists(), !entries.is_empty());
        if path.exists() {
            let log = read_answers(&path, &items()).unwrap();
            prop_assert_eq!(log.entries(), entries.as_slice());
        }
    }
}

#[test]
fn a_new_log_has_a_header_and_an_old_one_keeps_its_own() {
    let folder = Folder::new();
    let path = folder.path("answers.csv");
    // Two writers that both found no log: the second one takes the first one's.
    let mut writers = [0, 1].map(|_| AnswerWriter::open(&path, &items()).unwrap());
    assert!(!path.exists());
    for writer in &mut writers {
        writer.append(&answer(0, Some(2), Outcome::Tie), &items()).unwrap();
    }
    let line = "lamp,table,tie,,\n";
    assert_eq!(folder.read("answers.csv"), format!("first,second,outcome,judge,time\n{line}{line}"));
    let path = folder.write("own.csv", "page,outcome,second,first,user\nx,tie,table,lamp,ann\n");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    writer.append(&answer(2, Some(0), Outcome::Second), &items()).unwrap();
    writer.append(&undo("ann"), &items()).unwrap();
    let text = folder.read("own.csv");
    assert!(text.ends_with("\n,second,lamp,table,\n,undo,,,ann\n"), "{text}");
    assert_eq!(read_answers(&path, &items()).unwrap().standing().len(), 1);
    // A log that was made but never written to.
    let empty = folder.write("empty.csv", "");
    AnswerWriter::open(&empty, &items()).unwrap().append(&answer(0, None, Outcome::Good), &items()).unwrap();
    assert_eq!(read_answers(&empty, &items()).unwrap().entries().len(), 1);
}

#[test]
fn what_the_columns_cannot_hold_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    let path = folder.write("wl.csv", "winner,loser\n");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    writer.append(&answer(0, Some(2), Outcome::Second), &items()).unwrap();
    assert_eq!(folder.read("wl.csv"), "winner,loser\ntable,lamp\n");
    let before = folder.snapshot();
    let judged = Entry::Answer(Answer::new(ItemId(0), Some(ItemId(2)), Outcome::First).unwrap().by("ann"));
    for (entry, found) in [
        (answer(0, Some(2), Outcome::Tie), "tie"),
        (answer(0, Some(2), Outcome::Skip), "skip"),
        (answer(0, None, Outcome::Bad), "bad"),
        (Entry::Undo { judge: None, time: None }, "undo"),
        (judged, "ann"),
    ] {
        let error = input(writer.append(&entry, &items()), "wl.csv");
        assert_eq!(error.found.as_deref(), Some(found));
        assert!(error.hint.is_some());
    }
    assert_eq!(folder.snapshot(), before);

    let path = folder.write("arena.csv", "model_a,model_b,winner\n");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    writer.append(&answer(0, Some(2), Outcome::Tie), &items()).unwrap();
    assert!(writer.append(&Entry::Undo { judge: None, time: None }, &items()).is_err());
    assert_eq!(folder.read("arena.csv"), "model_a,model_b,winner\nlamp,table,tie\n");

    let mut writer = AnswerWriter::open(folder.path("log.csv"), &items()).unwrap();
    assert_eq!(input(writer.append(&undo("a\nb"), &items()), "log.csv").found.as_deref(), Some("a\\nb"));
    let error = input(writer.append(&undo("ann"), &items()), "log.csv");
    assert!(error.hint.unwrap().contains("no answers to take back"));
    // What was refused made no log.
    assert!(!folder.path("log.csv").exists());
}

#[test]
fn an_undo_needs_an_answer_that_stands() {
    let folder = Folder::new();
    let path = folder.path("answers.csv");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    writer.append(&answer(0, Some(2), Outcome::First), &items()).unwrap();
    let before = folder.snapshot();
    let error = input(writer.append(&undo("ann"), &items()), "answers.csv");
    assert_eq!(error.found.as_deref(), Some("undo"));
    assert!(error.expected.contains("\"ann\"") && error.hint.unwrap().contains("has no judge"));
    assert_eq!(folder.snapshot(), before);
    // An empty name is none.
    writer.append(&undo(""), &items()).unwrap();
    assert!(input(writer.append(&undo(""), &items()), "answers.csv").hint.unwrap().contains("no answers"));
    assert!(read_answers(&path, &items()).unwrap().standing().is_empty());
}

/// Every one of them has seen the answer, but only one can take it back.
/// What the columns do not keep is no reason to take an answer for another one.
#[test]
fn an_undo_in_a_log_without_times() {
    let folder = Folder::new();
    let path = folder.write("answers.csv", "first,second,outcome\nlamp,table,tie\n");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    let answer = Answer::new(ItemId(0), Some(ItemId(1)), Outcome::First).unwrap();
    let answer = Answer { time: Some("noon".into()), ..answer };
    writer.append(&Entry::Answer(answer.clone()), &items()).unwrap();
    writer.undo(&answer, Some("later".into()), &items()).unwrap();
    assert_eq!(read_answers(&path, &items()).unwrap().standing().len(), 1);
    let error = input(writer.undo(&answer, None, &items()), "answers.csv");
    assert!(error.found.unwrap().contains("lamp"), "another answer stands");
}

#[test]
fn undos_at_the_same_moment_take_an_answer_back_once() {
    let folder = Folder::new();
    let path = folder.path("answers.csv");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    for _ in 0..3 {
        writer.append(&answer(0, Some(2), Outcome::First), &items()).unwrap();
    }
    let writers: Vec<_> = (0..8).map(|_| AnswerWriter::open(&path, &items()).unwrap()).collect();
    let undone = std::thread::scope(|scope| {
        let undo = |mut writer: AnswerWriter| writer.append(&Entry::Undo { judge: None, time: None }, &items()).is_ok();
        let threads: Vec<_> = writers.into_iter().map(|writer| scope.spawn(move || undo(writer))).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap().then_some(())).count()
    });
    assert_eq!(undone, 3);
    assert!(read_answers(&path, &items()).unwrap().standing().is_empty());
}

#[test]
fn files_that_cannot_be_appended_to_are_refused_and_stay() {
    let folder = Folder::new();
    let packed = zstd::encode_all(&b"winner,loser\nlamp,table\n"[..], 1).unwrap();
    let cases = [
        (folder.write("a.csv.zst", packed), "decompress"),
        (folder.write("a.jsonl", "{\"winner\":\"lamp\",\"loser\":\"table\"}\n"), "convert"),
        (folder.write("l.csv", "worker,left,right,label\n"), "convert"),
        (folder.write("torn.csv", "winner,loser\nlamp,table\nlamp,tab"), "delete the line"),
        (folder.write("items.csv", "id,x\n"), "the columns must include"),
    ];
    let before = folder.snapshot();
    for (path, hint) in &cases {
        let name = path.file_name().unwrap().to_str().unwrap();
        let error = input(AnswerWriter::open(path, &items()), name);
        assert!(error.hint.as_deref().unwrap().contains(hint), "{error} {:?}", error.hint);
    }
    let tricky = Items::from_ids(["model_a", "b"]).unwrap();
    let arena = folder.write("arena.csv", "model_a,model_b,winner\n");
    assert!(input(AnswerWriter::open(&arena, &tricky), "arena.csv").hint.unwrap().contains("mistaken"));
    std::fs::remove_file(arena).unwrap();
    assert_eq!(folder.snapshot(), before);
    assert_eq!(input(AnswerWriter::open(&cases[3].0, &items()), "torn.csv").line, Some(3));
}

#[test]
fn a_line_torn_by_another_process_stops_the_next_append() {
    let folder = Folder::new();
    let path = folder.path("answers.csv");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    writer.append(&answer(0, Some(2), Outcome::First), &items()).unwrap();
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"lamp,tab").unwrap();
    let before = folder.snapshot();
    assert_eq!(input(writer.append(&answer(0, Some(2), Outcome::First), &items()), "answers.csv").line, Some(3));
    assert_eq!(folder.snapshot(), before);
    folder.write("answers.csv", "");
    assert!(input(writer.append(&answer(0, Some(2), Outcome::First), &items()), "answers.csv").found.is_some());
    assert_eq!(folder.read("answers.csv"), "");
    std::fs::remove_file(&path).unwrap();
    assert!(writer.append(&answer(0, Some(2), Outcome::First), &items()).is_err());
    assert!(!path.exists());
}

#[test]
fn writers_do_not_interleave() {
    let folder = Folder::new();
    let path = folder.path("answers.csv");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut writer = AnswerWriter::open(&path, &items()).unwrap();
                for _ in 0..10 {
                    writer.append(&answer(0, Some(1), Outcome::First), &items()).unwrap();
                }
            });
        }
    });
    assert_eq!(read_answers(&path, &items()).unwrap().entries().len(), 40);
}

#[test]
fn a_line_on_its_way_is_waited_for() {
    let folder = Folder::new();
    let path = folder.write("answers.csv", "winner,loser\nlamp,table\nlamp,ta");
    let mut holder = OpenOptions::new().append(true).open(&path).unwrap();
    holder.lock().unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| read_answers(&path, &items()).unwrap().entries().len());
        // However far the reader is by now, it can only have seen the half line, or see the whole one later.
        std::thread::yield_now();
        holder.write_all(b"ble\n").unwrap();
        holder.unlock().unwrap();
        assert_eq!(reader.join().unwrap(), 2);
    });
}

#[test]
fn an_append_waits_for_the_lock() {
    let folder = Folder::new();
    let path = folder.path("answers.csv");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    // An empty log is begun by the first answer, as one that does not exist.
    let holder = File::create(&path).unwrap();
    holder.lock().unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            writer.append(&answer(0, Some(1), Outcome::First), &items()).unwrap();
            send.send(()).unwrap();
        });
        // The lock is ours, so nothing can arrive however long this waits.
        assert!(receive.recv_timeout(std::time::Duration::from_millis(100)).is_err());
        holder.unlock().unwrap();
        receive.recv().unwrap();
    });
    assert_eq!(read_answers(&path, &items()).unwrap().entries().len(), 1);
}

/// A limit on the size of files makes a write fail midway, as a full disk does. The limit holds for a whole process, so
/// the test runs itself again under it.
#[test]
#[cfg(target_os = "linux")]
fn a_failed_append_leaves_the_file_as_it_was() {
    const PATH: &str = "ORDAIN_TEST_FULL_DISK";
    if let Some(path) = std::env::var_os(PATH) {
        let mut writer = AnswerWriter::open(&path, &items()).unwrap();
        let long = Answer::new(ItemId(0), Some(ItemId(1)), Outcome::First).unwrap().by("j".repeat(4000));
        assert!(matches!(writer.append(&Entry::Answer(long), &items()), Err(ordain::Error::Io { .. })));
        return;
    }
    let folder = Folder::new();
    let path = folder.path("answers.csv");
    let mut writer = AnswerWriter::open(&path, &items()).unwrap();
    writer.append(&answer(0, Some(1), Outcome::First), &items()).unwrap();
    let before = folder.snapshot();
    let test = std::env::current_exe().unwrap();
    // One block of the shell's limit is 512 or 1024 bytes; the signal must be ignored for the write to return an error.
    let status = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 1; exec \"$0\" --exact formats_log::a_failed_append_leaves_the_file_as_it_was",
        ])
        .arg(test)
        .env(PATH, &path)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn ids_of_several_groups_get_a_column() {
    let folder = Folder::new();
    let ids = ["a", "b", "a", "c"].map(String::from).to_vec();
    let attributes = ordain::data::Attributes::none(4);
    let items = Items::new(ids, Some(Groups::new(["1", "1", "2", "2"])), attributes).unwrap();
    let path = folder.path("answers.csv");
    let mut writer = AnswerWriter::open(&path, &items).unwrap();
    writer.append(&answer(2, Some(3), Outcome::First), &items).unwrap();
    assert_eq!(folder.read("answers.csv"), "first,second,outcome,judge,time,group\na,c,first,,,2\n");
    assert_eq!(read_answers(&path, &items).unwrap().entries(), [answer(2, Some(3), Outcome::First)]);
    let path = folder.write("plain.csv", "first,second,outcome\n");
    let mut writer = AnswerWriter::open(&path, &items).unwrap();
    let error = input(writer.append(&answer(2, Some(3), Outcome::First), &items), "plain.csv");
    assert!(error.expected.contains("column group"));
    assert_eq!(folder.read("plain.csv"), "first,second,outcome\n");
}
