//! Kernels over vectors: the items' attributes, or their rows of a relation.
//!
//! | form | `k(x, y)` | with |
//! |---|---|---|
//! | squared exponential | `kappa² exp(-q / 2)` | `q = Σ rho_d² (x_d - y_d)²` (XPGP eq. 1, AXPGP eq. 2) |
//! | Matérn 3/2 | `kappa² (1 + √3 r) exp(-√3 r)` | `r = √q` (Rasmussen, Williams 2006, eq. 4.17) |
//! | Matérn 5/2 | `kappa² (1 + √5 r + 5 q / 3) exp(-√5 r)` | |
//! | linear | `kappa² x·y` | |
//! | polynomial | `kappa² (x·y + offset)^degree` | |
//! | cosine | `kappa² x·y / (|x| |y|)` | 0 to others for `x = 0` |
//!
//! Derivatives: `2 k / kappa` for kappa, and for the forms of distance, `k = kappa² f(q)`,
//! `∂k/∂rho_d = 2 kappa² f'(q) rho_d (x_d - y_d)²`, where
//!
//! - squared exponential: `f' = -f / 2`,
//! - Matérn 3/2: `df/dr = -3 r exp(-√3 r)`, so `f' = (df/dr) / (2 r) = -(3/2) exp(-√3 r)`,
//! - Matérn 5/2: `df/dr = -(5/3) r (1 + √5 r) exp(-√5 r)`, so `f' = -(5/6) (1 + √5 r) exp(-√5 r)`:
//!
//! the division by r is gone, and coincident points need no special case.
//!
//! Attributes are compared by differences, which is exact for coincident and near-coincident points. Rows of a relation
//! are compared by `|x|² + |y|² - 2 x·y`, which costs only the common targets. It is 0 for identical rows, exact for
//! whole numbers, and otherwise off by a few ulps of `|x|²`.

mod draws;
mod profile;

use rayon::prelude::*;

use self::profile::Profile;
use super::draws::{ByRoot, by_factor};
use super::features::Waves;
use super::vectors::{Store, Vectors};
use super::{Contraction, Form, Kernel, Parameter, PriorDraws, Rho, named, no_such_parameter, positive, wrong_count};
use crate::numeric::Matrix;
use crate::numeric::dense::{SemidefiniteFactor, add_scaled, dot, mirror_lower, sum_of, transpose};
use crate::{Error, Result};

/// Items whose sums are carried together, so that they stay in the nearest cache.
const BLOCK: usize = 1 << 11;

/// Up to this many items, draws of kernels of distance go by a factor of their matrix.
const EXACT_UP_TO: usize = 2000;

/// Columns shorter than this are not worth a second thread.
const PARALLEL_LENGTH: usize = 1 << 15;

/// The inverse length of an attribute.
fn rho_of(rho: &Rho, attribute: usize) -> f64 {
    match rho {
        Rho::Shared(rho) => *rho,
        Rho::Each(rho) => rho[attribute],
    }
}

/// A form of kernel over the items' vectors.
#[derive(Debug, Clone)]
pub struct VectorKernel {
    form: Form,
    vectors: Vectors,
    /// `x·x` for every item; of the scaled vectors in the cosine form.
    squares: Vec<f64>,
}

