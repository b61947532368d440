//! What the sessions of an experiment say together.

use ordain::Result;
use ordain::active::marks;
use ordain::measure::{Mean, paired_t_test, rank_sum_test, signed_rank_test};
use ordain_plot::Series;

use super::SESSIONS;
use super::plan::{MEASURES, Plan};
use crate::experiment::Place;
use crate::journal::Row;

/// How good the rankings of all contenders were after more and more answers.
pub struct Curves {
    /// Where they were measured.
    pub marks: Vec<usize>,
    /// By contender, measure and mark: one value a query, its mean over repeats.
    values: Vec<Vec<Vec<Vec<f64>>>>,
    /// By measure: the mean over queries before any answer.
    before: [Mean; MEASURES.len()],
}

/// One of [`MEASURES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Mean average precision.
    Map,
    /// NDCG of the first ten.
    Ndcg10,
    /// The reciprocal rank of the item that is truly best.
    Best,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Map, Self::Ndcg10, Self::Best];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        MEASURES[self as usize]
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Map => "MAP",
            Self::Ndcg10 => "NDCG@10",
            Self::Best => "Reciprocal rank of the best",
        }
    }
}

/// Whether one contender is better than another after so many answers.
pub struct Comparison {
    /// The mean difference over queries.
    pub difference: Mean,
    /// The p of the signed-rank test over queries; none where all differences are 0.
    pub signed_rank: Option<f64>,
    /// That of the paired t-test.
    pub t: Option<f64>,
    /// That of Wilcoxon's rank-sum test, which the paper uses and which does not know of pairs.
    pub rank_sum: Option<f64>,
}

impl Curves {
    /// Reads the sessions of a finished run; none if some are missing.
    ///
    /// # Errors
    /// If the file cannot be read or holds anything else.
    pub fn read(plan: &Plan, place: Place<'_>) -> Result<Option<Self>> {
        let rows = plan.sessions_layout().read_finished(&place.file(SESSIONS))?;
        Ok(rows.map(|rows| Self::new(plan, &rows)))
    }

    fn new(plan: &Plan, rows: &[Row]) -> Self {
        let marks = marks(plan.answers);
        let value = |contender: usize, column: usize, query: &[Row]| {
            let own = query.iter().skip(contender).step_by(plan.contenders.len());
            own.filter_map(|row| row[column]).sum::<f64>() / plan.repeats as f64
        };
        let of = |contender: usize, column: usize| -> Vec<f64> {
            rows.chunks(plan.sessions_per_query()).map(|query| value(contender, column, query)).collect()
        };
        let curve = |contender: usize, measure: usize| {
            (0..marks.len()).map(|mark| of(contender, measure * marks.len() + mark)).collect()
        };
        let all = |contender: usize| (0..MEASURES.len()).map(|measure| curve(contender, measure)).collect();
        let before = |measure: usize| Mean::of(&plan.before.iter().map(|query| query[measure]).collect::<Vec<f64>>());
        Self { values: (0..plan.contenders.len()).map(all).collect(), marks, before: std::array::from_fn(before) }
    }

    /// The values of the queries at a mark.
    pub fn at(&self, contender: usize, measure: Measure, mark: usize) -> &[f64] {
        &self.values[contender][measure as usize][mark]
    }

    /// Their mean.
    pub fn mean(&self, contender: usize, measure: Measure, mark: usize) -> Mean {
        Mean::of(self.at(contender, measure, mark))
    }

    /// The positions of those of these numbers of answers that are marks.
    pub fn positions(&self, answers: &[usize]) -> Vec<usize> {
        answers.iter().filter_map(|answers| self.marks.iter().position(|mark| mark == answers)).collect()
    }

    /// A line of a figure, from answer 0 on.
    pub fn series(&self, contender: usize, measure: Measure, title: &str) -> Series {
        let point = |mark: usize| (self.marks[mark] as f64, self.mean(contender, measure, mark));
        let begin = (0.0, self.before[measure as usize]);
        Series {
            title: title.to_owned(),
            points: std::iter::once(begin).chain((0..self.marks.len()).map(point)).collect(),
        }
    }

