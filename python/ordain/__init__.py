"""Learn the order of things from as few comparisons as possible.

>>> import ordain
>>> model = ordain.PreferenceModel().fit(["ash", "birch", "cedar"])
>>> first, second = model.ask()      # the pair that is worth asking
>>> model.tell(first, second)        # somebody prefers the first
>>> ranking = model.rank()           # all items, with intervals
"""

from . import data, errors, fusion, judges, kernels, measures
from ._core import __version__
from .errors import (
    CancelledError,
    DataError,
    DataTypeError,
    FileError,
    InputError,
    NotFittedError,
    NumericalError,
    OrdainError,
    ParameterError,
    TooLargeError,
    UnknownItemError,
    UnknownWordError,
)
from .kernels import (
    CommonCause,
    Cosine,
    Diffusion,
    DirectedLaplacian,
    Independent,
    Kernel,
    Linear,
    Matern32,
    Matern52,
    Polynomial,
    RegularizedLaplacian,
    SquaredExponential,
)
from .collaborative import CollaborativeModel
from .fusion import Hedge, Margin
from .labels import LabelRanker
from ._model import Newcomers
from .models import PreferenceModel, Project
from .rankers import LambdaRank, RankingSVM, RankNet, lambda_gradient, lightgbm_objective, xgboost_objective
from .results import Certainty, Comparison, Forecast, Judges, Predictions, Question, Ranking, Screen, Tuned

__all__ = [
    "__version__",
    "CancelledError",
    "Certainty",
    "CollaborativeModel",
    "CommonCause",
    "Comparison",
    "Cosine",
    "data",
    "DataError",
    "DataTypeError",
    "Diffusion",
    "DirectedLaplacian",
    "errors",
    "FileError",
    "Forecast",
    "fusion",
    "Hedge",
    "Independent",
    "InputError",
    "Judges",
    "judges",
    "Kernel",
    "kernels",
    "lambda_gradient",
    "LabelRanker",
    "LambdaRank",
    "lightgbm_objective",
    "Linear",
    "Margin",
    "Matern32",
    "Matern52",
    "measures",
    "Newcomers",
    "NotFittedError",
    "NumericalError",
    "OrdainError",
    "ParameterError",
    "Polynomial",
    "Predictions",
    "PreferenceModel",
    "Project",
    "Question",
    "Ranking",
    "RankingSVM",
    "RankNet",
    "RegularizedLaplacian",
    "Screen",
    "SquaredExponential",
    "TooLargeError",
    "Tuned",
    "UnknownItemError",
    "UnknownWordError",
    "xgboost_objective",
]
