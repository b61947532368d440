//! What the tables of a collection say together.

use ordain::measure::{MeanInterval, bootstrap_mean_difference, holm, mean, randomisation_test};
use ordain::numeric::Seed;
use ordain::{Error, Result};

use super::measuring::Lessons;
use super::plan::{AGREEMENTS, LOSSES, METHODS, MISORDERED, ON_ALL, Plan, Searched};
use super::training::{OTHER_PRIORS, Source, Teachable, Trained};
use crate::journal::Row;

/// Intervals hold what they are of with this probability.
pub const LEVEL: f64 = 0.95;

/// Below this p, corrected for the number of comparisons in a collection (Holm), a difference is called significant.
pub const SIGNIFICANT: f64 = 0.05;

/// Draws of every interval and test.
const DRAWS: usize = 5000;

/// The columns of the paper's table: how often the first relevant document is among so many.
pub const TOP: [usize; 3] = [1, 10, 30];

/// A line of the table.
pub struct Line {
    /// What it is of.
    pub system: System,
    /// The expert, where it is of one.
    pub expert: Option<String>,
    /// How often the first relevant document is among the first 1, 10 and 30.
    pub top: [usize; 3],
    /// Its average rank.
    pub average: MeanInterval,
    /// By how much that is above margin's from full feedback, query by query.
    pub above_margin: MeanInterval,
    /// The p of the randomisation test of that, corrected; none where margin is not to be compared with it.
    pub p: Option<f64>,
}

/// What a line is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// A method, by its position among [`METHODS`].
    Method(usize),
    /// The first expert.
    Naive,
    /// The expert whose first relevant document is most often among the first so many.
    BestTop(usize),
    /// The expert with the best average rank.
    BestAverage,
    /// The expert with the best average rank when all other documents follow its list.
    BestCompleted,
}

impl System {
    /// Margin from full feedback.
    pub const MARGIN: Self = Self::Method(0);
    /// Margin from clicks.
    pub const MARGIN_CLICKS: Self = Self::Method(1);
    /// Hedge from full feedback.
    pub const HEDGE: Self = Self::Method(2);
    /// Hedge from clicks.
    pub const HEDGE_CLICKS: Self = Self::Method(3);
    /// Equal weights.
    pub const EQUAL: Self = Self::Method(4);

    /// Its name for people.
    pub fn title(self) -> String {
        let methods = [
            "Margin, full feedback",
            "Margin, clicks",
            "Hedge, full feedback",
            "Hedge, clicks",
            "Equal weights",
            "Margin, order by components",
            "Margin, order improved",
            "Borda",
            "CombSUM",
            "CombMNZ",
            "Reciprocal rank",
            "Copeland",
        ];
        match self {
            Self::Method(at) => methods[at].to_owned(),
            Self::Naive => "Naive: the first expert".to_owned(),
            Self::BestTop(count) => format!("Best expert, top {count}"),
            Self::BestAverage => "Best expert, average rank".to_owned(),
            Self::BestCompleted => "Best expert, its list completed".to_owned(),
        }
    }

    /// Whether margin is to be better than it.
    fn is_rival(self) -> bool {
        matches!(self, Self::BestAverage | Self::BestCompleted | Self::HEDGE | Self::EQUAL | Self::Method(7..))
    }

    /// The lines of the table, the paper's first.
    fn all() -> impl Iterator<Item = Self> {
        let best = TOP.map(Self::BestTop).into_iter();
        let learned = (0..=4).map(Self::Method).chain([Self::Naive]);
        learned.chain(best).chain([Self::BestAverage, Self::BestCompleted]).chain((7..METHODS.len()).map(Self::Method))
    }
}

/// An order by margin's weights: its name, the average rank, and the share of the preference that it agrees with.
pub struct Ordered {
    /// Its name.
    pub title: &'static str,
    /// The average rank.
    pub average: f64,
    /// Mean agreement over queries, each divided by its number of pairs.
    pub agreement: f64,
}

/// The mean share of wrong pairs on held-out queries.
pub struct Wrong {
    /// Hedge's own loss, that of the weighted experts (LTOT equation 2): by margin's weights, Hedge's and equal ones.
    pub weighted: [f64; 3],
    /// Of their greedy orders.
    pub ordered: [f64; 3],
    /// Of every expert.
    pub experts: Vec<f64>,
}

/// The results of a collection.
pub struct Summary<'a> {
    /// The collection.
    pub searched: &'a Searched,
    /// The table.
    pub lines: Vec<Line>,
    /// Weights from full feedback, means over the parts that are held out: margin's and Hedge's.
    pub weights: [Vec<f64>; 2],
    /// One pass over all queries in the order of the file.
    pub passes: Vec<((Teachable, Source), Trained)>,
    /// Orders by margin's weights.
    pub orders: Vec<Ordered>,
    /// Margin's average rank with other weights of the initial weights.
    pub priors: Vec<f64>,
    /// Margin's average rank from full feedback in each random order of the training queries.
    pub shuffled: Vec<f64>,
    /// By how much margin's rank from clicks is above Hedge's.
    pub clicks: MeanInterval,
    /// Shares of wrong pairs.
    pub wrong: Wrong,
}

