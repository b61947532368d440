//! Asides folded into their items: they take no part in matrices. Those of screens are here, the biases of judges in [`Biases`].
//!
//! An aside of a screen is a standard normal number of which only that screen's comparisons speak. So it can be taken out by itself. Let x be
//! the differences of items that the screen compares, `z = x + C u` with the asides u, and `T`, `ν` its sites on z. Then
//!
//! $$ Q = I + C' T C, \qquad P = T - T C Q^{-1} C' T, \qquad h = ν - T C Q^{-1} C' ν $$
//!
//! are the precision and the shifts that the sites have for x, and given x the asides have the precision Q and the mean `Q⁻¹ C' (ν - T x)`.
//! Nothing is approximated: EP has the same fixed point as with asides among the coordinates. But its matrices have the size of the items,
//! and a screen costs as much as its pairs. The root of the covariance is put together again afterwards, since asides are asked for in draws.

mod biases;

use super::super::parts::Parts;
use super::State;
use crate::gp::{Functional, Observation, Site};
use crate::numeric::dense::{Cholesky, add_scaled, dot, multiply, multiply_sparse, multiply_vector};
use crate::numeric::{Matrix, SparseMatrix};

use biases::Biases;

/// The most that an aside's covariances may differ from those of a standard normal number by itself. Where answers were taken off a
/// belief, rounding leaves this much.
const ROUNDING: f64 = 1e-6;

/// The screens and the judges of a state, and what their sites say.
#[derive(Clone)]
pub(super) struct Folded {
    /// The first coordinates, which are not folded.
    pub kept: usize,
    /// The root of the covariance of these.
    pub root: Matrix,
    biases: Option<Biases>,
    screens: Vec<Screen>,
    /// The first coordinate that is an aside of a screen.
    of_screens: usize,
    /// Whether an observation is about asides that are folded.
    is_folded: Vec<bool>,
}

/// The precision that sites have for the kept coordinates: dense where judges are folded, who compared many items each.
pub(super) enum Precision {
    Sparse(SparseMatrix),
    Dense(Matrix),
}

impl Precision {
    /// Adds so many times this to a matrix.
    pub(super) fn add_to(&self, factor: f64, out: &mut Matrix) {
        match self {
            Self::Dense(matrix) => add_scaled(out.values_mut(), factor, matrix.values()),
            Self::Sparse(matrix) => {
                for row in 0..matrix.rows() {
                    let (columns, values) = matrix.row(row);
                    columns
                        .iter()
                        .zip(values)
                        .for_each(|(&column, value)| out[(row, column as usize)] += factor * value);
                }
            }
        }
    }

    /// `out = left A`.
    pub(super) fn left_times(&self, left: &Matrix, out: &mut Matrix) {
        match self {
            Self::Dense(matrix) => *out = multiply(left, matrix),
            Self::Sparse(matrix) => multiply_sparse(left, matrix, out),
        }
    }

    /// `A x`.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        match self {
            Self::Dense(matrix) => multiply_vector(matrix, x),
            Self::Sparse(matrix) => {
                let mut out = vec![0.0; matrix.rows()];
                matrix.multiply(x, &mut out);
                out
            }
        }
    }
}

/// Comparisons that share asides.
#[derive(Clone)]
struct Screen {
    observations: Vec<usize>,
    /// The differences of items, in terms of coordinates.
    differences: Vec<Functional>,
    asides: Vec<usize>,
    /// `C'`: a column per comparison.
    factors: Matrix,
    /// The factor of Q.
    cholesky: Cholesky,
    /// `Q⁻¹ C' T`: a column per comparison.
    gain: Matrix,
    /// `Q⁻¹ C' ν`.
    shift: Vec<f64>,
}

impl Folded {
    /// The judges and the screens of these observations, if the last coordinates are asides that nothing else speaks of.
    pub(super) fn find(prior: &Matrix, observations: &[Observation], counts: &[u32]) -> Option<Self> {
        let (of_screens, screens) =
            find_screens(prior, observations, counts).unwrap_or_else(|| (prior.rows(), Vec::new()));
        let biases = Biases::find(prior, observations, of_screens);
        let kept = biases.as_ref().map_or(of_screens, Biases::first);
        if kept == prior.rows() {
            return None;
        }
        let about_folded = |one: &Observation| one.functional.asides().any(|(at, _)| at as usize >= kept);
        let is_folded = observations.iter().map(about_folded).collect();
        Some(Self { kept, root: Matrix::zeros(0, 0), biases, screens, of_screens, is_folded })
    }

    /// The rows that a root of the covariance of so many coordinates has beside those of the kept ones.
    pub(super) fn own_rows(&self, size: usize) -> usize {
        self.biases.as_ref().map_or(0, Biases::rows) + size - self.of_screens
    }

    /// Takes the asides out of these sites.
    pub(super) fn fold(&mut self, sites: &[Site], counts: &[f64]) {
        self.screens.iter_mut().for_each(|screen| screen.fold(sites));
        self.biases.iter_mut().for_each(|biases| biases.fold(sites, counts));
    }

