//! `ordain fuse`: one run from several, with weights learned from feedback.

mod feedback;
mod input;
mod report;
mod state;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use ordain::formats::{fits_run, write_whole};
use ordain::order::{Fused, Fusion, Pool, RankOrdering, Unretrieved};
use rayon::prelude::*;

use crate::model::working;
use crate::output::{self, Format};
use crate::simulate::picture;
use crate::{Failure, Outcome, word};
use feedback::Source;
use input::{Input, Query};
use report::Report;
use state::Weights;

/// Fuse several runs into one, learning whom to trust from feedback
///
/// Every run is an expert. Each query in turn is ordered with the experts' weights as they are; only then its feedback, if there
/// is any, changes them. So the fused run never knows a query's judgements before it orders it, and its first queries are ordered
/// with the initial weights. With --state the weights outlast the command: a second pass over the same runs with
/// --learn none orders all queries with what was learned.
///
/// `margin` weighs experts by what they add to each other (logistic loss of the weighted preference); `hedge` by what
/// each gets wrong alone, and in the end trusts one (LTOT). The report has each expert's weight and its loss over the queries with
/// feedback, in the table the mean of it, in json and csv the sum: for hedge and none the share of the feedback that it contradicts, for margin the logistic loss,
/// 0.127 where it always agrees and 2.127 where it never does.
///
/// Scores decide, whatever ranks a run states. Files are read side by side, query by query; the lines of a query stand together,
/// except in a file that holds several runs.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain fuse bm25.run dense.run --output fused.run
  ordain fuse bm25.run dense.run --qrels qrels.txt --state weights.json --output online.run
  ordain fuse bm25.run dense.run --learn none --state weights.json --output learned.run
  ordain fuse bm25.run dense.run --clicks clicks.csv --shown shown.run --output fused.run
  ordain fuse --letor A1.txt A2.txt --output fused.run
  ordain eval fused.run --qrels qrels.txt")]
pub struct Arguments {
    /// TREC runs (qid Q0 docid rank score tag); each run of each file is an expert, named by its tag
    #[arg(value_name = "RUN", required_unless_present = "letor")]
    runs: Vec<PathBuf>,
    /// LETOR rank aggregation files instead of runs: experts are 1, 2, ..., and the grades are the feedback
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["runs", "qrels"])]
    letor: Vec<PathBuf>,
    /// Feedback: TREC qrels; a document without a judgement has grade 0, a query without any teaches nothing
    #[arg(long, value_name = "FILE", conflicts_with = "clicks")]
    qrels: Option<PathBuf>,
    /// Feedback: a table qid,docid of clicks; a clicked document beats those shown before it and not clicked
    #[arg(long, value_name = "FILE")]
    clicks: Option<PathBuf>,
    /// The run that was shown when the clicks were made [default: the fused one]
    #[arg(long, value_name = "RUN", requires = "clicks")]
    shown: Option<PathBuf>,
    /// How weights are learned [default: margin with feedback, none without]
    #[arg(long, value_enum)]
    learn: Option<Learn>,
    /// What hedge multiplies a weight by for a loss of 1, between 0 and 1 [default: 0.5]
    #[arg(long, value_parser = between_0_and_1)]
    beta: Option<f64>,
    /// The weights to start from, e.g. 0.5,0.3,0.2, one an expert; scaled to be 1 together [default: equal ones]
    #[arg(long, value_name = "WEIGHTS", value_delimiter = ',', value_parser = weight)]
    initial: Option<Vec<f64>>,
    /// How one order is made of the experts'
    #[arg(long, default_value = Fusion::Greedy.name(), value_parser = word::parser::<Fusion>())]
    order: Fusion,
    /// What it means that an expert did not return a document
    #[arg(long, default_value = Unretrieved::default().name(), value_parser = word::parser::<Unretrieved>())]
    unretrieved: Unretrieved,
    /// Take only the first K documents of each expert
    #[arg(long, value_name = "K", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    depth: Option<usize>,
    /// How many documents to write for a query
    #[arg(long, value_name = "K", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    top: usize,
    /// The name of the fused run
    #[arg(long, value_name = "NAME", default_value = "ordain", value_parser = tag)]
    tag: String,
    /// What was learned: gone on from if the file exists, and written at the end
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Where the fused run goes, all at once [default: standard output, and the report to standard error]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the weights as bars
    #[arg(long, value_name = "FILE.svg", value_parser = picture::parse_file)]
    plot: Option<PathBuf>,
    /// The form of the report
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// How weights are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Learn {
    /// By the margin of the weighted experts
    Margin,
    /// By each expert's own mistakes
    Hedge,
    /// Not at all
    None,
}

impl Learn {
    fn word(self) -> &'static str {
        match self {
            Self::Margin => "margin",
            Self::Hedge => "hedge",
            Self::None => "none",
        }
    }
}

fn between_0_and_1(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|&beta| beta > 0.0 && beta < 1.0).ok_or("expected a number above 0 and below 1")
}

fn weight(text: &str) -> Result<f64, &'static str> {
    let valid = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    text.parse().ok().filter(valid).ok_or("expected numbers of 0 or more, divided by commas")
}

fn tag(text: &str) -> Result<String, &'static str> {
    if fits_run(text) {
        Ok(text.to_owned())
    } else {
        Err("a TREC run cannot hold a name with spaces: write _ for them")
    }
}

/// Queries that are read before they are fused: enough to keep all cores at work. Fixed, so that nothing depends on their number.
const BATCH: usize = 64;

