"""Values of game engines, and the files that hold them.

| module | format |
|---|---|
| `enginewire.attributes` | Roblox attributes |
| `enginewire.remote` | Roblox remote packets |
| `enginewire.godot` | Godot Variant, versions 3 and 4 |
| `enginewire.lua` | Scrap Mechanic LuaObject |

Each has `loads`, `dumps` and `check`. `Place`, `Save` and `Blueprint` are files that hold such values, `scan` reads many of them
into tables of Arrow, `inspect` shows every field of a value next to its bytes, and `guess` lists the possible formats of bytes.
"""

from . import attributes, godot, lua, remote
from ._atomic import ChangedMeanwhile
from ._enginewire import Report, __version__
from ._errors import DecodeError, EncodeError
from ._inspect import Guess, Node, Tree, guess, inspect
from ._mapping import Entries
from ._place import Attributes, Instance, Place, Tags
from ._save import Blueprint, Part, Row, Save
from ._scan import COLUMNS, scan, scan_bytes, scan_items

__all__ = [
    "COLUMNS",
    "Attributes",
    "Blueprint",
    "ChangedMeanwhile",
    "DecodeError",
    "EncodeError",
    "Entries",
    "Guess",
    "Instance",
    "Node",
    "Part",
    "Place",
    "Report",
    "Row",
    "Save",
    "Tags",
    "Tree",
    "__version__",
    "attributes",
    "godot",
    "guess",
    "inspect",
    "lua",
    "remote",
    "scan",
    "scan_bytes",
    "scan_items",
]
