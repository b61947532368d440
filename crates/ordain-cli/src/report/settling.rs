//! How the ranking settled over the answers.

use std::collections::HashSet;

use ordain::active::CertaintyParams;
use ordain::data::{AnswerLog, Entry, Outcome};
use ordain::measure::Mean;
use ordain::numeric::Seed;
use ordain::{Fitted, Inference, Project, Ranking};
use ordain_plot::{Across, Lines, Range, Series, html};

use crate::Failure;
use crate::rank::Shown;
use crate::working::working;

/// The state of the ranking after some answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub answers: usize,
    /// The expected share of pairs in the wrong order.
    pub wrong: f64,
    /// The probability that the goal is reached.
    pub reached: f64,
}

/// How the ranking settled.
pub enum Course {
    /// From no answer to all.
    Known(Vec<Point>),
    /// There is no answer.
    NoAnswers,
    /// There is one item, so nothing can settle.
    OneItem,
    /// It would take too long.
    Long,
}

/// The most points of a course.
const POINTS: usize = 30;

/// The fewest points that make a curve.
const FEWEST: usize = 6;

/// Learns from the first answers of the log anew, as `rank` learns from all, at evenly spaced points from 0 to the end.
/// There are fewer points where 30 take too long.
pub fn replay(project: &Project, fitted: &Fitted, shown: &Shown, full: bool) -> Result<Course, Failure> {
    let model = project.model();
    let log: Vec<Entry> = model
        .answers()
        .standing()
        .into_iter()
        .filter(|answer| answer.outcome != Outcome::Skip)
        .map(|answer| Entry::Answer(answer.clone()))
        .collect();
    if log.is_empty() {
        return Ok(Course::NoAnswers);
    }
    if model.items().len() < 2 {
        return Ok(Course::OneItem);
    }
    let draws = CertaintyParams::default().draws.min(512);
    let points = if full { POINTS } else { affordable(project, fitted, draws) };
    if points < FEWEST {
        return Ok(Course::Long);
    }
    let working = working("replaying the answers");
    let marks = marks(log.len(), points);
    let (last, earlier) = marks.split_last().expect("there are at least two marks");
    let mut out = Vec::with_capacity(marks.len());
    for (done, &answers) in earlier.iter().enumerate() {
        working.progress(done, marks.len());
        let model = model.clone().with_answers(AnswerLog::new(log[..answers].to_vec())?)?;
        let fitted = model.fit(Inference::Ep, &ordain::Watch::NONE).map_err(|error| project.file().place(error))?;
        let params = CertaintyParams::default().with_draws(draws).with_seed(Seed(model.ask().seed));
        out.push(point(answers, shown, &Ranking { items: Vec::new(), groups: fitted.certainty(&params)? }));
    }
    // The end is what the rest of the page says.
    out.push(point(*last, shown, &shown.ranking));
    Ok(Course::Known(out))
}

fn point(answers: usize, shown: &Shown, ranking: &Ranking) -> Point {
    Point { answers, wrong: ranking.wrong_pairs(), reached: ranking.probability(&shown.rule) }
}

/// Evenly spaced numbers of answers from 0 to all: at most this many.
fn marks(answers: usize, points: usize) -> Vec<usize> {
    let mut marks: Vec<usize> = (0..points).map(|at| at * answers / (points - 1)).collect();
    marks.dedup();
    marks
}

/// The number of points that take about half a minute on two cores.
fn affordable(project: &Project, fitted: &Fitted, draws: usize) -> usize {
    const BUDGET: f64 = 1e11;
    /// Rounds of EP over the items that were compared, with the answers. Noise that is learned is tried at many values.
    const HELD: f64 = 30.0;
    const LEARNED: f64 = 600.0;
    /// Operations per answer and draw.
    const LIKELIHOODS: f64 = 150.0;
    let standing = project.model().answers().standing();
    let answers = standing.len() as f64;
    let compared: HashSet<_> =
        standing.iter().flat_map(|answer| [Some(answer.first), answer.second]).flatten().collect();
    let size = answers.min(compared.len() as f64);
    let learning = if fitted.answer_model().learns() { LEARNED } else { HELD } * size * size * (size + answers) / 4.0;
    let group = |size: usize| {
        let size = size as f64;
        size * size * size / 3.0 + draws as f64 * size * (size + 20.0)
    };
    let drawing: f64 = project.items().group_sizes().into_iter().map(group).sum();
    let each = learning + drawing + draws as f64 * LIKELIHOODS * answers;
    (BUDGET / each).min(POINTS as f64) as usize
}

/// The section.
pub fn section(course: &Course) -> String {
    let words = match course {
        Course::Known(points) => return known(points),
        Course::NoAnswers => return String::new(),
        Course::OneItem => "There is one item, so there is nothing to settle.".to_owned(),
        Course::Long => {
            "To learn from the first answers anew takes long in a project of this size, so this part is left \
                         out. <code>ordain report --full</code> makes it."
                .to_owned()
        }
    };
    format!("<h2>How the ranking settled</h2>\n<p class=\"notice\">{words}</p>\n")
}

fn known(points: &[Point]) -> String {
    let most = points.last().map_or(0, |point| point.answers);
    let chart = |title: &str, name: &str, least: f64, of: fn(&Point) -> f64| {
        let mean = |point: &Point| (point.answers as f64, Mean { value: of(point), error: 0.0 });
        let series = vec![Series { title: title.into(), points: points.iter().map(mean).collect() }];
        let (_, high) = Range::of(&series);
        // Without answers half of the pairs are wrong; draws miss that by less than a hundredth, which is no reason for another tick.
        let up = Range::percent(name, 0.0, (100.0 * high).round().max(100.0 * least) / 100.0);
        Lines { title: title.into(), across: Across::UpTo("Answers".into(), most), up, series }.draw()
    };
    let wrong = chart("Expected wrong pairs", "Pairs in the wrong order", 0.1, |point| point.wrong);
    let reached = chart("How sure the goal was", "Probability of the goal", 1.0, |point| point.reached);
    let figures = html::figures([
        (wrong.as_str(), "How many of all pairs were expected to be in the wrong order."),
        (reached.as_str(), "The probability that the goal was reached."),
    ]);
    format!("<h2>How the ranking settled</h2>\n<p>What the answers up to each moment said.</p>\n{figures}\n")
}

#[cfg(test)]
mod tests {
    use super::marks;

    #[test]
    fn marks_begin_at_no_answer_and_end_at_all() {
        assert_eq!(marks(1, 30), [0, 1]);
        assert_eq!(marks(10, 6), [0, 2, 4, 6, 8, 10]);
        for answers in [1, 2, 7, 29, 30, 31, 1000] {
            let marks = marks(answers, 30);
            assert_eq!((marks[0], marks[marks.len() - 1]), (0, answers));
            assert!(marks.len() == 30.min(answers + 1) && marks.windows(2).all(|two| two[0] < two[1]), "{marks:?}");
        }
    }
}
