//! The front door of a folder: a [`Model`] whose answers live in the folder's log.
//!
//! This is the one place that knows the order "learn, put on the disk, acknowledge". An answer that [`Project::tell`] or
//! [`Recorder::record`] acknowledged survives a crash.

mod recorder;

use std::path::{Path, PathBuf};

pub use recorder::Recorder;
use recorder::{Log, tie_without_width};

use crate::active::{AskOptions, Asking, Facts, Ground, Question, Session, Strategy, Unfit};
use crate::data::{Answer, Ask, Entry, ItemId, Items, Newcomers, Outcome, check_pair};
use crate::error::{listed, token};
use crate::formats::{
    Draft, Known, NewLinks, ProjectData, ProjectFile, ProjectGrades, Sketch, Table, draft_project, pair_of_ids,
    read_project, rounded, write_ask, write_parameters, write_project,
};
use crate::gp::{AnswerModel, Comparison, ComparisonParams, Observation, Tuned, TuningParams};
use crate::kernel::{KernelSpec, Parameter};
use crate::{Error, Fitted, Inference, InputError, Model, Result, Watch};

/// A model that lives in a folder with an `ordain.toml`.
///
/// ```
/// use ordain::{Inference, Project, Watch};
/// use ordain::data::Outcome;
/// use ordain::formats::Sketch;
/// use ordain::gp::RankingParams;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path();
/// # std::fs::write(folder.join("lamps.csv"), "id,watts\nred,40\nblue,60\ngreen,25\n").unwrap();
/// Project::create(&Sketch { folder: folder.into(), file: folder.join("lamps.csv"), ..Sketch::default() })?;
///
/// let mut project = Project::open(folder)?;
/// while let Some(question) = project.ask()? {
///     project.tell(question.answer(Outcome::First)?.by("ann"))?;
/// }
/// project.undo(Some("ann"), None)?;
/// let ranking = project.fit(Inference::Ep, &Watch::NONE)?.rank(&RankingParams::default())?;
/// assert_eq!(ranking.items.len(), 3);
/// # Ok::<(), ordain::Error>(())
/// ```
pub struct Project {
    file: ProjectFile,
    model: Model,
    grades: ProjectGrades,
    log: Log,
    options: AskOptions,
    pool: Option<Vec<(ItemId, ItemId)>>,
    /// The judges whose answers are left out.
    without: Vec<String>,
    watch: Watch,
    /// The session that asks, once it was needed. It has learned exactly the model's answers.
    session: Option<Session>,
}

