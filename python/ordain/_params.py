"""The conventions of scikit-learn's estimators, without scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from .errors import ParameterError

Self = TypeVar("Self", bound="Estimator")


class Estimator:
    """Parameters are the arguments of `__init__`, kept as they are under the same names."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Sets parameters by name. They count from the next `fit` on."""
        names = self._parameter_names()
        for name in params:
            if name not in names:
                raise ParameterError(f'found "{name}", expected one of {", ".join(names)}')
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if not _same(value, defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn's checks may expect; only scikit-learn calls this."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True), input_tags=InputTags())


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    try:
        return bool(one == other)
    except (ValueError, TypeError):
        return False
