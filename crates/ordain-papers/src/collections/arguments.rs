//! UKPConvArg1: arguments by topic, and how convincing they are.

use std::collections::{BTreeMap, HashMap};

use ordain::data::{Answer, Attributes, ItemId, Items, Lookup, Outcome, Relation};
use ordain::formats::Table;
use ordain::text::{Analysis, DocumentId, Index, IndexBuilder, words};
use ordain::{Error, InputError, Result};

use crate::data::{DataCollection, DataFile, DataFolder};

const COLLECTION: DataCollection =
    DataCollection { name: "UKPConvArg1", makers: "UKP Lab of the TU Darmstadt; Habernal, Gurevych 2016" };

/// The arguments.
pub const FILE: DataFile = DataFile {
    path: "pairwise/ukpconvarg1/arguments.tsv.gz",
    form: "a table with the columns topic, arg, rank_score (the lower, the more convincing) and text",
    collection: &COLLECTION,
    sha256: "6fe3071f149d8be44263bf6995a813a72eccf4513f49909a263e032662d6186e",
};

/// The pairs that people compared.
pub const PAIRS: DataFile = DataFile {
    path: "pairwise/ukpconvarg1/pairs.tsv.gz",
    form: "a table with the columns pair, topic, arg1 and arg2",
    collection: &COLLECTION,
    sha256: "02b579d2af234ee839c1d1fd784bf6f7f7fc3f60569e00771d8dbfc145254433",
};

/// Every single judgement of a pair.
pub const ANNOTATIONS: DataFile = DataFile {
    path: "pairwise/ukpconvarg1/annotations.tsv.gz",
    form: "a table with the columns pair, worker and value (a1, a2 or equal)",
    collection: &COLLECTION,
    sha256: "4151590a5792722be9392f800f823a70c53a3b99c342521d14b0164686ce507c",
};

/// The judgements of every topic, each by its worker, in the order of the file.
///
/// # Errors
/// If a file cannot be read, or names something that is not there.
pub fn judgements(folder: &DataFolder, topics: &[Topic]) -> Result<Vec<Vec<(String, Answer)>>> {
    let table = Table::read(folder.file(&PAIRS))?;
    let wrong = |table: &Table, row: usize, expected: &str, found: &str| {
        Error::from(InputError::new(table.path(), expected).line(table.line(row)).found(found))
    };
    let [pair, topic, one, other] = columns(&table, ["pair", "topic", "arg1", "arg2"])?;
    let places: HashMap<&str, usize> = topics.iter().enumerate().map(|(at, topic)| (topic.name.as_str(), at)).collect();
    let mut pairs: HashMap<&str, (usize, ItemId, ItemId)> = HashMap::new();
    for row in 0..table.len() {
        let name = table.cell(row, topic);
        let &at = places.get(name).ok_or_else(|| wrong(&table, row, "a topic of the arguments", name))?;
        let find = |column: usize| match topics[at].items.find(table.cell(row, column), None) {
            Lookup::Found(item) => Ok(item),
            _ => Err(wrong(&table, row, "an argument of the topic", table.cell(row, column))),
        };
        pairs.insert(table.cell(row, pair), (at, find(one)?, find(other)?));
    }
    let said = Table::read(folder.file(&ANNOTATIONS))?;
    let [pair, worker, value] = columns(&said, ["pair", "worker", "value"])?;
    let mut out = vec![Vec::new(); topics.len()];
    for row in 0..said.len() {
        let &(topic, one, other) =
            pairs.get(said.cell(row, pair)).ok_or_else(|| wrong(&said, row, "a known pair", said.cell(row, pair)))?;
        let outcome = match said.cell(row, value) {
            "a1" => Outcome::First,
            "a2" => Outcome::Second,
            "equal" => Outcome::Tie,
            value => return Err(wrong(&said, row, "a1, a2 or equal", value)),
        };
        out[topic].push((said.cell(row, worker).to_owned(), Answer::new(one, Some(other), outcome)?));
    }
    Ok(out)
}

