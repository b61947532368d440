//! One suite for every ranker, and the files of models.
#![allow(clippy::unwrap_used)]

mod common;

use common::stream;
use ordain::data::{Attributes, Groups, Items};
use ordain::formats::read_letors;
use ordain::learn::{
    GradedLists, LabelledQuery, LambdaParams, LinearSvmParams, MarginLambda, PairLambda, PairwiseRiskParams, Ranker,
    RankingModel, Scaling, Swap,
};
use ordain::measure::Measure;
use ordain::{Error, Watch};
use rand::RngExt;

/// Every ranker, quickly.
fn rankers() -> Vec<(&'static str, Box<dyn Ranker>)> {
    let quick = |params: LambdaParams| params.with_epochs(30).with_restarts(2).with_rates(vec![0.01, 0.1]);
    vec![
        ("lambdarank", Box::new(quick(LambdaParams::lambdarank(Swap::ndcg())))),
        ("lambdarank, map", Box::new(quick(LambdaParams::lambdarank(Swap::AveragePrecision)))),
        ("lambdarank, network", Box::new(quick(LambdaParams::lambdarank(Swap::ndcg()).with_hidden(vec![6, 3])))),
        ("ranknet", Box::new(quick(LambdaParams::ranknet()))),
        ("ranksvm", Box::new(LinearSvmParams::default())),
        ("pairwise-risk", Box::new(PairwiseRiskParams::default())),
    ]
}

/// Queries whose grades follow the first attribute, less the second, with some noise; the third says nothing.
fn problem(task: u64, queries: usize) -> (Items, Vec<i32>) {
    let mut stream = stream(task);
    let (mut ids, mut groups, mut values, mut grades) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for query in 0..queries {
        for document in 0..12 {
            let row: [f64; 3] = [0; 3].map(|_| stream.random_range(-1.0..1.0));
            let utility = 2.0 * row[0] - row[1] + 0.1 * stream.random_range(-1.0..1.0);
            ids.push(format!("d{document}"));
            groups.push(format!("q{query}"));
            grades.push(if utility > 1.0 { 2 } else { i32::from(utility > 0.0) });
            values.extend(row);
        }
    }
    let names = ["good", "bad", "nothing"].map(str::to_owned).to_vec();
    let attributes = Attributes::new(names, ids.len(), values).unwrap();
    (Items::new(ids, Some(Groups::new(groups)), attributes).unwrap(), grades)
}

fn lists(task: u64, queries: usize, scaling: Scaling) -> GradedLists {
    let (items, grades) = problem(task, queries);
    GradedLists::new(&items, &grades, scaling).unwrap()
}

fn fit(ranker: &dyn Ranker, scaling: Scaling) -> RankingModel {
    let (train, validate) = (lists(1, 30, scaling), lists(2, 10, scaling));
    ranker.fit(&train, Some(&validate), &Watch::NONE).unwrap()
}

/// On queries that nobody saw, all rank nearly as the truth does, and know which attribute says nothing.
#[test]
fn everyone_learns() {
    let (items, grades) = problem(3, 20);
    let test = GradedLists::new(&items, &grades, Scaling::Standard).unwrap();
    for (name, ranker) in rankers() {
        for scaling in [Scaling::Standard, Scaling::Between0And1, Scaling::AsGiven] {
            let model = fit(&*ranker, scaling);
            let scores = model.score(items.attributes(), items.groups()).unwrap();
            let found = test.measure(Measure::AveragePrecision, &scores).unwrap();
            assert!(found > 0.95, "{name}, {scaling}: {found}");
            let [good, bad, nothing] = model.importance() else { panic!("{name}") };
            assert!((good + bad + nothing - 1.0).abs() < 1e-12, "{name}");
            assert!(*good > *bad && *bad > 2.0 * *nothing, "{name}, {scaling}: {:?}", model.importance());
            if let Some(weights) = model.weights() {
                assert!(weights[0] > 0.0 && weights[1] < 0.0, "{name}: {weights:?}");
            }
        }
    }
}

