//! The comparison of models with and without each kernel, against fits by hand.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::HashSet;
use std::sync::Arc;

use common::*;
use ordain::Watch;
use ordain::data::{Answer, Attributes, ItemId, Items, Link, Outcome, Relation};
use ordain::gp::{
    AnswerModel, Belief, Comparison, ComparisonParams, EpParams, Functional, Observation, Problem, Score, Setting,
    TuningParams,
};
use ordain::kernel::{Form, KernelSpec, Over, RelationSpec, Rho, Role, Shape, build};
use ordain::numeric::Seed;
use rand::Rng;

/// Items with one attribute and a graph, and what judges said of them.
struct World {
    items: Items,
    relation: Relation,
    answers: Vec<Answer>,
    model: AnswerModel,
}

impl World {
    fn new(attribute: &[f64], links: Vec<Link>, utilities: &[f64], answers: usize, stream: &mut impl Rng) -> Self {
        let n = attribute.len();
        let table = Attributes::new(vec!["x".into()], n, attribute.to_vec()).unwrap();
        let items = Items::new((0..n).map(|i| format!("item {i}")).collect(), None, table).unwrap();
        let model = AnswerModel::new(0.5, 0.2).unwrap();
        let mut say = || {
            let (first, second) = pair(n, stream);
            let noisy = utilities[first.index()] - utilities[second.index()] + model.lambda() * normal(stream);
            let outcome = match noisy {
                noisy if noisy > 0.2 => Outcome::First,
                noisy if noisy < -0.2 => Outcome::Second,
                _ => Outcome::Tie,
            };
            Answer::new(first, Some(second), outcome).unwrap()
        };
        let answers = (0..answers).map(|_| say()).collect();
        Self { items, relation: Relation::new(n, links).unwrap(), answers, model }
    }

    fn compare(&self, kernels: &[KernelSpec], params: &ComparisonParams) -> ordain::Result<Comparison> {
        let answers: Vec<&Answer> = self.answers.iter().collect();
        let setting = Setting {
            kernels,
            items: &self.items,
            relations: std::slice::from_ref(&self.relation),
            answers: &answers,
            model: self.model.clone(),
        };
        params.compare(setting)
    }
}

/// At the kernels' own values.
fn fixed() -> ComparisonParams {
    ComparisonParams::default().with_tuning(None)
}

fn attributes() -> KernelSpec {
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(0.7) };
    KernelSpec::new(1.5, Shape::Vector { form, over: Over::Attributes })
}

fn links() -> KernelSpec {
    let relation = RelationSpec { relation: 0, role: Role::Undirected };
    KernelSpec::new(2.0, Shape::RegularizedLaplacian { relation, beta: 1.0, iota: 2.0 })
}

fn own() -> KernelSpec {
    KernelSpec::new(0.4, Shape::Independent)
}

/// Five villages whose people know each other and have one taste; the attribute says nothing.
fn villages(task: u64) -> World {
    let mut stream = stream(task);
    let n = 40;
    let taste = [3.0, -1.5, 0.0, 1.5, -3.0];
    let utilities: Vec<f64> = (0..n).map(|i| taste[i % 5] + 0.2 * normal(&mut stream)).collect();
    let attribute: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
    let mut links = Vec::new();
    for i in 0..n as u32 {
        links.extend((i + 5..n as u32).step_by(5).map(|j| Link { source: i, target: j, weight: 0.5 }));
    }
    World::new(&attribute, links, &utilities, 80, &mut stream)
}

/// The attribute is the utility; links join anybody.
fn strangers(task: u64) -> World {
    let mut stream = stream(1000 + task);
    let n = 40;
    let attribute: Vec<f64> = (0..n).map(|_| 1.5 * normal(&mut stream)).collect();
    let anybody = |stream: &mut _| pair(n, stream);
    let links = (0..60).map(|_| anybody(&mut stream)).map(|(i, j)| Link { source: i.0, target: j.0, weight: 0.5 });
    let links = links.collect();
    World::new(&attribute, links, &attribute.clone(), 120, &mut stream)
}

#[test]
fn links_that_matter_help() {
    for task in 0..5 {
        let found = villages(task).compare(&[links(), own()], &fixed()).unwrap();
        let change = found.without[0].difference;
        assert!(change.log_loss.low > 0.0 && change.log_evidence < 0.0, "{task}: {change:?}");
        assert!(found.all.log_loss.mean < found.without[0].score.log_loss.mean);
        assert!(found.all.error.mean < 0.5);
    }
}

