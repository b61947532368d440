//! Answers: the log, and other tables of comparisons.
//!
//! | columns | what they say |
//! |---|---|
//! | `first,second,outcome` | the log: `first`, `second`, `tie`, `skip`; weak and strong preference `first>`, `first>>`; a probability `first:0.8`; votes `7:3`; `good`, `bad`, `grade:4` (second empty); `undo` (both empty); `best:C|D`, `order:C|D`, `skip:C|D` of a screen with the first, the second, C and D |
//! | `model_a,model_b,winner` | arena battles: `model_a`, `model_b`, `tie`, `tie (bothbad)` or `both_bad`, or the id |
//! | `left,right,winner` | `left`, `right`, `tie`, or the id |
//! | `left,right,label` | the id, or `left`, `right`, `tie`, `equal`, or `1`, `2`, `0` |
//! | `first,second,probability` | the probability that the first is preferred |
//! | `model_a,model_b,votes_a,votes_b` | numbers of votes; those for neither in `votes_tie`, if there is such a column |
//! | `winner,loser` | the winner was preferred |
//! | `shown,best` | the items of a screen, as in `A|B|C`, and the best of them |
//!
//! The first row of this table whose columns are all present counts. The judge is read from `judge`, `judge_hash`,
//! `user` or `worker`, the time from `time`, `tstamp` or `timestamp`, and the group of both items from `group`. Other
//! columns are ignored. Names of columns may have any case.
//!
//! A verdict can be an id or a word, and an item can be called `1` or `left`. If the two readings of a cell differ, the
//! reader takes the one that makes sense for every row of the file. If both do, the file is ambiguous, which is an
//! error.
//!
//! **A last line without a line feed is always torn**, never an answer. Cut in its middle, `lamp12` may have become
//! `lamp1` and nobody could tell, and the next append would continue that line. This holds for hand-written files too,
//! because every one of them may be appended to.

use std::collections::HashSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use super::items::{Place, find_item};
use super::lock::wait_for_writers;
use super::screens;
use super::table::{LastLine, Row, Rows};
use crate::data::{Answer, AnswerLog, Attributes, Entry, GradeScale, Groups, ItemId, Items, Outcome, Votes};
use crate::words::suggestion;
use crate::{Error, InputError, Result};

/// The kinds of table that hold answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Log,
    Arena,
    LeftRight,
    Labelled,
    Stated,
    Voted,
    WinnerLoser,
    Chosen,
}

impl Kind {
    /// Whether the table says which item was shown first, or left, whoever won. Votes were given in more than one showing.
    pub(crate) fn has_sides(self) -> bool {
        !matches!(self, Self::WinnerLoser | Self::Voted | Self::Chosen)
    }

    /// Whether answers can be appended to such a table.
    pub(super) fn can_grow(self) -> bool {
        !matches!(self, Self::Labelled | Self::Stated | Self::Voted | Self::Chosen)
    }

    /// Whether a verdict may be the id of an item.
    fn has_ids(self) -> bool {
        matches!(self, Self::Arena | Self::LeftRight | Self::Labelled)
    }
}

/// The columns that make a table of answers: the two items, and the verdict.
const KINDS: [(Kind, [&str; 2], &[&str]); 8] = [
    (Kind::Log, ["first", "second"], &["outcome"]),
    (Kind::Arena, ["model_a", "model_b"], &["winner"]),
    (Kind::LeftRight, ["left", "right"], &["winner"]),
    (Kind::Labelled, ["left", "right"], &["label"]),
    (Kind::Stated, ["first", "second"], &["probability"]),
    (Kind::Voted, ["model_a", "model_b"], &["votes_a", "votes_b"]),
    (Kind::WinnerLoser, ["winner", "loser"], &[]),
    (Kind::Chosen, ["shown", "best"], &[]),
];

/// The column of votes for neither item.
const VOTES_TIE: &str = "votes_tie";

/// Where preferences are more than a word.
const SOFT: &str = "the columns first,second,outcome hold strengths, probabilities and votes";

/// How to allow other grades.
pub(crate) const OTHER_SCALE: &str = "lowest and highest under [grades] say which grades there are";

