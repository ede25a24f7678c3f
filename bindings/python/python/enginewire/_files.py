"""Files on any file system, as engines that run on many machines read them: found once, packed into parts by their bytes, and read
where the part is."""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from . import _enginewire
from ._scan import MAX_MEMORY, Source, scan_items

if TYPE_CHECKING:
    import pyarrow

#: The extensions of model and place files.
EXTENSIONS = (".rbxm", ".rbxl", ".rbxmx", ".rbxlx")

#: The bytes of the files in one part, by default.
PARTITION_BYTES = 64 << 20

#: What a file costs besides its bytes: opening it takes about as long as reading so many.
OPEN_COST = 64 << 10

#: Files are fetched together until they have so many bytes, or are so many.
FETCH_BYTES = 16 << 20
FETCH_FILES = 64


@dataclass(frozen=True)
class File:
    """A file, and how many bytes it has, as far as that is known."""

    name: str
    size: int = 0

    @property
    def cost(self) -> int:
        return self.size + OPEN_COST


@dataclass(frozen=True)
class Reading:
    """The options for finding and reading files. It is small, and is sent to every worker."""

    columns: tuple[str, ...] | None = None
    max_memory: int = MAX_MEMORY
    #: For fsspec: credentials, endpoints.
    storage_options: Mapping[str, Any] = field(default_factory=dict)
    hidden: bool = False
    no_ignore: bool = False
    #: A failure that is not of a file, such as of the store, is an `OSError`; else the files that it concerns are rows with an error.
    fail_on_error: bool = True
    filter: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, paths: Iterable[str | os.PathLike[str]]) -> list[File]:
        """All files in `paths`, each once and in the order of their names. A pattern that no file matches is a `FileNotFoundError`."""
        local: list[str] = []
        files: dict[str, File] = {}
        for path in [os.fspath(path) for path in paths]:
            if _is_local(path):
                local.append(_local(path))
                continue
            try:
                files.update((file.name, file) for file in self._find_remote(path))
            except Exception as error:  # each file system has exceptions of its own
                if self.fail_on_error:
                    error.add_note(f"while {path} was listed")
                    raise
                files[path] = File(path)
        found = _enginewire.list_files(local, self.hidden, self.no_ignore) if local else []
        files.update((os.fspath(path), File(os.fspath(path), size)) for path, size in found)
        for path in local if self.fail_on_error else []:
            # the list has a pattern itself only where nothing matches it
            if path in files and not os.path.lexists(path):
                _check_pattern(path)
        return sorted(files.values(), key=lambda file: file.name)

    def _find_remote(self, path: str) -> Iterator[File]:
        fs, inner = self._file_system(path)
        if fs.isdir(inner):
            # as in a folder of this machine
            found = {
                name: about
                for name, about in fs.find(inner, detail=True).items()
                if name.lower().endswith(EXTENSIONS) and (self.hidden or "/." not in name)
            }
        else:
            try:
                # also of a name with the signs of a pattern
                found = {inner: fs.info(inner)}
            except FileNotFoundError:
                matches = fs.glob(inner, detail=True) if _is_pattern(inner) else {}
                found = {name: about for name, about in matches.items() if about["type"] == "file"}
                if not found:
                    _check_pattern(path)
        # reading what is not there tells so
        for name, about in (found or {inner: {}}).items():
            yield File(fs.unstrip_protocol(name), about.get("size") or 0)

    def _file_system(self, path: str) -> tuple[Any, str]:
        from fsspec.core import url_to_fs

        try:
            found: tuple[Any, str] = url_to_fs(path, **self.storage_options)
        except Exception as error:  # each file system has exceptions of its own
            failure = OSError(f"cannot read {path}: {error}")
            if self.fail_on_error:
                raise failure from error
            found = _NoFileSystem(failure), path
        return found

    def items(self, files: Iterable[File]) -> Iterator[tuple[str, Source]]:
        """The bytes of the files, or why they cannot be read. A large file of another machine is copied to a temporary one.

        A file that is not there is an item with the reason. Where the store fails, nothing is known of the file: that is an
        `OSError`, so that the task fails and the engine tries it again, unless `fail_on_error` is off.
        """
        waiting: list[File] = []
        size = 0
        for file in files:
            if _is_local(file.name):
                yield from self._fetched(waiting)
                waiting, size = [], 0
                yield file.name, pathlib.Path(_local(file.name))
                continue
            if waiting and (size + file.size > FETCH_BYTES or len(waiting) == FETCH_FILES):
                yield from self._fetched(waiting)
                waiting, size = [], 0
            waiting.append(file)
            size += file.size
        yield from self._fetched(waiting)

    def _fetched(self, files: Sequence[File]) -> Iterator[tuple[str, Source]]:
        if len(files) == 1 and files[0].size > FETCH_BYTES:
            yield from self._copied(files[0])
            return
        groups: dict[int, tuple[Any, list[str]]] = {}
        keys: list[int] = []
        for file in files:
            fs, inner = self._file_system(file.name)
            groups.setdefault(id(fs), (fs, []))[1].append(inner)
            keys.append(id(fs))
        # file systems that can, fetch them at the same time
        contents = {key: iter(_fetch(fs, inner)) for key, (fs, inner) in groups.items()}
        yield from self._of_files([(file, next(contents[key])) for file, key in zip(files, keys, strict=True)])

    def _copied(self, file: File) -> Iterator[tuple[str, Source]]:
        with tempfile.TemporaryDirectory(prefix="enginewire-") as folder:
            copy = pathlib.Path(folder, "copy")
            source: Source = copy
            fs, inner = self._file_system(file.name)
            try:
                with fs.open(inner, "rb") as opened, copy.open("wb") as to:
                    shutil.copyfileobj(opened, to, 1 << 20)
            except Exception as error:  # each file system has exceptions of its own
                source = error
            # the rows of the copy are made before the next item is asked for
            yield from self._of_files([(file, source)])

    def _of_files(self, items: list[tuple[File, Any]]) -> list[tuple[str, Source]]:
        """The files with their bytes, or with their errors. `OSError` if the storage failed, and not a file."""
        of_file = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
        failed = [(file, item) for file, item in items if isinstance(item, BaseException) and not isinstance(item, of_file)]
        if failed and self.fail_on_error:
            names = ", ".join(file.name for file, _ in failed[:3]) + (f" and {len(failed) - 3} more" if len(failed) > 3 else "")
            first = failed[0][1]
            # what went wrong with a store, and not with a file, can go well the next time
            raise OSError(f"cannot read {len(failed)} of {len(items)} files: {names}: {type(first).__name__}: {first}") from first
        return [(file.name, _reason(item) if isinstance(item, BaseException) else item) for file, item in items]

    def batches(self, items: Iterable[tuple[str, Source]]) -> Iterator[pyarrow.RecordBatch]:
        """The rows of the files."""
        import pyarrow

        failures: list[OSError] = []

        def watched() -> Iterator[tuple[str, Source]]:
            try:
                yield from items
            except OSError as error:
                failures.append(error)
                raise

        scan = scan_items(watched(), self.columns, filter=self.filter, max_memory=self.max_memory)
        try:
            yield from pyarrow.RecordBatchReader.from_stream(scan)
        except pyarrow.ArrowInvalid:
            # Arrow keeps only the message
            if failures:
                raise failures[0]
            raise


