"""Files on other file systems, and how they are packed."""

import hashlib
from dataclasses import replace

import pytest

from models import model, value

pa = pytest.importorskip("pyarrow")

from enginewire._files import FETCH_BYTES, OPEN_COST, File, Reading, pack  # noqa: E402


def test_parts_are_packed_by_bytes_and_the_largest_comes_first():
    small = [File(f"{number:03}", 1000) for number in range(100)]
    files = sorted([*small, File("050x", 50 << 20)], key=lambda file: file.name)
    parts = pack(files, 20 * (OPEN_COST + 1000))
    assert parts[0] == (File("050x", 50 << 20),)
    assert [len(part) for part in parts[1:]] == [20] * 5
    assert sorted(file.name for part in parts for file in part) == [file.name for file in files]
    assert pack(files, 20 * (OPEN_COST + 1000)) == parts
    assert pack([], 1) == []
    assert len(pack(files, 1)) == len(files)
    with pytest.raises(ValueError, match="less than 1"):
        pack(files, 0)


def test_files_of_this_machine_are_found(tmp_path):
    (tmp_path / "a b.rbxm").write_bytes(b"12345")
    (tmp_path / "notes.txt").write_bytes(b"")
    expected = [File(str(tmp_path / "a b.rbxm"), 5)]
    for path in [tmp_path, str(tmp_path), f"{tmp_path}/*.rbxm", f"file://{tmp_path}", f"file:{tmp_path}/a%20b.rbxm"]:
        assert Reading().find([path]) == expected
    assert Reading().find([tmp_path / "gone"]) == [File(str(tmp_path / "gone"), 0)]


def test_names_of_files_may_be_escaped_or_not(tmp_path):
    for name in ["a#1.rbxm", "a?b.rbxm", "a%25.rbxm", "a%.rbxm", "a b.rbxm"]:
        (tmp_path / name).write_bytes(b"")
        names = [f"file:{tmp_path}/{name}", f"file://{tmp_path}/{name}", f"file://localhost{tmp_path}/{name}", (tmp_path / name).as_uri()]
        # the escaped name of a% is that of another file, which is there
        for path in names[: 3 if name == "a%.rbxm" else 4]:
            assert Reading().find([path]) == [File(str(tmp_path / name))]
            assert [found.name for _, found in Reading().items([File(path)])] == [name]


def test_a_pattern_that_no_file_matches_is_an_error(tmp_path):
    pytest.importorskip("fsspec").filesystem("memory").pipe_file("/none/a.rbxm", b"")
    for path in [f"{tmp_path}/*.rbxm", f"file://{tmp_path}/*.rbxm", "memory://none/z*.rbxm"]:
        with pytest.raises(FileNotFoundError, match="no file matches the pattern"):
            Reading().find([path])
        reading = Reading(("file", "error_code"), fail_on_error=False)
        [row] = [row for batch in reading.batches(reading.items(reading.find([path]))) for row in batch.to_pylist()]
        assert (row["file"], row["error_code"]) == (path.removeprefix("file://"), "not-read")


