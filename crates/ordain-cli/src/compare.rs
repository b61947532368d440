//! `ordain compare`: whether each kernel helps.

use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::formats::Project;
use ordain::gp::{Comparison, ComparisonParams, Lack, Score, Setting, TuningParams};
use ordain::kernel::KernelSpec;
use ordain::measure::MeanInterval;
use ordain::numeric::Seed;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::Outcome;
use crate::model::{observe, open_project, working};
use crate::output::{self, Format};

/// Say whether each kernel helps: do attributes, do links?
///
/// Compares the model with all kernels to the models without one of them, by how well they predict answers that were
/// held out (cross-validation; answers on the same pair are held out together) and by the evidence. The log loss of an answer is
/// minus the logarithm of the probability it was given, 0.693 for a guess between two; its error counts 1 if another
/// outcome was thought more probable, and a share if it was a draw. Intervals hold the mean with 95 % probability, by
/// bootstrap over pairs; as folds share answers and pairs share items, they are somewhat too narrow. Without its only kernel,
/// a model takes all items for equal.
///
/// The parameters are those of the project file, for all models; with --tune each model is tuned first, before every
/// fold on the other folds' answers.
///
/// JSON: {"models":[{"model","without"?,"log_loss":{"mean","low","high"},"error":{...},"log_evidence","difference"?:
/// {"log_loss":{...},"error":{...},"log_evidence"}}...],"answers","pairs","folds","repeats","tuned"}; "without" is the number of the kernel
/// in the file, from 0, and a difference is to the model with all kernels, so that a positive loss says that the kernel helps.
#[derive(Args)]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// How many parts the answers are dealt into, each predicted from the others
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    /// How often they are dealt anew
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// What is dealt and drawn by [default: the project's seed]
    #[arg(long)]
    seed: Option<u64>,
    /// Tune every model before it is compared
    #[arg(long)]
    tune: bool,
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
    let project = open_project(&arguments.project)?;
    let (model, _) = observe(&project, &project.answers)?;
    let seed = Seed(arguments.seed.unwrap_or(project.ask.seed));
    let params = ComparisonParams {
        folds: arguments.folds as usize,
        repeats: arguments.repeats as usize,
        seed,
        tuning: arguments.tune.then(|| TuningParams { seed, ..TuningParams::default() }),
        ..ComparisonParams::default()
    };
    let setting = Setting {
        kernels: &project.kernels,
        items: &project.items,
        relations: &project.relations,
        answers: &project.answers.standing(),
        model,
    };
    let working = working("comparing");
    let comparison = params.compare(setting, |done, all| working.say(format!("comparing: {done} of {all} fits")))?;
    drop(working);
    let names = kernel_names(&project);
    match arguments.format {
        Format::Json => output::json(&report(&comparison, &names, arguments)),
        Format::Csv => csv(&report(&comparison, &names, arguments)),
        Format::Table => show(&comparison, &names, arguments),
    }
}

/// What the kernels are called: by their kind and relation, and by their number too where that is not enough.
fn kernel_names(project: &Project) -> Vec<String> {
    let name = |spec: &KernelSpec| {
        let file = spec.shape.relation().and_then(|relation| project.relation_files[relation].file_name());
        let over = file.map(|file| format!(" over {}", file.to_string_lossy())).unwrap_or_default();
        format!("{}{over}", spec.shape.kind())
    };
    let names: Vec<String> = project.kernels.iter().map(name).collect();
    let several = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let numbered = names.iter().enumerate().map(|(number, name)| match several(name) {
        true => format!("{name} (kernel[{number}])"),
        false => name.clone(),
    });
    numbered.collect()
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
        tuned: arguments.tune,
    }
}

/// One row a model; differences of the model with all kernels are empty.
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

/// The table for people, with a picture of the differences, and what follows from it in words.
fn show(comparison: &Comparison, names: &[String], arguments: &Arguments) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let numbers: Vec<[String; 5]> = std::iter::once(cells(&comparison.all, None))
        .chain(comparison.without.iter().map(|lack| cells(&lack.score, Some(&lack.difference))))
        .collect();
    let headings = ["log loss (95 %)", "error", "change (95 %)", "log evidence", "change"];
    let models: Vec<String> =
        std::iter::once(ALL.to_owned()).chain(names.iter().map(|name| format!("without {name}"))).collect();
    let widest = |column: usize| {
        let cells = numbers.iter().map(|cells| cells[column].width());
        cells.chain([headings[column].width()]).max().unwrap_or(0) + PADDING
    };
    let fixed: usize = (0..headings.len()).map(widest).sum();
    let (model, picture) = share(output::columns(), fixed, models.iter().map(|name| name.width()).max().unwrap_or(0));
    let titles = std::iter::once("model").chain(headings).chain((picture > 0).then_some("change of log loss"));
    table.set_header(titles);
    let pictures = pictures(comparison, picture);
    for ((name, cells), picture) in models.iter().zip(numbers).zip(pictures) {
        table.add_row(std::iter::once(output::cut(name, model)).chain(cells).chain(picture));
    }
    for column in 1..=headings.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::text(table.trim_fmt())?;
    output::text("")?;
    for (lack, name) in comparison.without.iter().zip(names) {
        output::text(verdict(lack, name))?;
    }
    let Comparison { answers, pairs, .. } = comparison;
    let how =
        if arguments.tune { "each model tuned" } else { "at the values of the project file (--tune tunes each model)" };
    let repeats = if arguments.repeats > 1 { format!(", {} times", arguments.repeats) } else { String::new() };
    let answers = output::count(*answers, "answer");
    output::note(format!("{answers} on {pairs} different pairs, {} folds{repeats}; {how}", arguments.folds));
    Ok(())
}

