from __future__ import annotations

import pytest

from replaylab.derive.conformance import Conformance, conformance_of
from replaylab.faults.plan import named
from replaylab.schema.base import Json
from tests.checks.trials import trial
from tests.derive.recording import header

HEAD = header()
WHOLE: Json = {"rooms": [{"id": f"R{n}", "beds": 2} for n in range(3)]}


def report(plan: str, *calls: tuple[str, Json]) -> Conformance:
    """The report on reads and writes of the ward that returned these observations."""
    found = conformance_of(
        HEAD.model_copy(update={"faults": named(plan)}), trial([(tool, {}, shown) for tool, shown in calls])
    )
    assert found is not None
    return found


def read(shown: Json) -> tuple[str, Json]:
    return "list_rooms", shown


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("HTTP 500: internal failure", "http_500"),
        ("The request timed out.", "timeout"),
        ("Connection refused by host", "refused"),
        ("Service temporarily unavailable", "unavailable"),
    ],
)
def test_an_error_that_a_broken_connection_would_give_is_a_fault(text: str, kind: str) -> None:
    found = report("E1+prompt", read({"error": text}), read(WHOLE))
    assert [(fault.kind, fault.calls) for fault in found.faults] == [(kind, (0,))]


def test_an_error_of_the_environment_is_none() -> None:
    assert report("E1+prompt", read({"error": "room R9 does not exist"})).seen == 0


def test_faults_in_a_row_are_one_and_are_held_against_the_plan() -> None:
    broken = read({"error": "HTTP 500"})
    found = report("E1+prompt", broken, broken, read(WHOLE), broken)
    assert (found.planned, found.planned_calls, found.seen, found.seen_calls) == (2, 4, 2, 3)
    assert found.faults[0].calls == (0, 1)


def test_what_the_same_call_gave_more_of_is_a_hidden_fault() -> None:
    cut = {"rooms": WHOLE["rooms"][:1]}
    lacking = {"rooms": [{"id": "R0"}, *WHOLE["rooms"][1:]]}
    empty = {"rooms": [{"id": "R0", "beds": None}, *WHOLE["rooms"][1:]]}
    for shown, kind in ((cut, "truncated"), (lacking, "missing_fields"), (empty, "empty_fields")):
        found = report("E2+prompt", read(shown), read(WHOLE))
        assert [(fault.kind, fault.calls) for fault in found.faults] == [(kind, (0,))]


def test_what_a_write_in_between_may_have_changed_is_no_fault() -> None:
    before = {"rooms": [{"id": "R0", "beds": None}]}
    assert report("E2+prompt", read(before), ("assign_room", {"success": True}), read(WHOLE)).seen == 0


def test_only_kinds_that_were_asked_for_count() -> None:
    shown = (read({"error": "HTTP 503"}), read({"rooms": [{"id": "R0"}]}))
    assert [report(plan, *shown).seen for plan in ("E1+prompt", "E2+prompt", "E3+prompt")] == [1, 1, 2]


def test_a_trial_that_the_harness_disturbs_has_no_report() -> None:
    head = HEAD.model_copy(update={"faults": named("E1")})
    assert conformance_of(head, trial([])) is None
