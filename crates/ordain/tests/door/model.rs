//! A model in memory.

use std::sync::Arc;

use errorfunctions::RealErrorFunctions;
use ordain::active::{
    AskOptions, Contender, Facts, Ground, Judge, Mistakes, Session, SessionParams, StopRule, Tournament, certainty,
    rank_with_certainty,
};
use ordain::active::{BeliefKind, CertaintyParams};
use ordain::data::{Ask, Attributes, Goal, Groups, ItemId, Items, Outcome};
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, RankingParams, TuningParams, predict};
use ordain::kernel::{Form, Kernel, KernelSpec, Parameter, Rho, Shape, build, set_parameters};
use ordain::numeric::Seed;
use ordain::{Error, Inference, Model, Watch};

use super::{line, log, some_answers};

fn shared<T: Send + Sync>(_: &T) {}

/// What the rooms behind the door give, put together by hand.
#[test]
fn fits_rankings_and_predictions_are_those_of_the_rooms() {
    let answers = some_answers(30);
    let model = line().with_answers(log(&answers)).unwrap();
    shared(&model);
    let kernel = Arc::new(build(model.kernels(), model.items(), model.relations()).unwrap());
    let observations = model.answer_model().observe_all(&answers).unwrap();
    let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
    let mut steps = Incremental::dense(kernel).unwrap();
    observations.iter().for_each(|observation| steps.observe(observation).unwrap());
    let by_hand: [(Inference, &dyn Belief); 2] = [(Inference::Ep, &ep), (Inference::Incremental, &steps)];
    for (inference, expected) in by_hand {
        let fitted = model.fit(inference, &Watch::NONE).unwrap();
        shared(&fitted);
        assert_eq!(fitted.belief().mean(), expected.mean());
        assert_eq!(fitted.belief().log_evidence(), expected.log_evidence());
        assert_eq!(fitted.learned(), 30);
        let params = RankingParams::default().with_draws(256).with_top(Some(3));
        let ranking = fitted.rank(&params).unwrap();
        let (items, groups) = rank_with_certainty(expected, model.items(), &params).unwrap();
        assert_eq!((&ranking.items, &ranking.groups), (&items, &groups));
        let (first, second) = (ItemId::new(2), ItemId::new(9));
        let said = predict(expected, model.answer_model(), first, second).unwrap();
        assert_eq!(fitted.predict(first, second).unwrap().probability, said.probability);
        let params = CertaintyParams::default().with_draws(256);
        assert_eq!(fitted.certainty(&params).unwrap(), certainty(expected, None, &params).unwrap());
    }
}

/// Tiers by their definition, with the belief's own probabilities of pairs: nobody in a tier is told apart from another member, and the
/// first item of the next tier is told apart from some member. Probabilities counted from 4,096 draws have a standard error of 0.005;
/// the judge's noise is so large that the Gaussian and the posterior differ by less than 0.02.
#[test]
fn tiers_end_before_the_first_item_that_is_told_apart() {
    const OFF: f64 = 0.03;
    let model = line().with_answers(log(&some_answers(200))).unwrap();
    let fitted = model.fit(Inference::Ep, &Watch::NONE).unwrap();
    let ranking = fitted.rank(&RankingParams::default()).unwrap();
    let order: Vec<ItemId> = ranking.items.iter().map(|item| item.item).collect();
    let covariance = fitted.belief().covariance(&order).unwrap();
    let better = |one: usize, other: usize| {
        let variance = covariance[(one, one)] + covariance[(other, other)] - 2.0 * covariance[(one, other)];
        let off = ranking.items[one].mean - ranking.items[other].mean;
        0.5 * RealErrorFunctions::erfc(-off / (2.0 * variance).sqrt())
    };
    let tiers = ranking.tiers();
    assert_eq!(tiers, ranking.items.iter().map(|item| item.tier).collect::<Vec<_>>());
    assert_eq!((tiers.len(), tiers[0]), (12, 1));
    let mut from = 0;
    for at in 1..12 {
        let most = (from..at).map(|member| better(member, at)).fold(0.0, f64::max);
        match tiers[at] - tiers[at - 1] {
            0 => assert!(most < 0.9 + OFF, "{at} {most} {tiers:?}"),
            1 => {
                assert!(most > 0.9 - OFF, "{at} {most} {tiers:?}");
                from = at;
            }
            _ => panic!("{tiers:?}"),
        }
    }
    assert!(tiers[11] > 2, "{tiers:?}");
}

