//! The diffusion kernel of a graph.
//!
//! `K = exp(-beta Δ)` (Kondor, Lafferty 2002), `Δ = D - W`. With `R` twice the largest degree, which bounds the spectrum of
//! Δ, `a = beta R / 2` and `X = 2 Δ / R - I`, whose spectrum lies in [-1, 1],
//!
//! `exp(-beta Δ) = exp(-a) exp(-a X) = c_0 + Σ_k c_k T_k(X)`, `c_0 = e⁻ᵃ I_0(a)`, `c_k = 2 (-1)ᵏ e⁻ᵃ I_k(a)`
//!
//! (Abramowitz, Stegun 9.6.34), with `T_k` the Chebyshev polynomials and `I_k` the modified Bessel functions. The
//! number of terms grows like `8 √a`. Terms whose coefficients together stay below `1e-16 / n` are left out, since the
//! largest entry of a column is at least `1 / n` (the constant part of the item's component).
//!
//! The bound R is far above nearly all of the spectrum where a few items have very many links. Lanczos' method meets
//! such eigenvalues once and is done with them: a star takes three steps instead of `8 √a`. It is used where a few
//! columns show that it is cheaper.
//!
//! `∂K/∂beta = -Δ K`.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{Graph, Kernel, Parameter, PriorDraws, named, no_such_parameter, parameters_of, positive};
use crate::numeric::{Krylov, Matrix, ShiftedLaplacian, Stream};
use crate::{Error, Result};

/// The most terms: `a` about 5e9, where a column takes a million products with the graph.
const MOST_TERMS: usize = 1_000_000;

/// With fewer terms an expansion is hardly slower than the fewest steps of Lanczos' method.
const STEPS_FROM: usize = 128;

/// The most operations for the variances or the matrix of all items: an hour on two processors.
const MOST_WORK: f64 = 2e12;

/// `exp(-beta Δ)` over a graph's items.
#[derive(Debug, Clone)]
pub struct Diffusion {
    laplacian: ShiftedLaplacian,
    /// Half the bound of the spectrum: the largest degree.
    half_width: f64,
    beta: f64,
    coefficients: Vec<f64>,
    /// Where Lanczos' method is cheaper than the expansion: the steps that it took for a few items.
    steps: Option<usize>,
}

impl Diffusion {
    /// The kernel of a graph.
    ///
    /// # Errors
    /// If beta is not positive and finite, or beta times the largest degree is so large that the expansion would have
    /// more than a million terms.
    pub fn new(graph: &Graph, beta: f64) -> Result<Self> {
        let laplacian = graph.laplacian(0.0);
        let half_width = graph.degrees().into_iter().fold(0.0, f64::max);
        let coefficients = coefficients(beta, half_width, graph.len())?;
        let mut out = Self { laplacian, half_width, beta, coefficients, steps: None };
        out.steps = out.steps_of_some();
        Ok(out)
    }

    /// The number of terms of the expansion. A column costs one product with the graph per term.
    pub fn terms(&self) -> usize {
        self.coefficients.len()
    }

    /// `out = Σ c_k T_k(X) e` for coefficients c, a matrix `M` with the spectrum of Δ and a vector e: for those of beta,
    /// `exp(-beta M) e`. `multiply` writes `M x`.
    fn sum_terms(&self, coefficients: &[f64], e: Vec<f64>, multiply: impl Fn(&[f64], &mut [f64]), out: &mut [f64]) {
        out.iter_mut().zip(&e).for_each(|(out, e)| *out = coefficients[0] * e);
        if coefficients.len() == 1 {
            return;
        }
        // X x = M x / half_width - x.
        let scaled = |x: &[f64], out: &mut [f64]| {
            multiply(x, out);
            for (out, x) in out.iter_mut().zip(x) {
                *out = *out / self.half_width - x;
            }
        };
        let n = out.len();
        let mut before = e; // T_{k-1} e
        let mut now = vec![0.0; n]; // T_k e
        scaled(&before, &mut now);
        let mut product = vec![0.0; n];
        for (k, &coefficient) in coefficients.iter().enumerate().skip(1) {
            for (out, now) in out.iter_mut().zip(&now) {
                *out += coefficient * now;
            }
            if k + 1 < coefficients.len() {
                scaled(&now, &mut product);
                for (before, product) in before.iter_mut().zip(&product) {
                    *before = 2.0 * product - *before;
                }
                std::mem::swap(&mut before, &mut now);
            }
        }
    }

