"""Any file that holds values."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from . import _atomic
from ._enginewire import File, check_types, nearest
from ._errors import DecodeError, EncodeError
from ._inspect import FORMATS
from ._kept import check_names, kept


class Value:
    """A value of an `OpenFile`."""

    __slots__ = ("_file", "_number")

    def __init__(self, file: OpenFile, number: int) -> None:
        self._file = file
        self._number = number

    @property
    def address(self) -> str:
        """Its place in the file, such as `application/config/name` or `[3]`; empty if the file is one value."""
        return self._file._listed[self._number][0]

    @property
    def about(self) -> str:
        """Other details from the file, such as its line."""
        return self._file._listed[self._number][5]

    @property
    def error(self) -> DecodeError | None:
        """Why it has no bytes."""
        return self._file._listed[self._number][4]

    @property
    def _formats(self) -> list[str]:
        return self._file._formats if self._file._listed[self._number][1] else []

    @property
    def format(self) -> str | None:
        """Its format, such as `godot-4`; `None` if its bytes are not a value, or not the same value in all formats of the file."""
        formats = self._formats
        if len(formats) > 1 and (self.error or not all(self._file._is_same(self.data, formats[-1], other) for other in formats)):
            return None
        return formats[-1] if formats else None

    @property
    def data(self) -> bytes:
        """Its bytes, with the change that is not saved yet."""
        if self._number in self._file._changes:
            if (changed := self._file._changes[self._number]) is not None:
                return changed
            raise ValueError(f"{self} is removed")
        _, _, place, data, error, _ = self._file._listed[self._number]
        if place is not None:
            return self._file._file.part(*place)
        if data is None:
            raise error or ValueError("the value has no bytes")
        return data

    @property
    def value(self) -> Any:
        """The value, as `loads` of its format gives it; of a Godot resource, its exact JSON document; its bytes if it has no
        format. A change inside it counts only when it is set again.

        Numbers, also in lists and dictionaries, arrays with a type and packed arrays keep the type that is there. A value of a class that
        names a type has that type. `EncodeError` if a number does not fit, a list or a dict is set over another structure such
        as a vector, or an item is not of the type that its container declares."""
        data, format = self.data, self.format
        if format is not None:
            return self._file._with_format("loads", format, data)
        if self._formats:
            raise ValueError(f"{self} is not the same value in {' and '.join(self._formats)}; open the file with format=")
        return data

    @value.setter
    def value(self, value: Any) -> None:
        if self._file._changes.get(self._number, b"") is None:
            raise ValueError(f"{self} is removed")
        new = self._file._encoded(self._formats, value, self._kept)
        if self._is_of_instance and not self._file._any_type:
            check_types(self.data if self.error is None else b"", new)
        self._file._changes[self._number] = new

    @property
    def _is_of_instance(self) -> bool:
        """True for the attributes of an instance, which scripts set."""
        is_of_model = self.format == "roblox-attributes" and self._file.kind.startswith("rbx")
        return is_of_model and not self.address.endswith(":PropertiesSerialize")

    def _kept(self, format: str, value: Any) -> Any:
        old: Any = None
        with suppress(ValueError):  # it cannot be read
            old = self._file._with_format("loads", format, self.data)
        value = kept(old, value, format)
        if self._is_of_instance and isinstance(value, Mapping):
            check_names(old or (), list(cast(Any, value)), self._file._any_key)
        return cast(Any, value)

    def __str__(self) -> str:
        return self.address or "the value"

    def __repr__(self) -> str:
        return f"<Value {self.address!r}, {self.format or 'bytes' if self.error is None else self.error}>"


class OpenFile(_atomic.NotCopied):
    """A file of values, returned by `open_file`.

    It is an iterable of `Value`, in the order of the file. If the rest of the file cannot be read, the last step of the iteration
    raises the `DecodeError` that is in `error`; `values` is the list of those before. `file[address]` is the one value with an
    address, decoded. Where several have the same, it is that of the last, and the others are `address[#0]`, `address[#1]`, …
    `file[address] = value` changes it, or adds one with a new address, and `del file[address]` removes it, where the kind of file allows
    that: in the file once it is saved, which is written once for all changes. A value that the file cannot have or be without is an error
    at the first that is added or removed, and of others when the file is saved.
    """

    def __init__(self, path: Path | None, data: Any, format: str | None, options: dict[str, bool | int | str]) -> None:
        self._path = path
        self._format = format
        self._any_key, self._any_type = (bool(options.pop(name, False)) for name in ("any_key", "any_type"))
        self._options = options
        self._load(data)

    def _load(self, data: Any) -> None:
        with _atomic.naming(self._path):
            self._file = File(data, self._format, self._options)
            self._listed, error, self._formats = self._file.values()
        self._count = len(self._listed)
        self._changes: dict[int, bytes | None] = {}
        self._removed: dict[str, int] = {}
        self._is_tried = False
        self._error = None if error is None else _atomic.named(self._path, error)
        self._numbers: dict[str, list[int]] = {}
        for number, listed in enumerate(self._listed):
            self._numbers.setdefault(listed[0], []).append(number)
        self._seen = None if self._path is None else _atomic.Seen(self._path, data)

    def _is_same(self, data: bytes, one: str, other: str) -> bool:
        """True if a value of one format is the same value of the other."""
        try:
            return bool(self._with_format("dumps", other, self._with_format("loads", one, data)) == data)
        except (DecodeError, EncodeError):
            return False

    def _with_format(self, work: str, format: str, value: Any) -> Any:
        module, version = FORMATS[format]
        known = _parameters(module, work)
        options = {name: option for name, option in self._options.items() if name in known}
        return getattr(module, work)(value, **version, **options)

    @property
    def layers(self) -> str:
        """The layers around the file, outermost first, such as `GDEC (Godot 4)`; empty if there are none."""
        return self._file.layers

    @property
    def kind(self) -> str:
        """The kind of the file inside the layers, as the program names it: `godot-project`, `godot-config`, `godot-pack`, `rbxm`;
        `value` for one value; `bytes` or the name of `guess` for a file inside layers that is not read."""
        return self._file.kind

    @property
    def values(self) -> list[Value]:
        """The values, in the order of the file, as far as it can be read."""
        return [Value(self, number) for number in range(len(self._listed)) if self._changes.get(number, b"") is not None]

    @property
    def error(self) -> DecodeError | None:
        """Why the rest of the file cannot be read."""
        return self._error

    def __iter__(self) -> Iterator[Value]:
        yield from self.values
        if self._error is not None:
            raise self._error

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, address: object) -> bool:
        return address in self._numbers

    def _at(self, address: str) -> Value:
        found = self._numbers.get(address, [])
        if len(found) == 1:
            return Value(self, found[0])
        if found:
            raise KeyError(f"{address!r} names {len(found)} values; take one of `values`")
        problems = [] if self._error is None else [self._error]
        raise KeyError(_atomic.missing(f"the file has no value {address!r}", nearest(address, list(self._numbers)), problems))

    def __getitem__(self, address: str) -> Any:
        return self._at(address).value

    def __setitem__(self, address: str, value: Any) -> None:
        if address in self._numbers:
            self._at(address).value = value
            return
        self._file.check_address(address)
        data = self._encoded(self._formats, value, lambda format, value: value)
        # one that was removed is where it was
        number = self._removed.get(address, len(self._listed))
        if number == len(self._listed):
            self._listed.append((address, True, None, data, None, ""))
        self._try(number, data)
        self._numbers[address] = [number]

    def __delitem__(self, address: str) -> None:
        number = self._at(address)._number
        self._try(number, None)
        del self._numbers[address]
        self._removed[address] = number

    def _try(self, number: int, data: bytes | None) -> None:
        """Adds or removes a value. The first is tried, since most kinds of files allow all or none: each costs as much as saving."""
        before = dict(self._changes)
        self._changes[number] = data
        if self._is_tried:
            return
        try:
            self.to_bytes()
            self._is_tried = True
        except (DecodeError, EncodeError):
            self._changes = before
            if number not in before and number >= self._count:
                del self._listed[number]
            raise

    def _encoded(self, formats: list[str], value: Any, kept: Callable[[str, Any], Any]) -> bytes:
        """The bytes of a new value; of a file whose formats are not known, if they are the same in all."""
        found = {self._with_format("dumps", name, kept(name, value)) for name in formats} or {bytes(memoryview(value))}
        if len(found) > 1:
            raise ValueError(f"the value is encoded differently in {' and '.join(formats)}; open the file with format=")
        return cast(bytes, found.pop())

    def keys(self) -> list[str]:
        """The addresses of the values."""
        return list(self._numbers)

    def items(self) -> Iterator[tuple[str, Any]]:
        """The addresses with their values, decoded."""
        return ((value.address, value.value) for value in self)

    def glob(self, pattern: str) -> list[Value]:
        """The values whose addresses match a pattern, as in the program: `*` is any part of a name, `**` any names. Those that are
        added are among them once the file is saved."""
        return [Value(self, number) for number in self._file.glob(pattern) if self._changes.get(number, b"") is not None]

    def content(self, address: str) -> bytes:
        """The bytes of the one value with this address; of a pack, a file, which `open_file` may read."""
        return self._at(address).data

    @property
    def is_changed(self) -> bool:
        """True if there are changes that are not in the file that was opened."""
        return bool(self._changes)

    def to_bytes(self) -> bytes:
        """The whole file with the changes and within its layers. All else keeps its bytes."""
        changes = {number: data for number, data in self._changes.items() if number < self._count}
        added = {number: data for number, data in self._changes.items() if number >= self._count and data is not None}
        return self._file.replaced(changes, [(self._listed[number][0], data) for number, data in added.items()])

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Writes the file with the changes to `path`, or to the file that was opened: completely or not at all.

        Another `path` becomes a copy: the changes are not in the file that was opened until `save` is called without a path. What was
        opened from bytes is that of the first file that it is saved to. The file that was opened is not written over if another program
        changed it meanwhile: `ChangedMeanwhile`, an `OSError`.
        """
        data = self.to_bytes()
        if _atomic.save("file", self._path, path, data, self._seen):
            self._path = self._path or Path(cast(str, path))
            self._load(data)

    def __repr__(self) -> str:
        layers = f" in {self.layers}" if self.layers else ""
        broken = ", broken" if self._error is not None else ""
        return f"<OpenFile {str(self._path or 'of bytes')!r}, {self.kind}{layers}, {len(self)} values{broken}>"


