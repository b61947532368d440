"""Learned models of the core that are pickled by their files."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from ._params import Estimator
from .errors import not_fitted


class StoredModel(Estimator):
    """An estimator whose learned part is `model_`."""

    #: The class of the learned part, which reads its file.
    _kind: ClassVar[Any]
    model_: Any

    def _fitted(self) -> Any:
        try:
            return self.model_
        except AttributeError:
            raise not_fitted(f"this {type(self).__name__} has learned nothing yet", "call fit first") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the learned model as a file that the `ordain` command reads."""
        self._fitted().save(os.fspath(path))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        model = state.pop("model_", None)
        if model is not None:
            import tempfile

            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.json")
                model.save(path)
                with open(path, "rb") as file:
                    state["_model_file"] = file.read()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        content = state.pop("_model_file", None)
        self.__dict__.update(state)
        if content is not None:
            import tempfile

            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.json")
                with open(path, "wb") as file:
                    file.write(content)
                self.model_ = self._kind.load(path)
