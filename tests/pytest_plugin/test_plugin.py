from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai import OpenAI

from replaylab.interop.vcr.persister import Persister
from replaylab.pytest_plugin import recorder
from replaylab.pytest_plugin.modes import RULES, Rule
from replaylab.pytest_plugin.names import run_name
from replaylab.store.library import Library
from tests.interop.vcr.made import Server

pytest_plugins = ["pytester"]
# Here, because a run of pytest inside a test forgets what was imported in it.
IMPORTED = (OpenAI, recorder)
REPO = Path(__file__).resolve().parents[2]

SUITE = """
import json
import os
import urllib.error
import urllib.request
import pytest

def ask(word):
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    body = {"model": "m", "messages": [{"role": "user", "content": word}]}
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        error.close()
        return {"got": 0}

@pytest.mark.replaylab
def test_it():
    for word in os.environ["ASK"].split():
        assert ask(word)["got"] > 0
"""
NODE = "test_suite.py::test_it"


@pytest.fixture
def live() -> Iterator[Server]:
    found = Server()
    yield found
    found.stop()


@pytest.fixture
def suite(pytester: pytest.Pytester, live: Server, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite of one test that asks for the words of ASK."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{live.url}/v1")
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(test_suite=SUITE)
    return pytester


def run(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ask: str, *options: str) -> pytest.RunResult:
    monkeypatch.setenv("ASK", ask)
    return suite.runpytest_inprocess("-p", "replaylab.pytest_plugin.plugin", "-q", *options)


def words(suite: pytest.Pytester, node: str = NODE) -> list[str]:
    """What the recording of a test holds."""
    persister = Persister(suite.path / "cassettes")
    found = persister.library.named(run_name(node))
    rows = persister._rows(found[1], "")[0] if found else []
    return [json.loads(row.pair.body or b"")["messages"][0]["content"] for row in rows]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.mode}-{rule.recorded}")
def test_each_rule_of_the_table(
    suite: pytest.Pytester, live: Server, monkeypatch: pytest.MonkeyPatch, rule: Rule
) -> None:
    if rule.recorded:
        run(suite, monkeypatch, "a", "--replaylab-mode=all").assert_outcomes(passed=1)
    kept = suite.path / "kept"
    shutil.copytree(suite.path / "cassettes", kept) if rule.recorded else None
    for word, does in (("a", rule.known), ("b", rule.missing)) if rule.recorded else (("b", rule.missing),):
        before = len(live.asked)
        ask = word if word == "a" or rule.unplayed != "fail" or not rule.recorded else "a b"
        result = run(suite, monkeypatch, ask, f"--replaylab-mode={rule.mode}")
        asked = [json.loads(body)["messages"][0]["content"] for _, body, _ in live.asked[before:]]
        if does == "refuse":
            result.assert_outcomes(failed=1)
            assert asked == []
        else:
            result.assert_outcomes(passed=1)
            assert asked == ([word] if does == "ask" else [])
        if word == "b" and does == "ask":
            kept_words = {"keep": ["a", "b"] if rule.recorded else ["b"], "replace": ["b"], "fail": []}
            assert words(suite) == kept_words[rule.unplayed]
        shutil.rmtree(suite.path / "cassettes", ignore_errors=True)
        shutil.copytree(kept, suite.path / "cassettes") if rule.recorded else None
    result = run(suite, monkeypatch, "", f"--replaylab-mode={rule.mode}")
    fails = rule.recorded and rule.unplayed == "fail"
    result.assert_outcomes(**({"failed": 1} if fails else {"passed": 1}))
    assert words(suite) == (["a"] if rule.recorded else [])


