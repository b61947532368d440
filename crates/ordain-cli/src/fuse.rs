//! `ordain fuse`: makes one run of several, with weights learned from feedback.

mod feedback;
mod input;
mod report;
mod state;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use ordain::InputError;
use ordain::formats::{check_outputs, fits_run, write_whole};
use ordain::order::{ExpertWeights, Fused, Fusion, Learning, Pool, RankOrdering, Unretrieved};
use rayon::prelude::*;

use crate::output::{self, Format};
use crate::simulate::picture;
use crate::working::working;
use crate::{Failure, Outcome, word};
use feedback::Source;
use input::{Input, Query};
use report::Report;

/// Fuse several runs into one, learning whom to trust from feedback
///
/// Every run is an expert. Queries are ordered one after the other, with the experts' present weights. Only then the
/// query's feedback, if it has any, changes the weights. So the fused run never knows the judgements of a query before
/// it orders it, and the first queries are ordered with the initial weights. --state keeps the weights in a file, and
/// the queries that they were learned from. A second pass over the same runs with --learn none orders all queries with
/// the learned weights; a warning says that a measure on these queries flatters it.
///
/// `margin` weighs experts by their contribution to the combined order (logistic loss of the weighted preference).
/// `hedge` weighs each expert by its own mistakes, and in the end trusts one (LTOT).
///
/// The report gives each expert's weight and its loss over the queries with feedback: the mean in the table, the sum in
/// json and csv. For hedge and none, the loss is the share of the feedback that the expert contradicts. For margin it
/// is the logistic loss: 0.127 for an expert that always agrees, 2.127 for one that never does.
///
/// Scores decide; ranks that a run states are ignored. Files are read side by side, query by query. The lines of a
/// query must stand together, except in a file that holds several runs.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain fuse bm25.run dense.run --output fused.run
  ordain fuse bm25.run dense.run --qrels qrels.txt --state weights.json --output online.run
  ordain fuse bm25.run dense.run --learn none --state weights.json --output learned.run
  ordain fuse bm25.run dense.run --clicks clicks.csv --shown shown.run --output fused.run
  ordain fuse --letor A1.txt A2.txt --output fused.run
  ordain eval fused.run --qrels qrels.txt")]
pub struct Arguments {
    /// TREC runs (qid Q0 docid rank score tag); each run of each file is an expert, named by its tag, or FILE:TAG where
    /// tags are equal
    #[arg(value_name = "RUN", required_unless_present = "letor")]
    runs: Vec<PathBuf>,
    /// LETOR rank aggregation files instead of runs: experts are 1, 2, ..., and the grades are the feedback
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["runs", "qrels"])]
    letor: Vec<PathBuf>,
    /// Feedback: TREC qrels. A document without a judgement has grade 0; a query without judgements teaches nothing
    #[arg(long, value_name = "FILE", conflicts_with = "clicks")]
    qrels: Option<PathBuf>,
    /// Feedback: a table qid,docid of clicks. A clicked document beats documents shown before it that were not clicked
    #[arg(long, value_name = "FILE")]
    clicks: Option<PathBuf>,
    /// The run that was shown when the clicks were made [default: the fused one]
    #[arg(long, value_name = "RUN", requires = "clicks")]
    shown: Option<PathBuf>,
    /// How weights are learned [default: margin with feedback, none without]
    #[arg(long, value_parser = word::parser::<Learning>())]
    learn: Option<Learning>,
    /// For hedge: the factor of a weight per loss of 1, between 0 and 1 [default: 0.5]
    #[arg(long, value_parser = between_0_and_1)]
    beta: Option<f64>,
    /// The initial weights, e.g. 0.5,0.3,0.2, one per expert; scaled to the sum 1 [default: equal weights]
    #[arg(long, value_name = "WEIGHTS", value_delimiter = ',', value_parser = weight)]
    initial: Option<Vec<f64>>,
    /// How the experts' orders become one order
    #[arg(long, default_value = Fusion::Greedy.name(), value_parser = word::parser::<Fusion>())]
    order: Fusion,
    /// How to treat a document that an expert did not return
    #[arg(long, default_value = Unretrieved::default().name(), value_parser = word::parser::<Unretrieved>())]
    unretrieved: Unretrieved,
    /// Take only the first K documents of each expert
    #[arg(long, value_name = "K", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    depth: Option<usize>,
    /// How many documents to write per query
    #[arg(long, value_name = "K", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    top: usize,
    /// The name of the fused run
    #[arg(long, value_name = "NAME", default_value = "ordain", value_parser = tag)]
    tag: String,
    /// The file of learned weights: read at the start if it exists, written at the end
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// The file for the fused run; it appears only when it is complete [default: standard output, with the report on
    /// standard error]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the weights as bars
    #[arg(long, value_name = "FILE.svg", value_parser = picture::parse_file)]
    plot: Option<PathBuf>,
    /// The form of the report
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

fn between_0_and_1(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|&beta| beta > 0.0 && beta < 1.0).ok_or("expected a number above 0 and below 1")
}

