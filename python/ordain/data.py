"""Reads what callers have: arrays, pandas, polars, Arrow, SciPy sparse matrices, networkx graphs, lists.

Ids may be of any hashable type and come back as they were given. Inside, items are positions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import DataError, DataTypeError, UnknownItemError
from .results import Screen

Floats: TypeAlias = NDArray[np.float64]
Positions: TypeAlias = NDArray[np.int64]


class Table:
    """The columns of a table, whoever made it. Numbers are arrays; all else are lists."""

    def __init__(self, names: list[str], get: Any, rows: int, index: list[Hashable] | None = None) -> None:
        self.names = names
        self.rows = rows
        #: The labels of the rows, where the table has some that somebody chose.
        self.index = index
        self._get = get

    def column(self, name: str) -> Any:
        """A column: an array if it holds numbers, else a list."""
        return self._get(name)

    def list(self, name: str) -> list[Any]:
        """A column as Python objects. What pandas calls missing is None."""
        values = self.column(name)
        if isinstance(values, np.ndarray):
            return list(values.tolist())
        return [None if _is_missing(value) else value for value in values]


def as_table(given: Any) -> Table | None:
    """The table that an object is, or None if it is no table."""
    module = type(given).__module__.split(".")[0]
    if module == "pandas" and hasattr(given, "iloc") and getattr(given, "ndim", 0) == 2:
        return _pandas(given)
    if module == "polars" and hasattr(given, "get_column"):
        return _polars(given)
    if hasattr(given, "__arrow_c_stream__"):
        from . import _arrow

        return _columns(_arrow.read(given))
    if is_mapping(given) and given and all(isinstance(name, str) for name in given):
        if all(_is_column(value) for value in given.values()):
            return _columns(given)
    return None


def is_mapping(given: Any) -> bool:
    """Whether an object is a mapping of its caller; some sparse matrices are mappings too."""
    return isinstance(given, Mapping) and not hasattr(given, "tocoo")


def _is_column(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)


def _pandas(frame: Any) -> Table:
    names = [str(name) for name in frame.columns]
    _once(names)
    index = None if type(frame.index).__name__ == "RangeIndex" else list(frame.index)

    def get(name: str) -> Any:
        column = frame.iloc[:, names.index(name)]
        if column.dtype.kind in "biuf":
            return column.to_numpy()
        if getattr(column.dtype, "_is_numeric", False):
            # Extension types have a missing value of their own.
            return column.to_numpy(dtype=float, na_value=np.nan)
        return column.tolist()

    return Table(names, get, len(frame), index)


def _polars(frame: Any) -> Table:
    def get(name: str) -> Any:
        column = frame.get_column(name)
        if column.dtype.is_numeric() and not column.dtype.is_decimal():
            # Nulls become NaN.
            return column.to_numpy()
        return column.to_list()

    return Table(list(frame.columns), get, frame.height)


def _columns(columns: Mapping[str, Any]) -> Table:
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise DataError(f"columns of a table: found lengths {sorted(lengths)}, expected one length")

    def get(name: str) -> Any:
        values = columns[name]
        if isinstance(values, np.ndarray):
            return values if values.dtype.kind in "biuf" else values.tolist()
        array = np.asarray(values) if values and all(_is_number(value) for value in values) else None
        return values if array is None else array

    names = list(columns)
    return Table(names, get, lengths.pop() if lengths else 0)


def _once(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise DataError(f'columns: found "{name}" twice, expected each name once')


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | np.bool_)


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls missing: what is not equal to itself."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas.NA refuses to be true or false.
        return type(value).__name__ == "NAType"


@dataclass
class Items:
    """Items as they were given: ids, attributes, groups, and the columns of what is known before any answer."""

    ids: list[Hashable]
    values: Floats | None = None
    names: list[str] = field(default_factory=list)
    groups: list[str] | None = None
    prior: Floats | None = None
    prior_names: list[str] = field(default_factory=list)


def read_items(
    given: Any,
    *,
    id: str | None = None,
    group: str | Sequence[Hashable] | None = None,
    attributes: Sequence[str] | None = None,
    prior: Any = None,
) -> Items:
    """Items from a table, an array with one row per item, a mapping from ids to rows, or a sequence of ids."""
    table = None if is_mapping(given) else as_table(given)
    if table is not None:
        return _table_items(table, id, group, attributes, prior)
    for name, value in (("id", id), ("attributes", attributes)):
        if value is not None:
            raise DataTypeError(f"{name}: found a name of columns, expected items in a table with columns")
    if has_positions(given):
        values = matrix(given, "attributes")
        items = Items(list(range(len(values))), values, [f"x{at + 1}" for at in range(values.shape[1])])
    elif isinstance(given, Mapping):
        values = matrix(list(given.values()), "attributes")
        items = Items(list(given), values, [f"x{at + 1}" for at in range(values.shape[1])])
    elif isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise DataTypeError(f"items: found {_kind(given)}, expected a table, an array, a mapping or a sequence of ids")
    else:
        items = Items(given.tolist() if isinstance(given, np.ndarray) else list(given))
    if group is not None:
        items.groups = _groups(group, len(items.ids))
    if prior is not None:
        _set_prior(items, prior)
    return items


def has_positions(given: Any) -> bool:
    """Whether items are the rows of an array, so that their ids are their positions."""
    return isinstance(given, np.ndarray) and given.ndim == 2 or hasattr(given, "toarray")


def _set_prior(items: Items, prior: Any) -> None:
    """What is known before any answer, as a column of numbers or several."""
    if _are_names(prior):
        raise DataTypeError(f"prior: found {prior!r}, expected numbers, or names of columns beside items in a table with columns")
    array = np.asarray(prior)
    values = matrix(array[:, np.newaxis] if array.ndim == 1 else prior, "prior")
    if len(values) != len(items.ids):
        raise DataError(f"prior: found {len(values)} rows, expected {len(items.ids)}, one per item")
    items.prior, items.prior_names = values, [f"prior{at + 1}" for at in range(values.shape[1])]


def _are_names(given: Any) -> bool:
    return isinstance(given, str) or isinstance(given, list | tuple) and all(isinstance(name, str) for name in given)


def _table_items(
    table: Table, id: str | None, group: str | Sequence[Hashable] | None, attributes: Sequence[str] | None, prior: Any
) -> Items:
    known = set(table.names)
    of_group = [group] if isinstance(group, str) else []
    of_prior = ([prior] if isinstance(prior, str) else list(prior)) if _are_names(prior) else []
    for name in ([id] if id is not None else []) + of_group + list(attributes or []) + of_prior:
        if name not in known:
            raise DataError(f'columns: found none called "{name}", expected one of {", ".join(table.names)}')
    if id is None and "id" in known:
        # A frame that was filtered or joined has an index that nobody chose.
        id = "id"
    if id is not None:
        ids = table.list(id)
    else:
        ids = list(range(table.rows)) if table.index is None else list(table.index)
    groups = None
    if isinstance(group, str):
        groups = _groups(table.list(group), table.rows)
    elif group is not None:
        groups = _groups(group, table.rows)
    if attributes is None:
        rest = [name for name in table.names if name != id and name not in of_group + of_prior]
        attributes = [name for name in rest if isinstance(table.column(name), np.ndarray)]
    both = set(attributes).intersection(of_prior)
    if both:
        raise DataError(f'columns: found "{both.pop()}" in attributes and prior, expected it in one of them')
    items = Items(ids, groups=groups)
    if attributes:
        items.values, items.names = _numbers(table, attributes, "attributes"), list(attributes)
    if of_prior:
        items.prior, items.prior_names = _numbers(table, of_prior, "prior"), of_prior
    elif prior is not None:
        _set_prior(items, prior)
    return items


def _numbers(table: Table, names: Sequence[str], what: str) -> Floats:
    """Columns of numbers as an array, a row per row."""
    columns = []
    for name in names:
        column = table.column(name)
        if not isinstance(column, np.ndarray):
            raise DataTypeError(f'{what}: found column "{name}" of {_kind(column[0] if column else None)}, expected numbers')
        columns.append(column)
    return np.column_stack(columns).astype(np.float64, copy=False)


def _groups(given: Sequence[Hashable], count: int) -> list[str]:
    if isinstance(given, str) or len(given) != count:
        found = "a text" if isinstance(given, str) else str(len(given))
        raise DataError(f"groups: found {found}, expected {count}, one per item")
    return [str(name) for name in given]


def matrix(given: Any, what: str) -> Floats:
    """A matrix of finite numbers, one row per item. An array of float64 is not copied."""
    if hasattr(given, "toarray"):
        given = given.toarray()
    table = as_table(given)
    if table is not None:
        given = np.column_stack([table.column(name) for name in table.names])
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise DataError(f"{what}: found rows of different lengths, expected one length") from error
    if array.dtype == object and all(_is_number(value) for value in array.flat):
        array = array.astype(np.float64)
    if array.dtype.kind == "c":
        raise DataTypeError(f"{what}: Complex data not supported: found {array.dtype}, expected float64")
    if array.dtype.kind not in "biuf":
        kind = _kind(array.flat[0]) if array.dtype == object and array.size else f"numbers of type {array.dtype}"
        raise DataTypeError(f"{what}: found {kind}, expected float64 or what becomes it")
    if array.ndim != 2:
        raise DataError(f"{what}: found {array.ndim} dimensions, expected 2: a row per item, a column per attribute")
    return array.astype(np.float64, copy=False)


def vector(given: Any, what: str, kind: Any = np.float64) -> NDArray[Any]:
    """A vector of numbers. An array of the right type is not copied."""
    array = np.asarray(given)
    if array.ndim != 1:
        raise DataError(f"{what}: found {array.ndim} dimensions, expected 1")
    if array.dtype.kind not in "biuf" and array.size:
        raise DataTypeError(f"{what}: found values of type {array.dtype}, expected numbers")
    if np.issubdtype(kind, np.integer) and array.dtype.kind == "f":
        whole = array.astype(kind) if np.isfinite(array).all() else None
        if whole is None or not (whole == array).all():
            raise DataError(f"{what}: found numbers that are not whole, expected whole numbers")
        return whole
    return array.astype(kind, copy=False)


class Index:
    """The positions of ids."""

    def __init__(self, ids: Sequence[Hashable]) -> None:
        self.ids = list(ids)
        self._at: dict[Hashable, int] = {}
        self._by_text: dict[str, int] | None = None
        for at, id in enumerate(self.ids):
            if _is_missing(id):
                raise DataError(f"item ids: found a missing one at position {at}, expected an id")
            try:
                known = self._at.setdefault(id, at)
            except TypeError as error:
                raise DataTypeError(f"item ids: found {_kind(id)} at position {at}, expected something hashable") from error
            if known != at:
                raise DataError(f"item ids: found {id!r} twice, expected each id once")
        #: Whether every id is its position, so that arrays need no lookup.
        self.is_plain = all(type(id) is int and id == at for at, id in enumerate(self.ids))

    def __len__(self) -> int:
        return len(self.ids)

    def at(self, id: Hashable) -> int:
        """The position of an id."""
        try:
            return self._at[id]
        except KeyError:
            raise UnknownItemError(f"found {id!r}, expected one of the {len(self.ids)} items", hint=self._near(id)) from None
        except TypeError:
            raise DataTypeError(f"found {_kind(id)}, expected the id of an item") from None

    def _near(self, id: object) -> str | None:
        """Ids of another type that look the same are the usual mistake."""
        alike = next((known for known in self.ids if str(known) == str(id)), None)
        return None if alike is None else f"there is {alike!r}, of type {type(alike).__name__}"

    def called(self, text: str) -> int:
        """The position of the id that a file has as this text."""
        if text in self._at:
            return self._at[text]
        if self._by_text is None:
            self._by_text = {name: at for at, name in enumerate(self.texts())}
        return self._by_text[text] if text in self._by_text else self.at(text)

    def beside(self, first: int, second: Any, outcome: str) -> tuple[int, list[int]]:
        """The position of the second item, -1 for none, and those of the items that were shown with these two.

        Several items are a list; the first may be among them, unless they are said to stand in this order.
        """
        if second is None:
            return -1, []
        if not is_several(second):
            return self.at(second), []
        rest = [self.at(id) for id in second]
        if outcome != "order" and first in rest:
            rest.remove(first)
        if not rest:
            raise DataError("several items: found none beside the first, expected at least one")
        return rest[0], rest[1:]

    def many(self, ids: Any, what: str) -> Positions:
        """The positions of many ids."""
        if self.is_plain and isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
            wrong = np.flatnonzero((ids < 0) | (ids >= len(self.ids)))
            if len(wrong):
                raise UnknownItemError(f"{what}: found {ids[wrong[0]]}, expected one of the {len(self.ids)} items")
            return ids.astype(np.int64, copy=False)
        if isinstance(ids, np.ndarray):
            ids = ids.tolist()
        return np.fromiter((self.at(id) for id in ids), np.int64, len(ids))

    def texts(self) -> list[str]:
        """The ids as texts, each once, as the core keeps them."""
        texts = [id if isinstance(id, str) else str(id) for id in self.ids]
        if len(set(texts)) == len(texts):
            return texts
        # 1 and "1" look the same: their representations do not.
        texts = [repr(id) for id in self.ids]
        if len(set(texts)) == len(texts):
            return texts
        return [f"{at}: {text}" for at, text in enumerate(texts)]


def is_several(given: Any) -> bool:
    """Whether this is a list of items that were shown together. A tuple is an id, but for the screens that `ask` gives."""
    return isinstance(given, list | Screen | np.ndarray)


def outcome_word(outcome: Any) -> str:
    """The word of an outcome: a word as it is, a probability of the first, votes, or None for a skip."""
    if isinstance(outcome, str):
        return outcome
    if outcome is None:
        return "skip"
    if isinstance(outcome, bool | np.bool_):
        return "first" if outcome else "second"
    if isinstance(outcome, int | float | np.number):
        probability = float(outcome)
        if not 0.0 <= probability <= 1.0:
            raise DataError(f"an outcome: found {outcome}, expected a probability from 0 to 1")
        return f"first:{probability!r}"
    if isinstance(outcome, tuple | list) and len(outcome) in (2, 3):
        if all(isinstance(votes, int | np.integer) for votes in outcome):
            return ":".join(str(int(votes)) for votes in outcome)
    raise DataTypeError(
        f"an outcome: found {_kind(outcome)}, expected a word such as first, tie or skip, a probability, votes or None"
    )


@dataclass
class Answers:
    """Answers as columns. A second position of -1 is none; without outcomes the first is preferred. `others` are the items that were shown
    with the first and the second."""

    first: Positions
    second: Positions
    outcomes: list[str] | None = None
    judges: list[str | None] | None = None
    times: list[str | None] | None = None
    others: list[list[int]] | None = None


def read_answers(given: Any, index: Index) -> Answers:
    """Answers from a table (`winner`, `loser`; `first`, `second`, `outcome`; or `shown`, `best`; perhaps `judge`, `time`), an array of
    winners and losers, or tuples: winner and loser, or first, second, outcome and perhaps a judge."""
    none = np.empty(0, np.int64)
    if given is None:
        return Answers(none, none)
    table = as_table(given)
    if table is not None:
        return _table_answers(table, index)
    if isinstance(given, np.ndarray):
        if given.size == 0:
            return Answers(none, none)
        if given.ndim != 2 or given.shape[1] != 2:
            raise DataError(f"answers: found an array of shape {given.shape}, expected two columns: winners and losers")
        return Answers(_contiguous(index.many(given[:, 0], "answers")), _contiguous(index.many(given[:, 1], "answers")))
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise DataTypeError(f"answers: found {_kind(given)}, expected a table, an array or a sequence of tuples")
    rows = [_row(row, at) for at, row in enumerate(given)]
    first = np.fromiter((index.at(row[0]) for row in rows), np.int64, len(rows))
    beside = [index.beside(at, row[1], row[2]) for at, row in zip(first.tolist(), rows, strict=True)]
    second = np.fromiter((at for at, _ in beside), np.int64, len(rows))
    others = [rest for _, rest in beside]
    plain = all(row[2] == "first" and row[3] is None for row in rows)
    outcomes = None if plain else [row[2] for row in rows]
    judges = None if plain else [row[3] for row in rows]
    return Answers(first, second, outcomes, judges, others=others if any(others) else None)


def _row(row: Any, at: int) -> tuple[Hashable, Any, str, str | None]:
    if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray) or len(row) not in (2, 3, 4):
        raise DataTypeError(f"answer {at}: found {row!r}, expected winner and loser, or first, second and outcome")
    outcome = "first" if len(row) == 2 else outcome_word(row[2])
    return row[0], row[1], outcome, None if len(row) < 4 or row[3] is None else str(row[3])


def _contiguous(array: Positions) -> Positions:
    return np.ascontiguousarray(array)


#: What makes a table one of answers.
_LAYOUTS = (("winner", "loser"), ("first", "second", "outcome"), ("shown", "best"))


def _table_answers(table: Table, index: Index) -> Answers:
    names = set(table.names)
    layout = next((layout for layout in _LAYOUTS if names.issuperset(layout)), None)
    if layout is None:
        known = "; ".join(", ".join(layout) for layout in _LAYOUTS)
        raise DataError(f"columns of answers: found {', '.join(table.names)}, expected {known}")

    def texts(name: str) -> list[str | None] | None:
        if name not in names:
            return None
        return [None if _is_missing(value) else str(value) for value in table.list(name)]

    if layout == ("shown", "best"):
        found = _choices(table, index)
    else:
        first = index.many(table.column(layout[0]), layout[0])
        loser = table.list(layout[1])
        if any(id is None for id in loser):
            second = np.fromiter((-1 if _is_missing(id) else index.at(id) for id in loser), np.int64, table.rows)
        else:
            second = index.many(table.column(layout[1]), layout[1])
        found = Answers(_contiguous(first), _contiguous(second))
        if len(layout) == 3:
            said = [_said(outcome_word(value), index) for value in table.list("outcome")]
            found.outcomes = [word for word, _ in said]
            found.others = [others for _, others in said] if any(others for _, others in said) else None
    found.judges, found.times = texts("judge"), texts("time")
    return found


def _choices(table: Table, index: Index) -> Answers:
    """Answers that say the best of what was shown: lists of ids, or text as in `A|B|C`."""
    first = index.many(table.column("best"), "best")
    beside = []
    for best, cell in zip(first.tolist(), table.list("shown"), strict=True):
        if isinstance(cell, str):
            shown = [index.called(text) for text in split_ids(cell)]
        elif is_several(cell):
            shown = [index.at(id) for id in cell]
        else:
            raise DataTypeError(f"shown: found {_kind(cell)}, expected a list of ids, or text such as A|B|C")
        if best not in shown:
            raise DataError(f"best: found {index.ids[best]!r}, expected one of the items shown")
        shown.remove(best)
        if not shown:
            raise DataError("shown: found one item, expected two or more")
        beside.append((shown[0], shown[1:]))
    second = np.fromiter((at for at, _ in beside), np.int64, len(beside))
    return Answers(_contiguous(first), second, ["best"] * len(beside), others=[rest for _, rest in beside])


def _said(word: str, index: Index) -> tuple[str, list[int]]:
    """An outcome, and the other items of a screen, which logs have behind it: `best:C|D`."""
    outcome, colon, others = word.partition(":")
    if colon and outcome in ("best", "order", "skip"):
        return outcome, [index.called(text) for text in split_ids(others)]
    return word, []


def split_ids(cell: str) -> list[str]:
    """The ids in a cell, as logs have them: with `|` between them, and a backslash before a `|` or backslash that is in an id."""
    ids = [""]
    letters = iter(cell)
    for letter in letters:
        if letter == "|":
            ids.append("")
            continue
        if letter == "\\":
            letter = next(letters, "")
            if letter not in ("|", "\\"):
                hint = "in an id, write \\| for | and \\\\ for \\"
                raise DataError(f"several ids: found {cell!r}, expected ids with | between them", hint=hint)
        ids[-1] += letter
    return ids


def joined_ids(ids: Iterable[str]) -> str:
    """Ids in one cell, as `split_ids` reads them."""
    return "|".join(id.replace("\\", "\\\\").replace("|", "\\|") for id in ids)


@dataclass(eq=False)
class Links:
    """Links among items, or from items to other things, as columns."""

    targets: int | None
    sources: Positions
    ends: Positions
    weights: Floats

    def columns(self) -> tuple[int | None, Positions, Positions, Floats]:
        """As the core takes them."""
        return self.targets, self.sources, self.ends, self.weights


def read_links(given: Any, index: Index, role: str) -> Links:
    """Links from a SciPy sparse matrix, a networkx graph, a table with columns `source`, `target` and perhaps `weight`, a mapping
    from ids to those that they link to, or tuples of source, target and perhaps weight.

    Under the role "undirected" a symmetric matrix has every link once, not twice. Under the other roles an undirected graph has every
    link in both directions.
    """
    if isinstance(given, Links):
        return given
    if hasattr(given, "tocoo"):
        return _matrix_links(given, index, role)
    if hasattr(given, "edges") and hasattr(given, "is_directed"):
        edges = [(source, target, weight) for source, target, weight in given.edges(data="weight", default=1.0)]
        if role not in ("undirected", "bipartite") and not given.is_directed():
            edges += [(target, source, weight) for source, target, weight in edges if source != target]
        return _tuple_links(edges, index, role)
    table = as_table(given)
    if is_mapping(given) and table is not None and not {"source", "target"}.issubset(table.names):
        # From ids to those that they link to.
        table = None
    if table is not None and len(table.names) >= 2:
        named = {"source", "target"}.issubset(table.names)
        source, target = ("source", "target") if named else table.names[:2]
        weights = table.list("weight") if "weight" in table.names else [1.0] * table.rows
        return _tuple_links(zip(table.list(source), table.list(target), weights, strict=True), index, role)
    if isinstance(given, Mapping):
        return _tuple_links(((source, target) for source, targets in given.items() for target in targets), index, role)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise DataTypeError(f"links: found {_kind(given)}, expected a sparse matrix, a graph, a table or tuples")
    if isinstance(given, np.ndarray) and (given.ndim != 2 or given.shape[1] not in (2, 3)):
        raise DataError(
            f"links: found an array of shape {given.shape}, expected two or three columns",
            hint="a matrix of weights goes in as scipy.sparse.csr_array(matrix)",
        )
    return _tuple_links(given.tolist() if isinstance(given, np.ndarray) else given, index, role)


def _matrix_links(given: Any, index: Index, role: str) -> Links:
    entries = given.tocoo()
    rows, columns = entries.shape
    square = rows == len(index) and (role == "bipartite" or columns == len(index))
    if not square:
        expected = f"{len(index)} rows" if role == "bipartite" else f"{len(index)} rows and columns"
        raise DataError(f"links: found a matrix of shape {entries.shape}, expected {expected}, one per item")
    if role == "undirected" and abs(given - given.T).nnz == 0:
        keep = entries.row <= entries.col
        row, col, data = entries.row[keep], entries.col[keep], entries.data[keep]
    else:
        row, col, data = entries.row, entries.col, entries.data
    return Links(
        columns if role == "bipartite" else None,
        row.astype(np.int64),
        col.astype(np.int64),
        np.asarray(data, np.float64),
    )


def _tuple_links(given: Iterable[Any], index: Index, role: str) -> Links:
    sources, ends, weights = [], [], []
    others: dict[Hashable, int] = {}
    for at, link in enumerate(given):
        if isinstance(link, str | bytes) or not isinstance(link, Sequence | np.ndarray) or len(link) not in (2, 3):
            raise DataTypeError(f"link {at}: found {link!r}, expected source, target and perhaps a weight")
        sources.append(index.at(link[0]))
        ends.append(others.setdefault(link[1], len(others)) if role == "bipartite" else index.at(link[1]))
        weights.append(float(link[2]) if len(link) == 3 else 1.0)
    targets = len(others) if role == "bipartite" else None
    return Links(targets, np.array(sources, np.int64), np.array(ends, np.int64), np.array(weights, np.float64))


def _kind(value: object) -> str:
    return "nothing" if value is None else f"an object of type {type(value).__name__}"
