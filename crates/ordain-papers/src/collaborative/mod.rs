//! Users who share a prior: COR's tables, and personal answers about pairs.

pub mod arguments;
pub mod jester;
pub mod mixed;

const PAPER: &str = "Yu, Yu, Tresp: Collaborative ordinal regression (COR)";
