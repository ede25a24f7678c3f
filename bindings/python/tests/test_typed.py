"""Values as objects of types, and objects of types as values."""

from __future__ import annotations

import enum
from array import array
from collections import OrderedDict, UserDict, deque
from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import InitVar, dataclass, field, make_dataclass
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, Optional, TypedDict, TypeVar, Union

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
        ({"a": [1]}, Mapping[str, list[int]], {"a": [1]}),
        (2, int | str, 2),
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


T = TypeVar("T")


@dataclass
class Box(Generic[T]):
    item: T


@dataclass
class IntBox(Box[int]):
    pass


@dataclass
class SubBox(Box[list[T]], Generic[T]):
    more: T


@dataclass
class Seeded:
    item: str
    seed: InitVar[int] = 0


class Foreign: ...


@dataclass
class Node:
    nodes: list[Node]
    slot: Slot | list[Slot] | None = None


class Level(enum.IntEnum):
    LOW = 1


Named = NewType("Named", Slot)


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (list[Slot] | list[Torch], r"are both made of a list"),
        (dict[str, Slot] | Slot, r"are both made of a dict"),
        (dict[str, Any] | Slot, r"are both made of a dict"),
        (Union[Slot, Any], r"Slot and Any are both"),
        (Pair | list[float], r"Pair and list\[float\] are both made of a list"),
        (Team | str, r"Team and str are both made of a str, and nothing tells which"),
        (Level | float, r"Level and float are both made of a number"),
        (int | Level | None, r"int and Level are both made of a number"),
        (Box, r"^Box\.item: ~T stands for any type; write a class whose fields have types of their own"),
        (SubBox[int], r"the parameters of .*SubBox\[int\] are given on to another class"),
        (Seeded, r"^Seeded\.seed: an InitVar is not a part of a value"),
        (deque, r"no value is a deque"),
        (dict[str, Foreign], r"no value is a Foreign"),
        (IntBox, r"^IntBox\.item: ~T stands for any type"),
        (list[T], r"^list\[~T\]: ~T stands for any type"),  # type: ignore[valid-type]
        (deque[int], r"the parameters of .*deque\[int\] are not checked"),
        (MutableSequence[int], r"the parameters of .*MutableSequence\[int\] are not checked"),
        (tuple[int, *tuple[str, ...]], r"has any number of items of several types"),
        (list[3], r"3 is not a type"),  # type: ignore[valid-type]
    ],
)
def test_a_type_that_is_not_honoured_is_refused(of: Any, message: str) -> None:
    values: list[Any] = [{}, [], 1.0, "red"]
    for value in values:
        for module in (attributes, lua, godot) if value == {} else (lua, godot):
            blob = module.dumps(value)
            # each time, and whatever the value is
            for _ in range(2):
                with pytest.raises(TypeError, match=message):
                    module.loads(blob, type=of)


def test_unions_of_what_can_be_told_apart() -> None:
    for value, of, expected in (
        ({"item": "a"}, Slot | list[Slot] | None, Slot("a")),
        ([{"item": "a"}], Slot | list[Slot] | None, [Slot("a")]),
        ({"nodes": [{"nodes": [], "slot": [{"item": "a"}]}]}, Node, Node([Node([], [Slot("a")])])),
        ([1, "a"], list[int] | list[int | str], [1, "a"]),
        ("red", Team | Level | None, Team.RED),
        (1, Team | Level | None, Level.LOW),
        ({"item": "a"}, Named, Slot("a")),
        ({"item": "a"}, Annotated[Slot, "text"], Slot("a")),
        ([], tuple[()], ()),
        ([godot.RID(1), godot.NodePath(["a"])], list[godot.RID | godot.NodePath], [godot.RID(1), godot.NodePath(["a"])]),
        (godot.TypedArray("int", [1]), godot.TypedArray | list[Slot], godot.TypedArray("int", [1])),
    ):
        found: Any = godot.loads(godot.dumps(value), type=of)
        assert (found, type(found)) == (expected, type(expected))
    with pytest.raises(DecodeError, match="expected 0 items, found 1"):
        godot.loads(godot.dumps([1]), type=tuple[()])


