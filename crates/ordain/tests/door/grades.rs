//! Grades and answers about pairs in one project.

use ordain::active::{AskOptions, Session};
use ordain::data::{Answer, Ask, Entry, GradeScale, ItemId, Outcome};
use ordain::gp::AnswerModel;
use ordain::{Error, Inference, Model, Project, Recorder, Watch};

use super::{Folder, line, log, some_answers};

fn grade(item: usize, grade: i32, judge: &str) -> Answer {
    Answer::new(ItemId::new(item), None, Outcome::Grade(grade)).unwrap().by(judge)
}

/// Pairs, grades of two judges, and skips of both kinds.
fn mixed(count: usize) -> Vec<Answer> {
    let other = |(at, pair): (usize, Answer)| {
        let item = at * 7 % 12;
        match at % 5 {
            0 | 3 => grade(item, 1 + (item as i32 + at as i32 % 2) / 3, ["ann", "bob", ""][at % 3]),
            4 if at % 2 == 0 => Answer::new(ItemId::new(item), None, Outcome::Skip).unwrap(),
            _ => pair,
        }
    };
    some_answers(count).into_iter().enumerate().map(other).collect()
}

fn judged(model: AnswerModel) -> Model {
    let ask = Ask::default().with_grades(true);
    line().with_answer_model(model).with_ask(ask).with_grades(GradeScale::default(), vec![grade(3, 4, "eve")]).unwrap()
}

fn session(model: &Model) -> Session {
    model.session(&AskOptions::default(), None, &Watch::NONE).unwrap()
}

/// Whoever resumes has the belief, the thresholds and the question of a session that went on, to the bit; so has whoever takes
/// an answer back.
#[test]
fn replay_and_undo_are_exact() {
    for model in [AnswerModel::learning(0.0).unwrap(), AnswerModel::new(0.4, 0.0).unwrap()] {
        let model = judged(model);
        let mut live = session(&model);
        let mut store = Vec::new();
        for (at, answer) in mixed(36).into_iter().enumerate() {
            live.tell(answer.clone()).unwrap();
            store.push(answer);
            let again = session(&model.clone().with_answers(log(&store)).unwrap());
            assert_eq!(again.belief().mean(), live.belief().mean(), "after {}", store.len());
            assert_eq!(again.model(), live.model());
            let question = live.ask().unwrap();
            assert_eq!(again.ask().unwrap(), question);
            let instead = |session: &Session| question.map(|question| session.grade_instead(&question).unwrap());
            assert_eq!(instead(&again), instead(&live));
            if at % 6 == 5 {
                let judge = store.last().and_then(|answer| answer.judge.clone());
                let taken = live.undo(judge.as_deref()).unwrap();
                assert_eq!(taken, store.pop());
                let never = session(&model.clone().with_answers(log(&store)).unwrap());
                assert_eq!((never.belief().mean(), never.model()), (live.belief().mean(), live.model()));
            }
        }
        assert_ne!(live.model().grading(), session(&model).model().grading(), "thresholds were learned");
    }
}

/// The order in which grades are known does not matter, nor who comes first: the belief is the same as far as EP and the search for
/// thresholds go.
#[test]
fn answers_have_no_order() {
    let fitted = |answers: &[Answer]| {
        let model = judged(AnswerModel::learning(0.0).unwrap()).with_answers(log(answers)).unwrap();
        model.fit(Inference::Ep, &Watch::NONE).unwrap()
    };
    // As many as a count after which all are learned from.
    let mut answers: Vec<Answer> = mixed(70).into_iter().filter(|one| one.outcome != Outcome::Skip).take(49).collect();
    assert_eq!(answers.len(), 49);
    let one = fitted(&answers);
    answers.reverse();
    let other = fitted(&answers);
    for item in 0..12 {
        assert!((one.belief().mean()[item] - other.belief().mean()[item]).abs() < 1e-2);
    }
}

