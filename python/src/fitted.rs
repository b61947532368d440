//! What is believed after the answers: rankings, predictions, certainty, forecasts.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray2, ToPyArray};
use ordain::active::Effort;
use ordain::gp::{RankedItem, RankingParams};
use ordain::numeric::Seed;
use ordain::{JudgeReport, Watch};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answers;
use crate::asking::Asking;
use crate::failure::Outcome;
use crate::long::{long, quick};

/// Two columns of numbers.
pub type Columns<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// A belief about the items.
#[pyclass(frozen, module = "ordain._core")]
pub struct Fitted {
    pub fitted: Arc<ordain::Fitted>,
}

#[pymethods]
impl Fitted {
    /// The expected utility of every item.
    fn mean<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.fitted.belief().mean().to_pyarray(py)
    }

    /// The variance of every item's utility.
    fn variances<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let fitted = &self.fitted;
        // They may have to be solved for.
        let variances = quick(py, || Ok(fitted.belief().variances()))?;
        Ok(variances.to_pyarray(py))
    }

    /// The ids of all items, newcomers last, and the group of each if there are groups.
    fn items(&self) -> (Vec<String>, Option<Vec<String>>) {
        let items = self.fitted.items();
        let groups = items.groups().map(|_| items.iter().filter_map(|item| items.group_name(item).map(str::to_owned)));
        (items.ids().to_vec(), groups.map(Iterator::collect))
    }

    /// The log evidence, the number of answers, the noise and the width of ties that were learned.
    fn summary(&self) -> (f64, usize, f64, f64) {
        let model = self.fitted.answer_model();
        (self.fitted.belief().log_evidence(), self.fitted.learned(), model.noise(), model.tie_width())
    }

    /// Ranks all items, and counts how settled the ranking is.
    #[pyo3(signature = (asking, top=None, limit=None, level=0.9, draws=None, forecast=false, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "one call from one place, with names")]
    fn rank(
        &self,
        py: Python<'_>,
        asking: &Asking,
        top: Option<usize>,
        limit: Option<usize>,
        level: f64,
        draws: Option<usize>,
        forecast: bool,
        progress: Option<Py<PyAny>>,
    ) -> Outcome<Ranked> {
        let (fitted, asking) = (self.fitted.clone(), asking.asking);
        long(py, progress.as_ref(), move |watch: &Watch| {
            // The seed of the model, so that a project's ranking is the command's.
            let seed = Seed(fitted.model().ask().seed);
            let mut params = RankingParams::for_items(fitted.items().len())
                .with_top(top)
                .with_limit(limit)
                .with_level(level)
                .with_seed(seed)
                .with_watch(watch.clone());
            params.draws = draws.unwrap_or(params.draws);
            let draws = params.draws;
            let ranking = fitted.rank(&params)?;
            let foreseen = if forecast { fitted.forecast(&ranking, &asking, Effort::Whole, watch)? } else { None };
            let sentence = ranking.sentence(&asking.rule, foreseen);
            Ok(Ranked { ranking, asking, foreseen, sentence, draws })
        })
    }

    /// What a judge would say of pairs: the probability of the first, and of a tie.
    #[pyo3(signature = (pairs, progress=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        pairs: PyReadonlyArray2<'py, i64>,
        progress: Option<Py<PyAny>>,
    ) -> Outcome<Columns<'py>> {
        let pairs = answers::pairs(&pairs, self.fitted.items().len())?;
        let fitted = &self.fitted;
        let found = match pairs.as_slice() {
            [(first, second)] => vec![quick(py, || Ok(fitted.predict(*first, *second)?))?],
            _ => {
                let fitted = fitted.clone();
                long(py, progress.as_ref(), move |watch| fitted.predict_many(&pairs, watch))?
            }
        };
        let first: Vec<f64> = found.iter().map(|one| one.probability).collect();
        let ties: Vec<f64> = found.iter().map(|one| one.tie).collect();
        Ok((PyArray1::from_vec(py, first), PyArray1::from_vec(py, ties)))
    }

    /// What the answers say of every judge, as the command's JSON has it; the noise that judges have in common, and whether rankings tell
    /// them apart.
    #[pyo3(signature = (progress=None))]
    fn judges<'py>(&self, py: Python<'py>, progress: Option<Py<PyAny>>) -> Outcome<JudgeRows<'py>> {
        let fitted = self.fitted.clone();
        let reports = long(py, progress.as_ref(), move |watch| fitted.judge_reports(watch))?;
        let rows = reports.iter().map(|report| judge_row(py, report)).collect::<PyResult<_>>()?;
        let model = self.fitted.answer_model();
        Ok((rows, model.noise(), model.spread_of_judges().is_some()))
    }
}

