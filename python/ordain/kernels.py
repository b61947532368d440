"""Kernels say how alike two items are before any answer. They add up, and a number in front is the weight of a part.

>>> from ordain import Independent, RegularizedLaplacian, SquaredExponential
>>> kernel = SquaredExponential(rho=0.5) + 0.7 * RegularizedLaplacian([("a", "b")]) + Independent(0.5)
>>> [part.weight for part in kernel]
[1.0, 0.7, 0.5]

The utility is the weighted sum of its parts, so a weight enters the covariance squared. Links are anything that
`ordain.data.Links` reads: a list of pairs of ids, perhaps with weights, a SciPy sparse matrix, a networkx graph, or a table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from .errors import DataTypeError

#: How directed or bipartite links become a graph over the items.
Role: TypeAlias = Literal["undirected", "linking", "linked", "bipartite"]


class Kernel:
    """One part of the utility, or a sum of parts."""

    def parts(self) -> tuple[Part, ...]:
        """The parts of the sum."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts())

    def __len__(self) -> int:
        return len(self.parts())

    def __add__(self, other: Kernel) -> Sum:
        if not isinstance(other, Kernel):
            return NotImplemented
        return Sum(self.parts() + other.parts())

    def __radd__(self, other: object) -> Kernel:
        # So that `sum(kernels)` works.
        if other == 0:
            return self
        return NotImplemented

    def __mul__(self, factor: float) -> Kernel:
        if isinstance(factor, Kernel) or not hasattr(factor, "__float__"):
            return NotImplemented
        scaled = tuple(part.weighted(part.weight * float(factor)) for part in self.parts())
        return scaled[0] if len(scaled) == 1 else Sum(scaled)

    __rmul__ = __mul__


class Sum(Kernel):
    """A sum of parts; `+` makes it."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = tuple(parts)

    def parts(self) -> tuple[Part, ...]:
        return self._parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sum) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(len(self._parts))

    def __repr__(self) -> str:
        return " + ".join(repr(part) for part in self._parts)


class Part(Kernel):
    """One part of the utility."""

    #: The word of this kind in `ordain.toml`.
    kind: ClassVar[str]
    weight: float

    def parts(self) -> tuple[Part, ...]:
        return (self,)

    def weighted(self, weight: float) -> Part:
        """The same part with another weight."""
        values = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}  # type: ignore[arg-type]
        return type(self)(**{**values, "weight": weight})

    def table(self) -> dict[str, Any]:
        """The keys of a `[[kernel]]` table. Links are under `relation`, as they are."""
        table: dict[str, Any] = {"kind": self.kind}
        for each in dataclasses.fields(self):  # type: ignore[arg-type]
            table[each.metadata.get("key", each.name)] = getattr(self, each.name)
        return table

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        names = [each.name for each in dataclasses.fields(self)]  # type: ignore[arg-type]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash(self.kind)

    def __repr__(self) -> str:
        shown = []
        for each in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, each.name)
            if each.metadata.get("key") == "relation":
                if value is not None:
                    shown.append("links")
            elif not _same(value, each.default):
                shown.append(f"{each.name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    try:
        return bool(one == other)
    except (ValueError, TypeError):
        return False


def _links() -> Any:
    return field(default=None, metadata={"key": "relation"}, kw_only=True)


def _role() -> Any:
    return field(default="undirected", metadata={"key": "as"}, kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class _Vector(Part):
    """A function of the items' attributes, or of their rows in `links`."""

    kappa: float = 1.0
    weight: float = field(default=1.0, kw_only=True)
    #: Rows of these links take the place of the attributes.
    links: Any = _links()
    #: How the links are read.
    role: Role = _role()
    #: `{"neighbours": 10, "strength": 1.0}` joins nearest neighbours, so that the kernel follows the shape of the data.
    semi_supervised: Mapping[str, float] | None = field(default=None, kw_only=True)

    def table(self) -> dict[str, Any]:
        table = super().table()
        near = table.pop("semi_supervised")
        if near is not None:
            unknown = set(near) - {"neighbours", "strength"}
            if unknown:
                raise DataTypeError(f"semi_supervised: found {sorted(unknown)}, expected neighbours and strength")
            table["semi_supervised"] = (int(near["neighbours"]), float(near.get("strength", 1.0)))
        rho = table.get("rho")
        if rho is not None:
            table["rho"] = [float(rho)] if hasattr(rho, "__float__") else [float(one) for one in rho]
        return table


