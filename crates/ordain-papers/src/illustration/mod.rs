//! `axpgp-illustration`: AXPGP's figure 1, six papers of which two pairs share an author.
//!
//! Everything is computed by the library as it would be for a user: the kernel of the links, the belief after each answer, the
//! expected losses and with them the pair to ask.

mod draw;

use std::sync::Arc;

use ordain::Result;
use ordain::active::pair_losses;
use ordain::data::{ItemId, Link, Relation};
use ordain::gp::{AnswerModel, Belief, Incremental, by_falling_mean};
use ordain::kernel::{Graph, Kernel, RegularizedLaplacian, Role};
use ordain::numeric::dense::{Cholesky, multiply_vector};
use ordain::numeric::{Matrix, Seed};
use ordain_plot::html;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;

pub const EXPERIMENT: Experiment = Experiment {
    name: "axpgp-illustration",
    title: "Six papers: what one answer says of the others, and what to ask next",
    paper: "Xu, Kersting, Joachims: Fast active exploration for link-based preference learning with Gaussian processes \
            (AXPGP)",
    figure: "figure 1",
    duration: "a second",
    claim: "Of six papers a to f, a being best, a and b share an author, and so do d and e. After the answer b before e the \
            expected utilities of a and d change too. The largest expected loss is not that of the isolated c and f but of \
            pairs with the leader b; after b before f the order is right but for a and b.",
    setting: "Regularized Laplacian of the two links with beta = iota = 1, unit noise; the largest expected loss decides what \
              is asked, and of two pairs with the same loss the paper drew (b, f).",
    design: &[
        "No data: the example of the paper's section 2.4, computed by the library as it would be for a user.",
        "The seed decides the three utilities drawn from the prior and nothing else.",
    ],
    differences: &[
        "The paper also says that (a, d), (a, e) and (b, d) have the smaller losses. So they have before losses are weighted by \
         rank: smaller ones than any pair with c or f. With the weight exp(-rank) that it prints, pairs of papers further \
         down have smaller ones still.",
        "Had (b, c) been drawn, which is as good, the order after b before c would be b a f d e c.",
    ],
    data: &[],
    settings: 1,
    program: &Illustrated,
};

/// The program.
struct Illustrated;

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// The answers.
    answers: Vec<String>,
}

impl Program for Illustrated {
    fn compute(&self, job: &Job<'_>, _: &mut dyn FnMut(Progress)) -> Result<()> {
        let answer = |(winner, loser): (ItemId, ItemId)| format!("{} before {}", name(winner), name(loser));
        let plan = Plan { answers: ANSWERS.map(answer).to_vec() };
        Record { general: job.general.clone(), plan }.claim(&job.place.record())?;
        let mut journal = Journal::open(&job.place.file(".csv"), Illustration::layout())?;
        let rows = Illustration::new(job.options.seed)?.rows();
        journal.complete(0..rows.len(), |at| Ok(rows[at].clone()), |_| {})
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let rows = Illustration::layout().read_finished(&place.file(".csv"))?;
        Ok(rows.map(|rows| Illustration::from_rows(&rows).findings()))
    }
}

fn name(item: ItemId) -> &'static str {
    NAMES[item.index()]
}

/// The papers, the best first.
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Papers with a common author.
const LINKED: [(u32, u32); 2] = [(0, 1), (3, 4)];

/// What the reader says unasked, and what she is then asked: b before e, b before f. Of the two pairs with the largest expected loss
/// the paper drew the second at random.
const ANSWERS: [(ItemId, ItemId); 2] = [(ItemId(1), ItemId(4)), (ItemId(1), ItemId(5))];

/// What the paper says came out: the pairs with the largest expected loss after the first answer, and the order after both.
const SAID: ([(usize, usize); 2], &str) = ([(1, 2), (1, 5)], "bacdef");

/// Utilities drawn from the prior, for the first panel.
const DRAWS: usize = 3;

/// The emphasis on the top that the paper prints (eq. 26).
const FOCUS: f64 = 1.0;

/// What the figure shows.
struct Illustration {
    /// Utilities drawn from the prior.
    draws: Vec<Vec<f64>>,
    /// What is believed before any answer, after the first and after the second.
    beliefs: Vec<Believed>,
    /// The expected loss of every pair after the first answer (eq. 28); 0 on the diagonal.
    losses: Matrix,
}

