//! `ordain compare`: whether each kernel helps.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::gp::{Comparison, ComparisonParams, Lack, Score, TuningParams};
use ordain::measure::MeanInterval;
use ordain::numeric::Seed;
use ordain::{InputError, Project};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::output::{self, Format};
use crate::working::{during, working};
use crate::{Failure, Outcome, memory};

/// Say whether each kernel helps: do attributes, do links?
///
/// Compares the model with all kernels with the models that lack one of them. The measures are the prediction of
/// held-out answers (cross-validation; answers on the same pair are held out together) and the evidence. The log loss
/// of an answer is minus the logarithm of its predicted probability; a guess between two has 0.693. The error of an
/// answer is 1 if another outcome was predicted as more probable, a share if several were equally probable, and else 0.
/// Intervals hold the mean with 95 % probability, by bootstrap over pairs. They are somewhat too narrow, because folds
/// share answers and pairs share items. With fewer than 20 pairs they support no claim. A model without its only kernel
/// predicts that all items are equal.
///
/// Each model is tuned before every fold, on the answers of the other folds and from ordinary values. So no held-out
/// answer influences the parameters, even if `ordain tune` has learned from it. With more than a thousand compared items
/// and different pairs, folds start where the model is best with all answers. Each climbs to a maximum for the answers of
/// the other folds, but held-out answers may then decide which of several maxima that is. Noise that is learned, and the thresholds
/// of grades, are learned once from all answers. The evidence is shown for parameters
/// tuned on the same answers, so it favours models with many parameters. With --fixed, all models keep the values of
/// the project file. That is not a held-out test if these values were tuned on the answers.
///
/// JSON: {"models":[{"model","without"?,"log_loss":{"mean","low","high"},"error":{...},"log_evidence","difference"?:
/// {"log_loss":{...},"error":{...},"log_evidence"}}...],"answers","pairs","folds","repeats","tuned"}. "without" is the
/// position of the kernel in the file, from 0. "difference" is to the model with all kernels: a positive log loss says
/// that the kernel helps. "tuned" is false with --fixed.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain compare
  ordain compare --fixed --folds 5")]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The number of folds. Each fold is predicted from the others. At most the number of pairs
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    /// The number of times that answers are dealt into folds anew, at most 1000
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// The seed of folds and bootstrap [default: the project's seed]
    #[arg(long)]
    seed: Option<u64>,
    /// Keep the values of the project file instead of tuning each model on the answers of the other folds
    #[arg(long)]
    fixed: bool,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Serialize)]
struct Report {
    models: Vec<ModelReport>,
    answers: usize,
    pairs: usize,
    folds: u32,
    repeats: u32,
    tuned: bool,
}

#[derive(Serialize)]
struct ModelReport {
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    without: Option<usize>,
    #[serde(flatten)]
    score: ScoreReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<ScoreReport>,
}

#[derive(Serialize)]
struct ScoreReport {
    log_loss: IntervalReport,
    error: IntervalReport,
    log_evidence: f64,
}

#[derive(Serialize)]
struct IntervalReport {
    mean: f64,
    low: f64,
    high: f64,
}

impl From<MeanInterval> for IntervalReport {
    fn from(MeanInterval { low, mean, high }: MeanInterval) -> Self {
        Self { mean, low, high }
    }
}

