//! Programs that tasks need and that are no part of the toolchain.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::{self, Failure, Step};

/// The folder for everything that tasks make.
pub fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::root().join("target"), PathBuf::from);
    std::path::absolute(&target).unwrap_or(target)
}

/// A program from the crates' registry, of one version, under the target folder; built first if it is not there yet. Without
/// optimisation, because it runs for seconds.
pub fn cargo_tool(name: &str, version: &str, position: &str) -> Result<PathBuf, Failure> {
    let root = target().join("tools").join(version);
    let program = root.join("bin").join(name);
    if Step::new("", &program).args(&["--version"]).succeeds_quietly() {
        return Ok(program);
    }
    let install =
        crate::cargo(&format!("{name} {version}"), &["install", "--quiet", "--locked", "--debug", "--force", "--root"]);
    install.args(&[&root]).args(&[format!("{name}@{version}")]).off_stdout().run(position)?;
    Ok(program)
}

/// Has a program of Debian's at hand: found, or installed where that can be done without asking (root on Debian). Without it, CI
/// fails, and a developer is told what is skipped.
pub fn debian_tool(name: &str, without: &str) -> Result<bool, Failure> {
    let there = Step::new("", name).args(&["-V"]);
    if there.succeeds_quietly() || (install(&[name])? && there.succeeds_quietly()) {
        return Ok(true);
    }
    let advice = format!("{name} is not installed: on Debian or Ubuntu, sudo apt-get install {name}");
    if std::env::var_os("CI").is_some() {
        return Err(Failure::new(advice));
    }
    step::complain(&format!("{advice}\n       {without}"));
    Ok(false)
}

/// Installs packages of Debian's, if this is root on Debian; false if it is not.
pub fn install(packages: &[&str]) -> Result<bool, Failure> {
    if !(Path::new("/etc/debian_version").exists() && is_root()) {
        return Ok(false);
    }
    Step::new("Debian's list of packages", "apt-get").args(&["update"]).off_stdout().run("")?;
    let install = Step::new(&format!("{} from Debian", packages.join(", ")), "apt-get").args(&["install", "-y"]);
    install.args(packages).env("DEBIAN_FRONTEND", "noninteractive").off_stdout().run("")?;
    Ok(true)
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
