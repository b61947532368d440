"""A model in memory as a project folder, and back."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from .data import joined_ids
from .errors import DataTypeError, FileError

if TYPE_CHECKING:
    from .models import PreferenceModel

Model = TypeVar("Model", bound="PreferenceModel")

#: The ids as they were given, and the parameters that a project file does not have.
_BESIDE = "python.json"


def write(folder: Path, model: PreferenceModel) -> None:
    """Writes a new folder: the project file last, so that a folder with one is whole."""
    snapshot = model._snapshot()
    memory = snapshot["memory"]
    known = {"ids": [_plain(id) for id in snapshot["ids"]], "columns": snapshot["columns"], "scales": memory["scales"]}
    beside = json.dumps(known, ensure_ascii=False, indent=0)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("ordain.toml", "items.csv", "answers.csv", "gold.csv", _BESIDE):
        if (folder / name).exists():
            raise FileError(f"cannot write {folder / name}: it exists", hint="move it away, or choose another folder")
    ids, groups, values = memory["ids"], memory["groups"], memory["values"]
    names = _apart(memory["names"])
    columns: list[Sequence[Any]] = [ids]
    header = ["id"]
    if groups is not None:
        header.append("group")
        columns.append(groups)
    if values is not None:
        header += names
        columns += [[repr(cell) for cell in column] for column in values.T.tolist()]
    priors: list[str] = []
    if memory["prior"] is not None:
        columns_of_prior, priors, _ = memory["prior"]
        priors = [_other(name, header) for name in priors]
        header += priors
        columns += [[repr(cell) for cell in column] for column in columns_of_prior.T.tolist()]
    _write(folder / "items.csv", header, zip(*columns, strict=True))
    links = []
    for at, (targets, sources, ends, weights) in enumerate(memory["relations"]):
        links.append(f"links{at + 1}.csv")
        end = [ids[target] if targets is None else f"target {target}" for target in ends.tolist()]
        rows = zip([ids[source] for source in sources.tolist()], end, map(repr, weights.tolist()), strict=True)
        _write(folder / links[-1], ["source", "target", "weight"], rows)
    answers = [
        [
            "" if first is None else ids[first],
            "" if second is None else ids[second],
            f"{outcome}:{joined_ids(ids[other] for other in others)}" if others else outcome,
            judge or "",
            time or "",
        ]
        for first, second, outcome, judge, time, others in snapshot["entries"]
    ]
    _write(folder / "answers.csv", ["first", "second", "outcome", "judge", "time"], answers)
    if memory["gold"]:
        gold = [[ids[first], ids[second], outcome] for first, second, outcome in memory["gold"]]
        _write(folder / "gold.csv", ["first", "second", "outcome"], gold)
    _text(folder / _BESIDE, beside)
    _text(folder / "ordain.toml", _project(memory, names, priors, links))


def read(cls: type[Model], folder: Path) -> Model:
    """The model of a folder that `write` made."""
    from ._model import parts

    engine = _core.Engine.open(os.fspath(folder))
    beside = folder / _BESIDE
    try:
        known = json.loads(beside.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileError(
            f"cannot read {beside}: it is not there", hint="PreferenceModel.save makes it; ordain.Project opens every project"
        ) from None
    memory = {**parts(engine), "scales": tuple(known["scales"])}
    ask = memory["ask"]
    model = cls(
        noise="learn" if memory["noise"] is None else memory["noise"],
        tie_width=memory["tie_width"],
        goal=ask["goal"],
        top=ask.get("k"),
        repeat=ask["repeat"],
        seed=ask["seed"],
        strategy=ask.get("strategy"),
        focus=ask.get("focus"),
        standardize=False,
        sides=memory["sides"],
        gold_rate=memory["gold_rate"],
    )
    ids = [_hashable(id) for id in known["ids"]]
    model._restore({"memory": memory, "entries": engine.entries(), "ids": ids, "columns": known["columns"]})
    model.kernel = model.kernel_
    return model


def _plain(id: object) -> Any:
    """An id in JSON. Tuples become lists, which are no ids themselves."""
    if isinstance(id, tuple):
        return [_plain(part) for part in id]
    if id is None or isinstance(id, bool | int | float | str):
        return id
    raise DataTypeError(
        f"an id to save: found an object of type {type(id).__name__}, expected texts, numbers or tuples of these",
        hint="pickle keeps ids of every type",
    )


def _hashable(id: Any) -> Any:
    return tuple(_hashable(part) for part in id) if isinstance(id, list) else id


def _apart(names: list[str]) -> list[str]:
    """Names of attributes that no column of ids or groups has."""
    return [f"attribute {name}" if name in ("id", "group") else name for name in names]


def _other(name: str, known: Sequence[str]) -> str:
    """A name that no other column has."""
    while name in known:
        name = f"prior {name}"
    return name


def _project(memory: dict[str, Any], names: list[str], priors: list[str], links: list[str]) -> str:
    lines = ["[items]", 'file = "items.csv"']
    if memory["groups"] is not None:
        lines.append('group = "group"')
    lines += [f"attributes = {_toml(names)}", "standardize = false"]
    if priors:
        lines += [f"prior = {_toml(priors)}", f"prior_weights = {_toml(memory['prior'][2])}"]
    for table in memory["kernels"]:
        lines += ["", "[[kernel]]"]
        for key, value in table.items():
            if key == "relation":
                value = links[value]
            elif key == "rho" and len(value) == 1:
                value = value[0]
            elif key == "semi_supervised":
                value = {"neighbours": value[0], "strength": value[1]}
            lines.append(f"{key} = {_toml(value)}")
    noise = "learn" if memory["noise"] is None else memory["noise"]
    lines += ["", "[answers]", 'file = "answers.csv"', f"noise = {_toml(noise)}", f"tie_width = {_toml(memory['tie_width'])}"]
    if memory["sides"]:
        lines.append('sides = "shown"')
    if memory["gold"]:
        lines += ['gold = "gold.csv"', f"gold_rate = {_toml(memory['gold_rate'])}"]
    lines += ["", "[ask]", *(f"{key} = {_toml(value)}" for key, value in memory["ask"].items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return repr(value)


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with open(path, "x", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _text(path: Path, text: str) -> None:
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)
