//! Draws of a belief about very many items, without their joint covariance.

use std::sync::Arc;

use rand::RngExt;
use rand_distr::StandardNormal;

use super::ep::conditioning::{Conditioning, coordinates};
use super::{Factor, Functional};
use crate::Result;
use crate::data::ItemId;
use crate::kernel::{Kernel, PriorDraws};
use crate::numeric::dense::{SemidefiniteFactor, subtract_product};
use crate::numeric::{Matrix, Stream};

/// How draws of a prior become draws of a belief (Matheron's rule): what the sites say of each draw's coordinates is taken
/// off. Memory `n b` for b coordinates, which beliefs share.
#[derive(Clone)]
pub struct Paths {
    pub(super) kernel: Arc<dyn Kernel>,
    pub(super) basis: Vec<Functional>,
    /// The items' prior covariances with the coordinates, `[n, b]`.
    pub(super) columns: Arc<Matrix>,
    pub(super) conditioning: Arc<Conditioning>,
}

impl Paths {
    /// For a belief that is the prior of a kernel times these sites. The coordinates are the different
    /// functionals. One column of the kernel per coordinate; `b³/3` operations.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, or the prior is so wide that rounding hides the sites.
    pub(super) fn of_sites(kernel: Arc<dyn Kernel>, factors: &[Factor]) -> Result<Self> {
        let mut basis: Vec<Functional> = factors.iter().map(|factor| factor.observation.functional).collect();
        basis.sort_unstable();
        basis.dedup();
        let mut precisions = vec![0.0; basis.len()];
        for factor in factors {
            let at = basis.partition_point(|other| *other < factor.observation.functional);
            precisions[at] += f64::from(factor.count) * factor.site.precision;
        }
        let mut columns = Matrix::zeros(kernel.len(), basis.len());
        kernel.along(&basis, &mut columns)?;
        let prior = Matrix::from_fn(basis.len(), basis.len(), |row, column| basis[row].of(columns.column(column)));
        let conditioning = Arc::new(Conditioning::of_precisions(&precisions, &prior)?);
        Ok(Self { kernel, basis, columns: Arc::new(columns), conditioning })
    }

    /// The coordinates, if all of them are items.
    pub(super) fn items(&self) -> Option<Vec<ItemId>> {
        let item = |axis: &Functional| match axis {
            Functional::Item(item) => Some(ItemId(*item)),
            _ => None,
        };
        self.basis.iter().map(item).collect()
    }

    /// A factor of the prior covariance of the coordinates.
    pub(super) fn prior_of_coordinates(&self) -> SemidefiniteFactor {
        let b = self.basis.len();
        SemidefiniteFactor::new(&Matrix::from_fn(b, b, |row, column| self.basis[row].of(self.columns.column(column))))
    }

