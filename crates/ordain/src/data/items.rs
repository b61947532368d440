//! The items to be ordered.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{Attributes, Prior};
use crate::{Error, Result};

/// The position of an item in its [`Items`], from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId(pub u32);

impl ItemId {
    /// The item at a position.
    ///
    /// # Panics
    /// If there are more than `u32::MAX` items.
    #[expect(clippy::expect_used, reason = "no list of items is that long: `Items::new` refuses it")]
    pub fn new(position: usize) -> Self {
        Self(u32::try_from(position).expect("more than u32::MAX items"))
    }

    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A partition of the items. Only items of one group are compared with each other, such as a query's documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    names: Vec<String>,
    members: Vec<Vec<ItemId>>,
    of: Vec<u32>,
}

impl Groups {
    /// Groups from one name per item, numbered in order of first appearance.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut groups = Self { names: Vec::new(), members: Vec::new(), of: Vec::new() };
        for (item, name) in names.into_iter().enumerate() {
            let name = name.into();
            let number = *numbers.entry(name).or_insert_with_key(|name| {
                groups.names.push(name.clone());
                groups.members.push(Vec::new());
                (groups.names.len() - 1) as u32
            });
            groups.members[number as usize].push(ItemId::new(item));
            groups.of.push(number);
        }
        groups
    }

    /// The groups' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The group of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// The items of one group, ascending.
    pub fn members(&self, group: usize) -> &[ItemId] {
        &self.members[group]
    }

    /// How many items each group has.
    pub fn sizes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.members.iter().map(Vec::len)
    }

    /// The group of an item.
    pub fn of(&self, item: ItemId) -> usize {
        self.of[item.index()] as usize
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no group, as when there is no item.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// The result of looking up an item's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// The item.
    Found(ItemId),
    /// No item has this id.
    Unknown,
    /// Several groups have an item with this id, or several items have this name.
    Ambiguous(Vec<ItemId>),
}

impl Lookup {
    fn of(found: Vec<ItemId>) -> Self {
        match found[..] {
            [] => Self::Unknown,
            [item] => Self::Found(item),
            _ => Self::Ambiguous(found),
        }
    }
}

/// What people see of items in place of ids.
#[derive(Debug, Clone)]
struct Names {
    /// One per item; empty if the item has only an id.
    names: Vec<String>,
    /// Whether a name alone says which item of its group is meant: no other item is called so, by name or id.
    plain: Vec<bool>,
}

impl Names {
    fn new(names: Vec<String>, ids: &[String], groups: Option<&Groups>) -> Self {
        let group = |at: usize| groups.map(|groups| groups.of(ItemId::new(at)));
        let mut called: HashMap<(Option<usize>, &str), usize> = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            *called.entry((group(at), name)).or_default() += 1;
        }
        // Another item's id counts like its name; an item may have its own id as its name.
        for (at, id) in ids.iter().enumerate().filter(|(at, id)| names[*at] != **id) {
            if let Some(count) = called.get_mut(&(group(at), id.as_str())) {
                *count += 1;
            }
        }
        let alone = |(at, name): (usize, &String)| called.get(&(group(at), name.as_str())) == Some(&1);
        let plain = names.iter().enumerate().map(alone).collect();
        Self { names, plain }
    }
}

/// Items with ids, attributes, perhaps names and perhaps groups. Ids are unique within a group, or overall if there are no groups.
#[derive(Debug, Clone)]
pub struct Items {
    ids: Vec<String>,
    names: Option<Names>,
    groups: Option<Groups>,
    attributes: Attributes,
    prior: Option<Prior>,
    by_id: HashMap<String, Vec<ItemId>>,
}

