"""What models return: small tables that notebooks show, and that become pandas, polars or Arrow."""

from __future__ import annotations

import html
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from . import _core

#: A standard normal variable lies within ± this with 90 % probability.
_NINETY = 1.6448536269514722

#: A notebook shows this many rows.
_SHOWN = 50


class Question(tuple[Any, Any]):
    """A pair that is worth asking. It unpacks into the two items: `first, second = question`."""

    #: What the strategy makes of the pair; comparable only within a strategy.
    score: float

    def __new__(cls, first: Hashable, second: Hashable, score: float) -> Question:
        self = super().__new__(cls, (first, second))
        self.score = score
        return self

    @property
    def first(self) -> Any:
        """The item that is ranked higher so far."""
        return self[0]

    @property
    def second(self) -> Any:
        """The item that is ranked lower so far."""
        return self[1]

    def __getnewargs__(self) -> tuple[Any, Any, float]:
        return self[0], self[1], self.score

    def __repr__(self) -> str:
        return f"Question({self[0]!r}, {self[1]!r}, score={self.score:.4g})"


class Screen(tuple[Any, ...]):
    """Several items that are worth showing together, to choose the best of or to put into order."""

    #: The summed scores of its pairs; comparable only within a strategy and a number of items.
    score: float

    def __new__(cls, items: Iterable[Hashable], score: float) -> Screen:
        self = super().__new__(cls, items)
        self.score = score
        return self

    def __getnewargs__(self) -> tuple[Any, float]:
        return tuple(self), self.score

    def __repr__(self) -> str:
        return f"Screen({list(self)!r}, score={self.score:.4g})"


