//! A covariance that is never formed: prior columns on demand, minus the part that answers took.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::AHEAD;
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
    /// Covariances of the prior with items and differences, where they are expensive. Clones share them.
    prior: Arc<Mutex<Known>>,
    /// The covariances with the differences of known answers that come next, where they are expensive.
    ahead: Mutex<Vec<(Functional, Column)>>,
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
            ahead: Mutex::default(),
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
            prior: Arc::new(Mutex::new(Known::new(items))),
            ahead: Mutex::default(),
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
            let column = self.prior_with(Functional::Item(item as u32))?;
            out.iter_mut().zip(others).for_each(|(out, &other)| *out = column[other as usize]);
        }
        self.reduction.subtract_products(&self.reduction.row(item), others, out);
        Ok(())
    }

    /// Whether a difference takes one solve in place of two columns: columns are expensive.
    fn solves_differences(&self) -> bool {
        !self.kernel.has_cheap_entries()
    }

    /// Whether the prior variances are exact.
    pub(super) fn has_exact_diagonal(&self) -> bool {
        self.kernel.has_exact_diagonal()
    }

    /// The covariance of all items with a functional.
    pub(super) fn direction(&self, functional: Functional, out: &mut [f64]) -> Result<()> {
        match functional {
            Functional::Item(item) => self.column(item as usize, out),
            _ if !self.solves_differences() => {
                let mut other = vec![0.0; out.len()];
                for (at, (item, sign)) in functional.terms().enumerate() {
                    if at == 0 {
                        self.column(item as usize, out)?;
                    } else {
                        self.column(item as usize, &mut other)?;
                        add_scaled(out, sign, &other);
                    }
                }
                Ok(())
            }
            _ => {
                let mut ahead = lock(&self.ahead);
                if let Some((_, Column { seen, base, now })) = ahead.iter_mut().find(|(known, _)| *known == functional)
                {
                    self.reduction.catch_up(functional, seen, base, now);
                    out.copy_from_slice(now);
                    return Ok(());
                }
                let mut base = self.prior_with(functional)?.to_vec();
                out.copy_from_slice(&base);
                self.reduction.catch_up(functional, &mut Seen::default(), &mut base, out);
                Ok(())
            }
        }
    }

    /// The prior covariances of all items with a functional, where they are expensive.
    fn prior_with(&self, functional: Functional) -> Result<Arc<[f64]>> {
        Ok(self.prior_along(&[functional])?.swap_remove(0))
    }

    /// The prior covariances of all items with some functionals, where they are expensive. A difference is known whatever is beside it.
    fn prior_along(&self, functionals: &[Functional]) -> Result<Vec<Arc<[f64]>>> {
        let difference = |one: &Functional| match one.pair() {
            Some((first, second)) => Functional::Difference(first.min(second), first.max(second)),
            None => *one,
        };
        let mut found = self.known_along(&functionals.iter().map(difference).collect::<Vec<_>>())?;
        for (column, functional) in found.iter_mut().zip(functionals) {
            if let Functional::Beside(first, second, _) | Functional::OnScreen(first, second, _) = *functional {
                let (mut whole, mut own) = (vec![0.0; column.len()], vec![0.0; column.len()]);
                for (aside, factor) in functional.asides() {
                    self.kernel.column(aside as usize, &mut own)?;
                    add_scaled(&mut whole, factor, &own);
                }
                add_scaled(&mut whole, if first < second { 1.0 } else { -1.0 }, column);
                *column = whole.into();
            }
        }
        Ok(found)
    }

    /// As [`Lazy::prior_along`], of items and differences. Those that are not known are solved together.
    fn known_along(&self, functionals: &[Functional]) -> Result<Vec<Arc<[f64]>>> {
        let mut found: Vec<Option<Arc<[f64]>>> = {
            let mut known = lock(&self.prior);
            functionals.iter().map(|one| known.get(*one)).collect()
        };
        let missing: Vec<Functional> =
            functionals.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(one, _)| *one).collect();
        let mut columns = Matrix::zeros(self.kernel.len(), missing.len());
        self.kernel.along(&missing, &mut columns)?;
        let mut known = lock(&self.prior);
        let open = found.iter_mut().filter(|found| found.is_none());
        for ((open, functional), column) in open.zip(missing).zip(columns.columns_mut()) {
            let column: Arc<[f64]> = (&*column).into();
            known.put(functional, column.clone());
            *open = Some(column);
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// The prior covariances among some functionals.
    pub(super) fn prior_between(&self, functionals: &[Functional]) -> Result<Matrix> {
        if !self.solves_differences() {
            return self.kernel.between(functionals);
        }
        let mut out = Matrix::zeros(functionals.len(), functionals.len());
        for (block, axes) in functionals.chunks(AHEAD).enumerate() {
            for (at, column) in self.prior_along(axes)?.iter().enumerate() {
                let own = out.column_mut(block * AHEAD + at);
                own.iter_mut().zip(functionals).for_each(|(out, functional)| *out = functional.of(column));
            }
        }
        Ok(out)
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
            lock(&self.ahead).clear();
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

    /// Brings the columns that these answers need into use, all at once: prior columns in blocks, and one pass over the part that
    /// answers took. If the covariances with one of their differences are not at hand, those with all that are far ahead are found
    /// together.
    pub(super) fn prepare(&self, functionals: &[Functional], far: &[Functional]) -> Result<()> {
        let is_cheap = self.kernel.has_cheap_entries();
        let is_ahead = |one: &Functional| self.solves_differences() && one.compares();
        let (differences, items): (Vec<Functional>, Vec<Functional>) = functionals.iter().copied().partition(is_ahead);
        let mut far: Vec<Functional> = far.iter().copied().filter(is_ahead).collect();
        far.sort_unstable();
        far.dedup();
        let mut ahead = lock(&self.ahead);
        // The others are behind.
        ahead.retain(|(known, _)| far.binary_search(known).is_ok());
        let known: HashSet<Functional> = ahead.iter().map(|(known, _)| *known).collect();
        if differences.iter().any(|wanted| !known.contains(wanted)) {
            far.retain(|one| !known.contains(one));
            let prior = self.prior_along(&far)?.iter().map(|column| column.to_vec()).collect();
            ahead.extend(far.iter().copied().zip(self.after_panels(&far, prior)));
        }
        let wanted: HashSet<Functional> = differences.into_iter().collect();
        self.catch_up(ahead.iter_mut().filter(|(one, _)| wanted.contains(one)));
        drop(ahead);
        let mut missing = Functional::items_of(&items);
        missing.retain(|&item| lock(&self.kept).get(item).is_none());
        let axes: Vec<Functional> = missing.iter().map(|&item| Functional::Item(item as u32)).collect();
        let prior = if is_cheap {
            let mut columns = Matrix::zeros(self.kernel.len(), missing.len());
            self.kernel.columns(&missing, &mut columns)?;
            columns.columns_mut().map(|column| column.to_vec()).collect()
        } else {
            self.prior_along(&axes)?.iter().map(|column| column.to_vec()).collect()
        };
        let mut kept = lock(&self.kept);
        missing.into_iter().zip(self.after_panels(&axes, prior)).for_each(|(item, column)| kept.put(item, column));
        Ok(())
    }

    /// Prior covariances with these functionals, without the panels of what answers took.
    fn after_panels(&self, axes: &[Functional], mut prior: Vec<Vec<f64>>) -> impl Iterator<Item = Column> {
        self.reduction.subtract_panels(0, axes, &mut prior);
        let seen = self.reduction.seen_panels();
        prior.into_iter().map(move |base| Column { seen, now: base.clone(), base })
    }

    /// Takes the panels off that these columns have not seen, from all columns together that have seen as many.
    fn catch_up<'a>(&self, columns: impl Iterator<Item = &'a mut (Functional, Column)>) {
        let all = self.reduction.seen_panels();
        let mut late: Vec<&mut (Functional, Column)> =
            columns.filter(|(_, column)| column.seen.panels() < all.panels()).collect();
        late.sort_by_key(|(_, column)| column.seen.panels());
        for alike in late.chunk_by_mut(|(_, one), (_, other)| one.seen.panels() == other.seen.panels()) {
            let from = alike[0].1.seen.panels();
            let axes: Vec<Functional> = alike.iter().map(|(axis, _)| *axis).collect();
            let mut bases: Vec<Vec<f64>> =
                alike.iter_mut().map(|(_, column)| std::mem::take(&mut column.base)).collect();
            self.reduction.subtract_panels(from, &axes, &mut bases);
            for ((_, column), base) in alike.iter_mut().zip(bases) {
                column.now.copy_from_slice(&base);
                (column.base, column.seen) = (base, all);
            }
        }
    }

    /// Solves for the prior covariances that an answer about a functional will need, where they are expensive.
    pub(super) fn prefetch(&self, functional: Functional) -> Result<()> {
        if self.solves_differences() {
            self.prior_with(functional)?;
        } else if !self.kernel.has_cheap_entries() {
            self.prior_along(&functional.items().map(Functional::Item).collect::<Vec<_>>())?;
        }
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
                self.prior_with(Functional::Item(item as u32))?.to_vec()
            };
            kept = lock(&self.kept);
            kept.put(item, Column { seen: Seen::default(), now: base.clone(), base });
        }
        if let Some(Column { seen, base, now }) = kept.get(item) {
            self.reduction.catch_up(Functional::Item(item as u32), seen, base, now);
            read(now);
        }
        Ok(())
    }
}

