//! The incremental belief: one rank-one step per answer (AXPGP section 2.2, in the scalar form of the errata).
//!
//! With $a = \Sigma d$, $v = d'a$ and the [`Moments`] of the observation under $N(d'm, v)$,
//!
//! $$ m \leftarrow m + \text{slope}\; a, \qquad \Sigma \leftarrow \Sigma - \text{curvature}\; a a'. $$
//!
//! This replaces AXPGP eqs. 22-24, whose 2 x 2 site covariance is singular along the sum of the two utilities.
//!
//! One pass is near EP while steps are short. Contradictions with little noise make long steps: the belief jumps, and
//! earlier answers, learned where it was before, count wrongly. [`Incremental::learn`] notices this and asks EP.

mod form;
mod lazy;
mod reduction;

use std::sync::Arc;

pub use form::CovarianceForm;
pub(crate) use form::Workload;
use form::has_outgrown_lazy;
use lazy::Lazy;

use super::belief::{about_the_mean, centred_variances_of};
use super::ep::Evidence;
use super::{
    AllCovariances, Belief, Covariances, EpParams, Factor, Functional, Moments, Observation, Paths, Site,
    check_evidence, check_prior, prior_too_wide,
};
use crate::Result;
use crate::data::ItemId;
use crate::kernel::Kernel;
use crate::numeric::Matrix;
use crate::numeric::dense::{add_scaled, downdate_covariance, rank_one_downdate, rank_one_downdates};

/// A belief that takes one step per observation.
#[derive(Clone)]
pub struct Incremental {
    /// The number of items. All numbers are those of the items, and then of the asides.
    items: usize,
    mean: Vec<f64>,
    variances: Vec<f64>,
    /// The variances before any observation.
    prior: Vec<f64>,
    covariance: Covariance,
    /// The lazy form before any observation, if the belief began in it and has turned dense.
    began: Option<Lazy>,
    factors: Vec<Factor>,
    log_evidence: f64,
}

/// What an observation tells.
struct Told {
    factor: Factor,
    moments: Moments,
    /// The logarithm of its probability before it was heard.
    log_mass: f64,
    /// Whether it overthrows what was believed.
    overthrows: bool,
}

/// Two forms of the same covariance.
#[derive(Clone)]
enum Covariance {
    /// All covariances: `n²` doubles, `n²` operations per answer.
    Dense {
        /// All covariances.
        matrix: Matrix,
        /// For every item, an upper bound on the variance of its difference with any other item.
        largest: Vec<f64>,
    },
    /// Columns on demand.
    Lazy(Lazy),
}

impl Covariance {
    fn dense(mut matrix: Matrix) -> Self {
        let (variances, nothing) = (matrix.diagonal(), vec![0.0; matrix.rows()]);
        let mut largest = vec![0.0; matrix.rows()];
        downdate_covariance(&mut matrix, 0.0, &nothing, &variances, &mut largest);
        Self::Dense { matrix, largest }
    }
}

/// An observation overthrows what was believed if it moves its functional by more than this many standard deviations
/// and leaves less than this part of its variance. From even chances a step is 0.8 long. Where the noise is a good part
/// of the uncertainty, as in ordinary sessions, more of the variance is left however surprising an answer is.
const OVERTHROWN: (f64, f64) = (2.0, 0.15);

/// After this many observations, the largest variances of differences are computed anew.
const LARGEST_EVERY: usize = 4;

/// Known observations that are learned together in dense form.
const TOGETHER: usize = 16;

/// Known observations whose columns are brought up to date together in lazy form.
const AHEAD: usize = 32;

/// Numbers of columns of known observations that are solved together in lazy form, and leave behind together what answers took before
/// them: 32 MB. That part is read from memory once for all of them, which sets the time where they are few.
const FAR_AHEAD: usize = 1 << 22;

/// The most such observations.
const MOST_AHEAD: usize = 128;

impl Incremental {
    /// The prior, in the form that is expected to be faster for about this many observations.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated.
    pub fn new(kernel: Arc<dyn Kernel>, expected_observations: usize) -> Result<Self> {
        Self::in_form(kernel, CovarianceForm::Automatic, Workload::Answers(expected_observations))
    }