/// Without lists to validate with, every fifth query is kept aside. With two queries, there is none to spare.
#[test]
fn nothing_to_validate_with() {
    for (name, ranker) in rankers() {
        for queries in [2, 30] {
            let model = ranker.fit(&lists(1, queries, Scaling::Standard), None, &Watch::NONE).unwrap();
            assert_eq!(model.features(), ["good", "bad", "nothing"], "{name}");
        }
    }
}

#[test]
fn same_bits_on_one_thread_and_on_three() {
    for (name, ranker) in rankers() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&*ranker, Scaling::Standard))
        };
        assert_eq!(on(1), on(3), "{name}");
    }
}

#[test]
fn saved_and_loaded_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (items, _) = problem(4, 3);
    for (name, ranker) in rankers() {
        let path = folder.path().join("model.json");
        let model = fit(&*ranker, Scaling::Standard);
        model.save(&path).unwrap();
        let again = RankingModel::load(&path).unwrap();
        assert_eq!(model, again, "{name}");
        let score = |model: &RankingModel| model.score(items.attributes(), items.groups()).unwrap();
        assert_eq!(score(&model), score(&again), "{name}");
    }
}

/// Other orders of columns give the same scores; other columns are refused by name.
#[test]
fn attributes_are_known_by_their_names() {
    let model = fit(&LinearSvmParams::default(), Scaling::Standard);
    let (items, _) = problem(5, 3);
    let all = items.attributes();
    let some = |names: &[&str]| {
        let columns: Vec<Option<usize>> =
            names.iter().map(|name| all.names().iter().position(|known| known == name)).collect();
        let values = (0..all.items())
            .flat_map(|item| columns.iter().map(move |column| column.map_or(0.0, |column| all.row(item)[column])))
            .collect();
        Attributes::new(names.iter().map(|name| (*name).to_owned()).collect(), all.items(), values).unwrap()
    };
    let scores = |attributes: &Attributes| model.score(attributes, items.groups());
    assert_eq!(scores(all).unwrap(), scores(&some(&["nothing", "good", "bad"])).unwrap());
    let error = |names: &[&str]| scores(&some(names)).unwrap_err().to_string();
    assert_eq!(
        error(&["good", "nothing"]),
        "attributes to score: found none that is called bad, expected the attributes that the model was learned with"
    );
    assert_eq!(
        error(&["good", "bad", "nothing", "new"]),
        "attributes to score: found new, which the model does not know, expected the 3 attributes that it was learned with"
    );
}

#[test]
fn what_teaches_nothing_is_refused_or_counted() {
    let (items, _) = problem(6, 4);
    let alike = GradedLists::new(&items, &vec![1; items.len()], Scaling::Standard).unwrap();
    assert_eq!(alike.one_grade_only(), 4);
    for (name, ranker) in rankers() {
        let error = ranker.fit(&alike, None, &Watch::NONE).unwrap_err();
        assert!(matches!(error, Error::Data { what: "queries to learn from", .. }), "{name}: {error}");
    }
    let (items, mut grades) = problem(6, 4);
    grades[..12].fill(0);
    assert_eq!(GradedLists::new(&items, &grades, Scaling::Standard).unwrap().one_grade_only(), 1);
    assert!(GradedLists::new(&items, &grades[1..], Scaling::Standard).is_err());
    let bare = Items::from_ids(["a", "b"]).unwrap();
    assert!(GradedLists::new(&bare, &[1, 0], Scaling::Standard).is_err());
}

#[test]
fn other_attributes_to_validate_with_are_refused() {
    let train = lists(1, 10, Scaling::Standard);
    let other = lists(2, 10, Scaling::AsGiven);
    for (name, ranker) in rankers() {
        assert!(ranker.fit(&train, Some(&other), &Watch::NONE).is_err(), "{name}");
    }
}

