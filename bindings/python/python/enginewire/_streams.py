"""Streams of Godot values, each with its length before it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from ._enginewire.godot import FrameDecoder, dumps

if TYPE_CHECKING:
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


class FrameProtocol(asyncio.Protocol):
    """A protocol of asyncio for a connection with a `StreamPeerTCP` of Godot. Override `value_received`.

    A value that is broken, larger than `max_frame` or cut off closes the connection, after `value_error` is called.
    """

    def __init__(self, version: int = 4, *, big_endian: bool = False, max_frame: int = 64 << 20) -> None:
        self._decoder = FrameDecoder(version, big_endian=big_endian, max_frame=max_frame)
        self._version = version
        self._big_endian = big_endian
        self._error: Exception | None = None
        self.transport: asyncio.Transport | None = None

    def value_received(self, value: Any) -> None:
        """Called with each value."""

    def value_error(self, error: Exception) -> None:
        """Called with the error, if the stream cannot be read further."""

    def send(self, value: Any) -> None:
        """Sends a value. `EncodeError` if Godot has none like it."""
        if self.transport is None:
            raise ConnectionError("there is no connection")
        self.transport.write(dump_frame(value, self._version, big_endian=self._big_endian))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self._error is not None:
            return
        self._decoder.push(data)
        while True:
            try:
                value = next(self._decoder)
            except StopIteration:
                return
            except ValueError as error:
                self._fail(error)
                return
            # an error in `value_received` is not an error of the stream
            self.value_received(value)

    def eof_received(self) -> bool:
        if self._error is None:
            try:
                self._decoder.finish()
            except ValueError as error:
                self._fail(error)
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None

    def _fail(self, error: Exception) -> None:
        self._error = error
        self.value_error(error)
        if self.transport is not None:
            self.transport.close()
