//! Newcomers of a project: items that its files do not have, read as those were.
//!
//! A newcomer's attributes are put on the scale of the known items, so that those keep their prior: standardized by the means
//! and deviations that the project's own were (of the newcomer's group, where there are groups), and an empty cell of a
//! project with `missing = "mean"` is the project's mean. Newcomers of a group that the project does not have are
//! standardized among themselves, as they would be if they stood in its table.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::items::{ItemsSpec, items_filled};
use super::project::{Project, use_attributes};
use super::relations::read_links;
use super::table::Table;
use crate::data::{Attributes, Items, Lookup, Newcomers, Relation};
use crate::words::suggestion;
use crate::{InputError, Result};

/// A file of links that involve newcomers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLinks {
    /// The relation, by its file as the project names it, or that file's name alone; may be left out where there is one.
    pub relation: Option<String>,
    /// The file, in any format of a relation.
    pub file: PathBuf,
}

impl Project {
    /// Reads newcomers from a table with the columns of the project's items, and their links.
    ///
    /// Columns of attributes are needed just if some kernel looks at attributes. Links may join newcomers to known items and to each
    /// other; relations without new links stay as they are.
    ///
    /// # Errors
    /// If a file cannot be read or does not say what it should, an id is known already in its group, a link involves no newcomer,
    /// or it is not plain which relation the links are of; the error names the place.
    pub fn newcomers(&self, file: impl AsRef<Path>, links: &[NewLinks]) -> Result<Newcomers<'_>> {
        let table = Table::read(file)?;
        let newcomers = self.read_newcomers(&table)?;
        let items = if use_attributes(&self.kernels) {
            self.items.joined(&newcomers)?
        } else {
            self.items.clone().with_attributes(Attributes::none(self.items.len()))?.joined(&newcomers)?
        };
        let relations = self.enlarged_relations(&items, links)?;
        Newcomers::new(&self.items, &self.relations, items, relations)
    }

    fn read_newcomers(&self, table: &Table) -> Result<Items> {
        let known = self.items.attributes();
        let used = use_attributes(&self.kernels);
        let attributes = if used { known.names().to_vec() } else { Vec::new() };
        let spec = ItemsSpec { attributes: Some(attributes), ..self.reading.spec.clone() };
        let newcomers = items_filled(table, &spec, Some(&self.reading.means))?.items;
        for (row, item) in newcomers.iter().enumerate() {
            let (id, group) = (newcomers.id(item), newcomers.group_name(item));
            if self.items.find(id, group) != Lookup::Unknown {
                let expected = "the id of an item that the project does not have";
                let error = InputError::new(table.path(), expected).line(table.line(row)).column(&spec.id).found(id);
                return Err(error.hint("delete the line, or give the new item an id of its own").into());
            }
        }
        match &self.reading.scale {
            Some(scale) if used => {
                let groups = newcomers.groups();
                let scale = scale.for_newcomers(self.items.groups(), newcomers.attributes(), groups);
                let scaled = newcomers.attributes().scaled(&scale, groups);
                newcomers.with_attributes(scaled)
            }
            _ => Ok(newcomers),
        }
    }

    /// The relations with the newcomers' links.
    fn enlarged_relations(&self, items: &Items, links: &[NewLinks]) -> Result<Vec<Relation>> {
        let mut files: Vec<Option<&Path>> = vec![None; self.relations.len()];
        for links in links {
            let relation = self.relation_named(links)?;
            for (own, _) in files.iter_mut().zip(&self.relation_files).filter(|(_, file)| *file == relation) {
                if own.replace(&links.file).is_some() {
                    let error = InputError::new(&links.file, "one file of links a relation");
                    return Err(error.hint("write the links of one relation into one file").into());
                }
            }
        }
        let mut out = Vec::with_capacity(self.relations.len());
        for ((known, things), file) in self.relations.iter().zip(&self.reading.things).zip(files) {
            let mut all = known.links().to_vec();
            let mut targets = if things.is_some() { known.targets() } else { items.len() };
            if let Some(file) = file {
                let (fresh, _) = read_links(file, items, self.items.len(), things.clone())?;
                all.extend(fresh.links());
                targets = fresh.targets();
            }
            out.push(Relation::bipartite(items.len(), targets, all)?);
        }
        Ok(out)
    }

    /// The file of the relation that links are of.
    fn relation_named(&self, links: &NewLinks) -> Result<&PathBuf> {
        let known: Vec<&PathBuf> = {
            let mut seen = HashSet::new();
            self.relation_files.iter().filter(|file| seen.insert(*file)).collect()
        };
        let name = |file: &Path| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names: Vec<String> = known.iter().map(|file| name(file)).collect();
        let Some(wanted) = &links.relation else {
            return match known.as_slice() {
                [only] => Ok(only),
                [] => Err(InputError::new(&self.file, "a kernel with a relation, since there are links of new items")
                    .hint("leave the links out, or add a [[kernel]] that names a relation")
                    .into()),
                _ => Err(InputError::new(&links.file, "the relation that the links are of")
                    .hint(format!(
                        "there are {}: write for example {}={}",
                        names.join(", "),
                        names[0],
                        links.file.display()
                    ))
                    .into()),
            };
        };
        let mut same = known.iter().filter(|file| ***file == self.folder.join(wanted) || name(file) == *wanted);
        match (same.next(), same.next()) {
            (Some(file), None) => Ok(file),
            (Some(_), Some(_)) => Err(InputError::new(&links.file, "the relation with its folder")
                .found(wanted)
                .hint("several relations have this file name: write it as in the project file")
                .into()),
            (None, _) => {
                let mut error = InputError::new(&links.file, "a relation of the project").found(wanted);
                error.hint = suggestion(wanted, names.iter().map(String::as_str));
                Err(error.into())
            }
        }
    }
}