#[test]
fn a_watch_stops_everyone() {
    for (name, ranker) in rankers() {
        let stop = Watch::default().stop_when(|| true);
        let error = ranker.fit(&lists(1, 10, Scaling::Standard), None, &stop).unwrap_err();
        assert!(matches!(error, Error::Cancelled { work: "training" }), "{name}: {error}");
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let train = lists(1, 10, Scaling::Standard);
    let descent = || LambdaParams::ranknet();
    let wrong: Vec<Box<dyn Ranker>> = vec![
        Box::new(descent().with_rates(vec![0.0])),
        Box::new(descent().with_rates(Vec::new())),
        Box::new(descent().with_restarts(0)),
        Box::new(descent().with_hidden(vec![3, 3, 3])),
        Box::new(descent().with_hidden(vec![0])),
        Box::new(descent().with_patience(0)),
        Box::new(LambdaParams::new("steep", PairLambda::new(Swap::Pairs).with_steepness(0.0))),
        Box::new(LambdaParams::new("unsure", PairLambda::new(Swap::Pairs).with_confidence(0.5))),
        Box::new(LambdaParams::new("margin", MarginLambda { margin: -1.0 }).with_epochs(5)),
        Box::new(LinearSvmParams::default().with_penalties(vec![f64::NAN])),
        Box::new(LinearSvmParams::default().with_penalties(Vec::new())),
        Box::new(PairwiseRiskParams::default().with_penalty(-1.0)),
    ];
    for (at, ranker) in wrong.iter().enumerate() {
        assert!(matches!(ranker.fit(&train, None, &Watch::NONE), Err(Error::Parameter { .. })), "{at}");
    }
    let cost: [Box<dyn Ranker>; 2] = [
        Box::new(descent().with_measure(Measure::WinnerTakesAll)),
        Box::new(LinearSvmParams::default().with_measure(Measure::WinnerTakesAll)),
    ];
    for ranker in cost {
        let error = ranker.fit(&train, None, &Watch::NONE).unwrap_err().to_string();
        assert_eq!(error, "the measure to choose by: found wta, expected a measure of which more is better");
    }
}

/// Queries of one document, and attributes that are constant, change nothing: the same scores for the others, to the bit.
#[test]
fn what_says_nothing_changes_nothing() {
    let (items, grades) = problem(9, 10);
    let train = GradedLists::new(&items, &grades, Scaling::Standard).unwrap();
    let mut ids: Vec<String> = items.iter().map(|item| items.id(item).to_owned()).collect();
    let mut queries: Vec<String> = items.iter().map(|item| items.group_name(item).unwrap().to_owned()).collect();
    let mut values: Vec<f64> = (0..items.len())
        .map(|item| items.attributes().row(item))
        .flat_map(|row| [row[0], row[1], row[2], 5.0])
        .collect();
    ids.push("alone".into());
    queries.push("of one".into());
    values.extend([1.0; 4]);
    let names = ["good", "bad", "nothing", "constant"].map(str::to_owned).to_vec();
    let attributes = Attributes::new(names, ids.len(), values).unwrap();
    let more = Items::new(ids, Some(Groups::new(queries)), attributes).unwrap();
    let with_one: Vec<i32> = grades.iter().copied().chain([2]).collect();
    let wider = GradedLists::new(&more, &with_one, Scaling::Standard).unwrap();
    assert_eq!(wider.one_grade_only(), 1);
    for (name, ranker) in rankers() {
        let (one, other) =
            (ranker.fit(&train, None, &Watch::NONE).unwrap(), ranker.fit(&wider, None, &Watch::NONE).unwrap());
        let Some(weights) = one.weights() else { continue };
        let wide = other.weights().unwrap();
        assert_eq!(wide[3], 0.0, "{name}");
        assert_eq!(weights, &wide[..3], "{name}");
        assert_eq!(other.importance()[3], 0.0, "{name}");
    }
}

/// What cannot be chosen by, or cannot be learned from, is refused: nothing is relevant, or the measure sees no difference.
#[test]
fn grades_that_say_nothing_are_refused() {
    let (items, grades) = problem(6, 6);
    let train = GradedLists::new(&items, &grades, Scaling::Standard).unwrap();
    let irrelevant: Vec<i32> = grades.iter().map(|grade| grade - 5).collect();
    let none = GradedLists::new(&items, &irrelevant, Scaling::Standard).unwrap();
    let error = LambdaParams::ranknet().fit(&train, Some(&none), &Watch::NONE).unwrap_err().to_string();
    assert!(error.starts_with("queries to choose by: found no relevant document"), "{error}");
    let all: Vec<i32> = grades.iter().map(|grade| grade + 1).collect();
    let all = GradedLists::new(&items, &all, Scaling::Standard).unwrap();
    for swap in [Swap::AveragePrecision, Swap::ReciprocalRank, Swap::Winner] {
        let error = LambdaParams::lambdarank(swap).fit(&all, None, &Watch::NONE).unwrap_err().to_string();
        assert!(error.starts_with("queries to learn from: found no pair of documents that differ"), "{error}");
    }
    let high: Vec<i32> = grades.iter().map(|grade| grade * 1000).collect();
    let error = GradedLists::new(&items, &high, Scaling::Standard).unwrap_err().to_string();
    assert_eq!(error, "graded lists: found grade 2000, expected grades up to 1023");
}

/// Values whose squares overflow, and attributes that never differ within a query, would leave a model that says nothing.
#[test]
fn attributes_that_teach_nothing_are_refused() {
    let with = |value: &dyn Fn(usize) -> f64| {
        let attributes = Attributes::new(vec!["x".into()], 4, (0..4).map(value).collect()).unwrap();
        let ids = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let items = Items::new(ids, Some(Groups::new(["q", "q", "r", "r"])), attributes).unwrap();
        GradedLists::new(&items, &[1, 0, 1, 0], Scaling::AsGiven).unwrap()
    };
    let params = LambdaParams::ranknet().with_epochs(3);
    let fit = |lists: &GradedLists| params.fit(lists, None, &Watch::NONE).map_err(|error| error.to_string());
    assert!(fit(&with(&|item| item as f64)).is_ok());
    let error = fit(&with(&|item| 1e300 * item as f64)).unwrap_err();
    assert!(error.contains("the squares of slopes overflow"), "{error}");
    let error = fit(&with(&|item| (item / 2) as f64)).unwrap_err();
    assert!(error.contains("expected an attribute that differs within a query"), "{error}");
}

/// What a model says of its own training, found again from its scores: the pass that was best on validation, the first of equals, the
/// measures of both, and no more passes after it than patience allows.
#[test]
fn the_best_pass_counts() {
    let ((items, grades), (other, others)) = (problem(4, 20), problem(5, 15));
    let train = GradedLists::new(&items, &grades, Scaling::Standard).unwrap();
    let validate = GradedLists::new(&other, &others, Scaling::Standard).unwrap();
    let params = LambdaParams::lambdarank(Swap::ndcg()).with_rates(vec![0.003]).with_restarts(1).with_patience(4);
    let fit = |params: &LambdaParams| params.fit(&train, Some(&validate), &Watch::NONE).unwrap();
    let model = fit(&params);
    let curve = model.curve();
    let best = curve.iter().map(|epoch| epoch.validate).fold(0.0, f64::max);
    let first = curve.iter().position(|epoch| epoch.validate == best).unwrap();
    assert_eq!(model.chosen().iter().find(|(name, _)| name == "epochs").unwrap().1, (first + 1) as f64);
    assert!(curve.len() == params.epochs || curve.len() == first + 1 + 4, "{} passes, best {first}", curve.len());
    let measured = |model: &RankingModel, lists: &GradedLists, items: &Items| {
        lists.measure(model.measure(), &model.score(items.attributes(), items.groups()).unwrap()).unwrap()
    };
    assert_eq!(model.measured(), [measured(&model, &train, &items), measured(&model, &validate, &other)]);
    assert_eq!(model.measured()[1], best);
    // Fewer passes are the same passes.
    let shorter = fit(&params.clone().with_epochs(first + 1));
    assert_eq!(shorter.weights(), model.weights());
    assert_eq!(shorter.curve(), &curve[..first + 1]);
}

/// One query and one pass: one step of Adam, which is the rate in every coordinate whose slope is not 0. The curve shows the scores before
/// the step, all equal.
#[test]
fn one_step_by_hand() {
    let attributes = Attributes::new(vec!["x".into(), "y".into()], 3, vec![1.0, 0.0, 0.0, 2.0, 0.0, 1.0]).unwrap();
    let items = Items::new(["a", "b", "c"].map(str::to_owned).to_vec(), None, attributes).unwrap();
    let lists = GradedLists::new(&items, &[0, 1, 0], Scaling::AsGiven).unwrap();
    let params = LambdaParams::ranknet().with_rates(vec![0.25]).with_restarts(1).with_epochs(1);
    let model = params.fit(&lists, None, &Watch::NONE).unwrap();
    // The slopes are -1/2 and 2 · 1 - 1/2.
    for (weight, expected) in model.weights().unwrap().iter().zip([-0.25, 0.25]) {
        assert!((weight - expected).abs() < 1e-8, "{weight}");
    }
    // In the order of the file the relevant document is second.
    assert_eq!(model.curve()[0].train, 0.5);
    assert_eq!(model.measured(), [1.0, 1.0]);
}

/// The scorer behind the trait is the one whose risk is bounded.
#[test]
fn the_pairwise_risk_scorer_is_the_same_behind_the_trait() {
    let (items, grades) = problem(7, 8);
    let lists = GradedLists::new(&items, &grades, Scaling::AsGiven).unwrap();
    let params = PairwiseRiskParams::default();
    let model = Ranker::fit(&params, &lists, None, &Watch::NONE).unwrap();
    let groups = items.groups().unwrap();
    let query = |group: usize| {
        let members = groups.members(group);
        let values = members.iter().flat_map(|item| items.attributes().row(item.index())).copied().collect();
        let attributes = Attributes::new(items.attributes().names().to_vec(), members.len(), values).unwrap();
        LabelledQuery::new(attributes, members.iter().map(|item| grades[item.index()] > 0).collect()).unwrap()
    };
    let queries: Vec<LabelledQuery> = (0..groups.len()).map(query).collect();
    assert_eq!(model.weights().unwrap(), params.fit(&queries).unwrap().weights());
}

/// The SVM's optimum: the gradient of all pairs, one by one, is 0 there.
#[test]
fn the_svm_is_at_its_optimum() {
    let (items, grades) = problem(8, 6);
    let penalty = 0.01;
    let train = GradedLists::new(&items, &grades, Scaling::AsGiven).unwrap();
    let model =
        LinearSvmParams::default().with_penalties(vec![penalty]).fit(&train, Some(&train), &Watch::NONE).unwrap();
    let weights = model.weights().unwrap();
    let groups = items.groups().unwrap();
    let (mut gradient, mut pairs) = (vec![0.0; 3], 0.0);
    for group in 0..groups.len() {
        let members = groups.members(group);
        for (one, other) in members.iter().flat_map(|one| members.iter().map(move |other| (one.index(), other.index())))
        {
            if grades[one] <= grades[other] {
                continue;
            }
            pairs += 1.0;
            let difference: Vec<f64> =
                items.attributes().row(one).iter().zip(items.attributes().row(other)).map(|(a, b)| a - b).collect();
            let short = 1.0 - difference.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
            if short > 0.0 {
                gradient.iter_mut().zip(&difference).for_each(|(slope, x)| *slope -= 2.0 * short * x);
            }
        }
    }
    for (slope, weight) in gradient.iter().zip(weights) {
        // The tolerance of the fit.
        assert!((slope / pairs + penalty * weight).abs() < 2e-6);
    }
}

const WRITTEN: &str = include_str!("data/ranker-version-1.json");

/// A file of version 1, with scores that were computed by hand: two inputs, one hidden unit.
#[test]
fn version_1_is_read_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    std::fs::write(&path, WRITTEN).unwrap();
    let model = RankingModel::load(&path).unwrap();
    assert_eq!((model.learner(), model.hidden(), model.scaling()), ("lambdarank", &[1][..], Scaling::AsGiven));
    let attributes = Attributes::new(vec!["x".into(), "y".into()], 2, vec![1.0, 2.0, 0.0, 0.0]).unwrap();
    let scores = model.score(&attributes, None).unwrap();
    // 2 tanh(0.5 x - 0.25 y + 0.125).
    assert!((scores[0] - 2.0 * 0.125_f64.tanh()).abs() < 1e-15);
    assert!((scores[1] - 2.0 * 0.125_f64.tanh()).abs() < 1e-15);
    // This version writes what it read.
    model.save(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), WRITTEN);
    let error = model.score(&attributes, Some(&Groups::new(["q"; 3]))).unwrap_err().to_string();
    assert_eq!(error, "groups of items to score: found groups of 3 items, expected those of the 2 items");
}

