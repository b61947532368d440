//! The tables `[[kernel]]`.

use std::path::{Path, PathBuf};

use super::{check_exists, locate};
use crate::data::{Items, Relation};
use crate::error::listed;
use crate::formats::items::TextColumns;
use crate::formats::relations::{Things, read_links};
use crate::formats::settings::{Numbers, Placed, Section};
use crate::formats::text_model::TextModel;
use crate::kernel::{
    self, Causes, KernelKind, KernelSpec, KernelTable, Key, Over, RelationSpec, Rho, Role, Takes, text_relation,
};
use crate::text::{Analysis, IndexBuilder, Stemmer, Weighting};
use crate::words::suggestion;
use crate::{Error, InputError, Result};

/// The kernels of a project file. There must be at least one.
pub(super) fn kernel_sections<'a>(root: &Section<'a>) -> Result<Vec<Placed<Section<'a>>>> {
    let parts = root.sections("kernel")?;
    if parts.is_empty() {
        return Err(InputError::new(root.document.path, "at least one [[kernel]]")
            .hint("the simplest is [[kernel]] with kind = \"independent\"")
            .into());
    }
    Ok(parts)
}

/// Reads `[[kernel]]` tables and the relations they name.
pub(super) struct Kernels<'a> {
    pub folder: &'a Path,
    pub items: &'a Items,
    pub relations: Vec<Relation>,
    /// The items' columns of text, if items of this kind have any.
    pub texts: Option<&'a TextColumns>,
    /// The items' table.
    pub table: Option<&'a Path>,
    /// What the links of each relation lead to.
    pub targets: Vec<Targets>,
    /// The file of each relation.
    pub files: Vec<PathBuf>,
}

/// What the links of a relation lead to.
#[derive(Debug, Clone)]
pub(in crate::formats) enum Targets {
    /// Other items.
    Items,
    /// Other things, by name.
    Things(Things),
    /// The words of the items' texts, which newcomers are read with too.
    Words(TextReading),
}

/// How texts of items become rows of words.
#[derive(Debug, Clone)]
pub(in crate::formats) struct TextReading {
    /// The columns of text.
    pub columns: Vec<String>,
    analysis: Analysis,
    weighting: Weighting,
}

impl TextReading {
    /// The relation of the items to the words of their texts. Words of newcomers count as far as the items have them.
    pub fn relation(&self, known: &[String], newcomers: &[String]) -> Result<Relation> {
        let mut builder = IndexBuilder::new(self.analysis.clone());
        for (at, text) in known.iter().enumerate() {
            builder.add(at.to_string(), text.as_str())?;
        }
        text_relation(&builder.finish()?, &self.weighting, newcomers)
    }
}

impl<'a> Kernels<'a> {
    /// For items that have no texts.
    pub fn new(folder: &'a Path, items: &'a Items) -> Self {
        Self { folder, items, texts: None, table: None, relations: Vec::new(), targets: Vec::new(), files: Vec::new() }
    }

    pub fn read(&mut self, part: &Placed<Section<'_>>) -> Result<KernelSpec> {
        let section = &part.value;
        let Some(kind) = section.word::<KernelKind>("kind")? else {
            let names: Vec<&str> = KernelKind::all().iter().map(|kind| kind.name()).collect();
            let error = section.document.error(&part.span, "kind", "a key kind in every [[kernel]]");
            return Err(error.hint(format!("there are: {}", names.join(", "))).into());
        };
        let own = kind.keys().iter().map(|key| key.name);
        let known: Vec<&str> = ["kind", kernel::WEIGHT.name].into_iter().chain(own).collect();
        section.check_keys(&known)?;
        let weight = section.number(&kernel::WEIGHT)?;
        Ok(KernelSpec { weight, shape: kind.shape(&mut KernelPart { kernels: self, part })? })
    }

