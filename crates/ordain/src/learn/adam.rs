//! Adam (D. P. Kingma and J. Ba, ICLR 2015): steps of about the same length in every coordinate.

/// The state of a descent.
pub(super) struct Adam {
    rate: f64,
    mean: Vec<f64>,
    square: Vec<f64>,
    /// What is left of the first mean and the first square.
    left: [f64; 2],
}

impl Adam {
    /// What is kept of the mean and of the square at each step, and what keeps the division from 0.
    const KEPT: [f64; 2] = [0.9, 0.999];
    const LEAST: f64 = 1e-8;

    pub(super) fn new(size: usize, rate: f64) -> Self {
        Self { rate, mean: vec![0.0; size], square: vec![0.0; size], left: [1.0; 2] }
    }

    /// Whether no square of a slope has overflowed.
    pub(super) fn is_finite(&self) -> bool {
        self.square.iter().all(|square| square.is_finite())
    }

    /// A step up along the slopes.
    pub(super) fn climb(&mut self, weights: &mut [f64], slopes: &[f64]) {
        let [kept, kept_square] = Self::KEPT;
        self.left = [self.left[0] * kept, self.left[1] * kept_square];
        let [seen, seen_square] = self.left.map(|left| 1.0 - left);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, slope), (mean, square)) in weights.iter_mut().zip(slopes).zip(moments) {
            *mean = kept * *mean + (1.0 - kept) * slope;
            *square = kept_square * *square + (1.0 - kept_square) * slope * slope;
            *weight += self.rate * (*mean / seen) / ((*square / seen_square).sqrt() + Self::LEAST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand. Under a constant slope g both means are exactly g and g², so every step is the rate. After g and -g the first mean is
    /// (0.9 · 0.1 - 0.1) g / (1 - 0.81).
    #[test]
    fn steps_of_adam() {
        let (mut weights, mut adam) = (vec![0.0, 0.0], Adam::new(2, 0.5));
        adam.climb(&mut weights, &[3.0, 1e-3]);
        for (weight, least) in weights.iter().zip([1e-8 / 3.0, 1e-5]) {
            assert!(
                (weight - 0.5).abs() <= 0.5 * least * (1.0 + 1e-6),
                "{weight}: 1e-8 beside the slope is all that is missing"
            );
        }
        adam.climb(&mut weights, &[-3.0, 1e-3]);
        assert!((weights[0] - 0.5 * (1.0 - 0.01 / 0.19)).abs() < 1e-8, "{weights:?}");
        assert!((weights[1] - 1.0).abs() < 2e-5, "{weights:?}");
    }
}
