//! What the cells of an experiment say together.

use ordain::Result;
use ordain::measure::{Mean, rank_sum_test, signed_rank_test};

use super::models::Model;
use super::plan::Plan;
use crate::journal::Row;

/// Below this p a difference is called significant, as in the paper.
pub const SIGNIFICANT: f64 = 0.01;

/// How one model did at one number of known pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The number of known pairs.
    pub known: usize,
    /// The model.
    pub model: Model,
    /// The error rate: a mean over queries, each of which counts with the mean over its reruns.
    pub error: Mean,
    /// The area under the curve, if it has one.
    pub auc: Option<Mean>,
    /// By how much the mean error is below that of PGP, as a share of it.
    pub cut: f64,
    /// The rank-sum test of its errors against PGP's, over all cells, as in the paper; none for PGP itself.
    pub p_pgp: Option<f64>,
    /// The same against the SVM's, if it is among the models.
    pub p_svm: Option<f64>,
    /// The signed-rank test of the queries' mean errors against PGP's: reruns of one query are no independent sample.
    /// None where there is no difference to test.
    pub p_queries: Option<f64>,
    /// The rank-sum test of its areas against PGP's.
    pub p_auc: Option<f64>,
}

impl Entry {
    /// Whether its errors differ from PGP's at 0.01 by the signed-rank test over the queries' means.
    pub fn differs_from_pgp(&self) -> bool {
        self.p_queries.is_some_and(|p| p < SIGNIFICANT)
    }

    /// Whether its errors are significantly below those that a test of this p compared them with.
    pub fn is_better(&self, p: Option<f64>, than: &Entry) -> bool {
        p.is_some_and(|p| p < SIGNIFICANT) && self.error.value < than.error.value
    }
}

/// The results of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The numbers of known pairs.
    pub known: Vec<usize>,
    /// The models.
    pub models: Vec<Model>,
    /// One entry for every number of known pairs and model, in their order.
    pub entries: Vec<Entry>,
}

impl Summary {
    /// Sums up all cells.
    ///
    /// # Errors
    /// If a number is missing or not finite.
    pub fn new(plan: &Plan, rows: &[Row]) -> Result<Self> {
        let mut entries = Vec::new();
        for (known, &count) in plan.known.iter().enumerate() {
            let of = |model: Model| Values::collect(plan, rows, known, model);
            let (pgp, svm) = (of(Model::Pgp), of(Model::Svm));
            for &model in &plan.models {
                entries.push(of(model).entry(count, model, &pgp, &svm)?);
            }
        }
        Ok(Self { known: plan.known.clone(), models: plan.models.clone(), entries })
    }

    /// The entry of a number of known pairs, by position, and a model.
    pub fn entry(&self, known: usize, model: Model) -> &Entry {
        let own = &self.entries[known * self.models.len()..(known + 1) * self.models.len()];
        own.iter().find(|entry| entry.model == model).unwrap_or_else(|| unreachable!("{model:?} is not among them"))
    }

    /// As a table.
    pub fn csv(&self) -> String {
        let mut out = "known,model,error,error_se,auc,auc_se,cut,p_pgp,p_svm,p_queries,p_auc_pgp\n".to_owned();
        for entry in &self.entries {
            let (auc, auc_error) = (entry.auc.map(|auc| auc.value), entry.auc.map(|auc| auc.error));
            let numbers = [
                Some(entry.error.value),
                Some(entry.error.error),
                auc,
                auc_error,
                Some(entry.cut),
                entry.p_pgp,
                entry.p_svm,
                entry.p_queries,
                entry.p_auc,
            ];
            let cells: Vec<String> = numbers
                .into_iter()
                .map(|number| number.map_or_else(String::new, |number| format!("{number:?}")))
                .collect();
            out.push_str(&format!("{},{},{}\n", entry.known, entry.model.name(), cells.join(",")));
        }
        out
    }
}

/// All cells of one model at one number of known pairs, query by query.
struct Values {
    errors: Vec<f64>,
    areas: Vec<f64>,
    reruns: usize,
}

impl Values {
    fn collect(plan: &Plan, rows: &[Row], known: usize, model: Model) -> Self {
        let cells = || {
            let here = |at: &usize| {
                let cell = plan.cell(*at);
                cell.known == known && cell.model == model
            };
            (0..rows.len()).filter(here).map(|at| &rows[at])
        };
        Self {
            errors: cells().filter_map(|row| row[0]).collect(),
            areas: cells().filter_map(|row| row[1]).collect(),
            reruns: plan.reruns,
        }
    }

    fn entry(&self, known: usize, model: Model, pgp: &Self, svm: &Self) -> Result<Entry> {
        let against = |own: Model, other: &[f64], mine: &[f64]| -> Result<Option<f64>> {
            if model == own || mine.is_empty() || other.is_empty() {
                return Ok(None);
            }
            Ok(Some(rank_sum_test(mine, other)?.p))
        };
        let (error, base) = (Mean::of(&self.per_query(&self.errors)), Mean::of(&pgp.per_query(&pgp.errors)));
        let paired = signed_rank_test(&self.per_query(&self.errors), &pgp.per_query(&pgp.errors));
        Ok(Entry {
            known,
            model,
            error,
            auc: model.is_soft().then(|| Mean::of(&self.per_query(&self.areas))),
            cut: 1.0 - error.value / base.value,
            p_pgp: against(Model::Pgp, &pgp.errors, &self.errors)?,
            p_svm: against(Model::Svm, &svm.errors, &self.errors)?,
            // Refuses where all differences are 0, as those of PGP to itself are.
            p_queries: paired.ok().map(|test| test.p),
            p_auc: against(Model::Pgp, &pgp.areas, &self.areas)?,
        })
    }

    fn per_query(&self, values: &[f64]) -> Vec<f64> {
        values.chunks(self.reruns).map(|reruns| reruns.iter().sum::<f64>() / reruns.len() as f64).collect()
    }
}
