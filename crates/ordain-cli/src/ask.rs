//! `ordain ask`: one question after another, in the terminal.

mod cards;
mod input;
mod progress;
mod terminal;

use std::path::PathBuf;
use std::thread;

use clap::Args;
use ordain::active::{Question, Standing, check_screens};
use ordain::data::{Answer, Goal, GradeScale, ItemId, Outcome as Said};
use ordain::gp::Grading;
use ordain::{Error, Project};

use self::cards::Cards;
use self::input::Input;
use self::progress::Progress;
use crate::answer::one_line;
use crate::certainty::Wanted;
use crate::clock::now;
use crate::question::Options;
use crate::without::Without;
use crate::working::{during, working};
use crate::{Failure, Outcome, memory, output};

/// Ask one question after another, always the one that helps most
///
/// For example `ordain ask --judge anna --goal best`. On a terminal, a key answers: l or the left arrow, r or the right
/// arrow, t(ie) if the project has ties, s(kip), u(ndo), q(uit). When input is a pipe or a file, a line answers: the word
/// or its first letter.
/// Every answer is on disk before the next question. You can stop at any moment and continue later: a resumed session
/// asks exactly the pairs that an uninterrupted one would ask. Answers that others record in the meantime count from
/// the next start on.
///
/// A goal that is given here (--goal, --top) is written into the project file, so that `ordain rank`, `ordain next` and the
/// next `ordain ask` pursue it too.
///
/// With --choose 4, `ask` shows four items at once and asks which is best: a key 1 to 4 answers, so at most 9. One answer then tells about three pairs.
///
/// Before every question, `ask` shows which items are ranked first, how sure that is, and about how many answers the goal
/// takes in all. It offers to stop when the goal is reached with the target's probability. If the noise is learned, it
/// first asks some answered pairs again, to see how consistent the judge is. The forecast plays the rest of the session
/// in a few worlds that fit the answers so far, while the judge thinks. The more items there are, the less far it looks
/// ahead. With groups of more than about a thousand items, certainty and forecast are left out, because the judge would
/// have to wait. A pipe gets no forecasts: they would hold it up.
///
/// How sure it is, is the number that "ordain rank" says of the same answers. Beyond 64 answers it is counted after every second
/// answer, beyond 128 after every fourth, and so on; the line then says after how many answers. With more than about 350 items,
/// it is counted quickly from fewer draws; the line then says "about".
///
/// With `grades = true` under [ask], `ask` also asks for the grade of a single item, where that tells more than comparing
/// it. A grade answers, or s(kip). Forecasts count comparisons only.
///
/// With `strengths = true` under [ask], the keys 1 to 4 say how much: left by much, left slightly, right slightly, right by much.
///
/// With gold pairs (`gold` under [answers]), some questions are about these, whose answer is known. They show how good the judge is;
/// nothing about items is learned from them. With --pool, only gold pairs of the table are asked.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain ask
  ordain ask --judge ann --goal top --top 3 --target 0.9
  ordain ask --choose 4 --limit 5
  ordain ask --pool pairs.csv --limit 20")]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The name of the judge: pairs are weighed by what is known of his noise, as by `ordain next --judge`. An undo takes back
    /// this judge's latest answer
    #[arg(long, value_name = "NAME", value_parser = one_line)]
    judge: Option<String>,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    without: Without,
    /// Ask only pairs of this table. Its columns are first and second, and group if ids alone are ambiguous
    #[arg(long, value_name = "FILE")]
    pool: Option<PathBuf>,
    /// Show this many items at once, and ask which is best
    #[arg(long, value_name = "K", default_value = "2", value_parser = clap::value_parser!(u32).range(2..=9))]
    choose: u32,
    /// Stop after this many answers. Skips do not count
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Do not show this column of the items, for example the truth
    #[arg(long, value_name = "COLUMN")]
    hide: Vec<String>,
}

