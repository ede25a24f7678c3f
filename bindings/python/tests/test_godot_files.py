"""Files of Godot, opened by `open_file`."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import enginewire
from enginewire import ChangedMeanwhile, DecodeError, EncodeError, godot, open_file

FILES = Path(__file__).parents[3] / "fixtures" / "godot-files"
KEY = bytes(range(32)).hex()
PASSWORD = {"password": "hunter2"}


@pytest.mark.parametrize(
    ("name", "options", "layers", "kind", "address", "format", "value"),
    [
        ("v4/project/project.binary", {}, "", "godot-project", "application/config/name", "godot-4", "Grüße"),
        ("v3/project/project.binary", {}, "", "godot-project", "application/config/name", "godot-3", "Grüße"),
        ("v4/config/small.cfg", {}, "", "godot-config", "player/position", "godot-4", godot.Vector3(1, 2, 3)),
        ("v4/gcpf/zstd/save.ini", {}, "GCPF (zstd)", "godot-config", "player/name", "godot-4", "Grüße"),
        ("v3/gcpf/fastlz/save.ini", {}, "GCPF (FastLZ)", "godot-config", "player/name", "godot-4", "Grüße"),
        ("v4/gdec/pass_config.cfg", PASSWORD, "GDEC (Godot 4)", "godot-config", "player/name", "godot-4", "Grüße"),
        ("v3/gdec/key_config.cfg", {"key": KEY}, "GDEC (Godot 3)", "godot-config", "player/name", "godot-4", "Grüße"),
        ("text/scene.tscn", {}, "", "godot-text", "Enemy", "godot-4", {"hp": 5}),
        ("v4/pck/plain.pck", {}, "", "godot-pack", "res://project.binary", None, (FILES / "v4/project/small.binary").read_bytes()),
        ("v4/gcpf/gzip/text_1", {}, "GCPF (gzip)", "text", "", None, (FILES / "plain/text_1").read_bytes()),
        ("v4/gdec/pass_save.json", PASSWORD, "GDEC (Godot 4)", "JSON", "", None, (FILES / "v4/plain/save.json").read_bytes()),
    ],
)
def test_each_kind_of_file_is_opened(name, options, layers, kind, address, format, value):
    path = FILES / name
    file = open_file(path, **options)
    assert (file.layers, file.kind, file.error) == (layers, kind, None)
    (found,) = [found for found in file if found.address == address]
    assert (found.format, found.value, file[address]) == (format, value, value)
    assert found.data == file.content(address)
    assert address in file
    # nothing changes, and a value that becomes itself changes nothing
    assert file.to_bytes() == path.read_bytes()
    # texts of other sources for the same value may be replaced by that of the library
    file[address] = value
    assert open_file(file.to_bytes(), **options)[address] == value


def test_frames_scripts_packets_and_single_values_are_opened():
    frames = open_file(FILES / "v4/plain/save.var")
    assert (frames.kind, [value.address for value in frames]) == ("godot-frames-le", ["[0]"])
    assert frames["[0]"]["name"] == "Grüße"
    script = open_file(FILES / "v4/export/tokens.gdc")
    assert (script.kind, {value.format for value in script}) == ("godot-script", {"godot-4"})
    assert script.to_bytes() == (FILES / "v4/export/tokens.gdc").read_bytes()
    script["[0]"] = 5
    with pytest.raises(EncodeError, match="compile it"):
        script.to_bytes()
    packets = open_file(FILES / "v4/packets.hex", format="godot-packets")
    assert packets.kind == "godot-packets" and len(packets) > 12
    blob = godot.dumps({"hp": 300, "at": godot.Vector3i(1, 2, 3)})
    value = open_file(blob)
    assert (value.kind, value.layers, value[""]) == ("value", "", godot.loads(blob))
    value[""] = {"hp": 5}
    assert value.to_bytes() == godot.dumps({"hp": 5})


def test_a_stream_goes_on_after_a_broken_value():
    stream = godot.dump_frame(1) + b"\xff" * 12 + godot.dump_frame("end")
    plain, resynced = (open_file(stream, format="godot-4", framing="le", resync=resync) for resync in (False, True))
    assert [value.error is None for value in plain] == [True, False]
    assert [value.error is None for value in resynced] == [True, False, True]
    assert "12 bytes are skipped" in str(resynced.values[1].error)
    assert resynced["[2]"] == "end"


def test_a_path_bytes_and_open_files_give_the_same():
    path = FILES / "v4/gdec/pass_config.cfg"
    data = path.read_bytes()
    for file in [str(path), path, data, bytearray(data), memoryview(data), io.BytesIO(data)]:
        assert open_file(file, **PASSWORD)["player/name"] == "Grüße"
    with path.open("rb") as file:
        assert open_file(file, **PASSWORD)["player/name"] == "Grüße"
    with pytest.raises(TypeError):
        open_file(5)
    with pytest.raises(FileNotFoundError):
        open_file(FILES / "gone")


def test_a_file_in_a_pack_is_opened_and_replaced():
    pack = open_file(FILES / "v4/pck/plain.pck")
    inner = open_file(pack.content("res://project.binary"))
    inner["application/config/name"] = "Other"
    pack["res://project.binary"] = inner.to_bytes()
    again = open_file(pack.to_bytes())
    assert open_file(again.content("res://project.binary"))["application/config/name"] == "Other"
    for before, after in zip(pack, again, strict=True):
        assert before.address == after.address
        if before.error is None:
            assert before.data == after.data
    (gone,) = [value for value in pack if value.about == "removes the file of another pack"]
    assert (gone.error, pack[gone.address]) == (None, b"")


@pytest.mark.parametrize(
    ("name", "options"),
    [("v4/gdec/pass_config.cfg", PASSWORD), ("v3/gcpf/fastlz/save.ini", {}), ("v4/config/small.cfg", {})],
)
def test_a_changed_file_is_saved_and_read_again(tmp_path, name, options):
    path = tmp_path / "save"
    path.write_bytes((FILES / name).read_bytes())
    file = open_file(path, **options)
    position = file.values[1]
    file["player/name"] = "Ada, longer than before"
    assert file["player/name"] == "Ada, longer than before"
    assert open_file(path, **options)["player/name"] == "Grüße"
    file.save()
    for read in (file, open_file(path, **options)):
        assert (read["player/name"], read["player/position"]) == ("Ada, longer than before", godot.Vector3(1, 2, 3))
        assert read.layers == open_file(FILES / name, **options).layers
    # values that were listed before are those of the file as it is now
    assert position.value == godot.Vector3(1, 2, 3)
    file["player/name"] = "Grüße"
    file.save(tmp_path / "other")
    assert open_file(tmp_path / "other", **options)["player/name"] == "Grüße"
    path.write_bytes(b"[player]\n")
    file = open_file(tmp_path / "other", **options)
    (tmp_path / "other").write_bytes(path.read_bytes())
    with pytest.raises(ChangedMeanwhile):
        file.save()
    with pytest.raises(ValueError, match="name one"):
        open_file(b"[a]\nb=1\n").save()


def test_a_wrong_password_is_an_error():
    path = FILES / "v4/gdec/pass_config.cfg"
    for options, reason in [({}, "set the option password"), ({"password": "hunter3"}, "GDEC"), ({"key": KEY}, "GDEC")]:
        with pytest.raises(DecodeError, match=reason) as caught:
            open_file(path, **options)
        assert caught.value.code == "refused"
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        open_file(path, key="00")
    with pytest.raises(TypeError, match='unknown option "passwort"'):
        open_file(path, passwort="hunter2")


def test_of_a_cut_file_the_values_before_the_cut_are_read():
    data = (FILES / "v4/project/project.binary").read_bytes()[:500]
    file = open_file(data)
    assert file.error is not None and file.error.code == "truncated"
    assert len(file.values) > 1
    assert file["application/config/name"] == "Grüße"
    read = []
    with pytest.raises(DecodeError) as caught:
        read.extend(value.address for value in file)
    assert caught.value is file.error
    with pytest.raises(KeyError, match="the rest cannot be read"):
        file["zzzzzzzzzzzzzzzz"]
    assert "broken" in repr(file)
    assert file.to_bytes() == data
    file["application/config/name"] = "Other"
    with pytest.raises(DecodeError):
        file.to_bytes()
    with pytest.raises(DecodeError) as caught:
        open_file((FILES / "v4/gcpf/zstd/text_100").read_bytes()[:-9])
    assert caught.value.code in {"truncated", "malformed"}


def test_values_that_repeat_an_address_have_numbers():
    file = open_file(b"[s]\na=1\na=2\na=3\n", format="godot-config:godot-4")
    assert dict(file.items()) == {"s/a[#0]": 1, "s/a[#1]": 2, "s/a": 3}
    file["s/a[#1]"] = 7
    del file["s/a[#0]"]
    assert file.to_bytes() == b"[s]\na=7\na=3\n"
    assert [value.value for value in file.glob("s/a[#1]")] == [7]
    with pytest.raises(KeyError, match=r"the file has no value 's/a\[#2\]'; did you mean 's/a"):
        file["s/a[#2]"]
    with pytest.raises(EncodeError):
        file["s/a[#2]"] = 1
        file.to_bytes()


def test_an_address_that_is_not_there_names_the_nearest():
    file = open_file(FILES / "v4/project/project.binary")
    for work in [lambda: file["application/config/nam"], lambda: file.__delitem__("application/config/nam")]:
        with pytest.raises(KeyError, match="did you mean 'application/config/name'"):
            work()
    assert "application/config/nam" not in file
    twice = open_file(b"[a]\nb=1\nb=2\n")
    assert [value.value for value in twice] == [1, 2]
    # the last one counts
    assert (twice["a/b"], twice["a/b[#0]"]) == (2, 1)
    twice.values[1].value = 3
    assert twice.to_bytes() == b"[a]\nb=1\nb=3\n"


def settings(*values: bytes) -> bytes:
    """A `project.binary` with these values, named `a` and so on."""
    entries = [bytes([1, 0, 0, 0, 97 + number]) + len(value).to_bytes(4, "little") + value for number, value in enumerate(values)]
    return b"ECFG" + len(values).to_bytes(4, "little") + b"".join(entries)


def test_what_two_versions_read_the_same_has_the_newer_format():
    data = settings(godot.dumps("text"), godot.dumps(5))
    file = open_file(data)
    assert [(value.format, value.value) for value in file] == [("godot-4", "text"), ("godot-4", 5)]
    file["a"] = "more"
    assert open_file(file.to_bytes())["a"] == "more"
    with pytest.raises(ValueError, match="format="):
        file["a"] = [1]
    file = open_file(data, format="godot-3")
    file["a"] = [1]
    assert file.content("a") == godot.dumps([1], 3)
    assert open_file(file.to_bytes())["a"] == [1]
    with pytest.raises(EncodeError):
        file["a"] = object()
    with pytest.raises(ValueError, match="holds no values of scrap-mechanic-lua"):
        open_file(data, format="scrap-mechanic-lua")
    with pytest.raises(ValueError, match="is neither a format nor a kind of file"):
        open_file(data, format="godot")


def test_what_two_versions_read_differently_has_no_format():
    # a Color of version 3, and a Plane of version 4
    data = settings(b"\x0e\0\0\0" + bytes(16))
    file = open_file(data)
    assert (file.values[0].format, file.content("a")) == (None, b"\x0e\0\0\0" + bytes(16))
    with pytest.raises(ValueError, match="not the same value in godot-3 and godot-4"):
        file["a"]
    assert open_file(data, format="godot-3")["a"] == godot.Color(0, 0, 0, 0)
    assert open_file(data, format="godot-4")["a"] == godot.Plane(godot.Vector3(0, 0, 0), 0)


def test_options_are_those_of_reading_values_too():
    data = settings(b"\4\0\0\0\1\0\0\0\xff\0\0\0")
    with pytest.raises(DecodeError, match="UTF-8"):
        open_file(data, format="godot-4")["a"]
    assert open_file(data, format="godot-4", any_text=True)["a"] == godot.String(b"\xff")
    with pytest.raises(DecodeError) as caught:
        open_file(data, max_memory=10)
    assert caught.value.code == "too-large"


@pytest.mark.parametrize(
    ("path", "kind", "format"),
    [
        ("roblox-model/made.rbxm", "rbxm", "roblox-attributes"),
        ("scrap-mechanic-lua/save-v28.db", "scrap-mechanic-save", "scrap-mechanic-lua"),
        ("scrap-mechanic-lua/logic.blueprint.json", "scrap-mechanic-blueprint", "scrap-mechanic-lua"),
    ],
)
def test_models_saves_and_blueprints_are_opened_too(path, kind, format):
    path = FILES.parent / path
    file = open_file(path)
    assert (file.kind, file.error) == (kind, None)
    value = next(value for value in file if value.format == format)
    before = value.value
    assert file.to_bytes() == path.read_bytes()
    value.value = before
    assert open_file(file.to_bytes())[value.address] == before


def test_other_files_are_refused():
    for data in [b"", b"PK\3\4" + bytes(26), b"hello", bytes(range(200, 255))]:
        with pytest.raises(DecodeError, match="no values"):
            open_file(data)


def test_guess_names_kinds_as_open_file_does():
    for name in ["v4/project/project.binary", "v4/config/small.cfg", "v4/pck/plain.pck", "v4/export/tokens.gdc"]:
        data = (FILES / name).read_bytes()
        assert enginewire.guess(data)[0].name == open_file(data).kind
