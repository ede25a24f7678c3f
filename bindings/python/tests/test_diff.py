"""Differences, and patterns of addresses."""

import math
import shutil
from pathlib import Path

import pytest

import blobs
import enginewire
from enginewire import Difference, Entries, Place, Save, attributes, diff, godot, open_file
from models import model

MADE = blobs.FIXTURES / "roblox-model" / "made.rbxm"
GODOT = blobs.FIXTURES / "godot-files" / "v4"


def short(before, after):
    return [(found.path, found.kind, found.before, found.after) for found in diff(before, after)]


def test_values_are_compared_by_keys_and_indexes():
    before = {"same": [1, {"a": 2}], "gone": 1, "list": [1, 2, 3], "kind": [1], "type": 1}
    after = {"type": 1.0, "kind": {0: 1}, "list": [1, 5], "new": None, "same": [1, {"a": 2}]}
    assert short(before, after) == [
        (("gone",), "removed", 1, None),
        (("list", 1), "changed", 2, 5),
        (("list", 2), "removed", 3, None),
        (("kind",), "changed", [1], {0: 1}),
        (("type",), "changed", 1, 1.0),
        (("new",), "added", None, None),
    ]
    assert short(1, 2) == [((), "changed", 1, 2)]


def test_what_is_equal_is_no_difference():
    nan = godot.Vector3(math.nan, 0, 1)
    for value in [math.nan, nan, {"a": nan}, [1.0, "x", None], Entries([("a", 1), ("a", 2)]), {"b": 1, "a": 2}]:
        assert short(value, value) == []
        again = godot.loads(godot.dumps(value)) if not isinstance(value, Entries) else Entries(value.items())
        assert short(again, value) == []
    assert short({"a": 1, "b": 2}, {"b": 2, "a": 1}) == []
    # keys that repeat have no place of their own
    assert short(Entries([("a", 1), ("a", 2)]), Entries([("a", 1), ("a", 3)]))[0][0] == ()


def test_arrays_are_compared_as_a_whole():
    numpy = pytest.importorskip("numpy")
    arrays = [numpy.arange(6, dtype="f4"), numpy.arange(6, dtype="f4").reshape(3, 2), numpy.arange(6, dtype="f8")]
    arrays.append(numpy.array([math.nan] * 2000, dtype="f4"))
    read = [godot.loads(godot.dumps(array)) for array in arrays]
    for number, array in enumerate(read):
        for other, second in enumerate(read):
            assert bool(short({"a": array}, {"a": second})) == (number != other)


def test_a_value_may_nest_as_deep_as_it_can_be_read():
    def deep(end):
        value = end
        for _ in range(5000):
            value = [value]
        return value

    [found] = diff(deep(1), deep(2))
    assert (len(found.path), found.before, found.after) == (5000, 1, 2)


def test_attributes_and_tags_of_places_are_compared(tmp_path: Path):
    before, after = Place(MADE), Place(MADE)
    torch = after["Workspace.Torch.Torch"]
    torch.attributes["attributes"] = 1.0
    torch.tags.add("Lamp")
    path = "Workspace.Torch.Torch"
    assert sorted(short(before, after)) == [
        ((path, "attributes", "attributes"), "added", None, 1.0),
        ((path, "tags", "Lamp"), "added", None, True),
    ]
    assert short(before, before) == []


def test_namesakes_are_numbered_and_instances_of_one_side_are_named():
    def place(*values):
        return Place(model([("Part", "A", {"a": value}, []) for value in values]))

    one, two = b"\x03\x00", b"\x03\x01"
    [found] = diff(place(one, one), place(one, two))
    assert (found.path[1:], found.kind, found.before, found.after) == (("attributes", "a"), "changed", False, True)
    [found] = diff(place(one), place(one, two))
    assert (found.kind, found.after) == ("added", {"attributes": {"a": True}, "tags": {}})


def test_broken_attributes_are_compared_by_their_bytes():
    def place(value):
        return Place(model([("Part", "A", {"a": value}, [])]))

    broken = place(b"\xff\x00")
    [instance] = broken
    assert instance.attribute_bytes == b"\1\0\0\0\1\0\0\0a\xff\0"
    assert enginewire.recover(instance.attribute_bytes, "roblox-attributes")[1] is not None
    assert short(broken, broken) == []
    [found] = diff(broken, place(b"\xff\x01"))
    assert found.path[1:] == ("attributes",)
    assert attributes.loads(place(b"\x03\x01").glob("**")[0].attribute_bytes) == {"a": True}


def test_files_of_values_are_compared_by_addresses():
    before = open_file(GODOT / "gdec" / "pass_config.cfg", password="hunter2")
    after = open_file(before.to_bytes(), password="hunter2")
    assert short(before, after) == []
    after["player/name"] = "Ada"
    assert list(diff(before, after)) == [Difference(("player/name",), "changed", "Grüße", "Ada")]
    [first, *_] = diff(open_file(GODOT / "scn" / "main.scn"), open_file(GODOT / "scn" / "inner.scn"))
    assert (first.path, first.kind) == ((":root", "script"), "removed")


def test_lists_that_contain_themselves_are_compared_once():
    before, after = [1], [2]
    before.append(before)
    after.append(after)
    assert short(before, after) == [((0,), "changed", 1, 2)]


def test_rows_of_saves_are_compared(tmp_path: Path):
    path = Path(shutil.copy(blobs.FIXTURES / "scrap-mechanic-lua" / "save-v28.db", tmp_path))
    before, after = Save(path), Save(path)
    row = next(row for row in after if row.is_object)
    row.value = {"changed": True}
    assert {found.path[0] for found in diff(before, after)} == {(row.table, row.rowid)}
    assert short(before, Save(path)) == []


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("Workspace.*", ["Workspace.Torch"]),
        ("**.Torch.T*h", ["Workspace.Torch.Torch"]),
        ("Workspace.Torch", ["Workspace.Torch"]),
        ("workspace", []),
        ("**.Fire*", [b"Workspace.Torch.Torch.Fire \xff"]),
    ],
)
def test_instances_are_found_by_a_pattern(pattern, paths):
    assert [instance.path for instance in Place(MADE).glob(pattern)] == paths


def test_values_are_found_by_a_pattern():
    file = open_file(GODOT / "pck" / "plain.pck")
    assert [value.address for value in file.glob("res://project.*")] == ["res://project.binary"]
    assert len(file.glob("**")) == len(file)
    assert file.glob("none*") == []


def test_names_of_files_are_not_compared():
    for before, after in (("a", "a"), (Path("a"), Path("a")), (Path("a"), {})):
        with pytest.raises(TypeError, match="open_file opens a file"):
            diff(before, after)
    assert [difference.path for difference in diff(["a"], ["b"])] == [(0,)]
