//! `ordain simulate`: how fast sessions find a known truth.

pub mod picture;
mod problem;
mod stop;
mod tuning;

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use comfy_table::{CellAlignment, Table, presets};
pub use ordain::active::QualityMeasure as Measure;
use ordain::active::{
    AskOptions, BeliefKind, Contender, Curve, Facts, Ground, Judge, Mistakes, Point, Quality, Strategy, Tournament,
    marks,
};
use ordain::data::{Goal, Prior};
use ordain::formats::{DEFAULT_NOISE, ProjectFile, check_outputs, read_kernels};
use ordain::gp::AnswerModel;
use ordain::kernel::{KernelSpec, Parameter};
use ordain::numeric::Seed;
use ordain::{InputError, Model, Project, Watch};
use serde::Serialize;

use self::problem::Query;
use self::tuning::{Split, Tuning};
use crate::certainty::{Wanted, parse_share};
use crate::output::{self, Format};
use crate::question::GoalOptions;
use crate::working::{during, working};
use crate::{Failure, Outcome, chart, manners, word};

/// Play sessions against a known truth, to see how many answers a good ranking needs
///
/// A simulated judge knows the truth and answers the questions of a strategy. The ranking is measured at several
/// points. With --letor, every query has its own session over its documents. Attributes are standardized within the
/// query. Equal grades are ordered by uniform noise in [-0.5, 0.5], drawn anew for every query and repeat. With a
/// project and --truth, one session covers the whole project, and measures are averages over its groups. A column of
/// whole numbers from 0 to 4 holds grades. Any other column holds utilities, and the best tenth of each group counts as
/// relevant. Recorded answers are not used.
///
/// Options with several values, separated by commas, are compared side by side: every belief with every strategy, all
/// against the same truths and judges. Kernels are those of the project, or of --model, or else those that "ordain
/// init" would write.
///
/// Measures: map (mean average precision), ndcg10, best (reciprocal rank of the truly best item), tau (Kendall's, with
/// the truth), accuracy (share of pairs in the right order). Standard errors are those of the queries' means, or those
/// of the repeats if there is only one query or project.
///
/// With --stop, every session goes on until its goal is reached with the probability of --target. A project is asked as
/// "ordain ask" asks it. JSON then: {"goal","target","runs":[{"belief","strategy","sessions","stopped","answers_median",
/// "answers_least","answers_most","right","right_se","stated","right_unstopped"}]}: of the sessions that stopped, the
/// answers, the share whose goal was truly reached, and the mean of what was stated; null where there is none.
///
/// JSON: {"runs":[{"belief","strategy","focus"?,"curve":[{"answers","map","ndcg10","best","tau","accuracy",
/// "map_se"?,...}...]}]}, with a point every 10 answers up to 100, every 50 beyond, and at the last answer. With a prior
/// mean, the first point is at 0 answers. CSV: one row per point and measure.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain simulate --letor S1.txt.gz --answers 50 --strategy expected-loss,random --belief gp,glicko
  ordain simulate --truth life_expectancy --strategy entropy,random --repeats 10 --plot curves.svg
  ordain simulate --letor S1.txt.gz --stop --goal best --mistakes 0.1 --answers 200")]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file [default: the variable ORDAIN_PROJECT, else .]
    #[arg(conflicts_with = "letor")]
    project: Option<PathBuf>,
    /// The column of the items' table that holds the truth. It must not be an attribute
    #[arg(long, value_name = "COLUMN", required_unless_present = "letor", conflicts_with = "letor")]
    truth: Option<String>,
    /// LETOR files. Their grades are the truth
    #[arg(long, value_name = "FILE", num_args = 1..)]
    letor: Vec<PathBuf>,
    /// The number of answers per session, at most a million
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    answers: u32,
    /// How pairs are chosen [default: the usual strategy for the goal]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = PossibleValuesParser::new(Strategy::names()))]
    strategy: Vec<String>,
    /// The emphasis on the top, for strategies that have one [default: the usual focus for the goal]
    #[arg(long, value_delimiter = ',', value_parser = not_negative)]
    focus: Vec<f64>,
    #[command(flatten)]
    goal: GoalOptions,
    /// How answers become a belief
    #[arg(long, value_delimiter = ',', default_value = "gp", value_parser = word::parser::<BeliefKind>())]
    belief: Vec<BeliefKind>,
    /// The number of sessions of each kind, per query. They differ in the random parts: order within grades, noise,
    /// draws of the strategy. At most a million
    #[arg(long, value_name = "R", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeats: u32,
    /// The seed of all random choices
    #[arg(long, default_value = "1")]
    seed: u64,
    /// The standard deviation of the judge's noise on a utility. A difference has sqrt(2) times this noise
    #[arg(long, value_name = "X", default_value = "0", value_parser = not_negative)]
    noise: f64,
    /// The share of answers that the judge turns round, whatever the utilities
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = parse_share)]
    mistakes: f64,
    /// The judge makes the same mistake whenever the same pair is asked
    #[arg(long, requires = "mistakes")]
    persist: bool,
    /// The judge calls a smaller difference of utilities a tie
    #[arg(long, value_name = "X", default_value = "0", value_parser = not_negative)]
    tie_width: f64,
    /// An ordain.toml with the [[kernel]] tables to use, for LETOR files or instead of the project's. Kernels over
    /// links are not allowed
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Tune the kernels for each half of the queries on 20 queries of the other half, with 100 random pairs per query.
    /// For a project, use "ordain tune" instead
    #[arg(long, requires = "letor")]
    tune: bool,
    /// Learn a prior mean that is linear in the attributes. For each fifth of the queries its weights are learned on the
    /// other queries, at most 200, with 300 random pairs per query; with --tune the kernels too. For a project, name
    /// the columns under [items]: prior = [...]
    #[arg(long, requires = "letor")]
    prior: bool,
    /// Play every session until its goal is reached with the target's probability, at most for --answers answers, and report how
    /// many answers that took and how often the goal was truly reached
    #[arg(long, conflicts_with_all = ["measure", "plot"])]
    stop: bool,
    #[command(flatten)]
    wanted: Wanted,
    /// The measure that the table and the chart show [default: that of the goal]
    #[arg(long, value_parser = word::parser::<Measure>())]
    measure: Option<Measure>,
    /// Also write the chart as an SVG picture, with bands of one standard error
    #[arg(long, value_name = "FILE.svg", value_parser = picture::parse_file)]
    plot: Option<PathBuf>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number, at least 0".into())
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let game = if arguments.letor.is_empty() { project_game(arguments)? } else { letor_game(arguments)? };
    game.check_size()?;
    let working = working("playing sessions");
    let tournament = Tournament { watch: working.watch(), ..game.tournament.clone() };
    let place = |error| match &game.project {
        Some(project) => project.place(error),
        None => error,
    };
    if arguments.stop {
        let rule = arguments.wanted.rule(tournament.goal);
        let endings = tournament.play_to_stop(&game.grounds, &game.contenders, rule).map_err(place)?;
        drop(working);
        let runs = stop::runs(&game.contenders, &endings);
        return stop::show(&runs, &rule, arguments.format);
    }
    let curves = tournament.play(&game.grounds, &game.contenders).map_err(place)?;
    drop(working);
    let runs: Vec<(&Contender, &Curve)> = game.contenders.iter().zip(&curves).collect();
    let measure = arguments.measure.unwrap_or_else(|| Measure::for_goal(game.tournament.goal));
    if let Some(file) = &arguments.plot {
        picture::write(
            file,
            &picture::picture(&named(&runs), measure, &picture::name(measure), picture::Scale::of(measure)),
        )?;
        output::note(format!("wrote {}", file.display()));
    }
    match arguments.format {
        Format::Json => {
            output::json(&Report { runs: runs.iter().map(|(one, curve)| run_report(one, curve)).collect() })
        }
        Format::Csv => output::csv_table(&csv_header(), runs.iter().flat_map(|(one, curve)| csv_rows(one, curve))),
        Format::Table => show(&runs, measure, &game),
    }
}

