//! Descriptions of kernels: the `[[kernel]]` tables of a project as plain values, the table of kinds with their keys,
//! and the conversion of a kind into a shape.

use super::sum::relation_at;
use super::{
    CommonCause, Diffusion, DirectedLaplacian, Graph, Independent, Kernel, Parameter, RegularizedLaplacian,
    VectorKernel, Vectors, relation_vectors,
};
use crate::data::{Items, Relation};
use crate::words::vocabulary;
use crate::{Error, Result};

/// One `[[kernel]]` table: a part of the utility with its weight.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KernelSpec {
    /// The factor of this part of the utility. It enters the covariance squared (AXPGP eqs. 5 and 6).
    pub weight: f64,
    /// The covariance of this part.
    pub shape: Shape,
}

impl KernelSpec {
    /// A part of the utility with its weight.
    pub fn new(weight: f64, shape: Shape) -> Self {
        Self { weight, shape }
    }

    /// Each item's own part, with this weight.
    pub fn independent(weight: f64) -> Self {
        Self { weight, shape: Shape::Independent }
    }

    /// The place of a parameter by its key, and by its number among those of the key, as in `weight` or `rho[2]`.
    fn parameter(&mut self, key: &str, element: Option<usize>) -> Option<&mut f64> {
        match (&mut self.shape, key, element) {
            (_, "weight", None) => Some(&mut self.weight),
            (Shape::Vector { form, .. }, key, element) => form.parameter(key, element),
            (Shape::RegularizedLaplacian { beta, .. } | Shape::DirectedLaplacian { beta, .. }, "beta", None) => {
                Some(beta)
            }
            (Shape::RegularizedLaplacian { iota, .. } | Shape::DirectedLaplacian { iota, .. }, "iota", None) => {
                Some(iota)
            }
            (Shape::Diffusion { beta, .. }, "beta", None) => Some(beta),
            (
                Shape::Independent
                | Shape::CommonCause { .. }
                | Shape::RegularizedLaplacian { .. }
                | Shape::DirectedLaplacian { .. }
                | Shape::Diffusion { .. },
                _,
                _,
            ) => None,
        }
    }
}

/// The name of a parameter of several kernels, in its parts: `kernel[1].rho[3]`, as [`WeightedSum`](super::WeightedSum) gives it.
///
/// ```
/// use ordain::kernel::ParameterName;
///
/// let name = ParameterName::parse("kernel[1].rho[3]").unwrap();
/// assert_eq!((name.kernel, name.own, name.key, name.element), (1, "rho[3]", "rho", Some(3)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterName<'a> {
    /// The number of the kernel.
    pub kernel: usize,
    /// The name that the kernel itself gives it.
    pub own: &'a str,
    /// The key of the `[[kernel]]` table that holds it.
    pub key: &'a str,
    /// Its number among those of the key, if the key holds several.
    pub element: Option<usize>,
}

impl<'a> ParameterName<'a> {
    /// The parts of a name; none if it is no such name. The kernel need not exist nor have the key.
    pub fn parse(name: &'a str) -> Option<Self> {
        let (kernel, own) = name.strip_prefix("kernel[")?.split_once("].")?;
        let (key, element) = match own.strip_suffix(']').and_then(|own| own.split_once('[')) {
            Some((key, element)) => (key, Some(element.parse().ok()?)),
            None => (own, None),
        };
        Some(Self { kernel: kernel.parse().ok()?, own, key, element })
    }
}

/// Sets the values of parameters by their names in [`WeightedSum`](super::WeightedSum), such as `kernel[0].weight` or
/// `kernel[1].rho[2]`.
///
/// # Errors
/// If a kernel has no such parameter, or a value is not positive and finite. Nothing is changed then.
pub fn set_parameters(specs: &mut [KernelSpec], parameters: &[Parameter]) -> Result<()> {
    let mut changed = specs.to_vec();
    for Parameter { name, value } in parameters {
        if !(value.is_finite() && *value > 0.0) {
            let expected = "a positive, finite number";
            return Err(Error::Parameter { name: name.clone(), value: *value, expected });
        }
        let parts = ParameterName::parse(name);
        let place = parts.and_then(|parts| changed.get_mut(parts.kernel)?.parameter(parts.key, parts.element));
        *place.ok_or_else(|| Error::Data {
            what: "the name of a parameter",
            found: name.clone(),
            expected: "a parameter of one of the kernels".into(),
        })? = *value;
    }
    specs.clone_from_slice(&changed);
    Ok(())
}

