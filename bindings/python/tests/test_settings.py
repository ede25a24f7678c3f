"""The settings of msgspec, pydantic, attrs and dataclasses: each is honoured, or refused when the type is compiled."""

from __future__ import annotations

import datetime
import enum
import typing
from dataclasses import InitVar, field, make_dataclass
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypedDict

import pytest

from enginewire import DecodeError, attributes, godot
from enginewire.attributes import Vector3

attr = pytest.importorskip("attr")
msgspec = pytest.importorskip("msgspec")
numpy = pytest.importorskip("numpy")
pydantic = pytest.importorskip("pydantic")

T = typing.TypeVar("T")
meta, struct, model = msgspec.Meta, msgspec.defstruct, pydantic.create_model


class Level(enum.IntEnum):
    LOW = 1


class Holder(msgspec.Struct, Generic[T]):  # type: ignore[misc, name-defined]
    item: T


class Numbers(pydantic.RootModel[list[int]]):  # type: ignore[misc, name-defined]
    pass


class Foreign: ...


class Point(NamedTuple):
    x: int
    y: int = 0


Cat, Dog = (struct(name, [("name", str)], tag=True) for name in ("Cat", "Dog"))
Bird, Fish = (model(name, kind=(Literal[name.lower()], ...), n=(int, 0)) for name in ("Bird", "Fish"))
Pet = Annotated[Bird | Fish, pydantic.Field(discriminator="kind")]
Rows = struct("Rows", [("a", int), ("b", str, "x")], array_like=True)
Small = struct("Small", [("a", int), ("b", str, "x"), ("c", list, msgspec.field(default_factory=list))], omit_defaults=True)
Camel = struct("Camel", [("some_name", int)], rename="camel")
Unset = struct("Unset", [("a", int | msgspec.UnsetType, msgspec.UNSET)])
Strict = model("Strict", __config__={"extra": "forbid"}, n=(int, pydantic.Field(alias="N")))
Positive = pydantic.dataclasses.dataclass(make_dataclass("Positive", [("n", int, pydantic.Field(gt=0, alias="N"))]))
VALID = {"_n": attr.ib(type=int, validator=attr.validators.gt(0)), "m": attr.ib(type=str, default="")}
Validated = attr.make_class("Validated", VALID)
ORDER = [("a", int), ("b", int, field(default=2, kw_only=True)), ("c", int, field(default=3, init=False))]
Ordered = make_dataclass("Ordered", ORDER)


def holder(of: Any, item: Any) -> Any:
    return Holder[of], {"item": item}, Holder(item)


#: The type, the value, and the object that it is; a text is a part of the error about the value.
HONOURED: list[tuple[Any, Any, Any]] = [
    # msgspec
    (Cat | Dog, {"type": "Dog", "name": "a"}, Dog("a")),
    (list[Cat | Dog], [{"type": "Cow"}], r"Invalid value 'Cow', at byte 0x.* in \[0\]\['type'\]"),
    (struct("F", [("a", int)], forbid_unknown_fields=True), {"a": 1, "b": 2}, "unknown field `b`"),
    (Annotated[int, meta(ge=0)], -1, "Expected `int` >= 0"),
    (dict[str, Annotated[int, meta(ge=0)]], {"a": 1, "b": 2, "c": -1, "d": 3}, r"Expected `int` >= 0, at byte 0x.* in \['c'\]"),
    (struct("L", [("s", Annotated[str, meta(max_length=1)])]), {"s": "ab"}, "length <= 1, at byte 0x.* in .'s'"),
    (Rows, [1, "y"], Rows(1, "y")),
    (Small, {"a": 1}, Small(1)),
    (Camel, {"someName": 1}, Camel(1)),
    (Unset, {}, Unset()),
    holder(int, 2),
    (Holder[int], {"item": "a"}, r"Expected `int`, got `str`, at byte 0x.* in \['item'\]"),
    (Holder[bytes], {"item": "abcd"}, "Expected `bytes`, got `str`"),
    (Holder[list[int]], {"item": godot.TypedArray("int", [1])}, Holder([1])),
    (Holder[list[int]], {"item": numpy.arange(2, dtype="i4")}, Holder([0, 1])),
    (Holder[bytes], {"item": b"ab"}, Holder(b"ab")),
    (Holder[datetime.date], {"item": "2026-11-28"}, Holder(datetime.date(2026, 11, 28))),
    (Holder[Strict], {"item": {"N": 1}}, Holder(Strict(N=1))),
    (Holder[Strict], {"item": {"N": "a"}}, r"valid integer.*, at byte 0x.* in \['item'\]"),
    holder(godot.RID, godot.RID(1)),
    holder(godot.Vector3 | None, godot.Vector3(1, 2, 3)),
    holder(Level, Level.LOW),
    # pydantic
    (Strict, {"N": 1, "x": 2}, r"Extra inputs are not permitted, at byte 0x.* in \['x'\]"),
    (Strict, {"n": 1}, "Field required"),
    (Strict | None, {"N": 1}, Strict(N=1)),
    (Numbers, [1, 2], Numbers([1, 2])),
    (Numbers, godot.TypedArray("int", [1]), Numbers([1])),
    (list[Pet], [{"kind": "fish", "n": 1}], [Fish(kind="fish", n=1)]),
    (list[Pet], [{"kind": "fish", "n": "a"}], r"valid integer.*, at byte 0x.* in \[0\]\['n'\]"),
    (Positive, {"N": 1}, Positive(N=1)),
    (Positive, {"N": -1}, r"greater than 0, at byte 0x.* in \['N'\]"),
    (dict[str, Annotated[int, pydantic.Field(gt=0)]], {"a": 1}, {"a": 1}),
    (list[pydantic.PositiveInt], [1, -1], r"greater than 0, at byte 0x.* in \[1\]"),
    (model("At", at=(godot.Vector3, ...)), {"at": 1}, "instance of Vector3"),
    # attrs
    (Validated, {"_n": 1, "m": "a"}, Validated(1, "a")),
    (Validated, {"_n": -1}, "must be > 0"),
    (Validated, {"_n": "a"}, r"expected int, found str 'a', at byte 0x.* in \['_n'\]"),
    # dataclasses and typing; what `__init__` does not take, the class finds out
    (Ordered, {"a": 1, "b": 5, "c": 9}, Ordered(1, b=5)),
    (make_dataclass("Pets", [("all", list[Cat | Dog])]), {"all": [{"type": "Cat"}]}, r"field `name`.* in \['all'\]\[0\]"),
    (Point, [1, 2, 3], "expected at most 2 items, found 3"),
    (Literal[Level.LOW], 1, Level.LOW),
    (Level, True, "expected one of 1, found bool True"),
    (bytes, numpy.zeros(2, "f4"), "expected bytes, found"),
    (set[list[int]], [[1]], "unhashable"),
]


