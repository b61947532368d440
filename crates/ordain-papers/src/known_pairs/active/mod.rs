//! `xpgp-active`: XPGP's figure 4, ten pairs chosen actively against ten random ones.

mod findings;

use ordain::Result;
use ordain::active::{BeliefKind, Question, Session, SessionParams, Strategy};
use ordain::data::{Answer, Goal, ItemId, Outcome};
use ordain::numeric::Seed;

use super::models::{Measures, Model, Prepared, answers};
use super::plan::{Cell, Plan};
use super::{Study, links, ohsumed};
use crate::collections::cacm::{self, Candidates};
use crate::collections::letor;
use crate::data::DataFolder;
use crate::experiment::{Experiment, Job, Options, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout};
use crate::query::{Query, Split};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "xpgp-active",
    title: "Ten pairs chosen actively, or at random, on OHSUMED",
    paper: "Kersting, Xu: Learning preferences with hidden common cause relations (XPGP)",
    figure: "figure 4",
    duration: "3 minutes",
    claim: "Ten actively chosen pairs predict the others better than ten random ones: in 9 of 10 queries the error is below \
            the mean of random pairs.",
    setting: "10 queries of TREC; error rate and AUC on the remaining pairs for each, with mean and standard deviation of 20 \
              random choices.",
    design: &[
        "The .gov collection is not available; documents, links and queries are those of xpgp-ohsumed. Pairs are chosen among \
         those of different grade, actively as at random, so that neither knows more.",
        MODEL_AND_EP,
        WAYS,
    ],
    differences: &[
        EQUAL_MEANS,
        "What the paper's rule does with real links is in xpgp-active-links.",
        "OHSUMED's queries have some 150 documents of three grades with 25 attributes; the paper's have some 1000 with about \
         16 relevant ones, and hyperlinks.",
    ],
    data: &letor::OHSUMED,
    settings: 2,
    program: &Active { load: ohsumed::load },
};

pub const LINKS: Experiment = Experiment {
    name: "xpgp-active-links",
    title: "Ten pairs chosen actively, or at random, on CACM with real links",
    design: &[
        "The .gov collection is not available; documents, links and queries are those of xpgp-links, all of them. Pairs are \
         chosen among those of a relevant and another document, actively as at random, so that neither knows more.",
        MODEL_AND_EP,
        WAYS,
    ],
    differences: &[
        EQUAL_MEANS,
        "Another collection, with citations instead of hyperlinks and fewer documents a query.",
    ],
    data: &cacm::FILES,
    program: &Active { load: |folder, options| links::load(folder, options, Candidates::BestAndRelevant, &[]) },
    ..EXPERIMENT
};

const MODEL_AND_EP: &str = "The model is XPGP with the regularized Laplacian, tuned for 10 random pairs on other queries. After \
                            every answer EP learns all of them anew, as in the paper.";

const WAYS: &str = "Active are the paper's rule, variance over squared difference of means, where equal means, as at the start, \
                    count as infinite and the largest variance decides; expected regret, our default for the order of the \
                    whole list; and expected entropy. Luck decides among equals, so that they too are played 20 times.";

const EQUAL_MEANS: &str = "The ratio of the paper grows without bound as two means approach each other, so that a pair of which little is \
                           left to learn may come first because its means happen to be close.";

/// Ten pairs chosen in several ways, on the queries of another experiment.
struct Active {
    load: fn(&DataFolder, Options) -> Result<Study>,
}

/// Pairs that are chosen.
const CHOSEN: usize = 10;

/// The model.
const MODEL: Model = Model::Laplacian;

/// A way to choose pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Variance over squared difference of means (XPGP section 5).
    Ratio,
    /// Expected regret.
    Regret,
    /// Expected entropy.
    Entropy,
    /// At random.
    Random,
}

impl Way {
    const ALL: [Self; 4] = [Self::Ratio, Self::Regret, Self::Entropy, Self::Random];

    fn name(self) -> &'static str {
        match self {
            Self::Ratio => "variance-ratio",
            Self::Regret => "expected-regret",
            Self::Entropy => "entropy",
            Self::Random => "random",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Ratio => "Variance ratio, the paper's",
            Self::Regret => "Expected regret, our default",
            Self::Entropy => "Entropy",
            Self::Random => "Random pairs",
        }
    }

    fn strategy(self, items: usize) -> Strategy {
        match self {
            Self::Ratio => Strategy::VarianceRatio,
            Self::Regret => Strategy::for_goal(Goal::TopHeavy, items as f64),
            Self::Entropy => Strategy::Entropy,
            Self::Random => Strategy::Random,
        }
    }
}

fn rows_per_query(plan: &Plan) -> usize {
    Way::ALL.len() * plan.reruns
}

fn layout(plan: &Plan) -> Layout {
    let key = |at: usize| {
        let query = &plan.queries[at / rows_per_query(plan)].measured.query;
        let way = Way::ALL[at / plan.reruns % Way::ALL.len()];
        format!("{query},{},{}", way.name(), at % plan.reruns + 1)
    };
    let columns = ["query", "strategy", "rerun", "error", "auc"].map(str::to_owned).to_vec();
    Layout { columns, keys: (0..plan.queries.len() * rows_per_query(plan)).map(key).collect() }
}

