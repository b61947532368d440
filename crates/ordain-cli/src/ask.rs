//! `ordain ask`: one question after the other, in the terminal.

mod cards;
mod input;
mod progress;

use std::path::PathBuf;
use std::thread;

use clap::Args;
use ordain::active::Question;
use ordain::data::{Answer, ItemId, Outcome as Said};
use ordain::{Error, Project};

use self::cards::Cards;
use self::input::Input;
use self::progress::Progress;
use crate::answer::one_line;
use crate::certainty::Wanted;
use crate::clock::now;
use crate::question::Options;
use crate::working::working;
use crate::{Failure, Outcome, output};

/// Ask one question after the other, each the one that is worth most now
///
/// For example `ordain ask --judge anna --goal best`. On a terminal a key answers: l or the left arrow, r or the right
/// arrow, t(ie), s(kip), u(ndo), q(uit). Elsewhere a line answers: the word or its first letter. Every answer is on the disk
/// before the next question. Stop at any moment and go on later: a resumed session asks exactly the pairs that an
/// uninterrupted one would ask. Answers that others record meanwhile count from the next start on.
///
/// It says which items stand first, how sure that is, and about how many answers are to go. It stops by itself when the
/// goal is reached with the target's probability. The forecast plays on in a few worlds that the answers so far allow. With
/// more than a hundred items it is made while the judge thinks, and it looks less far ahead the more items there are. With
/// groups of more than about a thousand items, certainty and forecast would make the judge wait, and are left out.
#[derive(Args)]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Who answers. An undo takes back this judge's latest answer
    #[arg(long, value_name = "NAME", value_parser = one_line)]
    judge: Option<String>,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    wanted: Wanted,
    /// Ask only pairs of this table, with the columns first and second, and group where ids alone do not say
    #[arg(long, value_name = "FILE")]
    pool: Option<PathBuf>,
    /// Stop after this many answers; skips do not count
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Do not show this column of the items, for example the truth
    #[arg(long, value_name = "COLUMN")]
    hide: Vec<String>,
}

/// What the judge can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Said(Said),
    Undo,
    Quit,
}

const WORDS: [(&str, Word); 6] = [
    ("left", Word::Said(Said::First)),
    ("right", Word::Said(Said::Second)),
    ("tie", Word::Said(Said::Tie)),
    ("skip", Word::Said(Said::Skip)),
    ("undo", Word::Undo),
    ("quit", Word::Quit),
];

/// Items that are named as the first.
const FIRST_FEW: usize = 5;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = Project::open(&arguments.project)?;
    project.set_options(arguments.options.given(project.model().ask().goal)?)?;
    if let Some(pool) = &arguments.pool {
        project.set_pool(pool)?;
    }
    let cards = Cards::read(&project, &arguments.hide)?;
    project.check_log()?;
    let working = working("learning from the answers");
    project.set_watch(working.watch());
    project.session()?;
    drop(working);
    let input = Input::new();
    let rule = arguments.wanted.rule(project.asking()?.goal);
    let progress = Progress::new(rule, &project, !input.is_terminal())?;
    let judge = arguments.judge.clone();
    Talk { project, cards, progress, judge, input, given: 0 }.go(arguments.limit)
}

/// The talk with the judge.
struct Talk {
    project: Project,
    cards: Cards,
    progress: Progress,
    judge: Option<String>,
    input: Input,
    /// Answers given here that stand, without skips.
    given: usize,
}

