"""The differences between two values, or two files of values."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, cast

from ._errors import DecodeError
from ._mapping import Entries
from ._open import OpenFile, Value
from ._place import Instance, Place, Text
from ._save import Blueprint, Row, Save


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """A part that only one side has, or that is not the same in both.

    `path` leads to it: in a file first the address of a value, the path of an instance, or the table and number of a row; then keys
    and indexes. `before` or `after` is `None` where there is nothing.
    """

    path: tuple[Any, ...]
    kind: Literal["added", "removed", "changed"]
    before: Any
    after: Any


def diff(before: Any, after: Any) -> Iterator[Difference]:
    """The differences between two values, or two files: `Place`, `Save`, `Blueprint` or those of `open_file`.

    Mappings are compared by their keys, in any order, and lists by their indexes. A value is not the same as one of another type,
    such as 1 and 1.0; NaN is the same as NaN. Of places, the `attributes` and `tags` of instances with the same path are compared;
    namesakes are numbered, as in `Workspace.Part[2]`. What cannot be read is compared by its bytes.

    >>> list(diff({"Fuel": 40.0, "Spawn": [1, 2]}, {"Fuel": 40.0, "Spawn": [1, 3], "On": True}))
    [Difference(path=('Spawn', 1), kind='changed', before=2, after=3), Difference(path=('On',), kind='added', before=None, after=True)]
    """
    if type(before) is type(after) is str or isinstance(before, os.PathLike) or isinstance(after, os.PathLike):
        raise TypeError("expected values or open files, found names; open_file opens a file, and == compares texts")
    return _differences(before, after)


def _differences(before: Any, after: Any) -> Iterator[Difference]:
    # containers that are still to be compared, the next one last, each with the ids of the two
    left: list[tuple[tuple[int, int], Iterator[Difference | tuple[tuple[Any, ...], Any, Any]]]]
    left = [((0, 0), iter([((), before, after)]))]
    around: set[tuple[int, int]] = set()
    while left:
        ids, steps = left[-1]
        step = next(steps, None)
        if step is None:
            around.discard(ids)
            left.pop()
        elif isinstance(step, Difference):
            yield step
        else:
            path, old, new = step
            ids = id(old), id(new)
            # containers that contain themselves are compared once
            if ids in around:
                continue
            parts = _parts(old), _parts(new)
            if parts[0] is not None and parts[1] is not None and isinstance(old, list) == isinstance(new, list):
                around.add(ids)
                left.append((ids, _pairs(path, parts[0], parts[1])))
            elif not _is_same(old, new):
                yield Difference(path, "changed", _shown(old), _shown(new))


def _pairs(
    path: tuple[Any, ...], old: dict[Any, Any], new: dict[Any, Any]
) -> Iterator[Difference | tuple[tuple[Any, ...], Any, Any]]:
    for key, value in old.items():
        if key in new:
            yield (*path, key), value, new[key]
        else:
            yield Difference((*path, key), "removed", _shown(value), None)
    for key, value in new.items():
        if key not in old:
            yield Difference((*path, key), "added", None, _shown(value))


def _parts(thing: Any) -> dict[Any, Any] | None:
    """The parts of a container, by unique keys; `None` if it is compared as a whole."""
    match thing:
        case Place():
            return _numbered((instance.path, instance) for instance in thing)
        case Instance():
            return {"attributes": _attributes(thing), "tags": dict.fromkeys(thing.tags, True)}
        case OpenFile():
            return _numbered((value.address, _content(value)) for value in thing.values)
        case Save():
            return {(row.table, row.rowid): _content(row) for row in thing}
        case Blueprint():
            return {index: part.value for index, part in enumerate(thing.parts)}
        case Mapping():
            entries: Mapping[Any, Any] = cast(Any, thing)
            try:
                parts = dict(entries.items())
            except TypeError:  # a key that is a list
                return None
            return parts if len(parts) == len(entries) else None
        case list():
            items: list[Any] = cast(Any, thing)
            return dict(enumerate(items))
        case _:
            return None


def _text(text: Text) -> str:
    return text if isinstance(text, str) else text.decode(errors="surrogateescape")


def _numbered(things: Iterable[tuple[Text, Any]]) -> dict[Text, Any]:
    numbered: dict[Text, Any] = {}
    last: dict[Text, int] = {}
    for name, thing in things:
        key = name
        while key in numbered:
            last[name] = last.get(name, 1) + 1
            key = f"{_text(name)}[{last[name]}]"
        numbered[key] = thing
    return numbered


def _attributes(instance: Instance) -> Mapping[Text, Any] | bytes:
    """The attributes of an instance; their bytes if they are broken."""
    try:
        return dict(instance.attributes)
    except DecodeError:
        return instance.attribute_bytes


def _content(thing: Value | Row) -> Any:
    """The value; its bytes if they are not one, and the error if there are none."""
    try:
        return thing.value
    except ValueError as error:
        if isinstance(thing, Row):
            return thing.unpack()
        return error if thing.error is not None else thing.data


def _shown(thing: Any) -> Any:
    return _parts(thing) if isinstance(thing, Instance) else thing


def _is_same(old: Any, new: Any) -> bool:
    if type(old) is not type(new):
        return False
    if hasattr(old, "tobytes"):
        return (old.shape, old.strides, memoryview(old).format) == (new.shape, new.strides, memoryview(new).format) and bool(
            old.tobytes() == new.tobytes()
        )
    # what holds arrays cannot be compared as a whole
    if isinstance(old, Entries):
        return _is_equal(list(map(list, old.items())), list(map(list, new.items())))
    if dataclasses.is_dataclass(old):
        return all(_is_equal(getattr(old, field.name), getattr(new, field.name)) for field in dataclasses.fields(old))
    # the output of `repr` is exact
    return bool(old == new) or repr(old) == repr(new)


def _is_equal(old: Any, new: Any) -> bool:
    return next(_differences(old, new), None) is None