const JUDGES: [&str; 4] = ["judge", "judge_hash", "user", "worker"];
const TIMES: [&str; 3] = ["time", "tstamp", "timestamp"];

/// The meaning of the columns of a table of answers.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) kind: Kind,
    pub(crate) items: [usize; 2],
    pub(crate) verdict: Option<usize>,
    /// The votes for the first item, the second and neither.
    votes: Option<([usize; 2], Option<usize>)>,
    pub(crate) judge: Option<usize>,
    pub(crate) time: Option<usize>,
    pub(crate) group: Option<usize>,
}

impl Layout {
    /// The layout of a table, if it is a table of answers.
    pub(crate) fn find(rows: &Rows) -> Option<Self> {
        let any = |names: &[&str]| names.iter().find_map(|name| rows.position(name));
        KINDS.iter().find_map(|&(kind, [first, second], verdict)| {
            let verdict: Vec<usize> = verdict.iter().map(|name| rows.position(name)).collect::<Option<_>>()?;
            let votes = <[usize; 2]>::try_from(&verdict[..]).ok();
            Some(Self {
                kind,
                items: [rows.position(first)?, rows.position(second)?],
                verdict: verdict.first().copied(),
                votes: votes.map(|votes| (votes, rows.position(VOTES_TIE))),
                judge: any(&JUDGES),
                time: any(&TIMES),
                group: rows.position("group"),
            })
        })
    }

    pub(crate) fn of(rows: &Rows) -> Result<Self> {
        Self::find(rows).ok_or_else(|| {
            let known: Vec<String> = KINDS
                .iter()
                .map(|(_, items, verdict)| items.iter().chain(*verdict).copied().collect::<Vec<_>>().join(","))
                .collect();
            InputError::new(rows.path(), "a table of answers")
                .line(1)
                .found(rows.columns().join(","))
                .hint(format!("the columns must include {}", known.join("; or ")))
                .into()
        })
    }
}

/// The meaning of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Outcome(Outcome),
    BothBad,
    Undo,
}

/// The word that takes back an answer.
pub(crate) const UNDO: &str = "undo";

const ARENA_WORDS: [(&str, Word); 8] = [
    ("model_a", Word::Outcome(Outcome::First)),
    ("model_b", Word::Outcome(Outcome::Second)),
    ("tie", Word::Outcome(Outcome::Tie)),
    ("tie (bothbad)", Word::BothBad),
    ("both_bad", Word::BothBad),
    ("bothbad", Word::BothBad),
    ("both bad", Word::BothBad),
    ("tie (both_bad)", Word::BothBad),
];

const LEFT_RIGHT_WORDS: [(&str, Word); 3] = [
    ("left", Word::Outcome(Outcome::First)),
    ("right", Word::Outcome(Outcome::Second)),
    ("tie", Word::Outcome(Outcome::Tie)),
];

const LABEL_WORDS: [(&str, Word); 7] = [
    ("left", Word::Outcome(Outcome::First)),
    ("right", Word::Outcome(Outcome::Second)),
    ("tie", Word::Outcome(Outcome::Tie)),
    ("equal", Word::Outcome(Outcome::Tie)),
    ("1", Word::Outcome(Outcome::First)),
    ("2", Word::Outcome(Outcome::Second)),
    ("0", Word::Outcome(Outcome::Tie)),
];

/// The words of a verdict column. The log has outcomes and [`UNDO`] in place of them.
fn words(kind: Kind) -> &'static [(&'static str, Word)] {
    match kind {
        Kind::Arena => &ARENA_WORDS,
        Kind::LeftRight => &LEFT_RIGHT_WORDS,
        Kind::Labelled => &LABEL_WORDS,
        Kind::Log | Kind::Stated | Kind::Voted | Kind::WinnerLoser | Kind::Chosen => &[],
    }
}

/// What to write in place of a word that nobody knows.
fn suggested(kind: Kind, word: &str) -> Option<String> {
    match kind {
        Kind::Log => {
            let known = Outcome::WORDS.iter().map(|(text, _)| *text);
            suggestion(word, known.chain([UNDO]).chain(Outcome::EXAMPLES))
        }
        _ if word.parse::<Outcome>().is_ok() => Some(SOFT.into()),
        _ => suggestion(word, words(kind).iter().map(|(text, _)| *text)),
    }
}

