"""Models that learn the order of things from comparisons: in memory, or in a folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, data, judges, kernels
from ._params import Estimator
from .judges import BatchJudge, Judge, Run
from .errors import DataError, DataTypeError, ParameterError, not_fitted
from .results import Certainty, Comparison, Forecast, Judges, Predictions, Question, Ranking, Screen, Tuned, ranking

#: Called with the work in words, the steps done, all steps if that is known, the number that improves, and details.
Progress: TypeAlias = Callable[[str, int, "int | None", "float | None", "str | None"], object]
Goal: TypeAlias = Literal["best", "top", "whole-order", "top-heavy"]
Inference: TypeAlias = Literal["ep", "incremental"]
#: An answer that stands: first, second, outcome and judge. Second is a list if several items were shown.
Answer: TypeAlias = "tuple[Any, Any, str, str | None]"


@contextlib.contextmanager
def _following(progress: bool | Progress | None) -> Iterator[Progress | None]:
    """A progress bar by tqdm where `progress` is true, or the caller's function."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        yield progress
        return
    from tqdm.auto import tqdm

    with tqdm(leave=False) as bar:

        def step(work: str, done: int, of: int | None, value: float | None, detail: str | None) -> None:
            bar.set_description(work, refresh=False)
            bar.total = of
            bar.n = done
            bar.refresh()

        yield step


def _left_out(judges: Sequence[str]) -> list[str]:
    """The judges to leave out."""
    if isinstance(judges, str) or not all(isinstance(name, str) for name in judges):
        raise DataTypeError(f"without: found {judges!r}, expected a list of names of judges")
    return list(judges)


def _told(given: dict[str, Any]) -> dict[str, Any]:
    """The options that somebody gave."""
    return {name: value for name, value in given.items() if value is not None}


class _Ids:
    """The ids of items with their positions and groups."""

    def __init__(self, ids: Sequence[Hashable], groups: Sequence[str] | None) -> None:
        self.index = data.Index(ids)
        self.groups = None if groups is None else list(groups)

    def pairs(self, given: Any) -> NDArray[np.int64]:
        """An array of positions from pairs of ids."""
        table = data.as_table(given)
        if table is not None:
            first, second = ("first", "second") if {"first", "second"}.issubset(table.names) else table.names[:2]
            columns = [self.index.many(table.column(name), "pairs") for name in (first, second)]
            return np.column_stack(columns)
        if isinstance(given, np.ndarray):
            if given.ndim != 2 or given.shape[1] != 2:
                raise DataError(f"pairs: found an array of shape {given.shape}, expected two columns")
            return np.column_stack([self.index.many(given[:, at], "pairs") for at in (0, 1)])
        if isinstance(given, str | bytes):
            raise DataTypeError("pairs: found a text, expected a sequence of pairs of ids")
        rows = list(given)
        out = np.empty((len(rows), 2), np.int64)
        for at, row in enumerate(rows):
            if isinstance(row, str | bytes) or len(row) != 2:
                raise DataTypeError(f"pair {at}: found {row!r}, expected two ids")
            out[at] = self.index.at(row[0]), self.index.at(row[1])
        return out


    def answer(self, entry: tuple[Any, ...]) -> Answer:
        """An answer of the core, with its ids."""
        first, second, outcome, judge, _, others = entry
        known = self.index.ids
        if others:
            return known[first], [known[at] for at in (second, *others)], outcome, judge
        return known[first], None if second is None else known[second], outcome, judge


    def predictions(self, pairs: NDArray[np.int64], found: tuple[NDArray[np.float64], NDArray[np.float64]]) -> Predictions:
        """What the core predicts of pairs, with their ids."""
        names = [[self.index.ids[at] for at in pairs[:, side].tolist()] for side in (0, 1)]
        return Predictions({"first": names[0], "second": names[1], "probability": found[0], "tie": found[1]})


def _proba(found: Predictions) -> NDArray[np.float64]:
    return np.column_stack([found.probability, found.tie, np.maximum(1.0 - found.probability - found.tie, 0.0)])


