//! The part of a covariance that answers took.

use std::sync::Arc;

use multiversion::multiversion;
use rayon::prelude::*;

use crate::data::Functional;
use crate::numeric::Matrix;
use crate::numeric::dense::{add_scaled, dot, multiply};

/// Columns of `S` that are packed together.
const PANEL: usize = 16;

/// Items per task. Fixed, so that the work does not depend on the number of threads.
const ITEMS: usize = 1 << 12;

/// Passes over fewer numbers than this (about 0.1 ms) stay on the caller's thread.
const SHARED_PASS: usize = 1 << 19;

/// Fewer columns than this are not worth compacting.
const LEAST_TO_COMPACT: usize = 64;

/// `S S'`. Every answer adds a column to `S`. The covariance is the prior minus `S S'`.
///
/// Columns are packed in panels. Within a panel the numbers of an item stand together, so a row of the covariance and a
/// single entry both read whole cache lines. An entry is always summed in the same order: panel by panel, each by
/// [`panel_product`], then the latest columns one by one. So it has the same bits alone, in a column, and in a kept
/// column that is brought up to date. Clones share the columns.
#[derive(Clone)]
pub(super) struct Reduction {
    items: usize,
    panels: Vec<Arc<[f64]>>,
    /// The latest columns, fewer than a panel.
    recent: Vec<Arc<[f64]>>,
}

/// How many panels and columns a kept column has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Seen {
    panels: usize,
    recent: usize,
}

impl Seen {
    /// The number of panels.
    pub(super) fn panels(self) -> usize {
        self.panels
    }
}

impl Reduction {
    pub(super) fn new(items: usize) -> Self {
        Self { items, panels: Vec::new(), recent: Vec::new() }
    }

    /// The number of columns of `S`.
    pub(super) fn rank(&self) -> usize {
        self.panels.len() * PANEL + self.recent.len()
    }

    /// Adds a column.
    pub(super) fn push(&mut self, column: Vec<f64>) {
        self.recent.push(column.into());
        if self.recent.len() == PANEL {
            let mut panel = vec![0.0; self.items * PANEL];
            let write = |(block, panel): (usize, &mut [f64])| {
                for (lane, column) in self.recent.iter().enumerate() {
                    let column = &column[block * ITEMS..];
                    panel[lane..].iter_mut().step_by(PANEL).zip(column).for_each(|(out, value)| *out = *value);
                }
            };
            if panel.len() < SHARED_PASS {
                panel.chunks_mut(ITEMS * PANEL).enumerate().for_each(write);
            } else {
                panel.par_chunks_mut(ITEMS * PANEL).enumerate().for_each(write);
            }
            self.panels.push(panel.into());
            self.recent.clear();
        }
    }

    /// An item's row of `S`.
    pub(super) fn row(&self, item: usize) -> Vec<f64> {
        let packed = self.panels.iter().flat_map(|panel| &panel[item * PANEL..(item + 1) * PANEL]);
        packed.copied().chain(self.recent.iter().map(|column| column[item])).collect()
    }

    /// Subtracts the products of a row of `S` with some items' rows from the items' entries.
    pub(super) fn subtract_products(&self, row: &[f64], others: &[u32], out: &mut [f64]) {
        let (packed, recent) = row.split_at(self.panels.len() * PANEL);
        for (out, &other) in out.iter_mut().zip(others) {
            let other = other as usize;
            for (panel, row) in self.panels.iter().zip(packed.as_chunks::<PANEL>().0) {
                *out -= panel_product(row, &panel[other * PANEL..(other + 1) * PANEL]);
            }
            for (column, factor) in self.recent.iter().zip(recent) {
                *out -= factor * column[other];
            }
        }
    }

    /// Brings the covariances with a functional up to date. `base` is the column after the panels, `now` the column after the
    /// latest columns too. `n` operations per column that it has not seen.
    pub(super) fn catch_up(&self, axis: Functional, seen: &mut Seen, base: &mut [f64], now: &mut [f64]) {
        if seen.panels < self.panels.len() {
            let work = |(block, base): (usize, &mut [f64])| {
                for panel in &self.panels[seen.panels..] {
                    subtract_panel(&panel_row(panel, axis), &panel[block * ITEMS * PANEL..], base);
                }
            };
            if base.len() * PANEL * (self.panels.len() - seen.panels) < SHARED_PASS {
                base.chunks_mut(ITEMS).enumerate().for_each(work);
            } else {
                base.par_chunks_mut(ITEMS).enumerate().for_each(work);
            }
            now.copy_from_slice(base);
            *seen = Seen { panels: self.panels.len(), recent: 0 };
        }
        let recent = &self.recent[seen.recent..];
        let work = |(block, now): (usize, &mut [f64])| {
            for column in recent {
                add_scaled(now, -axis.of(column), &column[block * ITEMS..]);
            }
        };
        if now.len() * recent.len() < SHARED_PASS {
            now.chunks_mut(ITEMS).enumerate().for_each(work);
        } else {
            now.par_chunks_mut(ITEMS).enumerate().for_each(work);
        }
        seen.recent = self.recent.len();
    }

