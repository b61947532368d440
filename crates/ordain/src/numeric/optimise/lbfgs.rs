//! Limited-memory BFGS (Liu, Nocedal 1989) with a line search to the strong Wolfe conditions.
//!
//! This is our own implementation, since it is short. The crates carry whole frameworks, and none returns to a shorter
//! step where the function is not defined.

use std::collections::VecDeque;

use super::{Counted, Minimum, Place, largest};
use crate::numeric::Matrix;
use crate::numeric::dense::{Cholesky, add_scaled, dot};

/// The settings of L-BFGS.
#[derive(Debug, Clone)]
pub struct Lbfgs {
    /// The number of remembered steps.
    pub memory: usize,
    /// The minimiser stops when no entry of the gradient is larger than this.
    pub tolerance: f64,
    /// The minimiser stops after this many steps.
    pub max_iterations: usize,
    /// No coordinate moves by more than this per step.
    pub longest: f64,
    /// An estimate of the second derivatives, if there is one. First steps are then Newton's.
    pub curvature: Option<Cholesky>,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self { memory: 10, tolerance: 1e-5, max_iterations: 500, longest: f64::INFINITY, curvature: None }
    }
}

/// A decrease by this part of the slope's promise is enough.
const DECREASE: f64 = 1e-4;
/// The slope along the step must fall to this part.
const CURVATURE: f64 = 0.9;
/// The most evaluations per step.
const TRIALS: usize = 25;

/// A step and the change of the gradient over it.
struct Memory {
    step: Vec<f64>,
    change: Vec<f64>,
    /// `1 / step'change`.
    inverse: f64,
}

impl Lbfgs {
    /// Minimises the function from this start, and reports every step. `O(memory n)` operations per step beside the
    /// evaluations, of which a step takes one or a few.
    pub fn minimise(
        &self,
        start: Vec<f64>,
        function: impl FnMut(&[f64], &mut [f64]) -> f64,
        mut watch: impl FnMut(&Minimum),
    ) -> Minimum {
        let mut function = Counted::new(function);
        let mut place = function.at(start);
        let mut memories: VecDeque<Memory> = VecDeque::new();
        let mut iterations = 0;
        while iterations < self.max_iterations && place.value.is_finite() && largest(&place.gradient) > self.tolerance {
            let direction = self.direction(&place.gradient, &memories);
            // Without memory the gradient's length means nothing, so the first trial moves by at most 1.
            let is_blind = memories.is_empty() && self.curvature.is_none();
            let trial = if is_blind { 1.0 / largest(&place.gradient).max(1.0) } else { 1.0 };
            let limit = self.longest / largest(&direction);
            match self.search(&mut function, &place, &direction, trial.min(limit), limit) {
                Some(next) => {
                    self.remember(&mut memories, &place, &next);
                    place = next;
                    iterations += 1;
                    watch(&place.clone().into_minimum(iterations, function.evaluations, self.tolerance));
                }
                // The memory may mislead. Without it, rounding allows no smaller value.
                None if memories.is_empty() => break,
                None => memories.clear(),
            }
        }
        place.into_minimum(iterations, function.evaluations, self.tolerance)
    }

    /// Minus the remembered inverse Hessian times the gradient (the two-loop recursion).
    fn direction(&self, gradient: &[f64], memories: &VecDeque<Memory>) -> Vec<f64> {
        let mut out: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
        let mut along = Vec::with_capacity(memories.len());
        for memory in memories.iter().rev() {
            let part = memory.inverse * dot(&memory.step, &out);
            add_scaled(&mut out, -part, &memory.change);
            along.push(part);
        }
        if let Some(curvature) = &self.curvature {
            let mut column = Matrix::from_fn(out.len(), 1, |row, _| out[row]);
            curvature.solve_in_place(&mut column);
            out.copy_from_slice(column.values());
        } else if let Some(last) = memories.back() {
            let scale = 1.0 / (last.inverse * dot(&last.change, &last.change));
            out.iter_mut().for_each(|entry| *entry *= scale);
        }
        for (memory, part) in memories.iter().zip(along.into_iter().rev()) {
            let back = memory.inverse * dot(&memory.change, &out);
            add_scaled(&mut out, part - back, &memory.step);
        }
        out
    }

    fn remember(&self, memories: &mut VecDeque<Memory>, from: &Place, to: &Place) {
        let difference = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (step, change) = (difference(&to.at, &from.at), difference(&to.gradient, &from.gradient));
        let curvature = dot(&step, &change);
        // The Wolfe conditions make it positive. A step cut short by the limit may not satisfy them.
        if curvature > f64::EPSILON * dot(&change, &change) {
            if memories.len() == self.memory {
                memories.pop_front();
            }
            memories.push_back(Memory { step, change, inverse: 1.0 / curvature });
        }
    }

    /// A step along a direction of descent that satisfies the strong Wolfe conditions, or the limit if the function
    /// still falls there (Nocedal, Wright 2006, algorithms 3.5 and 3.6). None if there is no such step.
    fn search(
        &self,
        function: &mut Counted<impl FnMut(&[f64], &mut [f64]) -> f64>,
        from: &Place,
        direction: &[f64],
        first: f64,
        limit: f64,
    ) -> Option<Place> {
        let slope = dot(&from.gradient, direction);
        if slope.is_nan() || slope >= 0.0 {
            return None;
        }
        let mut low = Trial { step: 0.0, slope, place: from.clone() };
        let mut high: Option<Trial> = None;
        let mut step = first;
        for _ in 0..TRIALS {
            let place = function.along(from, step, direction);
            let trial = Trial { step, slope: dot(&place.gradient, direction), place };
            let enough = from.value + DECREASE * step * slope;
            if trial.place.value > enough || trial.place.value >= low.place.value {
                high = Some(trial);
            } else if trial.slope.abs() <= -CURVATURE * slope || (trial.slope < 0.0 && step >= limit) {
                return Some(trial.place);
            } else {
                let beyond = match &high {
                    Some(high) => trial.slope * (high.step - low.step) >= 0.0,
                    None => trial.slope >= 0.0,
                };
                let before = std::mem::replace(&mut low, trial);
                if beyond {
                    high = Some(before);
                }
            }
            step = match &high {
                Some(high) => low.between(high),
                None => (2.0 * low.step).min(limit),
            };
        }
        // A sufficient decrease is still progress.
        (low.step > 0.0).then_some(low.place)
    }
}

/// A point on the line.
struct Trial {
    step: f64,
    slope: f64,
    place: Place,
}

impl Trial {
    /// The minimum of the cubic through both ends, kept away from the ends; the middle if there is none.
    fn between(&self, other: &Self) -> f64 {
        let width = other.step - self.step;
        let middle = self.step + 0.5 * width;
        if !other.place.value.is_finite() {
            // This may be far beyond where the function is defined.
            return self.step + 0.1 * width;
        }
        let d1 = self.slope + other.slope - 3.0 * (self.place.value - other.place.value) / (self.step - other.step);
        let d2 = d1 * d1 - self.slope * other.slope;
        if d2 < 0.0 {
            return middle;
        }
        let d2 = width.signum() * d2.sqrt();
        let step = other.step - width * (other.slope + d2 - d1) / (other.slope - self.slope + 2.0 * d2);
        let part = (step - self.step) / width;
        if part.is_finite() { self.step + part.clamp(0.1, 0.9) * width } else { middle }
    }
}
