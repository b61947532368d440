//! Bounds on ranking errors and the scorer that they bound: constants by hand, inequalities by enumeration, coverage by drawing
//! samples from distributions whose truth is known. The comparison with scikit-learn needs the interpreter that `cargo xtask test`
//! prepares and names in `ORDAIN_PYTHON`.
#![allow(clippy::unwrap_used)]

mod coverage;
mod k_partite;
mod queries;
mod scorer;

/// The most failures among so many trials that a bound which may fail with probability `delta` is granted: four standard
/// deviations above the mean, which luck exceeds once in 30,000 times. Seeds are fixed, so that the outcome is.
fn allowed(trials: usize, delta: f64) -> f64 {
    let trials = trials as f64;
    delta * trials + 4.0 * (delta * (1.0 - delta) * trials).sqrt()
}
