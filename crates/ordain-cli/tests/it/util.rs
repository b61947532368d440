//! A folder of files, and what the command does there.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use tempfile::TempDir;

/// The command under test.
pub const ORDAIN: &str = env!("CARGO_BIN_EXE_ordain");

/// A fresh folder that goes away with the test.
pub struct Folder {
    place: TempDir,
}

impl Folder {
    pub fn empty() -> Self {
        Self { place: tempfile::tempdir().unwrap() }
    }

    /// A copy of one of the bundled examples, or of those that only tests have.
    pub fn example(name: &str) -> Self {
        let folder = Self::empty();
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let places = ["../../examples", "tests/data"].map(|place| own.join(place).join(name));
        let from = places.iter().find(|place| place.is_dir()).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), folder.path(entry.file_name())).unwrap();
        }
        folder
    }

    /// A small project that uses every kind of file: three items with an attribute, one link, one answer.
    pub fn project() -> Self {
        let folder = Self::empty();
        folder.write("items.csv", "id,x\nant,1\nbee,2\ncow,4\n");
        folder.write("links.csv", "source,target,weight\nant,bee,1\n");
        folder.write("answers.csv", "first,second,outcome,judge,time\nant,bee,first,eve,\n");
        folder.write(
            "ordain.toml",
            "[items]\nfile = \"items.csv\"\nattributes = [\"x\"]\n\n\
             [[kernel]]\nkind = \"squared-exponential\"\nrho = 0.5\n\n\
             [[kernel]]\nkind = \"regularized-laplacian\"\nrelation = \"links.csv\"\n\n\
             [answers]\nfile = \"answers.csv\"\n",
        );
        folder
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.place.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn append(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::OpenOptions::new().append(true).open(self.path(name)).unwrap().write_all(content.as_ref()).unwrap();
    }

    /// Replaces a part that must be there.
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no {from:?}");
        self.write(name, text.replace(from, to));
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Every file and its bytes.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.place.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        files
    }

    /// The command with these arguments in this folder, ready to run.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(ORDAIN);
        command.args(arguments).current_dir(self.place.path()).stdin(Stdio::null());
        // Variables of the person who runs the tests.
        ["COLUMNS", "ORDAIN_PROJECT", "NO_COLOR"].iter().for_each(|name| _ = command.env_remove(name));
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        Run::of(&mut self.command(arguments))
    }

    /// The object that `--format json` prints.
    pub fn json<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Value {
        let run = Run::of(self.command(arguments).args(["--format", "json"]));
        serde_json::from_str(run.fine()).unwrap()
    }

    /// Runs what must fail as wrong input, saying all of `words` and changing nothing.
    #[track_caller]
    pub fn refuses<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>, words: &[&str]) {
        let before = self.files();
        self.run(arguments).fails(1, words);
        assert!(self.files() == before, "a file was changed, made or removed");
    }
}

/// What the command did.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().unwrap();
        Self {
            code: status.code(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }

    /// What was printed, all being well.
    #[track_caller]
    pub fn fine(&self) -> &str {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        &self.stdout
    }

    /// Checks the code of a failure, that nothing was printed as data, and that all `words` are in the message.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        let first = self.stderr.lines().find(|line| !line.starts_with("warning: "));
        assert!(first.is_some_and(|line| line.starts_with("error: ")), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in:\n{}", self.stderr);
        }
    }
}

/// The ids of a ranking, best first.
pub fn order(ranking: &Value) -> Vec<&str> {
    ranking["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}
