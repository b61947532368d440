"""Learn the order of things from as few comparisons as possible.

>>> import ordain
>>> model = ordain.PreferenceModel().fit(["ash", "birch", "cedar"])
>>> first, second = model.ask()      # the pair that is worth asking
>>> model.tell(first, second)        # somebody prefers the first
>>> ranking = model.rank()           # all items, with intervals
"""

from . import data, errors, kernels
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
from .models import PreferenceModel, Project
from .results import Certainty, Comparison, Forecast, Judges, Predictions, Question, Ranking, Tuned

__all__ = [
    "CancelledError",
    "Certainty",
    "CommonCause",
    "Comparison",
    "Cosine",
    "DataError",
    "DataTypeError",
    "Diffusion",
    "DirectedLaplacian",
    "FileError",
    "Forecast",
    "Independent",
    "InputError",
    "Judges",
    "Kernel",
    "Linear",
    "Matern32",
    "Matern52",
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
    "RegularizedLaplacian",
    "SquaredExponential",
    "TooLargeError",
    "Tuned",
    "UnknownItemError",
    "UnknownWordError",
    "__version__",
    "data",
    "errors",
    "kernels",
]
