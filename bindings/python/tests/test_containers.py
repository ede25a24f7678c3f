"""Files that hold values: they are read, changed, and replaced completely or not at all."""

from __future__ import annotations

import base64
import json
import os
import pickle
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blobs import CORPUS, FIXTURES
from enginewire import Blueprint, ChangedMeanwhile, DecodeError, EncodeError, Entries, Instance, Place, Save, attributes, open_file
from enginewire.attributes import Double, Int, Vector3

MODELS = sorted(path for path in (FIXTURES / "roblox-model").iterdir() if path.suffix in (".rbxm", ".rbxl", ".rbxmx"))
SAVES = sorted((FIXTURES / "scrap-mechanic-lua").glob("*.db"))
BLUEPRINTS = sorted((FIXTURES / "scrap-mechanic-lua").glob("*.blueprint.json"))


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return Path(shutil.copy(FIXTURES / "roblox-model/made.rbxm", tmp_path / "made.rbxm"))


def state(instance: Instance) -> tuple[Any, list[Any]]:
    """The bytes of the attributes, or the error that they are; and the tags."""
    try:
        return attributes.dumps(dict(instance.attributes)), list(instance.tags)
    except DecodeError as error:
        return str(error), list(instance.tags)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_every_attribute_of_a_model_is_read(path: Path) -> None:
    place = Place(path)
    assert len(place) == len(list(place)) > 0
    assert place.to_bytes() == path.read_bytes()
    assert not place.is_changed
    for instance in place.with_attributes():
        assert instance in place.find(instance.location)
        assert state(instance)[0]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_a_change_is_in_the_saved_file_and_nothing_else(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path / path.name))
    place = Place(copy)
    before = [state(instance) for instance in place]
    changed = next(iter(place))
    changed.attributes["New"] = Vector3(1, 2, 3)
    changed.tags.add("Lamp")
    assert place.is_changed
    place.save()
    assert not place.is_changed
    assert place[changed.location].attributes["New"] == Vector3(1, 2, 3)
    again = Place(copy)
    assert len(again) == len(place)
    (lamp,) = again.with_tag("Lamp")
    assert lamp.path == changed.path
    assert sum(state(instance) != old for instance, old in zip(again, before, strict=True)) == 1
    del lamp.attributes["New"]
    lamp.tags.remove("Lamp")
    assert [state(instance) for instance in again] == before


def test_instances_have_names_and_parents(made: Path) -> None:
    place = Place(made)
    torch = place["Workspace.Torch.Torch"]
    assert torch.name == "Torch"
    assert torch.parent is not None and torch.parent.path == "Workspace.Torch"
    assert torch == place[torch.location] == place[f"#{torch.referent!r}"]
    assert "Workspace.Torch.Torch" in place
    assert "Nothing" not in place
    with pytest.raises(KeyError):
        place["Nothing"]
    assert torch in torch.parent.children
    assert [child for top in place.children for child in [top, *below(top)]] == sorted(place, key=lambda found: order(place, found))
    assert all(top.parent is None for top in place.children)
    with Place(made) as same:
        assert [child.name for child in same["Workspace.Torch.Torch"].children] == [b"Fire \xff"]


def below(instance: Instance) -> list[Instance]:
    return [found for child in instance.children for found in [child, *below(child)]]


def order(place: Place, instance: Instance) -> list[int]:
    """The numbers of an instance and of all that it is in, from the root."""
    above = [] if instance.parent is None else order(place, instance.parent)
    return [*above, list(place).index(instance)]


def test_attributes_are_decoded_once_until_they_change(made: Path) -> None:
    place = Place(made)
    torch, other = place["Workspace.Torch.Torch"], place["Workspace.Torch"]
    torch.attributes.replace({"Text": "x" * 100, "List": [1.0, {"a": [2.0]}], "Number": 1.5}, any_type=True)
    other.attributes = {"Text": "y" * 100}
    assert torch.attributes["Text"] is torch.attributes["Text"]
    assert other.attributes["Text"] is other.attributes["Text"] != torch.attributes["Text"]
    held = torch.attributes
    # what is changed within a value is not in the file, and not in later values
    held["List"].append(5.0)
    held["List"][1]["a"].clear()
    assert torch.attributes["List"] == [1.0, {"a": [2.0]}]
    place["Workspace.Torch.Torch"].attributes["Text"] = "new"
    assert held["Text"] == "new"
    del torch.attributes["Text"]
    assert set(held) == {"List", "Number"}
    torch.attributes = {}
    assert dict(held) == {}
    # more instances than are kept
    for number, instance in enumerate(place):
        instance.attributes = {"n": float(number)}
    assert [instance.attributes["n"] for instance in place] == [float(number) for number in range(len(place))]


