//! Coordinates beside the items: what an answer is about besides two utilities.
//!
//! A judge's bias towards a side, or the noise that the comparisons of one screen share, is a Gaussian number of its own, an *aside*. With
//! asides after the items, a functional may touch some ([`Functional::Beside`], [`Functional::OnScreen`]), and everything that learns from
//! observations learns of asides too, exactly. A priori, asides are independent of the items. Alike ones may depend on each other
//! ([`Block`]).

use std::ops::Deref;

use rand::RngExt;
use rand_distr::StandardNormal;

use super::{Contraction, Kernel, Parameter, PriorDraws};
use crate::Result;
use crate::data::Functional;
use crate::numeric::{Matrix, Stream};

/// So many asides that are alike and depend on no others: each has a variance of its own, and one that all have in common.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    /// How many there are.
    pub count: usize,
    /// The variance of each by itself.
    pub own: f64,
    /// The variance that all have in common.
    pub common: f64,
}

impl Block {
    fn covariance(&self, one: u32, other: u32) -> f64 {
        if one == other { self.own + self.common } else { self.common }
    }

    /// Writes a draw.
    fn draw(&self, stream: &mut Stream, out: &mut [f64]) {
        let mut normal = || stream.sample::<f64, _>(StandardNormal);
        let shared = self.common.sqrt() * normal();
        out.iter_mut().for_each(|value| *value = shared + self.own.sqrt() * normal());
    }
}

/// A kernel over items, and asides after them. Items keep every bit of what the kernel says of them.
#[derive(Debug, Clone)]
pub(crate) struct Asides<K> {
    items: K,
    blocks: Vec<Block>,
    /// The block of every aside, and its place there.
    places: Vec<(u32, u32)>,
    mean: Option<Vec<f64>>,
    mean_columns: Option<Matrix>,
}

impl<K: Deref<Target: Kernel> + Send + Sync> Asides<K> {
    /// These asides beside the items of a kernel, which has none itself.
    pub(crate) fn beside(items: K, blocks: Vec<Block>) -> Self {
        let places: Vec<(u32, u32)> =
            (0..).zip(&blocks).flat_map(|(at, block)| (0..block.count as u32).map(move |place| (at, place))).collect();
        let (known, len) = (items.len(), items.len() + places.len());
        let mean =
            items.mean().map(|mean| mean.iter().copied().chain(std::iter::repeat_n(0.0, places.len())).collect());
        let padded = |columns: &Matrix| {
            Matrix::from_fn(
                len,
                columns.columns(),
                |row, column| if row < known { columns[(row, column)] } else { 0.0 },
            )
        };
        let mean_columns = items.mean_columns().map(padded);
        Self { items, blocks, places, mean, mean_columns }
    }

    fn known(&self) -> usize {
        self.items.len()
    }

    /// The covariance of two coordinates of which one is an aside.
    fn covariance(&self, one: usize, other: usize) -> f64 {
        let place = |at: usize| at.checked_sub(self.known()).map(|aside| self.places[aside]);
        match (place(one), place(other)) {
            (Some((block, one)), Some((same, other))) if block == same => {
                self.blocks[block as usize].covariance(one, other)
            }
            _ => 0.0,
        }
    }

    /// What a functional says of the items alone, with the smaller item of two first, and the sign that gives; none for an aside.
    fn of_items(&self, functional: Functional) -> Option<(Functional, f64)> {
        match functional {
            Functional::Item(item) if item as usize >= self.known() => None,
            Functional::Beside(first, second, _) | Functional::OnScreen(first, second, _) => {
                Some(match first < second {
                    true => (Functional::Difference(first, second), 1.0),
                    false => (Functional::Difference(second, first), -1.0),
                })
            }
            other => Some((other, 1.0)),
        }
    }

    /// A functional's asides, with their coefficients.
    fn asides_of(&self, functional: Functional) -> impl Iterator<Item = (usize, f64)> {
        let known = self.known();
        functional.terms().map(|(at, factor)| (at as usize, factor)).filter(move |(at, _)| *at >= known)
    }

    /// The covariance of the asides of two functionals.
    fn beside_items(&self, one: Functional, other: Functional) -> f64 {
        let with = |(aside, factor): (usize, f64)| -> f64 {
            self.asides_of(other).map(|(other, own)| factor * own * self.covariance(aside, other)).sum()
        };
        self.asides_of(one).map(with).sum()
    }

