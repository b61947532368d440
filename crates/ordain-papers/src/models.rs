//! The models that are compared: how each is tuned, fitted and measured on a query.

use std::sync::Arc;

use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Belief, EpParams, Problem, TuningParams};
use ordain::kernel::{Causes, Form, Kernel, KernelSpec, Over, RelationSpec, Rho, Role, Shape, WeightedSum, build};
use ordain::learn::{RankSvmGrid, RankSvmParams, RankSvmProblem};
use ordain::measure::auc;
use ordain::numeric::{Matrix, Seed};
use ordain::{Error, Result};

use crate::journal::Row;
use crate::query::{Query, Split};

/// A model of figures 2 and 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Model {
    /// Attributes and hidden common causes (the paper's "silva kernel").
    CommonCause,
    /// Attributes and the regularized Laplacian of the links.
    Laplacian,
    /// Attributes only.
    Pgp,
    /// The ranking SVM on the attributes.
    Svm,
}

impl Model {
    /// All of them, in the paper's order, which is also that of their numbers.
    pub const ALL: [Self; 4] = [Self::CommonCause, Self::Laplacian, Self::Pgp, Self::Svm];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::CommonCause => "xpgp-common-cause",
            Self::Laplacian => "xpgp-laplacian",
            Self::Pgp => "pgp",
            Self::Svm => "svm",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::CommonCause => "XPGP, common cause",
            Self::Laplacian => "XPGP, reg. Laplacian",
            Self::Pgp => "PGP, no links",
            Self::Svm => "SVM, no links",
        }
    }

    /// Whether it says how sure it is, as the area under the curve needs.
    pub fn is_soft(self) -> bool {
        self != Self::Svm
    }
}

/// The numbers of a model, tuned; none where the model has no such number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuned {
    /// The weight of the part from attributes.
    attributes: Option<f64>,
    /// The inverse length of the kernel over attributes.
    rho: f64,
    /// The weight of what is a document's own.
    own: Option<f64>,
    /// The weight of the part from links.
    links: Option<f64>,
    /// The reach of the regularized Laplacian.
    iota: Option<f64>,
    /// The cost of the SVM.
    cost: Option<f64>,
    /// What was made as good as possible: the log evidence a pair, or the SVM's error in cross-validation.
    score: f64,
}

impl Tuned {
    /// The columns of the table of tuned numbers.
    pub const COLUMNS: &[&str] =
        &["part", "known", "model", "attributes_weight", "rho", "own_weight", "links_weight", "iota", "cost", "score"];

    /// As a row of that table.
    pub fn row(&self) -> Row {
        vec![self.attributes, Some(self.rho), self.own, self.links, self.iota, self.cost, Some(self.score)]
    }

    /// From such a row.
    pub fn from_row(row: &Row) -> Option<Self> {
        let &[attributes, Some(rho), own, links, iota, cost, Some(score)] = row.as_slice() else { return None };
        Some(Self { attributes, rho, own, links, iota, cost, score })
    }
}

/// The noise that all models share, so that a difference has a noise of 1.
fn answers() -> AnswerModel {
    AnswerModel::default()
}

