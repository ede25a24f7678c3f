"""The classes of values: their operations, and refused arguments."""

from __future__ import annotations

import copy
import enum
import gc
import importlib
import math
import mmap
import pickle
import struct
import threading
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

import enginewire
from enginewire import DecodeError, EncodeError, Entries, attributes, godot, lua, remote
from enginewire.attributes import (
    CFrame,
    Color3,
    EnumItem,
    Float,
    Int,
    NumberRange,
    Ref,
    TweenInfo,
    UDim,
    UDim2,
    Vector3,
)


def test_a_value_has_fields_and_matches() -> None:
    value = Vector3(1, 2.5, -3)
    assert (value.x, value.y, value.z) == (1.0, 2.5, -3.0)
    assert repr(value) == "Vector3(1.0, 2.5, -3.0)"
    assert value == Vector3(1, 2.5, -3) != Vector3(1, 2.5, 3)
    assert hash(value) == hash(Vector3(1, 2.5, -3))
    assert {Color3(1, 0, 0): "red"}[Color3(1, 0, 0)] == "red"
    match UDim2(UDim(0.5, 10), UDim(1, -4)):
        case UDim2(UDim(scale, offset), y=UDim(offset=other)):
            assert (scale, offset, other) == (0.5, 10, -4)
        case _:
            pytest.fail("it does not match")
    with pytest.raises(AttributeError):
        value.x = 2  # type: ignore[misc]


def test_numbers_of_32_bits_show_their_own_digits() -> None:
    assert repr(Vector3(0.1, 1e10, 7.0385307e-26)) == "Vector3(0.1, 10000000000.0, 7.0385307e-26)"
    assert Vector3(0.1, 0, 0).x != 0.1
    assert Vector3(-0.0, 0, 0) == Vector3(0, 0, 0)
    assert math.copysign(1, Vector3(-0.0, 0, 0).x) == -1
    with pytest.raises(OverflowError):
        Vector3(1e39, 0, 0)
    assert attributes.loads(attributes.dumps({"a": Float(0.1)})) == {"a": Float(0.1)}
    assert type(attributes.loads(attributes.dumps({"a": 0.1}))["a"]) is float


def test_a_cframe_has_an_id_or_a_matrix() -> None:
    aligned = CFrame(Vector3(1, 2, 3), 2)
    turned = CFrame(Vector3(1, 2, 3), (1, 0, 0, 0, 1, 0, 0, 0, 1))
    assert aligned.rotation == 2
    assert turned.rotation == (1, 0, 0, 0, 1, 0, 0, 0, 1)
    for value in (aligned, turned):
        assert attributes.loads(attributes.dumps({"at": value}))["at"] == value
    with pytest.raises(ValueError, match="rotation id"):
        CFrame(Vector3(0, 0, 0), 4)
    with pytest.raises(ValueError, match="9 numbers"):
        CFrame(Vector3(0, 0, 0), (1, 2))


def test_an_error_of_decoding_says_where_and_what() -> None:
    blob = bytes.fromhex("01000000 05000000") + b"Spawn" + bytes.fromhex("14 0000803f 00000040 00004040 04")
    with pytest.raises(DecodeError) as caught:
        attributes.loads(blob)
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.offset, error.bit, error.code) == (26, 0, "unknown-id")
    assert error.path == 'entries[0] "Spawn".value.cframe.rotation.id'
    assert error.expected is not None and error.expected.startswith("one of")
    assert str(error) == f"unknown rotation id 0x04, at byte 0x1a in {error.path}"
    with pytest.raises(DecodeError) as caught:
        lua.loads(b"LUA\0\0\0\1\x40")
    assert (caught.value.offset, caught.value.bit) != (0, 0)


