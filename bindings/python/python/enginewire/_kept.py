"""Values that are set over others keep the types of these."""

from __future__ import annotations

import dataclasses
import math
from array import array
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from typing import Any, cast

from . import godot, lua
from ._enginewire import broken_rule
from ._errors import EncodeError
from ._mapping import Entries
from ._numbers import Float, Int
from ._typed import plain

#: The formats whose values have types to keep, as `plain` calls them.
_NAMES = {
    "roblox-attributes": "Roblox attributes",
    "godot-3": "Godot",
    "godot-4": "Godot",
    "scrap-mechanic-lua": "LuaObject",
}

#: The classes that hold others beside their types, and the field with these.
_INNER = {godot.TypedArray: "elements", godot.TypedDictionary: "entries", godot.Object: "properties", lua.Array: "elements"}

#: Values of the types that a container may declare and a plain value takes.
_LIKE: dict[Any, Any] = {"int": 0, "float": 0.0, "StringName": godot.StringName()}

#: What `array` calls the items of a packed array.
_CODES = {("B", 1): "B", ("i", 4): "i", ("l", 4): "i", ("l", 8): "q", ("q", 8): "q", ("f", 4): "f", ("d", 8): "d"}


def kept(old: Any, new: Any, format: str) -> Any:
    """The new value of a format with the types of the old one, where it is not of a class that names its own.

    Numbers and names keep their type, also within lists and dictionaries, and so do containers with declared types and packed arrays.
    `EncodeError` if a number does not fit, or a list, a tuple or a dict is set over another structure.
    """
    if format not in _NAMES:
        return new
    try:
        return _kept(old, new, _NAMES[format])
    except RecursionError:
        raise EncodeError("containers are nested too deep to keep the types that are there") from None


def check_names(old: Container[Any], new: Iterable[Any], any_key: bool) -> None:
    """Refuses new names of attributes that Roblox does not allow."""
    for name in () if any_key else new:
        if name not in old and (rule := broken_rule(name) if name else "is empty") is not None:
            raise EncodeError(f"Roblox does not allow the name {name!r}, which {rule}; any_key=True sets it all the same")


def _kept(old: Any, new: Any, format: str) -> Any:
    new = _plain(new, format)
    if old is None or new is None or isinstance(old, bool) or isinstance(new, bool):
        return new
    if isinstance(new, (int, float)):
        is_number = isinstance(old, (int, float)) and not _is_of_package(new)
        # numbers of Lua are of one type, however they are kept
        return _number(old, new, format) if is_number and format != "LuaObject" else new
    if isinstance(new, str):
        is_name = isinstance(old, godot.StringName) or isinstance(old, godot.String) and old.is_name
        return godot.StringName(new) if is_name and not _is_of_package(new) else new
    if isinstance(new, bytes):
        return new
    if (inner := _INNER.get(cast(Any, type(old)))) is not None and (given := _given(old, new, inner)) is not None:
        return _typed(old, given, inner, format)
    if type(new) in (list, tuple):
        return _list(old, new, format)
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        return _entries(cast(Any, old), cast(Any, new), format, None, None)
    is_array = _view(new) is not None and not isinstance(new, godot.Packed)
    if is_array or isinstance(new, Mapping):
        _check_structure(old, cast(Any, new))
    return godot.Packed(old.kind, new) if is_array and isinstance(old, godot.Packed) else cast(Any, new)


