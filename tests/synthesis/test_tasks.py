"""Every kind of planted bad candidate is mended or dropped, for the right reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.roles.generator import Question
from replaylab.synthesis.history import Event
from tests.playground import catalogue, program, reply
from tests.synthesis.planted import KINDS
from tests.synthesis.playing import Played, order, source, synthesise

ONE_LEVEL = {"levels": 1}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The same synthesis without anything planted."""
    return synthesise(tmp_path_factory.mktemp("sound"), order(**ONE_LEVEL))


def events(played: Played) -> list[Event]:
    """Everything that happened, in the order in which it did."""
    found = [event for scenario in played.history.scenarios for event in scenario.events]
    found += [event for instance in played.history.instances for event in instance.events]
    return found + [event for task in played.history.tasks for event in task.events]


def test_without_anything_planted_the_task_is_kept_and_nothing_is_mended(sound: Played) -> None:
    assert [task.status for task in sound.history.tasks] == ["kept"]
    assert not [event for event in events(sound) if event.what in ("failed", "repaired", "dropped")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_candidate_that_is_bad_once_is_mended_by_the_part_that_is_wrong(
    kind: str, tmp_path: Path, sound: Played
) -> None:
    planted = KINDS[kind]
    played = synthesise(tmp_path, order(**ONE_LEVEL), planted.edit(1))
    seen = next(event for event in events(played) if event.rules)
    assert set(seen.rules) & planted.rules, seen
    repairs = [event.part for event in events(played) if event.what == "repaired"]
    assert planted.mends in repairs
    assert [task.status for task in played.history.tasks] == ["kept"]
    if planted.step != "state":  # the program mends a state by another one
        assert played.made.kept[0].task == sound.made.kept[0].task


def test_there_are_more_than_fifteen_kinds() -> None:
    assert len(KINDS) >= 15


@pytest.mark.parametrize("kind", KINDS)
def test_a_candidate_that_stays_bad_is_dropped_before_any_trial(kind: str, tmp_path: Path) -> None:
    planted = KINDS[kind]
    played = synthesise(tmp_path, order(**ONE_LEVEL), planted.edit(99))
    assert not played.made.kept
    assert {step for model, step in played.asked if model != "grammar"} == set(), "a trial was paid for"
    history = played.history
    ends = [one.reason for one in history.tasks or history.instances or history.scenarios]
    assert ends == ["static"]
    last = [event for event in events(played) if event.rules][-1]
    assert set(last.rules) & planted.rules


def test_subtopics_that_come_in_two_parts_are_put_together(tmp_path: Path) -> None:
    missing = []

    def edit(question: Question, value: Any) -> Any:
        if question.step != "subtopics":
            return value
        missing.append((question.missing, question.before))
        rows = value["subtopics"]
        return {"subtopics": rows[10:] if question.missing else rows[:10]}

    played = synthesise(tmp_path, order(**ONE_LEVEL), edit)
    (first, none), (more, before) = missing
    assert (first, none, more, len(before["subtopics"])) == (None, None, 6, 10)
    assert [task.status for task in played.history.tasks] == ["kept"]
    assert played.made.kept[0].parts["subtopics"] == list(catalogue().scenario(source().id).subtopics)


def test_an_instruction_that_gives_the_answer_away_is_mended(tmp_path: Path, sound: Played) -> None:
    plan = sound.made.kept[0].task.plan
    assert plan is not None
    spoilt = {"left": 1}

    def edit(question: Question, value: Any) -> Any:
        if question.step == "task" and spoilt["left"]:
            spoilt["left"] = 0
            return {"instruction": f"{value['instruction']} The answer: {plan.answer}"}
        return value

    played = synthesise(tmp_path, order(**ONE_LEVEL), edit)
    seen = next(event for event in events(played) if event.rules)
    assert {"leak", "answer-given"} & set(seen.rules)
    assert played.made.kept[0].task == sound.made.kept[0].task


def test_a_duplicate_is_dropped_before_any_trial_of_it(tmp_path: Path) -> None:
    said: dict[tuple[str, Any], Any] = {}

    def edit(question: Question, value: Any) -> Any:
        place = (question.step, question.order.get("level"))
        return value if question.order.get("instance") is None else said.setdefault(place, value)

    played = synthesise(tmp_path, order(**ONE_LEVEL, instances=2), edit)
    first, second = played.history.tasks
    assert (first.status, second.status, second.reason) == ("kept", "dropped", "duplicate")
    assert (second.similar, second.similar_to) == (1.0, first.id)
    assert second.with_plan.decided == 0


def test_a_task_that_every_agent_solves_is_dropped(tmp_path: Path) -> None:
    played = synthesise(tmp_path, order(**ONE_LEVEL, agents=(program("scripted:careful"),)))
    assert (played.task().reason, played.task().rate) == ("always solved", 1.0)
    assert not played.made.kept


def test_a_task_that_no_agent_solves_is_dropped(tmp_path: Path) -> None:
    agents = (program("scripted:careful"), program("scripted:greedy"))
    played = synthesise(tmp_path, order(**ONE_LEVEL, agents=agents[1:]))
    assert (
        played.task().with_plan.passed == 0
    )  # the first agent named carries out the plan, and this one can't
    assert played.task().reason == "unsolvable"
    never = synthesise(tmp_path / "b", order(**ONE_LEVEL, agents=agents))
    assert never.task().rate == 0.5


def test_a_level_that_never_comes_is_dropped_and_the_others_are_not(tmp_path: Path) -> None:
    def edit(question: Question, value: Any) -> Any:
        return None if question.order.get("level") == 1 and question.step == "rubric" else value

    played = synthesise(tmp_path, order(), edit)
    assert [(task.level, task.status, task.reason) for task in played.history.tasks] == [
        (1, "dropped", "no answer"),
        (2, "kept", ""),
    ]
    missing = played.task(1)
    assert "unparsable" in missing.events[-1].why
    assert sum(step == "rubric" for _, step in played.asked) == 3 + 1  # asked three times, then given up


def no_twin(question: Question, value: Any) -> Any:
    """An environment that no shipped code runs."""
    return {k: v for k, v in value.items() if k != "twin_of"} if question.step == "environment" else value


def judged(tmp_path: Path, verdict: str, **more: Any) -> Played:
    """A synthesis without a twin whose verifier always says the same."""

    def instead(request: Any) -> Any:
        return reply(verdict) if request["model"] == "coin" else None

    wanted = order(
        **ONE_LEVEL,
        simulator=program("example"),
        verifier=program("coin"),
        agents=(program("scripted:explorer"),),
        **more,
    )
    return synthesise(tmp_path, wanted, no_twin, instead=instead)


def test_a_rubric_by_which_judges_pass_an_agent_that_does_nothing_is_mended_then_dropped(
    tmp_path: Path,
) -> None:
    played = judged(tmp_path, '{"is_correct": true, "feedback": "fine"}')
    task = played.task()
    assert task.reason == "passes anything"
    assert [event.part for event in task.events if event.what == "repaired"] == ["rubric"]
    assert task.with_plan.decided == 0


def test_an_unsolvable_task_is_diagnosed_mended_and_in_the_end_dropped(tmp_path: Path) -> None:
    played = judged(tmp_path, '{"is_correct": false, "feedback": "the tank was never filled"}')
    task = played.task()
    assert (task.reason, task.with_plan.failed) == ("unsolvable", 1)
    assert ("grammar", "diagnosis") in played.asked
    assert [event.part for event in task.events if event.what == "repaired"] == ["checks"]


def test_trials_without_a_verdict_are_neither_failed_nor_passed(tmp_path: Path) -> None:
    played = judged(tmp_path, "no idea")
    task = played.task()
    assert (task.reason, task.with_plan.error, task.with_plan.decided) == ("undecided", 1, 0)
