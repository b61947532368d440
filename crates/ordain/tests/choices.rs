//! Choices among several items, through the library's doors.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::sync::Arc;

use common::{normal, stream};
use ordain::active::{CertaintyParams, Session, SessionParams, StopRule, Strategy};
use ordain::data::{Answer, AnswerLog, Entry, Goal, Groups, ItemId, Outcome};
use ordain::gp::AnswerModel;
use ordain::kernel::{Independent, Kernel};
use ordain::{Inference, Project, Watch};
use rand::RngExt;

fn ids(items: &[usize]) -> Vec<ItemId> {
    items.iter().map(|&item| ItemId::new(item)).collect()
}

/// What judges with the noise 0.4 say of screens and pairs about items with random utilities, with skips and orders among the answers.
fn answers(items: usize, count: usize, task: u64) -> Vec<Answer> {
    let mut stream = stream(task);
    let utilities: Vec<f64> = (0..items).map(|_| normal(&mut stream)).collect();
    let one = |at: usize| {
        let mut shown: Vec<usize> = Vec::new();
        let wanted = [4, 2, 3, 5][at % 4];
        while shown.len() < wanted {
            let item = stream.random_range(0..items);
            if !shown.contains(&item) {
                shown.push(item);
            }
        }
        let mut seen: Vec<(f64, usize)> =
            shown.iter().map(|&item| (utilities[item] + 0.4 * normal(&mut stream), item)).collect();
        seen.sort_by(|one, other| other.0.total_cmp(&one.0));
        let order: Vec<usize> = seen.iter().map(|(_, item)| *item).collect();
        let answer = match at % 7 {
            3 => Answer::skipped(&ids(&shown)),
            5 => Answer::order(&ids(&order)),
            _ => Answer::best(&ids(&shown), ItemId::new(order[0])),
        };
        answer.unwrap().by(["ann", "bob", "cyd"][at % 3])
    };
    (0..count).map(one).collect()
}

fn log(answers: &[Answer]) -> AnswerLog {
    AnswerLog::new(answers.iter().cloned().map(Entry::Answer).collect()).unwrap()
}

fn session(items: usize, model: AnswerModel) -> Session {
    let params = SessionParams::new(Strategy::WrongPairs);
    Session::new(Arc::new(Independent::new(items)), None, model, params).unwrap()
}

/// All bits of what two sessions believe, and what they ask.
fn assert_same(one: &Session, other: &Session) {
    let bits = |session: &Session| -> Vec<u64> {
        let belief = session.belief();
        belief.mean().iter().chain(belief.variances()).map(|value| value.to_bits()).collect()
    };
    assert_eq!(bits(one), bits(other));
    assert_eq!(one.ask().unwrap(), other.ask().unwrap());
    assert_eq!(one.ask_screens(4, 2).unwrap(), other.ask_screens(4, 2).unwrap());
}

fn models() -> Vec<AnswerModel> {
    vec![
        AnswerModel::new(0.4, 0.0).unwrap(),
        AnswerModel::learning(0.0).unwrap(),
        AnswerModel::learning(0.0).unwrap().with_sides(true),
    ]
}

/// A session that hears answers one by one, one that resumes from the log, and one that took back answers: to the last bit.
#[test]
fn replay_equals_live_and_undo_forgets() {
    let answers = answers(9, 26, 1);
    for model in models() {
        let mut live = session(9, model.clone());
        for (at, answer) in answers.iter().enumerate() {
            live.tell(answer.clone()).unwrap();
            if [0, 1, 5, 17, 25].contains(&at) {
                let mut resumed = session(9, model.clone());
                resumed.resume(&log(&answers[..=at])).unwrap();
                assert_same(&live, &resumed);
            }
        }
        // Three answers of ann are taken back, some of which are not the last.
        let mut left = answers.clone();
        for _ in 0..3 {
            let taken = live.undo(Some("ann")).unwrap().unwrap();
            let at = left.iter().rposition(|answer| answer.judge.as_deref() == Some("ann")).unwrap();
            assert_eq!(left.remove(at), taken);
        }
        let mut fresh = session(9, model);
        fresh.resume(&log(&left)).unwrap();
        assert_same(&live, &fresh);
    }
}