/// In twenty worlds whose links say nothing, chance may make one of them help, or two; the attribute does in nearly
/// all.
#[test]
fn links_that_do_not_matter_are_not_said_to_help() {
    let helps = |task: u64| {
        // Not so wide that it does for an item without links what the attribute does.
        let weak = KernelSpec::new(0.5, links().shape);
        let found = strangers(task).compare(&[attributes(), weak, own()], &fixed()).unwrap();
        [0, 1].map(|kernel| usize::from(found.without[kernel].difference.log_loss.low > 0.0))
    };
    let [attribute, links] = (0..20).map(helps).fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
    println!("of 20 worlds the attribute helps in {attribute}, links in {links}");
    assert!(attribute >= 18 && links <= 2, "{attribute} {links}");
}

/// One pair a fold, by hand: learn from all answers but those on the pair, predict these. Some pairs were asked often,
/// some items were called good or bad, some pairs are ties: an answer that was seen would show.
#[test]
fn leaving_out_one_pair_by_hand() {
    let mut world = villages(7);
    world.answers.truncate(14);
    let again: Vec<Answer> = world.answers[..5].iter().flat_map(|answer| vec![answer.clone(); 3]).collect();
    world.answers.extend(again);
    world.answers.push(Answer::new(ItemId(3), Some(ItemId(4)), Outcome::Skip).unwrap());
    for (item, word) in [(1, Outcome::Good), (2, Outcome::Bad), (1, Outcome::Good), (1, Outcome::Bad)] {
        world.answers.push(Answer::new(ItemId(item), None, word).unwrap());
    }
    let kernels = [links(), own()];
    let observations = world.model.observe_all(&world.answers).unwrap();
    let pairs: HashSet<Functional> = observations.iter().map(|one| one.functional).collect();
    let params = fixed().with_folds(pairs.len());
    let found = world.compare(&kernels, &params).unwrap();
    assert_eq!((found.answers, found.pairs), (observations.len(), pairs.len()));
    assert!(found.pairs < found.answers);
    for (kept, score) in
        [(kernels.to_vec(), found.all), (vec![own()], found.without[0].score), (vec![links()], found.without[1].score)]
    {
        let kernel = Arc::new(build(&kept, &world.items, std::slice::from_ref(&world.relation)).unwrap());
        let mut total = 0.0;
        for one in &observations {
            let others: Vec<Observation> =
                observations.iter().filter(|other| other.functional != one.functional).copied().collect();
            let belief = EpParams::default().fit(kernel.clone(), &others).unwrap();
            let items: Vec<ItemId> = one.functional.items().map(ItemId).collect();
            let covariance = belief.covariance(&items).unwrap();
            let variance = match items.len() {
                1 => covariance[(0, 0)],
                _ => covariance[(0, 0)] + covariance[(1, 1)] - 2.0 * covariance[(0, 1)],
            };
            // The likelihood of the tests' own, with the variance as more noise.
            let noise = (one.noise.powi(2) + variance).sqrt();
            total -= likelihood(&Observation { noise, ..*one }, one.functional.of(belief.mean())).ln();
        }
        let mean = total / observations.len() as f64;
        // EP stops at 1e-9 of its standard deviations.
        assert!((score.log_loss.mean - mean).abs() < 1e-7, "{} {mean}", score.log_loss.mean);
        let evidence = EpParams::default().fit(kernel, &observations).unwrap().log_evidence();
        assert!((score.log_evidence - evidence).abs() < 1e-9);
        assert!(score.log_loss.low <= mean && mean <= score.log_loss.high);
    }
    let change = found.without[0].difference;
    let by_hand = found.without[0].score.log_loss.mean - found.all.log_loss.mean;
    assert!((change.log_loss.mean - by_hand).abs() < 1e-12);
    assert_eq!(change.log_evidence, found.without[0].score.log_evidence - found.all.log_evidence);
}