impl From<Score> for ScoreReport {
    fn from(Score { log_loss, error, log_evidence }: Score) -> Self {
        Self { log_loss: log_loss.into(), error: error.into(), log_evidence }
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = during("reading the project", || Project::open(&arguments.project))?;
    project.set_memory(memory::available());
    check_pairs(&project, arguments.folds)?;
    let seed = Seed(arguments.seed.unwrap_or(project.model().ask().seed));
    let working = working("comparing");
    let params = ComparisonParams::default()
        .with_folds(arguments.folds as usize)
        .with_repeats(arguments.repeats as usize)
        .with_seed(seed)
        .with_tuning((!arguments.fixed).then(|| TuningParams::default().with_seed(seed)))
        .with_watch(working.watch());
    let comparison = project.compare(&params)?;
    drop(working);
    let names = project.kernel_names();
    match arguments.format {
        Format::Json => output::json(&report(&comparison, &names, arguments)),
        Format::Csv => csv(&report(&comparison, &names, arguments)),
        Format::Table => show(&comparison, &names, arguments),
    }
}

/// Checks that every fold gets a pair, or a single item that was called good or bad.
fn check_pairs(project: &Project, folds: u32) -> Outcome {
    let observations = project.observations()?;
    let pairs = observations.iter().map(|observation| observation.functional).collect::<HashSet<_>>().len();
    if pairs >= folds as usize {
        return Ok(());
    }
    let hint = match pairs {
        0 | 1 => "record more first: ordain answer FIRST SECOND".into(),
        _ => format!("record more, or take fewer folds: --folds {pairs}"),
    };
    let expected = format!("answers on at least {folds} different pairs, one for each fold");
    let answers = output::count(observations.len(), "answer");
    let found = format!("{answers} on {}", output::count(pairs, "pair"));
    Err(Failure::Library(InputError::new(&project.file().answers, expected).found(found).hint(hint).into()))
}

const ALL: &str = "all kernels";

fn report(comparison: &Comparison, names: &[String], arguments: &Arguments) -> Report {
    let all = ModelReport { model: ALL.into(), without: None, score: comparison.all.into(), difference: None };
    let lack = |(number, (lack, name)): (usize, (&Lack, &String))| ModelReport {
        model: format!("without {name}"),
        without: Some(number),
        score: lack.score.into(),
        difference: Some(lack.difference.into()),
    };
    Report {
        models: std::iter::once(all).chain(comparison.without.iter().zip(names).enumerate().map(lack)).collect(),
        answers: comparison.answers,
        pairs: comparison.pairs,
        folds: arguments.folds,
        repeats: arguments.repeats,
        tuned: !arguments.fixed,
    }
}

/// Writes CSV, one row per model. The model with all kernels has no differences.
fn csv(report: &Report) -> Outcome {
    let parts =
        ["log_loss", "error"].into_iter().flat_map(|loss| ["", "_low", "_high"].map(|end| format!("{loss}{end}")));
    let score: Vec<String> = parts.chain(["log_evidence".into()]).collect();
    let difference = score.iter().map(|name| format!("difference_{name}"));
    let header: Vec<String> =
        ["model".into(), "without".into()].into_iter().chain(score.clone()).chain(difference).collect();
    let cells = |score: &ScoreReport| {
        let interval = |interval: &IntervalReport| [interval.mean, interval.low, interval.high];
        let numbers = interval(&score.log_loss).into_iter().chain(interval(&score.error)).chain([score.log_evidence]);
        numbers.map(|number| number.to_string()).collect::<Vec<_>>()
    };
    let rows = report.models.iter().map(|model| {
        let without = model.without.map(|number| number.to_string()).unwrap_or_default();
        let difference = model.difference.as_ref().map_or_else(|| vec![String::new(); score.len()], cells);
        [model.model.clone(), without].into_iter().chain(cells(&model.score)).chain(difference).collect()
    });
    output::csv_table(&header, rows)
}

/// Shows the table for people, a picture of the differences, and a verdict in words.
fn show(comparison: &Comparison, names: &[String], arguments: &Arguments) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut rows = vec![cells(&comparison.all, None)];
    rows.extend(comparison.without.iter().map(|lack| cells(&lack.score, Some(&lack.difference))));
    let mut headings = vec!["log loss (95 %)", "error", "log evidence", "change of log loss (95 %)"];
    let width = |column: usize| {
        let cells = rows.iter().map(|cells| cells[column].width());
        cells.chain([headings[column].width()]).max().unwrap_or(0) + PADDING
    };
    let mut room = output::columns().saturating_sub((0..headings.len()).map(width).sum::<usize>() + PADDING);
    if room < SHORTEST {
        // The words below contain it too.
        room += width(headings.len() - 1);
        headings.pop();
    }
    table.set_header(std::iter::once("model").chain(headings.iter().copied()));
    let models = std::iter::once(ALL.to_owned()).chain(names.iter().map(|name| format!("without {name}")));
    for (model, cells) in models.zip(rows) {
        let model = output::cut(&model, room.max(SHORTEST));
        table.add_row(std::iter::once(model).chain(cells.into_iter().take(headings.len())));
    }
    for column in 1..=headings.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)?;
    output::text("")?;
    let longest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    for line in picture(comparison, names, share(output::columns(), longest)) {
        output::text(line)?;
    }
    output::text("")?;
    for (lack, name) in comparison.without.iter().zip(names) {
        output::text(verdict(lack, name, comparison.pairs))?;
    }
    let pairs = output::count(comparison.pairs, "pair");
    let answers = output::count(comparison.answers, "answer");
    let repeats = if arguments.repeats > 1 { format!(" {} times", arguments.repeats) } else { String::new() };
    let how = if arguments.fixed {
        "at the values of the file: no held-out test if these were tuned on the answers"
    } else {
        "each model tuned on the other folds' answers"
    };
    output::note(format!("{answers} on {pairs}, in {} folds{repeats}, {how}", arguments.folds));
    Ok(())
}

