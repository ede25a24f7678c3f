"""Saves and blueprints of Scrap Mechanic."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import _atomic
from ._enginewire import BlueprintText, SaveFile, SaveRow
from ._errors import DecodeError

_UNCHANGED = object()


class Row:
    """A row of a `Save`. Its `value` is an object of Lua, which can be changed."""

    __slots__ = ("_row", "_value")

    def __init__(self, row: SaveRow) -> None:
        self._row = row
        self._value = _UNCHANGED

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
        """The object. `ValueError` if the row holds something else. What is changed within it counts only once it is set."""
        if self._value is not _UNCHANGED:
            return self._value
        found = self._row.decode()
        if found is None:
            raise ValueError(f"{self} holds no object")
        return found[0]

    @value.setter
    def value(self, value: Any) -> None:
        if not self.is_object:
            raise ValueError(f"{self} holds no object")
        self._value = value

    def __str__(self) -> str:
        return str(self._row)

    def __repr__(self) -> str:
        return f"<Row {self._row}>"


class Save:
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
        self._load()

    def _load(self) -> None:
        # its error names the path
        os.stat(self._path)
        with _atomic.naming(self._path):
            self._file = SaveFile(self._path, self._max_memory)
        self._rows: list[Row] = []
        #: The errors of rows that cannot be read.
        self.problems: list[Exception] = []
        for found in self._file.rows():
            if isinstance(found, Exception):
                self.problems.append(found)
            else:
                self._rows.append(Row(found))

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
        raise KeyError(place)

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Writes the changed rows to `path`, or to where the save was read from: all of them or none.

        In the file that the save was read from, that is one transaction of SQLite. `ChangedMeanwhile`, an `OSError`, if another
        program, such as the game, changed one of the rows. Another `path` becomes a complete copy of the save and replaces any
        file there.
        """
        target = self._path if path is None else Path(path)
        changes = [(row._row, row._value) for row in self._rows if row._value is not _UNCHANGED]
        if target.exists() and target.samefile(self._path):
            _atomic.check_writable(target)
            self._file.write(target, changes, False)
        else:
            _atomic.replace(target, lambda temporary: self._file.write(temporary, changes, True))
        self._path = target
        self._load()

    def __repr__(self) -> str:
        return f"<Save {str(self._path)!r}, version {self.version}, {len(self)} rows>"


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
        self._text.replace(self._index, value)

    def __repr__(self) -> str:
        return f"<Part bodies[{self.body}].childs[{self.child}]>"


class Blueprint:
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

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Writes the text with the changes to `path`, or to where it was read from: completely or not at all."""
        target = self._path if path is None else Path(path)
        if target is None:
            raise ValueError("the blueprint was not read from a file; name one to save it to")
        data = self.text.encode()
        is_own = self._path is not None and target.exists() and self._path.exists() and target.samefile(self._path)
        seen = _atomic.Seen(target, self._data) if is_own else None
        _atomic.replace(target, lambda temporary: _write(temporary, data), seen)
        self._path, self._data = target, data

    def __repr__(self) -> str:
        return f"<Blueprint {str(self._path or 'of text')!r}, {len(self._text.parts())} parts with objects>"


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