def test_a_value_that_instances_share_is_decoded_once() -> None:
    item = '<Item class="Folder" referent="{0}"><Properties><SharedString name="AttributesSerialize">k</SharedString></Properties></Item>'
    blob = base64.b64encode(attributes.dumps({"Text": "x" * 100})).decode()
    shared = f'<SharedStrings><SharedString md5="k">{blob}</SharedString></SharedStrings>'
    xml = f'<roblox version="4">{item.format("A")}{item.format("B")}{shared}</roblox>'
    one, other = Place(xml.encode())
    assert one.attributes["Text"] is other.attributes["Text"]
    other.attributes["Text"] = "y"
    assert (one.attributes["Text"], other.attributes["Text"]) == ("x" * 100, "y")


def test_an_update_changes_all_attributes_or_none(made: Path) -> None:
    found = Place(made)["Workspace.Torch.Torch"].attributes
    found.replace({"a": 1.0, "i": Int(1)})
    found.update({"b": 2}, i=3)
    found.update([("c", "x"), ("c", "y")])
    assert attributes.dumps(dict(found)) == attributes.dumps({"a": 1.0, "i": Int(3), "b": 2.0, "c": "y"})
    with pytest.raises(EncodeError) as caught:
        found.update({"a": 9.0, "Bad": [object()]})
    assert (caught.value.path, found["a"]) == ("['Bad'][0]", 1.0)


def test_attributes_are_a_mapping(made: Path) -> None:
    torch = Place(made)["Workspace.Torch.Torch"]
    torch.attributes.update(Fuel=1.0, Name="x")
    assert torch.attributes["Fuel"] == 1.0
    assert torch.attributes.pop("Name") == "x"
    with pytest.raises(KeyError):
        torch.attributes["Name"]
    with pytest.raises(KeyError):
        del torch.attributes["Name"]
    with pytest.raises(EncodeError) as caught:
        torch.attributes["Bad"] = [object()]
    assert caught.value.path == "['Bad'][0]"
    torch.attributes = {"Only": True}
    assert dict(torch.attributes) == {"Only": True}
    torch.attributes = Entries([("a", 1.0), ("a", 2.0)])
    assert (len(torch.attributes), torch.attributes["a"]) == (1, 1.0)
    torch.attributes.clear()
    assert dict(torch.attributes) == {}


def test_a_whole_number_is_a_double_unless_the_attribute_is_an_int(made: Path) -> None:
    found = Place(made)["Workspace.Torch.Torch"].attributes
    found["Fuel"] = 40
    assert type(found["Fuel"]) is float
    found.replace({"Double": 1.5, "Int": Int(7), "Text": "x"})
    found.update({"Double": 2, "Int": 8, "Text": 9, "New": 10, "Explicit": Int(11)})
    found["Int"] += 1
    assert attributes.dumps(dict(found)) == attributes.dumps(
        {"Double": 2.0, "Int": Int(9), "Text": 9.0, "New": 10.0, "Explicit": Int(11)}
    )
    # what an Int cannot hold is an error, unless it is to be a Double
    for key, number in {"Int": 1 << 40, "Explicit": 0.5}.items():
        with pytest.raises(EncodeError, match="does not fit the Int that is there"):
            found[key] = number
    found.update({"Int": Double(1 << 40), "Explicit": Double(0.5)})
    assert (type(found["Int"]), found["Int"], found["Explicit"]) == (float, float(1 << 40), 0.5)
    with pytest.raises(EncodeError, match="is not a float of 64 bits"):
        found["New"] = (1 << 53) + 1


def test_tags_are_a_set(made: Path) -> None:
    torch = Place(made)["Workspace.Torch.Torch"]
    torch.tags.add("A")
    torch.tags |= {"B", "C"}
    assert set(torch.tags) >= {"A", "B", "C"}
    torch.tags.discard("A")
    torch.tags.discard("A")
    assert "A" not in torch.tags
    assert torch.tags & {"B", "X"} == {"B"}
    with pytest.raises(ValueError):
        torch.tags.add("")


