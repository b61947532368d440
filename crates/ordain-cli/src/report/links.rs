//! The graph of links.

use std::collections::{BTreeMap, BTreeSet};

use ordain::data::{ItemId, Relation};
use ordain::kernel::{Over, Role, Shape};
use ordain::{Fitted, Project};
use ordain_plot::{Network, Node, html};

use super::as_html;
use crate::output;

/// The most items of a picture.
const MOST: usize = 60;

/// The most items of a picture in which all have their names, and the number of names in others.
const NAMED: usize = 24;
const FEWER: usize = 12;

/// The most items of a larger graph whose neighbours are shown.
const FIRST: usize = 10;

/// The section: a picture of every relation among the items.
pub fn section(project: &Project, fitted: &Fitted) -> String {
    let drawn: Vec<(String, String)> =
        relations(project).into_iter().filter_map(|number| draw(project, fitted, number)).collect();
    if drawn.is_empty() {
        return String::new();
    }
    let figures = html::figures(drawn.iter().map(|(svg, caption)| (svg.as_str(), caption.as_str())));
    format!("<h2>Links</h2>\n<p>Linked items stand near each other; the colour is the utility.</p>\n{figures}\n")
}

/// The relations that link items to items, in the order of the kernels.
fn relations(project: &Project) -> BTreeSet<usize> {
    let of_items = |shape: &Shape| match shape {
        Shape::Vector { over: Over::Relation(spec), .. }
        | Shape::RegularizedLaplacian { relation: spec, .. }
        | Shape::CommonCause { relation: spec, .. }
        | Shape::Diffusion { relation: spec, .. } => (spec.role != Role::Bipartite).then_some(spec.relation),
        Shape::DirectedLaplacian { relation, .. } => Some(*relation),
        _ => None,
    };
    project.model().kernels().iter().filter_map(|spec| of_items(&spec.shape)).collect()
}

/// The neighbours of every item that has some, without itself.
fn neighbours(relation: &Relation) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut out: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for link in relation.links().iter().filter(|link| link.source != link.target && link.weight > 0.0) {
        out.entry(link.source).or_default().insert(link.target);
        out.entry(link.target).or_default().insert(link.source);
    }
    out
}

/// The items of the picture, by falling utility: all that have links, or the first ones and their best neighbours.
fn chosen(neighbours: &BTreeMap<u32, BTreeSet<u32>>, means: &[f64]) -> Vec<u32> {
    let by_mean = |items: &mut Vec<u32>| {
        items.sort_by(|one, other| means[*other as usize].total_cmp(&means[*one as usize]).then(one.cmp(other)));
    };
    let mut items: Vec<u32> = neighbours.keys().copied().collect();
    by_mean(&mut items);
    if items.len() <= MOST {
        return items;
    }
    let first: BTreeSet<u32> = items.iter().copied().take(FIRST).collect();
    let mut around: Vec<u32> = first
        .iter()
        .flat_map(|item| &neighbours[item])
        .copied()
        .collect::<BTreeSet<u32>>()
        .difference(&first)
        .copied()
        .collect();
    by_mean(&mut around);
    let mut all: Vec<u32> = first.into_iter().chain(around.into_iter().take(MOST - FIRST)).collect();
    by_mean(&mut all);
    all
}

/// A picture of a relation, and its caption. `None` if it has no links between different items.
fn draw(project: &Project, fitted: &Fitted, number: usize) -> Option<(String, String)> {
    let (items, means) = (project.items(), fitted.belief().mean());
    let neighbours = neighbours(&project.model().relations()[number]);
    let shown = chosen(&neighbours, means);
    if shown.is_empty() {
        return None;
    }
    let named = if shown.len() <= NAMED { shown.len() } else { FEWER };
    let place: BTreeMap<u32, usize> = shown.iter().copied().zip(0..).collect();
    let node = |(at, &item): (usize, &u32)| {
        let name = (at < named).then(|| output::cut(&items.label(ItemId(item)), 40));
        Node { name, value: means[item as usize] }
    };
    let links: Vec<(usize, usize)> = shown
        .iter()
        .flat_map(|item| neighbours[item].iter().filter(move |other| *other > item).map(move |other| (item, other)))
        .filter_map(|(one, other)| Some((*place.get(one)?, *place.get(other)?)))
        .collect();
    let file = project.file().relations[number].file_name().unwrap_or_default().to_string_lossy().into_owned();
    let svg = Network {
        title: format!("Links of {}", output::cut(&file, 36)),
        meaning: "Utility".into(),
        nodes: shown.iter().enumerate().map(node).collect(),
        links,
    }
    .draw();
    let alone = items.len() - neighbours.len();
    let alone = if alone > 0 { format!(" {} without links.", output::count(alone, "item")) } else { String::new() };
    let which = if shown.len() < neighbours.len() {
        format!(
            "The {FIRST} items with the highest utility and their neighbours, {} of {} items with links.",
            shown.len(),
            neighbours.len()
        )
    } else {
        format!("All {} with links.", output::count(shown.len(), "item"))
    };
    let names = if named < shown.len() { format!(" The first {named} have their names.") } else { String::new() };
    Some((svg, format!("{}: {which}{names}{alone}", as_html(&file))))
}

#[cfg(test)]
mod tests {
    use ordain::data::Link;

    use super::*;

    fn relation(items: usize, links: &[(u32, u32)]) -> Relation {
        let link = |&(source, target): &(u32, u32)| Link { source, target, weight: 1.0 };
        Relation::new(items, links.iter().map(link).collect()).unwrap()
    }

    #[test]
    fn links_join_both_ends_once() {
        let found = neighbours(&relation(4, &[(0, 1), (1, 0), (2, 2), (1, 3)]));
        let expected = [(0, vec![1]), (1, vec![0, 3]), (3, vec![1])];
        assert!(found.into_iter().map(|(item, own)| (item, own.into_iter().collect::<Vec<_>>())).eq(expected));
    }

    /// A star around the best item and a long chain apart from it: the picture has the first items and their neighbours,
    /// at most 60.
    #[test]
    fn large_graphs_show_the_first_and_their_neighbours() {
        let star = (1..=200).map(|at| (0, at));
        let chain = (201..400).map(|at| (at, at + 1));
        let found = neighbours(&relation(401, &star.chain(chain).collect::<Vec<_>>()));
        let means: Vec<f64> = (0..401).map(|at| -f64::from(at)).collect();
        let shown = chosen(&found, &means);
        assert_eq!(shown, (0..60).collect::<Vec<u32>>());
        let few = neighbours(&relation(60, &(0..59).map(|at| (at, at + 1)).collect::<Vec<_>>()));
        assert_eq!(chosen(&few, &means).len(), 60);
    }
}
