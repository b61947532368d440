//! Options and variables that every subcommand has: where the project is, how much is said, and in which colours.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Args, ColorChoice, Command};

/// The options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Manners {
    /// Say nothing on standard error but warnings and errors: no notes, no progress
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Colours in help and messages. auto: on a terminal, unless the variable NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

/// Examples, and what the variables of the environment mean, for the help of the command.
pub const HELP: &str = "Examples:
  ordain init films.csv    # a table of items; or of answers, such as winner,loser
  ordain ask               # which of these two? Until the order is sure enough
  ordain rank --top 10     # the ranking, and how sure it is

Environment:
  ORDAIN_PROJECT  The project where none is named, in place of the current folder
  NO_COLOR        If set and not empty: no colours, unless --color says otherwise
  COLUMNS         The width of tables where standard output is no terminal";

/// Has subcommands look for the project where `ORDAIN_PROJECT` says, if it says something.
pub fn with_project(command: Command) -> Command {
    static PLACE: OnceLock<OsString> = OnceLock::new();
    // Without the variable it is the current folder, which is the default already.
    let place: &'static OsStr = PLACE.get_or_init(|| project().into_os_string());
    command.mut_subcommands(|subcommand| {
        // The folder of `ordain init` is where the project will be.
        let named = |id: &str| matches!((subcommand.get_name(), id), (_, "project") | ("init", "folder"));
        let ids = subcommand.get_arguments().map(|argument| argument.get_id().to_string());
        let ids: Vec<String> = ids.filter(|id| named(id)).collect();
        ids.into_iter().fold(subcommand, |subcommand, id| {
            subcommand.mut_arg(id, |argument| {
                // Where no project is needed, none is taken from the variable.
                if argument.get_default_values().is_empty() { argument } else { argument.default_value(place) }
            })
        })
    })
}

/// The project where none is named.
pub fn project() -> PathBuf {
    std::env::var_os("ORDAIN_PROJECT").filter(|place| !place.is_empty()).unwrap_or_else(|| ".".into()).into()
}

/// The colours that these words of the command line ask for. The parser needs them before it has read the words; it reports what is wrong
/// with them.
pub fn colours(words: impl IntoIterator<Item = OsString>) -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    let mut words = words.into_iter().map(|word| word.to_string_lossy().into_owned()).take_while(|word| word != "--");
    while let Some(word) = words.next() {
        let when = match word.split_once('=') {
            Some(("--color", when)) => Some(when.to_owned()),
            None if word == "--color" => words.next(),
            _ => None,
        };
        choice = when.and_then(|when| when.parse().ok()).unwrap_or(choice);
    }
    choice
}

/// How the command behaves, once it is known.
#[derive(Debug, Clone, Copy)]
struct Chosen {
    quiet: bool,
    coloured: bool,
}

static CHOSEN: OnceLock<Chosen> = OnceLock::new();

/// Settles how the command behaves from here on. Before, it is as without options.
pub fn choose(quiet: bool, choice: ColorChoice) {
    let _ = CHOSEN.set(Chosen { quiet, coloured: coloured(choice) });
}

fn coloured(choice: ColorChoice) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
            std::io::stderr().is_terminal() && !set("NO_COLOR") && !dumb
        }
    }
}

/// Whether notes and progress are left out.
pub fn is_quiet() -> bool {
    CHOSEN.get().is_some_and(|chosen| chosen.quiet)
}

/// Whether messages on standard error have colours.
pub fn has_colours() -> bool {
    CHOSEN.get().is_some_and(|chosen| chosen.coloured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_known_before_the_words_are_read() {
        let of = |words: &[&str]| colours(words.iter().map(OsString::from));
        assert_eq!(of(&["rank", "--color", "never"]), ColorChoice::Never);
        assert_eq!(of(&["--color=always", "rank"]), ColorChoice::Always);
        assert_eq!(of(&["rank", "--color", "always", "--color=never"]), ColorChoice::Never);
        for words in [&["rank"][..], &["rank", "--color"], &["rank", "--color=pink"], &["--", "--color=never"]] {
            assert_eq!(of(words), ColorChoice::Auto, "{words:?}");
        }
    }
}