/// A session states the number that a ranking of the same answers states: held noise and learned noise, ties, every goal, groups. Beyond 64
/// answers it says of how many it is.
#[test]
fn a_session_states_what_a_ranking_states() {
    let mut answers = some_answers(70);
    for at in [6, 13, 20] {
        answers[at].outcome = Outcome::Tie;
    }
    answers[9].outcome = Outcome::Skip;
    let held = AnswerModel::new(0.4, 0.2).unwrap();
    let learned = AnswerModel::learning(0.2).unwrap();
    for (answer_model, goal) in [
        (&held, Goal::Best),
        (&held, Goal::WholeOrder),
        (&learned, Goal::Best),
        (&learned, Goal::Top { k: 4 }),
        (&learned, Goal::TopHeavy),
    ] {
        let model = line().with_answer_model(answer_model.clone());
        let options = AskOptions::default().with_goal(Some(goal));
        for count in [0, 1, 12, 33, 69, 70] {
            let heard = model.clone().with_answers(log(&answers[..count])).unwrap();
            let mut session = model.session(&options, None, &Watch::NONE).unwrap();
            for (at, answer) in answers[..count].iter().enumerate() {
                session.tell(answer.clone()).unwrap();
                // What was stated before stays, or is counted again.
                if at + 3 >= count {
                    session.standing().unwrap();
                }
            }
            // Resumed or told one by one, it states the same.
            let resumed = heard.session(&options, None, &Watch::NONE).unwrap();
            assert_eq!(session.standing().unwrap(), resumed.standing().unwrap());
            let standing = session.standing().unwrap().unwrap();
            // Beyond 64 answers, every second one.
            let looked = if count == 69 { 68 } else { count };
            let told = answers[..looked].iter().filter(|answer| answer.outcome != Outcome::Skip).count();
            assert_eq!((standing.answers, standing.is_rough), (told, false), "{goal} {count}");
            let then = model.clone().with_answers(log(&answers[..looked])).unwrap();
            let fitted = then.fit(Inference::Ep, &Watch::NONE).unwrap();
            let params = RankingParams::for_items(12).with_seed(Seed(then.ask().seed));
            let ranking = fitted.rank(&params).unwrap();
            let rule = heard.asking(&options).unwrap().rule;
            assert_eq!(standing.probability, ranking.probability(&rule), "{goal} {count}");
        }
    }
}

/// Nobody finds more first items than there are, in the largest group.
#[test]
fn no_goal_is_larger_than_the_largest_group() {
    let refused = |model: &Model, k: usize| {
        let options = AskOptions::default().with_goal(Some(Goal::Top { k }));
        let mut own = Ask::default();
        own.goal = Goal::Top { k };
        let asked = [model.asking(&options), model.clone().with_ask(own).asking(&AskOptions::default())];
        asked.map(|asked| asked.err().map(|error| error.to_string()))
    };
    assert_eq!(refused(&line(), 12), [None, None]);
    for (said, name) in refused(&line(), 13).into_iter().zip(["top", "k"]) {
        let said = said.unwrap();
        assert!(said.contains(name) && said.contains("13") && said.contains("at most 12"), "{said}");
    }
    let names = (0..5).map(|at| format!("i{at}")).collect();
    let groups = Groups::new(["one", "two", "two", "two", "one"]);
    let items = Items::new(names, Some(groups), Attributes::none(5)).unwrap();
    let model = Model::new(items, vec![KernelSpec::independent(1.0)]).unwrap();
    assert_eq!(refused(&model, 3), [None, None]);
    assert!(refused(&model, 4).iter().flatten().all(|said| said.contains("at most 3")));
}

/// The width of ties is tuned with the rest, and learned models begin with it.
#[test]
fn the_width_of_ties_is_a_parameter() {
    let mut answers = some_answers(80);
    (0..80).step_by(3).for_each(|at| answers[at].outcome = Outcome::Tie);
    for answer_model in [AnswerModel::new(0.5, 0.3).unwrap(), AnswerModel::learning(0.3).unwrap()] {
        let model = line().with_answer_model(answer_model).with_answers(log(&answers)).unwrap();
        let tuned = model.tune(&TuningParams::default().with_restarts(0)).unwrap();
        let width = tuned.parameters.last().unwrap();
        assert_eq!(width.name, "tie_width");
        assert!(width.value > 0.0 && width.value != width.before, "{width:?}");
        let after = model.clone().with_parameters(&tuned.values()).unwrap();
        assert_eq!(after.answer_model().tie_width(), width.value);
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(model.clone().with_parameters(&[Parameter { name: "tie_width".into(), value }]).is_err());
        }
    }
    // Without ties there is nothing to learn it from.
    let model = line().with_answer_model(AnswerModel::new(0.5, 0.3).unwrap());
    let model = model.with_answers(log(&some_answers(40))).unwrap();
    let tuned = model.tune(&TuningParams::default().with_restarts(0)).unwrap();
    assert!(tuned.parameters.iter().all(|one| one.name != "tie_width"));
}