/// Locks the cache. Kept values are right or absent, so a panic elsewhere does not spoil them.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Columns by functional. The least recently used one makes room.
struct Known {
    most: usize,
    clock: u64,
    columns: HashMap<Functional, (u64, Arc<[f64]>)>,
}

impl Known {
    /// At most 2048 columns and a gigabyte, but always those of a block of answers.
    fn new(items: usize) -> Self {
        let most = ((1 << 30) / (8 * items.max(1))).clamp(AHEAD, 2048);
        Self { most, clock: 0, columns: HashMap::new() }
    }

    fn get(&mut self, functional: Functional) -> Option<Arc<[f64]>> {
        self.clock += 1;
        let (used, column) = self.columns.get_mut(&functional)?;
        *used = self.clock;
        Some(column.clone())
    }

    fn put(&mut self, functional: Functional, column: Arc<[f64]>) {
        self.clock += 1;
        if self.columns.len() >= self.most && !self.columns.contains_key(&functional) {
            let oldest = self.columns.iter().min_by_key(|(_, (used, _))| *used).map(|(one, _)| *one);
            oldest.map(|oldest| self.columns.remove(&oldest));
        }
        self.columns.insert(functional, (self.clock, column));
    }
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
        Self::new(items, ((256 << 20) / (16 * items.max(1))).clamp(2 * AHEAD, 1024))
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
