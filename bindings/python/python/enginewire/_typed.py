"""Values as objects of types, and back: dataclasses, `TypedDict`, `NamedTuple`, structs of msgspec, models of pydantic."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from ._errors import DecodeError


class _Wrong(Exception):
    """A value that is not of a type, and the way to it, innermost first: places, and how a path shows them."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.steps: list[tuple[int, str]] = []


def convert(value: Any, of: Any) -> Any:
    """The value as an object of a type. `DecodeError` if it cannot be one; `TypeError` if the type says what is not looked at."""
    seen: set[Any] = set()
    _check(of, _name(of), seen)
    _checked.update(seen)
    try:
        return _convert(value, of)
    except _Wrong as wrong:
        error = DecodeError(wrong.message, path="".join(shown for _, shown in wrong.steps[::-1]), code="wrong-type")
        error._steps = [place for place, _ in wrong.steps[::-1]]
        raise error from wrong.__cause__


def located(error: BaseException, tree: tuple[list[Any], Any]) -> BaseException:
    """The same error; one of `convert` with the offset of the value, from the tree of the bytes."""
    if isinstance(error, DecodeError) and error._steps is not None:
        offset, bit = _offset(tree[0], error._steps)
        where = f" in {error.path}" if error.path else ""
        located = DecodeError(f"{error.message}, at byte {offset:#x}{where}", offset, bit, error.path, code=error.code)
        return located.with_traceback(error.__traceback__)
    return error


def _offset(nodes: list[Any], steps: list[int]) -> tuple[int, int]:
    """The place of the value at the end of these steps: the items and entries of a value have the labels `[0]`, `[1]`, …"""
    at, end = 0, len(nodes)
    for step in steps:
        depth = next((node[2] for node in nodes[at:end] if node[0] == "[0]"), None)
        item = next((i for i in range(at, end) if nodes[i][2] == depth and nodes[i][0] == f"[{step}]"), None)
        if item is None:
            break
        end = next((i for i in range(item + 1, end) if nodes[i][2] <= nodes[item][2]), end)
        parts = {nodes[i][0]: i for i in range(item + 1, end) if nodes[i][2] == nodes[item][2] + 1}
        at = parts.get("value", item) if parts.keys() & {"key", "name"} else item
    return nodes[at][3] if nodes else (0, 0)


def _expected(what: str, found: object) -> _Wrong:
    shown = repr(found)
    return _Wrong(f"expected {what}, found {type(found).__name__}{f' {shown}' if len(shown) <= 40 else ''}")


def _name(of: Any) -> str:
    return "None" if of is types.NoneType else of.__name__ if isinstance(of, type) else str(of)


def _within(place: int, key: object, value: Any, of: Any) -> Any:
    """A part of a value as an object of a type."""
    try:
        return _convert(value, of)
    except _Wrong as wrong:
        wrong.steps.append((place, f"[{key!r}]"))
        raise


def _plain(of: Any) -> Any:
    """The type that is named by a `NewType` or another name."""
    return types.NoneType if of is None else getattr(of, "__supertype__", getattr(of, "__value__", of))


def _convert(value: Any, of: Any) -> Any:
    of = _plain(of)
    origin, arguments = typing.get_origin(of), typing.get_args(of)
    if of in (Any, object) or isinstance(of, typing.TypeVar):
        return value
    if origin is typing.Annotated:
        return _convert(value, arguments[0])
    if origin is typing.Union or origin is types.UnionType:
        return _union(value, arguments)
    if origin is typing.Literal:
        for one in arguments:
            if one == value and isinstance(one, bool) == isinstance(value, bool):
                return one
        raise _expected(f"one of {', '.join(map(repr, arguments))}", value)
    kind = origin or of
    if not isinstance(kind, type):
        raise TypeError(f"{of!r} is not a type")
    if kind in _SCALARS:
        return _SCALARS[kind](value)
    if hasattr(kind, "model_validate"):
        return _model(value, kind)
    if fields := _fields(kind):
        return value if type(value) is kind else _record(value, kind, fields)
    if issubclass(kind, enum.Enum):
        try:
            return kind(value)
        except ValueError:
            raise _expected(f"one of {', '.join(repr(one.value) for one in kind)}", value) from None
    if kind in _ITEMS:
        items, made = _items(value), _ITEMS[kind]
        if kind is tuple and origin and arguments[-1:] != (Ellipsis,):
            if len(arguments) != len(items):
                raise _Wrong(f"expected {len(arguments)} items, found {len(items)}")
        else:
            arguments = (arguments or (Any,))[:1] * len(items)
        return made([_within(place, place, item, arguments[place]) for place, item in enumerate(items)])
    if kind in _MAPPINGS:
        key_type, value_type = arguments or (Any, Any)
        return {
            _within(place, key, key, key_type): _within(place, key, one, value_type)
            for key, (place, one) in _entries(value).items()
        }
    if isinstance(value, kind):
        return value
    raise _expected(_name(of), value)


