//! What decides which pair is asked, as `ordain next`, `ordain ask` and `ordain simulate` share it.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use ordain::active::{Candidates, Session, SessionParams, Strategy};
use ordain::data::{Answer, Goal, ItemId, Items};
use ordain::formats::{Project, Table, named_pair};
use ordain::numeric::Seed;
use ordain::{Error, InputError, kernel};

use crate::Failure;
use crate::model::observe;

/// What the answers are for, and how the pairs are chosen.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    goal: GoalOptions,
    /// How pairs are chosen; the project's [ask] or else the goal says so otherwise. top-regret counts the places of the
    /// goal top, or else ten
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Strategy::names()))]
    strategy: Option<String>,
    /// The emphasis on the top, for the strategies that have one: a pair counts exp(-F rank)
    #[arg(long, value_name = "F", value_parser = parse_focus)]
    focus: Option<f64>,
    /// What decides among pairs that are as good; the project's [ask] says so otherwise
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// What the answers are for.
#[derive(Args, Clone, Default)]
pub struct GoalOptions {
    /// What the answers are for; the project's [ask] says so otherwise
    #[arg(long, value_enum)]
    goal: Option<GoalWord>,
    /// How many items are to be found, for the goal top
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
}

impl GoalOptions {
    /// How many items are to be found, if that was said.
    pub fn top(&self) -> Option<u32> {
        self.top
    }

