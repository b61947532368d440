//! What the fuzzer tries: functions of bytes, which hold for all bytes. The tests run the seeds, and what was found, through the same
//! functions.

#[path = "../../crates/ordain-cli/tests/wild/project.rs"]
mod project;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;

use ordain::data::{Answer, Ask, Entry, Goal, ItemId, Items, Outcome};
use ordain::formats::{
    AnswerWriter, Documents, DocumentsSpec, ItemsSpec, LetorQueries, Lines, Missing, RunQueries, Sketch, Table,
    describe, draft_project, read_answer_ids, read_answer_items, read_answers, read_items, read_letor,
    read_letor_judgements, read_letor_ranks, read_qrels, read_queries, read_relation, read_run, read_runs, read_scores,
    read_scores_or_runs,
};
use ordain::gp::{RankedItem, RankingParams};
use ordain::kernel::Parameter;
use ordain::order::ExpertState;
use ordain::{Fitted, Inference, Project, Watch};
use tempfile::TempDir;

/// Tables of items, answers, links, documents and queries, as CSV, TSV and JSONL: a value or an error.
pub fn tables(input: &[u8]) {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let name = ["t.csv", "t.tsv", "t.jsonl", "t"][choice as usize % 4];
    let path = file(name, bytes);
    match choice / 4 % 6 {
        0 => drop((Table::read(&path), describe(&path))),
        1 => {
            let spec = ItemsSpec { missing: Missing::Mean, group: Some("query".into()), ..ItemsSpec::default() };
            drop((read_items(&path, &spec), read_items(&path, &ItemsSpec::default())));
        }
        2 => drop((read_answers(&path, &items()), read_answer_items(&path), read_answer_ids(&path))),
        3 => drop((read_relation(&path, &items(), false), read_relation(&path, &items(), true))),
        4 => {
            let sketch = Sketch { folder: folder(), file: path, ..Sketch::default() };
            drop(draft_project(&sketch));
        }
        _ => {
            if let Ok(documents) = Documents::open(&path, &DocumentsSpec::default()) {
                drop(documents.collect::<Vec<_>>());
            }
            drop(read_queries(&path));
        }
    }
}

/// Runs, judgements and graded lists of retrieval: a value or an error.
pub fn judgements(input: &[u8]) {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let path = file("judgements", bytes);
    match choice % 6 {
        0 => drop(read_qrels(&path)),
        1 => drop((read_run(&path), read_runs(&path))),
        2 => drop((read_letor(&path), read_scores(&path), read_scores_or_runs(&path))),
        3 => drop((read_letor_ranks(&path), read_letor_judgements(&[&path]))),
        4 => {
            if let Ok(mut queries) = LetorQueries::open(&[&path]) {
                while let Ok(Some(_)) = queries.next() {}
            }
        }
        _ => {
            let other = file("other", b"1 Q0 d1 1 2.5 b\n2 Q0 d2 1 1 b\n");
            if let Ok(mut queries) = RunQueries::open(&[&path, &other]) {
                while let Ok(Some(_)) = queries.next() {}
            }
        }
    }
}

/// Packed files: gzip, zstd and Parquet, damaged or made to explode.
pub fn packed(input: &[u8]) {
    // The fuzzer ends at every panic, also at those of the decoder that become errors. One that does not still ends it.
    static QUIET: Once = Once::new();
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| ())));
    let path = file("packed", input);
    if let Ok(mut lines) = Lines::open(&path) {
        while let Ok(Some(_)) = lines.next_line() {}
    }
    // A damaged file is read once: the decoder may take seconds to skip a list of nothing that says it is long.
    if Table::read(&path).is_ok() {
        drop((read_items(&path, &ItemsSpec::default()), read_answer_items(&path)));
    }
}

