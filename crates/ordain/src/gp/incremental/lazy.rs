//! A covariance that is never formed: prior columns on demand, minus the part that answers took.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::TOGETHER;
use super::reduction::{Reduction, Seen};
use crate::Result;
use crate::gp::Functional;
use crate::kernel::Kernel;
use crate::numeric::Matrix;
use crate::numeric::dense::add_scaled;

/// `K - S S'`. After t answers about b different items it takes memory `n min(t, 2 b)`, and as many operations for a
/// column that was not in use. A column in use costs `n` per answer. Columns of kernels without cheap entries are kept
/// as long as they fit.
///
/// The cache decides how long a call takes, never a bit of its result.
pub(super) struct Lazy {
    kernel: Arc<dyn Kernel>,
    reduction: Reduction,
    /// The items of all observations so far.
    observed: BTreeSet<usize>,
    /// Columns in use.
    kept: Mutex<Kept<Column>>,
    /// Columns of the prior, where they are expensive. Clones share them.
    prior: Arc<Mutex<Kept<Arc<[f64]>>>>,
}

/// A column in use.
struct Column {
    seen: Seen,
    base: Vec<f64>,
    now: Vec<f64>,
}

impl Clone for Lazy {
    /// Shares everything that does not change; columns in use are not cloned.
    fn clone(&self) -> Self {
        Self {
            kernel: self.kernel.clone(),
            reduction: self.reduction.clone(),
            observed: self.observed.clone(),
            kept: Mutex::new(Kept::columns(self.kernel.len())),
            prior: self.prior.clone(),
        }
    }
}

impl Lazy {
    pub(super) fn new(kernel: Arc<dyn Kernel>) -> Self {
        let items = kernel.len();
        Self {
            kernel,
            reduction: Reduction::new(items),
            observed: BTreeSet::new(),
            kept: Mutex::new(Kept::columns(items)),
            prior: Arc::new(Mutex::new(Kept::prior(items))),
        }
    }

    /// The same before any observation. It shares the columns of the prior.
    pub(super) fn unlearned(&self) -> Self {
        Self { prior: self.prior.clone(), ..Self::new(self.kernel.clone()) }
    }

    /// The kernel.
    pub(super) fn kernel(&self) -> &Arc<dyn Kernel> {
        &self.kernel
    }

    /// The number of rank-one terms.
    pub(super) fn rank(&self) -> usize {
        self.reduction.rank()
    }

    /// The covariance of one item with all, written to `out`.
    pub(super) fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        self.with_column(item, |now| out.copy_from_slice(now))
    }

    /// The covariances of an item with others.
    pub(super) fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        if lock(&self.kept).is_wanted(item, others.len()) {
            return self.with_column(item, |now| {
                out.iter_mut().zip(others).for_each(|(out, &other)| *out = now[other as usize]);
            });
        }
        if self.kernel.has_cheap_entries() {
            self.kernel.entries(item, others, out)?;
        } else {
            let column = self.prior_column(item)?;
            out.iter_mut().zip(others).for_each(|(out, &other)| *out = column[other as usize]);
        }
        self.reduction.subtract_products(&self.reduction.row(item), others, out);
        Ok(())
    }

    /// The covariance of all items with a functional.
    pub(super) fn direction(&self, functional: Functional, out: &mut [f64]) -> Result<()> {
        match functional {
            Functional::Item(item) => self.column(item as usize, out),
            Functional::Difference(first, second) => {
                let mut other = vec![0.0; out.len()];
                self.prefetch(&[first as usize, second as usize])?;
                self.column(first as usize, out)?;
                self.column(second as usize, &mut other)?;
                add_scaled(out, -1.0, &other);
                Ok(())
            }
        }
    }

    /// Subtracts an answer's scaled direction from the covariance.
    pub(super) fn take_off(&mut self, functional: Functional, direction: Vec<f64>) {
        self.observed.extend(functional.items().map(|item| item as usize));
        self.reduction.push(direction);
        if self.reduction.is_loose(self.observed.len()) {
            let observed: Vec<usize> = self.observed.iter().copied().collect();
            self.reduction.compact(&observed);
            // Kept columns have the bits of the old columns.
            lock(&self.kept).clear();
        }
        lock(&self.kept).cool();
    }

    /// `S_i · S_j`. The covariance is the prior covariance minus this.
    pub(super) fn taken(&self, item: usize, others: &[u32], out: &mut [f64]) {
        out.fill(0.0);
        self.reduction.subtract_products(&self.reduction.row(item), others, out);
        out.iter_mut().for_each(|out| *out = -*out);
    }

    pub(super) fn has_cheap_entries(&self) -> bool {
        self.kernel.has_cheap_entries()
    }

    pub(super) fn floor(&self) -> f64 {
        self.kernel.floor()
    }

    /// The joint covariance of some items.
    pub(super) fn among(&self, items: &[usize]) -> Result<Matrix> {
        let mut out = self.kernel.among(items)?;
        add_scaled(out.values_mut(), -1.0, self.reduction.among(items).values());
        Ok(out)
    }

    /// Brings the columns of these items into use, all at once: prior columns in blocks, and one pass over the part that answers took.
    pub(super) fn prepare(&self, items: &[usize]) -> Result<()> {
        let mut kept = lock(&self.kept);
        let missing: Vec<usize> = items.iter().copied().filter(|&item| kept.get(item).is_none()).collect();
        drop(kept);
        if missing.is_empty() {
            return Ok(());
        }
        let mut columns = Matrix::zeros(self.kernel.len(), missing.len());
        self.kernel.columns(&missing, &mut columns)?;
        let mut columns: Vec<Vec<f64>> = columns.columns_mut().map(|column| column.to_vec()).collect();
        if !self.kernel.has_cheap_entries() {
            let mut prior = lock(&self.prior);
            missing.iter().zip(&columns).for_each(|(&item, column)| prior.put(item, column.as_slice().into()));
        }
        self.reduction.subtract_panels(&missing, &mut columns);
        let mut kept = lock(&self.kept);
        for (&item, base) in missing.iter().zip(columns) {
            kept.put(item, Column { seen: self.reduction.seen_panels(), now: base.clone(), base });
        }
        Ok(())
    }

    /// Solves for prior columns that will be needed, where columns are expensive.
    pub(super) fn prefetch(&self, items: &[usize]) -> Result<()> {
        if self.kernel.has_cheap_entries() {
            return Ok(());
        }
        let missing: Vec<usize> = items.iter().copied().filter(|&item| lock(&self.prior).get(item).is_none()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut columns = Matrix::zeros(self.kernel.len(), missing.len());
        self.kernel.columns(&missing, &mut columns)?;
        let mut prior = lock(&self.prior);
        missing.into_iter().zip(columns.columns_mut()).for_each(|(item, column)| prior.put(item, (&*column).into()));
        Ok(())
    }

    /// Reads a column and marks it as in use.
    pub(super) fn with_column(&self, item: usize, read: impl FnOnce(&[f64])) -> Result<()> {
        let mut kept = lock(&self.kept);
        if kept.get(item).is_none() {
            // Solving may take long. Others may read meanwhile.
            drop(kept);
            let base = if self.kernel.has_cheap_entries() {
                let mut base = vec![0.0; self.kernel.len()];
                self.kernel.column(item, &mut base)?;
                base
            } else {
                self.prior_column(item)?.to_vec()
            };
            kept = lock(&self.kept);
            kept.put(item, Column { seen: Seen::default(), now: base.clone(), base });
        }
        if let Some(Column { seen, base, now }) = kept.get(item) {
            self.reduction.catch_up(item, seen, base, now);
            read(now);
        }
        Ok(())
    }

    /// An expensive column of the prior.
    fn prior_column(&self, item: usize) -> Result<Arc<[f64]>> {
        if let Some(column) = lock(&self.prior).get(item) {
            return Ok(column.clone());
        }
        let mut column = vec![0.0; self.kernel.len()];
        self.kernel.column(item, &mut column)?;
        let column: Arc<[f64]> = column.into();
        lock(&self.prior).put(item, column.clone());
        Ok(column)
    }
}

