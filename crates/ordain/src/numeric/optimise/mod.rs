//! Minimisers of smooth functions with gradients: L-BFGS, and scaled conjugate gradients.
//!
//! A function is a closure that writes its gradient and returns its value. A value that is not finite says that the
//! function is not defined there; the step is then made shorter.

mod lbfgs;
mod scaled_conjugate_gradients;

pub use lbfgs::Lbfgs;
pub use scaled_conjugate_gradients::ScaledConjugateGradients;

/// The result of a minimiser.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The place.
    pub at: Vec<f64>,
    /// The function's value there.
    pub value: f64,
    /// Its gradient there.
    pub gradient: Vec<f64>,
    /// The number of steps.
    pub iterations: usize,
    /// The number of evaluations of the function.
    pub evaluations: usize,
    /// Whether no entry of the gradient is larger than the tolerance. If not, iterations ran out, or rounding allows no
    /// smaller value.
    pub converged: bool,
}

/// A place with the value and the gradient of the function there.
#[derive(Debug, Clone)]
struct Place {
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// A function that counts its evaluations.
struct Counted<F> {
    function: F,
    evaluations: usize,
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Counted<F> {
    fn new(function: F) -> Self {
        Self { function, evaluations: 0 }
    }

    fn at(&mut self, at: Vec<f64>) -> Place {
        let mut gradient = vec![0.0; at.len()];
        self.evaluations += 1;
        let value = (self.function)(&at, &mut gradient);
        let defined = value.is_finite() && gradient.iter().all(|slope| slope.is_finite());
        Place { at, value: if defined { value } else { f64::INFINITY }, gradient }
    }

    /// `x + step * direction`.
    fn along(&mut self, from: &Place, step: f64, direction: &[f64]) -> Place {
        self.at(from.at.iter().zip(direction).map(|(x, d)| x + step * d).collect())
    }
}

impl Place {
    fn into_minimum(self, iterations: usize, evaluations: usize, tolerance: f64) -> Minimum {
        let converged = self.value.is_finite() && largest(&self.gradient) <= tolerance;
        Minimum { at: self.at, value: self.value, gradient: self.gradient, iterations, evaluations, converged }
    }
}

/// The largest magnitude.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Matrix;
    use crate::numeric::dense::Cholesky;

    /// Rosenbrock's valley in pairs of coordinates: its one minimum is 0, at (1, 1, ...).
    fn valley(x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (x, gradient) in x.chunks_exact(2).zip(gradient.chunks_exact_mut(2)) {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            value += a * a + 100.0 * b * b;
            gradient.copy_from_slice(&[-2.0 * a - 400.0 * x[0] * b, 200.0 * b]);
        }
        value
    }

    /// `½ Σ k (x_k - 1/k)²`, with curvatures from 1 to 30.
    fn bowl(x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (k, (x, slope)) in (1_u32..).map(f64::from).zip(x.iter().zip(gradient)) {
            let off = x - 1.0 / k;
            *slope = k * off;
            value += 0.5 * k * off * off;
        }
        value
    }

    /// `x - ln x`, not defined up to 0; the first step from 3 would go there.
    fn edge(x: &[f64], gradient: &mut [f64]) -> f64 {
        if x[0] <= 0.0 {
            return f64::NAN;
        }
        gradient[0] = 1.0 - 1.0 / x[0];
        x[0] - x[0].ln()
    }

    type Function = fn(&[f64], &mut [f64]) -> f64;

    fn check(name: &str, minimise: impl Fn(Vec<f64>, Function) -> Minimum) {
        let places: [(Function, Vec<f64>, Vec<f64>); 4] = [
            (valley, [-1.2, 1.0].repeat(3), vec![1.0; 6]),
            (bowl, vec![5.0; 30], (1..=30).map(|k| 1.0 / f64::from(k)).collect()),
            (edge, vec![3.0], vec![1.0]),
            (bowl, vec![], vec![]),
        ];
        for (function, start, expected) in places {
            let minimum = minimise(start, function);
            assert!(minimum.converged, "{name}: {minimum:?}");
            // A gradient of 1e-8 over the smallest curvature, 0.4 in the valley.
            for (found, expected) in minimum.at.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-6, "{name}: {found} {expected}");
            }
        }
    }

    #[test]
    fn known_minima() {
        check("L-BFGS", |start, function| {
            Lbfgs { tolerance: 1e-8, ..Lbfgs::default() }.minimise(start, function, |_| {})
        });
        check("scaled conjugate gradients", |start, function| {
            ScaledConjugateGradients { tolerance: 1e-8, max_iterations: 2000 }.minimise(start, function)
        });
    }

    #[test]
    fn a_start_where_nothing_is_defined_is_returned() {
        let minimum = Lbfgs::default().minimise(vec![-1.0], edge, |_| {});
        assert!(!minimum.converged && minimum.at == [-1.0]);
        let minimum = ScaledConjugateGradients::default().minimise(vec![-1.0], edge);
        assert!(!minimum.converged && minimum.at == [-1.0]);
    }

    /// Of the quadratic bowl L-BFGS with full memory learns every curvature: it needs few evaluations more than
    /// there are coordinates.
    #[test]
    fn curvature_is_learned() {
        let minimum = Lbfgs { memory: 30, tolerance: 1e-8, ..Lbfgs::default() }.minimise(vec![5.0; 30], bowl, |_| {});
        assert!(minimum.converged && minimum.evaluations < 60, "{}", minimum.evaluations);
    }

    /// With the bowl's own curvatures the first step is Newton's and the last. With ones that are wrong by up to half, they are between 2/3
    /// and twice the right ones, a ratio of 3: conjugate gradients then need `ln(2 · 150 / 1e-8) / ln(2 + √3)`, 19 steps, for the fall of
    /// the slope from 150 to 1e-8. A search that is not exact may take a few more.
    #[test]
    fn a_known_curvature_saves_steps() {
        for (wrong, most) in [(0.0, 2), (0.5, 24)] {
            let own = |k: usize| (k + 1) as f64 * (1.0 + wrong * (k as f64).sin());
            let diagonal = Matrix::from_fn(30, 30, |row, column| if row == column { own(row) } else { 0.0 });
            let curvature = Some(Cholesky::factor(diagonal).unwrap());
            let minimum =
                Lbfgs { tolerance: 1e-8, curvature, ..Lbfgs::default() }.minimise(vec![5.0; 30], bowl, |_| {});
            assert!(minimum.converged && minimum.evaluations <= most, "{}", minimum.evaluations);
        }
    }
}
