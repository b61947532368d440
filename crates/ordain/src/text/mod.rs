//! Text: words to terms, statistics of terms, an inverted index, and ranking by Okapi BM25 or by learned weights.
//!
//! An [`Analysis`] makes terms of text, an [`IndexBuilder`] counts them in documents, and [`Bm25`] ranks the documents of
//! the [`Index`] for a query. The index keeps its analysis, so queries are cut into terms the way documents were.
//!
//! ```
//! use ordain::text::{Analysis, Bm25Params, IndexBuilder, Stemmer};
//!
//! let analysis = Analysis { stem: Some("english".parse::<Stemmer>()?), ..Analysis::default() };
//! let mut builder = IndexBuilder::new(analysis);
//! builder.add("fox", "The quick brown fox jumps over the lazy dog.")?;
//! builder.add("dogs", "Two dogs were sleeping, and a third dog was not.")?;
//! builder.add("cats", "Cats do not jump.")?;
//! let index = builder.finish()?;
//!
//! let query = index.query("jumping dogs");
//! let hits = Bm25Params::default().over(&index)?.search(&query, 10);
//! let ids: Vec<&str> = hits.iter().map(|hit| index.id(hit.document)).collect();
//! assert_eq!(ids, ["fox", "dogs", "cats"]);
//! assert_eq!(index.matched(&query, hits[0].document), 2);
//! # Ok::<(), ordain::Error>(())
//! ```

mod bm25;
mod build;
mod curve;
mod feedback;
mod index;
mod stop;
mod tokens;
mod weighting;

pub use bm25::{Bm25, Bm25Params, Hit};
pub use build::IndexBuilder;
pub use curve::{Curve, Curves};
pub use feedback::{Feedback, WithFeedback};
pub use index::{DocumentId, Forward, Index, Posting, Query, TermId};
pub use stop::StopWords;
pub use tokens::{Analysis, Stemmer, words};
pub use weighting::{TermVectors, Weighted, Weighting};
