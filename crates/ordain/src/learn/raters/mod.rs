//! Users who rate items: what they agree on, what each of them likes, and the grades they would give (COR).
//!
//! [`RatersParams`] turns [`Ratings`] into a [`RatersModel`]. It says how alike items are before anybody speaks
//! ([`Likeness`]), and the scale of utilities: a user's level and an item's own part vary alike. For ordinal grades both have the variance
//! of the noise, 1. For grades as values both have half of the grades' variance. For answers about pairs the noise of a difference is 1,
//! and levels cancel.

mod file;

use crate::data::{GradeScale, ItemId, Opinions, Outcome, Ratings};
use crate::gp::{
    AnswerModel, Belief, Collaborative, CollaborativeParams, Cuts, GradeModel, NoiseLaw, OpinionModel, RankedItem,
    RankingParams, rank,
};
use crate::kernel::{Given, Kernel};
use crate::numeric::{Matrix, normal};
use crate::params::setters;
use crate::words::vocabulary;
use crate::{Error, Result};

/// The most items: matrices over all of them are multiplied in every round.
const MOST_ITEMS: usize = 5_000;

/// How grades are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GradesAs {
    /// As classes in an order, with thresholds that are learned (GPOR, CGPOR).
    #[default]
    Ordinal,
    /// As numbers (GPR, CGPR).
    Values,
}

vocabulary! { GradesAs, "reading of grades";
    Ordinal = "ordinal", "as classes in an order, with learned thresholds per user";
    Values = "values", "as numbers";
}

/// How alike items are before anybody speaks.
#[derive(Clone, Copy)]
pub enum Likeness<'a> {
    /// Not at all.
    Apart,
    /// As this kernel says.
    Kernel(&'a dyn Kernel),
    /// As these numbers of other users correlate, each around the user's mean; numbers that a user did not give count as
    /// that mean (COR section 4).
    Raters(&'a [Vec<(ItemId, f64)>]),
}

/// How ratings become a model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RatersParams {
    /// How grades are read.
    pub grades: GradesAs,
    /// The law of the noise of answers about pairs.
    pub law: NoiseLaw,
    /// The noise before anything is learned. Default: 1 for ordinal grades, 0.1 for values, and 1 on a difference for answers.
    pub noise: Option<f64>,
    /// The thresholds of ordinal grades at the start. Default: those of the grades' shares.
    pub cuts: Option<Cuts>,
    /// How the shared prior is learned.
    pub shared: CollaborativeParams,
}

impl Default for RatersParams {
    fn default() -> Self {
        Self {
            grades: GradesAs::Ordinal,
            law: NoiseLaw::Normal,
            noise: None,
            cuts: None,
            shared: CollaborativeParams::default(),
        }
    }
}

setters! {
    RatersParams:
    with_grades = grades: GradesAs,
    with_law = law: NoiseLaw,
    with_noise = noise: Option<f64>,
    with_cuts = cuts: Option<Cuts>,
    with_shared = shared: CollaborativeParams,
}

impl RatersParams {
    /// Learns from ratings. A round costs `m_j³` per user with `m_j` items, and `m³` once.
    ///
    /// # Errors
    /// If there is nothing to learn from, there are more than 5,000 items, or as [`CollaborativeParams::fit`].
    pub fn train(&self, ratings: Ratings, likeness: Likeness<'_>) -> Result<RatersModel> {
        let items = ratings.items().len();
        if items > MOST_ITEMS {
            return Err(Error::TooLarge {
                what: "the items of ratings".into(),
                size: items,
                limit: MOST_ITEMS,
                method: "learning what users share",
            });
        }
        if ratings.opinions().iter().all(|user| user.grades.is_empty() && user.answers.is_empty()) {
            return Err(Error::Data {
                what: "ratings",
                found: "nothing that anybody said".into(),
                expected: "at least one grade or answer".into(),
            });
        }
        let unit = Unit::of(&ratings, self.grades);
        let start = unit.start(likeness, items)?;
        let model = self.model(&ratings, &unit)?;
        let learned = self.shared.fit(start, model, ratings.opinions().to_vec())?;
        Ok(RatersModel { ratings, learned })
    }

    fn model(&self, ratings: &Ratings, unit: &Unit) -> Result<OpinionModel> {
        let noise = self.noise.unwrap_or(unit.noise);
        let deviation = (unit.own * unit.own + unit.level * unit.level + noise * noise).sqrt();
        let grades = match (ratings.scale(), self.grades) {
            (Some(scale), GradesAs::Values) => GradeModel::Values(scale.grades().map(f64::from).collect()),
            (Some(_), GradesAs::Ordinal) => GradeModel::Ordinal(match &self.cuts {
                Some(cuts) => cuts.clone(),
                None => Cuts::of_counts(&ratings.counts(), deviation)?,
            }),
            // Nobody gives grades.
            (None, _) => GradeModel::Values(Vec::new()),
        };
        let width = tie_width(ratings, (2.0 * (unit.own * unit.own + noise * noise)).sqrt());
        Ok(OpinionModel { answers: AnswerModel::new(noise, width)?.with_law(self.law), grades })
    }
}

