//! A positive function of one number that can be learned.

/// A network with one input and one hidden layer: `ln(1 + exp(bias + Σ_u out_u tanh(weight_u x + bias_u)))`.
///
/// LinkLearn (section 2) prints no form for its networks' outputs. With the logarithm around it, a curve is positive
/// everywhere. So a document never loses by having a word of the query, and far outside of what was seen in training
/// the curve is constant, because hyperbolic tangents are.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Unit by unit its weight, its bias and its share of the output; then the bias of the output.
    numbers: Vec<f64>,
}

/// The largest number of a curve.
const LARGEST: f64 = 1e6;

/// Below this, the exponential is far below any other value, and its square is still above 0.
const LOWEST: f64 = -300.0;

impl Curve {
    /// A curve from its numbers: for every unit its weight, its bias and its share of the output, then the bias of the
    /// output. `None` if their number is not one more than a multiple of 3, or one is not within ±1e6.
    pub fn new(numbers: Vec<f64>) -> Option<Self> {
        let curve = Self { numbers };
        (curve.numbers.len() % 3 == 1 && curve.is_sound()).then_some(curve)
    }

    /// Whether all numbers are within bounds, so that products of values are in range.
    pub(crate) fn is_sound(&self) -> bool {
        self.numbers.iter().all(|number| number.abs() <= LARGEST)
    }

    /// The numbers, as for [`Curve::new`].
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    pub(crate) fn numbers_mut(&mut self) -> &mut [f64] {
        &mut self.numbers
    }

    /// The value at a point. `O(units)`.
    pub fn at(&self, x: f64) -> f64 {
        let inner = self.inner(x).max(LOWEST);
        // ln(1 + e^inner) without overflow.
        inner.max(0.0) + (-inner.abs()).exp().ln_1p()
    }

    /// Adds `pull` times the derivative of the value at a point, by every number, to `slopes`.
    pub(crate) fn add_slopes(&self, x: f64, pull: f64, slopes: &mut [f64]) {
        // The derivative of ln(1 + e^z) is 1 / (1 + e^-z).
        let pull = pull / (1.0 + (-self.inner(x)).exp());
        let (units, bias) = self.parts();
        for (unit, slopes) in units.iter().zip(slopes.as_chunks_mut::<3>().0) {
            let [weight, shift, share] = *unit;
            let value = (weight * x + shift).tanh();
            let inward = pull * share * (1.0 - value * value);
            slopes[0] += inward * x;
            slopes[1] += inward;
            slopes[2] += pull * value;
        }
        slopes[bias] += pull;
    }

    fn inner(&self, x: f64) -> f64 {
        let (units, bias) = self.parts();
        units.iter().fold(self.numbers[bias], |sum, [weight, shift, share]| sum + share * (weight * x + shift).tanh())
    }

    /// The units, and the position of the bias of the output.
    fn parts(&self) -> (&[[f64; 3]], usize) {
        (self.numbers.as_chunks().0, self.numbers.len() - 1)
    }
}

/// The three curves of a learned weighting (LinkLearn eq. 3). The weight of a term in a document is their product.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// Of the logarithm of the number of times that the term stands in the document.
    pub tf: Curve,
    /// Of `ln(N / df)`, if df of N documents have the term.
    pub idf: Curve,
    /// Of the logarithm of the document's length over the mean length.
    pub length: Curve,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, and positive and constant far away.
    #[test]
    fn values_by_hand() {
        let curve = Curve::new(vec![2.0, -1.0, 3.0, 0.5]).unwrap();
        let inner = 0.5 + 3.0 * (2.0_f64 * 0.75 - 1.0).tanh();
        assert!((curve.at(0.75) - (1.0 + inner.exp()).ln()).abs() < 1e-15);
        assert_eq!(Curve::new(vec![1e3]).unwrap().at(7.0), 1e3);
        assert!(Curve::new(vec![-1e6]).unwrap().at(7.0).powi(2) > 0.0);
        assert!(Curve::new(vec![-1e7]).is_none());
        assert_eq!(curve.at(1e9), curve.at(1e12));
        assert!(Curve::new(vec![1.0, 2.0]).is_none() && Curve::new(vec![]).is_none());
        assert!(Curve::new(vec![f64::NAN]).is_none());
    }

    /// Against central differences, whose error is about 1e-10 with this step.
    #[test]
    fn slopes_equal_differences() {
        let numbers = vec![0.7, -0.3, 1.1, -0.9, 0.4, -0.6, 0.2];
        let curve = Curve::new(numbers.clone()).unwrap();
        for x in [-2.0, 0.0, 0.3, 5.0] {
            let mut slopes = vec![1.0; numbers.len()];
            curve.add_slopes(x, 2.0, &mut slopes);
            for (at, slope) in slopes.iter().enumerate() {
                let moved = |by: f64| {
                    let mut numbers = numbers.clone();
                    numbers[at] += by;
                    Curve { numbers }.at(x)
                };
                let expected = 1.0 + 2.0 * (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - expected).abs() < 1e-9, "{at} at {x}: {slope} {expected}");
            }
        }
    }
}
