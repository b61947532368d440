//! `strategies`: which strategy serves which goal, on four data sets.

use ordain::active::{Facts, marks};
use ordain::data::Goal;
use ordain::measure::Mean;
use ordain::{InputError, Result};
use ordain_plot::{Across, Lines, Range, html};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::curves::{Curves, Measure};
use super::plan::Plan;
use super::{Asks, Contender, Mind, Problem, Study, Tuning, Way};
use crate::collections::{arguments, cacm, letor};
use crate::data::{DataFile, DataFolder};
use crate::experiment::{Experiment, Job, Options, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::record::Record;

/// The files of all sets.
const FILES: [DataFile; 15] = {
    let ([a, b, c, d, e], [f, g, h, i, j]) = (letor::OHSUMED, letor::MQ2008);
    let [k, l, m, n] = cacm::FILES;
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, arguments::FILE]
};

pub const EXPERIMENT: Experiment = Experiment {
    name: "strategies",
    title: "Which pairs to ask, for which goal",
    paper: "An experiment of our own",
    figure: "",
    duration: "5 minutes",
    claim: "Which strategy, with which emphasis on the top, finds the best item, the first ten, or the order of the whole list \
            with the fewest answers; and is what Ordain asks for a goal the right thing on its measure?",
    setting: "Five sets of queries; every strategy, with the emphasis that suits each goal; MAP for the whole order, NDCG@10 for the \
              first ten, the reciprocal rank of the true best for the best; after fixed numbers of answers, and the answers \
              needed to 0.9.",
    design: &[
        "OHSUMED: 30 queries drawn at random. MQ2008: 100 queries of at least 10 documents, one of them relevant at least; and, for \
         the strategies that look ahead and cost n⁴ a choice, 40 queries of 8 to 12 documents. CACM: the queries of \
         axpgp-links, with links. UKPConvArg1: all topics, arguments by the authors' ranking, of which the best tenth counts as \
         relevant.",
        "Attributes are LETOR's features, those of xpgp-links for CACM, and for arguments the logarithms of words and sentences, the \
         length of words, the share of distinct terms and their rarity; standardized within the query.",
        "Grades are spread by uniform noise in [-0.5, 0.5], anew in every repeat; answers have no errors, and no pair is asked \
         twice. All contenders are the same incremental Gaussian process. Its kernels were tuned on up to 10 queries of the \
         other half by the evidence of answers to random pairs, which favours no strategy.",
        "An emphasis \"for the best\", \"for the first ten\" or \"for the whole order\" is the one that Ordain takes for the goals \
         best, top and top-heavy. \"Ordain\" is the strategy and emphasis that it takes if only the goal is given; for the goal \
         top-heavy that is expected regret.",
        "Answers to a quality are where the mean curve first reaches it, linearly between marks; the standard error is the \
         jackknife's over queries.",
    ],
    differences: &[],
    data: &FILES,
    settings: 4,
    program: &Strategies,
};

/// Name, title and way of asking.
type Entry = (&'static str, &'static str, Asks);

const TEN: Goal = Goal::Top { k: 10 };

/// What Ordain takes for the goals whose measures are [`Measure::ALL`].
const DEFAULTS: [Entry; 3] = [
    ("ordain-whole-order", "Ordain, whole order", Asks::For(Goal::TopHeavy)),
    ("ordain-top", "Ordain, first ten", Asks::For(TEN)),
    ("ordain-best", "Ordain, best", Asks::For(Goal::Best)),
];

const CHEAP: [Entry; 15] = [
    DEFAULTS[0],
    DEFAULTS[1],
    DEFAULTS[2],
    ("random", "Random pairs", Asks::Named("random", Goal::TopHeavy)),
    ("entropy", "Entropy", Asks::Named("entropy", Goal::TopHeavy)),
    ("variance-ratio", "Variance ratio", Asks::Named("variance-ratio", Goal::TopHeavy)),
    ("loss-best", "Expected loss, for the best", Asks::Named("expected-loss", Goal::Best)),
    ("best-option", "Best option", Asks::Named("best-option", Goal::Best)),
    ("loss-top", "Expected loss, for the first ten", Asks::Named("expected-loss", TEN)),
    ("loss-whole-order", "Expected loss, for the whole order", Asks::Named("expected-loss", Goal::TopHeavy)),
    ("regret-best", "Expected regret, for the best", Asks::Named("expected-regret", Goal::Best)),
    ("regret-top", "Expected regret, for the first ten", Asks::Named("expected-regret", TEN)),
    ("item-best", "Expected loss of items, for the best", Asks::Named("expected-loss-item", Goal::Best)),
    ("item-top", "Expected loss of items, for the first ten", Asks::Named("expected-loss-item", TEN)),
    (
        "item-whole-order",
        "Expected loss of items, for the whole order",
        Asks::Named("expected-loss-item", Goal::TopHeavy),
    ),
];