def test_an_error_of_encoding_says_where() -> None:
    with pytest.raises(EncodeError) as caught:
        attributes.dumps({"a": {"b": [1.0, object()]}})
    assert caught.value.path == "['a']['b'][1]"
    assert "object" in str(caught.value)
    with pytest.raises(EncodeError, match="^Int\\(1099511627776\\) does not fit 32 bits, at "):
        attributes.dumps({"a": attributes.Int(1 << 40)})
    for module, value in ((attributes, {"a": (1 << 53) + 1}), (remote, [remote.Data(None, "OnClientEvent", 0x0B6F, [(1 << 53) + 1])])):
        with pytest.raises(EncodeError, match="^9007199254740993 is not a float of 64 bits, which numbers of Roblox are, at "):
            module.dumps(value)
    with pytest.raises(EncodeError, match="^the integer is not a float of 64 bits"):
        attributes.dumps({"a": [1 << 100_000]})
    with pytest.raises(EncodeError, match="^-18446744073709551616 does not fit 64 bits$"):
        godot.dumps(-1 << 64)
    with pytest.raises(EncodeError, match="^Int16\\(32768\\) does not fit 16 bits$"):
        lua.dumps(lua.Int16(1 << 15))
    # Python refuses to write this many digits
    with pytest.raises(EncodeError, match="^the integer does not fit 32 bits$"):
        lua.dumps(1 << 100_000)
    with pytest.raises(EncodeError):
        lua.dumps({"a": Vector3(1, 2, 3)})
    with pytest.raises(TypeError):
        attributes.dumps([])
    with pytest.raises(TypeError):
        attributes.loads("text")  # type: ignore[call-overload]


def test_objects_are_made_once_for_what_is_refused() -> None:
    made: list[object] = []

    def default(value: object) -> str:
        made.append(value)
        return str(value)

    for module in (attributes, godot, lua):
        made.clear()
        with pytest.raises(EncodeError) as caught:
            module.dumps({"a": [1j, {"b": [(1 << 70) + 1]}]}, default=default)
        assert (caught.value.path, made) == ("['a'][1]['b'][0]", [1j])
    for value, path in (
        (godot.TypedArray("int", [1, 2.5]), "['a'][1]"),
        (godot.TypedDictionary("String", "Array", {"b": [1], "c": {}}), "['a']['c']"),
        (godot.Object("Node", {"b": 1, "c": 1j}), "['a']['c']"),
        (godot.Object("Node", {5: 1}), "['a'][5]"),
    ):
        with pytest.raises(EncodeError) as caught:
            godot.dumps({"a": value})
        assert caught.value.path == path
    with pytest.raises(EncodeError) as caught:
        remote.dumps([remote.Data(None, "OnClientEvent", 0x0B6F, [1.0, {"b": [1j]}])])
    assert caught.value.path == "[0].arguments[1]['b'][0]"


def test_what_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    for module in (godot, lua):
        with pytest.raises(EncodeError, match="deep"):
            module.dumps(loop)
    with pytest.raises(EncodeError, match="deep"):
        attributes.dumps({"a": loop})
    table: dict[str, Any] = {}
    table["self"] = table
    with pytest.raises(EncodeError, match="deep"):
        attributes.dumps(table)


def test_what_contains_itself_says_so_with_a_short_path() -> None:
    loop: dict[str, Any] = {"flat": [1.0]}
    loop["list"] = [[2.0], loop]
    for module in (attributes, godot, lua):
        with pytest.raises(EncodeError) as caught:
            module.dumps({"around": {"it": loop}})
        assert "the dict contains itself" in str(caught.value)
        assert caught.value.path == "['around']['it']"
        assert pickle.loads(pickle.dumps(caught.value)).path == caught.value.path
    deep: list[Any] = []
    for _ in range(2000):
        deep = [deep]
    with pytest.raises(EncodeError, match="nested too deep, at ") as caught:
        godot.dumps(deep)
    assert len(str(caught.value)) < 200


