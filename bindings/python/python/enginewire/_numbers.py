"""Numbers of a certain width in bits."""

from __future__ import annotations

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
