//! What an observation, or a column of a kernel, is about.

/// A sparse linear functional of the utilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Functional {
    /// One item's utility.
    Item(u32),
    /// The first item's utility minus the second's.
    Difference(u32, u32),
}

impl Functional {
    /// The value for these utilities.
    #[inline]
    pub fn of(self, utilities: &[f64]) -> f64 {
        match self {
            Self::Item(item) => utilities[item as usize],
            Self::Difference(first, second) => utilities[first as usize] - utilities[second as usize],
        }
    }

    /// Adds `factor` times the functional's coefficients to a vector: `D' factor`.
    #[inline]
    pub fn spread(self, factor: f64, onto: &mut [f64]) {
        match self {
            Self::Item(item) => onto[item as usize] += factor,
            Self::Difference(first, second) => {
                onto[first as usize] += factor;
                onto[second as usize] -= factor;
            }
        }
    }

    /// The items that the functional touches.
    pub fn items(self) -> impl Iterator<Item = u32> {
        let (first, second) = match self {
            Self::Item(item) => (item, None),
            Self::Difference(first, second) => (first, Some(second)),
        };
        std::iter::once(first).chain(second)
    }

    /// The items that some functionals touch, ascending.
    pub fn items_of(functionals: &[Self]) -> Vec<usize> {
        let mut items: Vec<usize> = functionals.iter().flat_map(|one| one.items()).map(|item| item as usize).collect();
        items.sort_unstable();
        items.dedup();
        items
    }

    /// The same functional of other items.
    pub(crate) fn of_others(self, other: impl Fn(u32) -> u32) -> Self {
        match self {
            Self::Item(item) => Self::Item(other(item)),
            Self::Difference(first, second) => Self::Difference(other(first), other(second)),
        }
    }

    /// Functionals of these items, ascending, with positions among them in place of the items.
    pub(crate) fn in_terms_of(items: &[usize], functionals: &[Self]) -> Vec<Self> {
        let at = |item: u32| items.partition_point(|&other| other < item as usize) as u32;
        functionals.iter().map(|one| one.of_others(at)).collect()
    }

    /// This functional in terms of coordinates, ascending: one of them is this functional, or its items are all among them.
    pub(crate) fn within(self, basis: &[Self]) -> Self {
        let at = |axis: Self| basis.partition_point(|other| *other < axis) as u32;
        let position = at(self);
        match basis.get(position as usize) {
            Some(axis) if *axis == self => Self::Item(position),
            _ => self.of_others(|item| {
                let position = at(Self::Item(item));
                debug_assert_eq!(basis.get(position as usize), Some(&Self::Item(item)));
                position
            }),
        }
    }
}