/// The covariance of one part of the utility.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A function of vectors: the items' attributes, or their rows in a relation.
    Vector {
        /// The function.
        form: Form,
        /// The vectors.
        over: Over,
    },
    /// The item's own part: the identity.
    Independent,
    /// `[beta (Laplacian + I / iota²)]⁻¹` (AXPGP eq. 3).
    RegularizedLaplacian {
        /// The links.
        relation: RelationSpec,
        /// The overall scale: a larger value makes a smaller variance.
        beta: f64,
        /// The reach: the prior standard deviation of an item without links, for beta = 1.
        iota: f64,
    },
    /// Hidden common causes (XPGP section 3; Silva, Chu, Ghahramani 2007).
    CommonCause {
        /// The links.
        relation: RelationSpec,
        /// The form of the causes.
        causes: Causes,
    },
    /// `exp(-beta Laplacian)` (Kondor, Lafferty 2002).
    Diffusion {
        /// The links.
        relation: RelationSpec,
        /// The time of the diffusion: a larger value spreads similarity farther.
        beta: f64,
    },
    /// The regularized Laplacian of a random walk along directed links (XPGP section 7; Chung 2005).
    DirectedLaplacian {
        /// The position of the relation. The direction of its links is kept.
        relation: usize,
        /// The overall scale: a larger value makes a smaller variance.
        beta: f64,
        /// The reach.
        iota: f64,
    },
}

impl Shape {
    /// The kind of the kernel.
    pub fn kind(&self) -> KernelKind {
        match self {
            Self::Vector { form, .. } => match form {
                Form::SquaredExponential { .. } => KernelKind::SquaredExponential,
                Form::Matern32 { .. } => KernelKind::Matern32,
                Form::Matern52 { .. } => KernelKind::Matern52,
                Form::Linear { .. } => KernelKind::Linear,
                Form::Polynomial { .. } => KernelKind::Polynomial,
                Form::Cosine { .. } => KernelKind::Cosine,
            },
            Self::Independent => KernelKind::Independent,
            Self::RegularizedLaplacian { .. } => KernelKind::RegularizedLaplacian,
            Self::CommonCause { .. } => KernelKind::CommonCause,
            Self::Diffusion { .. } => KernelKind::Diffusion,
            Self::DirectedLaplacian { .. } => KernelKind::DirectedLaplacian,
        }
    }

    /// Builds this part over these items and relations.
    pub(super) fn build(&self, items: &Items, relations: &[Relation]) -> Result<Box<dyn Kernel>> {
        let n = items.len();
        let relation_of = |number: usize| relation_at(relations, number);
        let graph_of = |spec: &RelationSpec| Graph::new(n, relation_of(spec.relation)?, spec.role);
        Ok(match self {
            Self::Vector { form, over } => {
                let vectors = match over {
                    Over::Attributes => Vectors::from_attributes(items.attributes())?,
                    Over::Relation(spec) => {
                        Vectors::from_rows(relation_vectors(n, relation_of(spec.relation)?, spec.role)?)
                    }
                };
                Box::new(VectorKernel::new(vectors, form.clone())?)
            }
            Self::Independent => Box::new(Independent::new(n)),
            Self::RegularizedLaplacian { relation, beta, iota } => {
                Box::new(RegularizedLaplacian::new(graph_of(relation)?, *beta, *iota)?)
            }
            Self::CommonCause { relation, causes } => Box::new(CommonCause::new(&graph_of(relation)?, *causes)?),
            Self::Diffusion { relation, beta } => Box::new(Diffusion::new(&graph_of(relation)?, *beta)?),
            Self::DirectedLaplacian { relation, beta, iota } => {
                Box::new(DirectedLaplacian::new(n, relation_of(*relation)?, *beta, *iota)?)
            }
        })
    }

    /// The position of the relation that the kernel is over, if it is over one.
    pub fn relation(&self) -> Option<usize> {
        match self {
            Self::Vector { over: Over::Attributes, .. } | Self::Independent => None,
            Self::Vector { over: Over::Relation(relation), .. }
            | Self::RegularizedLaplacian { relation, .. }
            | Self::CommonCause { relation, .. }
            | Self::Diffusion { relation, .. } => Some(relation.relation),
            Self::DirectedLaplacian { relation, .. } => Some(*relation),
        }
    }
}