/// The table of queries, by column.
struct Columns<'a> {
    names: Vec<String>,
    rows: &'a [Row],
}

/// Cells of the table of queries before the numbers.
const KEYS: usize = 2;

impl Columns<'_> {
    fn get(&self, name: &str) -> Result<Vec<f64>> {
        let position = self.names.iter().position(|column| column == name).map(|at| at - KEYS);
        let position = position.ok_or_else(|| Error::Data {
            what: "a table of queries",
            found: format!("no column {name}"),
            expected: self.names.join(", "),
        })?;
        // A query all of whose documents are of one grade has no wrong pairs, and counts no share of them.
        Ok(self.rows.iter().filter_map(|row| row[position]).collect())
    }

    fn of_experts(&self, what: &str, experts: &[String]) -> Result<Vec<Vec<f64>>> {
        experts.iter().map(|expert| self.get(&format!("{what} {expert}"))).collect()
    }
}

impl<'a> Summary<'a> {
    /// Sums up the tables of a collection.
    ///
    /// # Errors
    /// If a number is missing or not finite, or there are too few queries for an interval.
    pub fn new(plan: &Plan, searched: &'a Searched, lessons: &Lessons, rows: &[Row], seed: u64) -> Result<Self> {
        let columns = Columns { names: plan.queries_layout(searched).columns, rows };
        let experts = &searched.experts;
        let ranks = Ranks {
            methods: METHODS.into_iter().map(|method| columns.get(method)).collect::<Result<_>>()?,
            own: columns.of_experts("rank", experts)?,
            completed: columns.of_experts("completed", experts)?,
        };
        let means = |values: Vec<Vec<f64>>| values.iter().map(|values| mean(values)).collect::<Vec<f64>>();
        let orders = [("greedy", 0), ("components", 5), ("improved", 6)];
        let ordered = |((title, method), agreement): ((&'static str, usize), &str)| {
            Ok(Ordered { title, average: mean(&ranks.methods[method]), agreement: mean(&columns.get(agreement)?) })
        };
        let shuffled = (1..=plan.full_orders).map(|order| Ok(mean(&columns.get(&format!("margin_order_{order}"))?)));
        let priors = (0..OTHER_PRIORS.len()).map(|at| {
            let averages = columns.get(&Teachable::MarginPrior(at).name())?;
            Ok(mean(&averages))
        });
        let shares = |names: [&str; 3]| -> Result<[f64; 3]> {
            let [margin, hedge, equal] = names.map(|name| columns.get(name).map(|values| mean(&values)));
            Ok([margin?, hedge?, equal?])
        };
        Ok(Self {
            searched,
            lines: ranks.lines(experts, Seed(seed))?,
            weights: [Teachable::Margin, Teachable::Hedge].map(|learner| mean_weights(searched, lessons, learner)),
            passes: ON_ALL.into_iter().zip(lessons.on_all().iter().cloned()).collect(),
            orders: orders.into_iter().zip(AGREEMENTS).map(ordered).collect::<Result<_>>()?,
            priors: priors.collect::<Result<_>>()?,
            shuffled: shuffled.collect::<Result<_>>()?,
            clicks: bootstrap_mean_difference(&ranks.methods[1], &ranks.methods[3], LEVEL, DRAWS, Seed(seed))?,
            wrong: Wrong {
                weighted: shares(LOSSES)?,
                ordered: shares(MISORDERED)?,
                experts: means(columns.of_experts("wrong", experts)?),
            },
        })
    }

    /// The line of a system, which is one of the table's.
    pub fn line(&self, system: System) -> &Line {
        let found = self.lines.iter().find(|line| line.system == system);
        found.expect("every system of the table has its line")
    }

    /// Those that margin is to be better than.
    pub fn rivals(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.system.is_rival())
    }

    /// The least average rank of these.
    pub fn best_rival(&self) -> f64 {
        self.rivals().map(|line| line.average.mean).fold(f64::INFINITY, f64::min)
    }

    /// What the average rank of a system is above that of another, as a share of the latter.
    pub fn above(&self, system: System, other: System) -> f64 {
        self.line(system).average.mean / self.line(other).average.mean - 1.0
    }
}

/// The ranks of all systems, query by query.
struct Ranks {
    methods: Vec<Vec<f64>>,
    own: Vec<Vec<f64>>,
    completed: Vec<Vec<f64>>,
}

impl Ranks {
    fn lines(&self, experts: &[String], seed: Seed) -> Result<Vec<Line>> {
        let margin = &self.methods[0];
        let mut lines = Vec::new();
        let mut tested = Vec::new();
        for system in System::all() {
            let (expert, ranks) = self.of(system);
            let nothing = vec![0.0; ranks.len()];
            if system.is_rival() {
                tested.push(randomisation_test(ranks, margin, DRAWS, seed)?.p);
            }
            lines.push(Line {
                system,
                expert: expert.map(|expert| experts[expert].clone()),
                top: TOP.map(|count| among(ranks, count)),
                average: bootstrap_mean_difference(ranks, &nothing, LEVEL, DRAWS, seed)?,
                above_margin: bootstrap_mean_difference(ranks, margin, LEVEL, DRAWS, seed)?,
                p: None,
            });
        }
        let rivals = lines.iter_mut().filter(|line| line.system.is_rival());
        rivals.zip(holm(&tested)?).for_each(|(line, p)| line.p = Some(p));
        Ok(lines)
    }

