from __future__ import annotations

import asyncio
import socket
import struct

import httpcore2
import pytest

from replaylab.wire.streams import Streams


async def connected(port: int) -> httpcore2.AsyncNetworkStream:
    return await Streams().connect_tcp("127.0.0.1", port, timeout=60)


def test_what_came_before_the_end_is_read_before_the_end() -> None:
    async def main() -> list[bytes]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"all of it")
            writer.close()
            await writer.wait_closed()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            stream = await connected(server.sockets[0].getsockname()[1])
            await asyncio.sleep(0.05)
            assert stream.get_extra_info("is_readable")
            found = [await stream.read(100, 1), await stream.read(100, 1)]
            await stream.aclose()
            return found

    assert asyncio.run(main()) == [b"all of it", b""]


def test_silence_is_a_read_timeout_and_the_connection_lives_on() -> None:
    async def main() -> bytes:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.read(100))
            writer.close()
            await writer.wait_closed()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            stream = await connected(server.sockets[0].getsockname()[1])
            with pytest.raises(httpcore2.ReadTimeout):
                await stream.read(100, 0.05)
            assert not stream.get_extra_info("is_readable")
            await stream.write(b"hello", 1)
            found = await stream.read(100, 1)
            await stream.aclose()
            return found

    assert asyncio.run(main()) == b"hello"


def test_a_reset_is_a_read_error_and_then_nothing_can_be_written() -> None:
    async def main() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            stream = await connected(server.sockets[0].getsockname()[1])
            await stream.write(b"xyz", 1)
            with pytest.raises(httpcore2.ReadError):
                await stream.read(100, 1)
            with pytest.raises(httpcore2.WriteError):
                await stream.write(b"more", 1)
            await stream.aclose()

    asyncio.run(main())


def test_nobody_there_is_a_connect_error() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(httpcore2.ConnectError):
            asyncio.run(connected(bound.getsockname()[1]))


def test_one_who_takes_nothing_is_a_write_timeout() -> None:
    async def main() -> None:
        taken = asyncio.Event()

        async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await taken.wait()
            writer.transport.abort()

        server = await asyncio.start_server(deaf, "127.0.0.1", 0, limit=1)
        async with server:
            stream = await connected(server.sockets[0].getsockname()[1])
            with pytest.raises(httpcore2.WriteTimeout):
                await stream.write(bytes(64 << 20), 0.2)
            await stream.aclose()
            taken.set()
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(main(), 20))