/// A function of two vectors.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// `kappa² exp(-½ Σ rho_d² (x_d - y_d)²)` (AXPGP eq. 2).
    SquaredExponential {
        /// The standard deviation.
        kappa: f64,
        /// The inverse length.
        rho: Rho,
    },
    /// `kappa² (1 + √3 r) exp(-√3 r)`, `r² = Σ rho_d² (x_d - y_d)²`.
    Matern32 {
        /// The standard deviation.
        kappa: f64,
        /// The inverse length.
        rho: Rho,
    },
    /// `kappa² (1 + √5 r + 5 r² / 3) exp(-√5 r)`.
    Matern52 {
        /// The standard deviation.
        kappa: f64,
        /// The inverse length.
        rho: Rho,
    },
    /// `kappa² x·y`.
    Linear {
        /// The standard deviation.
        kappa: f64,
    },
    /// `kappa² (x·y + offset)^degree`.
    Polynomial {
        /// The standard deviation.
        kappa: f64,
        /// The weight of the lower degrees, at least 0. At 0 it is not tuned.
        offset: f64,
        /// The degree, at least 1.
        degree: u32,
    },
    /// `kappa² x·y / (|x| |y|)`. A zero vector is similar only to itself.
    Cosine {
        /// The standard deviation.
        kappa: f64,
    },
}

impl Form {
    /// The place of a parameter by its key.
    fn parameter(&mut self, key: &str, element: Option<usize>) -> Option<&mut f64> {
        match (self, key, element) {
            (
                Self::SquaredExponential { kappa, .. }
                | Self::Matern32 { kappa, .. }
                | Self::Matern52 { kappa, .. }
                | Self::Linear { kappa }
                | Self::Polynomial { kappa, .. }
                | Self::Cosine { kappa },
                "kappa",
                None,
            ) => Some(kappa),
            (Self::Polynomial { offset, .. }, "offset", None) => Some(offset),
            (
                Self::SquaredExponential { rho, .. } | Self::Matern32 { rho, .. } | Self::Matern52 { rho, .. },
                "rho",
                element,
            ) => rho.parameter(element),
            (
                Self::SquaredExponential { .. }
                | Self::Matern32 { .. }
                | Self::Matern52 { .. }
                | Self::Linear { .. }
                | Self::Polynomial { .. }
                | Self::Cosine { .. },
                _,
                _,
            ) => None,
        }
    }
}

impl Rho {
    fn parameter(&mut self, element: Option<usize>) -> Option<&mut f64> {
        match (self, element) {
            (Self::Shared(rho), None) => Some(rho),
            (Self::Each(each), Some(element)) => each.get_mut(element),
            (Self::Shared(_), Some(_)) | (Self::Each(_), None) => None,
        }
    }
}

/// The inverse length of a kernel of distance.
#[derive(Debug, Clone, PartialEq)]
pub enum Rho {
    /// One inverse length for all attributes.
    Shared(f64),
    /// One inverse length per attribute.
    Each(Vec<f64>),
}

impl Rho {
    /// The usual inverse length. Over d attributes it is `1/√d`: two standardized items are `√(2d)` apart on average,
    /// so typical items are equally similar for every d. Over a relation it is ½: rows of a relation are not
    /// standardized, so their number of columns says nothing about distances.
    pub fn usual(attributes: usize, over: Over) -> Self {
        match over {
            Over::Attributes => Self::Shared(1.0 / (attributes as f64).sqrt()),
            Over::Relation(_) => Self::Shared(0.5),
        }
    }
}

/// The vectors that a vector kernel compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The items' attributes.
    Attributes,
    /// Rows of a relation (XPGP section 3.1): the weights of an item's links to its neighbours (undirected), targets
    /// (linking, bipartite) or sources (linked). They take one common `rho`.
    Relation(RelationSpec),
}

/// A relation and its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationSpec {
    /// The position among the project's relations.
    pub relation: usize,
    /// The way in which its links become a graph.
    pub role: Role,
}

