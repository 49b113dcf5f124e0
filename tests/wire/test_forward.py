from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from replaylab.errors import UsageError
from replaylab.wire.forward import Answer, Base, Broke, Forward
from tests.capture.proxying import Call, FakeApi, api


async def whole(
    forward: Forward, url: str, target: bytes = b"/x", body: bytes = b"", timeout_s: float = 5
) -> bytes:
    answer = await forward.ask("POST", Base(url), target, [(b"x-a", b"1"), (b"x-a", b"2")], body, timeout_s)
    try:
        return b"".join([piece async for piece in answer.pieces()])
    finally:
        await answer.close()


def asked(use: Callable[[Forward], object]) -> object:
    async def main() -> object:
        forward = Forward()
        try:
            return await use(forward)  # type: ignore[misc]
        finally:
            await forward.close()

    return asyncio.run(main())


def test_a_path_goes_on_byte_for_byte() -> None:
    target = b"/v1beta/models/a%2Fb:gen?key=%41&x=1+2&y"
    with api(lambda call: call.reply(call.got.path.encode())) as upstream:
        assert asked(lambda forward: whole(forward, upstream.url, target)) == target


def test_headers_that_stand_twice_stand_twice() -> None:
    with api(lambda call: call.reply(",".join(call.handler.headers.get_all("x-a", [])).encode())) as upstream:
        assert asked(lambda forward: whole(forward, upstream.url)) == b"1,2"


def test_nothing_is_followed_and_nothing_remembered() -> None:
    with api(lambda call: call.reply(b"", 307, location="/elsewhere", set_cookie="a=1")) as upstream:

        async def twice(forward: Forward) -> int:
            await whole(forward, upstream.url)
            answer = await forward.ask("GET", Base(upstream.url), b"/", [], b"", 5)
            await answer.close()
            return answer.status

        assert asked(twice) == 307
    assert len(upstream.got) == 2
    assert "cookie" not in upstream.got[1].headers


def test_a_connection_is_used_again_and_one_that_broke_is_not() -> None:
    def answer(call: Call) -> None:
        if call.got.path == "/break":
            call.head(200, content_length="10")
            call.raw(b"half")
            call.reset()
        else:
            call.reply(b"whole")

    async def several(forward: Forward, upstream: FakeApi) -> None:
        for _ in range(4):
            assert await whole(forward, upstream.url) == b"whole"
        assert upstream.connections == 1
        with pytest.raises(Broke):
            await whole(forward, upstream.url, b"/break")
        assert await whole(forward, upstream.url) == b"whole"
        assert upstream.connections == 2

    with api(answer) as upstream:
        asked(lambda forward: several(forward, upstream))


def test_one_that_was_closed_while_idle_is_opened_anew() -> None:
    def answer(call: Call) -> None:
        call.reply(b"whole")
        call.handler.close_connection = True

    async def several(forward: Forward, upstream: FakeApi) -> None:
        for _ in range(3):
            assert await whole(forward, upstream.url) == b"whole"
            await asyncio.sleep(0.05)

    with api(answer) as upstream:
        asked(lambda forward: several(forward, upstream))


@pytest.mark.parametrize(
    ("url", "kind"),
    [("http://127.0.0.1:1", "refused"), ("http://host.invalid", "refused")],
)
def test_what_can_not_be_reached_is_refused(url: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Broke) as found:
        asked(lambda forward: whole(forward, url))
    assert found.value.failure.kind == kind


def test_a_silence_is_a_timeout_and_a_long_answer_is_none() -> None:
    def answer(call: Call) -> None:
        if call.got.path == "/silent":
            time.sleep(1)
            return
        call.stream()
        for _ in range(8):
            call.chunk(b".")
            time.sleep(0.05)
        call.end()

    with api(answer) as upstream:
        assert asked(lambda forward: whole(forward, upstream.url, timeout_s=0.2)) == b"." * 8
        with pytest.raises(Broke) as found:
            asked(lambda forward: whole(forward, upstream.url, b"/silent", timeout_s=0.2))
    assert found.value.failure.kind == "timeout"


def test_a_slow_reader_slows_its_upstream_down() -> None:
    sent = threading.Event()

    def answer(call: Call) -> None:
        call.head(200, content_length=str(32 << 20))
        for _ in range(32):
            call.raw(bytes(1 << 20))
        sent.set()

    async def slowly(forward: Forward, upstream: FakeApi) -> int:
        answer: Answer = await forward.ask("GET", Base(upstream.url), b"/", [], b"", 5)
        await asyncio.sleep(0.3)
        assert not sent.is_set()  # 32 MiB lie in no buffer
        size = 0
        async for piece in answer.pieces():
            size += len(piece)
        await answer.close()
        return size

    with api(answer) as upstream:
        assert asked(lambda forward: slowly(forward, upstream)) == 32 << 20


def certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Contexts for a server and a client that trusts it."""
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    day = datetime(2020, 1, 1, tzinfo=UTC)
    place = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(day).not_valid_after(day + timedelta(days=36500)).add_extension(place, critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    pem = made.public_bytes(serialization.Encoding.PEM)
    (folder / "cert.pem").write_bytes(pem)
    kinds = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(*kinds))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return server, ssl.create_default_context(cadata=pem.decode())


def test_tls_is_spoken_and_a_certificate_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    server, client = certificate(tmp_path)

    def answer(call: Call) -> None:
        call.stream()
        call.chunk(b"secret ")
        call.chunk(b"words")
        call.end()

    async def trusting(forward: Forward, url: str) -> bytes:
        forward._tls = client
        return await whole(forward, url) + await whole(forward, url)

    with api(answer) as upstream:
        upstream.socket = server.wrap_socket(upstream.socket, server_side=True)
        url = upstream.url.replace("http", "https")
        assert asked(lambda forward: trusting(forward, url)) == b"secret words" * 2
        assert upstream.connections == 1
        with pytest.raises(Broke) as found:
            asked(lambda forward: whole(forward, url))
    assert found.value.failure.kind == "refused"


@pytest.mark.parametrize(
    "text", ["", "ftp://u:pw@x", "http://", "//u:pw@host/v1", "http://u:pw@a b", "http://u:pw@x:99999"]
)
def test_what_is_no_web_address_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(UsageError) as found:
        Base(text)
    assert "pw" not in str(found.value)


def test_an_address_is_taken_apart() -> None:
    base = Base("https://user:pass@example.com:8443/api/v1/?x=1")
    assert (base.scheme, base.host, base.path) == ("https", "example.com", "/api/v1")
    assert str(base.at(b"/b%2F?c").copy_with(userinfo=b"")) == "https://example.com:8443/b%2F?c"
