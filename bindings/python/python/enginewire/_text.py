"""Values of any format as JSON."""

from __future__ import annotations

import re
from typing import Any

from . import _enginewire


def to_json(data: Any, format: str, form: str = "exact", *, indent: bool | int | None = None, **options: bool | int | str) -> str:
    """The JSON document of a value. `form` is `exact`, which names every type; `plain`, which names none; or `rojo`. `indent` is `True`,
    or the spaces of a level. `options` are those of the program, such as `any_text=True`."""
    is_number = indent is not None and not isinstance(indent, bool)
    text = _enginewire.to_json(data, format, form, indent=is_number or indent is True, **options)
    if indent is None or not is_number:
        return text
    if indent < 0:
        raise ValueError(f"indent is {indent}; expected at least 0")
    # texts have no line breaks of their own
    return re.sub("^ +", lambda spaces: " " * (len(spaces[0]) // 2 * indent), text, flags=re.MULTILINE)
