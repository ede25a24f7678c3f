"""The rows of types that Rust reads, too, with the same results: tests/typed/table.rs explains them."""

from __future__ import annotations

import dataclasses
import enum
import json
from pathlib import Path
from typing import Any

import pytest

from enginewire import DecodeError, attributes, from_notation, godot, lua

MODULES: dict[str, Any] = {"roblox-attributes": attributes, "godot-4": godot, "scrap-mechanic-lua": lua}


@dataclasses.dataclass
class Point:
    x: float
    y: float
    z: float


@dataclasses.dataclass
class Slot:
    item: str
    count: int = 1
    note: str | None = None


class Team(enum.Enum):
    RED = "red"
    BLUE = "blue"


def rows() -> list[tuple[str, str, str, str]]:
    found: list[tuple[str, str, str, str]] = []
    format = ""
    for line in (Path(__file__).parents[3] / "tests/typed/table.txt").read_text().splitlines():
        if line.startswith("== "):
            format = line[3:]
        else:
            row, _, result = line.rpartition(" => ")
            kind, _, value = row.partition(": ")
            found.append((format, kind, value, result))
    return found


def plain(value: Any) -> Any:
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else value.value


@pytest.mark.parametrize(("format", "kind", "value", "result"), rows(), ids=" ".join)
def test_a_type_has_the_result_of_rust(format: str, kind: str, value: str, result: str) -> None:
    blob = bytes.fromhex(value[2:]) if value.startswith("0x") else from_notation(value, format)
    of: Any = eval(kind)
    try:
        found = MODULES[format].loads(blob, type=dict[str, of] if format == "roblox-attributes" else of)
    except DecodeError:
        assert result == "refused"
        return
    shown = json.dumps(found, default=plain, separators=(",", ":"))
    expected, _, other = result.partition(" writes 0x")
    assert shown == expected
    # a number that is of another type than `dumps` gives it keeps that
    assert MODULES[format].dumps(found) in (blob, bytes.fromhex(other))