/// The order in which items are shown changes nothing, and two items are a plain answer about the first and the second that were shown.
#[test]
fn the_order_on_a_screen_changes_nothing() {
    let shown = ids(&[4, 1, 6, 2]);
    let best = Answer::best(&shown, ItemId::new(6)).unwrap();
    for shown in [[1, 2, 4, 6], [6, 4, 2, 1], [2, 6, 1, 4]] {
        assert_eq!(Answer::best(&ids(&shown), ItemId::new(6)).unwrap(), best);
        assert_eq!(Answer::skipped(&ids(&shown)).unwrap(), Answer::skipped(&ids(&[4, 1, 6, 2])).unwrap());
    }
    let plain = Answer::new(ItemId::new(3), Some(ItemId::new(1)), Outcome::First).unwrap();
    let on_the_right = Answer::new(ItemId::new(1), Some(ItemId::new(3)), Outcome::Second).unwrap();
    assert_eq!(Answer::best(&ids(&[1, 3]), ItemId::new(3)).unwrap(), on_the_right);
    assert_eq!(Answer::best(&ids(&[3, 1]), ItemId::new(3)).unwrap(), plain);
    assert_eq!(Answer::order(&ids(&[3, 1])).unwrap(), plain);
}

/// Screens that cannot be are refused in words.
#[test]
fn wrong_screens_are_refused() {
    let said = |answer: ordain::Result<Answer>| answer.unwrap_err().to_string();
    assert!(said(Answer::best(&ids(&[1, 2, 3]), ItemId::new(4))).contains("not among those shown"));
    assert!(said(Answer::best(&ids(&[1, 2, 1]), ItemId::new(2))).contains("shown twice"));
    assert!(said(Answer::best(&ids(&[1, 2, 1]), ItemId::new(1))).contains("shown twice"));
    assert!(said(Answer::order(&ids(&[1, 2, 2]))).contains("shown twice"));
    assert!(said(Answer::order(&ids(&[1]))).contains("fewer than two"));
    assert!(said(Answer::order(&(0..33).map(ItemId::new).collect::<Vec<_>>())).contains("33 items"));
    let groups = Groups::new(["a", "a", "b"]);
    let across = Answer::order(&ids(&[0, 1, 2])).unwrap();
    assert!(across.check(3, Some(&groups)).unwrap_err().to_string().contains("two groups"));
    assert!(across.check(2, None).unwrap_err().to_string().contains("number of an item"));
    let mut grown = session(3, AnswerModel::default());
    let before = grown.belief().mean().to_vec();
    assert!(grown.tell(Answer::order(&ids(&[0, 1, 5])).unwrap()).is_err());
    assert_eq!((grown.belief().mean(), grown.answers().len()), (&before[..], 0));
}

