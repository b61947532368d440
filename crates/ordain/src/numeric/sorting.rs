//! The order of many numbers.

/// Fewer numbers than this are sorted by comparisons.
const FEW: usize = 128;

/// Bits of a digit.
const DIGIT: u32 = 11;

/// The positions of numbers by falling value; equal ones by position. Zeros are equal, and NaN stands before all or after all.
///
/// By the upper half of their bits in three passes (radix sort), and by the rest where that is the same, which is rare: linear
/// for numbers that are spread out.
pub(crate) fn by_falling(values: &[f64]) -> Vec<u32> {
    let key = |value: f64| {
        let bits = (value + 0.0).to_bits();
        !(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
    };
    let exactly = |&at: &u32| (key(values[at as usize]), at);
    if values.len() < FEW {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_unstable_by_key(exactly);
        return order;
    }
    let upper = |value: f64| (key(value) >> 32) as u32;
    let mut now: Vec<(u32, u32)> = values.iter().zip(0..).map(|(&value, at)| (upper(value), at)).collect();
    let mut next = vec![(0, 0); now.len()];
    for shift in [0, DIGIT, 2 * DIGIT] {
        let digit = |entry: &(u32, u32)| (entry.0 >> shift) as usize & ((1 << DIGIT) - 1);
        let mut starts = [0_u32; 1 << DIGIT];
        now.iter().for_each(|entry| starts[digit(entry)] += 1);
        let mut before = 0;
        starts.iter_mut().for_each(|start| before += std::mem::replace(start, before));
        for entry in &now {
            let place = &mut starts[digit(entry)];
            next[*place as usize] = *entry;
            *place += 1;
        }
        std::mem::swap(&mut now, &mut next);
    }
    let mut order: Vec<u32> = now.iter().map(|&(_, at)| at).collect();
    let mut from = 0;
    for run in now.chunk_by(|one, other| one.0 == other.0) {
        if run.len() > 1 {
            order[from..from + run.len()].sort_unstable_by_key(exactly);
        }
        from += run.len();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::by_falling;

    proptest::proptest! {
        #[test]
        fn by_comparisons(
            values in proptest::collection::vec(proptest::prop_oneof![-1e3..1e3_f64, proptest::num::f64::NORMAL,
                (-3..3_i32).prop_map(f64::from), proptest::strategy::Just(-0.0)], 0..600)
        ) {
            let mut expected: Vec<u32> = (0..values.len() as u32).collect();
            expected.sort_by(|&a, &b| {
                let (a, b) = (values[a as usize], values[b as usize]);
                b.partial_cmp(&a).unwrap()
            });
            proptest::prop_assert_eq!(by_falling(&values), expected);
        }
    }

    use proptest::strategy::Strategy as _;
}
