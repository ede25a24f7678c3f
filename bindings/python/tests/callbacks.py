"""A scan is read wherever the package calls code of its user: run by `test_scan.py`, since a fault is a crash.

The argument is the library that reads it.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import enginewire
from enginewire import EncodeError, attributes, godot, lua, remote
from models import model, value

DATA = model([("Part", f"Part {number}", {"a": value(3, b"\1"), "b": value(2, b"x")}, []) for number in range(5)])
COUNT = 10


def scans():
    yield enginewire.scan(FOLDER)
    # objects of Python that a stream holds, and lets go
    yield enginewire.scan_items((name, bytes(bytearray(DATA))) for name in ["a.rbxmx"])
    yield enginewire.scan_items([("a.rbxmx", memoryview(bytearray(DATA)))], ["file", "key"])


def with_pyarrow(scan):
    import pyarrow

    return sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(scan))


def with_polars(scan):
    import polars

    return polars.DataFrame(scan).height


def with_duckdb(scan, connections=[]):
    import duckdb

    connections = connections or connections.append(duckdb.connect()) or connections
    with connections[0].cursor() as connection:
        connection.register("found", scan)
        return connection.execute("select count(*) from found").fetchone()[0]


def with_pandas(scan):
    import pandas

    return len(pandas.DataFrame.from_arrow(scan))


READ = globals()[f"with_{sys.argv[1]}"]
FOLDER = Path(sys.argv[2])
(FOLDER / "a.rbxmx").write_bytes(DATA)
done = 0


def read(*_):
    """What the code of a user does: it reads each scan, here and in a thread of its own."""
    global done
    for scan in scans():
        assert READ(scan) == COUNT
    thread = Thread(target=lambda: [READ(scan) for scan in scans()])
    thread.start()
    thread.join()
    done += 1
    return 1


class Items(Mapping):
    """A mapping whose items are made one by one."""

    def items(self):
        yield "a", 1.0
        read()
        yield "b", 2.0

    def __getitem__(self, key):
        read()
        return 1.0

    def __iter__(self):
        read()
        return iter("ab")

    def __len__(self):
        return 2


class Looked(Items):
    """A mapping whose items are looked up."""

    items = Mapping.items


class List(Sequence):
    def __getitem__(self, index):
        if index > 1:
            raise IndexError
        return read()

    def __len__(self):
        return 2


class Float:
    def __float__(self):
        return float(read())


class Index:
    __index__ = read


class Shown:
    def __repr__(self):
        read()
        return "shown"

    __hash__ = object.__hash__


class Unread(Exception):
    def __str__(self):
        read()
        return "it is not there"


class Dying:
    def __del__(self):
        read()


class Located:
    def __fspath__(self):
        read()
        return str(FOLDER / "a.rbxmx")


@dataclass
class Made:
    a: float

    def __post_init__(self):
        read()


def validated():
    import pydantic

    class Model(pydantic.BaseModel):
        a: float

        @pydantic.field_validator("a")
        @classmethod
        def read(cls, a):
            read()
            return a

    assert godot.loads(godot.dumps({"a": 1.0}), type=Model).a == 1.0


def refused(call):
    try:
        call()
    except EncodeError:
        return
    raise AssertionError("it is not refused")


def items():
    read()
    yield "a.rbxmx", DATA
    read()
    yield "b.rbxmx", Unread()
    yield "c.rbxmx", Located()
    read()


def died():
    godot.dumps([object()], default=lambda _: [Dying() and 1])


def stopped(*_):
    """Streams that are let go before their end, or not read at all."""

    def endless():
        try:
            while True:
                yield "a.rbxmx", bytes(bytearray(DATA))
        finally:
            read()

    import pyarrow

    for _ in range(2):
        reader = pyarrow.RecordBatchReader.from_stream(enginewire.scan_items(endless()))
        assert reader.read_next_batch().num_rows > 0
        del reader
    pyarrow.RecordBatchReader.from_stream(enginewire.scan_items(endless()))
    enginewire.scan_items(endless()).__arrow_c_stream__()


CALLBACKS = [
    lambda: attributes.dumps(Items()),
    lambda: attributes.dumps(Looked()),
    lambda: godot.dumps({"in": [Items(), Looked()]}),
    lambda: lua.dumps(Items()),
    lambda: godot.dump_frame(Looked()),
    lambda: godot.dumps([object()], default=read),
    lambda: lua.dumps([object()], default=read),
    lambda: attributes.dumps({"a": object()}, default=read),
    lambda: remote.dumps([remote.Data(None, "OnClientEvent", 0x0B6F, [object()])], default=read),
    lambda: remote.dumps([remote.Data(None, "OnClientEvent", 0x0B6F, List())]),
    lambda: godot.dumps(godot.TypedArray("int", List())),
    lambda: godot.Vector3(Float(), 0, 0),
    lambda: attributes.Vector3int16(Index(), 0, 0),
    lambda: refused(lambda: godot.dumps({Shown(): 1}, default=lambda _: None if done % 2 else 1j)),
    lambda: godot.loads(godot.dumps({"a": 1.0}), type=Made),
    lambda: enginewire.Place(DATA)["Part 1"].attributes.update({"a": Looked()}, any_type=True),
    *([validated] if find_spec("pydantic") else []),
    died,
    stopped,
    lambda: godot.dumps([object()], default=stopped),
    lambda: godot.dumps([object()], default=lambda _: READ(enginewire.scan_items(items()))),
    lambda: READ(enginewire.scan_items(items())),
]
for number, callback in enumerate(CALLBACKS):
    done = 0
    callback()
    assert done > 0, number
print("all")
