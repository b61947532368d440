//! Gold pairs: a table of answers that are known to be right.

use std::collections::HashMap;
use std::path::Path;

use super::answers::{Found, read_found};
use crate::data::{Answer, Entry, Gold, ItemId, Items};
use crate::{InputError, Result};

/// Reads gold pairs: a table of answers about pairs, in any of the forms of [`read_answers`](super::read_answers). A strength, a
/// probability and votes count as what they favour.
///
/// # Errors
/// As [`read_answers`](super::read_answers), or if there is no answer, one is not about two items, or two say otherwise of the same
/// pair.
pub fn read_gold(path: impl AsRef<Path>, items: &Items) -> Result<Gold> {
    let path = path.as_ref();
    let Found { log, lines, .. } = read_found(path, items)?;
    let mut seen: HashMap<(ItemId, ItemId), (Answer, u64)> = HashMap::new();
    let mut pairs = Vec::with_capacity(lines.len());
    for (entry, &line) in log.entries().iter().zip(&lines) {
        let wrong =
            |found: &str, expected: String| InputError::new(path, expected).line(line).column("outcome").found(found);
        let said = match entry {
            Entry::Answer(answer) => answer,
            Entry::Undo { .. } => {
                return Err(wrong("undo", "an answer about two items".into()).hint("delete both lines").into());
            }
        };
        let word = said.outcome.to_string();
        let (Some(second), Some(plain)) = (said.second, said.outcome.plain()) else {
            let error = wrong(&word, "what is known of two items: first, second or tie".into());
            return Err(error.hint("gold says which of two items is better").into());
        };
        let key = (said.first.min(second), said.first.max(second));
        let turned = said.first > second;
        let plain = if turned { plain.turned() } else { plain };
        match seen.get(&key) {
            Some((before, _)) if before.outcome == plain => {}
            Some((before, earlier)) => {
                let known = if turned { before.outcome.turned() } else { before.outcome };
                let error = wrong(&word, format!("\"{known}\", which line {earlier} says of the same pair"));
                return Err(error.hint("one of the two lines is wrong: delete it").into());
            }
            None => {
                seen.insert(key, (Answer { outcome: plain, ..said.clone() }, line));
                pairs.push((said.first, second, said.outcome));
            }
        }
    }
    if pairs.is_empty() {
        let error = InputError::new(path, "at least one answer that is known to be right").found("only a header");
        return Err(error.hint("write one line per pair, or leave gold out").into());
    }
    Gold::new(pairs)
}
