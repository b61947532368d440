//! Items or coordinates that differences hold together.

/// A partition of the first so many numbers, which only grows coarser.
pub(super) struct Parts {
    /// Every number leads to a larger one of its part. The largest leads to itself.
    next: Vec<usize>,
}

impl Parts {
    /// Every number by itself.
    pub(super) fn apart(count: usize) -> Self {
        Self { next: (0..count).collect() }
    }

    /// The largest number of a number's part.
    pub(super) fn of(&mut self, mut number: usize) -> usize {
        while self.next[number] != number {
            self.next[number] = self.next[self.next[number]];
            number = self.next[number];
        }
        number
    }

    /// Makes the parts of two numbers one.
    pub(super) fn join(&mut self, first: usize, second: usize) {
        let (first, second) = (self.of(first), self.of(second));
        self.next[first.min(second)] = first.max(second);
    }
}
