//! The Python package of Ordain, below its surface: `ordain._core`.
//!
//! Items are positions here. The package above gives them back the ids that its caller knows, and keeps its documents. This crate
//! opens the library's two doors, [`ordain::Model`] and [`ordain::Project`], and turns numbers into arrays.

mod answers;
mod asking;
mod door;
mod engine;
mod failure;
mod fitted;
mod kernels;
mod labels;
mod learners;
mod links;
mod log;
mod long;
mod measures;
mod memory;
mod orders;
mod raters;

use pyo3::prelude::*;

/// What the package is made of.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::asking::Asking;
    #[pymodule_export]
    use crate::door::Engine;
    #[pymodule_export]
    use crate::engine::create_project;
    #[pymodule_export]
    use crate::fitted::{Fitted, Ranked};
    #[pymodule_export]
    use crate::labels::{LabelModel, fit_labels};
    #[pymodule_export]
    use crate::learners::{GradedLists, RankingModel, fit_ranker, lambda_gradient};
    #[pymodule_export]
    use crate::log::Log;
    #[pymodule_export]
    use crate::measures::{agreement, evaluate, hoeffding_slack, holm, measure_names, rating_slack, significance};
    #[pymodule_export]
    use crate::orders::{Experts, fuse, order_agreement, pairs_of_clicks, pairs_of_grades};
    #[pymodule_export]
    use crate::raters::{RatersModel, fit_raters};

    /// The version of the library.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python gives to versions")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