/// The ways in which directed or bipartite links become an undirected graph over the items (XPGP section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// A link joins its two ends.
    Undirected,
    /// Items are joined when they link to the same targets.
    Linking,
    /// Items are joined when they are linked from the same sources (co-citation).
    Linked,
    /// Targets are other things. Items are joined when they link to the same ones.
    Bipartite,
}

vocabulary! { Role, "reading of a relation";
    Undirected = "undirected", "a link joins its two ends";
    Linking = "linking", "items are joined when they link to the same targets";
    Linked = "linked", "items are joined when they are linked from the same sources";
    Bipartite = "bipartite", "targets are other things, and items are joined when they link to the same ones";
}

/// The forms of hidden common causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Causes {
    /// One cause per maximal clique of the triangulated graph.
    Cliques,
    /// One cause per link.
    Edges,
}

vocabulary! { Causes, "form of common causes";
    Cliques = "cliques", "one cause for every maximal clique of the triangulated graph";
    Edges = "edges", "one cause for every link";
}

/// The kinds of kernel that a project file can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelKind {
    /// [`Form::SquaredExponential`].
    SquaredExponential,
    /// [`Form::Matern32`].
    Matern32,
    /// [`Form::Matern52`].
    Matern52,
    /// [`Form::Linear`].
    Linear,
    /// [`Form::Polynomial`].
    Polynomial,
    /// [`Form::Cosine`].
    Cosine,
    /// [`Shape::Independent`].
    Independent,
    /// [`Shape::RegularizedLaplacian`].
    RegularizedLaplacian,
    /// [`Shape::CommonCause`].
    CommonCause,
    /// [`Shape::Diffusion`].
    Diffusion,
    /// [`Shape::DirectedLaplacian`].
    DirectedLaplacian,
}

vocabulary! { KernelKind, "kind of kernel";
    SquaredExponential = "squared-exponential", "close items are alike; very smooth";
    Matern32 = "matern-3/2", "close items are alike; rough";
    Matern52 = "matern-5/2", "close items are alike; less rough";
    Linear = "linear", "the utility is a weighted sum of attributes";
    Polynomial = "polynomial", "the utility is a polynomial of attributes";
    Cosine = "cosine", "items whose attributes point in the same direction are alike";
    Independent = "independent", "each item's own part";
    RegularizedLaplacian = "regularized-laplacian", "items that many short paths of links join are alike";
    CommonCause = "common-cause", "linked items share hidden causes";
    Diffusion = "diffusion", "similarity spreads along links like heat";
    DirectedLaplacian = "directed-laplacian", "items that a random walk along directed links joins are alike";
}

/// A key of a `[[kernel]]` table, with its values, its default and its meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// The values that it takes, and its default.
    pub takes: Takes,
    /// One line about it, without a full stop.
    pub description: &'static str,
}

/// The values of a key of a `[[kernel]]` table, and its default.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Takes {
    /// A finite number above 0.
    Positive {
        /// The default.
        usual: f64,
    },
    /// A finite number of at least 0.
    NotNegative {
        /// The default.
        usual: f64,
    },
    /// A whole number.
    Whole {
        /// The smallest value.
        least: u32,
        /// The largest value.
        most: u32,
        /// The default.
        usual: u32,
    },
    /// One finite number above 0, or one per attribute. Default: [`Rho::usual`].
    Lengths,
    /// The name of a file of links. It must be given.
    Links,
    /// The name of a file of links. Without it, the kernel is over the attributes.
    LinksOrAttributes,
    /// A [`Role`]. Default: [`Role::Undirected`].
    Role,
    /// [`Causes`]. Default: [`Causes::Edges`].
    Causes,
}

impl Takes {
    /// Whether the key holds numbers that can be tuned.
    pub(crate) fn is_tunable(self) -> bool {
        match self {
            Self::Positive { .. } | Self::NotNegative { .. } | Self::Lengths => true,
            Self::Whole { .. } | Self::Links | Self::LinksOrAttributes | Self::Role | Self::Causes => false,
        }
    }
}

/// The factor of this part of the utility. Every kind takes it.
pub const WEIGHT: Key = positive("weight", "multiplies this part of the utility");
const KAPPA: Key = positive("kappa", "standard deviation of this part of the utility, before the weight");
const RHO: Key =
    Key { name: "rho", takes: Takes::Lengths, description: "inverse length, for all attributes or for each" };
