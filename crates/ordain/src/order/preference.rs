//! Preference functions (LTOT section 2) and their combinations.

use super::SAME;

/// How advisable it is to rank one item before another, for all pairs of a set of items. 1 means surely, 0 surely not,
/// ½ no opinion.
pub trait Preference: Sync {
    /// The number of items.
    fn len(&self) -> usize;

    /// Whether there is no item.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// PREF(u, v), in \[0, 1\].
    fn prefer(&self, u: usize, v: usize) -> f64;

    /// Adds `weight (PREF(item, v) - PREF(v, item))` to `out[v]` for every v. `O(n)`; all orders are built from it.
    fn add_net(&self, item: usize, weight: f64, out: &mut [f64]) {
        for (v, out) in out.iter_mut().enumerate() {
            *out += weight * (self.prefer(item, v) - self.prefer(v, item));
        }
    }

    /// Adds to `out[v]` the weighted sum over u of `PREF(v, u) - PREF(u, v)`: the potential of v in LTOT figure 1.
    fn add_potentials(&self, weight: f64, out: &mut [f64]) {
        let mut row = vec![0.0; self.len()];
        for (item, out) in out.iter_mut().enumerate() {
            row.fill(0.0);
            self.add_net(item, weight, &mut row);
            *out += row.iter().sum::<f64>();
        }
    }
}

impl<P: Preference + ?Sized> Preference for &P {
    fn len(&self) -> usize {
        (**self).len()
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        (**self).prefer(u, v)
    }

    fn add_net(&self, item: usize, weight: f64, out: &mut [f64]) {
        (**self).add_net(item, weight, out);
    }

    fn add_potentials(&self, weight: f64, out: &mut [f64]) {
        (**self).add_potentials(weight, out);
    }
}

/// A linear combination of experts, `PREF(u, v) = Σ w_i R_i(u, v)`. Its memory does not grow with the number of pairs.
#[derive(Debug, Clone, Copy)]
pub struct Weighted<'a, P> {
    experts: &'a [P],
    weights: &'a [f64],
}

impl<'a, P: Preference> Weighted<'a, P> {
    /// Experts on the same items, each with its weight.
    ///
    /// # Errors
    /// If there is no expert, the number of weights differs, experts have different numbers of items, or weights are
    /// negative, not finite, or do not sum to 1.
    pub fn new(experts: &'a [P], weights: &'a [f64]) -> crate::Result<Self> {
        let wrong = |what, found: String, expected: &str| crate::Error::Data { what, found, expected: expected.into() };
        let Some(first) = experts.first() else {
            return Err(wrong("experts", "none".into(), "at least one"));
        };
        if weights.len() != experts.len() {
            let expected = format!("{}, one per expert", experts.len());
            return Err(wrong("weights", weights.len().to_string(), &expected));
        }
        if let Some(other) = experts.iter().find(|expert| expert.len() != first.len()) {
            let found = format!("experts on {} and on {} items", first.len(), other.len());
            return Err(wrong("experts", found, "the same items for all"));
        }
        check_weights(weights)?;
        Ok(Self { experts, weights })
    }

    /// The experts.
    pub fn experts(&self) -> &'a [P] {
        self.experts
    }

    /// Their weights.
    pub fn weights(&self) -> &'a [f64] {
        self.weights
    }
}

/// Fails unless the weights are not negative and sum to 1.
pub(super) fn check_weights(weights: &[f64]) -> crate::Result<()> {
    if let Some(&value) = weights.iter().find(|weight| !(**weight >= 0.0 && weight.is_finite())) {
        return Err(crate::Error::Parameter { name: "a weight".into(), value, expected: "0 or more" });
    }
    let sum: f64 = weights.iter().sum();
    if (sum - 1.0).abs() > SAME {
        return Err(crate::Error::Parameter { name: "the sum of the weights".into(), value: sum, expected: "1" });
    }
    Ok(())
}

impl<P: Preference> Preference for Weighted<'_, P> {
    fn len(&self) -> usize {
        self.experts[0].len()
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        self.experts.iter().zip(self.weights).map(|(expert, weight)| weight * expert.prefer(u, v)).sum()
    }

    fn add_net(&self, item: usize, weight: f64, out: &mut [f64]) {
        for (expert, own) in self.experts.iter().zip(self.weights).filter(|(_, own)| **own > 0.0) {
            expert.add_net(item, weight * own, out);
        }
    }

    fn add_potentials(&self, weight: f64, out: &mut [f64]) {
        for (expert, own) in self.experts.iter().zip(self.weights).filter(|(_, own)| **own > 0.0) {
            expert.add_potentials(weight * own, out);
        }
    }
}

/// Prefers an item that both prefer: the smaller of two values.
#[derive(Debug, Clone, Copy)]
pub struct Both<A, B>(A, B);

/// Prefers an item that either prefers: the larger of two values. PREF(u, v) + PREF(v, u) may then exceed 1.
#[derive(Debug, Clone, Copy)]
pub struct Either<A, B>(A, B);

/// Prefers the opposite: 1 minus the value.
#[derive(Debug, Clone, Copy)]
pub struct Opposite<A>(pub A);

fn check_same(first: &impl Preference, second: &impl Preference) -> crate::Result<()> {
    if first.len() == second.len() {
        return Ok(());
    }
    let found = format!("preferences on {} and on {} items", first.len(), second.len());
    Err(crate::Error::Data { what: "preferences", found, expected: "the same items for both".into() })
}

impl<A: Preference, B: Preference> Both<A, B> {
    /// Combines two preferences on the same items.
    ///
    /// # Errors
    /// If they differ in the number of items.
    pub fn new(first: A, second: B) -> crate::Result<Self> {
        check_same(&first, &second).map(|()| Self(first, second))
    }
}

impl<A: Preference, B: Preference> Either<A, B> {
    /// Combines two preferences on the same items.
    ///
    /// # Errors
    /// If they differ in the number of items.
    pub fn new(first: A, second: B) -> crate::Result<Self> {
        check_same(&first, &second).map(|()| Self(first, second))
    }
}

impl<A: Preference, B: Preference> Preference for Both<A, B> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        self.0.prefer(u, v).min(self.1.prefer(u, v))
    }
}

impl<A: Preference, B: Preference> Preference for Either<A, B> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        self.0.prefer(u, v).max(self.1.prefer(u, v))
    }
}

impl<A: Preference> Preference for Opposite<A> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        1.0 - self.0.prefer(u, v)
    }

    fn add_net(&self, item: usize, weight: f64, out: &mut [f64]) {
        self.0.add_net(item, -weight, out);
    }

    fn add_potentials(&self, weight: f64, out: &mut [f64]) {
        self.0.add_potentials(-weight, out);
    }
}