#[test]
fn damaged_models_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    let error = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let error = RankingModel::load(&path).unwrap_err();
        format!("{error}; {}", error.hint().unwrap_or("")).replace(&path.display().to_string(), "model.json")
    };
    assert!(error("").contains("model.json, line 1: expected a model; it ends too early"), "{}", error(""));
    let later = error(&WRITTEN.replace("\"version\": 1", "\"version\": 2"));
    assert_eq!(later, "model.json: found \"2\", expected a version up to 1; a later version of ordain wrote it");
    assert!(error(&WRITTEN.replace("\"version\": 1", "\"version\": 0")).contains("found \"0\""));
    assert!(error(&WRITTEN.replace("\"y\"", "\"x\"")).contains("none twice"));
    // Sizes that overflow when they are multiplied.
    let huge = WRITTEN.replace("    1\n  ],\n  \"features\"", "    9223372036854775808\n  ],\n  \"features\"");
    assert!(error(&huge).contains("as many weights"), "{}", error(&huge));
    assert!(error(&WRITTEN.replace("ordain ranking model", "cake")).contains("found \"cake\""));
    assert!(error("[1, 2]").contains("expected a model"));
    assert!(error(&WRITTEN.replace("0.125", "1e999")).contains("not as ordain wrote it"));
    assert!(
        error(&WRITTEN.replace("0.125,", "")).contains("as many weights"),
        "{}",
        error(&WRITTEN.replace("0.125,", ""))
    );
    assert!(error(&WRITTEN.replace("as-given", "as-told")).contains("scaling"));
    // Cut anywhere, it is refused and nothing panics.
    for end in 0..WRITTEN.trim_end().len() {
        std::fs::write(&path, &WRITTEN[..end]).unwrap();
        assert!(RankingModel::load(&path).is_err(), "cut at {end}");
    }
}