    /// What functionals say of the items alone: the different ones, and for each functional the place among them and the sign.
    fn apart(&self, functionals: &[Functional]) -> (Vec<Functional>, Vec<Option<(usize, f64)>>) {
        let own: Vec<Option<(Functional, f64)>> = functionals.iter().map(|&one| self.of_items(one)).collect();
        let mut different: Vec<Functional> = own.iter().flatten().map(|(one, _)| *one).collect();
        different.sort_unstable();
        different.dedup();
        let place = |(one, sign): (Functional, f64)| (different.partition_point(|other| *other < one), sign);
        let places = own.into_iter().map(|one| one.map(place)).collect();
        (different, places)
    }

    /// Makes `out`, which has a column for each of these, of columns over the items.
    fn widen(
        &self,
        functionals: &[Functional],
        write: impl FnOnce(&[Functional], &mut Matrix) -> Result<()>,
        out: &mut Matrix,
    ) -> Result<()> {
        let known = self.known();
        let (items, places) = self.apart(functionals);
        let mut columns = Matrix::zeros(known, items.len());
        write(&items, &mut columns)?;
        for ((column, &functional), place) in out.columns_mut().zip(functionals).zip(places) {
            match place {
                None => column.fill(0.0),
                Some((own, sign)) => {
                    column.iter_mut().zip(columns.column(own)).for_each(|(out, value)| *out = sign * value);
                }
            }
            let with = |other: usize| -> f64 {
                self.asides_of(functional).map(|(aside, factor)| factor * self.covariance(aside, other)).sum()
            };
            column.iter_mut().enumerate().skip(known).for_each(|(other, out)| *out = with(other));
        }
        Ok(())
    }
}

impl<K: Deref<Target: Kernel> + Send + Sync> Kernel for Asides<K> {
    fn len(&self) -> usize {
        self.known() + self.places.len()
    }

    fn asides(&self) -> usize {
        self.places.len()
    }

    fn mean(&self) -> Option<&[f64]> {
        self.mean.as_deref()
    }

    fn mean_columns(&self) -> Option<&Matrix> {
        self.mean_columns.as_ref()
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        let known = self.known();
        self.items.diagonal(&mut out[..known])?;
        out.iter_mut().enumerate().skip(known).for_each(|(at, out)| *out = self.covariance(at, at));
        Ok(())
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        let known = self.known();
        if item < known {
            self.items.column(item, &mut out[..known])?;
            out[known..].fill(0.0);
        } else {
            out.iter_mut().enumerate().for_each(|(other, out)| *out = self.covariance(item, other));
        }
        Ok(())
    }

    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        let known = self.known();
        let write = |out: &mut [f64]| {
            out.iter_mut().zip(others).for_each(|(out, &other)| *out = self.covariance(item, other as usize));
        };
        if item >= known {
            write(out);
            return Ok(());
        }
        if others.iter().all(|&other| (other as usize) < known) {
            return self.items.entries(item, others, out);
        }
        write(out);
        let items: Vec<u32> = others.iter().copied().filter(|&other| (other as usize) < known).collect();
        let mut found = vec![0.0; items.len()];
        self.items.entries(item, &items, &mut found)?;
        let among = out.iter_mut().zip(others).filter(|(_, other)| (**other as usize) < known);
        among.zip(found).for_each(|((out, _), found)| *out = found);
        Ok(())
    }

    fn has_cheap_entries(&self) -> bool {
        self.items.has_cheap_entries()
    }

    fn has_exact_diagonal(&self) -> bool {
        self.items.has_exact_diagonal()
    }

    /// That of two items. Searches look at these alone.
    fn floor(&self) -> f64 {
        self.items.floor()
    }

    fn columns(&self, items: &[usize], out: &mut Matrix) -> Result<()> {
        let functionals: Vec<Functional> = items.iter().map(|&item| Functional::Item(item as u32)).collect();
        let write = |wanted: &[Functional], out: &mut Matrix| self.items.columns(&Functional::items_of(wanted), out);
        self.widen(&functionals, write, out)
    }

    fn along(&self, functionals: &[Functional], out: &mut Matrix) -> Result<()> {
        self.widen(functionals, |wanted, out| self.items.along(wanted, out), out)
    }

    fn among(&self, items: &[usize]) -> Result<Matrix> {
        let known = self.known();
        let inside: Vec<usize> = items.iter().copied().filter(|&item| item < known).collect();
        let own = self.items.among(&inside)?;
        if inside.len() == items.len() {
            return Ok(own);
        }
        let mut places = 0..inside.len();
        let place: Vec<Option<usize>> =
            items.iter().map(|&item| if item < known { places.next() } else { None }).collect();
        Ok(Matrix::from_fn(items.len(), items.len(), |row, column| match (place[row], place[column]) {
            (Some(row), Some(column)) => own[(row, column)],
            _ => self.covariance(items[row], items[column]),
        }))
    }

    fn between(&self, functionals: &[Functional]) -> Result<Matrix> {
        let (items, places) = self.apart(functionals);
        let own = self.items.between(&items)?;
        Ok(Matrix::from_fn(functionals.len(), functionals.len(), |row, column| {
            let of_items = match (places[row], places[column]) {
                (Some((row, sign)), Some((column, other))) => sign * other * own[(row, column)],
                _ => 0.0,
            };
            of_items + self.beside_items(functionals[row], functionals[column])
        }))
    }

    fn matrix(&self) -> Result<Matrix> {
        let (known, own) = (self.known(), self.items.matrix()?);
        Ok(Matrix::from_fn(self.len(), self.len(), |row, column| {
            if row < known && column < known { own[(row, column)] } else { self.covariance(row, column) }
        }))
    }

    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        Ok(Box::new(Drawn { known: self.known(), items: self.items.prior_draws()?, blocks: &self.blocks }))
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.items.parameters()
    }

    /// The covariances of asides have no parameters.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        let known = self.known();
        out[known..].fill(0.0);
        match item < known {
            true => self.items.derivative_column(parameter, item, &mut out[..known])?,
            false => out[..known].fill(0.0),
        }
        Ok(())
    }

    fn contract(&self, items: &[usize], weights: &Matrix) -> Result<Contraction> {
        let functionals: Vec<Functional> = items.iter().map(|&item| Functional::Item(item as u32)).collect();
        self.contract_between(&functionals, weights)
    }

    fn contract_between(&self, functionals: &[Functional], weights: &Matrix) -> Result<Contraction> {
        let (items, places) = self.apart(functionals);
        let mut own = Matrix::zeros(items.len(), items.len());
        for (column, to) in places.iter().enumerate() {
            for (row, from) in places.iter().enumerate() {
                if let (&Some((to, sign)), &Some((from, other))) = (to, from) {
                    own[(from, to)] += sign * other * weights[(row, column)];
                }
            }
        }
        let mut out = self.items.contract_between(&items, &own)?;
        for (column, &one) in functionals.iter().enumerate() {
            for (row, &other) in functionals.iter().enumerate() {
                out.value += weights[(row, column)] * self.beside_items(one, other);
            }
        }
        Ok(out)
    }

    fn typical(&self) -> Result<Vec<Option<f64>>> {
        self.items.typical()
    }
}

