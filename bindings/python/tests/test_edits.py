"""Values keep the types of those that they replace, and are in the opened file when it is saved."""

from __future__ import annotations

import array
import copy
import dataclasses
import enum
import gzip
import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

from blobs import FIXTURES
from enginewire import Blueprint, DecodeError, EncodeError, Entries, OpenFile, Place, Save, attributes, godot, lua, open_file, scan
from enginewire.attributes import Color3, Double, Float, Int, Vector3

MADE = FIXTURES / "roblox-model/made.rbxm"
GODOT = FIXTURES / "godot-files/v4"
SAVE = FIXTURES / "scrap-mechanic-lua/save-v28.db"
BLUEPRINT = FIXTURES / "scrap-mechanic-lua/logic.blueprint.json"


def change_place(place: Any, number: int) -> None:
    place["Workspace.Torch.Torch"].attributes["Count"] = number


def change_save(save: Any, number: int) -> None:
    next(row for row in save if row.is_object).value = {"n": number}


def change_blueprint(blueprint: Any, number: int) -> None:
    blueprint.parts[0].value = {"n": number}


def change_file(file: Any, number: int) -> None:
    file["Workspace.Torch.Torch"] = {"Count": number}


CONTAINERS: list[tuple[Any, Path, Callable[[Any, int], None], Callable[[Any], Any]]] = [
    (Place, MADE, change_place, lambda place: place["Workspace.Torch.Torch"].attributes["Count"]),
    (Save, SAVE, change_save, lambda save: next(row for row in save if row.is_object).value["n"]),
    (Blueprint, BLUEPRINT, change_blueprint, lambda blueprint: blueprint.parts[0].value["n"]),
    (open_file, MADE, change_file, lambda file: file["Workspace.Torch.Torch"]["Count"]),
]


@pytest.mark.parametrize(("opened", "source", "change", "read"), CONTAINERS, ids=["place", "save", "blueprint", "open_file"])
def test_the_file_that_was_opened_is_saved_to(opened: Any, source: Path, change: Any, read: Any, tmp_path: Path) -> None:
    path, backup = Path(shutil.copy(source, tmp_path / source.name)), tmp_path / "backup"
    file = opened(path)
    assert not file.is_changed
    change(file, 1)
    assert file.is_changed
    file.save(backup)
    # a copy has the change, and the file that was opened has it only once it is saved, too
    assert (read(opened(backup)), path.read_bytes()) == (1, source.read_bytes())
    assert file.is_changed
    copied = backup.read_bytes()
    file.save()
    assert (read(opened(path)), file.is_changed) == (1, False)
    change(file, 2)
    file.save()
    change(file, 3)
    file.save(path)
    assert (read(opened(path)), read(file), file.is_changed) == (3, 3, False)
    assert backup.read_bytes() == copied
    path.unlink()
    file.save()
    assert read(opened(path)) == 3


def test_bytes_become_the_first_file_that_they_are_saved_to(tmp_path: Path) -> None:
    files: list[Any] = [Place(MADE.read_bytes()), open_file(MADE.read_bytes())]
    for number, file in enumerate(files):
        change = change_place if isinstance(file, Place) else change_file
        first, other = tmp_path / f"{number}.rbxm", tmp_path / f"{number}-other.rbxm"
        change(file, 1)
        file.save(first)
        file.save(other)
        change(file, 2)
        file.save()
        assert [Place(path)["Workspace.Torch.Torch"].attributes["Count"] for path in (first, other)] == [2, 1]
    blueprint = Blueprint.from_text(BLUEPRINT.read_text())
    assert not blueprint.is_changed
    change_blueprint(blueprint, 1)
    assert blueprint.is_changed
    blueprint.save(tmp_path / "b.json")
    change_blueprint(blueprint, 2)
    blueprint.save()
    assert Blueprint(tmp_path / "b.json").parts[0].value == {"n": 2}


