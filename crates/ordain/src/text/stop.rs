//! Stop words: words too common to say what a text is about.

use std::collections::HashSet;

/// The words to leave out, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopWords(HashSet<String>);

impl StopWords {
    /// 140 English articles, pronouns, prepositions, conjunctions, auxiliary verbs and question words.
    pub fn english() -> Self {
        Self::new(ENGLISH.split_ascii_whitespace())
    }

    /// Leaves no word out.
    pub fn none() -> Self {
        Self(HashSet::new())
    }

    /// Leaves these words out; they are put in lower case.
    pub fn new<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        Self(words.into_iter().map(|word| word.as_ref().to_lowercase()).collect())
    }

    /// Whether a word in lower case is left out.
    pub fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The words, in order.
    pub fn sorted(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.0.iter().map(String::as_str).collect();
        words.sort_unstable();
        words
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no word is left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Default for StopWords {
    fn default() -> Self {
        Self::english()
    }
}

const ENGLISH: &str = "
    a an the this that these those such same other another each every any some all both either neither few more most no nor not
    only own
    i me my mine myself we us our ours ourselves you your yours he him his she her hers it its itself they them their
    theirs themselves
    am is are was were be been being have has had having do does did doing done can could may might must shall should will would
    about above after against among at before below between by down during for from in into of off on onto out over
    through to toward under until up upon with within without
    and but or if so than then there here because as while though although however also too very just
    what which who whom whose when where why how
";
