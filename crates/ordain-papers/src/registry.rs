//! The list of all experiments.

use crate::experiment::Experiment;
use crate::{
    bounds, collaborative, illustration, known_pairs, labels, linklearn, metasearch, rankers, semi_supervised, sessions,
};

/// All experiments, in the order in which they are listed and reported.
static EXPERIMENTS: &[Experiment] = &[
    known_pairs::ohsumed::EXPERIMENT,
    known_pairs::links::EXPERIMENT,
    known_pairs::links::TOP,
    known_pairs::links::TEXTS,
    known_pairs::active::EXPERIMENT,
    known_pairs::active::LINKS,
    illustration::EXPERIMENT,
    sessions::axpgp::OHSUMED,
    sessions::axpgp::LINKS,
    sessions::speed::EXPERIMENT,
    sessions::one_model::EXPERIMENT,
    sessions::strategies::EXPERIMENT,
    sessions::stopping::EXPERIMENT,
    metasearch::EXPERIMENT,
    rankers::EXPERIMENT,
    labels::EXPERIMENT,
    linklearn::EXPERIMENT,
    semi_supervised::spiral::EXPERIMENT,
    semi_supervised::boston::EXPERIMENT,
    collaborative::jester::EXPERIMENT,
    collaborative::arguments::EXPERIMENT,
    collaborative::breakfast::EXPERIMENT,
    collaborative::mixed::EXPERIMENT,
    bounds::k_partite::EXPERIMENT,
    bounds::unlabelled::EXPERIMENT,
];

/// All experiments.
pub fn experiments() -> &'static [Experiment] {
    EXPERIMENTS
}

/// The experiment with this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    experiments().iter().find(|experiment| experiment.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are those of files and of what is typed, so no two experiments share one.
    #[test]
    fn every_experiment_is_found_by_its_name() {
        for experiment in experiments() {
            assert!(find(experiment.name).is_some_and(|found| std::ptr::eq(found, experiment)), "{}", experiment.name);
        }
    }
}
