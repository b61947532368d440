//! Items that were not there when the answers were given.

use super::{Attributes, Groups, ItemId, Items, Relation};
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
/// let all = Relation::new(3, vec![link, Link { source: 2, target: 0, weight: 1.0 }])?;
/// let newcomers = Newcomers::new(&known, &relations, &Items::from_ids(["c"])?, vec![all])?;
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
    /// Newcomers with their links. Their attributes are on the scale of the known items' ([`super::Scale::for_newcomers`]).
    /// `relations` are the known ones, each with further links at its end: links that involve a newcomer, whose numbers
    /// follow those of the known items.
    ///
    /// # Errors
    /// If an id stands twice in a group, the two sets of items differ in their attributes or in whether they have groups,
    /// or a relation does not begin with the known links or goes on with one that involves no newcomer.
    pub fn new(
        known: &'a Items,
        known_relations: &'a [Relation],
        newcomers: &Items,
        relations: Vec<Relation>,
    ) -> Result<Self> {
        let items = join(known, newcomers)?;
        if relations.len() != known_relations.len() {
            return Err(Error::Data {
                what: "the relations of newcomers",
                found: relations.len().to_string(),
                expected: format!("{}, one a known relation", known_relations.len()),
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

    /// All links, those of each relation among the known items first.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// All items and nothing else.
    pub fn into_items(self) -> Items {
        self.items
    }
}

/// The known items, then the newcomers.
fn join(known: &Items, newcomers: &Items) -> Result<Items> {
    let (left, right) = (known.attributes(), newcomers.attributes());
    if left.names() != right.names() {
        return Err(Error::Data {
            what: "the attributes of newcomers",
            found: right.names().join(", "),
            expected: format!("those of the known items: {}", left.names().join(", ")),
        });
    }
    if known.groups().is_some() != newcomers.groups().is_some() {
        return Err(Error::Data {
            what: "the groups of newcomers",
            found: if known.groups().is_some() { "none" } else { "some" }.into(),
            expected: "groups just if the known items have some".into(),
        });
    }
    let count = known.len() + newcomers.len();
    let rows = (0..known.len()).map(|item| left.row(item)).chain((0..newcomers.len()).map(|item| right.row(item)));
    let values = rows.flatten().copied().collect();
    let attributes = Attributes::new(left.names().to_vec(), count, values)?;
    let groups_of = |items: &'_ Items| -> Vec<String> {
        (0..items.len()).filter_map(|item| items.group_name(ItemId::new(item)).map(str::to_owned)).collect()
    };
    let groups = known.groups().map(|_| Groups::new(groups_of(known).into_iter().chain(groups_of(newcomers))));
    let ids = known.ids().iter().chain(newcomers.ids()).cloned().collect();
    Items::new(ids, groups, attributes)
}

/// Whether a relation is the known one and links that involve newcomers.
fn check_links(relation: &Relation, known: &Relation, (first, count): (usize, usize)) -> Result<()> {
    let wrong =
        |found: String, expected: String| Err(Error::Data { what: "the relations of newcomers", found, expected });
    if relation.items() != count {
        return wrong(format!("links from {} items", relation.items()), format!("{count}, newcomers included"));
    }
    if relation.targets() < known.targets() || relation.links().get(..known.links().len()) != Some(known.links()) {
        return wrong("other links among the known items".into(), "the known links first, as they are".into());
    }
    let idle = |link: &&super::Link| (link.source as usize) < first && (link.target as usize) < known.targets();
    match relation.links()[known.links().len()..].iter().find(idle) {
        Some(link) => wrong(
            format!("a link from {} to {}", link.source, link.target),
            "links that involve a newcomer after the known ones".into(),
        ),
        None => Ok(()),
    }
}