/// A screen grows from the pair that would be asked; its items differ, are of one group, and no skipped pair is among them.
#[test]
fn screens_grow_from_the_pair_that_would_be_asked() {
    let groups = Groups::new((0..14).map(|item| ["a", "b"][item % 2]));
    let kernel: Arc<dyn Kernel> = Arc::new(Independent::new(14));
    let strategies = [
        Strategy::WrongPairs,
        Strategy::BestOption,
        Strategy::ExpectedLoss { focus: 0.1 },
        Strategy::TopRegret { k: 3 },
        Strategy::Random,
        Strategy::VarianceRatio,
        Strategy::ExpectedLossItem { focus: 0.1 },
    ];
    for strategy in strategies {
        let params = SessionParams::new(strategy);
        let mut session = Session::new(kernel.clone(), Some(groups.clone()), AnswerModel::default(), params).unwrap();
        let mut skipped: Vec<[ItemId; 2]> = Vec::new();
        for round in 0..12 {
            let Some(question) = session.ask().unwrap() else { break };
            let screens = session.ask_screens(4, 2).unwrap();
            assert_eq!(screens[0].items[..2], [question.first, question.second], "{strategy}");
            for screen in &screens {
                let mut items = screen.items.clone();
                items.sort_unstable();
                items.dedup();
                assert!(items.len() == screen.items.len() && items.len() <= 4, "{strategy}");
                assert!(items.iter().all(|&item| groups.of(item) == groups.of(items[0])), "{strategy}");
                assert!(skipped.iter().all(|pair| !pair.iter().all(|item| items.contains(item))), "{strategy}");
                let arranged = session.arranged(screen);
                assert!(arranged.len() == items.len() && items.iter().all(|item| arranged.contains(item)));
            }
            let shown = &screens[0].items;
            if round % 3 == 2 {
                let pairs =
                    shown.iter().enumerate().flat_map(|(at, &one)| shown[at + 1..].iter().map(move |&two| [one, two]));
                skipped.extend(pairs);
                session.tell(screens[0].skip().unwrap()).unwrap();
            } else {
                session.tell(screens[0].best(*shown.iter().min().unwrap()).unwrap()).unwrap();
            }
        }
    }
    let ahead =
        Session::new(kernel, None, AnswerModel::default(), SessionParams::new(Strategy::PredictiveEntropy)).unwrap();
    assert!(ahead.ask_screens(4, 1).unwrap_err().to_string().contains("predictive-entropy"));
}

/// The judge of every screen knows the order: the session becomes sure of the best, and stops.
#[test]
fn sessions_of_screens_reach_their_goal() {
    let rule = StopRule::new(Goal::Best).with_target(0.9);
    let params = SessionParams::new(Strategy::BestOption).with_rule(Some(rule));
    let model = AnswerModel::new(0.2, 0.0).unwrap();
    let mut session = Session::new(Arc::new(Independent::new(20)), None, model, params).unwrap();
    while !session.is_settled(&rule, &CertaintyParams::default()).unwrap() {
        assert!(session.answers().len() < 60);
        let screen = session.ask_screens(4, 1).unwrap().swap_remove(0);
        let best = *screen.items.iter().min().unwrap();
        session.tell(screen.best(best).unwrap()).unwrap();
    }
    assert_eq!(session.first_few(ItemId::new(0), 1), [ItemId::new(0)]);
}

