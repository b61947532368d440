//! `ordain train`: learns a ranking model from graded lists, a ranking of labels, or the weights of words from links.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, Table, presets};
use ordain::formats::check_outputs;
use ordain::learn::{Epoch, GradedLists, LambdaParams, LinearSvmParams, Ranker, RankingModel, Scaling, Swap};
use ordain::measure::{Mean, Measure};
use ordain::numeric::Seed;
use ordain_plot::{Across, Lines, Range, Series};
use serde::Serialize;

use crate::labels::train::{LabelArguments, Task};
use crate::links::{self, LinkArguments};
use crate::output::{self, Format};
use crate::simulate::picture;
use crate::working::working;
use crate::{Failure, Outcome, chart, labels, letor, word};

/// Learn a ranking model from graded lists, a ranking of labels, or a text similarity from links
///
/// For lambdarank, ranknet and ranksvm, files are LETOR or SVMlight: "2 qid:1 1:0.5 2:0.1 # docid = a", one line per document. The model scores documents by
/// their features; "ordain score" applies it. Features are scaled within each query. Queries whose documents have one
/// grade only teach nothing and are counted.
///
/// lambdarank pushes every two documents of different grades apart, by what their swap would change in a measure.
/// ranknet weighs all pairs the same. ranksvm is the linear ranking SVM with the squared hinge. What the learner
/// chooses, it chooses by a measure on the files of --validate; without them, on every fifth query of --train whose
/// grades differ, or, if there are fewer than five of these, on all. The curve shows the queries to learn from as each
/// pass met them, before its steps are averaged, so it may lie below the one to choose by.
///
/// labels learns to rank the labels of examples, and which of them are relevant. Files are ARFF, or tables such as CSV. Label
/// columns hold 0 and 1 (which labels are relevant), or places from 1 (an order), or places and 0 (an order of the relevant
/// ones); one column of text holds classes. An empty cell or ? says nothing. All other columns are attributes.
///
/// linklearn learns what a word weighs, by how often it stands in a document, how rare it is and how long the document is, so that
/// linked documents are alike. It needs --docs (JSONL, CSV or TSV) and --links (source,target). The weights apply to any
/// collection: "ordain search --model" and kernels of kind "text" use them.
///
/// JSON: {"learner","queries","documents","one_grade_only","measure","train","validate","chosen":{...},
/// "features":[{"name","importance","weight"?}...],"curve":[{"train","validate"}...]}. CSV: one row per feature. For labels:
/// {"learner","method","examples","features","labels":[...],"calibrated","chosen":{...},"validate"?}. For linklearn:
/// {"learner","documents","links","link_precision","hidden","rate","epochs","left_out",
/// "okapi_precision","weights":[{"of","at","weight"}...],"curve":[...]}.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain train lambdarank --train S1.txt S2.txt S3.txt --validate S4.txt -o model.json
  ordain train ranknet --train grades.txt --hidden 10 -o model.json --plot curve.svg
  ordain train ranksvm --train grades.txt -o model.json
  ordain score model.json S5.txt -o model.run
  ordain train labels --train music.arff --labels 6 -o labels.json
  ordain train labels --train a.csv --labels calm,happy,sad --method kernel -o moods.json
  ordain train linklearn --docs articles.jsonl --links links.csv --text title,body -o words.json
  ordain search papers.jsonl \"learning to rank\" --model words.json")]
