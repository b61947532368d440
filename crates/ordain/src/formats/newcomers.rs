//! Newcomers of a project: items that its files do not have, read in the same way.
//!
//! A newcomer's attributes and prior columns are put on the scale of the known items, so that those keep their prior. They are
//! standardized with the means and deviations of the project's items (of the newcomer's group, if there are groups). In
//! a project with `missing = "mean"`, a missing number gets the project's mean. Newcomers of an unknown group are
//! standardized among themselves, as if they stood in the project's table.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::items::{self, ItemsSpec, items_filled};
use super::project::{ProjectFile, Targets, use_attributes};
use super::relations::read_links;
use super::table::Table;
use crate::data::{Attributes, Items, Lookup, Newcomers, Relation};
use crate::kernel::KernelSpec;
use crate::words::suggestion;
use crate::{InputError, Result};

/// A file of links that involve newcomers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLinks {
    /// The relation, by its file as the project names it, or by the file's name alone. It may be left out if there is
    /// only one.
    pub relation: Option<String>,
    /// The file, in any format of a relation.
    pub file: PathBuf,
}

/// The items of a project, which newcomers join.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The items.
    pub items: &'a Items,
    /// The relations.
    pub relations: &'a [Relation],
    /// The parts of the utility.
    pub kernels: &'a [KernelSpec],
}

