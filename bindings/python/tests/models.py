"""Model files for tests, written by hand."""

import base64
import struct
from xml.sax.saxutils import escape


def value(kind: int, *parts: bytes | float | int) -> bytes:
    """A value with its type id: a `float` is a float32 but in a Double, a text has its length before it."""
    written = bytes([kind])
    for part in parts:
        if isinstance(part, float):
            written += struct.pack("<d" if kind == 6 else "<f", part)
        elif isinstance(part, int):
            written += struct.pack("<I", part)
        elif kind == 3:
            written += part
        else:
            written += struct.pack("<I", len(part)) + part
    return written


def attributes(values: dict[str, bytes]) -> bytes:
    written = struct.pack("<I", len(values))
    for key, item in values.items():
        written += struct.pack("<I", len(key.encode())) + key.encode() + item
    return written


def model(instances: list[tuple[str, str, dict[str, bytes], list[str]]]) -> bytes:
    """A model in XML: of each instance the class, the name, the attributes and the tags."""
    text = ['<roblox version="4">']
    for number, (kind, name, values, tags) in enumerate(instances):
        text.append(f'<Item class="{kind}" referent="R{number}"><Properties><string name="Name">{escape(name)}</string>')
        for property, data in [("AttributesSerialize", attributes(values)), ("Tags", "\0".join(tags).encode())]:
            if values if property != "Tags" else tags:
                text.append(f'<BinaryString name="{property}">{base64.b64encode(data).decode()}</BinaryString>')
        text.append("</Properties></Item>")
    return "".join(text + ["</roblox>"]).encode()
