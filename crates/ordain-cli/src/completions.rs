//! `ordain completions`: what a shell needs to complete words, and the pages of the manual.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use clap_complete::aot::{Shell as Known, generate};
use clap_mangen::Man;
use ordain::formats::write_whole;

use crate::Outcome;
use crate::output;

/// Print a script that completes the words of this command in your shell
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain completions bash > ordain.bash         # then: source ordain.bash, in ~/.bashrc
  ordain completions zsh > _ordain              # into a folder of $fpath
  ordain completions fish > ordain.fish         # into ~/.config/fish/completions
  ordain completions powershell > ordain.ps1    # then: . ./ordain.ps1, in your profile")]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let shell = match arguments.shell {
        Shell::Bash => Known::Bash,
        Shell::Zsh => Known::Zsh,
        Shell::Fish => Known::Fish,
        Shell::Powershell => Known::PowerShell,
    };
    // Written at once: the generator takes a closed pipe for a fault of its own.
    let mut script = Vec::new();
    generate(shell, &mut visible(&crate::command()), "ordain", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(())
}

/// The command without subcommands that are hidden: the generator would offer them too.
fn visible(command: &Command) -> Command {
    let subcommands = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    Command::new("ordain").args(command.get_arguments()).subcommands(subcommands)
}

/// Write the pages of the manual
#[derive(Args)]
pub struct ManArguments {
    /// The folder for the pages; made if it does not exist
    folder: PathBuf,
}

/// Writes `ordain.1`, and a page for every subcommand.
pub fn write_pages(arguments: &ManArguments) -> Outcome {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).map_err(|source| ordain::Error::Io {
        action: "create",
        path: folder.clone(),
        source,
    })?;
    let mut command = crate::command().disable_help_subcommand(true);
    command.build();
    let mut pages = vec![command.clone()];
    let mut written = 0;
    while let Some(page) = pages.pop() {
        pages.extend(page.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned());
        let name = page.get_display_name().unwrap_or_else(|| page.get_name()).to_owned();
        let man = Man::new(page);
        write_whole(folder.join(format!("{name}.1")), |out| man.render(out))?;
        written += 1;
    }
    output::note(format!("wrote {} to {}", output::count(written, "page"), folder.display()));
    Ok(())
}