    /// The goal, if it is not this one anyway.
    pub fn given(&self, usual: Goal) -> Result<Option<Goal>, Failure> {
        let usage =
            |message: &str| Failure::Usage { message: message.into(), hint: "for example: --goal top --top 10" };
        Ok(match (self.goal, self.top, usual) {
            (None | Some(GoalWord::Top), Some(k), _) => Some(Goal::Top { k: k as usize }),
            (Some(_), Some(_), _) => return Err(usage("--top goes with the goal top only")),
            (None, None, _) => None,
            (Some(GoalWord::Top), None, usual @ Goal::Top { .. }) => Some(usual),
            (Some(GoalWord::Top), None, _) => return Err(usage("the goal top needs --top: how many items")),
            (Some(GoalWord::Best), None, _) => Some(Goal::Best),
            (Some(GoalWord::WholeOrder), None, _) => Some(Goal::WholeOrder),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GoalWord {
    /// Finding the best item.
    Best,
    /// Finding the first few, as many as --top says.
    Top,
    /// Ordering all items.
    WholeOrder,
}

fn parse_focus(text: &str) -> Result<f64, &'static str> {
    let focus = text.parse().ok().filter(|focus: &f64| focus.is_finite() && *focus >= 0.0);
    focus.ok_or("a finite number, at least 0")
}

/// What the options and the project say together.
pub struct Asking {
    pub goal: Goal,
    pub strategy: Strategy,
    pub seed: Seed,
}

impl Options {
    /// Nothing but a goal.
    pub fn of_goal(goal: &GoalOptions) -> Self {
        Self { goal: goal.clone(), strategy: None, focus: None, seed: None }
    }

    /// What is asked for; where the command line is silent, what the project says.
    pub fn resolve(&self, project: &Project) -> Result<Asking, Failure> {
        let goal = self.goal.given(project.ask.goal)?.unwrap_or(project.ask.goal);
        Ok(Asking { goal, strategy: self.strategy(project, goal)?, seed: Seed(self.seed.unwrap_or(project.ask.seed)) })
    }

    fn strategy(&self, project: &Project, goal: Goal) -> Result<Strategy, Failure> {
        let ask = &project.ask;
        let groups = project.items.groups().map_or(1, |groups| groups.len().max(1));
        let size = project.items.len() as f64 / groups as f64;
        if ask.strategy.as_deref().is_some_and(|name| !Strategy::names().contains(&name)) {
            return Err(project.unknown_strategy(Strategy::names()).into());
        }
        // A project's focus is meant for its own strategy, or that of its own goal.
        let own = self.strategy.is_none() && (ask.strategy.is_some() || goal == ask.goal);
        let focus = self.focus.or(ask.focus.filter(|_| own));
        let usual = Strategy::usual_name(goal, focus.is_some());
        let name = self.strategy.as_deref().or(ask.strategy.as_deref()).unwrap_or(usual);
        if let Some(focus) = focus
            && Strategy::named(name, None, goal, size)?.focus().is_none()
        {
            let expected = format!("no focus, as the strategy {name} has none");
            return Err(match self.focus {
                Some(_) => Failure::Usage {
                    message: InputError::new("--focus", expected).found(focus.to_string()).to_string(),
                    hint: "leave it out, or choose for example --strategy expected-loss",
                },
                None => {
                    let error = InputError::new(&project.file, expected).column("focus").found(focus.to_string());
                    let hint = "delete it under [ask], or set for example strategy = \"expected-loss\"";
                    Failure::Library(error.hint(hint).into())
                }
            });
        }
        Ok(Strategy::named(name, focus, goal, size)?)
    }
}

impl Asking {
    /// The session that has learned the standing answers of the project one by one.
    pub fn session(&self, project: &Project, pool: Option<&Pool>) -> Result<Session, Failure> {
        let (model, _) = observe(project, &project.answers)?;
        let params = SessionParams::new(self.strategy).with_repeat(project.ask.repeat).with_seed(self.seed);
        let kernel = Arc::new(kernel::build(&project.kernels, &project.items, &project.relations)?);
        let mut session = Session::new(kernel, project.items.groups().cloned(), model, params)?;
        if let Some(pool) = pool {
            session = session.with_pool(pool)?;
        }
        session.resume(&project.answers)?;
        Ok(session)
    }
}

/// Pairs to which questions are confined.
pub type Pool = Vec<(ItemId, ItemId)>;

/// The pairs that may be asked after these answers, and how many they are: an answered one only if the project repeats,
/// a skipped one never.
pub fn candidates<'a>(
    project: &Project,
    pool: Option<&Pool>,
    answers: impl IntoIterator<Item = &'a Answer>,
) -> (Candidates, usize) {
    let mut candidates = Candidates::new(project.items.groups().cloned());
    let out: Vec<&Answer> =
        answers.into_iter().filter(|answer| candidates.rule_out(answer, project.ask.repeat)).collect();
    let Some(pool) = pool else {
        let all: usize = group_sizes(&project.items).iter().map(|size| size * size.saturating_sub(1) / 2).sum();
        return (candidates, all - out.len());
    };
    let key = |first: ItemId, second: ItemId| (first.min(second), first.max(second));
    let mut left: HashSet<(ItemId, ItemId)> = pool.iter().map(|&(first, second)| key(first, second)).collect();
    for answer in out {
        left.remove(&key(answer.first, answer.second.unwrap_or(answer.first)));
    }
    (candidates.with_pool(pool.iter().copied()), left.len())
}

/// How many items each group has.
pub fn group_sizes(items: &Items) -> Vec<usize> {
    match items.groups() {
        None => vec![items.len()],
        Some(groups) => (0..groups.len()).map(|group| groups.members(group).len()).collect(),
    }
}

/// Pairs from a table with the columns `first` and `second`, and `group` where ids alone do not say.
pub fn read_pool(path: &Path, project: &Project) -> Result<Pool, Failure> {
    let table = Table::read(path)?;
    let (first, second) = (table.column("first")?, table.column("second")?);
    let group = table.columns().iter().position(|column| column == "group");
    let pair = |row: usize| {
        let cell = |column: usize| table.cell(row, column).trim();
        let group = group.map(cell).filter(|group| !group.is_empty());
        let found = named_pair(&project.items, &path.to_string_lossy(), [cell(first), cell(second)], group);
        found.map_err(|error| match error {
            Error::Input(error) => InputError { column: None, ..*error }.line(table.line(row)).into(),
            other => other,
        })
    };
    Ok((0..table.len()).map(pair).collect::<Result<_, Error>>()?)
}
