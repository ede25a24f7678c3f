"""Files on other file systems, and how they are packed."""

import hashlib

import pytest

from models import model, value

pa = pytest.importorskip("pyarrow")

from enginewire._files import OPEN_COST, File, Reading, pack  # noqa: E402


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
    for files in [missing, missing * 2, [File(missing[0].name, 100)], [File("unknown-protocol://a/b.rbxm", 1)]]:
        found = rows(files)
        assert [row["error_code"] for row in found] == ["not-read"] * len(files)