pub struct Arguments {
    /// The learner
    #[arg(value_enum)]
    learner: Learner,
    /// Files to learn from; linklearn has --docs and --links instead
    #[arg(long, num_args = 1.., value_name = "FILE")]
    train: Vec<PathBuf>,
    /// Files to choose by; for labels, files to measure on
    #[arg(long, num_args = 1.., value_name = "FILE")]
    validate: Vec<PathBuf>,
    /// The file to write the model to. It appears only when it is complete
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// The measure that lambdarank improves: pairs weigh what their swap changes in it
    /// [default: ndcg]
    #[arg(long, value_name = "MEASURE", value_parser = swap)]
    improve: Option<Swap>,
    /// The measure to choose by, such as map or ndcg-letor@10 [default: map]
    #[arg(long, value_name = "MEASURE", value_parser = measure)]
    choose_by: Option<Measure>,
    /// The units of one or two hidden layers, such as 10 or 20,10 [default: none, scores are linear]; for linklearn, numbers
    /// of units to try [default: 3,5]
    #[arg(long, value_name = "UNITS", value_delimiter = ',')]
    hidden: Option<Vec<usize>>,
    /// How features are scaled within each query [default: standard]
    #[arg(long, value_parser = word::parser::<Scaling>())]
    scaling: Option<Scaling>,
    /// The lengths of steps to try, for lambdarank and ranknet [default: 0.001,0.01,0.1] and linklearn [default:
    /// 0.01,0.02]
    #[arg(long, value_name = "RATE", value_delimiter = ',')]
    rates: Option<Vec<f64>>,
    /// The number of beginnings to try, for lambdarank and ranknet [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    restarts: Option<u16>,
    /// The most passes over the queries, for lambdarank and ranknet [default: 200]; the passes of the online methods for
    /// labels [default: 5]; the most passes over the documents, for linklearn [default: 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    epochs: Option<u32>,
    /// Passes without a better one after which a run ends, for lambdarank and ranknet [default: 20] and linklearn
    /// [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    patience: Option<u32>,
    /// The seed of random orders and weights [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// The penalties to try, for ranksvm [default: 0.00001 to 100, in powers of ten], and for labels by logistic or
    /// pairwise [default: 0.0001 to 0.1]
    #[arg(long, value_name = "PENALTY", value_delimiter = ',')]
    penalties: Option<Vec<f64>>,
    /// Also write the training curve of lambdarank, ranknet or linklearn as an SVG picture
    #[arg(long, value_name = "FILE.svg", value_parser = picture::parse_file)]
    plot: Option<PathBuf>,
    #[command(flatten)]
    labels: LabelArguments,
    #[command(flatten)]
    links: LinkArguments,
    /// The form of the report
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Learner {
    /// Forces between pairs, by what a swap changes in a measure
    Lambdarank,
    /// Forces between pairs that all weigh the same
    Ranknet,
    /// The linear ranking SVM
    Ranksvm,
    /// Rankings of labels with a zero point
    Labels,
    /// Weights of words, from links between documents
    Linklearn,
}

/// Parses the measure that pairs are weighed by.
fn swap(text: &str) -> Result<Swap, String> {
    let known = "expected ndcg, ndcg@k with a number k, map, mrr or wta";
    match text {
        "ndcg" => Ok(Swap::ndcg()),
        "map" => Ok(Swap::AveragePrecision),
        "mrr" => Ok(Swap::ReciprocalRank),
        "wta" => Ok(Swap::Winner),
        text => {
            let k = text.strip_prefix("ndcg@").and_then(|k| k.parse().ok()).filter(|k| *k > 0);
            k.map(|k| Swap::Ndcg { k: Some(k) }).ok_or_else(|| known.into())
        }
    }
}

fn measure(text: &str) -> Result<Measure, String> {
    let measure: Measure = text.parse().map_err(|error: ordain::Error| match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    })?;
    if let Measure::JudgedAt(_) = measure {
        Err(format!("{text} says nothing of the order; choose by a measure of relevance"))
    } else if measure.is_gain() {
        Ok(measure)
    } else {
        Err(format!("{text} is a cost; choose by a measure of which more is better"))
    }
}

#[derive(Serialize)]
struct Report {
    learner: String,
    queries: usize,
    documents: usize,
    /// Queries that teach nothing.
    one_grade_only: usize,
    measure: String,
    train: f64,
    validate: f64,
    chosen: serde_json::Map<String, serde_json::Value>,
    features: Vec<Feature>,
    curve: Vec<Epoch>,
}

#[derive(Serialize)]
struct Feature {
    name: String,
    importance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
}

