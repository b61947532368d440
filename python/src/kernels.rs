//! Kernels from the tables that Python hands in, and back.

use ordain::kernel::{Causes, Form, KernelKind, KernelSpec, Over, RelationSpec, Rho, Role, Shape};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::{Outcome, unfit};
use crate::learners::get;

/// The kernel that a table describes: `kind` and the keys of a `[[kernel]]` table. `relation` is the position of a relation.
pub fn kernel(table: &Bound<'_, PyDict>, attributes: usize) -> Outcome<KernelSpec> {
    let kind: String = need(table, "kind")?;
    let kind = kind.parse::<KernelKind>()?;
    Ok(KernelSpec::new(need(table, "weight")?, shape(kind, table, attributes)?))
}

fn shape(kind: KernelKind, table: &Bound<'_, PyDict>, attributes: usize) -> Outcome<Shape> {
    let number = |key| need::<f64>(table, key);
    Ok(match kind {
        KernelKind::Independent => Shape::Independent,
        KernelKind::RegularizedLaplacian => {
            Shape::RegularizedLaplacian { relation: relation(table)?, beta: number("beta")?, iota: number("iota")? }
        }
        KernelKind::CommonCause => {
            let form: String = need(table, "form")?;
            Shape::CommonCause { relation: relation(table)?, causes: form.parse::<Causes>()? }
        }
        KernelKind::Diffusion => Shape::Diffusion { relation: relation(table)?, beta: number("beta")? },
        KernelKind::DirectedLaplacian => Shape::DirectedLaplacian {
            relation: need(table, "relation")?,
            beta: number("beta")?,
            iota: number("iota")?,
        },
        _ => {
            let over = match get::<usize>(table, "relation")? {
                None => Over::Attributes,
                Some(_) => Over::Relation(relation(table)?),
            };
            if over == Over::Attributes && attributes == 0 {
                return Err(unfit("attributes of the items", "none", format!("some, for the kernel {kind}")));
            }
            let form = form(kind, table, over, attributes)?;
            match get::<(usize, f64)>(table, "semi_supervised")? {
                Some((neighbours, strength)) => Shape::SemiSupervised { form, neighbours, strength },
                None => Shape::Vector { form, over },
            }
        }
    })
}

fn form(kind: KernelKind, table: &Bound<'_, PyDict>, over: Over, attributes: usize) -> Outcome<Form> {
    let kappa = need(table, "kappa")?;
    let rho = || match get::<Vec<f64>>(table, "rho")?.as_deref() {
        None => Ok(Rho::usual(attributes, over)),
        Some([one]) => Ok::<_, crate::failure::Failure>(Rho::Shared(*one)),
        Some(each) => Ok(Rho::Each(each.to_vec())),
    };
    Ok(match kind {
        KernelKind::SquaredExponential => Form::SquaredExponential { kappa, rho: rho()? },
        KernelKind::Matern32 => Form::Matern32 { kappa, rho: rho()? },
        KernelKind::Matern52 => Form::Matern52 { kappa, rho: rho()? },
        KernelKind::Linear => Form::Linear { kappa },
        KernelKind::Polynomial => {
            Form::Polynomial { kappa, offset: need(table, "offset")?, degree: need(table, "degree")? }
        }
        KernelKind::Cosine => Form::Cosine { kappa },
        other => return Err(unfit("a kernel", other.name(), "one over attributes or links")),
    })
}

fn relation(table: &Bound<'_, PyDict>) -> Outcome<RelationSpec> {
    let role: String = need(table, "as")?;
    Ok(RelationSpec { relation: need(table, "relation")?, role: role.parse::<Role>()? })
}

fn need<'py, T: FromPyObjectOwned<'py>>(table: &Bound<'py, PyDict>, key: &'static str) -> Outcome<T> {
    get(table, key)?.ok_or_else(|| unfit("a kernel", format!("no {key}"), "every key of its kind"))
}

/// The table of a kernel.
pub fn table<'py>(py: Python<'py>, spec: &KernelSpec) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    table.set_item("kind", spec.shape.kind().name())?;
    table.set_item("weight", spec.weight)?;
    let related = |spec: &RelationSpec| {
        table.set_item("relation", spec.relation)?;
        table.set_item("as", spec.role.name())
    };
    match &spec.shape {
        Shape::Vector { form, over } => {
            formed(&table, form)?;
            match over {
                Over::Attributes => {}
                Over::Relation(spec) => related(spec)?,
                Over::Text(relation) => table.set_item("relation", relation)?,
            }
        }
        Shape::SemiSupervised { form, neighbours, strength } => {
            formed(&table, form)?;
            table.set_item("semi_supervised", (neighbours, strength))?;
        }
        Shape::RegularizedLaplacian { relation, beta, iota } => {
            related(relation)?;
            table.set_item("beta", beta)?;
            table.set_item("iota", iota)?;
        }
        Shape::CommonCause { relation, causes } => {
            related(relation)?;
            table.set_item("form", causes.name())?;
        }
        Shape::Diffusion { relation, beta } => {
            related(relation)?;
            table.set_item("beta", beta)?;
        }
        Shape::DirectedLaplacian { relation, beta, iota } => {
            table.set_item("relation", relation)?;
            table.set_item("beta", beta)?;
            table.set_item("iota", iota)?;
        }
        _ => {}
    }
    Ok(table)
}

fn formed(table: &Bound<'_, PyDict>, form: &Form) -> PyResult<()> {
    let distance = |kappa: &f64, rho: &Rho| {
        table.set_item("kappa", kappa)?;
        match rho {
            Rho::Shared(rho) => table.set_item("rho", vec![*rho]),
            Rho::Each(each) => table.set_item("rho", each.clone()),
        }
    };
    match form {
        Form::SquaredExponential { kappa, rho } | Form::Matern32 { kappa, rho } | Form::Matern52 { kappa, rho } => {
            distance(kappa, rho)
        }
        Form::Linear { kappa } | Form::Cosine { kappa } => table.set_item("kappa", kappa),
        Form::Polynomial { kappa, offset, degree } => {
            table.set_item("kappa", kappa)?;
            table.set_item("offset", offset)?;
            table.set_item("degree", degree)
        }
        _ => Ok(()),
    }
}