    /// The relation that a kernel names. It is read once for all kernels that read it in the same way.
    fn relation(&mut self, section: &Section<'_>, key: &Key, role: Option<&Key>) -> Result<Option<RelationSpec>> {
        let Some(file) = locate(section, self.folder, key.name)? else { return Ok(None) };
        let role = role.map(|key| section.word(key.name)).transpose()?.flatten().unwrap_or(Role::Undirected);
        check_exists(section, &file, key.name)?;
        let bipartite = role == Role::Bipartite;
        let mut known = self.files.iter().zip(&self.targets);
        let same = |(path, targets): (&PathBuf, &Targets)| {
            *path == file.value
                && match targets {
                    Targets::Items => !bipartite,
                    Targets::Things(_) => bipartite,
                    Targets::Words(_) => false,
                }
        };
        let relation = match known.position(same) {
            Some(known) => known,
            None => {
                let (relation, things) = read_links(&file.value, self.items, 0, bipartite.then(Things::new))?;
                self.add(relation, things.map_or(Targets::Items, Targets::Things), file.value)
            }
        };
        Ok(Some(RelationSpec { relation, role }))
    }

    /// Adds a relation, and returns its position.
    fn add(&mut self, relation: Relation, targets: Targets, file: PathBuf) -> usize {
        self.relations.push(relation);
        self.targets.push(targets);
        self.files.push(file);
        self.relations.len() - 1
    }

    /// How a kernel reads the items' texts, and the texts.
    fn reading(&self, section: &Section<'_>, [columns, model, stem]: [&Key; 3]) -> Result<(TextReading, Vec<String>)> {
        let none = || {
            let error = section.reject("kind", "a kernel over other things than texts, as the items have none");
            Error::from(error.hint("give the items' table a column of text, or use another kind"))
        };
        let texts = self.texts.filter(|texts| !texts.names().is_empty()).ok_or_else(none)?;
        let names = section.texts(columns.name)?.unwrap_or_else(|| texts.names().to_vec());
        let known = texts.names().iter().map(String::as_str);
        for name in &names {
            if texts.get(name).is_none() {
                let error = section.reject(columns.name, "columns of text of the items' table").found(name);
                let hint = suggestion(name, known.clone());
                return Err(error.hint(hint.unwrap_or_else(|| format!("there are: {}", listed(texts.names())))).into());
            }
        }
        if names.is_empty() {
            return Err(section
                .reject(columns.name, "at least one column")
                .hint("leave the key out for all columns of text")
                .into());
        }
        let model_file = locate(section, self.folder, model.name)?;
        let stemmer = section.text(stem.name)?;
        let (analysis, weighting) = match (model_file, stemmer) {
            (Some(_), Some(_)) => {
                let error = section.reject(stem.name, format!("no key {} beside it", model.name));
                return Err(error.hint("delete the key: the model says how words are stemmed").into());
            }
            (Some(file), None) => {
                check_exists(section, &file, model.name)?;
                let model = TextModel::load(&file.value)?;
                (model.analysis, Weighting::Learned(model.curves))
            }
            (None, stemmer) => {
                let stemmer = stemmer.map(|text| {
                    text.value.parse().map_err(|_| {
                        let names: Vec<&str> = Stemmer::names().collect();
                        Error::from(section.reject(stem.name, format!("one of {}", names.join(", "))))
                    })
                });
                (Analysis { stem: stemmer.transpose()?, ..Analysis::default() }, Weighting::default())
            }
        };
        let joined = texts.joined(&names);
        Ok((TextReading { columns: names, analysis, weighting }, joined))
    }
}

/// One `[[kernel]]` table and its context.
struct KernelPart<'a, 'b> {
    kernels: &'a mut Kernels<'b>,
    part: &'a Placed<Section<'a>>,
}

impl KernelTable for KernelPart<'_, '_> {
    fn number(&self, key: &Key) -> Result<f64> {
        self.part.value.number(key)
    }