class Frame:
    """A table of results."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = dict(columns)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows, as dicts of Python objects."""
        columns = {
            name: column.tolist() if isinstance(column, np.ndarray) else column
            for name, column in self._columns.items()
        }
        return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas data frame."""
        import pandas

        return pandas.DataFrame(self._columns)

    def to_polars(self) -> polars.DataFrame:
        """As a polars data frame."""
        import polars

        return polars.DataFrame(self._columns)

    def to_arrow(self) -> pyarrow.Table:
        """As an Arrow table."""
        import pyarrow

        return pyarrow.table(self._columns)

    def __repr__(self) -> str:
        rows = [[_text(value) for value in row.values()] for row, _ in zip(self.rows(), range(_SHOWN), strict=False)]
        widths = [max(len(cell) for cell in column) for column in zip(self.columns, *rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [self.columns, *rows]]
        if len(self) > _SHOWN:
            lines.append(f"... {len(self) - _SHOWN} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [list(row.values()) for row, _ in zip(self.rows(), range(_SHOWN), strict=False)]
        return _table_html(self.columns, [[html.escape(_text(value)) for value in row] for row in rows], len(self))


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "" if value is None else str(value)


def _table_html(header: Sequence[str], rows: Sequence[Sequence[str]], count: int, below: str = "") -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    more = f"<p>{count - len(rows)} more</p>" if count > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{below}"


@dataclass(frozen=True)
class Forecast:
    """How many more answers the goal needs, with an 80 % interval. None means more than the forecast looked at."""

    low: int | None
    median: int | None
    high: int | None


@dataclass(frozen=True)
class Certainty:
    """How settled a ranking is. With several groups it is about the least settled one."""

    goal: str
    #: How many first items the goal is about, if it is about some.
    k: int | None
    #: The share of pairs that may be in the wrong order, if the goal is an order.
    error: float | None
    #: The probability with which the goal must be reached.
    target: float
    #: The probability that it is reached.
    probability: float
    #: The expected share of pairs in the wrong order.
    wrong_pairs: float
    #: All this in words.
    sentence: str

    @property
    def is_reached(self) -> bool:
        """Whether nothing more need be asked."""
        return self.probability >= self.target

    def __str__(self) -> str:
        return self.sentence


class Ranking(Frame):
    """All items by rank, with what is known of each. Groups follow each other.

    `rank_low` to `rank_high` holds the rank with 90 % probability. Items of one `tier` cannot be told apart. `centred` is the utility
    less the mean of its group: answers compare items, so only that is learned from them.
    """

    def __init__(self, columns: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        super().__init__(columns)
        certainty = dict(about["certainty"])
        forecast = certainty.pop("forecast", None)
        #: How settled the ranking is.
        self.certainty = Certainty(
            goal=certainty["goal"],
            k=certainty.get("k"),
            error=certainty.get("error"),
            target=certainty["target"],
            probability=certainty["probability"],
            wrong_pairs=certainty["wrong_pairs"],
            sentence=about["sentence"],
        )
        #: How many more answers are needed, if a forecast was asked for and there was something to foresee.
        self.forecast = None if forecast is None else Forecast(**forecast)
        #: The log probability of the answers under the model.
        self.log_evidence: float = about["log_evidence"]
        #: The number of answers that were learned.
        self.answers: int = about["answers"]
        #: How answers became a belief: "ep" or "incremental".
        self.inference: str = about["inference"]
        #: The number of joint draws that intervals and probabilities are counted from.
        self.draws: int = about["draws"]

    @property
    def ids(self) -> list[Any]:
        """The ids, best first within each group."""
        return list(self["id"])

    def of(self, id: Hashable) -> dict[str, Any]:
        """The row of an item."""
        at = self.ids.index(id)
        return {name: column[at].item() if isinstance(column, np.ndarray) else column[at] for name, column in self._columns.items()}

    def to_dict(self) -> dict[str, Any]:
        """What `ordain rank --format json` prints."""
        keys = ["id", "rank", "mean", "sd", "centred", "centred_sd", "rank_low", "rank_high", "top", "group", "tier"]
        items = [{key: row[key] for key in keys if key in row} for row in self.rows()]
        if "new" in self._columns:
            # In the command's JSON, only newcomers have this key.
            items = [{**item, "new": True} if new else item for item, new in zip(items, self["new"], strict=True)]
        known = asdict(self.certainty)
        certainty = {key: value for key, value in known.items() if key != "sentence" and value is not None}
        if self.forecast is not None:
            certainty["forecast"] = asdict(self.forecast)
        return {
            "items": items,
            "log_evidence": self.log_evidence,
            "answers": self.answers,
            "inference": self.inference,
            "certainty": certainty,
        }

    def to_json(self) -> str:
        """As JSON text. Every number is the same to the last bit as in the command's."""
        return json.dumps(self.to_dict())

    def _repr_html_(self) -> str:
        means, sds = np.asarray(self["centred"], float), np.asarray(self["centred_sd"], float)
        low, high = means - _NINETY * sds, means + _NINETY * sds
        start, width = (float(low.min()), float(high.max() - low.min()) or 1.0) if len(self) else (0.0, 1.0)
        rows = []
        for at, row in zip(range(_SHOWN), self.rows(), strict=False):
            cells = [html.escape(str(row["group"]))] if "group" in row else []
            cells += [str(row["rank"]), html.escape(str(row["id"])), f"{row['centred']:.3f}", f"{row['centred_sd']:.3f}"]
            cells.append(f"{row['rank_low']}–{row['rank_high']}")
            places = [100 * (float(x) - start) / width for x in (low[at], means[at], high[at])]
            rows.append([*cells, _bar(*places)])
        header = ["group"] if "group" in self._columns else []
        header += ["rank", "item", "utility", "± sd", "rank (90 %)", "utility with 90 % interval"]
        return _table_html(header, rows, len(self), f"<p>{html.escape(self.certainty.sentence)}</p>")


def _bar(low: float, mean: float, high: float) -> str:
    """A picture of an interval on a scale of 0 to 100."""
    return (
        '<svg width="200" height="12" viewBox="0 0 100 12" preserveAspectRatio="none" role="img">'
        f'<rect x="{low:.2f}" y="4.5" width="{max(high - low, 0.2):.2f}" height="3" fill="currentColor" opacity="0.35"/>'
        f'<rect x="{mean - 0.6:.2f}" y="1" width="1.2" height="10" fill="currentColor"/></svg>'
    )


