//! The kernels of a first project file.

use std::path::Path;

use super::super::relations::read_relation;
use super::columns::suggesting;
use super::files::{named, quoted};
use super::{Sketch, USUAL_OWN_WEIGHT, USUAL_WEIGHT, count, file_name};
use crate::Result;
use crate::data::Items;
use crate::kernel::Role;

pub(super) fn attributes_kernel(attributes: usize) -> String {
    format!(
        "\n# Items with similar attributes have similar utilities.\n[[kernel]]\nkind = \"squared-exponential\"\n\
         weight = {USUAL_WEIGHT:?}\nkappa = 1.0\nrho = {:?}  # inverse length: 1/sqrt(number of attributes)\n",
        1.0 / (attributes as f64).sqrt()
    )
}

pub(super) fn text_kernel(columns: &[String]) -> String {
    let columns: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    format!(
        "\n# Items whose texts share telling words have similar utilities.\n[[kernel]]\nkind = \"text\"\ncolumns = [{}]\n\
         weight = {USUAL_WEIGHT:?}\nstem = \"english\"  # strips the endings of words; delete it for other languages\n",
        columns.join(", ")
    )
}

/// A kernel over the links of a file, and what was understood of it. The ids of the items are from `origin`; `others`
/// are other readings of the items, each with the column of its ids.
pub(super) fn relation_kernel(
    sketch: &Sketch,
    file: &Path,
    items: &Items,
    origin: &str,
    others: &[(&str, Items)],
) -> Result<(String, String)> {
    let (role, relation) = match read_relation(file, items, false) {
        Ok(relation) => (Role::Undirected, relation),
        // Links from items to things that are not items lead to other things.
        Err(error) => match read_relation(file, items, true) {
            Ok(relation) => (Role::Bipartite, relation),
            Err(_) => return Err(suggesting(others, error, |items| read_relation(file, items, false).is_ok())),
        },
    };
    let roles = Role::all().iter().filter(|other| **other != role);
    let roles = roles.map(|other| format!("\"{other}\"")).collect::<Vec<_>>().join(", ");
    let says = if role == Role::Bipartite { "linked to the same things" } else { "linked to each other" };
    let text = format!(
        "\n# Items {says} have similar utilities.\n[[kernel]]\nkind = \"regularized-laplacian\"\nrelation = {}\n\
         as = \"{role}\"  # or {roles}\nweight = {USUAL_WEIGHT:?}\nbeta = 1.0\niota = 1.0\n",
        named(sketch, file)?
    );
    let (name, links) = (file_name(file), count(relation.links().len(), "link"));
    let line = match role {
        Role::Bipartite => {
            let things = count(relation.targets(), "other thing");
            format!("{name}: {links} from items, by {origin}, to {things}")
        }
        _ => format!("{name}: {links} between items, by {origin}"),
    };
    Ok((text, line))
}

pub(super) fn independent_kernel() -> String {
    format!(
        "\n# Each item's own part of the utility.\n[[kernel]]\nkind = \"independent\"\nweight = {USUAL_OWN_WEIGHT:?}\n"
    )
}