impl Arguments {
    fn choose_by(&self) -> Measure {
        self.choose_by.unwrap_or(Measure::AveragePrecision)
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    check_options(arguments)?;
    if arguments.learner == Learner::Labels {
        return labels::train::run(&Task {
            train: &arguments.train,
            validate: &arguments.validate,
            output: &arguments.output,
            labels: &arguments.labels,
            epochs: arguments.epochs,
            penalties: arguments.penalties.as_deref(),
            seed: arguments.seed,
            format: arguments.format,
        });
    }
    if arguments.learner == Learner::Linklearn {
        return links::run(&links::Task {
            links: &arguments.links,
            output: &arguments.output,
            plot: arguments.plot.as_ref(),
            hidden: arguments.hidden.as_deref(),
            rates: arguments.rates.as_deref(),
            epochs: arguments.epochs,
            patience: arguments.patience,
            seed: arguments.seed,
            format: arguments.format,
        });
    }
    let plot = arguments.plot.as_deref().map(|path| ("--plot", path));
    let outputs: Vec<_> = [("--output", arguments.output.as_path())].into_iter().chain(plot).collect();
    let inputs = letor::roles("--train", &arguments.train).chain(letor::roles("--validate", &arguments.validate));
    check_outputs(&outputs, &inputs.collect::<Vec<_>>())?;
    let working = working("training");
    let ranker = ranker(arguments);
    // All files have the features of the one with most.
    let all: Vec<PathBuf> = arguments.train.iter().chain(&arguments.validate).cloned().collect();
    let mut files = letor::graded(&all)?;
    let validate = files.split_off(arguments.train.len());
    let train = GradedLists::from_letor(&files, arguments.scaling.unwrap_or_default())?;
    let validate = match validate.as_slice() {
        [] => None,
        files => Some(GradedLists::from_letor(files, arguments.scaling.unwrap_or_default())?),
    };
    let model = ranker.fit(&train, validate.as_ref(), &working.watch())?;
    drop(working);
    model.save(&arguments.output)?;
    if let Some(file) = &arguments.plot {
        picture::write(file, &drawn(&format!("Quality of the rankings ({})", model.measure()), model.curve()))?;
    }
    let report = report(&model, &train, arguments);
    match arguments.format {
        Format::Json => output::json(&report),
        Format::Csv => output::csv(&report.features),
        Format::Table => show(&report),
    }?;
    conclude(&report, arguments, validate.is_some());
    Ok(())
}

fn ranker(arguments: &Arguments) -> Box<dyn Ranker> {
    match arguments.learner {
        Learner::Lambdarank => {
            let swap = arguments.improve.unwrap_or_else(Swap::ndcg);
            Box::new(descent(LambdaParams::lambdarank(swap), arguments))
        }
        Learner::Ranknet => Box::new(descent(LambdaParams::ranknet(), arguments)),
        Learner::Labels | Learner::Linklearn => unreachable!("they have a function of their own"),
        Learner::Ranksvm => {
            let mut params = LinearSvmParams::default().with_measure(arguments.choose_by());
            params.penalties = arguments.penalties.clone().unwrap_or(params.penalties);
            Box::new(params)
        }
    }
}

/// Fails if an option is given that the learner does not have.
fn check_options(arguments: &Arguments) -> Outcome {
    use Learner::{Labels, Lambdarank, Linklearn, Ranknet, Ranksvm};
    let lists = &[Lambdarank, Ranknet, Ranksvm, Labels][..];
    let links = &arguments.links;
    let given = [
        ("--train", !arguments.train.is_empty(), lists),
        ("--validate", !arguments.validate.is_empty(), lists),
        ("--improve", arguments.improve.is_some(), &[Lambdarank][..]),
        ("--choose-by", arguments.choose_by.is_some(), &[Lambdarank, Ranknet, Ranksvm]),
        ("--scaling", arguments.scaling.is_some(), &[Lambdarank, Ranknet, Ranksvm]),
        ("--hidden", arguments.hidden.is_some(), &[Lambdarank, Ranknet, Linklearn]),
        ("--rates", arguments.rates.is_some(), &[Lambdarank, Ranknet, Linklearn]),
        ("--restarts", arguments.restarts.is_some(), &[Lambdarank, Ranknet]),
        ("--epochs", arguments.epochs.is_some(), &[Lambdarank, Ranknet, Labels, Linklearn]),
        ("--patience", arguments.patience.is_some(), &[Lambdarank, Ranknet, Linklearn]),
        ("--seed", arguments.seed.is_some(), &[Lambdarank, Ranknet, Labels, Linklearn]),
        ("--penalties", arguments.penalties.is_some(), &[Ranksvm, Labels]),
        ("--plot", arguments.plot.is_some(), &[Lambdarank, Ranknet, Linklearn]),
        ("--labels", arguments.labels.labels.is_some(), &[Labels]),
        ("--method", arguments.labels.method.is_some(), &[Labels]),
        ("--loss", arguments.labels.loss.is_some(), &[Labels]),
        ("--docs", links.docs.is_some(), &[Linklearn]),
        ("--links", links.links.is_some(), &[Linklearn]),
        ("--text", links.text.is_some(), &[Linklearn]),
        ("--id", links.id.is_some(), &[Linklearn]),
        ("--setting", links.setting.is_some(), &[Linklearn]),
        ("--stem", links.stem.is_some(), &[Linklearn]),
        ("--stop", links.stop.is_some(), &[Linklearn]),
    ];
    match given.iter().find(|(_, is_given, of)| *is_given && !of.contains(&arguments.learner)) {
        None if lists.contains(&arguments.learner) && arguments.train.is_empty() => {
            Err(Failure::Usage { message: "nothing to learn from".into(), hint: "name the files: --train FILE" })
        }
        None => Ok(()),
        Some((option, ..)) => {
            let learner =
                arguments.learner.to_possible_value().map_or(String::new(), |name| name.get_name().to_owned());
            Err(Failure::Usage {
                message: format!("{learner} has no {option}"),
                hint: "leave it out, or choose the learner that its help names",
            })
        }
    }
}

fn descent(mut params: LambdaParams, arguments: &Arguments) -> LambdaParams {
    params.hidden = arguments.hidden.clone().unwrap_or(params.hidden);
    params.rates = arguments.rates.clone().unwrap_or(params.rates);
    params.restarts = arguments.restarts.map_or(params.restarts, usize::from);
    params.epochs = arguments.epochs.map_or(params.epochs, |epochs| epochs as usize);
    params.patience = arguments.patience.map_or(params.patience, |patience| patience as usize);
    params.seed = arguments.seed.map_or(params.seed, Seed);
    params.with_measure(arguments.choose_by())
}

fn report(model: &RankingModel, train: &GradedLists, arguments: &Arguments) -> Report {
    let [taught, validated] = model.measured();
    let feature = |(at, name): (usize, &String)| Feature {
        name: name.clone(),
        importance: model.importance()[at],
        weight: model.weights().map(|weights| weights[at]),
    };
    let chosen = model.chosen().iter().map(|(name, value)| (name.clone(), output::number(*value)));
    Report {
        learner: model.learner().to_owned(),
        queries: train.len(),
        documents: train.documents(),
        one_grade_only: train.one_grade_only(),
        measure: arguments.choose_by().to_string(),
        train: taught,
        validate: validated,
        chosen: chosen.collect(),
        features: model.features().iter().enumerate().map(feature).collect(),
        curve: model.curve().to_vec(),
    }
}

/// The features that move scores most, and the curve.
fn show(report: &Report) -> Outcome {
    const SHOWN: usize = 10;
    let mut features: Vec<&Feature> = report.features.iter().collect();
    features.sort_by(|one, other| other.importance.total_cmp(&one.importance));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["feature", "share", "weight"]);
    for feature in features.iter().take(SHOWN) {
        let weight = feature.weight.map_or(String::new(), |weight| output::fixed(weight, 4));
        table.add_row([feature.name.clone(), output::fixed(feature.importance, 3), weight]);
    }
    for column in 1..3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)?;
    if report.curve.len() > 1 {
        output::text(chart::draw(&lines(&report.curve), "passes", &report.measure, output::columns()))?;
    }
    Ok(())
}