/// The meaning of a verdict, if it has one.
///
/// # Errors
/// If it is an outcome with a wrong number.
fn meaning(kind: Kind, text: &str) -> Result<Option<Word>> {
    match kind {
        Kind::Log if text == UNDO => Ok(Some(Word::Undo)),
        Kind::Log => match text.parse() {
            Ok(outcome) => Ok(Some(Word::Outcome(outcome))),
            Err(error @ Error::Malformed { .. }) => Err(error),
            Err(_) => Ok(None),
        },
        _ => Ok(words(kind).iter().find(|(known, _)| *known == text).map(|(_, word)| *word)),
    }
}

/// The text for an outcome in the verdict column of this kind of table, if it can hold it.
pub(crate) fn verdict(kind: Kind, outcome: Outcome) -> Option<String> {
    match kind {
        Kind::Log => Some(outcome.to_string()),
        _ => words(kind).iter().find(|(_, word)| *word == Word::Outcome(outcome)).map(|(text, _)| (*text).to_owned()),
    }
}

/// An item whose id is also a word of the verdict column, so that a verdict could be read in two ways.
pub(crate) fn item_like_a_word(kind: Kind, items: &Items) -> Option<&str> {
    let is_word = |id: &&String| words(kind).iter().any(|(text, _)| *text == id.trim().to_lowercase());
    items.ids().iter().find(is_word).map(String::as_str)
}

/// Reads answers about these items, from a log, `winner,loser`, arena battles or crowd labels.
///
/// # Errors
/// If the file cannot be read or is not a table of answers; if a row names an unknown item, compares an item with
/// itself or with one of another group, or has an unknown word; or if an undo has nothing to take back.
pub fn read_answers(path: impl AsRef<Path>, items: &Items) -> Result<AnswerLog> {
    read_answers_on(path.as_ref(), items, None)
}

/// As [`read_answers`], if grades must be on a scale.
pub(super) fn read_answers_on(path: &Path, items: &Items, scale: Option<GradeScale>) -> Result<AnswerLog> {
    read_now(path, items, scale).map(|found| found.log)
}

/// Whether a table of answers says which item was shown first, or left, whoever won.
pub(super) fn has_sides(path: &Path) -> Result<bool> {
    settled(path, || Ok(Layout::of(&Rows::open(path, LastLine::Ended)?)?.kind.has_sides()))
}

/// As [`read_answers`], with the number of verdicts that both items are bad, each of which is two answers.
pub(super) fn read_counted(path: &Path, items: &Items) -> Result<(AnswerLog, usize)> {
    read_now(path, items, None).map(|found| (found.log, found.both_bad))
}

/// As [`read_answers`], with the line of every entry.
pub(super) fn read_found(path: &Path, items: &Items) -> Result<Found> {
    read_now(path, items, None)
}

/// What a table of answers holds.
pub(super) struct Found {
    pub(super) log: AnswerLog,
    /// The line of every entry.
    pub(super) lines: Vec<u64>,
    /// Verdicts that both items are bad.
    both_bad: usize,
}

fn read_now(path: &Path, items: &Items, scale: Option<GradeScale>) -> Result<Found> {
    settled(path, || Reader::open(Rows::open(path, LastLine::Ended)?, items, scale))
}

