//! Files in and out. Only this module of the library touches files.
//!
//! `source` opens a file, plain or packed, and gives its lines. `table` makes named cells of CSV, TSV, JSONL and
//! Parquet, and `numbers` reads those that hold numbers. `items`, `relations` and `answers` make [`crate::data`] of cells; `documents` makes text of them.
//! `letor` and `trec` have their own line formats. `project` reads an `ordain.toml` with everything it names, and
//! `init` writes a first one.
//!
//! Every error names the file, the line, the column and the token, where they exist. Five functions write:
//! [`AnswerWriter`] only appends, [`write_project`] never overwrites, [`write_parameters`] and [`write_ask`] change
//! values of a project file and leave the rest, and [`write_whole`] replaces a file completely or not at all.
//!
//! ```
//! use ordain::data::{Answer, Entry, Outcome};
//! use ordain::formats::{AnswerWriter, Sketch, draft_project, read_project, write_project};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path().to_path_buf();
//! std::fs::write(folder.join("lamps.csv"), "id,watts\nred,40\nblue,60\ngreen,25\n")?;
//! let sketch = Sketch { folder: folder.clone(), file: folder.join("lamps.csv"), ..Sketch::default() };
//! write_project(&folder, &draft_project(&sketch)?.text)?;
//!
//! let project = read_project(&folder)?;
//! let mut items = project.items.iter();
//! let (red, blue) = (items.next().unwrap(), items.next());
//! let answer = Answer::new(red, blue, Outcome::First)?.by("ann");
//! AnswerWriter::open(&project.file.answers, &project.items)?.append(&Entry::Answer(answer), &project.items)?;
//!
//! assert_eq!(read_project(&folder)?.answers.standing().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod additions;
mod answers;
mod apart;
mod arff;
mod documents;
mod gold;
mod init;
mod items;
mod json;
mod label_table;
mod letor;
mod letor_judgements;
mod letor_queries;
mod lock;
mod log;
pub(crate) mod model_file;
mod newcomers;
mod numbers;
mod parameters;
#[cfg(feature = "parquet")]
mod parquet;
mod project;
mod ratings;
mod relations;
mod run_queries;
mod scored;
mod screens;
mod settings;
mod source;
mod table;
mod text_model;
mod trec;
mod whole;

pub(crate) use additions::ItemsSource;
pub(crate) use answers::{OTHER_SCALE, is_begun};
pub use answers::{read_answer_ids, read_answer_items, read_answers};
pub use apart::{check_apart, check_outputs};
pub use documents::{Document, Documents, DocumentsSpec, Queries, QueryText, read_queries};
pub use gold::read_gold;
pub use init::{Description, Draft, Sketch, USUAL_OWN_WEIGHT, USUAL_WEIGHT, describe, draft_project, write_project};
pub(crate) use items::pair_of_ids;
pub use items::{ItemTable, ItemsSpec, Missing, TextColumns, named_item, named_items, named_pair, read_items};
pub use label_table::{LabelColumns, LabelTable, has_listing, read_attributes};
pub(crate) use letor::HIGHEST_GRADE;
pub use letor::{Letor, LetorRanks, read_letor, read_letor_ranks, read_letors, read_scores};
pub use letor_judgements::{LetorJudgements, read_letor_judgements, whole_grade};
pub use letor_queries::LetorQueries;
pub use log::AnswerWriter;
pub use newcomers::{Known, NewLinks};
pub use parameters::{rounded, write_ask, write_parameters};
pub use project::{DEFAULT_NOISE, PROJECT_FILE, ProjectData, ProjectFile, ProjectGrades, read_kernels, read_project};
pub(crate) use project::{ProjectLog, read_project_log};
pub use ratings::read_ratings;
pub use relations::{read_document_links, read_relation};
pub use run_queries::{RunQueries, RunQuery, check_query};
pub use scored::{Scored, read_scores_or_runs};
pub use screens::joined_ids;
pub use source::Lines;
pub(crate) use source::{read_long_text, read_text};
pub use table::Table;
pub use text_model::{TextModel, TextTraining};
pub use trec::{fits_run, read_qrels, read_run, read_runs, told_apart};
pub use whole::write_whole;