    /// The steps of Lanczos' method for an item, unless the expansion is cheaper.
    fn krylov(&self, item: usize) -> Option<Krylov> {
        // Keeping k vectors orthogonal takes 4 k² operations per item, a term about ten.
        let most = (2.5 * self.terms() as f64).sqrt() as usize;
        let (n, multiply) = (self.len(), |x: &[f64], out: &mut [f64]| self.laplacian.multiply(x, out));
        Krylov::of_unit((item, n), multiply, 2.0 * self.half_width, (self.beta, 1e-16 / n as f64), most)
    }

    /// The most steps of the first item, the one in the middle, and the one with most links; `None` if the expansion is
    /// cheaper for one of them.
    fn steps_of_some(&self) -> Option<usize> {
        let n = self.len();
        if self.terms() < STEPS_FROM || n == 0 {
            return None;
        }
        let degrees = self.laplacian.diagonal();
        let hub = (0..n).max_by(|&a, &b| degrees[a].total_cmp(&degrees[b]))?;
        let steps = [0, n / 2, hub].map(|item| self.krylov(item).map(|krylov| krylov.steps()));
        steps.into_iter().collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// Refuses to compute so many columns if that would take hours.
    fn check_work(&self, columns: usize) -> Result<()> {
        let (n, links) = (self.len() as f64, self.laplacian.links().stored() as f64);
        let (product, terms) = (links + 6.0 * n, self.terms() as f64);
        let column = match self.steps.map(|steps| steps as f64) {
            Some(steps) => steps * product + 4.0 * steps * steps * n + 6.0 * steps * terms,
            None => terms * product,
        };
        let work = columns as f64 * column;
        if work <= MOST_WORK {
            return Ok(());
        }
        Err(Error::Data {
            what: "a kernel of kind \"diffusion\"",
            found: format!("{n} items with {} links, whose variances take about {work:.0e} operations", links / 2.0),
            expected: format!(
                "at most {MOST_WORK:.0e}: a smaller beta, fewer items, or kind = \"regularized-laplacian\""
            ),
        })
    }

    /// For every item the first one with the same links, which has the same variance.
    fn first_alike(&self) -> Vec<usize> {
        let row = |item: usize| self.laplacian.links().row(item);
        let compare = |&a: &usize, &b: &usize| {
            let ((these, own), (those, other)) = (row(a), row(b));
            these.cmp(those).then_with(|| own.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal)).then(a.cmp(&b))
        };
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by(compare);
        let mut out: Vec<usize> = (0..self.len()).collect();
        for pair in order.windows(2) {
            if row(pair[0]) == row(pair[1]) {
                out[pair[1]] = out[pair[0]];
            }
        }
        out
    }
}

fn unit(at: usize, size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size];
    out[at] = 1.0;
    out
}

/// The coefficients of the expansion for matrices of `n` rows.
fn coefficients(beta: f64, half_width: f64, n: usize) -> Result<Vec<f64>> {
    let a = positive("beta", beta)? * half_width;
    let mut out = scaled_bessel(a).ok_or(Error::Parameter {
        name: "beta".into(),
        value: beta,
        expected: "a number whose product with the largest degree is below 5e9",
    })?;
    let allowed = 1e-16 / n.max(1) as f64;
    let mut left_out = 0.0;
    while let Some(&last) = out.last() {
        left_out += 2.0 * last;
        if out.len() == 1 || left_out > allowed {
            break;
        }
        out.pop();
    }
    for (k, value) in out.iter_mut().enumerate().skip(1) {
        *value *= if k % 2 == 0 { 2.0 } else { -2.0 };
    }
    Ok(out)
}