/// An answer log of any bytes: what can be read and appended to holds one entry more afterwards, and what is refused stays to the
/// byte.
pub fn log(input: &[u8]) {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let path = file("answers.csv", bytes);
    let items = items();
    let Ok(before) = read_answers(&path, &items) else { return };
    let Ok(mut writer) = AnswerWriter::open(&path, &items) else { return };
    let soft = ["first>", "second>>", "first:0.8", "7:2:3"].map(|word| word.parse().expect("an outcome"));
    let plain = [Outcome::First, Outcome::Second, Outcome::Tie, Outcome::Skip, Outcome::Good, Outcome::Bad];
    let outcome = [&plain[..], &soft].concat()[choice as usize % 10];
    let second = (!outcome.is_single()).then_some(ItemId(1));
    let judge = (choice & 64 != 0).then(|| "ann, \"a\"".to_owned());
    let answer = Answer { judge: judge.clone(), ..Answer::new(ItemId(0), second, outcome).expect("two items") };
    let entry = if choice & 128 != 0 { Entry::Undo { judge, time: None } } else { Entry::Answer(answer) };
    match writer.append(&entry, &items) {
        Ok(()) => {
            let after = read_answers(&path, &items).expect("what was written can be read");
            let (entries, count) = (after.entries(), before.entries().len());
            assert_eq!(&entries[..count], before.entries(), "what was there stays");
            assert_eq!(entries.len(), count + 1, "one entry more");
            match (&entries[count], &entry) {
                (Entry::Answer(read), Entry::Answer(written)) => {
                    // A log of winners keeps the winner, not the side.
                    let winner = |answer: &Answer| match answer.outcome {
                        Outcome::Second => answer.second.map(|second| (second, Some(answer.first))),
                        _ => Some((answer.first, answer.second)),
                    };
                    assert_eq!((winner(read), &read.judge), (winner(written), &written.judge));
                }
                (Entry::Undo { judge, .. }, Entry::Undo { judge: written, .. }) => assert_eq!(judge, written),
                (read, written) => panic!("{written:?} was read as {read:?}"),
            }
        }
        Err(_) => assert_eq!(fs::read(&path).expect("the log"), bytes, "what is refused is not written"),
    }
}

/// The project file: opened or refused; what is opened can be saved, and reads back as it was given.
pub fn project_file(input: &[u8]) {
    file("items.csv", b"id,x,y,query\nlamp,1.5,2,q\nchair,-3,7,q\ntable,0.25,0,q\n");
    file("links.csv", b"source,target,weight\nlamp,chair,2\nchair,table,0.5\n");
    file("answers.csv", b"first,second,outcome,judge,time\nlamp,chair,first,ann,\nlamp,,good,,\n");
    let path = file("ordain.toml", input);
    let Ok(mut project) = Project::open(&path) else { return };
    let kernels = project.model().kernels().len();
    let parameters: Vec<Parameter> =
        (0..kernels).map(|kernel| Parameter { name: format!("kernel[{kernel}].weight"), value: 0.123456 }).collect();
    if project.save(&parameters).is_ok() {
        let again = Project::open(&path).expect("what was saved can be opened");
        assert!(again.model().kernels() == project.model().kernels());
    }
    let ask = Ask::default().with_goal(Goal::Top { k: 2 }).with_seed(7);
    if project.save_ask(ask.clone()).is_ok() {
        let again = Project::open(&path).expect("what was saved can be opened");
        assert_eq!(again.model().ask(), &ask);
    }
}

/// Kept weights of experts: read or refused; what is read writes and reads back the same.
pub fn weights(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let Ok(state) = ExpertState::from_json(input) else { return };
    let text = state.to_json().expect("a state that was read can be written");
    let again = ExpertState::from_json(&text).expect("what was written can be read");
    assert_eq!(again.to_json().expect("a state that was read can be written"), text);
}

