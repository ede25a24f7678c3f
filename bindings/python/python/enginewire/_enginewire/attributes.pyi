from collections.abc import Iterable
from typing import Any, Final, Self, final

from typing_extensions import Buffer

from enginewire._enginewire import Report, _TreeParts
from enginewire._mapping import Entries

def loads(buffer: Buffer, *, draft_types: bool = True, refs: bool = False) -> Any: ...
def dumps(value: dict[Any, Any] | Entries) -> bytes: ...
def check(buffer: Buffer, *, draft_types: bool = True, refs: bool = False) -> Report: ...
def _tree(buffer: Buffer, *, draft_types: bool = True, refs: bool = False) -> _TreeParts: ...

# `bindings/python/gate --stubs` writes the rest.

@final
class Vector3:
    """A point in space."""

    __match_args__: Final = ("x", "y", "z")
    def __new__(cls, x: float, y: float, z: float) -> Self: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def z(self) -> float: ...

@final
class Color3:
    """A colour: each part from 0 to 1."""

    __match_args__: Final = ("r", "g", "b")
    def __new__(cls, r: float, g: float, b: float) -> Self: ...
    @property
    def r(self) -> float: ...
    @property
    def g(self) -> float: ...
    @property
    def b(self) -> float: ...

@final
class UDim2:
    """A position or size on the screen."""

    __match_args__: Final = ("x", "y")
    def __new__(cls, x: UDim, y: UDim) -> Self: ...
    @property
    def x(self) -> UDim: ...
    @property
    def y(self) -> UDim: ...

@final
class UDim:
    """A length on the screen: a part of that around it, and pixels."""

    __match_args__: Final = ("scale", "offset")
    def __new__(cls, scale: float, offset: int) -> Self: ...
    @property
    def scale(self) -> float: ...
    @property
    def offset(self) -> int: ...

@final
class Vector2:
    """A point in the plane."""

    __match_args__: Final = ("x", "y")
    def __new__(cls, x: float, y: float) -> Self: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...

@final
class NumberRange:
    """A range of numbers."""

    __match_args__: Final = ("min", "max")
    def __new__(cls, min: float, max: float) -> Self: ...
    @property
    def min(self) -> float: ...
    @property
    def max(self) -> float: ...

@final
class Rect:
    """A rectangle."""

    __match_args__: Final = ("min", "max")
    def __new__(cls, min: Vector2, max: Vector2) -> Self: ...
    @property
    def min(self) -> Vector2: ...
    @property
    def max(self) -> Vector2: ...

@final
class Ray:
    """A half-line."""

    __match_args__: Final = ("origin", "direction")
    def __new__(cls, origin: Vector3, direction: Vector3) -> Self: ...
    @property
    def origin(self) -> Vector3: ...
    @property
    def direction(self) -> Vector3: ...

@final
class Vector2int16:
    """A point in the plane, in whole numbers."""

    __match_args__: Final = ("x", "y")
    def __new__(cls, x: int, y: int) -> Self: ...
    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...

@final
class Vector3int16:
    """A point in space, in whole numbers."""

    __match_args__: Final = ("x", "y", "z")
    def __new__(cls, x: int, y: int, z: int) -> Self: ...
    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...
    @property
    def z(self) -> int: ...

@final
class NumberSequenceKeypoint:
    """A number at a time."""

    __match_args__: Final = ("envelope", "time", "value")
    def __new__(cls, envelope: float, time: float, value: float) -> Self: ...
    @property
    def envelope(self) -> float: ...
    @property
    def time(self) -> float: ...
    @property
    def value(self) -> float: ...

@final
class ColorSequenceKeypoint:
    """A colour at a time."""

    __match_args__: Final = ("envelope", "time", "value")
    def __new__(cls, envelope: float, time: float, value: Color3) -> Self: ...
    @property
    def envelope(self) -> float: ...
    @property
    def time(self) -> float: ...
    @property
    def value(self) -> Color3: ...

