"""Models that learn the order of things from comparisons: in memory, or in a folder."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, Literal

from . import _core, data, kernels
from ._model import Goal, Ids, Inference, Model, Progress, parts, told
from ._params import Estimator
from .errors import DataError, DataTypeError, ParameterError, not_fitted


class PreferenceModel(Estimator, Model):
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
            id: The column of ids. By default a column `id`, or else the index of a pandas frame.
            group: The column of groups, or the group of every item: items are compared within groups only.
            attributes: The columns of attributes. By default all columns of numbers but those of the prior.
            prior: What is known before any answer, such as last year's rating: a column or several, by name, or numbers per item. Their
                weighted sum is the mean of the utilities. The weights are 1 each; `tune` learns them.
            gold: Answers that are known to be right, in any form of `answers`. Some questions of `run` are about their pairs. They show
                how good judges are (`judges`); nothing about items is learned from them.
        """
        given = data.read_items(items, id=id, group=group, attributes=attributes, prior=prior)
        ids = Ids(given.ids, given.groups)
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
        said = data.read_answers(answers, ids.index)
        if len(said.first):
            engine.add(said.first, said.second, said.outcomes, said.judges, said.times, said.others)
        self._engine, self._ids, self._asked_by = engine, ids, {}
        self._columns = {"id": id, "group": group if isinstance(group, str) else None}
        self.n_features_in_ = 0 if given.values is None else given.values.shape[1]
        return self

    def _join(
        self, items: Any, links: Any, inference: Inference, step: Progress | None
    ) -> tuple[_core.Fitted, Ids]:
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
        all_ids = Ids([*ids.index.ids, *given.ids], None if ids.groups is None else [*ids.groups, *(given.groups or [])])
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
        return told({**given, "repeat": self.repeat, "seed": self.seed})

    def _open(self) -> tuple[_core.Engine, Ids]:
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
        self._engine, self._ids, self._asked_by = engine, Ids(snapshot["ids"], memory["groups"]), {}
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


class Project(Model):
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

    def _open(self) -> tuple[_core.Engine, Ids]:
        return self._engine, self._ids

    def _join(
        self, items: Any, links: Any, inference: Inference, step: Progress | None
    ) -> tuple[_core.Fitted, Ids]:
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


def _project_ids(engine: _core.Engine) -> Ids:
    """The ids of a project."""
    return _unique(engine.ids(), engine.groups())


def _unique(names: list[str], groups: list[str] | None) -> Ids:
    """Where ids repeat between groups, an item is named by its group and its id."""
    ids: list[Hashable] = list(names)
    if groups is not None and len(set(ids)) < len(ids):
        ids = list(zip(groups, ids, strict=True))
    return Ids(ids, groups)
