//! Several items in one cell: those of a screen.
//!
//! A line of the log about a screen has its first two items in their columns and the others behind the outcome, as in
//! `C,A,best:B|D`: of A, B, C and D, C is the best. `order:` says that all stand in the order in which they are named, and `skip:` that
//! the judge said nothing. Between ids stands `|`; in an id, `|` is written `\|` and `\` is written `\\`. A reader that knows nothing of
//! screens refuses such an outcome by name.

use crate::data::Outcome;

const BETWEEN: char = '|';
const ESCAPE: char = '\\';

/// What stands before the other items of a screen.
const WORDS: [(&str, Outcome); 3] = [("best", Outcome::Best), ("order", Outcome::Order), ("skip", Outcome::Skip)];

/// These ids in one cell, as tables of screens have them: with `|` between them, and `\\` before a `|` or `\\` that is in an id.
pub fn joined_ids<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for (at, id) in ids.enumerate() {
        if at > 0 {
            out.push(BETWEEN);
        }
        for letter in id.chars() {
            if letter == BETWEEN || letter == ESCAPE {
                out.push(ESCAPE);
            }
            out.push(letter);
        }
    }
    out
}

/// The ids in a cell. `None` if an escape escapes nothing.
pub(super) fn split(cell: &str) -> Option<Vec<String>> {
    let mut out = vec![String::new()];
    let mut letters = cell.chars();
    while let Some(letter) = letters.next() {
        let last = out.last_mut()?;
        match letter {
            BETWEEN => out.push(String::new()),
            ESCAPE => last.push(letters.next().filter(|&next| next == BETWEEN || next == ESCAPE)?),
            letter => last.push(letter),
        }
    }
    Some(out)
}

/// The outcome of a line about a screen, with the ids of its other items in one cell.
pub(super) fn outcome<'a>(outcome: Outcome, others: impl Iterator<Item = &'a str>) -> String {
    format!("{outcome}:{}", joined_ids(others))
}

/// What a line says of a screen, and the cell of its other items; `None` if it is about no screen.
pub(super) fn said(cell: &str) -> Option<(Outcome, &str)> {
    let (word, others) = cell.trim_start().split_once(':')?;
    let (_, outcome) = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word.trim()))?;
    Some((*outcome, others))
}

/// Whether an outcome is about a screen but names no other items.
pub(super) fn lacks_others(word: &str) -> bool {
    WORDS.iter().any(|(known, outcome)| outcome.is_choice() && *known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever ids there are, they are read as they were written; texts by hand, by the rule above.
    #[test]
    fn ids_survive() {
        let ids = ["a", "", "a|b", "\\", "\\|", "x,\"y\"", " spaced ", "best:", "é|\\\\|", "\u{1F600}"];
        for count in 1..=ids.len() {
            let some = &ids[..count];
            assert_eq!(split(&joined_ids(some.iter().copied())).unwrap(), some);
        }
        assert_eq!(joined_ids(["a|b", "c\\"].into_iter()), r"a\|b|c\\");
        assert_eq!(split(r"a\|b|c").unwrap(), ["a|b", "c"]);
        assert_eq!(split(r"a\b"), None);
        assert_eq!(split(r"a\"), None);
        assert_eq!(said("Best:B|D"), Some((Outcome::Best, "B|D")));
        assert_eq!(said("first:0.8"), None);
    }
}