class _Model:
    """What models in memory and in folders have in common."""

    def _open(self) -> tuple[_core.Engine, _Ids]:
        """The core, and the ids of its items."""
        raise NotImplementedError

    def _asking(self, engine: _core.Engine, **given: Any) -> _core.Asking:
        return engine.asking(_told(given))

    @property
    def items(self) -> list[Any]:
        """The ids of all items, in their order."""
        return list(self._open()[1].index.ids)

    @property
    def answers(self) -> list[Answer]:
        """The answers that stand: first, second, outcome and judge. Where several items were shown, second is the list of the others.

        `fit` takes them as they are.
        """
        engine, ids = self._open()
        return [ids.answer(entry) for entry in engine.standing()]

    @property
    def kernel_(self) -> kernels.Kernel:
        """The kernels with their present parameters, as after `tune`."""
        engine, ids = self._open()
        relations = [data.Links(*columns) for columns in engine.relations()]
        parts = [kernels.from_table(table, relations) for table in engine.kernels()]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            raise DataError("kernels: found one over texts, expected kernels over attributes and links")
        return known[0] if len(known) == 1 else kernels.Sum(known)

    def _fitted(self, inference: Inference) -> _core.Fitted:
        return self._open()[0].fit(inference)

    @property
    def mean_(self) -> NDArray[np.float64]:
        """The expected utility of every item, in the order of `items`."""
        return self._fitted("ep").mean()

    @property
    def std_(self) -> NDArray[np.float64]:
        """The standard deviation of every item's utility."""
        return np.sqrt(self._fitted("ep").variances())

    @property
    def log_evidence_(self) -> float:
        """The log probability of the answers under the model: larger is better."""
        return self._fitted("ep").summary()[0]

    @property
    def noise_(self) -> float:
        """The standard deviation of a judge's noise on one utility, as given or as learned from the answers."""
        return self._fitted("ep").summary()[2]

    @property
    def prior_weights_(self) -> NDArray[np.float64]:
        """The weights of the columns of the prior, as given or as tuned."""
        prior = self._open()[0].prior()
        return np.array([] if prior is None else prior[2])

    def rank(
        self,
        *,
        top: int | None = None,
        limit: int | None = None,
        level: float = 0.9,
        draws: int | None = None,
        goal: Goal | None = None,
        forecast: bool = False,
        inference: Inference = "ep",
        without: Sequence[str] = (),
        progress: bool | Progress | None = None,
    ) -> Ranking:
        """Ranks all items, and says how sure that is.

        Args:
            top: Also count each item's probability of being among the first so many, which is then the goal.
            limit: Return only the first so many of every group.
            level: The probability that a rank lies within its interval.
            draws: The joint draws that intervals are counted from; by default as the command draws.
            goal: The goal that the certainty is about, if not the model's.
            forecast: Also forecast how many answers the goal still needs.
            inference: "ep" learns from all answers at once, "incremental" one by one as `ask` does.
            without: Judges to leave out, as if they had never answered.
            progress: True for a tqdm bar, or a function.

        >>> import ordain
        >>> model = ordain.PreferenceModel().fit(["ash", "birch", "cedar"], [("ash", "birch"), ("birch", "cedar")])
        >>> model.rank().ids
        ['ash', 'birch', 'cedar']
        """
        engine, ids = self._open()
        asking = self._asking(engine, goal="top" if top is not None and goal is None else goal, k=top)
        with _following(progress) as step:
            fitted = engine.fit(inference, _left_out(without), step)
            ranked = fitted.rank(asking, top, limit, level, draws, forecast, step)
        return ranking(fitted, ranked, ids.index.ids, ids.groups, inference)

    def predict(
        self,
        pairs: Any,
        *,
        inference: Inference = "ep",
        without: Sequence[str] = (),
        progress: bool | Progress | None = None,
    ) -> Predictions:
        """What a judge would say of pairs of items, as a table."""
        engine, ids = self._open()
        at = ids.pairs(pairs)
        with _following(progress) as step:
            found = engine.fit(inference, _left_out(without), step).predict(at, step)
        return ids.predictions(at, found)

    def predict_proba(self, pairs: Any, *, inference: Inference = "ep", without: Sequence[str] = ()) -> NDArray[np.float64]:
        """The probabilities that a judge prefers the first item of each pair, says that they are a tie, or prefers the second.

        >>> import ordain
        >>> model = ordain.PreferenceModel().fit(["ash", "birch"], [("ash", "birch")])
        >>> model.predict_proba([("ash", "birch")]).shape
        (1, 3)
        """
        return _proba(self.predict(pairs, inference=inference, without=without))

    def with_newcomers(
        self, items: Any, links: Any = None, *, inference: Inference = "ep", progress: bool | Progress | None = None
    ) -> Newcomers:
        """What is believed of items that nobody was asked about, beside the model's own, which stay as they are.

        Args:
            items: The newcomers, in the form that the model's items had, with the same columns; a project also takes a file.
            links: Their links to known items and to each other, in any form that kernels take. If several kernels have links, a list with
                one per kernel, None for no links; for a project a mapping from the names of its files.
            inference: As in `rank`.
            progress: True for a tqdm bar, or a function.

        >>> import ordain
        >>> model = ordain.PreferenceModel().fit({"ash": [1.0], "birch": [2.0], "cedar": [3.0]}, [("cedar", "ash")])
        >>> model.with_newcomers({"elm": [4.0]}).rank().ids
        ['elm', 'cedar', 'birch', 'ash']
        """
        engine, ids = self._open()
        with _following(progress) as step:
            fitted, joined = self._join(items, links, inference, step)
        return Newcomers(engine, fitted, joined, len(ids.index), inference)

    def _join(
        self, items: Any, links: Any, inference: Inference, step: Progress | None
    ) -> tuple[_core.Fitted, _Ids]:
        """What is believed with newcomers, and the ids of all."""
        raise NotImplementedError

    @overload
    def ask(
        self,
        k: None = None,
        *,
        choose: None = None,
        goal: Goal | None = None,
        top: int | None = None,
        strategy: str | None = None,
        focus: float | None = None,
        judge: str | None = None,
        pending: Any = None,
        without: Sequence[str] = (),
    ) -> Any: ...
    @overload
    def ask(
        self,
        k: None = None,
        *,
        choose: int,
        goal: Goal | None = None,
        top: int | None = None,
        strategy: str | None = None,
        focus: float | None = None,
        judge: str | None = None,
        pending: Any = None,
        without: Sequence[str] = (),
    ) -> Screen | None: ...
    @overload
    def ask(
        self,
        k: int,
        *,
        choose: None = None,
        goal: Goal | None = None,
        top: int | None = None,
        strategy: str | None = None,
        focus: float | None = None,
        judge: str | None = None,
        pending: Any = None,
        without: Sequence[str] = (),
    ) -> list[Question]: ...
    @overload
    def ask(
        self,
        k: int,
        *,
        choose: int,
        goal: Goal | None = None,
        top: int | None = None,
        strategy: str | None = None,
        focus: float | None = None,
        judge: str | None = None,
        pending: Any = None,
        without: Sequence[str] = (),
    ) -> list[Screen]: ...
    def ask(
        self,
        k: int | None = None,
        *,
        choose: int | None = None,
        goal: Goal | None = None,
        top: int | None = None,
        strategy: str | None = None,
        focus: float | None = None,
        judge: str | None = None,
        pending: Any = None,
        without: Sequence[str] = (),
    ) -> Any:
        """The pair that is worth asking next; None if none is left. With `k`, a list of up to so many pairs to ask at once.

        Asking again without an answer gives the same pair.

        Args:
            k: How many pairs, or screens, to ask at once.
            choose: Ask for screens of so many items instead, 2 to 32, of which somebody says the best, or puts them into order.
            goal: The goal, if not the model's.
            top: The number of first items, for the goal "top".
            strategy: How pairs are chosen, if not as the goal does.
            focus: How much early places count, for strategies that have a focus.
            judge: The judge who will be asked: pairs are weighed by what is known of his noise.
            pending: Pairs that are being asked elsewhere.
            without: Judges to leave out, as if they had never answered.

        >>> import ordain
        >>> model = ordain.PreferenceModel().fit(["ash", "birch", "cedar", "elm"])
        >>> first, second = model.ask()
        >>> model.tell(first, second)  # the first is preferred
        >>> screen = model.ask(choose=3)
        >>> model.tell(screen[0], screen, "best")  # of the three, this is the best
        """
        engine, ids = self._open()
        if k is not None and k < 1:
            raise ParameterError(f"k is {k}, expected at least 1")
        left_out = _left_out(without)
        if judge is not None and judge in left_out:
            raise ParameterError(f'without: found "{judge}", who is the judge to ask, expected other judges')
        if choose is not None and pending is not None:
            raise ParameterError("pending: found pairs beside choose, expected one of the two")
        self._ask_by(engine, _told({"goal": goal, "k": top, "strategy": strategy, "focus": focus, "judge": judge}))
        known, count = ids.index.ids, 1 if k is None else k
        found: list[Any]
        if choose is not None:
            screens = engine.ask_screens(choose, count, left_out)
            found = [Screen((known[at] for at in shown), score) for shown, score in screens]
        else:
            beside = None if pending is None else ids.pairs(pending)
            pairs = engine.ask(count, beside, left_out)
            found = [Question(known[first], known[second], score) for first, second, score in pairs]
        if k is None:
            return found[0] if found else None
        return found

    _asked_by: dict[str, Any] = {}

    def _ask_by(self, engine: _core.Engine, options: dict[str, Any]) -> None:
        """Lets the session ask by these options. It begins anew only if they change."""
        if options != self._asked_by:
            engine.set_options(options)
            self._asked_by = options

    def ask_only(self, pairs: Any) -> None:
        """Asks only these pairs from now on; None for any pair."""
        engine, ids = self._open()
        engine.set_pairs(None if pairs is None else ids.pairs(pairs))

    def shown(self, question: Sequence[Any]) -> tuple[Any, ...]:
        """The items of a question in the order in which to show them: left, right; or all of a screen. It is drawn anew for every
        question, so that a judge's liking for a side favours no item."""
        engine, ids = self._open()
        at = [ids.index.at(id) for id in question]
        order = engine.sides(at[0], at[1]) if len(at) == 2 else engine.arranged(at)
        return tuple(ids.index.ids[position] for position in order)

    def gold_question(self, judge: str | None = None) -> tuple[Any, Any] | None:
        """The gold pair to show this judge in place of the next question, left and right; None if it is not time for one.

        `tell` takes the answer like any other, and learns nothing about items from it. `run` asks gold pairs by itself.
        """
        engine, ids = self._open()
        found = engine.gold_question(judge)
        return None if found is None else (ids.index.ids[found[0]], ids.index.ids[found[1]])

    def tell(
        self, first: Hashable, second: Any = None, outcome: Any = "first", *, judge: str | None = None, time: str | None = None
    ) -> None:
        """Learns an answer. Without an outcome the first item is preferred.

        Outcomes are words (`"first"`, `"second"`, `"tie"`, `"skip"`, `"first>"` for just so, `"first>>"` for by far), the probability
        that the first is preferred, votes such as `(7, 3)` or `(7, 2, 3)` with ties in the middle, and None for a skip. Of one item
        alone they are `"good"`, `"bad"`, and in projects `"grade:4"`.

        Several items that were looked at together are a list in place of `second`, up to 32 with the first. Then `"best"` says that the
        first is the best of all that were shown, `"order"` that the first and then the list stand in this order, the best first, and
        `"skip"` says nothing. That is one answer: the model knows that its comparisons were one look.

        >>> import ordain
        >>> model = ordain.PreferenceModel().fit(["ash", "birch", "cedar", "elm"])
        >>> model.tell("elm", ["ash", "birch", "cedar"], "best", judge="ann")
        >>> model.tell("elm", ["birch", "ash"], "order")
        >>> model.answers[0]
        ('elm', ['ash', 'birch', 'cedar'], 'best', 'ann')
        """
        engine, ids = self._open()
        word = data.outcome_word(outcome)
        at = ids.index.at(first)
        beside, others = ids.index.beside(at, second, word)
        engine.tell(at, beside, word, judge, time, others)

    def undo(self, judge: str | None = None) -> Answer | None:
        """Takes back the latest standing answer of a judge and returns it; None if there is none."""
        engine, ids = self._open()
        taken = engine.undo(judge)
        return None if taken is None else ids.answer(taken)

    def certainty(
        self,
        *,
        goal: Goal | None = None,
        top: int | None = None,
        inference: Inference = "ep",
        without: Sequence[str] = (),
    ) -> Certainty:
        """How sure it is that the goal is reached.

        >>> import ordain
        >>> model = ordain.PreferenceModel().fit(["ash", "birch"], [("ash", "birch")] * 9)
        >>> model.certainty(goal="best").is_reached
        True
        """
        return self.rank(goal=goal, top=top, inference=inference, without=without).certainty

    def forecast(
        self, *, goal: Goal | None = None, without: Sequence[str] = (), progress: bool | Progress | None = None
    ) -> Forecast | None:
        """How many more answers the goal needs; None if it is reached."""
        return self.rank(goal=goal, forecast=True, without=without, progress=progress).forecast

    def judges(self, *, progress: bool | Progress | None = None) -> Judges:
        """What the answers say of every judge."""
        with _following(progress) as step:
            return Judges(*self._open()[0].fit("ep", [], step).judges(step))

    def tune(
        self,
        *,
        method: Literal["ascent", "em-ep"] = "ascent",
        restarts: int = 2,
        seed: int | None = None,
        by_group: bool = False,
        apply: bool = True,
        progress: bool | Progress | None = None,
    ) -> Tuned:
        """Learns the kernels' parameters from the answers, and goes on with them if `apply`. A project also writes them into its
        `ordain.toml`."""
        engine, _ = self._open()
        with _following(progress) as step:
            found = engine.tune(method, restarts, seed, by_group, step)
        if apply:
            engine.set_parameters([(name, value) for name, _, value in found["parameters"]])
        return Tuned(found)

    def compare(
        self,
        *,
        folds: int = 10,
        repeats: int = 1,
        seed: int | None = None,
        tuned: bool = True,
        progress: bool | Progress | None = None,
    ) -> Comparison:
        """Compares the model with those that lack one of its kernels, by answers that they did not see."""
        with _following(progress) as step:
            return Comparison(self._open()[0].compare(folds, repeats, seed, tuned, step))

    def run(
        self,
        judge: Judge | BatchJudge,
        budget: int | None = None,
        *,
        stop: bool | float | Callable[[Any], bool] = True,
        log: str | os.PathLike[str] | None = None,
        name: str = "judge",
        both_orders: bool = False,
        batch: int | None = None,
        concurrency: int = 1,
        progress: bool | Progress | None = None,
    ) -> Run:
        """Asks a function until the budget is spent, the goal is reached or no pair is left: `ordain.judges.run`."""
        return judges.run(
            self,
            judge,
            budget,
            stop=stop,
            log=log,
            name=name,
            both_orders=both_orders,
            batch=batch,
            concurrency=concurrency,
            progress=progress,
        )

    async def run_async(
        self,
        judge: Judge | BatchJudge,
        budget: int | None = None,
        *,
        stop: bool | float | Callable[[Any], bool] = True,
        log: str | os.PathLike[str] | None = None,
        name: str = "judge",
        both_orders: bool = False,
        batch: int | None = None,
        concurrency: int = 1,
        progress: bool | Progress | None = None,
    ) -> Run:
        """As `run`, in a running event loop: `ordain.judges.run_async`."""
        return await judges.run_async(
            self,
            judge,
            budget,
            stop=stop,
            log=log,
            name=name,
            both_orders=both_orders,
            batch=batch,
            concurrency=concurrency,
            progress=progress,
        )


