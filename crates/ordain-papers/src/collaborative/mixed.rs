//! `cor-mixed`: grades and answers about pairs in one model.

use std::fmt::Write;

use ordain::active::AskOptions;
use ordain::data::{Answer, AnswerLog, Ask, Attributes, Entry, GradeScale, ItemId, Items, Outcome};
use ordain::gp::{AnswerModel, Belief, predict};
use ordain::kernel::{Form, KernelSpec, Over, Shape};
use ordain::measure::{Mean, mean};
use ordain::numeric::{Seed, Stream};
use ordain::{Inference, Model, Result, Watch};
use ordain_plot::html;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::PAPER;
use super::jester::{grade_of, parted, quantiles};
use super::methods::GRADES;
use crate::collections::jester::{self, FILE, JOKES, User};
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "cor-mixed",
    title: "Grades and pairs of one person in one model",
    paper: PAPER,
    figure: "sections 2.3 and 5",
    duration: "half a minute",
    claim: "Grades and answers about pairs are observations of the same utilities. How they do together is left open.",
    setting: "No experiment.",
    design: &[
        "Jester: each of the 100 users with most ratings is one person, who grades jokes from 1 to 5 (the quintiles of all others' ratings) \
         and says which of two jokes has the higher rating. 200 pairs of jokes that were not asked test.",
        "Jokes are alike as far as 300 other users rate them alike (a linear kernel), and have a part of their own. Noise and thresholds are learned from the \
         person's answers alone, as in a project that `ordain init` writes.",
        "At random: 60 grades; 60 pairs; 30 of each; 60 of each. Asked: 60 questions that `ordain ask` chooses, once pairs alone and once \
         with `grades = true`.",
    ],
    differences: &[],
    data: &[FILE],
    settings: 1,
    program: &Mixed,
};

struct Mixed;

/// The users by whose ratings jokes are alike.
const OTHERS: usize = 300;

/// The questions of either kind.
const QUESTIONS: usize = 60;

/// The pairs that test.
const TESTS: usize = 200;

/// What is learned from.
const WAYS: [&str; 6] =
    ["60 grades", "60 pairs", "30 grades, 30 pairs", "60 grades, 60 pairs", "asked pairs", "asked both"];

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    persons: usize,
    ends: Vec<f64>,
}

impl Plan {
    fn layout(&self) -> Layout {
        let measured = WAYS.iter().flat_map(|way| {
            let way = way.replace(", ", "_").replace(' ', "_");
            [format!("{way}_accuracy"), format!("{way}_log_loss")]
        });
        let columns =
            ["person"].into_iter().map(str::to_owned).chain(measured).chain(["asked_grades".into()]).collect();
        Layout { columns, keys: (1..=self.persons).map(|person| person.to_string()).collect() }
    }
}

impl Program for Mixed {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let (persons, others) = parted(jester::read(job.data)?);
        let count = if job.options.quick { 4 } else { persons.len() };
        let plan = Plan { persons: count, ends: quantiles(&others) };
        Record { general: job.general.clone(), plan: plan.clone() }.claim(&job.place.record())?;
        let mut journal = Journal::open(&job.place.file(".csv"), plan.layout())?.in_batches_of(2);
        watch(Progress { stage: "measuring", done: journal.done(), total: count });
        let model = jokes_alike(&others[..OTHERS.min(others.len())])?;
        let compute = |at: usize| Person::new(&model, &persons[at], &plan.ends, job.options.seed, at).measure();
        journal.complete(0..count, compute, |done| watch(Progress { stage: "measuring", done, total: count }))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.layout().read_finished(&place.file(".csv"))?;
        Ok(rows.map(|rows| findings(&plan, &rows)))
    }
}