    /// Subtracts all panels from number `from` on from the covariances with some functionals at once, to the bit as
    /// [`Reduction::catch_up`] does from one: the panels are read once.
    pub(super) fn subtract_panels(&self, from: usize, axes: &[Functional], columns: &mut [Vec<f64>]) {
        if axes.is_empty() {
            return;
        }
        // Rows of eight columns side by side; rows of columns that are not there are 0.
        let side_by_side = |panel: &Arc<[f64]>| -> Vec<[Side; PANEL]> {
            let eight = |axes: &[Functional]| {
                let rows: Vec<[f64; PANEL]> = axes.iter().map(|&axis| panel_row(panel, axis)).collect();
                std::array::from_fn(|lane| std::array::from_fn(|column| rows.get(column).map_or(0.0, |row| row[lane])))
            };
            axes.chunks(SIDES).map(eight).collect()
        };
        let panels = &self.panels[from..];
        let rows: Vec<Vec<[Side; PANEL]>> = panels.iter().map(side_by_side).collect();
        let mut blocks: Vec<Vec<&mut [f64]>> = (0..self.items.div_ceil(TILE)).map(|_| Vec::new()).collect();
        for column in columns {
            column.chunks_mut(TILE).zip(&mut blocks).for_each(|(part, block)| block.push(part));
        }
        let width = axes.len().div_ceil(SIDES);
        let work = |tile: &mut Vec<Side>, (block, mut columns): (usize, Vec<&mut [f64]>)| {
            let count = columns.first().map_or(0, |column| column.len());
            tile.clear();
            tile.resize(count * width, [0.0; SIDES]);
            for (at, column) in columns.iter().enumerate() {
                let sides = &mut tile[at / SIDES * count..][..count];
                sides.iter_mut().zip(column.iter()).for_each(|(sides, value)| sides[at % SIDES] = *value);
            }
            for (panel, rows) in panels.iter().zip(&rows) {
                subtract_tile(&panel[block * TILE * PANEL..][..count * PANEL], rows, tile);
            }
            for (at, column) in columns.iter_mut().enumerate() {
                let sides = &tile[at / SIDES * count..][..count];
                column.iter_mut().zip(sides).for_each(|(value, sides)| *value = sides[at % SIDES]);
            }
        };
        blocks.into_par_iter().enumerate().for_each_init(Vec::new, work);
    }

    /// What a column that has all panels has seen.
    pub(super) fn seen_panels(&self) -> Seen {
        Seen { panels: self.panels.len(), recent: 0 }
    }

    /// `S_items S_items'`.
    pub(super) fn among(&self, items: &[usize]) -> Matrix {
        let rows: Vec<Vec<f64>> = items.iter().map(|&item| self.row(item)).collect();
        let by_item = Matrix::from_fn(self.rank(), items.len(), |column, item| rows[item][column]);
        let by_column = Matrix::from_fn(items.len(), self.rank(), |item, column| rows[item][column]);
        multiply(&by_column, &by_item)
    }

    /// Whether answers about this many items have left more columns than are needed.
    pub(super) fn is_loose(&self, observed: usize) -> bool {
        self.rank() >= LEAST_TO_COMPACT.max(2 * observed + PANEL)
    }

    /// Rewrites `S S'` with at most as many columns as items were ever observed.
    ///
    /// Every column of `S` is a combination of these items' prior columns, so the rows of `S` lie in the span of the
    /// observed items' rows. With an orthonormal basis Q of that span, `S S' = (S Q) (S Q)'`: a rotation, which loses
    /// nothing. `n` times both ranks.
    pub(super) fn compact(&mut self, observed: &[usize]) {
        let basis = orthonormal(observed.iter().map(|&item| self.row(item)).collect());
        let rotate = Matrix::from_fn(basis.len(), self.rank(), |row, column| basis[row][column]);
        let mut columns = vec![Vec::with_capacity(self.items); basis.len()];
        for first in (0..self.items).step_by(ITEMS) {
            let rows: Vec<Vec<f64>> =
                (first..(first + ITEMS).min(self.items)).into_par_iter().map(|item| self.row(item)).collect();
            let block = Matrix::from_fn(self.rank(), rows.len(), |column, item| rows[item][column]);
            let turned = multiply(&rotate, &block);
            for (number, column) in columns.iter_mut().enumerate() {
                column.extend((0..rows.len()).map(|item| turned[(number, item)]));
            }
        }
        self.panels.clear();
        self.recent.clear();
        columns.into_iter().for_each(|column| self.push(column));
    }
}

