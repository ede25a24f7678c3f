"""Values of game engines, and the files that hold them.

| module | format |
|---|---|
| `enginewire.attributes` | Roblox attributes |
| `enginewire.remote` | Roblox remote packets |
| `enginewire.godot` | Godot Variant, versions 3 and 4 |
| `enginewire.lua` | Scrap Mechanic LuaObject |

Each has `loads`, `dumps` and `check`. `to_json` and `to_notation` give the text of a value of any format, and `from_json` and
`from_notation` its bytes; `recover` gives the readable part of a broken one. `load` reads a file with one value. `Place`, `Save` and
`Blueprint` are files that hold such values, `open_file` opens all others, and `scan` reads many of them into tables of Arrow. `diff`
compares values and files, `inspect` shows every field of a value next to its bytes, `harms` lists those that other tools would not keep, and
`guess` lists the possible formats of bytes.
"""

from . import attributes, godot, lua, remote
from ._atomic import ChangedMeanwhile
from ._diff import Difference, diff
from ._enginewire import Report, __version__, from_json, from_notation, recover, to_notation
from ._errors import DecodeError, EncodeError
from ._inspect import Guess, Harm, Node, Tree, guess, harms, inspect
from ._mapping import Entries
from ._open import OpenFile, Value, load, open_file
from ._place import Attributes, Instance, Place, Tags
from ._save import Blueprint, Part, Row, Save
from ._scan import COLUMNS, scan, scan_bytes, scan_items
from ._text import to_json
from ._typed import for_others

for _module in (attributes, godot, lua, remote):
    for_others(_module)

__all__ = [
    "COLUMNS",
    "Attributes",
    "Blueprint",
    "ChangedMeanwhile",
    "DecodeError",
    "Difference",
    "EncodeError",
    "Entries",
    "Guess",
    "Harm",
    "Instance",
    "Node",
    "OpenFile",
    "Part",
    "Place",
    "Report",
    "Row",
    "Save",
    "Tags",
    "Tree",
    "Value",
    "__version__",
    "attributes",
    "diff",
    "from_json",
    "from_notation",
    "godot",
    "guess",
    "harms",
    "inspect",
    "load",
    "lua",
    "open_file",
    "recover",
    "remote",
    "scan",
    "scan_bytes",
    "scan_items",
    "to_json",
    "to_notation",
]