impl VectorKernel {
    /// A form of kernel over these vectors.
    ///
    /// # Errors
    /// If a parameter is out of range (the offset of a polynomial may be 0, and is then not tunable), the number of
    /// inverse lengths is neither one nor the number of attributes, there are several over a relation, or values
    /// overflow.
    pub fn new(vectors: Vectors, form: Form) -> Result<Self> {
        if let Form::SquaredExponential { rho: Rho::Each(rho), .. }
        | Form::Matern32 { rho: Rho::Each(rho), .. }
        | Form::Matern52 { rho: Rho::Each(rho), .. } = &form
        {
            let expected = match &vectors.0 {
                Store::Dense { items: 0, .. } => None,
                Store::Dense { items, values } => Some(values.len() / items),
                Store::Sparse { .. } => {
                    return Err(Error::Data {
                        what: "rho of a kernel over a relation",
                        found: format!("{} numbers", rho.len()),
                        expected: "one number for all".into(),
                    });
                }
            };
            if expected.is_some_and(|expected| expected != rho.len()) || rho.is_empty() {
                return Err(Error::Data {
                    what: "rho",
                    found: format!("{} numbers", rho.len()),
                    expected: format!("one, or {}, one per attribute", expected.unwrap_or(1)),
                });
            }
        }
        let vectors = if matches!(form, Form::Cosine { .. }) { vectors.scaled() } else { vectors };
        let squares = vectors.squares();
        let out = Self { form, vectors, squares };
        out.check(&out.form)?;
        Ok(out)
    }

    /// The form with its parameters.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The vectors; of unit length in the cosine form.
    #[cfg(test)]
    pub(crate) fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// Fails unless a form's parameters are in range and all its values finite.
    fn check(&self, form: &Form) -> Result<()> {
        let kappa = positive("kappa", kappa_of(form))?;
        if !(kappa * kappa).is_finite() {
            let expected = "a number whose square is in range";
            return Err(Error::Parameter { name: "kappa".into(), value: kappa, expected });
        }
        match form {
            Form::SquaredExponential { rho, .. } | Form::Matern32 { rho, .. } | Form::Matern52 { rho, .. } => {
                match rho {
                    Rho::Shared(rho) => {
                        positive("rho", *rho)?;
                    }
                    Rho::Each(rho) => {
                        for (attribute, &rho) in rho.iter().enumerate() {
                            positive(&format!("rho[{attribute}]"), rho)?;
                        }
                    }
                }
                // Attributes are compared by differences, which may overflow. Such items are simply far apart.
                match self.vectors.0 {
                    Store::Dense { .. } => Ok(()),
                    Store::Sparse { .. } => self.finite(|square| 2.0 * square),
                }
            }
            Form::Linear { .. } => self.finite(|square| kappa * kappa * square),
            Form::Polynomial { offset, degree, .. } => {
                if !(offset.is_finite() && *offset >= 0.0) {
                    let expected = "a finite number, at least 0";
                    return Err(Error::Parameter { name: "offset".into(), value: *offset, expected });
                }
                if !(1..=i32::MAX as u32).contains(degree) {
                    let expected = "a whole number, at least 1";
                    return Err(Error::Parameter { name: "degree".into(), value: f64::from(*degree), expected });
                }
                self.finite(|square| kappa * kappa * (square + offset).powi(*degree as i32))
            }
            Form::Cosine { .. } => Ok(()),
        }
    }

    /// Whether a value that grows with `x·x` is finite for all items.
    fn finite(&self, value: impl Fn(f64) -> f64) -> Result<()> {
        let largest = self.squares.iter().copied().fold(0.0, f64::max);
        if value(largest).is_finite() {
            return Ok(());
        }
        Err(Error::Data {
            what: "the values of a kernel",
            found: format!("an overflow for a vector of length {:e}", largest.sqrt()),
            expected: "finite numbers; scale the vectors down".into(),
        })
    }