/// Checks that the picture is none of the files that are read.
fn check_plot(arguments: &Arguments, inputs: &[(&str, &Path)]) -> Outcome {
    let Some(plot) = &arguments.plot else { return Ok(()) };
    let model = arguments.model.as_deref().map(|file| ("--model", file));
    Ok(check_outputs(&[("--plot", plot)], &inputs.iter().copied().chain(model).collect::<Vec<_>>())?)
}

/// A tournament with its grounds and contenders.
struct Game {
    /// The file that an error of its sessions is about.
    project: Option<ProjectFile>,
    grounds: Vec<Ground>,
    contenders: Vec<Contender>,
    tournament: Tournament,
}

impl Game {
    /// Checks that the results at all marks of all sessions fit into memory. Each takes 48 bytes.
    fn check_size(&self) -> Outcome {
        const MOST: usize = 20_000_000;
        let sessions = self.grounds.len().saturating_mul(self.tournament.repeats).saturating_mul(self.contenders.len());
        if (1 + marks(self.tournament.answers).len()).saturating_mul(sessions) <= MOST {
            return Ok(());
        }
        Err(Failure::Usage {
            message: format!("{sessions} sessions of {} answers have more results than fit", self.tournament.answers),
            hint: "give a smaller number for --answers or --repeats",
        })
    }
}

