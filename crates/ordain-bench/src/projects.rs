//! The projects that commands are run on.

use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::path::Path;

use ordain::numeric::{Seed, Stream};

use rand::RngExt;
use rand_distr::StandardNormal;

use crate::graphs::{GOV, power_law};

/// A project by its sizes.
pub struct Project {
    /// Its name.
    pub name: &'static str,
    /// The number of items.
    pub items: usize,
    /// The number of answers.
    pub answers: usize,
    /// The number of links.
    pub links: usize,
    attributes: usize,
}

/// From six thousand numbers to eleven million links, and an arena.
pub const PROJECTS: [Project; 5] = [
    Project { name: "1000", items: 1_000, answers: 2_000, links: 3_000, attributes: 10 },
    Project { name: "10000", items: 10_000, answers: 2_000, links: 30_000, attributes: 10 },
    Project { name: "100000", items: 100_000, answers: 1_000, links: 300_000, attributes: 10 },
    Project { name: "gov", items: GOV.0, answers: 300, links: GOV.1, attributes: 0 },
    Project { name: "arena", items: 200, answers: 1_000_000, links: 0, attributes: 0 },
];

/// Smaller projects with the answers of that with 100,000 items, to see how time grows with the items.
pub const GROWTH: [Project; 2] = [
    Project { name: "growth-1000", items: 1_000, answers: 1_000, links: 3_000, attributes: 10 },
    Project { name: "growth-10000", items: 10_000, answers: 1_000, links: 30_000, attributes: 10 },
];

/// Tables of items from which projects are begun.
pub const TABLES: [Project; 5] = [
    Project { name: "table-30", items: 30, answers: 0, links: 0, attributes: 3 },
    Project { name: "table-152", items: 152, answers: 0, links: 0, attributes: 3 },
    Project { name: "table-350", items: 350, answers: 0, links: 0, attributes: 3 },
    Project { name: "table-1000", items: 1_000, answers: 0, links: 0, attributes: 3 },
    Project { name: "table-10000", items: 10_000, answers: 0, links: 0, attributes: 3 },
];

/// A project whose parameters are tuned and whose kernels are compared.
pub const TUNED: Project =
    Project { name: "tuned-10000", items: 10_000, answers: 5_000, links: 30_000, attributes: 10 };

/// The commands that are measured on it, once each.
pub const TUNING_COMMANDS: [&[&str]; 2] = [&["tune", "--dry-run", "--format", "csv"], &["compare", "--format", "csv"]];

/// The commands that are measured.
pub const COMMANDS: [&[&str]; 2] = [&["rank", "--top", "10", "--format", "csv"], &["next", "--format", "csv"]];

impl Project {
    /// The judge's utilities.
    pub fn utilities(&self) -> Vec<f64> {
        let mut stream = self.stream();
        (0..self.items).map(|_| stream.sample(StandardNormal)).collect()
    }

    fn stream(&self) -> Stream {
        Seed(21).stream(self.items as u64)
    }

    /// Where the judge's answers come from that are not in the project.
    pub fn unseen(&self) -> Stream {
        Seed(22).stream(self.items as u64)
    }

    /// An answer about a random pair: the two items, and whether the first is preferred.
    pub fn answer(&self, utilities: &[f64], stream: &mut Stream) -> (usize, usize, bool) {
        let first = stream.random_range(0..self.items);
        let second = (first + stream.random_range(1..self.items)) % self.items;
        let seen = utilities[first] - utilities[second] + stream.sample::<f64, _>(StandardNormal);
        (first, second, seen > 0.0)
    }

    /// Writes the project: attributes and utilities are normal, the judge has the project's noise, and pairs are random.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let mut stream = self.stream();
        let utilities: Vec<f64> = (0..self.items).map(|_| stream.sample(StandardNormal)).collect();
        self.write_items(folder, &mut stream)?;
        self.write_answers(folder, &utilities, &mut stream)?;
        let mut kernels = String::new();
        if self.attributes > 0 {
            kernels.push_str("[[kernel]]\nkind = \"squared-exponential\"\n");
        }
        if self.links > 0 {
            self.write_links(folder)?;
            kernels.push_str("[[kernel]]\nkind = \"regularized-laplacian\"\nrelation = \"links.csv\"\n");
        }
        // Every item of the graph alone has a part of its own already.
        if self.attributes > 0 || self.links == 0 {
            kernels.push_str("[[kernel]]\nkind = \"independent\"\n");
        }
        let attributes: Vec<String> = (0..self.attributes).map(|at| format!("\"x{at}\"")).collect();
        let items = format!("[items]\nfile = \"items.csv\"\nattributes = [{}]\n", attributes.join(", "));
        std::fs::write(folder.join("ordain.toml"), format!("{items}{kernels}[answers]\nfile = \"answers.csv\"\n"))
    }

    /// Writes the table of items alone.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_table(&self, folder: &Path) -> Result<(), Error> {
        self.write_items(folder, &mut self.stream())
    }

    fn write_items(&self, folder: &Path, stream: &mut Stream) -> Result<(), Error> {
        let mut out = BufWriter::new(File::create(folder.join("items.csv"))?);
        let names: String = (0..self.attributes).map(|at| format!(",x{at}")).collect();
        writeln!(out, "id{names}")?;
        for item in 0..self.items {
            write!(out, "i{item}")?;
            for _ in 0..self.attributes {
                write!(out, ",{:.6}", stream.sample::<f64, _>(StandardNormal))?;
            }
            writeln!(out)?;
        }
        out.flush()
    }

    fn write_answers(&self, folder: &Path, utilities: &[f64], stream: &mut Stream) -> Result<(), Error> {
        let mut out = BufWriter::new(File::create(folder.join("answers.csv"))?);
        writeln!(out, "first,second,outcome,judge,time")?;
        for _ in 0..self.answers {
            let (first, second, is_first) = self.answer(utilities, stream);
            writeln!(out, "i{first},i{second},{},,", if is_first { "first" } else { "second" })?;
        }
        out.flush()
    }

    fn write_links(&self, folder: &Path) -> Result<(), Error> {
        let mut out = BufWriter::new(File::create(folder.join("links.csv"))?);
        writeln!(out, "source,target")?;
        for link in power_law(self.items, self.links, 21).links() {
            writeln!(out, "i{},i{}", link.source, link.target)?;
        }
        out.flush()
    }
}
