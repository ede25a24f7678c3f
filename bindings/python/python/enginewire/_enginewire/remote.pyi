import builtins
from collections.abc import Callable, Sequence
from typing import Any, Final, Self, TypeVar, final, overload

from typing_extensions import Buffer

from enginewire._enginewire import Report
from enginewire._enginewire.attributes import Vector3
from enginewire.remote import Data

_T = TypeVar("_T")

EVENT_IDS: Final[dict[int, str]]

@overload
def loads(buffer: Buffer, *, type: None = None, event_ids: dict[int, str] | None = None) -> list[Data]: ...
@overload
def loads(buffer: Buffer, *, type: builtins.type[_T], event_ids: dict[int, str] | None = None) -> _T: ...
@overload
def loads(buffer: Buffer, *, type: Any, event_ids: dict[int, str] | None = None) -> Any: ...
def dumps(
    packet: Sequence[Data], *, event_ids: dict[int, str] | None = None, default: Callable[[Any], Any] | None = None
) -> bytes: ...
def check(buffer: Buffer, *, event_ids: dict[int, str] | None = None) -> Report: ...

# `bindings/python/gate --stubs` writes the rest.

@final
class CFrame:
    """A position and a rotation, which is the id of one of the 24 that are along the axes, or a `PackedQuaternion`."""

    __match_args__: Final = ("position", "rotation")
    def __new__(cls, position: Vector3, rotation: PackedQuaternion | int) -> Self: ...
    @property
    def position(self) -> Vector3: ...
    @property
    def rotation(self) -> PackedQuaternion | int: ...
    def __replace__(self, **changes: Any) -> Self: ...

@final
class Ref:
    """An instance that both sides know. The peer is whose numbering the id belongs to: 1 is the server."""

    __match_args__: Final = ("peer", "id")
    def __new__(cls, peer: int, id: int) -> Self: ...
    @property
    def peer(self) -> int: ...
    @property
    def id(self) -> int: ...
    def __replace__(self, **changes: Any) -> Self: ...

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
    def __replace__(self, **changes: Any) -> Self: ...