fn project_game(arguments: &Arguments) -> Result<Game, Failure> {
    let place = arguments.project.clone().unwrap_or_else(manners::project);
    let mut project = during("reading the project", || Project::open(place))?;
    check_plot(arguments, &project.file().roles())?;
    let facts = project.facts(arguments.truth.as_deref().unwrap_or_default())?;
    let usual = project.model().ask().goal;
    let goal = arguments.goal.given(usual)?.unwrap_or(usual);
    goal.check(&project.items().group_sizes())?;
    let mut strategies = arguments.strategy.clone();
    let mut focuses = arguments.focus.clone();
    if strategies.is_empty() {
        let options = AskOptions::default().with_goal(Some(goal)).with_focus(focuses.first().copied());
        project.set_options(options)?;
        let own = project.asking()?.strategy;
        strategies.push(own.name().to_owned());
        focuses = if focuses.is_empty() { own.focus().into_iter().collect() } else { focuses };
    }
    let model = project.model();
    let sizes = project.items().group_sizes();
    let alone = sizes.iter().filter(|&&size| size < 2).count();
    if alone == sizes.len() {
        let file = project.file().items.as_deref().unwrap_or(&project.file().path);
        return Err(ordain::Error::from(InputError::new(file, "a group with at least two items")).into());
    }
    if alone > 0 {
        output::note(format!("not measured: {} with a single item", output::count(alone, "group")));
    }
    let own = model.answer_model();
    let tie_width = if own.tie_width() > 0.0 { own.tie_width() } else { arguments.tie_width };
    let other = arguments.model.as_ref().map(|file| read_kernels(file, project.items())).transpose()?;
    let ground = match other {
        Some(kernels) => Model::new(project.items().clone(), kernels)?.ground(facts)?,
        None => project.ground(facts)?,
    };
    let answer_model =
        if own.learns() { AnswerModel::learning(tie_width)? } else { AnswerModel::new(own.noise(), tie_width)? };
    let tournament = tournament(arguments, goal, answer_model, model.ask().repeat);
    let contenders = contenders(&strategies, &focuses, &arguments.belief, goal)?;
    Ok(Game { project: Some(project.file().clone()), grounds: vec![ground], contenders, tournament })
}

fn letor_game(arguments: &Arguments) -> Result<Game, Failure> {
    check_plot(arguments, &arguments.letor.iter().map(|file| ("--letor", &**file)).collect::<Vec<_>>())?;
    let goal = arguments.goal.given(Goal::WholeOrder)?.unwrap_or(Goal::WholeOrder);
    let contenders = contenders(&arguments.strategy, &arguments.focus, &arguments.belief, goal)?;
    let mut queries = problem::queries(&arguments.letor)?;
    goal.check(&queries.iter().map(|query| query.items.len()).collect::<Vec<_>>())?;
    if arguments.prior {
        problem::add_priors(&mut queries)?;
    }
    let specs = match &arguments.model {
        Some(file) => read_kernels(file, &queries[0].items)?,
        None => {
            let attributes = queries.iter().map(|query| query.items.attributes().len()).max();
            problem::usual_kernels(attributes.unwrap_or(0))
        }
    };
    // As "ordain init" writes it. Kernels that are given or tuned go with a given noise.
    let held = AnswerModel::new(DEFAULT_NOISE, arguments.tie_width)?;
    let learns = arguments.model.is_none() && !arguments.tune;
    let answer_model = if learns { AnswerModel::learning(arguments.tie_width)? } else { held.clone() };
    let tournament = tournament(arguments, goal, answer_model, false);
    // Without attributes there is no prior to learn.
    let prior = queries.iter().any(|query| query.items.prior().is_some());
    let tuning = Tuning { split: if prior { Split::PRIOR } else { Split::KERNELS }, hold_kernels: !arguments.tune };
    let rules = Tournament { model: held, ..tournament.clone() };
    let tuned = match arguments.tune || prior {
        true => Some(tune_parts(tuning, arguments, &queries, &specs, &rules)?),
        false => None,
    };
    let ground = |(at, query): (usize, Query)| -> Result<Ground, Failure> {
        let mut model = Model::new(query.items, specs.clone())?;
        if let Some(tuned) = &tuned {
            // Parameters that were tuned on other queries.
            model = model.with_parameters(&tuned[at % tuned.len()])?;
        }
        Ok(model.ground(Facts::Grades(query.grades)).map_err(|error| unfit(error, arguments))?)
    };
    let grounds = queries.into_iter().enumerate().map(ground).collect::<Result<_, _>>()?;
    Ok(Game { project: None, grounds, contenders, tournament })
}