/// A word of the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Said(Said),
    /// The item at this place of the screen is the best.
    Best(usize),
    Undo,
    Quit,
}

/// How much one item is preferred, from left to right.
const STRENGTHS: [(&str, Word); 4] = [
    ("1 left by much", Word::Said(Said::FirstStrongly)),
    ("2 left slightly", Word::Said(Said::FirstWeakly)),
    ("3 right slightly", Word::Said(Said::SecondWeakly)),
    ("4 right by much", Word::Said(Said::SecondStrongly)),
];

const TIE: (&str, Word) = ("tie", Word::Said(Said::Tie));

const WORDS: [(&str, Word); 6] = [
    ("left", Word::Said(Said::First)),
    ("right", Word::Said(Said::Second)),
    TIE,
    ("skip", Word::Said(Said::Skip)),
    ("undo", Word::Undo),
    ("quit", Word::Quit),
];

/// The keys of the items of a screen.
const NUMBERS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// What is asked.
#[derive(Debug, Clone)]
enum Asked {
    /// Which of two items, as they are shown.
    Pair([ItemId; 2]),
    /// The grade of an item.
    Grade(ItemId),
    /// The best of several items, as they are shown.
    Best(Vec<ItemId>),
}

impl Asked {
    /// An item of the question.
    fn item(&self) -> ItemId {
        match self {
            Self::Pair([item, _]) | Self::Grade(item) => *item,
            Self::Best(shown) => shown[0],
        }
    }

    /// The answer that this word gives, if it gives one.
    fn answer(&self, word: Word) -> Result<Option<Answer>, Error> {
        Ok(Some(match (self, word) {
            (Self::Best(shown), Word::Best(at)) => Answer::best(shown, shown[at])?,
            (Self::Best(shown), Word::Said(Said::Skip)) => Answer::skipped(shown)?,
            (&Self::Pair([left, right]), Word::Said(said)) => Answer::new(left, Some(right), said)?,
            (&Self::Grade(item), Word::Said(said)) => Answer::new(item, None, said)?,
            _ => return Ok(None),
        }))
    }
}

/// The number of items that are named as ranked first.
const FIRST_FEW: usize = 5;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = during("reading the project", || Project::open(&arguments.project))?;
    project.set_memory(memory::available());
    arguments.without.leave_out(&mut project, arguments.judge.as_deref())?;
    let usual = project.model().ask().goal;
    let options = arguments.options.given(usual)?.with_judge(arguments.judge.clone());
    let changed = options.goal.filter(|goal| *goal != usual);
    project.set_options(arguments.wanted.with(options))?;
    if let Some(pool) = &arguments.pool {
        project.set_pool(pool)?;
    }
    let cards = Cards::read(&project, &arguments.hide)?;
    project.check_log()?;
    let choose = arguments.choose as usize;
    if choose > 2 {
        project.check_log_for_screens()?;
        check_screens(project.asking()?.strategy)?;
    }
    if let Some(goal) = changed {
        remember(&mut project, goal);
    }
    let working = working("learning from the answers");
    project.set_watch(working.watch());
    project.session()?;
    drop(working);
    let input = Input::new()?;
    let progress = Progress::new(&project, input.is_terminal())?;
    let judge = arguments.judge.clone();
    Talk { project, cards, progress, judge, input, choose, given: 0 }.go(arguments.limit)
}

/// Writes the goal into the project file, so that `rank`, `next` and the next `ask` pursue it too. A file that cannot be written is
/// no reason not to ask.
fn remember(project: &mut Project, goal: Goal) {
    let before = project.model().ask().clone();
    // A focus without a strategy was meant for the strategy of the former goal.
    let focus = before.focus.filter(|_| before.strategy.is_some());
    let dropped = match (before.focus, focus) {
        (Some(focus), None) => format!(", without focus = {focus}, which was meant for the former goal"),
        _ => String::new(),
    };
    let file = project.file().path.display().to_string();
    let places = goal.places().map_or(String::new(), |k| format!(", k = {k}"));
    match project.save_ask(before.with_goal(goal).with_focus(focus)) {
        Ok(()) => output::note(format!(
            "{file} now has goal = \"{goal}\"{places} under [ask]{dropped}: \"ordain rank\", \"ordain next\" and the next \
             \"ordain ask\" pursue it too"
        )),
        Err(error) => output::note(format!("the goal is pursued now, but not remembered: {error}")),
    }
}

