"""The attributes of many files, as record batches of Arrow."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from . import _enginewire

#: Where the bytes of a file come from: the bytes, the path of a local copy, or why there are none.
Source = Union[bytes, bytearray, memoryview, "os.PathLike[str]", BaseException]

#: The texts in some columns that choose rows: `{"class": "Part", "key": ["Fuel", "Health"]}`, or `"class=Part"` for one.
Filter = Union[str, Mapping[str, Union[str, Iterable[str]]]]

#: The memory that one file may take, in bytes.
MAX_MEMORY = 256 << 20

#: The columns of a scan in their order, and what each is.
COLUMNS: dict[str, str] = dict(_enginewire.scan_columns())


def scan(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    columns: Sequence[str] | None = None,
    *,
    filter: Filter | None = None,
    max_memory: int = MAX_MEMORY,
    threads: int | None = None,
    hidden: bool = False,
    no_ignore: bool = False,
) -> _enginewire.Scan:
    """The attributes, tags and errors of all model and place files in `paths`: files, folders and patterns such as
    `places/**/*.rbxl`.

    The result is read by whatever reads Arrow's PyCapsule interface, batch by batch: `pyarrow.table(scan)`,
    `polars.DataFrame(scan)`, `duckdb.sql("from scan")`, `pandas.DataFrame.from_arrow(scan)`. Each reading scans again.

    Each row is an attribute, the tags of an instance, or an error; a file without any of these has a row with its name
    only. `COLUMNS` describes the columns; `columns` selects some of them. `filter` selects rows by the text in columns, such as
    `{"class": "Part", "key": ["Fuel", "Health"]}` or `"class=Part"`, and all errors. A file that is broken or cannot be read is a
    row with an error, and never ends the scan. The rows and their order are those of the program's `enginewire get`.

    In folders, files that are hidden, or that `.gitignore` and the like leave out, are not read. `hidden=True` and `no_ignore=True`
    include them, and a `UserWarning` reports the number that `no_ignore=True` would add. A file whose own path is given is always read.

    Files are read on as many `threads` as there are cores. Reading a file may take `max_memory` bytes of memory, and all files
    together twice as much. A table of all rows has no such limit: each row repeats names, so that a hostile file of 319 bytes
    makes one of 189 MB. Read the scan batch by batch, or with fewer `columns`, where files are not your own.
    """
    names = [os.fsdecode(name) for name in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]
    found = _enginewire.scan_paths(names, _listed(columns), _chosen(filter), max_memory, threads, hidden, no_ignore)
    if not no_ignore and (count := _enginewire.count_files(names, hidden, True) - _enginewire.count_files(names, hidden, False)):
        left_out = f"{count} model file{' is' if count == 1 else 's are'} left out by .gitignore and the like; no_ignore=True reads "
        warnings.warn(left_out + ("it" if count == 1 else "them"), stacklevel=2)
    return found


def scan_items(
    items: Iterable[tuple[str, Source]],
    columns: Sequence[str] | None = None,
    *,
    filter: Filter | None = None,
    max_memory: int = MAX_MEMORY,
) -> _enginewire.Scan:
    """The same rows of files from anywhere: `items` are pairs of a name and its bytes, or the path of a local copy, or
    an exception that says why the file cannot be read. They are taken one by one, as the rows are read."""
    return _enginewire.scan_items(items, _listed(columns), _chosen(filter), max_memory)


def scan_bytes(
    name: str,
    data: Source,
    columns: Sequence[str] | None = None,
    *,
    filter: Filter | None = None,
    max_memory: int = MAX_MEMORY,
) -> _enginewire.Scan:
    """The same rows of one file, whose bytes are at hand."""
    return scan_items([(name, data)], columns, filter=filter, max_memory=max_memory)


def _listed(columns: Any) -> list[str] | None:
    if isinstance(columns, str):
        raise TypeError("columns is a str; expected a sequence of names")
    return None if columns is None else list(columns)


def _chosen(filter: Filter | None) -> list[tuple[str, list[str]]]:
    if isinstance(filter, str):
        column, sign, text = filter.partition("=")
        if not sign:
            raise ValueError(f"expected a filter such as 'class=Part', found {filter!r}")
        filter = {column: text}
    chosen = {} if filter is None else dict(filter)
    return [(name, [texts] if isinstance(texts, str) else list(texts)) for name, texts in chosen.items()]