/// Grades that were given are learned from at once, all of them, and do not delay what comparisons tell of noise.
#[test]
fn given_grades_count_at_once() {
    let given: Vec<Answer> =
        (0..37).map(|at| grade(at % 12, 1 + (at as i32 * 5) % 5, ["ann", "zoe"][at / 36])).collect();
    let model = line().with_answer_model(AnswerModel::learning(0.0).unwrap());
    let model = model.with_grades(GradeScale::default(), given).unwrap();
    let start = session(&model);
    let grading = start.model().grading().unwrap();
    // 33 is the last of the counts before 37, but the last judge gave the last grade.
    assert_ne!(grading.cuts(Some("zoe")), grading.cuts(None));
    let mut live = session(&model);
    let noise = live.model().noise();
    for (at, answer) in some_answers(10).into_iter().enumerate() {
        assert_eq!(live.model().noise() == noise, at < 10);
        live.tell(answer).unwrap();
    }
    assert_ne!(live.model().noise(), noise, "ten comparisons tell something of the noise");
    let again = session(&model.clone().with_answers(log(&some_answers(10))).unwrap());
    assert_eq!((again.belief().mean(), again.model()), (live.belief().mean(), live.model()));
    // What was given is not taken back.
    assert_eq!(live.undo(Some("ann")).unwrap(), None);
    assert!(live.undo(None).unwrap().is_some());
}

/// A grade that somebody would not give is not asked again, even if pairs may be.
#[test]
fn a_skipped_grade_stays_skipped() {
    for repeat in [false, true] {
        let ask = Ask::default().with_grades(true).with_repeat(repeat);
        let mut session = session(&judged(AnswerModel::learning(0.0).unwrap()).with_ask(ask));
        for _ in 0..12 {
            let pair = session.ask().unwrap().unwrap();
            let Some(question) = session.grade_instead(&pair).unwrap() else { break };
            let skipped = |answer: &Answer| answer.first == question.item && answer.outcome == Outcome::Skip;
            assert!(!session.answers().iter().any(skipped));
            session.tell(question.answer(None).unwrap()).unwrap();
        }
    }
}

/// With noise that is held, the first grade and its undo leave what a reopened project believes; and so does a grade that is refused.
#[test]
fn the_first_grade_and_its_undo() {
    let folder = Folder::new();
    let mut live = folder.open();
    assert!(!live.model().answer_model().adapts());
    let same = |live: &mut Project, folder: &Folder| {
        let mut again = folder.open();
        assert_eq!(live.session().unwrap().belief().mean(), again.session().unwrap().belief().mean());
        assert_eq!(live.model().answer_model(), again.model().answer_model());
        assert_eq!(live.ask().unwrap(), again.ask().unwrap());
    };
    some_answers(12).into_iter().for_each(|answer| live.tell(answer).unwrap());
    same(&mut live, &folder);
    assert!(live.tell(grade(1, 9, "")).is_err());
    same(&mut live, &folder);
    live.tell(grade(1, 4, "bob")).unwrap();
    same(&mut live, &folder);
    live.undo(Some("bob"), None).unwrap();
    same(&mut live, &folder);
    live.save_ask(live.model().ask().clone().with_grades(true)).unwrap();
    same(&mut live, &folder);
    assert!(live.model().answer_model().grading().is_some());
    // A log that cannot hold grades is refused before anybody is asked.
    folder.write("answers.csv", "winner,loser\ni0,i3\n");
    let mut project = folder.open();
    assert!(project.check_log().is_err());
    project.save_ask(project.model().ask().clone().with_grades(false)).unwrap();
    project.check_log().unwrap();
}

