//! Descriptions of kernels: the `[[kernel]]` tables of a project as plain values.

use super::semi_supervised::STRENGTH;
use super::sum::relation_at;
use super::{
    CommonCause, Diffusion, DirectedLaplacian, Graph, Independent, Kernel, KernelKind, Parameter, RegularizedLaplacian,
    SemiSupervised, VectorKernel, Vectors, neighbour_graph, relation_vectors,
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
            (Shape::SemiSupervised { strength, .. }, STRENGTH, None) => Some(strength),
            (Shape::Vector { form, .. } | Shape::SemiSupervised { form, .. }, key, element) => {
                form.parameter(key, element)
            }
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
    /// A function of the items' attributes, warped by the graph of their nearest neighbours (SSGP section 2.1). Its
    /// kind is that of the function.
    SemiSupervised {
        /// The function.
        form: Form,
        /// An item is linked to this many nearest ones, and to those that count it among theirs.
        neighbours: usize,
        /// How much a link weighs: it multiplies the graph's Laplacian.
        strength: f64,
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
            Self::Vector { form: Form::Cosine { .. }, over: Over::Text(_) } => KernelKind::Text,
            Self::Vector { form, .. } | Self::SemiSupervised { form, .. } => match form {
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
        let of_relation = |number: usize| move |error| Error::Relation { number, error: Box::new(error) };
        let graph_of = |spec: &RelationSpec| {
            Graph::new(n, relation_of(spec.relation)?, spec.role).map_err(of_relation(spec.relation))
        };
        Ok(match self {
            Self::Vector { form, over } => {
                let vectors = match over.relation() {
                    None => Vectors::from_attributes(items.attributes())?,
                    Some(spec) => {
                        let rows = relation_vectors(n, relation_of(spec.relation)?, spec.role);
                        Vectors::from_rows(rows.map_err(of_relation(spec.relation))?)
                    }
                };
                Box::new(VectorKernel::new(vectors, form.clone())?)
            }
            Self::SemiSupervised { form, neighbours, strength } => {
                let graph = neighbour_graph(items.attributes(), *neighbours)?;
                Box::new(semi_supervised(items, form, &graph, *strength)?)
            }
            Self::Independent => Box::new(Independent::new(n)),
            Self::RegularizedLaplacian { relation, beta, iota } => {
                Box::new(RegularizedLaplacian::new(graph_of(relation)?, *beta, *iota)?)
            }
            Self::CommonCause { relation, causes } => Box::new(CommonCause::new(&graph_of(relation)?, *causes)?),
            Self::Diffusion { relation, beta } => Box::new(Diffusion::new(&graph_of(relation)?, *beta)?),
            Self::DirectedLaplacian { relation, beta, iota } => {
                let kernel = DirectedLaplacian::new(n, relation_of(*relation)?, *beta, *iota);
                Box::new(kernel.map_err(|error| match error {
                    Error::Data { .. } => of_relation(*relation)(error),
                    error => error,
                })?)
            }
        })
    }

    /// The position of the relation that the kernel is over, if it is over one.
    pub fn relation(&self) -> Option<usize> {
        match self {
            Self::Independent | Self::SemiSupervised { .. } => None,
            Self::Vector { over, .. } => over.relation().map(|spec| spec.relation),
            Self::RegularizedLaplacian { relation, .. }
            | Self::CommonCause { relation, .. }
            | Self::Diffusion { relation, .. } => Some(relation.relation),
            Self::DirectedLaplacian { relation, .. } => Some(*relation),
        }
    }
}

/// A function of the items' attributes, warped by a graph of the first of them.
pub(super) fn semi_supervised(items: &Items, form: &Form, graph: &Graph, strength: f64) -> Result<SemiSupervised> {
    let attributes = VectorKernel::new(Vectors::from_attributes(items.attributes())?, form.clone())?;
    SemiSupervised::new(attributes, graph, strength)
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
            Over::Relation(_) | Over::Text(_) => Self::Shared(0.5),
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
    /// The words of the items' texts: rows of the relation at this position, which [`super::text_relation`] makes. They take one
    /// common `rho`.
    Text(usize),
}

impl Over {
    /// The relation whose rows are the vectors, if they are not the attributes.
    pub(super) fn relation(self) -> Option<RelationSpec> {
        match self {
            Self::Attributes => None,
            Self::Relation(spec) => Some(spec),
            Self::Text(relation) => Some(RelationSpec { relation, role: Role::Bipartite }),
        }
    }
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