    /// `q` between an item and the items from `first` on.
    fn distances(&self, rho: &Rho, item: usize, first: usize, out: &mut [f64]) {
        match &self.vectors.0 {
            Store::Dense { items, values } => {
                out.fill(0.0);
                let mut groups = values.chunks_exact((4 * items).max(1));
                let mut attribute = 0;
                for group in &mut groups {
                    let column = |k: usize| &group[k * items + first..][..out.len()];
                    let (a, b, c, d) = (column(0), column(1), column(2), column(3));
                    let own = [0, 1, 2, 3].map(|k| group[k * items + item]);
                    let rho = [0, 1, 2, 3].map(|k| rho_of(rho, attribute + k));
                    attribute += 4;
                    for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                        let a = rho[0] * (a - own[0]);
                        let b = rho[1] * (b - own[1]);
                        let c = rho[2] * (c - own[2]);
                        let d = rho[3] * (d - own[3]);
                        *out = *out + a * a + b * b + c * c + d * d;
                    }
                }
                for (column, attribute) in groups.remainder().chunks_exact((*items).max(1)).zip(attribute..) {
                    let own = column[item];
                    let rho = rho_of(rho, attribute);
                    for (out, value) in out.iter_mut().zip(&column[first..]) {
                        let difference = rho * (value - own);
                        *out += difference * difference;
                    }
                }
            }
            Store::Sparse { .. } => {
                self.vectors.products(item, first, out);
                let rho = rho_of(rho, 0);
                let own = self.squares[item];
                for (out, square) in out.iter_mut().zip(&self.squares[first..]) {
                    let distance = (square + own - 2.0 * *out).max(0.0);
                    *out = distance * rho * rho;
                }
            }
        }
    }

    /// `q` between an item and others, with the bits of [`Self::distances`].
    fn distances_to(&self, rho: &Rho, item: usize, others: &[u32], out: &mut [f64]) {
        match &self.vectors.0 {
            Store::Dense { items, values } => {
                out.fill(0.0);
                for (attribute, column) in values.chunks_exact((*items).max(1)).enumerate() {
                    let (own, rho) = (column[item], rho_of(rho, attribute));
                    for (out, &other) in out.iter_mut().zip(others) {
                        let difference = rho * (column[other as usize] - own);
                        *out += difference * difference;
                    }
                }
            }
            Store::Sparse { .. } => {
                self.vectors.products_with(item, others, out);
                let rho = rho_of(rho, 0);
                for (out, &other) in out.iter_mut().zip(others) {
                    let distance = (self.squares[other as usize] + self.squares[item] - 2.0 * *out).max(0.0);
                    *out = distance * rho * rho;
                }
            }
        }
    }

    /// `k` between an item and the items from `first` on.
    fn values(&self, item: usize, first: usize, out: &mut [f64]) {
        match self.profile() {
            Some(Profile { rho, .. }) => self.distances(rho, item, first, out),
            None => self.vectors.products(item, first, out),
        }
        self.shape(item, |position| first + position, out);
    }

    /// Turns distances or products of an item with others into `k`.
    fn shape(&self, item: usize, other: impl Fn(usize) -> usize, out: &mut [f64]) {
        let kappa = kappa_of(&self.form);
        let scale = kappa * kappa;
        if let Some(Profile { value, .. }) = self.profile() {
            out.iter_mut().for_each(|q| *q = scale * value(*q));
            return;
        }
        match &self.form {
            Form::Linear { .. } => out.iter_mut().for_each(|product| *product *= scale),
            Form::Polynomial { offset, degree, .. } => {
                out.iter_mut().for_each(|product| *product = scale * (*product + offset).powi(*degree as i32));
            }
            Form::Cosine { .. } => {
                let own = self.squares[item];
                for (position, product) in out.iter_mut().enumerate() {
                    let other = other(position);
                    // The root of the product, not the product of the roots, so it is exactly 1 between identical
                    // vectors.
                    let lengths = (own * self.squares[other]).sqrt();
                    *product = match other == item {
                        true => scale,
                        false if lengths > 0.0 => scale * (*product / lengths).clamp(-1.0, 1.0),
                        false => 0.0,
                    };
                }
            }
            Form::SquaredExponential { .. } | Form::Matern32 { .. } | Form::Matern52 { .. } => {
                unreachable!("forms of distance have a profile")
            }
        }
    }

    /// `∂k/∂parameter` between an item and the items from `first` on.
    fn slopes(&self, parameter: usize, item: usize, first: usize, out: &mut [f64]) -> Result<()> {
        let kappa = kappa_of(&self.form);
        let scale = kappa * kappa;
        if parameter == 0 {
            self.values(item, first, out);
            out.iter_mut().for_each(|value| *value *= 2.0 / kappa);
            return Ok(());
        }
        let count = self.parameters().len();
        if parameter >= count {
            return Err(no_such_parameter(parameter, count));
        }
        let Some(Profile { rho, slope, .. }) = self.profile() else {
            let Form::Polynomial { offset, degree, .. } = &self.form else {
                return Err(no_such_parameter(parameter, count));
            };
            self.vectors.products(item, first, out);
            let factor = scale * f64::from(*degree);
            out.iter_mut().for_each(|product| *product = factor * (*product + offset).powi(*degree as i32 - 1));
            return Ok(());
        };
        self.distances(rho, item, first, out);
        // Where the slope is 0, the squared difference may have overflowed.
        let times = |slope: f64, square: f64| if slope == 0.0 { 0.0 } else { 2.0 * scale * slope * square };
        match (rho, &self.vectors.0) {
            (Rho::Each(rho), Store::Dense { items, values }) => {
                let attribute = parameter - 1;
                let column = &values[attribute * items..(attribute + 1) * items];
                for (q, value) in out.iter_mut().zip(&column[first..]) {
                    let difference = value - column[item];
                    *q = times(slope(*q), rho[attribute] * difference * difference);
                }
            }
            // q is rho² times the squared distance.
            _ => {
                let rho = rho_of(rho, 0);
                out.iter_mut().for_each(|q| *q = times(slope(*q), *q / rho));
            }
        }
        Ok(())
    }

    /// The kernel over some of its items.
    fn select(&self, items: &[usize]) -> Self {
        let squares = items.iter().map(|&item| self.squares[item]).collect();
        Self { form: self.form.clone(), vectors: self.vectors.select(items), squares }
    }

    /// Adds the contributions of an item and the items after it to a contraction: first the value, then every
    /// derivative.
    fn add_column(&self, item: usize, weights: &[f64], sums: &mut [f64]) -> Result<()> {
        // Every pair of items stands in the matrix twice.
        let mut twice: Vec<f64> = weights[item..].iter().map(|weight| 2.0 * weight).collect();
        twice[0] = weights[item];
        let mut column = vec![0.0; twice.len()];
        let kappa = kappa_of(&self.form);
        let value = match (self.profile(), &self.vectors.0) {
            (Some(Profile { rho: rho @ Rho::Each(each), value, slope }), Store::Dense { items, values }) => {
                self.distances(rho, item, item, &mut column);
                let scale = kappa * kappa;
                let sum = scale * sum_of(&twice, &column, |weight, q| weight * value(q));
                // One slope serves the inverse lengths of all attributes.
                column.iter_mut().zip(&twice).for_each(|(q, weight)| *q = scale * weight * slope(*q));
                for ((sum, rho), attribute) in sums[2..].iter_mut().zip(each).zip(values.chunks_exact(*items)) {
                    let own = attribute[item];
                    // Where the slope is 0, the squared difference may have overflowed.
                    let term = |slope: f64, other: f64| {
                        let difference = other - own;
                        if slope == 0.0 { 0.0 } else { slope * difference * difference }
                    };
                    *sum += 2.0 * rho * sum_of(&column, &attribute[item..], term);
                }
                sum
            }
            _ => {
                for (parameter, sum) in sums[1..].iter_mut().enumerate().skip(1) {
                    self.slopes(parameter, item, item, &mut column)?;
                    *sum += dot(&twice, &column);
                }
                self.values(item, item, &mut column);
                dot(&twice, &column)
            }
        };
        sums[0] += value;
        sums[1] += 2.0 / kappa * value;
        Ok(())
    }

    /// Writes a column in blocks that stay in the nearest cache, in parallel if it is long.
    fn by_blocks(&self, out: &mut [f64], write: impl Fn(usize, &mut [f64]) -> Result<()> + Sync) -> Result<()> {
        if out.len() < PARALLEL_LENGTH {
            out.chunks_mut(BLOCK).enumerate().try_for_each(|(block, out)| write(block * BLOCK, out))
        } else {
            out.par_chunks_mut(BLOCK).enumerate().try_for_each(|(block, out)| write(block * BLOCK, out))
        }
    }
}

