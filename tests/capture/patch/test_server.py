from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from replaylab.capture.asked import Redactors
from replaylab.capture.patch.injected import child
from replaylab.capture.patch.server import Patch
from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.session import Mode, Session
from replaylab.engine.seams import real_seams
from replaylab.schema.outcome import body_bytes
from replaylab.store import disk
from replaylab.store.library import Library
from tests.interop.vcr.made import Server, server

SECRET = "sk-proj-" + "Ab12" * 8
ASK = """
import json, sys, urllib.error, urllib.request
def ask(url, body, **headers):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"
URL = sys.argv[1]
"""


class Ran:
    """What a patched program came to."""

    def __init__(self, done: subprocess.CompletedProcess[str], patch: Patch) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.counts, self.defects, self.session = patch.counts, patch.defects, patch.session


@contextmanager
def session(root: Path, mode: Mode) -> Iterator[Session]:
    found = Session(Library(root / "lib"), "run", mode, real_seams())
    try:
        yield found
        found.seal()
    finally:
        found.close()


def command_of(program: str, url: str) -> list[str]:
    return [sys.executable, "-c", ASK + program, url]


def run(
    root: Path, mode: Mode, command: list[str], env: Mapping[str, str] | None = None, **changed: str
) -> Ran:
    with session(root, mode) as opened, Patch(opened, Redactors(), mode == "offline") as patch:
        given = {**patch.environment(os.environ if env is None else env), **changed}
        done = subprocess.run(
            command, env=given, capture_output=True, text=True, check=False, timeout=120, cwd=root
        )
    return Ran(done, patch)


def there_and_back(root: Path, program: str, live: Server) -> tuple[Ran, Ran]:
    """Recorded, then played with the server stopped."""
    command = command_of(program, live.url)
    first = run(root, "record", command)
    assert (first.code, first.defects) == (0, []), first.err
    live.stop()
    again = run(root, "offline", command)
    assert (again.code, again.defects) == (0, []), again.err
    assert again.out == first.out
    assert (again.session.missed, again.session.unplayed()) == (0, [])
    return first, again


def rows(root: Path) -> bytes:
    library = Library(root / "lib")
    return b"".join(
        row for name in library.objects("cassette") for row in open_cassette(library, name).lines()
    )


@pytest.fixture
def live() -> Iterator[Server]:
    found = Server()
    yield found
    found.stop()


def test_what_a_program_asks_is_recorded_and_played_without_a_server(tmp_path: Path, live: Server) -> None:
    program = "for n in (1, 2, 2): print(ask(URL, {'n': n}))"
    first, again = there_and_back(tmp_path, program, live)
    assert len(set(first.out.split())) == 3
    assert (first.counts["live"], again.counts["played"], first.counts["programs"]) == (3, 3, 1)


