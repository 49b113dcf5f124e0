from __future__ import annotations

from typing import Any

from replaylab.synthesis.funnel import funnel, mended
from replaylab.synthesis.history import Event, History, InstanceHistory, ScenarioHistory, TaskHistory


def task(
    level: int, status: str = "passed over", reason: str = "", *events: Event, **more: Any
) -> TaskHistory:
    return TaskHistory.model_validate(
        {"id": f"t{level}", "level": level, "status": status, "reason": reason, "events": events, **more}
    )


def history(*tasks: TaskHistory, instances: int = 1, levels: int = 4, lost: str = "") -> History:
    kept = InstanceHistory(
        id="i0", scenario="s", number=0, subtopic="", set="public", status="kept", tasks=tuple(tasks)
    )
    rest = [
        InstanceHistory.model_validate(
            {
                "id": "i1",
                "scenario": "s",
                "number": 1,
                "subtopic": "",
                "set": "public",
                "status": "dropped",
                "reason": lost,
            }
        )
    ]
    scenario = ScenarioHistory(id="s", name="S", status="kept", instances=(kept, *(rest if lost else ())))
    order = {"sources": [1], "instances": instances, "levels": levels}
    return History(name="n", order=order, players={}, canary="c", scenarios=(scenario,))


FAILED = Event(what="failed", part="proof", rules=("leak",))
REPAIRED = Event(what="repaired", part="task", round=1)


def left(found: History) -> list[int]:
    return [stage.left for stage in funnel(found).stages]


def test_each_candidate_is_lost_at_the_stage_of_its_reason_and_once() -> None:
    reasons = [
        "no answer",
        "static",
        "duplicate",
        "passes anything",
        "unsolvable",
        "undecided",
        "always solved",
        "never solved",
    ]
    tasks = [task(n, "dropped", reason) for n, reason in enumerate(reasons, start=1)]
    found = history(*tasks, task(9), task(10, "kept"), levels=10)
    assert left(found) == [9, 8, 7, 5, 4, 2, 1]
    assert sum(stage.lost for stage in funnel(found).stages) + 1 == funnel(found).planned == 10


def test_the_levels_of_an_environment_that_was_dropped_are_lost_before_they_are_written() -> None:
    found = history(task(1, "kept"), task(2), instances=2, levels=2, lost="static")
    assert (funnel(found).planned, left(found)[0]) == (4, 2)
    assert funnel(found).lost[0].reason == "environment: static"


def test_repairs_are_counted_among_those_that_are_left() -> None:
    found = history(
        task(1, "kept", "", FAILED, REPAIRED), task(2, "dropped", "always solved", FAILED, REPAIRED), levels=2
    )
    repaired = {stage.name: stage.repaired for stage in funnel(found).stages}
    assert (repaired["proved"], repaired["kept: the level solved least"]) == (2, 1)


def test_reasons_name_the_rules_that_were_broken_last() -> None:
    last = Event(what="failed", rules=("plan-fails", "leak"))
    found = history(task(1, "dropped", "static", FAILED, last), task(2, "dropped", "static", last), levels=2)
    (lost,) = funnel(found).lost
    assert (lost.number, dict(lost.rules)) == (2, {"plan-fails": 2, "leak": 2})


def test_what_repairs_are_worth_is_how_many_of_the_broken_ones_stood() -> None:
    found = history(
        task(1, "kept", "", FAILED, REPAIRED), task(2, "dropped", "static", FAILED), task(3), levels=3
    )
    assert mended(found) == {"leak": (2, 1)}


def test_the_most_alike_that_were_left_is_reported_with_the_threshold() -> None:
    found = history(task(1, similar=0.7), task(2, "dropped", "duplicate", similar=0.99), levels=2)
    assert (funnel(found).most_alike, funnel(found).threshold) == (0.7, 0.9)


def test_nothing_made_is_an_empty_funnel_and_no_error() -> None:
    assert left(history(levels=1)) == [0] * 7
