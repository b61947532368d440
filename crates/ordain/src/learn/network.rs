//! Scores as a function of attributes: linear, or with one or two hidden layers.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::graded_lists::{GradedLists, List};
use crate::Result;
use crate::measure::Measure;
use crate::numeric::Stream;
use crate::numeric::dense::{add_scaled, add_scaled_rows, dot, row_products};

/// A network with one score as its output. Without hidden layers it is linear. Hidden units are hyperbolic tangents. The output has no bias:
/// only differences of scores matter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    /// The number of inputs, of the units of every hidden layer, and 1.
    sizes: Vec<usize>,
    /// Layer by layer, unit by unit: the weights of its inputs, then, in hidden layers, its bias.
    pub(super) weights: Vec<f64>,
}

/// The number of inputs, of the units of every hidden layer, and 1.
fn sizes(inputs: usize, hidden: &[usize]) -> Vec<usize> {
    [inputs].into_iter().chain(hidden.iter().copied()).chain([1]).collect()
}

/// What one layer reads from the weights.
#[derive(Clone, Copy)]
struct Layer {
    from: usize,
    inputs: usize,
    units: usize,
    has_bias: bool,
}

impl Layer {
    fn stride(self) -> usize {
        self.inputs + usize::from(self.has_bias)
    }

    fn weights(self) -> usize {
        self.units * self.stride()
    }
}

/// Memory that is used again for every query: the values of all units.
#[derive(Debug, Clone, Default)]
pub(super) struct Activity {
    /// The values of the hidden layers, each document by document.
    hidden: Vec<Vec<f64>>,
    pub(super) scores: Vec<f64>,
}

impl Network {
    /// With random weights of variance `1 / inputs`, so that units begin in their linear range; biases are 0. A linear network begins at 0.
    pub(super) fn new(inputs: usize, hidden: &[usize], stream: &mut Stream) -> Self {
        let mut network = Self { weights: Vec::new(), sizes: sizes(inputs, hidden) };
        let layers: Vec<Layer> = network.layers().collect();
        network.weights = vec![0.0; layers.iter().map(|layer| layer.weights()).sum()];
        if hidden.is_empty() {
            return network;
        }
        for layer in layers {
            let deviation = (layer.inputs as f64).sqrt().recip();
            let units = network.weights[layer.from..layer.from + layer.weights()].chunks_exact_mut(layer.stride());
            for weight in units.flat_map(|unit| &mut unit[..layer.inputs]) {
                *weight = deviation * stream.sample::<f64, _>(StandardNormal);
            }
        }
        network
    }

    /// With these weights; `None` if their number is another.
    pub(super) fn with_weights(inputs: usize, hidden: &[usize], weights: Vec<f64>) -> Option<Self> {
        let sizes = sizes(inputs, hidden);
        // No layer is larger than the weights that are there, so nothing overflows below.
        let fits = sizes.windows(2).all(|pair| pair[0].checked_mul(pair[1]).is_some_and(|size| size <= weights.len()));
        let network = Self { sizes, weights };
        let fits = fits && network.layers().map(Layer::weights).sum::<usize>() == network.weights.len();
        fits.then_some(network)
    }

    /// The same network with other weights.
    pub(super) fn at(&self, weights: Vec<f64>) -> Self {
        Self { sizes: self.sizes.clone(), weights }
    }

    /// The linear network with these weights.
    pub(super) fn linear(weights: Vec<f64>) -> Self {
        Self { sizes: vec![weights.len(), 1], weights }
    }

    pub(super) fn inputs(&self) -> usize {
        self.sizes[0]
    }

    pub(super) fn hidden(&self) -> &[usize] {
        &self.sizes[1..self.sizes.len() - 1]
    }

    fn layers(&self) -> impl Iterator<Item = Layer> + use<> {
        let sizes = self.sizes.clone();
        let mut from = 0;
        (1..sizes.len()).map(move |at| {
            let layer = Layer { from, inputs: sizes[at - 1], units: sizes[at], has_bias: at + 1 < sizes.len() };
            from += layer.weights();
            layer
        })
    }

