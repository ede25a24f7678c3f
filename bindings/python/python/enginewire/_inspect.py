"""The tree of all fields of a value, beside its bytes."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from . import _enginewire, _resource
from ._enginewire import attributes, godot, lua, remote
from ._errors import DecodeError

#: How many bytes of a field are shown, and how many fields.
_BYTES = 16
_ROWS = 500


@dataclass(frozen=True, slots=True)
class Node:
    """A field or structure. `start` and `end` are bytes from the beginning, `start_bit` and `end_bit` the bits within them."""

    label: str
    key: str | None
    depth: int
    start: int
    start_bit: int
    end: int
    end_bit: int
    value: str | None
    note: str | None
    broken: bool

    @property
    def place(self) -> str:
        """Its byte range: `0x1a..0x1b`, or with bits `0x1a.3..0x1b.1`."""
        if self.start_bit or self.end_bit:
            return f"{self.start:#x}.{self.start_bit}..{self.end:#x}.{self.end_bit}"
        return f"{self.start:#x}..{self.end:#x}"


class Tree:
    """Every field of a value with its place. `print` it, or leave it as the last line of a cell of a notebook.

    `format` is the name of the format, and `error` what is wrong with the bytes, if anything is.
    """

    def __init__(self, data: bytes, format: str, nodes: list[Node], error: DecodeError | None) -> None:
        self.data = data
        self.format = format
        self.nodes = nodes
        self.error = error

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def find(self, text: str) -> list[Node]:
        """The fields with this text in their label, key or value."""
        return [node for node in self.nodes if any(text in part for part in (node.label, node.key or "", node.value or ""))]

    def _rows(self) -> Iterator[tuple[Node, str]]:
        for place, node in enumerate(self.nodes):
            has_parts = place + 1 < len(self.nodes) and self.nodes[place + 1].depth > node.depth
            yield node, "" if has_parts else self._hex(node)

    def _hex(self, node: Node) -> str:
        end = node.end + (node.end_bit > 0)
        shown = self.data[node.start : min(end, node.start + _BYTES)].hex(" ")
        return f"{shown} …" if end - node.start > _BYTES else shown

    def __str__(self) -> str:
        width = max((len(node.place) for node in self.nodes), default=0)
        lines = [f"{self.format}, {len(self.data)} bytes"]
        for node, data in self._rows():
            name = node.label if node.key is None else f"{node.label} {node.key}"
            value = "" if node.value is None else f": {node.value}"
            line = f"{node.place:<{width}}  {data:<{3 * _BYTES + 1}}  {'  ' * node.depth}{name}{value}"
            lines.append(line + (f"  ({node.note})" if node.note else "") + ("  BROKEN" if node.broken else ""))
        if self.error is not None:
            lines.append(f"error: {self.error}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        broken = f", broken at byte {self.error.offset:#x}" if self.error is not None else ""
        return f"<Tree of {self.format}, {len(self.data)} bytes, {len(self.nodes)} fields{broken}>"

    def _repr_html_(self) -> str:
        """The tree beside the bytes, for notebooks."""
        cell = 'style="text-align:left;white-space:pre;font-family:monospace;padding:0 1em 0 0;vertical-align:top"'
        rows: list[str] = []
        for count, (node, data) in enumerate(self._rows()):
            if count == _ROWS:
                rows.append(f"<tr><td {cell} colspan=3>… and {len(self.nodes) - _ROWS} more fields</td></tr>")
                break
            name = html.escape(node.label if node.key is None else f"{node.label} {node.key}")
            value = "" if node.value is None else f": <b>{html.escape(node.value)}</b>"
            note = f" <i>({html.escape(node.note)})</i>" if node.note else ""
            mark = ' <span style="color:#c00">broken</span>' if node.broken else ""
            indent = "  " * node.depth
            rows.append(
                f"<tr><td {cell}>{node.place}</td><td {cell}>{html.escape(data)}</td>"
                f"<td {cell}>{indent}{name}{value}{note}{mark}</td></tr>"
            )
        error = f'<p style="color:#c00">{html.escape(str(self.error))}</p>' if self.error is not None else ""
        head = f"<p>{self.format}, {len(self.data)} bytes</p>"
        columns = "<thead><tr><th>place</th><th>bytes</th><th>field</th></tr></thead>"
        return f"{head}<table>{columns}<tbody>{''.join(rows)}</tbody></table>{error}"


#: The names of the formats, and the module and version that read each.
FORMATS: dict[str, tuple[Any, dict[str, Any]]] = {
    "scrap-mechanic-lua": (lua, {}),
    "roblox-attributes": (attributes, {}),
    "roblox-remote": (remote, {}),
    "godot-4": (godot, {"version": 4}),
    "godot-3": (godot, {"version": 3}),
    "godot-resource": (_resource, {}),
}


@dataclass(frozen=True, slots=True)
class Guess:
    """A possible kind of some bytes, and the reason.

    `name` is the format of their values; a `kind` of `open_file` such as `godot-project` for a file that holds values; or a kind of
    file without readable values, such as `ZIP`: `reason` then contains the next step. `confidence` is `certain`, `likely` or
    `possible`; `possible` is not enough to choose a format. `is_value` is true if all bytes are one value, which `loads` of the
    format can read.
    """

    name: str
    confidence: str
    reason: str
    is_value: bool


def guess(data: Any) -> list[Guess]:
    """The possible kinds of the bytes, the likeliest first, as in `enginewire guess`. Short ones may be of several formats.

    >>> guess(b"LUA\\0\\0\\0\\1\\1")[0].name
    'scrap-mechanic-lua'
    >>> guess(b"PK\\3\\4" + bytes(26))
    [Guess(name='ZIP', confidence='certain', reason='the file is a ZIP archive; unpack it first', is_value=False)]
    """
    return [Guess(*parts) for parts in _enginewire.guess(data)]


@dataclass(frozen=True, slots=True)
class Harm:
    """A value that another tool does not keep.

    `tool` is its name with the versions that were run, `effect` is `changed`, `lost` or `refused`, `outcome` what becomes of the value, and
    `advice` what to do instead. `path` is the field, empty for the whole value, and `offset` the byte where it begins.
    """

    tool: str
    effect: str
    outcome: str
    advice: str
    path: str
    offset: int | None


def harms(data: Any, *tools: str, format: str, carrier: str | None = None, address: str | None = None, **options: Any) -> list[Harm]:
    """The fields of a value that other tools would change, lose or refuse, like `enginewire check --for` for files.

    `tools` are names such as `lune` and `rojo`; `enginewire check --for help` lists them. `carrier` is the kind of the file that holds the
    value, such as `godot-config`, `address` is that of the value there, which has names that some tools lose, and `options` are those of
    `to_json`.

    >>> from enginewire import attributes
    >>> [harm.outcome for harm in harms(attributes.dumps({"Owner": 5_000_000_000}), "lune", format="roblox-attributes")]
    ['SetAttribute stores 705032704']
    """
    return [Harm(*parts) for parts in _enginewire.harms(data, list(tools), format, carrier, address, **options)]


def inspect(data: Any, format: str | None = None, **options: Any) -> Tree:
    """Every field of a value next to its bytes; of a broken value, those before the error.

    `format` is `roblox-attributes`, `roblox-remote`, `godot-3`, `godot-4`, `godot-resource` or `scrap-mechanic-lua`. It may be left out
    where the bytes are a value of only one of them. `options` are those of `to_json`, such as `any_text=True`.

    >>> from enginewire import attributes
    >>> tree = inspect(attributes.dumps({"On": True}), "roblox-attributes")
    >>> [(node.place, node.label, node.value) for node in tree.find("bool")]
    [('0xb..0xc', 'bool', 'true')]
    """
    if format is None:
        all = guess(data)
        found = [guess.name for guess in all if guess.is_value]
        if len(found) != 1:
            reason = f" ({all[0].name}: {all[0].reason})" if all else ""
            what = f"may be of {' or '.join(found)}" if found else f"are no whole value{reason}"
            raise ValueError(f"the bytes {what}; name a format: {', '.join(FORMATS)}")
        (format,) = found
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}; expected one of {', '.join(FORMATS)}")
    if isinstance(options.get("event_ids"), dict):
        ids = cast(dict[int, str], options["event_ids"])
        options["event_ids"] = "\n".join(f"{name} = {id}" for id, name in ids.items())
    parts, error = _enginewire.tree(data, format, **options)
    nodes = [
        Node(label, key, depth, start, start_bit, end, end_bit, value, note, broken)
        for label, key, depth, (start, start_bit), (end, end_bit), value, note, broken in parts
    ]
    return Tree(bytes(data), format, nodes, error)