impl Items {
    /// Items from their ids, groups and attributes.
    ///
    /// # Errors
    /// If an id is empty or occurs twice in a group, or the parts differ in length.
    pub fn new(ids: Vec<String>, groups: Option<Groups>, attributes: Attributes) -> Result<Self> {
        let n = ids.len();
        if n > u32::MAX as usize {
            return Err(Error::TooLarge {
                what: "a list of items".into(),
                size: n,
                limit: u32::MAX as usize,
                method: "an item number",
            });
        }
        if attributes.items() != n {
            return Err(mismatch("attributes", attributes.items(), n));
        }
        if let Some(groups) = &groups
            && groups.of.len() != n
        {
            return Err(mismatch("groups", groups.of.len(), n));
        }
        let mut by_id: HashMap<String, Vec<ItemId>> = HashMap::with_capacity(n);
        let mut seen = HashSet::with_capacity(n);
        for (position, id) in ids.iter().enumerate() {
            if id.is_empty() {
                return Err(Error::Data {
                    what: "item ids",
                    found: format!("an empty id at position {position}"),
                    expected: "an id".into(),
                });
            }
            let item = ItemId::new(position);
            if !seen.insert((groups.as_ref().map(|groups| groups.of(item)), id.as_str())) {
                return Err(Error::Data {
                    what: "item ids",
                    found: format!("\"{id}\" twice"),
                    expected: "each id once per group".into(),
                });
            }
            by_id.entry(id.clone()).or_default().push(item);
        }
        Ok(Self { ids, names: None, groups, attributes, prior: None, by_id })
    }

    /// Items that have only ids.
    ///
    /// # Errors
    /// If an id is empty or occurs twice.
    pub fn from_ids<S: Into<String>>(ids: impl IntoIterator<Item = S>) -> Result<Self> {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        let attributes = Attributes::none(ids.len());
        Self::new(ids, None, attributes)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// All items in order.
    pub fn iter(&self) -> impl Iterator<Item = ItemId> + use<> {
        (0..self.ids.len()).map(ItemId::new)
    }

    /// An item's id.
    pub fn id(&self, item: ItemId) -> &str {
        &self.ids[item.index()]
    }

    /// All ids in order.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The same items with names that people see in place of ids. Runs of blanks and line breaks in a name become one blank. An item
    /// whose name is empty has only its id.
    ///
    /// # Errors
    /// If the number of names differs from the number of items.
    pub fn with_names<S: AsRef<str>>(self, names: impl IntoIterator<Item = S>) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(|name| tidy(name.as_ref())).collect();
        if names.len() != self.len() {
            return Err(mismatch("names", names.len(), self.len()));
        }
        let names = Names::new(names, &self.ids, self.groups.as_ref());
        Ok(Self { names: Some(names), ..self })
    }

    /// The same items without names.
    pub fn without_names(self) -> Self {
        Self { names: None, ..self }
    }

    /// Whether items have names beside their ids.
    pub fn has_names(&self) -> bool {
        self.names.is_some()
    }

    /// An item's name, or its id if it has no name. Several items may have the same name.
    pub fn name(&self, item: ItemId) -> &str {
        let name = self.names.as_ref().map(|names| names.names[item.index()].as_str());
        name.filter(|name| !name.is_empty()).unwrap_or_else(|| self.id(item))
    }

    /// Whether the name of an item says which item of its group is meant.
    pub fn is_plain(&self, item: ItemId) -> bool {
        self.names.as_ref().is_none_or(|names| names.names[item.index()].is_empty() || names.plain[item.index()])
    }

