//! `axpgp-ohsumed` and `axpgp-links`: AXPGP's figure 2, on OHSUMED and on CACM with its citations.

use ordain::active::Strategy;
use ordain::data::Goal;
use ordain::{InputError, Result};
use ordain_plot::{Across, Boxes, Lines, Range, html};
use rand::seq::SliceRandom;

use super::curves::{Curves, Measure};
use super::plan::Plan;
use super::{Asks, Contender, Mind, Problem, Study, Tuning, Way};
use crate::collections::{cacm, letor};
use crate::data::DataFolder;
use crate::experiment::{Experiment, Job, Options, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::query::{Measured, per_query};
use crate::record::Record;

const PAPER: &str = "Xu, Kersting, Joachims: Fast active exploration for link-based preference learning with Gaussian \
                     processes (AXPGP)";

const CLAIM: &str = "AXPGP learns significantly faster than Glicko, which has to learn every document by itself, by Wilcoxon's \
                     rank-sum test and a t-test at every multiple of 100 answers. The variability across queries is \
                     substantially lower, above all after many answers.";

const TUNING: &str = "All contenders were tuned alike, on the other half of the queries: for the largest area under the MAP curve of \
                      a session a query, by a search in factors of 4, 2 and √2 from the best of six starts. Tuned are the weights and \
                      the shape of the kernels, and of Glicko the deviation at the start.";

const JUDGE: &str = "Every grade is spread by uniform noise in [-0.5, 0.5], anew in every repeat; answers follow these utilities \
                     without error. No pair is asked twice. MAP counts grades of 1 and more as relevant, equal means at \
                     their expected value.";

const STRATEGIES: &str = "AXPGP and Glicko ask by the paper's expected loss (LELpair) with its printed weight exp(-rank). \"Whole \
                          order\" is what Ordain asks for the goal of ordering the whole list. Random pairs are \
                          learned by the same Gaussian process.";

const EMPHASIS: &str = "The printed weight exp(-rank) puts nearly all questions to the first few documents, while average precision \
                        needs the order of the whole list; how it then compares with random pairs stands above. The whole-order \
                        contenders differ from it in three things at once, so that no difference can be put down to one: \
                        a gentler weight, half of the lower place's weight taken off, and expected regret instead of the \
                        squared loss. The paper does not say whether it scaled ranks.";

pub const OHSUMED: Experiment = Experiment {
    name: "axpgp-ohsumed",
    title: "Active exploration on OHSUMED",
    paper: PAPER,
    figure: "figure 2, top",
    duration: "3 minutes",
    claim: CLAIM,
    setting: "All 106 OHSUMED queries, a model for each; 10 repeats; MAP with standard errors, and box plots of average precision \
              across queries.",
    design: &[
        "Documents are those of LETOR for the query, with its 25 features, standardized within the query. The kernel is \
         squared-exponential over the features, plus what is a document's own.",
        STRATEGIES,
        JUDGE,
        TUNING,
        "This way of tuning (six starts, 6 queries, sessions of 400 answers) was chosen after the results of a first one (one \
         start, 10 queries, 200 answers) had been seen on some of the queries that are measured here.",
    ],
    differences: &[
        EMPHASIS,
        "The paper also links documents by the similarity of their contents, which LETOR does not bring; links made of the \
         same features bring nothing of their own (see xpgp-ohsumed). What real links add is in axpgp-links.",
        "LETOR 2.0 has 25 features; the paper does not say which edition it used.",
    ],
    data: &letor::OHSUMED,
    settings: 3,
    program: &Figure2 {
        load: load_ohsumed,
        contenders: &OHSUMED_CONTENDERS,
        pairs: &OHSUMED_PAIRS,
        boxes: &[0, 1, 2, 3],
    },
};

pub const LINKS: Experiment = Experiment {
    name: "axpgp-links",
    title: "Active exploration on CACM, with real links",
    paper: PAPER,
    figure: "figure 2, bottom",
    duration: "10 minutes",
    claim: CLAIM,
    setting: "10 random TREC .gov queries with about 1000 documents and 2387 hyperlinks each, a model for each; 10 repeats; MAP with \
              standard errors, and box plots of average precision across queries.",
    design: &[
        "The .gov collection is not available. Here: CACM, all queries with 8 or more relevant documents; a query's \
         documents are the 200 best by BM25 (English stems, stop words left out; titles, abstracts and keywords) and the \
         relevant ones.",
        "Attributes: BM25 score, logarithm of the length, number of matched query terms, year; standardized within the query. \
         Links: citation, co-citation and bibliographic coupling together, with weight log(1 + count), through the \
         regularized Laplacian. Kernels: a document's own part and the attributes, with and without links.",
        STRATEGIES,
        JUDGE,
        TUNING,
    ],
    differences: &[
        EMPHASIS,
        "Another collection, with citations instead of hyperlinks and fewer documents a query (about 200 instead of 1000).",
        "Relevant documents below BM25's first 200 are here only because they are relevant, which every model can learn from \
         the attributes (see xpgp-links).",
    ],
    data: &cacm::FILES,
    settings: 3,
    program: &Figure2 { load: load_links, contenders: &LINKS_CONTENDERS, pairs: &LINKS_PAIRS, boxes: &[0, 2, 3, 5] },
};

/// Who explores: name, title, what it believes and which pairs it asks.
type Entry = (&'static str, &'static str, Mind, Asks);

/// The paper's weight.
const PRINTED: Asks = Asks::By(Strategy::ExpectedLoss { focus: 1.0 });
const WHOLE_ORDER: Asks = Asks::For(Goal::TopHeavy);
const RANDOM: Asks = Asks::By(Strategy::Random);
const ATTRIBUTES: Mind = Mind::Gp { attributes: true, links: false };
const WITH_LINKS: Mind = Mind::Gp { attributes: true, links: true };
const BY_ITSELF: Mind = Mind::Gp { attributes: false, links: false };

const OHSUMED_CONTENDERS: [Entry; 6] = [
    ("axpgp", "AXPGP", ATTRIBUTES, PRINTED),
    ("glicko", "Glicko", Mind::Glicko, PRINTED),
    ("gp-whole-order", "GP, whole order", ATTRIBUTES, WHOLE_ORDER),
    ("glicko-whole-order", "Glicko, whole order", Mind::Glicko, WHOLE_ORDER),
    ("independent-whole-order", "Independent, whole order", BY_ITSELF, WHOLE_ORDER),
    ("gp-random", "GP, random pairs", ATTRIBUTES, RANDOM),
];

/// Who is compared with whom.
const OHSUMED_PAIRS: [(usize, usize); 5] = [(0, 1), (2, 3), (2, 4), (0, 5), (2, 5)];

const LINKS_CONTENDERS: [Entry; 7] = [
    ("axpgp-links", "AXPGP, links", WITH_LINKS, PRINTED),
    ("axpgp", "AXPGP, no links", ATTRIBUTES, PRINTED),
    ("glicko", "Glicko", Mind::Glicko, PRINTED),
    ("gp-links-whole-order", "GP, links, whole order", WITH_LINKS, WHOLE_ORDER),
    ("gp-whole-order", "GP, no links, whole order", ATTRIBUTES, WHOLE_ORDER),
    ("glicko-whole-order", "Glicko, whole order", Mind::Glicko, WHOLE_ORDER),
    ("gp-links-random", "GP, links, random pairs", WITH_LINKS, RANDOM),
];

const LINKS_PAIRS: [(usize, usize); 6] = [(0, 2), (0, 1), (3, 5), (3, 4), (0, 6), (3, 6)];

/// Queries of the other half to tune on.
const TUNED_ON: usize = 6;

fn load_ohsumed(folder: &DataFolder) -> Result<Vec<Problem>> {
    letor::read_all(folder, &letor::OHSUMED)?.into_iter().map(Problem::graded).collect()
}

fn load_links(folder: &DataFolder) -> Result<Vec<Problem>> {
    cacm::read(folder, cacm::Candidates::BestAndRelevant, &[])?.into_iter().map(Problem::graded).collect()
}

/// An experiment in the layout of figure 2.
struct Figure2 {
    load: fn(&DataFolder) -> Result<Vec<Problem>>,
    contenders: &'static [Entry],
    /// Who is compared with whom.
    pairs: &'static [(usize, usize)],
    /// Whose spread is shown.
    boxes: &'static [usize],
}

impl Program for Figure2 {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let study = self.study((self.load)(job.data)?, job.options, job.data)?;
        let record = Record { general: job.general.clone(), plan: study.plan()? };
        record.claim(&job.place.record())?;
        study.run(&record.plan, job.options.seed, job.place, watch)
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        Ok(Curves::read(&plan, place)?.map(|curves| self.tell(&plan, &curves)))
    }
}

