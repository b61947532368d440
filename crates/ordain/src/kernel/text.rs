//! Texts of items as a relation of items to words.

use crate::data::{Link, Relation};
use crate::text::{Index, TermId, Weighting};
use crate::{Error, Result};

/// The texts of items as a bipartite relation: from every item to the terms of its text, with the weights that a
/// weighting gives them, each row with length 1. The documents of the index are the items, in order; `newcomers` are texts
/// of more items, whose words count as far as the index has them.
///
/// A kernel of vectors over it is positive semidefinite by construction: the cosine is a product of the rows
/// themselves. A text without words has an empty row: it is like no other item, and this part of its utility is its own.
///
/// ```
/// use ordain::data::Items;
/// use ordain::kernel::{Form, Kernel, KernelSpec, Over, Shape, build, text_relation};
/// use ordain::text::{Analysis, IndexBuilder, Weighting};
///
/// let texts = [("a", "learning to rank"), ("b", "rank aggregation"), ("c", "weather")];
/// let mut builder = IndexBuilder::new(Analysis::default());
/// texts.into_iter().try_for_each(|(id, text)| builder.add(id, text))?;
/// let words = text_relation(&builder.finish()?, &Weighting::default(), &[])?;
///
/// let shape = Shape::Vector { form: Form::Cosine { kappa: 1.0 }, over: Over::Text(0) };
/// let items = Items::from_ids(texts.map(|(id, _)| id))?;
/// let kernel = build(&[KernelSpec::new(1.0, shape)], &items, &[words])?;
/// let mut column = [0.0; 3];
/// kernel.column(0, &mut column)?;
/// assert!(column[0] == 1.0 && column[1] > 0.1 && column[2] == 0.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// Time and memory are linear in the words.
///
/// # Errors
/// If the weighting's constants are out of range, or there are 2³² items.
pub fn text_relation(index: &Index, weighting: &Weighting, newcomers: &[String]) -> Result<Relation> {
    let items = index.len() + newcomers.len();
    if items > u32::MAX as usize {
        let (what, limit) = ("texts of items".into(), u32::MAX as usize);
        return Err(Error::TooLarge { what, size: items, limit, method: "an item number" });
    }
    let weighted = weighting.over(index)?;
    let known = weighted.vectors();
    let new: Vec<Vec<(TermId, f64)>> = newcomers.iter().map(|text| weighted.vector(text)).collect();
    let rows = (0..).zip(known.rows().iter().chain(&new));
    let links = rows.flat_map(|(source, row): (u32, _)| {
        row.iter().map(move |&(term, weight)| Link { source, target: term.0, weight })
    });
    Relation::bipartite(items, index.terms(), links.collect())
}