/// A row per judge, the common noise, and whether judges are told apart.
type JudgeRows<'py> = (Vec<Bound<'py, PyDict>>, f64, bool);

fn judge_row<'py>(py: Python<'py>, report: &JudgeReport) -> PyResult<Bound<'py, PyDict>> {
    let JudgeReport { tally, summary, gold, .. } = report;
    let summary = summary.as_ref();
    let (noise, bias) = (summary.map(|summary| summary.noise), report.bias());
    let share = gold.as_ref().map(|gold| gold.share);
    let out = PyDict::new(py);
    out.set_item("judge", &tally.judge)?;
    out.set_item("answers", tally.answers)?;
    out.set_item("ties", tally.ties)?;
    out.set_item("skips", tally.skips)?;
    out.set_item("agreement", tally.agreement.beyond_chance())?;
    out.set_item("common_pairs", tally.agreement.pairs)?;
    out.set_item("ranking_agreement", summary.and_then(|summary| summary.agreement))?;
    out.set_item("noise", noise.map(|noise| noise.value))?;
    out.set_item("noise_low", noise.map(|noise| noise.low))?;
    out.set_item("noise_high", noise.map(|noise| noise.high))?;
    out.set_item("bias", bias.map(|bias| bias.value))?;
    out.set_item("bias_low", bias.map(|bias| bias.low))?;
    out.set_item("bias_high", bias.map(|bias| bias.high))?;
    out.set_item("careless", summary.map(|summary| summary.careless))?;
    out.set_item("gold", share.map(|share| share.mean))?;
    out.set_item("gold_low", share.map(|share| share.low))?;
    out.set_item("gold_high", share.map(|share| share.high))?;
    out.set_item("gold_answers", gold.as_ref().map_or(0, |gold| gold.answers))?;
    out.set_item("verdict", report.verdict())?;
    Ok(out)
}

/// A ranking, and how settled it is.
#[pyclass(frozen, module = "ordain._core")]
pub struct Ranked {
    ranking: ordain::Ranking,
    asking: ordain::active::Asking,
    foreseen: Option<ordain::active::Foreseen>,
    sentence: String,
    draws: usize,
}

#[pymethods]
impl Ranked {
    /// The columns: item, rank, mean, sd, centred, centred_sd, rank_low, rank_high, tier, and top if it was asked for.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let items = &self.ranking.items;
        let out = PyDict::new(py);
        let whole = |of: fn(&RankedItem) -> usize| {
            PyArray1::from_vec(py, items.iter().map(|item| of(item) as i64).collect::<Vec<i64>>())
        };
        let real = |of: fn(&RankedItem) -> f64| PyArray1::from_vec(py, items.iter().map(of).collect::<Vec<f64>>());
        out.set_item("item", whole(|item| item.item.index()))?;
        out.set_item("rank", whole(|item| item.rank))?;
        out.set_item("mean", real(|item| item.mean))?;
        out.set_item("sd", real(|item| item.sd))?;
        out.set_item("centred", real(|item| item.centred))?;
        out.set_item("centred_sd", real(|item| item.centred_sd))?;
        out.set_item("rank_low", whole(|item| item.rank_low))?;
        out.set_item("rank_high", whole(|item| item.rank_high))?;
        out.set_item("tier", whole(|item| item.tier))?;
        if items.iter().all(|item| item.top.is_some()) && !items.is_empty() {
            out.set_item("top", real(|item| item.top.unwrap_or(f64::NAN)))?;
        }
        Ok(out)
    }

    /// How settled the ranking is, as the key `certainty` of the command's JSON.
    fn certainty<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rule = self.asking.rule;
        let out = PyDict::new(py);
        out.set_item("goal", rule.goal.name())?;
        if let Some(k) = rule.goal.places() {
            out.set_item("k", k)?;
        }
        if rule.goal.is_order() {
            out.set_item("error", rule.error)?;
        }
        out.set_item("target", rule.target)?;
        out.set_item("probability", self.ranking.probability(&rule))?;
        out.set_item("wrong_pairs", self.ranking.wrong_pairs())?;
        if let Some(foreseen) = self.foreseen {
            let forecast = PyDict::new(py);
            forecast.set_item("low", foreseen.forecast.low)?;
            forecast.set_item("median", foreseen.forecast.median)?;
            forecast.set_item("high", foreseen.forecast.high)?;
            out.set_item("forecast", forecast)?;
        }
        Ok(out)
    }

    /// How settled it is, in words.
    fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The number of draws that all is counted from.
    fn draws(&self) -> usize {
        self.draws
    }
}
