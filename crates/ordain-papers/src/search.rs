//! Minimises a function without derivatives.

use ordain::{Error, Result};

/// The steps, in logarithms of factors: 4, 2, √2.
const STEPS: [f64; 3] = [2.0 * std::f64::consts::LN_2, std::f64::consts::LN_2, 0.5 * std::f64::consts::LN_2];

/// Walks from the best of several starts to a place where no step up or down in one coordinate leads lower, first with
/// large steps and then with smaller ones (Hooke and Jeeves 1961, without their pattern moves). Coordinates are
/// logarithms, each with its bounds; starts are moved into them.
///
/// # Errors
/// If the function is infinite at all starts.
pub fn pattern_search<const N: usize>(
    starts: [Vec<f64>; N],
    bounds: &[(f64, f64)],
    function: &mut impl FnMut(&[f64]) -> f64,
) -> Result<(Vec<f64>, f64)> {
    let (mut best, mut least) = (Vec::new(), f64::INFINITY);
    for mut start in starts {
        start.iter_mut().zip(bounds).for_each(|(value, &(low, high))| *value = value.clamp(low, high));
        let value = function(&start);
        if value < least {
            (best, least) = (start, value);
        }
    }
    if least.is_infinite() {
        let (found, expected) = ("no start that could be computed".into(), "one at least".into());
        return Err(Error::Data { what: "tuning", found, expected });
    }
    for step in STEPS {
        loop {
            let before = least;
            for (coordinate, &(low, high)) in bounds.iter().enumerate() {
                for direction in [step, -step] {
                    let mut trial = best.clone();
                    trial[coordinate] = (trial[coordinate] + direction).clamp(low, high);
                    let value = function(&trial);
                    if value < least {
                        (best, least) = (trial, value);
                        break;
                    }
                }
            }
            if least >= before {
                break;
            }
        }
    }
    Ok((best, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_bottom_of_a_bowl() {
        let target = [1.7, -3.2, 0.0];
        let mut calls = 0;
        let mut bowl = |at: &[f64]| {
            calls += 1;
            at.iter().zip(target).map(|(at, target)| (at - target).powi(2)).sum::<f64>()
        };
        let (found, value) = pattern_search([vec![0.0; 3], vec![6.0; 3]], &[(-9.0, 9.0); 3], &mut bowl).unwrap();
        // Within half of the smallest step in every coordinate.
        assert!(found.iter().zip(target).all(|(found, target)| (found - target).abs() <= 0.5 * STEPS[2] + 1e-12));
        assert!(value < 0.1 && calls < 100, "{value} {calls}");
    }

    #[test]
    fn stays_in_bounds_and_starts_somewhere() {
        let bounds = [(-5.0, 5.0), (-5.0, 9.0)];
        let (found, _) = pattern_search([vec![20.0, 0.0]], &bounds, &mut |at| -at[0] - at[1]).unwrap();
        assert_eq!(found, [5.0, 9.0]);
        let bounds = [(-5.0, 5.0)];
        let mut half = |at: &[f64]| if at[0] > 0.0 { at[0] } else { f64::INFINITY };
        assert!(pattern_search([vec![-1.0], vec![3.0]], &bounds, &mut half).unwrap().1 < 0.4);
        assert!(pattern_search([vec![-1.0]], &bounds, &mut half).is_err());
    }
}
