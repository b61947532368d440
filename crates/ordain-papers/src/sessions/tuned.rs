//! The numbers of a belief, and how they are tuned.

use std::path::Path;
use std::sync::Arc;

use ordain::active::{BeliefKind, Match};
use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Problem as Evidence, TuningParams};
use ordain::kernel::{Form, Independent, Kernel, KernelSpec, Over, RelationSpec, Rho, Role, Shape, WeightedSum, build};
use ordain::numeric::Seed;
use ordain::{Error, Result};
use rand::RngExt;
use rayon::prelude::*;

use super::{Asks, Prepared, Problem, area};
use crate::journal::{Journal, Layout, Row};
use crate::search::pattern_search;
use crate::stream::Phase;
use crate::tabulated::Tabulated;

/// What is believed of items before the first answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mind {
    /// A Gaussian process: what is an item's own, and maybe a function of attributes and of links.
    Gp {
        /// A squared-exponential kernel over the attributes.
        attributes: bool,
        /// The regularized Laplacian of the links.
        links: bool,
    },
    /// Ratings.
    Glicko,
}

/// A number that can be tuned: its column, plain value and bounds.
struct Number {
    column: &'static str,
    plain: f64,
    bounds: (f64, f64),
}

/// A weight, an inverse length or a reach: beyond these bounds it hardly changes anything (as in known-pairs experiments).
const fn number(column: &'static str) -> Number {
    Number { column, plain: 1.0, bounds: (1.0 / 128.0, 128.0) }
}

/// All of them. Glicko's start is searched 64 times below and above Glickman's 350.
const NUMBERS: [Number; 6] = [
    number("attributes_weight"),
    Number { plain: 0.5, ..number("rho") },
    number("own_weight"),
    number("links_weight"),
    number("iota"),
    Number { column: "deviation", plain: 350.0, bounds: (350.0 / 64.0, 350.0 * 64.0) },
];

/// Where a search may start: factors of the scale, which is that of all weights or of Glicko's deviation, and of the inverse
/// length. One number at a time a search would hardly find the scale.
const STARTS: [(f64, f64); 6] = [(1.0, 1.0), (1.0, 0.25), (4.0, 1.0), (4.0, 0.25), (16.0, 1.0), (16.0, 0.25)];

impl Mind {
    /// Which numbers it has.
    fn has(self) -> [bool; NUMBERS.len()] {
        match self {
            Self::Gp { attributes, links } => [attributes, attributes, true, links, links, false],
            Self::Glicko => [false, false, false, false, false, true],
        }
    }

    /// Plain values, which nobody tuned.
    fn plain(self) -> Tuned {
        let mut numbers = [None; NUMBERS.len()];
        for (at, has) in self.has().into_iter().enumerate() {
            numbers[at] = has.then_some(NUMBERS[at].plain);
        }
        Tuned { numbers, score: 0.0 }
    }
}

/// The numbers of a belief, tuned; none where it has no such number.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    numbers: [Option<f64>; NUMBERS.len()],
    /// What it was tuned by, at these numbers.
    score: f64,
}

impl Tuned {
    /// The columns of the table of tuned numbers.
    pub fn columns() -> Vec<String> {
        let numbers = NUMBERS.iter().map(|number| number.column);
        ["part", "belief"].into_iter().chain(numbers).chain(["score"]).map(str::to_owned).collect()
    }

    /// As a row of that table.
    pub fn row(&self) -> Row {
        self.numbers.iter().copied().chain([Some(self.score)]).collect()
    }

    /// From such a row.
    fn from_row(row: &Row) -> Option<Self> {
        let (&score, numbers) = row.split_last()?;
        Some(Self { numbers: numbers.try_into().ok()?, score: score? })
    }

    /// From a row of such a table in this file.
    ///
    /// # Errors
    /// If a score is missing.
    pub fn read(row: &Row, path: &Path) -> Result<Self> {
        Self::from_row(row).ok_or_else(|| Error::Data {
            what: "tuned numbers",
            found: format!("{row:?} in {}", path.display()),
            expected: "a score at least; move the file away".into(),
        })
    }

