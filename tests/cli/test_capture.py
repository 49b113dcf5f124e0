"""`capture` from the outside: a program that asks a fake of the OpenAI API, recorded and played."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from replaylab.capture.variables import VENDORS
from replaylab.cli.capture import run_name
from replaylab.cli.main import run
from tests.capture.proxying import KEY, FakeApi, api, every_byte
from tests.capture.proxying import Call as Asked
from tests.cli.conftest import REPO, Call, Ended

Capture = Callable[..., Ended]

PLACES = {one.name for vendor in VENDORS for one in vendor.variables} | {
    key for vendor in VENDORS for key in vendor.keys
}
# Asks what its arguments say, prints what it gets, and ends with the code that the first argument is.
PROGRAM = """
import json, os, sys, urllib.request
for text in sys.argv[2:]:
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps({"messages": [{"role": "user", "content": text}]}).encode(),
        {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "content-type": "application/json"},
    )
    try:
        print(urllib.request.urlopen(request, timeout=20).read().decode())
    except urllib.error.HTTPError as error:
        print(error.code, json.load(error)["error"]["message"])
sys.exit(int(sys.argv[1]))
"""


def answer(call: Asked) -> None:
    said = json.loads(call.got.body)["messages"][0]["content"]
    call.reply(json.dumps({"heard": said, "number": len(said)}).encode())


def environment(upstream: FakeApi | None, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in PLACES}
    told = {"OPENAI_BASE_URL": upstream.url + "/v1", "OPENAI_API_KEY": KEY} if upstream else {}
    return {**kept, "PYTHONPATH": str(REPO), **told, **more}


def command(words: Sequence[str]) -> list[str]:
    """The arguments of `replaylab` for `options -- arguments of the program`, or for the latter alone."""
    place = words.index("--") if "--" in words else 0
    return ["capture", *words[:place], "--", sys.executable, "program.py", *words[place:][place > 0 :]]


def in_a_process(cwd: Path, upstream: FakeApi | None, *words: str) -> subprocess.CompletedProcess[str]:
    (cwd / "program.py").write_text(PROGRAM, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "replaylab", *command(words)],
        cwd=cwd,
        env=environment(upstream),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Capture:
    """`capture(upstream, "--run", "r", "--", "0", "one")`: the command here, the program in a process of its own."""
    monkeypatch.chdir(tmp_path)

    def ended(upstream: FakeApi | None, *words: str, program: str = PROGRAM) -> Ended:
        (tmp_path / "program.py").write_text(program, encoding="utf-8")
        told = environment(upstream)
        with monkeypatch.context() as patched:
            for name in PLACES - set(told):
                patched.delenv(name, raising=False)
            for name in PLACES & set(told):
                patched.setenv(name, told[name])
            code = run(command(words))
        return Ended(code, *capfd.readouterr())

    return ended


def test_a_program_is_recorded_and_played_with_its_own_exit_code_and_output(tmp_path: Path) -> None:
    with api(answer) as upstream:
        live = in_a_process(tmp_path, upstream, "7", "one", "two", "one")
    played = in_a_process(tmp_path, None, "--offline", "--", "7", "one", "two", "one")
    assert (live.returncode, played.returncode) == (7, 7)
    assert live.stdout == played.stdout
    assert '"heard": "two"' in live.stdout
    assert "requests: 3 recorded" in live.stderr
    assert "requests: 3 played" in played.stderr
    assert KEY.encode() not in every_byte(tmp_path / "cassettes")
    assert played.stderr.count("warning") == 0


def test_a_miss_offline_is_3_and_says_what_to_do(capture: Capture) -> None:
    with api(answer) as upstream:
        capture(upstream, "--run", "r", "--", "0", "the third of May")
        asked = len(upstream.got)
        ended = capture(upstream, "--run", "r", "--offline", "--", "0", "the fourth of May")
        assert len(upstream.got) == asked
    assert ended.code == 3
    assert ended.out.startswith("404 replaylab: ")
    assert "miss: no such request is recorded: POST /v1/chat/completions at openai" in ended.err
    assert "at /messages/0/content" in ended.err
    assert "replaylab explain-miss r" in ended.err
    assert "not asked for: " in ended.err


def test_a_recording_that_was_not_asked_for_is_3_too(capture: Capture) -> None:
    with api(answer) as upstream:
        capture(upstream, "--run", "r", "--", "0", "one", "two")
    ended = capture(None, "--run", "r", "--offline", "--json", "--", "0", "one")
    document = json.loads(ended.out)
    assert (ended.code, document["ok"], document["exit_code"], document["program_exit_code"]) == (
        3,
        False,
        3,
        0,
    )
    assert [one["kind"] for one in document["findings"]] == ["unplayed"]
    assert '"heard": "one"' in ended.err  # the program's own output makes way for the document


def test_extending_asks_for_what_is_new_alone(capture: Capture) -> None:
    with api(answer) as upstream:
        capture(upstream, "--run", "r", "--", "0", "one")
        ended = capture(upstream, "--run", "r", "--extend", "--", "0", "one", "two")
        assert len(upstream.got) == 2
    assert "1 recorded, 1 played" in ended.err
    assert capture(None, "--run", "r", "--offline", "--", "0", "two", "one").code == 0


def test_a_rule_makes_the_same_recording_match(tmp_path: Path, capture: Capture) -> None:
    with api(answer) as upstream:
        capture(upstream, "--run", "r", "--", "0", "today is 2026-05-03")
    words = ("--run", "r", "--offline", "--", "0", "today is 2031-11-30")
    assert capture(None, *words).code == 3
    rule = "[[capture.normalise]]\npattern = '[0-9]{4}-[0-9]{2}-[0-9]{2}'\n"
    (tmp_path / "replaylab.toml").write_text(rule, encoding="utf-8")
    ended = capture(None, *words)
    assert (ended.code, ended.out) == (0, '{"heard": "today is 2026-05-03", "number": 19}\n')


def test_a_program_that_asks_nothing_leaves_nothing(tmp_path: Path, capture: Capture) -> None:
    with api(answer) as upstream:
        ended = capture(upstream, "0")
    assert ended.code == 0
    assert "no request reached the proxy" in ended.err
    assert not list(tmp_path.rglob("*.cassette"))


def test_a_program_that_is_not_there_leaves_nothing(tmp_path: Path, call: Call) -> None:
    """docker-agent#4250: a recorder that fails before any call and leaves an empty cassette."""
    ended = call("capture", "--", "no-such-program-here")
    assert ended.code == 2
    assert "there is no program 'no-such-program-here'" in ended.err
    assert not list(tmp_path.rglob("*.cassette"))
    assert not list(tmp_path.rglob("runs/*"))