@dataclass(frozen=True, repr=False, eq=False)
class SquaredExponential(_Vector):
    """Items with close attributes are alike; very smooth. `rho` is an inverse length, for all attributes or for each."""

    kind: ClassVar[str] = "squared-exponential"
    rho: float | Sequence[float] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class Matern32(_Vector):
    """Items with close attributes are alike; rough."""

    kind: ClassVar[str] = "matern-3/2"
    rho: float | Sequence[float] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class Matern52(_Vector):
    """Items with close attributes are alike; less rough."""

    kind: ClassVar[str] = "matern-5/2"
    rho: float | Sequence[float] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class Linear(_Vector):
    """The utility is a weighted sum of attributes."""

    kind: ClassVar[str] = "linear"


@dataclass(frozen=True, repr=False, eq=False)
class Polynomial(_Vector):
    """The utility is a polynomial of attributes."""

    kind: ClassVar[str] = "polynomial"
    offset: float = field(default=1.0, kw_only=True)
    degree: int = field(default=2, kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class Cosine(_Vector):
    """Items whose attributes point in the same direction are alike."""

    kind: ClassVar[str] = "cosine"


@dataclass(frozen=True, repr=False, eq=False)
class Independent(Part):
    """Each item's own part. Without it, a smooth kernel cannot tell near twins apart."""

    kind: ClassVar[str] = "independent"
    weight: float = 1.0


@dataclass(frozen=True, repr=False, eq=False)
class _Linked(Part):
    links: Any = field(metadata={"key": "relation"})
    weight: float = field(default=1.0, kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class RegularizedLaplacian(_Linked):
    """Items that many short paths of links join are alike. `beta` is the scale, `iota` the reach."""

    kind: ClassVar[str] = "regularized-laplacian"
    role: Role = _role()
    beta: float = field(default=1.0, kw_only=True)
    iota: float = field(default=1.0, kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class CommonCause(_Linked):
    """Linked items share hidden causes: one per link (`form="edges"`) or per clique (`form="cliques"`)."""

    kind: ClassVar[str] = "common-cause"
    role: Role = _role()
    form: Literal["edges", "cliques"] = field(default="edges", kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class Diffusion(_Linked):
    """Similarity spreads along links like heat, for the time `beta`."""

    kind: ClassVar[str] = "diffusion"
    role: Role = _role()
    beta: float = field(default=1.0, kw_only=True)


@dataclass(frozen=True, repr=False, eq=False)
class DirectedLaplacian(_Linked):
    """Items that a random walk along directed links joins are alike."""

    kind: ClassVar[str] = "directed-laplacian"
    beta: float = field(default=1.0, kw_only=True)
    iota: float = field(default=1.0, kw_only=True)


#: The kinds of kernels by their words in `ordain.toml`.
KINDS: dict[str, type[Part]] = {
    kind.kind: kind
    for kind in (
        SquaredExponential,
        Matern32,
        Matern52,
        Linear,
        Polynomial,
        Cosine,
        Independent,
        RegularizedLaplacian,
        CommonCause,
        Diffusion,
        DirectedLaplacian,
    )
}


def from_table(table: Mapping[str, Any], relations: Sequence[Any]) -> Part | None:
    """The kernel of a table that the core gives. None if this package has no class for it, as for texts."""
    kind = KINDS.get(table["kind"])
    if kind is None:
        return None
    values: dict[str, Any] = {}
    for each in dataclasses.fields(kind):  # type: ignore[arg-type]
        key = each.metadata.get("key", each.name)
        if key not in table:
            continue
        value = table[key]
        if key == "relation":
            value = relations[value]
        elif key == "rho" and len(value) == 1:
            value = value[0]
        elif key == "semi_supervised":
            value = {"neighbours": value[0], "strength": value[1]}
        values[each.name] = value
    return kind(**values)