class Newcomers:
    """What is believed of a model's items and of newcomers: `PreferenceModel.with_newcomers` and `Project.with_newcomers` give it."""

    def __init__(self, engine: _core.Engine, fitted: _core.Fitted, ids: _Ids, known: int, inference: Inference) -> None:
        self._engine, self._fitted, self._ids, self._known, self._inference = engine, fitted, ids, known, inference

    @property
    def items(self) -> list[Any]:
        """The ids of all items, the newcomers last."""
        return list(self._ids.index.ids)

    @property
    def mean_(self) -> NDArray[np.float64]:
        """The expected utility of every item, in the order of `items`."""
        return self._fitted.mean()

    @property
    def std_(self) -> NDArray[np.float64]:
        """The standard deviation of every item's utility."""
        return np.sqrt(self._fitted.variances())

    def rank(
        self,
        *,
        top: int | None = None,
        limit: int | None = None,
        level: float = 0.9,
        draws: int | None = None,
        goal: Goal | None = None,
        progress: bool | Progress | None = None,
    ) -> Ranking:
        """Ranks all items, as `PreferenceModel.rank`. The column `new` says which are newcomers."""
        asking = self._engine.asking(_told({"goal": "top" if top is not None and goal is None else goal, "k": top}))
        with _following(progress) as step:
            ranked = self._fitted.rank(asking, top, limit, level, draws, False, step)
        ids = self._ids
        return ranking(self._fitted, ranked, ids.index.ids, ids.groups, self._inference, known=self._known)

    def predict(self, pairs: Any, *, progress: bool | Progress | None = None) -> Predictions:
        """What a judge would say of pairs of items, as a table."""
        at = self._ids.pairs(pairs)
        with _following(progress) as step:
            return self._ids.predictions(at, self._fitted.predict(at, step))

    def predict_proba(self, pairs: Any) -> NDArray[np.float64]:
        """The probabilities that a judge prefers the first item of each pair, says that they are a tie, or prefers the second."""
        return _proba(self.predict(pairs))