    /// The prior in a form, for a workload.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated.
    pub(crate) fn in_form(kernel: Arc<dyn Kernel>, form: CovarianceForm, workload: Workload) -> Result<Self> {
        if form.is_dense(kernel.len(), workload) { Self::dense(kernel) } else { Self::lazy(kernel) }
    }

    /// The prior in dense form: `n²` doubles, `n²` operations per answer.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, or a variance is not finite.
    pub fn dense(kernel: Arc<dyn Kernel>) -> Result<Self> {
        let matrix = kernel.matrix()?;
        Self::prior(kernel.as_ref(), matrix.diagonal(), Covariance::dense(matrix))
    }

    /// The prior in lazy form: columns on demand. After t answers about b different items it takes memory `n min(t, 2
    /// b)`, and as many operations for the next answer, or `n` if both items were in use. Once this equals the size of
    /// the dense form, and there are at most 10,000 items, the belief turns dense.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, or a variance is not finite.
    pub fn lazy(kernel: Arc<dyn Kernel>) -> Result<Self> {
        let mut variances = vec![0.0; kernel.len()];
        kernel.diagonal(&mut variances)?;
        Self::prior(kernel.clone().as_ref(), variances, Covariance::Lazy(Lazy::new(kernel)))
    }

    /// A belief in dense form that starts from another belief.
    ///
    /// # Errors
    /// If its kernel cannot be evaluated.
    pub fn from_belief(belief: &dyn Belief) -> Result<Self> {
        let (items, asides) = (belief.len(), belief.asides());
        let coordinates: Vec<ItemId> = (0..items + asides.len()).map(ItemId::new).collect();
        let matrix = belief.covariance(&coordinates)?;
        let mean = [belief.mean(), asides].concat();
        let mut variances = belief.variances().to_vec();
        variances.extend((items..mean.len()).map(|at| matrix[(at, at)]));
        let (prior, factors) = (variances.clone(), belief.factors().to_vec());
        let covariance = Covariance::dense(matrix);
        let log_evidence = belief.log_evidence();
        Ok(Self { items, mean, variances, prior, covariance, began: None, factors, log_evidence })
    }

    fn prior(kernel: &dyn Kernel, variances: Vec<f64>, covariance: Covariance) -> Result<Self> {
        check_prior(&variances)?;
        let mean = kernel.mean().map_or_else(|| vec![0.0; variances.len()], <[f64]>::to_vec);
        let (items, prior) = (kernel.items(), variances.clone());
        let factors = Vec::new();
        Ok(Self { items, mean, variances, prior, covariance, began: None, factors, log_evidence: 0.0 })
    }

    /// Whether columns need a solve, so that [`Incremental::prefetch`] saves time.
    pub fn has_dear_columns(&self) -> bool {
        match &self.covariance {
            Covariance::Dense { .. } => false,
            Covariance::Lazy(lazy) => !lazy.has_cheap_entries(),
        }
    }