impl Talk {
    /// Asks until the judge, the goal, the limit or the pairs say that it is enough.
    fn go(&mut self, limit: Option<usize>) -> Outcome {
        let mut beyond = false;
        let mut silence = self.progress.silence();
        loop {
            if limit.is_some_and(|limit| self.given >= limit) {
                return self.end("that is as many as the limit allows");
            }
            let Some(question) = self.project.ask()? else { return self.end("no pair is left to ask") };
            let probability = self.progress.probability(self.project.session()?)?;
            if !beyond && self.progress.is_enough(probability) {
                let sure = self.progress.certainty(probability, self.project.items()).unwrap_or_default();
                output::text(format!("the goal is reached: {sure}"))?;
                output::text("go on? yes or no")?;
                if self.input.choose(&[("yes", true), ("no", false)])? != Some(true) {
                    return self.end("the goal is reached");
                }
                beyond = true;
            }
            if let Some(silence) = silence.take() {
                output::text(silence)?;
            }
            let sides = self.project.session()?.sides(&question);
            self.show(sides, probability, beyond)?;
            loop {
                match self.hear(&question)? {
                    None | Some(Word::Quit) => return self.end("see you"),
                    Some(Word::Said(Said::Tie)) if self.project.model().answer_model().tie_width() == 0.0 => {
                        output::text(
                            "there are no ties in this project: choose, skip, or set tie_width under [answers]",
                        )?;
                    }
                    Some(Word::Said(said)) => break self.record(sides, said)?,
                    Some(Word::Undo) if self.take_back()? => break,
                    Some(Word::Undo) => output::text("there is no answer to take back")?,
                }
            }
        }
    }

    /// What the judge says, who may take a while: meanwhile what the answer will need is made ready.
    fn hear(&mut self, question: &Question) -> Result<Option<Word>, Failure> {
        let Self { project, input, .. } = self;
        if !input.is_terminal() {
            return input.choose(&WORDS);
        }
        let session = project.session()?;
        thread::scope(|scope| {
            // What fails here fails again where the answer is learned, and is reported there.
            scope.spawn(|| session.prefetch(question).is_ok());
            input.choose(&WORDS)
        })
    }

    fn show(&mut self, sides: [ItemId; 2], probability: Option<f64>, beyond: bool) -> Outcome {
        let first_few = self.first_few(sides[0])?;
        let answers = self.project.session()?.answers().len();
        let items = self.project.items();
        output::text("")?;
        let count = output::count(answers, "answer");
        let group = items.group_name(sides[0]).map_or(String::new(), |group| format!(" in {}", shown(group)));
        output::text(format!("{count}; first{group}: {first_few}"))?;
        if let Some(mut sure) = self.progress.certainty(probability, items) {
            if !beyond {
                self.progress.look_ahead(self.project.session()?)?;
                sure += &self.progress.to_go(answers).map_or(String::new(), |to_go| format!("; {to_go}"));
            }
            output::text(sure)?;
        }
        output::text(self.cards.draw(self.project.items(), sides))?;
        output::text(format!("{} or {}?", self.name(sides[0]), self.name(sides[1])))
    }

    /// The items ranked first among those of an item's group.
    fn first_few(&mut self, item: ItemId) -> Result<String, Error> {
        let first = self.project.session()?.first_few(item, FIRST_FEW);
        Ok(first.into_iter().map(|item| self.name(item)).collect::<Vec<_>>().join(", "))
    }

    /// Has an answer learned and put on the disk, then says so.
    fn record(&mut self, [left, right]: [ItemId; 2], said: Said) -> Outcome {
        let answer = Answer::new(left, Some(right), said)?;
        let answer = Answer { judge: self.judge.clone(), time: Some(now()), ..answer };
        self.project.tell(answer.clone())?;
        self.given += usize::from(said != Said::Skip);
        output::text(format!("recorded: {}", answer.sentence(|item| self.name(item))))
    }

    /// Takes back the judge's latest answer; false if there is none.
    fn take_back(&mut self) -> Result<bool, Failure> {
        let Some(taken) = self.project.undo(self.judge.as_deref(), Some(now()))? else { return Ok(false) };
        self.given = self.given.saturating_sub(usize::from(taken.outcome != Said::Skip));
        output::text(format!("recorded: undo of {}", taken.sentence(|item| self.name(item))))?;
        Ok(true)
    }

    fn name(&self, item: ItemId) -> String {
        shown(self.project.items().id(item))
    }

    fn end(&self, why: &str) -> Outcome {
        let given = output::count(self.given, "answer");
        let file = self.project.file().answers.display();
        output::text(format!("{why}: {given} given, in {file}; \"ordain rank\" shows the ranking"))
    }
}

/// A name without characters that move the cursor.
fn shown(name: &str) -> String {
    output::cut(name, usize::MAX)
}