@pytest.mark.parametrize(("of", "value", "expected"), HONOURED, ids=lambda one: str(one)[:60])
def test_a_setting_is_honoured(of: Any, value: Any, expected: Any) -> None:
    blob = godot.dumps(value)
    if isinstance(expected, str):
        with pytest.raises(DecodeError, match=expected):
            godot.loads(blob, type=of)
        return
    found = godot.loads(blob, type=of)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (Holder[godot.TypedArray], "msgspec does not know TypedArray"),
        (Holder[Foreign], "no value is a Foreign"),
        (struct("F", [("a", Foreign)]), "no value is a Foreign"),
        (struct("A", [("a", str)]) | struct("B", [("b", str)]), "multiple Struct types, all Struct types must be tagged"),
        (struct("V", [("v", Vector3 | str)]), "custom type may not contain any additional types"),
        (struct("P", [("n", Annotated[int, pydantic.Field(gt=0)])]), r"^P: FieldInfo\(.*\) is not checked by msgspec"),
        (model("M", n=(Annotated[int, meta(ge=0)], ...)), r"^M: msgspec.Meta\(ge=0\) is not checked by pydantic"),
        (model("M", __config__={"arbitrary_types_allowed": True}, s=(Cat, ...)), "^M: Cat is not checked by pydantic"),
        (dict[str, Cat] | list[Strict], "are both made of"),
        (dict[str, Foreign | Annotated[int, pydantic.Field(gt=0)]], "Unable to generate pydantic-core schema"),
        (make_dataclass("D", [("seed", InitVar[int], 0)]), r"^D\.seed: an InitVar"),
        (Generic, "no value is a Generic"),
    ],
)
def test_a_setting_is_refused_once(of: Any, message: str) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=message):
            godot.loads(godot.dumps({}), type=of)


def test_objects_are_written_as_their_library_does() -> None:
    for value, expected in (
        (Dog("a"), {"type": "Dog", "name": "a"}),
        ([Rows(1)], [[1, "x"]]),
        (Small(1), {"a": 1}),
        (Small(1, "y", [1]), {"a": 1, "b": "y", "c": [1]}),
        (Camel(1), {"someName": 1}),
        (Unset(), {}),
        (Strict(N=1), {"N": 1}),
        (Numbers([1, 2]), [1, 2]),
        (Positive(N=1), {"N": 1}),
        (Validated(1), {"_n": 1, "m": ""}),
    ):
        assert godot.loads(godot.dumps(value)) == expected
        assert godot.loads(godot.dumps(value), type=type(value)) == value or isinstance(value, list)
    assert attributes.loads(attributes.dumps(model("M", a=(int | None, None), b=(int, 1))())) == {"b": 1}