def test_an_integer_out_of_range_names_its_field() -> None:
    for make, message in (
        (lambda: attributes.Vector3int16(1, 70000, 0), 'argument "y": 70000 is not from -32768 to 32767'),
        (lambda: UDim(0, 1 << 40), 'argument "offset": 1099511627776 is not from -2147483648 to 2147483647'),
        (lambda: attributes.BrickColor(-1), 'argument "number": -1 is not from 0 to 4294967295'),
        (lambda: Vector3(0, 0, 1e39), 'argument "z": 1e39 does not fit 32 bits'),
        (lambda: godot.Vector2i(1 << 31, 0), 'argument "x": 2147483648 is not from -2147483648 to 2147483647'),
        (lambda: godot.Vector2(1, 1e39), 'argument "y": 1e39 does not fit 32 bits'),
    ):
        with pytest.raises(OverflowError) as caught:
            make()
        assert str(caught.value) == message
    with pytest.raises(EncodeError, match='^argument "id": -1 is not from 0 to 18446744073709551615'):
        godot.dumps(godot.RID(-1))
    with pytest.raises(TypeError, match='^argument "x": '):
        Vector3("a", 0, 0)  # type: ignore[arg-type]


def test_text_is_no_sequence() -> None:
    for make in (
        lambda: godot.NodePath("ab"),
        lambda: godot.NodePath(["ab"], b"cd"),  # type: ignore[arg-type]
        lambda: godot.PackedStringArray("abc"),
        lambda: attributes.NumberSequence("ab"),  # type: ignore[arg-type]
        lambda: CFrame(Vector3(0, 0, 0), b"123456789"),
    ):
        with pytest.raises(TypeError, match="expected a sequence"):
            make()
    for value in (lua.Array("ab", 2), godot.TypedArray("String", "ab")):  # type: ignore[arg-type]
        with pytest.raises(EncodeError, match="expected list, found str"):
            (lua if isinstance(value, lua.Array) else godot).dumps(value)
    assert godot.NodePath(["a"]) == godot.NodePath(("a",), [])


def test_a_vector_is_a_sequence_of_its_numbers() -> None:
    x, y, z = Vector3(1, 2, 3)
    assert (x, y, z) == (1, 2, 3)
    for value in (Vector3(1, 2, 3), godot.Vector3(1, 2, 3), godot.Vector3(1, 2, 3, double=True), lua.Vec3(1, 2, 3)):
        assert (list(value), value[0], value[-1], value[:2], len(value)) == ([1, 2, 3], 1, 3, (1, 2), 3)
        with pytest.raises(IndexError):
            value[3]
    assert list(UDim(0.5, 3)) == [0.5, 3]
    with pytest.raises(TypeError):
        len(UDim2(UDim(0, 0), UDim(0, 0)))  # type: ignore[arg-type]
    numpy = pytest.importorskip("numpy")
    assert numpy.array(Vector3(1, 2, 3)).tolist() == [1, 2, 3]
    assert numpy.array([godot.Vector2i(1, 2)] * 2).tolist() == [[1, 2], [1, 2]]


def test_fields_are_replaced() -> None:
    assert Vector3(1, 2, 3).__replace__(y=5) == Vector3(1, 5, 3)
    assert godot.Vector2(1, 2, double=True).__replace__(x=0.1) == godot.Vector2(0.1, 2, double=True)
    assert CFrame(Vector3(1, 2, 3), 2).__replace__(rotation=3).rotation == 3
    with pytest.raises(TypeError, match="unexpected keyword"):
        Vector3(1, 2, 3).__replace__(w=5)


def test_an_error_of_a_callback_ends_dumps_at_once() -> None:
    for module in (attributes, godot, lua):
        for kind in (KeyError, KeyboardInterrupt, SystemExit, MemoryError):
            calls: list[object] = []

            def default(found: object, calls: list[object] = calls, kind: type[BaseException] = kind) -> object:
                calls.append(found)
                raise kind

            with pytest.raises(kind):
                module.dumps({"a": [1.0, {"b": object()}], "c": object()}, default=default)
            assert len(calls) == 1
        with pytest.raises(EncodeError, match=r"\['a'\]\[1\]\['b'\]"):
            module.dumps({"a": [1.0, {"b": object()}]}, default=lambda found: found)


