"""Scrap Mechanic LuaObject: what scripts keep in saves and blueprints.

>>> from enginewire import lua
>>> lua.loads(lua.dumps({"hp": 5, "names": ["a", "b"]}))
{'hp': 5, 'names': ['a', 'b']}

| Lua | Python |
|---|---|
| nil, boolean, string | `None`, `bool`, `str` (`bytes` where it is not UTF-8) |
| an integer | `int`, in as few bits as hold it; `Int16` and `Int32` where it has more |
| a number | `float`; `Double` where 64 bits hold what 32 would |
| a table that is an array | `list`; `Array` where it does not begin at 1 |
| any other table | `dict`; `Entries` where a key repeats or cannot be one, or the game would write an array |
| userdata | `uuid.UUID` and the classes of this module |

A `dict` whose keys are consecutive integers becomes an array, as in the game: `{1: "a"}` is `["a"]` when it is read again. `Entries` stay
pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

from ._enginewire.lua import *
from ._mapping import Entries
from ._numbers import Double, Integer

__all__ = [
    "KINDS",
    "Array",
    "Color",
    "Double",
    "Handle",
    "Int16",
    "Int32",
    "Json",
    "JsonTemplate",
    "Quat",
    "Value",
    "Vec3",
    "WeakScriptRef",
    "check",
    "dumps",
    "loads",
]


class Int16(Integer):
    """An integer that is kept in 16 bits, although 8 hold it."""

    __slots__ = ()


class Int32(Integer):
    """An integer that is kept in 32 bits, although fewer hold it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Array:
    """A table that is an array whose first key is `offset`."""

    elements: list[Any]
    offset: int


#: What `loads` gives.
Value: TypeAlias = (
    None | bool | int | float | str | bytes | list[Any] | dict[Any, Any] | Entries | Array
    | UUID | Color | Handle | Json | JsonTemplate | Quat | Vec3 | WeakScriptRef
)  # fmt: skip