def test_whole_floats_of_roblox_are_integers_of_structs() -> None:
    value = struct("Mixed", [("i", int), ("f", float), ("b", bool), ("tag", Literal[3])])(1, 2.5, True, 3)
    assert attributes.loads(attributes.dumps(value), type=type(value)) == value
    for number in (-0.0, 2.0**60, float("inf")):
        found = attributes.loads(attributes.dumps({"item": number}), type=Holder[float])
        assert repr(found.item) == repr(number)
    found = attributes.loads(attributes.dumps({"item": attributes.Float(0.1)}), type=Holder[attributes.Float])
    assert repr(found.item) == "Float(0.1)"
    for number, of in ((0.1, attributes.Float), (1e300, attributes.Float), (1, Vector3)):
        with pytest.raises(DecodeError, match=rf"expected {of.__name__}, found .*, at byte 0x.* in \['item'\]"):
            attributes.loads(attributes.dumps({"item": number}), type=Holder[of])
    with pytest.raises(DecodeError, match="Expected `int`, got `float`"):
        attributes.loads(attributes.dumps({"item": 1.5}), type=Holder[int])


def test_a_dictionary_of_keys_has_the_one_at_fault() -> None:
    of = struct("Keys", [("n", int)])
    value = {"p": {str(number): {"n": number if number != 7 else "x"} for number in range(20)}}
    blob = attributes.dumps(value)
    with pytest.raises(DecodeError) as caught:
        attributes.loads(blob, type=dict[str, dict[str, of]])  # type: ignore[valid-type]
    assert caught.value.path == "['p']['7']['n']"
    assert blob[caught.value.offset :][:6] == b"\x02\x01\0\0\0x"


def test_models_of_pydantic_have_the_classes() -> None:
    frame, number = attributes.CFrame | None, attributes.Float
    of = model("Spot", at=(Vector3, ...), turned=(frame, None), heat=(number, number(0.5)))
    spot = of(at=Vector3(1, 2, 3), turned=attributes.CFrame(Vector3(0, 0, 0), 2))
    assert attributes.loads(attributes.dumps(spot), type=of) == spot
    text = spot.model_dump_json()
    assert text == (
        '{"at":{"x":1.0,"y":2.0,"z":3.0},"turned":{"position":{"x":0.0,"y":0.0,"z":0.0},"rotation":2},"heat":0.5}'
    )
    assert of.model_validate_json(text) == spot
    assert of.model_json_schema()["properties"]["at"]["required"] == ["x", "y", "z"]


class Keys(TypedDict):
    a: int
    b: NotRequired[Annotated[int, pydantic.Field(gt=0)]]


def test_fields_of_a_typed_dictionary_are_checked() -> None:
    assert godot.loads(godot.dumps({"a": 1, "b": 2}), type=Keys) == {"a": 1, "b": 2}
    with pytest.raises(DecodeError, match=r"greater than 0, at byte 0x.* in \['b'\]"):
        godot.loads(godot.dumps({"a": 1, "b": -2}), type=Keys)


def test_what_a_model_writes_is_what_pydantic_gives() -> None:
    plus = pydantic.PlainSerializer(lambda value: value + 1)

    class Computed(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        n: int

        @pydantic.computed_field  # type: ignore[untyped-decorator]
        @property
        def twice(self) -> int:
            return 2 * self.n

    class Whole(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        n: int

        @pydantic.model_serializer  # type: ignore[untyped-decorator]
        def made(self) -> str:
            return f"n is {self.n}"

    class Own(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        n: int

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            return handler(source) | {"serialization": {"type": "function-plain", "function": lambda value: [value.n]}}

    sub = type("Sub", (Computed,), {"__annotations__": {"more": str}})
    models = [
        Computed(n=1),
        Whole(n=2),
        Own(n=3),
        Numbers([1]),
        Strict(N=1),
        model("Flat", a=(int | None, None), b=(list[str], []))(b=["x"]),
        model("Open", __config__={"extra": "allow"}, a=(int, 1))(b="more"),
        model("Plus", a=(Annotated[int, plus], ...))(a=1),
        model("Hidden", a=(int, pydantic.Field(1, exclude=True)), b=(int, 2))(),
        model("Renamed", a=(int, pydantic.Field(1, serialization_alias="A")))(),
        # a field of a class has its fields alone
        model("Holds", a=(Computed, ...))(a=sub(n=1, more="x")),
    ]
    for one in models:
        expected = one.model_dump(by_alias=True)
        for _ in range(2):
            assert godot.loads(godot.dumps([one])) == [expected]
            assert godot.loads(godot.dumps(one)) == expected
    assert attributes.loads(attributes.dumps({"a": models[5]})) == {"a": {"b": ["x"]}}
