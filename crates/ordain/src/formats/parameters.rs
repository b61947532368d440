//! Writing the parameters of kernels, the weights of the prior and `[ask]` back into a project file, and nothing else:
//! every other byte stays as it is.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::init::quoted;
use super::lock::{failed, open_locked};
use super::project::{ProjectFile, read_ask};
use super::settings::{Document, Section};
use super::source::read_text;
use super::whole::{clear, folder_of, write_whole};
use crate::data::{Ask, Goal, Prior, TIE_WIDTH};
use crate::kernel::{KernelKind, Parameter, ParameterName};
use crate::{Error, InputError, Result};

/// A parameter as it is written: to six significant digits, for people to read. Reports round parameters first, so that
/// they show the numbers of the file.
///
/// ```
/// use ordain::formats::rounded;
/// assert_eq!(rounded(0.123_456_789), 0.123457);
/// assert_eq!(rounded(1_234_567.0), 1_234_570.0);
/// ```
pub fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Writes parameters into the project file: weights, lengths, reaches, weights of the prior, the width of ties. They have the names of
/// [`crate::kernel::WeightedSum`], such as `kernel[0].weight`, `kernel[1].rho[3]`, `prior[0]` or `tie_width`, and are [`rounded`]. Keys
/// that the file lacks are added at the end of their table. Comments, order and everything else stay. The weights of a
/// prior are written all together or not at all.
///
/// The file is replaced in one step, so a reader sees the old one or the new one. It is replaced only if it is still
/// the text from which the project was read.
///
/// # Errors
/// If a name is not that of a number in a `[[kernel]]` table or of the prior, a value is not positive and finite, or a weight of the
/// prior not finite, some weights of the prior are left out, the file has changed since the project was opened, the new text would not read back as the values given, or it cannot be written. The file is then as it was.
pub fn write_parameters(project: &mut ProjectFile, values: &[Parameter]) -> Result<()> {
    let reads_back = |before: Section<'_>, after: Section<'_>| {
        let mut expected = settings_of(before.table);
        let (weights, others) = by_table(values);
        let key = |name: &str| if name == TIE_WIDTH { format!("answers.{name}") } else { name.to_owned() };
        expected.extend(others.iter().map(|parameter| (key(&parameter.name), written(parameter.value))));
        if !weights.is_empty() {
            expected.insert("items.prior_weights".into(), format!("{} elements", weights.len()));
        }
        let element = |(column, value): &(usize, f64)| (format!("items.prior_weights[{column}]"), written(*value));
        expected.extend(weights.iter().map(element));
        Ok(settings_of(after.table) == expected)
    };
    rewrite(project, |document| with_parameters(document, values), reads_back)
}

/// Writes `[ask]` into the project file: keys that differ from their default, and those that stand there already. Comments, order
/// and everything else stay.
///
/// # Errors
/// As [`write_parameters`].
pub fn write_ask(project: &mut ProjectFile, ask: &Ask) -> Result<()> {
    let others = |root: Section<'_>| {
        let mut settings = settings_of(root.table);
        settings.retain(|name, _| name != "ask" && !name.starts_with("ask."));
        settings
    };
    let reads_back = |before: Section<'_>, after: Section<'_>| {
        let read = after.section("ask")?.map_or_else(|| Ok(Ask::default()), read_ask)?;
        Ok(read == *ask && others(before) == others(after))
    };
    rewrite(project, |document| with_ask(document, ask), reads_back)
}