    /// The same belief with another scale and inverse length.
    fn scaled(&self, scale: f64, rho: f64) -> Self {
        let factors = [scale, rho, scale, scale, 1.0, scale];
        let mut numbers = self.numbers;
        numbers.iter_mut().zip(factors).for_each(|(number, factor)| *number = number.map(|number| number * factor));
        Self { numbers, ..*self }
    }

    fn logs(&self) -> Vec<f64> {
        self.numbers.iter().flatten().map(|number| number.ln()).collect()
    }

    /// The same belief with other numbers, given by their logarithms.
    fn with_logs(&self, logs: &[f64]) -> Self {
        let mut logs = logs.iter();
        let numbers = self.numbers.map(|number| number.and_then(|_| logs.next()).map(|log| log.exp()));
        Self { numbers, ..*self }
    }

    /// The belief with these numbers about a problem.
    ///
    /// # Errors
    /// If the kernel cannot be built.
    pub(super) fn prepare(&self, mind: Mind, problem: &Problem) -> Result<Prepared> {
        if mind == Mind::Glicko {
            let deviation = self.numbers[5].unwrap_or(NUMBERS[5].plain);
            let kernel = Arc::new(Independent::new(problem.items.len()));
            return Ok(Prepared { kernel, belief: BeliefKind::Glicko { deviation } });
        }
        let kernel = Arc::new(Tabulated(self.kernel(problem)?.matrix()?));
        Ok(Prepared { kernel, belief: BeliefKind::Gp })
    }

    /// Attributes, what is an item's own, links: those that it has numbers for.
    fn kernel(&self, problem: &Problem) -> Result<WeightedSum> {
        let [attributes, rho, own, links, iota, _] = self.numbers;
        let form = |rho: f64| Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(rho) };
        let relation = RelationSpec { relation: 0, role: Role::Undirected };
        let parts = [
            attributes.zip(rho.map(|rho| Shape::Vector { form: form(rho), over: Over::Attributes })),
            own.map(|own| (own, Shape::Independent)),
            links.zip(iota.map(|iota| Shape::RegularizedLaplacian { relation, beta: 1.0, iota })),
        ];
        let specs: Vec<KernelSpec> =
            parts.into_iter().flatten().map(|(weight, shape)| KernelSpec::new(weight, shape)).collect();
        build(&specs, &problem.items, std::slice::from_ref(&problem.relation))
    }
}

/// A belief that is tuned.
pub struct Tuning {
    /// Its name in the table.
    pub name: &'static str,
    /// What is tuned.
    pub mind: Mind,
    /// How.
    pub way: Way,
}

/// How a belief is tuned.
pub enum Way {
    /// For the largest mean area under the MAP curve of sessions of so many answers, asked in this way.
    Simulation(Asks, usize),
    /// For the largest evidence of so many answers to random pairs, which favours no strategy.
    Evidence(usize),
    /// As by simulation, from the better of plain values and what the evidence of a hundred answers finds.
    Both(Asks, usize),
}

impl Tuning {
    /// Tunes on problems that it will not be measured on, each with the stream of its conditions. The score is the mean area,
    /// or the log evidence.
    ///
    /// # Errors
    /// If sessions with plain values cannot be played, or tuning by evidence fails.
    pub(super) fn tune(&self, examples: &[(&Problem, u64)], seed: Seed) -> Result<Tuned> {
        match self.way {
            Way::Simulation(asks, answers) => {
                let starts = STARTS.map(|(scale, rho)| self.mind.plain().scaled(scale, rho));
                self.by_simulation(asks, answers, starts, examples, seed)
            }
            Way::Evidence(answers) => self.by_evidence(answers, examples, seed),
            Way::Both(asks, answers) => {
                let starts = [self.mind.plain(), self.by_evidence(100, examples, seed)?];
                self.by_simulation(asks, answers, starts, examples, seed)
            }
        }
    }

