"""`enginewire.scan`: its schema, its rows, and who can read them."""

import csv
import gc
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys

import pytest

import blobs
import enginewire
from models import model, value

pa = pytest.importorskip("pyarrow")

ROOT = pathlib.Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures"
CORPUS = pathlib.Path(os.environ.get("ENGINEWIRE_CORPUS", "/nonexistent"))


def rows(scan):
    return pa.table(scan).to_pylist()


def facts(row):
    """The values of a row that are not null."""
    return {name: value for name, value in row.items() if value is not None}


def test_the_schema_is_documented():
    schema = pa.schema(enginewire.scan([]))
    assert schema.names == list(enginewire.COLUMNS)
    assert all(about.endswith(".") for about in enginewire.COLUMNS.values())
    assert schema.field("value_numbers").type == pa.list_(pa.float64())
    assert schema.field("file_size").type == pa.int64()
    readme = (ROOT / "bindings/python/docs/scan.md").read_text()
    for name, about in enginewire.COLUMNS.items():
        kind = str(schema.field(name).type).replace("list<item: ", "list<")
        assert f"| `{name}` | {kind} | {about} |" in readme


def test_every_kind_of_value_has_its_column():
    attributes = {
        "Bool": value(3, b"\1"),
        "Double": value(6, 0.1),
        "Text": value(2, b"Torch"),
        "Bytes": value(2, b"\xff"),
        "Vector3": value(0x11, 1.0, 2.5, -3.0),
        "Enum": value(0x15, b"Material", 256),
    }
    found = rows(enginewire.scan_bytes("a.rbxmx", model([("Part", "Torch", attributes, ["Hot", "Lamp"])])))
    by_key = {row["key"]: facts(row) for row in found}
    values = {
        key: {name: value for name, value in row.items() if name.startswith("value_")} for key, row in by_key.items()
    }
    assert values == {
        "Bool": {"value_bool": True, "value_json": "true"},
        "Double": {"value_number": 0.1, "value_json": "0.1"},
        "Text": {"value_text": "Torch", "value_json": '"Torch"'},
        "Bytes": {"value_bytes": b"\xff", "value_json": '{"hex":"ff"}'},
        "Vector3": {"value_numbers": [1.0, 2.5, -3.0], "value_json": '{"x":1,"y":2.5,"z":-3}'},
        "Enum": {"value_number": 256.0, "value_text": "Material", "value_json": '{"enum":"Material","value":256}'},
        None: {"value_tags": ["Hot", "Lamp"], "value_json": '["Hot","Lamp"]'},
    }
    assert by_key["Bool"]["type"] == "Bool"
    assert {row["instance"] for row in found} == {"Torch"}
    assert {(row["class"], row["referent"]) for row in found} == {("Part", "R0")}
    assert [row["property"] for row in found] == ["AttributesSerialize"] * 6 + ["Tags"]