    /// The scores of documents, row by row.
    pub(super) fn scores(&self, rows: &[f64], activity: &mut Activity) {
        let count = rows.len() / self.inputs();
        let layers: Vec<Layer> = self.layers().collect();
        activity.hidden.resize(layers.len() - 1, Vec::new());
        activity.scores.clear();
        for (at, layer) in layers.iter().enumerate() {
            let (before, own) = activity.hidden.split_at_mut(at);
            let inputs = before.last().map_or(rows, Vec::as_slice);
            let weights = &self.weights[layer.from..layer.from + layer.weights()];
            match own.first_mut() {
                // The last layer.
                None => row_products(inputs, weights, &mut activity.scores),
                Some(values) => {
                    values.clear();
                    values.reserve(count * layer.units);
                    for row in inputs.chunks_exact(layer.inputs) {
                        let units = weights.chunks_exact(layer.stride());
                        values.extend(units.map(|unit| (dot(row, &unit[..layer.inputs]) + unit[layer.inputs]).tanh()));
                    }
                }
            }
        }
    }

    /// Adds to `slopes` the derivative of `Σ pull * score` by the weights, for the documents that were scored last.
    pub(super) fn add_slopes(&self, rows: &[f64], activity: &Activity, pull: &[f64], slopes: &mut [f64]) {
        let layers: Vec<Layer> = self.layers().collect();
        let mut pull = pull.to_vec();
        for (at, &layer) in layers.iter().enumerate().rev() {
            let inputs = if at == 0 { rows } else { &activity.hidden[at - 1] };
            let slopes = &mut slopes[layer.from..layer.from + layer.weights()];
            if layer.has_bias {
                for (row, pull) in inputs.chunks_exact(layer.inputs).zip(pull.chunks_exact(layer.units)) {
                    for (slopes, pull) in slopes.chunks_exact_mut(layer.stride()).zip(pull) {
                        add_scaled(&mut slopes[..layer.inputs], *pull, row);
                        slopes[layer.inputs] += pull;
                    }
                }
            } else {
                // The last layer: one unit.
                add_scaled_rows(slopes, &pull, inputs);
            }
            if at > 0 {
                pull = self.before(layer, &pull, Some(inputs));
            }
        }
    }

    /// The derivatives of the documents' scores by their inputs, for the documents that were scored last; row by row.
    fn input_slopes(&self, activity: &Activity) -> Vec<f64> {
        let layers: Vec<Layer> = self.layers().collect();
        let mut pull = vec![1.0; activity.scores.len()];
        for (at, &layer) in layers.iter().enumerate().rev() {
            let values = at.checked_sub(1).map(|at| activity.hidden[at].as_slice());
            pull = self.before(layer, &pull, values);
        }
        pull
    }

    /// What pulls at a layer's units pull at its inputs. Those of hidden units, of which the values are given, pull through the hyperbolic
    /// tangent, whose derivative is `1 - value²`.
    fn before(&self, layer: Layer, pull: &[f64], values: Option<&[f64]>) -> Vec<f64> {
        let mut out = vec![0.0; pull.len() / layer.units * layer.inputs];
        for (out, pull) in out.chunks_exact_mut(layer.inputs).zip(pull.chunks_exact(layer.units)) {
            let units = self.weights[layer.from..layer.from + layer.weights()].chunks_exact(layer.stride());
            units.zip(pull).for_each(|(unit, pull)| add_scaled(out, *pull, &unit[..layer.inputs]));
        }
        if let Some(values) = values {
            out.iter_mut().zip(values).for_each(|(pull, value)| *pull *= 1.0 - value * value);
        }
        out
    }

    /// The mean of a measure over the queries of these lists.
    pub(super) fn measured(&self, lists: &GradedLists, measure: Measure) -> Result<f64> {
        let mut activity = Activity::default();
        self.scores(lists.rows(), &mut activity);
        lists.measure(measure, &activity.scores)
    }

