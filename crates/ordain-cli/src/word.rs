//! The words of the library's vocabularies as values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ordain::Vocabulary;
use serde::Serializer;

/// A parser for an option whose values are the words of a vocabulary, each with its line of help.
pub fn parser<T: Vocabulary>() -> impl TypedValueParser<Value = T> {
    let value = |word: &T| PossibleValue::new(word.name()).help(word.description());
    PossibleValuesParser::new(T::all().iter().map(value)).try_map(|word| word.parse::<T>())
}

/// Writes a value of a vocabulary as its word.
pub fn serialize<T: Vocabulary, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}
