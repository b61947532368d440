//! The shared mathematics: tails of the normal law, linear algebra, optimisers, random streams.
//!
//! Only this module names `faer`, and never in a public signature.

pub(crate) mod conjugate_gradients;
pub mod dense;
mod gaussian_mean;
mod inverse_diagonal;
mod lanczos;
mod laplacian_solve;
mod large_pages;
mod local_solve;
pub(crate) mod logistic;
mod matrix;
pub mod normal;
pub(crate) mod optimise;
mod random;
mod shifted_laplacian;
pub(crate) mod sorting;
mod sparse;
mod sparse_cholesky;
mod sparse_solver;
pub mod student;
pub(crate) mod waves;

pub(crate) use conjugate_gradients::{ConjugateGradients, SymmetricOperator};
pub(crate) use gaussian_mean::gaussian_mean;
pub use inverse_diagonal::InverseDiagonal;
pub(crate) use lanczos::Krylov;
pub use matrix::Matrix;
pub use random::{Purpose, Seed, Stream};
pub use shifted_laplacian::ShiftedLaplacian;
pub use sparse::SparseMatrix;
pub(crate) use sparse_cholesky::triangulate;
pub use sparse_cholesky::{SparseCholesky, SparseOrdering};
pub use sparse_solver::{SolveMethod, SparseSolver};