    /// Solves in advance for the columns that an answer about two items needs. It does nothing where columns are cheap.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn prefetch(&self, first: ItemId, second: ItemId) -> Result<()> {
        match &self.covariance {
            Covariance::Dense { .. } => Ok(()),
            Covariance::Lazy(lazy) => {
                lazy.prefetch(Functional::Difference(first.0.min(second.0), first.0.max(second.0)))
            }
        }
    }

    /// Learns from one observation.
    ///
    /// # Errors
    /// If the kernel cannot give a column, or the prior is so wide beside the noise that rounding hides the
    /// observation. The belief is then unchanged.
    pub fn observe(&mut self, observation: &Observation) -> Result<()> {
        self.step(observation).map(|_| ())
    }

    /// Learns from one observation. If it overthrows what was believed, all observations so far are learned anew by EP:
    /// earlier steps were taken from where the belief no longer is. The kernel is that of the belief. The result depends
    /// on the observations and their order alone.
    ///
    /// # Errors
    /// As [`Incremental::observe`].
    pub(crate) fn learn(&mut self, observation: &Observation, kernel: &Arc<dyn Kernel>) -> Result<()> {
        if self.step(observation)? {
            self.learn_anew(kernel);
        }
        Ok(())
    }

    /// Learns all observations so far anew by EP. If EP does not converge, the steps are the best there is.
    fn learn_anew(&mut self, kernel: &Arc<dyn Kernel>) {
        let counted = |factor: &Factor| Observation { count: factor.count, ..factor.observation };
        let observations = self.factors.iter().map(counted).collect();
        if let Ok(anew) = self.anew(kernel, observations) {
            *self = anew;
        }
    }

    /// Learns from known observations one after another, to the bit as [`Incremental::learn`] does, but in blocks: the columns of a
    /// block are found together, and a dense matrix is read and written once per block. `done` is told how many are learned.
    ///
    /// # Errors
    /// As [`Incremental::learn`], or if `done` fails. The belief has then learned some of the first observations.
    pub(crate) fn learn_all(
        &mut self,
        observations: &[Observation],
        kernel: &Arc<dyn Kernel>,
        mut done: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        // The last ones are learned as in a session, which leaves the bounds of the dense form as they are there.
        let last = observations.len().saturating_sub(2 * LARGEST_EVERY);
        let mut at = 0;
        while at < observations.len() {
            done(at)?;
            let together = if matches!(self.covariance, Covariance::Dense { .. }) { TOGETHER } else { AHEAD };
            let block = if at < last { &observations[at..last.min(at + together)] } else { &observations[at..] };
            block.iter().try_for_each(|observation| observation.check(self.mean.len()))?;
            self.prepare(block, &observations[at..])?;
            let learned = match &self.covariance {
                Covariance::Dense { .. } if at < last => self.learn_block(block)?,
                _ => {
                    block.iter().try_for_each(|observation| self.learn(observation, kernel))?;
                    (block.len(), false)
                }
            };
            at += learned.0;
            if learned.1 {
                self.learn_anew(kernel);
            }
        }
        // Nothing is ahead.
        self.prepare(&[], &[])
    }

    /// Brings the columns that observations need into use, if they are not all there. `ahead` are these and all that follow.
    fn prepare(&self, observations: &[Observation], ahead: &[Observation]) -> Result<()> {
        let Covariance::Lazy(lazy) = &self.covariance else { return Ok(()) };
        let far = (FAR_AHEAD / self.mean.len().max(1)).clamp(AHEAD, MOST_AHEAD).min(ahead.len());
        let axes = |some: &[Observation]| -> Vec<Functional> { some.iter().map(|one| one.functional).collect() };
        lazy.prepare(&axes(observations), &axes(&ahead[..far]))
    }

    /// Learns a block of observations in dense form, or its beginning up to one that overthrows what was believed. Returns their
    /// number, and whether the last one does. The columns of the observed items follow every step; the others follow at the end.
    fn learn_block(&mut self, observations: &[Observation]) -> Result<(usize, bool)> {
        let functionals: Vec<Functional> = observations.iter().map(|observation| observation.functional).collect();
        let items = Functional::items_of(&functionals);
        let Covariance::Dense { matrix, .. } = &self.covariance else { return Ok((0, false)) };
        let mut columns: Vec<Vec<f64>> = items.iter().map(|&item| matrix.column(item).to_vec()).collect();
        let mut steps: Vec<(f64, Vec<f64>)> = Vec::with_capacity(observations.len());
        let mut learned = Ok((observations.len(), false));
        for (number, (observation, axis)) in
            observations.iter().zip(Functional::in_terms_of(&items, &functionals)).enumerate()
        {
            let direction = match axis {
                Functional::Item(item) => columns[item as usize].clone(),
                _ => {
                    let mut terms = axis.terms();
                    let mut direction = terms.next().map_or_else(Vec::new, |(item, _)| columns[item as usize].clone());
                    terms.for_each(|(item, sign)| add_scaled(&mut direction, sign, &columns[item as usize]));
                    direction
                }
            };
            let told = self.variance_of(observation, &direction).and_then(|variance| self.told(observation, variance));
            let told = match told {
                Ok(told) => told,
                Err(error) => {
                    learned = Err(error);
                    break;
                }
            };
            let curvature = told.moments.curvature;
            self.move_by(told.factor, &direction, told.moments);
            self.log_evidence += told.log_mass;
            for (column, &item) in columns.iter_mut().zip(&items) {
                add_scaled(column, -curvature * direction[item], &direction);
            }
            steps.push((curvature, direction));
            if told.overthrows {
                learned = Ok((number + 1, true));
                break;
            }
        }
        if let Covariance::Dense { matrix, .. } = &mut self.covariance {
            rank_one_downdates(matrix, &steps);
        }
        learned
    }

    /// The belief that EP has after these observations: the prior times EP's sites. In the form in which the belief began, so that it does
    /// not depend on whether it has turned dense on the way.
    ///
    /// # Errors
    /// As [`EpParams::fit`].
    pub(crate) fn anew(&self, kernel: &Arc<dyn Kernel>, observations: Vec<Observation>) -> Result<Self> {
        let lazy = match (&self.covariance, &self.began) {
            (Covariance::Lazy(lazy), _) | (Covariance::Dense { .. }, Some(lazy)) => lazy,
            (Covariance::Dense { .. }, None) => {
                let ep = EpParams::default().fit(kernel.clone(), &observations)?;
                return Ok(Self { prior: self.prior.clone(), ..Self::from_belief(&ep)? });
            }
        };
        let mut evidence = Evidence::new(&observations, kernel.items());
        let prior = lazy.prior_between(evidence.basis())?;
        let (log_evidence, sites) = evidence.sites(&EpParams::default(), prior, kernel.mean())?;
        let mut out = Self::prior(kernel.as_ref(), self.prior.clone(), Covariance::Lazy(lazy.unlearned()))?;
        for (block, sites) in sites.chunks(AHEAD).enumerate() {
            let ahead = &observations[block * AHEAD..];
            out.prepare(&ahead[..sites.len()], ahead)?;
            for (&observation, &site) in ahead.iter().zip(sites) {
                let (direction, variance) = out.towards(&observation)?;
                let mean = observation.functional.of(&out.mean);
                let moments = site.moments(mean, variance, f64::from(observation.count));
                out.take(factor(observation, site), direction, moments)?;
            }
        }
        out.log_evidence = log_evidence;
        Ok(out)
    }

    /// Learns from one observation. Returns whether it overthrew what was believed.
    fn step(&mut self, observation: &Observation) -> Result<bool> {
        observation.check(self.mean.len())?;
        let (direction, variance) = self.towards(observation)?;
        let told = self.told(observation, variance)?;
        self.take(told.factor, direction, told.moments)?;
        self.log_evidence += told.log_mass;
        Ok(told.overthrows)
    }

    /// What an observation says whose functional has this variance.
    fn told(&self, observation: &Observation, variance: f64) -> Result<Told> {
        let mean = observation.functional.of(&self.mean);
        let (site, moments, log_mass) = if observation.count == 1 {
            let moments = observation.moments(mean, variance);
            let log_mass = observation.log_mass(mean, variance);
            check_evidence(log_mass)?;
            (Site::from_moments(moments, mean)?, moments, log_mass)
        } else {
            let count = f64::from(observation.count);
            let (site, log_mass) = Site::of_equals(observation, mean, variance, count)?;
            check_evidence(log_mass)?;
            (site, site.moments(mean, variance, count), log_mass)
        };
        let (far, little) = OVERTHROWN;
        let overthrows = moments.slope.abs() * variance.sqrt() > far && moments.left < little;
        Ok(Told { factor: factor(*observation, site), moments, log_mass, overthrows })
    }

    /// The covariance of all items with an observation's functional, and the functional's variance.
    fn towards(&self, observation: &Observation) -> Result<(Vec<f64>, f64)> {
        let mut direction = vec![0.0; self.mean.len()];
        self.direction(observation.functional, &mut direction)?;
        let variance = self.variance_of(observation, &direction)?;
        Ok((direction, variance))
    }

    /// The variance of an observation's functional, whose covariances with all items these are.
    fn variance_of(&self, observation: &Observation, direction: &[f64]) -> Result<f64> {
        let variance = observation.functional.of(direction);
        let noise = observation.noise * observation.noise;
        // A difference of covariances has their rounding. If that is more than variance and noise, a step would follow it;
        // twins, whose covariances are the same, go nowhere.
        let covariances: f64 =
            observation.functional.terms().map(|(item, factor)| factor * factor * self.prior[item as usize]).sum();
        let is_rounding = variance + noise < 4.0 * f64::EPSILON * covariances && direction.iter().any(|&to| to != 0.0);
        if !variance.is_finite() || variance < -noise || is_rounding {
            return Err(prior_too_wide());
        }
        // Rounding may leave a hair below zero for twins.
        Ok(variance.max(0.0))
    }

    /// Moves means and variances by these moments of a factor's functional, and keeps the factor.
    fn move_by(&mut self, factor: Factor, direction: &[f64], Moments { slope, curvature, .. }: Moments) {
        self.factors.push(factor);
        add_scaled(&mut self.mean, slope, direction);
        for (variance, entry) in self.variances.iter_mut().zip(direction) {
            *variance = (*variance - curvature * entry * entry).max(0.0);
        }
    }

    /// Moves the belief by these moments of a factor's functional.
    fn take(&mut self, factor: Factor, mut direction: Vec<f64>, moments: Moments) -> Result<()> {
        let (functional, curvature) = (factor.observation.functional, moments.curvature);
        self.correct_variances(functional, &direction)?;
        self.move_by(factor, &direction, moments);
        match &mut self.covariance {
            // Variances only fall, so the old maxima are still upper bounds, and the next search is hardly slower.
            Covariance::Dense { matrix, .. } if !self.factors.len().is_multiple_of(LARGEST_EVERY) => {
                rank_one_downdate(matrix, curvature, &direction);
            }
            Covariance::Dense { matrix, largest } => {
                downdate_covariance(matrix, curvature, &direction, &self.variances, largest);
            }
            Covariance::Lazy(lazy) => {
                let scale = curvature.sqrt();
                direction.iter_mut().for_each(|entry| *entry *= scale);
                lazy.take_off(functional, direction);
            }
        }
        self.turn_dense();
        Ok(())
    }

    /// Corrects the variances of a functional's items by its covariances with them. A kernel over many links may only
    /// estimate variances at first.
    ///
    /// An item's own column holds its variance. The covariances of a difference with its items are `V_i - C` and `C - V_j`,
    /// where `C` is that of the two: the difference of the variances and, less `2 C`, their sum. So an error common to both
    /// estimates is left. The covariances of an aside are exact, and are taken off first.
    fn correct_variances(&mut self, functional: Functional, direction: &[f64]) -> Result<()> {
        let Covariance::Lazy(lazy) = &self.covariance else { return Ok(()) };
        if lazy.has_exact_diagonal() {
            return Ok(());
        }
        let of_two = |first: u32, second: u32, aside: [f64; 2]| {
            let of_both = |values: &[f64]| values[first as usize] + values[second as usize];
            let (sum, difference) = (of_both(&self.variances), of_both(direction) - aside[0] - aside[1]);
            [(first, (sum + difference) / 2.0), (second, (sum - difference) / 2.0)]
        };
        let corrected: &[(u32, f64)] = match functional {
            Functional::Item(item) => &[(item, direction[item as usize])],
            Functional::Difference(first, second) => &of_two(first, second, [0.0; 2]),
            Functional::Beside(first, second, _) | Functional::OnScreen(first, second, _) => {
                let (mut with_asides, mut own) = ([0.0; 2], [0.0; 2]);
                for (aside, factor) in functional.asides() {
                    lazy.entries(aside as usize, &[first, second], &mut own)?;
                    add_scaled(&mut with_asides, factor, &own);
                }
                &of_two(first, second, with_asides)
            }
        };
        for &(item, variance) in corrected {
            let item = item as usize;
            self.prior[item] += variance - self.variances[item];
            self.variances[item] = variance.max(0.0);
        }
        Ok(())
    }

    /// Forms all covariances once this is cheaper: after as many rank-one terms as there are items.
    fn turn_dense(&mut self) {
        let n = self.mean.len();
        if let Covariance::Lazy(lazy) = &self.covariance
            && has_outgrown_lazy(n, lazy.rank())
            && let Ok(matrix) = lazy.among(&(0..n).collect::<Vec<_>>())
        {
            self.began = Some(lazy.unlearned());
            self.covariance = Covariance::dense(matrix);
        }
    }

    /// The covariance of all items with a functional, `Σ d`.
    fn direction(&self, functional: Functional, out: &mut [f64]) -> Result<()> {
        match &self.covariance {
            Covariance::Lazy(lazy) => lazy.direction(functional, out)?,
            Covariance::Dense { matrix, .. } => match functional {
                Functional::Item(item) => out.copy_from_slice(matrix.column(item as usize)),
                _ => functional.terms().enumerate().for_each(|(at, (item, sign))| match at {
                    0 => out.copy_from_slice(matrix.column(item as usize)),
                    _ => add_scaled(out, sign, matrix.column(item as usize)),
                }),
            },
        }
        Ok(())
    }
}