def test_containers_are_written_as_they_are_when_they_are_reached() -> None:
    """Callbacks may change them meanwhile."""
    for module in (attributes, godot, lua):
        items: list[Any] = [1.0, object(), "x"]
        value = {"items": items, "text": "y"}

        def default(_: object, items: list[Any] = items, value: dict[str, Any] = value) -> str:
            items.clear()
            value.clear()
            return "z"

        assert module.loads(module.dumps(value, default=default)) == {"items": [1.0, "z", "x"], "text": "y"}


def test_a_basis_is_made_of_its_columns_as_in_the_engine() -> None:
    vector = godot.Vector3
    basis = godot.Basis(vector(1, 4, 7), vector(2, 5, 8), vector(3, 6, 9))
    assert basis.rows == (vector(1, 2, 3), vector(4, 5, 6), vector(7, 8, 9))
    assert (basis.x, basis) == (vector(1, 4, 7), godot.Basis.from_rows(basis.rows))
    assert godot.dumps(basis)[4:] == struct.pack("<9f", *range(1, 10))
    moved = godot.Transform3D(basis, vector(0, 0, 0))
    for value in (basis, moved, godot.Basis(*[vector(0.1, 0, 0, double=True)] * 3)):
        assert godot.loads(godot.dumps(value)) == eval(repr(value), vars(godot)) == copy.copy(value) == value
    assert basis.__replace__(x=basis.z) == godot.Basis(basis.z, basis.y, basis.z)
    wide = vector(1, 2, 3, double=True)
    for make in (godot.Basis, lambda *rows: godot.Basis.from_rows(rows)):
        with pytest.raises(ValueError, match="some parts are double and some are not"):
            make(wide, basis.y, basis.z)
    for rows in ([], [basis.x] * 4):
        with pytest.raises(ValueError, match=f"expected 3 rows, found {len(rows)}"):
            godot.Basis.from_rows(rows)
    with pytest.raises(TypeError, match="required positional arguments: 'y' and 'z'"):
        godot.Basis(basis.rows)  # type: ignore[call-arg, arg-type]
    with pytest.raises(TypeError, match="argument \"rows\""):
        godot.Basis.from_rows([1, 2, 3])  # type: ignore[list-item]


def test_rotations_and_colours_have_other_forms() -> None:
    at, identity = Vector3(1, 2, 3), (1, 0, 0, 0, 1, 0, 0, 0, 1)
    assert CFrame(at, 2).matrix == CFrame(at, identity).matrix == identity
    assert CFrame(at, 2).quaternion == (0, 0, 0, 1)
    assert CFrame.from_quaternion(at, (0, 0, 0, 5)) == CFrame(at, 2)
    assert CFrame.from_euler(at, math.pi / 2, 0, 0).matrix == (1, 0, 0, 0, 0, -1, 0, 1, 0)
    turned = CFrame.from_euler(at, 0.1, 0.2, 0.3)
    assert turned.matrix[:3] == pytest.approx((math.cos(0.2) * math.cos(0.3), -math.cos(0.2) * math.sin(0.3), math.sin(0.2)))
    # fromOrientation
    assert CFrame.from_euler(at, 0.1, 0.2, 0.3, "YXZ").matrix[5] == pytest.approx(-math.sin(0.1))
    assert CFrame.from_quaternion(at, turned.quaternion).matrix == pytest.approx(turned.matrix)
    with pytest.raises(ValueError, match="order"):
        CFrame.from_euler(at, 0, 0, 0, "XX")
    with pytest.raises(ValueError, match="quaternion"):
        CFrame.from_quaternion(at, (0, 0, 0))
    assert Color3.from_hex("#ff8000") == Color3.from_hex("FF8000") == Color3(1, 128 / 255, 0)
    assert Color3.from_hex("#f80") == Color3(1, 136 / 255, 0)
    for text in ("#ff800", "+f8000", "red", ""):
        with pytest.raises(ValueError, match="is not a colour"):
            Color3.from_hex(text)


