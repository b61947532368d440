//! The projects: data as a person may have it, and the project file that `ordain init` writes for it.

use std::fmt::Write;
use std::path::Path;

use ordain::active::{Facts, Judge};
use ordain::data::ItemId;
use ordain::numeric::{Seed, Stream};
use ordain::{Error, Model, Project, Result};
use ordain_bench::fresh;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::StandardNormal;

/// A kind of project.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// 30 items with two attributes that explain half of the utility.
    Attributes,
    /// 60 items without attributes.
    Plain,
    /// 40 items that have met at random, every one twice, with 30 % ties.
    Arena,
    /// What the demo knows of 141 countries.
    Demo,
}

/// A project, and the truth about it.
pub struct World {
    pub model: Model,
    pub utilities: Vec<f64>,
    pub judge: Judge,
}

impl Setting {
    pub const ALL: [Self; 4] = [Self::Attributes, Self::Plain, Self::Arena, Self::Demo];

    pub fn name(self) -> &'static str {
        match self {
            Self::Attributes => "30-attributes",
            Self::Plain => "60-plain",
            Self::Arena => "arena-40",
            Self::Demo => "demo",
        }
    }

    /// The project of this number. Answers that it has already are turned round in this share of cases.
    pub fn world(self, number: usize, mistakes: f64) -> Result<World> {
        let mut stream = Seed(77).stream(number as u64);
        match self {
            Self::Attributes => attributes(&mut stream),
            Self::Plain => plain(&mut stream),
            Self::Arena => arena(mistakes, &mut stream),
            Self::Demo => demo(),
        }
    }
}

const DECIDED: Judge = Judge { noise: 0.0, tie_width: 0.0 };

fn normal(stream: &mut Stream) -> f64 {
    stream.sample(StandardNormal)
}

fn attributes(stream: &mut Stream) -> Result<World> {
    let (mut table, mut utilities) = ("id,age,size\n".to_owned(), Vec::new());
    for item in 0..30 {
        let [age, size] = [normal(stream), normal(stream)];
        let _ = writeln!(table, "i{item},{age},{size}");
        // The two together have variance 1, and so has the rest.
        utilities.push((age + size) / 2.0 + normal(stream) * 0.5_f64.sqrt());
    }
    Ok(World { model: fresh::project("items.csv", &table, &[])?, utilities, judge: DECIDED })
}

fn plain(stream: &mut Stream) -> Result<World> {
    let utilities = (0..60).map(|_| normal(stream)).collect();
    Ok(World { model: fresh::project("items.csv", &fresh::plain_table(60), &[])?, utilities, judge: DECIDED })
}

fn arena(mistakes: f64, stream: &mut Stream) -> Result<World> {
    /// 30 % of differences of variance 2 are smaller.
    const WIDTH: f64 = 0.5449;
    let judge = Judge { noise: 0.0, tie_width: WIDTH };
    let utilities: Vec<f64> = (0..40).map(|_| normal(stream)).collect();
    let mut table = "first,second,outcome\n".to_owned();
    for _ in 0..2 {
        let mut items: Vec<usize> = (0..40).collect();
        items.shuffle(stream);
        for pair in items.chunks(2) {
            let answer = judge.compare(&utilities, ItemId::new(pair[0]), ItemId::new(pair[1]), stream)?;
            let answer = if stream.random::<f64>() < mistakes { answer.turned() } else { answer };
            let _ = writeln!(table, "m{},m{},{}", pair[0], pair[1], answer.outcome);
        }
    }
    let model = fresh::project("battles.csv", &table, &[])?;
    // Items are numbered as they appear in the battles.
    let own = |id: &str| id.trim_start_matches('m').parse::<usize>().map_or(f64::NAN, |item| utilities[item]);
    let utilities = model.items().ids().iter().map(|id| own(id)).collect();
    Ok(World { model, utilities, judge })
}

/// What the demo knows of countries, as a project that `init` writes.
fn demo() -> Result<World> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/world");
    let project = Project::open(&folder)?;
    let Facts::Utilities(utilities) = project.facts("life_expectancy")? else {
        return Err(Error::Data { what: "the demo", found: "grades".into(), expected: "utilities".into() });
    };
    let items = project.items();
    let mut table = format!("id,{}\n", items.attributes().names().join(","));
    for (at, id) in items.ids().iter().enumerate() {
        let row: Vec<String> = items.attributes().row(at).iter().map(f64::to_string).collect();
        let _ = writeln!(table, "\"{id}\",{}", row.join(","));
    }
    let model = fresh::project("items.csv", &table, &[folder.join("neighbours.csv")])?;
    Ok(World { model, utilities, judge: DECIDED })
}
