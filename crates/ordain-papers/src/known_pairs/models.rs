//! The models that are compared: how each is tuned, fitted and measured on a query.

use std::sync::Arc;

use ordain::data::{ItemId, Relation};
use ordain::gp::{AnswerModel, Belief, Ep, EpParams, Problem, TuningParams};
use ordain::kernel::{Causes, Form, Kernel, KernelSpec, Over, RelationSpec, Rho, Role, Shape, WeightedSum, build};
use ordain::learn::{RankSvmGrid, RankSvmParams, RankSvmProblem};
use ordain::measure::{auc, wrong_pairs};
use ordain::numeric::Seed;
use ordain::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::journal::Row;
use crate::query::{Query, Split};
use crate::search::pattern_search;
use crate::tabulated::Tabulated;

/// A model: those of figures 2 and 3, and those over texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Model {
    /// Attributes and hidden common causes (the paper's "silva kernel").
    CommonCause,
    /// Attributes and the regularized Laplacian of the links.
    Laplacian,
    /// Attributes only.
    Pgp,
    /// The ranking SVM on the attributes.
    Svm,
    /// The regularized Laplacian of the links, without attributes.
    Links,
    /// Texts weighed by Okapi, without attributes.
    Text,
    /// Texts with learned weights.
    LearnedText,
    /// Texts weighed by Okapi, and the Laplacian of the links.
    TextLinks,
    /// Texts with learned weights, and the Laplacian of the links.
    LearnedTextLinks,
}

impl Model {
    /// The paper's, in its order.
    pub const PAPER: [Self; 4] = [Self::CommonCause, Self::Laplacian, Self::Pgp, Self::Svm];

    /// Those that show what texts are worth.
    pub const TEXTS: [Self; 6] =
        [Self::Pgp, Self::Links, Self::Text, Self::LearnedText, Self::TextLinks, Self::LearnedTextLinks];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::CommonCause => "xpgp-common-cause",
            Self::Laplacian => "xpgp-laplacian",
            Self::Pgp => "pgp",
            Self::Svm => "svm",
            Self::Links => "links",
            Self::Text => "text",
            Self::LearnedText => "learned-text",
            Self::TextLinks => "text-links",
            Self::LearnedTextLinks => "learned-text-links",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::CommonCause => "XPGP, common cause",
            Self::Laplacian => "XPGP, reg. Laplacian",
            Self::Pgp => "PGP, no links",
            Self::Svm => "SVM, no links",
            Self::Links => "citations alone",
            Self::Text => "text, Okapi",
            Self::LearnedText => "text, learned",
            Self::TextLinks => "text, Okapi, and citations",
            Self::LearnedTextLinks => "text, learned, and citations",
        }
    }

    /// The number of the texts' weights that it uses, among those of a query.
    pub fn words(self) -> Option<usize> {
        match self {
            Self::Text | Self::TextLinks => Some(0),
            Self::LearnedText | Self::LearnedTextLinks => Some(1),
            Self::CommonCause | Self::Laplacian | Self::Pgp | Self::Svm | Self::Links => None,
        }
    }

    fn has_attributes(self) -> bool {
        matches!(self, Self::CommonCause | Self::Laplacian | Self::Pgp | Self::Svm)
    }

    /// Whether it has the Laplacian of the links.
    fn has_laplacian(self) -> bool {
        matches!(self, Self::Laplacian | Self::Links | Self::TextLinks | Self::LearnedTextLinks)
    }

    /// Whether it says how sure it is, as the area under the curve needs.
    pub fn is_soft(self) -> bool {
        self != Self::Svm
    }
}

impl From<Model> for String {
    fn from(model: Model) -> Self {
        model.name().into()
    }
}

impl TryFrom<String> for Model {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        let mut known = Self::PAPER.into_iter().chain(Self::TEXTS);
        known.find(|model| model.name() == name).ok_or_else(|| format!("no model is called {name}"))
    }
}

/// The numbers of a model, tuned; none where the model has no such number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuned {
    /// The weight of the part from attributes.
    attributes: Option<f64>,
    /// The inverse length of the kernel over attributes.
    rho: Option<f64>,
    /// The weight of what is a document's own.
    own: Option<f64>,
    /// The weight of the part from links.
    links: Option<f64>,
    /// The reach of the regularized Laplacian.
    iota: Option<f64>,
    /// The cost of the SVM.
    cost: Option<f64>,
    /// The weight of the part from texts.
    text: Option<f64>,
    /// The mean error on the queries it was tuned on.
    score: f64,
}

