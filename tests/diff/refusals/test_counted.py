"""Numbers that a refusal tells of what it was given, of what is needed, and of what is measured."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.diff.valley import in_valley
from tests.diff.ward import call

INVENTED = [("rule_invention", "")]


def started(
    error: str, lift: str = "Gletscher", crew: Sequence[str] = ("Ana Ferro", "Lea Brandt")
) -> list[tuple[str, ...]]:
    return in_valley(call("start_lift", {"error": error}, lift=lift, crew=list(crew)))


@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        ("Gletscher needs a crew of 3, not 2", False),
        ("Gletscher needs a crew of 3, not 6", True),
        ("Gletscher needs a crew of 3, got 6.", True),
        ("a crew of 3 is needed, 6 were given", True),
        ("Gletscher needs a crew of 3, not 1", False),  # of those that are given one may count
        ("Gletscher needs a crew of 4, not 2", True),
        ("Gletscher requires 3 crew", False),
        ("Gletscher requires 4 crew", True),
    ],
)
def test_how_many_are_given_and_needed_is_told_by_call_and_state(error: str, wrong: bool) -> None:
    assert started(error) == INVENTED * wrong


def test_a_need_that_is_met_is_none() -> None:
    crew = ("Ana Ferro", "Lea Brandt", "Petra Nowak")
    assert started("Gletscher needs a crew of 1, not 3", crew=crew) == INVENTED


@pytest.mark.parametrize(("gust", "wrong"), [("72", False), ("102", True), ("72.0", False)])
def test_what_is_measured_at_a_thing_is_what_the_state_has(gust: str, wrong: bool) -> None:
    crew = ("Ana Ferro", "Yusuf Acar")
    at = f"the gust at Kreuzjoch is {gust} km/h; it has to be below 60"
    assert started(at, "Kreuzjoch", crew) == INVENTED * wrong
    own = f"Kreuzjoch's gust is {gust} km/h; it has to be below 60"
    assert started(own, "Kreuzjoch", crew) == INVENTED * wrong


@pytest.mark.parametrize(("gust", "wrong"), [("72", False), ("102", True)])
def test_what_a_gauge_shows_for_a_thing_is_what_the_state_has(gust: str, wrong: bool) -> None:
    crew = ("Ana Ferro", "Yusuf Acar")
    shown = f"the gust reads {gust} km/h at Kreuzjoch; it has to be below 60"
    assert started(shown, "Kreuzjoch", crew) == INVENTED * wrong
