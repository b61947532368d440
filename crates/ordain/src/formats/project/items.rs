//! The table `[items]`.

use std::path::{Path, PathBuf};

use super::{PriorReading, check_exists, locate, use_attributes};
use crate::data::{Items, Scale};
use crate::error::listed;
use crate::formats::items::{ItemsSpec, Missing};
use crate::formats::settings::Section;
use crate::kernel::KernelSpec;
use crate::{Error, InputError, Result};

/// What `[items]` says.
pub(super) struct ItemsSettings {
    pub file: PathBuf,
    pub spec: ItemsSpec,
    /// One weight per column of the prior.
    prior_weights: Vec<f64>,
    pub standardize: bool,
}

impl ItemsSettings {
    pub fn read(section: Section<'_>, folder: &Path) -> Result<Self> {
        section.check_keys(&ITEMS_KEYS)?;
        let Some(file) = locate(&section, folder, "file")? else {
            let error = section.reject("file", "a file under [items]");
            return Err(error.hint("write for example file = \"items.csv\"").into());
        };
        check_exists(&section, &file, "file")?;
        let text = |key: &str| section.text(key).map(|text| text.map(|text| text.value.to_owned()));
        let missing = section.word::<Missing>("missing")?;
        let spec = ItemsSpec {
            header: section.flag("header")?.unwrap_or(true),
            id: text("id")?.unwrap_or_else(|| "id".into()),
            name: text("name")?,
            attributes: section.texts("attributes")?,
            prior: section.texts("prior")?.unwrap_or_default(),
            group: text("group")?,
            missing: missing.unwrap_or_default(),
        };
        let prior_weights = read_prior_weights(&section, spec.prior.len())?;
        let standardize = section.flag("standardize")?.unwrap_or(true);
        Ok(Self { file: file.value, spec, prior_weights, standardize })
    }

    /// The items with the weights of their prior, standardized like the attributes, and what newcomers need of it.
    pub fn with_prior(&self, items: Items) -> Result<(Items, PriorReading)> {
        let Some(prior) = items.prior().cloned() else { return Ok((items, PriorReading::default())) };
        let means = prior.columns().means();
        let scale = self.standardize.then(|| Scale::of(prior.columns(), items.groups()));
        let prior = if self.standardize { prior.standardized(items.groups()) } else { Ok(prior) };
        let prior = prior.map_err(|error| match error {
            Error::ConstantAttributes { names } => {
                InputError::new(&self.file, "a column of the prior that differs between items of a group")
                    .column(&names[0])
                    .found("the same number everywhere")
                    .hint("delete the column from prior under [items]")
                    .into()
            }
            error => error,
        })?;
        let prior = prior.with_weights(self.prior_weights.clone()).map_err(|_| {
            InputError::new(&self.file, "columns whose sum, times prior_weights, is a finite number")
                .column(listed(&self.spec.prior))
                .hint("set standardize = true under [items], or give smaller weights")
        })?;
        Ok((items.with_prior(Some(prior))?, PriorReading { means, scale }))
    }
}

/// The keys of `[items]`.
const ITEMS_KEYS: [&str; 10] =
    ["file", "header", "id", "name", "attributes", "prior", "prior_weights", "group", "standardize", "missing"];

/// The weights of the columns of the prior: 1 each unless they are given.
fn read_prior_weights(section: &Section<'_>, columns: usize) -> Result<Vec<f64>> {
    let Some(weights) = section.numbers("prior_weights")? else { return Ok(vec![1.0; columns]) };
    if weights.len() == columns {
        return Ok(weights);
    }
    let error = match columns {
        0 => section.reject("prior_weights", "a key prior beside it: the columns that the weights are of"),
        columns => section.reject("prior_weights", format!("{columns} numbers, one per column of prior")),
    };
    Err(error.hint("leave the key out for weights of 1").into())
}

/// Standardizes the attributes. If all are constant, this is an error only if a kernel uses attributes.
pub(super) fn standardize(items: Items, file: &Path, kernels: &[KernelSpec]) -> Result<Items> {
    match items.attributes().standardized(items.groups()) {
        Ok(attributes) => items.with_attributes(attributes),
        Err(Error::ConstantAttributes { names }) if use_attributes(kernels) => {
            let found = format!("only constant columns ({})", listed(&names));
            Err(InputError::new(file, "at least one attribute that differs between items")
                .found(found)
                .hint("compare the items by a relation, or use kind = \"independent\" alone")
                .into())
        }
        Err(Error::ConstantAttributes { .. }) => Ok(items),
        Err(other) => Err(other),
    }
}