#: Classes whose fields are known to be checked.
_checked: set[Any] = set()

#: What takes any value.
_ANYTHING = frozenset({dict, list, str, float, bool})

#: What msgspec limits with `Meta`.
_LIMITS = ("gt", "ge", "lt", "le", "multiple_of", "pattern", "min_length", "max_length", "tz")

_QUALIFIERS = [getattr(typing, name) for name in ("Required", "NotRequired", "ReadOnly") if hasattr(typing, name)]


def _check(of: Any, where: str, seen: set[Any]) -> tuple[Set[Any], bool]:
    """Refuses a type with what `_convert` would ignore. Which values the type takes, as types of values, and whether it makes other
    objects of them: those of a class, which are of the wrong class if two types take the same value."""
    if hasattr(of, "__value__"):  # another name of a type, which may hold itself
        if of in seen:
            return frozenset(), False
        seen.add(of)
        found = _check(of.__value__, where, seen)
        seen.remove(of)
        return found
    of = _plain(of)
    origin, arguments = typing.get_origin(of), typing.get_args(of)
    if isinstance(of, typing.TypeVar):
        raise TypeError(f"{where}: {of!r} stands for any type; write a class whose fields have types of their own")
    if of in (Any, object):
        return _ANYTHING, False
    if origin is typing.Annotated:
        for limit in filter(_limits, of.__metadata__):
            raise TypeError(f"{where}: {limit!r} is not checked; leave it out, or use a model of pydantic, which checks it")
        return _check(arguments[0], where, seen)
    if origin in _QUALIFIERS:
        return _check(arguments[0], where, seen)
    if origin is typing.Literal:
        return frozenset(), False
    if origin is typing.Union or origin is types.UnionType:
        return _check_union([(member, *_check(member, where, seen)) for member in arguments], where)
    kind = origin or of
    if not isinstance(kind, type):
        raise TypeError(f"{of!r} is not a type")
    if kind in _ITEMS or kind in _MAPPINGS:
        if any(getattr(one, "__unpacked__", typing.get_origin(one) is typing.Unpack) for one in arguments):
            raise TypeError(f"{where}: {_name(of)} has any number of items of several types; write the type of each item")
        makes = [_check(one, where, seen)[1] for one in arguments if one is not Ellipsis]
        return {dict if kind in _MAPPINGS else list}, any(makes)
    if not all(map(_is_any, arguments)):
        raise TypeError(f"{where}: the parameters of {_name(of)} are not checked; leave them out, or write a class without")
    if kind in _SCALARS:
        return {str, bytes} if kind is bytes else {float}, False
    if kind.__module__.partition(".")[0] == "enginewire":
        return {kind}, False
    if hasattr(kind, "model_validate"):
        return {dict}, True
    if fields := _fields(kind):
        _check_record(kind, fields, seen)
        return {dict, list} if issubclass(kind, tuple) else {dict}, True
    if issubclass(kind, enum.Enum):
        return {float if type(one.value) is int else type(one.value) for one in kind}, True
    return {kind}, False


