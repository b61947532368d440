//! A model that learns: in memory, or in a folder.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use ordain::active::ScreenQuestion;
use ordain::data::{AnswerLog, Entry, ItemId};
use ordain::formats::{NewLinks, Sketch, rounded};
use ordain::gp::{Comparison, ComparisonParams, TuningMethod, TuningParams};
use ordain::kernel::{Kernel, KernelSpec, Parameter};
use ordain::numeric::Seed;
use ordain::{Inference, Model, Project, Watch};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answers::{self, Said, Tuple};
use crate::asking::{Asking, options};
use crate::door::{Door, Engine, Inner, Known};
use crate::failure::{Outcome, unfit};
use crate::fitted::Fitted;
use crate::kernels;
use crate::links::{self, LinkColumns};
use crate::long::{long, quick};
use crate::memory::{Newcoming, Parts, Scales, array};

/// The columns of a prior, their names and their weights.
type PriorColumns<'py> = (Bound<'py, PyArray2<f64>>, Vec<String>, Vec<f64>);

/// Items, relations, kernels and how judges answer, as Python hands them in.
#[pymethods]
impl Engine {
    /// A model in memory, of a table with everything that [`Parts`] has.
    #[staticmethod]
    fn memory(py: Python<'_>, parts: Parts<'_>) -> Outcome<Self> {
        Ok(Self::new(Door::Memory(Box::new(parts.memory(py)?))))
    }