/// What is expected of a grade and of a comparison, by sums over a fine grid of two utilities; the better one is asked.
#[test]
fn the_question_that_tells_more_is_asked() {
    let model = judged(AnswerModel::new(0.5, 0.0).unwrap());
    let mut asked_grades = 0;
    for told in [0, 4, 30] {
        let mut session = session(&model);
        mixed(told).into_iter().for_each(|answer| session.tell(answer).unwrap());
        let pair = session.ask().unwrap().unwrap();
        let found = session.grade_instead(&pair).unwrap();
        let (belief, grading) = (session.belief(), session.model().grading().unwrap());
        let variance = |item: ItemId| belief.variances()[item.index()];
        let mut column = vec![0.0; 12];
        belief.column(pair.first, &mut column).unwrap();
        let apart = variance(pair.first) + variance(pair.second) - 2.0 * column[pair.second.index()];
        let mean = |item: ItemId| belief.mean()[item.index()];
        let compared = {
            let of = |sign: f64| {
                Box::new(move |difference: f64| phi(sign * difference / (0.5 * std::f64::consts::SQRT_2)))
                    as Box<dyn Fn(f64) -> f64>
            };
            expected_entropy(mean(pair.first) - mean(pair.second), apart, &[of(1.0), of(-1.0)])
        };
        let graded = |item: ItemId| {
            let (cuts, noise) = (grading.cuts(None).values().to_vec(), grading.noise());
            let of = |grade: usize| {
                let (cuts, up_to) = (cuts.clone(), move |cut: Option<&f64>, utility: f64, end: f64| {
                    cut.map_or(end, |cut| phi((cut - utility) / noise))
                });
                Box::new(move |utility: f64| {
                    up_to(cuts.get(grade), utility, 1.0) - up_to(grade.checked_sub(1).map(|at| &cuts[at]), utility, 0.0)
                }) as Box<dyn Fn(f64) -> f64>
            };
            expected_entropy(mean(item), variance(item), &(0..5).map(of).collect::<Vec<_>>())
        };
        let was_graded =
            |item: ItemId| session.answers().iter().any(|answer| answer.first == item && answer.second.is_none());
        let best =
            [pair.first, pair.second].into_iter().filter(|&item| !was_graded(item)).map(|item| (graded(item), item));
        let best = best.reduce(|one, other| if other.0 > one.0 { other } else { one });
        match (found, best.filter(|(entropy, _)| *entropy > compared)) {
            (Some(found), Some((entropy, item))) => {
                assert_eq!(found.item, item);
                // The grid's steps of a thousandth.
                assert!((found.entropy - entropy).abs() < 1e-6, "{} {entropy}", found.entropy);
                asked_grades += 1;
            }
            (None, None) => {}
            (found, best) => panic!("{found:?} {best:?} {compared}"),
        }
    }
    assert!(asked_grades > 0);
    // Without the setting, only pairs are asked.
    let pairs = session(&model.with_ask(Ask::default()));
    assert_eq!(pairs.grade_instead(&pairs.ask().unwrap().unwrap()).unwrap(), None);
}

/// The normal law of another crate.
fn phi(z: f64) -> f64 {
    0.5 * errorfunctions::RealErrorFunctions::erfc(-z / std::f64::consts::SQRT_2)
}

