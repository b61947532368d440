//! `strategies`
