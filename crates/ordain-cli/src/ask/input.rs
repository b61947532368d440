//! The judge's input: single keys on a terminal, whole lines from anywhere else.

use std::collections::HashSet;
use std::io::{self, BufRead, IsTerminal, Read, Write};

use super::terminal::{Raw, next_byte, stop, watch_signals};
use crate::{Failure, output};

/// The source of the judge's words.
pub struct Input {
    /// Whether keys are read one by one, without Enter.
    keys: bool,
}

impl Input {
    /// Standard input. If it is a terminal, signals are watched from now on, because they must not leave it raw.
    pub fn new() -> Result<Self, Failure> {
        let keys = io::stdin().is_terminal() && io::stdout().is_terminal();
        if keys {
            let failed = |source| ordain::Error::Io { action: "watch for", path: "signals".into(), source };
            watch_signals().map_err(failed)?;
        }
        Ok(Self { keys })
    }

    /// Whether the input is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.keys
    }

    /// Reads one of these words, or its first letter; `None` at the end of the input. If two words begin alike, as 1 and 10 do, a key
    /// alone does not say which: then a terminal too is read by lines. The first `offered` words are shown; the others are understood.
    pub fn choose<T: Copy>(&self, words: &[(&str, T)], offered: usize) -> Result<Option<T>, Failure> {
        let keys = self.keys && differ_at_once(words);
        let offered = &words[..offered];
        let shown: Vec<String> = offered.iter().map(|(word, _)| bracketed(word)).collect();
        loop {
            if self.keys {
                let mut out = io::stdout().lock();
                write!(out, "{}", output::fitted(&format!("{}: ", shown.join(" "))))?;
                out.flush()?;
            }
            let said = if keys { pressed() } else { line(io::stdin().lock()) }.map_err(unreadable)?;
            let chosen = said.as_deref().and_then(|said| find(said, words));
            if keys {
                output::text(chosen.map_or("", |(word, _)| word))?;
            }
            match (said, chosen) {
                (None, _) => return Ok(None),
                (_, Some((_, choice))) => return Ok(Some(choice)),
                (Some(said), None) => output::text(format!(
                    "\"{}\" is none of {}",
                    output::cut(&said, 20),
                    offered.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")
                ))?,
            }
        }
    }
}

fn unreadable(source: io::Error) -> Failure {
    Failure::Library(ordain::Error::Io { action: "read", path: "standard input".into(), source })
}

/// The first letter of a word.
fn first_letter(word: &str) -> &str {
    word.split_at(word.chars().next().map_or(0, char::len_utf8)).0
}

/// Whether all words have different first letters.
fn differ_at_once<T>(words: &[(&str, T)]) -> bool {
    let firsts: HashSet<&str> = words.iter().map(|(word, _)| first_letter(word)).collect();
    firsts.len() == words.len()
}

/// A word with its first letter in brackets.
fn bracketed(word: &str) -> String {
    let first = first_letter(word);
    format!("[{first}]{}", &word[first.len()..])
}

/// The word that was typed in full or by its first letter, in upper or lower case.
fn find<'a, T: Copy>(said: &str, words: &[(&'a str, T)]) -> Option<(&'a str, T)> {
    let whole = words.iter().find(|(word, _)| said.eq_ignore_ascii_case(word));
    let mut first = words.iter().filter(|(word, _)| said.eq_ignore_ascii_case(first_letter(word)));
    // A letter that begins several words says none of them.
    whole.or_else(|| first.next().filter(|_| first.next().is_none())).copied()
}

/// The next line that is not blank. A line longer than any word is no word, whatever it begins or ends with. Its
/// beginning is returned, with an ellipsis.
fn line(mut input: impl BufRead) -> io::Result<Option<String>> {
    const LONGEST: usize = 1 << 12;
    loop {
        let mut bytes = Vec::new();
        if input.by_ref().take(LONGEST as u64).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes);
        if bytes.len() == LONGEST && !bytes.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            return Ok(Some(format!("{}…", text.trim())));
        }
        if !text.trim().is_empty() {
            return Ok(Some(text.trim().to_owned()));
        }
    }
}

/// The next key of the terminal.
fn pressed() -> io::Result<Option<String>> {
    let _raw = Raw::begin()?;
    key(next_byte)
}