    /// Opens a project: a folder with an `ordain.toml`, or such a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> Outcome<Self> {
        let project = quick(py, || Ok(Project::open(path)?))?;
        Ok(Self::new(Door::Folder(Box::new(project))))
    }

    /// The ids of the items, as the model keeps them.
    fn ids(&self, py: Python<'_>) -> Outcome<Vec<String>> {
        self.with(py, |inner| Ok(inner.door.model().items().ids().to_vec()))
    }

    /// The group of every item, if there are groups.
    fn groups(&self, py: Python<'_>) -> Outcome<Option<Vec<String>>> {
        self.with(py, |inner| {
            let items = inner.door.model().items();
            Ok(items.groups().map(|groups| items.iter().map(|item| groups.names()[groups.of(item)].clone()).collect()))
        })
    }

    /// The names of the attributes.
    fn attributes(&self, py: Python<'_>) -> Outcome<Vec<String>> {
        self.with(py, |inner| Ok(inner.door.model().items().attributes().names().to_vec()))
    }

    /// The attributes of the items, as the model has them; `None` if there are none.
    fn values<'py>(&self, py: Python<'py>) -> Outcome<Option<Bound<'py, PyArray2<f64>>>> {
        array(py, self.lock(py)?.door.model().items().attributes())
    }

    /// The columns whose weighted sum is the mean before any answer, as the model has them, with their names and weights.
    fn prior<'py>(&self, py: Python<'py>) -> Outcome<Option<PriorColumns<'py>>> {
        let inner = self.lock(py)?;
        let Some(prior) = inner.door.model().items().prior() else { return Ok(None) };
        let columns = array(py, prior.columns())?;
        Ok(columns.map(|columns| (columns, prior.columns().names().to_vec(), prior.weights().to_vec())))
    }

    /// The scales by which attributes and the prior were standardized.
    fn scales(&self, py: Python<'_>) -> Outcome<Scales> {
        self.with(py, |inner| match &inner.door {
            Door::Memory(memory) => Ok(memory.scales.clone()),
            Door::Folder(_) => Ok((None, None)),
        })
    }

    /// The relations: the number of targets or `None` for items, sources, targets, weights.
    fn relations<'py>(&self, py: Python<'py>) -> Outcome<Vec<LinkColumns<'py>>> {
        let inner = self.lock(py)?;
        let model = inner.door.model();
        let items = model.items().len();
        Ok(model.relations().iter().map(|relation| links::columns(py, relation, items)).collect())
    }

    /// The kernels as tables.
    fn kernels<'py>(&self, py: Python<'py>) -> Outcome<Vec<Bound<'py, PyDict>>> {
        let inner = self.lock(py)?;
        let tables = inner.door.model().kernels().iter().map(|spec| kernels::table(py, spec));
        Ok(tables.collect::<PyResult<_>>()?)
    }

    /// The covariances of some items before any answer.
    fn covariance<'py>(&self, py: Python<'py>, items: PyReadonlyArray1<'_, i64>) -> Outcome<Bound<'py, PyArray2<f64>>> {
        let items = items.as_array().to_vec();
        let (count, values) = self.with(py, |inner| {
            let model = inner.door.model();
            let all = model.items().len();
            let items = items.iter().map(|&at| answers::item(at, all)).collect::<Outcome<Vec<ItemId>>>()?;
            let kernel = model.kernel()?;
            let mut column = vec![0.0; all];
            let mut values = Vec::with_capacity(items.len() * items.len());
            for item in &items {
                kernel.column(item.index(), &mut column)?;
                values.extend(items.iter().map(|other| column[other.index()]));
            }
            Ok((items.len(), values))
        })?;
        let array = Array2::from_shape_vec((count, count), values);
        Ok(array.map_err(|error| unfit("covariances", error.to_string(), "a square"))?.into_pyarray(py))
    }

    /// The files of a project: the project file, the answer log, and the relations in their order. None in memory.
    fn files(&self, py: Python<'_>) -> Outcome<Option<(PathBuf, PathBuf, Vec<PathBuf>)>> {
        self.with(py, |inner| {
            let Door::Folder(project) = &inner.door else { return Ok(None) };
            let file = project.file();
            Ok(Some((file.path.clone(), file.answers.clone(), file.relations.clone())))
        })
    }

    /// How answers are given: noise and width of ties before any answer, whether the noise is learned, whether sides are.
    fn answer_model(&self, py: Python<'_>) -> Outcome<(f64, f64, bool, bool)> {
        self.with(py, |inner| {
            let model = inner.door.model().answer_model();
            Ok((model.noise(), model.tie_width(), model.learns(), model.sides()))
        })
    }

    /// The pairs whose answer is known, as first, second and outcome, and the share of questions that are about them.
    fn gold(&self, py: Python<'_>) -> Outcome<(Vec<answers::Known>, f64)> {
        self.with(py, |inner| {
            let model = inner.door.model();
            Ok((answers::gold_tuples(model.gold()), model.gold_rate()))
        })
    }

    /// The gold pair to show a judge in place of the next question, left and right, if it is time for one.
    #[pyo3(signature = (judge=None))]
    fn gold_question(&self, py: Python<'_>, judge: Option<String>) -> Outcome<Option<(usize, usize)>> {
        self.with(py, |inner| {
            let judge = judge.as_deref().filter(|judge| !judge.is_empty());
            let asking = inner.door.asking(inner.door.options())?;
            let found = inner.door.model().gold_question(&asking, judge, inner.door.pool());
            Ok(found.map(|[left, right]| (left.index(), right.index())))
        })
    }

    /// All entries of the log, undos included.
    fn entries(&self, py: Python<'_>) -> Outcome<Vec<Tuple>> {
        self.with(py, |inner| Ok(inner.door.model().answers().entries().iter().map(answers::tuple).collect()))
    }

    /// The answers that stand.
    fn standing(&self, py: Python<'_>) -> Outcome<Vec<Tuple>> {
        let tuples = |model: &Model| model.answers().standing().into_iter().map(answers::answer_tuple).collect();
        self.with(py, move |inner| Ok(tuples(inner.door.model())))
    }

    /// Adds many answers to a model in memory at once. A second item below 0 is none; without outcomes the first is preferred. `others`
    /// are the items of screens after the first two.
    #[pyo3(signature = (first, second, outcomes=None, judges=None, times=None, others=None))]
    #[expect(clippy::too_many_arguments, reason = "one call from one place, with names")]
    fn add(
        &self,
        py: Python<'_>,
        first: PyReadonlyArray1<'_, i64>,
        second: PyReadonlyArray1<'_, i64>,
        outcomes: Option<Vec<String>>,
        judges: Option<Bound<'_, PyAny>>,
        times: Option<Bound<'_, PyAny>>,
        others: Option<Vec<Vec<i64>>>,
    ) -> Outcome<()> {
        let (first, second) = (first.as_array(), second.as_array());
        let count = first.len();
        let others_count = others.as_ref().map_or(count, Vec::len);
        if [second.len(), outcomes.as_ref().map_or(count, Vec::len), others_count].iter().any(|&rows| rows != count) {
            return Err(unfit("answers", "columns of different lengths", "one row per answer"));
        }
        let mut judges = answers::texts(judges, count, "judges of answers")?;
        let mut times = answers::texts(times, count, "times of answers")?;
        self.with(py, |inner| {
            let Door::Memory(memory) = &mut inner.door else {
                return Err(unfit(
                    "a model",
                    "a project",
                    "a model in memory: a project's answers are told one by one",
                ));
            };
            let items = memory.model.items().len();
            let mut entries = memory.model.answers().entries().to_vec();
            for at in 0..count {
                let outcome = outcomes.as_ref().map_or("first", |outcomes| &outcomes[at]);
                let judge = judges.as_mut().and_then(|judges| judges[at].take());
                let time = times.as_mut().and_then(|times| times[at].take());
                let others = others.as_ref().map_or(&[][..], |others| &others[at]);
                let entry = Said(first[at], second[at], others, outcome).entry(judge, time, items);
                entries.push(entry.map_err(|failure| failure.about(|| format!("answer {at}")))?);
            }
            memory.set_answers(AnswerLog::new(entries)?)?;
            inner.changed();
            Ok(())
        })
    }

    /// Adds entries as `entries` gives them, undos included, to a model in memory.
    fn add_entries(&self, py: Python<'_>, entries: Vec<Tuple>) -> Outcome<()> {
        self.with(py, |inner| {
            let Door::Memory(memory) = &mut inner.door else {
                return Err(unfit("a model", "a project", "one in memory"));
            };
            let items = memory.model.items().len();
            let entries =
                entries.into_iter().map(|entry| answers::of_tuple(entry, items)).collect::<Outcome<Vec<_>>>()?;
            memory.set_answers(AnswerLog::new(entries)?)?;
            inner.changed();
            Ok(())
        })
    }

    /// Learns one answer; a project also puts it on the disk. `others` are the items of a screen after the first two.
    #[pyo3(signature = (first, second, outcome, judge=None, time=None, others=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "one call from one place, with names")]
    fn tell(
        &self,
        py: Python<'_>,
        first: i64,
        second: i64,
        outcome: &str,
        judge: Option<String>,
        time: Option<String>,
        others: Vec<i64>,
    ) -> Outcome<()> {
        self.resume(py)?;
        self.with(py, |inner| {
            let items = inner.door.model().items().len();
            let entry = Said(first, second, &others, outcome).entry(judge, time, items)?;
            // What was fitted holds a copy of the model: without it, the answers need not be copied.
            inner.fitted.clear();
            match (&mut inner.door, entry) {
                (Door::Memory(memory), entry) => memory.tell(entry)?,
                (Door::Folder(project), Entry::Answer(answer)) => project.tell(answer)?,
                (Door::Folder(_), Entry::Undo { .. }) => return Err(unfit("an answer", "undo", "an outcome")),
            }
            inner.changed();
            Ok(())
        })
    }

    /// Takes back the latest standing answer of a judge, and returns it.
    #[pyo3(signature = (judge=None, time=None))]
    fn undo(&self, py: Python<'_>, judge: Option<String>, time: Option<String>) -> Outcome<Option<Tuple>> {
        self.with(py, |inner| {
            let judge = judge.as_deref().filter(|judge| !judge.is_empty());
            inner.fitted.clear();
            let taken = match &mut inner.door {
                Door::Memory(memory) => memory.undo(judge)?,
                Door::Folder(project) => project.undo(judge, time)?,
            };
            inner.changed();
            Ok(taken.as_ref().map(answers::answer_tuple))
        })
    }

    /// What the model itself says about asking, as `memory` takes it. What it leaves to the goal is absent.
    fn settings<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let inner = self.lock(py)?;
        let ask = inner.door.model().ask();
        let out = PyDict::new(py);
        out.set_item("goal", ask.goal.name())?;
        if let Some(k) = ask.goal.places() {
            out.set_item("k", k)?;
        }
        if let Some(strategy) = &ask.strategy {
            out.set_item("strategy", strategy)?;
        }
        if let Some(focus) = ask.focus {
            out.set_item("focus", focus)?;
        }
        out.set_item("repeat", ask.repeat)?;
        out.set_item("seed", ask.seed)?;
        Ok(out)
    }

    /// The settings of questions, with these options in place of the model's own.
    fn asking(&self, py: Python<'_>, ask: &Bound<'_, PyDict>) -> Outcome<Asking> {
        let options = options(ask)?;
        self.with(py, |inner| Ok(Asking { asking: inner.door.asking(&options)? }))
    }

    /// Asks by these options from now on.
    fn set_options(&self, py: Python<'_>, ask: &Bound<'_, PyDict>) -> Outcome<()> {
        let options = options(ask)?;
        self.with(py, |inner| {
            match &mut inner.door {
                Door::Folder(project) => {
                    project.set_options(options)?;
                    inner.resumed = false;
                }
                Door::Memory(memory) => {
                    memory.model.asking(&options)?;
                    memory.options = options;
                    memory.session = None;
                }
            }
            inner.asks_otherwise();
            Ok(())
        })
    }

    /// Asks only these pairs from now on, or any pair.
    #[pyo3(signature = (pairs))]
    fn set_pairs(&self, py: Python<'_>, pairs: Option<PyReadonlyArray2<'_, i64>>) -> Outcome<()> {
        let mut guard = self.lock(py)?;
        let inner = &mut *guard;
        let items = inner.door.model().items().len();
        let pairs = pairs.map(|pairs| answers::pairs(&pairs, items)).transpose()?;
        match &mut inner.door {
            Door::Folder(project) => {
                project.set_pairs(pairs)?;
                inner.resumed = false;
            }
            Door::Memory(memory) => {
                // A session says what is wrong with a pair.
                memory.model.session(&memory.options, pairs.as_deref(), &Watch::NONE)?;
                memory.pool = pairs;
                memory.session = None;
            }
        }
        inner.asks_otherwise();
        Ok(())
    }

    /// Up to `count` questions, the best first, beside pairs that are being asked elsewhere. They are those of a session, which has not
    /// heard some judges if there are any `without`.
    #[pyo3(signature = (count, pending=None, without=Vec::new()))]
    fn ask(
        &self,
        py: Python<'_>,
        count: usize,
        pending: Option<PyReadonlyArray2<'_, i64>>,
        without: Vec<String>,
    ) -> Outcome<Vec<(usize, usize, f64)>> {
        let pending = pending.as_ref().map(|pending| pending.as_array().into_owned());
        self.in_session(py, without, move |session, items| {
            let mut beside = Vec::new();
            for row in pending.iter().flat_map(|pending| pending.rows()) {
                beside.push((answers::item(row[0], items)?, answers::item(row[1], items)?));
            }
            let asked = match (count, beside.is_empty()) {
                (1, true) => session.ask()?.into_iter().collect(),
                _ => session.ask_beside(&beside, count)?,
            };
            Ok(asked.iter().map(answers::question).collect())
        })
    }

    /// Up to `count` screens of so many items, the best first: the items, and the score.
    #[pyo3(signature = (shown, count, without=Vec::new()))]
    fn ask_screens(
        &self,
        py: Python<'_>,
        shown: usize,
        count: usize,
        without: Vec<String>,
    ) -> Outcome<Vec<(Vec<usize>, f64)>> {
        self.in_session(py, without, move |session, _| {
            let screens = session.ask_screens(shown, count)?;
            let positions = |screen: &ScreenQuestion| screen.items.iter().map(|item| item.index()).collect();
            Ok(screens.iter().map(|screen| (positions(screen), screen.score)).collect())
        })
    }

    /// Whether the goal is reached; false if there are too many items to count at once.
    fn is_done(&self, py: Python<'_>) -> Outcome<bool> {
        self.resume(py)?;
        self.with(py, |inner| Ok(inner.door.session()?.is_done()?))
    }

    /// The items of a question in the order in which a judge should see them: left, right.
    fn sides(&self, py: Python<'_>, first: i64, second: i64) -> Outcome<(usize, usize)> {
        self.with(py, |inner| {
            let items = inner.door.model().items().len();
            let question = ordain::active::Question {
                first: answers::item(first, items)?,
                second: answers::item(second, items)?,
                score: 0.0,
            };
            let [left, right] = inner.door.session()?.sides(&question);
            Ok((left.index(), right.index()))
        })
    }

    /// The items of a screen in the order in which a judge should see them.
    fn arranged(&self, py: Python<'_>, shown: Vec<i64>) -> Outcome<Vec<usize>> {
        self.with(py, |inner| {
            let count = inner.door.model().items().len();
            let items = shown.iter().map(|&at| answers::item(at, count)).collect::<Outcome<Vec<ItemId>>>()?;
            let screen = ScreenQuestion { items, score: 0.0 };
            Ok(inner.door.session()?.arranged(&screen).into_iter().map(ItemId::index).collect())
        })
    }

    /// What is believed after the answers, or after those of all but some judges. It is kept until the next answer.
    #[pyo3(signature = (inference, without=Vec::new(), progress=None))]
    fn fit(
        &self,
        py: Python<'_>,
        inference: &str,
        without: Vec<String>,
        progress: Option<Py<PyAny>>,
    ) -> Outcome<Fitted> {
        let inference: Inference = inference.parse()?;
        let known = |inner: &Inner| {
            let known = inner.fitted.iter().find(|known| known.inference == inference && known.without == without);
            known.map(|known| Fitted { fitted: known.fitted.clone() })
        };
        let version = {
            let inner = self.lock(py)?;
            if let Some(fitted) = known(&inner) {
                return Ok(fitted);
            }
            inner.version
        };
        let fitted = if without.is_empty() {
            self.with_long(
                py,
                progress.as_ref(),
                move |model, watch| model.fit(inference, watch),
                move |project, watch| project.fit(inference, watch),
            )?
        } else {
            let model = self.with(py, |inner| Ok(inner.door.without(&without)?))?;
            long(py, progress.as_ref(), move |watch| model.fit(inference, watch))?
        };
        let fitted = Arc::new(fitted);
        let mut inner = self.lock(py)?;
        if inner.version == version && known(&inner).is_none() {
            // One belief that leaves judges out is enough to keep.
            inner.fitted.retain(|known| known.without.is_empty());
            inner.fitted.push(Known { inference, without, fitted: fitted.clone() });
        }
        Ok(Fitted { fitted })
    }

    /// What is believed after the answers, also of newcomers to a model in memory.
    #[pyo3(signature = (newcomers, inference, progress=None))]
    fn fit_with(
        &self,
        py: Python<'_>,
        newcomers: Newcoming<'_>,
        inference: &str,
        progress: Option<Py<PyAny>>,
    ) -> Outcome<Fitted> {
        let inference: Inference = inference.parse()?;
        let (model, scales) = match &self.lock(py)?.door {
            Door::Memory(memory) => (memory.model.clone(), memory.scales.clone()),
            Door::Folder(_) => return Err(unfit("a model", "a project", "one in memory")),
        };
        let read = newcomers.read(model.items().len())?;
        let fitted = long(py, progress.as_ref(), move |watch| read.fit(&model, &scales, inference, watch))?;
        Ok(Fitted { fitted: Arc::new(fitted) })
    }

    /// What is believed after the answers, also of newcomers to a project: a table of items, and tables of links with the names of their
    /// relations.
    #[pyo3(signature = (file, links, inference, progress=None))]
    fn fit_with_file(
        &self,
        py: Python<'_>,
        file: PathBuf,
        links: Vec<(Option<String>, PathBuf)>,
        inference: &str,
        progress: Option<Py<PyAny>>,
    ) -> Outcome<Fitted> {
        let inference: Inference = inference.parse()?;
        let links: Vec<NewLinks> = links.into_iter().map(|(relation, file)| NewLinks { relation, file }).collect();
        let fitted = self.with_long(
            py,
            progress.as_ref(),
            |_, _| {
                let expected = "a project: newcomers to a model in memory are no file".into();
                Err(ordain::Error::Data { what: "a model", found: "one in memory".into(), expected })
            },
            move |project, watch| project.fit_with(project.newcomers(file, &links)?, inference, watch),
        )?;
        Ok(Fitted { fitted: Arc::new(fitted) })
    }

    /// Tunes the kernels' parameters, the weights of the prior and the width of ties. Values are rounded as project files have them.
    #[pyo3(signature = (method, restarts, seed, by_group, progress=None))]
    fn tune<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        restarts: usize,
        seed: Option<u64>,
        by_group: bool,
        progress: Option<Py<PyAny>>,
    ) -> Outcome<Bound<'py, PyDict>> {
        let method: TuningMethod = method.parse()?;
        let params = move |model: &Model, watch: &Watch| {
            TuningParams::default()
                .with_method(method)
                .with_restarts(restarts)
                .with_by_group(by_group)
                .with_seed(Seed(seed.unwrap_or(model.ask().seed)))
                .with_watch(watch.clone())
        };
        let (tuned, answers) = self.with_long(
            py,
            progress.as_ref(),
            move |model, watch| Ok((model.tune(&params(model, watch))?, model.observations()?.len())),
            move |project, watch| Ok((project.tune(&params(project.model(), watch))?, project.observations()?.len())),
        )?;
        let out = PyDict::new(py);
        let parameters: Vec<(String, f64, f64)> =
            tuned.parameters.into_iter().map(|one| (one.name, one.before, rounded(one.value))).collect();
        out.set_item("parameters", parameters)?;
        out.set_item("log_evidence_before", tuned.log_evidence_before)?;
        out.set_item("log_evidence", tuned.log_evidence)?;
        out.set_item("log_posterior_before", tuned.log_posterior_before)?;
        out.set_item("log_posterior", tuned.log_posterior)?;
        out.set_item("answers", answers)?;
        out.set_item("evaluations", tuned.evaluations)?;
        out.set_item("converged", tuned.converged)?;
        Ok(out)
    }

    /// Goes on with these values of parameters; a project writes them into its file.
    fn set_parameters(&self, py: Python<'_>, parameters: Vec<(String, f64)>) -> Outcome<()> {
        let parameters: Vec<Parameter> =
            parameters.into_iter().map(|(name, value)| Parameter { name, value: rounded(value) }).collect();
        self.with(py, |inner| {
            match &mut inner.door {
                Door::Folder(project) => {
                    project.save(&parameters)?;
                    inner.resumed = false;
                }
                Door::Memory(memory) => {
                    memory.model = memory.model.clone().with_parameters(&parameters)?;
                    memory.session = None;
                }
            }
            inner.changed();
            Ok(())
        })
    }

    /// Compares the model with those that lack one of its kernels.
    #[pyo3(signature = (folds, repeats, seed, tuned, progress=None))]
    fn compare<'py>(
        &self,
        py: Python<'py>,
        folds: usize,
        repeats: usize,
        seed: Option<u64>,
        tuned: bool,
        progress: Option<Py<PyAny>>,
    ) -> Outcome<Bound<'py, PyDict>> {
        let params = move |model: &Model, watch: &Watch| {
            let seed = Seed(seed.unwrap_or(model.ask().seed));
            ComparisonParams::default()
                .with_folds(folds)
                .with_repeats(repeats)
                .with_seed(seed)
                .with_tuning(tuned.then(|| TuningParams::default().with_seed(seed)))
                .with_watch(watch.clone())
        };
        let (comparison, names) = self.with_long(
            py,
            progress.as_ref(),
            move |model, watch| {
                let kind = |spec: &KernelSpec| spec.shape.kind().name().to_owned();
                Ok((model.compare(&params(model, watch))?, model.kernels().iter().map(kind).collect()))
            },
            move |project, watch| Ok((project.compare(&params(project.model(), watch))?, project.kernel_names())),
        )?;
        Ok(compared(py, &comparison, names)?)
    }
}

