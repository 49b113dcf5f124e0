"""Answers that sort things into sections."""

from __future__ import annotations

from replaylab.diff.lists.sections import sections, sorted_by
from tests.diff.plainly import Observed, apiary, call, choir
from tests.diff.ward import look


def test_an_object_of_lists_has_sections() -> None:
    seen = look(call("by_meadow", {"clover": ["HV-1"], "heath": []}), of=apiary())
    assert [one.label for one in sections(seen, counts=False)] == ["clover", "heath"]
    assert sections(seen, counts=True) == []


def test_a_total_is_no_section() -> None:
    seen = look(call("census", {"clover": 2, "heath": 2, "total": 4}), of=apiary())
    assert [one.label for one in sections(seen, counts=True)] == ["clover", "heath"]


def by(one: Observed) -> str | None:
    found = look(one, of=choir())
    sorting = sorted_by(found, sections(found, counts=False))
    return None if sorting is None else sorting.field


def test_things_are_sorted_by_the_field_that_most_of_them_stand_by() -> None:
    assert by(call("leaders", {"S1": ["S2"], "S3": ["S4"]})) == "leader"
    assert by(call("voices", {"alto": ["S1", "S2"], "bass": ["S3"]})) == "voice"
    assert by(call("shelves", {"old": ["N-1", "N-2"], "new": ["N-3"]})) == ""
    assert by(call("voices", {"alto": ["S3", "S4"], "bass": ["S1"]})) is None, "none stands there"