/// What is believed of the papers.
struct Believed {
    mean: Vec<f64>,
    covariance: Matrix,
}

impl Believed {
    fn new(belief: &dyn Belief) -> Result<Self> {
        let all: Vec<ItemId> = (0..belief.len()).map(ItemId::new).collect();
        Ok(Self { mean: belief.mean().to_vec(), covariance: belief.covariance(&all)? })
    }

    fn sd(&self, item: usize) -> f64 {
        self.covariance[(item, item)].sqrt()
    }
}

impl Illustration {
    /// Computes everything; the seed decides the draws from the prior alone.
    ///
    /// # Errors
    /// If the library refuses what the paper does.
    fn new(seed: Seed) -> Result<Self> {
        let kernel = kernel()?;
        let mut belief = Incremental::dense(kernel.clone())?;
        let mut beliefs = vec![Believed::new(&belief)?];
        let mut losses = Matrix::zeros(NAMES.len(), NAMES.len());
        for (winner, loser) in ANSWERS {
            belief.observe(&AnswerModel::default().preferred(winner, loser))?;
            beliefs.push(Believed::new(&belief)?);
            if beliefs.len() == ANSWERS.len() {
                losses = losses_of(&belief)?;
            }
        }
        Ok(Self { draws: draws(&beliefs[0].covariance, seed), beliefs, losses })
    }

    /// The same, from its rows.
    fn from_rows(rows: &[Row]) -> Self {
        let zeros = || Matrix::zeros(NAMES.len(), NAMES.len());
        let believed = |_| Believed { mean: vec![0.0; NAMES.len()], covariance: zeros() };
        let mut out = Self {
            draws: vec![vec![0.0; NAMES.len()]; DRAWS],
            beliefs: (0..=ANSWERS.len()).map(believed).collect(),
            losses: zeros(),
        };
        for (entry, row) in entries().zip(rows) {
            let value = row[0].unwrap_or(f64::NAN);
            match entry {
                Entry::Draw(number, item) => out.draws[number][item] = value,
                Entry::Mean(answers, item) => out.beliefs[answers].mean[item] = value,
                Entry::Covariance(answers, one, other) => {
                    out.beliefs[answers].covariance[(one, other)] = value;
                    out.beliefs[answers].covariance[(other, one)] = value;
                }
                Entry::Loss(one, other) => {
                    out.losses[(one, other)] = value;
                    out.losses[(other, one)] = value;
                }
            }
        }
        out
    }

    /// The pairs with the largest expected loss, which may be asked.
    fn largest(&self) -> Vec<(usize, usize)> {
        let pairs = (0..NAMES.len()).flat_map(|one| (one + 1..NAMES.len()).map(move |other| (one, other)));
        let most = pairs.clone().map(|pair| self.losses[pair]).fold(0.0, f64::max);
        // Equal but for rounding: sessions too take losses this near for equal.
        pairs.filter(|&pair| self.losses[pair] >= most * (1.0 - 1e-9)).collect()
    }

    /// The papers in the order that is believed after both answers.
    fn order(&self) -> String {
        let mean = &self.beliefs[ANSWERS.len()].mean;
        let order = by_falling_mean(0..NAMES.len(), mean);
        order.into_iter().map(|item| NAMES[item]).collect()
    }

    /// The table of every number in the figure.
    fn layout() -> Layout {
        let keys = entries().map(|entry| match entry {
            Entry::Draw(number, item) => format!("draw {},0,{},", number + 1, NAMES[item]),
            Entry::Mean(answers, item) => format!("mean,{answers},{},", NAMES[item]),
            Entry::Covariance(answers, one, other) => format!("covariance,{answers},{},{}", NAMES[one], NAMES[other]),
            Entry::Loss(one, other) => format!("expected loss,1,{},{}", NAMES[one], NAMES[other]),
        });
        Layout {
            columns: ["quantity", "answers", "first", "second", "value"].map(str::to_owned).to_vec(),
            keys: keys.collect(),
        }
    }

    /// The rows of the table.
    fn rows(&self) -> Vec<Row> {
        let value = |entry| match entry {
            Entry::Draw(number, item) => self.draws[number][item],
            Entry::Mean(answers, item) => self.beliefs[answers].mean[item],
            Entry::Covariance(answers, one, other) => self.beliefs[answers].covariance[(one, other)],
            Entry::Loss(one, other) => self.losses[(one, other)],
        };
        entries().map(|entry| vec![Some(value(entry))]).collect()
    }
}