impl Tuned {
    /// The columns of its row, but for the texts' weight.
    pub const COLUMNS: [&str; 7] = ["attributes_weight", "rho", "own_weight", "links_weight", "iota", "cost", "score"];
    /// The column of the texts' weight, which only tables with models over texts have.
    pub const TEXT_COLUMN: &str = "text_weight";

    /// Plain values, which nobody tuned.
    pub fn plain(model: Model) -> Self {
        let has_links = model.has_laplacian() || model == Model::CommonCause;
        Self {
            attributes: (model.has_attributes() && model.is_soft()).then_some(1.0),
            rho: model.has_attributes().then_some(0.5),
            own: model.is_soft().then_some(1.0),
            links: has_links.then_some(1.0),
            iota: model.has_laplacian().then_some(1.0),
            cost: (model == Model::Svm).then_some(1.0),
            text: model.words().map(|_| 1.0),
            score: 0.0,
        }
    }

    /// As a row of such a table.
    pub fn row(&self, with_text: bool) -> Row {
        let own = [self.attributes, self.rho, self.own, self.links, self.iota, self.cost, Some(self.score)];
        own.into_iter().chain(with_text.then_some(self.text)).collect()
    }

    /// The logarithms of the numbers that the model has.
    fn logs(&self) -> Vec<f64> {
        let all = [self.attributes, self.rho, self.own, self.links, self.iota, self.cost, self.text];
        all.into_iter().flatten().map(f64::ln).collect()
    }

    /// Bounds of these logarithms, beyond which a number would change hardly anything.
    fn bounds(&self) -> Vec<(f64, f64)> {
        let all = [
            (self.attributes, WEIGHT),
            (self.rho, RHO),
            (self.own, WEIGHT),
            (self.links, WEIGHT),
            (self.iota, IOTA),
            (self.cost, COST),
            (self.text, WEIGHT),
        ];
        let own = all.into_iter().filter(|(number, _)| number.is_some());
        own.map(|(_, (low, high))| (low.ln(), high.ln())).collect()
    }

    /// The same model with other numbers, given by their logarithms.
    fn with_logs(&self, logs: &[f64]) -> Self {
        let mut values = logs.iter().map(|log| log.exp());
        let mut take = |old: Option<f64>| old.and_then(|_| values.next());
        Self {
            attributes: take(self.attributes),
            rho: take(self.rho),
            own: take(self.own),
            links: take(self.links),
            iota: take(self.iota),
            cost: take(self.cost),
            text: take(self.text),
            score: self.score,
        }
    }

    /// From such a row.
    pub fn from_row(row: &Row) -> Option<Self> {
        let &[attributes, rho, own, links, iota, cost, Some(score), ref text @ ..] = row.as_slice() else {
            return None;
        };
        let text = text.first().copied().flatten();
        Some(Self { attributes, rho, own, links, iota, cost, text, score })
    }
}

/// Of the variance of a part, where a difference has a noise of 1: differences of utilities of two documents that the part
/// holds unlike have deviations of 1/8 to 16, from lost in the noise to hardly ever turned round by it.
const WEIGHT: (f64, f64) = (1.0 / 128.0, 128.0);

/// Over attributes standardized within the query: at the one end documents 100 deviations apart are still alike, at the
/// other any two that differ by a tenth of a deviation are unlike.
const RHO: (f64, f64) = (1.0 / 128.0, 128.0);

/// At the one end `1 / iota²` outweighs any Laplacian here, so that links count for nothing; at the other it is lost beside
/// it, so that whole components are alike.
const IOTA: (f64, f64) = (1.0 / 128.0, 128.0);

/// Ten times as far as cross-validation looks on either side. With few pairs and a kernel that can tell all documents
/// apart, all known pairs get their full margin long before the upper end, and then the cost does not matter.
const COST: (f64, f64) = (1e-3, 1e4);

/// The noise that all models share, so that a difference has a noise of 1.
pub fn answers() -> AnswerModel {
    AnswerModel::default()
}

/// A query whose pairs are all used to tune by: some as known, the others to see what came of it.
pub struct Example<'a> {
    /// The query.
    pub query: &'a Query,
    /// Its pairs.
    pub split: Split,
}