/// The error of kernels that do not fit a query, with the file that they come from.
fn unfit(error: ordain::Error, arguments: &Arguments) -> ordain::Error {
    match (error, &arguments.model) {
        (ordain::Error::Data { what, found, expected }, Some(file)) => {
            InputError::new(file, expected).column(what).found(found).into()
        }
        (error, _) => error,
    }
}

/// Tunes for every part of the queries on the others.
fn tune_parts(
    tuning: Tuning,
    arguments: &Arguments,
    queries: &[Query],
    specs: &[KernelSpec],
    rules: &Tournament,
) -> Result<Vec<Vec<Parameter>>, Failure> {
    if queries.len() < 2 {
        let error = InputError::new(&arguments.letor[0], "at least two queries, to tune for one on the other");
        let flag = if arguments.prior { "--prior" } else { "--tune" };
        return Err(ordain::Error::from(error.found("one").hint(format!("leave out {flag}"))).into());
    }
    let tune = |part| tuning::tune_for(part, tuning, queries, specs, rules.judge, &rules.model, rules.seed);
    let working = working("tuning");
    let tuned: Vec<Vec<Parameter>> =
        (0..tuning.split.parts.min(queries.len())).map(tune).collect::<ordain::Result<_>>()?;
    drop(working);
    for (part, own) in tuned.iter().enumerate() {
        let (weights, kernels): (Vec<_>, Vec<_>) = own.iter().partition(|one| Prior::column_of(&one.name).is_some());
        let mut values: Vec<String> = kernels.iter().map(|one| format!("{} = {:.4}", one.name, one.value)).collect();
        if !weights.is_empty() {
            values.push(format!("prior weights of {}", output::count(weights.len(), "attribute")));
        }
        output::note(format!("tuned for part {} of {}: {}", part + 1, tuned.len(), values.join(", ")));
    }
    Ok(tuned)
}

fn tournament(arguments: &Arguments, goal: Goal, model: AnswerModel, repeat: bool) -> Tournament {
    Tournament {
        answers: arguments.answers as usize,
        repeats: arguments.repeats as usize,
        seed: Seed(arguments.seed),
        goal,
        judge: Judge { noise: std::f64::consts::SQRT_2 * arguments.noise, tie_width: arguments.tie_width },
        mistakes: Mistakes { share: arguments.mistakes, persist: arguments.persist },
        model,
        repeat,
        watch: Watch::NONE,
    }
}

/// Every belief with every strategy, and with every focus if the strategy has one.
fn contenders(
    strategies: &[String],
    focuses: &[f64],
    beliefs: &[BeliefKind],
    goal: Goal,
) -> Result<Vec<Contender>, Failure> {
    /// Any number of items will do: it does not decide whether a strategy has a focus.
    const ANY: f64 = 2.0;
    let usual = [Strategy::usual_name(goal, !focuses.is_empty()).to_owned()];
    let strategies = if strategies.is_empty() { &usual } else { strategies };
    let mut out = Vec::new();
    for &belief in beliefs {
        for strategy in strategies {
            let focused = Strategy::named(strategy, None, goal, ANY)?.focus().is_some();
            let own: Vec<Option<f64>> = match focused && !focuses.is_empty() {
                true => focuses.iter().copied().map(Some).collect(),
                false => vec![None],
            };
            let contender = |focus| Contender { belief, strategy: strategy.clone(), focus };
            out.extend(own.into_iter().map(contender));
        }
    }
    if !focuses.is_empty() && out.iter().all(|contender| contender.focus.is_none()) {
        return Err(Failure::Usage {
            message: format!("--focus means nothing to {}", strategies.join(" and ")),
            hint: "leave it out, or take a strategy that has one, e.g. --strategy expected-loss",
        });
    }
    Ok(out)
}

#[derive(Serialize)]
struct Report<'a> {
    runs: Vec<RunReport<'a>>,
}

#[derive(Serialize)]
struct RunReport<'a> {
    belief: &'static str,
    strategy: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    focus: Option<f64>,
    curve: Vec<PointReport>,
}

#[derive(Serialize)]
struct PointReport {
    answers: usize,
    map: f64,
    ndcg10: f64,
    best: f64,
    tau: f64,
    accuracy: f64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    errors: Option<Errors>,
}

#[derive(Serialize)]
struct Errors {
    map_se: f64,
    ndcg10_se: f64,
    best_se: f64,
    tau_se: f64,
    accuracy_se: f64,
}

