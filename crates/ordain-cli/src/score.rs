//! `ordain score`: applies a ranking model.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain::InputError;
use ordain::data::{ItemId, Items};
use ordain::formats::{Letor, check_outputs, fits_run, read_letors, write_whole};
use ordain::learn::RankingModel;

use crate::output;
use crate::working::working;
use crate::{Failure, Outcome, letor};

/// Score documents with a model that "ordain train" wrote
///
/// Files are LETOR or SVMlight, with the features that the model was learned with. Features that a line does not name
/// are 0. Grades are not used. The default form is a TREC run, which "ordain eval" reads: each query's documents by
/// falling score. With --format letor there is one score per line, in the order of the lines. With --format csv there is
/// a table of items for a project: qid, id, score and all features, so that the score can be an attribute or the prior
/// mean of what people then compare.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain score model.json S5.txt -o model.run
  ordain score model.json S5.txt --format letor > S5.scores
  ordain score model.json S5.txt --format csv -o items.csv")]
pub struct Arguments {
    /// The model
    model: PathBuf,
    /// LETOR files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "trec")]
    format: Format,
    /// The name of the run [default: the model's learner]
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
    /// Write to this file instead of standard output; the file appears only when it is complete
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For ordain eval and trec_eval: qid Q0 docid rank score tag
    Trec,
    /// One score per line of the files
    Letor,
    /// A table of items: qid, id, score and the features
    Csv,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    if let Some(output) = &arguments.output {
        let inputs = letor::roles("FILE", &arguments.files).chain([("MODEL", arguments.model.as_path())]);
        check_outputs(&[("--output", output)], &inputs.collect::<Vec<_>>())?;
    }
    let model = RankingModel::load(&arguments.model)?;
    let tag = arguments.tag.clone().unwrap_or_else(|| model.learner().to_owned());
    if arguments.format == Format::Trec && !fits_run(&tag) {
        return Err(Failure::Usage {
            message: format!("--tag {tag:?}: a TREC run cannot hold a name with spaces"),
            hint: "write _ for the space",
        });
    }
    let working = working("scoring");
    let files = read_letors(&arguments.files, Some(model.features().len()))?;
    let mut scored = Vec::new();
    for (letor, path) in files.into_iter().zip(&arguments.files) {
        if arguments.format == Format::Trec {
            check_ids(&letor, path)?;
        }
        let in_file = |error| ordain::Error::In { file: path.clone(), error: Box::new(error) };
        let scores = model.score(letor.items.attributes(), letor.items.groups()).map_err(in_file)?;
        scored.push((letor.items, scores));
    }
    drop(working);
    let write = |out: &mut dyn Write| match arguments.format {
        Format::Trec => scored.iter().try_for_each(|(items, scores)| run_of(items, scores, &tag, out)),
        Format::Letor => scored.iter().flat_map(|(_, scores)| scores).try_for_each(|score| writeln!(out, "{score}")),
        Format::Csv => table(&scored, out),
    };
    match &arguments.output {
        Some(path) => write_whole(path, write)?,
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write(&mut out)?;
            out.flush()?;
        }
    }
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
    csv.write_record(head.chain(features.iter().map(|name| format!("f{name}"))))?;
    for (items, scores) in scored {
        for item in items.iter() {
            let query = items.group_name(item).unwrap_or("1");
            let values = items.attributes().row(item.index()).iter().map(f64::to_string);
            let cells = [query.to_owned(), items.id(item).to_owned(), scores[item.index()].to_string()];
            csv.write_record(cells.into_iter().chain(values))?;
        }
    }
    csv.flush()
}
