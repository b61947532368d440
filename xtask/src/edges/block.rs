//! The block of allowed edges in ARCHITECTURE.md: a line each `name: name, name`, every name below those it may use.

use std::collections::BTreeSet;

const OPENING: &str = "```edges";
const CLOSING: &str = "```";

/// Stands for every name.
const EVERY: &str = "*";

/// Who may use what.
pub struct Block {
    /// Where it begins, from 1.
    line: usize,
    edges: Vec<Edges>,
}

/// A line of the block.
struct Edges {
    line: usize,
    from: String,
    to: Vec<String>,
}

impl Block {
    /// The block of a page, or the line that is wrong and what was expected there.
    pub fn parse(page: &str) -> Result<Self, (usize, String)> {
        let mut lines = page.lines().zip(1..);
        let Some((_, line)) = lines.find(|(text, _)| *text == OPENING) else {
            return Err((1, format!("expected a block that begins with {OPENING}")));
        };
        let mut edges = Vec::new();
        for (text, line) in lines.take_while(|(text, _)| *text != CLOSING) {
            let Some((from, to)) = text.split_once(':') else {
                return Err((line, format!("expected `name: name, name`, found `{text}`")));
            };
            let to = to.split(", ").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
            edges.push(Edges { line, from: from.to_owned(), to });
        }
        Ok(Self { line, edges })
    }

    /// Whether a line allows it.
    pub fn allows(&self, from: &str, to: &str) -> bool {
        let crate_ = to.split_once("::").map_or(to, |(crate_, _)| crate_);
        let mut lines = self.edges.iter();
        lines.any(|line| match line.from.as_str() {
            EVERY => line.to.iter().any(|name| name == to || to == format!("{}::{name}", super::LIBRARY)),
            name => name == from && line.to.iter().any(|name| name == to || (name == super::LIBRARY && name == crate_)),
        })
    }

    /// Lines that say nothing of the code, and what the code has that no line is about: it starts with the line's number.
    pub fn inconsistencies(&self, places: &BTreeSet<&str>, outside: &[&str]) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut above = BTreeSet::new();
        for Edges { line, from, to } in &self.edges {
            if from == EVERY {
                continue;
            }
            if !places.contains(from.as_str()) {
                wrong.push(format!("{line}: {from} is neither a folder of {} nor a crate", super::LIBRARY));
            }
            for name in to.iter().map(String::as_str) {
                let folder = name.strip_prefix(super::LIBRARY).map(|rest| rest.strip_prefix("::").unwrap_or(rest));
                let folder = folder.filter(|_| !places.contains(name)).unwrap_or(name);
                // The library as a whole has no line; its folders have.
                if !(folder.is_empty() || above.contains(folder) || outside.contains(&name)) {
                    wrong.push(format!("{line}: {from} may use {name}, which has no line above it"));
                }
            }
            if !above.insert(from.as_str()) {
                wrong.push(format!("{line}: a second line for {from}"));
            }
        }
        wrong.extend(places.difference(&above).map(|name| format!("{}: no line for {name}", self.line)));
        wrong
    }
}