/// Files of different widths get the features of the widest; a model's width refuses more, with the line.
#[test]
fn letor_files_of_one_collection() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let paths =
        [write("a.txt", "1 qid:1 1:0.5\n0 qid:1 2:0.25\n"), write("b.txt", "# nothing\n2 qid:2 1:1\n0 qid:2 3:0.5\n")];
    let read = read_letors(&paths, None).unwrap();
    assert_eq!(read[0].items.attributes().names(), ["1", "2", "3"]);
    assert_eq!(read[0].items.attributes().row(1), [0.0, 0.25, 0.0]);
    assert_eq!(read_letors(&paths[1..], Some(3)).unwrap()[0].items.attributes().row(1), [0.0, 0.0, 0.5]);
    let error = read_letors(&paths, Some(3)).unwrap_err().to_string();
    assert!(error.ends_with("a.txt: found \"features up to 2\", expected features up to 3"), "{error}");
    let again = write("d.txt", "1 qid:7 1:1\n1 qid:2 1:1\n");
    let error = read_letors(&[&paths[1], &again], None).unwrap_err().to_string();
    assert!(error.ends_with("d.txt, line 2: found \"qid:2\", expected queries that no other file has"), "{error}");
    let error = read_letors(&paths[1..], Some(2)).unwrap_err().to_string();
    assert!(error.ends_with("b.txt, line 3: found \"3\", expected features from 1 to 2"), "{error}");
    assert_eq!(read[1].whole_grades(&paths[1]).unwrap(), [2, 0]);
    let half = write("c.txt", "# nothing\n0.5 qid:1 1:1\n");
    let error = read_letors(&[&half], None).unwrap()[0].whole_grades(&half).unwrap_err().to_string();
    assert!(
        error.ends_with("c.txt, line 2, column 1: found \"0.5\", expected a whole number up to 1023 as the grade"),
        "{error}"
    );
}
