"""Streams of Godot values, and the tree of their fields."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
from typing import Any

import pytest

from blobs import FIXTURES
from enginewire import DecodeError, EncodeError, attributes, godot, guess, inspect, lua, remote

VALUES: list[Any] = [{"hp": 5}, [1, 2.5, None], "end"]


def stream(**options: Any) -> bytes:
    return b"".join(godot.dump_frame(value, **options) for value in VALUES)


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("big_endian", [False, True])
def test_pieces_of_any_size_give_the_same_values(size: int, big_endian: bool) -> None:
    data = stream(big_endian=big_endian)
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert list(godot.read_frames(pieces, big_endian=big_endian)) == VALUES
    assert list(godot.read_frames(io.BytesIO(data), big_endian=big_endian)) == VALUES
    for whole in (data, bytearray(data), memoryview(data)):
        assert list(godot.read_frames(whole, big_endian=big_endian)) == VALUES


@pytest.mark.parametrize("name", ["godot-4/tcp_v4.frames", "godot-3/store_var_v3.frames", "godot-4/debugger_v4.frames"])
def test_real_streams(name: str) -> None:
    data = (FIXTURES / name).read_bytes()
    version = 3 if "v3" in name else 4
    decoder = godot.FrameDecoder(version)
    decoder.push(data)
    values: list[Any] = []
    offset = len(data)
    while decoder.pending and offset == len(data):
        try:
            values.append(next(decoder))
        except DecodeError as error:
            # this one ends with a packet that is not a value
            assert name == "godot-4/tcp_v4.frames"
            offset = error.offset - 4
    assert values
    assert b"".join(godot.dump_frame(value, version) for value in values) == data[:offset]


def test_errors_have_the_offset_in_the_stream() -> None:
    good = godot.dump_frame("ok")
    with pytest.raises(DecodeError) as caught:
        list(godot.read_frames([good, (4).to_bytes(4, "little") + b"\xff\0\0\0"]))
    assert caught.value.offset == len(good) + 4
    with pytest.raises(DecodeError) as caught:
        list(godot.read_frames([good[:-1]]))
    assert (caught.value.code, caught.value.offset) == ("truncated", 0)
    with pytest.raises(DecodeError) as caught:
        list(godot.read_frames([good, b"\xff\xff\xff\x7f"], max_frame=1000))
    assert (caught.value.code, caught.value.offset) == ("too-large", len(good))


def test_values_go_both_ways_between_two_protocols() -> None:
    async def run() -> list[Any]:
        received: list[Any] = []
        finished = asyncio.Event()

        class Server(godot.FrameProtocol):
            def value_received(self, value: Any) -> None:
                self.send({"echo": value})

        class Client(godot.FrameProtocol):
            def value_received(self, value: Any) -> None:
                received.append(value)
                if len(received) == len(VALUES):
                    finished.set()

        loop = asyncio.get_running_loop()
        server = await loop.create_server(Server, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        transport, client = await loop.create_connection(Client, "127.0.0.1", port)
        for value in VALUES:
            client.send(value)
        await asyncio.wait_for(finished.wait(), 60)
        transport.close()
        server.close()
        await server.wait_closed()
        return received

    assert asyncio.run(run()) == [{"echo": value} for value in VALUES]


def test_a_broken_stream_closes_the_connection() -> None:
    class Transport(asyncio.Transport):
        closed = False

        def close(self) -> None:
            self.closed = True

    class Protocol(godot.FrameProtocol):
        def __init__(self) -> None:
            super().__init__()
            self.errors: list[Exception] = []

        def value_error(self, error: Exception) -> None:
            self.errors.append(error)

    transport, protocol = Transport(), Protocol()
    with pytest.raises(ConnectionError):
        protocol.send(1)
    protocol.connection_made(transport)
    protocol.data_received((4).to_bytes(4, "little") + b"\xff\0\0\0")
    assert transport.closed
    assert [type(error) for error in protocol.errors] == [DecodeError]
    with pytest.raises(EncodeError):
        protocol.send(object())


def test_an_error_of_the_receiver_is_no_error_of_the_stream() -> None:
    class Protocol(godot.FrameProtocol):
        def value_received(self, value: Any) -> None:
            raise ValueError("the receiver")

        def value_error(self, error: Exception) -> None:
            pytest.fail("the stream is sound")

    with pytest.raises(ValueError, match="the receiver"):
        Protocol().data_received(stream())


def test_a_stream_reader_is_an_iterator() -> None:
    async def run() -> list[Any]:
        reader = asyncio.StreamReader()
        reader.feed_data(stream()[:10])
        reader.feed_data(stream()[10:])
        reader.feed_eof()
        return [value async for value in godot.read_frames_async(reader)]

    assert asyncio.run(run()) == VALUES


def test_a_tree_has_every_field_with_its_place() -> None:
    blob = attributes.dumps({"On": True, "Name": "<b>Torch</b>"})
    tree = inspect(blob, "roblox-attributes")
    assert tree.error is None
    assert [node.label for node in tree if node.depth == 0][:2] == ["length", "entries"]
    (node,) = [node for node in tree.find("Torch") if node.label == "content"]
    assert blob[node.start : node.end] == b"<b>Torch</b>"
    assert "<b>Torch" not in tree._repr_html_()
    assert "&lt;b&gt;Torch" in tree._repr_html_()
    assert "01 00" in tree._repr_html_() or "02 00" in tree._repr_html_()
    assert str(tree).startswith(f"roblox-attributes, {len(blob)} bytes\n0x0..0x4")


def test_a_broken_value_has_the_fields_before_its_error() -> None:
    blob = attributes.dumps({"On": True})[:-1]
    tree = inspect(blob, "roblox-attributes")
    assert isinstance(tree.error, DecodeError)
    assert tree.error.offset == len(blob)
    assert any(node.broken for node in tree)
    assert "error:" in str(tree) and str(tree.error) in str(tree)
    assert "broken" in repr(tree)


def test_the_format_is_detected() -> None:
    blob = lua.dumps({"hp": 5})
    assert inspect(blob).format == "scrap-mechanic-lua"
    assert [(found.name, found.confidence, found.is_value) for found in guess(blob)] == [("scrap-mechanic-lua", "certain", True)]
    assert {found.name for found in guess(bytes(4)) if found.is_value} >= {"roblox-attributes", "godot-3", "godot-4"}
    stream = godot.dump_frame({"hp": 5})
    assert [found.reason for found in guess(stream) if found.confidence == "likely"][0] == "1 value with its length"
    assert not any(found.is_value for found in guess(stream) if found.confidence == "possible")
    assert guess(blob[:-1] + b"\0" * 9)[0].name == "scrap-mechanic-lua"
    with pytest.raises(ValueError, match="may be of"):
        inspect(bytes(4))
    with pytest.raises(ValueError, match="no whole value"):
        inspect(b"\xff")
    # files of other kinds are never a value, with any bytes after their first ones
    for begin, name in (
        (b"PK\3\4\x14\0\0\0", "ZIP"), (b"GCPF\2\0\0\0", "GCPF"), (b"TILE\0\0\0\0", "TILE"), (b"\x7fELF\2\1\1\0", "ELF"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gzip"), (b"<roblox!\x89\xff\r\n\x1a\n", "rbxm"), (b"SQLite format 3\0", "scrap-mechanic-save"),
    ):  # fmt: skip
        for length in range(10):
            (found,) = guess(begin + bytes(range(100, 100 + 9 * length)))
            assert (found.name, found.confidence, found.is_value) == (name, "certain", False)
    with pytest.raises(ValueError, match="no whole value \\(ZIP: the file is a ZIP archive; unpack it first\\); name a format"):
        inspect(b"PK\3\4" + bytes(26))
    assert any(node.start_bit for node in inspect(blob))
    with pytest.raises(ValueError, match="no format"):
        inspect(blob, "nothing")
    with pytest.raises(TypeError, match="nothing"):
        inspect(blob, "scrap-mechanic-lua", nothing=True)


def test_options_are_those_of_the_format() -> None:
    blob = (FIXTURES / "roblox-remote/bad/unknown-event.bin").read_bytes()
    assert inspect(blob, "roblox-remote").error is not None
    assert inspect(blob, "roblox-remote", event_ids={**remote.EVENT_IDS, 0x0B50: "OnServerEvent"}).error is None


def test_asyncio_is_imported_when_it_is_used() -> None:
    script = "import sys, enginewire; assert 'asyncio' not in sys.modules; enginewire.godot.FrameProtocol"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert isinstance(godot.FrameProtocol(), asyncio.Protocol)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        godot.Nothing  # type: ignore[attr-defined]  # noqa: B018