/// The conversation with the judge.
struct Talk {
    project: Project,
    cards: Cards,
    progress: Progress,
    judge: Option<String>,
    input: Input,
    /// How many items are shown at once.
    choose: usize,
    /// The standing answers of this conversation, without skips.
    given: usize,
}

impl Talk {
    /// Asks until the judge quits, the goal or the limit is reached, or no pair is left.
    fn go(&mut self, limit: Option<usize>) -> Outcome {
        let mut beyond = false;
        let mut greeted = false;
        loop {
            if limit.is_some_and(|limit| self.given >= limit) {
                return self.end("that is as many as the limit allows");
            }
            let Some(question) = during("choosing the pair", || self.project.ask())? else { return self.run_out() };
            let standing = during("counting how sure the goal is", || self.project.session()?.standing())?;
            let told = self.project.session()?.learned();
            if let Some(standing) = standing.filter(|standing| !beyond && standing.is_met) {
                output::text(format!(
                    "the goal is reached: {}",
                    self.progress.certainty(standing, told, self.gold_answers())
                ))?;
                output::text("go on? yes or no")?;
                if self.input.choose(&[("yes", true), ("no", false), ("quit", false)], 2)? != Some(true) {
                    return self.end("the goal is reached");
                }
                beyond = true;
            }
            if let Some(silence) = self.progress.silence(standing).filter(|_| !greeted) {
                output::text(silence)?;
            }
            greeted = true;
            // Gold is about pairs, and among screens a pair would be seen to be gold.
            let gold = if self.choose > 2 { None } else { self.project.gold_question(self.judge.as_deref())? };
            let asked = match gold {
                Some(sides) => Asked::Pair(sides),
                None => self.asked(&question)?,
            };
            self.show(&asked, standing, beyond)?;
            loop {
                match self.hear(&question, &asked)? {
                    None | Some(Word::Quit) => return self.end("see you"),
                    Some(Word::Said(Said::Tie)) if !self.has_ties() => {
                        let file = self.project.file().path.display();
                        output::text(format!(
                            "there are no ties in this project: choose or skip; or set for example tie_width = 0.2 under \
                             [answers] in {file}, and ask again"
                        ))?;
                    }
                    Some(Word::Undo) if self.take_back()? => break,
                    Some(Word::Undo) => output::text("there is no answer to take back")?,
                    Some(word) => {
                        if let Some(answer) = asked.answer(word)? {
                            break self.record(answer)?;
                        }
                    }
                }
            }
        }
    }

    /// The screen or the pair that is worth asking, or the one of two items whose grade tells more.
    fn asked(&mut self, question: &Question) -> Result<Asked, Error> {
        let choose = self.choose;
        let session = self.project.session()?;
        if choose > 2
            && let Some(screen) = session.ask_screens(choose, 1)?.first().filter(|screen| screen.items.len() > 2)
        {
            return Ok(Asked::Best(session.arranged(screen)));
        }
        Ok(match session.grade_instead(question)? {
            Some(grade) => Asked::Grade(grade.item),
            None => Asked::Pair(session.sides(question)),
        })
    }

    /// The grades that there are.
    fn scale(&self) -> Option<GradeScale> {
        self.project.model().answer_model().grading().map(Grading::scale)
    }

