"""Views, tables and containers that are kept, dropped and changed while others use them: run by `bindings/python/memory`, which looks
for faults of memory. `owners.py` does the same with every owner of the memory that an array views."""

import gc
import mmap
import random
import sys
import tempfile
import threading
from pathlib import Path

import enginewire
import numpy
import pyarrow
from enginewire import EncodeError, attributes, godot, lua

ROUNDS = int(sys.argv[1])
MODEL = Path(__file__).parents[3] / "fixtures/roblox-model/made.rbxm"
PLAIN = {"hp": 300, "name": "Zo\u00eb", "at": [0.5, None, True], "": {1: "a", 2: "b"}}
ARRAYS = {"ints": numpy.arange(1001, dtype="i4"), "points": numpy.ones((50, 3), "f4"), "bytes": b"12345678", "plain": PLAIN}
BLOB = godot.dumps(ARRAYS)


def views(number: int) -> None:
    """Arrays of a mapping and of bytes that are dropped in any order."""
    with tempfile.TemporaryFile() as file:
        file.write(BLOB)
        file.flush()
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    kept = [godot.loads(one)[key] for one in (mapped, memoryview(mapped), bytes(bytearray(BLOB))) for key in ("ints", "points", "bytes")]
    parts = [part for array in kept for part in (array[1:], array[::-1], memoryview(array))]
    del mapped
    random.Random(number).shuffle(parts)
    while parts:
        parts.pop()
        kept and kept.pop()
        gc.collect(0)
        assert all(len(memoryview(part).tobytes()) > 0 for part in parts)


def changed(number: int) -> None:
    """Containers that the callbacks of `dumps` change while they are written."""

    class Hostile:
        pass

    for module in (attributes, godot, lua):
        inner, items = {"a": Hostile(), "b": 1.0}, [1.0, Hostile(), "x"]
        value = {"inner": inner, "items": items, "text": "y" * number}

        def default(_: object) -> object:
            inner.clear()
            items.clear()
            value.clear()
            gc.collect(0)
            if number % 3 == 0:
                raise KeyError("stop")
            return "z" if number % 3 == 1 else Hostile()

        try:
            assert module.loads(module.dumps(value, default=default))
        except (KeyError, EncodeError):
            pass


def refused(_: int) -> None:
    """Values that are refused in the middle, and errors that hold what was read before."""
    deep: list = []
    for _ in range(2000):
        deep = [deep]
    for module in (attributes, godot, lua):
        for wrong in (object(), deep, "\ud800", (1 << 80) + 1):
            try:
                module.dumps({"good": PLAIN["at"][0], "wrong": [wrong]})
            except (EncodeError, UnicodeError):
                continue
            raise AssertionError(wrong)
    for length in range(0, len(BLOB), 997):
        try:
            godot.loads(BLOB[:length])
        except enginewire.DecodeError as error:
            assert error.offset is not None


def tables(_: int) -> None:
    """Batches that outlive their scan, and a stream that is left in the middle."""
    scan = enginewire.scan([MODEL] * 4)
    reader = pyarrow.RecordBatchReader.from_stream(scan)
    first = reader.read_next_batch()
    del scan, reader
    gc.collect(0)
    rows = first.slice(1).to_pylist()
    table = pyarrow.table(enginewire.scan_bytes("a", MODEL.read_bytes()))
    assert rows and table.column("file").to_pylist()


def places(number: int) -> None:
    """Rows of a place that outlive it, are changed and are saved."""
    place = enginewire.Place(MODEL)
    row = next(iter(place))
    row.attributes["Key"] = float(number)
    data = place.to_bytes()
    del place
    gc.collect(0)
    assert row.attributes["Key"] == number
    row.attributes["Key"] = "text"
    assert enginewire.Place(data)


def streams(_: int) -> None:
    """A decoder that gets bytes while its values are kept."""
    decoder, kept = godot.FrameDecoder(), []
    frames = godot.dump_frame(ARRAYS) * 3
    for start in range(0, len(frames), 1000):
        decoder.push(bytearray(frames[start : start + 1000]))
        kept += [value["points"] for value in decoder]
    del decoder
    gc.collect(0)
    assert len(kept) == 3 and all(array.sum() == 150 for array in kept)


WORKS = (views, changed, refused, tables, places, streams)


def main() -> None:
    failed: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for number in range(start, start + ROUNDS):
                WORKS[number % len(WORKS)](number)
        except BaseException as error:
            failed.append(error)

    for number in range(len(WORKS)):
        WORKS[number](number)
    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in failed:
        raise error
    print("all")


if __name__ == "__main__":
    main()
