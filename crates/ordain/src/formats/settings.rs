//! Walks a TOML file by hand, so that every error has its line, its key and a suggestion.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::kernel::{Key, Takes};
use crate::words::suggestion;
use crate::{Error, InputError, Result, Vocabulary};

/// The text of a TOML file.
#[derive(Clone, Copy)]
pub(crate) struct Document<'a> {
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
}

impl<'a> Document<'a> {
    pub(crate) fn parse(self) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let found = self.text.get(span.clone()).unwrap_or_default();
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            let wrong = InputError::new(self.path, "valid TOML").line(self.line(&span)).hint(message);
            Error::from(if found.trim().is_empty() { wrong } else { wrong.found(found) })
        })
    }

    pub(crate) fn line(&self, span: &Range<usize>) -> u64 {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1
    }

    pub(crate) fn error(&self, span: &Range<usize>, key: &str, expected: impl Into<String>) -> InputError {
        InputError::new(self.path, expected).line(self.line(span)).column(key)
    }
}

/// A value and its place.
#[derive(Clone)]
pub(crate) struct Placed<T> {
    pub(crate) value: T,
    pub(crate) span: Range<usize>,
}

/// One table of the file.
#[derive(Clone, Copy)]
pub(crate) struct Section<'a> {
    pub(crate) document: Document<'a>,
    pub(crate) table: &'a DeTable<'a>,
}

impl<'a> Section<'a> {
    /// Fails at the first unknown key.
    pub(crate) fn check_keys(&self, known: &[&str]) -> Result<()> {
        let unknown = self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
        let name: &str = key.get_ref();
        let mut error = self.document.error(&key.span(), name, "a known key").found(name);
        error.hint = suggestion(name, known.iter().copied());
        Err(error.into())
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: impl Into<String>) -> InputError {
        let span = value.span();
        let found = self.document.text.get(span.clone()).unwrap_or_default();
        self.document.error(&span, key, expected).found(found)
    }

