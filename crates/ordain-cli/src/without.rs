//! The option that leaves judges out. `ordain rank`, `ordain next` and `ordain ask` share it.

use std::collections::BTreeSet;

use clap::Args;
use ordain::Project;

use crate::{Failure, output};

/// The judges to leave out.
#[derive(Args)]
pub struct Without {
    /// Leave out the answers of this judge, as if he had never answered; may be given several times. The log keeps them
    #[arg(long, value_name = "JUDGE")]
    without: Vec<String>,
}

impl Without {
    /// Leaves the judges out of a project from here on. `asked` is the judge who answers, if somebody does.
    pub fn leave_out(&self, project: &mut Project, asked: Option<&str>) -> Result<(), Failure> {
        let Some(first) = self.without.first() else { return Ok(()) };
        if let Some(judge) = asked.filter(|asked| self.without.iter().any(|name| name == asked)) {
            let message = format!(
                "--judge {0} with --without {0}: what this judge answers would be left out",
                output::typed(judge)
            );
            return Err(Failure::Usage { message, hint: "leave one of the two out" });
        }
        let all = project.model().answers().count();
        project.leave_out(&self.without)?;
        let left = all - project.model().answers().count();
        let whom = match self.without.iter().collect::<BTreeSet<_>>().len() {
            1 => output::name(first),
            several => output::count(several, "judge"),
        };
        output::note(format!("without {whom}: {} left out", output::count(left, "answer")));
        Ok(())
    }
}
