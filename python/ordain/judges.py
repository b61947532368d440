"""Functions as judges: ask a function, a program or a language model until the order is known.

>>> import ordain
>>> weight = {"ant": 1, "cat": 4000, "dog": 30000}
>>> model = ordain.PreferenceModel(noise=0.1).fit(list(weight))
>>> run = model.run(lambda left, right: left if weight[left] > weight[right] else right, budget=10)
>>> model.rank().ids
['dog', 'cat', 'ant']

A judge gets two ids in the order in which they are shown, left and right, and returns who wins. He may return:

- one of the two ids;
- a word: `"first"` or `"second"` for left and right, `"tie"`, `"first>"` for just so, `"first>>"` for by far;
- a number from 0 to 1: the probability that the left one wins;
- votes such as `(7, 3)`, or `(7, 2, 3)` with ties in the middle;
- None to skip the pair.

An id counts before a word or a number. Every answer is on the disk before the next question, and nothing is asked twice after a crash.
"""

from __future__ import annotations

import inspect
import os
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from . import _core, data
from .errors import DataError, DataTypeError, ParameterError

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    from ._model import Model, Progress

#: What a judge says of two items.
Verdict: TypeAlias = "Hashable | float | tuple[int, ...] | None"
#: A function that compares two items.
Judge: TypeAlias = Callable[[Any, Any], "Verdict | Awaitable[Verdict]"]
#: A function that compares many pairs at once.
BatchJudge: TypeAlias = Callable[[Sequence[tuple[Any, Any]]], "Sequence[Verdict] | Awaitable[Sequence[Verdict]]"]


@dataclass(frozen=True)
class Run:
    """What became of asking a judge."""

    #: How many answers this run asked for, skips included.
    asked: int
    #: How many answers of this judge there are, with those of earlier runs.
    answers: int
    #: Why it ended: the goal is reached, the budget is spent, no pair is left, or the caller's function said so.
    reason: Literal["goal", "budget", "exhausted", "stop"]