/// The next key: its letter, or the word of an arrow. `None` if the judge quits (Ctrl-C, Ctrl-D).
fn key(mut next: impl FnMut() -> io::Result<Option<u8>>) -> io::Result<Option<String>> {
    const INTERRUPT: u8 = 3;
    const END: u8 = 4;
    const STOP: u8 = 26;
    const ESCAPE: u8 = 27;
    let arrow = |letter: Option<u8>| match letter {
        Some(b'D') => Some("left".to_owned()),
        Some(b'C') => Some("right".to_owned()),
        _ => None,
    };
    let mut byte = next()?;
    loop {
        byte = match byte {
            None | Some(INTERRUPT | END) => return Ok(None),
            Some(STOP) => {
                stop()?;
                next()?
            }
            Some(ESCAPE) => {
                let (key, then) = match next()? {
                    // An arrow is an escape, a bracket and a letter; in some modes an O instead of the bracket.
                    Some(b'[') => sequence(&mut next)?,
                    Some(b'O') => (next()?, None),
                    // The escape key alone, and then another key.
                    other => (None, Some(other)),
                };
                if let Some(word) = arrow(key) {
                    return Ok(Some(word));
                }
                match then {
                    Some(byte) => byte,
                    None => next()?,
                }
            }
            Some(byte) if byte.is_ascii_graphic() => return Ok(Some(char::from(byte).into())),
            // Enter, spaces and letters that start no word.
            Some(_) => next()?,
        };
    }
}

/// The rest of a key's sequence after an escape and a bracket (ECMA-48, 5.4): its last byte if it has no parameters,
/// and the byte that broke it off if one did.
fn sequence(next: &mut impl FnMut() -> io::Result<Option<u8>>) -> io::Result<(Option<u8>, Option<Option<u8>>)> {
    let mut plain = true;
    loop {
        match next()? {
            Some(0x20..=0x3f) => plain = false,
            // The console of Linux has a second bracket before the letter of a function key.
            Some(b'[') if plain => return next().map(|_| (None, None)),
            Some(last @ 0x40..=0x7e) => return Ok((plain.then_some(last), None)),
            other => return Ok((None, Some(other))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{differ_at_once, find, key, line};

    #[test]
    fn words_and_their_first_letters() {
        let words = [("left", 1), ("right", 2), ("undo", 3)];
        let number = |said| find(said, &words).map(|(_, number)| number);
        assert_eq!([number("left"), number("R"), number("Undo")], [Some(1), Some(2), Some(3)]);
        assert_eq!([number("le"), number("lefty"), number(""), number("é")], [None; 4]);
        let grades = [("9", 9), ("10", 10), ("1", 1), ("20", 20), ("21", 21)];
        let number = |said| find(said, &grades).map(|(_, number)| number);
        assert_eq!([number("1"), number("10"), number("9"), number("0")], [Some(1), Some(10), Some(9), None]);
        assert_eq!([number("2"), number("21")], [None, Some(21)], "a digit that begins two grades is neither");
        assert!(!differ_at_once(&grades) && differ_at_once(&words));
    }

    /// All keys that these bytes are.
    fn keys(bytes: &[u8]) -> Vec<String> {
        let mut bytes = bytes.iter().copied();
        std::iter::from_fn(|| key(|| Ok(bytes.next())).unwrap()).collect()
    }

    #[test]
    fn keys_are_letters_and_arrows() {
        assert_eq!(keys(b"lr\n t"), ["l", "r", "t"]);
        assert_eq!(keys(b"\x1b[D\x1bOC\x1b[C"), ["left", "right", "right"]);
        assert_eq!(keys(b"l\x03r"), ["l"]);
    }

    #[test]
    fn escape_takes_no_other_key() {
        assert_eq!(keys(b"\x1blr"), ["l", "r"]);
        assert_eq!(keys(b"\x1b\x1b\x1bs"), ["s"]);
        assert_eq!(keys(b"\x1b\x1b[Du"), ["left", "u"]);
        assert_eq!(keys(b"\x1b\x04l"), [""; 0]);
        // Ctrl and an arrow, Delete, F1 of two terminals, up: no answers, and nothing is left of them.
        assert_eq!(keys(b"\x1b[1;5C\x1b[3~\x1bOP\x1b[[A\x1b[At"), ["t"]);
        assert_eq!(keys(b"\x1b[1\x1b[Dl"), ["left", "l"]);
    }

    /// All lines of this text.
    fn lines(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        std::iter::from_fn(|| line(&mut input).unwrap()).collect()
    }

    #[test]
    fn a_line_too_long_is_one_line() {
        assert_eq!(lines(" left \n\n\r\nright"), ["left", "right"]);
        for length in 4090..4100 {
            let said = lines(&format!("{}left\nright\n", " ".repeat(length)));
            let short = length + "left\n".len() <= 4096;
            assert!(if short { said[0] == "left" } else { said[0].ends_with('…') }, "{length}: {said:?}");
            assert_eq!(said[1..], ["right"]);
        }
        let said = lines(&format!("left{}right\nundo", "x".repeat(100_000)));
        assert!(said[0].starts_with("leftxx") && said[0].ends_with("x…") && said[1..] == ["undo"], "{said:?}");
    }
}
