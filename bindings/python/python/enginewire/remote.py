"""Roblox remote packets: what RemoteEvents and RemoteFunctions send.

>>> from enginewire import remote
>>> packet = [remote.Data(remote.Ref(1, 1142143), "OnClientEvent", 0x0B6F, [True, "Hi"])]
>>> remote.loads(remote.dumps(packet)) == packet
True

A packet is a list of `Data`. Its arguments are

| Roblox | Python |
|---|---|
| nil, boolean, number, string | `None`, `bool`, `float`, `str` (`bytes` where it is not UTF-8) |
| a table | `list` or `dict`; `Entries` where a key repeats |
| Instance | `Ref` or `NoInstance` |
| CFrame | `CFrame` of this module, whose rotation is an id or a `PackedQuaternion` |
| Vector3, … | the classes of `enginewire.attributes` |

The ids of events differ from build to build: `EVENT_IDS` has those that were captured, and `event_ids` names others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._enginewire.attributes import Vector3 as Vector3  # a field of CFrame
from ._enginewire.remote import *

__all__ = [
    "EVENT_IDS",
    "CFrame",
    "Data",
    "NoInstance",
    "PackedQuaternion",
    "Ref",
    "check",
    "dumps",
    "loads",
]


@dataclass(frozen=True, slots=True)
class Data:
    """An event of a remote.

    `event` is the name of `event_id`. Only a RemoteFunction has a `call`, and only data from a client to the server has a
    `player`. `RemoteOnInvokeError` has a `message` and no arguments.
    """

    remote: Ref | None
    event: str
    event_id: int
    arguments: list[Any] = field(default_factory=list[Any])
    call: int | None = None
    player: Ref | None = None
    message: str | bytes | None = None


@dataclass(frozen=True, slots=True)
class NoInstance:
    """No instance, where one may be."""
