from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.diff.reading import CheckedTrial
from replaylab.report.patterns import LEAST, SHOWN, Pattern, pattern_lines, patterns, place_of
from replaylab.schema.violation import CheckReport, Coverage, Covered, Violation


def found(
    call: int, entity: str, tool: str = "list_rooms", pointer: str = "/rooms/0", message: str = ""
) -> Violation:
    return Violation(
        kind="omission",
        subkind="missing",
        tool=tool,
        call=call,
        entity=entity,
        pointer=pointer,
        confidence=0.9,
        message=message or f"{tool} leaves out {entity}",
    )


def trial(
    task: str,
    *ones: Violation,
    calls: int = 4,
    simulator: str = "sim",
    agent: str = "agent",
    how: str = "recorded",
) -> CheckedTrial:
    row = Covered(tool="list_rooms", kind="omission", calls=calls, checked=calls)
    coverage = Coverage(environment="ward", rows=(row,), calls=calls, checkable=calls)
    return CheckedTrial.model_validate(
        {
            "address": f"{agent},{simulator},judge,E0/{task}/0",
            "cassette": "0" * 64,
            "scenario": "ward",
            "industry": "health",
            "environment": "ward",
            "task": task,
            "faults": "E0",
            "mode": "record",
            "evidence": how,
            "player": "program",
            "verdict": "fail",
            "termination": "answered",
            "calls": calls,
            "report": CheckReport(findings=ones, coverage=coverage),
        }
    )


def lines(made: list[Pattern], *, full: bool = False, width: int = 200) -> list[str]:
    return [line.text for line in pattern_lines(made, width, full=full)]


def test_the_same_in_one_place_of_a_tool_is_one_pattern() -> None:
    made = patterns([trial("a", found(0, "R1"), found(2, "R2")), trial("b", found(1, "R1"))])
    assert [(one.findings, one.different, one.tasks, one.calls, one.answers) for one in made] == [
        (3, 3, 2, 3, 8)
    ]
    assert made[0].where.place == "/rooms/*"
    assert lines(made)[1].strip() == (
        "sim: omission/missing in 3 of 8 answers of list_rooms, at /rooms/*  (3 different findings, 2 tasks, ward)"
    )


def test_twice_is_no_pattern() -> None:
    assert patterns([trial("a", found(0, "R1")), trial("b", found(1, "R1"))]) == []
    assert lines([]) == []


def test_what_several_agents_were_told_at_the_same_point_is_not_different() -> None:
    assert patterns([trial("a", found(0, "R1"), agent=agent) for agent in ("x", "y", "z", "w")]) == []


def test_many_rows_of_one_answer_are_no_pattern() -> None:
    rows = [found(0, f"R{number}") for number in range(5)]
    assert patterns([trial("a", *rows), trial("a", *rows, agent="other")]) == []


def test_evidence_simulators_and_tools_are_kept_apart() -> None:
    ones = [found(number, "R1") for number in range(3)]
    made = patterns(
        [
            trial("a", *ones),
            trial("a", *ones, how="authored"),
            trial("a", *ones, simulator="other"),
            trial("b", *(found(number, "R1", tool="get_room") for number in range(3))),
        ]
    )
    assert len(made) == 4
    assert any("sim (authored): " in line for line in lines(made))


def test_a_tool_that_is_accused_in_half_of_its_answers_is_marked_and_the_reader_is_told() -> None:
    half = patterns([trial("a", *(found(number, "R1") for number in range(3)), calls=6)])
    assert half[0].often
    assert lines(half)[1].startswith("  ! sim: ")
    assert "may be misread" in " ".join(lines(half))
    less = patterns([trial("a", *(found(number, "R1") for number in range(3)), calls=7)])
    assert not less[0].often
    assert "misread" not in " ".join(lines(less))


def test_a_tool_that_nothing_covers_has_at_least_the_answers_that_are_accused() -> None:
    made = patterns([trial("a", *(found(number, "R1", tool="unknown") for number in range(3)))])
    assert (made[0].calls, made[0].answers) == (3, 3)


def test_the_short_view_says_how_many_are_left_and_the_full_one_shows_them() -> None:
    ones = [
        found(call, "R1", tool=f"tool_{letter}") for letter in "abcdefg"[: SHOWN + 2] for call in range(LEAST)
    ]
    made = patterns([trial("t", *ones)])
    assert len(made) == SHOWN + 2
    assert any("… and 2 more" in line for line in lines(made))
    assert all(any(f"tool_{letter}" in line for line in lines(made, full=True)) for letter in "abcdefg")


@pytest.mark.parametrize(
    ("pointer", "entity", "place"),
    [
        ("", "R1", ""),
        ("/rooms/3/status", "R1", "/rooms/*/status"),
        ("/rooms/ER-1/status", "ER-1", "/rooms/*/status"),
        ("/rooms/north/status", "north", "/rooms/*/status"),
        ("/rooms/north~1west/status", "north/west", "/rooms/*/status"),
        ("/rooms/status", "R1", "/rooms/status"),
    ],
)
def test_a_place_is_a_pointer_without_rows_and_ids(pointer: str, entity: str, place: str) -> None:
    assert place_of(found(0, entity, pointer=pointer)) == place


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from(["R1", "R2", "R3"])), max_size=12
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_trials_changes_no_number(rows: list[tuple[str, int, str]], chance: object) -> None:
    trials = [
        trial(task, found(call, entity), agent=f"agent{number}")
        for number, (task, call, entity) in enumerate(rows)
    ]
    mixed = trials[:]
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    told = [
        [one._replace(first=trials[0].report.findings[0]) for one in patterns(part)]
        for part in (trials, mixed)
    ]
    assert told[0] == told[1]
    for one in patterns(trials):
        assert LEAST <= one.different <= one.findings
        assert one.places <= one.calls <= one.answers
