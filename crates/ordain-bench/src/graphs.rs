//! Graphs of the size that graph priors must serve: one made here, and a crawl of the web.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use ordain::data::{Link, Relation};
use ordain::numeric::Seed;
use rand::RngExt;

/// Pages and hyperlinks of .gov, the crawl of TREC's web track that LETOR is made of.
pub const GOV: (usize, usize) = (1_053_110, 11_164_829);

/// The probability that a link leads to any node; else it leads where an earlier link led. Nodes with k links to them
/// are then as frequent as `k^-(1 + 1 / 0.7)`, a little above the exponent 2.1 measured on the web (Kumar and others,
/// *Stochastic models for the web graph*, 2000).
const ANY_NODE: f64 = 0.3;

/// The number of links that a node starts is 1 and a share that is as frequent as `share^-2.5`, up to this times the
/// smallest.
const LARGEST_SHARE: f64 = 500.0;

/// A connected undirected graph with just so many nodes and links, whose degrees follow a power law. No link repeats,
/// in either direction, and none leads from a node to itself; all weights are 1. Linear in nodes and links; the same for
/// the same seed on every machine.
///
/// # Panics
/// If there are fewer links than connect the nodes, or so many that the last nodes cannot start their share.
pub fn power_law(nodes: usize, links: usize, seed: u64) -> Relation {
    assert!(links + 1 >= nodes, "{links} links do not connect {nodes} nodes");
    let mut stream = Seed(seed).stream(0);
    let shares: Vec<f64> =
        (1..nodes).map(|_| (1.0 - stream.random::<f64>()).powf(-1.0 / 1.5).min(LARGEST_SHARE)).collect();
    let spare = (links - nodes.saturating_sub(1)) as f64 / shares.iter().sum::<f64>();
    let mut stream = Seed(seed).stream(1);
    let mut made: Vec<Link> = Vec::with_capacity(links);
    let mut linked_from = vec![0_usize; nodes]; // the last node that linked here; node 0 links to none
    let mut wanted = 0.0;
    for (node, share) in (1..nodes).zip(&shares) {
        wanted += 1.0 + spare * share;
        let until = if node + 1 == nodes { links } else { (wanted as usize).min(links) };
        let until = until.min(made.len() + node).max(made.len() + 1);
        while made.len() < until {
            let copied = !made.is_empty() && stream.random::<f64>() >= ANY_NODE;
            let target = if copied {
                made[stream.random_range(0..made.len())].target
            } else {
                stream.random_range(0..node as u32)
            };
            if std::mem::replace(&mut linked_from[target as usize], node) != node {
                made.push(Link { source: node as u32, target, weight: 1.0 });
            }
        }
    }
    assert_eq!(made.len(), links, "so many links do not fit {nodes} nodes");
    Relation::new(nodes, made).expect("ends below the number of nodes")
}

/// The crawl cnr-2000 from `web-graph/cnr-2000.adj.gz`: a line a page, the pages it links to in ascending order, the first by
/// its number and each next one by the difference to the one before. 325,557 pages and 3,216,152 links, some of them to
/// the page itself.
///
/// # Errors
/// If the file cannot be read or a line is not of that form.
pub fn cnr_2000(path: &Path) -> Result<Relation, Box<dyn Error>> {
    let mut links = Vec::new();
    let mut pages = 0_u32;
    for line in BufReader::new(GzDecoder::new(File::open(path)?)).lines() {
        let mut target = 0_u32;
        for gap in line?.split_ascii_whitespace() {
            let parsed = gap.parse().ok().and_then(|gap| target.checked_add(gap));
            target = parsed.ok_or_else(|| format!("{}, line {}: not a gap: {gap}", path.display(), pages + 1))?;
            links.push(Link { source: pages, target, weight: 1.0 });
        }
        pages += 1;
    }
    Ok(Relation::new(pages as usize, links)?)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_power_law_graph_has_just_so_many_links() {
        for (nodes, links) in [(1, 0), (2, 1), (50, 49), (50, 600), (20_000, 200_000)] {
            let relation = power_law(nodes, links, 7);
            assert_eq!((relation.items(), relation.links().len()), (nodes, links));
            let pairs: HashSet<_> = relation.links().iter().map(|link| (link.source, link.target)).collect();
            assert_eq!(pairs.len(), links);
            // A node links to older ones only, so pairs cannot repeat the other way round; each node but the first does
            // link to one, so the graph is connected.
            assert!(pairs.iter().all(|(source, target)| target < source));
            let sources: HashSet<_> = pairs.iter().map(|&(source, _)| source).collect();
            assert_eq!(sources.len(), nodes - 1);
            assert_eq!(relation, power_law(nodes, links, 7));
        }
        let relation = power_law(20_000, 200_000, 7);
        let mut degrees = vec![0; 20_000];
        for link in relation.links() {
            degrees[link.source as usize] += 1;
            degrees[link.target as usize] += 1;
        }
        degrees.sort_unstable();
        // The mean is 20: most nodes have fewer, a few have hundreds.
        assert!(degrees[10_000] < 15 && degrees[19_000] > 40 && degrees[19_999] > 1000, "{:?}", &degrees[19_990..]);
    }

    #[test]
    fn the_crawl_has_the_published_size() {
        let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
        let folder = std::env::var_os("ORDAIN_DATA").map_or_else(default, PathBuf::from);
        let path = folder.join("web-graph/cnr-2000.adj.gz");
        if !path.exists() {
            println!("SKIPPED: no {}; set ORDAIN_DATA to the folder of public data", path.display());
            return;
        }
        let relation = cnr_2000(&path).unwrap();
        assert_eq!((relation.items(), relation.links().len()), (325_557, 3_216_152));
        assert_eq!(relation.links().iter().filter(|link| link.source == link.target).count(), 87_442);
    }
}
