"""Values as text, and files whose values are documents."""

import json
import pathlib

import enginewire
import pytest
from enginewire import DecodeError, EncodeError, attributes, godot, lua

from blobs import FIXTURES

VALUES = [
    ("roblox-attributes", attributes.dumps({"On": True, "Spawn": attributes.Vector3(1, 2, 3)})),
    ("godot-4", godot.dumps([1, "a", godot.Color(1, 0.5, 0, 1)])),
    ("godot-3", godot.dumps({"a": None}, version=3)),
    ("scrap-mechanic-lua", lua.dumps({"a": 1})),
]


@pytest.mark.parametrize(("format", "data"), VALUES)
def test_text_gives_the_same_bytes(format, data):
    document = enginewire.to_json(data, format)
    assert enginewire.from_json(document) == enginewire.from_json(document, format) == data
    assert json.loads(enginewire.to_json(data, format, indent=True)) == json.loads(document)
    assert enginewire.from_json(enginewire.to_json(data, format, "plain"), format, "plain", like=data) == data
    assert enginewire.from_notation(enginewire.to_notation(data, format), format) == data


def test_the_form_of_rojo():
    data = VALUES[0][1]
    text = enginewire.to_json(data, "roblox-attributes", "rojo")
    assert json.loads(text)["On"] == {"Bool": True}
    assert enginewire.from_json(text, "roblox-attributes", "rojo") == data
    with pytest.raises(ValueError, match="godot-4 has no rojo form"):
        enginewire.to_json(VALUES[1][1], "godot-4", "rojo")


def test_errors_of_text():
    with pytest.raises(ValueError, match='unknown format "yaml"; expected one of '):
        enginewire.to_json(b"", "yaml")
    with pytest.raises(ValueError, match='unknown form "long"; expected exact, plain or rojo'):
        enginewire.to_json(b"", "godot-4", "long")
    with pytest.raises(TypeError, match="unknown option"):
        enginewire.to_json(b"", "godot-4", colour=True)
    with pytest.raises(DecodeError) as wrong:
        enginewire.to_json(b"\2\0\0", "godot-4")
    assert (wrong.value.offset, wrong.value.code) == (0, "truncated")
    with pytest.raises(EncodeError, match="names no format"):
        enginewire.from_json("{}")
    with pytest.raises(EncodeError, match="at line 1 column"):
        enginewire.from_json('{"format": "godot-variant", "version": 4, "type": "int"}')
    with pytest.raises(EncodeError, match="expected"):
        enginewire.from_notation("Vector2(1, ", "godot-4")


def test_what_can_be_read_of_a_broken_value_is_had():
    data = attributes.dumps({"a": 1.0, "b": "text", "c": True})
    assert enginewire.recover(data, "roblox-attributes") == (data, None)
    part, error = enginewire.recover(data[:-2], "roblox-attributes")
    assert attributes.loads(part) == {"a": 1.0, "b": "text"}
    with pytest.raises(DecodeError) as refused:
        attributes.loads(data[:-2])
    assert (error.code, error.offset, error.path) == ("truncated", refused.value.offset, refused.value.path)
    assert enginewire.recover(b"\xff\xff\xff\xff", "godot-4")[0] is None
    with pytest.raises(ValueError, match='unknown format "yaml"'):
        enginewire.recover(data, "yaml")


def test_a_file_with_one_value_is_loaded(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(godot.dumps([1, 2]))
    assert enginewire.load(path, format="godot-4") == [1, 2]
    assert enginewire.load(attributes.dumps({"On": True}), format="roblox-attributes") == {"On": True}
    assert enginewire.load(FIXTURES / "godot-files/v4/res/curve.res")["format"] == "godot-resource"
    with pytest.raises(ValueError, match="has 2 values; open_file gives each by its address"):
        enginewire.load(FIXTURES / "godot-files/v4/config/small.cfg")
    path.write_bytes(godot.dumps([1, 2])[:-1])
    with pytest.raises(DecodeError, match="ends too early"):
        enginewire.load(path, format="godot-4")


def test_a_resource_is_a_document(tmp_path):
    data = (FIXTURES / "godot-files/v4/res/curve.res").read_bytes()
    file = enginewire.open_file(data)
    (value,) = file
    assert (value.format, value.value["format"]) == ("godot-resource", "godot-resource")
    assert file.to_bytes() == data
    value.value = value.value
    assert file.to_bytes() == data
    tree = enginewire.inspect(data)
    assert tree.format == "godot-resource"
    assert tree.find("magic")[0].place == "0x0..0x4"


def test_nodes_of_a_scene_are_values():
    file = enginewire.open_file(FIXTURES / "godot-files/v4/scn/heir.scn")
    assert file.kind == "godot-scene"
    assert file["Sprite"] == {"position": godot.Vector2(1, 2)}
    file[":root"] = {"position": godot.Vector2(7, 8)}
    assert enginewire.open_file(file.to_bytes())[":root"] == {"position": godot.Vector2(7, 8)}


def test_json_is_indented_by_any_number_of_spaces() -> None:
    blob = attributes.dumps({"a": [1], "b": "x\n  y"})
    for indent, spaces in ((True, 2), (2, 2), (4, 4), (0, 0)):
        text = enginewire.to_json(blob, "roblox-attributes", "plain", indent=indent)
        assert text == json.dumps(json.loads(text), indent=spaces)
    for indent in (None, False):
        assert enginewire.to_json(blob, "roblox-attributes", "plain", indent=indent) == '{"a":[1],"b":"x\\n  y"}'
    with pytest.raises(ValueError, match="indent is -1"):
        enginewire.to_json(blob, "roblox-attributes", indent=-1)