/// The lines of a training curve.
pub fn lines(curve: &[Epoch]) -> [chart::Line; 2] {
    let line = |name: &str, of: fn(&Epoch) -> f64| chart::Line {
        name: name.into(),
        points: curve.iter().enumerate().map(|(at, epoch)| ((at + 1) as f64, of(epoch))).collect(),
    };
    [line("validated", |epoch| epoch.validate), line("trained", |epoch| epoch.train)]
}

/// The training curve as a picture, of what is measured in words.
pub fn drawn(measured: &str, curve: &[Epoch]) -> String {
    let point = |(at, value): (usize, f64)| ((at + 1) as f64, Mean { value, error: 0.0 });
    let series = |title: &str, of: fn(&Epoch) -> f64| Series {
        title: title.into(),
        points: curve.iter().map(of).enumerate().map(point).collect(),
    };
    let series = vec![series("validated", |epoch| epoch.validate), series("trained", |epoch| epoch.train)];
    let (low, high) = Range::of(&series);
    let across = Across::UpTo("Passes over the training data".into(), curve.len());
    Lines { title: "Quality after each pass".into(), across, up: Range::new(measured, low, high), series }.draw()
}

/// Prints the outcome for people.
fn conclude(report: &Report, arguments: &Arguments, validated: bool) {
    let alike = match report.one_grade_only {
        0 => String::new(),
        alike => format!("; {alike} of them, with one grade only, taught nothing"),
    };
    let queries = if report.queries == 1 { "1 query".into() } else { format!("{} queries", report.queries) };
    output::note(format!("learned from {queries} with {}{alike}", output::count(report.documents, "document")));
    let chosen: Vec<String> = report.chosen.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let on = match (validated, report.queries - report.one_grade_only) {
        (true, _) => "on --validate",
        (false, 0..5) => "on the queries that taught, which are too few to keep one aside",
        (false, _) => "on every fifth query, which did not teach",
    };
    output::note(format!("chosen by {} {on}: {}", report.measure, chosen.join(", ")));
    let (train, validate) = (output::fixed(report.train, 4), output::fixed(report.validate, 4));
    output::note(format!("{}: {train} where it learned, {validate} where it was chosen", report.measure));
    output::note(format!("written to {}", output::shown(&arguments.output.to_string_lossy())));
}
