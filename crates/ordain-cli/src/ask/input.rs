//! The judge's input: single keys on a terminal, whole lines from anywhere else.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use crate::{Failure, output};

/// The source of the judge's words.
pub struct Input {
    /// Whether keys are read one by one, without Enter.
    keys: bool,
}

impl Input {
    /// Standard input.
    pub fn new() -> Self {
        Self { keys: io::stdin().is_terminal() && io::stdout().is_terminal() }
    }

    /// Whether the input is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.keys
    }

    /// Reads one of these words, or its first letter; `None` at the end of the input.
    pub fn choose<T: Copy>(&self, words: &[(&str, T)]) -> Result<Option<T>, Failure> {
        let shown: Vec<String> = words.iter().map(|(word, _)| bracketed(word)).collect();
        loop {
            if self.keys {
                let mut out = io::stdout().lock();
                write!(out, "{}: ", shown.join(" "))?;
                out.flush()?;
            }
            let said = if self.keys { key() } else { line() }.map_err(unreadable)?;
            let chosen = said.as_deref().and_then(|said| find(said, words));
            if self.keys {
                output::text(chosen.map_or("", |(word, _)| word))?;
            }
            match (said, chosen) {
                (None, _) => return Ok(None),
                (_, Some((_, choice))) => return Ok(Some(choice)),
                (Some(said), None) => output::text(format!(
                    "\"{}\" is none of {}",
                    output::cut(&said, 20),
                    words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")
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

/// A word with its first letter in brackets.
fn bracketed(word: &str) -> String {
    let first = first_letter(word);
    format!("[{first}]{}", &word[first.len()..])
}

/// The word that was typed in full or by its first letter, in upper or lower case.
fn find<'a, T: Copy>(said: &str, words: &[(&'a str, T)]) -> Option<(&'a str, T)> {
    let is = |word: &str| said.eq_ignore_ascii_case(word) || said.eq_ignore_ascii_case(first_letter(word));
    words.iter().find(|(word, _)| is(word)).copied()
}

/// The next line that is not blank. A line longer than any word is read in pieces, none of which is a word.
fn line() -> io::Result<Option<String>> {
    const LONGEST: u64 = 1 << 12;
    loop {
        let mut bytes = Vec::new();
        if io::stdin().lock().take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes);
        if !text.trim().is_empty() {
            return Ok(Some(text.trim().to_owned()));
        }
    }
}

/// The next key: its letter, or the word of an arrow. `None` if the judge quits (Ctrl-C, Ctrl-D).
fn key() -> io::Result<Option<String>> {
    const GO: [u8; 2] = [3, 4];
    const ESCAPE: u8 = 27;
    let _raw = Raw::begin()?;
    let mut input = io::stdin().lock();
    let mut byte = || -> io::Result<Option<u8>> {
        let mut byte = [0];
        Ok((input.read(&mut byte)? == 1).then_some(byte[0]).filter(|byte| !GO.contains(byte)))
    };
    loop {
        match byte()? {
            None => return Ok(None),
            // An arrow is an escape, a bracket and a letter.
            Some(ESCAPE) => match (byte()?, byte()?) {
                (None, _) | (_, None) => return Ok(None),
                (Some(b'[' | b'O'), Some(b'D')) => return Ok(Some("left".into())),
                (Some(b'[' | b'O'), Some(b'C')) => return Ok(Some("right".into())),
                _ => {}
            },
            Some(byte) if byte.is_ascii_graphic() => return Ok(Some(char::from(byte).into())),
            // Enter, spaces and letters that start no word.
            Some(_) => {}
        }
    }
}

/// While this lives, the terminal delivers every key at once. Dropping it restores the terminal.
struct Raw;

impl Raw {
    fn begin() -> io::Result<Self> {
        enable_raw_mode()?;
        Ok(Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // If the terminal is gone, there is nothing to restore.
        let _ = disable_raw_mode();
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn words_and_their_first_letters() {
        let words = [("left", 1), ("right", 2), ("undo", 3)];
        let number = |said| find(said, &words).map(|(_, number)| number);
        assert_eq!([number("left"), number("R"), number("Undo")], [Some(1), Some(2), Some(3)]);
        assert_eq!([number("le"), number("lefty"), number(""), number("é")], [None; 4]);
    }
}