impl Project {
    /// Opens a project: a folder with an `ordain.toml`, or such a file.
    ///
    /// # Errors
    /// If a file cannot be read or does not say what it should; the error names the place.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let ProjectData { file, items, relations, kernels, answers, noise, tie_width, sides, gold, grades, ask } =
            read_project(path)?;
        let log = Log::new(file.path.clone(), file.answers.clone(), tie_width);
        let answer_model = match noise {
            Some(noise) => AnswerModel::new(noise, tie_width),
            None => AnswerModel::learning(tie_width),
        };
        let answer_model = answer_model.map_err(|error| file.place(error))?.with_sides(sides);
        let model = Model::new(items, kernels)?
            .with_relations(relations)
            .with_answer_model(answer_model)
            .with_answers(answers)?
            .with_gold(gold.0, gold.1)?
            .with_ask(ask);
        let model = with_grades(model, &grades)?;
        Ok(Self {
            file,
            model,
            grades,
            log,
            options: AskOptions::default(),
            pool: None,
            without: Vec::new(),
            watch: Watch::NONE,
            session: None,
        })
    }

    /// Writes a first project file for data at hand. The folder is made if there is none. Gives the file and what
    /// was understood of the data.
    ///
    /// # Errors
    /// If the data do not fit together, there is a project already, or it cannot be written.
    pub fn create(sketch: &Sketch) -> Result<(PathBuf, Draft)> {
        let draft = draft_project(sketch)?;
        // Only now that the data are known to fit.
        let file = write_project(&sketch.folder, &draft.text)?;
        Ok((file, draft))
    }

    /// The project file and the files that it names.
    pub fn file(&self) -> &ProjectFile {
        &self.file
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The items.
    pub fn items(&self) -> &Items {
        self.model.items()
    }

    /// Asks otherwise than the project file says from now on.
    ///
    /// # Errors
    /// As [`Project::asking`].
    pub fn set_options(&mut self, options: AskOptions) -> Result<()> {
        self.resolve(&options)?;
        self.options = options;
        self.session = None;
        Ok(())
    }

    /// How it asks otherwise than the project file says.
    pub fn options(&self) -> &AskOptions {
        &self.options
    }

    /// The settings of the session.
    ///
    /// # Errors
    /// If there is no such strategy, or it takes no focus and one is given.
    pub fn asking(&self) -> Result<Asking> {
        self.resolve(&self.options)
    }

    fn resolve(&self, options: &AskOptions) -> Result<Asking> {
        Asking::resolve(self.model.ask(), options, self.items()).map_err(|unfit| match unfit {
            Unfit::UnknownStrategy { name } => self.file.unknown_strategy(&name, Strategy::names()),
            Unfit::NoFocus { focus, strategy } => {
                let expected = format!("no focus: the strategy {strategy} has none");
                let error = InputError::new(&self.file.path, expected).column("focus").found(focus.to_string());
                error.hint("delete it under [ask], or set for example strategy = \"expected-loss\"").into()
            }
            Unfit::TooMany { k, expected } => {
                let error = InputError::new(&self.file.path, expected).column("k").found(k.to_string());
                error.hint("make it smaller under [ask], or set goal = \"whole-order\"").into()
            }
            Unfit::Options(error) => error,
        })
    }

    /// Asks only the pairs of a table from now on: columns `first` and `second`, and `group` where ids alone do not say.
    ///
    /// # Errors
    /// If the table cannot be read, or a row does not name two items of one group.
    pub fn set_pool(&mut self, path: impl AsRef<Path>) -> Result<()> {
        self.pool = Some(read_pool(path.as_ref(), self.items())?);
        self.session = None;
        Ok(())
    }

    /// Reads pairs of items from a table: columns `first` and `second`, and `group` where ids alone do not say.
    ///
    /// # Errors
    /// As [`Project::set_pool`].
    pub fn pairs(&self, path: impl AsRef<Path>) -> Result<Vec<(ItemId, ItemId)>> {
        read_pool(path.as_ref(), self.items())
    }

    /// The pairs to which questions are confined, if they are.
    pub fn pool(&self) -> Option<&[(ItemId, ItemId)]> {
        self.pool.as_deref()
    }

    /// Asks only these pairs from now on, or any pair if there are none.
    ///
    /// # Errors
    /// If a pair is not of two items of one group.
    pub fn set_pairs(&mut self, pairs: Option<Vec<(ItemId, ItemId)>>) -> Result<()> {
        let items = self.items();
        let check = |&(first, second): &(ItemId, ItemId)| check_pair(first, second, items.len(), items.groups());
        pairs.iter().flatten().try_for_each(check)?;
        self.pool = pairs;
        self.session = None;
        Ok(())
    }

    /// Leaves out the answers of these judges from now on, as if they had never answered. The log keeps them.
    ///
    /// # Errors
    /// If one of them is not in the log.
    pub fn leave_out(&mut self, judges: &[String]) -> Result<()> {
        self.model = self.without(judges)?;
        self.without.extend_from_slice(judges);
        self.session = None;
        Ok(())
    }

    /// The model as if these judges had never answered.
    ///
    /// # Errors
    /// If one of them is not in the log.
    pub fn without(&self, judges: &[String]) -> Result<Model> {
        let model = self.model.clone().without_judges(judges).map_err(|error| match error {
            Error::UnknownWord { found, hint, .. } => {
                let error =
                    InputError::new(&self.file.answers, "a judge who is in the answers").column("judge").found(found);
                error.hint(hint.unwrap_or_else(|| "\"ordain judges\" names all judges".to_owned())).into()
            }
            other => other,
        })?;
        with_grades(model, &self.grades)
    }

    /// Has a session that is made from now on followed by this watch.
    pub fn set_watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// The session that has learned all standing answers one by one.
    ///
    /// # Errors
    /// As [`Model::session`].
    pub fn session(&mut self) -> Result<&Session> {
        self.session_mut().map(|session| &*session)
    }

    fn session_mut(&mut self) -> Result<&mut Session> {
        let session = match self.session.take() {
            Some(session) => session,
            None => {
                self.resolve(&self.options)?;
                let session = self.learnable()?.session(&self.options, self.pool.as_deref(), &self.watch);
                session.map_err(|error| self.file.place(error))?
            }
        };
        Ok(self.session.insert(session))
    }

    /// The next question; none if no pair is left. Asking again without an answer gives the same pair.
    ///
    /// # Errors
    /// As [`Model::session`].
    pub fn ask(&mut self) -> Result<Option<Question>> {
        let asked = self.session()?.ask();
        asked.map_err(|error| self.file.place(error))
    }

    /// The gold pair to ask a judge in place of [`Project::ask`], left and right, if it is time for one. [`Project::tell`] records the
    /// answer, and learns nothing about items from it.
    ///
    /// # Errors
    /// As [`Project::asking`].
    pub fn gold_question(&self, judge: Option<&str>) -> Result<Option<[ItemId; 2]>> {
        let judge = judge.filter(|judge| !judge.is_empty());
        Ok(self.model.gold_question(&self.asking()?, judge, self.pool()))
    }

    /// Checks that answers, and grades and strengths if they are asked, can be recorded, so that nobody answers in vain.
    ///
    /// # Errors
    /// If the log cannot be appended to.
    pub fn check_log(&mut self) -> Result<()> {
        let (items, grades) = (self.model.items(), self.model.ask().grades);
        let pair = items.iter().next().zip(items.iter().nth(1)).filter(|_| self.model.ask().strengths);
        let writer = self.log.writer(items)?;
        if let Some((first, second)) = pair {
            writer.check(&Entry::Answer(Answer::new(first, Some(second), Outcome::FirstStrongly)?), items)?;
        }
        match items.iter().next().filter(|_| grades) {
            Some(item) => writer.check(&Entry::Answer(Answer::new(item, None, Outcome::Grade(0))?), items),
            None => Ok(()),
        }
    }

    /// Checks that choices among several items can be recorded, so that nobody chooses in vain.
    ///
    /// # Errors
    /// If the log cannot be appended to, or its columns hold no such answer.
    pub fn check_log_for_screens(&mut self) -> Result<()> {
        let items = self.model.items();
        let members = |group: usize| items.groups().map_or(Vec::new(), |groups| groups.members(group).to_vec());
        let all = || items.iter().take(3).collect::<Vec<_>>();
        let some = match items.groups() {
            Some(groups) => (0..groups.len()).map(members).find(|members| members.len() > 2).unwrap_or_default(),
            None => all(),
        };
        match some.get(..3) {
            Some(three) => self.log.writer(items)?.check(&Entry::Answer(Answer::best(three, three[0])?), items),
            None => Ok(()),
        }
    }

    /// Learns an answer, puts it on the disk, and returns: then it is acknowledged. A skip is an answer too.
    ///
    /// # Errors
    /// If the answer cannot be learned, or cannot be written. Neither the log nor what is believed changes then.
    pub fn tell(&mut self, answer: Answer) -> Result<()> {
        let answer = answer.tidy();
        if let Some(judge) = answer.judge.as_ref().filter(|judge| self.without.contains(judge)) {
            let expected = "a judge whose answers are not left out".to_owned();
            return Err(Error::Data { what: "the judge of an answer", found: judge.clone(), expected });
        }
        if self.model.gold().is_about(&answer) {
            answer.check(self.model.items().len(), self.model.items().groups())?;
            let entry = Entry::Answer(answer);
            self.log.append(&entry, self.model.items())?;
            return self.model.add(entry);
        }
        if answer.outcome.grade().is_none() || self.model.answer_model().grading().is_some() {
            return self.learn_and_append(answer);
        }
        // The first grade of a project whose file does not speak of grades.
        let before = self.model.clone();
        self.model = before.clone().with_grades(self.grades.scale, self.grades.given.clone())?;
        self.session = None;
        let told = self.learn_and_append(answer);
        if told.is_err() {
            self.model = before;
            self.session = None;
        }
        told
    }

    fn learn_and_append(&mut self, answer: Answer) -> Result<()> {
        let told = self.session_mut()?.tell(answer.clone());
        told.map_err(|error| self.file.place(error))?;
        let entry = Entry::Answer(answer);
        if let Err(error) = self.log.append(&entry, self.model.items()) {
            // It was learned but is not on the disk: what is believed starts again from the log.
            self.session = None;
            return Err(error);
        }
        self.model.add(entry)
    }

    /// Takes back the latest standing answer of a judge, in the log first, and returns it; none if there is none. `time` is written
    /// beside it.
    ///
    /// # Errors
    /// If the log cannot be written, or says that the judge's latest answer is another one than is known here, as when
    /// another process answered under the same name. Nothing changes then.
    pub fn undo(&mut self, judge: Option<&str>, time: Option<String>) -> Result<Option<Answer>> {
        let judge = judge.filter(|judge| !judge.is_empty());
        let Some(taken) = self.model.answers().latest(judge).cloned() else { return Ok(None) };
        self.log.writer(self.model.items())?.undo(&taken, time.clone(), self.model.items())?;
        self.model.add(Entry::Undo { judge: judge.map(str::to_owned), time })?;
        let model = with_grades(self.model.clone(), &self.grades)?;
        if model.answer_model() != self.model.answer_model() {
            // It was the last grade of a project whose file does not speak of grades.
            self.model = model;
            self.session = None;
        }
        if let Some(session) = &mut self.session
            && !self.model.gold().is_about(&taken)
            && session.undo(judge).is_err()
        {
            // The answer is taken back all the same: the session is made anew when it is next needed.
            self.session = None;
        }
        Ok(Some(taken))
    }

    /// Learns from all standing answers.
    ///
    /// # Errors
    /// As [`Model::fit`].
    pub fn fit(&self, inference: Inference, watch: &Watch) -> Result<Fitted> {
        self.learnable()?.fit(inference, watch).map_err(|error| self.file.place(error))
    }

    /// Learns from all standing answers, and believes accordingly of newcomers.
    ///
    /// # Errors
    /// As [`Model::fit_with`].
    pub fn fit_with(&self, newcomers: Newcomers<'_>, inference: Inference, watch: &Watch) -> Result<Fitted> {
        self.learnable()?.fit_with(newcomers, inference, watch).map_err(|error| self.file.place(error))
    }

    /// Reads newcomers from a table with the columns of the project's items, and their links.
    ///
    /// # Errors
    /// As [`ProjectFile::newcomers`].
    pub fn newcomers(&self, file: impl AsRef<Path>, links: &[NewLinks]) -> Result<Newcomers<'_>> {
        let (items, relations, kernels) = (self.model.items(), self.model.relations(), self.model.kernels());
        self.file.newcomers(Known { items, relations, kernels }, file, links)
    }

    /// What the standing answers say.
    ///
    /// # Errors
    /// If an answer is a tie and ties have no width.
    pub fn observations(&self) -> Result<Vec<Observation>> {
        self.learnable()?.observations()
    }

    /// Learns the kernels' parameters and the weights of the prior from the answers; [`Project::save`] writes them.
    ///
    /// # Errors
    /// As [`Model::tune`], or if every group is to be tuned by itself and there are no groups.
    pub fn tune(&self, params: &TuningParams) -> Result<Tuned> {
        let hint = "record some first: ordain answer FIRST SECOND";
        if self.observations()?.is_empty() {
            return Err(InputError::new(&self.file.answers, "answers to learn from").found("none").hint(hint).into());
        }
        if params.by_group && self.items().groups().is_none() {
            let error = InputError::new(&self.file.path, "a key group under [items]: the column of the groups");
            return Err(error.column("group").hint("without groups, leave out --groups").into());
        }
        self.model.tune(params).map_err(|error| self.file.place(error))
    }

    /// Compares the model with those that lack one of its kernels.
    ///
    /// # Errors
    /// As [`Model::compare`].
    pub fn compare(&self, params: &ComparisonParams) -> Result<Comparison> {
        self.learnable()?.compare(params).map_err(|error| self.file.place(error))
    }

    /// Writes tuned parameters into the project file, rounded as they are written, and goes on with them. Everything else in the file
    /// stays.
    ///
    /// # Errors
    /// If the file has changed since it was read, or cannot be written. It is then as it was.
    pub fn save(&mut self, parameters: &[Parameter]) -> Result<()> {
        let written = |one: &Parameter| Parameter { name: one.name.clone(), value: rounded(one.value) };
        let parameters: Vec<Parameter> = parameters.iter().map(written).collect();
        let model = self.model.clone().with_parameters(&parameters)?;
        write_parameters(&mut self.file, &parameters)?;
        self.model = model;
        self.session = None;
        Ok(())
    }

    /// Writes `[ask]` into the project file and goes on with it. Everything else in the file stays.
    ///
    /// # Errors
    /// As [`Project::asking`] and [`Project::save`].
    pub fn save_ask(&mut self, ask: Ask) -> Result<()> {
        Asking::resolve(&ask, &AskOptions::default(), self.items())?;
        write_ask(&mut self.file, &ask)?;
        self.model = with_grades(self.model.clone().with_ask(ask), &self.grades)?;
        self.session = None;
        Ok(())
    }

    /// What simulated sessions are played on.
    ///
    /// # Errors
    /// As [`Model::ground`].
    pub fn ground(&self, facts: Facts) -> Result<Ground> {
        self.model.ground(facts).map_err(|error| self.file.place(error))
    }

    /// Refuses work that needs more than this many bytes of memory from now on.
    pub fn set_memory(&mut self, bytes: Option<u64>) {
        self.model = self.model.clone().with_memory(bytes);
    }

    /// What the kernels are called: by their kind and relation, and by their number too where that is not enough.
    pub fn kernel_names(&self) -> Vec<String> {
        let name = |spec: &KernelSpec| {
            let file = spec.shape.relation().and_then(|relation| self.file.relations[relation].file_name());
            let over = file.map(|file| format!(" over {}", file.to_string_lossy())).unwrap_or_default();
            format!("{}{over}", spec.shape.kind())
        };
        let names: Vec<String> = self.model.kernels().iter().map(name).collect();
        let several = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
        let numbered = names.iter().enumerate().map(|(number, name)| match several(name) {
            true => format!("{name} (kernel[{number}])"),
            false => name.clone(),
        });
        numbered.collect()
    }

    /// The true utilities or grades in a column of the items' table, to simulate against. Whole numbers from 0 to 4 are grades.
    ///
    /// # Errors
    /// If there is no such column, it is one of the attributes or of the prior, or a cell is not a number.
    pub fn facts(&self, column: &str) -> Result<Facts> {
        let file = self.file.items.as_deref().unwrap_or(&self.file.answers);
        let Some(cells) = self.file.other.get(column) else {
            if self.items().attributes().names().iter().any(|name| name == column) {
                let error = InputError::new(file, "a column that is not an attribute: the model would see the truth");
                let hint = format!("list the attributes without it in {}", self.file.path.display());
                return Err(error.column(column).hint(hint).into());
            }
            if self.items().prior().is_some_and(|prior| prior.columns().names().iter().any(|name| name == column)) {
                let error =
                    InputError::new(file, "a column that is not one of the prior: the model would see the truth");
                let hint = format!("delete it from prior in {}", self.file.path.display());
                return Err(error.column(column).hint(hint).into());
            }
            let names = self.file.other.names();
            let hint = match names.is_empty() {
                true => "every column is an id, a group, an attribute or one of the prior".to_owned(),
                false => format!("beside ids, groups, attributes and the prior there are: {}", listed(names)),
            };
            return Err(InputError::new(file, "a column of this name").column(column).hint(hint).into());
        };
        let number = |(row, cell): (usize, &String)| {
            cell.trim().parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
                let id = &self.items().ids()[row];
                Error::from(
                    InputError::new(file, format!("a number for {}", token(id))).column(column).found(cell.as_str()),
                )
            })
        };
        let values: Vec<f64> = cells.iter().enumerate().map(number).collect::<Result<_>>()?;
        let grades = values.iter().all(|value| value.fract() == 0.0 && (0.0..=4.0).contains(value));
        Ok(match grades {
            true => Facts::Grades(values.iter().map(|&value| value as i32).collect()),
            false => Facts::Utilities(values),
        })
    }

    /// The model, if its answers can be learned.
    fn learnable(&self) -> Result<&Model> {
        if self.model.ties_need_width() {
            return Err(tie_without_width(&self.file.path));
        }
        Ok(&self.model)
    }
}