impl Illustration {
    /// What is shown.
    fn findings(&self) -> Findings {
        let [first, second] = ANSWERS.map(|(winner, loser)| format!("{} before {}", name(winner), name(loser)));
        let header =
            ["paper".to_owned(), "before any answer".to_owned(), format!("after {first}"), format!("and {second}")];
        let cell = |answers: usize, item: usize| {
            let believed = &self.beliefs[answers];
            // Adding 0 takes the sign off a negative zero.
            let mean = format!("{:.3}", (1e3 * believed.mean[item]).round() / 1e3 + 0.0).replace('-', "−");
            format!("{mean} ± {:.3}", believed.sd(item))
        };
        let row = |item: usize| {
            let cells = (0..=ANSWERS.len()).map(|answers| cell(answers, item));
            std::iter::once(NAMES[item].to_owned()).chain(cells).collect::<Vec<String>>()
        };
        let rows: Vec<Vec<String>> = (0..NAMES.len()).map(row).collect();
        let heads: Vec<&str> = header.iter().map(String::as_str).collect();
        let svg = self.draw();
        let figure = html::wide_figure(&svg, "The paper's six panels. Cells bear their numbers.");
        let table = html::table("Expected utility ± standard deviation", &heads, &rows);
        Findings {
            gist: Gist {
                title: "expected utility ± standard deviation".to_owned(),
                header: header.to_vec(),
                rows,
                note: format!("The largest expected loss after the first answer: {}", shown_pairs(&self.largest())),
            },
            measured: format!("{figure}{table}"),
            how: "Beliefs are updated by one step an answer, which is exact for the first.".to_owned(),
            comparison: self.comparison(),
            files: vec![(".svg".to_owned(), svg)],
        }
    }

    /// What came out, and whether the paper says the same.
    fn comparison(&self) -> String {
        let [first, second] = ANSWERS.map(|(winner, loser)| format!("{} before {}", name(winner), name(loser)));
        let (largest, order) = (self.largest(), self.order());
        let told = if largest == SAID.0 && order == SAID.1 {
            "as the paper says".to_owned()
        } else {
            format!("which is not what the paper says: {}, and {}", shown_pairs(&SAID.0), shown_order(SAID.1))
        };
        format!(
            "The largest expected loss after {first} is that of {}, and the order after {second} is {}, {told}.",
            shown_pairs(&largest),
            shown_order(&order)
        )
    }
}

fn shown_pairs(pairs: &[(usize, usize)]) -> String {
    let shown: Vec<String> = pairs.iter().map(|&(one, other)| format!("({}, {})", NAMES[one], NAMES[other])).collect();
    shown.join(" and ")
}

fn shown_order(order: &str) -> String {
    order.chars().map(String::from).collect::<Vec<String>>().join(" ")
}

/// A number of the figure.
#[derive(Clone, Copy)]
enum Entry {
    /// Which draw, of which paper.
    Draw(usize, usize),
    /// After how many answers, of which paper.
    Mean(usize, usize),
    /// After how many answers, of which two.
    Covariance(usize, usize, usize),
    /// Of which two.
    Loss(usize, usize),
}

fn entries() -> impl Iterator<Item = Entry> {
    let items = || 0..NAMES.len();
    let draws = (0..DRAWS).flat_map(move |number| items().map(move |item| Entry::Draw(number, item)));
    let beliefs = (0..=ANSWERS.len()).flat_map(move |answers| {
        let means = items().map(move |item| Entry::Mean(answers, item));
        let pairs = items().flat_map(move |one| (one..NAMES.len()).map(move |other| (one, other)));
        means.chain(pairs.map(move |(one, other)| Entry::Covariance(answers, one, other)))
    });
    let losses = items().flat_map(|one| (one + 1..NAMES.len()).map(move |other| Entry::Loss(one, other)));
    draws.chain(beliefs).chain(losses)
}

/// The regularized Laplacian of the links with beta = iota = 1 (eq. 3).
fn kernel() -> Result<Arc<dyn Kernel>> {
    let link = |(source, target)| Link { source, target, weight: 1.0 };
    let relation = Relation::new(NAMES.len(), LINKED.map(link).to_vec())?;
    let graph = Graph::new(NAMES.len(), &relation, Role::Undirected)?;
    Ok(Arc::new(RegularizedLaplacian::new(graph, 1.0, 1.0)?))
}

