//! The learners that are compared.

use ordain::learn::labels::{
    Encoding, Features, ForestParams, LabelLoss, LabelRanker, LogisticParams, NeighboursParams, OnlineParams,
    PairwiseParams,
};
use ordain::numeric::Seed;

/// A learner in the comparison.
pub struct Method {
    pub name: &'static str,
    pub title: &'static str,
    pub ranker: fn(Seed) -> Box<dyn LabelRanker>,
    /// The most examples that it learns from here, since its time grows with their square.
    pub most: usize,
}

/// The width of the Gaussian kernel, in units of the standardised attributes' spread. It was not tuned.
const WIDTH: f64 = 0.7;

/// All, in the order of the columns.
pub const METHODS: [Method; 7] = [
    Method {
        name: "online",
        title: "algorithm 1, averaged",
        ranker: |seed| Box::new(OnlineParams::default().with_seed(seed)),
        most: usize::MAX,
    },
    Method {
        name: "fourier",
        title: "algorithm 1, 500 waves",
        ranker: |seed| {
            let features = Features::Fourier { count: 500, width: WIDTH };
            Box::new(OnlineParams::default().with_features(features).with_seed(seed))
        },
        most: usize::MAX,
    },
    Method {
        name: "kernel",
        title: "algorithm 1, kernel",
        ranker: |seed| {
            Box::new(OnlineParams::default().with_features(Features::Kernel { width: WIDTH }).with_seed(seed))
        },
        most: 3000,
    },
    Method {
        name: "logistic",
        title: "joint logistic",
        ranker: |_| Box::new(LogisticParams::default()),
        most: usize::MAX,
    },
    Method {
        name: "pairwise",
        title: "pairwise votes",
        ranker: |_| Box::new(PairwiseParams::default()),
        most: usize::MAX,
    },
    Method {
        name: "neighbours",
        title: "nearest neighbours",
        ranker: |_| Box::new(NeighboursParams::default()),
        most: usize::MAX,
    },
    Method {
        name: "forest",
        title: "forest",
        ranker: |seed| Box::new(ForestParams::default().with_seed(seed)),
        most: usize::MAX,
    },
];

/// A way to turn orders into constraints.
pub const ENCODINGS: [(&str, Encoding); 4] = [
    ("neighbouring pairs, all relevant", Encoding::ALL.adjacent()),
    ("all pairs, all relevant", Encoding::ALL),
    ("neighbouring pairs, lowest relevant", Encoding::ALL.adjacent().lowest_only()),
    ("all pairs, lowest relevant", Encoding::ALL.lowest_only()),
];

/// The losses that are compared.
pub const LOSSES: [LabelLoss; 4] = [LabelLoss::ZeroOne, LabelLoss::Hamming, LabelLoss::Kendall, LabelLoss::Footrule];