/// The spaces of a cell: one on either side.
const PADDING: usize = 2;

/// The shortest length to which names are cut.
const SHORTEST: usize = 12;

/// The widths of the names and of the picture beside them. There is a space before both, and two between them.
fn share(terminal: usize, names: usize) -> (usize, usize) {
    const SMALLEST: usize = 20;
    const LARGEST: usize = 50;
    const SPACES: usize = 3;
    let names = match terminal.checked_sub(SHORTEST + SMALLEST + SPACES) {
        Some(_) => names.min(terminal - SMALLEST - SPACES).max(SHORTEST),
        None => terminal / 3,
    };
    (names, terminal.saturating_sub(names + SPACES).clamp(1, LARGEST))
}

fn cells(score: &Score, difference: Option<&Score>) -> [String; 4] {
    let Score { log_loss, error, log_evidence } = score;
    let signed = |one: &MeanInterval| format!("{:+.3} [{:+.3}, {:+.3}]", one.mean, one.low, one.high);
    [
        format!("{:.3} [{:.3}, {:.3}]", log_loss.mean, log_loss.low, log_loss.high),
        format!("{:.1} %", 100.0 * error.mean),
        output::fixed(*log_evidence, 2),
        difference.map(|difference| signed(&difference.log_loss)).unwrap_or_default(),
    ]
}

/// The changes of the log loss without each kernel, on one scale with a line at no change.
fn picture(comparison: &Comparison, names: &[String], (name, width): (usize, usize)) -> Vec<String> {
    let changes: Vec<MeanInterval> = comparison.without.iter().map(|lack| lack.difference.log_loss).collect();
    let from = changes.iter().map(|change| change.low).fold(0.0, f64::min);
    let to = changes.iter().map(|change| change.high).fold(0.0, f64::max);
    let none = if to > from { (-from / (to - from) * (width - 1) as f64).round() as usize } else { 0 };
    let draw = |change: &MeanInterval| {
        let picture = output::draw_interval(change.low, change.mean, change.high, (from, to), width);
        let with_line = picture.chars().enumerate().map(|(at, cell)| match cell {
            ' ' if at == none => '│',
            '─' if at == none => '┼',
            cell => cell,
        });
        with_line.collect::<String>().trim_end().to_owned()
    };
    let label = |text: &str| {
        let text = output::cut(text, name);
        format!("{}{text}", " ".repeat(name.saturating_sub(text.width())))
    };
    let heading = "change of log loss without it; right of the line: it helps";
    let lines = names.iter().zip(&changes).map(|(name, change)| format!(" {}  {}", label(name), draw(change)));
    std::iter::once(format!(" {heading}")).chain(lines).collect()
}

