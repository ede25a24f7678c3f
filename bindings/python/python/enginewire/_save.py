"""Saves and blueprints of Scrap Mechanic."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from . import _atomic, lua
from ._enginewire import BlueprintText, SaveFile, SaveRow
from ._errors import DecodeError
from ._kept import kept

_UNCHANGED = object()


class Row:
    """A row of a `Save`, before and after it is saved. Its `value` is an object of Lua, which can be changed."""

    __slots__ = ("_is_gone", "_row", "_value")

    def __init__(self, row: SaveRow) -> None:
        self._row = row
        self._value = _UNCHANGED
        self._is_gone = False

    @property
    def table(self) -> str:
        """The table that contains it."""
        return self._row.table

    @property
    def rowid(self) -> int:
        """Its number in the table."""
        return self._row.rowid

    @property
    def is_object(self) -> bool:
        """True if it holds an object. `GenericData` mostly holds other things."""
        return self._row.unpack()[:3] == b"LUA"

    def unpack(self) -> bytes:
        """Its content, unpacked."""
        return self._row.unpack()

    @property
    def value(self) -> Any:
        """The object. `ValueError` if the row holds something else, or is set although it is no longer in the save. What is changed
        within it counts only once it is set."""
        if self._value is not _UNCHANGED:
            return self._value
        found = self._row.decode()
        if found is None:
            raise ValueError(f"{self} holds no object")
        return found[0]

    @value.setter
    def value(self, value: Any) -> None:
        if self._is_gone:
            raise ValueError(f"{self} is no longer in the save")
        if not self.is_object:
            raise ValueError(f"{self} holds no object")
        value = _kept(lambda: self.value, value)
        lua.dumps(value)  # an error belongs here, not where the save is saved
        self._value = value

    def __str__(self) -> str:
        return str(self._row)

    def __repr__(self) -> str:
        return f"<Row {self._row}>"


class Save(_atomic.NotCopied):
    """A save of Scrap Mechanic: the objects that scripts keep in it.

    >>> save = Save("fixtures/scrap-mechanic-lua/save-v28.db")
    >>> save.version
    28
    >>> row = next(row for row in save if row.is_object)
    >>> row.value = {"changed": True}
    >>> save.save("changed.db")
    >>> Save("changed.db")[row.table, row.rowid].value
    {'changed': True}

    A row that cannot be read is missing, and its error is in `problems`.
    """

    def __init__(self, path: str | os.PathLike[str], *, max_memory: int = 256 << 20) -> None:
        self._path = Path(path)
        self._max_memory = max_memory
        self._rows: list[Row] = []
        self._load()

    def _load(self) -> None:
        # its error names the path
        os.stat(self._path)
        with _atomic.naming(self._path):
            self._file = SaveFile(self._path, self._max_memory)
        # those that are held stay the same objects
        known = {(row.table, row.rowid): row for row in self._rows}
        self._rows = []
        #: The errors of rows that cannot be read.
        self.problems: list[Exception] = []
        for found in self._file.rows():
            if isinstance(found, Exception):
                self.problems.append(found)
            else:
                row = known.pop((found.table, found.rowid), None) or Row(found)
                row._row, row._value = found, _UNCHANGED
                self._rows.append(row)
        for row in known.values():
            row._is_gone = True

    @property
    def version(self) -> int:
        """The version of the save."""
        return self._file.version

    @property
    def warnings(self) -> list[str]:
        """Faults that do not prevent reading: an unknown version."""
        return self._file.warnings

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __getitem__(self, place: tuple[str, int]) -> Row:
        """The row of a table with this number."""
        for row in self._rows:
            if (row.table, row.rowid) == place:
                return row
        raise KeyError(_atomic.missing(f"the save has no row {place!r}", [], self.problems))

    @property
    def is_changed(self) -> bool:
        """True if there are changes that are not in the file that was opened."""
        return any(row._value is not _UNCHANGED for row in self._rows)

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Writes the changed rows, all of them or none, to the opened save or to a copy.

        Without `path` they go into the opened save, in one transaction of SQLite. `ChangedMeanwhile`, an `OSError`, if another program, such as
        the game, changed one of the rows. With `path`, a complete copy with the changes
        replaces any file there; the opened save stays as it is until `save` is called without a path.
        """
        target = self._path if path is None else Path(path)
        changes = [(row._row, row._value) for row in self._rows if row._value is not _UNCHANGED]
        is_own = _atomic.is_same(target, self._path)
        if is_own:
            _atomic.check_writable(target)
            self._file.write(target, changes, False)
        else:
            _atomic.replace(target, lambda temporary: self._file.write(temporary, changes, True))
        if is_own or target == self._path:
            self._load()

    def __repr__(self) -> str:
        broken = ", broken" if self.problems else ""
        return f"<Save {str(self._path)!r}, version {self.version}, {len(self)} rows{broken}>"


