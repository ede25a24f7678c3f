"""Packed arrays of Godot: views of the input."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from enginewire import EncodeError, Entries, attributes, diff, godot, lua, remote

numpy = pytest.importorskip("numpy")

KINDS: list[tuple[str, str, tuple[int, ...]]] = [
    ("PackedByteArray", "u1", (5,)),
    ("PackedInt32Array", "i4", (5,)),
    ("PackedInt64Array", "i8", (5,)),
    ("PackedFloat32Array", "f4", (5,)),
    ("PackedFloat64Array", "f8", (5,)),
    ("PackedVector2Array", "f4", (3, 2)),
    ("PackedVector2Array", "f8", (3, 2)),
    ("PackedVector3Array", "f4", (3, 3)),
    ("PackedVector3Array", "f8", (3, 3)),
    ("PackedColorArray", "f4", (3, 4)),
]


@pytest.mark.parametrize(("kind", "dtype", "shape"), KINDS)
def test_an_array_is_a_view_of_the_input(kind: str, dtype: str, shape: tuple[int, ...]) -> None:
    array = numpy.arange(numpy.prod(shape), dtype=dtype).reshape(shape)
    blob = godot.dumps({"before": "text", "array": array})
    value: Any = godot.loads(blob)
    found = value["array"]
    assert numpy.shares_memory(found, numpy.frombuffer(blob, "u1"))
    assert not found.flags.writeable
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert (found == array).all()
    assert godot.dumps({"before": "text", "array": found}) == blob
    assert godot.dumps({"before": "text", "array": godot.Packed(kind, array)}) == blob


def test_the_input_lives_as_long_as_its_views() -> None:
    array = godot.loads(godot.dumps(numpy.arange(1000, dtype="i4")))
    assert (array == numpy.arange(1000)).all()


def test_a_view_of_part_of_a_buffer_shares_it() -> None:
    blob = godot.dumps(numpy.arange(10, dtype="i4"))
    whole = b"1234" + blob
    found = godot.loads(memoryview(whole)[4:])
    assert numpy.shares_memory(found, numpy.frombuffer(whole, "u1"))
    assert (found == numpy.arange(10)).all()


def test_a_writable_buffer_may_change_without_harm() -> None:
    blob = bytearray(godot.dumps(numpy.arange(10, dtype="i4")))
    found: Any = godot.loads(blob)
    assert (found == numpy.arange(10)).all()
    for buffer in (blob, memoryview(blob), memoryview(blob).toreadonly(), numpy.frombuffer(blob, "u1")):
        array: Any = godot.loads(buffer)
        before = array.tolist()
        blob[-1] ^= 1
        assert array.tolist() == before
        assert not array.flags.writeable


def test_a_buffer_in_pieces_or_of_other_items_is_read() -> None:
    blob = godot.dumps(numpy.arange(10, dtype="i4"))
    spread = bytes(byte for pair in zip(blob, bytes(len(blob)), strict=True) for byte in pair)
    assert (godot.loads(memoryview(spread)[::2]) == numpy.arange(10)).all()
    words = numpy.frombuffer(blob, "i4")
    found = godot.loads(words)
    assert numpy.shares_memory(found, words)
    assert (found == numpy.arange(10)).all()


def test_vectors_of_four_are_named() -> None:
    blob = godot.dumps(godot.Packed("PackedVector4Array", numpy.zeros((2, 4), "f4")))
    found = godot.loads(blob)
    assert isinstance(found, godot.Packed)
    assert found.kind == "PackedVector4Array"
    assert godot.dumps(found) == blob
    assert godot.dumps(numpy.zeros((2, 4), "f4")) != blob


def test_empty_arrays_keep_their_types() -> None:
    for kind, dtype, shape in KINDS:
        blob = godot.dumps(godot.Packed(kind, numpy.empty((0, *shape[1:]), dtype)))
        assert godot.dumps(godot.loads(blob)) == blob


def test_what_is_no_packed_array_is_refused() -> None:
    for array in (numpy.zeros(3, "u4"), numpy.zeros((2, 5), "f4"), numpy.zeros((2, 2, 2), "f4"), numpy.zeros(3, ">f4")):
        with pytest.raises(EncodeError):
            godot.dumps(array)
    with pytest.raises(EncodeError):
        godot.dumps(godot.Packed("PackedColorArray", numpy.zeros((2, 4), "f8")))
    with pytest.raises(EncodeError):
        godot.dumps(godot.Packed("PackedNothing", numpy.zeros(2, "f4")))


def test_a_strided_array_is_written_in_its_order() -> None:
    array: Any = numpy.arange(20, dtype="i4")
    assert godot.dumps(array[::2]) == godot.dumps(array[::2].copy())
    grid: Any = numpy.arange(6, dtype="f4").reshape(2, 3)
    assert godot.dumps(grid.T) == godot.dumps(grid.T.copy())


def test_what_an_array_gives_is_written() -> None:
    for dtype in ("u1", "i4", "i8", "f4", "f8", "?", "u2"):
        array = numpy.ones(3, dtype)
        for value in (array[0], array[0:1].reshape(())):
            assert attributes.loads(attributes.dumps({"a": value})) == {"a": 1}
            assert lua.loads(lua.dumps([value, {array[0]: value, 9: 2}])) == [1, {1: 1, 9: 2}]
            found: Any = godot.loads(godot.dumps([value]))
            assert found == [1]
            assert type(found[0]) is {"f": float, "b": bool}.get(array.dtype.kind, int)
    number = numpy.float32(0.1)
    packet = [remote.Data(None, "OnClientEvent", 0x0B6F, [number])]
    assert remote.loads(remote.dumps(packet))[0].arguments == [float(number)]
    assert attributes.Vector3int16(numpy.int16(1), numpy.int64(2), numpy.uint8(3)) == attributes.Vector3int16(1, 2, 3)
    with pytest.raises(EncodeError, match="^ndarray of float64 is not a type of Roblox attributes, at "):
        attributes.dumps({"a": numpy.zeros(3)})
    with pytest.raises(EncodeError, match="^ndarray is not a type of Godot$"):
        godot.dumps(numpy.array(1j))


def test_what_holds_arrays_is_compared_by_diff() -> None:
    def made(*numbers: float) -> Any:
        array = numpy.array(numbers, "f4")
        typed = godot.TypedArray("PackedFloat32Array", [array])
        return {"plain": array, "typed": typed, "object": godot.Object("Node", {"a": array}), "twice": Entries([("a", array)] * 2)}

    value: Any = godot.loads(godot.dumps(made(1, 2)))
    assert list(diff(value, made(1, 2))) == []
    for other in (made(1, 3), made(1), made(1, 2, 3), made()):
        assert [difference.path for difference in diff(value, other)] == [(key,) for key in value]


def test_arrays_are_those_of_numpy() -> None:
    array: Any = godot.loads(godot.dumps(numpy.array([1, 2], "f4")))
    assert type(array) is numpy.ndarray
    assert (type(array.max()), type(array.mean()), type(array[0])) == (numpy.float32,) * 3
    assert attributes.loads(attributes.dumps({"a": array.max()})) == {"a": 2.0}
    assert (hash(array.max()), round(array.max())) == (hash(2.0), 2)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(array == 1)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    assert (pickle.loads(pickle.dumps(array)) == array).all()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (numpy.datetime64("2026-11-28"), "datetime64 is not a type of"),
        (numpy.datetime64(1, "ns"), "datetime64 is not a type of"),
        (numpy.datetime64("NaT"), "datetime64 is not a type of"),
        (numpy.timedelta64(5, "s"), "timedelta64 is not a type of"),
        (numpy.array(["2026-11-28"], "M8[D]"), r"ndarray of datetime64\[D\] is not a type of"),
        (numpy.array([1], "m8[s]"), r"ndarray of timedelta64\[s\] is not a type of"),
        (numpy.ma.array([1, 2], mask=[False, True], dtype="i4"), "MaskedArray of int32 is not a type of"),
        (numpy.ma.masked, "MaskedConstant is not a type of"),
        (numpy.void(b"abc"), "void is not a type of"),
    ],
)
def test_dates_and_masks_are_refused(value: Any, message: str) -> None:
    for module in (attributes, godot, lua):
        with pytest.raises(EncodeError, match=f"^{message} .*, at "):
            module.dumps({"a": value})
    with pytest.raises(EncodeError, match=f"^{message} .*, at "):
        remote.dumps([remote.Data(None, "OnClientEvent", 0x0B6F, [value])])


def test_errors_have_names_of_dtypes() -> None:
    for dtype, name in (("u2", "uint16"), ("?", "bool"), (">f4", ">f4"), ("O", "object"), ("U1", "<U1"), ("i1", "int8")):
        with pytest.raises(EncodeError, match=f"^no packed array has items of type {name}$"):
            godot.dumps(numpy.zeros(2, dtype))
    with pytest.raises(EncodeError, match="^no packed array has 5 columns of type float32$"):
        godot.dumps(numpy.zeros((2, 5), "f4"))
    with pytest.raises(EncodeError, match="^PackedColorArray cannot have 4 columns of type float64$"):
        godot.dumps(godot.Packed("PackedColorArray", numpy.zeros((2, 4), "f8")))


def test_series_and_buffers_are_written() -> None:
    for buffer in (bytearray(b"ab"), memoryview(b"ab")):
        assert attributes.loads(attributes.dumps({"a": buffer})) == {"a": "ab"}
        assert lua.loads(lua.dumps(buffer)) == "ab"
    for library in ("pandas", "polars"):
        series = pytest.importorskip(library).Series
        for module in (attributes, lua, godot):
            found: Any = module.loads(module.dumps({"a": series([1.5, 2.5]), "b": series(["x", "y"])}))
            assert (list(found["a"]), found["b"]) == ([1.5, 2.5], ["x", "y"])
        assert type(godot.loads(godot.dumps(series([1.5])))) is numpy.ndarray
    # numpy would make a float of each
    assert godot.loads(godot.dumps(series([1, None]))) == [1, None]
    with pytest.raises(EncodeError, match=r"is not a type of Godot, at \[0\]$"):
        godot.dumps(series([1j]))


@pytest.mark.parametrize("arrays", ["numpy", "memoryview"])
def test_memory_stays_under_its_views(arrays: str) -> None:
    script = Path(__file__).with_name("owners.py")
    done = subprocess.run([sys.executable, script, arrays], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("all\n", 0), done.stderr[-2000:]


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
from array import array
from enginewire import godot
blob = godot.dumps({"ints": array("i", [1, 2, 3]), "bytes": b"abc"})
value = godot.loads(blob)
assert isinstance(value["ints"], memoryview) and value["ints"].tolist() == [1, 2, 3]
assert bytes(value["bytes"]) == b"abc"
assert godot.dumps(value) == blob
rows = memoryview(array("f", range(6))).cast("B").cast("f", (2, 3))
blob = godot.dumps(rows)
assert godot.loads(blob).tolist() == [[0, 1, 2], [3, 4, 5]]
assert godot.dumps(godot.loads(blob)) == blob
"""


def test_arrays_are_memoryviews_without_numpy() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], check=True)
