"""Values that other tools do not keep."""

import pytest
from enginewire import DecodeError, Harm, attributes, godot, harms, open_file


def test_a_harm_has_its_tool_place_and_outcome():
    blob = attributes.dumps({"Owner": 5_000_000_000, "RBXName": True})
    owner = Harm("Lune 0.11.1 (lune-roblox 0.4.1)", "changed", "SetAttribute stores 705032704", "use a text", 'entries[0] "Owner".value.double', 14)
    assert harms(blob, "lune", format="roblox-attributes")[0] == owner
    assert [harm.effect for harm in harms(blob, "lune", "rojo", format="roblox-attributes")] == ["changed", "lost", "refused"]
    assert harms(attributes.dumps({"Fuel": 3}), "lune", "rojo", "rbx-dom", format="roblox-attributes") == []
    assert harms(blob, format="roblox-attributes") == []


def test_the_kind_of_the_file_counts():
    value = godot.dumps(-0.0)
    assert harms(value, "godot-4", format="godot-4") == []
    (harm,) = harms(value, "godot-4", format="godot-4", carrier="godot-config")
    assert (harm.outcome, harm.path) == ("it saves 0.0", "float")


def test_the_names_of_the_value_count():
    value = godot.dumps(1, 3)
    file = open_file('[player]\n"last name"=1\nünique=2\nhp=3\n'.encode(), format="godot-config:godot-3")
    found = [harms(each.data, "godot-3.2", format="godot-3", carrier=file.kind, address=each.address) for each in file]
    assert [[harm.advice for harm in each] for each in found] == [["use `_`"], ["use ASCII"], []]
    assert harms(value, "godot-3.2", format="godot-3", carrier="godot-config") == []
    for carrier, address, message in (
        (None, "player/hp", "^an address needs carrier, the kind of the file that it is in$"),
        ("godot-config", "player/*", r"^player/\* may name several values$"),
        ("godot-config", 'player/"hp', "player/"),
    ):
        with pytest.raises(ValueError, match=message):
            harms(value, "godot-3.2", format="godot-3", carrier=carrier, address=address)


def test_what_is_unknown_is_refused():
    with pytest.raises(ValueError, match=r'^unknown tool "lua"; expected one of rojo, lune, '):
        harms(b"", "lua", format="roblox-attributes")
    with pytest.raises(ValueError, match=r'^unknown format "roblox"; expected one of '):
        harms(b"", "lune", format="roblox")
    with pytest.raises(ValueError, match=r'^unknown kind of file "ini"$'):
        harms(b"", "lune", format="godot-4", carrier="ini")
    with pytest.raises(DecodeError, match=r"ends too early"):
        harms(b"\1", "lune", format="roblox-attributes")
