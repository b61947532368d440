//! How LinkLearn is trained, and what is compared.

use ordain::learn::{LinkLearnParams, LinkLoss};
use ordain::numeric::Seed;
use ordain::text::Bm25Params;

/// A way to train.
pub struct Setting {
    /// Its name in files.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    params: fn() -> LinkLearnParams,
}

impl Setting {
    /// The learner with a seed.
    pub fn params(&self, seed: u64) -> LinkLearnParams {
        (self.params)().with_seed(Seed(seed))
    }
}

/// The short queries and the loss of the default, beside the paper's.
pub const SETTINGS: [Setting; 6] = [
    Setting { name: "paper", title: "whole documents, hinge (the paper)", params: LinkLearnParams::paper },
    Setting {
        name: "paper_cross_entropy",
        title: "whole documents, cross-entropy",
        params: || LinkLearnParams::paper().with_loss(LinkLoss::CrossEntropy),
    },
    Setting {
        name: "lengths",
        title: "whole documents of random lengths, hinge",
        params: || LinkLearnParams::paper().with_lengths(Some((20, 2000))),
    },
    Setting {
        name: "queries",
        title: "first 8 words as queries, cross-entropy",
        params: || LinkLearnParams::default().with_lengths(None),
    },
    Setting {
        name: "queries_lengths_hinge",
        title: "first 8 words, random lengths, hinge",
        params: || LinkLearnParams::default().with_loss(LinkLoss::Hinge),
    },
    Setting {
        name: "search",
        title: "first 8 words, random lengths, cross-entropy (the default)",
        params: LinkLearnParams::default,
    },
];

/// The place of the paper's setting, and of the default.
pub const PAPER: usize = 0;
pub const DEFAULT: usize = SETTINGS.len() - 1;

/// The constants of Okapi that are tried.
pub const K1: [f64; 8] = [0.4, 0.8, 1.2, 1.6, 2.0, 2.5, 3.0, 4.0];
pub const B: [f64; 7] = [0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0];

/// All pairs of constants.
pub fn okapi() -> Vec<Bm25Params> {
    let pair = |&k1: &f64| B.map(move |b| Bm25Params::default().with_k1(k1).with_b(b));
    K1.iter().flat_map(pair).collect()
}

/// What is made of a trained model.
pub const USES: [(&str, &str); 4] = [
    ("learned", "LinkLearn"),
    ("learned_similar", "LinkLearn, similar documents"),
    ("learned_rm3", "LinkLearn, RM3"),
    ("fused", "LinkLearn and Okapi fused, similar documents"),
];

/// What is made of Okapi alone.
pub const UNTRAINED: [(&str, &str); 3] =
    [("okapi", "Okapi"), ("okapi_similar", "Okapi, similar documents"), ("okapi_rm3", "Okapi, RM3")];

/// Constants of Okapi of which the best is taken for links: fewer, as every pair costs a ranking of all articles.
pub fn on_links() -> Vec<Bm25Params> {
    let pair = |k1: f64| [0.35, 0.5, 0.65, 0.8].map(|b| Bm25Params::default().with_k1(k1).with_b(b));
    [1.2, 2.0, 4.0].into_iter().flat_map(pair).collect()
}