    /// The logarithm of the determinants of all Q, each times that of the asides' prior covariance.
    pub(super) fn log_det(&self) -> f64 {
        let screens: f64 = self.screens.iter().map(|screen| screen.cholesky.log_det()).sum();
        screens + self.biases.as_ref().map_or(0.0, Biases::log_det)
    }

    /// The mean of all coordinates, from that of the kept ones.
    pub(super) fn unfolded_mean(&self, mut mean: Vec<f64>, size: usize) -> Vec<f64> {
        mean.resize(size, 0.0);
        for screen in &self.screens {
            let differences: Vec<f64> = screen.differences.iter().map(|one| one.of(&mean)).collect();
            for (place, &aside) in screen.asides.iter().enumerate() {
                let gained: f64 = differences.iter().enumerate().map(|(at, x)| screen.gain[(place, at)] * x).sum();
                mean[aside] = screen.shift[place] - gained;
            }
        }
        self.biases.iter().for_each(|biases| biases.unfold_mean(&mut mean));
        mean
    }

    /// Writes a root of the covariance of all coordinates: that of the kept ones, and below it what asides have of their own.
    pub(super) fn unfold_root(&self, out: &mut Matrix) {
        let rank = self.root.rows();
        out.values_mut().fill(0.0);
        for column in 0..self.kept {
            out.column_mut(column)[..rank].copy_from_slice(self.root.column(column));
        }
        let mut below = rank;
        if let Some(biases) = &self.biases {
            biases.unfold_root(&self.root, rank, out);
            below += biases.rows();
        }
        for screen in &self.screens {
            let along: Vec<Vec<f64>> = screen.differences.iter().map(|one| self.along(*one)).collect();
            let count = screen.asides.len();
            let mut own = Matrix::identity(count);
            screen.cholesky.solve_lower_in_place(&mut own);
            for (place, &aside) in screen.asides.iter().enumerate() {
                let column = out.column_mut(aside);
                for (at, along) in along.iter().enumerate() {
                    add_scaled(&mut column[..rank], -screen.gain[(place, at)], along);
                }
                for (row, &other) in screen.asides.iter().enumerate() {
                    column[below + other - self.of_screens] = own[(row, place)];
                }
            }
        }
    }

    /// The variance of a comparison beside the folded bias of a judge, from the root of the covariance of all coordinates; `None` of other
    /// functionals.
    pub(super) fn variance_beside(&self, functional: Functional, root: &Matrix) -> Option<f64> {
        let Functional::Beside(left, right, aside) = functional else { return None };
        let biases = self.biases.as_ref()?;
        Some(biases.variance_beside(root, self.root.rows(), [left, right, aside].map(|at| at as usize)))
    }

    /// `V d` of a difference of kept coordinates.
    fn along(&self, difference: Functional) -> Vec<f64> {
        let mut along = vec![0.0; self.root.rows()];
        difference.terms().for_each(|(axis, sign)| add_scaled(&mut along, sign, self.root.column(axis as usize)));
        along
    }
}

/// The screens of these observations and the first of their asides, if the last coordinates are asides that nothing else speaks of.
fn find_screens(prior: &Matrix, observations: &[Observation], counts: &[u32]) -> Option<(usize, Vec<Screen>)> {
    let size = prior.rows();
    let asides = |one: &Observation| one.functional.asides().map(|(at, _)| at as usize).collect::<Vec<_>>();
    let of_screens = || observations.iter().filter(|one| one.is_on_screen());
    let kept = of_screens().flat_map(asides).min()?;
    let is_plain = |one: &Observation| one.functional.items().all(|at| (at as usize) < kept);
    let folds = observations.iter().zip(counts).all(|(one, &count)| match one.is_on_screen() {
        true => count == 1 && one.functional.pair().is_some_and(|(first, second)| (first.max(second) as usize) < kept),
        false => is_plain(one),
    });
    let is_standard = |column: usize| {
        let own = prior.column(column);
        (0..size).all(|row| (own[row] - f64::from(u8::from(row == column))).abs() <= ROUNDING)
    };
    if !folds || !(kept..size).all(is_standard) {
        return None;
    }
    let mut parts = Parts::apart(size);
    of_screens().for_each(|one| asides(one).windows(2).for_each(|pair| parts.join(pair[0], pair[1])));
    let mut number = vec![usize::MAX; size];
    let mut screens: Vec<Screen> = Vec::new();
    for aside in kept..size {
        let part = parts.of(aside);
        if number[part] == usize::MAX {
            number[part] = screens.len();
            screens.push(Screen::empty());
        }
        screens[number[part]].asides.push(aside);
    }
    for (at, one) in observations.iter().enumerate().filter(|(_, one)| one.is_on_screen()) {
        if let (Some((first, second)), Some(&aside)) = (one.functional.pair(), asides(one).first()) {
            let screen = &mut screens[number[parts.of(aside)]];
            screen.observations.push(at);
            screen.differences.push(Functional::Difference(first, second));
        }
    }
    screens.iter_mut().for_each(|screen| screen.read_factors(observations));
    Some((kept, screens))
}

