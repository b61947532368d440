//! Random waves: draws of kernels of distance for many items.
//!
//! A stationary kernel is the mean of `cos(ω'(x - y))` over its spectral law (Bochner; Rahimi, Recht 2007). So with m
//! frequencies and standard normal numbers a and b, `Σ (a_k cos ω_k'x + b_k sin ω_k'x) / √m` has the covariance of the
//! kernel, up to the error of a mean over m frequencies. The frequencies of the squared exponential are normal with the
//! inverse lengths as deviations; those of Matérn's kernels have Student's law with 3 and 5 degrees of freedom in place
//! of the normal one.
//!
//! Few draws share frequencies. So over all draws covariances are means over thousands of them, while each draw by itself is
//! nearly normal.

use rand::RngExt;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use rayon::prelude::*;

use super::draws::normals;
use super::vectors::{Store, Vectors};
use super::{Form, PriorDraws, Rho};
use crate::Result;
use crate::numeric::dense::{add_scaled, multiply_left_transposed};
use crate::numeric::{Matrix, Stream, waves};

/// Frequencies that some draws share.
const FREQUENCIES: usize = 512;

/// The draws that share them.
const SHARING: usize = 64;

/// Items per task.
const ITEMS: usize = 1 << 10;

/// The law of the frequencies, before they are scaled by the inverse lengths.
#[derive(Debug, Clone, Copy)]
enum Spectrum {
    Normal,
    /// Student's law with so many degrees of freedom.
    Student(f64),
}

/// Draws of `kappa² f(q)` over vectors.
pub(crate) struct Waves<'a> {
    vectors: &'a Vectors,
    rho: &'a Rho,
    kappa: f64,
    spectrum: Spectrum,
}

impl<'a> Waves<'a> {
    /// Draws of a form over these vectors, if it is a form of distance.
    pub(crate) fn of(vectors: &'a Vectors, form: &'a Form) -> Option<Self> {
        let (kappa, rho, spectrum) = match form {
            Form::SquaredExponential { kappa, rho } => (*kappa, rho, Spectrum::Normal),
            Form::Matern32 { kappa, rho } => (*kappa, rho, Spectrum::Student(3.0)),
            Form::Matern52 { kappa, rho } => (*kappa, rho, Spectrum::Student(5.0)),
            Form::Linear { .. } | Form::Polynomial { .. } | Form::Cosine { .. } => return None,
        };
        Some(Self { vectors, rho, kappa, spectrum })
    }

    /// Frequencies, by attribute or target: `[dimensions, FREQUENCIES]` by rows.
    fn frequencies(&self, stream: &mut Stream) -> Vec<f64> {
        let scales: Vec<f64> = (0..FREQUENCIES)
            .map(|_| match self.spectrum {
                Spectrum::Normal => 1.0,
                Spectrum::Student(freedom) => {
                    let Ok(law) = ChiSquared::new(freedom) else { unreachable!("a few degrees of freedom") };
                    (freedom / law.sample(stream)).sqrt()
                }
            })
            .collect();
        let dimensions = match &self.vectors.0 {
            Store::Dense { items, values } => values.len() / (*items).max(1),
            Store::Sparse { by_target, .. } => by_target.rows(),
        };
        let rho = |dimension: usize| match self.rho {
            Rho::Shared(rho) => *rho,
            Rho::Each(rho) => rho[dimension],
        };
        let row = |dimension: usize| {
            let rho = rho(dimension);
            scales.iter().map(|scale| rho * scale * stream.sample::<f64, _>(StandardNormal)).collect::<Vec<_>>()
        };
        (0..dimensions).flat_map(row).collect()
    }

    /// `ω'x` of an item, for every frequency.
    fn phases(&self, frequencies: &[f64], item: usize, out: &mut [f64]) {
        out.fill(0.0);
        match &self.vectors.0 {
            Store::Dense { items, values } => {
                for (column, frequencies) in values.chunks_exact(*items).zip(frequencies.chunks_exact(FREQUENCIES)) {
                    add_scaled(out, column[item], frequencies);
                }
            }
            Store::Sparse { rows, .. } => {
                let (targets, values) = rows.row(item);
                for (&target, value) in targets.iter().zip(values) {
                    add_scaled(out, *value, &frequencies[target as usize * FREQUENCIES..][..FREQUENCIES]);
                }
            }
        }
    }

    /// Draws that share frequencies, written to columns one after another.
    fn draw_some(&self, streams: &mut [Stream], out: &mut [f64]) {
        let (n, count) = (self.vectors.len(), streams.len());
        let frequencies = self.frequencies(&mut streams[0]);
        let weights = normals(2 * FREQUENCIES, streams);
        let scale = self.kappa / (FREQUENCIES as f64).sqrt();
        let blocks: Vec<Matrix> = (0..n.div_ceil(ITEMS))
            .into_par_iter()
            .map(|block| {
                let items = block * ITEMS..((block + 1) * ITEMS).min(n);
                let mut phases = vec![0.0; FREQUENCIES];
                let mut waves = Matrix::zeros(2 * FREQUENCIES, items.len());
                for (item, wave) in items.zip(waves.columns_mut()) {
                    self.phases(&frequencies, item, &mut phases);
                    let (cos, sin) = wave.split_at_mut(FREQUENCIES);
                    waves::sin_cos(&phases, sin, cos);
                }
                multiply_left_transposed(&waves, &weights)
            })
            .collect();
        for (number, column) in out.chunks_exact_mut(n.max(1)).enumerate().take(count) {
            for (block, out) in blocks.iter().zip(column.chunks_mut(ITEMS)) {
                out.iter_mut().zip(block.column(number)).for_each(|(out, value)| *out = scale * value);
            }
        }
    }
}

impl PriorDraws for Waves<'_> {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        let together = (self.vectors.len() * SHARING).max(1);
        let tasks = out.values_mut().chunks_mut(together).zip(streams.chunks_mut(SHARING));
        tasks.for_each(|(out, streams)| self.draw_some(streams, out));
        Ok(())
    }
}