/// Replaces the text of the project file, if it still is what the project was read from, and the new text says what is meant.
fn rewrite(
    project: &mut ProjectFile,
    change: impl FnOnce(Document<'_>) -> Result<String>,
    reads_back: impl FnOnce(Section<'_>, Section<'_>) -> Result<bool>,
) -> Result<()> {
    let path = &project.path;
    // What a killed `init` left may be a second name of this very file, which could not be told from the living once it is locked.
    clear(folder_of(path));
    // Two processes that save at the same moment do so one after the other, and the second one sees that the text has changed. Some
    // file systems lock only what is open for writing.
    let _locked = open_locked(path, fs::OpenOptions::new().read(true).write(true))?;
    let before = fs::read(path).map_err(|source| failed("read", path, source))?;
    let text = read_text(path)?;
    if text != project.text {
        return Err(InputError::new(path, "the file as it was when the project was opened")
            .found("another text")
            .hint("it was changed meanwhile, and stays as it is: run the command again")
            .into());
    }
    let document = Document { path, text: &text };
    let after = change(document)?;
    let root = document.parse()?;
    let changed = Document { path, text: &after };
    let read = changed.parse().and_then(|changed_root| {
        let before = Section { document, table: root.get_ref() };
        reads_back(before, Section { document: changed, table: changed_root.get_ref() })
    });
    let wrong = match read {
        Ok(true) => None,
        Ok(false) => Some("other ones".to_owned()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(found) = wrong {
        return Err(InputError::new(path, "settings that read back as they were given")
            .found(found)
            .hint("the file stays as it is: give other values, or change it by hand")
            .into());
    }
    // A byte order mark is no part of the text.
    let mark: &[u8] = if before.starts_with(b"\xef\xbb\xbf") { b"\xef\xbb\xbf" } else { b"" };
    write_whole(path, |out| out.write_all(&[mark, after.as_bytes()].concat()))?;
    project.text = after;
    Ok(())
}

/// Every setting of a table by its full name, such as `kernel[1].rho[3]`.
fn settings_of(table: &DeTable<'_>) -> BTreeMap<String, String> {
    fn add(name: &str, value: &DeValue<'_>, out: &mut BTreeMap<String, String>) {
        let text = match value {
            DeValue::String(text) => quoted(text),
            DeValue::Integer(number) => format!("{} (base {})", number.as_str(), number.radix()),
            DeValue::Float(number) => number.as_str().to_owned(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(time) => time.to_string(),
            DeValue::Array(array) => {
                array.iter().enumerate().for_each(|(at, one)| add(&format!("{name}[{at}]"), one.get_ref(), out));
                format!("{} elements", array.len())
            }
            DeValue::Table(table) => {
                table.iter().for_each(|(key, one)| add(&format!("{name}.{}", key.get_ref()), one.get_ref(), out));
                return;
            }
        };
        out.insert(name.to_owned(), text);
    }
    let mut out = BTreeMap::new();
    table.iter().for_each(|(key, value)| add(key.get_ref(), value.get_ref(), &mut out));
    out
}

/// The text with this `[ask]`.
fn with_ask(document: Document<'_>, ask: &Ask) -> Result<String> {
    let root = document.parse()?;
    let section = Section { document, table: root.get_ref() }.section("ask")?;
    let default = Ask::default();
    let k = if let Goal::Top { k } = ask.goal { Some(k.to_string()) } else { None };
    // Every key with its value, and whether it must stand there.
    let wanted: [(&str, Option<String>, bool); 8] = [
        ("goal", Some(quoted(ask.goal.name())), ask.goal != default.goal),
        ("k", k, true),
        ("strategy", ask.strategy.as_deref().map(quoted), true),
        ("focus", ask.focus.map(|focus| format!("{focus:?}")), true),
        ("repeat", Some(ask.repeat.to_string()), ask.repeat != default.repeat),
        ("grades", Some(ask.grades.to_string()), ask.grades != default.grades),
        ("strengths", Some(ask.strengths.to_string()), ask.strengths != default.strengths),
        ("seed", Some(ask.seed.to_string()), ask.seed != default.seed),
    ];
    let text = document.text;
    let Some(section) = section else {
        let lines: String = wanted
            .into_iter()
            .filter_map(|(key, value, needed)| value.filter(|_| needed).map(|value| format!("{key} = {value}\n")))
            .collect();
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return Ok(if lines.is_empty() { text.to_owned() } else { format!("{text}{gap}\n[ask]\n{lines}") });
    };
    let span = ask_span(text, root.get_ref());
    if text[span.start..].starts_with('{') {
        let there = |key: &str| section.table.contains_key(key);
        let keys = wanted.into_iter().filter_map(|(key, value, needed)| {
            value.filter(|_| needed || there(key)).map(|value| format!("{key} = {value}"))
        });
        let inline = format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "));
        return Ok(spliced(text, vec![(span, inline)]));
    }
    // Keys of `ask.focus = 0.5` carry the name of their table.
    let prefix = if text[span.start..].starts_with('[') { "" } else { "ask." };
    let mut edits = Vec::new();
    for (key, value, needed) in wanted {
        match (section.table.get(key), value) {
            (Some(old), Some(value)) => edits.push((old.span(), value)),
            (Some(old), None) => edits.push((whole_line(text, &old.span()), String::new())),
            (None, Some(value)) if needed => {
                edits.push(addition(text, &format!("{prefix}{key}"), (section.table, &span), &value));
            }
            (None, _) => {}
        }
    }
    Ok(spliced(text, edits))
}

/// The text with these parameters.
fn with_parameters(document: Document<'_>, values: &[Parameter]) -> Result<String> {
    let root = document.parse()?;
    let root = Section { document, table: root.get_ref() };
    let kernels = root.sections("kernel")?;
    let (weights, others) = by_table(values);
    let mut edits = Vec::with_capacity(values.len());
    if !weights.is_empty() {
        edits.extend(prior_edits(&root, &weights)?);
    }
    for parameter in others {
        if !(parameter.value.is_finite() && parameter.value > 0.0) {
            let (name, value) = (parameter.name.clone(), parameter.value);
            return Err(Error::Parameter { name, value, expected: "a positive, finite number" });
        }
        if parameter.name == TIE_WIDTH {
            edits.push(width_edit(&root, parameter.value)?);
            continue;
        }
        let name = ParameterName::parse(&parameter.name).filter(|name| name.kernel < kernels.len());
        let name = name.ok_or_else(|| unknown(&parameter.name))?;
        let kernel = &kernels[name.kernel];
        let kind = kernel.value.word::<KernelKind>("kind")?;
        if !kind.is_some_and(|kind| kind.is_tunable(name.key)) {
            return Err(unknown(&parameter.name));
        }
        edits.push(edit(document.text, &name, (kernel.value.table, &kernel.span), parameter)?);
    }
    let names: HashSet<&str> = values.iter().map(|parameter| parameter.name.as_str()).collect();
    if names.len() < values.len() {
        let found = format!("{} values for {} parameters", values.len(), names.len());
        return Err(Error::Data { what: "the values of parameters", found, expected: "one per parameter".into() });
    }
    Ok(spliced(document.text, edits))
}

/// The weights of the prior by their columns, and the parameters of kernels.
fn by_table(values: &[Parameter]) -> (Vec<(usize, f64)>, Vec<&Parameter>) {
    let (mut weights, mut others) = (Vec::new(), Vec::new());
    for parameter in values {
        match Prior::column_of(&parameter.name) {
            Some(column) => weights.push((column, parameter.value)),
            None => others.push(parameter),
        }
    }
    (weights, others)
}

/// The edits that set all weights of the prior: of each number where they stand already, or of the whole key.
fn prior_edits(root: &Section<'_>, weights: &[(usize, f64)]) -> Result<Vec<(Range<usize>, String)>> {
    let section = root.section("items")?.ok_or_else(|| unknown(&Prior::parameter(0)))?;
    let count = section.texts("prior")?.map_or(0, |columns| columns.len());
    let mut numbers: Vec<Option<f64>> = vec![None; count];
    for &(column, value) in weights {
        let name = Prior::parameter(column);
        if !value.is_finite() {
            return Err(Error::Parameter { name, value, expected: "a finite number" });
        }
        *numbers.get_mut(column).ok_or_else(|| unknown(&name))? = Some(value);
    }
    let numbers = numbers.into_iter().enumerate();
    let all = numbers.map(|(at, one)| one.map(written).ok_or_else(|| missing_weight(at)));
    let all: Vec<String> = all.collect::<Result<_>>()?;
    let old = section.table.get("prior_weights");
    if let Some(array) = old.and_then(|old| old.get_ref().as_array()).filter(|array| array.len() == count) {
        return Ok(array.iter().zip(all).map(|(old, new)| (old.span(), new)).collect());
    }
    let text = root.document.text;
    let span = root.table.get("items").map_or(text.len()..text.len(), |value| value.span());
    // Keys of `items.file = "a.csv"` carry the name of their table.
    let prefix = if text[span.start..].starts_with(['[', '{']) { "" } else { "items." };
    let key = format!("{prefix}prior_weights");
    Ok(vec![addition(text, &key, (section.table, &span), &format!("[{}]", all.join(", ")))])
}

/// The edit that sets the width of ties.
fn width_edit(root: &Section<'_>, value: f64) -> Result<(Range<usize>, String)> {
    let (text, name) = (root.document.text, TIE_WIDTH);
    let section = root.section("answers")?.ok_or_else(|| unknown(name))?;
    if let Some(old) = section.table.get(name) {
        return Ok((old.span(), written(value)));
    }
    let span = root.table.get("answers").map_or(text.len()..text.len(), |value| value.span());
    // Keys of `answers.file = "a.csv"` carry the name of their table.
    let prefix = if text[span.start..].starts_with(['[', '{']) { "" } else { "answers." };
    Ok(addition(text, &format!("{prefix}{name}"), (section.table, &span), &written(value)))
}

fn missing_weight(column: usize) -> Error {
    Error::Data {
        what: "the weights of a prior",
        found: format!("no {}", Prior::parameter(column)),
        expected: "one per column".into(),
    }
}

/// The text with these places replaced.
fn spliced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    // From the end, so that places stay right; additions at one place keep their order.
    edits.sort_by_key(|(place, _)| place.start);
    let mut text = text.to_owned();
    for (place, new) in edits.into_iter().rev() {
        text.replace_range(place, &new);
    }
    text
}

/// The place of the table `[ask]`, which begins at its header or its brace; elsewhere if its keys are dotted.
fn ask_span(text: &str, root: &DeTable<'_>) -> Range<usize> {
    root.get("ask").map_or(text.len()..text.len(), |value| value.span())
}

/// The line on which a value stands, line feed included.
fn whole_line(text: &str, value: &Range<usize>) -> Range<usize> {
    let start = text[..value.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[value.end..].find('\n').map_or(text.len(), |at| value.end + at + 1);
    start..end
}

/// A number as it is written: the shortest text that reads back the same, and always a float.
fn written(value: f64) -> String {
    format!("{:?}", rounded(value))
}

/// The edit that sets a parameter: a place and its new text.
fn edit(
    text: &str,
    name: &ParameterName<'_>,
    (table, span): (&DeTable<'_>, &Range<usize>),
    parameter: &Parameter,
) -> Result<(Range<usize>, String)> {
    let number = written(parameter.value);
    let is_number = |value: &Spanned<DeValue<'_>>| matches!(value.get_ref(), DeValue::Float(_) | DeValue::Integer(_));
    if let Some((outer, key)) = name.key.split_once('.') {
        let inner = table.get(outer).and_then(|value| Some((value.get_ref().as_table()?, value.span())));
        let (inner, own) = inner.ok_or_else(|| unknown(&parameter.name))?;
        return match inner.get(key) {
            Some(value) if is_number(value) => Ok((value.span(), number)),
            Some(_) => Err(unknown(&parameter.name)),
            None if inner.is_empty() => Ok((own, format!("{{ {key} = {number} }}"))),
            None if text[own.start..].starts_with(['[', '{']) => Ok(addition(text, key, (inner, &own), &number)),
            // Keys of `semi_supervised.neighbours = 3` carry the name of their table.
            None => Ok(addition(text, name.key, (table, span), &number)),
        };
    }
    let place = match (table.get(name.key), name.element) {
        (None, None) => return Ok(addition(text, name.key, (table, span), &number)),
        (Some(value), None) => Some(value),
        (Some(value), Some(element)) => value.get_ref().as_array().and_then(|array| array.get(element)),
        (None, Some(_)) => None,
    };
    let place = place.filter(|value| is_number(value)).ok_or_else(|| unknown(&parameter.name))?;
    Ok((place.span(), number))
}

/// The edit that adds a key after the table's last one.
fn addition(
    text: &str,
    key: &str,
    (table, span): (&DeTable<'_>, &Range<usize>),
    number: &str,
) -> (Range<usize>, String) {
    // A table with a header of its own comes after all keys.
    let headed =
        |value: &Spanned<DeValue<'_>>| value.get_ref().is_table() && text[value.span().start..].starts_with('[');
    let end = table.values().filter(|value| !headed(value)).map(|value| value.span().end).max().unwrap_or(span.end);
    if text[span.start..].starts_with('{') {
        return (end..end, format!(", {key} = {number}"));
    }
    // After the comment behind it; with `\r\n` if the file has it.
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let (at, feed) = if text[..line_end].ends_with('\r') && line_end < text.len() {
        (line_end - 1, "\r\n")
    } else {
        (line_end, if text.contains("\r\n") { "\r\n" } else { "\n" })
    };
    (at..at, format!("{feed}{key} = {number}"))
}

fn unknown(name: &str) -> Error {
    Error::Data {
        what: "the name of a parameter",
        found: name.to_owned(),
        expected: "a number of a [[kernel]] table, of the prior, or tie_width, in the project file".into(),
    }
}
