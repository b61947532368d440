//! Worlds that an engine is asked about: items, what is believed of them before any answer, and a judge who knows the truth.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use ordain::data::{Answer, Attributes, ItemId, Items, Outcome, Relation};
use ordain::gp::AnswerModel;
use ordain::kernel::{self, Form, Kernel, KernelSpec, Over, RelationSpec, Rho, Role, Shape};
use ordain::numeric::{Purpose, Seed, normal};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use crate::graphs;

/// Items with attributes, and their true utilities: a draw from the prior that is believed in, or nearly so.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct World {
    /// A row an item; none where items are joined by links.
    pub attributes: Vec<Vec<f64>>,
    /// What the judge knows.
    pub utilities: Vec<f64>,
    /// The standard deviation of the part of a utility that varies along the attributes.
    pub scale: f64,
    /// The length over which it varies.
    pub length: f64,
    /// The standard deviation of an item's own part.
    pub own: f64,
    /// The standard deviation of the judge's noise on a difference.
    pub noise: f64,
    /// What joins the items, if links do.
    #[serde(skip)]
    pub links: Option<Relation>,
}

const SEED: Seed = Seed(20_261_115);

/// Attributes of every item.
const ATTRIBUTES: usize = 25;

/// Waves that make up the smooth part: enough for it to be nearly Gaussian, few enough for 100,000 items in a second.
const WAVES: usize = 64;

impl World {
    /// Items with 25 standard normal attributes. The smooth part of the truth is a sum of waves with frequencies from
    /// the spectrum of the squared exponential kernel. The first items of a larger world are those of a smaller one.
    pub fn of_attributes(items: usize) -> Self {
        let (scale, length, own) = (3.0, 5.0, 1.0);
        let mut stream = SEED.stream(0);
        let waves: Vec<(Vec<f64>, f64)> = (0..WAVES)
            .map(|_| {
                let frequency = (0..ATTRIBUTES).map(|_| stream.sample::<f64, _>(StandardNormal) / length).collect();
                (frequency, std::f64::consts::TAU * stream.random::<f64>())
            })
            .collect();
        let mut stream = SEED.stream(1);
        let mut normal = || -> f64 { stream.sample(StandardNormal) };
        let (mut attributes, mut utilities) = (Vec::with_capacity(items), Vec::with_capacity(items));
        for _ in 0..items {
            let row: Vec<f64> = (0..ATTRIBUTES).map(|_| normal()).collect();
            let wave = |(frequency, phase): &(Vec<f64>, f64)| -> f64 {
                (frequency.iter().zip(&row).map(|(f, x)| f * x).sum::<f64>() + phase).cos()
            };
            let smooth = (2.0 / WAVES as f64).sqrt() * waves.iter().map(wave).sum::<f64>();
            utilities.push(scale * smooth + own * normal());
            attributes.push(row);
        }
        Self { attributes, utilities, scale, length, own, noise: AnswerModel::default().lambda(), links: None }
    }

    /// Items joined by links. The truth is noise, averaged twice over the items that are joined, and a part of the item's own.
    pub fn of_links(links: Relation) -> Self {
        let items = links.items();
        let mut stream = SEED.stream(2);
        let mut normal = || -> f64 { stream.sample(StandardNormal) };
        let mut smooth: Vec<f64> = (0..items).map(|_| normal()).collect();
        for _ in 0..2 {
            let (mut sums, mut counts) = (smooth.clone(), vec![1.0; items]);
            for link in links.links() {
                let (source, target) = (link.source as usize, link.target as usize);
                sums[source] += smooth[target];
                sums[target] += smooth[source];
                counts[source] += 1.0;
                counts[target] += 1.0;
            }
            smooth = sums.iter().zip(&counts).map(|(sum, count)| sum / count).collect();
        }
        let own = 1.0;
        let utilities = smooth.iter().map(|smooth| smooth + own * normal()).collect();
        let noise = AnswerModel::default().lambda();
        Self { attributes: Vec::new(), utilities, scale: 1.0, length: 1.0, own, noise, links: Some(links) }
    }

    /// The world of this name: a number of items with attributes, `cnr-2000`, `power-law` (as many nodes and links as the
    /// web track's .gov), or `power-law-` and a number of nodes with ten links each.
    ///
    /// # Errors
    /// If there is no such world, or the crawl is not in the folder of public data.
    pub fn named(name: &str, data: &Path) -> Result<Self, Box<dyn Error>> {
        if let Ok(items) = name.parse() {
            return Ok(Self::of_attributes(items));
        }
        let (nodes, links) = match name {
            "cnr-2000" => return Ok(Self::of_links(graphs::cnr_2000(&data.join("web-graph/cnr-2000.adj.gz"))?)),
            "power-law" => graphs::GOV,
            _ => {
                let nodes = name.strip_prefix("power-law-").and_then(|nodes| nodes.parse::<usize>().ok());
                let nodes = nodes.filter(|&nodes| nodes > 20).ok_or_else(|| format!("no world is named {name}"))?;
                (nodes, 10 * nodes)
            }
        };
        Ok(Self::of_links(graphs::power_law(nodes, links, SEED.0)))
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.utilities.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.utilities.is_empty()
    }