def pack(files: Iterable[File], partition_bytes: int) -> list[tuple[File, ...]]:
    """Parts of about `partition_bytes` each, the largest first. A large file is a part of its own, and is started before the
    small ones. The same files always give the same parts."""
    if partition_bytes < 1:
        raise ValueError("the bytes of a partition are less than 1")
    parts: list[tuple[File, ...]] = []
    part: list[File] = []
    cost = 0
    for file in files:
        if file.cost >= partition_bytes:
            parts.append((file,))
            continue
        if part and cost + file.cost > partition_bytes:
            parts.append(tuple(part))
            part, cost = [], 0
        part.append(file)
        cost += file.cost
    if part:
        parts.append(tuple(part))
    return sorted(parts, key=lambda part: (-sum(file.cost for file in part), part[0].name))


class _NoFileSystem:
    """A file system that could not be had."""

    def __init__(self, error: OSError) -> None:
        self.error = error

    def open(self, *_: object, **__: object) -> Any:
        raise self.error

    cat_file = cat_ranges = open


def _fetch(fs: Any, paths: list[str]) -> list[Any]:
    """The bytes of these files, or the exceptions in their place. `cat` takes names for patterns."""
    try:
        return [fs.cat_file(paths[0])] if len(paths) == 1 else list(fs.cat_ranges(paths, None, None, on_error="return"))
    except Exception as error:  # each file system has exceptions of its own
        return [error] * len(paths)


def _reason(error: BaseException) -> BaseException:
    return error if str(error) else OSError(type(error).__name__)


def _is_local(path: str) -> bool:
    return "://" not in path and not path.startswith("file:") or path.startswith(("file:/", "local://"))


def _local(path: str) -> str:
    name = path.removeprefix("file:").removeprefix("local:")
    if name == path:
        return path
    if name.startswith("//"):
        # after the name of this machine, which is empty or localhost
        name = name[2:].removeprefix("localhost")
    # Hadoop and fsspec write names as they are, others escape some signs
    return name if os.path.lexists(name) else unquote(name)


def _is_pattern(path: str) -> bool:
    return any(sign in path for sign in "*?[")


def _check_pattern(path: str) -> None:
    if _is_pattern(path):
        raise FileNotFoundError(f"no file matches the pattern {path}")
