//! Which folder of the library, and which crate, may use which others: the paths that the code names against the block
//! `edges` of ARCHITECTURE.md.
//!
//! A path counts wherever it stands, in a `use` line or within code. Comments, and so doc tests, do not count; neither do items
//! under `#[cfg(test)]` nor the folders `tests` and `benches`: a test may compare with anything.

mod block;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::step::Failure;
use block::Block;
use source::Source;

const PAGE: &str = "ARCHITECTURE.md";

/// The crate whose folders have edges of their own.
const LIBRARY: &str = "ordain";

/// What a folder of the library names only if the block says so: files, the network, other programs, the
/// environment, the clock, the standard streams, and the linear algebra whose API breaks with every release.
const GUARDED: [&str; 15] = [
    "faer",
    "std::env",
    "std::fs",
    "std::io::stderr",
    "std::io::stdin",
    "std::io::stdout",
    "std::net",
    "std::process::Command",
    "std::process::exit",
    "std::time",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "dbg!",
];

/// Checks the repository at `root`; a failure names every wrong edge by file and line.
pub fn check(root: &Path) -> Result<(), Failure> {
    let page = root.join(PAGE);
    let block = Block::parse(&read(&page)?).map_err(|(line, what)| Failure::new(format!("{PAGE}:{line}: {what}")))?;
    let workspace = Workspace::read(root)?;
    let mut wrong = block.inconsistencies(&workspace.places(), &GUARDED);
    wrong.iter_mut().for_each(|line| *line = format!("{PAGE}:{line}"));
    for member in &workspace.members {
        for file in &member.files {
            let shown = file.path.strip_prefix(root).unwrap_or(&file.path).display();
            // The library's root opens its rooms; the edges are theirs.
            let Some(place) = workspace.place(member, file) else { continue };
            for named in &file.named {
                let Some(target) = workspace.target(member, &named.path) else { continue };
                if target != place && !block.allows(place, &target) {
                    wrong.push(format!("{shown}:{}: {place} uses {target}", named.line));
                }
            }
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let failure = Failure::new(format!("the block `edges` of {PAGE} does not have:\n{}", wrong.join("\n")));
    Err(failure.repeat("cargo xtask edges"))
}

/// The crates and what they name.
struct Workspace {
    members: Vec<Member>,
    /// The folders of the library, and modules of one file, which stand directly in its `src`.
    folders: BTreeSet<String>,
    /// The folder of every name that the library's root re-exports.
    exported: BTreeMap<String, String>,
}

/// A crate.
struct Member {
    name: String,
    /// The files of its `src`, without those that are tests.
    files: Vec<Source>,
}

impl Workspace {
    fn read(root: &Path) -> Result<Self, Failure> {
        let mut members = Vec::new();
        for folder in quoted_in(&read(&root.join("Cargo.toml"))?, "members = [", "]") {
            let manifest = root.join(&folder).join("Cargo.toml");
            let name = quoted_in(&read(&manifest)?, "name = ", "\n").into_iter().next();
            let name = name.ok_or_else(|| Failure::new(format!("{}: no name", manifest.display())))?;
            members.push(Member { name, files: sources(&root.join(&folder).join("src"))? });
        }
        let library = members.iter().find(|member| member.name == LIBRARY);
        let library = library.ok_or_else(|| Failure::new(format!("Cargo.toml: no member {LIBRARY}")))?;
        let folders = library.files.iter().filter_map(|file| file.module.first().cloned()).collect();
        let top = library.files.iter().find(|file| file.module.is_empty());
        let exported = top.map_or_else(BTreeMap::new, |top| top.exported.clone());
        Ok(Self { members, folders, exported })
    }

    /// What the block must have a line for.
    fn places(&self) -> BTreeSet<&str> {
        let crates = self.members.iter().map(|member| member.name.as_str());
        self.folders.iter().map(String::as_str).chain(crates).filter(|&name| name != LIBRARY).collect()
    }

    /// Whose edges the paths of a file are.
    fn place<'a>(&self, member: &'a Member, file: &'a Source) -> Option<&'a str> {
        if member.name == LIBRARY { file.module.first().map(String::as_str) } else { Some(&member.name) }
    }

    /// What a path leads to, as the block calls it; nothing if no edge is needed for it.
    fn target(&self, from: &Member, path: &[String]) -> Option<String> {
        let (head, rest) = path.split_first()?;
        let inside = from.name == LIBRARY;
        if head == "crate" {
            return inside.then(|| self.folder(rest));
        }
        if let Some(member) = self.members.iter().find(|member| member.name.replace('-', "_") == *head) {
            return match member.name.as_str() {
                own if own == from.name => None,
                LIBRARY => Some(format!("{LIBRARY}::{}", self.folder(rest))),
                other => Some(other.to_owned()),
            };
        }
        let whole = path.join("::");
        let leads_to = |guarded: &&str| whole == *guarded || whole.starts_with(&format!("{guarded}::"));
        GUARDED.iter().copied().find(leads_to).filter(|&guarded| inside || guarded == "faer").map(str::to_owned)
    }

    /// The folder of the library that a path from its root leads to; the name itself if it leads to none, which no line allows.
    fn folder(&self, path: &[String]) -> String {
        let name = path.first().map_or("*", String::as_str);
        if self.folders.contains(name) {
            return name.to_owned();
        }
        self.exported.get(name).cloned().unwrap_or_else(|| format!("crate::{name}"))
    }
}

/// The words in quotation marks between two others.
fn quoted_in(text: &str, from: &str, to: &str) -> Vec<String> {
    let inside = text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map_or("", |(inside, _)| inside);
    inside.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The files of a crate that are no tests, with the paths that they name.
fn sources(src: &Path) -> Result<Vec<Source>, Failure> {
    let mut files = Vec::new();
    collect(src, &mut files)?;
    files.sort();
    let mut sources = Vec::new();
    for path in files {
        let module = module_of(path.strip_prefix(src).unwrap_or(&path));
        let text = read(&path)?;
        sources.push(Source::parse(path, module, &text));
    }
    let tests: Vec<Vec<String>> = sources.iter().flat_map(|source| source.tests.clone()).collect();
    sources.retain(|source| !tests.iter().any(|test| source.module.starts_with(test)));
    Ok(sources)
}

/// The Rust files under a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}", folder.display()));
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The module that a file of `src` holds: `gp/ep/mod.rs` and `gp/ep.rs` hold `gp::ep`.
fn module_of(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    let mut module: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let last = module.last().map(String::as_str);
    if last == Some("mod") || (module.len() == 1 && matches!(last, Some("lib" | "main"))) {
        module.pop();
    }
    module
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "# Map\n\n```edges\n*: error\nerror:\ndata:\ngp: data, std::fs\nlearn: data, gp\nfront: data, gp, learn\n\
                         ordain-tool: ordain\nordain-top: ordain::front, ordain-tool\n```\n";

    /// A workspace of three crates with these files beside those that make it whole, checked.
    fn checked(name: &str, block: &str, files: &[(&str, &str)]) -> Result<(), String> {
        let root = std::env::temp_dir().join(format!("ordain-edges-{}-{name}", std::process::id()));
        let mut all = BTreeMap::from([
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/ordain\", \"crates/tool\", \"crates/top\"]\n"),
            ("ARCHITECTURE.md", block),
            ("crates/ordain/Cargo.toml", "[package]\nname = \"ordain\"\n"),
            ("crates/tool/Cargo.toml", "[package]\nname = \"ordain-tool\"\n"),
            ("crates/top/Cargo.toml", "[package]\nname = \"ordain-top\"\n"),
            (
                "crates/ordain/src/lib.rs",
                "pub mod data;\npub use error::Error;\npub use front::{Model, other::Thing as It};\n",
            ),
            ("crates/ordain/src/error.rs", ""),
            ("crates/ordain/src/data/mod.rs", "use crate::Error;\n"),
            ("crates/ordain/src/gp/mod.rs", "use crate::data::{Items, answers::{self, Answer}};\n"),
            ("crates/ordain/src/learn.rs", "fn f() -> crate::gp::Belief { super::data::x() }\n"),
            ("crates/ordain/src/front/mod.rs", "use crate::{Error, data, gp};\n"),
            ("crates/tool/src/main.rs", "use ordain::gp::Belief;\n"),
            ("crates/top/src/lib.rs", "use ordain::{Error, Model};\nuse ordain_tool::x;\n"),
        ]);
        all.extend(files.iter().copied());
        for (path, text) in all {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let result = check(&root);
        fs::remove_dir_all(&root).unwrap();
        result.map_err(|failure| failure.to_string())
    }

    /// What is wrong with the workspace once a file says this.
    fn wrong(name: &str, path: &str, text: &str) -> Vec<String> {
        let Err(failure) = checked(name, BLOCK, &[(path, text)]) else { return Vec::new() };
        let mut lines: Vec<String> = failure.lines().map(str::to_owned).collect();
        assert_eq!(lines.remove(0), "the block `edges` of ARCHITECTURE.md does not have:");
        assert_eq!(lines.pop().unwrap(), "to repeat this step: cargo xtask edges");
        lines
    }

    #[test]
    fn this_project_has_no_other_edges() {
        if let Err(failure) = check(&crate::root()) {
            panic!("{failure}");
        }
    }

    #[test]
    fn the_made_up_one_neither() {
        checked("whole", BLOCK, &[]).unwrap();
    }

    #[test]
    fn a_wrong_edge_is_named_by_file_and_line() {
        let path = "crates/ordain/src/data/mod.rs";
        let cases = [
            ("use crate::Error;\n\nuse crate::gp::Belief;\n", "3: data uses gp"),
            ("use crate::{\n    Error,\n    gp::{self},\n};\n", "3: data uses gp"),
            ("use super::learn;\n", "1: data uses learn"),
            ("mod a {\n    mod b { use super::super::super::gp::X; }\n}\n", "2: data uses gp"),
            ("fn f() { let x = crate::gp::x(1); }\n", "1: data uses gp"),
            ("fn f<'a>(c: &'a str) { g('\\'', \"\\\"\", crate::gp::X) }\n", "1: data uses gp"),
            ("use crate::It;\n", "1: data uses front"),
            ("use crate::Nothing;\n", "1: data uses crate::Nothing"),
            ("use super::*;\n", "1: data uses crate::*"),
            ("use std::{io, fs::File};\n", "1: data uses std::fs"),
            ("fn f() { std::time::Instant::now(); }\n", "1: data uses std::time"),
            ("use faer;\n", "1: data uses faer"),
            ("use std::env;\n", "1: data uses std::env"),
            ("fn f() { std::env::var(\"HOME\"); }\n", "1: data uses std::env"),
            ("use std::io::{self, Write, stdout};\n", "1: data uses std::io::stdout"),
            ("fn f() { std::io::stderr().lock(); }\n", "1: data uses std::io::stderr"),
            ("use std::io::stdin;\n", "1: data uses std::io::stdin"),
            ("use std::io::{\n    self,\n};\nfn f() { io::stdin(); }\n", "4: data uses std::io::stdin"),
            ("fn f() { println!(\"{}\", 1) }\n", "1: data uses println!"),
            ("#[cfg(test)]\nmod tests { use crate::gp::X; }\nuse crate::gp::Y;\n", "3: data uses gp"),
        ];
        for (at, (text, expected)) in cases.into_iter().enumerate() {
            assert_eq!(wrong(&format!("edge-{at}"), path, text), [format!("{path}:{expected}")], "{text}");
        }
    }

    #[test]
    fn what_does_not_count() {
        let path = "crates/ordain/src/data/mod.rs";
        let texts = [
            "//! [`crate::gp`]\n/* use crate::gp; /* crate::gp::X */ crate::gp::Y */\n",
            "const A: &str = \"crate::gp::X\"; const B: &str = r#\"\" crate::gp::X\"#; const C: &[u8] = b\"crate::gp::X\";\n",
            "#[cfg(test)]\nmod tests {\n    use crate::gp::X;\n    fn f() { println!(); }\n}\n",
            "#[cfg(test)]\n#[expect(x)]\npub(crate) fn helper() -> [u8; 2] { crate::gp::x() }\n",
            "#[cfg(test)]\nuse crate::gp::{X, Y};\n",
            "use super::data::X;\nuse self::x::Y;\nuse std::io;\nfn f() { a.std::<u8>(); println; }\n",
        ];
        for (at, text) in texts.into_iter().enumerate() {
            assert_eq!(wrong(&format!("none-{at}"), path, text), [""; 0], "{text}");
        }
        // A module of tests in a file of its own.
        let files = [
            ("crates/ordain/src/data/mod.rs", "#[cfg(test)]\nmod tests;\n"),
            ("crates/ordain/src/data/tests.rs", "use crate::gp::X;\n"),
            ("crates/ordain/src/data/tests/deep.rs", "use crate::gp::X;\n"),
        ];
        checked("tests", BLOCK, &files).unwrap();
    }

    #[test]
    fn crates_have_edges_too() {
        let path = "crates/tool/src/main.rs";
        assert_eq!(wrong("crate", path, "use ordain_top::x;\n"), [format!("{path}:1: ordain-tool uses ordain-top")]);
        let path = "crates/top/src/lib.rs";
        let text = "use ordain::{Model, gp::Belief};\nuse std::fs;\nuse crate::x;\nuse faer::Mat;\n";
        let expected = [format!("{path}:1: ordain-top uses ordain::gp"), format!("{path}:4: ordain-top uses faer")];
        assert_eq!(wrong("folder", path, text), expected);
    }

    #[test]
    fn the_block_is_whole_and_in_order() {
        let of = |name: &str, from: &str, to: &str| {
            assert!(BLOCK.contains(from));
            checked(name, &BLOCK.replace(from, to), &[]).unwrap_err()
        };
        assert!(of("none", "```edges", "```").starts_with("ARCHITECTURE.md:1: expected a block"));
        assert!(of("colon", "data:\n", "data\n").starts_with("ARCHITECTURE.md:6: expected `name: "));
        assert!(of("gone", "data:\n", "").contains("ARCHITECTURE.md:3: no line for data"));
        assert!(of("extra", "data:\n", "data:\nmore: data\n").contains("ARCHITECTURE.md:7: more is neither"));
        assert!(of("twice", "data:\n", "data:\ndata:\n").contains("ARCHITECTURE.md:7: a second line for data"));
        let backwards = of("order", "data:\n", "data: gp\n");
        assert!(backwards.contains("ARCHITECTURE.md:6: data may use gp, which has no line above it"), "{backwards}");
    }
}
