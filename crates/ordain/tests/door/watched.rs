//! Every call that can take long says how far it is, and stops when it is told to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ordain::active::{
    AskOptions, BeliefKind, CertaintyParams, Contender, Effort, Facts, Ground, Judge, Mistakes, Tournament,
};
use ordain::data::Goal;
use ordain::gp::{ComparisonParams, RankingParams, TuningParams};
use ordain::numeric::Seed;
use ordain::{Error, Inference, Model, Result, Step, Watch};

use super::{line, log, some_answers};

fn learned() -> Model {
    line().with_answers(log(&some_answers(40))).unwrap()
}

type Call = Box<dyn Fn(&Model, &Watch) -> Result<()>>;

/// Every such call, by name.
fn calls() -> Vec<(&'static str, Call)> {
    fn ranking(model: &Model, watch: &Watch) -> Result<()> {
        let params = RankingParams::default().with_watch(watch.clone());
        model.fit(Inference::Ep, &Watch::NONE)?.rank(&params).map(|_| ())
    }
    fn certainty(model: &Model, watch: &Watch) -> Result<()> {
        let params = CertaintyParams::default().with_watch(watch.clone());
        model.fit(Inference::Ep, &Watch::NONE)?.certainty(&params).map(|_| ())
    }
    fn forecast(model: &Model, watch: &Watch) -> Result<()> {
        let fitted = model.fit(Inference::Ep, &Watch::NONE)?;
        let ranking = fitted.rank(&RankingParams::default())?;
        let asking = model.asking(&AskOptions::default().with_target(Some(1.0)))?;
        fitted.forecast(&ranking, &asking, Effort::Whole, watch).map(|found| assert!(found.is_some()))
    }
    fn tournament(model: &Model, watch: &Watch) -> Result<()> {
        let kernel = model.kernel()?;
        let ground = Ground { groups: None, kernel, facts: Facts::Utilities((0..12).map(f64::from).collect()) };
        let contender = Contender { belief: BeliefKind::Gp, strategy: "random".into(), focus: None };
        let judge = Judge { noise: 0.0, tie_width: 0.0 };
        let (goal, answers) = (Goal::WholeOrder, model.answer_model().clone());
        let game = Tournament {
            answers: 5,
            repeats: 4,
            seed: Seed(1),
            goal,
            judge,
            mistakes: Mistakes::default(),
            model: answers,
            repeat: false,
            watch: watch.clone(),
        };
        game.play(&[ground], &[contender]).map(|_| ())
    }
    vec![
        ("ep", Box::new(|model, watch| model.fit(Inference::Ep, watch).map(|_| ()))),
        ("incremental", Box::new(|model, watch| model.fit(Inference::Incremental, watch).map(|_| ()))),
        ("session", Box::new(|model, watch| model.session(&AskOptions::default(), None, watch).map(|_| ()))),
        ("rank", Box::new(ranking)),
        ("certainty", Box::new(certainty)),
        ("forecast", Box::new(forecast)),
        ("tune", Box::new(|model, watch| model.tune(&TuningParams::default().with_watch(watch.clone())).map(|_| ()))),
        (
            "compare",
            Box::new(|model, watch| {
                let params = ComparisonParams::default().with_folds(3).with_draws(50).with_watch(watch.clone());
                model.compare(&params).map(|_| ())
            }),
        ),
        ("tournament", Box::new(tournament)),
    ]
}

#[test]
fn steps_are_counted() {
    for (name, call) in calls() {
        let seen: Arc<Mutex<Vec<Step>>> = Arc::default();
        let heard = seen.clone();
        call(&learned(), &Watch::default().report(move |step| heard.lock().unwrap().push(step.clone()))).unwrap();
        let seen = seen.lock().unwrap();
        assert!(seen.len() > 1, "{name}: {seen:?}");
        assert!(seen.iter().all(|step| step.of.is_none_or(|of| step.done <= of)), "{name}: {seen:?}");
        // Work that is a step of other work does not report by itself.
        assert!(seen.iter().all(|step| step.work == seen[0].work), "{name}: {seen:?}");
    }
}

/// Stopped at the first look and at the third: always the same error, and soon. A stop that is said once is enough.
#[test]
fn calls_stop_when_told() {
    for (name, call) in calls() {
        for after in [0, 2] {
            let looks = Arc::new(AtomicUsize::new(0));
            let counted = looks.clone();
            let watch = Watch::default().stop_when(move || counted.fetch_add(1, Ordering::Relaxed) == after);
            let result = call(&learned(), &watch);
            assert!(matches!(result, Err(Error::Cancelled { .. })), "{name}: {result:?}");
            // Threads that are in the middle of a step may look once more; tuning tries some shorter steps.
            assert!(looks.load(Ordering::Relaxed) < after + 80, "{name}: {looks:?}");
        }
        call(&learned(), &Watch::default().stop_when(|| false)).unwrap();
    }
}
