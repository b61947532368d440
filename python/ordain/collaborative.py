"""Many users who rate items: what they agree on, and what each of them likes.

>>> import ordain
>>> ratings = [("ann", "tea", 5), ("ann", "beer", 1), ("bob", "tea", 4), ("bob", "beer", 2), ("cleo", "beer", 1)]
>>> model = ordain.CollaborativeModel(rounds=2).fit(["tea", "beer"], ratings)
>>> model.consensus().ids
['tea', 'beer']
>>> list(model.rank("cleo").columns)
['id', 'rank', 'mean', 'sd', 'rank_low', 'rank_high', 'grade']
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core, data, kernels
from ._stored import StoredModel
from .errors import DataError, DataTypeError, UnknownItemError
from ._model import Progress, following
from .models import PreferenceModel
from .results import Frame


class PersonalRanking(Frame):
    """Items by rank: `mean` and `sd` of their utility, an interval of the rank, and the expected `grade` where there are grades."""

    def __init__(self, columns: dict[str, Any], probabilities: NDArray[np.float64] | None, grades: list[int]) -> None:
        super().__init__(columns)
        #: The probability of every grade (columns) of every item (rows, in the order of the ranking).
        self.probabilities = probabilities
        #: The grades that there are.
        self.grades = grades

    @property
    def ids(self) -> list[Any]:
        """The items, best first."""
        return list(self["id"])


class CollaborativeModel(StoredModel):
    """Learns a prior that users share from their grades and answers, and everyone's own utilities under it.

    Args:
        kernel: How alike items are before anybody speaks; not at all by default. Kernels over attributes only.
        grades: How grades are read: "ordinal" (classes in an order, with thresholds per user) or "values" (numbers).
        noise: The noise before anything is learned.
        rounds: Rounds of EM.
        shrinkage: The weight of the prior at the start, in users per item.
        seed: The seed of the draws for intervals.
    """

    _kind = _core.RatersModel
    model_: _core.RatersModel

    def __init__(
        self,
        kernel: kernels.Kernel | None = None,
        *,
        grades: Literal["ordinal", "values"] = "ordinal",
        noise: float | None = None,
        rounds: int = 10,
        shrinkage: float = 1.0,
        seed: int = 1,
    ) -> None:
        self.kernel = kernel
        self.grades = grades
        self.noise = noise
        self.rounds = rounds
        self.shrinkage = shrinkage
        self.seed = seed

    def fit(
        self,
        items: Any,
        ratings: Any = None,
        answers: Any = None,
        *,
        progress: bool | Progress | None = None,
    ) -> CollaborativeModel:
        """Learns from users.

        Args:
            items: As in `PreferenceModel.fit`.
            ratings: Tuples of user, item and grade, or a table with columns `user`, `item` and `grade`.
            answers: Tuples of user, better and worse item, or a table with columns `user`, `winner` and `loser`.
        """
        given = data.read_items(items)
        index = data.Index(given.ids)
        users: dict[Hashable, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {}
        for user, item, grade in _triples(ratings, ("user", "item", "grade"), "rating"):
            users.setdefault(user, ([], []))[0].append((index.at(item), _grade(grade)))
        for user, winner, loser in _triples(answers, ("user", "winner", "loser"), "answer"):
            users.setdefault(user, ([], []))[1].append((index.at(winner), index.at(loser)))
        relations: list[data.Links] = []
        parts = [] if self.kernel is None else self.kernel.parts()
        tables = [PreferenceModel._table(part, index, relations) for part in parts]
        if relations:
            raise DataError("kernel: found one over links, expected kernels over attributes")
        people = data.Index(list(users))
        told = [(name, users[user]) for name, user in zip(people.texts(), people.ids, strict=True)]
        params = {"noise": self.noise, "grades": self.grades, "rounds": self.rounds, "shrinkage": self.shrinkage}
        with following(progress) as step:
            self.model_ = _core.fit_raters(index.texts(), given.values, given.names, tables, told, params, step)
        self._index, self._people = index, people
        #: The users, in the order in which they first spoke.
        self.users_ = people.ids
        return self

    def consensus(self) -> PersonalRanking:
        """The ranking that users agree on."""
        model: _core.RatersModel = self._fitted()
        return self._ranking(model.consensus(self.seed), None)

    def rank(self, user: Hashable) -> PersonalRanking:
        """What is believed of one user."""
        model: _core.RatersModel = self._fitted()
        try:
            at = self._people.at(user)
        except UnknownItemError:
            raise UnknownItemError(f"found {user!r}, expected one of the {len(self._people)} users") from None
        return self._ranking(*model.personal(at, self.seed))

    def rank_newcomer(
        self, ratings: Sequence[tuple[Any, int]] = (), answers: Sequence[tuple[Any, Any]] = ()
    ) -> PersonalRanking:
        """What is believed of a user who was not there: items with grades, and pairs of a better and a worse item."""
        model: _core.RatersModel = self._fitted()
        graded = [(self._index.at(item), _grade(grade)) for item, grade in ratings]
        pairs = [(self._index.at(winner), self._index.at(loser)) for winner, loser in answers]
        return self._ranking(*model.newcomer((graded, pairs), self.seed))

    def _ranking(self, columns: dict[str, Any], probabilities: NDArray[np.float64] | None) -> PersonalRanking:
        positions = columns.pop("item")
        out: dict[str, Any] = {"id": [self._index.ids[at] for at in positions.tolist()], **columns}
        grades: list[int] = self._fitted().grades()
        if probabilities is not None:
            probabilities = probabilities[positions]
            out["grade"] = probabilities @ np.array(grades, float)
        return PersonalRanking(out, probabilities, grades)

    @property
    def log_evidences_(self) -> list[float]:
        """The log evidence after every round."""
        found: list[float] = self._fitted().log_evidences()
        return found


def _triples(given: Any, names: tuple[str, str, str], what: str) -> Iterable[tuple[Any, Any, Any]]:
    if given is None:
        return []
    table = data.as_table(given)
    if table is not None:
        missing = [name for name in names if name not in table.names]
        if missing:
            raise DataError(f"columns of {what}s: found {', '.join(table.names)}, expected {', '.join(names)}")
        return zip(*(table.list(name) for name in names), strict=True)
    rows = list(given)
    for at, row in enumerate(rows):
        if isinstance(row, str | bytes) or len(row) != 3:
            raise DataTypeError(f"{what} {at}: found {row!r}, expected {', '.join(names)}")
    return [(row[0], row[1], row[2]) for row in rows]


def _grade(grade: Any) -> int:
    if isinstance(grade, bool) or int(grade) != grade:
        raise DataError(f"a grade: found {grade!r}, expected a whole number")
    return int(grade)
