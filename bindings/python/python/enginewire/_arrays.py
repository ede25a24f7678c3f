"""Packed arrays of numpy. It is imported only if numpy is installed."""

from __future__ import annotations

from typing import Any

import numpy


class _Equal(numpy.ndarray[Any, Any]):
    """The items at which two arrays are equal. As a condition, it is true if all are."""

    _same_shape: bool | None = None

    def __bool__(self) -> bool:
        plain = self.view(numpy.ndarray)
        # an array made of this one has no shape to compare
        if self._same_shape is None or plain.size == 1:
            return bool(plain)
        return self._same_shape and bool(plain.all())

    def __repr__(self) -> str:
        return repr(self.view(numpy.ndarray))


class Array(numpy.ndarray[Any, Any]):
    """An array that can be compared as a part of a `dict`, a `list` or a dataclass: these need one answer for the whole array."""

    __hash__ = None

    def __eq__(self, other: object) -> Any:
        try:
            plain = numpy.asarray(other)
            equal = numpy.asarray(self.view(numpy.ndarray) == plain).view(_Equal)
        except ValueError:  # of shapes that do not go together
            return False
        equal._same_shape = plain.shape == self.shape
        return equal

    def __ne__(self, other: object) -> Any:
        return self.view(numpy.ndarray) != other

    def __repr__(self) -> str:
        return repr(self.view(numpy.ndarray))