def test_what_is_held_while_a_file_is_saved_can_be_changed_after_it(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAVE, tmp_path / "save.db"))
    save = Save(path)
    row = next(row for row in save if row.is_object)
    for number, target in enumerate([None, path, tmp_path / "copy.db", None]):
        row.value = {"n": number}
        save.save(target)
        assert row is save[row.table, row.rowid]
        assert (row.value, Save(target or path)[row.table, row.rowid].value) == ({"n": number}, {"n": number})
    place = Place(shutil.copy(MADE, tmp_path / "made.rbxm"))
    torch = place["Workspace.Torch.Torch"]
    found, tags = torch.attributes, torch.tags
    for number in range(3):
        found["Count"] = float(number)
        tags.add(f"Tag{number}")
        place.save()
    again = Place(tmp_path / "made.rbxm")["Workspace.Torch.Torch"]
    assert again.attributes["Count"] == 2.0
    assert set(again.tags) >= {"Tag0", "Tag1", "Tag2"}
    assert again.attributes == found


def test_a_row_that_is_gone_cannot_be_set(tmp_path: Path) -> None:
    sqlite3 = pytest.importorskip("sqlite3")
    path = Path(shutil.copy(SAVE, tmp_path / "save.db"))
    save = Save(path)
    gone, other = [row for row in save if row.is_object][:2]
    other.value = {"n": 1}
    connection = sqlite3.connect(path)
    connection.execute(f"delete from {gone.table} where rowid = ?", (gone.rowid,))
    connection.commit()
    connection.close()
    save.save()
    assert gone not in list(save)
    with pytest.raises(ValueError, match="is no longer in the save"):
        gone.value = {"n": 2}
    with pytest.raises(KeyError, match="the save has no row"):
        save[gone.table, gone.rowid]
    other.value = {"n": 3}
    save.save()
    assert Save(path)[other.table, other.rowid].value == {"n": 3}


WRONG_ITEMS: list[tuple[Any, str, str]] = [
    (godot.TypedArray("int", ["s"]), "expected int as a value of Array[int], found String", "[0]"),
    (godot.TypedArray("float", [1.5, 2]), "expected float as a value of Array[float], found int", "[1]"),
    (godot.TypedArray("StringName", ["s"]), "expected StringName as a value of Array[StringName], found String", "[0]"),
    (godot.TypedArray(godot.Class("Node"), [None, 1]), "expected Node as a value of Array[Node], found int", "[1]"),
    ({"a": [godot.TypedArray("int", [True])]}, "expected int as a value of Array[int], found bool", "['a'][0][0]"),
    (
        godot.TypedDictionary("String", "int", {5: 1}),
        "expected String as a key of Dictionary[String, int], found int",
        "[5]",
    ),
    (
        godot.TypedDictionary(None, "int", {5: 1.5}),
        "expected int as a value of Dictionary[Variant, int], found float",
        "[5]",
    ),
    (godot.TypedArray("Array", [godot.TypedArray("int", [None])]), "expected int as a value of Array[int], found Nil", "[0][0]"),
]


@pytest.mark.parametrize(("value", "reason", "path"), WRONG_ITEMS, ids=lambda part: str(part)[:20])
def test_items_are_of_the_types_that_their_containers_declare(value: Any, reason: str, path: str) -> None:
    with pytest.raises(EncodeError) as caught:
        godot.dumps(value)
    assert (caught.value.message.lower(), caught.value.path) == (reason.replace("Nil", "null").lower(), path)
    file = open_file(godot.dumps({"x": 1}), format="godot-4")
    with pytest.raises(EncodeError, match="expected "):
        file[""] = {"x": value}
    assert not file.is_changed


def test_items_that_fit_their_containers_are_written() -> None:
    for value in [
        godot.TypedArray("int", [1, 2]),
        godot.TypedArray(godot.Class("Node"), [None, godot.Object("Node2D"), godot.ObjectID(7), godot.NullObject()]),
        godot.TypedArray(godot.Script("res://a.gd"), []),
        godot.TypedDictionary("String", None, {"a": [1]}),
        godot.TypedDictionary(None, "float", {1: 1.5}),
        godot.TypedArray("Array", [[1], godot.TypedArray("int", [2])]),
    ]:
        assert godot.loads(godot.dumps(value)) == value
    assert godot.loads(godot.dumps(godot.TypedArray(None, [1, "a"]))) == [1, "a"]


def config(**values: Any) -> OpenFile:
    """A file with these values."""
    return open_file(godot.dumps(values), format="godot-4")


