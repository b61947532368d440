//! Python environments with other people's implementations: oracles that the tests compare ours with, and peers that
//! the benches run beside.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::step::{self, Failure, Step};
use crate::tools;

/// An environment under the target folder.
pub struct Environment {
    /// Its folder there, and its title.
    name: &'static str,
    /// What to install, from the root of the repository.
    requirements: &'static str,
    /// A line of Python that needs all of it.
    modules: &'static str,
    /// The variable by which a developer may name an interpreter that has it all.
    variable: &'static str,
}

/// What the tests compare with.
pub const ORACLES: Environment = Environment {
    name: "oracles",
    requirements: "tests/oracles/requirements.txt",
    modules: "import bm25s, choix, ir_measures, mpmath, numpy, pytrec_eval, scipy, sklearn",
    variable: "ORDAIN_PYTHON",
};

/// What the benches run beside.
pub const PEERS: Environment = Environment {
    name: "peers",
    requirements: "crates/ordain-bench/peers/requirements.txt",
    modules: "import arena_rank, bm25s, botorch, choix, evalica, gpytorch, lightgbm, numba, numpy, pandas, pytrec_eval, rank_bm25, ranx, scipy, sklearn, surprise, torch",
    variable: "ORDAIN_PEERS_PYTHON",
};

/// What the tests of the Python package need, without the package.
pub const PACKAGE: Environment = Environment {
    name: "package-tests",
    requirements: "python/tests/requirements.txt",
    modules: "import choix, ipykernel, lightgbm, matplotlib, maturin, mypy, nbclient, networkx, numpy, pandas, polars, pyarrow, pytest, pytrec_eval, scipy, sklearn, tqdm, xgboost",
    variable: "ORDAIN_PACKAGE_PYTHON",
};

/// What simulated crowds run beside.
pub const CROWDS: Environment = Environment {
    name: "crowds",
    requirements: "crates/ordain-bench/peers/crowds.txt",
    modules: "import crowdkit.aggregation, numpy, pandas, scipy, sklearn",
    variable: "ORDAIN_CROWDS_PYTHON",
};

/// The pinned versions of NumPy and SciPy need 3.11. `ensurepip` is what Debian leaves out of `venv`.
const USABLE: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";

impl Environment {
    /// The interpreter with everything it needs, installed first if it is not there yet. `position` opens the title.
    pub fn prepare(&self, position: &str) -> Result<PathBuf, Failure> {
        let Self { name, modules, variable, .. } = self;
        if let Some(python) = std::env::var_os(variable) {
            let title = format!("{name}, by the Python that {variable} names");
            Step::new(&title, &python).args(&["-c", modules]).off_stdout().run(position)?;
            return Ok(python.into());
        }
        let requirements = crate::root().join(self.requirements);
        let wanted = read(&requirements)?;
        let folder = tools::target().join(name);
        let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let stamp = folder.join("requirements.stamp");
        if is_current(&stamp, &wanted) && Step::new("", &python).args(&["-c", modules]).succeeds_quietly() {
            step::title(&format!("{position}{name}"));
            step::report("already installed");
            return Ok(python);
        }

        let base = base_python()?;
        // A half-made environment is not worth repairing; the stamp comes last, so an interrupted one is made again.
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
        }
        let make = Step::new(&format!("{name}, a Python environment"), base).args(&["-m", "venv"]).args(&[&folder]);
        make.off_stdout().run(position)?;
        let install = Step::new(&format!("{name}, their packages"), &python)
            .args(&["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "-r"])
            .args(&[&requirements]);
        install.off_stdout().run(position)?;
        fs::write(&stamp, wanted).map_err(|error| Failure::new(format!("{}: {error}", stamp.display())))?;
        Ok(python)
    }
}

/// Builds the wheel of the Python package, installs it where nothing else is, uses it there, and runs the package's tests with it.
///
/// What the tests have built is at hand, so the time that it reports is what the package adds.
pub fn test_package(python: &Path, position: &str) -> Result<(), Failure> {
    let started = Instant::now();
    let wheels = tools::target().join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|error| Failure::new(format!("{}: {error}", wheels.display())))?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"];
    let build = Step::new("wheel of the Python package", python)
        // The profile of all other builds, so that the library is built once.
        .args(&["-m", "maturin", "build", "--locked", "--profile", "dev", "--compatibility", "linux"])
        .args(&["--manifest-path", "python/Cargo.toml", "--interpreter"])
        .args(&[python])
        .args(&["--out"])
        .args(&[&wheels]);
    build.run(position)?;
    let wheel = only_wheel(&wheels)?;