def test_of_classes_that_fit_the_one_with_most_keys_is_made() -> None:
    attr = pytest.importorskip("attr")
    one: Any = attr.make_class("One", {"a": attr.ib(type=int), "b": attr.ib(type=str)})
    for value, of, expected in (
        ({"item": "a", "count": 2}, Slot | Options, Slot("a", 2)),
        ({"name": "a", "item": "b", "size": 3}, Slot | Options, {"name": "a", "size": 3}),
        ([{"a": 1, "b": "x"}, {"item": "x"}], list[Slot | one], [one(1, "x"), Slot("x")]),
        ({"x": 1.0}, Pair | Slot | None, Pair(1.0)),
    ):
        for module in (lua, godot):
            found: Any = module.loads(module.dumps(value), type=of)
            assert (found, type(found)) == (expected, type(expected))
    message = r"Slot and Named have as many of its keys, and nothing determines which it is, at byte 0x.* in \[0\]"
    with pytest.raises(DecodeError, match=message):
        other: Any = make_dataclass("Named", [("item", str)])
        godot.loads(godot.dumps([{"item": "a"}]), type=list[Slot | other])


def test_parameters_of_a_class_are_those_of_its_fields() -> None:
    for value, of, expected in (({"item": 2.0}, Box[int], 2), ({"item": [{"item": "a"}]}, Box[list[Box[str]]], [Box("a")])):
        assert attributes.loads(attributes.dumps(value), type=of) == Box(expected)
    with pytest.raises(DecodeError, match=r"expected int, found str 'a', at byte 0xc in \['item'\]"):
        attributes.loads(attributes.dumps({"item": "a"}), type=Box[int])


def test_parameters_tell_classes_apart() -> None:
    for value, expected in ({"item": "a"}, Box("a")), ({"item": 2}, Box(2)):
        assert godot.loads(godot.dumps(value), type=Box[int] | Box[str]) == expected
    with pytest.raises(DecodeError, match=r"Box\[int\] and .*Box\[float\] have as many of its keys"):
        godot.loads(godot.dumps({"item": 2}), type=Box[int] | Box[float])


def test_arrays_have_no_parameters() -> None:
    numpy = pytest.importorskip("numpy")
    blob = godot.dumps(numpy.arange(3, dtype="i4"))
    for of in (numpy.ndarray, numpy.typing.NDArray[Any]):
        assert godot.loads(blob, type=of).tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="the parameters of .* are not checked"):
        godot.loads(blob, type=numpy.typing.NDArray[numpy.float32])


def test_structs_of_msgspec() -> None:
    msgspec = pytest.importorskip("msgspec")
    inner: Any = msgspec.defstruct("Inner", [("at", Vector3), ("size", int, 1)])
    outer = msgspec.defstruct("Outer", [("all", list[inner]), ("name", str | None, None)], rename={"all": "All"})
    value = outer([inner(Vector3(1, 2, 3)), inner(Vector3(0, 0, 0), 7)])
    blob = attributes.dumps(value)
    assert list(attributes.loads(blob)) == ["All"]
    assert attributes.loads(blob, type=outer) == value
    with pytest.raises(DecodeError, match=r"missing required field `at`, at byte 0x.* in \['All'\]\[0\]"):
        attributes.loads(attributes.dumps({"All": [{}]}), type=outer)


def test_models_of_pydantic() -> None:
    pydantic = pytest.importorskip("pydantic")
    model: Any = pydantic.create_model("Model", name=(str, ...), sizes=(list[int], []))
    value = model(name="a", sizes=[1, 2])
    assert attributes.loads(attributes.dumps(value), type=model) == value
    with pytest.raises(DecodeError, match=r"valid integer.*, at byte 0x.* in \[0\]\['sizes'\]\[1\]"):
        godot.loads(godot.dumps([{"name": "a", "sizes": [1, "b"]}]), type=list[model])