/// The mean of minus half the logarithm of the share of the variance that is left, over answers with these likelihoods.
fn expected_entropy(mean: f64, variance: f64, answers: &[Box<dyn Fn(f64) -> f64>]) -> f64 {
    let sd = variance.sqrt();
    let points = 20_000;
    let step = 20.0 / f64::from(points);
    let sums = |likelihood: &dyn Fn(f64) -> f64| {
        let mut sums = [0.0; 3];
        for point in 0..points {
            let z = -10.0 + step * (f64::from(point) + 0.5);
            let weight = step * (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt() * likelihood(mean + sd * z);
            [1.0, z, z * z].iter().zip(&mut sums).for_each(|(power, sum)| *sum += weight * power);
        }
        sums
    };
    let one = |likelihood: &dyn Fn(f64) -> f64| {
        let [mass, first, second] = sums(likelihood);
        if mass < 1e-300 { 0.0 } else { -0.5 * mass * (second / mass - (first / mass).powi(2)).ln() }
    };
    answers.iter().map(|likelihood| one(likelihood.as_ref())).sum()
}

/// A file of grades is learned from and stays as it is; the log gets new grades; an undo takes back only what is in the log.
#[test]
fn grades_from_a_file_and_from_the_log() {
    let folder = Folder::new();
    let project = folder.read("ordain.toml");
    folder.write("grades.csv", "judge,grade,item\nann,4,i1\n,2,i7\nann,5,i0\n");
    folder.write("ordain.toml", &format!("{project}\n[grades]\nfile = \"grades.csv\"\n"));
    let mut live = folder.open();
    assert_eq!(live.model().answer_model().grading().unwrap().scale(), GradeScale::default());
    let learned = |project: &Project| project.fit(Inference::Ep, &Watch::NONE).unwrap().learned();
    assert_eq!(learned(&live), 4);
    live.tell(grade(4, 3, "ann")).unwrap();
    assert_eq!((learned(&live), learned(&folder.open())), (5, 5));
    assert!(folder.read("answers.csv").ends_with("i4,,grade:3,ann,\n"));
    let mean = |project: &mut Project| project.session().unwrap().belief().mean().to_vec();
    assert_eq!(mean(&mut live), mean(&mut folder.open()));
    assert_eq!(live.undo(Some("ann"), None).unwrap(), Some(grade(4, 3, "ann")));
    // The one of the folder's own log, and then no more, though the file has grades of ann.
    assert!(live.undo(Some("ann"), None).unwrap().is_some());
    assert_eq!(live.undo(Some("ann"), None).unwrap(), None);
    assert_eq!((learned(&live), mean(&mut live)), (3, mean(&mut folder.open())));
    let predicted = live.fit(Inference::Ep, &Watch::NONE).unwrap().predict_grade(ItemId::new(0), Some("ann")).unwrap();
    let shares: Vec<(i32, f64)> = predicted.unwrap().probabilities().collect();
    assert!((shares.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-12 && shares.len() == 5);
}

/// The first grade of a project that says nothing of grades; and grades that are not on the scale.
#[test]
fn scales_of_projects() {
    let folder = Folder::new();
    let mut live = folder.open();
    assert!(live.model().answer_model().grading().is_none());
    live.tell(grade(2, 5, "")).unwrap();
    let mut again = folder.open();
    assert_eq!(live.session().unwrap().belief().mean(), again.session().unwrap().belief().mean());
    let before = folder.read("answers.csv");
    assert!(live.tell(grade(2, 6, "")).is_err());
    let mut recorder = Recorder::open(folder.path("")).unwrap();
    let Error::Input(error) = recorder.record(Entry::Answer(grade(2, 0, ""))).unwrap_err() else { panic!() };
    assert_eq!((error.found.as_deref(), error.expected.as_str()), (Some("0"), "a grade from 1 to 5"));
    assert_eq!(folder.read("answers.csv"), before);
    // Another scale, which the log does not fit.
    let project = folder.read("ordain.toml");
    folder.write("ordain.toml", &format!("{project}\n[grades]\nlowest = 0\nhighest = 3\n"));
    let Error::Input(error) = Project::open(folder.path("")).map(|_| ()).unwrap_err() else { panic!() };
    assert_eq!((error.line, error.found.as_deref()), (Some(3), Some("grade:5")));
    assert!(error.hint.unwrap().contains("lowest and highest"));
    for (settings, told) in [
        ("lowest = 3\nhighest = 3", "2 to 100 grades"),
        ("lowest = 7", "2 to 100 grades"),
        ("highest = 1000", "2 to 100 grades"),
        ("lowest = -1", "a whole number"),
        ("file = \"none.csv\"", "none.csv"),
        ("file = \"items.csv\"", "item and grade"),
        ("file = \"answers.csv\"", "answers.csv"),
        ("files = 1", "files"),
    ] {
        folder.write("ordain.toml", &format!("{project}\n[grades]\n{settings}\n"));
        let error = Project::open(folder.path("")).map(|_| ()).unwrap_err();
        let text = format!("{error} {}", error.hint().unwrap_or_default());
        assert!(text.contains(told), "{settings}: {text}");
    }
    // Rows that are wrong, each with its line.
    for (rows, column) in [("i1,4.5", "grade"), ("i99,4", "item"), (",4", "item"), ("i1,", "grade"), ("i1,9", "grade")]
    {
        folder.write("grades.csv", &format!("item,grade\ni0,3\n{rows}\n"));
        folder.write("ordain.toml", &format!("{project}\n[grades]\nfile = \"grades.csv\"\nhighest = 5\n"));
        let Error::Input(error) = Project::open(folder.path("")).map(|_| ()).unwrap_err() else { panic!("{rows}") };
        assert_eq!((error.line, error.column.as_deref()), (Some(3), Some(column)), "{rows}");
    }
    // Grades of the file that are not from 1 to 5 make the scale.
    folder.write("answers.csv", "first,second,outcome,judge,time\n");
    folder.write("grades.csv", "item,grade\ni0,0\ni1,7\n");
    folder.write("ordain.toml", &format!("{project}\n[grades]\nfile = \"grades.csv\"\n"));
    let open = folder.open();
    assert_eq!(open.model().answer_model().grading().unwrap().scale(), GradeScale::new(0, 7).unwrap());
}