def open_file(file: Any, *, format: str | None = None, **options: bool | int | str) -> OpenFile:
    """Any file of values: its path, its bytes, or the file opened as binary. `Place` and `Save` have more for Roblox models and
    saves.

    >>> file = open_file("fixtures/godot-files/v4/gdec/pass_config.cfg", password="hunter2")
    >>> file.layers, file.kind
    ('GDEC (Godot 4)', 'godot-config')
    >>> [(value.address, value.value) for value in file]
    [('player/name', 'Grüße'), ('player/position', Vector3(1.0, 2.0, 3.0))]

    `format` is what the option `-f` of the program takes: the format of its values, if the file does not specify it, such as
    `godot-3`; a kind, which is not detected then, such as `godot-packets`; or both, such as `godot-config:godot-3`. `options` are those of the
    program: `password`, `key` (64 hexadecimal digits) and `magic` of an encrypted file, `framing`, `max_memory` in bytes, and
    others. With `any_key=True`, new names of attributes may be ones that Roblox does not allow; with `any_type=True`, new
    values of attributes may be ones that no script can set.
    """
    return OpenFile(*_atomic.source(file), format, options)


def load(file: Any, *, format: str | None = None, **options: bool | int | str) -> Any:
    """The value of a file that holds one, as `loads` of its format gives it. The arguments are those of `open_file`, which reads files
    with more values.

    >>> load("fixtures/godot-files/v4/gcpf/zstd/save.var", format="godot-4")["level"]
    7
    """
    opened = open_file(file, format=format, **options)
    if opened.error is not None:
        raise opened.error
    if len(opened) != 1:
        raise ValueError(f"{opened._path or 'the file'} has {len(opened)} values; open_file gives each by its address")
    return opened.values[0].value


@functools.cache
def _parameters(module: Any, function: str) -> frozenset[str]:
    """The names of the parameters of a function."""
    return frozenset(inspect.signature(getattr(module, function)).parameters)