def after(old: Any, new: Any) -> Any:
    """The value after another one is set over it, in a dictionary."""
    file = config(value=old)
    file[""] = {"value": new}
    # it would be encoded to the same bytes again
    assert file.content("") == godot.dumps(file[""])
    return file[""]["value"]


def same(value: Any) -> Any:
    """A value with the types of everything in it, to compare."""
    if isinstance(value, numpy.ndarray):
        return ("array", value.dtype.str, value.shape, value.tolist())
    if isinstance(value, list):
        return [same(item) for item in value]
    if isinstance(value, dict):
        return [(same(key), same(one)) for key, one in value.items()]
    if dataclasses.is_dataclass(value):
        return (type(value), [same(getattr(value, field.name)) for field in dataclasses.fields(value)])
    return (type(value), value)


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Torch:
    fuel: float
    name: str


F4, I4 = numpy.dtype("f4"), numpy.dtype("i4")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (1.5, 2, 2.0),
        (1, 2.0, 2),
        (1, Level.HIGH, 3),
        (1.5, numpy.float32(0.5), 0.5),
        (1.5, numpy.int64(2), 2.0),
        (1.5, godot.Int(2), 2),
        (1, godot.Float(2.5), 2.5),
        # another kind of value is another type on purpose
        (1, True, True),
        (True, 1, 1),
        (1, "x", "x"),
        ("x", 1, 1),
        (1.5, None, None),
        (None, 2, 2),
        ([1.5], {"a": 1}, {"a": 1}),
        ({"a": 1}, [1], [1]),
        (godot.Vector2(1, 2), godot.Vector2i(1, 2), godot.Vector2i(1, 2)),
        (godot.Color(1, 1, 1, 1), "red", "red"),
        (godot.StringName("a"), "b", godot.StringName("b")),
        ("a", godot.StringName("b"), godot.StringName("b")),
        ([1.5, 2], [3, 4.0, 5], [3.0, 4, 5]),
        ([1.5], (3,), [3.0]),
        ({"a": 1.5, 1: 2}, {1: 3.0, "a": 4, "b": 5}, {1: 3, "a": 4.0, "b": 5}),
        ({godot.StringName("a"): 1}, {"a": 2}, {godot.StringName("a"): 2}),
        ({"fuel": 1.5, "name": godot.StringName("a")}, Torch(2, "b"), {"fuel": 2.0, "name": godot.StringName("b")}),
        (godot.TypedArray("int", [1]), [1, 9, 3.0], godot.TypedArray("int", [1, 9, 3])),
        (godot.TypedArray("float", [1.5]), (1, 2), godot.TypedArray("float", [1.0, 2.0])),
        (godot.TypedArray("float", [1.5]), godot.TypedArray("float", [1]), godot.TypedArray("float", [1.0])),
        (godot.TypedArray("int", [1]), godot.TypedArray("float", [1.5]), godot.TypedArray("float", [1.5])),
        (godot.TypedArray("int", [1]), godot.TypedArray(None, [1, "x"]), [1, "x"]),
        (godot.TypedArray("StringName", []), ["a"], godot.TypedArray("StringName", [godot.StringName("a")])),
        (
            godot.TypedArray("Array", [godot.TypedArray("int", [1])]),
            [[2], [1.5]],
            godot.TypedArray("Array", [godot.TypedArray("int", [2]), [1.5]]),
        ),
        (
            godot.TypedDictionary("StringName", "float", {godot.StringName("a"): 1.5}),
            {"a": 2, "b": 3},
            godot.TypedDictionary("StringName", "float", {godot.StringName("a"): 2.0, godot.StringName("b"): 3.0}),
        ),
        (godot.Object("Node", {"hp": 1.5}), godot.Object("Node", {"hp": 2}), godot.Object("Node", {"hp": 2.0})),
        (godot.Object("Node", {"hp": 1.5}), godot.Object("Node2D", {"hp": 2}), godot.Object("Node2D", {"hp": 2})),
        (godot.PackedStringArray(["a"]), ["b", "c"], godot.PackedStringArray(["b", "c"])),
        (numpy.array([1, 2], I4), [3, 4.0, 5], numpy.array([3, 4, 5], I4)),
        (numpy.array([1.5], F4), (2,), numpy.array([2.0], F4)),
        (numpy.array([1, 2], "u1"), [], numpy.array([], "u1")),
        (numpy.zeros((2, 3), F4), [(1, 2, 3)], numpy.array([(1, 2, 3)], F4)),
        (numpy.zeros((2, 3), F4), [godot.Vector3(1, 2, 3)], numpy.array([(1, 2, 3)], F4)),
        (numpy.zeros((2, 2), "f8"), [], numpy.zeros((0, 2), "f8")),
        (numpy.zeros((1, 4), F4), [godot.Color(1, 1, 0, 1)], numpy.array([(1, 1, 0, 1)], F4)),
        # an array names its own type
        (numpy.zeros(2, F4), numpy.zeros(2, "f8"), numpy.zeros(2, "f8")),
        ([1], array.array("i", [1]), numpy.array([1], I4)),
    ],
    ids=lambda part: repr(part)[:30],
)
def test_what_is_set_keeps_the_types_that_are_there(old: Any, new: Any, expected: Any) -> None:
    assert same(after(old, new)) == same(expected)