fn compared<'py>(py: Python<'py>, comparison: &Comparison, names: Vec<String>) -> PyResult<Bound<'py, PyDict>> {
    let score = |score: &ordain::gp::Score| -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for (name, loss) in [("log_loss", score.log_loss), ("error", score.error)] {
            out.set_item(name, (loss.mean, loss.low, loss.high))?;
        }
        out.set_item("log_evidence", score.log_evidence)?;
        Ok(out)
    };
    let mut models = Vec::new();
    let all = score(&comparison.all)?;
    all.set_item("model", "all kernels")?;
    models.push(all);
    for (at, (lack, name)) in comparison.without.iter().zip(names).enumerate() {
        let model = score(&lack.score)?;
        model.set_item("model", format!("without {name}"))?;
        model.set_item("without", at)?;
        model.set_item("difference", score(&lack.difference)?)?;
        models.push(model);
    }
    let out = PyDict::new(py);
    out.set_item("models", models)?;
    out.set_item("answers", comparison.answers)?;
    out.set_item("pairs", comparison.pairs)?;
    Ok(out)
}

/// Writes a first project file for a table of items.
#[pyfunction]
pub fn create_project(py: Python<'_>, folder: PathBuf, file: PathBuf) -> Outcome<()> {
    quick(py, || {
        let sketch = Sketch { folder, file, ..Sketch::default() };
        Project::create(&sketch)?;
        Ok(())
    })
}