/// Tunes a model on known pairs of several queries, by which it will never be measured: the Gaussian processes by their
/// evidence, the SVM by cross-validation.
///
/// # Errors
/// If the evidence cannot be computed or a fit does not converge.
pub fn tune(model: Model, known: &[(&Query, Vec<(ItemId, ItemId)>)], seed: Seed) -> Result<Tuned> {
    if model == Model::Svm {
        let problem = |(query, pairs): &(&Query, Vec<(ItemId, ItemId)>)| RankSvmProblem {
            attributes: query.items.attributes().clone(),
            pairs: pairs.clone(),
        };
        let problems: Vec<RankSvmProblem> = known.iter().map(problem).collect();
        let best = RankSvmGrid { seed, ..RankSvmGrid::default() }.search(&problems)?[0];
        let none = None;
        let (rho, cost, score) = (best.rho, Some(best.cost), best.error);
        return Ok(Tuned { attributes: none, rho, own: none, links: none, iota: none, cost, score });
    }
    let start = Tuned {
        attributes: Some(1.0),
        rho: 0.5,
        own: Some(0.5),
        links: (model != Model::Pgp).then_some(1.0),
        iota: (model == Model::Laplacian).then_some(1.0),
        cost: None,
        score: 0.0,
    };
    let problem = |(query, pairs): &(&Query, Vec<(ItemId, ItemId)>)| {
        let observations = pairs.iter().map(|&(better, worse)| answers().preferred(better, worse)).collect();
        Ok(Problem { kernel: kernel(model, &start, query)?, observations })
    };
    let mut problems: Vec<Problem> = known.iter().map(problem).collect::<Result<_>>()?;
    let found = TuningParams { seed, ..TuningParams::default() }.tune(&mut problems, |_| {})?;
    let value = |part: usize, name: &str| {
        let name = format!("kernel[{part}].{name}");
        found.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.value)
    };
    let count: usize = known.iter().map(|(_, pairs)| pairs.len()).sum();
    Ok(Tuned {
        attributes: value(0, "weight"),
        rho: value(0, "rho").unwrap_or(start.rho),
        own: value(1, "weight"),
        links: value(2, "weight"),
        iota: value(2, "iota"),
        cost: None,
        score: found.log_evidence / count as f64,
    })
}

/// The kernel of a model over a query's documents: attributes, what is a document's own, links.
fn kernel(model: Model, tuned: &Tuned, query: &Query) -> Result<WeightedSum> {
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(tuned.rho) };
    let relation = RelationSpec { relation: 0, role: Role::Undirected };
    let links = match model {
        Model::CommonCause => Some(Shape::CommonCause { relation, causes: Causes::Cliques }),
        Model::Laplacian => Some(Shape::RegularizedLaplacian { relation, beta: 1.0, iota: tuned.iota.unwrap_or(1.0) }),
        Model::Pgp | Model::Svm => None,
    };
    let attributes = Shape::Vector { form, over: Over::Attributes };
    let parts = [(tuned.attributes, Some(attributes)), (tuned.own, Some(Shape::Independent)), (tuned.links, links)];
    let specs: Vec<KernelSpec> =
        parts.into_iter().filter_map(|(weight, shape)| Some(KernelSpec { weight: weight?, shape: shape? })).collect();
    build(&specs, &query.items, std::slice::from_ref(&query.relation))
}

/// A kernel that is nothing but its matrix: queries have a few hundred documents, and every draw of pairs uses it.
struct Tabulated(Matrix);

impl Kernel for Tabulated {
    fn len(&self) -> usize {
        self.0.rows()
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&self.0.diagonal());
        Ok(())
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(self.0.column(item));
        Ok(())
    }
}

/// A tuned model over a query's documents, ready to learn from any draw of known pairs.
pub struct Prepared {
    model: Model,
    kernel: Arc<Tabulated>,
    cost: f64,
}

/// How a model did on the remaining pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measures {
    /// The share of pairs that it puts in the wrong order, equal utilities counting one half.
    pub error: f64,
    /// The area under the ROC curve, if it says how sure it is.
    pub auc: Option<f64>,
}

impl Prepared {
    /// The model over a query. `n²` doubles.
    ///
    /// # Errors
    /// If the kernel cannot be built.
    pub fn new(model: Model, tuned: &Tuned, query: &Query) -> Result<Self> {
        // The SVM's one kernel is that over attributes.
        let tuned = if model == Model::Svm { &Tuned { attributes: Some(1.0), ..*tuned } } else { tuned };
        let kernel = Arc::new(Tabulated(kernel(model, tuned, query)?.matrix()?));
        Ok(Self { model, kernel, cost: tuned.cost.unwrap_or(1.0) })
    }

