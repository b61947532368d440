//! Many users who share a prior: collaborative ordinal regression (COR).
//!
//! Every user j has utilities of their own, `f_j ~ N(h, Σ)`. What users have in common is learned: the mean `h` is what they
//! agree on, and `Σ` says which items a user likes together. Grades and answers are observations as everywhere.
//!
//! **EM** (COR section 3). *E*: EP for every user under the present prior gives `N(f_j, Σ_j)`. *M*: the prior that fits
//! these best (COR eq. 3), and the thresholds and the noise of grades. With the pulls of a user's observations at the
//! prior, `w_j = Σ⁻¹ (f_j - h)` and `G_j = w_j w_j' - S_j`, where `Σ_j = Σ - Σ S_j Σ`, eq. 3 needs no matrix over all items per
//! user:
//!
//! `Σ_j [(f_j - h)(f_j - h)' + Σ_j] = n Σ + Σ (Σ_j G_j) Σ`.
//!
//! Pulls are zero but for the items that a user spoke of. So a round costs `m_j³` per user with `m_j` items, and `m³` once for m
//! items. Users run in parallel; their pulls are added in order.
//!
//! **Noise.** That of grades as values is learned. That of ordinal grades and of answers is held: the covariance has the same
//! scale, and both together would run away.
//!
//! **Shrinkage.** With few users eq. 3 fits noise. A normal-inverse-Wishart law around the prior at the start, worth τ users
//! for Σ ([`CollaborativeParams::shrinkage`] times the number of items) and π for h
//! ([`CollaborativeParams::mean_shrinkage`]), keeps near it:
//!
//! `Σ = [τ Σ_0 + π (h - h_0)(h - h_0)' + Σ_j ...] / (n + τ)`, `h = (Σ_j f_j + π h_0) / (n + π)`.
//!
//! With Gaussian observations (COR section 3.1), log likelihood plus log prior rises in every round.

mod opinions;
mod prior;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;

pub use opinions::{GradeModel, OpinionModel};
use prior::Shrunk;

use super::cuts::{Cuts, CutsPrior, Graded};
use super::ep::{Evidence, Pull};
use super::{Ep, EpParams};
use crate::data::Opinions;
use crate::kernel::{Given, Kernel};
use crate::numeric::Matrix;
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// How a prior is learned from many users.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CollaborativeParams {
    /// The number of rounds of EM. With none, every user is by themselves, under the prior as it is given.
    pub rounds: usize,
    /// The weight of the covariance at the start, in users per item. 0 is plain EM, which fits noise after a few rounds.
    pub shrinkage: f64,
    /// The weight of the mean at the start, in users; positive.
    pub mean_shrinkage: f64,
    /// The standard deviations of a user's cuts around the shared ones: of their mean, as a share of the noise, and of
    /// the logarithms of gaps.
    pub cut_spread: [f64; 2],
    /// Whether the shared prior is learned. If not, rounds learn thresholds and the noise of values alone.
    pub learn_prior: bool,
    /// Follows the rounds.
    pub watch: Watch,
}

impl Default for CollaborativeParams {
    fn default() -> Self {
        Self {
            rounds: 10,
            shrinkage: 1.0,
            mean_shrinkage: 1.0,
            cut_spread: [0.1, 0.3],
            learn_prior: true,
            watch: Watch::NONE,
        }
    }
}

setters! {
    CollaborativeParams:
    with_rounds = rounds: usize,
    with_shrinkage = shrinkage: f64,
    with_mean_shrinkage = mean_shrinkage: f64,
    with_cut_spread = cut_spread: [f64; 2],
    with_learn_prior = learn_prior: bool,
    with_watch = watch: Watch,
}

/// One round of EM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// The log probability of what all users said, before the round's M.
    pub log_evidence: f64,
    /// The log density of the shared prior and of thresholds, up to a constant.
    pub log_prior: f64,
}

/// A prior that users share, and what each of them said.
#[derive(Debug, Clone)]
pub struct Collaborative {
    start: Arc<Given>,
    prior: Arc<Given>,
    /// The model, whose cuts are the shared ones.
    model: OpinionModel,
    /// Every user's cuts, for ordinal grades.
    cuts: Vec<Cuts>,
    users: Vec<Opinions>,
    mean_shrinkage: f64,
    /// `Σ_j S_j`: how well the users together know the shared mean.
    information: Matrix,
    rounds: Vec<Round>,
}