/// `e⁻ᵃ I_k(a)` for k from 0 until it is certainly negligible; `None` if that takes too many terms.
///
/// Miller's method (Abramowitz, Stegun 9.12) goes downward, where the recurrence `I_{k-1} = I_{k+1} + (2 k / a) I_k` is
/// stable and all terms are positive. It begins with an arbitrary value and scales at the end by `e⁻ᵃ (I_0 + 2 Σ I_k) =
/// 1`.
fn scaled_bessel(a: f64) -> Option<Vec<f64>> {
    // Below this the expansion is 1 to the last bit, and 2 / a would overflow.
    if a < 1e-280 {
        return Some(vec![1.0]);
    }
    // log I_0(a) / I_k(a) is about k asinh(k / a) - √(a² + k²) + a; e⁻⁹⁰ is negligible beside 1e-16 / n. The difference
    // of the last two terms is written without cancellation.
    let decay = |k: f64| k * (k / a).asinh() - k * k / (k.hypot(a) + a);
    let mut last = 1;
    while decay(last as f64) < 90.0 {
        last = last * 5 / 4 + 1;
        if last > MOST_TERMS {
            return None;
        }
    }
    let mut out = vec![0.0; last + 2];
    out[last] = 1.0;
    for k in (1..=last).rev() {
        out[k - 1] = out[k + 1] + 2.0 * k as f64 / a * out[k];
    }
    let total = out[0] + 2.0 * out[1..].iter().rev().sum::<f64>();
    out.iter_mut().for_each(|value| *value /= total);
    Some(out)
}

/// `exp(-½ beta Δ) z`: the root of the kernel is the kernel of half the beta, by the coefficients of its expansion.
struct Halfway<'a> {
    kernel: &'a Diffusion,
    coefficients: Vec<f64>,
}

impl PriorDraws for Halfway<'_> {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        let n = self.kernel.len();
        out.values_mut().par_chunks_mut(n.max(1)).zip(streams).for_each(|(column, stream)| {
            let z: Vec<f64> = (0..n).map(|_| stream.sample(StandardNormal)).collect();
            let multiply = |x: &[f64], out: &mut [f64]| self.kernel.laplacian.multiply(x, out);
            self.kernel.sum_terms(&self.coefficients, z, multiply, column);
        });
        Ok(())
    }
}

impl Kernel for Diffusion {
    fn len(&self) -> usize {
        self.laplacian.size()
    }

    /// The floor is 0: `exp(-beta Δ)` is `exp(-beta c)` times the exponential of `beta (c I - Δ)`, which is positive for large c.
    fn floor(&self) -> f64 {
        0.0
    }

