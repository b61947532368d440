"""Rankers that learn from graded lists: documents with attributes and grades, query by query.

They follow scikit-learn's conventions, and `qid` is an argument as in XGBoost.

>>> import numpy as np, ordain
>>> random = np.random.default_rng(1)
>>> X = random.normal(size=(60, 3))
>>> y = (X[:, 0] > 0.5).astype(int)
>>> qid = np.repeat(np.arange(6), 10)
>>> ranker = ordain.LambdaRank(epochs=20, restarts=1).fit(X, y, qid=qid)
>>> ranker.predict(X, qid=qid).shape
(60,)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, data, measures
from ._stored import StoredModel
from .errors import DataError
from .measures import Queries
from ._model import Progress, following

Scaling: TypeAlias = Literal["standard", "between-0-and-1", "as-given"]
AnyRanker = TypeVar("AnyRanker", bound="_Ranker")


class _Ranker(StoredModel):
    _kind = _core.RankingModel
    _learner: ClassVar[str]
    model_: _core.RankingModel
    measure: str
    scaling: Scaling

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Sparse attributes are made dense.
        tags.input_tags.sparse = True
        return tags

    def _settings(self) -> dict[str, Any]:
        return {name: value for name, value in self.get_params().items() if name != "scaling"}

    def fit(
        self: AnyRanker,
        X: Any,
        y: ArrayLike,
        *,
        qid: Any = None,
        eval_set: tuple[Any, ArrayLike, Any] | None = None,
        progress: bool | Progress | None = None,
    ) -> AnyRanker:
        """Learns from documents with attributes `X`, grades `y` (larger is better) and queries `qid`.

        `eval_set` are documents to choose by: `(X, y, qid)`. Without it every fifth query is kept aside.
        """
        names = _names(X)
        values = _attributes(X, "X")
        self.n_features_in_ = values.shape[1]
        if isinstance(X, np.ndarray) or data.as_table(X) is None:
            self.__dict__.pop("feature_names_in_", None)
        else:
            self.feature_names_in_ = np.array(names, dtype=object)
        lists = self._lists(values, names, y, qid)
        validate = None
        if eval_set is not None:
            X_val, y_val, qid_val = eval_set
            validate = self._lists(self._same(X_val), names, y_val, qid_val)
        with following(progress) as step:
            self.model_ = _core.fit_ranker(self._learner, lists, validate, self._settings(), step)
        return self

    def _lists(self, values: data.Floats, names: list[str], y: ArrayLike, qid: Any) -> _core.GradedLists:
        grades = np.ascontiguousarray(data.vector(y, "y", np.int32))
        if len(grades) != len(values):
            raise DataError(f"y: found {len(grades)} grades, expected {len(values)}, one per document")
        queries = Queries(qid, len(values))
        return _core.GradedLists(np.ascontiguousarray(values), names, grades, queries.numbers, self.scaling)

    def _same(self, X: Any) -> data.Floats:
        """Attributes as many as `fit` saw, in the same order where they have names."""
        values = _attributes(X, "X")
        known = getattr(self, "feature_names_in_", None)
        table = data.as_table(X)
        if known is not None and table is not None:
            missing = [name for name in known if name not in table.names]
            if missing:
                raise DataError(f"X: found no column {missing[0]}, expected the attributes that fit saw")
            values = np.column_stack([table.column(name) for name in known]).astype(np.float64)
        if values.shape[1] != self.n_features_in_:
            # In the words of scikit-learn, which its checks look for.
            raise DataError(
                f"X has {values.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
            )
        return values

    def predict(self, X: Any, *, qid: Any = None) -> NDArray[np.float64]:
        """Scores of documents; the larger, the better. Attributes are scaled within each query, so scores of two queries do not compare."""
        model: _core.RankingModel = self._fitted()
        values = self._same(X)
        queries = Queries(qid, len(values))
        return model.score(np.ascontiguousarray(values), model.features(), queries.numbers)

    def score(self, X: Any, y: ArrayLike, *, qid: Any = None) -> float:
        """The mean over queries of the measure that the ranker chose by."""
        found = measures.evaluate(y, self.predict(X, qid=qid), qid, measures=[self.measure], ties="expected")
        return found.mean()[self.measure]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of the scores that each attribute moves."""
        found: NDArray[np.float64] = self._fitted().importance()
        return found

    @property
    def curve_(self) -> list[tuple[float, float]]:
        """The measure after every pass, on the queries that taught and on those to choose by."""
        found: list[tuple[float, float]] = self._fitted().curve()
        return found


def _names(X: Any) -> list[str]:
    table = data.as_table(X)
    if table is not None:
        return [str(name) for name in table.names]
    shape = np.shape(X) if not hasattr(X, "shape") else X.shape
    return [f"x{at + 1}" for at in range(shape[1])] if len(shape) == 2 else []


def _attributes(X: Any, what: str) -> data.Floats:
    values = data.matrix(X, what)
    if not np.isfinite(values).all():
        raise DataError(f"{what}: found NaN or infinity, expected finite numbers")
    return values