impl Program for Active {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let study = Study { known: vec![CHOSEN], ..(self.load)(job.data, job.options)? };
        let record = Record { general: job.general.clone(), plan: study.plan()? };
        record.claim(&job.place.record())?;
        let (plan, seed) = (record.plan, job.options.seed);
        let mut journal = Journal::open(&job.place.file(".csv"), layout(&plan))?;
        let tuned = study.tune(&plan, seed, job.place, watch)?;
        let (per_query, total) = (rows_per_query(&plan), layout(&plan).keys.len());
        watch(Progress { stage: "measuring", done: journal.done(), total });
        for query in 0..plan.queries.len() {
            let position = study.measured[query].0;
            let own = &study.queries[position];
            let cell = Cell { query, known: 0, rerun: 0, model: MODEL };
            let prepared = Prepared::new(MODEL, &tuned[plan.tuning_of(cell)], own)?;
            let compute = |at: usize| {
                let (way, rerun) = (Way::ALL[at / plan.reruns % Way::ALL.len()], at % plan.reruns);
                let stream = Phase::Measuring.of_pairs(position, CHOSEN, rerun);
                let marks = match way {
                    Way::Random => own.draw(CHOSEN, seed, stream),
                    _ => choose(own, &prepared, way, Seed(seed.0 ^ stream))?,
                };
                let Measures { error, auc } = prepared.measure(&Split::new(own, &marks))?;
                Ok(vec![Some(error), auc])
            };
            let rows = query * per_query..(query + 1) * per_query;
            journal.complete(rows, compute, |done| watch(Progress { stage: "measuring", done, total }))?;
        }
        Ok(())
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = layout(&plan).read_finished(&place.file(".csv"))?;
        Ok(rows.map(|rows| findings::sum_up(&plan, &rows)))
    }
}

/// Marks the pairs that a session asks when it may ask all of them.
fn choose(query: &Query, prepared: &Prepared, way: Way, seed: Seed) -> Result<Vec<bool>> {
    let params = SessionParams::new(way.strategy(query.items.len())).with_belief(BeliefKind::GpFull).with_seed(seed);
    let session = Session::new(prepared.kernel(), None, answers(), params)?;
    let mut session = session.with_pool(&query.pairs)?;
    let mut marks = vec![false; query.pairs.len()];
    for _ in 0..CHOSEN {
        let Some(Question { first, second, .. }) = session.ask()? else { break };
        let at = |better: ItemId, worse: ItemId| query.pairs.binary_search(&(better, worse)).ok();
        let (at, outcome) = match at(first, second) {
            Some(at) => (Some(at), Outcome::First),
            None => (at(second, first), Outcome::Second),
        };
        if let Some(at) = at {
            marks[at] = true;
        }
        session.tell(Answer::new(first, Some(second), outcome)?)?;
    }
    Ok(marks)
}

#[cfg(test)]
mod tests {
    use ordain::data::{Attributes, Relation};
    use ordain::gp::{Belief, EpParams};

    use super::super::models::Tuned;
    use super::*;

    /// Eight documents on a line, in no order of their grades.
    fn query() -> Query {
        let values: Vec<f64> = [0.0, 1.0, 2.5, 3.0, 4.5, 5.0, 7.0, 9.0].to_vec();
        let attributes = Attributes::new(vec!["x".into()], 8, values).unwrap();
        let grades = [0.0, 2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0].to_vec();
        let ids = (0..8).map(|id| id.to_string()).collect();
        Query::new("q".into(), ids, &attributes, Relation::new(8, vec![]).unwrap(), grades).unwrap()
    }

    /// The paper's rule against a scan of all pairs with EP after every answer. Ties would be broken by luck: the scan takes whichever
    /// the session took among pairs as good, and checks that it is.
    #[test]
    fn the_paper_s_rule_by_a_scan() {
        let query = query();
        let prepared = Prepared::new(MODEL, &Tuned::plain(MODEL), &query).unwrap();
        let params = SessionParams::new(Way::Ratio.strategy(8)).with_belief(BeliefKind::GpFull).with_seed(Seed(3));
        let session = Session::new(prepared.kernel(), None, answers(), params).unwrap();
        let mut session = session.with_pool(&query.pairs).unwrap();
        let mut known = Vec::new();
        for _ in 0..CHOSEN {
            let observations: Vec<_> = known.iter().map(|&(i, j)| answers().preferred(i, j)).collect();
            let belief = EpParams::default().fit(prepared.kernel(), &observations).unwrap();
            let score = |&(i, j): &(ItemId, ItemId)| {
                let covariance = belief.covariance(&[i, j]).unwrap();
                let variance = covariance[(0, 0)] + covariance[(1, 1)] - 2.0 * covariance[(0, 1)];
                let difference = belief.mean()[i.index()] - belief.mean()[j.index()];
                (variance / (difference * difference), variance)
            };
            let rest = query.pairs.iter().filter(|pair| !known.contains(*pair));
            let best = rest.map(score).max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
            let Question { first, second, .. } = session.ask().unwrap().unwrap();
            let pair = if query.pairs.contains(&(first, second)) { (first, second) } else { (second, first) };
            let own = score(&pair);
            // The session takes scores within 1e-9 of each other for equal.
            assert!(own.0 >= best.0 * (1.0 - 1e-8) && (best.0.is_finite() || own.1 >= best.1 * (1.0 - 1e-8)));
            known.push(pair);
            session.tell(Answer::new(pair.0, Some(pair.1), Outcome::First).unwrap()).unwrap();
        }
        let marks = choose(&query, &prepared, Way::Ratio, Seed(3)).unwrap();
        let chosen: Vec<_> = query.pairs.iter().zip(&marks).filter(|(_, mark)| **mark).map(|(pair, _)| *pair).collect();
        known.sort_unstable();
        assert_eq!(chosen, known);
    }

    #[test]
    fn every_way_chooses_so_many_pairs() {
        let query = query();
        let prepared = Prepared::new(MODEL, &Tuned::plain(MODEL), &query).unwrap();
        for way in Way::ALL {
            let marks = choose(&query, &prepared, way, Seed(1)).unwrap();
            assert_eq!(marks.iter().filter(|mark| **mark).count(), CHOSEN, "{way:?}");
        }
    }
}