@pytest.mark.parametrize("new", [[(1.5, 2, 3, 4)], numpy.array([(1.5, 2, 3, 4)], F4), []], ids=["list", "array", "empty"])
def test_a_packed_array_keeps_its_kind(new: Any) -> None:
    file = config(value=godot.Packed("PackedVector4Array", numpy.zeros((2, 4), F4)))
    file[""] = {"value": new}
    found = file[""]["value"]
    assert (found.kind, found.data.tolist()) == ("PackedVector4Array", [list(row) for row in new])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (1, 2.5, "2.5 does not fit the int that is there; godot.Float(2.5) gives it another type, at ['value']"),
        (1, float("nan"), "nan does not fit the int that is there"),
        (1, float("inf"), "inf does not fit the int that is there"),
        (0.5, 2**53 + 1, "9007199254740993 does not fit the float that is there; godot.Int(9007199254740993) gives it another type"),
        ([1, 2], [1, 2.5], "2.5 does not fit the int that is there; godot.Float(2.5) gives it another type, at ['value'][1]"),
        ({"a": {"b": 1}}, {"a": {"b": 2.5}}, "at ['value']['a']['b']"),
        (godot.TypedArray("int", [1]), [1, 2.5], "expected int as a value of Array[int], found float, at ['value'][1]"),
        (godot.TypedArray("int", [1]), ["x"], "expected int as a value of Array[int], found String, at ['value'][0]"),
        (
            godot.TypedDictionary("String", "int", {"a": 1}),
            {"a": 2.5},
            "expected int as a value of Dictionary[String, int], found float, at ['value']['a']",
        ),
        (
            godot.Vector2(1, 2),
            (5, 6),
            "expected Vector2, as is there, found tuple; write one such as Vector2(1.0, 2.0), at ['value']",
        ),
        (godot.Vector2(1, 2), [5, 6], "found list; write one such as Vector2(1.0, 2.0)"),
        (godot.Vector2(1, 2), numpy.array([5, 6]), "expected Vector2, as is there, found ndarray"),
        (godot.Color(1, 1, 1, 1), {"r": 1}, "expected Color, as is there, found dict"),
        (godot.Rect2(godot.Vector2(1, 2), godot.Vector2(1, 2)), (1, 2, 3, 4), "write one such as Rect2("),
        (godot.Transform3D(godot.Basis(*[godot.Vector3(1, 0, 0)] * 3), godot.Vector3(0, 0, 0)), [], "such as Transform3D(…)"),
        (godot.Object("Node"), {"hp": 1}, "expected Object, as is there, found dict; write one such as Object(class_name='Node'"),
        (godot.TypedArray("int", []), {"a": 1}, "expected TypedArray, as is there, found dict"),
        (godot.TypedDictionary("int", None, {}), [1], "expected TypedDictionary, as is there, found list"),
        (numpy.array([1], "u1"), [1, 300], "300 does not fit the packed array that is there, at ['value'][1]"),
        (numpy.array([1], I4), [1.5], "1.5 does not fit the packed array that is there, at ['value'][0]"),
        (numpy.array([1], F4), [1e300], "1e+300 does not fit the packed array that is there"),
        (numpy.array([1], F4), ["x"], "'x' does not fit the packed array that is there"),
        (numpy.zeros((1, 3), F4), [(1, 2, 3), (1, 2)], "expected 3 numbers, at ['value'][1]"),
        (numpy.zeros((1, 3), F4), [1, 2, 3], "expected 3 numbers, at ['value'][0]"),
        (godot.PackedStringArray(["a"]), [1], "expected str or bytes, found int"),
        (1, object(), "object is not a type of Godot"),
    ],
    ids=lambda part: repr(part)[:30],
)
def test_what_does_not_fit_is_an_error(old: Any, new: Any, reason: str) -> None:
    file = config(value=old)
    with pytest.raises(EncodeError) as caught:
        file[""] = {"value": new}
    assert reason in str(caught.value)
    assert not file.is_changed


