"""One order from many experts, and how much each expert counts.

>>> from ordain import fusion
>>> web, library = {"a": 3.0, "b": 2.0, "c": 1.0}, {"b": 9.0, "a": 8.0}
>>> fusion.fuse([web, library]).ids
['a', 'b', 'c']
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._params import Estimator
from .errors import DataError, DataTypeError, not_fitted
from .results import Frame

#: What an expert says: scores of items, or items best first.
Expert: TypeAlias = "Mapping[Any, float] | Sequence[Any]"
Method: TypeAlias = Literal[
    "greedy", "components", "local", "borda", "combsum", "combmnz", "rrf", "copeland", "exact"
]
Unretrieved: TypeAlias = Literal["last", "abstain"]


class Fused(Frame):
    """A fused order: columns `id` and `score`, best first."""

    @property
    def ids(self) -> list[Any]:
        """The items, best first."""
        return list(self["id"])


def _scores(experts: Sequence[Expert]) -> tuple[list[Hashable], NDArray[np.float64]]:
    """All items, and a row of scores per expert. NaN is an item that an expert did not return."""
    lists: list[Mapping[Any, float]] = []
    for expert in experts:
        if isinstance(expert, Mapping):
            lists.append(expert)
        elif isinstance(expert, Sequence) and not isinstance(expert, str | bytes):
            lists.append({id: float(len(expert) - at) for at, id in enumerate(expert)})
            if len(lists[-1]) < len(expert):
                raise DataError("an expert's list: found an item twice, expected each once")
        else:
            raise DataTypeError(f"an expert: found {type(expert).__name__}, expected scores by item, or items best first")
    index: dict[Hashable, int] = {}
    for known in lists:
        for id in known:
            index.setdefault(id, len(index))
    out = np.full((len(lists), len(index)), np.nan)
    for row, known in zip(out, lists, strict=True):
        for id, score in known.items():
            row[index[id]] = score
            if np.isnan(score):
                raise DataError(f"an expert's list: found NaN for {id!r}, expected a number")
    return list(index), out


def fuse(
    experts: Sequence[Expert],
    weights: Sequence[float] | None = None,
    *,
    method: Method = "greedy",
    unretrieved: Unretrieved = "last",
) -> Fused:
    """One order of all items that some expert returned.

    Args:
        experts: What each says: scores of items, or items best first.
        weights: How much each counts; equal by default.
        method: How orders become one. "exact" agrees most with the experts, for few items.
        unretrieved: What it means if an expert does not return an item: "last" is below all that it returned, "abstain" no opinion.
    """
    ids, scores = _scores(experts)
    counted = [1.0 / max(len(scores), 1)] * len(scores) if weights is None else [float(weight) for weight in weights]
    order, values = _core.fuse(scores, counted, method, unretrieved)
    return Fused({"id": [ids[at] for at in order.tolist()], "score": values})


def agreement(
    order: Sequence[Any],
    experts: Sequence[Expert],
    weights: Sequence[float] | None = None,
    *,
    unretrieved: Unretrieved = "last",
) -> float:
    """How much of the experts' weighted preferences an order of all their items agrees with: the sum over its pairs."""
    ids, scores = _scores(experts)
    index = {id: at for at, id in enumerate(ids)}
    counted = [1.0 / max(len(scores), 1)] * len(scores) if weights is None else [float(weight) for weight in weights]
    return _core.order_agreement(scores, counted, [_at(index, id) for id in order], unretrieved)


def clicks(shown: Sequence[Any], clicked: Sequence[Any]) -> list[tuple[Any, Any]]:
    """What clicks say, as feedback: a clicked item is better than those that stood above it and were not clicked."""
    index = {id: at for at, id in enumerate(shown)}
    if len(index) < len(shown):
        raise DataError("items that were shown: found one twice, expected each once")
    pairs = _core.pairs_of_clicks(list(range(len(shown))), [_at(index, id) for id in clicked])
    return [(shown[better], shown[worse]) for better, worse in pairs]


