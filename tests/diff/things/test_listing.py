"""Which things a list shows."""

from __future__ import annotations

from replaylab.diff.things.listing import listings
from tests.diff.plainly import APIARY, Observed, apiary, call, row
from tests.diff.ward import look

VISITS = APIARY["visits"]


def shown(one: Observed) -> list[tuple[str, str, set[str]]]:
    return [(of.collection.name, of.field, set(of.keys)) for of in listings(look(one, of=apiary()))]


def test_rows_are_of_what_their_first_field_names() -> None:
    rows = [row(VISITS, one, "visit", "hive", "start") for one in ("VS-1", "VS-2")]
    assert shown(call("visit_day", {"planned": rows}, day="2026-05-02")) == [
        ("visits", "visit", {"vs1", "vs2"})
    ]


def test_plain_names_tell_themselves() -> None:
    assert shown(call("hives", {"there": ["HV-1", "HV-2"]})) == [("hives", "", {"hv1", "hv2"})]


def test_names_that_are_mostly_unknown_tell_nothing() -> None:
    assert shown(call("hives", {"there": ["HV-1", "X-2", "X-3"]})) == []


def test_a_write_shows_no_list() -> None:
    assert shown(call("carry", {"hives": ["HV-1", "HV-2"]})) == []
