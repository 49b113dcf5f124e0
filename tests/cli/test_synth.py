"""`synth` as a user calls it: what it makes, prints and writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from replaylab.builtin.responder import Responder, Response
from replaylab.builtin.server import ModelServer
from replaylab.catalogue.index import read_index, shipped
from replaylab.cli.synthesising import slug, source_of
from replaylab.errors import UsageError
from tests.cli.conftest import Call, process
from tests.playground import catalogue, reply, responder

SCENARIO = "greenhouse-irrigation-control"
SMALL = (SCENARIO, "--levels", "1", "--agent", "scripted:careful,scripted:greedy")


def test_with_nothing_but_a_scenario_it_makes_a_task_and_says_who_played(call: Call) -> None:
    ended = call("synth", *SMALL)
    assert ended.code == 0
    assert "1 of 1 candidate tasks kept" in ended.out
    assert (
        "Played by programs, not LLMs: grammar, rubric, scripted:careful, scripted:greedy, twin" in ended.out
    )
    assert "kept: the level solved least" in ended.out
    assert "recorded now with" in ended.err


def test_gone_offline_and_by_its_name_it_prints_the_same(call: Call) -> None:
    first = call("synth", *SMALL, "--json")
    again, offline = call("synth", *SMALL, "--json"), call("synth", *SMALL, "--offline", "--json")
    shown = call("synth", "--report", first.document["run"], "--json")
    assert first.document == again.document == offline.document == shown.document
    assert "0 steps recorded now with 0 calls" in again.err


def test_the_sets_are_written_and_recorded_from_like_any_scenario(call: Call, tmp_path: Path) -> None:
    files = call("synth", *SMALL, "--out", "tasks", "--made-on", "2026-03-04", "--json").document["files"]
    assert {"manifest.json", "history.json", "public/README.md"} <= set(files)
    assert json.loads((tmp_path / "tasks" / "manifest.json").read_text())["made_on"] == "2026-03-04"
    recorded = call(
        "record", "--scenarios", "tasks/public", "--trust-twins", "--agent", "scripted:careful", "--json"
    ).document
    assert recorded["counts"]["pass"] == 1


def test_a_figure_is_drawn_by_the_ending_of_its_name(call: Call, tmp_path: Path) -> None:
    for name in ("funnel.svg", "funnel.png", "funnel.pdf"):
        assert call("synth", *SMALL, "--figure", name).code == 0
        assert (tmp_path / name).stat().st_size > 1000
    ended = call("synth", *SMALL, "--figure", "funnel.gif")
    assert (ended.code, ".svg" in ended.err) == (2, True)


def test_two_are_compared_by_their_names(call: Call) -> None:
    one = call("synth", *SMALL, "--json").document["run"]
    other = call("synth", *SMALL, "--seed", "1", "--json").document["run"]
    ended = call("synth", "--compare", one, other)
    assert ended.code == 0
    assert "pairs of agents stand in the same order by both" in ended.out
    document = call("synth", "--compare", one, other, "--json").document
    assert (document["generators"], document["scenarios"][0]["tools"]) == (["grammar", "grammar"], 1.0)


def test_proposed_twins_are_run_only_where_the_user_trusts_them(call: Call) -> None:
    twins = call("synth", *SMALL, "--twins")
    assert "1 twin proposed for review; none was run" in twins.out
    trusted = call("synth", *SMALL, "--twins", "--trust-twins", "--json").document["proposed_twins"]
    assert [(one["plans"], one["carried_out"], one["why"]) for one in trusted] == [(1, 1, "")]


def test_a_limit_of_calls_stops_it_and_the_same_command_goes_on(call: Call) -> None:
    stopped = call("synth", *SMALL, "--max-calls", "9")
    assert (stopped.code, "--max-calls 9" in stopped.err) == (1, True)
    rest = call("synth", *SMALL)
    assert rest.code == 0
    whole = call("synth", *SMALL, "--max-steps", "59")
    assert _calls(rest.err) == _calls(whole.err) - 9


def _calls(err: str) -> int:
    return int(err.rpartition(" with ")[2].split()[0])


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((), "no scenario is named"),
        (("no-such-scenario",), "no scenario has the id"),
        ((SCENARIO, "--generator", "twin"), "plays the simulator, not the generator"),
        ((SCENARIO, "--agent", "grammar"), "plays the generator, not the agent"),
        ((*SMALL, "--out", "x", "--made-on", "yesterday"), "not a day"),
        ((*SMALL, "--out", "x", "--made-on", "2026-02-31"), "not a day"),
        ((*SMALL, "--out", "x", "--made-on", "20260304"), "not a day"),
        ((*SMALL, "--figure", "funnel.gif"), "no figure is drawn as '.gif'"),
        ((*SMALL, "--trust-twins"), "--twins asks for it"),
        (("meeting-room-scheduling",), "makes tasks of shipped scenarios"),
    ],
)
def test_what_can_t_be_done_is_refused_in_words(call: Call, argv: tuple[str, ...], said: str) -> None:
    ended = call("synth", *argv)
    assert (ended.code, said in ended.err) == (2, True), ended.err
    assert "recorded now" not in ended.err, "something was paid for before it was refused"


@pytest.mark.usefixtures("study")
def test_a_synthesis_that_is_not_there_is_refused_in_words(call: Call) -> None:
    ended = call("synth", "--report", "s-nothing")
    assert (ended.code, "no synthesis is named" in ended.err) == (2, True)


def test_offline_without_a_recording_it_wants_the_network(call: Call) -> None:
    assert call("synth", *SMALL, "--offline").code == 5


def test_a_published_scenario_that_is_not_shipped_is_named_by_its_slug() -> None:
    names = {scenario.name for scenario in catalogue().scenarios}
    other = next(one for one in read_index(shipped()) if one.name not in names)
    found = source_of(slug(other.name), catalogue())
    assert (found.name, found.industry, found.summary) == (other.name, other.industry, "")
    with pytest.raises(UsageError):
        source_of("no such", catalogue())


class Moody(Responder):
    """A generator that answers in prose first, then in a fence, then with too little, and now and then properly."""

    def __init__(self) -> None:
        super().__init__(catalogue())
        self.count = 0

    def respond(self, path: str, body: bytes, method: str = "POST") -> Response:
        if method != "POST":
            return responder().respond(path, body, method)
        status, headers, pieces = responder().respond(path, body, method)
        self.count += 1
        if self.count % 3 == 0:
            return reply("As a language model I would say {")
        if self.count % 3 == 1 and status == 200:
            answer: Any = json.loads(b"".join(pieces))
            text = answer["choices"][0]["message"]["content"]
            return reply(f"Here it is:\n\n```json\n{text}\n```\n")
        return status, headers, pieces


@pytest.fixture
def moody() -> Iterator[ModelServer]:
    with ModelServer(Moody()) as server:
        yield server


def test_a_model_behind_a_server_that_answers_badly_now_and_then_is_asked_again(
    moody: ModelServer, tmp_path: Path
) -> None:
    config = f'[models.writer]\nbase_url = "{moody.base_url}"\nmodel = "grammar"\n'
    (tmp_path / "replaylab.toml").write_text(config, encoding="utf-8")
    command = ("-m", "replaylab", "synth", *SMALL, "--generator", "writer", "--json")

    def run(*more: str) -> Any:
        # A process of its own: the connections of one end with it.
        return json.loads(process(*command, *more, cwd=tmp_path).stdout)

    document = run()
    assert document["ok"], document["funnel"]
    assert document["history"]["players"]["writer"] == "llm"
    asked = moody.answered
    assert (
        asked > 9
    )  # two parts of the scenario, three of the environment, four of the task, and those asked again
    assert (run("--offline"), moody.answered) == (document, asked)