/// Learning by margin from F assertions on a query costs F times the square of this, and 32 MB: minutes a query at the limit.
const MOST_EXPERTS: usize = 2000;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let learn = check_usage(arguments)?;
    let working = working("fusing");
    let mut source = Source::read(arguments)?;
    let input =
        if arguments.letor.is_empty() { Input::runs(&arguments.runs)? } else { Input::letor(&arguments.letor)? };
    let names = input.names();
    if names.len() > MOST_EXPERTS {
        let (what, method) = ("the list of experts".into(), "ordain fuse");
        return Err(ordain::Error::TooLarge { what, size: names.len(), limit: MOST_EXPERTS, method }.into());
    }
    let weights = Weights::start(arguments, learn, &names)?;
    let before = weights.rounds();
    let mut fuser = Fuser { arguments, input, weights, queries: 0 };
    let tell = |queries: usize| working.say(format!("fusing: {queries} queries"));
    let mut text = Vec::new();
    match &arguments.output {
        Some(path) => write_run(path, |out| fuser.fuse(&mut source, out, tell))?,
        None => fuser.fuse(&mut source, &mut text, tell)?,
    }
    drop(working);
    source.warn(fuser.queries, fuser.weights.rounds() - before);
    let report = Report::new(names, &fuser.weights, arguments.order.name(), fuser.queries);
    if let Some(path) = &arguments.plot {
        picture::write(path, &report.picture())?;
    }
    // Last, so that a command that was stopped can be given again: what is not in the state was not learned.
    fuser.weights.save(arguments.state.as_deref())?;
    if arguments.output.is_none() {
        output::note(report.text());
        return Ok(std::io::stdout().lock().write_all(&text)?);
    }
    report.show(arguments.format)
}

/// What cannot be told by the parser alone; how weights are learned.
fn check_usage(arguments: &Arguments) -> Result<Learn, Failure> {
    let wrong = |message: String, hint| Err(Failure::Usage { message, hint });
    let feedback = arguments.qrels.is_some() || arguments.clicks.is_some() || !arguments.letor.is_empty();
    let learn = arguments.learn.unwrap_or(if feedback { Learn::Margin } else { Learn::None });
    if learn != Learn::None && !feedback {
        let message = format!("--learn {} without anything to learn from", learn.word());
        return wrong(message, "add --qrels FILE (judgements) or --clicks FILE");
    }
    // What a state goes on with is said there.
    let known = arguments.learn.is_some() || arguments.state.is_none();
    if arguments.beta.is_some() && learn != Learn::Hedge && known {
        return wrong(format!("--beta with --learn {}", learn.word()), "beta is a part of hedge: add --learn hedge");
    }
    if arguments.output.is_none() && arguments.format != Format::Table {
        let hint = "write the run to a file with --output FILE: the report then has standard output";
        return wrong("the run and the report cannot both go to standard output".into(), hint);
    }
    Ok(learn)
}

/// Writes a run whole, or says why it could not be made.
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

/// The work as far as it is.
struct Fuser<'a> {
    arguments: &'a Arguments,
    input: Input,
    weights: Weights,
    queries: usize,
}

impl Fuser<'_> {
    /// LTOT figure 2: order, then learn, query by query.
    fn fuse(&mut self, source: &mut Source, out: &mut dyn Write, tell: impl Fn(usize)) -> Outcome {
        let arguments = self.arguments;
        loop {
            let batch = self.input.batch(BATCH)?;
            if batch.is_empty() {
                return Ok(());
            }
            // Weights that stay as they are leave the orders to all cores too.
            let fixed = self.weights.fixed();
            let prepare = |query| Pooled::new(query, arguments)?.ordered(arguments.order, fixed);
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
                self.weights.learn(&pooled.experts, &feedback)?;
                self.queries += 1;
            }
            tell(self.queries);
        }
    }
}

/// A query with all documents that were returned for it.
struct Pooled<'a> {
    query: &'a Query,
    /// In rising order.
    documents: Vec<&'a str>,
    experts: Vec<RankOrdering>,
}

impl<'a> Pooled<'a> {
    fn new(query: &'a Query, arguments: &Arguments) -> ordain::Result<Self> {
        let pool = Pool::new(query.lists(arguments.depth))?;
        Ok(Self { query, documents: pool.documents().to_vec(), experts: pool.experts(arguments.unretrieved)? })
    }

    /// With its order, where the weights are known already.
    fn ordered(self, order: Fusion, weights: Option<&[f64]>) -> ordain::Result<(Self, Option<Fused>)> {
        let fused = weights.map(|weights| self.order(order, weights)).transpose()?;
        Ok((self, fused))
    }

    fn order(&self, order: Fusion, weights: &[f64]) -> ordain::Result<Fused> {
        order.order(&self.experts, weights).map_err(|error| match error {
            ordain::Error::Data { what, found, expected } => {
                let found = format!("{found} for query {}", self.query.name());
                ordain::Error::Data { what, found, expected }
            }
            other => other,
        })
    }

    fn write(&self, shown: &[usize], scores: &[f64], tag: &str, out: &mut dyn Write) -> Outcome {
        let query = self.query.name();
        for ((&item, score), rank) in shown.iter().zip(scores).zip(1..) {
            let document = self.documents[item];
            if !(fits_run(document) && fits_run(query)) {
                let found = format!("document {document:?} for query {query:?}");
                let expected = "ids without spaces, which a TREC run cannot hold".into();
                return Err(ordain::Error::Data { what: "an id", found, expected }.into());
            }
            writeln!(out, "{query} Q0 {document} {rank} {score} {tag}")?;
        }
        Ok(())
    }
}
