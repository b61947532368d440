//! CACM: queries with relevant documents, and citations.

use std::collections::{BTreeMap, HashMap};

use ordain::data::{Attributes, Items, Judgements, Link, Relation};
use ordain::formats::{Lines, Table, read_qrels};
use ordain::text::{Analysis, Bm25, Bm25Params, DocumentId, Index, IndexBuilder, TermVectors, Weighting};
use ordain::{InputError, Result};
use serde::Deserialize;

use crate::data::{DataCollection, DataFile, DataFolder};
use crate::query::Query;

const fn part(path: &'static str, form: &'static str, sha256: &'static str) -> DataFile {
    const COLLECTION: DataCollection = DataCollection {
        name: "CACM",
        makers: "the SMART archive of Cornell University; also the Glasgow and Virginia Disc collections",
    };
    DataFile { path, form, collection: &COLLECTION, sha256 }
}

/// The texts.
pub const DOCUMENTS: DataFile = part(
    "classic-ir/cacm/docs.jsonl.gz",
    "JSON lines with id, title, abstract, keywords and published (a date)",
    "764ab92caf773cb8e92204d5f9aeb7900cf121c48fdb552aa3e3f06067c2685d",
);
/// The queries.
pub const QUERIES: DataFile = part(
    "classic-ir/cacm/queries.tsv.gz",
    "a table with the columns qid and text",
    "0d52d9d2aa07afdfc77190113580e54fdef066dfdd80a1f3e516e0959577c689",
);
/// Which documents are relevant.
pub const JUDGEMENTS: DataFile = part(
    "classic-ir/cacm/qrels.tsv.gz",
    "a table with the columns qid, docid and rel",
    "d1c7bebf3c5e405afee811cc2335f1f0f8999cd8443912a713baec75fe3d153e",
);
/// What links documents.
pub const RELATIONS: DataFile = part(
    "classic-ir/cacm/relations.tsv.gz",
    "a table with the columns doc, other, type (link, cocitation or coupling) and weight (a count)",
    "c88dec4f7dd1807f67b2e858a573fa63d909a9f744a9a24835e6365fdd74cffb",
);
/// Four engines' lists.
pub const RUNS: DataFile = part(
    "classic-ir/cacm/runs.tsv.gz",
    "a table with the columns run, qid, docid, rank and score",
    "c915e76f0a8881cd032c3946a7a2fc6cab5b8aa5fbc5c1bc13fee009bee54cda",
);

/// All but the runs.
pub const FILES: [DataFile; 4] = [DOCUMENTS, QUERIES, JUDGEMENTS, RELATIONS];

/// Which documents a query has.
#[derive(Clone, Copy, PartialEq)]
pub enum Candidates {
    /// The best by BM25 and the relevant ones.
    BestAndRelevant,
    /// The best by BM25.
    Best,
}

/// Documents by BM25, at most.
pub const BEST: usize = 200;

/// Queries need as many relevant documents.
pub const LEAST_RELEVANT: usize = 8;

/// The queries with enough relevant documents, whose words are weighed in these ways.
///
/// # Errors
/// If a file cannot be read or does not fit the others.
pub fn read(folder: &DataFolder, candidates: Candidates, weightings: &[Weighting]) -> Result<Vec<Query>> {
    let collection = Collection::read(folder)?;
    let mut vectors = Vec::new();
    for weighting in weightings {
        vectors.push(weighting.over(&collection.index)?.vectors());
    }
    let bm25 = Bm25Params::default().over(&collection.index)?;
    let judgements = read_qrels(folder.file(&JUDGEMENTS))?;
    let texts = query_texts(folder)?;
    let mut queries = Vec::new();
    for (name, relevant) in relevant(&judgements) {
        let Some(text) = texts.get(name) else {
            let error = InputError::new(folder.file(&QUERIES), "every judged query").found(format!("no query {name}"));
            return Err(error.into());
        };
        let find = |&document: &&str| {
            collection.index.document(document).ok_or_else(|| {
                let error = InputError::new(folder.file(&JUDGEMENTS), "documents of the collection");
                ordain::Error::from(error.found(format!("document {document} of query {name}")))
            })
        };
        let relevant: Vec<DocumentId> = relevant.iter().map(find).collect::<Result<_>>()?;
        let mut query = collection.query(&bm25, name, text, &relevant, candidates)?;
        query.words = vectors.iter().map(|vectors| collection.words(&query.items, vectors)).collect::<Result<_>>()?;
        queries.push(query);
    }
    Ok(queries)
}

/// The queries with enough relevant documents, in the order of the file, and these documents in the order of their ids.
pub fn relevant(judgements: &Judgements) -> impl Iterator<Item = (&str, Vec<&str>)> {
    judgements.queries.iter().filter_map(|(name, grades)| {
        let mut documents: Vec<&str> =
            grades.iter().filter(|&(_, &grade)| grade > 0).map(|(document, _)| document.as_str()).collect();
        documents.sort_unstable();
        (documents.len() >= LEAST_RELEVANT).then_some((name.as_str(), documents))
    })
}

fn query_texts(folder: &DataFolder) -> Result<HashMap<String, String>> {
    let table = Table::read(folder.file(&QUERIES))?;
    let (name, text) = (table.column("qid")?, table.column("text")?);
    Ok((0..table.len()).map(|row| (table.cell(row, name).to_owned(), table.cell(row, text).to_owned())).collect())
}

/// A line of the documents.
#[derive(Deserialize)]
struct Document {
    id: u32,
    title: String,
    r#abstract: String,
    keywords: String,
    published: String,
}

/// The documents and what links them.
pub struct Collection {
    /// The texts.
    pub index: Index,
    /// The year of every document.
    years: Vec<f64>,
    /// How often two documents are linked, the smaller first.
    counts: BTreeMap<(DocumentId, DocumentId), f64>,
}