    /// Fills every column of `out` (n rows) with a draw of the deviations from the belief's mean, from the random stream of the
    /// same number.
    pub(super) fn draw(&self, prior: &dyn PriorDraws, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        prior.draw(streams, out)?;
        let mut noise = Matrix::zeros(self.conditioning.rank(), out.columns());
        for (column, stream) in noise.columns_mut().zip(streams) {
            column.iter_mut().for_each(|value| *value = stream.sample(StandardNormal));
        }
        let explained = self.conditioning.explained(&coordinates(&self.basis, out), &noise);
        subtract_product(out, &self.columns, &explained);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Attributes;
    use crate::gp::{AnswerModel, Belief, EpParams, Incremental, Observation};
    use crate::kernel::{Form, Independent, Rho, VectorKernel, Vectors, Waves, WeightedSum};
    use crate::numeric::Seed;
    use crate::numeric::dense::{multiply, transpose};
    use crate::numeric::sorting::by_falling;

    fn smooth(n: usize, d: usize) -> VectorKernel {
        let mut stream = Seed(3).stream(n as u64);
        let values: Vec<f64> = (0..n * d).map(|_| stream.sample(StandardNormal)).collect();
        let names = (0..d).map(|at| format!("x{at}")).collect();
        let vectors = Vectors::from_attributes(&Attributes::new(names, n, values).unwrap()).unwrap();
        VectorKernel::new(vectors, Form::SquaredExponential { kappa: 1.5, rho: Rho::Shared(0.6) }).unwrap()
    }

    fn answers(n: usize, count: usize) -> Vec<Observation> {
        let mut stream = Seed(4).stream(n as u64);
        let model = AnswerModel::new(0.4, 0.0).unwrap();
        let mut item = || ItemId::new(stream.random_range(0..n));
        let pairs = std::iter::repeat_with(|| (item(), item())).filter(|(first, second)| first != second);
        pairs.take(count).map(|(first, second)| model.preferred(first, second)).collect()
    }

    /// Means and covariances of a million draws against the belief's, to five standard errors: coordinates that are pairs and
    /// such that are items, with and without a part of each item's own.
    #[test]
    fn draws_have_the_law_of_the_belief() {
        const DRAWS: usize = 1_000_000;
        const TOGETHER: usize = 10_000;
        let own: Box<dyn Kernel> = Box::new(Independent::new(9));
        let both = WeightedSum::new(vec![(1.0, Box::new(smooth(9, 2))), (0.7, own)]).unwrap();
        let alone: Arc<dyn Kernel> = Arc::new(smooth(9, 2));
        for (kernel, count) in [(Arc::new(both) as Arc<dyn Kernel>, 4), (alone.clone(), 4), (alone, 12)] {
            let observations = answers(if count > 4 { 5 } else { 9 }, count);
            let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
            let mut steps = Incremental::lazy(kernel.clone()).unwrap();
            observations.iter().for_each(|one| steps.observe(one).unwrap());
            // After as many answers as items, steps hold all covariances.
            let beliefs = [Some(&ep as &dyn Belief), Some(&steps as &dyn Belief).filter(|_| count < 9)];
            for belief in beliefs.into_iter().flatten() {
                let items: Vec<ItemId> = (0..9).map(ItemId::new).collect();
                let expected = belief.covariance(&items).unwrap();
                let paths = belief.paths().unwrap().unwrap();
                let prior = kernel.prior_draws().unwrap();
                let (mut sums, mut means) = (Matrix::zeros(9, 9), [0.0; 9]);
                for block in 0..DRAWS / TOGETHER {
                    let stream = |at: usize| Seed(5).stream((block * TOGETHER + at) as u64);
                    let mut streams: Vec<Stream> = (0..TOGETHER).map(stream).collect();
                    let mut out = Matrix::zeros(9, TOGETHER);
                    paths.draw(prior.as_ref(), &mut streams, &mut out).unwrap();
                    let square = multiply(&out, &transpose(&out));
                    sums.values_mut().iter_mut().zip(square.values()).for_each(|(sum, value)| *sum += value);
                    out.columns_mut()
                        .for_each(|draw| means.iter_mut().zip(draw).for_each(|(sum, value)| *sum += *value));
                }
                for j in 0..9 {
                    let error = 5.0 * (expected[(j, j)] / DRAWS as f64).sqrt();
                    assert!((means[j] / DRAWS as f64).abs() <= error, "{} {error}", means[j] / DRAWS as f64);
                    for i in 0..9 {
                        let square = expected[(i, i)] * expected[(j, j)] + expected[(i, j)].powi(2);
                        let (found, error) = (sums[(i, j)] / DRAWS as f64, 5.0 * (square / DRAWS as f64).sqrt());
                        assert!((found - expected[(i, j)]).abs() <= error, "{found} {} {error}", expected[(i, j)]);
                    }
                }
            }
        }
    }

    /// Random waves in place of exact draws, with 2000 items: the rank of the first item, in twenty classes that are equally
    /// probable by exact draws. Of two samples of the same law the distance is about 0.02, and rarely above 0.035.
    #[test]
    fn random_waves_rank_the_first_item_alike() {
        const DRAWS: usize = 8_000;
        const CLASSES: usize = 20;
        let n = 2000;
        let kernel = smooth(n, 3);
        let (form, vectors) = (kernel.form().clone(), kernel.vectors().clone());
        let shared: Arc<dyn Kernel> = Arc::new(kernel.clone());
        let ep = EpParams::default().fit(shared, &answers(n, 150)).unwrap();
        let items: Vec<ItemId> = (0..n).map(ItemId::new).collect();
        let best = by_falling(ep.mean())[0] as usize;
        let rank = |apart: &[f64]| {
            let utility = |item: usize| ep.mean()[item] + apart[item];
            (0..n).filter(|&other| utility(other) > utility(best)).count()
        };
        let streams = |from: u64, count: usize| -> Vec<Stream> {
            (0..count as u64).map(|at| Seed(6).stream(from + at)).collect()
        };
        let root = transpose(SemidefiniteFactor::new(&ep.covariance(&items).unwrap()).transpose());
        let mut exact: Vec<usize> = Vec::new();
        let mut waved: Vec<usize> = Vec::new();
        let paths = ep.paths().unwrap().unwrap();
        let waves = Waves::of(&vectors, &form).unwrap();
        for block in 0..DRAWS / 500 {
            let mut own = streams(block as u64 * 500, 500);
            let mut noise = Matrix::zeros(root.columns(), 500);
            for (column, stream) in noise.columns_mut().zip(&mut own) {
                column.iter_mut().for_each(|value| *value = stream.sample(StandardNormal));
            }
            exact.extend(multiply(&root, &noise).columns_mut().map(|apart| rank(apart)));
            let mut out = Matrix::zeros(n, 500);
            paths.draw(&waves, &mut streams(1_000_000 + block as u64 * 500, 500), &mut out).unwrap();
            waved.extend(out.columns_mut().map(|apart| rank(apart)));
        }
        let mut sorted = exact.clone();
        sorted.sort_unstable();
        let class = |rank: usize| (1..CLASSES).filter(|at| rank >= sorted[at * DRAWS / CLASSES]).count();
        let shares = |ranks: &[usize]| {
            let mut out = [0.0; CLASSES];
            ranks.iter().for_each(|&rank| out[class(rank)] += 1.0 / DRAWS as f64);
            out
        };
        let distance: f64 = shares(&exact).iter().zip(shares(&waved)).map(|(a, b)| 0.5 * (a - b).abs()).sum();
        assert!(distance < 0.04, "{distance}");
    }
}