    /// One contender against another at a mark.
    pub fn compare(&self, one: usize, other: usize, measure: Measure, mark: usize) -> Comparison {
        let (one, other) = (self.at(one, measure, mark), self.at(other, measure, mark));
        let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one - other).collect();
        Comparison {
            difference: Mean::of(&differences),
            // Tests refuse where there is no difference or but one query.
            signed_rank: signed_rank_test(one, other).ok().map(|test| test.p),
            t: paired_t_test(one, other).ok().map(|test| test.p).filter(|p| p.is_finite()),
            rank_sum: rank_sum_test(one, other).ok().map(|test| test.p),
        }
    }

    /// How many answers the mean curve of a contender needs to a quality, linearly between marks; its standard error is that of
    /// the jackknife over queries. None if it does not get there, and no error if it would not without some query.
    pub fn answers_to(&self, contender: usize, measure: Measure, quality: f64) -> Option<(f64, Option<f64>)> {
        let queries = self.at(contender, measure, 0).len();
        let needed = self.crossing(contender, measure, quality, None)?;
        let without = |query: usize| self.crossing(contender, measure, quality, Some(query));
        let left_out: Option<Vec<f64>> = (0..queries).map(without).collect();
        let error = left_out.filter(|_| queries > 1).map(|all| {
            let count = queries as f64;
            let mean = all.iter().sum::<f64>() / count;
            ((count - 1.0) / count * all.iter().map(|value| (value - mean).powi(2)).sum::<f64>()).sqrt()
        });
        Some((needed, error))
    }

    /// Where the mean curve first reaches a quality, one query maybe left out.
    fn crossing(&self, contender: usize, measure: Measure, quality: f64, without: Option<usize>) -> Option<f64> {
        let mean = |mark: usize| {
            let values = self.at(contender, measure, mark);
            let out = without.map_or(0.0, |query| values[query]);
            (values.iter().sum::<f64>() - out) / (values.len() - usize::from(without.is_some())) as f64
        };
        let reached = (0..self.marks.len()).find(|&mark| mean(mark) >= quality)?;
        let to = self.marks[reached] as f64;
        if reached == 0 {
            return Some(to);
        }
        let (from, low, high) = (self.marks[reached - 1] as f64, mean(reached - 1), mean(reached));
        Some(from + (to - from) * (quality - low) / (high - low))
    }

    /// Means and standard errors of everything, as a table.
    pub fn csv(&self, contenders: &[String]) -> String {
        let mut out = "contender,answers,map,map_se,ndcg10,ndcg10_se,best,best_se\n".to_owned();
        for (at, contender) in contenders.iter().enumerate() {
            for (mark, answers) in self.marks.iter().enumerate() {
                let means = Measure::ALL.map(|measure| self.mean(at, measure, mark));
                let cells = means.map(|mean| format!("{:?},{:?}", mean.value, mean.error));
                out.push_str(&format!("{contender},{answers},{}\n", cells.join(",")));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Measured;

    /// Two contenders, three queries, two repeats, twenty answers.
    fn curves() -> (Plan, Curves) {
        let query = |at: usize| Measured { query: at.to_string(), part: 0, items: 5, links: 0 };
        let plan = Plan {
            answers: 20,
            repeats: 2,
            contenders: vec!["a".into(), "b".into()],
            tuned: vec![],
            tuned_on: vec![],
            queries: (0..3).map(query).collect(),
            before: vec![[0.05, 0.3, 0.2], [0.1, 0.3, 0.2], [0.15, 0.3, 0.2]],
        };
        // Of query q, repeat r and contender c: MAP after 10 and 20 answers, then the other measures.
        let row = |at: usize| {
            let (q, r, c) = ((at / 4) as f64, (at / 2 % 2) as f64, (at % 2) as f64);
            let map = 0.1 + 0.1 * q + 0.02 * r + 0.2 * c;
            [map, map + 0.3, 0.5, 0.6, 0.7, 1.0].map(Some).to_vec()
        };
        let rows: Vec<Row> = (0..12).map(row).collect();
        let curves = Curves::new(&plan, &rows);
        (plan, curves)
    }

    /// Sums of a few numbers below 1.
    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }

    #[test]
    fn means_by_hand() {
        let (plan, curves) = curves();
        let mean = curves.mean(0, Measure::Map, 0);
        // Queries have 0.11, 0.21 and 0.31.
        close(mean.value, 0.21);
        close(mean.error, 0.1 / 3.0_f64.sqrt());
        close(curves.mean(1, Measure::Map, 1).value, 0.71);
        close(curves.mean(1, Measure::Best, 1).value, 1.0);
        let points = curves.series(1, Measure::Map, "b").points;
        assert_eq!(points.iter().map(|point| point.0).collect::<Vec<f64>>(), [0.0, 10.0, 20.0]);
        close(points[0].1.value, 0.1);
        close(points[2].1.value, 0.71);
        let against = curves.compare(1, 0, Measure::Map, 0);
        close(against.difference.value, 0.2);
        close(curves.compare(1, 0, Measure::Best, 0).difference.value, 0.0);
        assert_eq!(curves.compare(1, 0, Measure::Best, 0).signed_rank, None);
        assert_eq!(curves.csv(&plan.contenders).lines().count(), 1 + 2 * 2);
    }

    /// The mean goes from 0.21 to 0.51 between 10 and 20 answers: 0.36 is half way. Without the first query it goes from
    /// 0.26, without the last from 0.16: a third and two thirds of the way.
    #[test]
    fn answers_needed_by_hand() {
        let (_, curves) = curves();
        let (needed, error) = curves.answers_to(0, Measure::Map, 0.36).unwrap();
        close(needed, 15.0);
        let third: f64 = 10.0 / 6.0;
        close(error.unwrap(), (2.0 / 3.0 * 2.0 * third * third).sqrt());
        assert_eq!(curves.answers_to(0, Measure::Map, 0.05).unwrap().0, 10.0);
        assert!(curves.answers_to(0, Measure::Map, 0.6).is_none());
        // Reached, but not without the best query.
        assert_eq!(curves.answers_to(0, Measure::Map, 0.5).unwrap().1, None);
    }
}
