//! The mathematics everything else stands on: tails of the normal law, linear algebra, random streams.
//!
//! This is the one module that names `faer`; it never appears in a public signature.

pub mod dense;
mod matrix;
pub mod normal;
mod random;

pub use matrix::Matrix;
pub use random::Seed;
