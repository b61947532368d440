"""What models in memory and in folders have in common."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, data, judges, kernels
from .errors import DataError, DataTypeError, ParameterError
from .judges import BatchJudge, Judge, Run
from .results import Certainty, Comparison, Forecast, Judges, Predictions, Question, Ranking, Screen, Tuned, ranking

#: Called with the work in words, the steps done, all steps if that is known, the number that improves, and details.
Progress: TypeAlias = Callable[[str, int, "int | None", "float | None", "str | None"], object]
Goal: TypeAlias = Literal["best", "top", "whole-order", "top-heavy"]
Inference: TypeAlias = Literal["ep", "incremental"]
#: An answer that stands: first, second, outcome and judge. Second is a list if several items were shown.
Answer: TypeAlias = "tuple[Any, Any, str, str | None]"


@contextlib.contextmanager
def following(progress: bool | Progress | None) -> Iterator[Progress | None]:
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


def left_out(judges: Sequence[str]) -> list[str]:
    """The judges to leave out."""
    if isinstance(judges, str) or not all(isinstance(name, str) for name in judges):
        raise DataTypeError(f"without: found {judges!r}, expected a list of names of judges")
    return list(judges)


def told(given: dict[str, Any]) -> dict[str, Any]:
    """The options that somebody gave."""
    return {name: value for name, value in given.items() if value is not None}


class Ids:
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


class Model:
    """What models in memory and in folders have in common."""

    def _open(self) -> tuple[_core.Engine, Ids]:
        """The core, and the ids of its items."""
        raise NotImplementedError

    def _asking(self, engine: _core.Engine, **given: Any) -> _core.Asking:
        return engine.asking(told(given))

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
        with following(progress) as step:
            fitted = engine.fit(inference, left_out(without), step)
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
        with following(progress) as step:
            found = engine.fit(inference, left_out(without), step).predict(at, step)
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
        >>> model.with_newcomers({"elm": [2.8]}).rank().ids
        ['cedar', 'elm', 'birch', 'ash']
        """
        engine, ids = self._open()
        with following(progress) as step:
            fitted, joined = self._join(items, links, inference, step)
        return Newcomers(engine, fitted, joined, len(ids.index), inference)

    def _join(
        self, items: Any, links: Any, inference: Inference, step: Progress | None
    ) -> tuple[_core.Fitted, Ids]:
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
        out = left_out(without)
        if judge is not None and judge in out:
            raise ParameterError(f'without: found "{judge}", who is the judge to ask, expected other judges')
        if choose is not None and pending is not None:
            raise ParameterError("pending: found pairs beside choose, expected one of the two")
        self._ask_by(engine, told({"goal": goal, "k": top, "strategy": strategy, "focus": focus, "judge": judge}))
        known, count = ids.index.ids, 1 if k is None else k
        found: list[Any]
        if choose is not None:
            screens = engine.ask_screens(choose, count, out)
            found = [Screen((known[at] for at in shown), score) for shown, score in screens]
        else:
            beside = None if pending is None else ids.pairs(pending)
            pairs = engine.ask(count, beside, out)
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
        with following(progress) as step:
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
        with following(progress) as step:
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
        with following(progress) as step:
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

    def __init__(self, engine: _core.Engine, fitted: _core.Fitted, ids: Ids, known: int, inference: Inference) -> None:
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
        asking = self._engine.asking(told({"goal": "top" if top is not None and goal is None else goal, "k": top}))
        with following(progress) as step:
            ranked = self._fitted.rank(asking, top, limit, level, draws, False, step)
        ids = self._ids
        return ranking(self._fitted, ranked, ids.index.ids, ids.groups, self._inference, known=self._known)

    def predict(self, pairs: Any, *, progress: bool | Progress | None = None) -> Predictions:
        """What a judge would say of pairs of items, as a table."""
        at = self._ids.pairs(pairs)
        with following(progress) as step:
            return self._ids.predictions(at, self._fitted.predict(at, step))

    def predict_proba(self, pairs: Any) -> NDArray[np.float64]:
        """The probabilities that a judge prefers the first item of each pair, says that they are a tie, or prefers the second."""
        return _proba(self.predict(pairs))


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
