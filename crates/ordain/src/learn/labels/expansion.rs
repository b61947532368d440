//! Constraints as examples of a binary linear learner (CLR section 2).

use super::target::LabelPreferences;

/// An example of the expanded problem: blocks of a vector of `labels · attributes` numbers, and on which side of the plane through 0 it lies.
/// All other blocks are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryExample {
    /// The label whose block holds the example, and the factor 1 or -1.
    pub blocks: Vec<(usize, f64)>,
    /// The side.
    pub positive: bool,
}

impl BinaryExample {
    /// The whole vector. The block of label r, from 0, is `r n .. (r + 1) n` for n attributes.
    pub fn vector(&self, example: &[f64], labels: usize) -> Vec<f64> {
        let mut out = vec![0.0; labels * example.len()];
        for &(label, factor) in &self.blocks {
            let block = &mut out[label * example.len()..(label + 1) * example.len()];
            block.iter_mut().zip(example).for_each(|(out, value)| *out = factor * value);
        }
        out
    }
}

/// The binary examples of some constraints: two for each pair that utilities must order, origin-symmetric, and one for each label that must be
/// above or below the zero point. Weights of a linear learner that classify all of them rank the labels as the constraints want.
pub fn expand(known: &LabelPreferences) -> Vec<BinaryExample> {
    let pairs = known.ordered().flat_map(|(one, other)| {
        [true, false].map(|positive| {
            let sign = if positive { 1.0 } else { -1.0 };
            BinaryExample { blocks: vec![(one, sign), (other, -sign)], positive }
        })
    });
    let sides = [(&known.relevant, true), (&known.irrelevant, false)];
    let alone = sides.into_iter().flat_map(|(labels, positive)| {
        labels.iter().map(move |&label| BinaryExample { blocks: vec![(label, 1.0)], positive })
    });
    pairs.chain(alone).collect()
}