class Hedge(Estimator):
    """Learns how much each expert counts, query by query: an expert's weight falls with the share of the feedback that he contradicts.

    Args:
        beta: The factor of a weight per loss of 1, between 0 and 1. A smaller value learns faster.
        initial: The weights to begin with; equal by default.
        method: How orders become one.
        unretrieved: What it means if an expert does not return an item.

    >>> import ordain
    >>> hedge = ordain.Hedge()
    >>> hedge = hedge.partial_fit([["a", "b"], ["b", "a"]], {"a": 1, "b": 0})
    >>> bool(hedge.weights_[0] > hedge.weights_[1])
    True
    >>> hedge.predict([["x", "y"], ["y", "x"]]).ids
    ['x', 'y']
    """

    _learn = "hedge"

    def __init__(
        self,
        *,
        beta: float = 0.5,
        initial: Sequence[float] | None = None,
        method: Method = "greedy",
        unretrieved: Unretrieved = "last",
    ) -> None:
        self.beta = beta
        self.initial = initial
        self.method = method
        self.unretrieved = unretrieved

    def _rate(self) -> float:
        return self.beta

    def partial_fit(
        self, experts: Sequence[Expert], feedback: Mapping[Any, int] | Sequence[tuple[Any, Any]], *, query: str | None = None
    ) -> Hedge:
        """Learns from one query: grades of items, or pairs of a better and a worse item."""
        ids, scores = _scores(experts)
        index = {id: at for at, id in enumerate(ids)}
        if isinstance(feedback, Mapping):
            graded = [feedback.get(id, 0) for id in ids]
            pairs = _core.pairs_of_grades([int(grade) for grade in graded])
        else:
            pairs = [(_at(index, better), _at(index, worse)) for better, worse in feedback]
        if "_experts" not in self.__dict__:
            names = [f"expert {at + 1}" for at in range(len(scores))]
            initial = None if self.initial is None else [float(weight) for weight in self.initial]
            self._experts = _core.Experts(names, self._learn, self._rate(), initial)
        rounds = self._experts.losses()[0]
        self._experts.learn(f"query {rounds + 1}" if query is None else query, scores, pairs, self.unretrieved)
        return self

    def fit(self, queries: Sequence[tuple[Sequence[Expert], Any]]) -> Hedge:
        """Begins anew and learns from queries: what the experts say, and the feedback."""
        self.__dict__.pop("_experts", None)
        for experts, feedback in queries:
            self.partial_fit(experts, feedback)
        return self

    def _known(self) -> _core.Experts:
        try:
            return self._experts
        except AttributeError:
            raise not_fitted(f"this {type(self).__name__} has learned nothing yet", "call partial_fit first") from None

    def predict(self, experts: Sequence[Expert]) -> Fused:
        """One order from the experts, by the present weights."""
        return fuse(experts, self._known().weights(), method=self.method, unretrieved=self.unretrieved)

    @property
    def weights_(self) -> NDArray[np.float64]:
        """How much each expert counts; the sum is 1."""
        return np.array(self._known().weights())

    @property
    def loss_(self) -> float:
        """What the weighted experts lost over all queries."""
        return self._known().losses()[1]

    @property
    def bound_(self) -> float | None:
        """What they could have lost at most, whatever was said."""
        return self._known().losses()[2]

    @property
    def expert_losses_(self) -> NDArray[np.float64]:
        """What each expert alone would have lost."""
        return np.array(self._known().losses()[3])

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if "_experts" in state:
            state["_experts"] = state["_experts"].to_json()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_experts" in state:
            state["_experts"] = _core.Experts.from_json(state["_experts"])
        self.__dict__.update(state)


class Margin(Hedge):
    """Learns weights of experts by the margin of their combined preference: an expert counts for what he adds to the others.

    `prior` says how many queries it takes to move away from the initial weights.
    """

    _learn = "margin"

    def __init__(
        self,
        *,
        prior: float = 0.1,
        initial: Sequence[float] | None = None,
        method: Method = "greedy",
        unretrieved: Unretrieved = "last",
    ) -> None:
        self.prior = prior
        self.initial = initial
        self.method = method
        self.unretrieved = unretrieved

    def _rate(self) -> float:
        return self.prior


def _at(index: dict[Hashable, int], id: Hashable) -> int:
    try:
        return index[id]
    except KeyError:
        raise DataError(f"feedback: found {id!r}, expected an item that some expert returned") from None
