from typing import Any, Final, Self, final

from typing_extensions import Buffer

from enginewire._enginewire import Report, _TreeParts

KINDS: Final[tuple[str, ...]]

def loads(buffer: Buffer, *, any_padding: bool = False, unverified_types: bool = True) -> Any: ...
def dumps(value: Any) -> bytes: ...
def check(buffer: Buffer, *, any_padding: bool = False, unverified_types: bool = True) -> Report: ...
def _tree(buffer: Buffer, *, any_padding: bool = False, unverified_types: bool = True) -> _TreeParts: ...

# `bindings/python/gate --stubs` writes the rest.

@final
class Json:
    """JSON text, which is not looked into."""

    __match_args__: Final = ("text",)
    def __new__(cls, text: str | bytes) -> Self: ...
    @property
    def text(self) -> str | bytes: ...

@final
class WeakScriptRef:
    """A reference to a script that does not keep it."""

    __match_args__: Final = ("ref_id", "flag")
    def __new__(cls, ref_id: int, flag: bool) -> Self: ...
    @property
    def ref_id(self) -> int: ...
    @property
    def flag(self) -> bool: ...

@final
class Vec3:
    """A point or direction in space."""

    __match_args__: Final = ("x", "y", "z")
    def __new__(cls, x: float, y: float, z: float) -> Self: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def z(self) -> float: ...

@final
class Quat:
    """A rotation."""

    __match_args__: Final = ("x", "y", "z", "w")
    def __new__(cls, x: float, y: float, z: float, w: float) -> Self: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def z(self) -> float: ...
    @property
    def w(self) -> float: ...

@final
class Color:
    """A colour: each part from 0 to 1."""

    __match_args__: Final = ("r", "g", "b", "a")
    def __new__(cls, r: float, g: float, b: float, a: float) -> Self: ...
    @property
    def r(self) -> float: ...
    @property
    def g(self) -> float: ...
    @property
    def b(self) -> float: ...
    @property
    def a(self) -> float: ...

@final
class Handle:
    """The number of something in the world. The kind is one of `KINDS`, such as `Shape`."""

    __match_args__: Final = ("kind", "number")
    def __new__(cls, kind: str, number: int) -> Self: ...
    @property
    def kind(self) -> str: ...
    @property
    def number(self) -> int: ...

@final
class JsonTemplate:
    """JSON text that belongs to something with an id."""

    __match_args__: Final = ("uuid", "json")
    def __new__(cls, uuid: str, json: str | bytes) -> Self: ...
    @property
    def uuid(self) -> str: ...
    @property
    def json(self) -> str | bytes: ...