def test_a_file_is_named_with_its_size_and_hash(tmp_path):
    data = model([("Part", "A", {"a": value(3, b"\1")}, [])])
    path = tmp_path / "a.rbxmx"
    path.write_bytes(data)
    [row] = rows(enginewire.scan(path))
    assert (row["file"], row["file_size"]) == (str(path), len(data))
    assert row["sha256"] == hashlib.sha256(data).hexdigest()
    # a file that is too long to be read at once
    path.write_bytes(data + b"\n" * (5 << 20))
    [row] = rows(enginewire.scan(path))
    assert row["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert row["value_bool"] is True


def test_broken_files_are_rows(tmp_path):
    good = model([("Part", "A", {"a": value(3, b"\1"), "b": value(3, b"\0")}, [])])
    (tmp_path / "1-empty.rbxm").write_bytes(b"")
    (tmp_path / "2-value.rbxmx").write_bytes(model([("Part", "A", {"a": value(3, b"\1"), "b": b"\x1d"}, [])]))
    (tmp_path / "3-link.rbxl").symlink_to("nowhere.rbxl")
    (tmp_path / "4-good.rbxmx").write_bytes(good)
    (tmp_path / "5-bare.rbxmx").write_bytes(model([]))
    found = rows(enginewire.scan([tmp_path]))
    told = [(pathlib.Path(row["file"]).name[0], row["key"], row["error_code"]) for row in found]
    assert told == [
        ("1", None, "not-a-model"),
        ("2", "a", None),
        ("2", None, "unknown-id"),
        ("3", None, "not-read"),
        ("4", "a", None),
        ("4", "b", None),
        ("5", None, None),
    ]
    error = found[2]
    assert error["error"] == "unknown type id 0x1d"
    assert (error["error_offset"], error["error_path"]) == (16, 'entries[1] "b".value.type')
    assert set(facts(found[6])) == {"file", "file_size", "sha256"}
    assert set(facts(found[3])) == {"file", "error", "error_code"}


def test_paths_folders_and_patterns(tmp_path):
    data = model([("Part", "A", {"a": value(3, b"\1")}, [])])
    for name in ["a/1.rbxmx", "a/b/2.rbxmx", "c/3.rbxmx", "c/notes.txt", "c/.hidden/4.rbxmx"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def names(paths, **options):
        found = rows(enginewire.scan(paths, columns=["file"], **options))
        return [str(pathlib.Path(row["file"]).relative_to(tmp_path)) for row in found]

    everything = ["a/1.rbxmx", "a/b/2.rbxmx", "c/3.rbxmx"]
    assert names(tmp_path) == everything
    assert names([tmp_path / "c", str(tmp_path / "a")]) == everything
    assert names(f"{tmp_path}/**/*.rbxmx") == ["a/1.rbxmx", "a/b/2.rbxmx", "c/.hidden/4.rbxmx", "c/3.rbxmx"]
    assert names(f"{tmp_path}/a/*.rbxmx") == ["a/1.rbxmx"]
    assert names([tmp_path / "a", tmp_path / "a" / "1.rbxmx"]) == everything[:2]
    assert len(names(tmp_path, hidden=True)) == 4
    [row] = rows(enginewire.scan(f"{tmp_path}/*.nothing"))
    assert (row["error_code"], row["file"]) == ("not-read", f"{tmp_path}/*.nothing")
    assert row["error"].endswith("no file matches the pattern")
    [row] = rows(enginewire.scan(tmp_path / "gone"))
    assert row["error_code"] == "not-read"


@pytest.mark.skipif(os.name != "posix", reason="paths are bytes in POSIX")
def test_paths_may_be_bytes(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.rbxmx"
    try:
        with open(path, "wb") as file:
            file.write(model([("Part", "A", {"a": value(3, b"\1")}, [])]))
    except OSError:
        pytest.skip("the file system has names of text only")
    for paths in [path, [path], os.fsdecode(path), [os.fsencode(tmp_path)]]:
        [row] = rows(enginewire.scan(paths))
        assert row["value_bool"] is True and row["file"] == json.dumps({"hex": path.hex()}, separators=(",", ":"))


def test_columns_are_those_that_are_asked_for():
    data = model([("Part", "A", {"a": value(6, 2.0)}, [])])
    found = pa.table(enginewire.scan_bytes("a", data, columns=["value_number", "key"]))
    assert found.to_pydict() == {"value_number": [2.0], "key": ["a"]}
    assert pa.table(enginewire.scan_bytes("a", data, columns=[])).num_columns == 0
    with pytest.raises(ValueError, match='unknown column "keys"; expected some of file, '):
        enginewire.scan("a", columns=["keys"])
    with pytest.raises(TypeError, match="columns is a str"):
        enginewire.scan("a", columns="key")
    with pytest.raises(ValueError, match="threads is 0"):
        enginewire.scan("a", threads=0)
    with pytest.raises(ValueError, match="max_memory is 0"):
        enginewire.scan("a", max_memory=0)


def test_a_filter_selects_rows_and_all_errors(tmp_path):
    values = {"Fuel": value(6, 2.0), "Name": value(2, b"x"), "Wrong": b"\x1d"}
    (tmp_path / "a.rbxmx").write_bytes(model([("Part", "A", values, ["Hot"]), ("Folder", "B", {"Fuel": value(6, 3.0)}, [])]))
    (tmp_path / "b.rbxmx").write_bytes(model([("Part", "C", {}, ["Hot"])]))
    (tmp_path / "c.rbxmx").write_bytes(b"")

    def keys(**filter):
        found = rows(enginewire.scan(tmp_path, columns=["key", "error_code"], filter=filter))
        return [row["error_code"] or row["key"] for row in found]

    everything = ["Fuel", "Name", "unknown-id", None, "Fuel", None, "not-a-model"]
    assert keys() == everything
    assert keys(key="Fuel") == ["Fuel", "unknown-id", "Fuel", "not-a-model"]
    assert keys(key=["Fuel", "Name"], **{"class": "Part"}) == ["Fuel", "Name", "unknown-id", "not-a-model"]
    assert keys(type=("Double",), file=str(tmp_path / "b.rbxmx")) == ["unknown-id", "not-a-model"]
    assert keys(value_json='"x"') == ["Name", "unknown-id", "not-a-model"]
    assert keys(key=[]) == ["unknown-id", "not-a-model"]
    with pytest.raises(ValueError, match='unknown column "keys"'):
        keys(keys="Fuel")
    with pytest.raises(ValueError, match='the column "value_number" cannot filter rows, because it has no text'):
        keys(value_number="2")


INTERRUPTED = """
import os, pathlib, signal, sys, threading, time
import pyarrow as pa
import enginewire
path = pathlib.Path(sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler) # what a shell runs in the background ignores it
def items():
    for number in range(1_000_000):
        if number == 20 and sys.argv[2] == "itself":
            interrupt()
        elif number == 20:
            began.set()
        yield str(path), path
began = threading.Event()
def another():
    began.wait()
    interrupt()
def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
def pipe():
    with open(path.with_name("pipe.rbxmx"), "wb") as pipe: # it opens when the scan reads it
        interrupt()
        pipe.write(path.read_bytes())
if sys.argv[2] != "itself":
    thread = threading.Thread(target={"items": another, "paths": pipe}[sys.argv[2]])
    thread.start()
if sys.argv[2] == "paths":
    scan = enginewire.scan([path.with_name("pipe.rbxmx"), path])
else:
    scan = enginewire.scan_items(items(), columns=["key"])
try:
    try:
        pa.table(scan)
    except pa.ArrowException:
        time.sleep(1)
except KeyboardInterrupt as error:
    # the reading itself ended, and not only what came after it
    print("interrupted", isinstance(error.__context__, pa.ArrowException))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("source", ["items", "itself", "paths"])
def test_ctrl_c_ends_a_reading(tmp_path, source):
    path = tmp_path / "many.rbxmx"
    path.write_bytes(model([("Part", "Many", {f"{number:06}": value(6, 1.0) for number in range(1000)}, [])]))
    os.mkfifo(tmp_path / "pipe.rbxmx")
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, str(path), source], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("interrupted True\n", 0), done.stderr


def test_items_come_from_anywhere(tmp_path):
    data = model([("Part", "A", {"a": value(3, b"\1")}, [])])
    path = tmp_path / "copy"
    path.write_bytes(data)
    items = [
        ("s3://bucket/1", data),
        ("s3://bucket/2", bytearray(data)),
        ("s3://bucket/3", memoryview(data)),
        ("s3://bucket/4", path),
        ("s3://bucket/5", PermissionError("no access\nto it")),
    ]
    found = rows(enginewire.scan_items(iter(items)))
    assert [row["file"] for row in found] == [name for name, _ in items]
    assert [row["value_bool"] for row in found] == [True] * 4 + [None]
    assert found[4]["error"] == "cannot read s3://bucket/5: no access\nto it"
    for wrong in [5, None, "text"]:
        with pytest.raises(Exception, match="expected bytes, a path or an exception, found"):
            rows(enginewire.scan_items([("a", wrong)]))

    def broken():
        yield "1", data
        raise KeyError("the list ends here")

    with pytest.raises(Exception, match="the list ends here"):
        rows(enginewire.scan_items(broken()))


def test_each_reading_scans_again(tmp_path):
    scan = enginewire.scan(tmp_path, columns=["file"])
    assert rows(scan) == []
    (tmp_path / "a.rbxm").write_bytes(b"")
    assert len(rows(scan)) == 1


@pytest.mark.parametrize("threads", [1, 3])
def test_many_files_come_in_order_and_a_reader_may_stop(tmp_path, threads):
    for number in range(1500):
        data = model([("Part", "A", {"n": value(6, float(number))}, [])])
        (tmp_path / f"{number:05}.rbxmx").write_bytes(data)
    scan = enginewire.scan(tmp_path, columns=["value_number"], threads=threads)
    assert pa.table(scan)["value_number"].to_pylist() == list(range(1500))
    reader = pa.RecordBatchReader.from_stream(scan)
    assert reader.read_next_batch().num_rows > 0
    del reader
    gc.collect()


def test_polars_duckdb_and_pandas_read_it():
    data = model([("Part", "A", {"a": value(6, 2.0), "b": value(0x11, 1.0, 2.0, 3.0)}, ["x"])])
    scan = enginewire.scan_bytes("a", data)
    expected = pa.table(scan).to_pylist()
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(scan).to_dicts() == expected
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("select * from scan").to_arrow_table().to_pylist() == expected
    assert duckdb.sql("select sum(value_number) from scan").fetchall() == [(2.0,)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame.from_arrow(scan)
    assert list(frame.columns) == list(enginewire.COLUMNS)
    assert frame["value_number"].sum() == 2.0
    assert list(frame["key"].dropna()) == ["a", "b"]


def test_a_lazy_frame_reads_what_a_query_needs(tmp_path):
    polars = pytest.importorskip("polars")
    from enginewire.polars import scan

    for number in range(30):
        (tmp_path / f"{number:02}.rbxmx").write_bytes(model([("Part", "A", {"n": value(6, float(number)), "t": value(2, b"x")}, [])]))
    lazy, whole = scan(tmp_path), polars.DataFrame(enginewire.scan(tmp_path))
    assert lazy.collect().equals(whole)
    chosen = polars.col("key") == "n"
    assert lazy.filter(chosen).select("value_number").collect()["value_number"].to_list() == list(range(30))
    assert lazy.head(3).select("file").collect().equals(whole.head(3).select("file"))
    assert lazy.head(5).filter(chosen).collect().equals(whole.head(5).filter(chosen))
    assert lazy.filter(chosen).head(2).collect().equals(whole.filter(chosen).head(2))
    assert lazy.select(polars.len()).collect().item() == 60
    assert scan([tmp_path], filter={"key": "n"}).select("key", "file").collect().shape == (30, 2)
    assert lazy.collect_schema() == whole.schema


def program():
    """The program, as it is built in the same repository."""
    built = os.environ.get("ENGINEWIRE_PROGRAM")
    candidates = [built] if built else [ROOT / "target" / kind / "enginewire" for kind in ["release", "debug"]]
    for path in candidates:
        if pathlib.Path(path).exists():
            return str(path)
    pytest.skip("the program is not built; run `cargo build` or set ENGINEWIRE_PROGRAM")


SAME = {
    "value": "value_json",
    **{
        name: name
        for name in [
            "file",
            "instance",
            "class",
            "referent",
            "property",
            "key",
            "type",
            "chunk_offset",
            "offset_in_chunk",
            "file_offset",
            "error",
            "error_offset",
            "error_path",
        ]
    },
}


def as_text(value):
    return "" if value is None else str(value)


@pytest.mark.parametrize("max_memory", [256 << 20, 1 << 20])
def test_the_rows_are_those_of_the_program(tmp_path, max_memory):
    (tmp_path / "broken.rbxmx").write_bytes(model([("Part", "A", {"a": b"\x1d", '"\n,': value(2, b"x\r\n")}, ["", "\x01"])]))
    (tmp_path / "empty.rbxm").write_bytes(b"")
    (tmp_path / "link.rbxl").symlink_to("nowhere")
    paths = [str(tmp_path), str(FIXTURES)] + [str(CORPUS / name) for name in ["roblox-models", "hostile"] if CORPUS.exists()]
    command = [program(), f"--max-memory={max_memory}", "get", "--no-ignore", "--csv", *paths, "--"]
    csv.field_size_limit(sys.maxsize)
    scan = enginewire.scan(paths, columns=list(SAME.values()), max_memory=max_memory, no_ignore=True)
    count = 0
    # a gigabyte in total, but little of it is in memory at once
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        text = io.TextIOWrapper(running.stdout, "utf-8", newline="")
        # the program reads other formats too
        expected = (row for row in csv.DictReader(text) if row["file"].endswith((".rbxm", ".rbxl", ".rbxmx", ".rbxlx")))
        for batch in pa.RecordBatchReader.from_stream(scan):
            for row in batch.to_pylist():
                row_of_program = next(expected)
                wanted = {column: row_of_program[name] for name, column in SAME.items()}
                wanted["error"] = wanted["error"].replace("--max-memory", "max_memory")
                assert {name: as_text(value) for name, value in row.items()} == wanted
                count += 1
        assert next(expected, None) is None
    assert count > 20


def test_json_is_that_of_the_values():
    [row] = rows(enginewire.scan_bytes("a", model([("Part", "A", {"a": value(6, float("nan"))}, [])])))
    assert json.loads(row["value_json"]) == "NaN"
    assert row["value_number"] != row["value_number"]


@pytest.mark.parametrize("library", ["pyarrow", "polars", "duckdb", "pandas"])
def test_a_scan_is_read_in_what_the_package_calls(tmp_path, library):
    pytest.importorskip(library)
    script = pathlib.Path(__file__).with_name("callbacks.py")
    done = subprocess.run([sys.executable, script, library, tmp_path], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("all\n", 0), done.stderr[-2000:]


LIMITED = """
import resource, sys, threading
import pyarrow as pa
import enginewire
folder = sys.argv[1]
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
count, before = 0, peak()
for batch in pa.RecordBatchReader.from_stream(enginewire.scan(folder, max_memory=64 << 20)):
    count += batch.num_rows
print(count, peak() - before)
"""


def test_memory_is_bounded(tmp_path):
    """Many files, and one with many rows, take no more than `max_memory` twice and the batches that wait."""
    data = model([("Part", "A", {"n": value(6, 1.0)}, [])])
    files = int(os.environ.get("ENGINEWIRE_SCAN_FILES", "5000"))
    for number in range(files):
        path = tmp_path / f"{number % 100:02}" / f"{number}.rbxmx"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    many = {f"{number:06}": value(2, b"x" * 100) for number in range(5000)}
    (tmp_path / "zz.rbxmx").write_bytes(model([("Part", str(number), many, []) for number in range(20)]))
    done = subprocess.run([sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, check=True)
    count, memory = map(int, done.stdout.split())
    assert count == files + 20 * 5000
    assert memory < 2 * (64 << 20) + (64 << 20)


def test_a_filter_may_be_a_text():
    made = blobs.FIXTURES / "roblox-model/made.rbxm"
    both = [pa.table(enginewire.scan(made, filter=chosen)).to_pylist() for chosen in ("class=Part", {"class": "Part"})]
    assert both[0] == both[1] != []
    with pytest.raises(ValueError, match="expected a filter such as 'class=Part', found 'Part'"):
        enginewire.scan(made, filter="Part")


def test_files_that_are_left_out_are_told(tmp_path):
    for name in (".git", "built"):
        (tmp_path / name).mkdir()
    (tmp_path / ".gitignore").write_text("built\n*.rbxl\n")
    for name in ("a.rbxm", "b.rbxl", "built/c.rbxm", "built/no model.txt"):
        (tmp_path / name).write_bytes((FIXTURES / "roblox-model/made.rbxm").read_bytes())
    names = lambda scan: {pathlib.Path(row["file"]).name for row in rows(scan)}  # noqa: E731
    with pytest.warns(UserWarning, match="^2 model files are left out by .gitignore and the like; no_ignore=True reads them$"):
        assert names(enginewire.scan(tmp_path)) == {"a.rbxm"}
    with pytest.warns(UserWarning, match="^1 model file is left out .*; no_ignore=True reads it$"):
        enginewire.scan([tmp_path, tmp_path / "b.rbxl"])
    assert names(enginewire.scan(tmp_path, no_ignore=True)) == {"a.rbxm", "b.rbxl", "c.rbxm"}
