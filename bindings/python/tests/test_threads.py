"""Many threads work on values at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import enginewire
from blobs import FIXTURES
from enginewire import Place, attributes, godot, lua, remote


def test_threads_give_the_same_as_one() -> None:
    value = {f"key {number}": number / 2 for number in range(2000)}
    blob = attributes.dumps(value)
    assert len(blob) > 16 << 10
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: attributes.loads(blob) == value, range(16)))
        assert all(pool.map(lambda _: attributes.check(blob).items == len(value), range(16)))


def test_other_threads_run_while_a_large_value_is_checked() -> None:
    # nobody may wait for a lock that is held while the interpreter's is wanted
    place = Place(FIXTURES / "roblox-model/baseplate-566.rbxl")
    first = next(iter(place))
    barrier = threading.Barrier(4)

    def work(number: int) -> bool:
        barrier.wait()
        for round_number in range(20):
            first.attributes[f"key{number}"] = float(round_number)
            assert place.to_bytes()
        return bool(first.attributes[f"key{number}"] == 19.0)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_a_buffer_is_not_held() -> None:
    """Memory that others can write to is copied, or read at once: nothing keeps it from growing."""
    document, model = enginewire.to_json(godot.dumps([1]), "godot-4"), (FIXTURES / "roblox-model/made.rbxm").read_bytes()
    decoder = godot.FrameDecoder()
    values = {attributes: {"a": 1.0}, godot: [1, b"12", array("d", [1, 2])], lua: [1], remote: []}
    calls: list[tuple[bytes, Callable[[Any], object]]] = [
        *((module.dumps(value), call) for module, value in values.items() for call in (module.loads, module.check)),
        *((godot.dumps(values[godot]), call) for call in (lambda blob: godot.loads(blob, type=list), enginewire.guess)),
        *((godot.dumps([1]), partial(call, format="godot-4")) for call in (
            enginewire.inspect, enginewire.recover, enginewire.to_json, enginewire.to_notation, enginewire.open_file
        )),
        (godot.dumps([2]), lambda blob: enginewire.from_json(document, "godot-4", like=blob)),
        (godot.dump_frame([1]), decoder.push),
        (godot.dump_frame([1]), lambda blob: next(godot.read_frames(blob))),
        (model, Place),
        (model, partial(enginewire.scan_bytes, "a")),
    ]
    for data, call in calls:
        blob = bytearray(data)
        kept = call(blob)
        blob.extend(bytes(1 << 16))
        del kept


def test_threads_with_little_stack_may_get_deep_values(tmp_path: Path) -> None:
    script = Path(__file__).with_name("stacks.py")
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("all\n", 0), done.stderr[-2000:]


def test_threads_share_a_decoder() -> None:
    value = ["x" * 100] * 400
    frame = godot.dump_frame(value)
    assert len(frame) > 16 << 10
    decoder = godot.FrameDecoder()
    barrier = threading.Barrier(4)

    def work(_: int) -> int:
        barrier.wait()
        found = 0
        for _ in range(30):
            decoder.push(frame)
            for got in decoder:
                assert got == value
                found += 1
            assert decoder.pending >= 0
        return found

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 120
    decoder.finish()