@final
class Region3:
    """A box in space."""

    __match_args__: Final = ("min", "max")
    def __new__(cls, min: Vector3, max: Vector3) -> Self: ...
    @property
    def min(self) -> Vector3: ...
    @property
    def max(self) -> Vector3: ...

@final
class Region3int16:
    """A box in space, in whole numbers."""

    __match_args__: Final = ("min", "max")
    def __new__(cls, min: Vector3int16, max: Vector3int16) -> Self: ...
    @property
    def min(self) -> Vector3int16: ...
    @property
    def max(self) -> Vector3int16: ...

@final
class TweenInfo:
    """The timing of an animation from one value to another. The style and the direction are numbers of `Enum.EasingStyle` and
    `Enum.EasingDirection`."""

    __match_args__: Final = ("time", "delay", "repeat_count", "easing_style", "easing_direction", "reverses")
    def __new__(cls, time: float, delay: float, repeat_count: int, easing_style: int, easing_direction: int, reverses: bool) -> Self: ...
    @property
    def time(self) -> float: ...
    @property
    def delay(self) -> float: ...
    @property
    def repeat_count(self) -> int: ...
    @property
    def easing_style(self) -> int: ...
    @property
    def easing_direction(self) -> int: ...
    @property
    def reverses(self) -> bool: ...

@final
class CFrame:
    """A position and a rotation. The rotation is the id of one of the 24 that are aligned with the axes, or the nine numbers
    of a matrix, row by row."""

    __match_args__: Final = ("position", "rotation")
    def __new__(cls, position: Vector3, rotation: int | Iterable[float]) -> Self: ...
    @property
    def position(self) -> Vector3: ...
    @property
    def rotation(self) -> int | tuple[float, ...]: ...

@final
class BrickColor:
    """A colour of the palette, by its number."""

    __match_args__: Final = ("number",)
    def __new__(cls, number: int) -> Self: ...
    @property
    def number(self) -> int: ...

@final
class EnumItem:
    """An item of an enum."""

    __match_args__: Final = ("enum_name", "value")
    def __new__(cls, enum_name: str | bytes, value: int) -> Self: ...
    @property
    def enum_name(self) -> str | bytes: ...
    @property
    def value(self) -> int: ...

@final
class NumberSequence:
    """A number that changes over time."""

    __match_args__: Final = ("keypoints",)
    def __new__(cls, keypoints: Iterable[NumberSequenceKeypoint]) -> Self: ...
    @property
    def keypoints(self) -> tuple[NumberSequenceKeypoint, ...]: ...

@final
class ColorSequence:
    """A colour that changes over time."""

    __match_args__: Final = ("keypoints",)
    def __new__(cls, keypoints: Iterable[ColorSequenceKeypoint]) -> Self: ...
    @property
    def keypoints(self) -> tuple[ColorSequenceKeypoint, ...]: ...

@final
class Font:
    """A font."""

    __match_args__: Final = ("weight", "style", "family", "cached_face_id")
    def __new__(cls, weight: int, style: int, family: str | bytes, cached_face_id: str | bytes) -> Self: ...
    @property
    def weight(self) -> int: ...
    @property
    def style(self) -> int: ...
    @property
    def family(self) -> str | bytes: ...
    @property
    def cached_face_id(self) -> str | bytes: ...

@final
class Faces:
    """A set of sides: bits 0 to 5 are right, top, back, left, bottom and front."""

    __match_args__: Final = ("bits",)
    def __new__(cls, bits: int) -> Self: ...
    @property
    def bits(self) -> int: ...

@final
class Axes:
    """A set of axes: bits 0 to 2 are x, y and z."""

    __match_args__: Final = ("bits",)
    def __new__(cls, bits: int) -> Self: ...
    @property
    def bits(self) -> int: ...

@final
class Ref:
    """The number of an instance in the file around."""

    __match_args__: Final = ("number",)
    def __new__(cls, number: int) -> Self: ...
    @property
    def number(self) -> int: ...