/// The fewest pairs that support a claim. The percentile bootstrap of n values is narrower than Student's interval by
/// sqrt((n - 1) / n) 1.96 / t, which is 37 % for 5 values, 18 % for 10 and 9 % for 20. It also ignores the skewness of
/// losses, and two pairs that agree would exclude "no change" with certainty.
const FEWEST_PAIRS: usize = 20;

/// What may be claimed of a kernel, in words.
pub fn claim(Lack { difference, .. }: &Lack, pairs: usize) -> &'static str {
    let MeanInterval { low, high, .. } = difference.log_loss;
    if pairs < FEWEST_PAIRS {
        "too few pairs to tell"
    } else if low > 0.0 {
        "helps"
    } else if high < 0.0 {
        "does harm here"
    } else {
        "no evidence that it helps"
    }
}

/// The verdict on a kernel, in words.
fn verdict(lack: &Lack, name: &str, pairs: usize) -> String {
    let MeanInterval { low, mean, high } = lack.difference.log_loss;
    let claim = claim(lack, pairs);
    format!("{name}: {claim}; without it the log loss changes by {mean:+.3} (95 % interval {low:+.3} to {high:+.3})")
}

#[cfg(test)]
mod tests {
    use ordain::gp::{Comparison, Lack, Score};
    use ordain::measure::MeanInterval;

    use super::{FEWEST_PAIRS, picture, share, verdict};

    fn lack(low: f64, mean: f64, high: f64) -> Lack {
        let interval = MeanInterval { low, mean, high };
        let score = Score { log_loss: interval, error: interval, log_evidence: -2.0 };
        Lack { score, difference: score }
    }

    #[test]
    fn words_follow_the_interval() {
        let helps = "x: helps; without it the log loss changes by +0.200 (95 % interval +0.100 to +0.300)";
        assert_eq!(verdict(&lack(0.1, 0.2, 0.3), "x", FEWEST_PAIRS), helps);
        assert!(verdict(&lack(-0.3, -0.2, -0.1), "x", 100).starts_with("x: does harm here; "));
        for (low, mean, high) in [(-0.1, 0.2, 0.3), (0.0, 0.0, 0.0), (-0.3, -0.2, 0.1)] {
            assert!(verdict(&lack(low, mean, high), "x", 100).starts_with("x: no evidence that it helps; "));
        }
    }

    #[test]
    fn few_pairs_say_nothing_firm() {
        for (low, mean, high) in [(0.1, 0.2, 0.3), (-0.3, -0.2, -0.1), (-0.1, 0.0, 0.1)] {
            let words = verdict(&lack(low, mean, high), "x", FEWEST_PAIRS - 1);
            assert!(words.starts_with("x: too few pairs to tell; without it the log loss changes by "), "{words}");
        }
    }

    #[test]
    fn the_line_of_no_change() {
        let without = vec![lack(0.0, 1.0, 2.0), lack(-2.0, -1.0, 1.0), lack(1.0, 1.5, 2.0)];
        let comparison = Comparison { answers: 1, pairs: 1, all: without[0].score, without };
        let shown = picture(&comparison, &["a".into(), "long name".into(), "b".into()], (5, 9));
        assert_eq!(shown[1..], ["     a      ├─●─┤", " long…  ├─●─┼─┤", "     b      │ ├●┤"]);
    }

    #[test]
    fn names_give_way_to_the_picture() {
        assert_eq!(share(100, 30), (30, 50));
        assert_eq!(share(60, 30), (30, 27));
        assert_eq!(share(40, 30), (17, 20));
        assert_eq!(share(20, 30), (6, 11));
        assert_eq!(share(2, 30), (0, 1));
    }
}
