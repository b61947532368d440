//! The paths that a Rust file names, found among its tokens: enough of the language for `use` trees and paths in code.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A file and what it names.
pub struct Source {
    pub path: PathBuf,
    /// The module that it holds.
    pub module: Vec<String>,
    /// The paths that are not under `#[cfg(test)]`; those into the same crate begin with `crate`.
    pub named: Vec<Named>,
    /// The names that it re-exports, and the first part of the path of each.
    pub exported: BTreeMap<String, String>,
    /// The modules under `#[cfg(test)]` that are in files of their own.
    pub tests: Vec<Vec<String>>,
}

/// A path that a file names.
pub struct Named {
    pub path: Vec<String>,
    /// From 1.
    pub line: usize,
}

/// An identifier, `::`, or one other character.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    line: usize,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.text.starts_with(is_word)
    }
}

impl Source {
    pub fn parse(path: PathBuf, module: Vec<String>, text: &str) -> Self {
        let tokens = tokens(text);
        let mut source = Self { path, module, named: Vec::new(), exported: BTreeMap::new(), tests: Vec::new() };
        let mut reader = Reader { tokens: &tokens, at: 0, modules: Vec::new(), depth: 0, standard: BTreeMap::new() };
        while reader.at < tokens.len() {
            reader.step(&mut source);
        }
        // After `use std::io`, `io::stdin` is `std::io::stdin`.
        for named in &mut source.named {
            if let Some(start) = reader.standard.get(&named.path[0]) {
                named.path.splice(..1, start.iter().cloned());
            }
        }
        source
    }
}

/// Walks over the tokens.
struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// The modules that are open, and how many braces were when each was opened.
    modules: Vec<(String, usize)>,
    depth: usize,
    /// The names that `use` lines give to parts of the standard library, and their paths.
    standard: BTreeMap<String, Vec<String>>,
}

