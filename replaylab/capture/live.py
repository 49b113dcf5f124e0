"""One request put to its upstream: what comes in goes out at once, and is recorded before the end goes out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from replaylab.capture import served
from replaylab.capture.asked import Asked
from replaylab.capture.received import HUNG_UP, Received
from replaylab.capture.routes import Upstream
from replaylab.capture.served import CALLPATH, Send
from replaylab.engine.captured.session import Place
from replaylab.schema.interaction import Failure
from replaylab.wire.coding import Decoder, NotDecoded, codings_of, decoder_of
from replaylab.wire.forward import Answer, Broke, Forward
from replaylab.wire.redact import Redactor

# An answer that said its end is whole, though its connection stays open: so long is waited for more.
_END_S = 1.0
_NOT_RETURNED = frozenset(
    b"connection content-encoding keep-alive proxy-authenticate proxy-connection te trailer transfer-encoding"
    b" upgrade".split()
)
_NO_BODY = frozenset({204, 304})
_LOCATION = b"location"
# What a server can send on. A number beyond is no status of HTTP.
_STATUSES = (200, 600)


class Live:
    """For one attempt. `run` asks and hands on; `client_gone`, called meanwhile, ends it.

    `lost` is why what came could not be recorded. Its client gets it all the same: it is paid for, and a client that saw its
    answer break off would ask again.
    """

    def __init__(self, place: Place, redactor: Redactor, asked: Asked, upstream: Upstream) -> None:
        self.place, self.redactor, self.asked, self.upstream = place, redactor, asked, upstream
        self._received = Received()
        self._held: list[bytes] = []
        self._reading: asyncio.Task[None] | None = None
        self._left = False
        self.lost: Exception | None = None

    def client_gone(self) -> None:
        """Stop reading, unless the answer is at its end already: then it is worth keeping whole."""
        self._left = True
        if self._reading is not None and not self._received.ended:
            self._reading.cancel()

    async def run(self, forward: Forward, send: Send) -> bool:
        """False when the client's answer must break off: it has not got all, or can't have."""
        failure: Failure | None = None
        self._reading = asyncio.create_task(self._read(forward, send))
        if self._left:
            self._reading.cancel()
        try:
            await self._reading
        except Broke as broke:
            failure = broke.failure
        except NotDecoded:
            failure = Failure(kind="truncated", message="DecodingError")
        except asyncio.CancelledError:
            failure = HUNG_UP
        # The scan and the disk would hold up all other streams.
        try:
            await asyncio.to_thread(self._commit, failure, self.place.elapsed_ms())
        except Exception as error:  # noqa: BLE001 - kept for the command, whatever it is; the client comes first
            self.lost = error
        return await self._end(send, failure)

    def _commit(self, failure: Failure | None, latency_ms: float) -> None:
        self.place.commit(self._received.attempt(self.redactor, latency_ms, failure))

    async def _end(self, send: Send, failure: Failure | None) -> bool:
        """Hand out what waited for the disk."""
        if failure is HUNG_UP:
            return False
        if self._received.status is None and failure is not None:
            await served.no_answer(send, failure, self._named)
            return True
        for part in self._held:
            await served.piece(send, part)
        if failure is None:
            await served.piece(send, b"", last=True)
        return failure is None

    async def _read(self, forward: Forward, send: Send) -> None:
        target = self.upstream.target(self.asked.target).encode("ascii", "replace")
        base = self.upstream.base
        if base is None:
            raise Broke(Failure(kind="refused", message="UnsupportedProtocol"))
        answer = await forward.ask(
            self.asked.method,
            base,
            target,
            self.asked.forwarded(),
            self.asked.body,
            self.upstream.timeout_s,
        )
        try:
            await self._hand_on(answer, send)
        finally:
            await answer.close()

    async def _hand_on(self, answer: Answer, send: Send) -> None:
        decoder = await self._head(answer, send)
        pieces = answer.pieces()
        async for piece in _through(decoder, pieces, self._received):
            ended = self._received.piece(self.place.elapsed_ms(), piece)
            if ended:
                self._held.append(piece)
            else:
                await served.piece(send, piece)

    async def _head(self, answer: Answer, send: Send) -> Decoder | None:
        """Hand on the head of the answer. Returns what decodes its body."""
        if not _STATUSES[0] <= answer.status < _STATUSES[1]:
            raise Broke(Failure(kind="bad_shape", message=f"HTTP {answer.status}"))
        said = {name.lower(): value for name, value in answer.headers}
        has_body = self.asked.method != "HEAD" and answer.status not in _NO_BODY
        coded = [
            value.decode("latin-1") for name, value in answer.headers if name.lower() == b"content-encoding"
        ]
        decoder = decoder_of(codings_of(coded)) if has_body else None
        # Chunks count; a length beside them says nothing, or a lie.
        framed = decoder is not None or b"transfer-encoding" in said
        length = said.get(b"content-length", b"")
        known = int(length) if length.isdigit() and not framed and has_body else None
        self._received.head(
            answer.status,
            [(name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers],
            length=known,
        )
        gone = _NOT_RETURNED | ({b"content-length"} if framed else frozenset())
        headers = [
            (name, self._led(value) if name.lower() == _LOCATION else value)
            for name, value in answer.headers
            if name.lower() not in gone
        ]
        await served.start(send, answer.status, [*headers, *self._named])
        return decoder

    def _led(self, location: bytes) -> bytes:
        """Where a redirect leads: by way of the proxy where it stays at its upstream, which is recorded; else as it came."""
        target = self.upstream.target(self.asked.target)
        led = self.upstream.led(target, location.decode("latin-1"))
        if led is None:
            return location
        self._received.location = led
        return led.encode("latin-1")

    @property
    def _named(self) -> list[tuple[bytes, bytes]]:
        return [(CALLPATH, self.place.path.encode())]


async def _through(
    decoder: Decoder | None, pieces: AsyncIterator[bytes], received: Received
) -> AsyncIterator[bytes]:
    """The pieces decoded. Ends with the upstream's body, or soon after the answer said its end."""
    over: float | None = None
    while True:
        try:
            if received.ended:
                # From the end on, once: one that says more and more would else never end.
                over = over or asyncio.get_running_loop().time() + _END_S
                async with asyncio.timeout_at(over):
                    piece = await anext(pieces)
            else:
                piece = await anext(pieces)
        except (StopAsyncIteration, TimeoutError):
            break
        for part in _decoded(decoder, piece):
            yield part
            if decoder is not None:
                await asyncio.sleep(0)  # a small piece may come to much, and others wait
    if decoder is not None and not decoder.finished() and not received.ended:
        raise NotDecoded("it ends early")


def _decoded(decoder: Decoder | None, piece: bytes) -> Iterator[bytes]:
    if decoder is not None:
        return decoder.feed(piece)
    return iter((piece,) if piece else ())
