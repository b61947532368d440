//! The kinds of kernel that a project file can name: their words, their keys, and the conversion of a kind into a shape.

use super::semi_supervised::STRENGTH;
use super::{Causes, Form, Over, RelationSpec, Rho, Shape};
use crate::Result;
use crate::words::vocabulary;

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
    /// [`Form::Cosine`] over [`Over::Text`].
    Text,
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
    Text = "text", "items whose texts share telling words are alike";
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
    /// A [`Role`](super::Role). Default: [`Role::Undirected`](super::Role::Undirected).
    Role,
    /// [`Causes`]. Default: [`Causes::Edges`].
    Causes,
    /// The names of columns of text. Default: all that the items have.
    Columns,
    /// The name of a file with learned weights of words. Without it, words weigh as in Okapi BM25.
    WordWeights,
    /// The name of a [`Stemmer`](crate::text::Stemmer). Default: none.
    Stemmer,
    /// A table with the keys `neighbours`, a whole number, and `strength`, a finite number above 0. Without it, the
    /// kernel does not look at neighbours.
    Neighbours,
}

impl Takes {
    /// Whether the key holds numbers that can be tuned. A number of a table has a name of its own.
    pub(crate) fn is_tunable(self) -> bool {
        match self {
            Self::Positive { .. } | Self::NotNegative { .. } | Self::Lengths => true,
            Self::Whole { .. }
            | Self::Links
            | Self::LinksOrAttributes
            | Self::Role
            | Self::Causes
            | Self::Columns
            | Self::WordWeights
            | Self::Stemmer
            | Self::Neighbours => false,
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

const COLUMNS: Key = Key { name: "columns", takes: Takes::Columns, description: "the columns of text" };
const WORD_WEIGHTS: Key = Key {
    name: "model",
    takes: Takes::WordWeights,
    description: "weights of words that \"ordain train linklearn\" wrote",
};
const STEM: Key =
    Key { name: "stem", takes: Takes::Stemmer, description: "the language whose endings are stripped from words" };

const SEMI_SUPERVISED: Key = Key {
    name: "semi_supervised",
    takes: Takes::Neighbours,
    description: "joins nearest neighbours, so that the kernel follows the shape of the data",
};

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
    /// The number of neighbours that a kernel joins, and the strength, if it looks at them.
    fn neighbours(&self, key: &Key, over: Over) -> Result<Option<(usize, f64)>>;
    /// The relation of the items to the words of their texts: columns, learned weights and stemmer.
    fn texts(&mut self, columns: &Key, model: &Key, stem: &Key) -> Result<usize>;
}

impl KernelKind {
    /// The keys that this kind takes, besides `kind` and `weight`.
    pub fn keys(self) -> &'static [Key] {
        match self {
            Self::SquaredExponential | Self::Matern32 | Self::Matern52 => &[KAPPA, RHO, ROWS, AS, SEMI_SUPERVISED],
            Self::Linear | Self::Cosine => &[KAPPA, ROWS, AS, SEMI_SUPERVISED],
            Self::Polynomial => &[KAPPA, OFFSET, DEGREE, ROWS, AS, SEMI_SUPERVISED],
            Self::Independent => &[],
            Self::RegularizedLaplacian => &[LINKS, AS, BETA, IOTA],
            Self::CommonCause => &[LINKS, AS, CAUSES],
            Self::Diffusion => &[LINKS, AS, TIME],
            Self::DirectedLaplacian => &[LINKS, BETA, IOTA],
            Self::Text => &[KAPPA, COLUMNS, WORD_WEIGHTS, STEM],
        }
    }

    /// Whether a table of this kind can hold a tunable number under this key.
    pub(crate) fn is_tunable(self, key: &str) -> bool {
        let own = |known: &Key| match known.takes {
            Takes::Neighbours => key == STRENGTH,
            takes => known.name == key && takes.is_tunable(),
        };
        std::iter::once(&WEIGHT).chain(self.keys()).any(own)
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
            Self::Text => {
                let form = Form::Cosine { kappa: table.number(&KAPPA)? };
                Shape::Vector { form, over: Over::Text(table.texts(&COLUMNS, &WORD_WEIGHTS, &STEM)?) }
            }
        })
    }
}

/// The shape of a kernel over vectors.
fn vector<T: KernelTable>(table: &mut T, form: impl FnOnce(&T, Over) -> Result<Form>) -> Result<Shape> {
    let over = table.over(&ROWS, &AS)?;
    let form = form(table, over)?;
    Ok(match table.neighbours(&SEMI_SUPERVISED, over)? {
        Some((neighbours, strength)) => Shape::SemiSupervised { form, neighbours, strength },
        None => Shape::Vector { form, over },
    })
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
    use crate::kernel::{KernelSpec, Parameter, Role, set_parameters};

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

        fn neighbours(&self, key: &Key, _: Over) -> Result<Option<(usize, f64)>> {
            self.note(key);
            Ok(None)
        }

        fn texts(&mut self, columns: &Key, model: &Key, stem: &Key) -> Result<usize> {
            [columns, model, stem].into_iter().for_each(|key| self.note(key));
            Ok(0)
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
