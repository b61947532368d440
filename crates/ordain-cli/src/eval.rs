//! `ordain eval`: measures runs against judgements.

mod bounds;
mod input;
mod show;

use std::path::{Path, PathBuf};

use clap::Args;
use ordain::data::Judgements;
use ordain::measure::{Evaluation, EvaluationParams, Measure, RunEvaluation, Ties, evaluate, holm, paired_t_test};
use ordain::{Error, InputError};

use self::bounds::BoundArguments;
use self::input::{Input, listed};
use self::show::Measured;
use crate::output::{self, Format};
use crate::working::working;
use crate::{Failure, Outcome, labels, word};

/// Measure runs against judgements
///
/// This works like trec_eval, with several runs side by side. Scores order the documents; ranks that a run states are
/// ignored. A document without a judgement counts as not relevant. A query counts if it is both judged and answered.
///
/// --letor takes judgements from LETOR files, of features or of the ranks of several rankers, where NULL stands for none. Files of scores
/// have a line for each of theirs; runs name documents, such as the run that "ordain fuse --letor" writes. --per-query sets runs side by
/// side: one row per query, and one column per run, or per measure and run.
///
/// A star marks a run whose mean differs from that of the first run: * for p < 0.05, ** for p < 0.01. The test is a
/// paired t test over the queries that both answer, with Holm's correction over the runs.
///
/// --bounds bounds the error of runs, or of a linear scorer, on queries not yet seen.
///
/// --truth measures rankings of labels that "ordain score --format csv" wrote: Hamming loss, ranking loss, one-error, coverage,
/// average precision, micro and macro F1 where the truth says which labels are relevant; Kendall's tau and the footrule, over
/// its largest value, where it orders them; accuracy where it is a class. Equal utilities count against a ranking, in tau and the footrule as half.
#[derive(Args)]
#[command(after_long_help = measures())]
pub struct Arguments {
    /// TREC runs (qid Q0 docid rank score tag), named by their tags, or FILE:TAG where tags are equal; with --letor also files of
    /// scores, one per line; with --truth, rankings of labels
    #[arg(required_unless_present = "unlabelled", conflicts_with = "unlabelled", value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The judgements: TREC qrels (qid iteration docid grade)
    #[arg(long, value_name = "FILE", required_unless_present_any = ["letor", "truth"], conflicts_with_all = ["letor", "truth"])]
    qrels: Option<PathBuf>,
    /// Judgements in a LETOR file, of features or of ranks and NULL; may be given several times. Each line of scores belongs to its
    /// line
    #[arg(long, value_name = "FILE")]
    letor: Vec<PathBuf>,
    /// The true labels: ARFF, or a table such as CSV
    #[arg(long, value_name = "FILE", conflicts_with_all = ["letor", "bounds", "measure", "ties", "complete", "per_query"])]
    truth: Option<PathBuf>,
    /// With --truth, the columns that are labels, as for "ordain train labels"
    #[arg(long, value_name = "COLUMNS", requires = "truth")]
    labels: Option<String>,
    /// The measures, e.g. map,ndcg@10,p@5,mrr; may be given several times
    #[arg(long, value_delimiter = ',', default_value = "map,ndcg@10,p@10,mrr", value_parser = measure)]
    measure: Vec<Measure>,
    /// The order of documents with equal scores [default: trec; given with --letor]
    #[arg(long, value_parser = word::parser::<Ties>())]
    ties: Option<Ties>,
    /// Count judged queries that a run does not answer, as if the run had found nothing
    #[arg(long)]
    complete: bool,
    /// Show the values of every query, with the runs side by side
    #[arg(long)]
    per_query: bool,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    #[command(flatten)]
    bounds: BoundArguments,
}

const EXAMPLES: &str = "Examples:
  ordain eval bm25.run dense.run --qrels qrels.txt
  ordain eval bm25.run dense.run --qrels qrels.txt --measure mrr@10 --per-query
  ordain eval bm25.run --qrels qrels.txt --measure bpref,infap,judged@10 --format json
  ordain eval scores.txt --letor test.txt --measure ndcg@5
  ordain fuse --letor A1.txt A2.txt --output fused.run
  ordain eval fused.run --letor A1.txt --letor A2.txt
  ordain eval bm25.run --qrels qrels.txt --bounds";

/// Examples, and the measures, one per line.
fn measures() -> String {
    let line = |measure: &Measure| {
        let others = measure.other_names().join(", ");
        let others = if others.is_empty() { others } else { format!(" (also {others})") };
        format!("  {:<14}{}{others}", measure.name(), measure.description())
    };
    let lines: Vec<String> = Measure::all().iter().map(line).collect();
    format!("{EXAMPLES}\n\nMeasures, k being a number:\n{}", lines.join("\n"))
}

