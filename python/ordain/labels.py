"""Rankings of labels: which labels apply to an example, and in which order.

>>> import numpy as np, ordain
>>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
>>> ranker = ordain.LabelRanker().fit(X, [["low"], ["low"], ["high"], ["high"]])
>>> ranker.predict([[3.0]])
[['high', 'low']]
>>> ranker.predict_sets([[3.0]])
[['high']]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core, data
from ._stored import StoredModel
from .errors import DataError, DataTypeError
from ._model import Progress, following
from .rankers import _attributes, _names

#: What is known of an example: one class; the labels that come first; the relevant ones; an order; the relevant ones in order.
Target: TypeAlias = Literal["class", "first", "set", "order", "top"]


class LabelRanker(StoredModel):
    """Learns utilities of labels from attributes: labels are ranked by them, and those above 0 are relevant.

    Args:
        learner: "online" (a perceptron over the constraints), "logistic", "pairwise", "neighbours" or "forest".
        target: What `y` says of each example: "set" (its relevant labels), "class" (one label), "order" (labels, best first), "top" (the
            relevant ones, best first) or "first" (those that come first, in any order).
        labels: All labels, if some occur in no example.
        epochs: Passes of the online learner.
        across: Whether the logistic learner also compares relevant labels with irrelevant ones. Without it, sets give probabilities.
        penalties: Penalties of the logistic and the pairwise learner, of which the best is chosen.
        neighbours: Numbers of neighbours, of which the best is chosen.
        trees: Trees of the forest.
        seed: The seed of the online learner and the forest.
    """

    _kind = _core.LabelModel
    model_: _core.LabelModel

    def __init__(
        self,
        learner: Literal["online", "logistic", "pairwise", "neighbours", "forest"] = "online",
        *,
        target: Target = "set",
        labels: Sequence[Any] | None = None,
        epochs: int | None = None,
        across: bool = True,
        penalties: Sequence[float] | None = None,
        neighbours: Sequence[int] | None = None,
        trees: int | None = None,
        seed: int = 1,
    ) -> None:
        self.learner = learner
        self.target = target
        self.labels = labels
        self.epochs = epochs
        self.across = across
        self.penalties = penalties
        self.neighbours = neighbours
        self.trees = trees
        self.seed = seed

    def fit(self, X: Any, y: Sequence[Any], *, progress: bool | Progress | None = None) -> LabelRanker:
        """Learns from examples with attributes `X` and, for each, what is known of its labels."""
        values = _attributes(X, "X")
        if len(y) != len(values):
            raise DataError(f"y: found {len(y)} targets, expected {len(values)}, one per example")
        told = [self._of(one, at) for at, one in enumerate(y)]
        known = dict.fromkeys(self.labels if self.labels is not None else (label for one in told for label in one))
        index = data.Index(list(known))
        targets = [[index.at(label) for label in one] for one in told]
        params = {name: getattr(self, name) for name in ("epochs", "across", "penalties", "neighbours", "trees", "seed")}
        with following(progress) as step:
            self.model_ = _core.fit_labels(
                self.learner, np.ascontiguousarray(values), _names(X), index.texts(), self.target, targets, params, step
            )
        #: The labels, in the order of the columns of `decision_function`.
        self.classes_ = index.ids
        self.n_features_in_ = values.shape[1]
        return self

    def _of(self, one: Any, at: int) -> list[Hashable]:
        if self.target == "class":
            return [one]
        if isinstance(one, str | bytes) or not isinstance(one, Iterable):
            raise DataTypeError(f"y: found {one!r} for example {at}, expected a list of labels")
        return list(one)

    def _predicted(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        model: _core.LabelModel = self._fitted()
        values = _attributes(X, "X")
        if values.shape[1] != self.n_features_in_:
            raise DataError(
                f"X has {values.shape[1]} features, but LabelRanker is expecting {self.n_features_in_} features as input"
            )
        return model.predict(np.ascontiguousarray(values))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The utility of every label (columns) for every example (rows). Above 0 is relevant, where `is_calibrated_`."""
        return self._predicted(X)[0]

    def predict(self, X: Any) -> list[list[Any]]:
        """All labels of every example, best first."""
        # Equal utilities keep the order of the labels.
        order = np.argsort(-self.decision_function(X), axis=1, kind="stable")
        return [[self.classes_[label] for label in row] for row in order.tolist()]

    def predict_sets(self, X: Any) -> list[list[Any]]:
        """The relevant labels of every example, best first."""
        if not self.is_calibrated_:
            raise DataError("relevant labels: found targets that do not say which labels are relevant, expected sets, classes or tops")
        utilities = self.decision_function(X)
        order = np.argsort(-utilities, axis=1, kind="stable")
        return [
            [self.classes_[label] for label in row if utilities[at, label] > 0] for at, row in enumerate(order.tolist())
        ]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability that each label is relevant, for learners that have it."""
        found = self._predicted(X)[1]
        if found is None:
            raise DataError(
                f'probabilities: found none of the learner "{self.learner}", expected neighbours, or logistic with across=False'
            )
        return found

    @property
    def is_calibrated_(self) -> bool:
        """Whether the labels above 0 are the relevant ones."""
        found: bool = self._fitted().is_calibrated()
        return found

    def evaluate(self, X: Any, y: Sequence[Any]) -> dict[str, float]:
        """Measures of the predictions: of sets, orders or classes, as `y` says."""
        model: _core.LabelModel = self._fitted()
        index = data.Index(self.classes_)
        targets = [[index.at(label) for label in self._of(one, at)] for at, one in enumerate(y)]
        return model.evaluate(np.ascontiguousarray(_attributes(X, "X")), self.target, targets)