fn kappa_of(form: &Form) -> f64 {
    match form {
        Form::SquaredExponential { kappa, .. }
        | Form::Matern32 { kappa, .. }
        | Form::Matern52 { kappa, .. }
        | Form::Linear { kappa }
        | Form::Polynomial { kappa, .. }
        | Form::Cosine { kappa } => *kappa,
    }
}

impl Kernel for VectorKernel {
    fn len(&self) -> usize {
        self.vectors.len()
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        let kappa = kappa_of(&self.form);
        let scale = kappa * kappa;
        match &self.form {
            Form::Linear { .. } => {
                out.iter_mut().zip(&self.squares).for_each(|(out, square)| *out = scale * square);
            }
            Form::Polynomial { offset, degree, .. } => {
                let value = |square: f64| scale * (square + offset).powi(*degree as i32);
                out.iter_mut().zip(&self.squares).for_each(|(out, &square)| *out = value(square));
            }
            Form::SquaredExponential { .. } | Form::Matern32 { .. } | Form::Matern52 { .. } | Form::Cosine { .. } => {
                out.fill(scale);
            }
        }
        Ok(())
    }

    /// Linear in items and attributes; over a relation, linear in the links of the item's targets.
    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        self.by_blocks(out, |first, out| {
            self.values(item, first, out);
            Ok(())
        })
    }

    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        match self.profile() {
            Some(Profile { rho, .. }) => self.distances_to(rho, item, others, out),
            None => self.vectors.products_with(item, others, out),
        }
        self.shape(item, |position| others[position] as usize, out);
        Ok(())
    }

    fn has_cheap_entries(&self) -> bool {
        true
    }

    fn floor(&self) -> f64 {
        if self.profile().is_some() { 0.0 } else { f64::NEG_INFINITY }
    }

    /// Linear and cosine kernels by the vectors themselves. Kernels of distance by a factor up to 2000 items and by random
    /// waves beyond; others by a factor.
    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        match Waves::of(&self.vectors, &self.form) {
            _ if matches!(self.form, Form::Linear { .. } | Form::Cosine { .. }) => Ok(Box::new(self)),
            _ if self.len() <= EXACT_UP_TO => {
                Ok(Box::new(ByRoot(transpose(SemidefiniteFactor::new(&self.matrix()?).transpose()))))
            }
            Some(waves) => Ok(Box::new(waves)),
            None => by_factor(self.len(), self.diagonal_of()?, |item, out| self.column(item, out)),
        }
    }

    /// The lower half, in parallel by columns, then mirrored: exactly symmetric.
    fn matrix(&self) -> Result<Matrix> {
        let n = self.len();
        let mut out = Matrix::zeros(n, n);
        let columns = out.values_mut().par_chunks_mut(n.max(1)).enumerate();
        columns.for_each(|(item, column)| {
            let mut first = item;
            for block in column[item..].chunks_mut(BLOCK) {
                self.values(item, first, block);
                first += block.len();
            }
        });
        mirror_lower(&mut out);
        Ok(out)
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut out = vec![named("kappa", kappa_of(&self.form))];
        match &self.form {
            Form::SquaredExponential { rho, .. } | Form::Matern32 { rho, .. } | Form::Matern52 { rho, .. } => match rho
            {
                Rho::Shared(rho) => out.push(named("rho", *rho)),
                Rho::Each(rho) => {
                    out.extend(
                        rho.iter().enumerate().map(|(attribute, &rho)| named(&format!("rho[{attribute}]"), rho)),
                    );
                }
            },
            Form::Polynomial { offset, .. } => {
                if *offset > 0.0 {
                    out.push(named("offset", *offset));
                }
            }
            Form::Linear { .. } | Form::Cosine { .. } => {}
        }
        out
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        let parameters = self.parameters();
        if values.len() != parameters.len() {
            return Err(wrong_count(values.len(), parameters.len()));
        }
        for (parameter, &value) in parameters.iter().zip(values) {
            positive(&parameter.name, value)?;
        }
        let mut form = self.form.clone();
        match &mut form {
            Form::SquaredExponential { kappa, rho } | Form::Matern32 { kappa, rho } | Form::Matern52 { kappa, rho } => {
                *kappa = values[0];
                match rho {
                    Rho::Shared(rho) => *rho = values[1],
                    Rho::Each(rho) => rho.copy_from_slice(&values[1..]),
                }
            }
            Form::Polynomial { kappa, offset, .. } => {
                *kappa = values[0];
                if let Some(&value) = values.get(1) {
                    *offset = value;
                }
            }
            Form::Linear { kappa } | Form::Cosine { kappa } => *kappa = values[0],
        }
        self.check(&form)?;
        self.form = form;
        Ok(())
    }

    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        self.by_blocks(out, |first, out| self.slopes(parameter, item, first, out))
    }
    fn among(&self, items: &[usize]) -> Result<Matrix> {
        self.select(items).matrix()
    }

    /// All parameters together: `m²/2` pairs of m items, and `m²/2` squared differences per inverse length.
    fn contract(&self, items: &[usize], weights: &Matrix) -> Result<Contraction> {
        /// Columns per task. The tasks' sums are added in their order.
        const COLUMNS: usize = 32;
        let chosen = self.select(items);
        let count = self.parameters().len();
        let columns: Vec<usize> = (0..items.len()).collect();
        let sums: Vec<Vec<f64>> = (columns.par_chunks(COLUMNS))
            .map(|columns| {
                let mut sums = vec![0.0; 1 + count];
                columns.iter().try_for_each(|&item| chosen.add_column(item, weights.column(item), &mut sums))?;
                Ok(sums)
            })
            .collect::<Result<_>>()?;
        let mut out = vec![0.0; 1 + count];
        sums.iter().for_each(|sums| add_scaled(&mut out, 1.0, sums));
        let derivatives = out.split_off(1);
        Ok(Contraction { value: out[0], derivatives })
    }

    /// Lengths at which items at an ordinary distance have a correlation of `exp(-½)` in the squared exponential form,
    /// with all attributes contributing alike.
    fn typical(&self) -> Result<Vec<Option<f64>>> {
        let spreads = self.vectors.spreads();
        let inverse = |spread: f64| if spread > 0.0 { std::f64::consts::FRAC_1_SQRT_2 / spread } else { 1.0 };
        let mut out = vec![None];
        match &self.form {
            Form::SquaredExponential { rho, .. } | Form::Matern32 { rho, .. } | Form::Matern52 { rho, .. } => match rho
            {
                Rho::Shared(_) => {
                    out.push(Some(inverse(spreads.iter().fold(0.0, |all: f64, spread| all.hypot(*spread)))))
                }
                Rho::Each(rho) => {
                    // Without items there is no spread.
                    let spread = |attribute: usize| spreads.get(attribute).copied().unwrap_or(0.0);
                    out.extend(
                        (0..rho.len()).map(|attribute| Some(inverse((rho.len() as f64).sqrt() * spread(attribute)))),
                    );
                }
            },
            Form::Polynomial { offset, .. } => {
                if *offset > 0.0 {
                    let mean = self.squares.iter().sum::<f64>() / self.len().max(1) as f64;
                    out.push(Some(if mean > 0.0 { mean } else { 1.0 }));
                }
            }
            Form::Linear { .. } | Form::Cosine { .. } => {}
        }
        Ok(out)
    }
}
