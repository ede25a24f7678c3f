"""Godot Variant, versions 3 and 4: what `var_to_bytes` and `PacketPeer.put_var` write.

>>> from enginewire import godot
>>> godot.loads(godot.dumps({"hp": 300, "at": godot.Vector3(0.5, 0, 2)}))
{'hp': 300, 'at': Vector3(0.5, 0.0, 2.0)}

| Godot | Python |
|---|---|
| null, bool, int, float | `None`, `bool`, `int`, `float`; `Int` and `Float` where there is a number of the other type |
| String, StringName | `str`, `StringName`; `String` where it is not UTF-8 |
| Array, Dictionary | `list`, `dict`; `Entries` where a key repeats or cannot be one; `TypedArray`, `TypedDictionary` |
| Vector2, Color, … | the classes of this module, with `double=True` where the reals have 64 bits |
| packed arrays | `numpy` arrays, or `memoryview`s where numpy is not installed, which cannot be written to |
| PackedStringArray | `PackedStringArray`, which is a `tuple` of `str` |

The type of a packed array is that of its items and the number of columns: `int32` is PackedInt32Array, `float32` with three
columns is PackedVector3Array. `Packed` names the type where these do not tell: four columns are PackedColorArray.

Packed arrays view the input if it is `bytes`, a mapping that is read-only, or a view of one of these. A mapping cannot be closed as
long as one of them is there: `close` raises `BufferError`. Any other input is copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ._enginewire.godot import *
from ._mapping import Entries
from ._numbers import Integer
from ._streams import dump_frame, read_frames, read_frames_async

__all__ = [
    "AABB",
    "RID",
    "Basis",
    "Callable",
    "Class",
    "Color",
    "Float",
    "FrameDecoder",
    "FrameProtocol",
    "Int",
    "NodePath",
    "NullObject",
    "Object",
    "ObjectID",
    "Packed",
    "PackedStringArray",
    "Plane",
    "Projection",
    "Quaternion",
    "Rect2",
    "Rect2i",
    "Script",
    "Signal",
    "String",
    "StringName",
    "Transform2D",
    "Transform3D",
    "TypedArray",
    "TypedDictionary",
    "Value",
    "Vector2",
    "Vector2i",
    "Vector3",
    "Vector3i",
    "Vector4",
    "Vector4i",
    "check",
    "dump_frame",
    "dumps",
    "loads",
    "read_frames",
    "read_frames_async",
]

#: Text, or the bytes of text that is not UTF-8.
Text = str | bytes


class Int(Integer):
    """An int, also over a float that is there: a plain number would become a float like that."""

    __slots__ = ()


class Float(float):
    """A float, also over an int that is there: a plain number would have to be whole."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Float({float(self)!r})" if self == self and abs(self) != float("inf") else f"Float('{float(self)}')"


class StringName(str):
    """A name, which Godot keeps once."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"StringName({str(self)!r})"


@dataclass(frozen=True, slots=True)
class String:
    """A String that is not UTF-8; with `is_name`, a StringName that is not."""

    bytes: bytes
    is_name: bool = False


class PackedStringArray(tuple[Text, ...]):
    """Strings."""

    __slots__ = ()

    def __new__(cls, strings: Iterable[Text] = ()) -> PackedStringArray:
        if isinstance(strings, Text):
            raise TypeError(f"expected a sequence of strings, found {type(strings).__name__}")
        return super().__new__(cls, strings)

    def __repr__(self) -> str:
        return f"PackedStringArray({list(self)!r})"


@dataclass(frozen=True, slots=True)
class NodePath:
    """The path of a node, optionally followed by that of a property."""

    names: Sequence[Text]
    subnames: Sequence[Text] = ()
    absolute: bool = False

    def __post_init__(self) -> None:
        if type(self.names) is type(self.subnames) is tuple:
            return
        for field in ("names", "subnames"):
            names = getattr(self, field)
            if isinstance(names, Text):
                raise TypeError(f"expected a sequence of {field}, found {type(names).__name__}")
            object.__setattr__(self, field, tuple(names))


@dataclass(frozen=True, slots=True)
class RID:
    """The number of a resource in a server. Version 3 does not say it: 0."""

    id: int = 0


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal of an object."""

    name: Text
    object_id: int


@dataclass(frozen=True, slots=True)
class Callable:
    """A callable. Its target is not serialized."""


@dataclass(frozen=True, slots=True)
class ObjectID:
    """The number of an object of another process."""

    id: int


@dataclass(frozen=True, slots=True)
class NullObject:
    """No object, where one may be."""


@dataclass(frozen=True, slots=True)
class Object:
    """An object with its properties by name."""

    class_name: Text
    properties: Any = field(default_factory=dict[Text, Any])


@dataclass(frozen=True, slots=True)
class Class:
    """A class as the type of elements."""

    name: Text


@dataclass(frozen=True, slots=True)
class Script:
    """A script as the type of elements, by its path."""

    path: Text


@dataclass(frozen=True, slots=True)
class TypedArray:
    """An Array whose elements have a type: the name of a built-in type such as `"int"`, a `Class` or a `Script`. `None` is any: over an
    array with a type, that makes one without."""

    type: str | Class | Script | None
    elements: list[Any]


@dataclass(frozen=True, slots=True)
class TypedDictionary:
    """A Dictionary whose keys or values have a type; `None` is any."""

    key_type: str | Class | Script | None
    value_type: str | Class | Script | None
    entries: Any


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A packed array whose type the data alone do not tell, such as `Packed("PackedVector4Array", array)`."""

    kind: str
    data: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Packed):
            return NotImplemented
        mine, theirs = memoryview(self.data), memoryview(other.data)
        return (self.kind, mine.format, mine.shape, mine.tobytes()) == (other.kind, theirs.format, theirs.shape, theirs.tobytes())


if TYPE_CHECKING:
    import numpy

    from ._protocol import FrameProtocol

    #: What `loads` gives.
    Value: TypeAlias = (
        None | bool | int | float | str | String | list[Any] | TypedArray | dict[Any, Any] | Entries | TypedDictionary
        | AABB | Basis | Color | Plane | Projection | Quaternion | Rect2 | Rect2i | Transform2D | Transform3D
        | Vector2 | Vector2i | Vector3 | Vector3i | Vector4 | Vector4i
        | RID | Callable | NodePath | NullObject | Object | ObjectID | Signal
        | numpy.ndarray[Any, Any] | memoryview | Packed | PackedStringArray
    )  # fmt: skip
else:
    # arrays are not known before numpy is imported
    Value = object

    def __getattr__(name: str) -> Any:
        if name == "FrameProtocol":
            from ._protocol import FrameProtocol

            return FrameProtocol
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
