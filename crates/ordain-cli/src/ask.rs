//! `ordain ask`: one question after the other, in the terminal.

mod cards;
mod input;
mod progress;

use std::path::PathBuf;
use std::thread;

use clap::Args;
use ordain::active::{Question, Session};
use ordain::data::{Answer, Entry, ItemId, Outcome as Said};
use ordain::formats::{AnswerWriter, Project};
use ordain::gp::AnswerModel;
use ordain::numeric::Purpose;
use rand::RngExt;

use self::cards::Cards;
use self::input::Input;
use self::progress::Progress;
use crate::answer::{now, one_line};
use crate::certainty::Wanted;
use crate::model::{open_project, working};
use crate::question::{Asking, Options, read_pool};
use crate::{Failure, Outcome, output};

/// Ask one question after the other, each the one that is worth most now
///
/// For example `ordain ask --judge anna --goal best`. On a terminal a key answers: l or the left arrow, r or the right
/// arrow, t(ie), s(kip), u(ndo), q(uit); elsewhere a line with the word or its first letter. Every answer is on the disk
/// before the next question: stop at any moment, go on at any other, and the questions are those that would have come.
/// What others record meanwhile counts from the next start on.
///
/// It says which items stand first, how sure that is and about how many answers are to go, and stops by itself when the
/// goal is reached with the target's probability. How many are to go is foreseen by playing on in a few worlds that the
/// answers so far allow; with more than a hundred items this is done while the judge thinks, and looks less far ahead the
/// more items there are. For groups of more than about a thousand items, counting how sure the ranking is would make the
/// judge wait, and both are left out.
#[derive(Args)]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Who answers; an undo takes back this judge's latest answer
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
    let project = open_project(&arguments.project)?;
    let asking = arguments.options.resolve(&project)?;
    let pool = arguments.pool.as_ref().map(|pool| read_pool(pool, &project)).transpose()?;
    let cards = Cards::read(&project, &arguments.hide)?;
    let writer = AnswerWriter::open(&project.answers_file, &project.items)?;
    let model = AnswerModel::new(project.noise, project.tie_width)?;
    let working = working("learning from the answers");
    let session = asking.session(&project, pool.as_ref())?;
    drop(working);
    let input = Input::new();
    let rule = arguments.wanted.rule(asking.goal);
    let progress = Progress::new(rule, &asking, &project, pool, !input.is_terminal());
    let judge = arguments.judge.clone();
    let mut talk = Talk { project, asking, session, model, writer, cards, progress, judge, input, given: 0 };
    talk.go(arguments.limit)
}