/// An orthonormal basis of the span of some rows, by Gram-Schmidt applied twice, which is enough (Giraud, Langou,
/// Rozložník 2005). Rows that others explain up to rounding are left out.
fn orthonormal(rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut row in rows {
        let before = dot(&row, &row).sqrt();
        for _ in 0..2 {
            for unit in &basis {
                let along = dot(unit, &row);
                add_scaled(&mut row, -along, unit);
            }
        }
        let left = dot(&row, &row).sqrt();
        if left > 1e-14 * before {
            row.iter_mut().for_each(|value| *value /= left);
            basis.push(row);
        }
    }
    basis
}

/// A functional's numbers in a panel.
fn panel_row(panel: &[f64], axis: Functional) -> [f64; PANEL] {
    let at = |item: u32, lane: usize| panel[item as usize * PANEL + lane];
    match axis {
        Functional::Item(item) => std::array::from_fn(|lane| at(item, lane)),
        Functional::Difference(first, second) => std::array::from_fn(|lane| at(first, lane) - at(second, lane)),
        Functional::Beside(first, second, aside) => {
            std::array::from_fn(|lane| at(first, lane) - at(second, lane) + at(aside, lane))
        }
        Functional::OnScreen(..) => {
            std::array::from_fn(|lane| axis.terms().map(|(item, factor)| factor * at(item, lane)).sum())
        }
    }
}

/// The product of two items' numbers in a panel, summed in a fixed order.
#[inline(always)]
fn panel_product(left: &[f64; PANEL], right: &[f64]) -> f64 {
    let mut products = [0.0; PANEL];
    for lane in 0..PANEL {
        products[lane] = left[lane] * right[lane];
    }
    let mut width = PANEL;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            products[lane] += products[lane + width];
        }
    }
    products[0]
}

/// Columns that are brought up to date side by side.
const SIDES: usize = 8;

type Side = [f64; SIDES];

/// Items that are brought up to date together: their numbers in a panel fit the nearest cache, and their columns the next.
const TILE: usize = 64;

/// `out_j -= row · panel_j` for every item and every row, each summed as [`panel_product`] does, eight rows side by side. `out`
/// holds the items of the first eight rows, then those of the next eight.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn subtract_tile(panel: &[f64], rows: &[[Side; PANEL]], out: &mut [Side]) {
    let items = panel.as_chunks::<PANEL>().0;
    for (rows, out) in rows.iter().zip(out.chunks_exact_mut(items.len())) {
        // A copy, which stays in registers.
        let rows = *rows;
        for (item, out) in items.iter().zip(out) {
            // Opaque, so that each item is vectorised by itself. Across items the compiler would gather.
            let item = std::hint::black_box(item);
            // In plain calls: what a closure does inside another function is not compiled for this one's registers.
            let fours = [four(0, item, &rows), four(1, item, &rows), four(2, item, &rows), four(3, item, &rows)];
            let sum = add(&add(&fours[0], &fours[2]), &add(&fours[1], &fours[3]));
            for side in 0..SIDES {
                out[side] -= sum[side];
            }
        }
    }
}

/// The sum of every fourth product from this lane on.
#[inline(always)]
fn four(lane: usize, item: &[f64; PANEL], rows: &[Side; PANEL]) -> Side {
    add(&pair(lane, item, rows), &pair(lane + 4, item, rows))
}

#[inline(always)]
fn pair(lane: usize, item: &[f64; PANEL], rows: &[Side; PANEL]) -> Side {
    let mut out = [0.0; SIDES];
    for side in 0..SIDES {
        out[side] = item[lane] * rows[lane][side] + item[lane + 8] * rows[lane + 8][side];
    }
    out
}

#[inline(always)]
fn add(one: &Side, other: &Side) -> Side {
    let mut out = [0.0; SIDES];
    for side in 0..SIDES {
        out[side] = one[side] + other[side];
    }
    out
}

/// `out_j -= row · panel_j` for the items from the start of the panel.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn subtract_panel(row: &[f64; PANEL], panel: &[f64], out: &mut [f64]) {
    for (out, panel) in out.iter_mut().zip(panel.as_chunks::<PANEL>().0) {
        // Opaque, so that each product is vectorised by itself. Across items the compiler would gather, which is three
        // times slower.
        *out -= std::hint::black_box(panel_product(row, panel));
    }
}