def ranking(
    fitted: _core.Fitted,
    ranked: _core.Ranked,
    ids: Sequence[Hashable],
    groups: Sequence[str] | None,
    inference: str,
    known: int | None = None,
) -> Ranking:
    """A ranking from what the core gives. If only so many items are known, it says which are newcomers."""
    core = ranked.columns()
    positions = core.pop("item").tolist()
    columns: dict[str, Any] = {"id": [ids[at] for at in positions]}
    if groups is not None:
        columns["group"] = [groups[at] for at in positions]
    columns |= core
    if known is not None:
        columns["new"] = [at >= known for at in positions]
    log_evidence, answers, _, _ = fitted.summary()
    about = {
        "certainty": ranked.certainty(),
        "sentence": ranked.sentence(),
        "log_evidence": log_evidence,
        "answers": answers,
        "inference": inference,
        "draws": ranked.draws(),
    }
    return Ranking(columns, about)


class Predictions(Frame):
    """What a judge would say of pairs: columns `first`, `second`, `probability` (that the first is preferred) and `tie`."""

    @property
    def probability(self) -> NDArray[np.float64]:
        """The probability that the first is preferred."""
        values: NDArray[np.float64] = self["probability"]
        return values

    @property
    def tie(self) -> NDArray[np.float64]:
        """The probability of a tie."""
        values: NDArray[np.float64] = self["tie"]
        return values


class Tuned(Frame):
    """Tuned parameters: columns `name`, `before` and `value`."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        names, before, values = zip(*found["parameters"], strict=True)
        super().__init__({"name": list(names), "before": np.array(before), "value": np.array(values)})
        self.log_evidence_before: float = found["log_evidence_before"]
        self.log_evidence: float = found["log_evidence"]
        self.log_posterior_before: float = found["log_posterior_before"]
        self.log_posterior: float = found["log_posterior"]
        self.answers: int = found["answers"]
        self.evaluations: int = found["evaluations"]
        self.converged: bool = found["converged"]


class Comparison(Frame):
    """Models compared by held-out answers: the whole model, and the model without each of its kernels.

    `change` is the log loss less that of the whole model, with `change_low` to `change_high` its 95 % interval. If all of that is above
    0, the kernel helps.
    """

    def __init__(self, found: Mapping[str, Any]) -> None:
        #: What the core found, with all intervals.
        self.models: list[dict[str, Any]] = found["models"]
        self.answers: int = found["answers"]
        self.pairs: int = found["pairs"]
        nothing = (float("nan"),) * 3
        losses = np.array([model["log_loss"] for model in self.models])
        errors = np.array([model["error"] for model in self.models])
        changes = np.array([model["difference"]["log_loss"] if "difference" in model else nothing for model in self.models])
        columns: dict[str, Any] = {"model": [model["model"] for model in self.models]}
        for name, values in (("log_loss", losses), ("error", errors), ("change", changes)):
            for at, end in enumerate(("", "_low", "_high")):
                columns[name + end] = values[:, at]
        columns["log_evidence"] = np.array([model["log_evidence"] for model in self.models])
        super().__init__(columns)


class Judges(Frame):
    """What the answers say of every judge, the busiest first: a row per judge.

    `agreement` is that with all others on the pairs in common (Cohen's kappa), `ranking_agreement` that with the ranking by all others; both are
    1 for always and 0 for chance. `noise` is the deviation of what he adds to a utility, `bias` what he adds for the item that stands
    left, `careless` the probability that all his answers are blind, `gold` the share of gold pairs that he got right; `_low` to `_high` hold
    each with 90 % probability. `verdict` says it in words. What is not known is None.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], noise: float, told_apart: bool) -> None:
        names = list(rows[0]) if rows else list(_JUDGES)
        super().__init__({name: [row[name] for row in rows] for name in names})
        #: The noise that judges have in common.
        self.noise = noise
        #: Whether rankings tell judges apart.
        self.told_apart = told_apart

    def to_dict(self) -> dict[str, Any]:
        """What `ordain judges --format json` prints."""
        return {"judges": list(self.rows()), "noise": self.noise, "told_apart": self.told_apart}


_JUDGES = (
    "judge answers ties skips agreement common_pairs ranking_agreement noise noise_low noise_high bias bias_low bias_high careless "
    "gold gold_low gold_high gold_answers verdict"
).split()
