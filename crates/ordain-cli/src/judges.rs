//! `ordain judges`: what the answers say of those who give them.

mod table;

use std::path::PathBuf;

use clap::Args;
use ordain::formats::check_outputs;
use ordain::{Fitted, Inference, JudgeReport, Project};
use serde::Serialize;

pub use self::table::percent;
use crate::output::{self, Format};
use crate::simulate::picture;
use crate::working::{during, working};
use crate::{Failure, Outcome, memory, report};

/// Show how every judge answers, and whom to look at
///
/// A judge is a name beside answers. Each has a row, the busiest first:
///
/// "answers" are the standing ones, without skips. "agrees" is the agreement beyond chance with all other judges (Cohen's kappa), on
/// the pairs that both compared, with the number of these pairs: 1 is always, 0 is chance. Chance knows how often the judge and the
/// others call a tie on these pairs, and prefers either item equally often. "as ranked" is the same of what he prefers and the ranking
/// that the answers of all others give; it needs no pair in common.
///
/// "noise" is the standard deviation of what a judge adds to a utility, with its 90 % interval. "left" is what he adds for the item that
/// stands left, in units of utility, where sides are known (`sides` under [answers]). "random" is the probability that all of his
/// answers are blind. "gold" is how many gold pairs he got right, with the 90 % interval of the share (`gold` under [answers]); nothing
/// else in a row looks at them.
///
/// The verdict says it in words. "more exact" and "less exact than most": the interval of the noise leaves out the noise that judges
/// have in common. "favours the left": the interval of the bias leaves out 0. "agrees no more than chance": his noise is above that of most, and
/// he hardly goes with the ranking that all others give. "contradicts the others": he goes against the ranking that
/// all others give, more often than chance does in one case of a thousand.
///
/// With noise = "learn" under [answers], rankings and questions weigh every answer by its judge's noise. `ordain rank --without NAME`
/// shows the ranking as if a judge had never answered.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain judges
  ordain judges --output judges.html
  ordain judges --format csv")]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Also write a page with the table and a picture of the noise, for a screen or a phone
    #[arg(long, short, value_name = "FILE.html", value_parser = parse_page)]
    output: Option<PathBuf>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

fn parse_page(text: &str) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(text);
    let html = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
    if html { Ok(path) } else { Err("the page is an HTML file: give it a name that ends in .html") }
}

/// All judges of a project.
pub struct Judges {
    /// The busiest first.
    pub all: Vec<JudgeReport>,
    /// The noise that they have in common.
    pub noise: f64,
    /// Whether each has a noise of his own.
    pub told_apart: bool,
    /// Whether `noise` is a number in the project.
    pub is_held: bool,
}

impl Judges {
    /// What the standing answers say of every judge.
    pub fn of(project: &Project, fitted: &Fitted) -> Result<Self, Failure> {
        let working = working("looking at the judges");
        let answer_model = fitted.answer_model();
        Ok(Self {
            all: fitted.judge_reports(&working.watch())?,
            noise: answer_model.noise(),
            told_apart: answer_model.spread_of_judges().is_some(),
            is_held: !project.model().answer_model().learns(),
        })
    }

    /// Whether it is known who favours a side.
    pub fn have_sides(&self) -> bool {
        self.all.iter().any(|judge| judge.bias().is_some())
    }

    /// Whether somebody answered about gold pairs.
    pub fn have_gold(&self) -> bool {
        self.all.iter().any(|judge| judge.gold.is_some())
    }

    /// What is to be said of all of them.
    pub fn lead(&self) -> String {
        let answers: usize = self.all.iter().map(|judge| judge.tally.answers).sum();
        let of = format!("{}, {}", output::count(self.all.len(), "judge"), output::count(answers, "answer"));
        match (self.all.len(), self.is_held) {
            (0, _) => "no answers yet, so there are no judges; \"ordain ask\" asks for answers".into(),
            (1, _) => format!("{of}: there is nobody to compare this judge with"),
            (_, true) => format!(
                "{of}; noise = {} under [answers] is held, so rankings do not tell judges apart; noise = \"learn\" does",
                // As many digits as a person would write.
                (1e4 * self.noise).round() / 1e4
            ),
            (_, false) if self.told_apart => format!("{of}; the noise that they have in common is {:.3}", self.noise),
            (_, false) => format!(
                "{of}; rankings tell judges apart once two with a name have compared items and the noise is learned anew, after 10, 15, \
                 22, 33 answers and so on"
            ),
        }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    judges: Vec<Row<'a>>,
    noise: f64,
    told_apart: bool,
}

#[derive(Serialize, Default)]
struct Row<'a> {
    judge: Option<&'a str>,
    answers: usize,
    ties: usize,
    skips: usize,
    agreement: Option<f64>,
    common_pairs: usize,
    ranking_agreement: Option<f64>,
    noise: Option<f64>,
    noise_low: Option<f64>,
    noise_high: Option<f64>,
    bias: Option<f64>,
    bias_low: Option<f64>,
    bias_high: Option<f64>,
    careless: Option<f64>,
    gold: Option<f64>,
    gold_low: Option<f64>,
    gold_high: Option<f64>,
    gold_answers: usize,
    verdict: String,
}

fn row(judge: &JudgeReport) -> Row<'_> {
    let JudgeReport { tally, summary, gold, .. } = judge;
    let summary = summary.as_ref();
    let (noise, share) = (summary.map(|summary| summary.noise), gold.as_ref().map(|gold| gold.share));
    Row {
        judge: tally.judge.as_deref(),
        answers: tally.answers,
        ties: tally.ties,
        skips: tally.skips,
        agreement: tally.agreement.beyond_chance(),
        common_pairs: tally.agreement.pairs,
        ranking_agreement: summary.and_then(|summary| summary.agreement),
        noise: noise.map(|noise| noise.value),
        noise_low: noise.map(|noise| noise.low),
        noise_high: noise.map(|noise| noise.high),
        bias: judge.bias().map(|bias| bias.value),
        bias_low: judge.bias().map(|bias| bias.low),
        bias_high: judge.bias().map(|bias| bias.high),
        careless: summary.map(|summary| summary.careless),
        gold: share.map(|share| share.mean),
        gold_low: share.map(|share| share.low),
        gold_high: share.map(|share| share.high),
        gold_answers: gold.as_ref().map_or(0, |gold| gold.answers),
        verdict: judge.verdict(),
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = during("reading the project", || Project::open(&arguments.project))?;
    project.set_memory(memory::available());
    if let Some(page) = &arguments.output {
        check_outputs(&[("the page", page)], &project.file().roles())?;
    }
    let learning = working("learning from the answers");
    let fitted = project.fit(Inference::Ep, &learning.watch())?;
    drop(learning);
    let judges = Judges::of(&project, &fitted)?;
    if let Some(page) = &arguments.output {
        picture::write(page, &report::judges::page(&project, &judges))?;
    }
    match arguments.format {
        Format::Json => {
            let rows = judges.all.iter().map(row).collect();
            output::json(&Report { judges: rows, noise: judges.noise, told_apart: judges.told_apart })?;
        }
        Format::Csv if judges.all.is_empty() => output::csv_header::<Row>()?,
        Format::Csv => output::csv(judges.all.iter().map(row))?,
        Format::Table => table::show(&judges)?,
    }
    if let Some(page) = &arguments.output {
        output::note(format!("wrote {}", page.display()));
    }
    Ok(())
}