fn run_report<'a>(contender: &'a Contender, curve: &Curve) -> RunReport<'a> {
    let point = |point: &Point| {
        let Quality { map, ndcg10, best, tau, accuracy } = point.mean;
        let errors = |error: Quality| Errors {
            map_se: error.map,
            ndcg10_se: error.ndcg10,
            best_se: error.best,
            tau_se: error.tau,
            accuracy_se: error.accuracy,
        };
        PointReport { answers: point.answers, map, ndcg10, best, tau, accuracy, errors: point.error.map(errors) }
    };
    RunReport {
        belief: contender.belief.name(),
        strategy: &contender.strategy,
        focus: curve.focus,
        curve: curve.points.iter().map(point).collect(),
    }
}

fn csv_header() -> Vec<String> {
    ["belief", "strategy", "focus", "answers", "measure", "value", "se"].map(str::to_owned).to_vec()
}

fn csv_rows(contender: &Contender, curve: &Curve) -> Vec<Vec<String>> {
    let focus = curve.focus.map(|focus| focus.to_string()).unwrap_or_default();
    let row = |point: &Point, measure: Measure| {
        let value = measure.of(&point.mean).to_string();
        let error = point.error.map(|error| measure.of(&error).to_string()).unwrap_or_default();
        let strategy = contender.strategy.clone();
        let [belief, measure] = [contender.belief.name(), measure.name()].map(str::to_owned);
        vec![belief, strategy, focus.clone(), point.answers.to_string(), measure, value, error]
    };
    let rows = |point| Measure::all().iter().copied().map(move |measure| row(point, measure));
    curve.points.iter().flat_map(rows).collect()
}

fn show(runs: &[(&Contender, &Curve)], measure: Measure, game: &Game) -> Outcome {
    let named = named(runs);
    output::table(&table(&named, measure))?;
    output::text("")?;
    output::text(draw(&named, measure))?;
    let sessions = output::count(game.grounds.len() * game.tournament.repeats, "session");
    let about = match game.grounds.as_slice() {
        [ground] => output::count(ground.kernel.len(), "item"),
        grounds => format!("{} queries", grounds.len()),
    };
    output::note(format!("{} of {about}: {sessions} each, mean ± standard error", measure.name()));
    Ok(())
}

fn named<'a>(runs: &[(&Contender, &'a Curve)]) -> Vec<(String, &'a Curve)> {
    runs.iter().map(|(contender, curve)| (title(contender, curve), *curve)).collect()
}

fn title(contender: &Contender, curve: &Curve) -> String {
    let focus = curve.focus.map(|focus| format!(" (focus {})", (focus * 1e4).round() / 1e4)).unwrap_or_default();
    format!("{} {}{focus}", contender.belief.name(), contender.strategy)
}

/// A table of a measure of named curves at a few marks.
pub fn table(runs: &[(String, &Curve)], measure: Measure) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let points = runs.first().map_or(&[][..], |(_, curve)| &curve.points);
    let last = points.len().saturating_sub(1);
    // Before the first answer, items without a prior are all equal. That says nothing of any run.
    let says =
        |at: usize| points[at].answers > 0 || runs.iter().any(|(_, curve)| curve.points[at].mean.accuracy != 0.5);
    let wanted =
        |&at: &usize| says(at) && [0, 10, 20, 50, 100, 200, 500, 1000].contains(&points[at].answers) || at == last;
    let shown: Vec<usize> = (0..points.len()).filter(wanted).collect();
    let heading = |&at: &usize| output::count(points[at].answers, "answer");
    table.set_header(std::iter::once("run".to_owned()).chain(shown.iter().map(heading)));
    for (name, curve) in runs {
        let cell = |&at: &usize| {
            let point = &curve.points[at];
            let error = point.error.map(|error| format!(" ± {:.3}", measure.of(&error))).unwrap_or_default();
            format!("{}{error}", output::fixed(measure.of(&point.mean), 3))
        };
        table.add_row(std::iter::once(name.clone()).chain(shown.iter().map(cell)));
    }
    for column in 1..=shown.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A chart of a measure of named curves.
pub fn draw(runs: &[(String, &Curve)], measure: Measure) -> String {
    let line = |(name, curve): &(String, &Curve)| chart::Line {
        name: name.clone(),
        points: curve.points.iter().map(|point| (point.answers as f64, measure.of(&point.mean))).collect(),
    };
    let lines: Vec<chart::Line> = runs.iter().map(line).collect();
    let text = chart::draw(&lines, "answers", measure.name(), output::columns());
    text.trim_end().to_owned()
}
