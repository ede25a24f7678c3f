"""Measures how fast values are read and written, next to other readers in Python, and to `json`, orjson, msgpack and msgspec with the
same content.

    bindings/python/bench

`bench` builds what is needed and runs this. `gdtype` is https://github.com/anetczuk/gdtype-python, which no registry has. The reader
of LuaObject beside it is benches/lua_object.py of this repository, which uses `struct` alone.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgpack
import msgspec
import orjson
import pydantic
from enginewire import attributes, godot, lua

Work = Callable[[], Any]
Named = list[tuple[str, Work]]


def measure(work: Work, seconds: float) -> float:
    """The median time of a call, in seconds."""
    work()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def read_attributes(blob: bytes) -> dict[str, Any]:
    """A minimal reader with `struct`, as a script may have it: only the types of this blob, and no checks."""
    (count,) = struct.unpack_from("<I", blob)
    place, result = 4, {}
    for _ in range(count):
        (size,) = struct.unpack_from("<I", blob, place)
        key = blob[place + 4 : place + 4 + size].decode()
        place += 4 + size
        kind = blob[place]
        place += 1
        if kind == 0x02:
            (size,) = struct.unpack_from("<I", blob, place)
            result[key] = blob[place + 4 : place + 4 + size].decode()
            place += 4 + size
        elif kind == 0x03:
            result[key] = blob[place] != 0
            place += 1
        elif kind == 0x06:
            (result[key],) = struct.unpack_from("<d", blob, place)
            place += 8
        elif kind == 0x11:
            result[key] = struct.unpack_from("<3f", blob, place)
            place += 12
        else:
            raise ValueError(kind)
    return result


def content(count: int) -> dict[str, Any]:
    """Typical values of games: numbers, texts, booleans, and lists of numbers."""
    makers: list[Callable[[int], Any]] = [lambda n: n / 4, lambda n: f"name {n}", lambda n: n % 3 == 0, lambda n: n * 1.5]
    return {f"key {number}": makers[number % 4](number) for number in range(count)}


def others_of(values: Any) -> tuple[Named, Named]:
    """The readers and the writers of other formats, for the same content."""
    text, packed = json.dumps(values), msgpack.packb(values)
    reading: Named = [
        ("json", lambda: json.loads(text)),
        ("orjson", lambda: orjson.loads(text)),
        ("msgpack", lambda: msgpack.unpackb(packed)),
        ("msgspec (MessagePack)", lambda: msgspec.msgpack.decode(packed)),
    ]
    writing: Named = [
        ("json", lambda: json.dumps(values)),
        ("orjson", lambda: orjson.dumps(values)),
        ("msgpack", lambda: msgpack.packb(values)),
        ("msgspec (MessagePack)", lambda: msgspec.msgpack.encode(values)),
    ]
    return reading, writing


def rows(gdtype: Path | None) -> list[tuple[str, Work, Named]]:
    values = content(10_000)
    result: list[tuple[str, Work, Named]] = []

    blob = attributes.dumps(values)
    reading, writing = others_of(values)
    others: Named = [("struct", lambda: read_attributes(blob)), *reading]
    assert read_attributes(blob) == attributes.loads(blob) == values
    result.append(("attributes.loads, 10,000 attributes", lambda: attributes.loads(blob), others))
    result.append(("attributes.dumps", lambda: attributes.dumps(values), writing))

    vectors = {f"key {number}": attributes.Vector3(number, 0, 1) for number in range(10_000)}
    reading, _ = others_of({key: {"x": value.x, "y": value.y, "z": value.z} for key, value in vectors.items()})
    vector_blob = attributes.dumps(vectors)
    others = [("struct", lambda: read_attributes(vector_blob)), *reading]
    result.append(("attributes.loads, 10,000 Vector3", lambda: attributes.loads(vector_blob), others))

    nested = {"players": [content(20) for _ in range(500)]}
    nested_blob = godot.dumps(nested)
    nested_reading, nested_writing = others_of(nested)
    others = [*nested_reading]
    if gdtype is not None:
        sys.path.insert(0, str(gdtype / "src"))
        from gdtype import binaryapiv4  # type: ignore[import-not-found]

        message = struct.pack("<I", len(nested_blob)) + nested_blob
        others.insert(0, ("gdtype", lambda: binaryapiv4.deserialize(message)))
    result.append(("godot.loads, 500 dictionaries of 20", lambda: godot.loads(nested_blob), others))
    result.append(("godot.dumps", lambda: godot.dumps(nested), nested_writing))

    numbers = [number / 8 for number in range(100_000)]
    array_blob = godot.dumps(godot.loads(_floats(numbers)))
    others, _ = others_of(numbers)
    if gdtype is not None:
        array_message = struct.pack("<I", len(array_blob)) + array_blob
        others.insert(0, ("gdtype", lambda: binaryapiv4.deserialize(array_message)))
    result.append(("godot.loads, an array of 100,000 floats", lambda: godot.loads(array_blob), others))

    lua_blob = lua.dumps(nested)
    others = [*nested_reading]
    sys.path.insert(0, str(Path(__file__).parents[2] / "benches"))
    import lua_object  # type: ignore[import-not-found]

    others.insert(0, ("struct", lambda: lua_object.Reader(lua_blob).object()))
    result.append(("lua.loads, 500 tables of 20", lambda: lua.loads(lua_blob), others))
    result.append(("lua.dumps", lambda: lua.dumps(nested), nested_writing))
    return result


FIELDS: dict[str, Any] = {"name": str, "alive": bool, "health": float, "score": float, "team": str, "seen": list[float]}


def objects() -> tuple[list[dict[str, Any]], list[tuple[str, Any]]]:
    """Players as dictionaries, and the classes that they may be of."""
    players = [
        {"name": f"player {n}", "alive": n % 3 > 0, "health": n / 4, "score": n * 1.5, "team": "red", "seen": [n / 2, 1.0]}
        for n in range(500)
    ]
    kinds = [
        ("dataclass", dataclasses.make_dataclass("Player", FIELDS.items())),
        ("msgspec.Struct", msgspec.defstruct("Struct", list(FIELDS.items()))),
        ("pydantic", pydantic.create_model("Model", **{name: (kind, ...) for name, kind in FIELDS.items()})),
    ]
    return players, kinds


def typed(seconds: float) -> list[list[str]]:
    """The time of `dumps` and `loads` with objects of classes, and how many times that of dictionaries it is."""
    players, kinds = objects()
    table: list[list[str]] = []
    codecs: list[tuple[str, Callable[[Any], bytes], Callable[..., Any]]] = [
        ("attributes", lambda value: attributes.dumps({"players": value}), attributes.loads),
        ("godot", godot.dumps, godot.loads),
        ("lua", lua.dumps, lua.loads),
        ("msgspec (MessagePack)", msgspec.msgpack.encode, lambda blob, type=Any: msgspec.msgpack.decode(blob, type=type)),
    ]
    for name, dumps, loads in codecs:
        blob = dumps(players)
        for is_read in False, True:
            row = [f"{name}, {'loads' if is_read else 'dumps'}"]
            plain = 0.0
            for kind, of in [("dict", None), *kinds]:
                if name.startswith("msgspec") and kind == "pydantic":
                    continue
                given: Any = players if of is None else [of(**player) for player in players]
                whole = name == "attributes"
                asked = {} if of is None else {"type": dict[str, list[of]] if whole else list[of]}  # type: ignore[valid-type]
                if of is not None:
                    assert loads(blob, **asked) == ({"players": given} if whole else given)
                    assert dumps(given) == blob
                time = measure((lambda: loads(blob, **asked)) if is_read else (lambda: dumps(given)), seconds)  # noqa: B023
                plain = plain or time
                row.append(milliseconds(time) if of is None else f"{milliseconds(time)}, {time / plain:.2f} ×")
            table.append(row + ["–"] * (5 - len(row)))
    return table


def import_time(seconds: float) -> float:
    """The time of the processor that `import enginewire` takes, in seconds."""
    times = "import time; start = time.process_time(); import enginewire; print(time.process_time() - start)"
    found: list[float] = []
    end = time.perf_counter() + seconds
    while len(found) < 5 or time.perf_counter() < end:
        found.append(float(subprocess.run([sys.executable, "-c", times], check=True, capture_output=True).stdout))
    return statistics.median(found)


def _floats(numbers: list[float]) -> bytes:
    """A PackedFloat32Array."""
    return struct.pack(f"<II{len(numbers)}f", 32, len(numbers), *numbers)


def threads(seconds: float) -> list[tuple[str, float, float]]:
    """The time of two calls after each other, and of two threads with one call each."""
    lists = attributes.dumps({"lists": [[1.0, "x", True] for _ in range(300_000)]})
    tables = [content(20) for _ in range(20_000)]
    variant, table = godot.dumps(tables), lua.dumps(tables)
    small = attributes.dumps(content(100_000))
    works: list[tuple[str, Work]] = [
        (f"attributes.check, {len(lists):,} bytes", lambda: attributes.check(lists)),
        (f"godot.check, {len(variant):,} bytes", lambda: godot.check(variant)),
        (f"lua.check, {len(table):,} bytes", lambda: lua.check(table)),
        (f"attributes.loads, {len(small):,} bytes", lambda: attributes.loads(small)),
    ]
    result: list[tuple[str, float, float]] = []
    with ThreadPoolExecutor(2) as pool:
        for name, work in works:
            one = measure(lambda: (work(), work()), seconds)
            two = measure(lambda: [future.result() for future in (pool.submit(work), pool.submit(work))], seconds)
            result.append((name, one, two))
    return result


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast values are read and written.")
    parser.add_argument("--gdtype", type=Path, help="the folder of a clone of gdtype-python; without it, it is left out")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each row is measured")
    arguments = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print("| what | enginewire | others: time, and how many times as fast enginewire is |")
    print("| --- | --- | --- |")
    for name, work, others in rows(arguments.gdtype):
        ours = measure(work, arguments.seconds)
        shown = [f"{other} {milliseconds(theirs := measure(it, arguments.seconds))}, {theirs / ours:.2f} ×" for other, it in others]
        print(f"| {name} | {milliseconds(ours)} | {'; '.join(shown)} |")
    print("\n| 500 players | dict | dataclass | msgspec.Struct | pydantic |")
    print("| --- | --- | --- | --- | --- |")
    for row in typed(arguments.seconds):
        print(f"| {' | '.join(row)} |")
    print(f"\nimport enginewire: {milliseconds(import_time(4 * arguments.seconds))}")
    print("\n| two threads | two calls by one | one call by each | times as fast |")
    print("| --- | --- | --- | --- |")
    for name, one, two in threads(arguments.seconds):
        print(f"| {name} | {milliseconds(one)} | {milliseconds(two)} | {one / two:.2f} × |")


if __name__ == "__main__":
    main()
