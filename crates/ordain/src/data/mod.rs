//! Items, attributes, relations, answers, groups and grades: plain data, valid once constructed.
//!
//! Nothing here reads a file or knows a file's name. [`crate::formats`] does, and reports places in files.

mod answers;
mod ask;
mod attributes;
mod functional;
mod goal;
mod gold;
mod grades;
mod items;
mod newcomers;
mod outcome;
mod prior;
mod ratings;
mod relation;

pub use answers::{Answer, AnswerLog, Entry, TIE_WIDTH};
pub(crate) use answers::{check_item, check_pair};
pub use ask::Ask;
pub use attributes::{Attributes, Scale};
pub use functional::{Functional, Shared};
pub use goal::Goal;
pub use gold::Gold;
pub use grades::{Judgements, Run, RunFault, RunRow};
pub use items::{Groups, ItemId, Items, Lookup, quoted_in_list};
pub use newcomers::Newcomers;
pub use outcome::{Outcome, Probability, Votes};
pub use prior::Prior;
pub use ratings::{GradeScale, Opinions, Ratings};
pub use relation::{Link, Relation};