/// Whole projects at the extremes of every parameter: a valid ranking, valid predictions and a question, or an error.
pub fn ranking(input: &[u8]) {
    let mut bytes = input.iter();
    let files = project::files(&mut |below| bytes.next().map_or(0, |&byte| byte as usize % below));
    for (name, text) in &files {
        file(name, text.as_bytes());
    }
    let Ok(project) = Project::open(folder()) else { return };
    for inference in [Inference::Ep, Inference::Incremental] {
        let Ok(fitted) = project.fit(inference, &Watch::NONE) else { continue };
        let params = RankingParams::default().with_draws(64);
        let Ok(ranking) = fitted.rank(&params) else { continue };
        let count = project.items().len();
        let ids: HashSet<ItemId> = ranking.items.iter().map(|item| item.item).collect();
        assert_eq!((ids.len(), ranking.items.len()), (count, count), "every item once");
        for (at, item) in ranking.items.iter().enumerate() {
            assert_eq!(item.rank, at + 1);
            assert!(item.mean.is_finite() && item.sd.is_finite() && item.sd >= 0.0, "{item:?}");
            assert!(1 <= item.rank_low && item.rank_low <= item.rank_high && item.rank_high <= count, "{item:?}");
        }
        assert!(ranking.items.windows(2).all(|pair| pair[0].mean >= pair[1].mean), "by falling mean");
        assert!((0.0..=1.0).contains(&ranking.wrong_pairs()));
        intervals(&fitted, &params, &ranking.items);
        if count > 1
            && let Ok(prediction) = fitted.predict(ItemId(0), ItemId(1))
        {
            let (first, tie) = (prediction.probability, prediction.tie);
            assert!([first, tie].iter().all(|p| (0.0..=1.0).contains(p)), "{first} {tie}");
            assert!(first + tie <= 1.0 + 1e-12, "{first} {tie}");
        }
    }
}

/// Rank intervals are what their definition says: the middle of the drawn ranks if that contains the rank, else the smallest interval
/// that begins or ends with the rank and holds its share. The probabilities are those of being among the first 1, 2, ... items, counted
/// from the same draws.
fn intervals(fitted: &Fitted, params: &RankingParams, items: &[RankedItem]) {
    // Of every item, the share of draws in which it is among the first 0, 1, 2, ...
    let mut reached = vec![vec![0.0]; items.len()];
    for k in 1..=items.len() {
        let ranking = fitted.rank(&params.clone().with_top(Some(k))).expect("what was ranked can be ranked again");
        let within: Vec<f64> = ranking.items.iter().map(|item| item.top.expect("asked for")).collect();
        let firsts: f64 = within.iter().sum();
        assert!((firsts - k as f64).abs() < 1e-9, "{firsts} items are expected among the first {k}");
        reached.iter_mut().zip(within).for_each(|(reached, within)| reached.push(within));
    }
    let outside = 0.5 * (1.0 - params.level);
    for (item, reached) in items.iter().zip(&reached) {
        let first = |probability: f64| reached.iter().position(|&share| share >= probability).expect("all is reached");
        let (low, high) = (first(outside).max(1), first(1.0 - outside));
        // Shares are counts over a few draws.
        let holds = |low: usize, high: usize| reached[high] - reached[low - 1] >= params.level - 1e-9;
        let (rank, found) = (item.rank, (item.rank_low, item.rank_high));
        if (low..=high).contains(&rank) {
            assert_eq!(found, (low, high), "{item:?}: {reached:?}");
        } else {
            assert!(found.0 == rank || found.1 == rank, "{item:?}");
            assert!(holds(found.0, found.1), "{item:?}: {reached:?}");
            let less = if found.0 == rank { (found.0, found.1 - 1) } else { (found.0 + 1, found.1) };
            assert!(less.0 > less.1 || !holds(less.0, less.1), "{item:?}: {reached:?}");
        }
    }
}

/// A folder of this thread, in memory where the system has such a place, since the fuzzer writes thousands of files per second.
fn folder() -> PathBuf {
    thread_local! {
        static FOLDER: TempDir = {
            let memory = Path::new("/dev/shm");
            let place = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
            TempDir::new_in(place).expect("a folder for the fuzzer's files")
        };
    }
    FOLDER.with(|folder| folder.path().to_path_buf())
}

/// Writes a file of the folder.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).expect("a file for the fuzzer's bytes");
    path
}

/// The items that the seeds name.
fn items() -> Items {
    Items::from_ids(["lamp", "chair", "table"]).expect("three different ids")
}
