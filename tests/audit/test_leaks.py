from __future__ import annotations

from typing import Any

import pytest

from replaylab.audit.leaks import SHORTEST, leaks
from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.schema.scenario import Task
from replaylab.store.library import Library
from tests.engine.forging import Row, forged, of_kind
from tests.playground import SHORT, catalogue, record


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return record(tmp_path_factory.mktemp("leaks"))[0]


def told(library: Library, text: str, role: str = "user") -> Cassette:
    """The trial with this text at the end of the first message of that role."""
    (name,) = library.objects("cassette")

    def change(rows: list[Row]) -> None:
        for row in of_kind(rows, "blob"):
            value: Any = row.get("value")
            if (
                isinstance(value, dict)
                and value.get("role") == role
                and isinstance(value.get("content"), str)
            ):
                value["content"] += f"\n{text}"

    return Cassette(forged(library.get(name, "cassette"), change), where="x.cassette")


def task() -> Task:
    return catalogue().task(SHORT).task


def longest(text: str) -> str:
    return max(text.replace("\n", ". ").split(". "), key=len)


def test_an_honest_trial_has_none(library: Library) -> None:
    (name,) = library.objects("cassette")
    assert list(leaks(open_cassette(library, name))) == []


def test_a_sentence_of_the_rubric_is_one(library: Library) -> None:
    sentence = longest(task().rubric.text)
    assert len(sentence) >= SHORTEST
    found = list(leaks(told(library, f"Remember:  {sentence.upper()}.")))
    assert [one.where.rsplit(" ", 1)[-1] for one in found] == ["rubric"]


def test_the_answer_of_the_reference_plan_is_one(library: Library) -> None:
    plan = task().plan
    assert plan
    found = list(leaks(told(library, longest(plan.answer))))
    assert [one.where.split("cassette ")[-1] for one in found] == ["reference plan"]


def test_what_the_simulator_shows_is_none(library: Library) -> None:
    assert list(leaks(told(library, longest(task().rubric.text), role="tool"))) == []


def test_what_the_instruction_says_too_is_none(library: Library) -> None:
    assert list(leaks(told(library, longest(task().instruction)))) == []


def test_a_short_piece_is_none(library: Library) -> None:
    assert list(leaks(told(library, longest(task().rubric.text)[: SHORTEST - 1]))) == []