/// Draws of the items, and of every block.
struct Drawn<'a> {
    known: usize,
    items: Box<dyn PriorDraws + 'a>,
    blocks: &'a [Block],
}

impl PriorDraws for Drawn<'_> {
    /// The items take the first numbers of every stream, so they are what they are without asides.
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        let mut items = Matrix::zeros(self.known, out.columns());
        self.items.draw(streams, &mut items)?;
        for (at, (column, stream)) in out.columns_mut().zip(streams).enumerate() {
            let (own, mut rest) = column.split_at_mut(self.known);
            own.copy_from_slice(items.column(at));
            for block in self.blocks {
                let (asides, others) = rest.split_at_mut(block.count);
                block.draw(stream, asides);
                rest = others;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::Shared;
    use crate::kernel::{Given, Independent, WeightedSum};
    use crate::numeric::Seed;

    /// Five items, three judges, and the noise of one screen.
    fn kernel() -> (Arc<dyn Kernel>, Matrix) {
        let near = |row: usize, column: usize| 1.3 * (-0.4 * row.abs_diff(column) as f64).exp();
        let given = Given::new(vec![0.3, 0.0, -0.4, 0.1, 0.2], Matrix::from_fn(5, 5, near)).unwrap();
        let blocks = vec![Block { count: 3, own: 0.09, common: 0.02 }, Block { count: 2, own: 1.0, common: 0.0 }];
        let whole = Matrix::from_fn(10, 10, |row, column| match (row, column) {
            (0..5, 0..5) => near(row, column),
            (5..8, 5..8) => {
                if row == column {
                    0.11
                } else {
                    0.02
                }
            }
            (8..10, 8..10) => f64::from(u8::from(row == column)),
            _ => 0.0,
        });
        (Arc::new(Asides::beside(Arc::new(given) as Arc<dyn Kernel>, blocks)), whole)
    }

    fn close(found: &Matrix, expected: impl Fn(usize, usize) -> f64) {
        for column in 0..found.columns() {
            for row in 0..found.rows() {
                let (found, expected) = (found[(row, column)], expected(row, column));
                // Sums of at most nine numbers below 2.
                assert!((found - expected).abs() < 1e-14, "{row} {column}: {found} {expected}");
            }
        }
    }

    /// Every way to ask for covariances, beside the joint matrix written out.
    #[test]
    fn every_method_says_the_joint_matrix() {
        let (kernel, whole) = kernel();
        assert_eq!((kernel.len(), kernel.items(), kernel.asides()), (10, 5, 5));
        assert_eq!(kernel.mean().unwrap()[4..], [0.2, 0.0, 0.0, 0.0, 0.0, 0.0]);
        close(&kernel.matrix().unwrap(), |row, column| whole[(row, column)]);
        assert_eq!(kernel.diagonal_of().unwrap(), whole.diagonal());
        let some = [9, 0, 7, 4, 5];
        close(&kernel.among(&some).unwrap(), |row, column| whole[(some[row], some[column])]);
        let mut columns = Matrix::zeros(10, some.len());
        kernel.columns(&some, &mut columns).unwrap();
        close(&columns, |row, column| whole[(row, some[column])]);
        for item in 0..10 {
            let (mut column, mut entries) = (vec![0.0; 10], vec![0.0; 4]);
            kernel.column(item, &mut column).unwrap();
            assert_eq!(column, whole.column(item));
            kernel.entries(item, &[8, 1, 6, 3], &mut entries).unwrap();
            assert_eq!(entries, [8, 1, 6, 3].map(|other| whole[(other, item)]));
        }
        let functionals = [
            Functional::Item(2),
            Functional::Item(6),
            Functional::Difference(0, 3),
            Functional::Beside(3, 0, 5),
            Functional::Beside(0, 3, 5),
            Functional::Beside(1, 4, 7),
            Functional::Beside(4, 2, 8),
            Functional::Beside(4, 0, 9),
            Functional::OnScreen(3, 1, Shared::new([8, 8], [0.7, 0.0])),
            Functional::OnScreen(1, 2, Shared::new([8, 9], [-0.4, 1.3])),
        ];
        let along = |functional: Functional, other: usize| functional.of(whole.column(other));
        let mut columns = Matrix::zeros(10, functionals.len());
        kernel.along(&functionals, &mut columns).unwrap();
        close(&columns, |row, column| along(functionals[column], row));
        let expected = |row: usize, column: usize| {
            let half: Vec<f64> = (0..10).map(|other| along(functionals[column], other)).collect();
            functionals[row].of(&half)
        };
        close(&kernel.between(&functionals).unwrap(), expected);
    }

    /// Contractions by functionals with asides, beside sums over the joint matrix and central differences by a weight.
    #[test]
    fn contractions_equal_sums() {
        let functionals = [
            Functional::Beside(3, 0, 5),
            Functional::Beside(0, 3, 6),
            Functional::Difference(0, 3),
            Functional::Item(5),
            Functional::OnScreen(4, 1, Shared::new([5, 6], [0.7, -0.2])),
        ];
        let weights = Matrix::from_fn(5, 5, |row, column| 1.0 / (1.0 + (row + column) as f64));
        let sum = |weight: f64| {
            let parts: Vec<(f64, Box<dyn Kernel>)> = vec![(weight, Box::new(Independent::new(5)))];
            let kernel: Arc<dyn Kernel> = Arc::new(WeightedSum::new(parts).unwrap());
            let kernel = Asides::beside(kernel, vec![Block { count: 2, own: 0.09, common: 0.02 }]);
            let between = kernel.between(&functionals).unwrap();
            let sum: f64 = between.values().iter().zip(weights.values()).map(|(one, other)| one * other).sum();
            (kernel.contract_between(&functionals, &weights).unwrap(), sum)
        };
        let (found, expected) = sum(0.7);
        assert!((found.value - expected).abs() < 1e-14, "{} {expected}", found.value);
        // A sum that is quadratic in the weight: central differences are exact but for rounding over the step.
        let difference = (sum(0.701).1 - sum(0.699).1) / 0.002;
        assert!((found.derivatives[0] - difference).abs() < 1e-11, "{} {difference}", found.derivatives[0]);
    }

    /// Draws of items keep their bits, and asides have their covariances: over 200,000 draws, to five standard errors.
    #[test]
    fn draws_have_the_joint_covariance() {
        const DRAWS: usize = 200_000;
        let (kernel, whole) = kernel();
        let mut streams: Vec<Stream> = (0..DRAWS as u64).map(|at| Seed(3).stream(at)).collect();
        let mut out = Matrix::zeros(10, DRAWS);
        kernel.prior_draws().unwrap().draw(&mut streams, &mut out).unwrap();
        for one in 0..10 {
            for other in 0..=one {
                let sum: f64 = out.columns_mut().map(|draw| draw[one] * draw[other]).sum();
                let variance = whole[(one, one)] * whole[(other, other)] + whole[(one, other)].powi(2);
                let error = 5.0 * (variance / DRAWS as f64).sqrt();
                assert!((sum / DRAWS as f64 - whole[(one, other)]).abs() < error, "{one} {other}");
            }
        }
    }
}
