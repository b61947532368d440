//! Newcomers: items that were not there when the answers were given.

use super::{ItemId, Items, Link, Relation};
use crate::{Error, Result};

/// Newcomers beside the known items: one list of all items, the known ones first, and all links.
///
/// ```
/// use ordain::data::{Items, Link, Newcomers, Relation};
///
/// let known = Items::from_ids(["a", "b"])?;
/// let link = Link { source: 0, target: 1, weight: 1.0 };
/// let relations = [Relation::new(2, vec![link])?];
/// // A third item, which links to the first.
/// let items = known.joined(&Items::from_ids(["c"])?)?;
/// let all = Relation::new(3, vec![link, Link { source: 2, target: 0, weight: 1.0 }])?;
/// let newcomers = Newcomers::new(&known, &relations, items, vec![all])?;
/// assert_eq!(newcomers.items().ids(), ["a", "b", "c"]);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Newcomers<'a> {
    known: &'a Items,
    known_relations: &'a [Relation],
    items: Items,
    relations: Vec<Relation>,
}

impl<'a> Newcomers<'a> {
    /// Checks and joins the parts. `items` are all items, the known ones first ([`Items::joined`]), with attributes on
    /// the known ones' scale ([`super::Scale::for_newcomers`]) or none. `relations` are all links: each known relation,
    /// then further links, which must involve newcomers.
    ///
    /// # Errors
    /// If the items do not begin with the known ones, a relation does not begin with the known links, or a further link
    /// involves no newcomer.
    pub fn new(
        known: &'a Items,
        known_relations: &'a [Relation],
        items: Items,
        relations: Vec<Relation>,
    ) -> Result<Self> {
        if !begins_with(&items, known) {
            return Err(Error::Data {
                what: "the items with newcomers",
                found: "other items, attributes or priors".into(),
                expected: "the known items first, as they are".into(),
            });
        }
        if relations.len() != known_relations.len() {
            return Err(Error::Data {
                what: "the relations of newcomers",
                found: relations.len().to_string(),
                expected: format!("{}, one per known relation", known_relations.len()),
            });
        }
        for (relation, known_relation) in relations.iter().zip(known_relations) {
            check_links(relation, known_relation, (known.len(), items.len()))?;
        }
        Ok(Self { known, known_relations, items, relations })
    }

    /// The known items.
    pub fn known(&self) -> &'a Items {
        self.known
    }

    /// The known relations.
    pub fn known_relations(&self) -> &'a [Relation] {
        self.known_relations
    }

    /// All items, the known ones first.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// All links; in each relation, those among the known items come first.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// All items and nothing else.
    pub fn into_items(self) -> Items {
        self.items
    }
}

/// Whether the first items are the known ones.
fn begins_with(items: &Items, known: &Items) -> bool {
    let same = |item: ItemId| {
        items.id(item) == known.id(item)
            && items.group_name(item) == known.group_name(item)
            && (items.attributes().is_empty()
                || items.attributes().row(item.index()) == known.attributes().row(item.index()))
            && match (items.prior(), known.prior()) {
                (Some(all), Some(known)) => all.columns().row(item.index()) == known.columns().row(item.index()),
                (all, known) => all.is_some() == known.is_some(),
            }
    };
    items.len() >= known.len() && known.iter().all(same)
}

/// Fails unless a relation is the known one, followed by links that involve newcomers.
fn check_links(relation: &Relation, known: &Relation, (first, count): (usize, usize)) -> Result<()> {
    let wrong =
        |found: String, expected: String| Err(Error::Data { what: "the relations of newcomers", found, expected });
    if relation.items() != count {
        return wrong(format!("links from {} items", relation.items()), format!("{count}, newcomers included"));
    }
    if relation.targets() < known.targets() || relation.links().get(..known.links().len()) != Some(known.links()) {
        return wrong("other links among the known items".into(), "the known links first, as they are".into());
    }
    let idle = |link: &&Link| (link.source as usize) < first && (link.target as usize) < known.targets();
    match relation.links()[known.links().len()..].iter().find(idle) {
        Some(link) => wrong(
            format!("a link from {} to {}", link.source, link.target),
            "links that involve a newcomer after the known ones".into(),
        ),
        None => Ok(()),
    }
}