    /// The search goes by factors of 4, 2 and √2 from the better of these starts.
    fn by_simulation<const N: usize>(
        &self,
        asks: Asks,
        answers: usize,
        starts: [Tuned; N],
        examples: &[(&Problem, u64)],
        seed: Seed,
    ) -> Result<Tuned> {
        let plain = self.mind.plain();
        let one = |tuned: &Tuned, &(problem, task): &(&Problem, u64)| {
            let conditions = Match::draw(&problem.facts, None, &mut seed.stream(task))?;
            let row = tuned.prepare(self.mind, problem)?.play(&conditions, asks, answers)?;
            Ok(area(&row, answers))
        };
        // Numbers beyond what can be computed are as bad as can be.
        let mut lost = |logs: &[f64]| {
            let tuned = plain.with_logs(logs);
            let areas: Result<Vec<f64>> = examples.par_iter().map(|example| one(&tuned, example)).collect();
            areas.map_or(f64::INFINITY, |areas| 1.0 - areas.iter().sum::<f64>() / areas.len() as f64)
        };
        let has = self.mind.has().into_iter().zip(&NUMBERS).filter(|(has, _)| *has);
        let bounds: Vec<(f64, f64)> =
            has.map(|(_, Number { bounds: (low, high), .. })| (low.ln(), high.ln())).collect();
        let (logs, lost) = pattern_search(starts.map(|start| start.logs()), &bounds, &mut lost)?;
        Ok(Tuned { score: 1.0 - lost, ..plain.with_logs(&logs) })
    }

    fn by_evidence(&self, answers: usize, examples: &[(&Problem, u64)], seed: Seed) -> Result<Tuned> {
        let plain = self.mind.plain();
        let problem = |&(problem, task): &(&Problem, u64)| {
            let mut stream = seed.stream(task);
            let truth = problem.facts.truth(None, Seed(stream.random()))?;
            let better =
                |one: ItemId, other: ItemId| truth.utilities()[one.index()] >= truth.utilities()[other.index()];
            let judged = |_| {
                let (one, other) = pair(problem.items.len(), &mut stream);
                let (first, second) = if better(one, other) { (one, other) } else { (other, one) };
                AnswerModel::default().preferred(first, second)
            };
            let observations = (0..answers).map(judged).collect();
            Ok(Evidence::new(plain.kernel(problem)?, observations))
        };
        let mut problems: Vec<Evidence> = examples.iter().map(problem).collect::<Result<_>>()?;
        let params = TuningParams::default().with_seed(seed).with_restarts(0);
        let found = params.tune(&mut problems)?;
        let parts: Vec<bool> = [0, 2, 3].map(|at| plain.numbers[at].is_some()).to_vec();
        let value = |at: usize, name: &str| {
            let before = parts[..at].iter().filter(|has| **has).count();
            let name = format!("kernel[{before}].{name}");
            found.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.value)
        };
        let found_numbers =
            [value(0, "weight"), value(0, "rho"), value(1, "weight"), value(2, "weight"), value(2, "iota"), None];
        let mut numbers = plain.numbers;
        for (number, found) in numbers.iter_mut().zip(found_numbers) {
            *number = number.map(|plain| found.unwrap_or(plain));
        }
        Ok(Tuned { numbers, score: found.log_evidence })
    }
}

/// Any two items.
fn pair(items: usize, stream: &mut impl RngExt) -> (ItemId, ItemId) {
    let first = stream.random_range(0..items);
    let second = (first + stream.random_range(1..items)) % items;
    (ItemId::new(first), ItemId::new(second))
}

/// One belief tuned on these problems; its numbers are kept in a file, and read from it once they are there.
///
/// # Errors
/// If the file cannot be read and written or holds anything else, or the belief cannot be tuned.
pub fn tune_once(path: &Path, mind: Mind, way: Way, problems: &[Problem], seed: Seed) -> Result<Tuned> {
    let tuning = Tuning { name: "gp", mind, way };
    let layout = Layout { columns: Tuned::columns(), keys: vec![format!("1,{}", tuning.name)] };
    let mut journal = Journal::open(path, layout)?;
    let examples: Vec<(&Problem, u64)> =
        problems.iter().enumerate().map(|(at, problem)| (problem, Phase::Tuning.of_match(at, 0))).collect();
    journal.complete(0..1, |_| Ok(tuning.tune(&examples, seed)?.row()), |_| {})?;
    Tuned::read(&journal.rows()[0], path)
}
