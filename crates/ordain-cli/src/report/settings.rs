//! The settings of a project.

use ordain::data::Goal;
use ordain::kernel::{Kernel, ParameterName};
use ordain::{Fitted, Project};

use super::as_html;
use crate::tune::short;

/// The section.
pub fn section(project: &Project, fitted: &Fitted) -> String {
    let mut rows: Vec<(String, String)> = kernels(project, fitted);
    if let Some(prior) = project.items().prior() {
        let columns = prior.columns().names().iter().zip(prior.weights());
        let words: Vec<String> =
            columns.map(|(name, &weight)| format!("{} × {}", short(weight), as_html(name))).collect();
        rows.push(("prior mean".into(), words.join(" + ")));
    }
    let model = fitted.answer_model();
    let learned = match (model.learns(), fitted.learned()) {
        (false, _) => "",
        (true, 0) => ", until answers tell it",
        (true, _) => ", learned from the answers",
    };
    rows.push(("noise of answers".into(), format!("{}{learned}", short(model.noise()))));
    if model.lapse() > 0.0 {
        rows.push(("answers turned round".into(), format!("{:.1} %", 100.0 * model.lapse())));
    }
    let ties = if model.tie_width() > 0.0 { short(model.tie_width()) } else { "0: no ties".into() };
    rows.push(("tie width".into(), ties));
    let ask = project.model().ask();
    let goal = match ask.goal {
        Goal::Top { k } => format!("top {k}"),
        goal => goal.name().into(),
    };
    rows.push(("goal".into(), goal));
    rows.push(("seed".into(), ask.seed.to_string()));
    let row = |(name, value): &(String, String)| format!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>\n");
    format!(
        "<h2>Settings</h2>\n<table class=\"settings\">\n<tbody>\n{}</tbody>\n</table>\n",
        rows.iter().map(row).collect::<String>()
    )
}

/// A row per kernel: its name, and its parameters.
fn kernels(project: &Project, fitted: &Fitted) -> Vec<(String, String)> {
    let parameters = fitted.model().kernel().map(|kernel| kernel.parameters()).unwrap_or_default();
    let own = |number: usize| {
        let of_kernel = parameters.iter().filter_map(|one| {
            let name = ParameterName::parse(&one.name).filter(|name| name.kernel == number)?;
            Some(format!("{} {}", name.own, short(one.value)))
        });
        of_kernel.collect::<Vec<_>>().join(", ")
    };
    project.kernel_names().iter().enumerate().map(|(number, name)| (as_html(name), own(number))).collect()
}