    /// Learns from the known pairs and is measured on the remaining ones.
    ///
    /// # Errors
    /// If the fit does not converge.
    pub fn measure(&self, split: &Split) -> Result<Measures> {
        if self.model == Model::Svm {
            let params = RankSvmParams { cost: self.cost, ..RankSvmParams::default() };
            let svm = params.fit(self.kernel.as_ref(), &split.known)?;
            let scores = svm.scores();
            let margins = split.remaining.iter().map(|&(i, j)| scores[i.index()] - scores[j.index()]);
            return Ok(Measures { error: error_rate(margins)?, auc: None });
        }
        let answers = answers();
        let observations: Vec<_> = split.known.iter().map(|&(i, j)| answers.preferred(i, j)).collect();
        let belief = EpParams::default().fit(self.kernel.clone(), &observations)?;
        let everyone: Vec<ItemId> = (0..self.kernel.len()).map(ItemId::new).collect();
        let covariance = belief.covariance(&everyone)?;
        let noise = answers.lambda().powi(2);
        let standardized = |&(i, j): &(ItemId, ItemId)| {
            let (i, j) = (i.index(), j.index());
            let variance = (covariance[(i, i)] + covariance[(j, j)] - 2.0 * covariance[(i, j)]).max(0.0);
            (belief.mean()[i] - belief.mean()[j]) / (noise + variance).sqrt()
        };
        let margins: Vec<f64> = split.remaining.iter().map(standardized).collect();
        Ok(Measures { error: error_rate(margins.iter().copied())?, auc: Some(pair_auc(&margins)?) })
    }
}

/// The share of pairs whose better document does not score higher, equal scores counting one half.
fn error_rate(margins: impl Iterator<Item = f64>) -> Result<f64> {
    let (mut wrong, mut count) = (0.0, 0);
    for margin in margins {
        count += 1;
        wrong += if margin > 0.0 {
            0.0
        } else if margin < 0.0 {
            1.0
        } else {
            0.5
        };
    }
    if count == 0 {
        return Err(Error::Data {
            what: "remaining pairs",
            found: "none".into(),
            expected: "some to measure by".into(),
        });
    }
    Ok(wrong / f64::from(count))
}

/// The area under the ROC curve of predicted pairs. Every remaining pair is shown in both directions, once as better
/// before worse (positive) and once as worse before better (negative), and scored by the probability that the model gives
/// to "first before second". The area is the chance that a positive scores above a negative: for two pairs drawn at
/// random with probabilities p and q of their true orders, the chance that p > 1 - q.
///
/// Probabilities are `Φ(margin)`, so their order is that of the margins.
fn pair_auc(margins: &[f64]) -> Result<f64> {
    let scores: Vec<f64> = margins.iter().copied().chain(margins.iter().map(|margin| -margin)).collect();
    let positive: Vec<bool> = (0..scores.len()).map(|at| at < margins.len()).collect();
    auc(&scores, &positive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_areas_by_hand() {
        assert_eq!(error_rate([1.0, -1.0, 0.0, 2.0].into_iter()).unwrap(), 1.5 / 4.0);
        assert!(error_rate(std::iter::empty()).is_err());
        let brute = |margins: &[f64]| {
            let compare = |p: f64, q: f64| {
                if p > -q {
                    1.0
                } else if p == -q {
                    0.5
                } else {
                    0.0
                }
            };
            let sum: f64 = margins.iter().flat_map(|&p| margins.iter().map(move |&q| compare(p, q))).sum();
            sum / (margins.len() * margins.len()) as f64
        };
        for margins in [vec![1.0], vec![3.0, -1.0], vec![-3.0, 1.0], vec![0.5, -0.5, 2.0, 0.0, -0.25]] {
            assert_eq!(pair_auc(&margins).unwrap(), brute(&margins));
        }
        // Sure where right and unsure where wrong is worth more than the reverse, at the same error.
        assert_eq!((pair_auc(&[3.0, -1.0]).unwrap(), pair_auc(&[1.0, -3.0]).unwrap()), (0.75, 0.25));
    }

    #[test]
    fn tuned_numbers_survive_their_row() {
        let tuned = Tuned {
            attributes: Some(1.0 / 3.0),
            rho: 0.1,
            own: None,
            links: Some(1e-300),
            iota: None,
            cost: Some(1e3),
            score: -0.7,
        };
        assert_eq!(Tuned::from_row(&tuned.row()), Some(tuned));
        assert_eq!(Tuned::COLUMNS.len(), 3 + tuned.row().len());
        assert_eq!(Tuned::from_row(&vec![None; 7]), None);
    }
}