def test_a_broken_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DecodeError):
        Place(b"nothing")
    (tmp_path / "text.rbxm").write_bytes(b"nothing")
    for opened in (Place, Save, Blueprint, open_file):
        with pytest.raises(DecodeError, match="text.rbxm: ") as caught:
            opened(tmp_path / "text.rbxm")
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(FileNotFoundError):
        Place(tmp_path / "missing.rbxm")
    with pytest.raises(ValueError, match="not read from a file"):
        Place(MODELS[0].read_bytes()).save()


READ = """
import resource, sys
from enginewire import Place
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        for instance in Place(path, max_memory=64 << 20):
            len(instance.attributes)
    except ValueError:
        pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.skipif(CORPUS is None or os.name != "posix", reason="no corpus, or no measure of memory")
def test_hostile_models_take_little_more_than_the_memory_they_may() -> None:
    assert CORPUS is not None
    paths = sorted((CORPUS / "hostile" / "models").glob("*.rbx*"))
    done = subprocess.run([sys.executable, "-c", READ, *paths], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 96


def test_what_others_write_is_not_lost(made: Path) -> None:
    place = Place(made)
    place["Workspace.Torch.Torch"].attributes["Fuel"] = 1.0
    made.write_bytes(b"other")
    with pytest.raises(ChangedMeanwhile):
        place.save()
    assert made.read_bytes() == b"other"
    assert [path.name for path in made.parent.iterdir()] == ["made.rbxm"]
    place.save(made.parent / "copy.rbxm")
    assert Place(made.parent / "copy.rbxm")["Workspace.Torch.Torch"].attributes["Fuel"] == 1.0


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_a_file_keeps_its_mode_and_a_link_stays_one(made: Path) -> None:
    made.chmod(0o640)
    link = made.parent / "link.rbxm"
    link.symlink_to(made.name)
    place = Place(link)
    place["Workspace.Torch.Torch"].attributes["Fuel"] = 1.0
    place.save()
    assert link.is_symlink()
    assert stat.S_IMODE(made.stat().st_mode) == 0o640
    assert Place(made)["Workspace.Torch.Torch"].attributes["Fuel"] == 1.0
    os.link(made, made.parent / "other.rbxm")
    with pytest.raises(OSError, match="hard links"):
        place.save()
    made.parent.joinpath("other.rbxm").unlink()
    made.chmod(0o440)
    with pytest.raises(PermissionError):
        place.save()


def test_a_failed_write_leaves_nothing(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = made.read_bytes()
    place = Place(made)
    place["Workspace.Torch.Torch"].attributes["Fuel"] = 1.0

    def fail(*_: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        place.save()
    assert made.read_bytes() == before
    assert [path.name for path in made.parent.iterdir()] == ["made.rbxm"]
    assert place.is_changed


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.name)
def test_objects_of_a_save_are_read_and_changed(path: Path, tmp_path: Path) -> None:
    expected = json.loads(path.with_suffix(".rows.json").read_text())
    copy = Path(shutil.copy(path, tmp_path / path.name))
    save = Save(copy)
    assert save.version == int(path.stem.rsplit("v", 1)[1])
    assert save.problems == []
    objects = [row for row in save if row.is_object]
    documents = [entry for entry in expected if entry["document"] is not None]
    assert len(objects) == len(documents) > 0
    changed = objects[0]
    value = {"n": 1, "at": [1, 2]}
    changed.value = value
    others = {(row.table, row.rowid): row.unpack() for row in save if row is not changed}
    save.save()
    again = Save(copy)
    assert again[changed.table, changed.rowid].value == value
    assert {(row.table, row.rowid): row.unpack() for row in again if (row.table, row.rowid) in others} == others
    assert [path.name for path in tmp_path.iterdir()] == [copy.name]
    for row in save:
        if not row.is_object:
            with pytest.raises(ValueError, match="no object"):
                row.value = 1


def test_saves_of_any_version_are_read(tmp_path: Path) -> None:
    for version, warnings in ((27, []), (29, ["save version 29 is unknown"])):
        path = Path(shutil.copy(FIXTURES / f"reports/save-v{version}.db", tmp_path))
        save = Save(path)
        assert (save.version, [text.split(";")[0] for text in save.warnings]) == (version, warnings)
        row = next(row for row in save if row.is_object)
        row.value = True
        save.save()
        assert Save(path)[row.table, row.rowid].value is True
    with pytest.raises(DecodeError, match="its table ScriptData has no column data"):
        Save(FIXTURES / "scrap-mechanic-lua/bad/save-without-data.db")


def test_a_row_that_others_change_is_not_lost(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAVES[0], tmp_path / "save.db"))
    mine, other = Save(path), Save(path)
    place = next((row.table, row.rowid) for row in mine if row.is_object)
    other[place].value = "other"
    other.save()
    mine[place].value = "mine"
    for target in (path, tmp_path / "copy.db"):
        with pytest.raises(ChangedMeanwhile):
            mine.save(target)
    assert Save(path)[place].value == "other"
    assert [path.name for path in tmp_path.iterdir()] == ["save.db"]
    path.chmod(0o440)
    with pytest.raises(PermissionError):
        other.save(path)


def test_a_file_that_is_no_save_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    path.write_bytes(b"nothing")
    with pytest.raises(DecodeError):
        Save(path)


def test_wrong_files_and_arguments_are_refused(tmp_path: Path, made: Path) -> None:
    gone = tmp_path / "gone"
    for container in (Place, Save, Blueprint):
        with pytest.raises(FileNotFoundError) as missing:
            container(gone)
        assert missing.value.filename in (str(gone), gone)
    gone.write_bytes(b'{"\xff')
    with pytest.raises(DecodeError, match="not UTF-8") as broken:
        Blueprint(gone)
    assert broken.value.offset == 2
    for wrong in (5, ["text"], None):
        with pytest.raises(TypeError):
            Place(wrong)
    place = Place(made)
    first = next(iter(place))
    with pytest.raises(TypeError, match="expected str or bytes, found int"):
        place[0]  # type: ignore[index]
    with pytest.raises(TypeError, match="expected str or bytes, found int"):
        first.tags.add(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tags is a str"):
        first.tags = "Lamp"
    assert not place.is_changed
    elsewhere = tmp_path / "no folder" / "place.rbxm"
    with pytest.raises(FileNotFoundError, match="no file can be made in its folder") as missing:
        place.save(elsewhere)
    assert missing.value.filename == str(elsewhere)


@pytest.mark.parametrize("path", BLUEPRINTS, ids=lambda path: path.name)
def test_objects_of_a_blueprint_are_read_and_changed(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path / path.name))
    blueprint = Blueprint(copy)
    before = [part.value for part in blueprint.parts]
    assert len(before) > 0
    blueprint.parts[-1].value = {"changed": 5}
    blueprint.save()
    assert [part.value for part in Blueprint(copy).parts] == [*before[:-1], {"changed": 5}]
    assert Blueprint.from_text(copy.read_text()).text == copy.read_text()
    with pytest.raises(DecodeError):
        Blueprint.from_text("{}")
    with pytest.raises(EncodeError):
        blueprint.parts[0].value = object()


def folder_with(blob: bytes) -> Place:
    """A model with the folder `F`, whose attributes these are."""
    text = base64.b64encode(blob).decode()
    return Place(
        b'<roblox version="4"><Item class="Folder" referent="A"><Properties><BinaryString name="AttributesSerialize">'
        + f'{text}</BinaryString><string name="Name">F</string></Properties></Item></roblox>'.encode()
    )


def test_several_attributes_with_one_key_are_not_changed() -> None:
    entry = bytes.fromhex("01000000") + b"a" + bytes([3])
    place = folder_with(bytes.fromhex("02000000") + entry + bytes([0]) + entry + bytes([1]))
    before, found = place.to_bytes(), place["F"].attributes
    text = "several attributes have this key, and readers do not agree on the one that counts; del removes them all"
    with pytest.raises(EncodeError, match=re.escape(text)):
        found["a"] = True
    with pytest.raises(EncodeError, match=re.escape(text)):
        found.update({"b": 1, "a": 2})
    found["a"] = False  # as the first is
    assert place.to_bytes() == before
    del found["a"]
    found["a"] = True
    assert found == {"a": True}


def test_attributes_that_are_not_canonical_keep_their_bytes() -> None:
    blob = bytes.fromhex("01000000 01000000") + b"a" + bytes([3, 7])  # a boolean of 7
    place = folder_with(blob)
    place["F"].attributes["b"] = True
    changed = place.to_bytes().decode().split(">")[4].split("<")[0]
    assert base64.b64decode(changed).startswith(bytes([2]) + blob[1:])
    assert attributes.check(base64.b64decode(changed)).non_canonical == 1