/// An observation with its site, as often as it was said.
fn factor(observation: Observation, site: Site) -> Factor {
    Factor { observation: Observation { count: 1, ..observation }, site, count: observation.count }
}

impl Belief for Incremental {
    fn mean(&self) -> &[f64] {
        &self.mean[..self.items]
    }

    fn variances(&self) -> &[f64] {
        &self.variances[..self.items]
    }

    fn asides(&self) -> &[f64] {
        &self.mean[self.items..]
    }

    fn column(&self, item: ItemId, out: &mut [f64]) -> Result<()> {
        if self.items == self.mean.len() {
            return self.direction(Functional::Item(item.0), out);
        }
        let mut whole = vec![0.0; self.mean.len()];
        self.direction(Functional::Item(item.0), &mut whole)?;
        out.copy_from_slice(&whole[..self.items]);
        Ok(())
    }

    fn covariance(&self, items: &[ItemId]) -> Result<Matrix> {
        match &self.covariance {
            Covariance::Dense { matrix, .. } => {
                let entry = |row: usize, column: usize| matrix[(items[row].index(), items[column].index())];
                Ok(Matrix::from_fn(items.len(), items.len(), entry))
            }
            Covariance::Lazy(lazy) => lazy.among(&items.iter().map(|item| item.index()).collect::<Vec<_>>()),
        }
    }

