"""Sub-topics that stand stay; what is missing is asked for alone, and either way of answering that gives the same sixteen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.examine.scenario import SUBTOPICS
from replaylab.synthesis.rules import overlap
from replaylab.synthesis.subtopics import Topics, joined

WORDS = "anchor barrel candle dragon engine fossil garden hammer island jungle kettle ladder magnet needle orchid paddle quartz"
MANY = tuple(WORDS.split())


def test_sixteen_different_ones_stand_as_they_are() -> None:
    assert joined((), MANY[:16]) == Topics(MANY[:16])


def test_of_two_that_overlap_the_first_stands_and_the_rest_is_missing() -> None:
    found = joined((), [*MANY[:15], "the anchors"])
    assert (found.stand, found.missing, found.left_out) == (MANY[:15], 1, ("the anchors",))
    assert [one.kind for one in found.findings] == ["subtopics", "subtopic-overlap"]
    assert "and 15 stand" in found.findings[0].message


@pytest.mark.parametrize("again", [(), MANY[:10]], ids=["the missing alone", "the whole list"])
def test_the_missing_are_added_to_those_that_stand(again: tuple[str, ...]) -> None:
    first = joined((), MANY[:10])
    assert (first.missing, first.stand) == (6, MANY[:10])
    assert joined(first.stand, [*again, *MANY[10:16]]) == Topics(MANY[:16])


def test_the_same_list_again_is_no_overlap_and_leaves_as_many_missing() -> None:
    found = joined(MANY[:10], [one.upper() for one in MANY[:10]])
    assert (found.stand, [one.kind for one in found.findings]) == (MANY[:10], ["subtopics"])


def test_more_than_are_due_are_left_out_and_named() -> None:
    assert joined((), MANY) == Topics(MANY[:16], (), (MANY[16],))


def test_an_empty_one_is_none() -> None:
    assert joined((), [" ", *MANY[:15]]).missing == 1


@given(st.lists(st.lists(st.sampled_from(MANY), max_size=3).map(" ".join), max_size=40), st.integers(0, 40))
def test_however_they_come_those_that_stand_are_all_different(given_: list[str], cut: int) -> None:
    found = joined(joined((), given_[:cut]).stand, given_[cut:])
    assert not list(overlap(found.stand))
    assert len(found.stand) <= SUBTOPICS
    assert bool(found.findings) == (found.missing > 0)