def test_playing_what_was_never_recorded_is_a_usage_error(capture: Capture) -> None:
    ended = capture(None, "--run", "never", "--offline", "--", "0", "one")
    assert ended.code == 2
    assert "never" in ended.err


def test_the_configuration_adds_upstreams_and_moves_known_ones(tmp_path: Path, capture: Capture) -> None:
    program = "import os, urllib.request as u; print(u.urlopen(os.environ['LAB_URL'] + '/x?b=1&a=2').read().decode())"
    with api(lambda call: call.reply(call.got.path.encode())) as upstream:
        table = f'[capture.upstreams.lab]\nbase_url = "{upstream.url}/deep/v2"\nvariables = "LAB_URL"\n'
        (tmp_path / "replaylab.toml").write_text(table, encoding="utf-8")
        live = capture(None, "--run", "r", "--", program=program)
    played = capture(None, "--run", "r", "--offline", "--", program=program)
    assert live.out == played.out == "/deep/v2/x?b=1&a=2\n"


@contextmanager
def running(tmp_path: Path, upstream: FakeApi, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "replaylab", *words],
        cwd=tmp_path,
        env=environment(upstream),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_and_what_was_recorded_is_sealed(
    tmp_path: Path, capture: Capture, number: signal.Signals
) -> None:
    code = PROGRAM.replace(
        "sys.exit(int(sys.argv[1]))", "print('asked', flush=True); import time; time.sleep(120)"
    )
    (tmp_path / "program.py").write_text(code, encoding="utf-8")
    words = ("capture", "--run", "r", "--", sys.executable, "program.py", "0", "one")
    with api(answer) as upstream, running(tmp_path, upstream, *words) as process:
        assert process.stdout is not None
        assert any(line == "asked\n" for line in process.stdout), "it ended before it had asked"
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    assert process.returncode == (128 + number if number == signal.SIGTERM else 128 + signal.SIGINT)
    assert "requests: 1 recorded" in err
    assert capture(None, "--run", "r", "--offline", "--", "0", "one").code == 0


