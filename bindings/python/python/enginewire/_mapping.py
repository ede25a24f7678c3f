"""Ordered entries that a `dict` cannot hold."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, cast


class _Items(ItemsView[Any, Any]):
    """All entries, where those of a mapping are otherwise found by their keys."""

    _mapping: Entries

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return iter(self._mapping._pairs)

    def __contains__(self, item: object) -> bool:
        return item in self._mapping._pairs


class _Values(ValuesView[Any]):
    _mapping: Entries

    def __iter__(self) -> Iterator[Any]:
        return (value for _, value in self._mapping._pairs)

    def __contains__(self, value: object) -> bool:
        return any(value is found or value == found for found in self)


class Entries(Mapping[Any, Any]):
    """A mapping whose keys may repeat or be of any type: `loads` returns it where a `dict` cannot hold the entries.

    `entries[key]` is the value of the first entry with this key. `keys`, `values` and `items` have all entries in their order.

    >>> entries = Entries([("a", 1), ("b", 2), ("a", 3)])
    >>> entries["a"]
    1
    >>> list(entries.items())
    [('a', 1), ('b', 2), ('a', 3)]
    """

    __slots__ = ("_pairs",)

    def __init__(self, entries: Iterable[tuple[Any, Any]] | Mapping[Any, Any] = ()) -> None:
        items = getattr(entries, "items", None)
        pairs: Iterable[tuple[Any, Any]] = cast(Any, entries) if items is None else items()
        self._pairs = tuple((key, value) for key, value in pairs)

    def __getitem__(self, key: object) -> Any:
        for found, value in self._pairs:
            if found == key:
                return value
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def keys(self) -> KeysView[Any]:
        return KeysView(self)

    def items(self) -> ItemsView[Any, Any]:
        return _Items(self)

    def values(self) -> ValuesView[Any]:
        return _Values(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Entries):
            return self._pairs == other._pairs
        if not isinstance(other, Mapping):
            return NotImplemented
        missing = object()
        theirs = dict[Any, Any](cast(Any, other))
        return len(self) == len(theirs) and all(self.get(key, missing) == value for key, value in theirs.items())

    def __reduce__(self) -> tuple[type[Entries], tuple[tuple[tuple[Any, Any], ...]]]:
        return Entries, (self._pairs,)

    def __repr__(self) -> str:
        return f"Entries({list(self._pairs)!r})"