def test_files_of_other_file_systems_are_read(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    data = model([("Part", "A", {"a": value(3, b"\1")}, [])])
    names = ["/places/a.rbxmx", "/places/b/c.rbxmx", "/places/.hidden/d.rbxmx", "/places/notes.txt"]
    for name in names:
        memory.pipe_file(name, data)
    reading = Reading(columns=("file", "file_size", "sha256", "value_bool", "error_code"))
    files = reading.find(["memory://places"])
    assert files == [File("memory:///places/a.rbxmx", len(data)), File("memory:///places/b/c.rbxmx", len(data))]
    assert reading.find(["memory://places/*.rbxmx"]) == files[:1]
    assert reading.find(["memory://places/notes.txt"]) == [File("memory:///places/notes.txt", len(data))]

    def rows(files):
        return [row for batch in reading.batches(reading.items(files)) for row in batch.to_pylist()]

    digest = hashlib.sha256(data).hexdigest()
    good = [
        {"file": file.name, "file_size": len(data), "sha256": digest, "value_bool": True, "error_code": None}
        for file in files
    ]
    assert rows(files) == good
    # a large file is copied
    monkeypatch.setattr("enginewire._files.FETCH_BYTES", 10)
    assert rows(files) == good
    missing = reading.find(["memory://places/gone.rbxm"])
    assert missing == [File("memory:///places/gone.rbxm", 0)]
    for files in [missing, missing * 2, [File(missing[0].name, 100)]]:
        found = rows(files)
        assert [row["error_code"] for row in found] == ["not-read"] * len(files)
    # the files may be there
    for read in [reading.find, lambda paths: rows([File(path, 1) for path in paths])]:
        with pytest.raises(OSError, match="unknown-protocol://a/b.rbxm"):
            read(["unknown-protocol://a/b.rbxm"])
    reading = replace(reading, fail_on_error=False)
    [row] = rows(reading.find(["unknown-protocol://a/b.rbxm"]))
    assert (row["error_code"], row["file"]) == ("not-read", "unknown-protocol://a/b.rbxm")


@pytest.mark.parametrize("fetched_bytes", [FETCH_BYTES, 10])
def test_names_with_the_signs_of_patterns_are_read(monkeypatch, fetched_bytes):
    monkeypatch.setattr("enginewire._files.FETCH_BYTES", fetched_bytes)
    memory = pytest.importorskip("fsspec").filesystem("memory")
    data = model([("Part", "A", {"a": value(3, b"\1")}, [])])
    names = ["a*.rbxmx", "a?.rbxmx", "a[1].rbxmx", "a{b}.rbxmx", "a1.rbxmx", "b[.rbxmx", "d[1]/c.rbxmx"]
    for name in names:
        memory.pipe_file(f"/signs/{name}", data)
    reading = Reading(columns=("file", "value_bool", "error"))

    def rows(paths):
        found = [row for batch in reading.batches(reading.items(reading.find(paths))) for row in batch.to_pylist()]
        assert all(row["value_bool"] and row["error"] is None for row in found), found
        return [row["file"].removeprefix("memory:///signs/") for row in found]

    assert rows(["memory://signs"]) == sorted(names)
    assert rows([f"memory://signs/{name}" for name in names]) == sorted(names)
    for name in names:
        assert rows([f"memory://signs/{name}"]) == [name]
    assert rows(["memory://signs/d[1]"]) == ["d[1]/c.rbxmx"]
    # no file has this name, so that it is a pattern
    assert rows(["memory://signs/a[0-9].rbxmx"]) == ["a1.rbxmx"]


class Failing:
    """A file system that raises errors for some of its files."""

    def __init__(self, monkeypatch, memory, errors):
        self.errors = errors
        for method in ["cat_file", "open", "info"]:
            monkeypatch.setattr(type(memory), method, self.of(getattr(type(memory), method)))

    def of(self, method):
        def failing(fs, path, *arguments, **named):
            if error := self.errors.get(path.strip("/").removeprefix("outage/")):
                raise error
            return method(fs, path, *arguments, **named)

        return failing


@pytest.mark.parametrize("fetched_bytes", [FETCH_BYTES, 10])
def test_an_outage_of_the_store_is_an_error_and_not_a_row(monkeypatch, fetched_bytes):
    memory = pytest.importorskip("fsspec").filesystem("memory")
    data = model([("Part", "A", {"a": value(3, b"\1")}, [])])
    for number in range(6):
        memory.pipe_file(f"/outage/{number}.rbxmx", data if number else data[:40])
    reading = Reading(columns=("file", "error_code"))
    files = reading.find(["memory://outage"])
    monkeypatch.setattr("enginewire._files.FETCH_BYTES", fetched_bytes)

    def codes(reading=reading):
        return [row["error_code"] for batch in reading.batches(reading.items(files)) for row in batch.to_pylist()]

    # a broken file, and one that is gone, are rows
    Failing(monkeypatch, memory, {"3.rbxmx": FileNotFoundError("gone")})
    assert codes() == ["truncated", None, None, "not-read", None, None]
    for error in [ConnectionError("reset"), TimeoutError(), PermissionError("expired"), OSError(5, "I/O error"), KeyError("x")]:
        with monkeypatch.context() as during:
            Failing(during, memory, {f"{number}.rbxmx": error for number in (1, 2, 4, 5)})
            with pytest.raises(OSError, match=f"/outage/1.rbxmx.*{type(error).__name__}") as caught:
                codes()
            if fetched_bytes == FETCH_BYTES:
                assert "cannot read 4 of 6 files: memory:///outage/1.rbxmx, " in str(caught.value)
                assert "and 1 more" in str(caught.value)
            assert codes(replace(reading, fail_on_error=False)) == ["truncated", *["not-read"] * 5]
            # the path of a file: it may be there
            with pytest.raises(type(error)):
                reading.find(["memory://outage/1.rbxmx"])
    assert codes() == ["truncated", None, None, "not-read", None, None]