def test_what_a_kill_leaves_behind_is_played(tmp_path: Path, capture: Capture) -> None:
    code = PROGRAM.replace(
        "sys.exit(int(sys.argv[1]))", "print('asked', flush=True); import time; time.sleep(3)"
    )
    (tmp_path / "program.py").write_text(code, encoding="utf-8")
    words = ("capture", "--run", "r", "--", sys.executable, "program.py", "0", "one", "two")
    with api(answer) as upstream, running(tmp_path, upstream, *words) as process:
        assert process.stdout is not None
        assert any(line == "asked\n" for line in process.stdout), "it ended before it had asked"
        process.kill()
        process.communicate()
    assert capture(None, "--run", "r", "--offline", "--", "0", "one", "two").code == 0


def test_the_name_of_a_run_is_the_command_without_its_keys() -> None:
    first = run_name(["/usr/bin/python3", "a.py", "--key", "sk-proj-9fKq27LmXw84ZtRb61VyHd05"])
    assert first == run_name(["/usr/bin/python3", "a.py", "--key", "sk-proj-AAAA27LmXw84ZtRb61VyHd99"])
    assert first != run_name(["/usr/bin/python3", "b.py", "--key", "sk-proj-9fKq27LmXw84ZtRb61VyHd05"])
    assert first.startswith("c-python3-")


def test_an_argument_that_is_no_text_is_passed_on_and_kept_legibly(capture: Capture) -> None:
    odd = os.fsdecode(b"caf\xe9")
    with api(answer) as upstream:
        live = capture(upstream, "0", odd)
    played = capture(None, "--offline", "--", "0", odd)
    assert (live.code, played.code) == (0, 0)
    assert live.out == played.out
    assert "requests: 1 played" in played.err
    assert run_name(["a", odd]) == run_name(["a", "caf\\xe9"])


def test_a_key_on_the_command_line_or_under_a_name_of_ours_is_neither_stored_nor_printed(
    tmp_path: Path, capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shaped, named = "sk-proj-9fKq27LmXw84ZtRb61VyHd05", "Qz8vT3nB7mK1xW5y"
    monkeypatch.setenv("LAB_API_KEY", named)
    (tmp_path / "replaylab.toml").write_text('[capture]\nsecret_env = "LAB_API_KEY"\n', encoding="utf-8")
    with api(answer) as upstream:
        ended = capture(upstream, "--run", "r", "--", "0", f"say {shaped} and {named}")
        assert shaped in str(upstream.got[0].body)
        assert named in str(upstream.got[0].body)
    assert "play it with: replaylab capture --run r --offline" in ended.err
    files = every_byte(tmp_path / "cassettes")
    for secret in (shaped, named):
        assert secret not in ended.err
        assert secret.encode() not in files
    assert b"*REDACTED*" in files


def test_help_lists_the_variables(call: Call) -> None:
    ended = call("capture", "--help")
    assert all(one.name in ended.out for vendor in VENDORS for one in vendor.variables)