    /// An item as people see it: its name, with the id behind it in brackets where another item is called the same.
    ///
    /// ```
    /// use ordain::data::{ItemId, Items};
    ///
    /// let films = Items::from_ids(["m1", "m2", "m3", "m4"])?.with_names(["Alien", "Solaris", "Solaris", ""])?;
    /// assert_eq!(films.iter().map(|film| films.label(film)).collect::<Vec<_>>(), ["Alien", "Solaris (m2)", "Solaris (m3)", "m4"]);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    pub fn label(&self, item: ItemId) -> Cow<'_, str> {
        if self.is_plain(item) {
            self.name(item).into()
        } else {
            format!("{} ({})", self.name(item), self.id(item)).into()
        }
    }

    /// As [`Items::label`], for a list: a name that holds a comma or a quotation mark stands in quotation marks.
    pub fn label_in_list(&self, item: ItemId) -> Cow<'_, str> {
        let name = quoted_in_list(self.name(item));
        if self.is_plain(item) { name } else { format!("{name} ({})", self.id(item)).into() }
    }

    /// The groups, if items have any.
    pub fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// How many items each group has; without groups, all items are one.
    pub fn group_sizes(&self) -> Vec<usize> {
        self.groups.as_ref().map_or_else(|| vec![self.len()], |groups| groups.sizes().collect())
    }

    /// The name of an item's group, if items have groups.
    pub fn group_name(&self, item: ItemId) -> Option<&str> {
        self.groups.as_ref().map(|groups| groups.names()[groups.of(item)].as_str())
    }

    /// How many items a group has on average.
    pub fn mean_group_size(&self) -> f64 {
        self.len() as f64 / self.groups.as_ref().map_or(1, Groups::len).max(1) as f64
    }

    /// The attributes.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The same items with other attributes, for example standardized ones.
    ///
    /// # Errors
    /// If the number of rows differs from the number of items.
    pub fn with_attributes(self, attributes: Attributes) -> Result<Self> {
        if attributes.items() != self.len() {
            return Err(mismatch("attributes", attributes.items(), self.len()));
        }
        Ok(Self { attributes, ..self })
    }

    /// What is known of the items before any answer, if anything.
    pub fn prior(&self) -> Option<&Prior> {
        self.prior.as_ref()
    }

    /// The same items with this known of them before any answer, or nothing.
    ///
    /// # Errors
    /// If the number of rows differs from the number of items.
    pub fn with_prior(self, prior: Option<Prior>) -> Result<Self> {
        match prior.as_ref().map(|prior| prior.columns().items()) {
            Some(rows) if rows != self.len() => Err(mismatch("the columns of a prior", rows, self.len())),
            _ => Ok(Self { prior, ..self }),
        }
    }

    /// These items, then the others.
    ///
    /// # Errors
    /// If an id occurs twice in a group, the two differ in their attributes or in the columns of their prior, or only
    /// one of them has groups.
    pub fn joined(&self, others: &Self) -> Result<Self> {
        let attributes = self.attributes.joined(&others.attributes)?;
        let prior = match (&self.prior, &others.prior) {
            (Some(left), Some(right)) => Some(left.joined(right)?),
            (None, None) => None,
            (left, _) => {
                let say = |some: bool| if some { "some columns" } else { "no columns" }.to_owned();
                let (found, expected) = (say(left.is_none()), say(left.is_some()));
                return Err(Error::Data { what: "the prior of further items", found, expected });
            }
        };
        if self.groups.is_some() != others.groups.is_some() {
            return Err(Error::Data {
                what: "the groups of further items",
                found: if others.groups.is_some() { "some" } else { "none" }.into(),
                expected: "groups only if the first items have some".into(),
            });
        }
        let names = |items: &Self| items.iter().filter_map(|item| items.group_name(item).map(str::to_owned)).collect();
        let names: Vec<Vec<String>> = vec![names(self), names(others)];
        let groups = self.groups.as_ref().map(|_| Groups::new(names.concat()));
        let joined =
            Self::new([self.ids.clone(), others.ids.clone()].concat(), groups, attributes)?.with_prior(prior)?;
        if !self.has_names() && !others.has_names() {
            return Ok(joined);
        }
        joined.with_names(self.given_names().chain(others.given_names()))
    }

    /// The names of all items, empty where an item has only an id.
    fn given_names(&self) -> impl Iterator<Item = &str> {
        let name = |item: ItemId| self.names.as_ref().map_or("", |names| names.names[item.index()].as_str());
        self.iter().map(name)
    }

    /// Looks up an item by its id, in this group if one is named.
    pub fn find(&self, id: &str, group: Option<&str>) -> Lookup {
        let Some(same) = self.by_id.get(id) else { return Lookup::Unknown };
        let fits = |item: &&ItemId| group.is_none_or(|group| self.group_name(**item) == Some(group));
        Lookup::of(same.iter().filter(fits).copied().collect())
    }

    /// Looks up an item by what a person calls it, in this group if one is named: its id, or else its name.
    pub fn find_called(&self, word: &str, group: Option<&str>) -> Lookup {
        match (self.find(word, group), &self.names) {
            (Lookup::Unknown, Some(names)) => {
                let word = tidy(word);
                let fits = |item: &ItemId| {
                    names.names[item.index()] == word && group.is_none_or(|group| self.group_name(*item) == Some(group))
                };
                Lookup::of(if word.is_empty() { Vec::new() } else { self.iter().filter(fits).collect() })
            }
            (found, _) => found,
        }
    }
}

/// A name as a list shows it: in quotation marks, its own doubled, if it holds a comma or a quotation mark.
pub fn quoted_in_list(name: &str) -> Cow<'_, str> {
    match name.contains([',', '"']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")).into(),
        false => name.into(),
    }
}

/// A name on one line, without blanks around it.
fn tidy(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn mismatch(what: &'static str, found: usize, items: usize) -> Error {
    Error::Data { what, found: format!("{found} rows"), expected: format!("{items}, one per item") }
}