fn weight(text: &str) -> Result<f64, &'static str> {
    let valid = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    text.parse().ok().filter(valid).ok_or("expected numbers of 0 or more, separated by commas")
}

fn tag(text: &str) -> Result<String, &'static str> {
    if fits_run(text) {
        Ok(text.to_owned())
    } else {
        Err("a TREC run cannot hold a name with spaces: write _ for them")
    }
}

/// The number of queries that are read before they are fused, enough for all cores. It is fixed, so nothing depends on
/// the number of cores.
const BATCH: usize = 64;

/// Learning by margin from F assertions on a query costs F times the square of this, and 32 MB: minutes per query at
/// the limit.
const MOST_EXPERTS: usize = 2000;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let learn = check_usage(arguments)?;
    check_files(arguments)?;
    let working = working("fusing");
    let mut source = Source::read(arguments)?;
    let input =
        if arguments.letor.is_empty() { Input::runs(&arguments.runs)? } else { Input::letor(&arguments.letor)? };
    let names = input.names();
    if names.len() > MOST_EXPERTS {
        let (what, method) = ("the list of experts".into(), "ordain fuse");
        return Err(ordain::Error::TooLarge { what, size: names.len(), limit: MOST_EXPERTS, method }.into());
    }
    let (weights, learned) = state::start(arguments, learn, &names)?;
    let before = weights.rounds();
    let mut fuser = Fuser { arguments, input, weights, queries: 0, learned, again: Vec::new() };
    let tell = |queries: usize| working.say(format!("fusing: {queries} queries"));
    let mut text = Vec::new();
    match &arguments.output {
        Some(path) => write_run(path, |out| fuser.fuse(&mut source, out, tell))?,
        None => fuser.fuse(&mut source, &mut text, tell)?,
    }
    drop(working);
    source.warn(fuser.queries, fuser.weights.rounds() - before);
    fuser.warn();
    let report = Report::new(names, &fuser.weights, arguments.order, fuser.queries);
    if let Some(path) = &arguments.plot {
        picture::write(path, &report.picture())?;
    }
    match arguments.output {
        Some(_) => report.show(arguments.format)?,
        None => {
            std::io::stdout().lock().write_all(&text)?;
            output::note(report.text());
        }
    }
    // Last, so that a command that failed or was stopped can be given again: what is not in the state was not learned.
    state::save(&fuser.weights, arguments.state.as_deref())
}

/// Checks that no file to be written is also read, or written twice.
fn check_files(arguments: &Arguments) -> Outcome {
    fn named<'a>(roles: &[(&'a str, &'a [PathBuf])]) -> Vec<(&'a str, &'a Path)> {
        roles.iter().flat_map(|&(role, files)| files.iter().map(move |file| (role, file.as_path()))).collect()
    }
    let Arguments { runs, letor, qrels, clicks, shown, state, output, plot, .. } = arguments;
    let outputs = [("--output", output.as_slice()), ("--state", state.as_slice()), ("--plot", plot.as_slice())];
    let feedback = [("--qrels", qrels.as_slice()), ("--clicks", clicks.as_slice()), ("--shown", shown.as_slice())];
    let lists = [("a run", runs.as_slice()), ("--letor", letor.as_slice())];
    Ok(check_outputs(&named(&outputs), &[named(&lists), named(&feedback)].concat())?)
}

/// Checks combinations of arguments that the parser cannot check; returns how weights are learned.
fn check_usage(arguments: &Arguments) -> Result<Learning, Failure> {
    let wrong = |message: String, hint| Err(Failure::Usage { message, hint });
    let feedback = arguments.qrels.is_some() || arguments.clicks.is_some() || !arguments.letor.is_empty();
    let learn = arguments.learn.unwrap_or(if feedback { Learning::Margin } else { Learning::None });
    if learn != Learning::None && !feedback {
        let message = format!("--learn {learn} without feedback");
        return wrong(message, "add --qrels FILE (judgements) or --clicks FILE");
    }
    // A state that exists decides how learning goes on.
    let known = arguments.learn.is_some() || !arguments.state.as_ref().is_some_and(|path| path.exists());
    if arguments.beta.is_some() && learn != Learning::Hedge && known {
        return wrong(format!("--beta with --learn {learn}"), "beta belongs to hedge: add --learn hedge");
    }
    if arguments.output.is_none() && arguments.format != Format::Table {
        let hint = "write the run to a file with --output FILE; the report then goes to standard output";
        return wrong("the run and the report cannot both go to standard output".into(), hint);
    }
    Ok(learn)
}

/// Writes a whole run, or returns the error that stopped it.
fn write_run(path: &Path, write: impl FnOnce(&mut dyn Write) -> Outcome) -> Outcome {
    let mut failure = None;
    let written = write_whole(path, |out| match write(out) {
        Ok(()) => Ok(()),
        Err(Failure::Output(error)) => Err(error),
        Err(other) => {
            failure = Some(other);
            Err(std::io::ErrorKind::Other.into())
        }
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(written?),
    }
}

/// The state of the work.
struct Fuser<'a> {
    arguments: &'a Arguments,
    input: Input,
    weights: ExpertWeights,
    queries: usize,
    /// The queries that the state had learned from before.
    learned: BTreeSet<String>,
    /// Those of them that came again.
    again: Vec<String>,
}

