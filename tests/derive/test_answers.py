from __future__ import annotations

import pytest

from replaylab.derive import answers as answers_module
from replaylab.derive.answers import Answers, read_recorded
from replaylab.derive.verdict import derive
from replaylab.errors import CallFailed
from replaylab.schema.interaction import Attempt
from replaylab.schema.outcome import body_bytes
from replaylab.wire.completion import judge
from tests.derive.recording import header, lanes

YES = '{"is_correct": true, "feedback": "yes"}'
LANES = lanes(
    agent=["Done."], verifier_0=[YES], verifier_1=["hm", YES], verifier_2=[CallFailed("x", kind="timeout")]
)


def test_a_trial_derives_the_same_from_answers_that_are_remembered() -> None:
    assert derive(header(), LANES, Answers()) == derive(header(), LANES)


def test_each_answer_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def noted(attempt: Attempt) -> object:
        read.append(body_bytes(attempt))
        return judge(attempt)

    monkeypatch.setattr(answers_module, "judge", noted)
    answers = Answers()
    derive(header(), LANES, answers)
    for row in (row for lane in LANES.values() for row in lane):
        answers.of(row)
    assert len(read) == sum(map(len, LANES.values()))


def test_a_recorded_failure_is_raised_as_it_would_be_without_memory_and_is_no_answer() -> None:
    (row,) = LANES["verifier.2"]
    answers = Answers()
    with pytest.raises(CallFailed) as remembered:
        answers(row)
    with pytest.raises(CallFailed) as plain:
        read_recorded(row)
    assert str(remembered.value) == str(plain.value)
    assert remembered.value.kind == plain.value.kind == "timeout"
    assert answers.of(row) is None


def test_two_equal_lines_are_read_apart() -> None:
    (first,) = lanes(agent=["one"])["agent"]
    (second,) = lanes(agent=["two"])["agent"]
    answers = Answers()
    assert [answers(first).text, answers(second).text] == ["one", "two"]