def _check_union(members: list[tuple[Any, Set[Any], bool]], where: str) -> tuple[Set[Any], bool]:
    for place, (one, taken, makes) in enumerate(members):
        for other, also_taken, also_makes in members[:place]:
            if (makes or also_makes) and (both := taken & also_taken):
                what = " or ".join(sorted("number" if kind is float else kind.__name__ for kind in both))
                raise TypeError(
                    f"{where}: {_name(other)} and {_name(one)} are both made of a {what}, and nothing tells which;"
                    " leave one of them, or use a field of a model of pydantic, which tells them apart"
                )
    return frozenset().union(*(taken for _, taken, _ in members)), any(makes for *_, makes in members)


def _check_record(kind: Any, fields: dict[str, tuple[str, Any, bool]], seen: set[Any]) -> None:
    if kind in seen or kind in _checked:
        return
    seen.add(kind)
    config, name = getattr(kind, "__struct_config__", None), _name(kind)
    if getattr(config, "tag", None) is not None:
        raise TypeError(f"{name}: its tag is not checked; leave the tag out, or use a model of pydantic with a discriminator")
    if getattr(config, "array_like", False):
        raise TypeError(f"{name}: it is not made of a list; leave array_like out, or make a NamedTuple of it")
    more = getattr(kind, "__pydantic_config__", None) or {}
    if getattr(config, "forbid_unknown_fields", False) or more.get("extra", "ignore") != "ignore" or _is_closed(kind):
        raise TypeError(f"{name}: other keys are ignored; let the class ignore them, or use a model of pydantic, which refuses them")
    hints = typing.get_type_hints(kind, include_extras=not hasattr(kind, "__pydantic_validator__"))
    for field, _, _ in fields.values():
        _check(hints.get(field, Any), f"{name}.{field}", seen)


def _is_closed(kind: Any) -> bool:
    """True if a `TypedDict` has no other keys, or those of one type."""
    items = getattr(kind, "__extra_items__", None)
    return bool(getattr(kind, "__closed__", False)) or items is not None and "NoExtraItems" not in repr(items)


def _limits(annotation: object) -> bool:
    """True if an annotation limits the valid values."""
    kind = type(annotation)
    package = kind.__module__.partition(".")[0]
    if package == "msgspec":
        return any(getattr(annotation, name, None) is not None for name in _LIMITS)
    return package in ("annotated_types", "pydantic", "pydantic_core") and kind.__name__ != "DocInfo"


def _is_any(parameter: Any) -> bool:
    """True if a parameter leaves everything open, such as those of `NDArray[Any]`."""
    return parameter in (Any, Ellipsis) or bool(inside := typing.get_args(parameter)) and all(map(_is_any, inside))


def _union(value: Any, members: tuple[Any, ...]) -> Any:
    wrong: list[_Wrong] = []
    # that of the very type first: a whole number is both int and float
    for member in sorted(members, key=lambda member: type(value) not in (member, typing.get_origin(member))):
        try:
            return _convert(value, member)
        except _Wrong as error:
            wrong.append(error)
    deepest = max(wrong, key=lambda error: len(error.steps))
    raise deepest if deepest.steps or len(wrong) == 1 else _expected(" or ".join(map(_name, members)), value)


def _int(value: Any) -> int:
    # all numbers of Roblox are floats
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _expected("int", value)