class PreferenceModel(Estimator, _Model):
    """Learns the order of items from comparisons, with a Gaussian process over their utilities.

    Args:
        kernel: How alike items are before any answer. By default `SquaredExponential() + Independent(0.5)` where items have
            attributes, `Independent()` where they have none.
        noise: The standard deviation of a judge's noise on one utility, or "learn" to estimate it from the answers.
        tie_width: How close utilities are that a judge calls equal. It must be above 0 if there are ties.
        goal: What the answers are for: "whole-order", "best", "top" (with `top`) or "top-heavy".
        top: The number of first items, for the goal "top".
        strategy: How pairs are chosen, if not as the goal does.
        focus: How much early places count, for strategies that have a focus.
        repeat: Whether a pair may be asked again.
        seed: The seed of all draws.
        standardize: Whether attributes are shifted and scaled to mean 0 and deviation 1, within groups if there are groups.
        sides: Whether judges' liking for the item that stands left is learned.
        gold_rate: The share of questions that are about gold pairs, if `fit` is given some.

    >>> import ordain
    >>> model = ordain.PreferenceModel()
    >>> model = model.fit({"ash": [1.0], "birch": [2.0], "cedar": [3.0]}, [("cedar", "ash")])
    >>> model.rank().ids
    ['cedar', 'birch', 'ash']
    """

    #: What the columns of `predict_proba` are about.
    classes_ = ("first", "tie", "second")

    def __init__(
        self,
        kernel: kernels.Kernel | None = None,
        noise: float | Literal["learn"] = "learn",
        tie_width: float = 0.0,
        *,
        goal: Goal = "whole-order",
        top: int | None = None,
        strategy: str | None = None,
        focus: float | None = None,
        repeat: bool = False,
        seed: int = 1,
        standardize: bool = True,
        sides: bool = False,
        gold_rate: float = 0.1,
    ) -> None:
        self.kernel = kernel
        self.noise = noise
        self.tie_width = tie_width
        self.goal = goal
        self.top = top
        self.strategy = strategy
        self.focus = focus
        self.repeat = repeat
        self.seed = seed
        self.standardize = standardize
        self.sides = sides
        self.gold_rate = gold_rate

    def fit(
        self,
        items: Any,
        answers: Any = None,
        *,
        id: str | None = None,
        group: str | Sequence[Hashable] | None = None,
        attributes: Sequence[str] | None = None,
        prior: Any = None,
        gold: Any = None,
    ) -> PreferenceModel:
        """Begins with these items and answers. What was learned before is forgotten.

        Args:
            items: A table (pandas, polars, Arrow, a dict of columns), an array with a row per item, a mapping from ids to rows, or ids.
            answers: A table with columns `winner` and `loser`; `first`, `second` and `outcome`; or `shown` (a list of ids, or text such
                as `A|B|C`) and `best`; and perhaps `judge` and `time`; an array of winners and losers; or tuples: winner and loser, or
                first, second, outcome and perhaps judge, as `tell` takes them.
            id: The column of ids. By default the index of a pandas frame, or a column `id`.
            group: The column of groups, or the group of every item: items are compared within groups only.
            attributes: The columns of attributes. By default all columns of numbers but those of the prior.
            prior: What is known before any answer, such as last year's rating: a column or several, by name, or numbers per item. Their
                weighted sum is the mean of the utilities. The weights are 1 each; `tune` learns them.
            gold: Answers that are known to be right, in any form of `answers`. Some questions of `run` are about their pairs. They show
                how good judges are (`judges`); nothing about items is learned from them.
        """
        given = data.read_items(items, id=id, group=group, attributes=attributes, prior=prior)
        ids = _Ids(given.ids, given.groups)
        relations: list[data.Links] = []
        tables = [self._table(part, ids.index, relations) for part in self._parts(given)]
        state: dict[str, Any] = {
            "ids": ids.index.texts(),
            "values": given.values,
            "names": given.names,
            "groups": given.groups,
            "prior": None if given.prior is None else (given.prior, given.prior_names, None),
            "standardize": bool(self.standardize),
            "scales": (None, None),
            "relations": [links.columns() for links in relations],
            "kernels": tables,
            "noise": self._noise(),
            "tie_width": float(self.tie_width),
            "sides": bool(self.sides),
            "gold": self._gold(gold, ids.index),
            "gold_rate": float(self.gold_rate),
            "ask": self._settings(),
        }
        engine = _core.Engine.memory(state)
        told = data.read_answers(answers, ids.index)
        if len(told.first):
            engine.add(told.first, told.second, told.outcomes, told.judges, told.times, told.others)
        self._engine, self._ids, self._asked_by = engine, ids, {}
        self._columns = {"id": id, "group": group if isinstance(group, str) else None}
        self.n_features_in_ = 0 if given.values is None else given.values.shape[1]
        return self

    def _join(
        self, items: Any, links: Any, inference: Inference, step: Progress | None
    ) -> tuple[_core.Fitted, _Ids]:
        engine, ids = self._open()
        own = engine.prior()
        table = None if data.is_mapping(items) else data.as_table(items)
        columns: dict[str, Any] = {}
        if table is not None:
            columns = {**self._columns, "attributes": engine.attributes(), "prior": None if own is None else own[1]}
        elif own is not None:
            raise DataError("newcomers: found no columns, expected a table with those of the prior")
        given = data.read_items(items, **columns)
        if table is None and data.has_positions(items) and ids.index.is_plain:
            # Rows of an array go on where the model's rows end.
            given.ids = [len(ids.index) + at for at in range(len(given.ids))]
        width = 0 if given.values is None else given.values.shape[1]
        if width != self.n_features_in_:
            raise DataError(f"newcomers: found {width} attributes, expected {self.n_features_in_}, as the model's items have")
        if (given.groups is None) != (ids.groups is None):
            raise DataError("newcomers: found no groups, expected a table with the column of groups that `fit` was told")
        all_ids = _Ids([*ids.index.ids, *given.ids], None if ids.groups is None else [*ids.groups, *(given.groups or [])])
        joined = all_ids.index
        known = set(engine.ids())
        texts = [text if text not in known else f"{at}: {text}" for at, text in enumerate(joined.texts()[len(ids.index) :])]
        newcomers = {
            "ids": texts,
            "values": given.values,
            "groups": given.groups,
            "prior": given.prior,
            "links": [links.columns() for links in self._links_of_newcomers(links, joined)],
        }
        return engine.fit_with(newcomers, inference, step), all_ids

    def _links_of_newcomers(self, links: Any, index: data.Index) -> list[data.Links]:
        """The links of newcomers, one per relation."""
        engine = self._open()[0]
        roles = {table["relation"]: table.get("as", "directed") for table in engine.kernels() if "relation" in table}
        count = len(engine.relations())
        given = [None] * count if links is None else [links] if count == 1 else links
        if not isinstance(given, list) or len(given) != count:
            found = len(given) if isinstance(given, list) else "no list"
            raise DataError(f"links of newcomers: found {found}, expected a list of {count}, one per kernel with links")
        return [self._links_of(one, index, roles.get(at, "directed")) for at, one in enumerate(given)]

    @staticmethod
    def _links_of(given: Any, index: data.Index, role: str) -> data.Links:
        if role == "bipartite" and given is not None:
            raise DataError(
                "links of newcomers: found links to other things, expected links among items",
                hint="a project takes them: ordain.Project(folder).with_newcomers(items, links)",
            )
        return data.read_links([] if given is None else given, index, role)

    def _parts(self, items: data.Items) -> tuple[kernels.Part, ...]:
        if isinstance(self.kernel, kernels.Kernel):
            return self.kernel.parts()
        if self.kernel is not None:
            raise DataTypeError(f"kernel: found an object of type {type(self.kernel).__name__}, expected a kernel or None")
        own = kernels.Independent()
        return (own,) if items.values is None else (kernels.SquaredExponential() + 0.5 * own).parts()

    @staticmethod
    def _table(part: kernels.Part, index: data.Index, relations: list[data.Links]) -> dict[str, Any]:
        """The table of a kernel. Its links join the relations."""
        table = part.table()
        if table.get("relation") is None:
            table.pop("relation", None)
        else:
            relations.append(data.read_links(table["relation"], index, table.get("as", "directed")))
            table["relation"] = len(relations) - 1
        return table

    @staticmethod
    def _gold(given: Any, index: data.Index) -> list[tuple[int, int, str]]:
        """Pairs whose answer is known, as the core takes them."""
        known = data.read_answers(given, index)
        if known.others is not None:
            raise DataError("gold: found several items that were shown together, expected pairs: first, second or tie")
        outcomes = known.outcomes or ["first"] * len(known.first)
        return list(zip(known.first.tolist(), known.second.tolist(), outcomes, strict=True))

    def _noise(self) -> float | None:
        if self.noise == "learn":
            return None
        if isinstance(self.noise, str):
            raise ParameterError(f'noise: found "{self.noise}", expected a number or "learn"')
        return float(self.noise)

    def _settings(self) -> dict[str, Any]:
        given = {"goal": self.goal, "k": self.top, "strategy": self.strategy, "focus": self.focus}
        return _told({**given, "repeat": self.repeat, "seed": self.seed})

    def _open(self) -> tuple[_core.Engine, _Ids]:
        try:
            return self._engine, self._ids
        except AttributeError:
            raise not_fitted("this PreferenceModel has no items yet", "call fit(items, answers) first") from None

    def __sklearn_is_fitted__(self) -> bool:
        return "_engine" in self.__dict__

    def _snapshot(self) -> dict[str, Any]:
        """Everything that the core knows, as values."""
        engine, ids = self._open()
        return {"memory": parts(engine), "entries": engine.entries(), "ids": ids.index.ids, "columns": self._columns}

    def _restore(self, snapshot: dict[str, Any]) -> None:
        memory = snapshot["memory"]
        engine = _core.Engine.memory(memory)
        engine.add_entries(snapshot["entries"])
        self._engine, self._ids, self._asked_by = engine, _Ids(snapshot["ids"], memory["groups"]), {}
        self._columns = snapshot["columns"]
        self.n_features_in_ = len(memory["names"])

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in self._parameter_names()}
        if self.__sklearn_is_fitted__():
            state["_snapshot"] = self._snapshot()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        snapshot = state.pop("_snapshot", None)
        self.__dict__.update(state)
        if snapshot is not None:
            self._restore(snapshot)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a new project folder, which the `ordain` command and `ordain.Project` open too.

        Ids must be texts, numbers or tuples of these. Attributes are written as the model has them: standardized.
        """
        from ._folder import write

        write(Path(path), self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PreferenceModel:
        """Reads a model that `save` wrote."""
        from ._folder import read

        return read(cls, Path(path))


def parts(engine: _core.Engine) -> dict[str, Any]:
    """Everything but answers that makes a model, as `Engine.memory` takes it."""
    noise, tie_width, learns, sides = engine.answer_model()
    gold, gold_rate = engine.gold()
    return {
        "ids": engine.ids(),
        "values": engine.values(),
        "names": engine.attributes(),
        "groups": engine.groups(),
        "prior": engine.prior(),
        # They are already.
        "standardize": False,
        "scales": engine.scales(),
        "relations": engine.relations(),
        "kernels": engine.kernels(),
        "noise": None if learns else noise,
        "tie_width": tie_width,
        "sides": sides,
        "gold": gold,
        "gold_rate": gold_rate,
        "ask": engine.settings(),
    }


class Project(_Model):
    """A model that lives in a folder with an `ordain.toml`, as the `ordain` command makes it. Ids are texts.

    An answer that `tell` took is on the disk: it survives a crash.

    >>> import ordain
    >>> project = ordain.Project.create(folder, [{"id": "ash", "height": 3.0}, {"id": "birch", "height": 2.0}])
    >>> first, second = project.ask()
    >>> project.tell(first, second, judge="ann")
    >>> len(ordain.Project(folder).answers)
    1
    """

    def __init__(self, path: str | os.PathLike[str] = ".") -> None:
        engine = _core.Engine.open(os.fspath(path))
        self._engine = engine
        self._ids = _project_ids(engine)
        files = engine.files()
        if files is None:
            raise AssertionError("a project has files")
        file, log, _ = files
        #: The project file.
        self.path = Path(file)
        #: The answer log.
        self.log = Path(log)

    @classmethod
    def create(cls, folder: str | os.PathLike[str], items: Any) -> Project:
        """Makes a project of a table: a file, or a list of rows as dicts. `ordain init` says what it understands of a table."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        source = _as_file(items, place / "items.csv")
        _core.create_project(os.fspath(place), source)
        return cls(place)

    def _open(self) -> tuple[_core.Engine, _Ids]:
        return self._engine, self._ids

    def _join(
        self, items: Any, links: Any, inference: Inference, step: Progress | None
    ) -> tuple[_core.Fitted, _Ids]:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            file = _as_file(items, Path(folder) / "items.csv")
            named = links if isinstance(links, dict) and not _is_links(links) else {} if links is None else {None: links}
            files = [
                (None if name is None else str(name), _as_file(one, Path(folder) / f"links{at}.csv"))
                for at, (name, one) in enumerate(named.items())
            ]
            fitted = self._engine.fit_with_file(file, files, inference, step)
        return fitted, _unique(*fitted.items())

    def __repr__(self) -> str:
        return f"Project({os.fspath(self.path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Project, (os.fspath(self.path),)


