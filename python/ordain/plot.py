"""Pictures by matplotlib: `pip install ordain[plot]`.

Every function draws on `ax`, or on a new figure, and returns the axes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import DataError
from .results import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .models import PreferenceModel, Project
    from .rankers import _Ranker

#: A standard normal variable lies within ± this with 90 % probability.
_NINETY = 1.6448536269514722


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, new = plt.subplots(layout="constrained")
    return new


def ranking(ranking: Ranking, *, limit: int = 30, ax: Axes | None = None) -> Axes:
    """The first items with the 90 % intervals of their utilities."""
    axes = _axes(ax)
    rows = list(ranking.rows())[:limit]
    places = np.arange(len(rows))
    means = [row["centred"] for row in rows]
    axes.errorbar(means, places, xerr=[_NINETY * row["centred_sd"] for row in rows], fmt="o", capsize=3)
    axes.set_yticks(places, [str(row["id"]) for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("utility with 90 % interval")
    axes.set_title(ranking.certainty.sentence, fontsize="small")
    return axes


def learning_curve(
    model: PreferenceModel,
    measure: Callable[[PreferenceModel], float] | None = None,
    *,
    every: int = 5,
    ax: Axes | None = None,
) -> Axes:
    """How a number grew with the answers: by default the probability that the goal is reached. The model itself stays as it is."""
    axes = _axes(ax)
    # Those that stand: an answer that was taken back has no place on the curve.
    entries = model._open()[0].standing()
    begun = type(model).__new__(type(model))
    state = model.__getstate__()
    counts, values = [], []
    for count in sorted({*range(0, len(entries), every), len(entries)}):
        snapshot = dict(state["_snapshot"], entries=entries[:count])
        begun.__setstate__(dict(state, _snapshot=snapshot))
        counts.append(count)
        values.append(begun.certainty().probability if measure is None else measure(begun))
    axes.plot(counts, values, marker="o")
    axes.set_xlabel("answers")
    axes.set_ylabel("probability that the goal is reached" if measure is None else getattr(measure, "__name__", "measure"))
    return axes


def training_curve(ranker: _Ranker, *, ax: Axes | None = None) -> Axes:
    """The measure of a ranker after every pass over the queries."""
    axes = _axes(ax)
    curve = ranker.curve_
    if not curve:
        raise DataError("a learning curve: found a ranker without passes, expected LambdaRank or RankNet")
    passes = range(1, len(curve) + 1)
    axes.plot(passes, [train for train, _ in curve], label="teaching")
    axes.plot(passes, [chosen for _, chosen in curve], label="choosing")
    axes.set_xlabel("pass")
    axes.set_ylabel(ranker.measure)
    axes.legend()
    return axes


def belief(model: PreferenceModel | Project, attribute: Sequence[float], *, label: str = "attribute", ax: Axes | None = None) -> Axes:
    """The items' utilities with 90 % intervals along one of their attributes."""
    axes = _axes(ax)
    values = np.asarray(attribute, float)
    mean, half = model.mean_, _NINETY * model.std_
    if len(values) != len(mean):
        raise DataError(f"an attribute: found {len(values)} values, expected {len(mean)}, one per item")
    order = np.argsort(values)
    axes.fill_between(values[order], (mean - half)[order], (mean + half)[order], alpha=0.2)
    axes.plot(values[order], mean[order], marker=".")
    axes.set_xlabel(label)
    axes.set_ylabel("utility with 90 % interval")
    return axes


def kernel(model: PreferenceModel | Project, *, ids: Sequence[Hashable] | None = None, ax: Axes | None = None) -> Axes:
    """How alike items are before any answer: the covariances of the prior."""
    axes = _axes(ax)
    engine, known = model._open()
    at = np.arange(len(known.index)) if ids is None else np.array([known.index.at(id) for id in ids])
    picture = axes.imshow(engine.covariance(at.astype(np.int64)))
    axes.figure.colorbar(picture, ax=axes, label="covariance")
    if len(at) <= 30:
        names = [str(known.index.ids[position]) for position in at.tolist()]
        axes.set_xticks(range(len(at)), names, rotation=90)
        axes.set_yticks(range(len(at)), names)
    return axes


def win_matrix(model: PreferenceModel | Project, *, ids: Sequence[Hashable] | None = None, ax: Axes | None = None) -> Axes:
    """The probability that the item of a row is preferred to that of a column. By default the first 20 of the ranking."""
    axes = _axes(ax)
    shown = list(model.rank(limit=20).ids if ids is None else ids)
    pairs = [(one, other) for one in shown for other in shown if one != other]
    found = model.predict(pairs)
    matrix = np.full((len(shown), len(shown)), np.nan)
    matrix[~np.eye(len(shown), dtype=bool)] = found.probability + found.tie / 2
    picture = axes.imshow(matrix, vmin=0, vmax=1, cmap="RdBu")
    axes.figure.colorbar(picture, ax=axes, label="probability that the row wins")
    names = [str(id) for id in shown]
    axes.set_xticks(range(len(shown)), names, rotation=90)
    axes.set_yticks(range(len(shown)), names)
    return axes