impl CollaborativeParams {
    /// Learns the prior that these users share.
    ///
    /// # Errors
    /// If a parameter is out of range, a user spoke of an item that is not there or gave a grade that is not there, EP does
    /// not converge, or the watch stops it.
    pub fn fit(&self, start: Given, model: OpinionModel, users: Vec<Opinions>) -> Result<Collaborative> {
        self.check()?;
        users.iter().try_for_each(|user| user.check(start.len(), model.grades.count()))?;
        let cuts = model.cuts().map_or_else(Vec::new, |cuts| vec![cuts.clone(); users.len()]);
        let mut em = Em::new(self, start, None, model, cuts, users);
        let mut rounds = Vec::with_capacity(self.rounds + 1);
        for round in 0..self.rounds {
            self.watch.step(|| Step::new("learning what users share", round, self.rounds))?;
            let pulls = em.expect()?;
            rounds.push(em.standing(&pulls));
            em.maximise(&pulls)?;
        }
        em.finish(rounds)
    }

    fn check(&self) -> Result<()> {
        let wrong = |name: &str, value, expected| Error::Parameter { name: name.into(), value, expected };
        if !(self.shrinkage >= 0.0 && self.shrinkage.is_finite()) {
            return Err(wrong("shrinkage", self.shrinkage, "a finite number of at least 0"));
        }
        for (name, value) in [
            ("mean_shrinkage", self.mean_shrinkage),
            ("cut_spread[0]", self.cut_spread[0]),
            ("cut_spread[1]", self.cut_spread[1]),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(wrong(name, value, "a positive, finite number"));
            }
        }
        Ok(())
    }
}

/// The state of EM.
struct Em<'a> {
    params: &'a CollaborativeParams,
    shrunk: Shrunk,
    prior: Arc<Given>,
    model: OpinionModel,
    /// The coordinates of the shared cuts at the start.
    centre: Option<Vec<f64>>,
    cuts: Vec<Cuts>,
    users: Vec<Opinions>,
    /// Every user's observations, with the sites of the last round.
    evidences: Vec<Option<Evidence>>,
}

impl<'a> Em<'a> {
    /// The state before a round, under the prior at the start unless another is given.
    fn new(
        params: &'a CollaborativeParams,
        start: Given,
        prior: Option<Given>,
        model: OpinionModel,
        cuts: Vec<Cuts>,
        users: Vec<Opinions>,
    ) -> Self {
        let weight = params.shrinkage * start.len() as f64;
        let shrunk = Shrunk::new(start, weight, params.mean_shrinkage);
        Self {
            params,
            prior: prior.map_or_else(|| shrunk.start().clone(), Arc::new),
            cuts,
            evidences: users.iter().map(|_| None).collect(),
            centre: model.cuts().map(Cuts::coordinates),
            model,
            users,
            shrunk,
        }
    }

    /// What was learned, after these rounds. One more E.
    fn finish(mut self, mut rounds: Vec<Round>) -> Result<Collaborative> {
        let pulls = self.expect()?;
        rounds.push(self.standing(&pulls));
        Ok(Collaborative {
            information: self.information(&pulls),
            start: self.shrunk.start().clone(),
            prior: self.prior,
            model: self.model,
            cuts: self.cuts,
            users: self.users,
            mean_shrinkage: self.params.mean_shrinkage,
            rounds,
        })
    }

    /// E: the pull of every user.
    fn expect(&mut self) -> Result<Vec<Pull>> {
        let (users, model, cuts) = (&self.users, &self.model, &self.cuts);
        let ep = EpParams { watch: self.params.watch.silent(), ..EpParams::default() };
        let prior = &self.prior;
        let each = |(at, evidence): (usize, &mut Option<Evidence>)| {
            let observations = model.observe(&users[at], cuts.get(at))?;
            let evidence = match evidence {
                Some(known) => {
                    known.observe(observations, false);
                    known
                }
                none => none.insert(Evidence::new(&observations, prior.len())),
            };
            evidence.pull(&ep, prior.as_ref())
        };
        self.evidences.par_iter_mut().enumerate().map(each).collect()
    }

    /// The objective at the present parameters.
    fn standing(&self, pulls: &[Pull]) -> Round {
        let log_evidence = pulls.iter().map(|pull| pull.log_evidence).sum();
        let mut log_prior = if self.params.learn_prior { self.shrunk.log_density(&self.prior) } else { 0.0 };
        if let Some(prior) = self.cuts_prior() {
            let mut slopes = vec![0.0; prior.centre.len()];
            let each = self.cuts.iter().map(|cuts| prior.log_density(&cuts.coordinates(), &mut slopes));
            log_prior += each.sum::<f64>();
        }
        Round { log_evidence, log_prior }
    }

