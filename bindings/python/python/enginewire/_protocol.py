"""A protocol of asyncio, which is imported only where this is used: it takes as long as the rest of the package."""

from __future__ import annotations

import asyncio
from typing import Any

from ._enginewire.godot import FrameDecoder
from ._streams import dump_frame


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
            raise ConnectionError("the protocol is not connected")
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