impl ProjectFile {
    /// Reads newcomers from a table with the columns of the project's items, and their links.
    ///
    /// Columns of attributes are needed only if a kernel uses attributes, those of the prior always, that of names never. Links may join newcomers to known items and
    /// to each other. Relations without new links stay as they are.
    ///
    /// # Errors
    /// If a file cannot be read or does not say what it should, an id is known already in its group, a link involves no newcomer,
    /// or it is not plain which relation the links are of; the error names the place.
    pub fn newcomers<'a>(&self, known: Known<'a>, file: impl AsRef<Path>, links: &[NewLinks]) -> Result<Newcomers<'a>> {
        let table = Table::read_with(file.as_ref(), self.reading.spec.header)?;
        let newcomers = self.read_newcomers(known, &table)?;
        let items = if use_attributes(known.kernels) {
            known.items.joined(&newcomers)?
        } else {
            known.items.clone().with_attributes(Attributes::none(known.items.len()))?.joined(&newcomers)?
        };
        let relations = self.enlarged_relations(known, &items, &table, links)?;
        Newcomers::new(known.items, known.relations, items, relations)
    }

    fn read_newcomers(&self, Known { items, kernels, .. }: Known<'_>, table: &Table) -> Result<Items> {
        let known = items.attributes();
        let used = use_attributes(kernels);
        let attributes = if used { known.names().to_vec() } else { Vec::new() };
        let own = &self.reading.spec;
        // A newcomer without a name is shown by its id.
        let name = own.name.clone().filter(|name| table.columns().contains(name));
        let spec = ItemsSpec { name, attributes: Some(attributes), ..own.clone() };
        let (prior, marks) = (&self.reading.prior, &self.reading.marks);
        let of_attributes = used.then_some(items::Known { means: &self.reading.means, marks: &marks.attributes });
        let of_prior = items::Known { means: &prior.means, marks: &marks.prior };
        let newcomers = items_filled(table, &spec, [of_attributes, Some(of_prior)])?.items;
        check_unknown(table, &self.reading.spec.id, items, &newcomers)?;
        let newcomers = match (newcomers.prior().cloned(), &prior.scale) {
            (Some(own), Some(scale)) => {
                let scale = scale.for_newcomers(items.groups(), own.columns(), newcomers.groups());
                let scaled = own.scaled(&scale, newcomers.groups());
                newcomers.with_prior(Some(scaled))?
            }
            _ => newcomers,
        };
        match &self.reading.scale {
            Some(scale) if used => {
                let groups = newcomers.groups();
                let scale = scale.for_newcomers(items.groups(), newcomers.attributes(), groups);
                let scaled = newcomers.attributes().scaled(&scale, groups);
                newcomers.with_attributes(scaled)
            }
            _ => Ok(newcomers),
        }
    }

    /// The relations with the newcomers' links.
    fn enlarged_relations(
        &self,
        known: Known<'_>,
        items: &Items,
        table: &Table,
        links: &[NewLinks],
    ) -> Result<Vec<Relation>> {
        let mut files: Vec<Option<&Path>> = vec![None; known.relations.len()];
        for links in links {
            let relation = self.relation_named(links)?;
            for (own, _) in files.iter_mut().zip(self.link_files()).filter(|(_, file)| *file == Some(relation)) {
                if own.replace(&links.file).is_some() {
                    let error = InputError::new(&links.file, "one file of links per relation");
                    return Err(error.hint("write the links of one relation into one file").into());
                }
            }
        }
        let mut out = Vec::with_capacity(known.relations.len());
        for ((relation, targets), file) in known.relations.iter().zip(&self.reading.targets).zip(files) {
            let (things, mut count) = match targets {
                Targets::Items => (None, items.len()),
                Targets::Things(things) => (Some(things), relation.targets()),
                Targets::Words(reading) => {
                    let known = self.other.joined(&reading.columns);
                    out.push(reading.relation(&known, &texts(table, &reading.columns)?)?);
                    continue;
                }
            };
            let mut all = relation.links().to_vec();
            if let Some(file) = file {
                let (fresh, _) = read_links(file, items, known.items.len(), things.cloned())?;
                all.extend(fresh.links());
                count = fresh.targets();
            }
            out.push(Relation::bipartite(items.len(), count, all)?);
        }
        Ok(out)
    }

    /// The file of links of each relation; none for the words of texts.
    fn link_files(&self) -> impl Iterator<Item = Option<&PathBuf>> {
        let files = self.relations.iter().zip(&self.reading.targets);
        files.map(|(file, targets)| (!matches!(targets, Targets::Words(_))).then_some(file))
    }

    /// The file of the relation to which links belong.
    fn relation_named(&self, links: &NewLinks) -> Result<&PathBuf> {
        let known: Vec<&PathBuf> = {
            let mut seen = HashSet::new();
            self.link_files().flatten().filter(|file| seen.insert(*file)).collect()
        };
        let name = |file: &Path| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names: Vec<String> = known.iter().map(|file| name(file)).collect();
        let Some(wanted) = &links.relation else {
            return match known.as_slice() {
                [only] => Ok(only),
                [] => Err(InputError::new(&self.path, "a kernel with a relation, since there are links of new items")
                    .hint("leave the links out, or add a [[kernel]] that names a relation")
                    .into()),
                _ => Err(InputError::new(&links.file, "the name of the relation of the links")
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

/// Checks that the project does not have the ids of newcomers, which stand in the rows of a table.
pub(super) fn check_unknown(table: &Table, id_column: &str, known: &Items, newcomers: &Items) -> Result<()> {
    for (row, item) in newcomers.iter().enumerate() {
        let (id, group) = (newcomers.id(item), newcomers.group_name(item));
        if known.find(id, group) != Lookup::Unknown {
            let expected = "the id of an item that the project does not have";
            let error = InputError::new(table.path(), expected).line(table.line(row)).column(id_column).found(id);
            return Err(error.hint("delete the line, or give the new item an id of its own").into());
        }
    }
    Ok(())
}

/// The cells of some columns, joined by line feeds, for every row.
fn texts(table: &Table, columns: &[String]) -> Result<Vec<String>> {
    let columns = columns.iter().map(|name| table.column(name)).collect::<Result<Vec<usize>>>()?;
    let text = |row: usize| columns.iter().map(|&column| table.cell(row, column)).collect::<Vec<_>>().join("\n");
    Ok((0..table.len()).map(text).collect())
}