/// Those that cost n⁴ a choice.
const DEAR: [Entry; 4] = [
    ("ahead-best", "Look-ahead, for the best", Asks::Named("look-ahead", Goal::Best)),
    ("ahead-top", "Look-ahead, for the first ten", Asks::Named("look-ahead", TEN)),
    ("ahead-whole-order", "Look-ahead, for the whole order", Asks::Named("look-ahead", Goal::TopHeavy)),
    ("predictive-entropy", "Predictive entropy", Asks::Named("predictive-entropy", Goal::TopHeavy)),
];

/// The first of the contenders are drawn.
const DRAWN: usize = 7;

/// A data set.
struct Set {
    name: &'static str,
    title: &'static str,
    load: fn(&DataFolder) -> Result<Vec<Problem>>,
    /// Whether its links are used.
    links: bool,
    /// Whether those that look ahead take part.
    dear: bool,
    /// Queries, at most, and sessions on each.
    queries: usize,
    repeats: usize,
    answers: usize,
    /// Answers after which quality is shown.
    shown: &'static [usize],
    /// Answers to random pairs to tune by.
    tuning: usize,
}

const SETS: [Set; 5] = [
    Set {
        name: "ohsumed",
        title: "OHSUMED",
        load: |folder| graded(letor::read_all(folder, &letor::OHSUMED)?),
        links: false,
        dear: false,
        queries: 30,
        repeats: 3,
        answers: 400,
        shown: &[50, 100, 200, 400],
        tuning: 100,
    },
    Set {
        name: "mq2008",
        title: "MQ2008",
        load: |folder| {
            graded(letor::read_some(folder, &letor::MQ2008, |grades| grades.len() >= 10 && relevant(grades))?)
        },
        links: false,
        dear: false,
        queries: 100,
        repeats: 3,
        answers: 100,
        shown: &[10, 20, 50, 100],
        tuning: 30,
    },
    Set {
        name: "mq2008-small",
        title: "MQ2008, 8 to 12 documents",
        load: |folder| {
            let small = |grades: &[f64]| (8..=12).contains(&grades.len()) && relevant(grades);
            graded(letor::read_some(folder, &letor::MQ2008, small)?)
        },
        links: false,
        dear: true,
        queries: 40,
        repeats: 3,
        answers: 30,
        shown: &[10, 20, 30],
        tuning: 15,
    },
    Set {
        name: "cacm",
        title: "CACM",
        load: |folder| graded(cacm::read(folder, cacm::Candidates::BestAndRelevant, &[])?),
        links: true,
        dear: false,
        queries: usize::MAX,
        repeats: 2,
        answers: 200,
        shown: &[20, 50, 100, 200],
        tuning: 100,
    },
    Set {
        name: "arguments",
        title: "UKPConvArg1",
        load: |folder| Ok(arguments::read(folder)?.into_iter().map(topic).collect()),
        links: false,
        dear: false,
        queries: usize::MAX,
        repeats: 3,
        answers: 200,
        shown: &[20, 50, 100, 200],
        tuning: 50,
    },
];

fn relevant(grades: &[f64]) -> bool {
    grades.iter().any(|&grade| grade > 0.0)
}

fn graded(queries: Vec<crate::query::Query>) -> Result<Vec<Problem>> {
    queries.into_iter().map(Problem::graded).collect()
}

fn topic(arguments::Topic { name, items, relation, utilities }: arguments::Topic) -> Problem {
    Problem { name, items, relation, facts: Facts::Utilities(utilities) }
}

/// Queries of the other half to tune on.
const TUNED_ON: usize = 10;

impl Set {
    fn contenders(&self) -> Vec<Entry> {
        if self.dear { CHEAP.iter().chain(&DEAR).copied().collect() } else { CHEAP.to_vec() }
    }

    fn study(&self, folder: &DataFolder, options: Options) -> Result<Study> {
        let problems = (self.load)(folder)?;
        let mut order: Vec<usize> = (0..problems.len()).collect();
        order.shuffle(&mut options.seed.stream(0));
        let (queries, repeats, answers, tuned_on) = if options.quick {
            (4, 1, self.answers.min(50), 2)
        } else {
            (self.queries, self.repeats, self.answers, TUNED_ON)
        };
        order.truncate(queries);
        if order.len() < 2 {
            let expected = format!("two queries or more of {} to explore", self.title);
            return Err(InputError::new(folder.path(), expected).found(format!("{} queries", order.len())).into());
        }
        let (tuned_on, measured) = Study::halves(&order, tuned_on);
        let mind = Mind::Gp { attributes: true, links: self.links };
        let contender = |(name, _, asks): Entry| Contender { name, asks, tuned: 0 };
        Ok(Study {
            problems,
            tuned: vec![Tuning { name: "gp", mind, way: Way::Evidence(self.tuning) }],
            contenders: self.contenders().into_iter().map(contender).collect(),
            answers,
            repeats,
            tuned_on,
            measured,
        })
    }

