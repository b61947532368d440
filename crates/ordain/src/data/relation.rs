//! Named sets of weighted links.

use crate::{Error, Result};

/// One link. The source is an item. The target is an item too, or another thing in a bipartite relation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The source.
    pub source: u32,
    /// The target.
    pub target: u32,
    /// The strength: finite and not negative.
    pub weight: f64,
}

/// Weighted links from items to items, or from items to other things. Links may repeat (their weights add up) and may
/// lead from an item to itself; each kernel says how it treats such links.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    items: usize,
    targets: usize,
    links: Vec<Link>,
}

impl Relation {
    /// Links among `items` items.
    ///
    /// # Errors
    /// If an end does not exist or a weight is negative or not finite.
    pub fn new(items: usize, links: Vec<Link>) -> Result<Self> {
        Self::bipartite(items, items, links)
    }

    /// Links from `items` items to `targets` other things.
    ///
    /// # Errors
    /// If an end does not exist or a weight is negative or not finite.
    pub fn bipartite(items: usize, targets: usize, links: Vec<Link>) -> Result<Self> {
        for link in &links {
            if link.source as usize >= items || link.target as usize >= targets {
                return Err(Error::Data {
                    what: "links",
                    found: format!("{} to {}", link.source, link.target),
                    expected: format!("ends below {items} and {targets}"),
                });
            }
            if !(link.weight.is_finite() && link.weight >= 0.0) {
                return Err(Error::Data {
                    what: "link weights",
                    found: link.weight.to_string(),
                    expected: "a finite number, at least 0".into(),
                });
            }
        }
        Ok(Self { items, targets, links })
    }

    /// The number of items from which links start.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The number of things to which links lead: the items themselves, unless the relation is bipartite.
    pub fn targets(&self) -> usize {
        self.targets
    }

    /// The links, as given.
    pub fn links(&self) -> &[Link] {
        &self.links
    }
}
