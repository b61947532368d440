//! How good a ranking is: measures of retrieval, distances between orders, and tests of whether a difference is real.
