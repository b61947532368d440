"""How good rankings are.

>>> from ordain import measures
>>> grades = [3, 0, 1, 0, 2]
>>> scores = [0.9, 0.8, 0.4, 0.3, 0.1]
>>> found = measures.evaluate(grades, scores, qid=[1, 1, 1, 2, 2], measures=["ndcg@10", "map"])
>>> found.columns
['query', 'ndcg@10', 'map']
>>> round(float(found["map"].mean()), 4)
0.6667
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, data
from .errors import DataError
from .results import Frame

#: How equal scores are ordered: as they stand, or in every order at once.
Ties = Literal["given", "expected"]


class Evaluation(Frame):
    """Measures of every query: a column `query` and one per measure."""

    def mean(self) -> dict[str, float]:
        """The mean of every measure over the queries."""
        return {name: float(np.mean(self[name])) for name in self.columns if name != "query"}


def names() -> dict[str, str]:
    """The measures by name, each with one line about it. Depths are free, as in `ndcg@7`."""
    return dict(_core.measure_names())


def evaluate(
    y_true: ArrayLike,
    y_score: ArrayLike,
    qid: Any = None,
    *,
    measures: Sequence[str] = ("map", "ndcg@10"),
    ties: Ties = "given",
) -> Evaluation:
    """Measures of each query, from one grade and one score per document.

    The documents of a query need not stand together; where they do, arrays are not copied. Queries come in the order in which they
    first appear. Without `qid` all documents are of one query.
    """
    grades = data.vector(y_true, "y_true", np.int32)
    scores = data.vector(y_score, "y_score")
    if len(grades) != len(scores):
        raise DataError(f"y_score: found {len(scores)} scores, expected {len(grades)}, one per grade")
    groups = Queries(qid, len(scores))
    found = _core.evaluate(groups.sorted(scores), groups.sorted(grades), groups.ends, list(measures), ties)
    columns: dict[str, Any] = {"query": groups.names}
    columns |= {name: found[:, at] for at, name in enumerate(measures)}
    return Evaluation(columns)


def evaluate_run(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    *,
    measures: Sequence[str] = ("map", "ndcg@10"),
    ties: Literal["trec", "given", "expected"] = "trec",
) -> Evaluation:
    """Measures of a run of documents by name, as trec_eval and ranx hold them.

    Documents that are not judged have grade 0. Relevant documents that the run lacks count. Queries that the run lacks are left out.
    """
    queries = [query for query in qrels if query in run]
    scores: list[float] = []
    grades: list[int] = []
    named: list[bool] = []
    judged: list[int] = []
    sizes, judged_sizes = [], []
    for query in queries:
        known, found = qrels[query], run[query]
        names = sorted(found, key=str.encode, reverse=True) if ties == "trec" else list(found)
        scores += [found[name] for name in names]
        grades += [known.get(name, 0) for name in names]
        named += [name in known for name in names]
        sizes.append(len(names))
        judged += known.values()
        judged_sizes.append(len(known))
    values = _core.evaluate(
        np.array(scores, np.float64),
        np.array(grades, np.int32),
        np.cumsum(sizes, dtype=np.int64),
        list(measures),
        "expected" if ties == "expected" else "given",
        (np.array(judged, np.int32), np.cumsum(judged_sizes, dtype=np.int64)),
        np.array(named, bool),
    )
    return Evaluation({"query": queries} | {name: values[:, at] for at, name in enumerate(measures)})


class Queries:
    """The documents of every query, made to stand together."""

    def __init__(self, qid: Any, documents: int) -> None:
        if qid is None:
            self.names: list[Hashable] = [0] if documents else []
            self.numbers = np.zeros(documents, np.int64)
        else:
            given = np.asarray(qid)
            if given.ndim != 1 or len(given) != documents:
                raise DataError(f"qid: found shape {given.shape}, expected {documents} names, one per document")
            found, first, inverse = np.unique(given, return_index=True, return_inverse=True)
            # In the order in which they first appear.
            order = np.argsort(first)
            places = np.empty(len(order), np.int64)
            places[order] = np.arange(len(order))
            self.names = found[order].tolist()
            self.numbers = places[inverse]
        together = bool((np.diff(self.numbers) >= 0).all())
        #: The order in which documents stand together; None if they do.
        self.order = None if together else np.argsort(self.numbers, kind="stable")
        self.ends = np.cumsum(np.bincount(self.numbers, minlength=len(self.names))).astype(np.int64)

    def sorted(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values with documents of a query together."""
        return np.ascontiguousarray(values) if self.order is None else values[self.order]

    def restored(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sorted values in the documents' own order."""
        if self.order is None:
            return values
        out = np.empty_like(values)
        out[self.order] = values
        return out


def _agreement(name: str, first: ArrayLike, second: ArrayLike) -> float:
    one, other = data.vector(first, "first"), data.vector(second, "second")
    return _core.agreement(name, np.ascontiguousarray(one), np.ascontiguousarray(other))


def kendall_tau_a(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's tau-a of two lists of numbers."""
    return _agreement("kendall_tau_a", first, second)


def kendall_tau_b(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's tau-b, which corrects for ties."""
    return _agreement("kendall_tau_b", first, second)


def spearman_rho(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rank correlation."""
    return _agreement("spearman_rho", first, second)


def footrule(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's footrule: the sum of the differences of ranks."""
    return _agreement("footrule", first, second)


def normalised_footrule(first: ArrayLike, second: ArrayLike) -> float:
    """The footrule as a share of its largest value."""
    return _agreement("normalised_footrule", first, second)


def pair_error(scores: ArrayLike, truth: ArrayLike) -> float:
    """The share of pairs that scores put in the wrong order."""
    return _agreement("pair_error", scores, truth)


def auc(scores: ArrayLike, positive: ArrayLike) -> float:
    """The area under the ROC curve: how often a positive item has the larger score."""
    return _agreement("auc", scores, np.asarray(positive, dtype=float))


@dataclass(frozen=True)
class Significance:
    """A test of whether two lists of numbers differ."""

    statistic: float
    p_value: float


def _significance(name: str, first: ArrayLike, second: ArrayLike, draws: int = 1, seed: int = 1) -> Significance:
    one, other = data.vector(first, "first"), data.vector(second, "second")
    found = _core.significance(name, np.ascontiguousarray(one), np.ascontiguousarray(other), draws, seed)
    return Significance(*found)


def paired_t_test(first: ArrayLike, second: ArrayLike) -> Significance:
    """Student's test for pairs of numbers, such as a measure of two systems on the same queries."""
    return _significance("paired_t_test", first, second)


def signed_rank_test(first: ArrayLike, second: ArrayLike) -> Significance:
    """Wilcoxon's test for pairs of numbers."""
    return _significance("signed_rank_test", first, second)


def rank_sum_test(first: ArrayLike, second: ArrayLike) -> Significance:
    """Wilcoxon's test for two samples."""
    return _significance("rank_sum_test", first, second)


def randomisation_test(first: ArrayLike, second: ArrayLike, *, draws: int = 10_000, seed: int = 1) -> Significance:
    """Fisher's test for pairs of numbers: how often random signs give a mean difference as large."""
    return _significance("randomisation_test", first, second, draws, seed)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction of p-values for their number."""
    return _core.holm(list(p_values))


def hoeffding_slack(samples: int, functions: int, delta: float) -> float:
    """How far means of `samples` numbers from 0 to 1 may be from the truth, for all of so many functions, with probability 1 - delta."""
    return _core.hoeffding_slack(samples, functions, delta)


def rating_slack(ratings: Sequence[int], *, alpha: float, log_functions: float, delta: float) -> float:
    """A bound on the error of a ranking of items with such ratings, for every function of a finite class."""
    return _core.rating_slack(list(ratings), alpha, log_functions, delta)