    /// The name of its results.
    fn results(&self, place: Place<'_>) -> String {
        format!("{}-{}", place.experiment, self.name)
    }
}

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plans {
    sets: Vec<Plan>,
}

struct Strategies;

impl Program for Strategies {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let studies: Vec<Study> = SETS.iter().map(|set| set.study(job.data, job.options)).collect::<Result<_>>()?;
        let sets = studies.iter().map(Study::plan).collect::<Result<_>>()?;
        let record = Record { general: job.general.clone(), plan: Plans { sets } };
        record.claim(&job.place.record())?;
        for ((set, study), plan) in SETS.iter().zip(&studies).zip(&record.plan.sets) {
            let place = Place { experiment: &set.results(job.place), ..job.place };
            study.run(plan, job.options.seed, place, watch)?;
        }
        Ok(())
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(record) = Record::<Plans>::read(&place.record())? else { return Ok(None) };
        let mut results = Vec::new();
        for (set, plan) in SETS.iter().zip(&record.plan.sets) {
            let place = Place { experiment: &set.results(place), ..place };
            let Some(curves) = Curves::read(plan, place)? else { return Ok(None) };
            results.push(Explored { set, plan, curves, contenders: set.contenders() });
        }
        Ok(Some(tell(&results)))
    }
}

/// The results on a data set.
struct Explored<'a> {
    set: &'a Set,
    plan: &'a Plan,
    curves: Curves,
    contenders: Vec<Entry>,
}

/// The quality that is to be reached.
const QUALITY: f64 = 0.9;

impl Explored<'_> {
    fn figure(&self, measure: Measure) -> String {
        let contenders = self.contenders.iter().enumerate().take(DRAWN);
        let series: Vec<_> = contenders.map(|(at, (_, title, _))| self.curves.series(at, measure, title)).collect();
        let (low, high) = Range::of(&series);
        let across = Across::UpTo("Number of answers".to_owned(), self.plan.answers);
        let title = format!("{}: quality of the ranking by answers", self.set.title);
        Lines { title, across, up: Range::new(measure.title(), low, high), series }.draw()
    }

    /// Marks at which quality is shown.
    fn shown(&self) -> Vec<usize> {
        self.curves.positions(self.set.shown)
    }

    fn needed(&self, contender: usize, measure: Measure) -> String {
        match self.curves.answers_to(contender, measure, QUALITY) {
            None => format!("&gt; {}", self.plan.answers),
            Some((needed, _)) if needed <= 10.0 => "≤ 10".to_owned(),
            Some((needed, None)) => format!("{needed:.0}"),
            Some((needed, Some(error))) => format!("{needed:.0} <small>± {error:.0}</small>"),
        }
    }

    fn table(&self, measure: Measure) -> String {
        let marks = self.shown();
        let best: Vec<f64> = marks.iter().map(|&mark| self.best(measure, mark).1.value).collect();
        let row = |(at, (_, title, _)): (usize, &Entry)| {
            let cell = |(&mark, &best): (&usize, &f64)| {
                let mean = self.curves.mean(at, measure, mark);
                let shown = html::mean(mean);
                if mean.value == best { format!("<b>{shown}</b>") } else { shown }
            };
            let cells = marks.iter().zip(&best).map(cell);
            std::iter::once((*title).to_owned()).chain(cells).chain([self.needed(at, measure)]).collect()
        };
        let rows: Vec<Vec<String>> = self.contenders.iter().enumerate().map(row).collect();
        let counts: Vec<String> = marks.iter().map(|&mark| self.curves.marks[mark].to_string()).collect();
        let mut header: Vec<&str> = vec!["answers"];
        header.extend(counts.iter().map(String::as_str));
        header.push("to 0.9");
        html::table(&format!("{}, {}", self.set.title, measure.title()), &header, &rows)
    }

    /// Who is best at a mark, and how good.
    fn best(&self, measure: Measure, mark: usize) -> (&'static str, Mean) {
        let all = self.contenders.iter().enumerate();
        let all = all.map(|(at, &(_, title, _))| (title, self.curves.mean(at, measure, mark)));
        all.reduce(|a, b| if b.1.value > a.1.value { b } else { a }).unwrap_or(("", Mean { value: 0.0, error: 0.0 }))
    }

    /// The mark half way through what is shown.
    fn middle(&self) -> usize {
        let shown = self.shown();
        shown[(shown.len() - 1) / 2]
    }

    /// Whether what Ordain takes for a measure's goal is above what it takes for the other goals and above random pairs.
    fn verdict(&self, measure: Measure) -> String {
        let mark = self.middle();
        let own = measure as usize;
        let others = (0..=DEFAULTS.len()).filter(|&at| at != own).map(|other| {
            let found = self.curves.compare(own, other, measure, mark);
            let word = match found.signed_rank {
                Some(p) if p < 0.01 && found.difference.value > 0.0 => "above",
                Some(p) if p < 0.01 => "<b>below</b>",
                _ => "not told apart from",
            };
            let difference = format!("{:+.3}", found.difference.value).replace('-', "−");
            format!("{word} {} ({difference})", self.contenders[other].1)
        });
        let (best, mean) = self.best(measure, mark);
        format!(
            "<li>{}, {} after {} answers: {} ({:.3}) is {}. Highest: {best} ({:.3}).</li>\n",
            self.set.title,
            measure.title(),
            self.curves.marks[mark],
            DEFAULTS[own].1,
            self.curves.mean(own, measure, mark).value,
            others.collect::<Vec<String>>().join(", "),
            mean.value
        )
    }
}