def run(
    model: Model,
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
    """Asks a judge until the goal is reached, the budget is spent or no pair is left.

    Args:
        model: A model that was fitted, or a project.
        judge: A function of two ids, left and right; or of a list of such pairs, if `batch` is given. It may be async.
        budget: The most answers of this judge, with those of earlier runs that are in the log. None for no limit.
        stop: True to stop when the goal is reached with 90 % probability, a number for another probability, False to go on, or a function
            of the model that says whether to stop.
        log: A file to keep the answers in. If it exists, its answers are learned first and not asked again. A project has its own log.
        name: What this judge is called in the log.
        both_orders: Ask every pair in both orders, as two answers.
        batch: Hand in up to so many pairs at once.
        concurrency: How many questions are out at the same time: in threads, or as tasks if the judge is async.
        progress: True for a tqdm bar, or a function.

    If the judge raises, questions that are out are waited for and recorded, and the error is raised. The model and the log then have every
    answer that there was; calling `run` again goes on.
    """
    if inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(getattr(judge, "__call__", None)):
        import asyncio

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise ParameterError("run: found an async judge in a running event loop, expected to be awaited",
                                 hint="write `await model.run_async(judge, ...)`")
        return asyncio.run(
            run_async(
                model,
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
        )
    with _Asker(model, budget, stop, log, name, both_orders, batch, concurrency, progress) as asker:
        if concurrency == 1:
            while asked := asker.next():
                asker.record(asked, asker.call(judge, asked))
        else:
            _in_threads(asker, judge)
        return asker.result()


async def run_async(
    model: Model,
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
    """As `run`, in a running event loop. Learning and choosing happen in a thread, so the loop goes on."""
    # Here and below: importing the package stays quick.
    import asyncio

    with _Asker(model, budget, stop, log, name, both_orders, batch, concurrency, progress) as asker:

        async def one(asked: list[_Asked]) -> None:
            found = asker.call(judge, asked)
            if inspect.isawaitable(found):
                found = await found
            await asyncio.to_thread(asker.record, asked, found)

        running: set[asyncio.Task[None]] = set()
        failed: BaseException | None = None
        try:
            while True:
                while failed is None and len(running) < concurrency:
                    asked = await asyncio.to_thread(asker.next)
                    if not asked:
                        break
                    running.add(asyncio.create_task(one(asked)))
                if not running:
                    break
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    failed = failed or task.exception()
        finally:
            for task in running:
                task.cancel()
        if failed is not None:
            raise failed
        return asker.result()


def _in_threads(asker: _Asker, judge: Any) -> None:
    """Workers record what they hear themselves, so nothing that was heard is lost, whatever happens to the caller."""
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    def one(asked: list[_Asked]) -> None:
        asker.record(asked, asker.call(judge, asked))

    pool = ThreadPoolExecutor(asker.concurrency, thread_name_prefix="ordain-judge")
    running: set[Future[None]] = set()
    failed: BaseException | None = None
    try:
        while True:
            while failed is None and len(running) < asker.concurrency:
                asked = asker.next()
                if not asked:
                    break
                running.add(pool.submit(one, asked))
            if not running:
                break
            # A short wait lets Ctrl-C through.
            done, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in done:
                failed = failed or future.exception()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if failed is not None:
        raise failed


@dataclass(frozen=True, eq=False)
class _Asked:
    """A question that is out: positions as they are shown."""

    left: int
    right: int


def _key(entry: tuple[Any, ...]) -> tuple[Any, ...]:
    """What an answer says, whenever it was given."""
    first, second, outcome, judge, _, others = entry
    return first, second, outcome, judge, tuple(others)


class _Asker:
    """Chooses questions, records answers, and knows when to stop. Threads may call it at once."""

    def __init__(
        self,
        model: Model,
        budget: int | None,
        stop: bool | float | Callable[[Any], bool],
        log: str | os.PathLike[str] | None,
        name: str,
        both_orders: bool,
        batch: int | None,
        concurrency: int,
        progress: bool | Progress | None,
    ) -> None:
        from ._model import following
        from .models import Project

        for what, value in (("budget", budget), ("batch", batch), ("concurrency", concurrency)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ParameterError(f"{what} is {value}, expected a whole number of at least 1")
        if not name:
            raise ParameterError('name: found "", expected what the judge is called in the log')
        self.model, self.budget, self.batch, self.concurrency = model, budget, batch, concurrency
        self.engine, ids = model._open()
        self.ids, self.name, self.both_orders, self.stop = ids.index.ids, name, both_orders, stop
        self.lock = threading.RLock()
        self.out: list[_Asked] = []
        self.reason: Literal["goal", "budget", "exhausted", "stop"] = "exhausted"
        if isinstance(stop, float | int) and not isinstance(stop, bool) and not 0.0 < stop <= 1.0:
            raise ParameterError(f"stop is {stop}, expected True, False, a probability or a function")
        target = float(stop) if not isinstance(stop, bool) and isinstance(stop, float | int) else None
        model._ask_by(self.engine, {} if target is None else {"target": target})
        if isinstance(model, Project):
            if log is not None:
                raise ParameterError("log: found a file, expected none: a project has its own log")
            self.log = None
        else:
            self.log = None if log is None else _core.Log(os.fspath(log), self.engine)
        known = self._resume()
        self.asked, self.before = 0, len(known)
        # Pairs that were shown in one order more often than in the other.
        self.halves: list[_Asked] = self._halves(known) if both_orders else []
        self._progress = following(progress)
        self._step: Progress | None = None

    def __enter__(self) -> _Asker:
        self._step = self._progress.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._progress.__exit__(*error)

    def _resume(self) -> list[tuple[int, int]]:
        """Learns what the log has and the model has not. Returns the pairs that this judge answered, as they were shown."""
        if self.log is None:
            entries = self.engine.standing()
        else:
            entries = self.log.standing()
            known = Counter(map(_key, self.engine.standing()))
            for entry in entries:
                if known[_key(entry)]:
                    known[_key(entry)] -= 1
                    continue
                first, second, outcome, judge, time, others = entry
                if first is not None:
                    self.engine.tell(first, -1 if second is None else second, outcome, judge, time, others)
        return [
            (first, second)
            for first, second, _, judge, _, others in entries
            if judge == self.name and first is not None and second is not None and not others
        ]

    def _halves(self, known: list[tuple[int, int]]) -> list[_Asked]:
        gold = {frozenset(pair[:2]) for pair in self.engine.gold()[0]}
        shown = Counter(pair for pair in known if frozenset(pair) not in gold)
        return [
            _Asked(right, left) for (left, right), count in shown.items() for _ in range(count - shown[right, left])
        ]

    def next(self) -> list[_Asked]:
        """The next questions: one, or a batch. None if it is time to stop."""
        with self.lock:
            room = self.batch or 1
            if self.budget is not None:
                room = min(room, self.budget - self.before - self.asked - len(self.out))
            if room < 1:
                self.reason = "budget"
                return []
            chosen = [self.halves.pop(0) for _ in range(min(room, len(self.halves)))]
            if not chosen:
                if self._is_enough():
                    return []
                chosen = self._choose(room)
                if not chosen:
                    self.reason = "exhausted"
            self.out += chosen
            return chosen

    def _choose(self, room: int) -> list[_Asked]:
        gold = self._gold()
        if gold is not None:
            # One at a time: whether it is time for another depends on its answer.
            return [gold]
        pending = [(one.left, one.right) for one in self.out + self.halves]
        pairs = -(-room // 2) if self.both_orders else room
        beside = np.array(pending, np.int64).reshape(-1, 2) if pending else None
        chosen = []
        for first, second, _ in self.engine.ask(pairs, beside):
            left, right = self.engine.sides(first, second)
            chosen.append(_Asked(left, right))
            if self.both_orders:
                turned = _Asked(right, left)
                (chosen if len(chosen) < room else self.halves).append(turned)
        return chosen

    def _gold(self) -> _Asked | None:
        """The gold pair to ask now, if it is time for one and it is not out already. Every judge is asked each once, in one order."""
        gold = self.engine.gold_question(self.name)
        if gold is None or any({one.left, one.right} == set(gold) for one in self.out):
            return None
        return _Asked(*gold)

    def _is_enough(self) -> bool:
        if callable(self.stop):
            if self.stop(self.model):
                self.reason = "stop"
                return True
        elif self.stop is not False and self.engine.is_done():
            self.reason = "goal"
            return True
        return False

    def call(self, judge: Any, asked: list[_Asked]) -> Any:
        """What the judge says, or will say if he is async."""
        shown = [(self.ids[one.left], self.ids[one.right]) for one in asked]
        try:
            return judge(shown) if self.batch is not None else judge(*shown[0])
        except BaseException:
            self._forget(asked)
            raise

    def _forget(self, asked: list[_Asked]) -> None:
        with self.lock:
            self.out = [one for one in self.out if one not in asked]

    def record(self, asked: list[_Asked], found: Any) -> None:
        """Puts answers on the disk, then learns them."""
        with self.lock:
            self.out = [one for one in self.out if one not in asked]
            verdicts = [found]
            if self.batch is not None:
                if isinstance(found, str | bytes) or not isinstance(found, Sequence | np.ndarray):
                    raise DataTypeError(f"a judge of batches: found {type(found).__name__}, expected a list of answers")
                if len(found) != len(asked):
                    raise DataError(f"a judge of batches: found {len(found)} answers, expected {len(asked)}, one per pair")
                verdicts = list(found)
            words = [self._word(one, verdict) for one, verdict in zip(asked, verdicts, strict=True)]
            for one, word in zip(asked, words, strict=True):
                if self.log is not None:
                    self.log.append(one.left, one.right, word, self.name)
                self.asked += 1
                self.engine.tell(one.left, one.right, word, self.name)
                if self._step is not None:
                    self._step("asking", self.before + self.asked, self.budget, None, None)

    def _word(self, asked: _Asked, verdict: Any) -> str:
        if inspect.isawaitable(verdict):
            raise DataTypeError("a judge: found something to await, expected an answer", hint="declare the judge as `async def`")
        for side, word in ((asked.left, "first"), (asked.right, "second")):
            id = self.ids[side]
            if type(verdict) is type(id) and verdict == id:
                return word
        return data.outcome_word(verdict)

    def result(self) -> Run:
        return Run(self.asked, self.before + self.asked, self.reason)
