//! Vocabularies: the words for the variants of a type. Each type has one table, which parsing, printing, help texts and
//! errors share. For an unknown word, "did you mean" names the closest known one.

use crate::Error;
use crate::error::{list_token, token};

/// A type whose values have words, such as strategies, kernels and goals.
///
/// ```
/// use ordain::Vocabulary;
/// use ordain::data::Goal;
///
/// let lines: Vec<String> = Goal::all().iter().map(|goal| format!("{}: {}", goal.name(), goal.description())).collect();
/// assert_eq!(lines[0], "best: finding the best item");
/// assert_eq!("whole-order".parse::<Goal>()?, Goal::WholeOrder);
/// let hint = "whole-ordr".parse::<Goal>().unwrap_err().hint().map(str::to_owned);
/// assert_eq!(hint.as_deref(), Some("did you mean \"whole-order\"? there are: best, top, whole-order, top-heavy"));
/// # Ok::<(), ordain::Error>(())
/// ```
pub trait Vocabulary: Copy + Send + Sync + std::str::FromStr<Err = Error> + 'static {
    /// The kind of thing that the words name, as in "a known strategy".
    const WHAT: &'static str;

    /// All values, in the order of the table. Parameters have their usual values.
    fn all() -> &'static [Self];

    /// The word of this value.
    fn name(self) -> &'static str;

    /// One line about this value, without a full stop.
    fn description(self) -> &'static str;
}

/// Parses a word.
pub(crate) fn parse<T: Vocabulary>(word: &str) -> Result<T, Error> {
    let known = T::all().iter().find(|value| value.name() == word).copied();
    known.ok_or_else(|| {
        let hint = suggestion(word, T::all().iter().map(|value| value.name()));
        Error::UnknownWord { what: T::WHAT, found: word.to_owned(), hint }
    })
}

/// Gives a type its words. Each row of the table is `Variant = "word", "one line about it";`. Fields of the variant
/// take their usual values. A table without a row for every variant does not compile.
macro_rules! vocabulary {
    ($type:ident, $what:literal; $($rows:tt)+) => {
        $crate::words::word_table! { $type, $what; $($rows)+ }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// As `vocabulary!`, for a type whose `Display` is not the word alone.
macro_rules! word_table {
    ($type:ident, $what:literal; $($variant:ident $({ $($field:ident: $usual:expr),+ })? = $name:literal, $about:literal;)+) => {
        impl $type {
            /// All values, in the order of the table. Parameters have their usual values.
            pub const fn all() -> &'static [Self] {
                &[$(Self::$variant $({ $($field: $usual),+ })?),+]
            }

            /// The word of this value on the command line, in files and in results.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name),+
                }
            }

            /// One line about this value, without a full stop.
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $about),+
                }
            }
        }

        impl $crate::Vocabulary for $type {
            const WHAT: &'static str = $what;

            fn all() -> &'static [Self] {
                Self::all()
            }

            fn name(self) -> &'static str {
                self.name()
            }

            fn description(self) -> &'static str {
                self.description()
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(word: &str) -> $crate::Result<Self> {
                $crate::words::parse(word)
            }
        }
    };
}

pub(crate) use {vocabulary, word_table};

/// The candidate that differs from `word` by the fewest edits, if these are few enough for a slip: at most a third of
/// the word's letters, but at least one. The first of several equally close candidates.
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

/// Words are cut to this many letters. Longer words are no slips.
const LONGEST: usize = 64;

/// The number of insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
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

/// The hint for an unknown word: the nearest known word, and all known words if they are few.
pub(crate) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<String> {
    let total = known.clone().into_iter().take(MOST_LISTED + 1).count();
    let list = (total > 0 && total <= MOST_LISTED)
        .then(|| known.clone().into_iter().map(list_token).collect::<Vec<_>>().join(", "))
        .filter(|list| list.len() <= 400);
    match (nearest(word, known).map(token), list) {
        (Some(near), Some(list)) => Some(format!("did you mean \"{near}\"? there are: {list}")),
        (Some(near), None) => Some(format!("did you mean \"{near}\"?")),
        (None, Some(list)) => Some(format!("there are: {list}")),
        (None, None) => None,
    }
}

/// The largest number of words that a hint lists.
const MOST_LISTED: usize = 30;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::active::{BeliefKind, QualityMeasure, Strategy};
    use crate::data::Goal;
    use crate::formats::Missing;
    use crate::gp::{NoiseLaw, TuningMethod};
    use crate::kernel::{Causes, KernelKind, Role};
    use crate::learn::GradesAs;
    use crate::measure::Ties;
    use crate::model::Inference;
    use crate::order::{Fusion, Learning, Unretrieved};

    /// Every word parses to its value and has its own line.
    fn check<T: Vocabulary + PartialEq + std::fmt::Debug>() {
        let (mut names, mut lines) = (HashSet::new(), HashSet::new());
        for &value in T::all() {
            assert_eq!(value.name().parse::<T>().unwrap(), value);
            assert!(names.insert(value.name()) && lines.insert(value.description()), "{value:?}");
            let line = value.description();
            assert!(!line.is_empty() && !line.ends_with('.') && !line.contains('\n'), "{line}");
        }
        let slip = format!("{}x", T::all()[0].name());
        let error = slip.parse::<T>().unwrap_err();
        assert!(error.to_string().contains(&format!("expected a known {}", T::WHAT)), "{error}");
        assert!(error.hint().unwrap().starts_with(&format!("did you mean \"{}\"?", T::all()[0].name())), "{error:?}");
    }

    #[test]
    fn words_and_values_belong_together() {
        check::<Strategy>();
        check::<BeliefKind>();
        check::<Goal>();
        check::<Missing>();
        check::<Inference>();
        check::<TuningMethod>();
        check::<NoiseLaw>();
        check::<GradesAs>();
        check::<KernelKind>();
        check::<Role>();
        check::<Causes>();
        check::<QualityMeasure>();
        check::<Ties>();
        check::<Fusion>();
        check::<Unretrieved>();
        check::<Learning>();
        assert_eq!(Goal::Top { k: 3 }.to_string(), "top");
    }

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
