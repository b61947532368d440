//! Users who share a prior: COR's tables, and personal answers about pairs.

pub mod arguments;
pub mod breakfast;
pub mod jester;
mod methods;
pub mod mixed;

const PAPER: &str = "Yu, Yu, Tresp: Collaborative ordinal regression (COR)";
