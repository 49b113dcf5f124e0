from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from replaylab.cassette.stored import open_cassette
from replaylab.engine.gate import Gate
from replaylab.engine.stepping import Steps
from replaylab.roles.generator import read_question
from replaylab.schema.finding import Finding
from replaylab.store.library import Library
from replaylab.synthesis.asking import SHOWN, Asking, told
from replaylab.synthesis.parts import Place
from tests.playground import fake_seams, program, program_chats, reply
from tests.synthesis.playing import order, source

GENERATOR = program("writer", sampling={"seed": 7})


def asking(root: Path, *texts: str) -> tuple[Asking, list[Any]]:
    left, asked = list(texts), list[Any]()

    def respond(path: str, body: bytes) -> Any:
        asked.append(json.loads(body))
        return reply(left.pop(0))

    wanted = order(generator=GENERATOR)
    return Asking(
        wanted, Steps(Library(root), "s", fake_seams(), open_chat=program_chats(Gate(1), respond))
    ), asked


def test_a_question_says_what_it_is_about_and_what_is_known(tmp_path: Path) -> None:
    one, asked = asking(tmp_path, '{"instruction": "i"}')
    place = Place(order(generator=GENERATOR), source(), 0, 2)
    answer = one.about(place, "task", {"subtopics": ["gates", "vans"], "state": {"a": 1}})
    question = read_question(asked[0]["messages"][1]["content"])
    assert question is not None
    assert (question.order["level"], question.order["levels"], question.order["subtopic"]) == (2, 2, "gates")
    assert (question.order["scenario"]["id"], question.parts["state"]) == (source().id, {"a": 1})
    assert (answer.value, answer.event.what, answer.event.part) == ({"instruction": "i"}, "made", "task")


def test_a_repair_is_another_question_with_a_seed_of_its_own(tmp_path: Path) -> None:
    one, asked = asking(tmp_path, '{"instruction": "i"}', '{"instruction": "j"}')
    place = Place(order(generator=GENERATOR), source(), 0, 1)
    one.about(place, "task", {})
    again = one.about(place, "task", {}, 1, before={"instruction": "i"}, findings=[{"kind": "leak"}])
    assert (again.event.what, again.event.round) == ("repaired", 1)
    assert [body["seed"] for body in asked] == [7, 8]


def test_the_cassette_stands_at_the_step_and_its_round(tmp_path: Path) -> None:
    one, _ = asking(tmp_path, '{"instruction": "i"}', '{"subtopics": ["a"]}')
    place = Place(order(generator=GENERATOR), source(), 0, 1)
    names = [
        one.about(place, "task", {}, 1).event.cassettes[0],
        one.about_scenario(source(), "subtopics", {}).event.cassettes[0],
    ]
    tasks = [open_cassette(Library(tmp_path), name).header.subject.task for name in names]
    assert tasks == [f"{place.task}:task:r1", f"{source().id}.{place.order.name}:subtopics"]


def test_what_never_came_says_why(tmp_path: Path) -> None:
    one, _ = asking(tmp_path, "no", "no", "no")
    answer = one.about_scenario(source(), "subtopics", {})
    assert (answer.value, answer.event.what) == (None, "failed")
    assert "unparsable" in answer.event.why


def test_a_repair_is_told_the_first_findings_and_nothing_of_this_machine() -> None:
    findings = [Finding.of("leak", f"tasks/t.json: {n}", "m", observed=n, closest="c") for n in range(99)]
    said = told(findings)
    assert len(said) == SHOWN
    assert said[1] == {
        "kind": "leak",
        "where": "tasks/t.json: 1",
        "message": "m",
        "observed": 1,
        "closest": "c",
    }