    /// The mean size of the derivative of the score by each input, times the input's deviation, over these documents; as shares of the sum.
    pub(super) fn importance(&self, lists: &[List<'_>]) -> Vec<f64> {
        let mut sizes = vec![0.0; self.inputs()];
        let mut activity = Activity::default();
        for list in lists {
            self.scores(list.rows, &mut activity);
            for slopes in self.input_slopes(&activity).chunks_exact(self.inputs()) {
                slopes.iter().zip(&mut sizes).for_each(|(slope, size)| *size += slope.abs());
            }
        }
        let moved: Vec<f64> = sizes.iter().zip(deviations(lists, self.inputs())).map(|(size, of)| size * of).collect();
        // The largest is taken out first, so that the sum does not overflow.
        let largest = moved.iter().copied().fold(0.0, f64::max);
        let all: f64 = moved.iter().map(|moved| moved / largest).sum();
        moved.iter().map(|moved| if largest > 0.0 { moved / largest / all } else { 0.0 }).collect()
    }
}

/// The standard deviation of every input, up to a factor that the number of documents alone decides. Neither sums nor squares overflow.
fn deviations(lists: &[List<'_>], inputs: usize) -> Vec<f64> {
    let summed = |of: &dyn Fn(usize, f64) -> f64, add: fn(f64, f64) -> f64| {
        let mut sums = vec![0.0; inputs];
        for row in lists.iter().flat_map(List::rows) {
            sums.iter_mut().zip(row).enumerate().for_each(|(at, (sum, value))| *sum = add(*sum, of(at, *value)));
        }
        sums
    };
    let count = lists.iter().map(|list| list.grades.len()).sum::<usize>() as f64;
    let largest = summed(&|_, value| value.abs(), f64::max);
    let share = |at: usize, value: f64| if largest[at] > 0.0 { value / largest[at] } else { 0.0 };
    let mean = summed(&|at, value| share(at, value) / count, |sum, value| sum + value);
    let squares = summed(&|at, value| (share(at, value) - mean[at]).powi(2), |sum, value| sum + value);
    squares.iter().zip(&largest).map(|(squares, largest)| largest * squares.sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::numeric::Seed;

    /// Slopes by weights and by inputs against central differences, whose error is about 1e-9 with this step.
    #[test]
    fn slopes_equal_differences() {
        let step = 1e-6;
        for (task, hidden) in [&[][..], &[4], &[5, 3]].into_iter().enumerate() {
            let mut stream = Seed(9).stream(task as u64);
            let mut network = Network::new(3, hidden, &mut stream);
            network.weights.iter_mut().for_each(|weight| *weight = stream.random_range(-1.0..1.0));
            let rows: Vec<f64> = (0..4 * 3).map(|_| stream.random_range(-1.0..1.0)).collect();
            let pull: Vec<f64> = (0..4).map(|_| stream.random_range(-1.0..1.0)).collect();
            let total = |network: &Network, rows: &[f64]| {
                let mut activity = Activity::default();
                network.scores(rows, &mut activity);
                dot(&pull, &activity.scores)
            };
            let mut activity = Activity::default();
            network.scores(&rows, &mut activity);
            let mut slopes = vec![0.0; network.weights.len()];
            network.add_slopes(&rows, &activity, &pull, &mut slopes);
            for (at, slope) in slopes.iter().enumerate() {
                let moved = |by: f64| {
                    let mut network = network.clone();
                    network.weights[at] += by;
                    total(&network, &rows)
                };
                let expected = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((slope - expected).abs() < 1e-8, "{hidden:?}, weight {at}: {slope} {expected}");
            }
            for (at, slope) in network.input_slopes(&activity).iter().enumerate() {
                let moved = |by: f64| {
                    let mut rows = rows.clone();
                    rows[at] += by;
                    total(&network, &rows)
                };
                let expected = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((pull[at / 3] * slope - expected).abs() < 1e-8, "{hidden:?}, input {at}: {slope} {expected}");
            }
        }
    }

    /// With one weight, the importance is that attribute's alone; far values are no trouble.
    #[test]
    fn far_values_have_an_importance() {
        let rows = [1e200, 1e9, -1e200, 1e9 + 1.0, 1e200, 1e9 + 2.0];
        let list = List { rows: &rows, width: 2, grades: &[0, 1, 2] };
        assert_eq!(Network::linear(vec![0.0, 2.0]).importance(&[list]), [0.0, 1.0]);
        let shares = Network::linear(vec![1.0, 1e200]).importance(&[list]);
        // Deviations √(8/9) 1e200 and √(2/3), times the weights. The second loses nine digits to its mean.
        let expected = (8.0_f64 / 9.0).sqrt() / ((8.0_f64 / 9.0).sqrt() + (2.0_f64 / 3.0).sqrt());
        assert!((shares[0] - expected).abs() < 1e-6, "{shares:?}");
    }
}
