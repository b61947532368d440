//! Descriptions of kernels: the `[[kernel]]` tables of a project as plain values.

use super::Parameter;
use crate::{Error, Result};

/// One `[[kernel]]` table: a part of the utility with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelSpec {
    /// Multiplies this part of the utility, so it enters the covariance squared (AXPGP eqs. 5 and 6).
    pub weight: f64,
    /// The covariance of this part.
    pub shape: Shape,
}

impl KernelSpec {
    /// What is each item's own, with this weight.
    pub fn independent(weight: f64) -> Self {
        Self { weight, shape: Shape::Independent }
    }

    /// The place of a parameter by its key, as in `weight` or `rho[2]`.
    fn parameter(&mut self, key: &str) -> Option<&mut f64> {
        if key == "weight" {
            return Some(&mut self.weight);
        }
        match (&mut self.shape, key) {
            (Shape::Vector { form, .. }, key) => form.parameter(key),
            (Shape::RegularizedLaplacian { beta, .. } | Shape::DirectedLaplacian { beta, .. }, "beta") => Some(beta),
            (Shape::RegularizedLaplacian { iota, .. } | Shape::DirectedLaplacian { iota, .. }, "iota") => Some(iota),
            (Shape::Diffusion { beta, .. }, "beta") => Some(beta),
            (
                Shape::Independent
                | Shape::CommonCause { .. }
                | Shape::RegularizedLaplacian { .. }
                | Shape::DirectedLaplacian { .. }
                | Shape::Diffusion { .. },
                _,
            ) => None,
        }
    }
}

/// Gives parameters new values, by the names that [`WeightedSum`](super::WeightedSum) has for them: `kernel[0].weight`,
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
        let parts = name.strip_prefix("kernel[").and_then(|rest| rest.split_once("]."));
        let place = parts.and_then(|(number, key)| changed.get_mut(number.parse::<usize>().ok()?)?.parameter(key));
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
        /// Overall scale.
        beta: f64,
        /// Reach: the prior standard deviation of an item without links, for beta = 1.
        iota: f64,
    },
    /// Hidden common causes (XPGP section 3; Silva, Chu, Ghahramani 2007).
    CommonCause {
        /// The links.
        relation: RelationSpec,
        /// What counts as a cause.
        causes: Causes,
    },
    /// `exp(-beta Laplacian)` (Kondor, Lafferty 2002).
    Diffusion {
        /// The links.
        relation: RelationSpec,
        /// How far things spread.
        beta: f64,
    },
    /// The regularized Laplacian of a random walk along directed links (XPGP section 7; Chung 2005).
    DirectedLaplacian {
        /// The position of the relation; its direction is kept.
        relation: usize,
        /// Overall scale.
        beta: f64,
        /// Reach.
        iota: f64,
    },
}

impl Shape {
    /// The kind as the project file has it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Vector { form, .. } => match form {
                Form::SquaredExponential { .. } => "squared-exponential",
                Form::Matern32 { .. } => "matern-3/2",
                Form::Matern52 { .. } => "matern-5/2",
                Form::Linear { .. } => "linear",
                Form::Polynomial { .. } => "polynomial",
                Form::Cosine { .. } => "cosine",
            },
            Self::Independent => "independent",
            Self::RegularizedLaplacian { .. } => "regularized-laplacian",
            Self::CommonCause { .. } => "common-cause",
            Self::Diffusion { .. } => "diffusion",
            Self::DirectedLaplacian { .. } => "directed-laplacian",
        }
    }

    /// The position of the relation that it is over, if it is over one.
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
pub enum Form {
    /// `kappa² exp(-½ Σ rho_d² (x_d - y_d)²)` (AXPGP eq. 2).
    SquaredExponential {
        /// Standard deviation.
        kappa: f64,
        /// Inverse length.
        rho: Rho,
    },
    /// `kappa² (1 + √3 r) exp(-√3 r)`, `r² = Σ rho_d² (x_d - y_d)²`.
    Matern32 {
        /// Standard deviation.
        kappa: f64,
        /// Inverse length.
        rho: Rho,
    },
    /// `kappa² (1 + √5 r + 5 r² / 3) exp(-√5 r)`.
    Matern52 {
        /// Standard deviation.
        kappa: f64,
        /// Inverse length.
        rho: Rho,
    },
    /// `kappa² x·y`.
    Linear {
        /// Standard deviation.
        kappa: f64,
    },
    /// `kappa² (x·y + offset)^degree`.
    Polynomial {
        /// Standard deviation.
        kappa: f64,
        /// Weight of the lower degrees, at least 0; at 0 it is not tuned.
        offset: f64,
        /// The degree, at least 1.
        degree: u32,
    },
    /// `kappa² x·y / (|x| |y|)`; a zero vector is like nothing but itself.
    Cosine {
        /// Standard deviation.
        kappa: f64,
    },
}

impl Form {
    /// The place of a parameter by its key.
    fn parameter(&mut self, key: &str) -> Option<&mut f64> {
        match (self, key) {
            (
                Self::SquaredExponential { kappa, .. }
                | Self::Matern32 { kappa, .. }
                | Self::Matern52 { kappa, .. }
                | Self::Linear { kappa }
                | Self::Polynomial { kappa, .. }
                | Self::Cosine { kappa },
                "kappa",
            ) => Some(kappa),
            (Self::Polynomial { offset, .. }, "offset") => Some(offset),
            (
                Self::SquaredExponential { rho, .. } | Self::Matern32 { rho, .. } | Self::Matern52 { rho, .. },
                key,
            ) => rho.parameter(key),
            (Self::Linear { .. } | Self::Polynomial { .. } | Self::Cosine { .. }, _) => None,
        }
    }
}

impl Rho {
    fn parameter(&mut self, key: &str) -> Option<&mut f64> {
        match self {
            Self::Shared(rho) => (key == "rho").then_some(rho),
            Self::Each(each) => {
                let at: usize = key.strip_prefix("rho[")?.strip_suffix(']')?.parse().ok()?;
                each.get_mut(at)
            }
        }
    }
}

/// The inverse length of a kernel of distance.
#[derive(Debug, Clone, PartialEq)]
pub enum Rho {
    /// One for all attributes.
    Shared(f64),
    /// One per attribute.
    Each(Vec<f64>),
}

/// The vectors that a vector kernel compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The items' attributes.
    Attributes,
    /// A relation as a vector (XPGP section 3.1): the weights of an item's links to its neighbours (undirected), targets
    /// (linking, bipartite) or sources (linked). It takes one `rho` for all.
    Relation(RelationSpec),
}

/// A relation and how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationSpec {
    /// Its position among the project's relations.
    pub relation: usize,
    /// How its links become a graph.
    pub role: Role,
}

/// How directed or bipartite links become an undirected graph over the items (XPGP section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A link joins its two ends.
    Undirected,
    /// Items are joined when they link to the same targets.
    Linking,
    /// Items are joined when they are linked from the same sources (co-citation).
    Linked,
    /// Targets are other things; items are joined when they link to the same ones.
    Bipartite,
}

/// What counts as a hidden common cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Causes {
    /// One per maximal clique of the triangulated graph.
    Cliques,
    /// One per link.
    Edges,
}