def test_values_that_nest_too_deep_to_compare_are_an_error() -> None:
    deep: list[Any] = []
    deep.append(deep)
    file = config(value=[[1]])
    with pytest.raises(EncodeError, match="contains itself"):
        file[""] = {"value": deep}
    # a value may be as deep as the format allows, and set over itself
    value: Any = 1.5
    for _ in range(90):
        value = [value]
    file = config(value=value)
    before = file.content("")
    file[""] = file[""]
    assert file.content("") == before


def test_attributes_keep_their_types() -> None:
    torch = Place(MADE)["Workspace.Torch.Torch"]
    found = torch.attributes
    before = {"Heat": Float(0.5), "Fuel": 1.5, "Count": Int(3), "Col": Color3(1, 0.5, 0), "List": [Float(0.5), Int(1)]}
    found.replace(before, any_type=True)
    found["Heat"] = 0.2
    assert same(found["Heat"]) == same(Float(0.2))
    found["Heat"] = found["Heat"] + 1
    found[b"Fuel"] = 2
    found["Count"] += 1
    found["List"] = [1, 2.0, 3]
    found.update({"Nested": {"a": Int(1)}}, any_type=True)
    found["Nested"] = {"a": 2, "b": 3}
    assert {key: same(value) for key, value in found.items()} == {
        "Heat": same(Float(Float(0.2) + 1)),
        "Fuel": same(2.0),
        "Count": same(Int(4)),
        "Col": same(Color3(1, 0.5, 0)),
        "List": same([Float(1), Int(2), 3.0]),
        "Nested": same({"a": Int(2), "b": 3.0}),
    }
    for key, value, reason in [
        ("Heat", 1e300, "1e+300 does not fit the Float that is there; attributes.Double(1e+300) gives it another type, at ['Heat']"),
        ("Count", 0.5, "0.5 does not fit the Int that is there; attributes.Double(0.5) gives it another type, at ['Count']"),
        ("Count", 1 << 31, "2147483648 does not fit the Int that is there"),
        ("Col", (1, 2, 3), "expected Color3, as is there, found tuple; write one such as Color3(1.0, 0.5, 0.0), at ['Col']"),
        ("Col", [1, 2, 3], "expected Color3, as is there, found list"),
        ("Col", {"r": 1}, "expected Color3, as is there, found dict"),
        ("Nested", {"a": 0.5}, "at ['Nested']['a']"),
    ]:
        before = torch.attribute_bytes
        with pytest.raises(EncodeError) as caught:
            found.update({"New": 1, key: value})
        assert reason in str(caught.value)
        assert torch.attribute_bytes == before
    # another type on purpose
    found.update({"Heat": Double(0.25), "Count": Double(0.5), "Fuel": Float(0.5), "Col": Vector3(1, 2, 3), "List": "text"})
    assert [same(found[key]) for key in ("Heat", "Count", "Fuel", "Col", "List")] == [
        same(value) for value in (0.25, 0.5, Float(0.5), Vector3(1, 2, 3), "text")
    ]
    found.replace({"Fuel": 1, "Col": [1, 2]}, any_type=True)
    assert [same(found[key]) for key in ("Fuel", "Col")] == [same(1.0), same([1.0, 2.0])]


def test_attributes_keep_their_types_in_any_file() -> None:
    place = Place(MADE)
    place["Workspace.Torch.Torch"].attributes = {"Count": Int(3), "Heat": Float(0.5), "Col": Color3(1, 0, 0)}
    file = open_file(place.to_bytes())
    value = file["Workspace.Torch.Torch"]
    value.update({"Count": 4, "Heat": 1.5})
    file["Workspace.Torch.Torch"] = value
    assert same(file["Workspace.Torch.Torch"]) == same({"Count": Int(4), "Heat": Float(1.5), "Col": Color3(1, 0, 0)})
    with pytest.raises(EncodeError, match="expected Color3, as is there, found tuple"):
        file["Workspace.Torch.Torch"] = {"Col": (1, 2, 3)}


