//! What attributes and links contribute.

use std::collections::HashSet;

use ordain::Project;
use ordain::gp::{Comparison, ComparisonParams, Lack, TuningParams};
use ordain::measure::MeanInterval;
use ordain::numeric::Seed;

use super::as_html;
use super::page::capital;
use crate::compare::claim;
use crate::working::working;
use crate::{Failure, output};

/// Whether each kernel helps, if that is known.
pub enum Compared {
    /// The comparison.
    Known(Comparison),
    /// There is one kernel, so no part is beside another.
    OnePart,
    /// There are too few pairs for the folds.
    FewPairs(usize),
    /// It would take too long.
    Long,
}

/// The folds, as `ordain compare` has them if nothing else is said.
const FOLDS: usize = 10;

/// Compares the model with those that lack a kernel, as `ordain compare` does.
pub fn compare(project: &Project, full: bool) -> Result<Compared, Failure> {
    if project.model().kernels().len() < 2 {
        return Ok(Compared::OnePart);
    }
    let observations = project.observations()?;
    let pairs = observations.iter().map(|observation| observation.functional).collect::<HashSet<_>>().len();
    if pairs < FOLDS {
        return Ok(Compared::FewPairs(pairs));
    }
    if !full && !is_quick(project, observations.len()) {
        return Ok(Compared::Long);
    }
    let seed = Seed(project.model().ask().seed);
    let working = working("comparing");
    let params = ComparisonParams::default()
        .with_folds(FOLDS)
        .with_seed(seed)
        .with_tuning(Some(TuningParams::default().with_seed(seed)))
        .with_watch(working.watch());
    Ok(Compared::Known(project.compare(&params)?))
}

/// Whether comparing takes at most about half a minute on two cores.
fn is_quick(project: &Project, answers: usize) -> bool {
    const BUDGET: f64 = 1e11;
    /// Evaluations while a model is tuned.
    const EVALUATIONS: f64 = 50.0;
    let standing = project.model().answers().standing();
    let compared: HashSet<_> =
        standing.iter().flat_map(|answer| [Some(answer.first), answer.second]).flatten().collect();
    let size = (answers + compared.len()) as f64;
    let models = (1 + project.model().kernels().len()) as f64;
    models * (1 + FOLDS) as f64 * EVALUATIONS * size * size * size <= BUDGET
}

/// The section.
pub fn section(project: &Project, compared: &Compared) -> String {
    let words = match compared {
        Compared::Known(comparison) => return known(project, comparison),
        Compared::OnePart | Compared::FewPairs(0) => return String::new(),
        Compared::FewPairs(pairs) => {
            format!("This takes answers on at least {FOLDS} different pairs; there are {pairs}.")
        }
        Compared::Long => "To compare the model with those that lack a part takes long in a project of this size, so this \
                           part is left out. <code>ordain compare</code> does it, and <code>ordain report --full</code> \
                           puts it here."
            .to_owned(),
    };
    format!("<h2>What attributes and links contribute</h2>\n<p class=\"notice\">{words}</p>\n")
}

fn known(project: &Project, comparison: &Comparison) -> String {
    let names = project.kernel_names();
    let changes: Vec<MeanInterval> = comparison.without.iter().map(|lack| lack.difference.log_loss).collect();
    let low = changes.iter().map(|change| change.low).fold(0.0, f64::min);
    let high = changes.iter().map(|change| change.high).fold(0.0, f64::max);
    let share = |value: f64| if high > low { 100.0 * (value - low) / (high - low) } else { 50.0 };
    let number = |value: f64| format!("{value:+.3}").replace('-', "−");
    let row = |(lack, name): (&Lack, &String)| {
        let MeanInterval { low, mean, high } = lack.difference.log_loss;
        let [from, middle, to, none] = [low, mean, high, 0.0].map(share);
        format!(
            "<tr><th scope=\"row\" class=\"item\">{}</th><td>{} <small>{} to {}</small></td><td class=\"picture\"><span>\
             <s style=\"left:{none:.1}%\"></s><i style=\"left:{from:.1}%;width:{:.1}%\"></i>\
             <b style=\"left:{middle:.1}%\"></b></span></td><td class=\"words\">{}</td></tr>\n",
            as_html(name),
            number(mean),
            number(low),
            number(high),
            to - from,
            capital(claim(lack, comparison.pairs)),
        )
    };
    let rows: String = comparison.without.iter().zip(&names).map(row).collect();
    format!(
        "<h2>What attributes and links contribute</h2>\n<p>How much worse held-out answers are predicted without a part: the \
         change of the log loss, with its 95 % interval. A positive change says that the part helps. A guess between two has the \
         log loss 0.693; all parts together have {:.3}. From {} on {}, in {FOLDS} folds.</p>\n\
         <div class=\"wide\"><table class=\"parts\">\n<thead><tr><th scope=\"col\" class=\"item\">without</th>\
         <th scope=\"col\">change</th><th scope=\"col\" class=\"picture\"></th><th scope=\"col\" class=\"words\"></th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n",
        comparison.all.log_loss.mean,
        output::count(comparison.answers, "answer"),
        output::count(comparison.pairs, "pair"),
    )
}