def test_a_dict_with_consecutive_integers_is_an_array_as_in_the_game() -> None:
    for value, expected in (
        ({1: "a", 2: "b"}, ["a", "b"]),
        ({-2: True, -1: None}, lua.Array([True, None], -2)),
        ({1: "a", 3: "b"}, {1: "a", 3: "b"}),
        ({2: "b", 1: "a"}, {2: "b", 1: "a"}),
        ({True: "a"}, {True: "a"}),
        ({}, {}),
    ):
        found = lua.loads(lua.dumps(value))
        assert (found, type(found)) == (expected, type(expected))
    # pairs that the game would not write stay so
    pairs = lua.dumps(Entries([(1, "a"), (2, "b")]))
    found = lua.loads(pairs)
    assert (found, type(found), lua.dumps(found)) == (Entries([(1, "a"), (2, "b")]), Entries, pairs)
    assert lua.loads(pairs, type=dict[int, str]) == lua.loads(lua.dumps(["a", "b"]), type=dict[int, str]) == {1: "a", 2: "b"}
    with pytest.raises(DecodeError, match=r"expected str, found int 2, at byte 0x.* in \[6\]"):
        lua.loads(lua.dumps({5: "a", 6: 2}), type=dict[int, str])


@dataclass(kw_only=True)
class Labelled(Generic[T]):
    item: T
    more: int | None
    rest: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Frozen:
    item: str
    at: Vector3 | None = None
    hidden: int = field(default=3, init=False)


def test_fields_go_to_the_arguments_with_their_names() -> None:
    for value, of, expected in (
        ({"more": 1, "item": "a"}, Labelled[str], Labelled(item="a", more=1)),
        ({"item": "a"}, Labelled[str], Labelled(item="a", more=None)),
        ({"item": "a", "hidden": 9}, Frozen, Frozen("a")),
        ([{"item": "a", "at": None}], list[Frozen], [Frozen("a")]),
    ):
        assert godot.loads(godot.dumps(value), type=of) == expected
    assert attributes.loads(attributes.dumps(Frozen("a", Vector3(1, 2, 3))), type=Frozen) == Frozen("a", Vector3(1, 2, 3))


def test_a_class_that_contains_itself_is_no_endless_loop() -> None:
    node = Node([])
    node.nodes.append(node)
    for module in (attributes, lua, godot):
        with pytest.raises(EncodeError, match="nested too deep"):
            module.dumps(node)
    deep: Any = {"nodes": []}
    for _ in range(60):
        deep = {"nodes": [deep]}
    found = godot.loads(godot.dumps(deep), type=Node)
    assert godot.loads(godot.dumps(found), type=Node) == found
    with pytest.raises(DecodeError, match="expected dict, found int 1") as caught:
        godot.loads(godot.dumps({"nodes": [{"nodes": [1]}]}), type=Node)
    assert caught.value.path == "['nodes'][0]['nodes'][0]"


def test_a_class_that_changes_what_is_encoded_is_harmless() -> None:
    class Hostile:
        def __getattribute__(self, name: str) -> Any:
            held["more"].clear()
            return object.__getattribute__(self, name)

    made: Any = make_dataclass("Made", [("item", str)], bases=(Hostile,))
    held: dict[str, Any] = {"more": ["text " * 9, made("a" * 99)], "after": "b" * 99}
    for module in (attributes, lua, godot):
        held["more"] = ["text " * 9, made("a" * 99)]
        assert module.loads(module.dumps(held)) == {"more": ["text " * 9, {"item": "a" * 99}], "after": "b" * 99}
    broken: Any = made("a")
    del broken.item
    with pytest.raises(AttributeError, match="item"):
        godot.dumps([broken])


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
    # nor does a metaclass decide which class one is
    equal = type("Equal", (type,), {"__eq__": lambda one, other: True, "__hash__": lambda one: 1})
    unhashed = type("Unhashed", (type,), {"__eq__": lambda one, other: True})
    for metaclass in (equal, unhashed):
        names: list[Any] = ["first", "second"]
        objects = [metaclass(name, (make_dataclass("Base", [(name, int)]),), {})(1) for name in names]
        assert [godot.loads(godot.dumps(one)) for one in objects] == [{"first": 1}, {"second": 1}]
    assert godot.loads(godot.dumps(equal("Other", (), {})(), default=lambda _: 1)) == 1
    # the classes of another format are not dataclasses of the user
    with pytest.raises(EncodeError, match="^NodePath is not a type of LuaObject$"):
        lua.dumps(godot.NodePath(["a"]))