    /// M: the prior, the cuts and the noise, each given the others.
    fn maximise(&mut self, pulls: &[Pull]) -> Result<()> {
        let graded = self.graded(pulls);
        self.maximise_cuts(&graded);
        self.maximise_noise(&graded)?;
        if self.params.learn_prior {
            let (on_mean, on_covariance) = self.sums(pulls);
            self.prior = Arc::new(self.shrunk.maximise(&self.prior, pulls.len(), &on_mean, &on_covariance)?);
        }
        Ok(())
    }

    /// The pulls of all users together.
    fn sums(&self, pulls: &[Pull]) -> (Vec<f64>, Matrix) {
        let items = self.prior.len();
        let (mut on_mean, mut on_covariance) = (vec![0.0; items], Matrix::zeros(items, items));
        for pull in pulls {
            for (column, &item) in pull.items.iter().enumerate() {
                on_mean[item] += pull.on_mean[column];
                let own = pull.on_covariance.column(column);
                pull.items.iter().zip(own).for_each(|(&other, value)| on_covariance[(other, item)] += value);
            }
        }
        (on_mean, on_covariance)
    }

    /// `Σ_j S_j = Σ_j (w_j w_j' - G_j)`.
    fn information(&self, pulls: &[Pull]) -> Matrix {
        let (_, mut out) = self.sums(pulls);
        out.values_mut().iter_mut().for_each(|value| *value = -*value);
        for pull in pulls {
            for (&item, own) in pull.items.iter().zip(&pull.on_mean) {
                pull.items.iter().zip(&pull.on_mean).for_each(|(&other, value)| out[(other, item)] += own * value);
            }
        }
        out
    }

    /// Every user's grades with what is believed of their items.
    fn graded(&self, pulls: &[Pull]) -> Vec<Vec<Graded>> {
        let of = |(user, pull): (&Opinions, &Pull)| {
            let believed = user.grades.iter().zip(&pull.marginals);
            believed.map(|(&(_, grade), &(mean, variance))| Graded { grade, mean, variance }).collect()
        };
        self.users.iter().zip(pulls).map(of).collect()
    }

    /// Where a user's cuts are expected.
    fn cuts_prior(&self) -> Option<CutsPrior> {
        let [middle, gaps] = self.params.cut_spread;
        let spread = [middle * self.model.answers.noise(), gaps];
        Some(CutsPrior { centre: self.model.cuts()?.coordinates(), spread })
    }

    /// Every user's cuts given the shared ones, then the shared ones given theirs: their mean, in which the cuts at the
    /// start count as one user's.
    fn maximise_cuts(&mut self, graded: &[Vec<Graded>]) {
        let (Some(prior), Some(centre)) = (self.cuts_prior(), &self.centre) else { return };
        let noise = self.model.answers.noise();
        let each = |(cuts, graded): (&mut Cuts, &Vec<Graded>)| *cuts = prior.fit(cuts, graded, noise);
        self.cuts.par_iter_mut().zip(graded).for_each(each);
        let mut sum = centre.clone();
        for cuts in &self.cuts {
            sum.iter_mut().zip(cuts.coordinates()).for_each(|(sum, own)| *sum += own);
        }
        let count = self.cuts.len() as f64 + 1.0;
        sum.iter_mut().for_each(|sum| *sum /= count);
        if let Some(shared) = Cuts::from_coordinates(&sum) {
            self.model.grades = GradeModel::Ordinal(shared);
        }
    }

    /// The noise of values given all else (COR section 3.1; the sum is over labelled items).
    fn maximise_noise(&mut self, graded: &[Vec<Graded>]) -> Result<()> {
        let count: usize = graded.iter().map(Vec::len).sum();
        if let (GradeModel::Values(values), 1..) = (&self.model.grades, count) {
            let square = |one: &Graded| (values[one.grade] - one.mean).powi(2) + one.variance;
            let noise = (graded.iter().flatten().map(square).sum::<f64>() / count as f64).sqrt();
            self.model.answers = self.model.answers.clone().with_noise(noise)?;
        }
        Ok(())
    }
}

/// What is kept of a [`Collaborative`]: all else follows.
#[derive(Debug, Clone, PartialEq)]
pub struct CollaborativeParts {
    /// The prior at the start.
    pub start: Given,
    /// The prior that was learned.
    pub prior: Given,
    /// The model, whose cuts are the shared ones.
    pub model: OpinionModel,
    /// Every user's cuts, for ordinal grades; none otherwise.
    pub cuts: Vec<Cuts>,
    /// What the users said.
    pub users: Vec<Opinions>,
    /// The weight of the mean at the start.
    pub mean_shrinkage: f64,
}

