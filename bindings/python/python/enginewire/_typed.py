"""Values as objects of types, and back. msgspec and pydantic make objects of their own classes, with all that is in them; those of
other types are made here. What a type says is honoured, or refused when the type is compiled."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import UUID

from ._enginewire import Maker
from ._errors import DecodeError
from ._mapping import Entries

_Make = Callable[[Any], Any]


class _Wrong(Exception):
    """A value that is not of a type, and the way to it, innermost first: places, and how a path shows them."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.steps: list[tuple[int, str]] = []


class _Type(NamedTuple):
    """A compiled type."""

    #: Makes an object of a value, or raises `_Wrong`.
    make: _Make
    #: The types of the values that it takes.
    takes: Set[Any]
    #: True if it makes other objects of them: those of a class, which are of the wrong class if two types take the same value.
    makes: bool = False
    #: The keys of a class that is made of a mapping.
    keys: Set[str] | None = None


#: The format that tells floats from integers, and lists from dictionaries. In the others, floats that are whole are integers, and what is
#: empty may be either.
_EXACT = "godot"

#: The format whose lists are also dictionaries with consecutive integers.
_TABLES = "lua_object"


def convert(value: Any, of: Any, format: str) -> Any:
    """The value of a format as an object of a type. `DecodeError` if it cannot be one; `TypeError` if the type has a setting that
    cannot be honoured."""
    try:
        return _compiled(of, _name(of), format).make(value)
    except _Wrong as wrong:
        error = DecodeError(wrong.message, path="".join(shown for _, shown in wrong.steps[::-1]), code="wrong-type")
        error._steps = [place for place, _ in wrong.steps[::-1]]
        raise error from wrong.__cause__
    except RecursionError:
        raise DecodeError("containers are nested too deep to make an object of the type", code="too-deep") from None


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
    return "None" if of is types.NoneType else of.__name__ if isinstance(of, type) and not typing.get_args(of) else str(of)


