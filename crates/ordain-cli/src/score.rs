//! `ordain score`: applies a learned model.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain::InputError;
use ordain::data::{ItemId, Items};
use ordain::formats::{Letor, check_outputs, fits_run, read_letors, write_whole};
use ordain::learn::labels::LabelModel;
use ordain::learn::{AnyModel, RankingModel};

use crate::output;
use crate::working::working;
use crate::{Failure, Outcome, labels, letor};

/// Score documents, or rank labels, with a model that "ordain train" wrote
///
/// For a model of document rankings, files are LETOR or SVMlight, with the features that the model was learned with. Features that a line does not name
/// are 0. Grades are not used. The default form is a TREC run, which "ordain eval" reads: each query's documents by
/// falling score. With --format letor there is one score per line, in the order of the lines. With --format csv there is
/// a table of items for a project: qid, id, score and all features, so that the score can be an attribute or the prior
/// mean of what people then compare.
///
/// For a model of labels, files are ARFF or tables with the attributes of the model; other columns are not looked at. The
/// default form has a line per example: the labels in order, a bar at the zero point, and probabilities where the method
/// has them. With --format csv there is a row per example and label, which "ordain eval --truth" reads. JSON:
/// {"labels":[...],"calibrated","examples":[{"example","order":[...],"relevant","utilities":[...],"probabilities"?}...]}.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain score model.json S5.txt -o model.run
  ordain score model.json S5.txt --format letor > S5.scores
  ordain score model.json S5.txt --format csv -o items.csv
  ordain score labels.json new.arff
  ordain score labels.json test.arff --format csv -o found.csv")]
pub struct Arguments {
    /// The model
    model: PathBuf,
    /// LETOR files, or for labels ARFF or tables
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The form of the output [default: trec; table for labels]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The name of the run [default: the model's learner]
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
    /// Write to this file instead of standard output; the file appears only when it is complete
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For ordain eval and trec_eval: qid Q0 docid rank score tag
    Trec,
    /// One score per line of the files
    Letor,
    /// A table of items: qid, id, score and the features; for labels, a row per example and label
    Csv,
    /// Labels for people: a line per example
    Table,
    /// Labels for programs: one object
    Json,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    if let Some(output) = &arguments.output {
        let inputs = letor::roles("FILE", &arguments.files).chain([("MODEL", arguments.model.as_path())]);
        check_outputs(&[("--output", output)], &inputs.collect::<Vec<_>>())?;
    }
    match AnyModel::load(&arguments.model)? {
        AnyModel::Ranking(model) => documents(&model, arguments),
        AnyModel::Labels(model) => examples(&model, arguments),
    }
}

/// Ranks the labels of examples.
fn examples(model: &LabelModel, arguments: &Arguments) -> Outcome {
    let format = arguments.format.unwrap_or(Format::Table);
    labels::score::check_format(format, &arguments.model)?;
    if arguments.tag.is_some() {
        return Err(Failure::Usage {
            message: format!("--tag names a TREC run, and {} ranks labels", arguments.model.display()),
            hint: "leave it out",
        });
    }
    let found = labels::score::predict(model, &arguments.files)?;
    write(arguments, |out| labels::score::write(model, &found, format, out))?;
    if arguments.output.is_some() {
        output::note(format!("ranked the labels of {}", output::count(found.len(), "example")));
    }
    Ok(())
}

/// Writes to the file or to standard output.
fn write(arguments: &Arguments, write: impl Fn(&mut dyn Write) -> std::io::Result<()>) -> Outcome {
    match &arguments.output {
        Some(path) => write_whole(path, write)?,
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write(&mut out)?;
            out.flush()?;
        }
    }
    Ok(())
}

/// Scores documents.
fn documents(model: &RankingModel, arguments: &Arguments) -> Outcome {
    let format = arguments.format.unwrap_or(Format::Trec);
    if matches!(format, Format::Table | Format::Json) {
        return Err(Failure::Usage {
            message: format!("{} scores documents, which have no such form", arguments.model.display()),
            hint: "choose --format trec, letor or csv",
        });
    }
    let tag = arguments.tag.clone().unwrap_or_else(|| model.learner().to_owned());
    if format == Format::Trec && !fits_run(&tag) {
        return Err(Failure::Usage {
            message: format!("--tag {tag:?}: a TREC run cannot hold a name with spaces"),
            hint: "write _ for the space",
        });
    }
    let working = working("scoring");
    let files = read_letors(&arguments.files, Some(model.features().len()))?;
    let mut scored = Vec::new();
    for (letor, path) in files.into_iter().zip(&arguments.files) {
        if format == Format::Trec {
            check_ids(&letor, path)?;
        }
        let in_file = |error| ordain::Error::In { file: path.clone(), error: Box::new(error) };
        let scores = model.score(letor.items.attributes(), letor.items.groups()).map_err(in_file)?;
        scored.push((letor.items, scores));
    }
    drop(working);
    write(arguments, |out| match format {
        Format::Trec => scored.iter().try_for_each(|(items, scores)| run_of(items, scores, &tag, out)),
        Format::Letor => scored.iter().flat_map(|(_, scores)| scores).try_for_each(|score| writeln!(out, "{score}")),
        _ => table(&scored, out),
    })?;
    if arguments.output.is_some() {
        let documents = scored.iter().map(|(_, scores)| scores.len()).sum();
        output::note(format!("scored {}", output::count(documents, "document")));
    }
    Ok(())
}

/// Fails if a TREC run cannot hold the ids.
fn check_ids(letor: &Letor, path: &PathBuf) -> Outcome {
    for item in letor.items.iter() {
        let id = letor.items.id(item);
        if !fits_run(id) {
            let error = InputError::new(path, "an id without spaces, for a TREC run").line(letor.lines[item.index()]);
            return Err(ordain::Error::from(error.found(id).hint("choose --format letor or csv")).into());
        }
    }
    Ok(())
}

/// Each query's documents by falling score; equal scores keep the order of the lines.
fn run_of(items: &Items, scores: &[f64], tag: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let all: Vec<ItemId> = items.iter().collect();
    let queries: Vec<(&str, Vec<ItemId>)> = match items.groups() {
        None => vec![("1", all)],
        Some(groups) => {
            let names = groups.names().iter().enumerate();
            names.map(|(at, name)| (name.as_str(), groups.members(at).to_vec())).collect()
        }
    };
    for (query, mut members) in queries {
        members.sort_by(|one, other| scores[other.index()].total_cmp(&scores[one.index()]));
        for (rank, item) in members.into_iter().enumerate() {
            writeln!(out, "{query} Q0 {} {} {} {tag}", items.id(item), rank + 1, scores[item.index()])?;
        }
    }
    Ok(())
}

/// A table of items for a project.
fn table(scored: &[(Items, Vec<f64>)], out: &mut dyn Write) -> std::io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let features = scored.first().map_or(&[][..], |(items, _)| items.attributes().names());
    let head = ["qid", "id", "score"].into_iter().map(str::to_owned);
    csv.write_record(head.chain(features.iter().map(|name| format!("f{name}")))).map_err(output::csv_failure)?;
    for (items, scores) in scored {
        for item in items.iter() {
            let query = items.group_name(item).unwrap_or("1");
            let values = items.attributes().row(item.index()).iter().map(f64::to_string);
            let cells = [query.to_owned(), items.id(item).to_owned(), scores[item.index()].to_string()];
            csv.write_record(cells.into_iter().chain(values)).map_err(output::csv_failure)?;
        }
    }
    csv.flush()
}