/// A session that was resumed from a store asks what a live one asks, to the bit.
#[test]
fn replay_equals_live() {
    let model = line();
    let options = AskOptions::default().with_goal(Some(Goal::Top { k: 3 }));
    let mut live = model.session(&options, None, &Watch::NONE).unwrap();
    let mut store = Vec::new();
    for answer in some_answers(25) {
        live.tell(answer.clone()).unwrap();
        store.push(answer);
        let replayed = model.clone().with_answers(log(&store)).unwrap().session(&options, None, &Watch::NONE).unwrap();
        assert_eq!(replayed.ask().unwrap(), live.ask().unwrap());
        assert_eq!(replayed.belief().mean(), live.belief().mean());
    }
    let by_hand = SessionParams::new(live.params().strategy).with_seed(Seed(1));
    let mut plain = Session::new(model.kernel().unwrap(), None, model.answer_model().clone(), by_hand).unwrap();
    store.into_iter().for_each(|answer| plain.tell(answer).unwrap());
    assert_eq!(plain.ask().unwrap(), live.ask().unwrap());
    // A session's belief ranks and predicts as any other.
    let ranking = model.rank(live.belief(), &RankingParams::default().with_draws(64)).unwrap();
    assert_eq!(ranking.items.iter().map(|row| row.item).collect::<Vec<_>>(), live.first_few(ItemId::new(0), 12));
    let said =
        |first, second| model.predict(live.belief(), ItemId::new(first), ItemId::new(second)).unwrap().probability;
    assert!((said(2, 9) + said(9, 2) - 1.0).abs() < 1e-12, "without ties one of the two is preferred");
    assert_eq!(live.first_few(ItemId::new(0), 12), {
        let mut order: Vec<ItemId> = model.items().iter().collect();
        order.sort_by(|a, b| live.belief().mean()[b.index()].total_cmp(&live.belief().mean()[a.index()]));
        order
    });
}

#[test]
fn a_pool_confines_questions() {
    let pool = [(ItemId::new(0), ItemId::new(1)), (ItemId::new(4), ItemId::new(7))];
    let model = line();
    let mut session = model.session(&AskOptions::default(), Some(&pool), &Watch::NONE).unwrap();
    let mut asked = Vec::new();
    while let Some(question) = session.ask().unwrap() {
        asked.push((question.first.min(question.second), question.first.max(question.second)));
        session.tell(question.answer(ordain::data::Outcome::First).unwrap()).unwrap();
    }
    asked.sort_unstable();
    assert_eq!(asked, pool);
    let fitted = model.fit(Inference::Ep, &Watch::NONE).unwrap();
    let asking = model.asking(&AskOptions::default()).unwrap();
    assert_eq!(fitted.ask_many(&asking, Some(&pool), 5).unwrap().len(), 2);
}

/// What a caller wants counts more than the model's own settings, and these more than what suits the goal.
#[test]
fn settings_are_decided_in_order() {
    let mut ask = Ask::default();
    (ask.strategy, ask.focus, ask.seed) = (Some("expected-loss".into()), Some(0.25), 9);
    let model = line().with_ask(ask.clone());
    let asking = model.asking(&AskOptions::default()).unwrap();
    assert_eq!((asking.strategy.name(), asking.strategy.focus(), asking.seed), ("expected-loss", Some(0.25), Seed(9)));
    let mut options = AskOptions::default().with_goal(Some(Goal::Best));
    (options.strategy, options.seed) = (Some("random".into()), Some(2));
    let asking = model.asking(&options).unwrap();
    assert_eq!((asking.rule.goal, asking.strategy.name(), asking.seed), (Goal::Best, "random", Seed(2)));
    options.focus = Some(1.0);
    assert!(matches!(model.asking(&options), Err(Error::Setting { name: "focus", .. })));
    ask.strategy = Some("guess".into());
    let model = line().with_ask(ask);
    assert!(matches!(model.asking(&AskOptions::default()), Err(Error::Setting { name: "strategy", .. })));
}

#[test]
fn answers_about_other_items_are_refused() {
    let far = ordain::data::Answer::new(ItemId::new(3), Some(ItemId::new(12)), ordain::data::Outcome::First).unwrap();
    assert!(line().with_answers(log(&[far])).is_err());
    let groups = Some(Groups::new((0..12).map(|at| if at < 6 { "a" } else { "b" })));
    let items = Items::new(line().items().ids().to_vec(), groups, line().items().attributes().clone()).unwrap();
    let grouped = Model::new(items, vec![KernelSpec::independent(1.0)]).unwrap();
    let across = ordain::data::Answer::new(ItemId::new(3), Some(ItemId::new(8)), ordain::data::Outcome::First).unwrap();
    assert!(grouped.with_answers(log(&[across])).is_err());
    let fitted = line().fit(Inference::Ep, &Watch::NONE).unwrap();
    assert!(fitted.predict(ItemId::new(0), ItemId::new(12)).is_err());
    let pool = [(ItemId::new(0), ItemId::new(0))];
    let asking = line().asking(&AskOptions::default()).unwrap();
    assert!(fitted.ask_many(&asking, Some(&pool), 1).is_err());
    assert!(Model::new(line().items().clone(), Vec::new()).is_err());
}

