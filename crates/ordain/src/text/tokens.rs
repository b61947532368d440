//! Words of a text, and the terms made of them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use snowball_stemmers_rs::{Algorithm, Stemmer as Snowball};
use unicode_segmentation::UnicodeSegmentation;

use super::stop::StopWords;
use crate::{Error, Result};

/// The words of a text, each with the byte at which it begins. Words are the segments between the word boundaries of
/// UAX #29 that have a letter or a digit. `don't` and `3.14` are one word, `time-sharing` is two.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.unicode_word_indices()
}

/// How text becomes terms: its [`words`] in lower case, without stop words, and stemmed on request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The words to leave out, before stemming. Default: English stop words.
    pub stop: StopWords,
    /// The stemmer that strips endings. Default: none.
    pub stem: Option<Stemmer>,
}

impl Analysis {
    /// The terms of a text, in order.
    pub fn terms(&self, text: &str) -> Vec<String> {
        let mut lower = String::new();
        words(text)
            .filter_map(|(_, word)| {
                lower_case(word, &mut lower);
                self.term(&lower).map(Cow::into_owned)
            })
            .collect()
    }

    /// The term of a word in lower case; none if it is a stop word.
    pub(super) fn term<'a>(&self, word: &'a str) -> Option<Cow<'a, str>> {
        if self.stop.contains(word) {
            return None;
        }
        Some(self.stem.map_or(Cow::Borrowed(word), |stemmer| stemmer.stem(word)))
    }
}

/// Puts a word in lower case into a buffer that is reused.
pub(super) fn lower_case(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.push_str(word);
        out.make_ascii_lowercase();
    } else {
        out.push_str(&word.to_lowercase());
    }
}

/// A Snowball stemmer, by the name of its language; `porter` is Porter's original one for English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stemmer(Algorithm);

/// By name.
const STEMMERS: [(&str, Algorithm); 20] = [
    ("english", Algorithm::English),
    ("porter", Algorithm::Porter),
    ("arabic", Algorithm::Arabic),
    ("catalan", Algorithm::Catalan),
    ("danish", Algorithm::Danish),
    ("dutch", Algorithm::Dutch),
    ("finnish", Algorithm::Finnish),
    ("french", Algorithm::French),
    ("german", Algorithm::German),
    ("greek", Algorithm::Greek),
    ("hungarian", Algorithm::Hungarian),
    ("indonesian", Algorithm::Indonesian),
    ("italian", Algorithm::Italian),
    ("norwegian", Algorithm::Norwegian),
    ("portuguese", Algorithm::Portuguese),
    ("romanian", Algorithm::Romanian),
    ("russian", Algorithm::Russian),
    ("spanish", Algorithm::Spanish),
    ("swedish", Algorithm::Swedish),
    ("turkish", Algorithm::Turkish),
];

impl Stemmer {
    /// The stemmer for English.
    pub const ENGLISH: Self = Self(Algorithm::English);

    /// The names of all stemmers.
    pub fn names() -> impl Iterator<Item = &'static str> {
        STEMMERS.iter().map(|(name, _)| *name)
    }

    /// The stem of a word in lower case.
    pub fn stem(self, word: &str) -> Cow<'_, str> {
        Snowball::create(self.0).stem(word)
    }
}

impl FromStr for Stemmer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match STEMMERS.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
            Some((_, algorithm)) => Ok(Self(*algorithm)),
            None => Err(Error::Data {
                what: "stemmer",
                found: name.to_owned(),
                expected: format!("one of {}", Self::names().collect::<Vec<_>>().join(", ")),
            }),
        }
    }
}

impl fmt::Display for Stemmer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = STEMMERS.iter().find(|(_, algorithm)| *algorithm == self.0);
        f.write_str(own.map_or("", |(name, _)| name))
    }
}
