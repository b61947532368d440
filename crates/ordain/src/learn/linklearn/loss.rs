//! What pairs of a linked and a not linked document cost, and what they ask of the scores.

use crate::words::vocabulary;

/// The cost of a pair, by the difference of its scores: `z = score of the linked - score of the other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkLoss {
    /// `max(0, 1 - z)`, LinkLearn eq. 7.
    Hinge,
    /// `ln(1 + exp(-z))`, LinkLearn eqs. 9 to 11 where every link is certain, as in RankNet.
    CrossEntropy,
}

vocabulary! { LinkLoss, "loss";
    Hinge = "hinge", "max(0, 1 - z) for a difference z of scores";
    CrossEntropy = "cross-entropy", "ln(1 + exp(-z)) for a difference z of scores";
}

/// The documents as one query sees them: which are linked with it, and which is its own and does not count.
pub(super) struct Judged<'a> {
    /// In order.
    pub(super) linked: &'a [u32],
    pub(super) own: u32,
    pub(super) scores: &'a [f64],
}

/// Memory that is used again for every query.
#[derive(Default)]
pub(super) struct Workspace {
    /// Minus the derivative of the mean cost of a pair, by the score of every document.
    pub(super) pulls: Vec<f64>,
    /// The linked documents by rising score; of equal scores, the later one first.
    linked: Vec<(f64, u32)>,
    /// `[k]`: documents that beat, or come near, exactly the first k linked ones.
    counts: Vec<u32>,
    /// Of the linked documents: the exponential of the score, and what all others pull.
    exponentials: Vec<f64>,
    sums: Vec<f64>,
}

impl Judged<'_> {
    /// The documents that are neither linked nor the query's own, with their scores.
    fn others(&self) -> impl Iterator<Item = (usize, f64)> {
        let mut linked = self.linked.iter().peekable();
        self.scores.iter().enumerate().filter_map(move |(document, &score)| {
            let is_linked = linked.next_if(|&&next| next as usize == document).is_some();
            (!is_linked && document != self.own as usize).then_some((document, score))
        })
    }

    /// The number of pairs.
    fn pairs(&self) -> f64 {
        let others = self.scores.len() - self.linked.len() - usize::from((self.own as usize) < self.scores.len());
        (others * self.linked.len()) as f64
    }
}

impl Workspace {
    /// Looks at a query: the linked documents by their scores. Must come before all else about it.
    pub(super) fn look(&mut self, judged: &Judged<'_>) {
        self.linked.clear();
        self.linked.extend(judged.linked.iter().map(|&document| (judged.scores[document as usize], document)));
        self.linked.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
    }

    /// No document counted yet.
    fn begin_count(&mut self) {
        self.counts.clear();
        self.counts.resize(self.linked.len() + 1, 0);
    }

    /// Finds the pulls of a query. `O(n log m)` for n documents of which m are linked; `O(n m)` divisions for the
    /// cross-entropy.
    pub(super) fn pull(&mut self, loss: LinkLoss, judged: &Judged<'_>) {
        self.pulls.clear();
        self.pulls.resize(judged.scores.len(), 0.0);
        let pairs = judged.pairs();
        if pairs == 0.0 {
            return;
        }
        let unit = pairs.recip();
        match loss {
            LinkLoss::Hinge => self.hinge(judged, unit),
            LinkLoss::CrossEntropy => self.cross_entropy(judged, unit),
        }
    }

    fn hinge(&mut self, judged: &Judged<'_>, unit: f64) {
        self.begin_count();
        for (document, score) in judged.others() {
            let near = self.linked.partition_point(|linked| linked.0 < score + 1.0);
            self.counts[near] += 1;
            self.pulls[document] = -(near as f64) * unit;
        }
        // Those that come near the k first come near each of them.
        let mut near = 0;
        for (count, (_, document)) in self.counts[1..].iter().zip(&self.linked).rev() {
            near += count;
            self.pulls[*document as usize] = f64::from(near) * unit;
        }
    }

    /// The derivative of `ln(1 + e^(n - p))` by the other's score n is `e^n / (e^n + e^p)`: one division per pair instead of one
    /// exponential. Scores are shifted so that the largest is 0; what is [`LOWEST`] below it counts as this low, which changes
    /// derivatives only between documents that are both as far below.
    fn cross_entropy(&mut self, judged: &Judged<'_>, unit: f64) {
        let largest = judged.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let power = |score: f64| (score - largest).max(LOWEST).exp();
        self.exponentials.clear();
        self.exponentials.extend(self.linked.iter().map(|(score, _)| power(*score)));
        self.sums.clear();
        self.sums.resize(self.linked.len(), 0.0);
        for (document, score) in judged.others() {
            let own = power(score);
            let mut sum = 0.0;
            for (linked, all) in self.exponentials.iter().zip(&mut self.sums) {
                let part = own / (own + linked);
                sum += part;
                *all += part;
            }
            self.pulls[document] = -sum * unit;
        }
        for (sum, (_, document)) in self.sums.iter().zip(&self.linked) {
            self.pulls[*document as usize] = sum * unit;
        }
    }

    /// The average precision of the linked documents by falling score; of equal scores, the earlier document first.
    /// `O(n log m)`.
    pub(super) fn average_precision(&mut self, judged: &Judged<'_>) -> f64 {
        self.begin_count();
        for (document, score) in judged.others() {
            let before = |linked: &(f64, u32)| linked.0 < score || (linked.0 == score && linked.1 as usize > document);
            let beaten = self.linked.partition_point(before);
            self.counts[beaten] += 1;
        }
        let (mut above, mut sum) = (0, 0.0);
        for (found, count) in (1..).zip(self.counts[1..].iter().rev()) {
            above += count;
            sum += f64::from(found) / f64::from(found + above);
        }
        if judged.linked.is_empty() { 0.0 } else { sum / judged.linked.len() as f64 }
    }
}

/// Below this, exponentials would underflow.
const LOWEST: f64 = -700.0;