/// The model with grades, if the project file speaks of them, they are asked, or a standing answer is one; else without.
fn with_grades(model: Model, grades: &ProjectGrades) -> Result<Model> {
    let answered = || model.answers().standing().iter().any(|answer| answer.outcome.grade().is_some());
    let wanted = grades.declared || model.ask().grades || answered();
    match (wanted, model.answer_model().grading().is_some()) {
        (true, false) => model.with_grades(grades.scale, grades.given.clone()),
        (false, true) => Ok(model.without_grades()),
        _ => Ok(model),
    }
}

/// Pairs from a table with the columns `first` and `second`, and `group` where ids alone do not say.
fn read_pool(path: &Path, items: &Items) -> Result<Vec<(ItemId, ItemId)>> {
    let table = Table::read(path)?;
    let (first, second) = (table.column("first")?, table.column("second")?);
    let group = table.columns().iter().position(|column| column == "group");
    let pair = |row: usize| {
        let cell = |column: usize| table.cell(row, column).trim();
        let group = group.map(cell).filter(|group| !group.is_empty());
        let found = pair_of_ids(items, path, [cell(first), cell(second)], group);
        found.map_err(|error| match error {
            Error::Input(error) => InputError { column: None, ..*error }.line(table.line(row)).into(),
            other => other,
        })
    };
    (0..table.len()).map(pair).collect()
}
