"""Values come back as the same bytes, as objects that `repr` can write, and from any buffer."""

from __future__ import annotations

import copy
import json
import math
import pickle
import uuid
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import enginewire
from blobs import BLOBS, CORPUS, Blob
from enginewire import attributes, godot, lua, remote

MODULES: dict[str, ModuleType] = {"attributes": attributes, "godot": godot, "lua": lua, "remote": remote}


def loads(blob: Blob, data: Any = None) -> Any:
    return MODULES[blob.format].loads(blob.data if data is None else data, **blob.options)


def dumps(blob: Blob, value: Any) -> bytes:
    options = {name: blob.options[name] for name in ("version", "event_ids") if name in blob.options}
    result: bytes = MODULES[blob.format].dumps(value, **options)
    return result


def is_deep(blob: Blob) -> bool:
    # what is nested deeper than Python's own functions can go
    return "nested" in blob.name and len(blob.data) > 4000


def test_there_are_blobs() -> None:
    assert {blob.format for blob in BLOBS} == set(MODULES)
    if CORPUS is None:
        pytest.skip("ENGINEWIRE_CORPUS is not set: only the fixtures of the repository are tested")
    assert len(BLOBS) > 500


def test_bytes_come_back(blob: Blob) -> None:
    assert dumps(blob, loads(blob)) == blob.data


def test_any_buffer_is_read(blob: Blob) -> None:
    for data in (bytearray(blob.data), memoryview(blob.data), memoryview(bytearray(b"  " + blob.data))[2:]):
        assert dumps(blob, loads(blob, data)) == blob.data


def test_check_agrees(blob: Blob) -> None:
    report = MODULES[blob.format].check(blob.data, **blob.options)
    # a length of 0, where no bytes would do
    assert report.non_canonical == (blob.format == "attributes" and blob.data == bytes(4))


def test_what_repr_writes_is_the_same_value(blob: Blob) -> None:
    if is_deep(blob):
        return
    value = loads(blob)
    names: dict[str, Any] = {"Entries": enginewire.Entries, "UUID": uuid.UUID, "array": _array, **vars(MODULES[blob.format])}
    if blob.format == "remote":
        names = {**vars(attributes), **names}
    names |= {"uint8": "u1", "int32": "i4", "int64": "i8", "float32": "f4", "float64": "f8", "nan": math.nan, "inf": math.inf}
    try:
        import numpy

        with numpy.printoptions(threshold=10**9, floatmode="unique"):
            text = repr(value)
    except ImportError:
        pytest.skip("numpy is not installed")
    again = eval(text, names)
    if "nan" in text:
        return  # one nan of many is written
    assert dumps(blob, again) == blob.data


def _array(items: Any, dtype: str | None = None, shape: Any = None) -> Any:
    import numpy

    array = numpy.array(items, dtype=dtype)
    return array if shape is None else array.reshape(shape)


def test_values_are_copied_and_pickled(blob: Blob) -> None:
    if is_deep(blob):
        return
    value = loads(blob)
    for again in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert dumps(blob, again) == blob.data


def test_truncated_bytes_are_an_error_with_an_offset(blob: Blob) -> None:
    if len(blob.data) > 2000:
        return
    for length in range(len(blob.data)):
        try:
            loads(blob, blob.data[:length])
        except enginewire.DecodeError as error:
            assert 0 <= error.offset <= length
            assert error.code
            assert str(error)


def test_attributes_agree_with_the_documents(corpus: Path) -> None:
    for path in sorted((corpus / "roblox-attributes").glob("*.bin")):
        document = json.loads(path.with_suffix(".json").read_text())
        value = attributes.loads(path.read_bytes())
        pairs = list(value.items())
        assert len(pairs) == len(document["entries"])
        for (key, found), entry in zip(pairs, document["entries"], strict=True):
            assert key == entry["key"] or isinstance(key, bytes)
            if entry["type"] in ("Bool", "Double", "String") and not isinstance(entry["value"], dict):
                assert found == entry["value"] or entry["value"] in ("NaN", "Infinity", "-Infinity")
            elif entry["type"] == "Vector3" and all(isinstance(number, (int, float)) for number in entry["value"].values()):
                assert found == attributes.Vector3(**entry["value"])
            else:
                assert type(found).__name__ in (entry["type"], "int", "float", "str", "bytes", "list", "dict", "Entries")


def test_hostile_inputs_are_refused(corpus: Path) -> None:
    for case in json.loads((corpus / "roblox-attributes/cases.json").read_text()):
        if case.get("error"):
            with pytest.raises(enginewire.DecodeError):
                attributes.loads(bytes.fromhex(case["hex"]))
    for case in json.loads((corpus / "scrap-mechanic-lua/synthetic/invalid.json").read_text()):
        with pytest.raises(enginewire.DecodeError) as caught:
            lua.loads(bytes.fromhex(case["hex"]))
        assert caught.value.offset * 8 + caught.value.bit == case["bit"]
    for case in json.loads((corpus / "roblox-remote/invalid.json").read_text()):
        if case["level"] == "packet" and "lenient" not in case and "event_ids" not in case:
            with pytest.raises(enginewire.DecodeError) as caught:
                remote.loads(bytes.fromhex(case["hex"]))
            assert caught.value.offset == case["byte"]