class LambdaRank(_Ranker):
    """A linear ranker or a network that climbs along lambdas: forces on documents, weighed by what a swap changes of a measure.

    Args:
        weight: The measure that weighs pairs: "ndcg", "ndcg@k", "map", "mrr", "winner" or "pairs".
        hidden: The units of each hidden layer, at most two; none for linear scores.
        rates: Lengths of Adam's steps, of which the best is chosen.
        restarts: How often to begin anew.
        epochs: The most passes over the queries.
        patience: A run ends after so many passes without a better one.
        measure: The measure to choose by.
        steepness: How steep the probability of a pair's order is.
        confidence: The probability that the document of the higher grade should come first.
        scaling: How attributes are scaled within each query: "standard", "between-0-and-1" or "as-given".
        seed: The seed of all beginnings.
    """

    _learner = "lambdarank"

    def __init__(
        self,
        *,
        weight: str = "ndcg",
        hidden: Sequence[int] = (),
        rates: Sequence[float] = (0.001, 0.01, 0.1),
        restarts: int = 5,
        epochs: int = 200,
        patience: int = 20,
        measure: str = "map",
        steepness: float = 1.0,
        confidence: float = 1.0,
        scaling: Scaling = "standard",
        seed: int = 1,
    ) -> None:
        self.weight = weight
        self.hidden = hidden
        self.rates = rates
        self.restarts = restarts
        self.epochs = epochs
        self.patience = patience
        self.measure = measure
        self.steepness = steepness
        self.confidence = confidence
        self.scaling = scaling
        self.seed = seed


class RankNet(_Ranker):
    """As `LambdaRank`, where all pairs of different grades weigh the same."""

    _learner = "ranknet"

    def __init__(
        self,
        *,
        hidden: Sequence[int] = (),
        rates: Sequence[float] = (0.001, 0.01, 0.1),
        restarts: int = 5,
        epochs: int = 200,
        patience: int = 20,
        measure: str = "map",
        steepness: float = 1.0,
        confidence: float = 1.0,
        scaling: Scaling = "standard",
        seed: int = 1,
    ) -> None:
        self.hidden = hidden
        self.rates = rates
        self.restarts = restarts
        self.epochs = epochs
        self.patience = patience
        self.measure = measure
        self.steepness = steepness
        self.confidence = confidence
        self.scaling = scaling
        self.seed = seed


class RankingSVM(_Ranker):
    """The linear ranking support vector machine.

    Args:
        penalties: Weights of half the squared norm, of which the best is chosen.
        tolerance: The fit stops when no entry of the gradient is larger.
        max_steps: The fit fails after so many steps.
        measure: The measure to choose by.
        scaling: How attributes are scaled within each query.
    """

    _learner = "linear-svm"

    def __init__(
        self,
        *,
        penalties: Sequence[float] = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0),
        tolerance: float = 1e-6,
        max_steps: int = 10_000,
        measure: str = "map",
        scaling: Scaling = "standard",
    ) -> None:
        self.penalties = penalties
        self.tolerance = tolerance
        self.max_steps = max_steps
        self.measure = measure
        self.scaling = scaling

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weight of every attribute after scaling."""
        weights: NDArray[np.float64] | None = self._fitted().weights()
        if weights is None:
            raise AssertionError("the scores of a linear ranker are linear")
        return weights


def lambda_gradient(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    qid: Any = None,
    *,
    weight: str = "ndcg",
    steepness: float = 1.0,
    confidence: float = 1.0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gradient and curvature of every score: a custom objective for LightGBM and XGBoost.

    >>> import ordain
    >>> gradient, curvature = ordain.lambda_gradient([1, 0], [0.0, 0.0])
    >>> bool(gradient[0] < 0 < gradient[1])  # the relevant document should rise
    True
    """
    grades = data.vector(y_true, "y_true", np.int32)
    scores = data.vector(y_pred, "y_pred")
    if len(grades) != len(scores):
        raise DataError(f"y_pred: found {len(scores)} scores, expected {len(grades)}, one per grade")
    queries = Queries(qid, len(scores))
    scores, grades = queries.sorted(scores), queries.sorted(grades)
    gradient, curvature = _core.lambda_gradient(scores, grades, queries.ends, weight, steepness, confidence)
    return queries.restored(gradient), queries.restored(curvature)


def lightgbm_objective(
    *, weight: str = "ndcg", steepness: float = 1.0, confidence: float = 1.0
) -> Any:
    """An objective for `lightgbm.train(params={"objective": ...})`: a function of scores and a `Dataset` with groups."""

    def objective(scores: NDArray[np.float64], dataset: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        sizes = np.asarray(dataset.get_group())
        qid = np.repeat(np.arange(len(sizes)), sizes)
        return lambda_gradient(
            dataset.get_label(), scores, qid, weight=weight, steepness=steepness, confidence=confidence
        )

    return objective


def xgboost_objective(
    *, weight: str = "ndcg", steepness: float = 1.0, confidence: float = 1.0
) -> Any:
    """An objective for `xgboost.train(obj=...)`: a function of scores and a `DMatrix` with groups."""

    def objective(scores: NDArray[np.float64], matrix: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        ends = matrix.get_uint_info("group_ptr")
        qid = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        return lambda_gradient(
            matrix.get_label(), np.asarray(scores, float).ravel(), qid, weight=weight, steepness=steepness, confidence=confidence
        )

    return objective