def _rows(table: data.Table) -> list[dict[str, Any]]:
    columns = {name: table.list(name) for name in table.names}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _is_links(given: dict[Any, Any]) -> bool:
    return {"source", "target"}.issubset(given)


def _as_file(given: Any, place: Path) -> str:
    """A file as it is, or a table written to this place."""
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    _write_rows(given, place)
    return os.fspath(place)


def _write_rows(given: Any, place: Path) -> None:
    """Writes a table, or a list of rows as dicts, as a new file."""
    import csv

    table = data.as_table(given)
    if table is None and not (isinstance(given, list) and all(isinstance(row, dict) for row in given)):
        raise DataTypeError(f"found an object of type {type(given).__name__}, expected a file, a table, or a list of rows as dicts")
    rows = given if table is None else _rows(table)
    with open(place, "x", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [] if table is None else table.names)
        writer.writeheader()
        writer.writerows(rows)


def _project_ids(engine: _core.Engine) -> _Ids:
    """The ids of a project."""
    return _unique(engine.ids(), engine.groups())


def _unique(names: list[str], groups: list[str] | None) -> _Ids:
    """Where ids repeat between groups, an item is named by its group and its id."""
    ids: list[Hashable] = list(names)
    if groups is not None and len(set(ids)) < len(ids):
        ids = list(zip(groups, ids, strict=True))
    return _Ids(ids, groups)
