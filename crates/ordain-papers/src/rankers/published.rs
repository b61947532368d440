//! What others found on the same folds.

use std::collections::HashMap;
use std::path::Path;

use ordain::data::Items;
use ordain::formats::Lines;
use ordain::{Error, InputError, Result};
use serde::{Deserialize, Serialize};

/// Means over the five folds that were published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Published {
    pub ranker: String,
    pub map: f64,
    pub ndcg10: f64,
}

/// The test averages in LETOR's table of baselines: `algorithm,set,fold,metric,value`.
pub fn read(path: &Path) -> Result<Vec<Published>> {
    let mut lines = Lines::open(path)?;
    let mut out: Vec<Published> = Vec::new();
    while let Some((number, line)) = lines.next_numbered()? {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let [ranker, "test", "average", metric @ ("MAP" | "NDCG@10"), value] = cells[..] else { continue };
        let wrong = || InputError::new(path, "a number").line(number).column("value").found(value);
        let value: f64 = value.parse().map_err(|_| Error::from(wrong()))?;
        if out.last().is_none_or(|last| last.ranker != ranker) {
            out.push(Published { ranker: ranker.into(), map: f64::NAN, ndcg10: f64::NAN });
        }
        if let Some(last) = out.last_mut() {
            *(if metric == "MAP" { &mut last.map } else { &mut last.ndcg10 }) = value;
        }
    }
    if out.is_empty() || out.iter().any(|one| one.map.is_nan() || one.ndcg10.is_nan()) {
        return Err(InputError::new(path, "MAP and NDCG@10 of test, average, for every algorithm").into());
    }
    Ok(out)
}

/// Scores of rankers that others trained on the same folds: `part qid docid label` and a column per ranker.
pub struct Given {
    pub rankers: Vec<String>,
    /// By part, query and document.
    scores: HashMap<(String, String, String), Vec<f64>>,
    path: std::path::PathBuf,
}

impl Given {
    pub fn read(path: &Path) -> Result<Self> {
        /// The columns before the rankers.
        const BEFORE: usize = 4;
        let mut lines = Lines::open(path)?;
        let header = lines.next_line()?.map(str::to_owned).unwrap_or_default();
        let rankers: Vec<String> = header.trim_end().split('\t').skip(BEFORE).map(str::to_owned).collect();
        let mut scores = HashMap::new();
        while let Some((number, line)) = lines.next_numbered()? {
            let cells: Vec<&str> = line.trim_end().split('\t').collect();
            let own: Option<Vec<f64>> = cells.iter().skip(BEFORE).map(|cell| cell.parse().ok()).collect();
            let own = own.filter(|own| own.len() == rankers.len() && !rankers.is_empty());
            let wrong = || Error::from(InputError::new(path, "a score per ranker").line(number).found(line));
            let [part, query, document, ..] = cells[..] else { return Err(wrong()) };
            scores.insert((part.into(), query.into(), document.into()), own.ok_or_else(wrong)?);
        }
        Ok(Self { rankers, scores, path: path.to_path_buf() })
    }

    /// The scores of every ranker for the items of a part.
    pub fn scores(&self, part: usize, items: &Items) -> Result<Vec<Vec<f64>>> {
        let mut out = vec![Vec::with_capacity(items.len()); self.rankers.len()];
        for item in items.iter() {
            let key =
                (format!("S{}", part + 1), items.group_name(item).unwrap_or("").to_owned(), items.id(item).to_owned());
            let missing =
                || InputError::new(&self.path, "scores of every document").found(format!("none of {}", key.2));
            let own = self.scores.get(&key).ok_or_else(|| Error::from(missing()))?;
            out.iter_mut().zip(own).for_each(|(scores, score)| scores.push(*score));
        }
        Ok(out)
    }
}