/// Locks the cache. Kept values are right or absent, so a panic elsewhere does not spoil them.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Columns by item. The least recently used one makes room.
struct Kept<T> {
    most: usize,
    clock: u64,
    /// The position of an item's column, from 1; 0 if it is not kept.
    places: Vec<u32>,
    columns: Vec<(usize, u64, T)>,
    /// How many entries of columns that are not kept were asked for since the latest answer, with the number of that
    /// answer.
    asked: Vec<(u32, u32)>,
    answers: u32,
}

impl Kept<Column> {
    /// At most 1024 columns and 256 megabytes, but always those of a block of answers.
    fn columns(items: usize) -> Self {
        Self::new(items, ((256 << 20) / (16 * items.max(1))).clamp(2 * TOGETHER, 1024))
    }
}

impl Kept<Arc<[f64]>> {
    /// At most 1024 columns and a gigabyte, but always sixteen columns.
    fn prior(items: usize) -> Self {
        Self::new(items, ((1 << 30) / (8 * items.max(1))).clamp(16, 1024))
    }
}

impl<T> Kept<T> {
    fn new(items: usize, most: usize) -> Self {
        let (places, asked) = (vec![0; items], vec![(0, 0); items]);
        Self { most, clock: 0, places, columns: Vec::new(), asked, answers: 0 }
    }

    /// Whether a column is kept, or so many of its entries were asked for that it should be kept.
    fn is_wanted(&mut self, item: usize, entries: usize) -> bool {
        if self.places[item] > 0 {
            return true;
        }
        let (count, answers) = &mut self.asked[item];
        if *answers != self.answers {
            (*count, *answers) = (0, self.answers);
        }
        *count = count.saturating_add(entries as u32);
        4 * *count as usize > self.places.len()
    }

    fn get(&mut self, item: usize) -> Option<&mut T> {
        self.clock += 1;
        let place = (self.places[item] as usize).checked_sub(1)?;
        let (_, used, column) = &mut self.columns[place];
        *used = self.clock;
        Some(column)
    }

    fn put(&mut self, item: usize, column: T) {
        self.clock += 1;
        let entry = (item, self.clock, column);
        let place = match (self.places[item] as usize).checked_sub(1) {
            Some(place) => place,
            None if self.columns.len() < self.most => self.columns.len(),
            None => {
                let oldest = self.columns.iter().enumerate().min_by_key(|(_, (_, used, _))| *used);
                oldest.map_or(0, |(place, _)| place)
            }
        };
        match self.columns.get_mut(place) {
            Some(before) => {
                self.places[before.0] = 0;
                *before = entry;
            }
            None => self.columns.push(entry),
        }
        self.places[item] = place as u32 + 1;
    }

    fn clear(&mut self) {
        self.columns.clear();
        self.places.fill(0);
    }

    /// Notes that another answer has come.
    fn cool(&mut self) {
        self.answers = self.answers.wrapping_add(1);
    }
}