/// The width that gives ties their share among the answers, for differences of this deviation; 0 without ties.
fn tie_width(ratings: &Ratings, deviation: f64) -> f64 {
    let answers = || ratings.opinions().iter().flat_map(|user| &user.answers).map(|answer| answer.outcome);
    let ties = answers().map(Outcome::ties).sum::<u64>() as f64;
    let all = answers().map(Outcome::count).sum::<u64>() as f64;
    if ties == 0.0 { 0.0 } else { deviation * normal::quantile(0.5 + 0.5 * (ties / all).min(0.99)) }
}

/// The scale of utilities.
struct Unit {
    /// The mean.
    mean: f64,
    /// The deviation of an item's own part.
    own: f64,
    /// The deviation of a user's level.
    level: f64,
    noise: f64,
}

impl Unit {
    fn of(ratings: &Ratings, grades: GradesAs) -> Self {
        let Some(scale) = ratings.scale() else {
            return Self { mean: 0.0, own: 1.0, level: 0.0, noise: std::f64::consts::FRAC_1_SQRT_2 };
        };
        if grades == GradesAs::Ordinal {
            return Self { mean: 0.0, own: 1.0, level: 1.0, noise: 1.0 };
        }
        let counts = ratings.counts();
        let all = counts.iter().sum::<usize>().max(1) as f64;
        let given = || counts.iter().enumerate().map(|(at, &count)| (f64::from(scale.grade(at)), count as f64 / all));
        let mean: f64 = given().map(|(grade, share)| grade * share).sum();
        let variance: f64 = given().map(|(grade, share)| (grade - mean).powi(2) * share).sum();
        let half = if variance > 0.0 { (0.5 * variance).sqrt() } else { 1.0 };
        Self { mean, own: half, level: half, noise: 0.1 * half }
    }

    /// The prior at the start: `own² K + level² 1 1'`, for a K whose variances are 1 on average.
    fn start(&self, likeness: Likeness<'_>, items: usize) -> Result<Given> {
        let mut covariance = match likeness {
            Likeness::Apart => Matrix::identity(items),
            Likeness::Kernel(kernel) => kernel.matrix()?,
            Likeness::Raters(raters) => correlations(items, raters)?,
        };
        let average = covariance.diagonal().iter().sum::<f64>() / items.max(1) as f64;
        let scale = self.own * self.own / if average > 0.0 { average } else { 1.0 };
        covariance.values_mut().iter_mut().for_each(|value| *value = scale * *value + self.level * self.level);
        Given::new(vec![self.mean; items], covariance)
    }
}

/// The correlations of items over users who gave them numbers: the cosines of their numbers around each user's mean. An item
/// that nobody gave a number, or always the mean, is like no other.
fn correlations(items: usize, raters: &[Vec<(ItemId, f64)>]) -> Result<Matrix> {
    let mut products = Matrix::zeros(items, items);
    for given in raters {
        given.iter().try_for_each(|&(item, _)| crate::data::check_item(item, items))?;
        let mean = given.iter().map(|(_, value)| value).sum::<f64>() / given.len().max(1) as f64;
        for (item, value) in given {
            let off = value - mean;
            let column = products.column_mut(item.index());
            given.iter().for_each(|(other, value)| column[other.index()] += off * (value - mean));
        }
    }
    let squares = products.diagonal();
    let entry = |i: usize, j: usize| match squares[i] * squares[j] {
        _ if i == j => 1.0,
        lengths if lengths > 0.0 => products[(i, j)] / lengths.sqrt(),
        _ => 0.0,
    };
    Ok(Matrix::from_fn(items, items, entry))
}

/// What users agree on, and what each of them likes.
#[derive(Debug, Clone)]
pub struct RatersModel {
    ratings: Ratings,
    learned: Collaborative,
}

/// What is believed of one user.
#[derive(Debug, Clone)]
pub struct Personal {
    /// The items by rank.
    pub ranking: Vec<RankedItem>,
    /// The probability of every grade for every item, by the position of the item; empty if nobody gives grades.
    pub grades: Vec<Vec<f64>>,
}

impl RatersModel {
    /// What the users said.
    pub fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// What they share.
    pub fn learned(&self) -> &Collaborative {
        &self.learned
    }

    /// The scale of grades, if there are grades.
    pub fn scale(&self) -> Option<GradeScale> {
        self.ratings.scale()
    }

    /// The ranking that users agree on.
    ///
    /// # Errors
    /// As [`rank`].
    pub fn consensus(&self, params: &RankingParams) -> Result<Vec<RankedItem>> {
        rank(&self.learned.consensus()?, self.ratings.items(), params)
    }

    /// What is believed of the user at this position.
    ///
    /// # Errors
    /// As [`rank`].
    pub fn personal(&self, user: usize, params: &RankingParams) -> Result<Personal> {
        self.person(&self.learned.belief(user)?, &self.learned.model_of(user), params)
    }

    /// What is believed of a user who was not there when this was learned.
    ///
    /// # Errors
    /// If an item or a grade is not there, or as [`rank`].
    pub fn newcomer(&self, opinions: &Opinions, params: &RankingParams) -> Result<Personal> {
        self.person(&self.learned.belief_of(opinions)?, self.learned.model(), params)
    }

    fn person(&self, belief: &dyn Belief, model: &OpinionModel, params: &RankingParams) -> Result<Personal> {
        let believed = belief.mean().iter().zip(belief.variances());
        let grades = match self.scale() {
            Some(_) => believed.map(|(&mean, &variance)| model.probabilities(mean, variance)).collect(),
            None => Vec::new(),
        };
        Ok(Personal { ranking: rank(belief, self.ratings.items(), params)?, grades })
    }
}
