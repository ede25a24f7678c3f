"""Streams of Godot values, each with its length before it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from ._enginewire.godot import FrameDecoder, dumps

if TYPE_CHECKING:
    import asyncio

    from .godot import Value

#: How much is read at once.
_CHUNK = 64 << 10


def dump_frame(value: Any, version: int = 4, *, big_endian: bool = False) -> bytes:
    """Encodes a value with its length before it, as a stream of Godot has it."""
    data = dumps(value, version)
    return len(data).to_bytes(4, "big" if big_endian else "little") + data


def read_frames(
    source: BinaryIO | Iterable[bytes] | bytes | bytearray | memoryview,
    version: int = 4,
    *,
    big_endian: bool = False,
    max_frame: int = 64 << 20,
) -> Iterator[Value]:
    """The values of a file, of pieces of bytes, or of all bytes at once, as soon as each is complete.

    `DecodeError` if a value is broken, or the stream ends within one. Its offset counts from the start of the stream.

    >>> from enginewire import godot
    >>> stream = godot.dump_frame({"hp": 5}) + godot.dump_frame("end")
    >>> list(godot.read_frames([stream[:7], stream[7:]]))
    [{'hp': 5}, 'end']
    """
    decoder = FrameDecoder(version, big_endian=big_endian, max_frame=max_frame)
    for piece in _pieces(source):
        decoder.push(piece)
        yield from decoder
    decoder.finish()


def _pieces(source: Any) -> Iterable[Any]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return [source]
    read = getattr(source, "read", None)
    return source if read is None else iter(lambda: read(_CHUNK), b"")


async def read_frames_async(
    reader: asyncio.StreamReader, version: int = 4, *, big_endian: bool = False, max_frame: int = 64 << 20
) -> AsyncIterator[Value]:
    """The same for a `StreamReader` of asyncio: `async for value in read_frames_async(reader)`."""
    decoder = FrameDecoder(version, big_endian=big_endian, max_frame=max_frame)
    while piece := await reader.read(_CHUNK):
        decoder.push(piece)
        for value in decoder:
            yield value
    decoder.finish()