impl Figure2 {
    fn study(&self, problems: Vec<Problem>, options: Options, folder: &DataFolder) -> Result<Study> {
        let mut order: Vec<usize> = (0..problems.len()).collect();
        order.shuffle(&mut options.seed.stream(0));
        let (queries, repeats, answers, tuned_on) =
            if options.quick { (6, 2, 100, 2) } else { (order.len(), 10, 400, TUNED_ON) };
        order.truncate(queries);
        if order.len() < 2 {
            let found = format!("{} queries", order.len());
            return Err(InputError::new(folder.path(), "two queries or more to explore").found(found).into());
        }
        let (tuned_on, measured) = Study::halves(&order, tuned_on);
        let tuning = |&(name, _, mind, asks): &Entry| Tuning { name, mind, way: Way::Simulation(asks, answers) };
        let contender = |(tuned, &(name, _, _, asks)): (usize, &Entry)| Contender { name, asks, tuned };
        Ok(Study {
            problems,
            tuned: self.contenders.iter().map(tuning).collect(),
            contenders: self.contenders.iter().enumerate().map(contender).collect(),
            answers,
            repeats,
            tuned_on,
            measured,
        })
    }

    fn title(&self, contender: usize) -> &'static str {
        self.contenders[contender].1
    }

    fn tell(&self, plan: &Plan, curves: &Curves) -> Findings {
        let series: Vec<_> =
            (0..self.contenders.len()).map(|at| curves.series(at, Measure::Map, self.title(at))).collect();
        let (low, high) = Range::of(&series);
        let answers = || "Number of answers".to_owned();
        let up = Range::new("Mean average precision (MAP)", low, high);
        let title = "Quality of the ranking by answers".into();
        let map = Lines { title, across: Across::UpTo(answers(), plan.answers), up, series }.draw();
        let mut files = vec![("-summary.csv".to_owned(), curves.csv(&plan.contenders)), ("-map.svg".to_owned(), map)];
        let mut captions = vec!["MAP over all queries; the bands are standard errors.".to_owned()];
        for &contender in self.boxes {
            let marks = curves.marks.iter().enumerate().filter(|(_, answers)| *answers % 50 == 0);
            let values = |(mark, answers): (usize, &usize)| {
                (answers.to_string(), curves.at(contender, Measure::Map, mark).to_vec())
            };
            let boxes = marks.map(values).collect();
            let up = Range::new("Average precision", 0.0, 1.0);
            let title = format!("Spread over queries: {}", self.title(contender));
            let svg = Boxes { title, across: answers(), up, boxes, colour: contender }.draw();
            files.push((format!("-{}.svg", self.contenders[contender].0), svg));
            captions.push(format!("{}: average precision across queries.", self.title(contender)));
        }
        let pictures = files[1..].iter().zip(&captions).map(|((_, svg), caption)| (svg.as_str(), caption.as_str()));
        let pictures: Vec<(&str, &str)> = pictures.collect();
        let rows: Vec<String> = std::iter::once(&pictures[..1])
            .chain(pictures[1..].chunks(2))
            .map(|row| html::figures(row.iter().copied()))
            .collect();
        let measured = format!("{}\n{}{}", rows.join("\n"), self.table(curves), self.tests(curves));
        Findings { gist: self.gist(curves), measured, how: self.how(plan), comparison: self.comparison(curves), files }
    }

    /// How large the experiment was.
    fn how(&self, plan: &Plan) -> String {
        let queries = plan.queries.len();
        let per = |count: fn(&Measured) -> usize| per_query(&plan.queries, count);
        let linked = self.contenders.iter().any(|(_, _, mind, _)| matches!(mind, Mind::Gp { links: true, .. }));
        let links =
            if linked { format!(" and {:.0} linked pairs of them", per(|query| query.links)) } else { String::new() };
        let tuned: Vec<String> = plan.tuned_on.iter().map(|part| part.len().to_string()).collect();
        format!(
            "{queries} queries with on average {:.0} documents{links}; {} sessions of {} answers for each contender and query. All \
             contenders of a query and repeat meet the same truth. Beliefs of the two halves were tuned on {} queries of \
             the other.",
            per(|query| query.items),
            plan.repeats,
            plan.answers,
            tuned.join(" and "),
        )
    }

    /// MAP at some marks.
    fn gist(&self, curves: &Curves) -> Gist {
        let marks = curves.positions(&SHOWN);
        let row = |at: usize| {
            let values = marks.iter().map(|&mark| format!("{:.3}", curves.mean(at, Measure::Map, mark).value));
            std::iter::once(self.title(at).to_owned()).chain(values).collect()
        };
        Gist {
            title: "MAP after so many answers".to_owned(),
            header: std::iter::once("contender".to_owned()).chain(heads(curves, &marks)).collect(),
            rows: (0..self.contenders.len()).map(row).collect(),
            note: String::new(),
        }
    }

    fn table(&self, curves: &Curves) -> String {
        let marks = curves.positions(&SHOWN);
        let heads: Vec<String> = std::iter::once("answers".to_owned()).chain(heads(curves, &marks)).collect();
        let row = |at: usize| {
            let cells = marks.iter().map(|&mark| html::mean(curves.mean(at, Measure::Map, mark)));
            std::iter::once(self.title(at).to_owned()).chain(cells).collect()
        };
        let rows: Vec<Vec<String>> = (0..self.contenders.len()).map(row).collect();
        html::table("MAP ± standard error over queries", &heads.iter().map(String::as_str).collect::<Vec<_>>(), &rows)
    }

    /// Every comparison at the multiples of 100.
    fn tests(&self, curves: &Curves) -> String {
        let marks = hundreds(curves);
        let p = |p: Option<f64>| p.map_or_else(|| "–".to_owned(), shown_p);
        let rows = self.pairs.iter().flat_map(|&(one, other)| {
            let title = format!("{} against {}", self.title(one), self.title(other));
            marks.iter().map(move |&mark| {
                let found = curves.compare(one, other, Measure::Map, mark);
                let difference = found.difference;
                let shown = format!("{} <small>± {:.3}</small>", html::signed(difference.value, 3), difference.error);
                let answers = curves.marks[mark].to_string();
                vec![title.clone(), answers, shown, p(found.signed_rank), p(found.t), p(found.rank_sum)]
            })
        });
        let header = ["", "answers", "difference in MAP", "signed-rank p", "paired t p", "rank-sum p"];
        let note = "Tests over the queries' means over repeats. The rank-sum test, which is the paper's, does not know that \
                    both contenders met the same queries.";
        let rows: Vec<Vec<String>> = rows.collect();
        format!("{}<p class=\"note\">{note}</p>", html::table("Tests at the multiples of 100 answers", &header, &rows))
    }

    /// What came out beside what the paper says.
    fn comparison(&self, curves: &Curves) -> String {
        let marks = hundreds(curves);
        let answers: Vec<String> = heads(curves, &marks).collect();
        let one = |&(one, other): &(usize, usize)| {
            let found: Vec<_> = marks.iter().map(|&mark| curves.compare(one, other, Measure::Map, mark)).collect();
            let sure = |sign: f64| {
                let counts = |found: &&super::curves::Comparison| {
                    sign * found.difference.value > 0.0 && found.signed_rank.is_some_and(|p| p < SIGNIFICANT)
                };
                found.iter().filter(counts).count()
            };
            let differences: Vec<String> = found.iter().map(|found| html::signed(found.difference.value, 3)).collect();
            format!(
                "<li>{} against {}: {}; significantly better at {}, worse at {} of {} marks.</li>\n",
                self.title(one),
                self.title(other),
                differences.join(" / "),
                sure(1.0),
                sure(-1.0),
                marks.len(),
            )
        };
        let pairs: String = self.pairs.iter().map(one).collect();
        format!(
            "<p>Differences in MAP after {} answers (significant: signed-rank test over queries, p &lt; 0.01):</p>\n\
             <ul>\n{pairs}</ul>\n<p>{}</p>",
            answers.join(" / "),
            self.spread(curves)
        )
    }

    /// The spread across queries in the end.
    fn spread(&self, curves: &Curves) -> String {
        let last = curves.marks.len() - 1;
        let one = |&at: &usize| {
            let values = curves.at(at, Measure::Map, last);
            let deviation = curves.mean(at, Measure::Map, last).error * (values.len() as f64).sqrt();
            format!("{:.3} ({})", deviation, self.title(at))
        };
        let all: Vec<String> = self.boxes.iter().map(one).collect();
        format!("The deviation across queries after {} answers is {}.", curves.marks[last], all.join(", "))
    }
}

/// Below this p a difference is called significant.
const SIGNIFICANT: f64 = 0.01;

/// Answers after which MAP is shown, as far as sessions go.
const SHOWN: [usize; 7] = [10, 20, 50, 100, 200, 300, 400];

fn hundreds(curves: &Curves) -> Vec<usize> {
    curves.positions(&[100, 200, 300, 400])
}

fn heads(curves: &Curves, marks: &[usize]) -> impl Iterator<Item = String> {
    marks.iter().map(|&mark| curves.marks[mark].to_string())
}

fn shown_p(p: f64) -> String {
    if p < 1e-4 { format!("{p:.0e}") } else { format!("{p:.4}") }
}
