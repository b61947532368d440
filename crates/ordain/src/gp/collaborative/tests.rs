//! EM from inside: what M raises while the beliefs are held.

use super::*;
use crate::data::ItemId;
use crate::gp::{AnswerModel, Belief};
use crate::numeric::Seed;
use crate::numeric::dense::Cholesky;
use rand::RngExt;

const ITEMS: usize = 7;

/// A prior of some smoothness, with a common level of each user.
fn start() -> Given {
    let entry =
        |i: usize, j: usize| (-0.3 * (i as f64 - j as f64).powi(2)).exp() + 0.5 + if i == j { 0.1 } else { 0.0 };
    Given::new((0..ITEMS).map(|item| 0.1 * item as f64).collect(), Matrix::from_fn(ITEMS, ITEMS, entry)).unwrap()
}

/// Users who grade some items; the last one none.
fn users(count: usize, grades: usize) -> Vec<Opinions> {
    let mut stream = Seed(5).stream(0);
    let mut out: Vec<Opinions> = (1..count)
        .map(|_| {
            let items = (0..ITEMS).filter(|_| stream.random::<f64>() < 0.6).collect::<Vec<_>>();
            let graded = items.into_iter().map(|item| (ItemId::new(item), stream.random_range(0..grades)));
            Opinions { grades: graded.collect(), answers: Vec::new() }
        })
        .collect();
    out.push(Opinions::default());
    out
}

fn ordinal() -> OpinionModel {
    let cuts = Cuts::new(vec![-0.6, 0.2, 1.0]).unwrap();
    OpinionModel { answers: AnswerModel::new(0.7, 0.0).unwrap(), grades: GradeModel::Ordinal(cuts) }
}

fn em(params: &CollaborativeParams) -> Em<'_> {
    let (model, users) = (ordinal(), users(9, 4));
    let cuts = vec![model.cuts().cloned().unwrap(); users.len()];
    Em::new(params, start(), None, model, cuts, users)
}

/// COR eq. 2 with the beliefs held, without their entropy, plus the log priors: expected log likelihood of grades, and expected
/// log density of utilities. Every belief is a mean and a covariance over all items.
fn bound(em: &Em<'_>, beliefs: &[(Vec<f64>, Matrix)]) -> f64 {
    let cholesky = Cholesky::factor(em.prior.covariance().clone()).unwrap();
    let inverse = cholesky.inverse();
    let mean = em.prior.mean().unwrap();
    let mut sum = em.shrunk.log_density(&em.prior);
    let prior = em.cuts_prior().unwrap();
    // The shared cuts: those at the start count as one user's.
    sum += prior.log_density(em.centre.as_ref().unwrap(), &mut [0.0; 3]);
    for ((user, cuts), (believed, covariance)) in em.users.iter().zip(&em.cuts).zip(beliefs) {
        let graded: Vec<Graded> = user
            .grades
            .iter()
            .map(|&(item, grade)| {
                let at = item.index();
                Graded { grade, mean: believed[at], variance: covariance[(at, at)] }
            })
            .collect();
        sum += crate::gp::cuts::Expected::of(&graded, cuts, em.model.answers.noise()).value;
        sum += prior.log_density(&cuts.coordinates(), &mut [0.0; 3]);
        let mut spread = 0.0;
        for i in 0..ITEMS {
            for j in 0..ITEMS {
                let second = covariance[(i, j)] + (believed[i] - mean[i]) * (believed[j] - mean[j]);
                spread += inverse[(i, j)] * second;
            }
        }
        sum -= 0.5 * (cholesky.log_det() + spread);
    }
    sum
}

/// The belief of every user under the present prior, by EP over all items.
fn beliefs(em: &Em<'_>) -> Vec<(Vec<f64>, Matrix)> {
    let of = |(user, cuts): (&Opinions, &Cuts)| {
        let observations = em.model.observe(user, Some(cuts)).unwrap();
        let belief = EpParams::default().fit(em.prior.clone(), &observations).unwrap();
        let all: Vec<ItemId> = (0..ITEMS).map(ItemId::new).collect();
        (belief.mean().to_vec(), belief.covariance(&all).unwrap())
    };
    em.users.iter().zip(&em.cuts).map(of).collect()
}

/// Every M raises the bound while the beliefs are held, and what it finds is stationary: other priors are worse.
#[test]
fn maximisation_raises_the_bound() {
    let params = CollaborativeParams::default().with_cut_spread([0.5, 0.5]);
    let mut em = em(&params);
    for _ in 0..6 {
        let pulls = em.expect().unwrap();
        let held = beliefs(&em);
        let before = bound(&em, &held);
        em.maximise(&pulls).unwrap();
        let after = bound(&em, &held);
        assert!(after > before, "{before} {after}");
        let best = em.prior.clone();
        for (item, step) in [(0, 1e-3), (3, -1e-3)] {
            let mut mean = best.mean().unwrap().to_vec();
            mean[item] += step;
            em.prior = Arc::new(Given::new(mean, best.covariance().clone()).unwrap());
            assert!(bound(&em, &held) < after);
            let mut covariance = best.covariance().clone();
            covariance[(item, item)] += step;
            em.prior = Arc::new(Given::new(best.mean().unwrap().to_vec(), covariance).unwrap());
            assert!(bound(&em, &held) < after);
        }
        em.prior = best;
    }
}

/// The prior that M finds is eq. 3 with shrinkage, added up over users from their beliefs about all items.
#[test]
fn the_update_by_its_definition() {
    let params = CollaborativeParams::default().with_shrinkage(0.3).with_mean_shrinkage(2.0);
    let mut em = em(&params);
    let pulls = em.expect().unwrap();
    let held = beliefs(&em);
    em.maximise(&pulls).unwrap();
    let (n, start) = (held.len() as f64, start());
    let before = start.mean().unwrap();
    let mean: Vec<f64> =
        (0..ITEMS).map(|i| (held.iter().map(|(f, _)| f[i]).sum::<f64>() + 2.0 * before[i]) / (n + 2.0)).collect();
    let weight = 0.3 * ITEMS as f64;
    for i in 0..ITEMS {
        assert!((em.prior.mean().unwrap()[i] - mean[i]).abs() < 1e-10);
        for j in 0..ITEMS {
            let users: f64 = held.iter().map(|(f, s)| (f[i] - mean[i]) * (f[j] - mean[j]) + s[(i, j)]).sum();
            let off = 2.0 * (mean[i] - before[i]) * (mean[j] - before[j]);
            let expected = (users + off + weight * start.covariance()[(i, j)]) / (n + weight);
            // EP stops at 1e-9 of a deviation.
            assert!((em.prior.covariance()[(i, j)] - expected).abs() < 1e-7, "{i} {j}");
        }
    }
}