    let fresh = tools::target().join("package-fresh");
    let make = Step::new("a fresh environment", python).args(&["-m", "venv", "--clear"]).args(&[&fresh]);
    make.off_stdout().run(position)?;
    let own = fresh.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    Step::new("the wheel, installed there", &own).args(&pip).args(&[&wheel]).off_stdout().run(position)?;
    Step::new("the wheel, used there", &own).args(&["-c", FIRST_USE]).off_stdout().run(position)?;

    let install = Step::new("the wheel, among what the tests need", python).args(&pip);
    install.args(&["--force-reinstall", "--no-deps"]).args(&[&wheel]).off_stdout().run(position)?;
    Step::new("tests of the Python package", python)
        // Not the sources beside the tests, but the wheel.
        .args(&["-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests"])
        .env("ORDAIN_COMMAND", tools::target().join("debug").join(format!("ordain{}", std::env::consts::EXE_SUFFIX)))
        .run(position)?;
    step::report(&format!("the wheel and its tests, beyond what was built before: {}", step::elapsed(started)));
    Ok(())
}

/// Needs the package and NumPy alone.
const FIRST_USE: &str = "import ordain; model = ordain.PreferenceModel().fit({'a': [1.0], 'b': [2.0]}, [('b', 'a')]); \
    assert model.rank().ids == ['b', 'a'], model.rank().ids";

fn only_wheel(folder: &Path) -> Result<PathBuf, Failure> {
    let files = fs::read_dir(folder).map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    let mut wheels: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    match (wheels.pop(), wheels.len()) {
        (Some(wheel), 0) => Ok(wheel),
        _ => Err(Failure::new(format!("{}: expected one wheel", folder.display()))),
    }
}

/// Whether the environment was made from these requirements.
fn is_current(stamp: &Path, wanted: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|installed| installed == wanted)
}

/// A `python3` that can make environments; fetched where that can be done without asking (root on Debian).
fn base_python() -> Result<&'static str, Failure> {
    let python = "python3";
    let usable = Step::new("", python).args(&["-c", USABLE]);
    if usable.succeeds_quietly() {
        return Ok(python);
    }
    if tools::install(&["python3", "python3-venv"])? && usable.succeeds_quietly() {
        return Ok(python);
    }
    Err(Failure::new(
        "no usable `python3`: expected Python 3.11 or later with its venv module\n\
         on Debian or Ubuntu: sudo apt-get install python3 python3-venv\n\
         or name an interpreter that has what is needed; `cargo xtask help` says how",
    ))
}

fn read(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_requirement_is_pinned_and_checked() {
        for environment in [ORACLES, PEERS, CROWDS, PACKAGE] {
            let requirements = read(&crate::root().join(environment.requirements)).unwrap();
            for line in requirements.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let (name, version) = line.split_once("==").unwrap_or_else(|| panic!("{line}: expected name==version"));
                assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{line}");
                // Five packages have a module of another name.
                let module = match name {
                    "arena-rank" => "arena_rank",
                    "crowd-kit" => "crowdkit",
                    "pytrec_eval-terrier" => "pytrec_eval",
                    "scikit-learn" => "sklearn",
                    "scikit-surprise" => "surprise",
                    "xgboost-cpu" => "xgboost",
                    name => name,
                };
                assert!(environment.modules.contains(module), "{line}: not among the modules that are tried");
            }
        }
    }

    /// Packages with their features, as a build of these crates has them.
    fn with_features(selection: &[&str]) -> Vec<String> {
        let tree = ["tree", "--offline", "--locked", "--prefix", "none", "--format", "{p} {f}"];
        let command = crate::cargo("features", &tree).args(selection).command().output().unwrap();
        assert!(command.status.success(), "{}", String::from_utf8_lossy(&command.stderr));
        let lines = String::from_utf8(command.stdout).unwrap();
        // Trees mark what they showed before.
        lines.lines().map(|line| line.trim_end_matches(" (*)").trim_end().to_owned()).collect()
    }

    /// Else faer and the library are built twice: minutes of CI.
    #[test]
    fn the_wheel_takes_the_library_that_the_tests_have_built() {
        let tests = with_features(&["--workspace", "--all-features"]);
        let wheel = with_features(&["--package", "ordain-python", "--edges", "normal"]);
        assert!(wheel.iter().any(|line| line.starts_with("faer ")), "{wheel:?}");
        for line in wheel {
            assert!(tests.contains(&line), "`{line}` has other features in tests: turn them on in python/Cargo.toml");
        }
    }

    #[test]
    fn a_changed_or_missing_stamp_is_not_current() {
        let folder = std::env::temp_dir().join(format!("ordain-xtask-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let stamp = folder.join("stamp");
        assert!(!is_current(&stamp, "numpy==2"));
        fs::write(&stamp, "numpy==2").unwrap();
        assert!(is_current(&stamp, "numpy==2"));
        assert!(!is_current(&stamp, "numpy==3"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