    /// Waits for the judge's word, and meanwhile prepares what the answer will need.
    fn hear(&mut self, question: &Question, asked: &Asked) -> Result<Option<Word>, Failure> {
        match asked {
            Asked::Grade(_) => return self.hear_grade(),
            Asked::Best(shown) => return self.hear_best(shown.len()),
            Asked::Pair(_) => {}
        }
        let (words, offered) = words(self.has_ties(), self.project.model().ask().strengths);
        let Self { project, input, .. } = self;
        if !input.is_terminal() {
            return input.choose(&words, offered);
        }
        let session = project.session()?;
        thread::scope(|scope| {
            // An error here occurs again when the answer is learned, and is reported there.
            scope.spawn(|| session.prefetch(question).is_ok());
            input.choose(&words, offered)
        })
    }

    /// Waits for the number of an item, or another word.
    fn hear_best(&self, shown: usize) -> Result<Option<Word>, Failure> {
        let numbers = (0..shown).map(|at| (NUMBERS[at], Word::Best(at)));
        let words: Vec<(&str, Word)> =
            numbers.chain(WORDS.into_iter().skip_while(|(word, _)| *word != "skip")).collect();
        self.input.choose(&words, words.len())
    }

    /// Waits for a grade, or another word.
    fn hear_grade(&self) -> Result<Option<Word>, Failure> {
        let grades: Vec<i32> = self.scale().into_iter().flat_map(GradeScale::grades).collect();
        let names: Vec<String> = grades.iter().map(i32::to_string).collect();
        let graded = names.iter().zip(&grades).map(|(name, &grade)| (name.as_str(), Word::Said(Said::Grade(grade))));
        let words: Vec<(&str, Word)> =
            graded.chain(WORDS.into_iter().skip_while(|(word, _)| *word != "skip")).collect();
        self.input.choose(&words, words.len())
    }

    /// Whether an answer may be a tie.
    fn has_ties(&self) -> bool {
        self.project.model().answer_model().tie_width() > 0.0
    }

    fn show(&mut self, asked: &Asked, standing: Option<Standing>, beyond: bool) -> Outcome {
        let item = asked.item();
        let first_few = self.first_few(item)?;
        let answers = self.project.session()?.learned();
        let items = self.project.items();
        output::text("")?;
        // Answers about gold pairs count too: the judge is not told which they are.
        let gold = self.gold_answers();
        let count = output::count(answers + gold, "answer");
        let group = items.group_name(item).map_or(String::new(), |group| format!(" in {}", output::name(group)));
        // Without an answer and a prior mean, the first are only those of the file.
        let known = answers > 0 || items.prior().is_some();
        output::text(if known { format!("{count}; first{group}: {first_few}") } else { format!("{count}{group}") })?;
        if let Some(standing) = standing {
            let mut sure = self.progress.certainty(standing, answers, gold);
            if !beyond {
                self.progress.look_ahead(self.project.session()?)?;
                sure += &self.progress.to_go().map_or(String::new(), |to_go| format!("; {to_go}"));
            }
            output::text(sure)?;
        }
        let sides = match asked {
            Asked::Grade(item) => return self.show_one(*item),
            Asked::Best(shown) => return self.show_several(shown),
            Asked::Pair(sides) => *sides,
        };
        if self.was_answered(sides)? {
            output::text("asked before; a second answer helps most now:")?;
        }
        output::text(self.cards.draw(self.project.items(), &sides, &["left", "right"]))?;
        output::text(format!("{} or {}?", self.name(sides[0]), self.name(sides[1])))
    }

    /// The standing answers about gold pairs.
    fn gold_answers(&self) -> usize {
        let model = self.project.model();
        model.answers().standing().into_iter().filter(|answer| model.gold().is_right(answer).is_some()).count()
    }

    /// Shows an item whose grade is asked.
    fn show_one(&self, item: ItemId) -> Outcome {
        output::text(self.cards.draw_one(self.project.items(), item))?;
        let scale = self.scale().map_or_else(String::new, |scale| format!(" from {scale}, the higher the better"));
        output::text(format!("the grade of {}{scale}?", self.name(item)))
    }

