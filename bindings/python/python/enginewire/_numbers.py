"""Numbers of a certain width in bits."""

from __future__ import annotations

import math
import re
import struct


class Float(float):
    """A number of 32 bits. It is rounded to the nearest one; `OverflowError` if it is too large.

    >>> Float(0.1) == 0.1
    False
    >>> Float(0.1)
    Float(0.1)
    """

    __slots__ = ()

    def __new__(cls, number: float | str = 0.0) -> Float:
        number = float(number)
        # that would change the bits of what is not a number
        if number == number:
            (number,) = struct.unpack("<f", struct.pack("<f", number))
        return super().__new__(cls, number)

    def __repr__(self) -> str:
        if self != self or self in (float("inf"), float("-inf")):
            return f"Float('{float(self)}')"
        short = (float(f"{float(self):.{digits}g}") for digits in range(1, 10))
        # nine digits always tell two numbers of 32 bits apart
        shortest = next((number for number in short if Float(number) == self), float(self))
        return f"Float({shortest!r})"


class Double(float):
    """A number of 64 bits, where a plain `float` would be one of 32 bits.

    >>> Double(0.5)
    Double(0.5)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Double({float(self)!r})" if self == self and abs(self) != float("inf") else f"Double('{float(self)}')"


class Integer(int):
    """An integer whose class determines its width in bits."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int(self)})"


class Int(Integer):
    """An integer of 32 bits.

    >>> Int(40)
    Int(40)
    """

    __slots__ = ()


def euler(x: float, y: float, z: float, order: str) -> list[float]:
    """The matrix, row by row, of rotations about the axes in radians. The rotation about the last axis is done first."""
    if sorted(order) != ["X", "Y", "Z"]:
        raise ValueError(f"order {order!r} is not one of XYZ, XZY, YXZ, YZX, ZXY, ZYX")
    matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for axis in order:
        place, angle = "XYZ".index(axis), (x, y, z)["XYZ".index(axis)]
        one, other = (place + 1) % 3, (place + 2) % 3
        for row in matrix:
            first, second = row[one], row[other]
            row[one] = first * math.cos(angle) + second * math.sin(angle)
            row[other] = second * math.cos(angle) - first * math.sin(angle)
    # a quarter turn is exact only in degrees
    return [float(round(number)) if abs(number - round(number)) < 1e-9 else number for row in matrix for number in row]


def colour(text: str) -> tuple[float, ...]:
    """The parts of `#ff8000` or `#f80`."""
    digits = text.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    if not re.fullmatch("[0-9a-fA-F]{6}", digits):
        raise ValueError(f"{text!r} is not a colour such as '#ff8000'")
    return tuple(part / 255 for part in bytes.fromhex(digits))