const OFFSET: Key = Key {
    name: "offset",
    takes: Takes::NotNegative { usual: 1.0 },
    description: "weight of the lower degrees; at 0 it is not tuned",
};
const DEGREE: Key = Key {
    name: "degree",
    takes: Takes::Whole { least: 1, most: 100, usual: 2 },
    description: "degree of the polynomial",
};
const LINKS: Key = Key { name: "relation", takes: Takes::Links, description: "the file of links" };
const ROWS: Key = Key {
    name: "relation",
    takes: Takes::LinksOrAttributes,
    description: "the file of links whose rows take the place of the attributes",
};
const AS: Key = Key { name: "as", takes: Takes::Role, description: "how the links are read" };
const BETA: Key = positive("beta", "scale: the larger, the smaller the variance");
const TIME: Key = positive("beta", "how far likeness spreads");
const IOTA: Key = positive("iota", "reach: standard deviation of an item without links, for beta = 1");
const CAUSES: Key = Key { name: "form", takes: Takes::Causes, description: "what counts as a common cause" };

/// A key that takes a finite number above 0, with default 1.
const fn positive(name: &'static str, description: &'static str) -> Key {
    Key { name, takes: Takes::Positive { usual: 1.0 }, description }
}

/// The source of the values of a `[[kernel]]` table's keys. If the table lacks a key, a method gives its default. If a
/// value is out of range, a method gives an error that names the place.
pub(crate) trait KernelTable {
    fn number(&self, key: &Key) -> Result<f64>;
    fn whole(&self, key: &Key) -> Result<u32>;
    fn lengths(&self, key: &Key, over: Over) -> Result<Rho>;
    fn causes(&self, key: &Key) -> Result<Causes>;
    /// The relation. The second key, if given, says its role.
    fn links(&mut self, key: &Key, role: Option<&Key>) -> Result<RelationSpec>;
    /// The relation if the table names one, with the role that the second key says; else the attributes.
    fn over(&mut self, key: &Key, role: &Key) -> Result<Over>;
}

impl KernelKind {
    /// The keys that this kind takes, besides `kind` and `weight`.
    pub fn keys(self) -> &'static [Key] {
        match self {
            Self::SquaredExponential | Self::Matern32 | Self::Matern52 => &[KAPPA, RHO, ROWS, AS],
            Self::Linear | Self::Cosine => &[KAPPA, ROWS, AS],
            Self::Polynomial => &[KAPPA, OFFSET, DEGREE, ROWS, AS],
            Self::Independent => &[],
            Self::RegularizedLaplacian => &[LINKS, AS, BETA, IOTA],
            Self::CommonCause => &[LINKS, AS, CAUSES],
            Self::Diffusion => &[LINKS, AS, TIME],
            Self::DirectedLaplacian => &[LINKS, BETA, IOTA],
        }
    }

    /// Whether a table of this kind can hold a tunable number under this key.
    pub(crate) fn is_tunable(self, key: &str) -> bool {
        std::iter::once(&WEIGHT).chain(self.keys()).any(|known| known.name == key && known.takes.is_tunable())
    }

    /// The shape that a table of this kind describes.
    pub(crate) fn shape(self, table: &mut impl KernelTable) -> Result<Shape> {
        Ok(match self {
            Self::SquaredExponential => vector(table, |table, over| {
                let (kappa, rho) = distance(table, over)?;
                Ok(Form::SquaredExponential { kappa, rho })
            })?,
            Self::Matern32 => vector(table, |table, over| {
                let (kappa, rho) = distance(table, over)?;
                Ok(Form::Matern32 { kappa, rho })
            })?,
            Self::Matern52 => vector(table, |table, over| {
                let (kappa, rho) = distance(table, over)?;
                Ok(Form::Matern52 { kappa, rho })
            })?,
            Self::Linear => vector(table, |table, _| Ok(Form::Linear { kappa: table.number(&KAPPA)? }))?,
            Self::Cosine => vector(table, |table, _| Ok(Form::Cosine { kappa: table.number(&KAPPA)? }))?,
            Self::Polynomial => vector(table, |table, _| {
                let (kappa, offset) = (table.number(&KAPPA)?, table.number(&OFFSET)?);
                Ok(Form::Polynomial { kappa, offset, degree: table.whole(&DEGREE)? })
            })?,
            Self::Independent => Shape::Independent,
            Self::RegularizedLaplacian => {
                let (beta, iota) = (table.number(&BETA)?, table.number(&IOTA)?);
                Shape::RegularizedLaplacian { relation: table.links(&LINKS, Some(&AS))?, beta, iota }
            }
            Self::CommonCause => {
                let causes = table.causes(&CAUSES)?;
                Shape::CommonCause { relation: table.links(&LINKS, Some(&AS))?, causes }
            }
            Self::Diffusion => {
                let beta = table.number(&TIME)?;
                Shape::Diffusion { relation: table.links(&LINKS, Some(&AS))?, beta }
            }
            Self::DirectedLaplacian => {
                let (beta, iota) = (table.number(&BETA)?, table.number(&IOTA)?);
                Shape::DirectedLaplacian { relation: table.links(&LINKS, None)?.relation, beta, iota }
            }
        })
    }
}

