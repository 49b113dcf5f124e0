"""`--judge MODEL` of check and diff, with a server that judges by a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from replaylab.builtin.responder import Responder, Response
from replaylab.builtin.server import ModelServer
from replaylab.schema.base import JsonObject
from tests.cli.conftest import Call, Ended, process
from tests.interop.transcript.made import CONFIG, line, step
from tests.playground import catalogue

RULE = "A gate is opened only by those who hold its key."
HALL = {**CONFIG, "world_model_system_prompt": f"You are a hall with gates. {RULE}"}
REFUSED = {"error": "Gate G-1 is stuck."}
Verdict = Callable[[JsonObject], JsonObject]


class Judge(Responder):
    """A server whose one model answers questions about contracts as a script says."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(catalogue())
        self.verdict, self.asked = verdict, 0

    def respond(self, path: str, body: bytes, method: str = "POST") -> Response:
        case = json.loads(json.loads(body)["messages"][-1]["content"].partition("\n")[2])
        self.asked += 1
        text = json.dumps(self.verdict(case))
        message = {"role": "assistant", "content": text}
        answer = {"model": "judge-1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        return 200, {"content-type": "application/json"}, [json.dumps(answer).encode()]


@contextmanager
def serving(folder: Path, verdict: Verdict) -> Iterator[Judge]:
    judge = Judge(verdict)
    with ModelServer(judge) as server:
        config = f'[models.judge]\nbase_url = "{server.base_url}"\nmodel = "judge-1"\n'
        (folder / "replaylab.toml").write_text(config, encoding="utf-8")
        yield judge


def ask(folder: Path, *argv: str) -> Ended:
    """A command in a process of its own, since connections stay open until the end of one."""
    done = process("-m", "replaylab", *argv, "--judge", "judge", cwd=folder)
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def licensed(case: JsonObject) -> JsonObject:
    return {"verdict": "licensed", "quote": RULE, "reason": "the agent holds no key"}


def broken(case: JsonObject) -> JsonObject:
    return {"verdict": "violation", "quote": case["about"]["reason_given"], "reason": "nothing says so"}


def misquoting(case: JsonObject) -> JsonObject:
    return {"verdict": "licensed", "quote": "Gates that are stuck stay shut.", "reason": "it is likely"}


@pytest.fixture
def hall(call: Call, tmp_path: Path) -> Path:
    """A run of two simulators, of which one refuses by something that is doubtful and nothing else."""
    opens = step(tool="open_gate", arguments={"id": "G-1"}, observation={"ok": True})
    stuck = {**opens, "observation": REFUSED}
    lines = [
        line(environment=HALL, simulator="a", steps=[opens]),
        line(environment=HALL, simulator="b", steps=[stuck]),
    ]
    (tmp_path / "hall.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert call("import", "transcript", "hall.jsonl").code == 0
    return tmp_path


def test_a_doubtful_violation_is_cleared_and_both_figures_are_printed(call: Call, hall: Path) -> None:
    with serving(hall, licensed):
        told = ask(hall, "check", "hall")
    assert told.code == 0
    assert "1 cleared" in told.out
    assert "without the judge: 1 violation. With it: 0." in told.out
    assert "refused by an invented rule" in told.out


def test_a_doubtful_violation_is_confirmed(call: Call, hall: Path) -> None:
    with serving(hall, broken):
        document = ask(hall, "check", "hall", "--json").document
    judge = document["judge"]
    assert (judge["confirmed"], judge["violations_without"], judge["violations_with"]) == (1, 1, 1)
    assert (document["ok"], len(document["findings"])) == (False, 1)


def test_a_judge_that_makes_its_passage_up_changes_nothing(call: Call, hall: Path) -> None:
    with serving(hall, misquoting):
        document = ask(hall, "check", "hall", "--json").document
    assert (document["judge"]["dropped_votes"], document["judge"]["open"]) == (3, 1)
    assert len(document["findings"]) == 1


def test_its_answers_are_recorded_and_taken_without_it(call: Call, hall: Path) -> None:
    with serving(hall, licensed) as judge:
        first = ask(hall, "check", "hall", "--json").document
        again = ask(hall, "check", "hall", "--json").document
        assert judge.asked == 3
    assert (first["judge"]["new"], again["judge"]["new"]) == (1, 0)
    offline = call("check", "hall", "--judge", "judge", "--offline", "--json").document
    assert offline["judge"] == again["judge"]
    assert call("verify").code == 0
    assert call("replay", "hall").code == 0


def test_offline_what_was_never_asked_is_an_error(call: Call, hall: Path) -> None:
    with serving(hall, licensed):
        pass
    told = call("check", "hall", "--judge", "judge", "--offline")
    assert told.code == 5
    assert "was never asked this" in told.err


def test_a_comparison_asks_the_same_judge(call: Call, hall: Path) -> None:
    with serving(hall, licensed):
        without = call("diff", "hall", "--json").document
        document = ask(hall, "diff", "hall", "--json").document
    assert without["judge"] is None
    assert document["judge"]["cleared"] == 1
    gone = {one["id"] for one in without["findings"]} - {one["id"] for one in document["findings"]}
    assert gone == {document["judge"]["rulings"][0]["id"]}


@pytest.mark.parametrize(
    ("name", "why"), [("a", "is a simulator that is checked"), ("coin", "can't read a contract")]
)
def test_who_may_not_judge(call: Call, hall: Path, name: str, why: str) -> None:
    (hall / "replaylab.toml").write_text('[models.a]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "x"\n')
    told = call("check", "hall", "--judge", name)
    assert told.code == 2
    assert why in told.err


def test_offline_without_a_judge_is_refused(call: Call, hall: Path) -> None:
    assert call("check", "hall", "--offline").code == 2
    assert call("diff", "hall", "--offline").code == 2


@pytest.mark.parametrize("runs", [("hall", "other"), ("other", "hall")])
def test_a_ruling_counts_in_the_run_that_it_was_made_for(
    call: Call, hall: Path, runs: tuple[str, str]
) -> None:
    """The same call of the same trial stands in both runs, and one of the two refusals is licensed."""
    jammed = step(tool="open_gate", arguments={"id": "G-1"}, observation={"error": "Gate G-1 is jammed."})
    other = line(environment=HALL, simulator="b", steps=[jammed])
    (hall / "other.jsonl").write_text(json.dumps(other), encoding="utf-8")
    assert call("import", "transcript", "other.jsonl").code == 0

    def picky(case: JsonObject) -> JsonObject:
        return licensed(case) if "stuck" in case["about"]["reason_given"] else broken(case)

    with serving(hall, picky):
        document = ask(hall, "check", *runs, "--json").document
    judge = document["judge"]
    assert (judge["cleared"], judge["confirmed"]) == (1, 1)
    assert (judge["violations_without"], judge["violations_with"]) == (2, 1)
    assert len(document["findings"]) == 1


def test_a_judge_that_can_not_be_asked_is_told_from_one_whose_quotes_are_wrong(hall: Path) -> None:
    class Shut(Judge):
        def respond(self, path: str, body: bytes, method: str = "POST") -> Response:
            return 401, {"content-type": "application/json"}, [b'{"error": {"message": "no such key"}}']

    with ModelServer(Shut(licensed)) as server:
        config = f'[models.judge]\nbase_url = "{server.base_url}"\nmodel = "judge-1"\n'
        (hall / "replaylab.toml").write_text(config, encoding="utf-8")
        told = ask(hall, "check", "hall")
        document = ask(hall, "check", "hall", "--json").document
    assert "judge judge: no answer to 3 votes: " in told.out
    assert "401" in told.out
    assert "0 votes without a verbatim passage dropped" in told.out
    assert (document["judge"]["unanswered_votes"], document["judge"]["dropped_votes"]) == (3, 0)