    /// An error about the value of a key, or about a missing key.
    pub(crate) fn reject(&self, key: &str, expected: impl Into<String>) -> InputError {
        match self.table.get(key) {
            Some(value) => self.wrong(key, value, expected),
            None => InputError::new(self.document.path, expected).column(key),
        }
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<Placed<&'a str>>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        match value.get_ref().as_str() {
            Some(text) if !text.is_empty() => Ok(Some(Placed { value: text, span: value.span() })),
            _ => Err(self.wrong(key, value, "a text in quotation marks").into()),
        }
    }

    /// A word of a vocabulary.
    pub(crate) fn word<T: Vocabulary>(&self, key: &str) -> Result<Option<T>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let value = text.value.parse();
        value.map(Some).map_err(|unknown: Error| {
            let mut error = self.document.error(&text.span, key, "a known word").found(text.value);
            error.hint = unknown.hint().map(str::to_owned);
            error.into()
        })
    }

    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        value.get_ref().as_bool().map(Some).ok_or_else(|| self.wrong(key, value, "true or false").into())
    }

    /// A whole number within bounds.
    pub(crate) fn whole(&self, key: &str, least: u64, most: u64) -> Result<Option<u64>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let number = value.get_ref().as_integer().and_then(|integer| {
            u64::from_str_radix(integer.as_str(), integer.radix()).ok().filter(|n| (least..=most).contains(n))
        });
        let expected = || match most {
            u64::MAX => format!("a whole number of at least {least}"),
            most => format!("a whole number from {least} to {most}"),
        };
        number.map(Some).ok_or_else(|| self.wrong(key, value, expected()).into())
    }

    /// The number of a key, in the range that it has, or its usual value.
    pub(crate) fn number(&self, key: &Key) -> Result<f64> {
        match key.takes {
            Takes::Positive { usual } => Ok(self.positive(key.name)?.unwrap_or(usual)),
            Takes::NotNegative { usual } => Ok(self.not_negative(key.name)?.unwrap_or(usual)),
            _ => unreachable!("{} is no number", key.name),
        }
    }

    /// A finite number above 0.
    pub(crate) fn positive(&self, key: &str) -> Result<Option<f64>> {
        self.table.get(key).map(|value| self.above_zero(key, value)).transpose()
    }

    /// A finite number above 0, or this word, which becomes `None`.
    pub(crate) fn positive_or(&self, key: &str, word: &str) -> Result<Option<Option<f64>>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        if value.get_ref().as_str() == Some(word) {
            return Ok(Some(None));
        }
        let number = number(value.get_ref()).filter(|number| *number > 0.0);
        let wrong = || self.wrong(key, value, format!("a finite number above 0, or \"{word}\"")).hint(example(key));
        number.map(|number| Some(Some(number))).ok_or_else(|| wrong().into())
    }

    /// A finite number that is not below 0.
    pub(crate) fn not_negative(&self, key: &str) -> Result<Option<f64>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let number = number(value.get_ref()).filter(|number| *number >= 0.0);
        let wrong = || self.wrong(key, value, "a finite number of at least 0").hint(example(key));
        number.map(Some).ok_or_else(|| wrong().into())
    }

    /// One finite number above 0, or an array of them.
    pub(crate) fn positives(&self, key: &str) -> Result<Option<Numbers>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        match value.get_ref().as_array() {
            None => self.above_zero(key, value).map(|one| Some(Numbers::One(one))),
            Some(array) => {
                let many = array.iter().map(|element| self.above_zero(key, element)).collect::<Result<_>>()?;
                Ok(Some(Numbers::Many(many)))
            }
        }
    }

    /// An array of finite numbers.
    pub(crate) fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let Some(array) = value.get_ref().as_array() else {
            return Err(self.wrong(key, value, "an array of finite numbers").into());
        };
        let finite = |element: &Spanned<DeValue<'_>>| {
            number(element.get_ref()).ok_or_else(|| self.wrong(key, element, "a finite number").into())
        };
        array.iter().map(finite).collect::<Result<Vec<_>>>().map(Some)
    }

    fn above_zero(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<f64> {
        let number = number(value.get_ref()).filter(|number| *number > 0.0);
        number.ok_or_else(|| self.wrong(key, value, "a finite number above 0").hint(example(key)).into())
    }

    pub(crate) fn texts(&self, key: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let Some(array) = value.get_ref().as_array() else {
            return Err(self.wrong(key, value, "an array of texts").into());
        };
        let text = |element: &Spanned<DeValue<'_>>| {
            let text = element.get_ref().as_str().map(str::to_owned);
            text.ok_or_else(|| self.wrong(key, element, "a text in quotation marks").into())
        };
        array.iter().map(text).collect::<Result<Vec<_>>>().map(Some)
    }

    /// A table within this one.
    pub(crate) fn section(&self, key: &str) -> Result<Option<Section<'a>>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        match value.get_ref().as_table() {
            Some(table) => Ok(Some(Section { document: self.document, table })),
            None => Err(self.wrong(key, value, format!("a table [{key}]")).into()),
        }
    }

    /// An array of tables within this one, each with its place.
    pub(crate) fn sections(&self, key: &str) -> Result<Vec<Placed<Section<'a>>>> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        let Some(array) = value.get_ref().as_array() else {
            return Err(self.wrong(key, value, format!("tables [[{key}]] with two brackets")).into());
        };
        let mut out = Vec::with_capacity(array.len());
        for element in array.iter() {
            match element.get_ref().as_table() {
                Some(table) => {
                    let section = Section { document: self.document, table };
                    out.push(Placed { value: section, span: element.span() });
                }
                None => return Err(self.wrong(key, element, format!("a table [[{key}]]")).into()),
            }
        }
        Ok(out)
    }
}

fn example(key: &str) -> String {
    format!("write for example {key} = 0.5, or leave the key out for its default")
}

/// One number or several.
#[derive(Clone)]
pub(crate) enum Numbers {
    One(f64),
    Many(Vec<f64>),
}

/// A finite number, whole or not.
fn number(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Float(float) => float.as_str().parse().ok()?,
        DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix()).ok()? as f64,
        _ => return None,
    };
    f64::is_finite(number).then_some(number)
}