def _is_own(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "enginewire"


@functools.lru_cache(maxsize=256)
def _compiled(of: Any, name: str, format: str) -> _Type:
    return _compile(of, name, {}, format)


#: What takes any value.
_ANYTHING = _Type(lambda value: value, {dict, list, str, float, bool})

#: The types of values, besides arrays and the classes of the package.
_VALUES = (types.NoneType, bool, int, float, str, bytes, list, dict, Entries, memoryview, UUID)

_QUALIFIERS = [getattr(typing, name) for name in ("Required", "NotRequired", "ReadOnly") if hasattr(typing, name)]


def _plain_type(of: Any) -> Any:
    """The type that a name such as a `NewType` means, without qualifiers."""
    while (qualified := typing.get_origin(of) in _QUALIFIERS) or hasattr(of, "__supertype__") or hasattr(of, "__value__"):
        of = typing.get_args(of)[0] if qualified else getattr(of, "__supertype__", None) or of.__value__
    return types.NoneType if of is None else of


def _compile(of: Any, where: str, known: dict[Any, _Type], format: str) -> _Type:
    """The compiled type. `known` are the names and classes around it, which it may name again."""
    if hasattr(of, "__value__"):
        if of not in known:
            known[of] = _later(known, of, _ANYTHING)
            known[of] = _compile(of.__value__, where, known, format)
        return known[of]
    of = _plain_type(of)
    origin, arguments = typing.get_origin(of), typing.get_args(of)
    kind = types.UnionType if origin is typing.Union else origin or of
    if isinstance(of, typing.TypeVar):
        raise TypeError(f"{where}: {of!r} stands for any type; write a class whose fields have types of their own")
    if of in (Any, object):
        return _ANYTHING
    if len(libraries := {_library(part) for part in _named(of, set())} - {None}) == 1:
        return (_of_msgspec if "msgspec" in libraries else _of_pydantic)(of, where, format)
    if origin is typing.Annotated:
        return _compile(arguments[0], where, known, format)
    if origin is typing.Literal:
        return _Type(_literal(arguments), set())
    if not isinstance(kind, type):
        raise TypeError(f"{of!r} is not a type")
    if kind in _ITEMS or kind in _MAPPINGS or kind is types.UnionType:
        if any(getattr(one, "__unpacked__", typing.get_origin(one) is typing.Unpack) for one in arguments):
            raise TypeError(f"{where}: {_name(of)} has any number of items of several types; write the type of each item")
        parts = [_compile(one, where, known, format) for one in arguments if one is not Ellipsis]
        return _container(of, kind, arguments, parts, where, format)
    if not _is_own(kind) and (fields := _fields(kind)) is not None:
        if of not in known:
            record = _Type(_ANYTHING.make, {dict, list} if issubclass(kind, tuple) else {dict}, True, fields.keys())
            known[of] = _later(known, of, record)
            made: list[tuple[str, str, _Make, bool, bool]] = []
            for key, hint in _hints(of, kind, arguments, where).items():
                name, needed = fields[key]
                make = _compile(hint, f"{_name(kind)}.{key}", known, format).make
                made.append((key, name, make, needed, types.NoneType in typing.get_args(_plain_type(hint))))
            known[of] = record._replace(make=_record(kind, made, format))
        return known[of]
    if not all(map(_is_any, arguments)):
        raise TypeError(f"{where}: the parameters of {_name(of)} are not checked; leave them out, or write a class without")
    if kind in _SCALARS:
        make = _exact_int if kind is int and format == _EXACT else _SCALARS[kind]
        return _Type(Maker([kind], make), {str, bytes} if kind is bytes else {float})
    if issubclass(kind, enum.Enum):
        return _Type(_enum(kind), {float if type(one.value) is int else type(one.value) for one in kind}, True)
    arrays = getattr(sys.modules.get("numpy"), "ndarray", bytes)
    if not _is_own(kind) and not any(issubclass(one, kind) for one in (*_VALUES, arrays)):
        raise TypeError(f"{where}: no value is a {_name(kind)}; write the type of a value, a dataclass, or a model of pydantic")
    return _Type(_instance(kind), {kind})


def _later(known: dict[Any, _Type], of: Any, like: _Type) -> _Type:
    """A type that is known once its parts are compiled."""
    return like._replace(make=lambda value: known[of].make(value))


def _container(of: Any, kind: type, arguments: tuple[Any, ...], parts: list[_Type], where: str, format: str) -> _Type:
    makes = any(one.makes for one in parts)
    items, entries = functools.partial(_items, format=format), functools.partial(_entries, format=format)
    if kind in _MAPPINGS:
        return _Type(Maker.entries(entries, *(one.make for one in parts or [_ANYTHING] * 2)), {dict}, makes)
    if kind in _ITEMS:
        is_fixed = kind is tuple and of is not tuple and arguments[-1:] != (Ellipsis,)
        makers = [one.make for one in parts]
        make = _tuple(makers, items) if is_fixed else Maker.items(items, (makers or [_ANYTHING.make])[0], _ITEMS[kind])
        return _Type(make, {list}, makes)
    for place, one in enumerate(parts):
        for before, other in enumerate(parts[:place]):
            both = one.takes & other.takes if one.makes or other.makes else set[Any]()
            # keys tell two classes apart
            if both and (both != {dict} or one.keys is None or other.keys is None):
                what = " or ".join(sorted("number" if kind is float else kind.__name__ for kind in both))
                raise TypeError(
                    f"{where}: {_name(arguments[before])} and {_name(arguments[place])} are both made of a {what}, and nothing tells"
                    " which; leave one of them, or use a field of a model of pydantic, which tells them apart"
                )
    return _Type(_union(arguments, parts), set[Any]().union(*(one.takes for one in parts)), makes)


def _hints(of: Any, kind: Any, arguments: tuple[Any, ...], where: str) -> dict[str, Any]:
    """The types of the fields of a class; of a generic class, with its parameters."""
    if arguments and any(base.__dict__.get("__parameters__") for base in kind.__mro__[1:]):
        raise TypeError(f"{where}: the parameters of {_name(of)} are given on to another class; write a class without")
    more = getattr(kind, "__extra_items__", None)
    if getattr(kind, "__closed__", False) or more is not None and "NoExtraItems" not in repr(more):
        raise TypeError(
            f"{_name(kind)}: other keys are ignored; let the class ignore them, or use a model of pydantic, which refuses them"
        )
    hints = typing.get_type_hints(kind, include_extras=True)
    for name, hint in hints.items():
        if isinstance(hint, dataclasses.InitVar):
            raise TypeError(f"{_name(kind)}.{name}: an InitVar is not a part of a value; make it a field")
    given = dict(zip(getattr(kind, "__parameters__", ()), arguments, strict=True)) if arguments else {}
    return {key: _with_parameters(hints.get(key, Any), given) for key in _fields(kind) or ()}


def _with_parameters(hint: Any, given: dict[Any, Any]) -> Any:
    if isinstance(hint, typing.TypeVar):
        return given.get(hint, hint)
    inside = getattr(hint, "__parameters__", ()) if typing.get_origin(hint) else ()
    return hint[tuple(given.get(one, one) for one in inside)] if inside else hint


def _is_any(parameter: Any) -> bool:
    """True if a parameter leaves everything open, such as those of `NDArray[Any]`."""
    return parameter in (Any, Ellipsis) or bool(inside := typing.get_args(parameter)) and all(map(_is_any, inside))


def _named(of: Any, seen: set[int], deep: bool = False) -> Iterator[Any]:
    """The classes and annotations in a type; if `deep`, also in the fields of the classes."""
    of = _plain_type(of)
    kind = typing.get_origin(of) or of
    if id(of) in seen or kind is typing.Literal:
        return
    seen.add(id(of))
    inside = list(typing.get_args(of))
    if kind is typing.Annotated:
        yield from of.__metadata__
        inside = inside[:1]
    elif isinstance(kind, type):
        yield kind
        if kind.__module__ == "numpy":
            return
        if deep and not _is_own(kind) and (_fields(kind) is not None or hasattr(kind, "__pydantic_validator__")):
            with suppress(NameError):
                inside += typing.get_type_hints(kind, include_extras=True).values()
    for one in inside:
        yield from _named(one, seen, deep)


def _library(part: Any) -> str | None:
    """The library that a class or an annotation is for."""
    kind = part if isinstance(part, type) else type(part)
    package = kind.__module__.partition(".")[0]
    if package == "msgspec" or isinstance(part, type) and hasattr(part, "__struct_fields__"):
        return "msgspec"
    names = ("__pydantic_validator__", "__pydantic_config__", "__get_pydantic_core_schema__")
    is_pydantic = package in ("annotated_types", "pydantic", "pydantic_core") or any(hasattr(kind, name) for name in names)
    return "pydantic" if is_pydantic and not _is_own(kind) and kind.__name__ != "DocInfo" else None


def _check_library(of: Any, where: str, library: str) -> None:
    """Refuses annotations of another library, and classes in those of pydantic: it ignores them."""
    for part in _named(of, set(), True):
        if not (isinstance(part, type) and library == "msgspec") and _library(part) not in (None, library):
            name = _name(part) if isinstance(part, type) else repr(part)
            raise TypeError(f"{where}: {name} is not checked by {library}; leave it out")


def _of_msgspec(of: Any, where: str, format: str) -> _Type:
    msgspec = importlib.import_module("msgspec")

    def leaf(kind: Any, value: Any) -> Any:
        # a number of the package, which is a plain one here
        if isinstance(value, (int, float)) and isinstance(kind, type) and _is_own(kind) and issubclass(kind, (int, float)):
            with suppress(OverflowError, ValueError):
                if (number := kind(value)) == value:
                    return number
        try:
            return _compiled(kind, _name(kind), format).make(_of(value))
        except _Wrong as wrong:
            raise ValueError(wrong.message) from wrong

    def make(value: Any) -> Any:
        # text is not the base64 of bytes
        return msgspec.convert(value, of, builtin_types=(bytes, bytearray, memoryview), dec_hook=leaf)

    def make_plain(value: Any) -> Any:
        with suppress(msgspec.ValidationError):
            return make(value)
        value = _plain_value(value, True, format != _EXACT)
        try:
            return make(value)
        except msgspec.ValidationError as error:
            raise _wrong_of_msgspec(str(error), value, make) from error

    _check_library(of, where, "msgspec")
    for part in _named(of, set(), True):
        if not isinstance(part, type) or _library(part) == "msgspec":
            continue
        if _is_own(part) and _PARTS & (_fields(part) or {}).keys():
            raise TypeError(f"{where}: msgspec does not know {_name(part)}; write a list or dict, or no struct around it")
        if not _is_own(part) and isinstance(msgspec.inspect.type_info(part), msgspec.inspect.CustomType):
            _compiled(part, where, format)
    try:
        msgspec.msgpack.Decoder(of, dec_hook=leaf)
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from None
    return _Type(make_plain, {dict, list}, True)


def _wrong_of_msgspec(error: str, value: Any, make: _Make) -> _Wrong:
    """An error of msgspec with its path. Where that does not name the key of a dictionary, the key is searched."""
    message, _, path = error.rpartition(" - at ")
    wrong = _Wrong(message or path)
    steps = re.findall(r"\.([^.\[`]+)|\[(\d+|\.\.\.)\]", path if message else "") + [("", "...")] * path.startswith("`key`")
    at = value
    for name, index in steps:
        key: Any = name or index
        if isinstance(at, dict):
            places = {key: place for place, key in enumerate(at)}
            key = _key_at_fault(error, at, value, make) if index else key
        else:
            places = dict.fromkeys([key := int(index)], int(index)) if index.isdigit() else {}
        if key not in places:
            break
        wrong.steps.insert(0, (places[key], f"[{key!r}]"))
        at = at[key]
    return wrong


def _key_at_fault(error: str, at: dict[Any, Any], value: Any, make: _Make) -> Any:
    """The key of the entry that causes the error. The other entries are removed."""
    entries = list(at.items())
    while len(entries) > 1:
        half = entries[: len(entries) // 2]
        at.clear()
        at.update(half)
        found = ""
        try:
            make(value)
        except ValueError as other:
            found = str(other)
        entries = half if found == error else entries[len(half) :]
    at.clear()
    at.update(entries)
    return entries[0][0] if entries else None


def _of_pydantic(of: Any, where: str, format: str) -> _Type:
    pydantic = importlib.import_module("pydantic")
    _check_library(of, where, "pydantic")
    try:
        adapter = pydantic.TypeAdapter(of)
    except pydantic.errors.PydanticUserError as error:
        raise TypeError(f"{where}: {str(error).splitlines()[0]}") from None

    def make(value: Any) -> Any:
        with suppress(pydantic.ValidationError):
            return adapter.validate_python(value)
        try:
            return adapter.validate_python(_plain_value(value, False, False))
        except pydantic.ValidationError as error:
            first = error.errors()[0]
            wrong = _Wrong(first["msg"])
            for key in first["loc"]:
                is_key = isinstance(value, Mapping) and key in value
                # others name the member of a union, or what is wrong with a key
                if is_key or isinstance(value, (list, tuple)) and isinstance(key, int):
                    wrong.steps.insert(0, (list(value).index(key) if is_key else key, f"[{key!r}]"))
                    value = value[key]
            raise wrong from error

    return _Type(make, {dict, list}, True)


class _List(list[Any]):
    """The items of an object of the package."""

    of: Any


class _Dict(dict[Any, Any]):
    """The entries of an object of the package."""

    of: Any


class _Bytes(bytes):
    """The bytes of an array."""

    of: Any


def _of(value: Any) -> Any:
    """The object that a library got the parts of."""
    return value.of if isinstance(value, (_List, _Dict, _Bytes)) else value


def for_others(module: types.ModuleType) -> None:
    """Tells others about the classes of a module: pydantic, and those that ask for a sequence."""
    for kind in vars(module).values():
        if isinstance(kind, type) and _is_own(kind):
            if hasattr(kind, "__getitem__") and hasattr(kind, "__replace__"):
                Sequence.register(kind)
            kind.__get_pydantic_core_schema__ = classmethod(_schema)  # type: ignore[attr-defined]


def _schema(kind: Any, _source: Any, handler: Any) -> Any:
    """For pydantic: an object of a class of the package; in JSON its fields by their names, or a number or text."""
    schema = importlib.import_module("pydantic_core").core_schema
    base = next((base for base in (int, float, str) if issubclass(kind, base)), None)
    instance = schema.no_info_before_validator_function(_of, schema.is_instance_schema(kind))
    if base is None and not hasattr(kind, "__match_args__"):
        return instance
    fields = {
        name: schema.typed_dict_field(handler.generate_schema(hint), required=name != "double")
        for name, hint in ({} if base else typing.get_type_hints(kind, localns={"bytes": bytes})).items()
    }
    inner = handler.generate_schema(base) if base else schema.typed_dict_schema(fields)

    def shown(value: Any) -> Any:
        return base(value) if base else {name: getattr(value, name) for name in fields}

    return schema.json_or_python_schema(
        json_schema=schema.no_info_after_validator_function(kind if base else lambda found: kind(**found), inner),
        python_schema=instance,
        serialization=schema.plain_serializer_function_ser_schema(shown, return_schema=inner, when_used="json"),
    )


def _plain_value(value: Any, with_arrays: bool, whole: bool) -> Any:
    """The value with lists and dicts instead of objects of the package that have some. If `whole`, whole floats are integers."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if with_arrays and isinstance(value, float):
        # an integer would lose the sign of -0.0
        is_whole = whole and value.is_integer() and abs(value) < 1 << 53 and str(float(value)) != "-0.0"
        return int(value) if is_whole else float(value)
    if kind is list:
        return [_plain_value(item, with_arrays, whole) for item in value]
    if kind is dict:
        return {key: _plain_value(one, with_arrays, whole) for key, one in value.items()}
    made: Any = value
    if with_arrays and hasattr(view := _inner(value, "data"), "tolist"):
        made = _Bytes(view.tobytes()) if memoryview(view).format == "B" else _List(view.tolist())
    elif isinstance(items := _inner(value, "elements"), (list, tuple)):
        made = _List(_plain_value(item, with_arrays, whole) for item in items)
    elif isinstance(entries := _inner(value, "entries", "properties"), Mapping):
        made = _Dict({key: _plain_value(one, with_arrays, whole) for key, one in _entries(entries, _EXACT).items()})
    if made is not value:
        made.of = value
    return made


def _literal(members: tuple[Any, ...]) -> _Make:
    def make(value: Any) -> Any:
        for one in members:
            plain = one.value if isinstance(one, enum.Enum) else one
            if plain == value and isinstance(plain, bool) == isinstance(value, bool):
                return one
        raise _expected(f"one of {', '.join(map(repr, members))}", value)

    return make


def _instance(kind: type) -> _Make:
    def make(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        raise _expected(_name(kind), value)

    return Maker([kind], make)


def _enum(kind: type[enum.Enum]) -> _Make:
    def make(value: Any) -> Any:
        with suppress(ValueError):
            made = kind(value)
            if isinstance(made.value, bool) == isinstance(value, bool):
                return made
        raise _expected(f"one of {', '.join(repr(one.value) for one in kind)}", value)

    return make


def _tuple(parts: list[_Make], items_of: _Make) -> _Make:
    """A tuple whose items have types of their own."""

    def make(value: Any) -> Any:
        items = items_of(value)
        if len(parts) != len(items):
            raise _Wrong(f"expected {len(parts)} items, found {len(items)}")
        made: list[Any] = []
        try:
            for part, item in zip(parts, items, strict=True):
                made.append(part(item))
        except _Wrong as wrong:
            wrong.steps.append((len(made), f"[{len(made)}]"))
            raise
        return tuple(made)

    return make


def _union(members: tuple[Any, ...], parts: list[_Type]) -> _Make:
    kinds = [typing.get_origin(member) or member for member in members]

    def make(value: Any) -> Any:
        wrong: list[_Wrong] = []
        made: list[tuple[int, str, Any]] = []
        # that of the very type first: a whole number is both int and float
        for place in sorted(range(len(kinds)), key=lambda place: kinds[place] is not type(value)):
            keys = parts[place].keys
            try:
                one = parts[place].make(value)
            except _Wrong as error:
                wrong.append(error)
                continue
            if keys is None:
                return one
            made.append((len(keys & _keys(value)), _name(members[place]), one))
        if made:
            # a class that has more of the keys loses less
            most = max(count for count, _, _ in made)
            best = [(name, one) for count, name, one in made if count == most]
            if len(best) > 1:
                raise _Wrong(f"{' and '.join(name for name, _ in best)} have as many of its keys, and nothing determines which it is")
            return best[0][1]
        deepest = max(wrong, key=lambda error: len(error.steps))
        raise deepest if deepest.steps or len(wrong) == 1 else _expected(" or ".join(map(_name, members)), value)

    return Maker([kind for part in parts for kind in getattr(part.make, "exact", ())], make)


def _record(kind: Any, fields: list[tuple[str, str, _Make, bool, bool]], format: str) -> _Make:
    is_tuple = issubclass(kind, tuple)

    def entries(value: Any) -> Mapping[Any, Any]:
        if is_tuple and isinstance(value, list):
            if len(value) > len(fields):
                raise _Wrong(f"expected at most {len(fields)} items, found {len(value)}")
            return {field[0]: item for field, item in zip(fields, value, strict=False)}
        return _entries(value, format)

    code = getattr(kind.__new__ if is_tuple else kind.__init__, "__code__", None)
    is_ordered = code is not None and code.co_varnames[1 : code.co_argcount] == tuple(field[1] for field in fields)
    return Maker.fields(entries, kind, fields, is_ordered)


def _int(value: Any) -> int:
    return int(value) if isinstance(value, float) and value.is_integer() else _exact_int(value)


def _exact_int(value: Any) -> int:
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
    if hasattr(value, "tobytes") and memoryview(value).format == "B":
        return bytes(value.tobytes())
    raise _expected("bytes", value)


_SCALARS: dict[Any, _Make] = {int: _int, float: _float, bytes: _bytes}
_ITEMS: dict[Any, _Make] = {list: list, tuple: tuple, set: set, frozenset: frozenset, Sequence: list, Iterable: list}
_MAPPINGS = (dict, Mapping, typing.get_origin(typing.MutableMapping[Any, Any]))


#: The fields of classes of the package with the parts of a container.
_PARTS = {"elements", "entries", "properties", "data"}


def _inner(value: Any, *names: str) -> Any:
    """The list or dict in an object of the package such as `TypedArray`."""
    if type(value).__module__.startswith("enginewire."):
        return next((getattr(value, name) for name in names if name in getattr(value, "__dataclass_fields__", ())), value)
    return value


class _Vector(list[Any]):
    """A vector of a packed array."""

    names = "xyzw"


class _Colour(_Vector):
    names = "rgba"


def _items(value: Any, format: str) -> Sequence[Any]:
    inner = _inner(value, "elements", "data")
    if hasattr(inner, "tolist"):
        inner = inner.tolist()
        if inner and isinstance(inner[0], list):
            is_colour = len(inner[0]) == 4 and getattr(value, "kind", None) != "PackedVector4Array"
            return list(map(_Colour if is_colour else _Vector, inner))
    if isinstance(inner, Sequence) and not isinstance(inner, (str, bytes)):
        return inner
    if format != _EXACT and isinstance(inner, Mapping) and not inner:
        return []
    raise _expected("list", value)


def _mapped(value: Any) -> Any:
    """A mapping of an object of the package that has names or keys."""
    value = _inner(value, "entries", "properties")
    if isinstance(value, _Vector):
        return dict(zip(value.names, value, strict=False))
    kind = type(value)
    if _is_own(kind) and hasattr(kind, "__replace__") and not dataclasses.is_dataclass(kind):
        return {name: getattr(value, name) for name in kind.__match_args__}
    return value


def _keys(value: Any) -> Set[Any]:
    """The keys of a mapping; none for a list, which can become a `NamedTuple`."""
    value = _mapped(value)
    return value.keys() if isinstance(value, Mapping) else set()


def _entries(value: Any, format: str) -> Mapping[Any, Any]:
    """The entries of a mapping whose keys are unique."""
    value = _mapped(value)
    items = _inner(value, "elements")
    if isinstance(items, list) and not isinstance(items, _Vector) and (format == _TABLES or format != _EXACT and not items):
        return dict(enumerate(items, getattr(value, "offset", 1)))
    if type(value) is dict:
        return value
    if not isinstance(value, Mapping):
        raise _expected("dict", value)
    entries: dict[Any, Any] = {}
    for key, one in value.items():
        try:
            if key in entries:
                raise _Wrong(f"the key {key!r} repeats")
            entries[key] = one
        except TypeError as error:  # it cannot be hashed
            raise _Wrong(f"the key {key!r}: {error}") from error
    return entries


@functools.cache
def _fields(kind: Any) -> dict[str, tuple[str, bool]] | None:
    """The fields of a class: for each key the name of the argument, and whether it has no default; `None` of another class."""
    if dataclasses.is_dataclass(kind):
        missing = dataclasses.MISSING
        fields = [one for one in dataclasses.fields(kind) if one.init]
        return {one.name: (one.name, one.default is missing and one.default_factory is missing) for one in fields}
    if hasattr(kind, "__attrs_attrs__"):
        nothing = importlib.import_module("attr").NOTHING
        return {one.name: (one.alias, one.default is nothing) for one in kind.__attrs_attrs__ if one.init}
    if typing.is_typeddict(kind):
        extras = {name: typing.get_origin(hint) for name, hint in typing.get_type_hints(kind, include_extras=True).items()}
        # the keys themselves do not say it where annotations are text
        needed = {name for name, extra in extras.items() if extra is typing.Required or name in kind.__required_keys__}
        return {name: (name, name in needed and extra is not typing.NotRequired) for name, extra in extras.items()}
    if issubclass(kind, tuple) and hasattr(kind, "_field_defaults"):
        return {name: (name, name not in kind._field_defaults) for name in kind._fields}
    return {name: (name, True) for name in kind.__struct_fields__} if hasattr(kind, "__struct_fields__") else None


#: The settings of a field of a pydantic model that change what is written.
_WRITTEN = ("alias", "serialization_alias", "exclude", "exclude_if", "metadata")


def _is_flat_model(kind: Any) -> bool:
    """True for a model of pydantic whose serializer gives its fields as they are: most are, and it takes longer than encoding them."""
    if not hasattr(kind, "__pydantic_decorators__") or not hasattr(kind, "model_fields") or kind.__pydantic_root_model__:
        return False
    base = importlib.import_module("pydantic").BaseModel
    if kind.__get_pydantic_core_schema__.__func__ is not base.__get_pydantic_core_schema__.__func__:
        return False
    written = ("field_serializers", "model_serializers", "computed_fields")
    if any(getattr(kind.__pydantic_decorators__, name) for name in written) or kind.model_config.get("extra") == "allow":
        return False
    fields = kind.model_fields.values()
    plain = {str, bytes, int, float, bool, list, dict, types.NoneType, types.UnionType}
    is_plain = all(part in plain for field in fields for part in _named(field.annotation, set()))
    return is_plain and not any(getattr(field, name, None) for field in fields for name in _WRITTEN)


def shape(kind: Any, format: str) -> Any:
    """The encoding of a class with fields: the entries that all its objects have, the key and the name of each field, and the values
    that are left out, or a function that gives a `dict`. `None` of another class."""
    # a metaclass may say that classes are equal
    metaclass: Any = type(kind)
    is_itself = metaclass.__eq__ is type.__eq__ and metaclass.__hash__ is type.__hash__
    return (_shape if is_itself else _shape.__wrapped__)(kind, format)


@functools.lru_cache(maxsize=256)
def _shape(kind: Any, format: str) -> Any:
    # attributes have no null: a field that is None is left out
    same: list[tuple[str, Any]] = []
    left_out: list[Any] = [None] if format == "Roblox attributes" else []
    names: Iterable[Any] = ()
    with suppress(TypeError):  # a class that cannot be hashed
        if _is_own(kind) or issubclass(kind, Mapping):
            return None
    if _is_flat_model(kind):
        return same, [(name, name) for name in kind.model_fields], left_out
    if hasattr(kind, "__pydantic_serializer__"):
        # not the serializer itself, which changes when a model is rebuilt
        return lambda value: kind.__pydantic_serializer__.to_python(value, by_alias=True, exclude_none=bool(left_out))
    if dataclasses.is_dataclass(kind):
        names = (one.name for one in dataclasses.fields(kind))
    elif hasattr(kind, "__struct_fields__"):
        config = kind.__struct_config__
        if config.array_like or config.omit_defaults:
            return None
        same = [] if config.tag is None else [(config.tag_field, config.tag)]
        left_out.append(importlib.import_module("msgspec").UNSET)
        return same, list(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)), left_out
    elif hasattr(kind, "__attrs_attrs__"):
        names = (one.name for one in kind.__attrs_attrs__)
    else:
        return None
    return same, [(name, name) for name in names], left_out


def plain(value: Any, format: str, default: Callable[[Any], Any] | None) -> Any:
    """The value to encode instead of an object of a type that the format does not have."""
    kind: Any = type(value)
    is_array = hasattr(value, "ndim") and hasattr(value, "dtype")
    shaped = shape(kind, format)
    if callable(shaped):
        return shaped(value)
    if shaped:
        same, names, left_out = shaped
        found = ((key, getattr(value, name)) for key, name in names)
        return dict(same) | {key: one for key, one in found if not any(one is other for other in left_out)}
    if _is_own(kind):
        pass
    elif hasattr(kind, "__struct_fields__"):
        return _struct(value, kind, format)
    elif isinstance(value, enum.Enum):
        return value.value
    elif isinstance(value, (bytearray, memoryview)) and memoryview(value).format == "B":
        return bytes(value)
    elif hasattr(value, "to_list") and hasattr(value, "to_numpy"):  # a series of pandas or polars
        items = value.to_list()
        # numpy would make a number of what is missing
        is_packed = format == "Godot" and (array := value.to_numpy()).dtype.kind in "iuf" and None not in items
        return array if is_packed else items
    elif is_array and value.ndim == 0 and value.dtype.kind in "biufSU" and not getattr(value, "mask", False):
        if type(item := value.item()) is not kind:
            return item
    elif isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes, memoryview)):
        return list(value)
    if default is not None:
        return default(value)
    raise TypeError(f"{kind.__name__}{f' of {value.dtype}' if is_array and value.ndim else ''} is not a type of {format}")


def _struct(value: Any, kind: Any, format: str) -> Any:
    """The fields of a struct of msgspec that is an array or leaves out defaults."""
    config, left_out = kind.__struct_config__, [importlib.import_module("msgspec").UNSET]
    fields = {} if config.tag is None else {config.tag_field: config.tag}
    defaults = dict(zip(kind.__struct_fields__[::-1], kind.__struct_defaults__[::-1], strict=False))
    if format == "Roblox attributes":
        left_out.append(None)
    for key, name in zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True):
        one, default = getattr(value, name), defaults.get(name, fields)
        is_default = one is default or type(one) is getattr(default, "factory", None) and one in ([], {}, set())
        is_left_out = any(one is other for other in left_out) or config.omit_defaults and is_default
        if config.array_like or not is_left_out:
            fields[key] = one
    return list(fields.values()) if config.array_like else fields
