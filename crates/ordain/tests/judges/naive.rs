//! Expectation propagation by the textbook: all coordinates in one dense Gaussian, one answer after the other, and moments by quadrature.

use ordain::numeric::Matrix;

use crate::common::phi;

/// What was said of `direction' x`: with normal noise it lay between two numbers.
pub struct Said {
    pub direction: Vec<f64>,
    pub low: f64,
    pub high: f64,
    pub noise: f64,
}

pub struct Posterior {
    pub mean: Vec<f64>,
    pub covariance: Matrix,
    pub log_evidence: f64,
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(one, other)| one * other).sum()
}

/// Log mass, mean and variance of a normal number times the likelihood of what was said of it, by the trapezoid rule over 12 deviations
/// to either side; it converges beyond all digits where both ends are nothing.
fn tilted(said: &Said, mean: f64, variance: f64) -> (f64, f64, f64) {
    let (sd, points) = (variance.sqrt(), 4000);
    let step = 24.0 * sd / f64::from(points);
    let [mut mass, mut first, mut second] = [0.0; 3];
    for point in 0..=points {
        let x = mean - 12.0 * sd + step * f64::from(point);
        let density = (-0.5 * ((x - mean) / sd).powi(2)).exp() / (sd * std::f64::consts::TAU.sqrt());
        let weight = step * density * (phi((said.high - x) / said.noise) - phi((said.low - x) / said.noise));
        mass += weight;
        first += weight * x;
        second += weight * x * x;
    }
    (mass.ln(), first / mass, second / mass - (first / mass).powi(2))
}

/// The determinant's logarithm, by elimination.
fn log_det(matrix: &Matrix) -> f64 {
    crate::common::cholesky(matrix).diagonal().into_iter().map(|pivot| 2.0 * pivot.ln()).sum()
}

fn inverse(matrix: &Matrix) -> Matrix {
    let n = matrix.rows();
    let lower = crate::common::cholesky(matrix);
    let mut out = Matrix::zeros(n, n);
    for column in 0..n {
        let mut x = vec![0.0; n];
        for row in 0..n {
            let sum: f64 = (0..row).map(|k| lower[(row, k)] * x[k]).sum();
            x[row] = (f64::from(u8::from(row == column)) - sum) / lower[(row, row)];
        }
        for row in (0..n).rev() {
            let sum: f64 = (row + 1..n).map(|k| lower[(k, row)] * x[k]).sum();
            x[row] = (x[row] - sum) / lower[(row, row)];
        }
        out.column_mut(column).copy_from_slice(&x);
    }
    out
}

/// The fixed point under a prior with this covariance and mean 0.
pub fn ep(prior: &Matrix, all: &[Said]) -> Posterior {
    let n = prior.rows();
    let (mut mean, mut covariance) = (vec![0.0; n], prior.clone());
    let mut sites = vec![(0.0, 0.0); all.len()];
    for _ in 0..200 {
        let mut change = 0.0_f64;
        for (said, site) in all.iter().zip(&mut sites) {
            let along: Vec<f64> = (0..n).map(|row| dot(covariance.column(row), &said.direction)).collect();
            let (m, v) = (dot(&said.direction, &mean), dot(&said.direction, &along));
            let precision = 1.0 / v - site.0;
            let (q, c) = (1.0 / precision, (m / v - site.1) / precision);
            let (_, tilted_mean, tilted_variance) = tilted(said, c, q);
            let fresh = (1.0 / tilted_variance - precision, tilted_mean / tilted_variance - c * precision);
            let moved = fresh.0 - site.0;
            let (gain, shift) = (moved / (1.0 + moved * v), fresh.1 - site.1);
            let slope = (shift - moved * m) / (1.0 + moved * v);
            change = change.max(moved.abs()).max(shift.abs());
            for row in 0..n {
                mean[row] += slope * along[row];
                for column in 0..n {
                    covariance[(row, column)] -= gain * along[row] * along[column];
                }
            }
            *site = fresh;
        }
        if change < 1e-12 {
            break;
        }
    }
    // log Z = Σ log Z_s + ½ log(1 + q τ) - ½ c (ν - τ m) terms in the plainest way: ratios of Gaussian integrals.
    let normalizer = |mean: &[f64], precision: &Matrix, log_det_of_precision: f64| {
        let along: Vec<f64> = (0..n).map(|row| dot(precision.column(row), mean)).collect();
        0.5 * dot(mean, &along) - 0.5 * log_det_of_precision
    };
    let (precision, prior_precision) = (inverse(&covariance), inverse(prior));
    let mut log_evidence = normalizer(&mean, &precision, log_det(&precision)) + 0.5 * log_det(&prior_precision);
    for (said, &(tau, nu)) in all.iter().zip(&sites) {
        let along: Vec<f64> = (0..n).map(|row| dot(covariance.column(row), &said.direction)).collect();
        let (m, v) = (dot(&said.direction, &mean), dot(&said.direction, &along));
        let cavity = 1.0 / v - tau;
        let c = (m / v - nu) / cavity;
        let one = |mean: f64, precision: f64| 0.5 * mean * mean * precision - 0.5 * precision.ln();
        log_evidence += tilted(said, c, 1.0 / cavity).0 + one(c, cavity) - one(m, 1.0 / v);
    }
    Posterior { mean, covariance, log_evidence }
}
