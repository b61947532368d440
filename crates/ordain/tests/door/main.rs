//! The front door: a model in memory and a project in a folder give what the rooms behind them give, lose nothing, and stop
//! when they are told to.
#![allow(clippy::unwrap_used)]

mod contradictions;
mod gold;
mod grades;
mod items;
mod model;
mod project;
mod watched;

use std::fs;
use std::path::PathBuf;

use ordain::data::{Answer, AnswerLog, Attributes, Entry, ItemId, Items, Link, Outcome, Relation};
use ordain::kernel::{Form, KernelSpec, Over, RelationSpec, Rho, Role, Shape};
use ordain::{Model, Project};

/// Twelve items on a line, whose neighbours are linked.
fn line() -> Model {
    const COUNT: usize = 12;
    let ids = (0..COUNT).map(|at| format!("i{at}")).collect();
    let values = (0..COUNT).map(|at| at as f64 / 4.0 - 1.4).collect();
    let attributes = Attributes::new(vec!["x".into()], COUNT, values).unwrap();
    let links = (1..COUNT as u32).map(|at| Link { source: at - 1, target: at, weight: 1.0 }).collect();
    let vector =
        Shape::Vector { form: Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(0.7) }, over: Over::Attributes };
    let relation = RelationSpec { relation: 0, role: Role::Undirected };
    let laplacian = Shape::RegularizedLaplacian { relation, beta: 1.0, iota: 1.5 };
    let kernels = vec![KernelSpec::new(1.0, vector), KernelSpec::new(0.5, laplacian), KernelSpec::independent(0.4)];
    Model::new(Items::new(ids, None, attributes).unwrap(), kernels)
        .unwrap()
        .with_relations(vec![Relation::new(COUNT, links).unwrap()])
}

/// Answers to pairs here and there; the item with the smaller number wins, but for every fifth answer.
fn some_answers(count: usize) -> Vec<Answer> {
    let answer = |at: usize| {
        let (first, second) = (at * 5 % 12, (at * 5 + 1 + at % 7) % 12);
        let outcome = if (first < second) == (at % 5 != 4) { Outcome::First } else { Outcome::Second };
        Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome).unwrap()
    };
    (0..count).map(answer).collect()
}

fn log(answers: &[Answer]) -> AnswerLog {
    AnswerLog::new(answers.iter().cloned().map(Entry::Answer).collect()).unwrap()
}

/// A folder with the same items as a project, whose log has one answer.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let row = |at: usize| format!("i{at},{}\n", at as f64 / 4.0 - 1.4);
        folder.write("items.csv", &("id,x\n".to_owned() + &(0..12).map(row).collect::<String>()));
        let link = |at: usize| format!("i{},i{at}\n", at - 1);
        folder.write("links.csv", &("source,target\n".to_owned() + &(1..12).map(link).collect::<String>()));
        folder.write("answers.csv", "first,second,outcome,judge,time\ni0,i3,first,ann,\n");
        folder.write(
            "ordain.toml",
            "# My project.\n[items]\nfile = \"items.csv\"\n\n[[kernel]] # by x\nkind = \"squared-exponential\"\n\n\
             [[kernel]]\nkind = \"regularized-laplacian\"\nrelation = \"links.csv\"\n\n\
             [[kernel]]\nkind = \"independent\"\nweight = 0.5\n\n[ask] # as we like it\nseed = 5\n",
        );
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn open(&self) -> Project {
        Project::open(self.0.path()).unwrap()
    }
}
