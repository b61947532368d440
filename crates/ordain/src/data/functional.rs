//! What an observation, or a column of a kernel, is about.

/// A sparse linear functional of the utilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Functional {
    /// One item's utility.
    Item(u32),
    /// The first item's utility minus the second's.
    Difference(u32, u32),
    /// The first item's utility minus the second's, plus a coordinate beside the items (an aside), such as a judge's bias towards the
    /// side on which the first item was shown. The first item is the one that an aside speaks for, so items are not reordered.
    Beside(u32, u32, u32),
    /// The first item's utility minus the second's, plus a share of the noise that comparisons on one screen have in common.
    OnScreen(u32, u32, Shared),
}

/// Noise that comparisons share: one or two coordinates beside the items, each with its factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shared {
    /// The second is the first again if there is but one.
    asides: [u32; 2],
    /// The bits of the factors.
    factors: [u64; 2],
}

impl Shared {
    /// These coordinates with these factors. A factor of 0 leaves its coordinate out.
    pub(crate) fn new(asides: [u32; 2], factors: [f64; 2]) -> Self {
        Self { asides, factors: factors.map(f64::to_bits) }
    }

    /// The coordinates and their factors.
    fn terms(self) -> [Option<(u32, f64)>; 2] {
        let term = |at: usize| (self.asides[at], f64::from_bits(self.factors[at]));
        [0, 1].map(|at| Some(term(at)).filter(|(_, factor)| *factor != 0.0))
    }

    /// The same with all factors times this.
    fn times(self, scale: f64) -> Self {
        Self { factors: self.factors.map(|bits| (scale * f64::from_bits(bits)).to_bits()), ..self }
    }
}

impl Functional {
    /// The value for these utilities.
    #[inline]
    pub fn of(self, utilities: &[f64]) -> f64 {
        match self {
            Self::Item(item) => utilities[item as usize],
            Self::Difference(first, second) => utilities[first as usize] - utilities[second as usize],
            Self::Beside(first, second, aside) => {
                utilities[first as usize] - utilities[second as usize] + utilities[aside as usize]
            }
            Self::OnScreen(first, second, shared) => {
                let noise = shared.terms().into_iter().flatten().map(|(at, factor)| factor * utilities[at as usize]);
                utilities[first as usize] - utilities[second as usize] + noise.sum::<f64>()
            }
        }
    }

    /// The coordinates that the functional touches, each with its coefficient.
    #[inline]
    pub fn terms(self) -> impl Iterator<Item = (u32, f64)> {
        let (first, others) = match self {
            Self::Item(item) => (item, [None, None, None]),
            Self::Difference(first, second) => (first, [Some((second, -1.0)), None, None]),
            Self::Beside(first, second, aside) => (first, [Some((second, -1.0)), Some((aside, 1.0)), None]),
            Self::OnScreen(first, second, shared) => {
                let [one, other] = shared.terms();
                (first, [Some((second, -1.0)), one, other])
            }
        };
        std::iter::once((first, 1.0)).chain(others.into_iter().flatten())
    }

    /// The variance, if these are the covariances of coordinates.
    pub(crate) fn variance(self, covariance: impl Fn(usize, usize) -> f64) -> f64 {
        let at = |coordinate: u32| coordinate as usize;
        match self {
            Self::Item(item) => covariance(at(item), at(item)),
            Self::Difference(first, second) => {
                let (first, second) = (at(first), at(second));
                covariance(first, first) + covariance(second, second) - 2.0 * covariance(first, second)
            }
            Self::Beside(..) | Self::OnScreen(..) => {
                let row = |(one, sign): (u32, f64)| -> f64 {
                    self.terms().map(|(other, other_sign)| sign * other_sign * covariance(at(one), at(other))).sum()
                };
                self.terms().map(row).sum()
            }
        }
    }

    /// The two items that are compared, if two are.
    pub(crate) fn pair(self) -> Option<(u32, u32)> {
        match self {
            Self::Item(_) => None,
            Self::Difference(first, second) | Self::Beside(first, second, _) | Self::OnScreen(first, second, _) => {
                Some((first, second))
            }
        }
    }

    /// The coordinates beside the two items, with their coefficients.
    pub(crate) fn asides(self) -> impl Iterator<Item = (u32, f64)> {
        self.terms().skip(if self.pair().is_some() { 2 } else { 1 })
    }

    /// The same with that much more noise of the screen.
    pub(crate) fn with_noise_times(self, scale: f64) -> Self {
        match self {
            Self::OnScreen(first, second, shared) => Self::OnScreen(first, second, shared.times(scale)),
            other => other,
        }
    }

    /// Whether two items are compared.
    pub fn compares(self) -> bool {
        !matches!(self, Self::Item(_))
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
            Self::Beside(first, second, aside) => {
                onto[first as usize] += factor;
                onto[second as usize] -= factor;
                onto[aside as usize] += factor;
            }
            Self::OnScreen(..) => self.terms().for_each(|(at, own)| onto[at as usize] += own * factor),
        }
    }

    /// The items that the functional touches, and then its asides if it has any.
    pub fn items(self) -> impl Iterator<Item = u32> {
        self.terms().map(|(item, _)| item)
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
            Self::Beside(first, second, aside) => Self::Beside(other(first), other(second), other(aside)),
            Self::OnScreen(first, second, Shared { asides, factors }) => {
                let [one, two] = asides;
                // A coordinate that is left out need not be among the others.
                let two = if factors[1] == 0 { other(one) } else { other(two) };
                Self::OnScreen(other(first), other(second), Shared { asides: [other(one), two], factors })
            }
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
