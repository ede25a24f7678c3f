"""Values as objects of types, and objects of types as values."""

from __future__ import annotations

import enum
from array import array
from collections import OrderedDict, UserDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

import pytest

from enginewire import DecodeError, EncodeError, Entries, attributes, godot, lua, remote
from enginewire.attributes import Color3, Vector3


class Team(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Slot:
    item: str
    count: int = 1


@dataclass
class Torch:
    Fuel: int
    Team: Team
    Owner: str | None
    Mode: Literal["on", "off"] = "off"
    Slots: list[Slot] = field(default_factory=list)
    Limits: dict[str, float] = field(default_factory=dict)


TORCH = Torch(40, Team.RED, None, "on", [Slot("coal", 3), Slot("wood")], {"heat": 2.5})


class Pair(NamedTuple):
    x: float
    y: float = 0.0


class Options(TypedDict):
    name: str
    size: NotRequired[int]


class Stock(TypedDict):
    a: list[Slot]


def test_a_dataclass_comes_back() -> None:
    blob = attributes.dumps(TORCH)
    assert attributes.loads(blob, type=Torch) == TORCH
    assert "Owner" not in attributes.loads(blob)
    assert lua.loads(lua.dumps(TORCH), type=Torch) == TORCH
    assert godot.loads(godot.dumps(TORCH), type=Torch) == TORCH
    assert godot.loads(godot.dumps([TORCH]), type=list[Torch]) == [TORCH]
    colour = attributes.loads(attributes.dumps({"Glow": Color3(1, 0, 0)}), type=dict[str, Color3 | Vector3])
    assert colour == {"Glow": Color3(1, 0, 0)}
    # other keys do not matter
    assert godot.loads(godot.dumps({"item": "a", "more": 1}), type=Slot) == Slot("a")


def test_other_types() -> None:
    for value, of, expected in (
        ({"x": 1.0}, Pair, Pair(1.0)),
        ([1.0, 2.0], Pair, Pair(1.0, 2.0)),
        ({"name": "a", "other": 1}, Options, {"name": "a"}),
        ([1, 2], tuple[int, ...], (1, 2)),
        ([1, "a"], tuple[int, str], (1, "a")),
        ([1, 1], set[int], {1}),
        ([1, None], Sequence[int | None], [1, None]),
        ({"a": [1.0]}, Mapping[str, list[int]], {"a": [1]}),
        (2.0, int | str, 2),
        (2.0, int | float, 2.0),
        (2, float, 2.0),
        ("é", bytes, "é".encode()),
        (None, None, None),
    ):
        found: Any = godot.loads(godot.dumps(value), type=of)
        assert (found, type(found)) == (expected, type(expected))
    assert godot.loads(godot.dumps(b"ab"), type=bytes) == b"ab"
    assert godot.loads(godot.dumps(array("i", [1, 2])), type=list[int]) == [1, 2]
    typed = godot.TypedArray("int", [1, 2])
    assert godot.loads(godot.dumps(typed), type=list[int]) == [1, 2]
    packet = [remote.Data(None, "OnClientEvent", 0x0B6F, ["x"])]
    assert remote.loads(remote.dumps(packet), type=tuple[remote.Data, ...]) == tuple(packet)


@pytest.mark.parametrize(
    ("value", "of", "message", "path"),
    [
        ({"a": [{"item": "x"}, {"item": 5.0}]}, dict[str, list[Slot]], "expected str, found float 5.0", "['a'][1]['item']"),
        ({"count": 1}, Slot, "the key 'item' is missing", ""),
        ({"item": "x", "count": 1.5}, Slot, "expected int, found float 1.5", "['count']"),
        ({"a": True}, dict[str, int], "expected int, found bool True", "['a']"),
        ({"a": "grey"}, dict[str, Team], "expected one of 'red', 'blue', found str 'grey'", "['a']"),
        ({"a": "x"}, dict[str, Literal["on", 3]], "expected one of 'on', 3, found str 'x'", "['a']"),
        ({"a": "x"}, dict[str, int | None], "expected int or None, found str 'x'", "['a']"),
        ({"a": [1.0]}, dict[str, tuple[int, int]], "expected 2 items, found 1", "['a']"),
        (Entries([("item", "x"), ("item", "y")]), Slot, "the key 'item' repeats", ""),
        ({"a": "x" * 50}, dict[str, Vector3], "expected Vector3, found str", "['a']"),
    ],
)
def test_an_error_names_the_place(value: Any, of: Any, message: str, path: str) -> None:
    for module in (attributes, lua, godot):
        blob = module.dumps(value)
        with pytest.raises(DecodeError) as caught:
            module.loads(blob, type=of)
        error = caught.value
        where = f" in {path}" if path else ""
        assert str(error) == f"{message}, at byte {error.offset:#x}{where}"
        assert (error.path, error.code) == (path, "wrong-type")
        assert (error.offset > 0) == bool(path)


def test_an_offset_is_that_of_the_value() -> None:
    value = {"before": [1.0, {"deep": [2.0]}], "a": [{"item": "x"}, {"item": 5.0}]}
    blob = attributes.dumps(value)
    with pytest.raises(DecodeError) as caught:
        attributes.loads(blob, type=Stock)
    # the type of the number, and the number
    assert blob[caught.value.offset :] == b"\x06" + bytes(6) + b"\x14\x40"


def test_an_error_of_a_class_is_one_of_the_value() -> None:
    @dataclass
    class Positive:
        number: float

        def __post_init__(self) -> None:
            if self.number < 0:
                raise ValueError("it is negative")

    with pytest.raises(DecodeError, match=r"it is negative, at byte 0x.* in \[1\]"):
        godot.loads(godot.dumps([{"number": 1}, {"number": -1}]), type=list[Positive])
    with pytest.raises(TypeError, match="is not a type"):
        godot.loads(godot.dumps(1), type=3)


def test_structs_of_msgspec() -> None:
    msgspec = pytest.importorskip("msgspec")
    inner: Any = msgspec.defstruct("Inner", [("at", Vector3), ("size", int, 1)])
    outer = msgspec.defstruct("Outer", [("all", list[inner]), ("name", str | None, None)], rename={"all": "All"})
    value = outer([inner(Vector3(1, 2, 3)), inner(Vector3(0, 0, 0), 7)])
    blob = attributes.dumps(value)
    assert list(attributes.loads(blob)) == ["All"]
    assert attributes.loads(blob, type=outer) == value
    with pytest.raises(DecodeError, match=r"the key 'at' is missing, at byte 0x.* in \['All'\]\[0\]"):
        attributes.loads(attributes.dumps({"All": [{}]}), type=outer)


def test_models_of_pydantic() -> None:
    pydantic = pytest.importorskip("pydantic")
    model: Any = pydantic.create_model("Model", name=(str, ...), sizes=(list[int], []))
    value = model(name="a", sizes=[1, 2])
    assert attributes.loads(attributes.dumps(value), type=model) == value
    with pytest.raises(DecodeError, match=r"valid integer.*, at byte 0x.* in \[0\]\['sizes'\]\[1\]"):
        godot.loads(godot.dumps([{"name": "a", "sizes": [1, "b"]}]), type=list[model])


def test_any_mapping_and_sequence_is_encoded() -> None:
    for value in (OrderedDict(a=[1.0]), UserDict(a=[1.0]), {"a": deque([1.0])}, {"a": (1.0,)}, {"a": Pair(1.0)[:1]}, {"a": {1.0}}):
        for module in (attributes, lua, godot):
            assert module.loads(module.dumps(value)) == {"a": [1.0]}
    assert remote.dumps(deque([remote.Data(None, "OnClientEvent", 0x0B6F, deque([1.0]))]))  # type: ignore[arg-type]
    assert godot.loads(godot.dumps(Pair(1, 2))) == [1, 2]


def test_default_makes_what_can_be_encoded() -> None:
    packet = [remote.Data(None, "OnClientEvent", 0x0B6F, [1j])]
    assert attributes.loads(attributes.dumps({"a": 1j}, default=str)) == {"a": "1j"}
    assert godot.loads(godot.dumps([1j], default=lambda number: [number.real, number.imag])) == [[0.0, 1.0]]
    assert lua.loads(lua.dumps(1j, default=str)) == "1j"
    assert remote.loads(remote.dumps(packet, default=str))[0].arguments == ["1j"]
    with pytest.raises(EncodeError, match=r"^complex is not a type of Godot, at \[0\]$"):
        godot.dumps([1j])
    with pytest.raises(EncodeError, match="nested too deep"):
        godot.dumps([1j], default=lambda number: number)
    with pytest.raises(EncodeError, match="^type is not a type of Godot$"):
        godot.dumps(Slot)
    # the classes of another format are not dataclasses of the user
    with pytest.raises(EncodeError, match="^NodePath is not a type of LuaObject$"):
        lua.dumps(godot.NodePath(["a"]))