/// A space on either side of every cell.
const PADDING: usize = 2;

/// The widths of the names and of the picture, which goes where there is no room for it.
fn share(terminal: usize, fixed: usize, names: usize) -> (usize, usize) {
    /// As wide as the picture's heading.
    const SMALLEST: usize = 18;
    const LARGEST: usize = 40;
    /// Names are not cut to less.
    const SHORTEST: usize = 12;
    let room = terminal.saturating_sub(fixed + PADDING);
    match room.checked_sub(names + PADDING) {
        Some(picture) if picture >= SMALLEST => (names, picture.min(LARGEST)),
        _ => (names.min(room.max(SHORTEST)), 0),
    }
}

fn cells(score: &Score, difference: Option<&Score>) -> [String; 5] {
    let Score { log_loss, error, log_evidence } = score;
    let interval = |one: &MeanInterval| format!("{:.3} [{:.3}, {:.3}]", one.mean, one.low, one.high);
    let signed = |one: &MeanInterval| format!("{:+.3} [{:+.3}, {:+.3}]", one.mean, one.low, one.high);
    [
        interval(log_loss),
        format!("{:.1} %", 100.0 * error.mean),
        difference.map(|difference| signed(&difference.log_loss)).unwrap_or_default(),
        format!("{log_evidence:.2}"),
        difference.map(|difference| format!("{:+.2}", difference.log_evidence)).unwrap_or_default(),
    ]
}

/// The changes of the log loss on one scale, with a line at no change; none where there is no room.
fn pictures(comparison: &Comparison, width: usize) -> Vec<Option<String>> {
    let changes: Vec<MeanInterval> = comparison.without.iter().map(|lack| lack.difference.log_loss).collect();
    let from = changes.iter().map(|change| change.low).fold(0.0, f64::min);
    let to = changes.iter().map(|change| change.high).fold(0.0, f64::max);
    let none = if to > from { ((-from) / (to - from) * width.saturating_sub(1) as f64).round() as usize } else { 0 };
    let draw = |change: &MeanInterval| {
        let picture = output::draw_interval(change.low, change.mean, change.high, (from, to), width);
        let with_line = picture.chars().enumerate().map(|(at, cell)| match cell {
            ' ' if at == none => '│',
            '─' if at == none => '┼',
            cell => cell,
        });
        with_line.collect::<String>()
    };
    let line = || (0..width).map(|at| if at == none { '│' } else { ' ' }).collect::<String>();
    let all = (width > 0).then(line);
    std::iter::once(all).chain(changes.iter().map(|change| (width > 0).then(|| draw(change)))).collect()
}

/// What the numbers say of a kernel, in words.
fn verdict(Lack { difference, .. }: &Lack, name: &str) -> String {
    let MeanInterval { low, mean, high } = difference.log_loss;
    let evidence = match difference.log_evidence {
        change if change < 0.0 => format!("the log evidence is {:.2} lower", -change),
        change => format!("the log evidence is {change:.2} higher"),
    };
    let loss = |direction: &str, mean: f64, low: f64, high: f64| {
        format!("the log loss is {mean:.3} {direction} (95 % interval {low:.3} to {high:.3})")
    };
    if low > 0.0 {
        format!("{name} helps: without it {}, and {evidence}.", loss("higher", mean, low, high))
    } else if high < 0.0 {
        format!("{name} does harm: without it {}, and {evidence}.", loss("lower", -mean, -high, -low))
    } else {
        let change = format!("the log loss changes by {mean:+.3} (95 % interval {low:+.3} to {high:+.3})");
        format!("{name}: no evidence that it helps. Without it {change}, and {evidence}.")
    }
}

#[cfg(test)]
mod tests {
    use ordain::gp::{Comparison, Lack, Score};
    use ordain::measure::MeanInterval;

    use super::{pictures, share, verdict};

    fn lack(low: f64, mean: f64, high: f64) -> Lack {
        let score = Score {
            log_loss: MeanInterval { low, mean, high },
            error: MeanInterval { low, mean, high },
            log_evidence: -2.0,
        };
        Lack { score, difference: score }
    }

    #[test]
    fn words_follow_the_interval() {
        assert!(verdict(&lack(0.1, 0.2, 0.3), "x").starts_with("x helps: without it the log loss is 0.200 higher (95 % interval 0.100 to 0.300), and the log evidence is 2.00 lower"));
        assert!(
            verdict(&lack(-0.3, -0.2, -0.1), "x")
                .starts_with("x does harm: without it the log loss is 0.200 lower (95 % interval 0.100 to 0.300)")
        );
        for (low, mean, high) in [(-0.1, 0.2, 0.3), (0.0, 0.0, 0.0), (-0.3, -0.2, 0.1)] {
            assert!(verdict(&lack(low, mean, high), "x").starts_with("x: no evidence"));
        }
    }

    #[test]
    fn the_line_of_no_change() {
        let without = vec![lack(0.0, 1.0, 2.0), lack(-2.0, -1.0, 1.0)];
        let comparison = Comparison { answers: 1, pairs: 1, all: without[0].score, without };
        let shown: Vec<String> = pictures(&comparison, 9).into_iter().flatten().collect();
        assert_eq!(shown, ["    │    ", "    ├─●─┤", "├─●─┼─┤  "]);
        assert!(pictures(&comparison, 0).into_iter().all(|picture| picture.is_none()));
    }

    #[test]
    fn the_picture_gives_way() {
        assert_eq!(share(150, 80, 30), (30, 36));
        assert_eq!(share(120, 80, 30), (30, 0));
        assert_eq!(share(100, 80, 30), (18, 0));
        assert_eq!(share(60, 80, 30), (12, 0));
    }
}
