"""Resources of Godot, whose values are exact JSON documents: they have no classes here."""

from __future__ import annotations

import json
from typing import Any

from ._enginewire import from_json, to_json

_FORMAT = "godot-resource"


def loads(data: Any, *, any_text: bool = False, trailing_bytes: bool = False) -> Any:
    return json.loads(to_json(data, _FORMAT, any_text=any_text, trailing_bytes=trailing_bytes))


def dumps(value: Any) -> bytes:
    return from_json(json.dumps(value), _FORMAT)