/// Whether a log has been begun. A log of no bytes was created but never written to. A log that cannot be looked at
/// counts as begun, so that reading it reports the reason.
pub(crate) fn is_begun(path: &Path) -> bool {
    match path.metadata() {
        Ok(about) => !about.is_file() || about.len() > 0,
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// The answers in a table whose header alone has been read.
pub(crate) fn answers_in(rows: Rows, items: &Items) -> Result<AnswerLog> {
    Reader::open(rows, items, None).map(|found| found.log)
}

/// Reads a log that somebody may be appending to. A last line that seems torn is read again when no writer holds the
/// lock, because it may have been a line in progress.
fn settled<T>(path: &Path, read: impl Fn() -> Result<T>) -> Result<T> {
    match read() {
        Err(Error::Input(error)) if error.torn => {
            let Ok(file) = File::open(path) else { return Err(Error::Input(error)) };
            wait_for_writers(&file, path);
            read()
        }
        result => result,
    }
}

/// One row; only the choice between its two readings is open.
struct Said {
    line: u64,
    items: [Option<ItemId>; 2],
    /// The other items of a screen.
    others: Vec<ItemId>,
    by_word: Option<Word>,
    by_id: Option<Word>,
    judge: Option<String>,
    time: Option<String>,
}

struct Reader<'a> {
    path: &'a Path,
    items: &'a Items,
    columns: Vec<String>,
    layout: Layout,
    /// The grades that there are, if that is known.
    scale: Option<GradeScale>,
}

impl Reader<'_> {
    /// Reads a table whose header alone has been read.
    fn open(mut rows: Rows, items: &Items, scale: Option<GradeScale>) -> Result<Found> {
        let path = rows.path().to_path_buf();
        let (columns, layout) = (rows.columns().to_vec(), Layout::of(&rows)?);
        let reader = Reader { path: &path, items, columns, layout, scale };
        let mut said = Vec::new();
        while let Some(row) = rows.next()? {
            said.push(reader.read(&row)?);
        }
        reader.resolve(said)
    }

    fn error(&self, line: u64, column: usize, found: &str, expected: &str) -> InputError {
        InputError::new(self.path, expected).line(line).column(&self.columns[column]).found(found)
    }

    fn read(&self, row: &Row<'_>) -> Result<Said> {
        let layout = &self.layout;
        if let Some(said) = self.read_screen(row)? {
            return Ok(said);
        }
        let (by_word, by_id) = self.verdict(row)?;
        let text = |column: Option<usize>| column.map(|at| row.get(at).to_owned()).filter(|cell| !cell.is_empty());
        let [first, second] = layout.items;
        let items = match by_word {
            Some(Word::Undo) => [self.nothing(row, first)?, self.nothing(row, second)?],
            Some(Word::Outcome(outcome)) if outcome.is_single() || self.skips_one(row, outcome) => {
                [Some(self.item(row, first)?), self.nothing(row, second)?]
            }
            _ => {
                let pair = [self.item(row, first)?, self.item(row, second)?];
                self.check_pair(row, pair)?;
                pair.map(Some)
            }
        };
        let (judge, time) = (text(layout.judge), text(layout.time));
        Ok(Said { line: row.line, items, others: Vec::new(), by_word, by_id, judge, time })
    }

    /// What a row says of a screen, if it is about one.
    fn read_screen(&self, row: &Row<'_>) -> Result<Option<Said>> {
        let [first, second] = self.layout.items;
        let (answer, column) = match (self.layout.kind, self.layout.verdict) {
            (Kind::Chosen, _) => {
                let shown = self.listed(row, first, row.get(first))?;
                (Answer::best(&shown, self.item(row, second)?), first)
            }
            (Kind::Log, Some(column)) => {
                let Some((outcome, others)) = screens::said(row.get(column)) else { return Ok(None) };
                let mut shown = vec![self.item(row, first)?, self.item(row, second)?];
                shown.extend(self.listed(row, column, others)?);
                let answer = match outcome {
                    Outcome::Best => Answer::best(&shown, shown[0]),
                    Outcome::Order => Answer::order(&shown),
                    _ => Answer::skipped(&shown),
                };
                (answer, column)
            }
            _ => return Ok(None),
        };
        let wrong = |expected: &str, found: &str| self.error(row.line, column, found, expected);
        let answer = match answer {
            Ok(answer) => answer,
            Err(Error::Data { found, expected, .. }) => return Err(wrong(&expected, &found).into()),
            Err(error) => return Err(error),
        };
        if let Some(groups) = self.items.groups()
            && let Some(other) = answer.items().find(|&item| groups.of(item) != groups.of(answer.first))
        {
            let group = &groups.names()[groups.of(answer.first)];
            let error = wrong(&format!("an item of the group \"{group}\""), self.items.id(other));
            return Err(error.hint("only items of one group are compared").into());
        }
        let text = |column: Option<usize>| column.map(|at| row.get(at).to_owned()).filter(|cell| !cell.is_empty());
        Ok(Some(Said {
            line: row.line,
            items: [Some(answer.first), answer.second],
            others: answer.others,
            by_word: Some(Word::Outcome(answer.outcome)),
            by_id: None,
            judge: text(self.layout.judge),
            time: text(self.layout.time),
        }))
    }

    /// The items that a cell lists.
    fn listed(&self, row: &Row<'_>, column: usize, cell: &str) -> Result<Vec<ItemId>> {
        let ids = screens::split(cell).ok_or_else(|| {
            let error = self.error(row.line, column, cell, "ids with | between them");
            error.hint(r"in an id, write \| for | and \\ for \")
        })?;
        let place = Place { path: self.path, line: Some(row.line), column: &self.columns[column] };
        let group = self.layout.group.map(|at| row.get(at));
        ids.iter().map(|id| find_item(self.items, &place, id, group)).collect()
    }

    /// Whether a row says that a judge would not grade an item.
    fn skips_one(&self, row: &Row<'_>, outcome: Outcome) -> bool {
        self.layout.kind == Kind::Log && outcome == Outcome::Skip && row.get(self.layout.items[1]).is_empty()
    }

    /// The two readings of the verdict; there is at least one.
    fn verdict(&self, row: &Row<'_>) -> Result<(Option<Word>, Option<Word>)> {
        let Some(column) = self.layout.verdict else { return Ok((Some(Word::Outcome(Outcome::First)), None)) };
        let kind = self.layout.kind;
        let cell = row.get(column);
        let lower = cell.trim().to_lowercase();
        let by_word = match kind {
            Kind::Stated => Some(Word::Outcome(self.stated(row, column)?)),
            Kind::Voted => Some(Word::Outcome(self.voted(row)?)),
            _ => meaning(kind, &lower).map_err(|error| self.malformed(row, column, error))?,
        };
        if let (Some(Word::Outcome(Outcome::Grade(grade))), Some(scale)) = (by_word, self.scale)
            && scale.position(grade).is_none()
        {
            return Err(self.error(row.line, column, cell, &format!("a grade from {scale}")).hint(OTHER_SCALE).into());
        }
        let by_id = match self.layout.items.map(|at| row.get(at)) {
            _ if !kind.has_ids() => None,
            [first, _] if first == cell => Some(Word::Outcome(Outcome::First)),
            [_, second] if second == cell => Some(Word::Outcome(Outcome::Second)),
            _ => None,
        };
        if by_word.is_none() && by_id.is_none() {
            let or = if !kind.has_ids() { "" } else { ", or the id of one of the two items" };
            let mut error = self.error(row.line, column, cell, &format!("a known word{or}"));
            error.hint = match kind {
                Kind::Log if screens::lacks_others(&lower) => Some(format!(
                    "write the items after the second behind it, for example {lower}:C|D; of two items write first"
                )),
                _ => suggested(kind, &lower),
            };
            return Err(error.into());
        }
        Ok((by_word, by_id))
    }

    /// An error about a cell in the words of another one.
    fn malformed(&self, row: &Row<'_>, column: usize, error: Error) -> Error {
        match error {
            Error::Malformed { expected, hint, .. } => {
                self.error(row.line, column, row.get(column), &expected).hint(hint).into()
            }
            Error::Data { expected, .. } => self.error(row.line, column, row.get(column), &expected).into(),
            error => error,
        }
    }

    /// The outcome that a probability of the first item says.
    fn stated(&self, row: &Row<'_>, column: usize) -> Result<Outcome> {
        let number = row.get(column).trim().parse().ok().and_then(|value| Outcome::probability(value).ok());
        number.ok_or_else(|| {
            let error = self.error(row.line, column, row.get(column), "a probability from 0 to 1");
            error.hint("write for example 0.8: the first item is preferred with probability 0.8").into()
        })
    }

    /// The outcome that numbers of votes say.
    fn voted(&self, row: &Row<'_>) -> Result<Outcome> {
        let Some(([first, second], tie)) = self.layout.votes else {
            unreachable!("a table of votes has columns of votes")
        };
        let number = |column: usize| {
            let cell = row.get(column).trim();
            cell.parse::<u32>().ok().filter(|&votes| votes <= Votes::MOST).ok_or_else(|| {
                let expected = format!("a whole number of votes from 0 to {}", Votes::MOST);
                Error::from(self.error(row.line, column, row.get(column), &expected))
            })
        };
        let tie = tie.map_or(Ok(0), number)?;
        Votes::new(number(first)?, tie, number(second)?)
            .map(Outcome::Votes)
            .map_err(|error| self.malformed(row, first, error))
    }

    fn item(&self, row: &Row<'_>, column: usize) -> Result<ItemId> {
        let place = Place { path: self.path, line: Some(row.line), column: &self.columns[column] };
        find_item(self.items, &place, row.get(column), self.layout.group.map(|at| row.get(at)))
    }

    fn nothing(&self, row: &Row<'_>, column: usize) -> Result<Option<ItemId>> {
        match row.get(column) {
            "" => Ok(None),
            cell => {
                let outcome = self.layout.verdict.map_or("", |at| row.get(at)).trim().to_lowercase();
                let hint = if outcome == UNDO {
                    "an undo takes back the latest answer of its judge and names no items: empty the cell".into()
                } else {
                    format!(
                        "\"{outcome}\" is about one item: empty the cell, or write first, second or tie for the two"
                    )
                };
                let error = self.error(row.line, column, cell, &format!("an empty cell with \"{outcome}\""));
                Err(error.hint(hint).into())
            }
        }
    }

    fn check_pair(&self, row: &Row<'_>, [first, second]: [ItemId; 2]) -> Result<()> {
        let column = self.layout.items[1];
        if first == second {
            let error = self.error(row.line, column, row.get(column), "an item other than the first");
            return Err(error.hint("an item cannot be compared with itself: delete or mend the line").into());
        }
        if let Some(groups) = self.items.groups()
            && groups.of(first) != groups.of(second)
        {
            let group = &groups.names()[groups.of(first)];
            let error = self.error(row.line, column, row.get(column), &format!("an item of the group \"{group}\""));
            return Err(error.hint("only items of one group are compared").into());
        }
        Ok(())
    }

    /// Chooses the reading of the verdicts and builds the log.
    fn resolve(&self, said: Vec<Said>) -> Result<Found> {
        let no_winner = |word| matches!(word, Some(Word::BothBad | Word::Outcome(Outcome::Tie)));
        let ids_fit = said.iter().all(|said| said.by_id.is_some() || no_winner(said.by_word));
        let words_fit = said.iter().all(|said| said.by_word.is_some());
        let mut entries = Vec::with_capacity(said.len());
        let mut lines = Vec::with_capacity(said.len());
        let mut both_bad = 0;
        for said in said {
            let word = match (said.by_word, said.by_id) {
                (Some(word), Some(id)) if word != id => match (words_fit, ids_fit) {
                    (true, false) => word,
                    (false, true) => id,
                    _ => return Err(self.ambiguous(&said, id)),
                },
                (Some(word), _) | (None, Some(word)) => word,
                // `verdict` has refused such a row.
                (None, None) => continue,
            };
            let line = said.line;
            both_bad += usize::from(word == Word::BothBad);
            for entry in make_entries(said, word)? {
                entries.push(entry);
                lines.push(line);
            }
        }
        if let Some(idle) = AnswerLog::idle_undo(&entries) {
            let column = self.layout.verdict.unwrap_or_default();
            let error = self.error(lines[idle], column, "undo", "an earlier standing answer of the same judge");
            return Err(error.hint("there is nothing to take back: delete the line or mend its judge").into());
        }
        Ok(Found { log: AnswerLog::new(entries)?, lines, both_bad })
    }

    fn ambiguous(&self, said: &Said, by_id: Word) -> Error {
        let item = if by_id == Word::Outcome(Outcome::First) { said.items[0] } else { said.items[1] };
        let found = item.map_or("", |item| self.items.id(item));
        let column = self.layout.verdict.unwrap_or_default();
        self.error(said.line, column, found, "a verdict that is not both a word and the id of an item")
            .hint("rename the item, or use the columns first,second,outcome")
            .into()
    }
}

/// One entry, or two if both items were called bad.
fn make_entries(said: Said, word: Word) -> Result<Vec<Entry>> {
    let Said { items, others, judge, time, .. } = said;
    let entry = |answer: Answer| Entry::Answer(Answer { judge: judge.clone(), time: time.clone(), ..answer });
    let answer = |first: ItemId, second, outcome| Answer::new(first, second, outcome).map(entry);
    match (word, items) {
        (Word::Outcome(outcome), [Some(first), Some(second)]) if !others.is_empty() => {
            let shown: Vec<ItemId> = [first, second].into_iter().chain(others).collect();
            Ok(vec![entry(Answer::screen(&shown, outcome)?)])
        }
        (Word::Outcome(outcome), [Some(first), second]) => Ok(vec![answer(first, second, outcome)?]),
        (Word::BothBad, [Some(first), Some(second)]) => {
            Ok(vec![answer(first, None, Outcome::Bad)?, answer(second, None, Outcome::Bad)?])
        }
        _ => Ok(vec![Entry::Undo { judge, time }]),
    }
}

/// The ids in a table of answers, in order of first appearance.
///
/// # Errors
/// If the file cannot be read or is not a table of answers.
pub fn read_answer_ids(path: impl AsRef<Path>) -> Result<Vec<String>> {
    let mut seen = HashSet::new();
    let (_, named) = names(path.as_ref())?;
    Ok(named.into_iter().map(|(id, _)| id).filter(|id| seen.insert(id.clone())).collect())
}

/// The items of a table of answers, in order of first appearance. They have only ids, and groups if the table has a
/// column `group`.
///
/// # Errors
/// If the file cannot be read, is not a table of answers, or names no item.
pub fn read_answer_items(path: impl AsRef<Path>) -> Result<Items> {
    let path = path.as_ref();
    let items = items_named_in(path)?;
    if items.is_empty() {
        return Err(InputError::new(path, "at least one answer")
            .found("only a header")
            .hint("the items are those named in the answers: add a line for every answer")
            .into());
    }
    Ok(items)
}

/// As [`read_answer_items`], with no items where there are no answers.
pub(super) fn items_named_in(path: &Path) -> Result<Items> {
    let (grouped, named) = names(path)?;
    let groups = grouped.then(|| Groups::new(named.iter().map(|(_, group)| group.as_deref().unwrap_or_default())));
    let ids: Vec<String> = named.into_iter().map(|(id, _)| id).collect();
    let attributes = Attributes::none(ids.len());
    Items::new(ids, groups, attributes)
}

/// Items with their groups.
type Named = Vec<(String, Option<String>)>;

/// Whether answers name groups, and every item with its group, once, in order of first appearance.
fn names(path: &Path) -> Result<(bool, Named)> {
    settled(path, || names_now(path))
}

fn names_now(path: &Path) -> Result<(bool, Named)> {
    let mut rows = Rows::open(path, LastLine::Ended)?;
    let layout = Layout::of(&rows)?;
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        let group = layout.group.map(|at| row.get(at).to_owned());
        for id in named_in(&layout, &row) {
            let key = (id, group.clone());
            if !key.0.is_empty() && seen.insert(key.clone()) {
                out.push(key);
            }
        }
    }
    Ok((layout.group.is_some(), out))
}

/// The ids that a row names.
fn named_in(layout: &Layout, row: &Row<'_>) -> Vec<String> {
    let [first, second] = layout.items.map(|at| row.get(at));
    // What cannot be split is refused when the answers are read.
    let listed = |cell: &str| screens::split(cell).unwrap_or_default();
    if layout.kind == Kind::Chosen {
        return listed(first);
    }
    let others = layout.verdict.filter(|_| layout.kind == Kind::Log).and_then(|at| screens::said(row.get(at)));
    let pair = [first.to_owned(), second.to_owned()];
    pair.into_iter().chain(others.map_or_else(Vec::new, |(_, others)| listed(others))).collect()
}