def _kept(read: Callable[[], Any], value: Any) -> Any:
    """A value with the types of the one that is there, if that can be read."""
    old: Any = None
    with suppress(ValueError):
        old = read()
    return kept(old, value, "scrap-mechanic-lua")


class Part:
    """A part of a `Blueprint` that has an object."""

    __slots__ = ("_index", "_text", "body", "child")

    def __init__(self, text: BlueprintText, index: int, body: int, child: int) -> None:
        self._text = text
        self._index = index
        #: The index of its body.
        self.body: int = body
        #: The index of the part in its body.
        self.child: int = child

    @property
    def value(self) -> Any:
        """The object. What is changed within it counts only once it is set."""
        return self._text.decode(self._index)

    @value.setter
    def value(self, value: Any) -> None:
        self._text.replace(self._index, _kept(lambda: self.value, value))

    def __repr__(self) -> str:
        return f"<Part bodies[{self.body}].childs[{self.child}]>"


class Blueprint(_atomic.NotCopied):
    """A blueprint of Scrap Mechanic: JSON whose parts have objects of Lua.

    >>> blueprint = Blueprint("fixtures/scrap-mechanic-lua/logic.blueprint.json")
    >>> part = blueprint.parts[0]
    >>> part.value = {"mode": 2}
    >>> blueprint.save("changed.json")
    >>> Blueprint("changed.json").parts[0].value
    {'mode': 2}
    """

    def __init__(self, path: str | os.PathLike[str], *, max_memory: int = 256 << 20) -> None:
        self._path: Path | None = Path(path)
        self._data = self._path.read_bytes()
        try:
            text = self._data.decode()
        except UnicodeDecodeError as error:
            message = f"{path}: not a Scrap Mechanic blueprint: not UTF-8, at byte {error.start:#x}"
            raise DecodeError(message, error.start, code="blueprint") from None
        with _atomic.naming(self._path):
            self._text = BlueprintText(text, max_memory)

    @classmethod
    def from_text(cls, text: str, *, max_memory: int = 256 << 20) -> Blueprint:
        """The blueprint of this text, which has no path."""
        blueprint = cls.__new__(cls)
        blueprint._path = None
        blueprint._data = text.encode()
        blueprint._text = BlueprintText(text, max_memory)
        return blueprint

    @property
    def parts(self) -> list[Part]:
        """The parts that have an object, in the order of the text."""
        return [Part(self._text, index, *place) for index, place in enumerate(self._text.parts())]

    @property
    def text(self) -> str:
        """The text with the changes. All else is as it was."""
        return self._text.text

    @property
    def is_changed(self) -> bool:
        """True if there are changes that are not in the file that was opened."""
        return self.text.encode() != self._data

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Writes the text with the changes to `path`, or to the file that was opened: completely or not at all.

        Another `path` becomes a copy: the changes are not in the file that was opened until `save` is called without a path. A blueprint
        of text is that of the first file that it is saved to.
        """
        data = self.text.encode()
        seen = _atomic.Seen(self._path, self._data) if self._path is not None else None
        if _atomic.save("blueprint", self._path, path, data, seen):
            self._path, self._data = self._path or Path(cast(str, path)), data

    def __repr__(self) -> str:
        return f"<Blueprint {str(self._path or 'of text')!r}, {len(self._text.parts())} parts with objects>"