def test_objects_of_lua_keep_their_structures(tmp_path: Path) -> None:
    save = Save(shutil.copy(SAVE, tmp_path / "save.db"))
    row = next(row for row in save if row.is_object)
    row.value = {"at": lua.Vec3(1, 2, 3), "list": lua.Array([1], 0), "n": 1}
    # any number takes the place of any other: scripts see no difference
    row.value = {"at": lua.Vec3(1, 2, 4), "list": [2, 3], "n": 1.5}
    save.save()
    assert row.value == {"at": lua.Vec3(1, 2, 4), "list": lua.Array([2, 3], 0), "n": 1.5}
    with pytest.raises(EncodeError, match="expected Vec3, as is there, found tuple"):
        row.value = {"at": (1, 2, 3)}
    blueprint = Blueprint(BLUEPRINT)
    blueprint.parts[0].value = {"at": lua.Vec3(1, 2, 3)}
    with pytest.raises(EncodeError, match="expected Vec3, as is there, found list"):
        blueprint.parts[0].value = {"at": [1, 2, 3]}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is empty"),
        ("a b", "has a byte that names may not have"),
        ("RBX_x", "begins with RBX, which is reserved for Roblox"),
        ("x" * 101, "is longer than 100 bytes"),
        (b"\xff", "has a byte that names may not have"),
    ],
    ids=["empty", "blank", "reserved", "long", "bytes"],
)
def test_names_that_roblox_does_not_allow_are_refused(name: Any, reason: str) -> None:
    place = Place(MADE)
    found, file = place["Workspace.Torch.Torch"].attributes, open_file(MADE)
    text = f"Roblox does not allow the name {name!r}, which {reason}; any_key=True sets it all the same"
    for change in (
        lambda: found.__setitem__(name, 1),
        lambda: found.update({"ok": 1, name: 1}),
        lambda: found.replace({name: 1}),
        lambda: setattr(place["Workspace.Torch.Torch"], "attributes", {name: 1}),
        lambda: file.__setitem__("Workspace.Torch.Torch", {name: 1}),
    ):
        with pytest.raises(EncodeError) as caught:
            change()
        assert str(caught.value) == text
    assert not place.is_changed and not file.is_changed
    found.update({name: 1}, any_key=True)
    # one that is there may be set, and be in other attributes
    found[name] = 2
    found.replace({name: 3})
    assert found[name] == 3
    found.replace({})
    found.replace({name: 4}, any_key=True)
    assert found == {name: 4}
    allowing = open_file(MADE, any_key=True)
    allowing["Workspace.Torch.Torch"] = {name: 1}
    assert allowing["Workspace.Torch.Torch"] == {name: 1}
    # names of nested entries, of properties and of other files are not limited
    found.update({"nested": {name: 1}}, any_type=True)
    file["Rule:PropertiesSerialize"] = {name: 1}
    single = open_file(attributes.dumps({"a": 1}), format="roblox-attributes")
    single[""] = {name: 1}