fn columns<const N: usize>(table: &Table, names: [&str; N]) -> Result<[usize; N]> {
    let mut out = [0; N];
    for (place, name) in out.iter_mut().zip(names) {
        *place = table.column(name)?;
    }
    Ok(out)
}

/// The arguments of a topic.
pub struct Topic {
    /// Its name.
    pub name: String,
    /// The arguments with attributes of their texts, standardized within the topic.
    pub items: Items,
    /// No links.
    pub relation: Relation,
    /// How convincing they are; the larger, the more.
    pub utilities: Vec<f64>,
}

/// All topics, by name.
///
/// # Errors
/// If the file cannot be read or a score is no number.
pub fn read(folder: &DataFolder) -> Result<Vec<Topic>> {
    let path = folder.file(&FILE);
    let table = Table::read(&path)?;
    let (topic, id) = (table.column("topic")?, table.column("arg")?);
    let (score, text) = (table.column("rank_score")?, table.column("text")?);
    let mut builder = IndexBuilder::new(Analysis { stem: Some("english".parse()?), ..Analysis::default() });
    let mut topics: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for row in 0..table.len() {
        // Arguments stand under several topics.
        builder.add(row.to_string(), table.cell(row, text))?;
        topics.entry(table.cell(row, topic)).or_default().push(row);
    }
    let index = builder.finish()?;
    let utility = |&row: &usize| {
        let cell = table.cell(row, score);
        let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
        let wrong = || InputError::new(&path, "a number").line(table.line(row)).column("rank_score").found(cell);
        Ok(-value.ok_or_else(|| Error::from(wrong()))?)
    };
    let read = |(name, rows): (&str, Vec<usize>)| {
        let values = rows.iter().flat_map(|&row| attributes(table.cell(row, text), &index, row)).collect();
        let attributes = Attributes::new(NAMES.map(str::to_owned).to_vec(), rows.len(), values)?;
        let ids = rows.iter().map(|&row| table.cell(row, id).to_owned()).collect();
        Ok(Topic {
            name: name.to_owned(),
            items: Items::new(ids, None, attributes.standardized(None)?)?,
            relation: Relation::new(rows.len(), Vec::new())?,
            utilities: rows.iter().map(utility).collect::<Result<_>>()?,
        })
    };
    topics.into_iter().map(read).collect()
}

const NAMES: [&str; 5] = ["log_words", "word_length", "log_sentences", "distinct_terms", "rarity"];

/// Of a text: the logarithm of its words, their mean length, the logarithm of its sentences, the share of its terms that are
/// distinct, and their mean log inverse document frequency.
fn attributes(text: &str, index: &Index, row: usize) -> [f64; NAMES.len()] {
    let (mut count, mut letters) = (0.0, 0.0);
    for (_, word) in words(text) {
        count += 1.0;
        letters += word.chars().count() as f64;
    }
    let sentences = text.matches(['.', '!', '?']).count() as f64;
    let own = index.query(text);
    let documents = index.len() as f64;
    let rarity = |term| (documents / index.document_frequency(term).max(1) as f64).ln();
    let rarity: f64 = own.terms().iter().map(|&(term, _)| rarity(term)).sum();
    let distinct = own.terms().len() as f64;
    let terms = f64::from(index.length(DocumentId(row as u32))).max(1.0);
    let per = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
    [f64::ln_1p(count), per(letters, count), sentences.ln_1p(), distinct / terms, per(rarity, distinct)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::real_data;

    /// The published counts: 1,052 arguments in 32 topics, 84,445 judgements by 3,815 workers.
    #[test]
    fn the_set_as_published() {
        let Some(folder) = real_data(&FILE) else { return };
        let topics = read(&folder).unwrap();
        assert_eq!((topics.len(), topics.iter().map(|topic| topic.items.len()).sum::<usize>()), (32, 1052));
        let judgements = judgements(&folder, &topics).unwrap();
        assert_eq!(judgements.iter().map(Vec::len).sum::<usize>(), 84_445);
        let workers: std::collections::HashSet<&str> =
            judgements.iter().flatten().map(|(worker, _)| worker.as_str()).collect();
        assert_eq!(workers.len(), 3815);
    }
}