PROGRAMS = {
    # What today's openai package stands on, synchronous and not.
    "httpx2": """
import httpx2
with httpx2.Client() as c:
    print([c.post(URL, json=n).text for n in range(3)])
""",
    "asyncio": """
import httpx2, asyncio
async def main():
    async with httpx2.AsyncClient() as c:
        print([r.text for r in await asyncio.gather(*[c.post(URL, json=n) for n in range(5)])])
asyncio.run(main())
""",
    "threads": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print(list(pool.map(lambda n: ask(URL, n), range(40))))
""",
    # Another Python, started by this one.
    "nested": """
import subprocess
print(ask(URL, 'outer'))
code = 'import urllib.request; print(urllib.request.urlopen(%r, b"inner").read())' % URL
print(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout)
""",
    "fork": """
import os
print(ask(URL, 'parent'), flush=True)
pid = os.fork()
if pid == 0:
    print(ask(URL, 'child'), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_clients_and_processes_that_are_covered(tmp_path: Path, live: Server, name: str) -> None:
    there_and_back(tmp_path, PROGRAMS[name], live)


def test_identical_calls_in_parallel_get_each_answer_once(tmp_path: Path, live: Server) -> None:
    program = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(12) as pool: print(sorted(pool.map(lambda n: ask(URL, 'same'), range(12))))"
    )
    first, _ = there_and_back(tmp_path, program, live)
    assert len(set(eval(first.out))) == 12


def test_a_script_a_module_and_a_console_script_are_patched(tmp_path: Path, live: Server) -> None:
    script = tmp_path / "script.py"
    script.write_text(ASK + "print(ask(URL, 'script'))\n")
    (tmp_path / "test_it.py").write_text(
        "import os, urllib.request\n"
        "def test_it():\n    assert urllib.request.urlopen(os.environ['URL'], b'module').status == 200\n"
    )
    console = tmp_path / "console"
    # As pip writes it, since a folder's name may hold a space: a shell's line that Python takes for a text.
    head = f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n"
    console.write_text(f"{head}{ASK}print(ask(URL, 'console'))\n")
    console.chmod(0o755)
    commands = [
        [sys.executable, str(script), live.url],
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        [str(console), live.url],
    ]
    for command in commands:
        done = run(tmp_path, "extend", command, URL=live.url, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        assert (done.code, done.counts["live"]) == (0, 1), done.err
    live.stop()
    played = [
        run(tmp_path, "offline", command, URL=live.url, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        for command in commands
    ]
    assert [(done.code, done.counts["played"]) for done in played] == [(0, 1)] * 3


def test_a_killed_program_loses_nothing_that_was_answered(tmp_path: Path, live: Server) -> None:
    program = "import os, signal\nfor n in range(5): ask(URL, n)\nos.kill(os.getpid(), signal.SIGKILL)"
    done = run(tmp_path, "record", command_of(program, live.url))
    assert (done.code, done.counts["live"]) == (-9, 5)
    again = run(tmp_path, "offline", command_of("for n in range(5): print(ask(URL, n))", live.url))
    assert again.counts["played"] == 5


def test_a_call_that_got_no_answer_gives_its_place_back(tmp_path: Path, live: Server) -> None:
    dead = "http://127.0.0.1:9/"
    program = f"try: ask({dead!r}, 0)\nexcept OSError: print('no answer')\nprint(ask(URL, 1))"
    done = run(tmp_path, "record", command_of(program, live.url))
    assert (done.code, done.counts["live"], done.defects) == (0, 1, []), done.err
    again = run(tmp_path, "offline", command_of("print(ask(URL, 1))", live.url))
    assert (again.counts["played"], again.session.missed) == (1, 0)


def test_a_miss_is_an_answer_that_says_what_comes_nearest(tmp_path: Path, live: Server) -> None:
    asking = "print(ask(URL + '/v1/chat/completions', {'model': 'm', 'messages': [{'role': 'user', 'content': '%s'}]}))"
    run(tmp_path, "record", command_of(asking % "hi", live.url))
    live.stop()
    done = run(tmp_path, "offline", command_of(asking % "ho", live.url))
    assert done.out.startswith('404 {"error":{"message":"replaylab: ')
    assert '"pointer":"/messages/0/content"' in done.out
    assert (done.session.missed, done.counts["missed"]) == (1, 1)


def test_offline_nothing_leaves_the_machine(tmp_path: Path, live: Server) -> None:
    program = (
        "import socket\n"
        "for how in (lambda: socket.create_connection(('192.0.2.1', 80), 1),\n"
        "            lambda: socket.socket().connect(('192.0.2.1', 80)),\n"
        "            lambda: socket.getaddrinfo('example.com', 80),\n"
        "            lambda: socket.gethostbyname('example.com'),\n"
        "            lambda: socket.gethostbyname_ex('example.com'),\n"
        "            lambda: socket.gethostbyaddr('192.0.2.1'),\n"
        "            lambda: socket.getnameinfo(('192.0.2.1', 80), 0)):\n"
        "    try: how()\n"
        "    except OSError as error: print(type(error).__name__)\n"
        "socket.getaddrinfo('localhost', 80)\n"
        "socket.gethostbyname('localhost.')\n"
        "print(ask(URL, 1))"
    )
    run(tmp_path, "record", command_of("print(ask(URL, 1))", live.url))
    done = run(tmp_path, "offline", command_of(program, live.url))
    assert done.out.split()[:7] == ["NotRecorded"] * 7, done.err
    assert len(live.asked) == 1


def test_a_program_does_not_go_on_unrecorded_when_the_recording_process_is_gone(
    tmp_path: Path, live: Server
) -> None:
    with session(tmp_path, "record") as opened:
        with Patch(opened, Redactors(), offline=False) as patch:
            env = patch.environment(os.environ)
            program = "input()\ntry: ask(URL, 1)\nexcept OSError as error: print('gone', error)"
            process = subprocess.Popen(
                command_of(program, live.url),
                env=env,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            while not patch.programs:
                pass
        out, _ = process.communicate("\n", timeout=60)
    assert "gone" in out
    assert live.asked == []


def test_nothing_secret_is_stored_and_the_program_sees_what_came(tmp_path: Path) -> None:
    def respond(path: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        headers = [("set-cookie", "session=1234567890abc"), ("location", f"https://h/?token={SECRET}")]
        return 200, headers, b"you said " + body

    with server(respond) as live:
        own = "own-key-0123456789"  # of no shape: it is known since the client sends it as its key
        body = {"k": SECRET, "mine": own}
        program = f"print(ask(URL + '?key=tiny', {body!r}, authorization='Bearer {own}'))"
        done = run(tmp_path, "record", command_of(program, live.url))
        assert SECRET in done.out
        assert own in done.out
        again = run(tmp_path, "offline", command_of(program, live.url))
    assert again.out == done.out.replace(SECRET, "*REDACTED*").replace(own, "*REDACTED*")
    stored = rows(tmp_path)
    for secret in (SECRET, own, "1234567890abc", "key=tiny"):
        assert secret.encode() not in stored


def test_compressed_answers_are_kept_decoded(tmp_path: Path) -> None:
    def respond(path: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        return (
            200,
            [("content-encoding", "gzip"), ("content-type", "text/plain")],
            gzip.compress(b"plain " * 50),
        )

    with server(respond) as live:
        program = "import httpx2\nwith httpx2.Client() as c: print(c.post(URL, json=1).text)"
        there_and_back(tmp_path, program, live)
    assert b"plain plain" in rows(tmp_path)


def test_retries_are_attempts_and_lanes_are_lanes(tmp_path: Path) -> None:
    numbers = iter(range(9))

    def respond(path: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        number = next(numbers)
        return (503 if number == 0 else 200), [("retry-after", "9")], str(number).encode()

    with server(respond) as live:
        program = (
            "for n in (0, 1): print(ask(URL, 1, **{'x-stainless-retry-count': str(n)}))\n"
            "print(ask(URL, 1, **{'x-replaylab-lane': 'other'}))"
        )
        there_and_back(tmp_path, program, live)
    library = Library(tmp_path / "lib")
    _, sealed = library.run("run")
    told = {}
    for entry in sealed.ledger:
        assert entry.counting
        (lane,) = open_cassette(library, entry.counting.cassette).lanes.values()
        told[entry.key.split("/")[1]] = [[body_bytes(one) for one in row.attempts] for row in lane]
    assert told == {"main@0": [[b"0", b"1"]], "other@0": [[b"2"]]}


def test_a_sitecustomize_that_was_there_is_run_too(tmp_path: Path, live: Server) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("import builtins\nbuiltins.was_there = 'yes'\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "own")}
    done = run(tmp_path, "record", command_of("print(was_there, ask(URL, 1))", live.url), env)
    assert (done.out[:3], done.counts["live"]) == ("yes", 1), done.err


def test_a_program_in_an_environment_without_vcrpy_gets_ours(tmp_path: Path, live: Server) -> None:
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    program = "print(ask(URL, 1)); import importlib.util as u; print(u.find_spec('httpx2'))"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = run(tmp_path, "record", [str(python), "-c", ASK + program, live.url], env)
    assert (done.code, done.counts["live"]) == (0, 1), done.err
    assert done.out.endswith("None\n")  # nothing else of ours is there
    bare = run(tmp_path, "record", [str(python), "-c", "print('ran')"], env, **{child.FALLBACK: ""})
    assert (bare.code, bare.out) == (78, "")
    assert "can't be recorded: ModuleNotFoundError" in bare.err


def test_a_python_that_is_told_to_ignore_the_environment_is_noticed(tmp_path: Path) -> None:
    done = run(tmp_path, "record", [sys.executable, "-E", "-c", "print(1)"])
    assert (done.code, done.counts["programs"]) == (0, 0)


def test_a_disk_that_is_full_takes_no_answer_from_the_program_and_lets_nothing_more_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_write = disk.write_all

    def write(fd: int, data: bytes) -> None:
        if b"second" in data:
            raise OSError(errno.ENOSPC, "full")
        whole_write(fd, data)

    monkeypatch.setattr(disk, "write_all", write)
    program = """
for word in ("first", "second", "third"):
    try:
        print(word, "got", len(ask(URL + "/v1/chat", {"say": word})) > 0)
    except OSError as error:
        print(word, "refused", error)
"""
    with server() as upstream:
        ran = run(tmp_path, "record", command_of(program, upstream.url))
        assert len(upstream.asked) == 2
    lines = ran.out.splitlines()
    assert lines[:2] == ["first got True", "second got True"]
    assert "nothing more can be recorded" in lines[2]
    (error,) = ran.defects
    assert "the disk is full" in str(error)
    assert ran.counts["live"] == 1