/// Expected losses by pair.
fn losses_of(belief: &dyn Belief) -> Result<Matrix> {
    let mut losses = Matrix::zeros(belief.len(), belief.len());
    for pair in pair_losses(belief, FOCUS)? {
        let (first, second) = (pair.first.index(), pair.second.index());
        losses[(first, second)] = pair.loss;
        losses[(second, first)] = pair.loss;
    }
    Ok(losses)
}

/// Utilities drawn from the prior.
fn draws(covariance: &Matrix, seed: Seed) -> Vec<Vec<f64>> {
    let factor = Cholesky::factor(covariance.clone()).expect("the Laplacian's inverse is positive definite");
    let draw = |number: usize| {
        let mut stream = seed.stream(number as u64);
        let normal: Vec<f64> = (0..NAMES.len()).map(|_| stream.sample(StandardNormal)).collect();
        multiply_vector(factor.lower(), &normal)
    };
    (0..DRAWS).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use ordain::gp::EpParams;

    use super::*;

    const SEED: Seed = Seed(1);

    /// The prior by hand: two linked papers are the inverse of [[2, -1], [-1, 2]].
    #[test]
    fn the_prior_by_hand() {
        let shown = Illustration::new(SEED).unwrap();
        let entry = |i, j| match (i, j) {
            (2, 2) | (5, 5) => 1.0,
            (i, j) if i == j => 2.0 / 3.0,
            (0, 1) | (1, 0) | (3, 4) | (4, 3) => 1.0 / 3.0,
            _ => 0.0,
        };
        for i in 0..6 {
            for j in 0..6 {
                // A few roundings of numbers below 1.
                assert!((shown.beliefs[0].covariance[(i, j)] - entry(i, j)).abs() < 1e-15, "{i} {j}");
            }
        }
        assert!(shown.beliefs[0].mean.iter().all(|&mean| mean == 0.0));
    }

    /// Moments of the posterior of the first answer: exactly a Gaussian times Φ along one axis, integrated by the midpoint rule.
    #[test]
    fn one_answer_equals_the_integral() {
        let shown = Illustration::new(SEED).unwrap();
        let prior = &shown.beliefs[0].covariance;
        let (winner, loser) = (ANSWERS[0].0.index(), ANSWERS[0].1.index());
        let along = |item: usize| prior[(item, winner)] - prior[(item, loser)];
        let variance = along(winner) - along(loser);
        // The difference of the two: mass, mean and second moment under N(0, variance) Φ(difference).
        let (points, reach) = (40_000, 12.0 * variance.sqrt());
        let step = 2.0 * reach / f64::from(points);
        let mut moments = [0.0; 3];
        for point in 0..points {
            let x = -reach + step * (f64::from(point) + 0.5);
            let density = (-0.5 * x * x / variance).exp() * ordain::numeric::normal::cdf(x);
            moments.iter_mut().zip([1.0, x, x * x]).for_each(|(moment, power)| *moment += density * power);
        }
        let mean = moments[1] / moments[0];
        let left = moments[2] / moments[0] - mean * mean;
        // The midpoint rule is exact beyond all digits for a smooth function that vanishes at both ends; sums of 40,000 round.
        for item in 0..6 {
            assert!((shown.beliefs[1].mean[item] - along(item) / variance * mean).abs() < 1e-12);
            for other in 0..6 {
                let lost = along(item) * along(other) / variance * (1.0 - left / variance);
                let expected = prior[(item, other)] - lost;
                assert!((shown.beliefs[1].covariance[(item, other)] - expected).abs() < 1e-12);
            }
        }
    }

    /// The second answer against EP over both, from which one step an answer may differ a little.
    #[test]
    fn two_answers_are_near_ep() {
        let shown = Illustration::new(SEED).unwrap();
        let answers = ANSWERS.map(|(winner, loser)| AnswerModel::default().preferred(winner, loser));
        let ep = Believed::new(&EpParams::default().fit(kernel().unwrap(), &answers).unwrap()).unwrap();
        for item in 0..6 {
            // The answers share paper b only, so that what the second teaches about the first is of second order: 0.01 is
            // a fiftieth of the largest mean.
            assert!((shown.beliefs[2].mean[item] - ep.mean[item]).abs() < 0.01);
            assert!((shown.beliefs[2].sd(item) - ep.sd(item)).abs() < 0.01);
        }
    }

    /// What the paper says of its figure.
    #[test]
    fn the_paper_s_words() {
        let shown = Illustration::new(SEED).unwrap();
        assert_eq!(shown.largest(), [(1, 2), (1, 5)]);
        assert!(shown.largest().contains(&(ANSWERS[1].0.index(), ANSWERS[1].1.index())));
        assert_eq!(shown.order(), "bacdef");
        assert!(
            shown
                .comparison()
                .ends_with("(b, c) and (b, f), and the order after b before f is b a c d e f, as the paper says.")
        );
    }

    /// Numbers that are not the paper's are not said to be.
    #[test]
    fn other_numbers_are_told_apart() {
        let shown = |change: fn(&mut Illustration)| {
            let mut shown = Illustration::new(SEED).unwrap();
            change(&mut shown);
            shown.comparison()
        };
        let loss = shown(|shown| shown.losses[(0, 1)] = 9.0);
        assert!(
            loss.contains("that of (a, b), and") && loss.contains("b a c d e f, which is not what the paper says"),
            "{loss}"
        );
        let order = shown(|shown| shown.beliefs[2].mean[0] = 9.0);
        assert!(
            order.contains("a b c d e f, which is not what the paper says: (b, c) and (b, f), and b a c d e f."),
            "{order}"
        );
    }

    /// Draws have the prior's covariance: 3 of each of 4000 seeds.
    #[test]
    fn draws_are_from_the_prior() {
        let covariance = kernel().unwrap().matrix().unwrap();
        let all: Vec<Vec<f64>> = (0..4000).flat_map(|seed| draws(&covariance, Seed(seed))).collect();
        for i in 0..6 {
            for j in 0..6 {
                let mean = all.iter().map(|draw| draw[i] * draw[j]).sum::<f64>() / all.len() as f64;
                // Standard error at most √2 / √12000 = 0.013: five of them.
                assert!((mean - covariance[(i, j)]).abs() < 0.065, "{i} {j} {mean}");
            }
        }
    }

    /// Had the other pair been drawn.
    #[test]
    fn the_other_pair() {
        let mut belief = Incremental::dense(kernel().unwrap()).unwrap();
        for (winner, loser) in [ANSWERS[0], (ItemId(1), ItemId(2))] {
            belief.observe(&AnswerModel::default().preferred(winner, loser)).unwrap();
        }
        let mut order: Vec<usize> = (0..6).collect();
        order.sort_by(|&one, &other| belief.mean()[other].total_cmp(&belief.mean()[one]));
        assert_eq!(order.into_iter().map(|item| NAMES[item]).collect::<String>(), "bafdec");
    }

    /// What the paper says of the smaller losses holds before they are weighted.
    #[test]
    fn losses_without_weights() {
        let shown = Illustration::new(SEED).unwrap();
        let believed = &shown.beliefs[1];
        let loss = |one: usize, other: usize| {
            let covariance = &believed.covariance;
            let variance = covariance[(one, one)] + covariance[(other, other)] - 2.0 * covariance[(one, other)];
            ordain::active::expected_loss(believed.mean[one] - believed.mean[other], variance)
        };
        let claimed = [(0, 3), (0, 4), (1, 3)].map(|(one, other)| loss(one, other));
        let alone = (0..6).flat_map(|one| [(one, 2), (one, 5)]).filter(|&(one, other)| one != other);
        let least = alone.map(|(one, other)| loss(one, other)).fold(f64::INFINITY, f64::min);
        assert!(claimed.into_iter().all(|loss| loss < least), "{claimed:?} {least}");
        // The weight reverses it: b is first, and c and f are below a.
        assert!(shown.losses[(1, 3)] > shown.losses[(0, 2)]);
    }

    #[test]
    fn a_row_for_every_key() {
        let shown = Illustration::new(SEED).unwrap();
        let layout = Illustration::layout();
        assert_eq!(Illustration::from_rows(&shown.rows()).rows(), shown.rows());
        assert_eq!(layout.keys.len(), shown.rows().len());
        assert_eq!(layout.keys.len(), 3 * 6 + 3 * (6 + 21) + 15);
    }
}
