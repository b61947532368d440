//! Sines and cosines of many numbers at once.

/// `π / 2` in three parts, the first with few bits, so that its product with a whole number is exact.
const HALF_PI: [f64; 3] = [1.570_796_251_296_997, 7.549_789_415_861_596e-8, 5.390_302_858_158_119e-15];

/// Writes the sine and the cosine of every number, to within 1e-11 for numbers up to a million.
///
/// The number is reduced to `|r| ≤ π / 4` by a multiple of `π / 2`; sine and cosine of r are their series. One pass that
/// vectorises.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
pub(crate) fn sin_cos(numbers: &[f64], sin: &mut [f64], cos: &mut [f64]) {
    for ((&x, sin), cos) in numbers.iter().zip(sin).zip(cos) {
        // Adding this number rounds to a whole one, which its last bits then show.
        const ROUND: f64 = 6_755_399_441_055_744.0;
        let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
        let quarter = shifted.to_bits();
        let turns = shifted - ROUND;
        let r = ((x - turns * HALF_PI[0]) - turns * HALF_PI[1]) - turns * HALF_PI[2];
        let q = r * r;
        let odd = r
            * (1.0
                + q * (-1.0 / 6.0
                    + q * (1.0 / 120.0
                        + q * (-1.0 / 5040.0
                            + q * (1.0 / 362_880.0 + q * (-1.0 / 39_916_800.0 + q / 6_227_020_800.0))))));
        let even = 1.0
            + q * (-0.5
                + q * (1.0 / 24.0
                    + q * (-1.0 / 720.0 + q * (1.0 / 40_320.0 + q * (-1.0 / 3_628_800.0 + q / 479_001_600.0)))));
        let swap = quarter & 1 == 1;
        let (s, c) = if swap { (even, odd) } else { (odd, even) };
        *sin = if quarter & 2 == 2 { -s } else { s };
        *cos = if (quarter + 1) & 2 == 2 { -c } else { c };
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sines_and_cosines_of_the_standard_library() {
        let numbers: Vec<f64> = (-40_000..40_000).map(|k| f64::from(k) * 25.0 + f64::from(k % 977) / 311.0).collect();
        let (mut sin, mut cos) = (vec![0.0; numbers.len()], vec![0.0; numbers.len()]);
        super::sin_cos(&numbers, &mut sin, &mut cos);
        for ((x, sin), cos) in numbers.iter().zip(sin).zip(cos) {
            // The first term that the series leave out is 3e-13.
            assert!((sin - x.sin()).abs() < 1e-11 && (cos - x.cos()).abs() < 1e-11, "{x}: {sin} {cos}");
        }
    }
}