/// Tunes a model on queries by which it will never be measured: for the least mean error on their remaining pairs, which is
/// the same for all models.
///
/// The search starts from the better of two places: plain values, and what a model's own way finds from the known pairs
/// alone, which is the evidence for a Gaussian process and cross-validation for the SVM.
///
/// # Errors
/// If a fit does not converge at the plain values, or the model's own way fails.
pub fn tune(model: Model, examples: &[Example<'_>], seed: Seed) -> Result<Tuned> {
    let plain = Tuned::plain(model);
    let own_way = if model == Model::Svm {
        by_cross_validation(plain, examples, seed)?
    } else {
        by_evidence(model, plain, examples, seed)?
    };
    let mut objective = |logs: &[f64]| mean_error(model, &plain.with_logs(logs), examples);
    let best = [plain, own_way].map(|start| start.logs());
    let (logs, score) = pattern_search(best, &plain.bounds(), &mut objective)?;
    Ok(Tuned { score, ..plain.with_logs(&logs) })
}

/// The cost and inverse width that leave the fewest held-out known pairs in the wrong order.
fn by_cross_validation(plain: Tuned, examples: &[Example<'_>], seed: Seed) -> Result<Tuned> {
    let problem = |example: &Example<'_>| RankSvmProblem {
        attributes: example.query.items.attributes().clone(),
        pairs: example.split.known.clone(),
    };
    let problems: Vec<RankSvmProblem> = examples.iter().map(problem).collect();
    let best = RankSvmGrid::default().with_seed(seed).search(&problems)?[0];
    Ok(Tuned { rho: Some(best.rho), cost: Some(best.cost), ..plain })
}

/// The numbers under which the known pairs are most probable.
fn by_evidence(model: Model, plain: Tuned, examples: &[Example<'_>], seed: Seed) -> Result<Tuned> {
    let problem = |example: &Example<'_>| {
        let observations = example.split.known.iter().map(|&(better, worse)| answers().preferred(better, worse));
        Ok(Problem::new(kernel(model, &plain, example.query)?, observations.collect()))
    };
    let mut problems: Vec<Problem> = examples.iter().map(problem).collect::<Result<_>>()?;
    let found = TuningParams::default().with_seed(seed).tune(&mut problems)?;
    let place = |part: Part| parts(model, &plain).iter().position(|(own, ..)| *own == part);
    let value = |part: Part, name: &str| {
        let name = format!("kernel[{}].{name}", place(part)?);
        found.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.value)
    };
    Ok(Tuned {
        attributes: value(Part::Attributes, "weight"),
        rho: value(Part::Attributes, "rho"),
        own: value(Part::Own, "weight"),
        links: value(Part::Links, "weight"),
        iota: value(Part::Links, "iota"),
        text: value(Part::Text, "weight"),
        ..plain
    })
}

/// The mean over examples of the error on their remaining pairs; infinite where the numbers are beyond what can be
/// computed.
fn mean_error(model: Model, tuned: &Tuned, examples: &[Example<'_>]) -> f64 {
    let error = |example: &Example<'_>| {
        let prepared = Prepared::new(model, tuned, example.query)?;
        prepared.error(&example.split)
    };
    let errors: Result<Vec<f64>> = examples.par_iter().map(error).collect();
    errors.map_or(f64::INFINITY, |errors| errors.iter().sum::<f64>() / errors.len() as f64)
}

/// A part of a model's utility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Attributes,
    Own,
    Links,
    Text,
}

/// The parts that a model has, each with its weight and its shape. Relation 0 of a query are its links; those of words follow.
fn parts(model: Model, tuned: &Tuned) -> Vec<(Part, f64, Shape)> {
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(tuned.rho.unwrap_or(0.5)) };
    let relation = RelationSpec { relation: 0, role: Role::Undirected };
    let links = if model == Model::CommonCause {
        Some(Shape::CommonCause { relation, causes: Causes::Cliques })
    } else {
        tuned.iota.map(|iota| Shape::RegularizedLaplacian { relation, beta: 1.0, iota })
    };
    let words =
        model.words().map(|words| Shape::Vector { form: Form::Cosine { kappa: 1.0 }, over: Over::Text(1 + words) });
    let attributes = Shape::Vector { form, over: Over::Attributes };
    let all = [
        (Part::Attributes, tuned.attributes, Some(attributes)),
        (Part::Own, tuned.own, Some(Shape::Independent)),
        (Part::Links, tuned.links, links),
        (Part::Text, tuned.text, words),
    ];
    all.into_iter().filter_map(|(part, weight, shape)| Some((part, weight?, shape?))).collect()
}