impl CollaborativeParts {
    /// What was learned, from its parts. One E-step.
    ///
    /// # Errors
    /// If the parts do not fit together, or EP does not converge.
    pub fn restore(self) -> Result<Collaborative> {
        let Self { start, prior, model, cuts, users, mean_shrinkage } = self;
        let fits = start.len() == prior.len()
            && cuts.len() == if model.cuts().is_some() { users.len() } else { 0 }
            && cuts.iter().all(|own| own.grades() == model.grades.count());
        if !fits {
            return Err(Error::Data {
                what: "what users share",
                found: format!("{} items, {} users, {} thresholds", prior.len(), users.len(), cuts.len()),
                expected: "parts that were learned together".into(),
            });
        }
        users.iter().try_for_each(|user| user.check(start.len(), model.grades.count()))?;
        let params = CollaborativeParams::default().with_mean_shrinkage(mean_shrinkage);
        params.check()?;
        Em::new(&params, start, Some(prior), model, cuts, users).finish(Vec::new())
    }
}

impl Collaborative {
    /// What is worth keeping.
    pub fn parts(&self) -> CollaborativeParts {
        CollaborativeParts {
            start: self.start.as_ref().clone(),
            prior: self.prior.as_ref().clone(),
            model: self.model.clone(),
            cuts: self.cuts.clone(),
            users: self.users.clone(),
            mean_shrinkage: self.mean_shrinkage,
        }
    }

    /// The shared prior.
    pub fn prior(&self) -> &Arc<Given> {
        &self.prior
    }

    /// The model, with the noise that was learned and the cuts that users share.
    pub fn model(&self) -> &OpinionModel {
        &self.model
    }

    /// What the users said.
    pub fn users(&self) -> &[Opinions] {
        &self.users
    }

    /// A user's model: the shared one with their own cuts.
    pub fn model_of(&self, user: usize) -> OpinionModel {
        match self.cuts.get(user) {
            Some(cuts) => OpinionModel { grades: GradeModel::Ordinal(cuts.clone()), ..self.model.clone() },
            None => self.model.clone(),
        }
    }

    /// The rounds of EM, and the standing after the last.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The belief about one user's utilities. `m_j³` operations, and `m m_j²` for the items that they did not speak of.
    ///
    /// # Errors
    /// If EP does not converge.
    pub fn belief(&self, user: usize) -> Result<Ep> {
        self.believe(&self.users[user], &self.model_of(user), self.prior.clone())
    }

    /// The belief about a user who was not there when the prior was learned. Without opinions it is the prior.
    ///
    /// # Errors
    /// If they spoke of an item or gave a grade that is not there, or EP does not converge.
    pub fn belief_of(&self, opinions: &Opinions) -> Result<Ep> {
        opinions.check(self.prior.len(), self.model.grades.count())?;
        self.believe(opinions, &self.model, self.prior.clone())
    }

    fn believe(&self, opinions: &Opinions, model: &OpinionModel, prior: Arc<Given>) -> Result<Ep> {
        EpParams::default().fit(prior, &model.observe(opinions, None)?)
    }

    /// The belief about what users agree on: the shared mean. Given Σ it is Gaussian, with the precision `π Σ⁻¹ + Σ_j S_j`.
    ///
    /// # Errors
    /// If the prior cannot be factored.
    pub fn consensus(&self) -> Result<Ep> {
        let spread = prior::spread_of_mean(self.prior.covariance(), &self.information, self.mean_shrinkage)?;
        let mean = self.prior.mean().unwrap_or_default().to_vec();
        EpParams::default().fit(Arc::new(Given::new(mean, spread)?), &[])
    }

    /// The same users and more items (COR section 5). `joint` is the prior at the start of all items, the known ones first.
    /// Given the known ones, new items are what they were at the start: their means and covariances follow by the
    /// regression on them.
    ///
    /// # Errors
    /// If the joint prior has fewer items or gives the known ones other covariances.
    pub fn with_items(&self, joint: &Given) -> Result<Self> {
        let prior = Arc::new(prior::enlarged(&self.start, &self.prior, joint)?);
        let n = prior.len();
        let known = self.information.rows();
        let inside = |i: usize, j: usize| i < known && j < known;
        let information = Matrix::from_fn(n, n, |i, j| if inside(i, j) { self.information[(i, j)] } else { 0.0 });
        Ok(Self { start: Arc::new(joint.clone()), prior, information, ..self.clone() })
    }
}