    /// The ranks of a system, and which expert it is, if it is one. Of equal experts the first is the best.
    fn of(&self, system: System) -> (Option<usize>, &[f64]) {
        let best = |of: &[Vec<f64>], cost: &dyn Fn(&[f64]) -> f64| {
            let cost = |&expert: &usize| cost(&of[expert]);
            (0..of.len()).min_by(|one, other| cost(one).total_cmp(&cost(other))).unwrap_or(0)
        };
        let expert = match system {
            System::Method(at) => return (None, &self.methods[at]),
            System::Naive => 0,
            System::BestTop(count) => best(&self.own, &|ranks| -(among(ranks, count) as f64)),
            System::BestAverage => best(&self.own, &mean),
            System::BestCompleted => {
                let expert = best(&self.completed, &mean);
                return (Some(expert), &self.completed[expert]);
            }
        };
        (Some(expert), &self.own[expert])
    }
}

/// How many ranks are no larger.
fn among(ranks: &[f64], count: usize) -> usize {
    ranks.iter().filter(|&&rank| rank <= count as f64).count()
}

/// Weights from full feedback, means over the parts that are held out.
fn mean_weights(searched: &Searched, lessons: &Lessons, learner: Teachable) -> Vec<f64> {
    let parts = searched.parts();
    let all: Vec<&Trained> = (0..parts).flat_map(|part| lessons.without(part, learner, Source::Full, false)).collect();
    let of = |expert: usize| mean(&all.iter().map(|trained| trained.weights[expert]).collect::<Vec<f64>>());
    (0..searched.experts.len()).map(of).collect()
}

/// The table as CSV.
pub fn csv(summaries: &[Summary<'_>]) -> String {
    let mut out =
        "collection,system,expert,top1,top10,top30,average_rank,low,high,above_margin,above_low,above_high,p\n"
            .to_owned();
    for summary in summaries {
        for line in &summary.lines {
            let top: Vec<String> = line.top.iter().map(ToString::to_string).collect();
            let interval = |interval: &MeanInterval| format!("{},{},{}", interval.mean, interval.low, interval.high);
            out.push_str(&format!(
                "{},\"{}\",{},{},{},{},{}\n",
                summary.searched.name,
                line.system.title(),
                line.expert.as_deref().unwrap_or_default(),
                top.join(","),
                interval(&line.average),
                interval(&line.above_margin),
                line.p.map_or_else(String::new, |p| p.to_string())
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two experts on four queries, and methods that all rank as the first expert does but for the first.
    #[test]
    fn a_table_by_hand() {
        let own = vec![vec![1.0, 31.0, 12.0, 2.0], vec![3.0, 3.0, 9.0, 31.0]];
        let mut methods = vec![own[0].clone(); METHODS.len()];
        methods[0] = vec![1.0, 2.0, 9.0, 2.0];
        let ranks = Ranks { methods, own, completed: vec![vec![1.0, 4.0, 12.0, 2.0], vec![3.0, 3.0, 9.0, 4.5]] };
        let lines = ranks.lines(&["a".to_owned(), "b".to_owned()], Seed(1)).unwrap();
        let line = |system| lines.iter().find(|line| line.system == system).unwrap();
        let shown = |system| (line(system).expert.as_deref(), line(system).top, line(system).average.mean);
        assert_eq!(shown(System::MARGIN), (None, [1, 4, 4], 3.5));
        assert_eq!(shown(System::HEDGE), (None, [1, 2, 3], 11.5));
        assert_eq!(shown(System::Naive), (Some("a"), [1, 2, 3], 11.5));
        assert_eq!(shown(System::BestTop(1)), (Some("a"), [1, 2, 3], 11.5));
        // Of equal experts the first.
        assert_eq!(shown(System::BestTop(30)), (Some("a"), [1, 2, 3], 11.5));
        assert_eq!(shown(System::BestTop(10)), (Some("b"), [0, 3, 3], 11.5));
        assert_eq!(shown(System::BestAverage), (Some("a"), [1, 2, 3], 11.5));
        assert_eq!(shown(System::BestCompleted), (Some("a"), [1, 3, 4], 4.75));
        assert_eq!(line(System::BestAverage).above_margin.mean, 8.0);
        // Differences 0, 29, 3 and 0: the sum is as large with half of the signs of the two. Nine comparisons.
        assert_eq!(line(System::BestAverage).p, Some(1.0));
        assert_eq!(line(System::MARGIN_CLICKS).p, None);
        assert_eq!(lines.iter().filter(|line| line.p.is_some()).count(), 9);
    }
}
