"""Things that a list shows although they fail its filter."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.plainly import APIARY, Observed, apiary, call, row, said

HIVES, VISITS = APIARY["hives"], APIARY["visits"]
MOVED = call("move_hive", {"ok": True}, hive="HV-2", to="heath")
WEAK = call("set_state", {"ok": True}, hive="HV-3", state="weak")


def hives(*names: str, **asked: Any) -> Observed:
    return call("hives", {"hives": [{"hive": one} for one in names]}, **asked)


def visits(*names: str, day: str) -> Observed:
    rows = [row(VISITS, one, "visit", "hive", "keeper", "start") for one in names]
    return call("visit_day", {"visits": rows}, day=day)


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([hives("HV-1", "HV-2", meadow="clover")], []),
        ([hives("HV-1", "HV-2", "HV-3", meadow="clover")], ["HV-3"]),
        ([hives("HV-2", "HV-4", state="weak")], ["HV-4"]),
        ([hives("HV-3", "HV-4", meadow="heath")], []),
        ([MOVED, hives("HV-1", "HV-2", meadow="clover")], ["HV-2"]),
        ([MOVED, hives("HV-3", "HV-4", "HV-2", meadow="heath")], []),
        ([WEAK, hives("HV-1", "HV-3", "HV-4", state="strong")], ["HV-3"]),
        ([WEAK, hives("HV-2", "HV-3", state="weak")], []),
        ([visits("VS-1", "VS-2", day="2026-05-02")], []),
        ([visits("VS-1", "VS-2", "VS-3", day="2026-05-02")], ["VS-3"]),
    ],
)
def test_what_is_known_to_fail_the_filter_is_no_part_of_the_list(
    calls: list[Observed], wrong: list[str]
) -> None:
    assert [name for kind, name in said(apiary(), *calls) if kind == "contradiction"] == wrong


def test_where_most_fail_the_argument_picks_by_something_else() -> None:
    assert said(apiary(), hives("HV-3", "HV-4", "HV-1", meadow="clover")) != []
    assert not [
        one for one in said(apiary(), hives("HV-3", "HV-4", meadow="clover")) if one[0] == "contradiction"
    ]


def test_what_a_call_may_have_changed_is_not_known() -> None:
    carried = call("carry", {"ok": True}, hive="HV-3", meadow="clover")
    assert said(apiary(), carried, hives("HV-1", "HV-2", "HV-3", meadow="clover")) == []
