from collections.abc import Iterable
from typing import Final, Self, final

from typing_extensions import Buffer

from enginewire._enginewire import Report, _TreeParts
from enginewire._enginewire.attributes import Vector3
from enginewire.remote import Data

EVENT_IDS: Final[dict[int, str]]

def loads(buffer: Buffer, *, event_ids: dict[int, str] | None = None, unverified_types: bool = False) -> list[Data]: ...
def dumps(packet: list[Data] | tuple[Data, ...], *, event_ids: dict[int, str] | None = None) -> bytes: ...
def check(buffer: Buffer, *, event_ids: dict[int, str] | None = None, unverified_types: bool = False) -> Report: ...
def _tree(buffer: Buffer, *, event_ids: dict[int, str] | None = None, unverified_types: bool = False) -> _TreeParts: ...

# `bindings/python/gate --stubs` writes the rest.

@final
class EnumItem:
    """An item of an enum, both by their numbers."""

    __match_args__: Final = ("enum_id", "value")
    def __new__(cls, enum_id: int, value: int) -> Self: ...
    @property
    def enum_id(self) -> int: ...
    @property
    def value(self) -> int: ...

@final
class Color3uint8:
    """A colour of 24 bits."""

    __match_args__: Final = ("r", "g", "b")
    def __new__(cls, r: int, g: int, b: int) -> Self: ...
    @property
    def r(self) -> int: ...
    @property
    def g(self) -> int: ...
    @property
    def b(self) -> int: ...

@final
class PathWaypoint:
    """A point of a path."""

    __match_args__: Final = ("position", "action")
    def __new__(cls, position: Vector3, action: int) -> Self: ...
    @property
    def position(self) -> Vector3: ...
    @property
    def action(self) -> int: ...

@final
class CFrame:
    """A position and a rotation, which is the id of one of the 24 that are along the axes, or a `PackedQuaternion`."""

    __match_args__: Final = ("position", "rotation")
    def __new__(cls, position: Vector3, rotation: PackedQuaternion | int) -> Self: ...
    @property
    def position(self) -> Vector3: ...
    @property
    def rotation(self) -> PackedQuaternion | int: ...

@final
class Faces:
    """A set of sides."""

    __match_args__: Final = ("bits",)
    def __new__(cls, bits: int) -> Self: ...
    @property
    def bits(self) -> int: ...

@final
class Axes:
    """A set of axes."""

    __match_args__: Final = ("bits",)
    def __new__(cls, bits: int) -> Self: ...
    @property
    def bits(self) -> int: ...

@final
class DateTime:
    """Milliseconds since the beginning of 1970."""

    __match_args__: Final = ("milliseconds",)
    def __new__(cls, milliseconds: int) -> Self: ...
    @property
    def milliseconds(self) -> int: ...

@final
class SystemAddress:
    """A peer."""

    __match_args__: Final = ("id",)
    def __new__(cls, id: int) -> Self: ...
    @property
    def id(self) -> int: ...

@final
class OptimizedString:
    """A string that has a place in a table, or that place."""

    __match_args__: Final = ("content",)
    def __new__(cls, content: int | str | bytes) -> Self: ...
    @property
    def content(self) -> int | str | bytes: ...

@final
class Ref:
    """An instance that both sides know. The peer is whose numbering the id belongs to: 1 is the server."""

    __match_args__: Final = ("peer", "id")
    def __new__(cls, peer: int, id: int) -> Self: ...
    @property
    def peer(self) -> int: ...
    @property
    def id(self) -> int: ...

@final
class PhysicalProperties:
    """The physical behaviour of a part."""

    __match_args__: Final = ("density", "friction", "elasticity", "friction_weight", "elasticity_weight")
    def __new__(cls, density: float, friction: float, elasticity: float, friction_weight: float, elasticity_weight: float) -> Self: ...
    @property
    def density(self) -> float: ...
    @property
    def friction(self) -> float: ...
    @property
    def elasticity(self) -> float: ...
    @property
    def friction_weight(self) -> float: ...
    @property
    def elasticity_weight(self) -> float: ...

@final
class SimpleCFrame:
    """A position and a rotation, as in attributes: the id of a rotation, or the nine numbers of a matrix."""

    __match_args__: Final = ("position", "rotation")
    def __new__(cls, position: Vector3, rotation: int | Iterable[float]) -> Self: ...
    @property
    def position(self) -> Vector3: ...
    @property
    def rotation(self) -> int | tuple[float, ...]: ...

@final
class PackedQuaternion:
    """A rotation in 48 bits: three components of a quaternion, and the name of the one that is left out, `"x"` to `"w"`."""

    __match_args__: Final = ("omitted", "a", "b", "c")
    def __new__(cls, omitted: str, a: int, b: int, c: int) -> Self: ...
    @property
    def omitted(self) -> str: ...
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def c(self) -> int: ...
