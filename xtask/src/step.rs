//! One command with a title: run it, time it, and say how to repeat it when it fails.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command run at the root of the repository.
#[derive(Debug, Clone)]
pub struct Step {
    title: String,
    program: OsString,
    args: Vec<OsString>,
    envs: Vec<(OsString, OsString)>,
    off_stdout: bool,
}

/// Why a task stopped.
#[derive(Debug)]
pub struct Failure {
    what: String,
    /// What the developer can type.
    repeat: Option<String>,
}

impl Step {
    pub fn new(title: &str, program: impl Into<OsString>) -> Self {
        Self { title: title.into(), program: program.into(), args: Vec::new(), envs: Vec::new(), off_stdout: false }
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: &[S]) -> Self {
        self.args.extend(args.iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.envs.push((name.into(), value.into()));
        self
    }

    /// Keeps the command's chatter out of standard output, which is then the task's own.
    pub fn off_stdout(mut self) -> Self {
        self.off_stdout = true;
        self
    }

    /// Runs the command under a title line that starts with `position`.
    pub fn run(&self, position: &str) -> Result<(), Failure> {
        title(&format!("{position}{}", self.title));
        let started = Instant::now();
        match self.command().status() {
            Ok(status) if status.success() => {
                report(&format!("ok in {}", elapsed(started)));
                Ok(())
            }
            Ok(status) => Err(self.failure(&format!("failed after {} ({status})", elapsed(started)))),
            Err(error) => Err(self.failure(&format!("could not start: {error}"))),
        }
    }

    /// What it is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether the command starts and succeeds, with nothing shown.
    pub fn succeeds_quietly(&self) -> bool {
        let status = self.command().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// The command, ready to run at the root of the repository.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.envs.iter().map(|(name, value)| (name, value))).current_dir(crate::root());
        if self.off_stdout {
            command.stdout(std::io::stderr());
        }
        command
    }

    fn failure(&self, what: &str) -> Failure {
        Failure { what: format!("{}: {what}", self.title), repeat: Some(self.shell_line()) }
    }

    /// The command as typed into a shell at the root of the repository.
    fn shell_line(&self) -> String {
        let envs = self.envs.iter().map(|(name, value)| format!("{}={}", name.to_string_lossy(), quoted(value)));
        // Cargo hands its full path to this program; the developer types the short name.
        let program = match Path::new(&self.program).file_stem() {
            Some(name) if name == "cargo" => "cargo".into(),
            _ => quoted(&self.program),
        };
        let args = self.args.iter().map(|arg| quoted(arg));
        envs.chain([program]).chain(args).collect::<Vec<_>>().join(" ")
    }
}

impl Failure {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), repeat: None }
    }

    /// With what the developer can type to see it again.
    pub fn repeat(self, line: &str) -> Self {
        Self { repeat: Some(line.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.repeat {
            Some(line) => write!(f, "\nto repeat this step: {line}"),
            None => Ok(()),
        }
    }
}

/// The word as a POSIX shell takes it literally.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Announces a step.
pub fn title(text: &str) {
    eprintln!("{}", coloured("1;36", &format!("==> {text}")));
}

/// Says that something went well.
pub fn report(text: &str) {
    eprintln!("{}", coloured("32", &format!("    {text}")));
}

/// Says that something went wrong.
pub fn complain(text: &str) {
    eprintln!("{} {text}", coloured("1;31", "error:"));
}

/// Steps one after another, counted and timed.
pub struct Course {
    total: usize,
    started: Instant,
    /// What each finished step is called and took.
    took: Vec<(String, Duration)>,
}

impl Course {
    /// So many steps.
    pub fn new(total: usize) -> Self {
        Self { total, started: Instant::now(), took: Vec::with_capacity(total) }
    }

    /// Takes the next step, which gets its position, as `[2/7] `, to put before its title.
    pub fn take<T>(&mut self, name: &str, step: impl FnOnce(&str) -> Result<T, Failure>) -> Result<T, Failure> {
        let started = Instant::now();
        let out = step(&format!("[{}/{}] ", self.took.len() + 1, self.total))?;
        self.took.push((name.into(), started.elapsed()));
        Ok(out)
    }

    /// Says what each step took.
    pub fn finish(self) {
        title(&format!("all {} steps passed in {}", self.took.len(), elapsed(self.started)));
        let width = self.took.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, took) in self.took {
            report(&format!("{name:width$}  {:>12}", shown(took)));
        }
    }
}

/// The time since, for people.
pub fn elapsed(since: Instant) -> String {
    shown(since.elapsed())
}

fn shown(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:02} s", seconds as u64 / 60, seconds as u64 % 60)
    }
}

/// Colours are for people at a terminal who did not decline them (<https://no-color.org>).
fn coloured<'a>(code: &str, text: &'a str) -> Cow<'a, str> {
    let declined = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if std::io::stderr().is_terminal() && !declined {
        Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_to_repeat_is_what_a_shell_would_run() {
        let step = Step::new("docs", "/somewhere/bin/cargo").args(&["doc", "--no-deps", "it's"]);
        let step = step.env("RUSTDOCFLAGS", "-D warnings").env("EMPTY", "");
        assert_eq!(step.shell_line(), r"RUSTDOCFLAGS='-D warnings' EMPTY='' cargo doc --no-deps 'it'\''s'");
    }

    #[test]
    fn a_command_that_is_not_there_is_a_failure_that_names_it() {
        let step = Step::new("nonsense", "no-such-program-anywhere").args(&["x"]);
        assert!(!step.succeeds_quietly());
        let failure = step.run("").unwrap_err().to_string();
        assert!(failure.starts_with("nonsense: could not start: "), "{failure}");
        assert!(failure.ends_with("to repeat this step: no-such-program-anywhere x"), "{failure}");
    }
}