fn measure(text: &str) -> Result<Measure, String> {
    text.parse().map_err(|error: Error| {
        let hint = error.hint().unwrap_or_default();
        format!("expected a known measure; {hint}")
    })
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    if let Some(truth) = &arguments.truth {
        return labels::eval::run(truth, arguments.labels.as_deref(), &arguments.runs, arguments.format);
    }
    if let Some(unlabelled) = arguments.bounds.unlabelled() {
        let [letor] = &arguments.letor[..] else {
            return Err(Failure::Usage {
                message: "--unlabelled with several files of --letor".into(),
                hint: "the scorer is fitted on one file: join them into one",
            });
        };
        return bounds::of_scorer(&arguments.bounds, letor, unlabelled, arguments.format);
    }
    let working = working("measuring");
    let usual = if arguments.letor.is_empty() { Ties::Trec } else { Ties::Given };
    let ties = arguments.ties.unwrap_or(usual);
    let measures = if arguments.bounds.bounds { Vec::new() } else { arguments.measure.clone() };
    let params = EvaluationParams::new(measures).with_ties(ties).with_complete(arguments.complete);
    let Input { judgements, runs, features } = Input::read(arguments)?;
    let mut evaluation = Evaluation { queries: Vec::new(), runs: Vec::new() };
    let judged = match arguments.letor.is_empty() {
        true => arguments.qrels.clone().unwrap_or_default(),
        false => PathBuf::from(listed(&arguments.letor)),
    };
    for (path, run) in &runs {
        let one = evaluate(std::slice::from_ref(run), &judgements, &params);
        let one = one.map_err(|error| in_file(path, &judged, error))?;
        evaluation.queries = one.queries;
        evaluation.runs.extend(one.runs);
    }
    drop(working);
    for ((path, _), run) in runs.iter().zip(&evaluation.runs) {
        let of = |warning| format!("{}, run {}: {warning}", path.display(), run.name);
        run.warnings.iter().map(of).for_each(output::warn);
    }
    if arguments.bounds.bounds {
        return bounds::of_runs(&arguments.bounds, &judged, (&judgements, &runs), features, arguments.format);
    }
    if params.measures.contains(&Measure::InferredAveragePrecision) && !is_sampled(&judgements) {
        output::note(format!(
            "infap: no grade of {} is negative, so all of the pool counts as judged, and infap is map",
            judged.display()
        ));
    }
    let p = significance(&evaluation);
    let measured = Measured { evaluation: &evaluation, measures: &params.measures, p: &p };
    measured.show(arguments.format, arguments.per_query)
}

/// Whether some document of the pool was not judged.
fn is_sampled(judgements: &Judgements) -> bool {
    judgements.queries.iter().any(|(_, grades)| grades.values().any(|&grade| grade < 0))
}

/// An error of a run or of a judgement, with its file.
fn in_file(path: &Path, judged: &Path, error: ordain::Error) -> Failure {
    match error {
        ordain::Error::Data { what: "grades", found, expected } => {
            let hint = "leave out the measure, or map the grades to smaller ones";
            ordain::Error::from(InputError::new(judged, expected).found(found).hint(hint)).into()
        }
        ordain::Error::Data { what: "run", found, expected } => {
            let hint = "trec_eval refuses such a run too: mend the file";
            ordain::Error::from(InputError::new(path, expected).found(found).hint(hint)).into()
        }
        other => other.into(),
    }
}

/// `[run][measure]`: the corrected p value against the first run. None for the first run and where no test is possible.
fn significance(evaluation: &Evaluation) -> Vec<Vec<Option<f64>>> {
    let runs = &evaluation.runs;
    let measures = runs.first().map_or(0, |run| run.values.len());
    let by_measure: Vec<Vec<Option<f64>>> = (0..measures).map(|measure| significance_of(runs, measure)).collect();
    (0..runs.len()).map(|run| by_measure.iter().map(|p| p[run]).collect()).collect()
}

/// The corrected p value of every run in one measure.
fn significance_of(runs: &[RunEvaluation], measure: usize) -> Vec<Option<f64>> {
    let test = |run: usize| {
        let pairs = runs[0].values[measure].iter().zip(&runs[run].values[measure]);
        let (first, other): (Vec<f64>, Vec<f64>) = pairs.filter_map(|(a, b)| Some(((*a)?, (*b)?))).unzip();
        Some((run, paired_t_test(&first, &other).ok()?.p))
    };
    let tested: Vec<(usize, f64)> = (1..runs.len()).filter_map(test).collect();
    let values: Vec<f64> = tested.iter().map(|&(_, p)| p).collect();
    let mut out = vec![None; runs.len()];
    for (&(run, _), p) in tested.iter().zip(holm(&values).unwrap_or_default()) {
        out[run] = Some(p);
    }
    out
}

/// The widest name of a run or a query that a table shows.
const WIDEST: usize = 60;
