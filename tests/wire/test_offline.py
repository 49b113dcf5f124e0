"""The refusal of the network, each time in a process of its own: a hook can't be taken back."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from replaylab.wire.offline import is_loopback


def run(code: str) -> str:
    prelude = """
        import asyncio, socket, threading
        from replaylab.errors import OfflineError
        from replaylab.wire.offline import allow_network, first_refusal, refuse_network
        def refused(do):
            try:
                do()
            except OfflineError:
                return True
            except OSError:
                return False
            return False
    """
    script = textwrap.dedent(prelude) + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_connections_datagrams_and_lookups_outside_are_refused() -> None:
    out = run("""
        refuse_network()
        tcp, udp, six = socket.socket(), socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_INET6)
        print(
            refused(lambda: tcp.connect(("192.0.2.1", 80))),
            refused(lambda: tcp.connect_ex(("192.0.2.1", 80))),
            refused(lambda: udp.sendto(b"x", ("192.0.2.1", 53))),
            refused(lambda: udp.sendto(b"x", 0, ("192.0.2.1", 53))),
            refused(lambda: udp.sendmsg([b"x"], [], 0, ("192.0.2.1", 53))),
            refused(lambda: six.connect(("2001:db8::1", 80))),
            refused(lambda: six.connect(("::ffff:192.0.2.1", 80, 0, 0))),
            refused(lambda: socket.getaddrinfo("api.example.com", 443)),
            refused(lambda: socket.getaddrinfo(b"api.example.com", 443)),
            refused(lambda: socket.gethostbyname("api.example.com")),
            refused(lambda: socket.gethostbyaddr("192.0.2.1")),
            refused(lambda: socket.getnameinfo(("192.0.2.1", 80), 0)),
            refused(lambda: socket.create_connection(("api.example.com", 443))),
            refused(lambda: asyncio.run(asyncio.open_connection("api.example.com", 443))),
        )
    """)
    assert set(out.split()) == {"True"}


def test_loopback_and_unix_sockets_work() -> None:
    out = run("""
        import pathlib, tempfile
        refuse_network()
        for host, family in (("127.0.0.1", socket.AF_INET), ("127.9.8.7", socket.AF_INET), ("localhost", socket.AF_INET)):
            server = socket.create_server((host, 0), family=family)
            socket.create_connection((host, server.getsockname()[1])).close()
        udp = socket.socket(type=socket.SOCK_DGRAM)
        udp.sendto(b"x", ("127.0.0.1", 9))
        left, right = socket.socketpair()
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder, "s"))
            unix = socket.socket(socket.AF_UNIX); unix.bind(path); unix.listen()
            socket.socket(socket.AF_UNIX).connect(path)
        async def serve():
            server = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0)
            await asyncio.open_connection(*server.sockets[0].getsockname())
        asyncio.run(serve())
        print(first_refusal())
    """)
    assert out == "None"


def test_the_first_refusal_is_remembered_though_it_was_swallowed() -> None:
    out = run("""
        refuse_network()
        def swallow(host):
            try:
                socket.getaddrinfo(host, 443)
            except Exception:
                pass
        for host in ("first.example", "second.example"):
            thread = threading.Thread(target=swallow, args=(host,)); thread.start(); thread.join()
        error = first_refusal()
        print(type(error).__name__, error.exit_code, "first.example" in str(error), "second.example" in str(error))
    """)
    assert out == "OfflineError 5 True False"


def test_it_can_be_switched_off_and_on_again() -> None:
    out = run("""
        tcp = socket.socket(); tcp.setblocking(False)
        go = lambda: tcp.connect(("192.0.2.1", 80))
        look = lambda: socket.getaddrinfo("192.0.2.1", 80)
        refuse_network(); first = refused(look)
        allow_network(); second = refused(look); kept = first_refusal() is not None
        refuse_network(); forgotten = first_refusal() is None
        print(first, second, kept, forgotten, refused(go))
    """)
    assert out == "True False True True True"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "127.0.0.1",
        "127.255.0.9",
        "::1",
        "::1%lo",
        "::ffff:127.0.0.1",
        b"127.0.0.2",
    ],
)
def test_loopback_has_these_names(host: object) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "localhost.example.com",
        "127.0.0.1.example.com",
        "128.0.0.1",
        "::2",
        "::ffff:8.8.8.8",
        "0.0.0.0",
        "",
        "10.0.0.1",
    ],
)
def test_these_are_not_loopback(host: object) -> None:
    assert not is_loopback(host)


def test_a_process_ends_without_a_word_of_the_hook() -> None:
    # The module is in a cycle, so its names are cleared by the last collection, and events come after that.
    code = """
        import sys
        from replaylab.wire import offline
        class Late:
            def __del__(self):
                sys.audit("late.event")
        offline.late = Late()
        offline.refuse_network()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