/// The talk with the judge.
struct Talk {
    project: Project,
    asking: Asking,
    session: Session,
    model: AnswerModel,
    writer: AnswerWriter,
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
            let Some(question) = self.session.ask()? else { return self.end("no pair is left to ask") };
            let probability = self.progress.probability(&self.session)?;
            if !beyond && self.progress.is_enough(probability) {
                let sure = self.progress.certainty(probability, &self.project).unwrap_or_default();
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
            let sides = self.sides(&question);
            self.show(sides, probability, beyond)?;
            loop {
                match self.hear(&question)? {
                    None | Some(Word::Quit) => return self.end("see you"),
                    Some(Word::Said(Said::Tie)) if self.project.tie_width == 0.0 => output::text(
                        "there are no ties in this project: choose, skip, or set tie_width under [answers]",
                    )?,
                    Some(Word::Said(said)) => {
                        self.record(sides, said)?;
                        break;
                    }
                    Some(Word::Undo) => {
                        if self.take_back()? {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// What the judge says, who may take a while: meanwhile what the answer will need is made ready.
    fn hear(&mut self, question: &Question) -> Result<Option<Word>, Failure> {
        let Self { session, input, .. } = self;
        if !input.is_terminal() {
            return input.choose(&WORDS);
        }
        thread::scope(|scope| {
            // What fails here fails again where the answer is learned, and is reported there.
            scope.spawn(|| session.prefetch(question).is_ok());
            input.choose(&WORDS)
        })
    }

    /// Which item stands left and which right: drawn, so that no habit of the judge's favours either.
    fn sides(&self, question: &Question) -> [ItemId; 2] {
        // Streams apart from those that choose the pairs, which count from 0.
        let mut stream = self.asking.seed.stream(Purpose::Sides { answers: self.session.answers().len() });
        let (first, second) = (question.first, question.second);
        if stream.random::<bool>() { [first, second] } else { [second, first] }
    }

    fn show(&mut self, sides: [ItemId; 2], probability: Option<f64>, beyond: bool) -> Outcome {
        let items = &self.project.items;
        let answers = self.session.answers();
        output::text("")?;
        let count = output::count(answers.len(), "answer");
        let group = items.group_name(sides[0]).map_or(String::new(), |group| format!(" in {}", shown(group)));
        output::text(format!("{count}; first{group}: {}", self.first_few(sides[0])))?;
        if let Some(mut sure) = self.progress.certainty(probability, &self.project) {
            if !beyond {
                self.progress.look_ahead(&self.session, &self.project, &self.model)?;
                sure += &self.progress.to_go(answers.len()).map_or(String::new(), |to_go| format!("; {to_go}"));
            }
            output::text(sure)?;
        }
        output::text(self.cards.draw(&self.project, sides))?;
        output::text(format!("{} or {}?", self.name(sides[0]), self.name(sides[1])))
    }

    /// The items ranked first among those of an item's group.
    fn first_few(&self, item: ItemId) -> String {
        let items = &self.project.items;
        let mean = self.session.belief().mean();
        let mut order: Vec<ItemId> = match items.groups() {
            None => items.iter().collect(),
            Some(groups) => groups.members(groups.of(item)).to_vec(),
        };
        order.sort_by(|a, b| mean[b.index()].total_cmp(&mean[a.index()]));
        order.iter().take(FIRST_FEW).map(|&item| self.name(item)).collect::<Vec<_>>().join(", ")
    }

    /// Learns an answer and puts it on the disk, then says so. What cannot be learned from is not written.
    fn record(&mut self, [left, right]: [ItemId; 2], said: Said) -> Outcome {
        let answer = Answer::new(left, Some(right), said)?;
        let answer = Answer { judge: self.judge.clone(), time: Some(now()), ..answer };
        self.session.tell(answer.clone())?;
        self.writer.append(&Entry::Answer(answer.clone()), &self.project.items)?;
        self.given += usize::from(said != Said::Skip);
        output::text(format!("recorded: {}", self.words(&answer)))
    }

    /// Takes back the judge's latest answer, in the log first; false if there is none.
    fn take_back(&mut self) -> Result<bool, Failure> {
        if !self.session.answers().iter().any(|answer| answer.judge == self.judge) {
            output::text("there is no answer to take back")?;
            return Ok(false);
        }
        let entry = Entry::Undo { judge: self.judge.clone(), time: Some(now()) };
        self.writer.append(&entry, &self.project.items)?;
        if let Some(taken) = self.session.undo(self.judge.as_deref())? {
            self.given = self.given.saturating_sub(usize::from(taken.outcome != Said::Skip));
            output::text(format!("recorded: undo of {}", self.words(&taken)))?;
        }
        Ok(true)
    }

    fn words(&self, answer: &Answer) -> String {
        let first = self.name(answer.first);
        let Some(second) = answer.second.map(|second| self.name(second)) else {
            return format!("{first} {}", answer.outcome);
        };
        match answer.outcome {
            Said::First => format!("{first} over {second}"),
            Said::Second => format!("{second} over {first}"),
            other => format!("{first} and {second}, {}", other),
        }
    }

    fn name(&self, item: ItemId) -> String {
        shown(self.project.items.id(item))
    }

    fn end(&self, why: &str) -> Outcome {
        let given = output::count(self.given, "answer");
        let file = self.project.answers_file.display();
        output::text(format!("{why}: {given} given, in {file}; \"ordain rank\" shows the ranking"))
    }
}

/// A name without characters that move the cursor.
fn shown(name: &str) -> String {
    output::cut(name, usize::MAX)
}
