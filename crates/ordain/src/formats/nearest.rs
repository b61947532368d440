//! "Did you mean": the known word closest to an unknown one.

/// The candidate that differs from `word` by the fewest edits, if they are few enough for a slip: a third of the word's
/// letters, at least one. The first of several equally close ones.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let mut best: Option<(usize, &'a str)> = None;
    let mut letters = Vec::new();
    for candidate in candidates {
        letters.clear();
        letters.extend(candidate.chars().take(LONGEST).flat_map(char::to_lowercase));
        let allowed = match best {
            Some((0, _)) => break,
            Some((distance, _)) => distance - 1,
            None => (word.len().max(letters.len()) / 3).max(1),
        };
        if word.len().abs_diff(letters.len()) <= allowed {
            let distance = edits(&word, &letters);
            if distance <= allowed {
                best = Some((distance, candidate));
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Words are cut to this many letters: nobody mistypes a paragraph.
const LONGEST: usize = 64;

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let mut cost = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The hint for an unknown word: the nearest known one, and all known ones if they are few.
pub(crate) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<String> {
    let total = known.clone().into_iter().take(MOST_LISTED + 1).count();
    let list = (total > 0 && total <= MOST_LISTED)
        .then(|| known.clone().into_iter().collect::<Vec<_>>().join(", "))
        .filter(|list| list.len() <= 400);
    match (nearest(word, known), list) {
        (Some(near), Some(list)) => Some(format!("did you mean \"{near}\"? there are: {list}")),
        (Some(near), None) => Some(format!("did you mean \"{near}\"?")),
        (None, Some(list)) => Some(format!("there are: {list}")),
        (None, None) => None,
    }
}

/// More than this many words are not listed.
const MOST_LISTED: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = ["kappa", "rho", "weight", "relation"];
        assert_eq!(nearest("kapa", known), Some("kappa"));
        assert_eq!(nearest("wieght", known), Some("weight"));
        assert_eq!(nearest("Relation", known), Some("relation"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("item12", ["item1", "item2", "item13"]), Some("item1"));
    }

    #[test]
    fn edits_are_counted() {
        let count = |a: &str, b: &str| edits(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(count("", ""), 0);
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("ab", "ba"), 1);
        assert_eq!(count("kitten", "sitting"), 3);
    }
}
