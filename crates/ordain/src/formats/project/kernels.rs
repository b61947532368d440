//! The tables `[[kernel]]`.

use std::path::{Path, PathBuf};

use super::{check_exists, locate};
use crate::data::{Items, Relation};
use crate::error::listed;
use crate::formats::relations::{Things, read_links};
use crate::formats::settings::{Numbers, Placed, Section};
use crate::kernel::{self, Causes, KernelKind, KernelSpec, KernelTable, Key, Over, RelationSpec, Rho, Role, Takes};
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
    /// The other things to which a relation's links lead, for each relation that has them.
    pub things: Vec<Option<Things>>,
    /// The file of each relation, and whether its targets are other things.
    pub files: Vec<(PathBuf, bool)>,
}

impl Kernels<'_> {
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
        let key = (file.value, role == Role::Bipartite);
        let relation = match self.files.iter().position(|known| *known == key) {
            Some(known) => known,
            None => {
                let (relation, things) = read_links(&key.0, self.items, 0, key.1.then(Things::new))?;
                self.relations.push(relation);
                self.things.push(things);
                self.files.push(key);
                self.relations.len() - 1
            }
        };
        Ok(Some(RelationSpec { relation, role }))
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
            (Some(Numbers::Many(_)), Over::Relation(_)) => {
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
}

fn no_attributes(section: &Section<'_>) -> Error {
    section
        .reject("kind", "a kernel that needs no attributes, as the items have none")
        .hint("name a relation for it, give the items numeric columns, or use \"independent\"")
        .into()
}
