//! The mathematics everything else stands on: tails of the normal law, linear algebra, random streams.
//!
//! This is the one module that names `faer`; it never appears in a public signature.

mod matrix;

pub use matrix::Matrix;
