"""Roblox attributes: what `AttributesSerialize` of an instance holds.

>>> from enginewire import attributes
>>> blob = attributes.dumps({"Health": 100.0, "Spawn": attributes.Vector3(1, 2, 3)})
>>> attributes.loads(blob)
{'Health': 100.0, 'Spawn': Vector3(1.0, 2.0, 3.0)}

| Roblox | Python |
|---|---|
| string | `str`; `bytes` where it is not UTF-8 |
| boolean | `bool` |
| number | `float`; `dumps` takes `int`, too, as Studio writes whole numbers; `Double` where there is a number of another type |
| a number of 32 bits | `Float`, which is a `float` |
| an integer of 32 bits, which Studio never writes | `Int`, which is an `int` |
| array, dictionary | `list`, `dict`; `Entries`, another mapping, where a key repeats |
| all others | the classes of this module, such as `Vector3` |

`loads` reads any object with a buffer, such as `bytes`, `memoryview` and `mmap`.
"""

from typing import Any, TypeAlias

from ._enginewire.attributes import *
from ._mapping import Entries
from ._numbers import Double as Double, Float as Float, Int as Int

#: What an attribute can be.
Value: TypeAlias = (
    bool | float | Int | str | bytes | list[Any] | dict[str | bytes, Any] | Entries
    | Axes | BrickColor | CFrame | Color3 | ColorSequence | ColorSequenceKeypoint | EnumItem | Faces | Font | NumberRange
    | NumberSequence | NumberSequenceKeypoint | Ray | Rect | Ref | Region3 | Region3int16 | TweenInfo | UDim | UDim2 | Vector2
    | Vector2int16 | Vector3 | Vector3int16
)  # fmt: skip