/// Values that are set by name are the values that the built kernel has, for every parameter of every kernel.
#[test]
fn parameters_are_set_by_name() {
    let model = line();
    let names = model.kernel().unwrap().parameters();
    assert!(names.len() > 5);
    let wanted: Vec<Parameter> = names
        .iter()
        .enumerate()
        .map(|(at, one)| Parameter { name: one.name.clone(), value: 0.3 + at as f64 / 7.0 })
        .collect();
    let changed = model.clone().with_parameters(&wanted).unwrap();
    assert_eq!(changed.kernel().unwrap().parameters(), wanted);
    let mut specs = model.kernels().to_vec();
    for (name, value) in
        [("kernel[0].iota", 1.0), ("kernel[9].weight", 1.0), ("weight", 1.0), ("kernel[0].weight", -1.0)]
    {
        assert!(set_parameters(&mut specs, &[wanted[0].clone(), Parameter { name: name.into(), value }]).is_err());
    }
    assert_eq!(specs, model.kernels(), "nothing is changed by what is refused");
}

/// Tuning through the door climbs to where no step leads further: the values it finds are an optimum of the same evidence.
#[test]
fn tuned_values_are_an_optimum() {
    let model = line().with_answers(log(&some_answers(60))).unwrap();
    let params = TuningParams::default().with_restarts(0);
    let tuned = model.tune(&params).unwrap();
    let found = tuned.values();
    let there = model.clone().with_parameters(&found).unwrap();
    let evidence = |model: &Model| model.fit(Inference::Ep, &Watch::NONE).unwrap().belief().log_evidence();
    // Both fixed points are right to 1e-7.
    assert!((evidence(&there) - tuned.log_evidence).abs() < 1e-5);
    assert!((evidence(&model) - tuned.log_evidence_before).abs() < 1e-5);
    assert_eq!(there.uncertainty(&params).unwrap().len(), found.len());
    let together = Model::tune_together(&[model.clone(), model], &params).unwrap();
    assert!((together.log_evidence_before - 2.0 * tuned.log_evidence_before).abs() < 1e-5);
}

/// The strength of neighbours is tuned under its name. (Its slope is checked with those of all kernels in `tests/tuning.rs`.)
#[test]
fn the_strength_of_neighbours_is_tuned() {
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(0.7) };
    let kernels = vec![KernelSpec::new(1.0, Shape::SemiSupervised { form, neighbours: 3, strength: 1.0 })];
    let model = Model::new(line().items().clone(), kernels).unwrap().with_answers(log(&some_answers(60))).unwrap();
    let tuned = model.tune(&TuningParams::default().with_restarts(0)).unwrap();
    let found = tuned.values();
    let strength = found.iter().find(|one| one.name == "kernel[0].semi_supervised.strength").unwrap();
    assert!((strength.value - 1.0).abs() > 0.1, "{found:?}");
    let there = model.with_parameters(&found).unwrap().fit(Inference::Ep, &Watch::NONE).unwrap();
    assert!((there.belief().log_evidence() - tuned.log_evidence).abs() < 1e-5);
    assert!(tuned.log_evidence > tuned.log_evidence_before + 0.1, "{tuned:?}");
}

/// A judge without noise who is asked every pair leaves nothing to find out.
#[test]
fn a_tournament_ends_where_everything_is_known() {
    let kernel = Arc::new(build(&[KernelSpec::independent(3.0)], line().items(), &[]).unwrap());
    let utilities: Vec<f64> = (0..12).map(f64::from).collect();
    let ground = Ground { groups: None, kernel, facts: Facts::Utilities(utilities) };
    let model = line().answer_model().clone();
    let tournament = Tournament {
        answers: 66,
        repeats: 2,
        seed: Seed(1),
        goal: Goal::WholeOrder,
        judge: Judge { noise: 0.0, tie_width: 0.0 },
        mistakes: Mistakes::default(),
        model,
        repeat: false,
        watch: Watch::NONE,
    };
    let contender = Contender { belief: BeliefKind::Gp, strategy: "random".into(), focus: None };
    let curves = tournament.play(&[ground], &[contender]).unwrap();
    // All items are equal before the first answer, so half of the pairs are right.
    let first = &curves[0].points[0];
    assert_eq!((first.answers, first.mean.accuracy, first.mean.tau), (0, 0.5, 0.0));
    let last = curves[0].points.last().unwrap();
    assert_eq!((last.answers, last.mean.accuracy, last.mean.tau), (66, 1.0, 1.0));
    assert_eq!(StopRule::new(Goal::WholeOrder).target, 0.9);
}