    /// What is believed before any answer: a squared exponential kernel over the attributes, or the regularized Laplacian
    /// of the links with beta = iota = 1; and the items' own parts.
    ///
    /// # Errors
    /// If the kernel cannot be made.
    pub fn kernel(&self) -> ordain::Result<Arc<dyn Kernel>> {
        let own = KernelSpec::new(self.own, Shape::Independent);
        let names = (0..ATTRIBUTES).map(|k| format!("x{k}")).collect();
        let ids: Vec<String> = (0..self.len()).map(|item| item.to_string()).collect();
        Ok(Arc::new(match &self.links {
            None => {
                let attributes = Attributes::new(names, self.len(), self.attributes.concat())?;
                let form = Form::SquaredExponential { kappa: self.scale, rho: Rho::Shared(1.0 / self.length) };
                let shape = Shape::Vector { form, over: Over::Attributes };
                let smooth = KernelSpec::new(1.0, shape);
                kernel::build(&[smooth, own], &Items::new(ids, None, attributes)?, &[])?
            }
            Some(links) => {
                let relation = RelationSpec { relation: 0, role: Role::Undirected };
                let shape = Shape::RegularizedLaplacian { relation, beta: 1.0, iota: 1.0 };
                let smooth = KernelSpec::new(self.scale, shape);
                kernel::build(&[smooth, own], &Items::from_ids(ids)?, std::slice::from_ref(links))?
            }
        }))
    }

    /// What the judge says of two items. Luck belongs to the pair, whichever way round and whenever it is asked, so that all
    /// who ask hear the same.
    ///
    /// # Errors
    /// If the items are one and the same.
    pub fn answer(&self, first: ItemId, second: ItemId) -> ordain::Result<Answer> {
        let (low, high) = (first.min(second), first.max(second));
        let luck: f64 = SEED.stream(Purpose::TaskOf { kind: low.0 + 1, task: high.0 }).random();
        let difference = self.utilities[low.index()] - self.utilities[high.index()];
        let low_wins = luck < normal::cdf(difference / self.noise);
        Answer::new(first, Some(second), if low_wins == (first == low) { Outcome::First } else { Outcome::Second })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_answered_the_same_way_whoever_asks() {
        let world = World::of_attributes(20);
        for first in 0..20 {
            for second in 0..first {
                let (first, second) = (ItemId::new(first), ItemId::new(second));
                let winner = |answer: Answer| {
                    if answer.outcome == Outcome::First { answer.first } else { answer.second.unwrap() }
                };
                let there = winner(world.answer(first, second).unwrap());
                assert_eq!(there, winner(world.answer(second, first).unwrap()));
            }
        }
    }

    /// The judge errs as often as the model says: the mean of the errors' number is within four standard deviations.
    #[test]
    fn the_judge_is_the_one_that_is_believed_in() {
        let world = World::of_attributes(300);
        let (mut surprise, mut variance) = (0.0, 0.0);
        for first in 0..300 {
            for second in 0..first {
                let answer = world.answer(ItemId::new(first), ItemId::new(second)).unwrap();
                let chance = normal::cdf((world.utilities[first] - world.utilities[second]) / world.noise);
                surprise += f64::from(answer.outcome == Outcome::First) - chance;
                variance += chance * (1.0 - chance);
            }
        }
        assert!(surprise.abs() < 4.0 * variance.sqrt(), "{surprise} beside {}", variance.sqrt());
    }

    /// Utilities are as wide as the prior says: the mean square is 10 for 20,000 items, of which the smooth part is one draw
    /// of 64 waves.
    #[test]
    fn the_truth_is_as_wide_as_the_prior() {
        let world = World::of_attributes(20_000);
        let mean_square = world.utilities.iter().map(|u| u * u).sum::<f64>() / 20_000.0;
        assert!((8.0..12.0).contains(&mean_square), "{mean_square}");
        let kernel = world.kernel().unwrap();
        let mut diagonal = vec![0.0; kernel.len()];
        kernel.diagonal(&mut diagonal).unwrap();
        assert!(diagonal.iter().all(|&variance| (variance - 10.0).abs() < 1e-12));
    }
}
