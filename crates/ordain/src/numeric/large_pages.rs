//! Numbers that are read in any order: on large pages, where the system has them.
//!
//! A processor remembers where some thousands of pages lie. Reads scattered over a vector of a million rows miss that
//! memory on pages of 4 kB, and hardly ever on pages of 2 MB. Pages also start with a cache line, so that a row of eight
//! numbers is one line and not two.

use std::alloc::{Layout, handle_alloc_error};

use memmap2::MmapMut;

/// Fewer numbers than this fill no large page, and the allocator has them sooner.
const FEWEST: usize = (2 << 20) / size_of::<f64>();

/// Zeros, on pages of their own if there are many.
pub(super) enum LargePages {
    Few(Vec<f64>),
    Many { map: MmapMut, len: usize },
}

impl LargePages {
    /// So many zeros. Aborts like any allocation if there is no memory.
    pub fn zeros(len: usize) -> Self {
        if len < FEWEST {
            return Self::Few(vec![0.0; len]);
        }
        let layout = Layout::array::<f64>(len).unwrap_or(Layout::new::<f64>());
        let map = MmapMut::map_anon(layout.size()).unwrap_or_else(|_| handle_alloc_error(layout));
        // Advice that a system does not take changes only the time.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Self::Many { map, len }
    }

    /// The numbers.
    pub fn values(&mut self) -> &mut [f64] {
        match self {
            Self::Few(values) => values,
            Self::Many { map, len } => &mut bytemuck::cast_slice_mut(map)[..*len],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_start_with_a_line() {
        for len in [0, 1, 7, 1_000_000] {
            let mut pages = LargePages::zeros(len);
            assert_eq!(pages.values(), vec![0.0; len]);
            assert!(len < FEWEST || pages.values().as_ptr().align_offset(64) == 0);
            pages.values().fill(3.0);
            assert_eq!(pages.values(), vec![3.0; len]);
        }
    }
}
