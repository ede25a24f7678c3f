"""Ordered entries that a `dict` cannot hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Entries(tuple[tuple[Any, Any], ...]):
    """Pairs of a key and a value in their order: what `loads` gives where a key repeats or cannot be a key of a `dict`.

    >>> entries = Entries([("a", 1), ("a", 2)])
    >>> entries.get("a")
    1
    >>> entries
    Entries([('a', 1), ('a', 2)])
    """

    __slots__ = ()

    def __new__(cls, entries: Iterable[tuple[Any, Any]] = ()) -> Entries:
        pairs = [(key, value) for key, value in entries]
        return super().__new__(cls, pairs)

    def get(self, key: object, default: Any = None) -> Any:
        """The value of the first entry with this key, or `default`."""
        return next((value for found, value in self if found == key), default)

    def __repr__(self) -> str:
        return f"Entries({list(self)!r})"