def test_the_same_answers_come_back_in_order_and_the_line_at_the_end_says_what_was_done(
    suite: pytest.Pytester, live: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(suite, monkeypatch, "a a b")
    result.stdout.fnmatch_lines(["replaylab: 0 played, 3 recorded, 0 unplayed, 0 missed in 1 test"])
    result = run(suite, monkeypatch, "a a b")
    result.stdout.fnmatch_lines(["replaylab: 3 played, 0 recorded, 0 unplayed, 0 missed in 1 test"])
    assert len(live.asked) == 3


def test_an_answer_that_was_just_recorded_is_not_played_to_the_test_that_recorded_it(
    suite: pytest.Pytester, live: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(suite, monkeypatch, "a b").assert_outcomes(passed=1)
    run(suite, monkeypatch, "a b b b b", "--replaylab-mode=new_episodes").assert_outcomes(passed=1)
    assert len(live.asked) == 5
    run(suite, monkeypatch, "a b b b b", "--replaylab-mode=none").assert_outcomes(passed=1)


def test_a_miss_fails_the_test_although_it_swallows_the_answer_and_says_what_to_do(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makepyfile(test_suite=SUITE.replace('assert ask(word)["got"] > 0', "ask(word)"))
    result = run(suite, monkeypatch, "a", "--replaylab-mode=none")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*POST /v1/chat/completions of openai: *", "*record it with --replaylab-mode=once*"]
    )
    run(suite, monkeypatch, "a").assert_outcomes(passed=1)
    result = run(suite, monkeypatch, "c a")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ['*differs at /messages/0/content: recorded "a", asked "c"*', "*--replaylab-mode=new_episodes*"]
    )


def test_unplayed_interactions_fail_the_test_unless_it_allows_them(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(suite, monkeypatch, "a b").assert_outcomes(passed=1)
    result = run(suite, monkeypatch, "a")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["recorded, and not asked for: *client#1", "replaylab: 1 played, 0 recorded, 1 unplayed*"]
    )
    suite.makepyfile(test_suite=SUITE.replace("mark.replaylab", "mark.replaylab(unplayed='allow')"))
    run(suite, monkeypatch, "a").assert_outcomes(passed=1)


def test_a_test_that_fails_by_itself_is_told_of_misses_and_not_of_what_it_did_not_reach(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(suite, monkeypatch, "a b").assert_outcomes(passed=1)
    suite.makepyfile(test_suite=SUITE.replace("    for word", "    ask('new')\n    assert 0\n    for word"))
    result = run(suite, monkeypatch, "a b")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 0*", "*replaylab*", "*of openai: *"])
    result.stdout.no_fnmatch_line("*not asked for*")


def test_in_ci_nothing_is_recorded_unless_the_command_line_says_so(
    suite: pytest.Pytester, live: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    run(suite, monkeypatch, "a").assert_outcomes(failed=1)
    assert live.asked == []
    run(suite, monkeypatch, "a", "--replaylab-mode=once").assert_outcomes(passed=1)


def test_while_it_is_played_a_test_reaches_no_other_machine(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(suite, monkeypatch, "a").assert_outcomes(passed=1)
    outside = "    import socket\n    try:\n        socket.create_connection(('192.0.2.1', 9), 0.01)\n    except Exception: pass\n"
    changed = SUITE.replace("    for word", f"{outside}    for word")
    suite.makepyfile(test_suite=changed)
    result = run(suite, monkeypatch, "a")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*wanted the network while its calls are played*192.0.2.1*"])
    after = "\n\ndef test_after():\n    import sys, socket\n    sys.audit('socket.connect', None, ('192.0.2.1', 9))\n"
    suite.makepyfile(test_suite=SUITE + after)  # the next test may do what it likes
    run(suite, monkeypatch, "a").assert_outcomes(passed=2)


def test_each_test_has_a_recording_of_its_own_and_the_fixture_gives_clients(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, live: Server
) -> None:
    suite.makepyfile(
        test_suite=SUITE
        + """
@pytest.mark.parametrize("word", ["x", "y"])
def test_other(replaylab, word):
    assert replaylab.mode in ("once", "none")
    client = replaylab.openai(max_retries=0)
    raw = client.chat.completions.with_raw_response.create(model="m", messages=[{"role": "user", "content": word}])
    assert b"got" in raw.content
    assert replaylab.base_url("anthropic").endswith("/anthropic")

@pytest.mark.replaylab(name="shared")
def test_named(replaylab):
    ask("n")
    assert replaylab.run == "shared"
"""
    )
    run(suite, monkeypatch, "a").assert_outcomes(passed=4)
    assert words(suite, "test_suite.py::test_other[x]") == ["x"]
    assert words(suite, "test_suite.py::test_other[y]") == ["y"]
    assert Library(suite.path / "cassettes").ref("shared")
    asked = len(live.asked)
    run(suite, monkeypatch, "a", "--replaylab-mode=none").assert_outcomes(passed=4)
    assert len(live.asked) == asked == 4


def test_the_environment_is_as_before_after_the_test(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makepyfile(
        test_suite=SUITE
        + "\n\ndef test_after():\n    assert os.environ['OPENAI_BASE_URL'] == os.environ['WAS']\n"
    )
    monkeypatch.setenv("WAS", os.environ["OPENAI_BASE_URL"])
    run(suite, monkeypatch, "a").assert_outcomes(passed=2)


@pytest.mark.parametrize("marker", ["mode='ever'", "moed='none'", "'none'", "unplayed='maybe'", "network=1"])
def test_what_the_marker_can_not_say_is_refused(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, marker: str
) -> None:
    suite.makepyfile(test_suite=SUITE.replace("mark.replaylab", f"mark.replaylab({marker})"))
    run(suite, monkeypatch, "a").assert_outcomes(errors=1)


def test_with_xdist_each_worker_records_and_plays_its_own(
    suite: pytest.Pytester, live: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makepyfile(
        test_suite=SUITE.replace("def test_it():", "@pytest.mark.parametrize('n', range(6))\ndef test_it(n):")
    )
    monkeypatch.setenv("ASK", "a b")
    monkeypatch.setenv("PYTHONPATH", str(REPO))
    arguments = ("-p", "replaylab.pytest_plugin.plugin", "-p", "xdist", "-n", "2", "-q")
    result = suite.runpytest_subprocess(*arguments)
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["replaylab: 0 played, 12 recorded, 0 unplayed, 0 missed in 6 tests"])
    assert len(live.asked) == 12
    result = suite.runpytest_subprocess(*arguments, "--replaylab-mode=none")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["replaylab: 12 played, 0 recorded, 0 unplayed, 0 missed in 6 tests"])
    assert len(live.asked) == 12


def test_a_run_that_uses_none_of_it_loads_nothing_heavy_and_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(
        "import sys\ndef test_plain():\n"
        "    heavy = {'openai', 'httpx2', 'pydantic', 'click', 'uvicorn', 'vcr'} & set(sys.modules)\n"
        "    ours = {name for name in sys.modules if name.startswith('replaylab.')}\n"
        "    assert not heavy, heavy\n"
        "    assert ours <= {'replaylab.pytest_plugin', 'replaylab.pytest_plugin.plugin', 'replaylab.pytest_plugin.modes'}, ours\n"
    )
    env = {**os.environ, "PYTHONPATH": str(REPO), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "replaylab.pytest_plugin.plugin", str(tmp_path)]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "replaylab" not in done.stdout