    fn whole(&self, key: &Key) -> Result<u32> {
        let Takes::Whole { least, most, usual } = key.takes else { unreachable!("{} is no whole number", key.name) };
        let value = self.part.value.whole(key.name, u64::from(least), u64::from(most))?;
        Ok(value.map_or(usual, |value| value as u32))
    }

    fn lengths(&self, key: &Key, over: Over) -> Result<Rho> {
        let (section, attributes) = (&self.part.value, self.kernels.items.attributes());
        let count = attributes.len();
        match (section.positives(key.name)?, over) {
            (Some(Numbers::One(rho)), _) => Ok(Rho::Shared(rho)),
            (Some(Numbers::Many(each)), Over::Attributes) if each.len() == count => Ok(Rho::Each(each)),
            (Some(Numbers::Many(_)), Over::Attributes) => {
                let names = listed(attributes.names());
                Err(section.reject(key.name, format!("one number, or {count}: one for each of {names}")).into())
            }
            (Some(Numbers::Many(_)), Over::Relation(_) | Over::Text(_)) => {
                Err(section.reject(key.name, "one number, as the vectors are rows of a relation").into())
            }
            (None, over) => Ok(Rho::usual(count, over)),
        }
    }

    fn causes(&self, key: &Key) -> Result<Causes> {
        Ok(self.part.value.word(key.name)?.unwrap_or(Causes::Edges))
    }

    fn links(&mut self, key: &Key, role: Option<&Key>) -> Result<RelationSpec> {
        self.kernels.relation(&self.part.value, key, role)?.ok_or_else(|| {
            let expected = format!("a key {}: the file of links", key.name);
            let error = self.part.value.document.error(&self.part.span, key.name, expected);
            error.hint(format!("write for example {} = \"links.csv\"", key.name)).into()
        })
    }

    fn over(&mut self, key: &Key, role: &Key) -> Result<Over> {
        let section = &self.part.value;
        match self.kernels.relation(section, key, Some(role))? {
            Some(relation) => Ok(Over::Relation(relation)),
            None if section.table.contains_key(role.name) => {
                let error = section.reject(role.name, format!("a key {} beside it", key.name));
                Err(error.hint(format!("delete the key, or name the file of links: {}", key.name)).into())
            }
            None if self.kernels.items.attributes().is_empty() => Err(no_attributes(section)),
            None => Ok(Over::Attributes),
        }
    }

    fn neighbours(&self, key: &Key, over: Over) -> Result<Option<(usize, f64)>> {
        /// Of `semi_supervised = { neighbours = 3, strength = 1.0 }`.
        const USUAL: (u64, f64) = (3, 1.0);
        let Some(inner) = self.part.value.section(key.name)? else { return Ok(None) };
        if over != Over::Attributes {
            let error = self.part.value.reject(key.name, "no such key, as neighbours are found by attributes");
            return Err(error.hint("delete it, or the relation").into());
        }
        inner.check_keys(&["neighbours", "strength"])?;
        let neighbours = inner.whole("neighbours", 1, u64::from(u32::MAX))?.unwrap_or(USUAL.0);
        Ok(Some((neighbours as usize, inner.positive("strength")?.unwrap_or(USUAL.1))))
    }

    fn texts(&mut self, columns: &Key, model: &Key, stem: &Key) -> Result<usize> {
        let (reading, texts) = self.kernels.reading(&self.part.value, [columns, model, stem])?;
        let relation = reading.relation(&texts, &[])?;
        let table = self.kernels.table.unwrap_or(self.kernels.folder).to_path_buf();
        Ok(self.kernels.add(relation, Targets::Words(reading), table))
    }
}

fn no_attributes(section: &Section<'_>) -> Error {
    section
        .reject("kind", "a kernel that needs no attributes, as the items have none")
        .hint("name a relation for it, give the items numeric columns, or use \"independent\"")
        .into()
}