def test_what_holds_lists_has_no_hash() -> None:
    for value in (remote.Data(None, "OnClientEvent", 0x0B6F), godot.TypedArray("int", []), godot.Object("Node"), lua.Array([], 2)):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)
    assert hash(godot.NodePath(["a"])) == hash(godot.NodePath(("a",)))


def test_a_name_that_is_not_utf_8_is_read() -> None:
    blob = godot.dumps(godot.StringName("ab")).replace(b"ab", b"\xff\xfe")
    godot.check(blob, any_text=True)
    value = godot.loads(blob, any_text=True)
    assert value == godot.String(b"\xff\xfe", is_name=True)
    assert godot.dumps(value) == blob
    with pytest.raises(DecodeError, match="not UTF-8"):
        godot.loads(blob)


def test_deep_values_need_little_stack() -> None:
    value: Any = []
    for _ in range(1000):
        value = [value]
    blob = godot.dumps(value)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            assert godot.dumps(godot.loads(blob)) == blob
        except BaseException as error:  # pragma: no cover
            failures.append(error)

    before = threading.stack_size(1 << 20)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert failures == []


def test_keys_that_repeat_are_kept() -> None:
    entries = Entries([("a", 1.0), ("a", 2.0)])
    assert attributes.loads(attributes.dumps(entries)) == entries
    assert entries.get("a") == 1.0
    assert entries.get("b") is None
    table: Any = lua.loads(lua.dumps(Entries([(lua.Vec3(1, 2, 3), 1), (lua.Vec3(1, 2, 3), 2)])))
    assert table.get(lua.Vec3(1, 2, 3)) == 1
    # True and 1 are one key of a dict, and two of Lua
    both = Entries([(True, "a"), (1, "b")])
    assert lua.loads(lua.dumps(both)) == both


def test_entries_are_a_mapping() -> None:
    pairs = [("a", 1.0), ("b", 2.0), ("a", 3.0)]
    value = attributes.loads(attributes.dumps(Entries(pairs)))
    assert isinstance(value, Entries)
    assert isinstance(value, Mapping)
    assert value["a"] == 1.0
    assert "a" in value
    assert "x" not in value
    assert ("a", 1.0) not in value
    with pytest.raises(KeyError):
        value["x"]
    assert list(value) == list(value.keys()) == ["a", "b", "a"]
    assert list(value.items()) == pairs
    assert list(value.values()) == [1.0, 2.0, 3.0]
    assert (len(value), dict(value)) == (3, {"a": 1.0, "b": 2.0})
    assert ("a", 3.0) in value.items()
    assert 3.0 in value.values()
    assert value == Entries(pairs) == pickle.loads(pickle.dumps(value)) == copy.deepcopy(value)
    assert value != Entries(pairs[::-1])
    assert value != {"a": 1.0, "b": 2.0}
    assert Entries({"a": 1}) == {"a": 1} == Entries([("a", 1)])
    assert {"a": 2} != Entries({"a": 1})
    assert Entries() == {} == attributes.loads(bytes(4))
    match value:
        case {"b": found}:
            assert found == 2.0
        case _:
            pytest.fail("it does not match")


def test_no_attributes_have_two_forms() -> None:
    assert attributes.dumps({}) == b""
    assert attributes.loads(b"") == {}
    assert attributes.loads(bytes(4)) == Entries()
    assert attributes.dumps(Entries()) == bytes(4)


