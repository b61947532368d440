//! Collections of documents with judged queries: CACM, Cranfield, Medline and NPL.

use std::collections::HashMap;

use ordain::Result;
use ordain::formats::{Documents, DocumentsSpec, Table, read_qrels};
use ordain::measure::{JudgedList, Measure};
use ordain::text::{Analysis, Index, IndexBuilder, Query, Stemmer};

use super::cacm;
use crate::data::{DataCollection, DataFile, DataFolder};

/// A collection: its files, and the fields of its documents that hold text.
pub struct Source {
    /// Its name.
    pub name: &'static str,
    documents: DataFile,
    queries: DataFile,
    judgements: DataFile,
    text: &'static [&'static str],
}

const MAKERS: &str = "the Glasgow IR group";

const fn documents(path: &'static str, collection: &'static DataCollection, sha256: &'static str) -> DataFile {
    DataFile { path, form: "JSON lines with id and text", collection, sha256 }
}

const fn queries(path: &'static str, collection: &'static DataCollection, sha256: &'static str) -> DataFile {
    DataFile { path, form: "a table with the columns qid and text", collection, sha256 }
}

const fn judgements(path: &'static str, collection: &'static DataCollection, sha256: &'static str) -> DataFile {
    DataFile { path, form: "a table with the columns qid, docid and rel (or code)", collection, sha256 }
}

const CRANFIELD: DataCollection = DataCollection { name: "Cranfield", makers: MAKERS };
const MEDLINE: DataCollection = DataCollection { name: "Medline", makers: MAKERS };
const NPL: DataCollection = DataCollection { name: "NPL", makers: MAKERS };

/// All of them.
pub const SOURCES: [Source; 4] = [
    Source {
        name: "CACM",
        documents: cacm::DOCUMENTS,
        queries: cacm::QUERIES,
        judgements: cacm::JUDGEMENTS,
        text: &["title", "abstract", "keywords"],
    },
    Source {
        name: "Cranfield",
        documents: documents(
            "classic-ir/cranfield/docs.jsonl.gz",
            &CRANFIELD,
            "3d8261a19514996dd56bad7874a4930983f1ec518aded9f70a5884117de019e6",
        ),
        queries: queries(
            "classic-ir/cranfield/queries.tsv.gz",
            &CRANFIELD,
            "3a13442c54b4892329043087aea795c9b9b0b26d1842acc8990c981b3966d54e",
        ),
        judgements: judgements(
            "classic-ir/cranfield/qrels.tsv.gz",
            &CRANFIELD,
            "d6882f56ad0eb295ae59e420d55db9ea0e4ae4044c2147fc6767e379a3d4db2b",
        ),
        text: &["text"],
    },
    Source {
        name: "Medline",
        documents: documents(
            "classic-ir/medline/docs.jsonl.gz",
            &MEDLINE,
            "f1b74176f4e362b8fbf30f9b7cd6d36c3a8e9c24b8ccd8852f87748d3a69930f",
        ),
        queries: queries(
            "classic-ir/medline/queries.tsv.gz",
            &MEDLINE,
            "9028ee5d26f443fe25a3928904d67707ddf30abc26fae38fde47b7d48cbb2915",
        ),
        judgements: judgements(
            "classic-ir/medline/qrels.tsv.gz",
            &MEDLINE,
            "702868dd7f3cc638a68a1d7adf15db296cbbc7d18edb4ab70dec2076fc18ead8",
        ),
        text: &["text"],
    },
    Source {
        name: "NPL",
        documents: documents(
            "classic-ir/npl/docs.jsonl.gz",
            &NPL,
            "4529b9ea0ce106b8a35f8f92d482cc64bd3eadc89578bda1d29de398f70e29d1",
        ),
        queries: queries(
            "classic-ir/npl/queries.tsv.gz",
            &NPL,
            "9226ceeaf4b21db03d9ec668a66f6f4a8a943042e8b38930ede255f7239b0c21",
        ),
        judgements: judgements(
            "classic-ir/npl/qrels.tsv.gz",
            &NPL,
            "0f5cecd6a5497e8ae4be9d565682b46943dc7c2cd683b901bcbd71da5b1224ef",
        ),
        text: &["text"],
    },
];

/// The files of all collections.
pub const FILES: [DataFile; 12] = {
    let [a, b, c, d] = &SOURCES;
    [
        a.documents,
        a.queries,
        a.judgements,
        b.documents,
        b.queries,
        b.judgements,
        c.documents,
        c.queries,
        c.judgements,
        d.documents,
        d.queries,
        d.judgements,
    ]
};

/// A collection, read.
pub struct Collection {
    /// Its name.
    pub name: &'static str,
    /// The documents, with English stems and without stop words.
    pub index: Index,
    /// The queries with a relevant document, in the order of the file.
    pub queries: Vec<JudgedQuery>,
}

/// A query with its judgements.
pub struct JudgedQuery {
    /// Its name.
    pub name: String,
    /// Its terms.
    pub query: Query,
    /// `[document]`: 1 if it is relevant, else 0.
    grades: Vec<i32>,
}

/// What is measured: precision at ten, the break-even point of precision and recall, average precision.
pub const MEASURES: [Measure; 3] = [Measure::PrecisionAt(10), Measure::RPrecision, Measure::AveragePrecision];

impl JudgedQuery {
    /// The measures of a ranking of all documents by their scores; equal scores in the order of the collection.
    ///
    /// # Errors
    /// If a score is not a number.
    pub fn measure(&self, scores: &[f64]) -> Result<[f64; MEASURES.len()]> {
        let list = JudgedList::given(scores, &self.grades, self.grades.iter().copied())?;
        let mut out = [0.0; MEASURES.len()];
        for (out, measure) in out.iter_mut().zip(&MEASURES) {
            *out = measure.of(&list)?;
        }
        Ok(out)
    }
}

impl Collection {
    /// Reads a collection.
    ///
    /// # Errors
    /// If a file cannot be read or does not fit.
    pub fn read(folder: &DataFolder, source: &Source) -> Result<Self> {
        let analysis = Analysis { stem: Some(Stemmer::ENGLISH), ..Analysis::default() };
        let mut builder = IndexBuilder::new(analysis);
        let text = source.text.iter().map(|&field| field.to_owned()).collect();
        let spec = DocumentsSpec { text: Some(text), ..DocumentsSpec::default() };
        for document in Documents::open(folder.file(&source.documents), &spec)? {
            let document = document?;
            builder.add(document.id, document.text)?;
        }
        let index = builder.finish()?;
        let judgements = read_qrels(folder.file(&source.judgements))?;
        let relevant: HashMap<&str, Vec<i32>> = judgements
            .queries
            .iter()
            .map(|(name, grades)| {
                let mut own = vec![0; index.len()];
                let relevant = grades.iter().filter(|(_, grade)| **grade > 0);
                relevant.filter_map(|(id, _)| index.document(id)).for_each(|document| own[document.index()] = 1);
                (name.as_str(), own)
            })
            .collect();
        let table = Table::read(folder.file(&source.queries))?;
        let (name, text) = (table.column("qid")?, table.column("text")?);
        let query = |row: usize| {
            let grades = relevant.get(table.cell(row, name)).filter(|grades| grades.contains(&1))?;
            let query = index.query(table.cell(row, text));
            Some(JudgedQuery { name: table.cell(row, name).to_owned(), query, grades: grades.clone() })
        };
        let queries = (0..table.len()).filter_map(query).collect();
        Ok(Self { name: source.name, index, queries })
    }
}