/// Ids with commas, quotation marks and bars survive the log; kill, torn lines and undo are as for answers; and every command's door opens.
#[test]
fn projects_record_screens() {
    let folder = std::env::temp_dir().join(format!("ordain-choices-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let names = ["plain", "a,b", "say \"hi\"", "x|y", "back\\slash", "best:", "é ü", "h"];
    let mut table = String::from("id,x\n");
    for (at, name) in names.iter().enumerate() {
        table += &format!("\"{}\",{}\n", name.replace('"', "\"\""), at % 3);
    }
    fs::write(folder.join("items.csv"), table).unwrap();
    let kernel = "[[kernel]]\nkind = \"squared-exponential\"\n[[kernel]]\nkind = \"independent\"\nweight = 0.5\n";
    let file = folder.join("ordain.toml");
    fs::write(
        &file,
        format!("[items]\nfile = \"items.csv\"\n{kernel}[answers]\nfile = \"answers.csv\"\nnoise = \"learn\"\n"),
    )
    .unwrap();
    let told = [
        Answer::best(&ids(&[0, 1, 2, 3]), ItemId::new(3)).unwrap().by("ann"),
        Answer::order(&ids(&[5, 4, 7, 6])).unwrap(),
        Answer::skipped(&ids(&[1, 2, 7])).unwrap(),
        Answer::best(&ids(&[1, 2, 5]), ItemId::new(1)).unwrap(),
        Answer::new(ItemId::new(0), Some(ItemId::new(7)), Outcome::First).unwrap(),
    ];
    let mut live = Project::open(&folder).unwrap();
    told.iter().for_each(|answer| live.tell(answer.clone()).unwrap());
    let text = fs::read_to_string(folder.join("answers.csv")).unwrap();
    assert_eq!(text.lines().count(), 6, "{text}");
    assert_eq!(text.lines().nth(1), Some("x|y,plain,\"best:a,b|say \"\"hi\"\"\",ann,"));
    assert_eq!(text.lines().nth(2), Some("best:,back\\slash,order:h|é ü,,"));
    let mut again = Project::open(&folder).unwrap();
    assert_eq!(again.model().answers().standing(), told.iter().collect::<Vec<_>>());
    assert_same(live.session().unwrap(), again.session().unwrap());
    // Undo in both, then a new start.
    assert_eq!(live.undo(None, None).unwrap().as_ref(), Some(&told[4]));
    assert_eq!(live.undo(None, None).unwrap().as_ref(), Some(&told[3]));
    let mut again = Project::open(&folder).unwrap();
    assert_same(live.session().unwrap(), again.session().unwrap());
    assert_eq!(fs::read_to_string(folder.join("answers.csv")).unwrap().lines().count(), 8);
    // Every door: EP, steps, tuning, judges, the probability of a screen; comparison says no.
    for inference in [Inference::Ep, Inference::Incremental] {
        let fitted = again.fit(inference, &Watch::NONE).unwrap();
        let sum: f64 = (0..3)
            .map(|best| {
                fitted
                    .log_probability(&Answer::best(&ids(&[0, 1, 2]), ItemId::new(best)).unwrap())
                    .unwrap()
                    .unwrap()
                    .exp()
            })
            .sum();
        // EP's own error in each of the three.
        assert!((sum - 1.0).abs() < 0.02, "{sum}");
        assert_eq!(fitted.judges(&Watch::NONE).unwrap().len(), 2);
        fitted.rank(&ordain::gp::RankingParams::default()).unwrap();
    }
    let tuned = again.tune(&ordain::gp::TuningParams::default()).unwrap();
    assert!(tuned.parameters.iter().all(|parameter| parameter.value.is_finite()));
    let error = again.compare(&ordain::gp::ComparisonParams::default()).unwrap_err().to_string();
    assert!(error.contains("choice among several"), "{error}");
    // A torn line is refused, never read as an answer.
    let whole = fs::read(folder.join("answers.csv")).unwrap();
    let torn = [&whole[..], b"plain,h,best:a"].concat();
    fs::write(folder.join("answers.csv"), torn).unwrap();
    assert!(Project::open(&folder).is_err());
    let refused = |line: &str| {
        fs::write(folder.join("answers.csv"), format!("first,second,outcome\n{line}\n")).unwrap();
        let error = Project::open(&folder).err().unwrap();
        format!("{error} ({})", error.hint().unwrap_or_default())
    };
    for (line, word) in [
        ("plain,h,best", "best:C|D"),
        ("plain,h,best:nobody", "nobody"),
        ("plain,h,best:plain", "shown twice"),
        ("plain,h,order:x\\y", "ids with | between them"),
        ("plain,h,bestt:h", "a known word"),
    ] {
        let error = refused(line);
        assert!(error.contains(word) && error.contains("line 2") && error.contains("outcome"), "{error}");
    }
    // Tables of choices are read as answers.
    let read = |line: &str| {
        fs::write(folder.join("answers.csv"), format!("shown,best,judge\n{line}\n")).unwrap();
        Project::open(&folder).map(|project| project.model().answers().standing()[0].clone())
    };
    let error = read("\"plain|a,b|x\\|y\",x\\|y,ann").unwrap_err().to_string();
    // Only a list has escapes. An error shows a cell as in code.
    assert!(error.contains(r#""x\\|y""#) && error.contains("column best"), "{error}");
    assert_eq!(
        read("\"plain|a,b|x\\|y\",x|y,ann").unwrap(),
        Answer::best(&ids(&[0, 1, 3]), ItemId::new(3)).unwrap().by("ann")
    );
    assert_eq!(
        read("plain|h,h,").unwrap(),
        Answer::new(ItemId::new(0), Some(ItemId::new(7)), Outcome::Second).unwrap()
    );
    assert!(read("plain|h,\"a,b\",").unwrap_err().to_string().contains("not among those shown"));
    fs::remove_dir_all(&folder).unwrap();
}