    /// [`Diffusion::terms`] products with the graph and three vectors of memory; or fewer products and more vectors, where
    /// a few items have very many links.
    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        match self.steps.and_then(|_| self.krylov(item)) {
            Some(krylov) => {
                let mut small = vec![0.0; krylov.steps()];
                let multiply = |x: &[f64], out: &mut [f64]| krylov.multiply(x, out);
                self.sum_terms(&self.coefficients, unit(0, krylov.steps()), multiply, &mut small);
                krylov.expand(&small, out);
                // Rounding moves the eigenvalue 0, which beta multiplies. Its vector is constant where anything spreads to,
                // and columns sum to 1, so the part that is missing is known.
                let total: f64 = out.iter().sum();
                let reached = out.iter().filter(|value| **value != 0.0).count();
                let missing = (1.0 - total) / reached as f64;
                out.iter_mut().filter(|value| **value != 0.0).for_each(|value| *value += missing);
            }
            None => {
                let multiply = |x: &[f64], out: &mut [f64]| self.laplacian.multiply(x, out);
                self.sum_terms(&self.coefficients, unit(item, self.len()), multiply, out);
            }
        }
        Ok(())
    }

    /// One column per item. Where a few items have very many links, many others are alike and share one.
    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        let first: Vec<usize> = if self.steps.is_some() { self.first_alike() } else { (0..self.len()).collect() };
        self.check_work(first.iter().enumerate().filter(|&(item, &first)| item == first).count())?;
        let own = |column: &mut Vec<f64>, (item, out): (usize, &mut f64)| -> Result<()> {
            if first[item] == item {
                self.column(item, column)?;
                *out = column[item];
            }
            Ok(())
        };
        out.par_iter_mut().enumerate().try_for_each_init(|| vec![0.0; self.len()], own)?;
        for item in 0..out.len() {
            out[item] = out[first[item]];
        }
        Ok(())
    }

    fn matrix(&self) -> Result<Matrix> {
        let n = self.len();
        self.check_work(n)?;
        let mut out = Matrix::zeros(n, n);
        let columns = out.values_mut().par_chunks_mut(n.max(1)).enumerate();
        columns.try_for_each(|(item, column)| self.column(item, column))?;
        Ok(out)
    }

    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        let coefficients = coefficients(0.5 * self.beta, self.half_width, self.len())?;
        Ok(Box::new(Halfway { kernel: self, coefficients }))
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![named("beta", self.beta)]
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        let [beta] = parameters_of(values)?;
        self.coefficients = coefficients(beta, self.half_width, self.len())?;
        self.beta = beta;
        self.steps = self.steps_of_some();
        Ok(())
    }

    /// A column and one more product.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        if parameter != 0 {
            return Err(no_such_parameter(parameter, 1));
        }
        let mut column = vec![0.0; self.len()];
        self.column(item, &mut column)?;
        self.laplacian.multiply(&column, out);
        out.iter_mut().for_each(|value| *value = -*value);
        Ok(())
    }

    /// Beta is not a scale here. It says how far things spread: about one step at 1 over the mean degree.
    fn typical(&self) -> Result<Vec<Option<f64>>> {
        let mean = self.laplacian.diagonal().iter().sum::<f64>() / self.len().max(1) as f64;
        Ok(vec![Some(if mean > 0.0 { 1.0 / mean } else { 1.0 })])
    }
}

#[cfg(test)]
mod tests {
    use super::scaled_bessel;

    #[test]
    fn bessel_functions_against_reference_values() {
        // e⁻ᵃ I_k(a), from mpmath with 30 digits.
        let table = [
            (1.0, 0, 0.465_759_607_593_640_44),
            (1.0, 1, 0.207_910_415_349_708_45),
            (1.0, 5, 9.986_571_411_208_691e-5),
            (50.0, 0, 0.056_561_626_647_454_19),
            (50.0, 10, 0.020_668_428_584_210_586),
        ];
        for (a, k, expected) in table {
            let value = scaled_bessel(a).unwrap()[k];
            assert!((value / expected - 1.0).abs() < 1e-13, "{a} {k}: {value} {expected}");
        }
        // I_0(a) = 1 + a² / 4 and I_1(a) = a / 2 for small a.
        let small = scaled_bessel(1e-9).unwrap();
        assert!((small[0] - (1.0 - 1e-9)).abs() < 1e-15 && (small[1] / 5e-10 - 1.0).abs() < 1e-8);
        assert_eq!(scaled_bessel(0.0).unwrap(), [1.0]);
        assert!(scaled_bessel(1e300).is_none());
        for a in [1e-300, 1e-200, 1e-20, 1e-3, 10.0, 1e4, 1e8] {
            assert!(scaled_bessel(a).unwrap().iter().all(|value| value.is_finite() && *value >= 0.0), "{a}");
        }
    }
}