def _is_of_package(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "enginewire"


def _plain(value: Any, format: str) -> Any:
    """A list, a dict or a scalar instead of an object of a class that the package does not have."""
    known = (int, float, str, list, Mapping, type(None))
    if isinstance(value, known) or type(value) is tuple or _is_of_package(value) or _view(value) is not None:
        return cast(Any, value)
    try:
        return _plain(plain(value, format, None), format)
    except TypeError:  # which `dumps` says
        return value


def _view(value: Any) -> memoryview | None:
    """The memory of a packed array."""
    with suppress(TypeError):
        view = memoryview(value.data if isinstance(value, godot.Packed) else value)
        return view if view.ndim else None
    return None


def _number(old: Any, new: Any, format: str) -> Any:
    kind = cast(Any, type(old))
    is_of_godot = format == "Godot"
    # `dumps` refuses whole numbers of more than 64 bits
    if kind is float and (isinstance(new, float) or not is_of_godot):
        return new
    made: Any = None
    with suppress(OverflowError, ValueError):
        made = kind(new)
    fits = made is not None and (kind is Float or made == new and (kind is not Int or -(1 << 31) <= made < 1 << 31))
    if fits:
        return made
    other = f"godot.{'Int' if kind is float else 'Float'}" if is_of_godot else "attributes.Double"
    raise EncodeError(f"{new!r} does not fit the {kind.__name__} that is there; {other}({new!r}) gives it another type")


def _given(old: Any, new: Any, inner: str) -> Any:
    """The items of the new value, if it takes the types of the old one."""
    if type(new) is type(old):
        same = dataclasses.replace(new, **{inner: None}) == dataclasses.replace(old, **{inner: None})
        return getattr(new, inner) if same else None
    is_of_kind = type(new) in (list, tuple) if inner == "elements" else inner == "entries" and isinstance(new, Mapping)
    return cast(Any, new) if is_of_kind else None


def _typed(old: Any, given: Any, inner: str, format: str) -> Any:
    if inner == "elements":
        like = _LIKE.get(getattr(old, "type", None))
        made: Any = _items(old.elements, given, format, like)
    else:
        types = (_LIKE.get(getattr(old, name, None)) for name in ("key_type", "value_type"))
        made = _entries(getattr(old, inner), given, format, *types)
    return dataclasses.replace(old, **{inner: made})


def _list(old: Any, new: Any, format: str) -> Any:
    if isinstance(old, list):
        return _items(cast(Any, old), new, format, None)
    if isinstance(old, godot.PackedStringArray):
        return godot.PackedStringArray(new)
    if format == "Godot" and (view := _view(old)) is not None:
        return _packed(old, view, new)
    _check_structure(old, new)
    return new


def _within(item: str, old: Any, new: Any, format: str) -> Any:
    try:
        return _kept(old, new, format)
    except EncodeError as error:
        error._within(item, new)
        raise


def _like(like: Any, new: Any, format: str) -> Any:
    """A value of the type that its container declares; else the value itself, which `dumps` refuses."""
    with suppress(EncodeError):
        return new if like is None else _kept(like, new, format)
    return new


def _items(old: list[Any], new: Any, format: str, like: Any) -> list[Any]:
    made = [_within(f"[{place}]", *pair, format) for place, pair in enumerate(zip(old, new, strict=False))] if like is None else []
    return made + [_like(like, item, format) for item in new[len(made) :]]


def _entries(old: Mapping[Any, Any], new: Mapping[Any, Any], format: str, like_key: Any, like: Any) -> Any:
    known: dict[Any, tuple[Any, Any]] = {}
    for key, value in old.items():
        with suppress(TypeError):  # it cannot be hashed
            known.setdefault((isinstance(key, bool), key), (key, value))
    made: list[tuple[Any, Any]] = []
    for key, value in new.items():
        before = None
        with suppress(TypeError):
            before = known.get((isinstance(key, bool), key))
        if before is None:
            made.append((_like(like_key, key, format), _like(like, value, format)))
        else:
            there = key if _is_of_package(key) else before[0]
            is_typed = like is not None
            made.append((there, _like(like, value, format) if is_typed else _within(f"[{key!r}]", before[1], value, format)))
    return Entries(made) if isinstance(new, Entries) else dict(made)


def _packed(old: Any, view: memoryview, new: Any) -> Any:
    """A packed array of the same kind."""
    code: Any = _CODES[view.format[-1:], view.itemsize]
    shape: tuple[int, ...] = (view.shape or ())[1:]
    columns = math.prod(shape)
    flat: list[Any] = []
    for place, row in enumerate(new):
        numbers = [row] if view.ndim == 1 else list(row) if hasattr(row, "__iter__") else []
        if len(numbers) != columns:
            raise EncodeError(f"expected {columns} numbers", f"[{place}]")
        flat += numbers
    packed = cast(Any, array)(code)
    for place, number in enumerate(flat):
        whole = code in "Biq" and isinstance(number, float) and number.is_integer()
        try:
            packed.append(int(number) if whole else number)
        except (OverflowError, TypeError):
            raise EncodeError(f"{number!r} does not fit the packed array that is there", f"[{place // columns}]") from None
        if math.isinf(packed[-1]) and not math.isinf(number):
            raise EncodeError(f"{number!r} does not fit the packed array that is there", f"[{place // columns}]")
    data: Any = old.data if isinstance(old, godot.Packed) else old
    made: Any = None
    if not flat:
        made = data[:0]
    elif hasattr(data, "dtype"):
        made = cast(Any, type(data))((len(new), *shape), data.dtype, packed)
    else:
        made = cast(Any, memoryview(packed).cast("B")).cast(code, (len(new), *shape))
    return godot.Packed(old.kind, made) if isinstance(old, godot.Packed) else made


def _check_structure(old: Any, new: Any) -> None:
    """Refuses a list, a dict or an array over a structure such as a vector."""
    if _is_of_package(old) and not isinstance(old, (int, float, str, tuple, godot.String, Mapping)) and _view(old) is None:
        name, shown = type(old).__name__, repr(old)
        such = shown if len(shown) <= 60 else f"{name}(…)"
        raise EncodeError(f"expected {name}, as is there, found {type(new).__name__}; write one such as {such}")