/// The shape of a kernel over vectors.
fn vector<T: KernelTable>(table: &mut T, form: impl FnOnce(&T, Over) -> Result<Form>) -> Result<Shape> {
    let over = table.over(&ROWS, &AS)?;
    Ok(Shape::Vector { form: form(table, over)?, over })
}

/// The parameters of a form that depends on distance.
fn distance(table: &impl KernelTable, over: Over) -> Result<(f64, Rho)> {
    Ok((table.number(&KAPPA)?, table.lengths(&RHO, over)?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A table without values that records the keys it is asked for.
    #[derive(Default)]
    struct Asked(RefCell<Vec<Key>>);

    impl Asked {
        fn note(&self, key: &Key) {
            self.0.borrow_mut().push(*key);
        }
    }

    const FIRST: RelationSpec = RelationSpec { relation: 0, role: Role::Undirected };

    impl KernelTable for Asked {
        fn number(&self, key: &Key) -> Result<f64> {
            self.note(key);
            match key.takes {
                Takes::Positive { usual } | Takes::NotNegative { usual } => Ok(usual),
                other => panic!("{} takes {other:?}", key.name),
            }
        }

        fn whole(&self, key: &Key) -> Result<u32> {
            self.note(key);
            let Takes::Whole { usual, .. } = key.takes else { panic!("{} takes {:?}", key.name, key.takes) };
            Ok(usual)
        }

        fn lengths(&self, key: &Key, over: Over) -> Result<Rho> {
            self.note(key);
            Ok(Rho::usual(1, over))
        }

        fn causes(&self, key: &Key) -> Result<Causes> {
            self.note(key);
            Ok(Causes::Edges)
        }

        fn links(&mut self, key: &Key, role: Option<&Key>) -> Result<RelationSpec> {
            self.note(key);
            role.into_iter().for_each(|role| self.note(role));
            Ok(FIRST)
        }

        fn over(&mut self, key: &Key, role: &Key) -> Result<Over> {
            self.links(key, Some(role)).map(Over::Relation)
        }
    }

    /// Every kind reads exactly the keys that it lists, each once, and makes a shape of its own kind.
    #[test]
    fn every_kind_reads_its_keys() {
        for &kind in KernelKind::all() {
            let mut table = Asked::default();
            assert_eq!(kind.shape(&mut table).unwrap().kind(), kind);
            let (mut asked, mut keys) = (table.0.into_inner(), kind.keys().to_vec());
            asked.sort_by_key(|key| key.name);
            keys.sort_by_key(|key| key.name);
            assert_eq!(asked, keys, "{kind}");
        }
    }

    /// A key that holds a tunable number is one that can be set by name.
    #[test]
    fn tunable_keys_are_those_that_can_be_set() {
        for &kind in KernelKind::all() {
            let spec = KernelSpec::new(1.0, kind.shape(&mut Asked::default()).unwrap());
            for key in KernelKind::all().iter().flat_map(|kind| kind.keys()).chain([&WEIGHT]) {
                let own = kind.is_tunable(key.name);
                let name = format!("kernel[0].{}", key.name);
                let mut specs = [spec.clone()];
                let set = set_parameters(&mut specs, &[Parameter { name, value: 0.25 }]);
                assert_eq!((set.is_ok(), specs != [spec.clone()]), (own, own), "{kind}: {}", key.name);
            }
        }
    }
}