    /// Shows several items of which the best is asked.
    fn show_several(&self, shown: &[ItemId]) -> Outcome {
        output::text(self.cards.draw(self.project.items(), shown, &NUMBERS[..shown.len()]))?;
        output::text("which is best?")
    }

    /// Whether a judge decided between these two items before, and is asked again to learn the noise.
    fn was_answered(&mut self, sides: [ItemId; 2]) -> Result<bool, Error> {
        let about = |answer: &Answer| {
            answer.second.is_some_and(|second| [answer.first, second].iter().all(|item| sides.contains(item)))
        };
        let session = self.project.session()?;
        Ok(session.model().learns() && session.answers().iter().any(|answer| !answer.is_skip() && about(answer)))
    }

    /// The names of the items ranked first in an item's group.
    fn first_few(&mut self, item: ItemId) -> Result<String, Error> {
        let first = self.project.session()?.first_few(item, FIRST_FEW);
        let name = |item| output::name(&self.cards.label_in_list(self.project.items(), item));
        Ok(first.into_iter().map(name).collect::<Vec<_>>().join(", "))
    }

    /// Learns an answer, puts it on disk, then says so.
    fn record(&mut self, answer: Answer) -> Outcome {
        let answer = Answer { judge: self.judge.clone(), time: Some(now()), ..answer };
        during("learning the answer", || self.project.tell(answer.clone()))?;
        self.given += usize::from(!answer.is_skip());
        output::text(format!("recorded: {}", answer.sentence(|item| self.name(item))))
    }

    /// Takes back the judge's latest answer. Returns false if there is none.
    fn take_back(&mut self) -> Result<bool, Failure> {
        let undone = during("learning without the answer", || self.project.undo(self.judge.as_deref(), Some(now())));
        let Some(taken) = undone? else { return Ok(false) };
        self.given = self.given.saturating_sub(usize::from(taken.outcome != Said::Skip));
        output::text(format!("recorded: undo of {}", taken.sentence(|item| self.name(item))))?;
        Ok(true)
    }

    fn name(&self, item: ItemId) -> String {
        output::name(&self.cards.label(self.project.items(), item))
    }

    /// Says that no pair is left, and what would help if the goal is not reached.
    fn run_out(&mut self) -> Outcome {
        let session = self.project.session()?;
        let (standing, undecided, told) = (session.standing()?, session.undecided()?, session.learned());
        if let (Some(standing), Some(pair)) = (standing.filter(|standing| !standing.is_met), undecided) {
            output::text(format!(
                "the goal cannot be reached with these pairs: {}",
                self.progress.certainty(standing, told, self.gold_answers())
            ))?;
            output::text(format!("undecided: {} or {}", self.name(pair.first), self.name(pair.second)))?;
            output::text(
                "what would help: repeat = true under [ask], which asks pairs again; or attributes or links that tell items apart",
            )?;
        }
        self.end("no pair is left to ask")
    }

    fn end(&self, why: &str) -> Outcome {
        let given = output::count(self.given, "answer");
        let file = self.project.file().answers.display();
        output::text(format!("{why}: {given} given, in {file}; \"ordain rank\" shows the ranking"))
    }
}

/// The words that answer a question about two items, and how many of them are offered. A tie that the project has no room for is
/// understood, so that the reason can be told.
fn words(has_ties: bool, strengths: bool) -> (Vec<(&'static str, Word)>, usize) {
    let more = STRENGTHS.into_iter().filter(|_| strengths);
    let words: Vec<_> = match has_ties {
        true => more.chain(WORDS).collect(),
        false => more.chain(WORDS.into_iter().filter(|word| *word != TIE)).chain([TIE]).collect(),
    };
    let offered = words.len() - usize::from(!has_ties);
    (words, offered)
}
