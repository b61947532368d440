//! The mathematics everything else stands on: tails of the normal law, linear algebra, optimisers, random streams.
//!
//! This is the one module that names `faer`; it never appears in a public signature.

pub(crate) mod conjugate_gradients;
pub mod dense;
mod matrix;
pub mod normal;
pub mod optimise;
mod random;
mod sparse;
mod sparse_cholesky;
pub mod student;

pub use conjugate_gradients::{ConjugateGradients, SymmetricOperator};
pub use matrix::Matrix;
pub use random::Seed;
pub use sparse::SparseMatrix;
pub(crate) use sparse_cholesky::triangulate;
pub use sparse_cholesky::{SolveMethod, SparseCholesky, SparseOrdering, SparseSolver};