/// The kernel of a model over a query's documents.
fn kernel(model: Model, tuned: &Tuned, query: &Query) -> Result<WeightedSum> {
    let parts = parts(model, tuned);
    let specs: Vec<KernelSpec> = parts.into_iter().map(|(_, weight, shape)| KernelSpec::new(weight, shape)).collect();
    let relations: Vec<Relation> = [&query.relation].into_iter().chain(&query.words).cloned().collect();
    build(&specs, &query.items, &relations)
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

    /// Its kernel.
    pub fn kernel(&self) -> Arc<dyn Kernel> {
        self.kernel.clone()
    }

    /// Learns from the known pairs and is measured on the remaining ones.
    ///
    /// # Errors
    /// If the fit does not converge.
    pub fn measure(&self, split: &Split) -> Result<Measures> {
        if self.model == Model::Svm {
            return Ok(Measures { error: self.error(split)?, auc: None });
        }
        let belief = self.believe(split)?;
        let everyone: Vec<ItemId> = (0..self.kernel.len()).map(ItemId::new).collect();
        let covariance = belief.covariance(&everyone)?;
        let noise = answers().lambda().powi(2);
        let standardized = |&(i, j): &(ItemId, ItemId)| {
            let (i, j) = (i.index(), j.index());
            let variance = (covariance[(i, i)] + covariance[(j, j)] - 2.0 * covariance[(i, j)]).max(0.0);
            (belief.mean()[i] - belief.mean()[j]) / (noise + variance).sqrt()
        };
        let margins: Vec<f64> = split.remaining.iter().map(standardized).collect();
        Ok(Measures { error: error_rate(belief.mean(), &split.remaining)?, auc: Some(pair_auc(&margins)?) })
    }

    /// The error alone, which costs no covariances.
    fn error(&self, split: &Split) -> Result<f64> {
        if self.model == Model::Svm {
            let params = RankSvmParams::default().with_cost(self.cost);
            return error_rate(params.fit(self.kernel.as_ref(), &split.known)?.scores(), &split.remaining);
        }
        error_rate(self.believe(split)?.mean(), &split.remaining)
    }

    fn believe(&self, split: &Split) -> Result<Ep> {
        let observations: Vec<_> = split.known.iter().map(|&(i, j)| answers().preferred(i, j)).collect();
        EpParams::default().fit(self.kernel.clone(), &observations)
    }
}

/// The share of pairs whose better document does not score higher, equal scores counting one half.
fn error_rate(scores: &[f64], pairs: &[(ItemId, ItemId)]) -> Result<f64> {
    if pairs.is_empty() {
        return Err(Error::Data {
            what: "remaining pairs",
            found: "none".into(),
            expected: "some to measure by".into(),
        });
    }
    Ok(wrong_pairs(scores, pairs)? / pairs.len() as f64)
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
        let pair = |better, worse| (ItemId(better), ItemId(worse));
        let pairs = [pair(0, 1), pair(1, 0), pair(1, 2), pair(0, 2)];
        assert_eq!(error_rate(&[1.0, 0.0, 0.0], &pairs).unwrap(), 1.5 / 4.0);
        assert!(error_rate(&[1.0], &[]).is_err());
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

    /// Wherever a model's own way may start is within its bounds.
    #[test]
    fn the_search_reaches_all_of_the_grid() {
        let RankSvmGrid { costs, rhos, .. } = RankSvmGrid::default();
        for (values, (low, high)) in [(costs, COST), (rhos, RHO)] {
            assert!(values.iter().all(|value| (low..=high).contains(value)), "{values:?}");
        }
        for model in Model::PAPER.into_iter().chain(Model::TEXTS) {
            let plain = Tuned::plain(model);
            assert_eq!(plain.logs().len(), plain.bounds().len());
        }
        assert_eq!(Tuned::plain(Model::Svm).bounds()[1], (1e-3_f64.ln(), 1e4_f64.ln()));
    }

    #[test]
    fn tuned_numbers_survive_their_row() {
        let tuned = Tuned {
            attributes: Some(1.0 / 3.0),
            rho: Some(0.1),
            own: None,
            links: Some(1e-300),
            iota: None,
            cost: Some(1e3),
            text: None,
            score: -0.7,
        };
        assert_eq!(Tuned::from_row(&tuned.row(false)), Some(tuned));
        let with_text = Tuned { text: Some(0.7), ..tuned };
        assert_eq!(Tuned::from_row(&with_text.row(true)), Some(with_text));
        for model in Model::PAPER.into_iter().chain(Model::TEXTS) {
            let text = serde_json::to_string(&model).unwrap();
            assert_eq!(serde_json::from_str::<Model>(&text).unwrap(), model);
        }
        let again = tuned.with_logs(&tuned.logs());
        let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
            // A logarithm and back, which at 1e-300 costs three digits.
            (Some(a), Some(b)) => (a / b - 1.0_f64).abs() < 1e-12,
            (a, b) => a == b,
        };
        assert!(tuned.row(true).into_iter().zip(again.row(true)).all(|(a, b)| close(a, b)), "{again:?}");
        assert_eq!(Tuned::COLUMNS.len(), tuned.row(false).len());
        assert_eq!(Tuned::from_row(&vec![None; 7]), None);
    }
}