/// Without its only kernel a model takes all items for equal, and everything has a closed form.
#[test]
fn nothing_known() {
    let world = villages(3);
    let found = world.compare(&[links()], &fixed()).unwrap();
    let tie = phi(0.2 / world.model.lambda()) - phi(-0.2 / world.model.lambda());
    let ties = world.answers.iter().filter(|answer| answer.outcome == Outcome::Tie).count() as f64;
    let others = world.answers.len() as f64 - ties;
    let total = -ties * tie.ln() - others * (0.5 * (1.0 - tie)).ln();
    let score = found.without[0].score;
    assert!((score.log_loss.mean - total / (ties + others)).abs() < 1e-12);
    assert!((score.log_evidence + total).abs() < 1e-9);
    // Ties are the least probable: they are errors, and of the others every second is.
    assert!(tie < 0.5 * (1.0 - tie));
    let error = (ties + 0.5 * others) / (ties + others);
    assert!((score.error.mean - error).abs() < 1e-12);
}

/// A pair asked sixty times beside pairs asked once: a mean of losses stays among the losses, whatever is drawn.
#[test]
fn pairs_of_different_sizes() {
    let table = Attributes::new(Vec::new(), 8, Vec::new()).unwrap();
    let items = Items::new((1..=8).map(|i| format!("i{i}")).collect(), None, table).unwrap();
    let won = |first: u32, second: u32| Answer::new(ItemId(first), Some(ItemId(second)), Outcome::First).unwrap();
    let mut answers = vec![won(0, 7); 60];
    answers.extend((0..7).map(|i| won(i, i + 1)).chain([won(3, 0), won(5, 2), won(0, 4), won(6, 1)]));
    let relation = Relation::new(8, Vec::new()).unwrap();
    let world = World { items, relation, answers, model: AnswerModel::new(0.5, 0.0).unwrap() };
    let found = world.compare(&[own()], &fixed()).unwrap();
    assert_eq!((found.answers, found.pairs), (71, 12));
    let Score { log_loss, error, .. } = found.all;
    assert!(0.0 <= error.low && error.low <= error.mean && error.mean <= error.high && error.high <= 1.0, "{error:?}");
    assert!(error.low < error.high && log_loss.low < log_loss.high);
    // Without a kernel every answer costs ln 2 and half an error; sums of 720 round.
    let guess = found.without[0].score;
    for end in [guess.log_loss.low, guess.log_loss.mean, guess.log_loss.high] {
        assert!((end - 2_f64.ln()).abs() < 1e-12, "{guess:?}");
    }
    assert_eq!((guess.error.low, guess.error.mean, guess.error.high), (0.5, 0.5, 0.5));
}

#[test]
fn same_seed_same_bits_and_any_order_of_items() {
    let world = villages(5);
    let kernels = [attributes(), links(), own()];
    let params = fixed().with_folds(5).with_repeats(2).with_seed(Seed(9));
    let found = world.compare(&kernels, &params).unwrap();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| world.compare(&kernels, &params).unwrap()), found);
    }
    let other = world.compare(&kernels, &params.clone().with_seed(Seed(10))).unwrap();
    assert_ne!(other.all.log_loss, found.all.log_loss);

    let n = world.items.len() as u32;
    let place = |item: u32| (item * 7 + 3) % n;
    let mut attribute = vec![0.0; n as usize];
    (0..n).for_each(|item| attribute[place(item) as usize] = world.items.attributes().row(item as usize)[0]);
    let moved = |item: ItemId| ItemId(place(item.0));
    let links = world.relation.links().iter().map(|link| Link {
        source: place(link.source),
        target: place(link.target),
        weight: link.weight,
    });
    let mut permuted = World::new(&attribute, links.collect(), &vec![0.0; n as usize], 0, &mut stream(0));
    let answers =
        world.answers.iter().map(|answer| Answer::new(moved(answer.first), answer.second.map(moved), answer.outcome));
    permuted.answers = answers.map(Result::unwrap).collect();
    let again = permuted.compare(&kernels, &params).unwrap();
    for (here, there) in found.without.iter().zip(&again.without) {
        // Where EP stops depends on the order of its sums.
        assert!((here.score.log_loss.mean - there.score.log_loss.mean).abs() < 1e-6);
        assert!((here.difference.log_loss.low - there.difference.log_loss.low).abs() < 1e-6);
        assert!((here.score.log_evidence - there.score.log_evidence).abs() < 1e-6);
    }
}

/// Tuning finds that the villagers' attribute does not matter, and makes every model more probable.
#[test]
fn tuned_models() {
    let world = villages(2);
    let kernels = [attributes(), links(), own()];
    let plain = world.compare(&kernels, &fixed().with_folds(4)).unwrap();
    let tuned = world.compare(&kernels, &ComparisonParams::default().with_folds(4)).unwrap();
    assert!(tuned.all.log_evidence > plain.all.log_evidence);
    assert!(tuned.all.log_loss.mean < plain.all.log_loss.mean);
    assert!(tuned.without[1].difference.log_loss.low > 0.0, "links help");
    assert!(tuned.without[0].difference.log_loss.low <= 0.0, "the attribute does not");
}

