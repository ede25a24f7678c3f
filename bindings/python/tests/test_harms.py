"""Values that other tools do not keep."""

import pytest
from enginewire import DecodeError, Harm, attributes, godot, harms


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


def test_what_is_unknown_is_refused():
    with pytest.raises(ValueError, match=r'^unknown tool "lua"; expected one of rojo, lune, '):
        harms(b"", "lua", format="roblox-attributes")
    with pytest.raises(ValueError, match=r'^unknown format "roblox"; expected one of '):
        harms(b"", "lune", format="roblox")
    with pytest.raises(ValueError, match=r'^unknown kind of file "ini"$'):
        harms(b"", "lune", format="godot-4", carrier="ini")
    with pytest.raises(DecodeError, match=r"ends too early"):
        harms(b"\1", "lune", format="roblox-attributes")