impl Collection {
    /// All of it.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(folder: &DataFolder) -> Result<Self> {
        let analysis = Analysis { stem: Some("english".parse()?), ..Analysis::default() };
        let mut builder = IndexBuilder::new(analysis);
        let mut years = Vec::new();
        let path = folder.file(&DOCUMENTS);
        let mut lines = Lines::open(&path)?;
        while let Some((line, text)) = lines.next_numbered()? {
            let document: Document = serde_json::from_str(text).map_err(|error| {
                let expected = "an object with id, title, abstract, keywords and published";
                InputError::new(&path, expected).line(line).found(error.to_string())
            })?;
            let Document { id, title, r#abstract, keywords, published } = document;
            builder.add(id.to_string(), [title, r#abstract, keywords].join("\n"))?;
            years.push(year(&published).ok_or_else(|| {
                let error = InputError::new(&path, "a year of four digits at the end").line(line);
                error.column("published").found(&published)
            })?);
        }
        let index = builder.finish()?;
        let counts = counts(folder, &index)?;
        Ok(Self { index, years, counts })
    }

    fn query(
        &self,
        bm25: &Bm25<'_>,
        name: &str,
        text: &str,
        relevant: &[DocumentId],
        candidates: Candidates,
    ) -> Result<Query> {
        let query = self.index.query(text);
        let scores: BTreeMap<DocumentId, f64> =
            bm25.scores(&query).into_iter().map(|hit| (hit.document, hit.score)).collect();
        let mut documents: Vec<DocumentId> = bm25.search(&query, BEST).iter().map(|hit| hit.document).collect();
        if candidates == Candidates::BestAndRelevant {
            documents.extend(relevant);
        }
        documents.sort_unstable();
        documents.dedup();
        let row = |&document: &DocumentId| {
            let length = f64::from(self.index.length(document));
            let matched = self.index.matched(&query, document) as f64;
            [scores.get(&document).copied().unwrap_or(0.0), length.ln_1p(), matched, self.years[document.index()]]
        };
        let names = ["bm25", "log_length", "matched_terms", "year"].map(str::to_owned).to_vec();
        let attributes = Attributes::new(names, documents.len(), documents.iter().flat_map(row).collect())?;
        let grades: Vec<f64> = documents.iter().map(|document| f64::from(relevant.contains(document))).collect();
        let ids = documents.iter().map(|&document| self.index.id(document).to_owned());
        Query::new(name.to_owned(), ids.collect(), &attributes, self.relation(&documents)?, grades)
    }

    /// The words of some documents.
    fn words(&self, documents: &Items, vectors: &TermVectors) -> Result<Relation> {
        let mut links = Vec::new();
        for (source, id) in (0..).zip(documents.ids()) {
            let row = self.index.document(id).map_or(&[][..], |document| vectors.row(document));
            links.extend(row.iter().map(|&(term, weight)| Link { source, target: term.0, weight }));
        }
        Relation::bipartite(documents.len(), self.index.terms(), links)
    }

    /// The links among some documents, which ascend.
    fn relation(&self, documents: &[DocumentId]) -> Result<Relation> {
        let mut links = Vec::new();
        for (source, &document) in documents.iter().enumerate() {
            for (&(_, other), count) in self.counts.range((document, DocumentId(0))..=(document, DocumentId(u32::MAX)))
            {
                if let Ok(target) = documents.binary_search(&other) {
                    links.push(Link { source: source as u32, target: target as u32, weight: count.ln_1p() });
                }
            }
        }
        Relation::new(documents.len(), links)
    }
}

/// How often two documents cite, are cited with or cite the same as one another: all three added up. The file lists both
/// directions, and totals as the links of a document to itself.
fn counts(folder: &DataFolder, index: &Index) -> Result<BTreeMap<(DocumentId, DocumentId), f64>> {
    let path = folder.file(&RELATIONS);
    let table = Table::read(&path)?;
    let (document, other) = (table.column("doc")?, table.column("other")?);
    let (kind, weight) = (table.column("type")?, table.column("weight")?);
    let mut counts = BTreeMap::new();
    for row in 0..table.len() {
        let wrong = |column: usize, expected: &str| {
            let error = InputError::new(&path, expected).line(table.line(row));
            ordain::Error::from(error.column(&table.columns()[column]).found(table.cell(row, column)))
        };
        let find = |column: usize| {
            let found = index.document(table.cell(row, column));
            found.ok_or_else(|| wrong(column, "a document of the collection"))
        };
        if !["link", "cocitation", "coupling"].contains(&table.cell(row, kind)) {
            return Err(wrong(kind, "link, cocitation or coupling"));
        }
        let count = table.cell(row, weight).parse::<f64>().ok().filter(|count| count.is_finite() && *count >= 0.0);
        let count = count.ok_or_else(|| wrong(weight, "a count"))?;
        let (document, other) = (find(document)?, find(other)?);
        if document < other {
            *counts.entry((document, other)).or_insert(0.0) += count;
        }
    }
    Ok(counts)
}

/// The year at the end of, say, "CACM December, 1958".
fn year(published: &str) -> Option<f64> {
    let digits = published.trim().rsplit(|letter: char| !letter.is_ascii_digit()).next()?;
    let year = digits.parse::<u16>().ok().filter(|_| digits.len() == 4)?;
    Some(f64::from(year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_at_the_end() {
        assert_eq!(year("CACM December, 1958"), Some(1958.0));
        assert_eq!(year(" 1958 "), Some(1958.0));
        assert_eq!(["CACM", "", "12", "1958, CACM", "CACM 99999"].map(year), [None; 5]);
    }
}