    /// In dense form a sum of what is there; else the joint covariance of the items.
    fn centred_variances(&self, items: &[ItemId]) -> Result<Vec<f64>> {
        let Covariance::Dense { matrix, .. } = &self.covariance else {
            return Ok(centred_variances_of(&self.covariance(items)?));
        };
        let column = |item: &ItemId| matrix.column(item.index());
        let variances: Vec<f64> = items.iter().map(|item| column(item)[item.index()]).collect();
        let sum = |item: &ItemId| items.iter().map(|other| column(item)[other.index()]).sum();
        Ok(about_the_mean(&variances, items.iter().map(sum)))
    }

    /// Only in lazy form; else all covariances are at hand.
    fn paths(&self) -> Result<Option<Paths>> {
        match &self.covariance {
            Covariance::Dense { .. } => Ok(None),
            Covariance::Lazy(lazy) => Paths::of_sites(lazy.kernel().clone(), &self.factors).map(Some),
        }
    }

    /// The sum of `log Z` over the steps: the probability of each answer given the earlier ones.
    fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn covariances(&self) -> Option<&dyn Covariances> {
        Some(self)
    }
}

impl Covariances for Incremental {
    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        match &self.covariance {
            Covariance::Dense { matrix, .. } => {
                let column = matrix.column(item);
                out.iter_mut().zip(others).for_each(|(out, &other)| *out = column[other as usize]);
                Ok(())
            }
            Covariance::Lazy(lazy) => lazy.entries(item, others, out),
        }
    }

    fn with_row(&self, item: usize, read: &mut dyn FnMut(&[f64])) -> Result<()> {
        match &self.covariance {
            Covariance::Dense { matrix, .. } => {
                read(&matrix.column(item)[..self.items]);
                Ok(())
            }
            Covariance::Lazy(lazy) => lazy.with_column(item, |column| read(&column[..self.items])),
        }
    }

    fn prior_variances(&self) -> &[f64] {
        &self.prior[..self.items]
    }

    fn floor(&self) -> f64 {
        match &self.covariance {
            Covariance::Dense { .. } => f64::NEG_INFINITY,
            Covariance::Lazy(lazy) => lazy.floor(),
        }
    }

    fn has_cheap_entries(&self) -> bool {
        match &self.covariance {
            Covariance::Dense { .. } => true,
            Covariance::Lazy(lazy) => lazy.has_cheap_entries(),
        }
    }

    fn taken(&self, item: usize, others: &[u32], out: &mut [f64]) {
        match &self.covariance {
            Covariance::Dense { .. } => unreachable!("entries are at hand"),
            Covariance::Lazy(lazy) => lazy.taken(item, others, out),
        }
    }

    fn all(&self) -> Option<AllCovariances<'_>> {
        match &self.covariance {
            Covariance::Dense { matrix, largest } => Some(AllCovariances { matrix, largest: &largest[..self.items] }),
            Covariance::Lazy(_) => None,
        }
    }
}