/// The jokes without answers. What other users say of them are their attributes; a user's mean stands for what he did not rate.
fn jokes_alike(others: &[User]) -> Result<Model> {
    let mut values = vec![0.0; JOKES * others.len()];
    for (column, user) in others.iter().enumerate() {
        let own = mean(&user.iter().map(|(_, value)| *value).collect::<Vec<_>>());
        (0..JOKES).for_each(|joke| values[joke * others.len() + column] = own);
        user.iter().for_each(|&(joke, value)| values[joke * others.len() + column] = value);
    }
    let names = (0..others.len()).map(|user| user.to_string()).collect();
    let attributes = Attributes::new(names, JOKES, values)?.standardized(None)?;
    let items = Items::new((0..JOKES).map(|joke| joke.to_string()).collect(), None, attributes)?;
    let form = Form::Linear { kappa: 1.0 / (others.len() as f64).sqrt() };
    let kernels =
        vec![KernelSpec::new(1.0, Shape::Vector { form, over: Over::Attributes }), KernelSpec::independent(0.5)];
    Ok(Model::new(items, kernels)?.with_answer_model(AnswerModel::learning(0.0)?))
}

/// One person, and what is asked.
struct Person<'a> {
    model: &'a Model,
    /// The rating of every joke, if there is one.
    ratings: Vec<Option<f64>>,
    ends: &'a [f64],
    graded: Vec<usize>,
    compared: Vec<(usize, usize)>,
    tests: Vec<(usize, usize)>,
}

impl<'a> Person<'a> {
    fn new(model: &'a Model, user: &User, ends: &'a [f64], seed: Seed, number: usize) -> Self {
        let mut stream = seed.stream(Phase::Measuring.of_match(number, 0));
        let mut ratings = vec![None; JOKES];
        user.iter().for_each(|&(joke, rating)| ratings[joke] = Some(rating));
        let mut graded: Vec<usize> = user.iter().map(|(joke, _)| *joke).collect();
        graded.shuffle(&mut stream);
        graded.truncate(QUESTIONS);
        let mut pairs = Vec::new();
        while pairs.len() < QUESTIONS + TESTS {
            pairs.extend(some_pair(user, &mut stream).filter(|pair| !pairs.contains(pair)));
        }
        let tests = pairs.split_off(QUESTIONS);
        Self { model, ratings, ends, graded, compared: pairs, tests }
    }

    fn grade(&self, joke: usize) -> Result<Answer> {
        let grade = grade_of(self.ratings[joke].unwrap_or(0.0), self.ends) as i32 + 1;
        Answer::new(ItemId::new(joke), None, Outcome::Grade(grade))
    }

    fn compare(&self, first: usize, second: usize) -> Result<Answer> {
        let outcome = if self.ratings[first] > self.ratings[second] { Outcome::First } else { Outcome::Second };
        Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome)
    }

    fn measure(&self) -> Result<Row> {
        let mut row = Row::new();
        for (grades, pairs) in [(QUESTIONS, 0), (0, QUESTIONS), (QUESTIONS / 2, QUESTIONS / 2), (QUESTIONS, QUESTIONS)]
        {
            row.extend(self.at_random(grades, pairs)?.map(Some));
        }
        let (pairs, _) = self.asked(false)?;
        let (both, grades) = self.asked(true)?;
        row.extend(pairs.into_iter().chain(both).chain([grades]).map(Some));
        Ok(row)
    }

    /// Accuracy and log loss after so many grades and pairs.
    fn at_random(&self, grades: usize, pairs: usize) -> Result<[f64; 2]> {
        let graded = self.graded[..grades].iter().map(|&joke| self.grade(joke));
        let compared = self.compared[..pairs].iter().map(|&(first, second)| self.compare(first, second));
        let entries = graded.chain(compared).map(|answer| answer.map(Entry::Answer)).collect::<Result<Vec<_>>>()?;
        let model = self.model.clone().with_grades(scale()?, Vec::new())?.with_answers(AnswerLog::new(entries)?)?;
        let fitted = model.fit(Inference::Ep, &Watch::NONE)?;
        self.errors(fitted.belief(), fitted.answer_model())
    }

    /// The same after as many questions as a session asks, and the number of grades among them. Of two jokes of which one is not rated,
    /// or which are a pair that tests, the judge says nothing.
    fn asked(&self, with_grades: bool) -> Result<([f64; 2], f64)> {
        let model = self.model.clone().with_ask(Ask::default().with_grades(with_grades));
        let model = if with_grades { model.with_grades(scale()?, Vec::new())? } else { model };
        let mut session = model.session(&AskOptions::default(), None, &Watch::NONE)?;
        let (mut questions, mut grades) = (0, 0.0);
        while questions < QUESTIONS {
            let Some(pair) = session.ask()? else { break };
            if let Some(question) = session.grade_instead(&pair)? {
                let joke = question.item.index();
                let known = self.ratings[joke].is_some();
                session.tell(if known { self.grade(joke)? } else { question.answer(None)? })?;
                questions += usize::from(known);
                grades += f64::from(u8::from(known));
                continue;
            }
            let (first, second) = (pair.first.index(), pair.second.index());
            let known = self.ratings[first].is_some() && self.ratings[second].is_some();
            let tests = self.tests.contains(&(first.min(second), first.max(second)));
            let decided = known && !tests && self.ratings[first] != self.ratings[second];
            session.tell(if decided { self.compare(first, second)? } else { pair.answer(Outcome::Skip)? })?;
            questions += usize::from(decided);
        }
        Ok((self.errors(session.belief(), session.model())?, grades))
    }

    /// Accuracy and log loss of the pairs that test.
    fn errors(&self, belief: &dyn Belief, model: &AnswerModel) -> Result<[f64; 2]> {
        let (mut right, mut loss) = (0.0, 0.0);
        for &(first, second) in &self.tests {
            let found = predict(belief, model, ItemId::new(first), ItemId::new(second))?.probability;
            let share = if self.ratings[first] > self.ratings[second] { found } else { 1.0 - found };
            right += f64::from(u8::from(share > 0.5));
            loss -= share.max(1e-12).ln();
        }
        let count = self.tests.len() as f64;
        Ok([right / count, loss / count])
    }
}