fn tell(results: &[Explored<'_>]) -> Findings {
    let (mut files, mut measured) = (Vec::new(), String::new());
    for explored in results {
        files.push((format!("-{}-summary.csv", explored.set.name), explored.curves.csv(&explored.plan.contenders)));
        let pictures = Measure::ALL.map(|measure| explored.figure(measure));
        let captions = Measure::ALL.map(|measure| format!("{}: {}.", explored.set.title, measure.title()));
        measured.push_str(&html::figures(
            pictures.iter().zip(&captions).map(|(svg, caption)| (svg.as_str(), caption.as_str())),
        ));
        for (measure, svg) in Measure::ALL.into_iter().zip(pictures) {
            files.push((format!("-{}-{}.svg", explored.set.name, measure.name()), svg));
        }
        let tables = Measure::ALL.map(|measure| explored.table(measure)).concat();
        let title = explored.set.title;
        measured.push_str(&format!("\n<details><summary>{title}: all numbers</summary>\n{tables}</details>\n"));
    }
    measured.push_str(
        "<p class=\"note\">Means over queries ± their standard error; the highest of a column is bold. The last column says how \
         many answers the mean needs to reach 0.9. Figures show the first seven rows.</p>",
    );
    let verdicts: String =
        results.iter().flat_map(|explored| Measure::ALL.map(|measure| explored.verdict(measure))).collect();
    let comparison = format!(
        "<p>What Ordain takes for a goal, on its own measure, beside what it takes for the other goals and random pairs (above \
         or below: signed-rank test over queries, p &lt; 0.01; otherwise not told apart):</p>\n<ul>\n{verdicts}</ul>"
    );
    Findings { gist: gist(results), files, measured, how: how(results), comparison }
}

/// For every set and measure: what Ordain takes, random pairs, and the best.
fn gist(results: &[Explored<'_>]) -> Gist {
    let row = |explored: &Explored<'_>, measure: Measure| {
        let mark = explored.middle();
        let value = |contender: usize| format!("{:.3}", explored.curves.mean(contender, measure, mark).value);
        let (best, mean) = explored.best(measure, mark);
        vec![
            format!("{}, {}", explored.set.name, measure.name()),
            explored.curves.marks[mark].to_string(),
            value(measure as usize),
            value(DEFAULTS.len()),
            format!("{:.3}", mean.value),
            best.to_owned(),
        ]
    };
    let rows = results.iter().flat_map(|explored| Measure::ALL.map(|measure| row(explored, measure))).collect();
    Gist {
        title: "quality after so many answers".to_owned(),
        header: ["", "answers", "for the goal", "random", "highest", ""].map(str::to_owned).to_vec(),
        rows,
        note: "for the goal: what Ordain asks for the goal of that measure".to_owned(),
    }
}

fn how(results: &[Explored<'_>]) -> String {
    let one = |explored: &Explored<'_>| {
        let queries = &explored.plan.queries;
        let items = queries.iter().map(|query| query.items).sum::<usize>() as f64 / queries.len().max(1) as f64;
        let last = marks(explored.plan.answers).last().copied().unwrap_or(0);
        format!(
            "{}: {} queries of {items:.0} items on average, {} sessions of {last} answers on each",
            explored.set.title,
            queries.len(),
            explored.plan.repeats
        )
    };
    let all: Vec<String> = results.iter().map(one).collect();
    format!("{}.", all.join("; "))
}