@pytest.mark.parametrize(
    ("value", "type_name", "reason"),
    [
        ([1, 2], "Array", "is of a type that scripts cannot set"),
        ({"a": 1}, "Dictionary", "is of a type that scripts cannot set"),
        (attributes.BrickColor(5000), "BrickColor", "is not a colour of the palette"),
        (attributes.NumberRange(5, 1), "NumberRange", "has its greatest number first"),
    ],
    ids=["list", "dict", "colour", "range"],
)
def test_values_that_no_script_can_set_are_refused(value: Any, type_name: str, reason: str) -> None:
    place = Place(MADE)
    found, file = place["Workspace.Torch.Torch"].attributes, open_file(MADE)
    text = f"Roblox does not allow the {type_name} 'new', which {reason}; any_type=True sets it all the same"
    for change in (
        lambda: found.__setitem__("new", value),
        lambda: found.update({"ok": 1, "new": value}),
        lambda: found.replace({"new": value}),
        lambda: setattr(place["Workspace.Torch.Torch"], "attributes", {"new": value}),
        lambda: file.__setitem__("Workspace.Torch.Torch", {"new": value}),
    ):
        with pytest.raises(EncodeError) as caught:
            change()
        assert str(caught.value) == text
    assert not place.is_changed and not file.is_changed
    found.update({"new": value}, any_type=True)
    # a value that is there stays, can be set again, and can move to another key
    found["other"] = 1
    found["new"] = value
    found.replace({"moved": value})
    found.replace({})
    found.replace({"new": value}, any_type=True)
    assert found == {"new": value}
    allowing = open_file(MADE, any_type=True)
    allowing["Workspace.Torch.Torch"] = {"new": value}
    # other properties and files are not limited
    file["Rule:PropertiesSerialize"] = {"new": value}
    single = open_file(attributes.dumps({"a": 1}), format="roblox-attributes")
    single[""] = {"new": value}


def test_several_attributes_with_one_key_are_replaced_together() -> None:
    found = Place(MADE)["Workspace.Torch.Torch"].attributes
    found.replace(Entries([("a", 1), ("a", 2)]))
    with pytest.raises(EncodeError, match=r"del removes them all, and replace\(Entries\(\[…\]\)\) gives .*, at \['a'\]"):
        found["a"] = 3
    found.replace(Entries([("a", 3), ("a", 4)]))
    assert found["a"] == 3
    del found["a"]
    found["a"] = 5
    assert found == {"a": 5}


def test_an_incomplete_file_says_so(tmp_path: Path) -> None:
    place = next(
        place for limit in range(700, 100_000, 100) if (place := opened(limit)) is not None and (place.problems or len(place) > 1)
    )
    assert place.problems
    assert repr(place).endswith(", broken>")
    with pytest.raises(KeyError, match="the place has no instance 'zzz'; the rest cannot be read: "):
        place["zzz"]
    save = Save(FIXTURES / "scrap-mechanic-lua/save-v28.db")
    assert repr(save).endswith("rows>")
    save.problems.append(ValueError("why"))
    assert repr(save).endswith("rows, broken>")
    with pytest.raises(KeyError, match="the save has no row .*; the rest cannot be read: why"):
        save["ScriptData", 10**6]


def opened(limit: int) -> Place | None:
    try:
        return Place(MADE, max_memory=limit)
    except DecodeError:
        return None


def test_a_name_that_is_not_there_is_like_others() -> None:
    with pytest.raises(KeyError, match="the place has no instance 'Workspace.Trch'; did you mean 'Workspace.Torch'"):
        Place(MADE)["Workspace.Trch"]
    with pytest.raises(KeyError, match="the place has no instance b'zzz'"):
        Place(MADE)[b"zzz"]


def test_a_place_names_the_kind_of_another_file(tmp_path: Path) -> None:
    for data, reason in [
        (json.dumps({"a": 1}).encode(), "the file is JSON text, not a model file"),
        (gzip.compress(MADE.read_bytes()), "the file is compressed with gzip"),
        (b"\x28\xb5\x2f\xfd" + bytes(20), "the file is compressed with zstd"),
    ]:
        path = tmp_path / "place.rbxm"
        path.write_bytes(data)
        with pytest.raises(DecodeError, match=f"place.rbxm: not a Roblox model or place file: {reason}"):
            Place(path)


def test_arguments_that_are_wrong_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="^the tag is empty$"):
        Place(MADE)["Workspace.Torch.Torch"].tags.add("")
    for wrong in (
        lambda: open_file(MADE, max_memory=-1),
        lambda: Place(MADE, max_memory=-1),
        lambda: Place(MADE.read_bytes(), max_memory=-1),
        lambda: Save(SAVE, max_memory=-1),
        lambda: Blueprint(BLUEPRINT, max_memory=-1),
        lambda: scan([MADE], max_memory=-1),
    ):
        with pytest.raises(OverflowError, match="negative"):
            wrong()
    for password in (b"hunter2", None):
        with pytest.raises(TypeError, match=f"argument \"password\": '{type(password).__name__}|password.*None"):
            open_file(FIXTURES / "godot-files/v4/gdec/pass_config.cfg", password=password)  # type: ignore[arg-type]