impl Fuser<'_> {
    /// Warns about queries that the state had learned from already.
    fn warn(&self) {
        const NAMED: usize = 5;
        let (Some(state), count @ 1..) = (&self.arguments.state, self.again.len()) else { return };
        let more = if count > NAMED { ", …" } else { "" };
        let named = self.again.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let these = if count == 1 { "1 of these queries".into() } else { format!("{count} of these queries") };
        let so = match self.weights.learning() {
            Learning::None => "their feedback made the weights, so a measure on them flatters the fused run",
            Learning::Margin | Learning::Hedge => {
                "their feedback now counts twice, and a measure on them flatters the fused run"
            }
        };
        output::warn(format!("{} had learned from {these} already ({named}{more}): {so}", state.display()));
    }

    /// LTOT figure 2: order, then learn, query by query.
    fn fuse(&mut self, source: &mut Source, out: &mut dyn Write, tell: impl Fn(usize)) -> Outcome {
        let arguments = self.arguments;
        let files = self.input.files();
        loop {
            let batch = self.input.batch(BATCH)?;
            if batch.is_empty() {
                return Ok(());
            }
            // Weights that stay as they are leave the orders to all cores too.
            let fixed = self.weights.if_fixed();
            let prepare = |query| Pooled::new(query, &files, arguments)?.ordered(arguments.order, fixed);
            let prepared: Vec<ordain::Result<_>> = batch.par_iter().map(prepare).collect();
            for prepared in prepared {
                let (pooled, fused): (Pooled<'_>, Option<Fused>) = prepared?;
                let fused = match fused {
                    Some(fused) => fused,
                    None => pooled.order(arguments.order, &self.weights.now())?,
                };
                let shown = &fused.order[..fused.order.len().min(arguments.top)];
                pooled.write(shown, &fused.scores, &arguments.tag, out)?;
                let feedback = source.feedback(pooled.query, &pooled.documents, shown)?;
                let query = pooled.query.name();
                let fixed = self.weights.learning() == Learning::None;
                if self.learned.contains(query) && (fixed || !feedback.is_empty()) {
                    self.again.push(query.to_owned());
                }
                self.weights.learn(query, &pooled.experts, &feedback)?;
                self.queries += 1;
            }
            tell(self.queries);
        }
    }
}

/// A query with all documents that any expert returned for it.
struct Pooled<'a> {
    query: &'a Query,
    /// The file of every run, for errors.
    files: &'a [PathBuf],
    /// In rising order.
    documents: Vec<&'a str>,
    experts: Vec<RankOrdering>,
}

impl<'a> Pooled<'a> {
    fn new(query: &'a Query, files: &'a [PathBuf], arguments: &Arguments) -> ordain::Result<Self> {
        let pool = Pool::new(query.lists(arguments.depth))?;
        Ok(Self { query, files, documents: pool.documents().to_vec(), experts: pool.experts(arguments.unretrieved)? })
    }

    /// Adds the order, where the weights are known already.
    fn ordered(self, order: Fusion, weights: Option<&[f64]>) -> ordain::Result<(Self, Option<Fused>)> {
        let fused = weights.map(|weights| self.order(order, weights)).transpose()?;
        Ok((self, fused))
    }

    fn order(&self, order: Fusion, weights: &[f64]) -> ordain::Result<Fused> {
        order.order(&self.experts, weights).map_err(|error| match (error, self.query.infinite()) {
            (ordain::Error::Data { .. }, Some((expert, line, score))) => {
                let error = InputError::new(
                    &self.files[expert],
                    format!("finite scores of query {}, for --order {order}", self.query.name()),
                );
                error
                    .line(line)
                    .found(score.to_string())
                    .hint("choose an order that takes no sums, or mend the file")
                    .into()
            }
            (ordain::Error::Data { what, found, expected }, None) => {
                let found = format!("{found} for query {}", self.query.name());
                ordain::Error::Data { what, found, expected }
            }
            (other, _) => other,
        })
    }

    fn write(&self, shown: &[usize], scores: &[f64], tag: &str, out: &mut dyn Write) -> Outcome {
        let query = self.query.name();
        for ((&item, score), rank) in shown.iter().zip(scores).zip(1..) {
            let document = self.documents[item];
            if !(fits_run(document) && fits_run(query)) {
                let found = format!("document {document} for query {query}");
                let expected = "ids without spaces, for a TREC run";
                return Err(match self.query.place_of(document) {
                    Some((expert, line)) => {
                        InputError::new(&self.files[expert], expected).line(line).found(found).into()
                    }
                    None => ordain::Error::Data { what: "an id", found, expected: expected.into() },
                }
                .into());
            }
            writeln!(out, "{query} Q0 {document} {rank} {score} {tag}")?;
        }
        Ok(())
    }
}