/// What the kernels were set to, be it by tuning on all answers, has no say in what tuned models predict.
#[test]
fn tuned_models_forget_what_they_were() {
    let world = villages(4);
    let params = ComparisonParams::default().with_folds(4);
    let before = world.compare(&[links(), own()], &params).unwrap();
    let shape = match links().shape {
        Shape::RegularizedLaplacian { relation, beta, .. } => {
            Shape::RegularizedLaplacian { relation, beta, iota: 40.0 }
        }
        other => other,
    };
    let moved = [KernelSpec::new(30.0, shape), KernelSpec::new(0.01, own().shape)];
    assert_eq!(world.compare(&moved, &params).unwrap(), before);
}

/// Each fold by hand: tuned on the answers of the others, from where nobody has looked at answers. An answer that was
/// seen before it is predicted would show.
#[test]
fn held_out_answers_are_not_tuned_on() {
    let mut world = villages(6);
    world.answers.truncate(12);
    let observations = world.model.observe_all(&world.answers).unwrap();
    let pairs: HashSet<Functional> = observations.iter().map(|one| one.functional).collect();
    let found = world.compare(&[own()], &ComparisonParams::default().with_folds(pairs.len())).unwrap();
    let mut total = 0.0;
    for one in &observations {
        let others: Vec<Observation> =
            observations.iter().filter(|other| other.functional != one.functional).copied().collect();
        // One weight: the peak of evidence and prior has no rival, so any start leads there.
        let kernel = build(&[own()], &world.items, &[]).unwrap();
        let mut problem = [Problem::new(kernel, others.clone())];
        TuningParams::default().with_tolerance(1e-6).tune(&mut problem).unwrap();
        let [problem] = problem;
        let belief = EpParams::default().fit(Arc::new(problem.kernel), &others).unwrap();
        let items: Vec<ItemId> = one.functional.items().map(ItemId).collect();
        let covariance = belief.covariance(&items).unwrap();
        let noise = (one.noise.powi(2) + covariance[(0, 0)] + covariance[(1, 1)] - 2.0 * covariance[(0, 1)]).sqrt();
        total -= likelihood(&Observation { noise, ..*one }, one.functional.of(belief.mean())).ln();
    }
    let mean = total / observations.len() as f64;
    // Tuning stops at a slope of 1e-2; the prior curves by 1 / 1.5² or more, so the weight is known to some per cent.
    assert!((found.all.log_loss.mean - mean).abs() < 1e-2, "{} {mean}", found.all.log_loss.mean);
}

#[test]
fn what_cannot_be_compared() {
    let mut world = villages(1);
    let kernels = [links(), own()];
    let with = |folds, repeats| fixed().with_folds(folds).with_repeats(repeats);
    assert!(world.compare(&kernels, &with(1, 1)).is_err());
    for repeats in [0, 1001, usize::MAX] {
        let message = world.compare(&kernels, &with(5, repeats)).unwrap_err().to_string();
        assert!(message.contains("repeats") && message.contains("1 to 1000"), "{message}");
    }
    assert!(world.compare(&kernels, &with(usize::MAX, 1)).is_err());
    world.answers.truncate(4);
    let message = world.compare(&kernels, &with(5, 1)).unwrap_err().to_string();
    assert!(message.contains("found 4, expected at least 5, one per fold"), "{message}");
    world.answers.clear();
    assert!(world.compare(&kernels, &with(2, 1)).unwrap_err().to_string().contains("found 0"));
}

/// All fits are told of, each once.
#[test]
fn progress() {
    let world = villages(1);
    let answers: Vec<&Answer> = world.answers.iter().collect();
    let (kernels, relations) = ([own()], [world.relation.clone()]);
    let setting = Setting {
        kernels: &kernels,
        items: &world.items,
        relations: &relations,
        answers: &answers,
        model: world.model,
    };
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = seen.clone();
    let watch = Watch::default().report(move |step| heard.lock().unwrap().push((step.done, step.of)));
    let params = fixed().with_folds(3).with_repeats(2).with_watch(watch);
    params.compare(setting).unwrap();
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    assert_eq!(seen, (1..=14).map(|done| (done, Some(14))).collect::<Vec<_>>());
}
