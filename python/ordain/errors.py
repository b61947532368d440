"""What can go wrong. Texts are those of the `ordain` command; `hint` says what to do, where the text alone does not.

>>> import ordain
>>> try:
...     ordain.PreferenceModel(noise=-1.0).fit(["a", "b"])
... except ordain.ParameterError as error:
...     print(error)
noise is -1, expected a positive number whose square is in range
"""

from __future__ import annotations

import functools
import sys
from os import PathLike


class OrdainError(Exception):
    """The base of all exceptions of this package."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        #: What to do, if the message alone does not say so.
        self.hint = hint
        if hint is not None:
            self.add_note(f"hint: {hint}")

    def __str__(self) -> str:
        return self.message


class InputError(OrdainError, ValueError):
    """The content of a file is not as expected. The attributes name the place."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        file: str | PathLike[str] | None = None,
        line: int | None = None,
        column: str | None = None,
        found: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.file = file
        self.line = line
        self.column = column
        self.found = found


class FileError(OrdainError, OSError):
    """A file cannot be read or written."""


class ParameterError(OrdainError, ValueError):
    """A parameter or setting is out of its range."""


class UnknownWordError(ParameterError):
    """A word is none of those that are known, such as the name of a goal."""


class DataError(OrdainError, ValueError):
    """Data contradict each other, or have the wrong shape."""


class DataTypeError(DataError, TypeError):
    """Data are of a type from which nothing can be read."""


class UnknownItemError(DataError, KeyError):
    """An id is none of the items."""


class NumericalError(OrdainError, ArithmeticError):
    """A computation did not converge, or a matrix is not positive definite."""


class TooLargeError(OrdainError, MemoryError):
    """The problem needs more memory than there is, or is too large for the method."""


class CancelledError(OrdainError):
    """Long work was stopped."""


class NotFittedError(OrdainError, ValueError, AttributeError):
    """A model was used before `fit`. Where scikit-learn is loaded, it is its `NotFittedError` too."""


def not_fitted(message: str, hint: str) -> NotFittedError:
    """The exception for a model that was used before `fit`."""
    if "sklearn.exceptions" not in sys.modules:
        return NotFittedError(message, hint=hint)
    return _not_fitted_of_sklearn()(message, hint=hint)


@functools.cache
def _not_fitted_of_sklearn() -> type[NotFittedError]:
    theirs = sys.modules["sklearn.exceptions"].NotFittedError
    return type("NotFittedError", (NotFittedError, theirs), {"__doc__": NotFittedError.__doc__, "__module__": __name__})