impl<'a> Reader<'a> {
    /// The text of the token so many places further; empty beyond the end.
    fn text(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text)
    }

    fn word(&self, ahead: usize) -> Option<&'a str> {
        self.tokens.get(self.at + ahead).filter(|token| token.is_word()).map(|token| token.text)
    }

    /// Whether the next tokens are these.
    fn reads(&self, texts: &[&str]) -> bool {
        texts.iter().zip(0..).all(|(text, ahead)| self.text(ahead) == *text)
    }

    fn step(&mut self, source: &mut Source) {
        if self.reads(&["#", "[", "cfg", "(", "test", ")", "]"]) {
            self.at += 7;
            self.skip_item(source);
        } else if self.reads(&["use"]) {
            self.at += 1;
            let mut leaves = Vec::new();
            self.tree(&mut Vec::new(), &mut leaves);
            for (path, name, line) in leaves {
                if let (Some(first), true) = (path.first(), self.modules.is_empty()) {
                    source.exported.insert(name.clone(), first.clone());
                }
                if path.len() > 1 && path[0] == "std" {
                    self.standard.insert(name, path.clone());
                }
                source.named.push(Named { path: self.absolute(path, &source.module), line });
            }
        } else if self.reads(&["mod"]) && self.text(2) == "{" {
            self.modules.push((self.text(1).to_owned(), self.depth));
            self.depth += 1;
            self.at += 3;
        } else if self.text(1) == "::" && self.word(0).is_some() && !self.follows_path() {
            let line = self.tokens[self.at].line;
            let mut path = vec![self.text(0).to_owned()];
            self.at += 1;
            while self.text(0) == "::"
                && let Some(word) = self.word(1)
            {
                path.push(word.to_owned());
                self.at += 2;
            }
            source.named.push(Named { path: self.absolute(path, &source.module), line });
        } else {
            if let (Some(name), "!", "(" | "[" | "{") = (self.word(0), self.text(1), self.text(2)) {
                source.named.push(Named { path: vec![format!("{name}!")], line: self.tokens[self.at].line });
            }
            match self.text(0) {
                "{" => self.depth += 1,
                "}" => {
                    self.depth = self.depth.saturating_sub(1);
                    self.modules.pop_if(|(_, depth)| *depth == self.depth);
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether the word at hand goes on with a path, or is a method.
    fn follows_path(&self) -> bool {
        self.at > 0 && matches!(self.tokens[self.at - 1].text, "::" | ".")
    }

    /// Reads a `use` tree up to its end; its leaves are a path, the name it gets and its line.
    fn tree(&mut self, path: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, String, usize)>) {
        let length = path.len();
        if self.text(0) == "::" {
            self.at += 1;
        }
        loop {
            let line = self.tokens.get(self.at).map_or(0, |token| token.line);
            match self.text(0) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.text(0), "}" | "") {
                        self.tree(path, leaves);
                        if self.text(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    break;
                }
                // The star, or a word.
                part => {
                    self.at += 1;
                    if part != "self" || path.is_empty() {
                        path.push(part.to_owned());
                    }
                    if self.text(0) == "::" {
                        self.at += 1;
                        continue;
                    }
                    let mut name = path.last().cloned().unwrap_or_default();
                    if self.text(0) == "as" {
                        name = self.text(1).to_owned();
                        self.at += 2;
                    }
                    leaves.push((path.clone(), name, line));
                    break;
                }
            }
        }
        path.truncate(length);
    }

    /// The path from the crate's root, if it is one into the crate.
    fn absolute(&self, path: Vec<String>, module: &[String]) -> Vec<String> {
        let relative = path.iter().take_while(|part| *part == "self" || *part == "super").count();
        if relative == 0 {
            return path;
        }
        let up = path[..relative].iter().filter(|part| *part == "super").count();
        let mut here: Vec<String> = module.to_vec();
        here.extend(self.modules.iter().map(|(name, _)| name.clone()));
        here.truncate(here.len().saturating_sub(up));
        here.insert(0, "crate".into());
        here.extend_from_slice(&path[relative..]);
        here
    }

    /// Passes over an item: to its semicolon, or over its braces. A module without braces is a file of tests.
    fn skip_item(&mut self, source: &mut Source) {
        let mut depth = 0_usize;
        let mut module = None;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "mod" if depth == 0 => module = self.word(1),
                "(" | "[" | "{" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                ";" if depth == 0 => {
                    if let Some(name) = module {
                        let mut path = source.module.clone();
                        path.extend(self.modules.iter().map(|(name, _)| name.clone()));
                        path.push(name.to_owned());
                        source.tests.push(path);
                    }
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

/// The tokens of a file, without comments, strings, characters and lifetimes.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => 1 + string(&rest[1..]),
            '\'' => character_or_lifetime(rest),
            _ if is_word(first) => {
                let word = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
                match raw_string(&rest[..word], &rest[word..]) {
                    Some(more) => word + more,
                    None => {
                        tokens.push(Token { text: &rest[..word], line });
                        word
                    }
                }
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
                tokens.push(Token { text: &rest[..length], line });
                length
            }
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

/// The length of a comment that may hold others.
fn block_comment(text: &str) -> usize {
    let (mut at, mut open) = (0, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (at, open) = (at + 2, open + 1);
        } else if rest.starts_with("*/") {
            (at, open) = (at + 2, open - 1);
            if open == 0 {
                return at;
            }
        } else {
            match rest.chars().next() {
                Some(letter) => at += letter.len_utf8(),
                None => return at,
            }
        }
    }
}

/// The length of the rest of a string, with the closing mark.
fn string(text: &str) -> usize {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return at + 1,
            '\\' => {
                letters.next();
            }
            _ => {}
        }
    }
    text.len()
}

/// The length of what stands after the prefix of a raw string, as in `r#"..."#`; nothing if the word is no such prefix.
fn raw_string(prefix: &str, text: &str) -> Option<usize> {
    if !matches!(prefix, "r" | "br" | "cr") {
        return None;
    }
    let signs = text.len() - text.trim_start_matches('#').len();
    let inside = text[signs..].strip_prefix('"')?;
    let closing = format!("\"{}", &text[..signs]);
    let length = inside.find(&closing).map_or(inside.len(), |at| at + closing.len());
    Some(signs + 1 + length)
}

/// The length of `'x'` or `'\n'`, or else of the mark alone, which begins a lifetime.
fn character_or_lifetime(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => text[3..].find('\'').map_or(text.len(), |at| at + 4),
        Some(_) => match letters.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}
