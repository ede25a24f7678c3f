"""Packed arrays of Godot: views of the input."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from enginewire import EncodeError, godot

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
    found = godot.loads(blob)["array"]
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
    found = godot.loads(blob)
    assert (found == numpy.arange(10)).all()


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