def test_an_error_names_the_file(tmp_path: Path) -> None:
    cut = tmp_path / "cut"
    cut.write_bytes((FIXTURES / "godot-files/v4/pck/plain.pck").read_bytes()[:200])
    with pytest.raises(DecodeError, match="cut: the pack ends before"):
        open_file(cut)
    cut.write_bytes((FIXTURES / "godot-files/v4/project/project.binary").read_bytes()[:-9])
    broken = open_file(cut)
    with pytest.raises(DecodeError, match="cut: ") as caught:
        list(broken)
    assert caught.value is broken.error
    assert repr(broken).endswith(", broken>")


def test_values_of_a_file_are_added_and_removed(tmp_path: Path) -> None:
    file = open_file(GODOT / "gdec/pass_config.cfg", password="hunter2")
    assert file.keys() == ["player/name", "player/position"]
    assert dict(file.items()) == {key: file[key] for key in file.keys()}  # noqa: SIM118
    held = file.values[0]
    del file["player/name"]
    with pytest.raises(ValueError, match="player/name is removed"):
        held.value = "a"
    with pytest.raises(KeyError, match="no value 'player/name'"):
        del file["player/name"]
    file["player/new"] = 3
    assert ("player/name" in file, file.keys(), len(file), file["player/new"]) == (False, ["player/position", "player/new"], 2, 3)
    file["player/new"] = 4
    for address, value in (("[", 1), ("*", 1), ("player/other", 1j)):
        with pytest.raises(EncodeError):
            file[address] = value
    assert (len(file.values), file.is_changed) == (2, True)
    file.save(tmp_path / "changed.cfg")
    changed = open_file(tmp_path / "changed.cfg", password="hunter2")
    assert dict(changed.items()) == {"player/position": file["player/position"], "player/new": 4}
    # one that was removed comes back to its place
    file["player/name"] = "Ada"
    del file["player/new"]
    file.save(tmp_path / "changed.cfg")
    assert [value.address for value in open_file(tmp_path / "changed.cfg", password="hunter2")] == ["player/name", "player/position"]
    one = open_file(MADE)
    with pytest.raises(EncodeError, match="no value can be added to or removed from such a file"):
        del one[one.keys()[0]]
    assert (one.is_changed, len(one)) == (False, 6)


def test_a_model_is_not_saved_by_a_name_of_another_kind(tmp_path: Path) -> None:
    models: list[Any] = [Place(MADE), open_file(MADE)]
    for opened in models:
        with pytest.raises(ValueError, match=r"x\.rbxmx: the (place|file) is not converted; as it is, its name ends in \.rbxm and"):
            opened.save(tmp_path / "x.rbxmx")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_value_of_a_row_is_refused_where_it_is_set() -> None:
    row = next(row for row in Save(SAVE) if row.is_object)
    with pytest.raises(EncodeError, match=r"complex is not a type of LuaObject, at \['a'\]"):
        row.value = {"a": 1j}


def test_attributes_and_tags_are_copied_without_their_place() -> None:
    with MADE.open("rb") as opened:
        torch = Place(opened)["Workspace.Torch.Torch"]
    assert copy.deepcopy(torch.attributes) == dict(torch.attributes)
    assert copy.deepcopy(torch.tags) == set(torch.tags)


@pytest.mark.parametrize("held", [Place(MADE), open_file(MADE), Save(SAVE), Blueprint(BLUEPRINT)], ids=lambda held: type(held).__name__)
def test_what_holds_a_file_is_not_copied(held: Any) -> None:
    for work in (copy.copy, copy.deepcopy, pickle.dumps, lambda held: copy.deepcopy([held])):
        with pytest.raises(TypeError, match=f"^{type(held).__name__} objects are not copied or pickled; save one to another path, and open that$"):
            work(held)


def test_every_kind_of_file_has_one_code_for_too_much_memory() -> None:
    for call in (
        lambda: Place(MADE, max_memory=10),
        lambda: open_file(MADE, max_memory=10),
        lambda: Blueprint(BLUEPRINT, max_memory=1),
        lambda: Save(SAVE, max_memory=10).problems[0],
    ):
        try:
            error: Any = call()
        except DecodeError as raised:
            error = raised
        assert error.code == "too-large"