def _float(value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value if isinstance(value, float) else float(value)
    raise _expected("float", value)


def _bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    if hasattr(value, "tobytes"):
        return bytes(value.tobytes())
    raise _expected("bytes", value)


_SCALARS: dict[Any, Callable[[Any], Any]] = {int: _int, float: _float, bytes: _bytes}
_ITEMS: dict[Any, Callable[[Any], Any]] = {list: list, tuple: tuple, set: set, frozenset: frozenset, Sequence: list, Iterable: list}
_MAPPINGS = (dict, Mapping, typing.get_origin(typing.MutableMapping[Any, Any]))


def _inner(value: Any, *names: str) -> Any:
    """The list or dict in an object of the package such as `TypedArray`."""
    if type(value).__module__.startswith("enginewire."):
        return next((getattr(value, name) for name in names if name in getattr(value, "__dataclass_fields__", ())), value)
    return value


def _items(value: Any) -> Sequence[Any]:
    value = _inner(value, "elements", "values")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return value
    raise _expected("list", value)


def _entries(value: Any) -> dict[Any, tuple[int, Any]]:
    """The values of a mapping with their places."""
    value = _inner(value, "entries", "properties")
    if not isinstance(value, Mapping):
        raise _expected("dict", value)
    entries: dict[Any, tuple[int, Any]] = {}
    for place, (key, one) in enumerate(value.items()):
        if key in entries:
            raise _Wrong(f"the key {key!r} repeats")
        entries[key] = (place, one)
    return entries


@functools.cache
def _fields(kind: Any) -> dict[str, tuple[str, Any, bool]]:
    """The fields of a class by their keys: name, type, and whether it has no default; of another class, none."""
    if dataclasses.is_dataclass(kind):
        missing = dataclasses.MISSING
        found = [
            (one.name, one.name, one.default is missing and one.default_factory is missing)
            for one in dataclasses.fields(kind)
            if one.init
        ]
    elif hasattr(kind, "__struct_fields__"):
        fields = importlib.import_module("msgspec.structs").fields(kind)
        found = [(one.encode_name, one.name, one.required) for one in fields]
    elif typing.is_typeddict(kind):
        extras = {name: typing.get_origin(hint) for name, hint in typing.get_type_hints(kind, include_extras=True).items()}
        # the keys themselves do not say it where annotations are text
        required = {name for name, extra in extras.items() if extra is typing.Required or name in kind.__required_keys__}
        found = [(name, name, name in required and extra is not typing.NotRequired) for name, extra in extras.items()]
    elif issubclass(kind, tuple) and hasattr(kind, "_field_defaults"):
        found = [(name, name, name not in kind._field_defaults) for name in kind._fields]
    else:
        return {}
    hints = typing.get_type_hints(kind)
    return {key: (name, hints.get(name, Any), required) for key, name, required in found}


def _record(value: Any, kind: Any, fields: dict[str, tuple[str, Any, bool]]) -> Any:
    if issubclass(kind, tuple) and isinstance(value, list):
        value = dict(zip(fields, value, strict=False))
    entries = _entries(value)
    made: dict[str, Any] = {}
    for key, (name, hint, required) in fields.items():
        if key in entries:
            made[name] = _within(entries[key][0], key, entries[key][1], hint)
        elif required and types.NoneType in typing.get_args(hint):
            made[name] = None
        elif required:
            raise _Wrong(f"the key {key!r} is missing")
    try:
        return kind(**made)
    except ValueError as error:
        raise _Wrong(str(error)) from error


def _model(value: Any, kind: Any) -> Any:
    if isinstance(value, kind):
        return value
    try:
        return kind.model_validate({key: one for key, (_, one) in _entries(value).items()})
    except ValueError as error:
        first = error.errors()[0]  # type: ignore[attr-defined]
        wrong = _Wrong(first["msg"])
        for key in first["loc"]:
            place = list(value).index(key) if isinstance(value, Mapping) and key in value else key
            if not isinstance(place, int):
                break
            wrong.steps.insert(0, (place, f"[{key!r}]"))
            value = value[key]
        raise wrong from error


def plain(value: Any, format: str, default: Callable[[Any], Any] | None) -> Any:
    """The value to encode instead of an object of a type that the format does not have."""
    kind = type(value)
    fields: Mapping[str, Any] | None = None
    if kind.__module__.partition(".")[0] == "enginewire":
        pass
    elif dataclasses.is_dataclass(kind):
        fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(kind)}
    elif hasattr(kind, "__struct_fields__"):
        names = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
        fields = {key: getattr(value, name) for key, name in names}
    elif hasattr(kind, "model_validate"):
        fields = value.model_dump(by_alias=True)
    elif isinstance(value, enum.Enum):
        return value.value
    elif getattr(value, "ndim", None) == 0 and type(item := value.item()) is not kind:  # a scalar of numpy
        return item
    elif isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes, bytearray, memoryview)):
        return list(value)
    if fields is not None:
        # attributes have no null: a field that is None is left out
        return {key: one for key, one in fields.items() if one is not None} if format == "Roblox attributes" else fields
    if default is not None:
        return default(value)
    raise TypeError(f"{kind.__name__} is not a type of {format}")