fn scale() -> Result<GradeScale> {
    GradeScale::new(1, GRADES as i32)
}

/// Two jokes that a user rated differently, the smaller number first.
fn some_pair(user: &User, stream: &mut Stream) -> Option<(usize, usize)> {
    let mut any = || user[stream.random_range(0..user.len())];
    let ((first, one), (second, other)) = (any(), any());
    (one != other).then(|| (first.min(second), first.max(second)))
}

/// A measure of a way, person by person.
fn column(rows: &[Row], way: usize, measure: usize) -> Vec<f64> {
    rows.iter().map(|row| row[2 * way + measure].unwrap_or(f64::NAN)).collect()
}

/// The mean difference of two ways, over persons.
fn difference(rows: &[Row], measure: usize, own: usize, other: usize) -> Mean {
    let pairs = column(rows, own, measure).into_iter().zip(column(rows, other, measure));
    Mean::of(&pairs.map(|(own, other)| own - other).collect::<Vec<_>>())
}

fn findings(plan: &Plan, rows: &[Row]) -> Findings {
    let line = |way: usize| {
        let cell = |measure: usize| {
            let found = Mean::of(&column(rows, way, measure));
            format!("{:.4} ± {:.4}", found.value, found.error)
        };
        vec![WAYS[way].to_owned(), cell(0), cell(1)]
    };
    let header = ["learned from", "accuracy", "log loss"];
    let table: Vec<Vec<String>> = (0..WAYS.len()).map(line).collect();
    let mut comparison = String::new();
    for (own, other) in [(3, 0), (3, 1), (2, 0), (2, 1), (5, 4)] {
        let (accuracy, loss) = (difference(rows, 0, own, other), difference(rows, 1, own, other));
        let _ = write!(
            comparison,
            "<p>{} less {}: accuracy {} ± {:.4}, log loss {} ± {:.4}.</p>",
            WAYS[own],
            WAYS[other],
            html::signed(accuracy.value, 4),
            accuracy.error,
            html::signed(loss.value, 4),
            loss.error
        );
    }
    let grades = mean(&rows.iter().map(|row| row[2 * WAYS.len()].unwrap_or(f64::NAN)).collect::<Vec<_>>());
    let note = "means over persons with their standard errors".to_owned();
    Findings {
        measured: html::table(&format!("Pairs that were not asked: {note}."), &header, &table),
        gist: Gist { title: "Held-out pairs".into(), header: header.map(str::to_owned).to_vec(), rows: table, note },
        how: format!(
            "<p>{} persons, {TESTS} pairs each. Of {QUESTIONS} questions that were asked with grades, {grades:.1} were for grades.</p>",
            plan.persons
        ),
        comparison,
        files: Vec::new(),
    }
}