def test_other_types_of_attributes() -> None:
    values = {
        "Range": NumberRange(0, 1),
        "Enum": EnumItem("KeyCode", 3),
        "Ease": TweenInfo(1.5, 6.5, 4, 1, 2, False),
        "Int": attributes.Int(7),
        "Bytes": b"\xff\xfe",
        "Text": "\u00e4",
        "List": [True, "x", 1.5],
        "Nested": {"a": {"b": 1.0}},
    }
    assert attributes.loads(attributes.dumps(values)) == values
    assert attributes.loads(attributes.dumps({"r": Ref(7)}), refs=True) == {"r": Ref(7)}
    with pytest.raises(DecodeError):
        attributes.loads(attributes.dumps({"r": Ref(7)}))


def test_a_whole_number_is_a_double_unless_it_is_an_int() -> None:
    double, integer = b"\x06" + struct.pack("<d", 40), b"\x04" + struct.pack("<i", 40)
    entry = struct.pack("<II", 1, 1) + b"a"
    assert attributes.dumps({"a": 40}) == attributes.dumps({"a": 40.0}) == entry + double
    assert attributes.dumps({"a": Int(40)}) == entry + integer
    again = attributes.loads(entry + integer)
    assert (again, repr(again), type(again["a"])) == ({"a": 40}, "{'a': Int(40)}", Int)
    assert attributes.dumps(again) == entry + integer
    assert attributes.loads(attributes.dumps({"a": [1, {"b": -2}, True]}))["a"] == [1.0, {"b": -2.0}, True]
    assert attributes.dumps({"a": enum.IntEnum("Colour", [("RED", 40)]).RED}) == entry + double  # type: ignore[attr-defined]
    assert attributes.dumps({"a": 1 << 60}) == entry + b"\x06" + struct.pack("<d", 1 << 60)


def test_numbers_of_lua_keep_their_width() -> None:
    for value, size in ((5, "int"), (lua.Int16(5), "Int16"), (lua.Int32(5), "Int32"), (0.5, "float"), (lua.Double(0.5), "Double")):
        again = lua.loads(lua.dumps(value))
        assert (again, type(again).__name__) == (value, size)
    assert lua.loads(lua.dumps(0.1)) == 0.1
    assert lua.loads(lua.dumps(lua.Array(["a"], 3))) == lua.Array(["a"], 3)
    assert lua.loads(lua.dumps(lua.Handle("Shape", 9))) == lua.Handle("Shape", 9)
    with pytest.raises(ValueError, match="unknown kind"):
        lua.Handle("Nothing", 1)
    assert "Shape" in lua.KINDS


def test_packets() -> None:
    ids = {0x0B50: "OnServerEvent"}
    data = remote.Data(remote.Ref(1, 7), "OnServerEvent", 0x0B50, [None, "x", 1.5], player=remote.Ref(1, 9))
    with pytest.raises(EncodeError):
        remote.dumps([data])
    blob = remote.dumps([data], event_ids=ids)
    assert remote.loads(blob, event_ids=ids) == [data]
    with pytest.raises(DecodeError):
        remote.loads(blob)
    assert remote.EVENT_IDS[0x0B70] == "OnServerEvent"
    with pytest.raises(EncodeError, match="needs a call"):
        remote.dumps([remote.Data(None, "RemoteOnInvokeClient", 0x0B79)])
    with pytest.raises(EncodeError, match="no player"):
        remote.dumps([remote.Data(None, "OnClientEvent", 0x0B6F, player=remote.Ref(1, 2))])