impl Screen {
    fn empty() -> Self {
        let nothing = || Matrix::zeros(0, 0);
        let (observations, differences, asides, shift) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (factors, gain, cholesky) = (nothing(), nothing(), Cholesky::identity(0));
        Self { observations, differences, asides, factors, cholesky, gain, shift }
    }

    fn read_factors(&mut self, observations: &[Observation]) {
        let mut factors = Matrix::zeros(self.asides.len(), self.observations.len());
        for (at, &place) in self.observations.iter().enumerate() {
            for (aside, factor) in observations[place].functional.asides() {
                let row = self.asides.partition_point(|&own| own < aside as usize);
                factors[(row, at)] = factor;
            }
        }
        self.factors = factors;
    }

    fn fold(&mut self, sites: &[Site]) {
        let own: Vec<Site> = self.observations.iter().map(|&at| sites[at]).collect();
        let size = self.asides.len();
        let mut gain = self.factors.clone();
        let mut shift = Matrix::zeros(size, 1);
        let mut inner = Matrix::identity(size);
        for (at, site) in own.iter().enumerate() {
            let factors = self.factors.column(at);
            add_scaled(shift.values_mut(), site.shift, factors);
            gain.column_mut(at).iter_mut().for_each(|value| *value *= site.precision);
            for (column, &factor) in factors.iter().enumerate() {
                add_scaled(inner.column_mut(column), factor * site.precision, factors);
            }
        }
        // Its eigenvalues are at least 1, as precisions are not negative. One that is not finite makes no factor; then what follows is no
        // number, and EP stops with its error.
        let Ok(cholesky) = Cholesky::factor(inner) else {
            gain.values_mut().fill(f64::NAN);
            (self.gain, self.shift) = (gain, vec![f64::NAN; size]);
            return;
        };
        self.cholesky = cholesky;
        self.cholesky.solve_in_place(&mut gain);
        self.cholesky.solve_in_place(&mut shift);
        (self.gain, self.shift) = (gain, shift.values().to_vec());
    }

    /// P, among the comparisons.
    fn precision(&self, sites: &[Site], row: usize, column: usize) -> f64 {
        let tau = |at: usize| sites[self.observations[at]].precision;
        let taken = tau(row) * dot(self.factors.column(row), self.gain.column(column));
        if row == column { tau(row) - taken } else { -taken }
    }

    /// h, of a comparison.
    fn shift_of(&self, sites: &[Site], at: usize) -> f64 {
        let Site { precision, shift } = sites[self.observations[at]];
        shift - precision * dot(self.factors.column(at), &self.shift)
    }
}

impl State {
    /// The precision that the sites have for the coordinates that are kept.
    pub(super) fn kept_precision(&self) -> Precision {
        let Some(folded) = &self.folded else { return Precision::Sparse(self.precision()) };
        let mut entries = self.precision_entries(|at| !folded.is_folded[at]);
        for screen in &folded.screens {
            for (column, one) in screen.differences.iter().enumerate() {
                for (row, other) in screen.differences.iter().enumerate() {
                    let value = screen.precision(&self.sites, row, column);
                    for (at, sign) in one.terms() {
                        entries.extend(other.terms().map(|(other, factor)| (other, at, factor * sign * value)));
                    }
                }
            }
        }
        let Some(biases) = &folded.biases else {
            let sparse = SparseMatrix::from_entries(folded.kept, folded.kept, &entries);
            return Precision::Sparse(sparse.unwrap_or_else(|_| unreachable!("functionals speak of coordinates")));
        };
        let mut dense = Matrix::zeros(folded.kept, folded.kept);
        entries.into_iter().for_each(|(row, column, value)| dense[(row as usize, column as usize)] += value);
        biases.add_precision(&self.sites, &self.counts, &mut dense);
        Precision::Dense(dense)
    }

    /// The shifts that the sites have for the coordinates that are kept.
    pub(super) fn kept_shifts(&self) -> Vec<f64> {
        let Some(folded) = &self.folded else { return self.shifts() };
        let mut out = vec![0.0; folded.kept];
        for (at, ((observation, site), count)) in
            self.observations.iter().zip(&self.sites).zip(&self.counts).enumerate()
        {
            if !folded.is_folded[at] {
                observation.functional.spread(count * site.shift, &mut out);
            }
        }
        for screen in &folded.screens {
            for (at, one) in screen.differences.iter().enumerate() {
                one.spread(screen.shift_of(&self.sites, at), &mut out);
            }
        }
        folded.biases.iter().for_each(|biases| biases.add_shifts(&self.sites, &self.counts, &mut out));
        out
    }
}