def test_values_of_packets() -> None:
    values: list[Any] = [
        None,
        b"\0\xff",
        True,
        0.25,
        attributes.Vector2(0, 1),
        attributes.Vector2int16(0, 1),
        attributes.Vector3int16(0, 1, 2),
        remote.CFrame(Vector3(1, 2, 3), 2),
        remote.CFrame(Vector3(1, 2, 3), remote.PackedQuaternion("z", -11264, 10019, 9932)),
        remote.NoInstance(),
        remote.Ref(1, 3),
        [1.0, [True]],
        {"a": 1.0},
    ]
    packet = [remote.Data(None, "OnClientEvent", 0x0B6F, values)]
    assert remote.loads(remote.dumps(packet)) == packet
    # a number of any width is a Number
    numbers = [remote.Data(None, "OnClientEvent", 0x0B6F, [-3, Int(-3), Float(0.25)])]
    assert remote.loads(remote.dumps(numbers))[0].arguments == [-3.0, -3.0, 0.25]
    for value in (UDim(0.5, 3), attributes.BrickColor(194)):
        with pytest.raises(EncodeError, match="Roblox remotes"):
            remote.dumps([remote.Data(None, "OnClientEvent", 0x0B6F, [value])])
    with pytest.raises(DecodeError, match="unknown type id 0x14"):
        remote.loads(b"\x83\x07\0\x0b\x6f\x01\x14\xff\x80\0\0")


def test_nothing_is_leaked_by_errors() -> None:
    blob = attributes.dumps({"a": "text"})
    for _ in range(100):
        with pytest.raises(DecodeError):
            attributes.loads(blob[:-1])
    gc.collect()
    buffer = bytearray(blob)
    attributes.loads(buffer)
    buffer.append(0)  # BufferError if a view of it is still there


@pytest.mark.parametrize("module", [attributes, godot, lua, remote])
def test_all_that_is_written_in_rust_is_public(module: types.ModuleType) -> None:
    written = vars(importlib.import_module(module.__name__.replace(".", "._enginewire.")))
    public: list[str] = getattr(module, "__all__", dir(module))
    assert {name for name in written if not name.startswith("_")} <= set(public)


def test_the_version_is_there() -> None:
    assert enginewire.__version__


def test_functions_are_pickled_for_other_processes() -> None:
    for module in (attributes, godot, lua, remote):
        for function in (module.loads, module.dumps, module.check):
            assert function.__module__ == module.__name__
            assert pickle.loads(pickle.dumps(function)) is function


def test_a_closed_buffer_says_so() -> None:
    closed = mmap.mmap(-1, 10)
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        attributes.loads(closed)
    released = memoryview(b"")
    released.release()
    with pytest.raises(ValueError, match="released"):
        godot.check(released)


def test_a_version_that_is_not_there_is_a_value_error() -> None:
    for version in (5, 256, -1, 2**40):
        for call in (lambda: godot.FrameDecoder(version), lambda: godot.loads(b"", version), lambda: godot.dumps(1, version)):
            with pytest.raises(ValueError, match=f"^expected version 3 or 4, found {version}$"):
                call()


class Wrong(Mapping[str, Any]):
    """A mapping whose `items` are what is given."""

    def __init__(self, items: Any) -> None:
        self.given = items

    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def items(self) -> Any:
        return self.given


def test_a_mapping_with_wrong_items_cannot_be_encoded() -> None:
    for items in ([1], [("a",)], [("a", 1, 2)], "ab", None):
        value = Wrong(items)
        packet = [remote.Data(None, "OnClientEvent", 0x0B6F, [value])]
        for dumps, given in ((attributes.dumps, value), (attributes.dumps, {"a": value}), (godot.dumps, value), (lua.dumps, value)):
            with pytest.raises(EncodeError):
                dumps(given)
        with pytest.raises(EncodeError):
            remote.dumps(packet)


def test_vectors_are_sequences() -> None:
    for vector in (Vector3(1, 2, 3), godot.Vector3(1, 2, 3), godot.Color(1, 2, 3, 0), attributes.UDim(1, 2)):
        assert isinstance(vector, Sequence)
    assert not isinstance(attributes.BrickColor(1), Sequence)
    blob = godot.dumps({"at": godot.Vector3(1, 2, 3)})
    assert godot.loads(blob, type=dict[str, tuple[float, float, float]]) == {"at": (1, 2, 3)}
