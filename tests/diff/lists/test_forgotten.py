"""What a call has put elsewhere, shown as it was at first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.plainly import APIARY, CHOIR, Observed, apiary, call, choir, said

MOVED = call("move_hive", {"ok": True}, hive="HV-2", to="heath")
SWAPPED = call("swap_queen", "OK", hive="HV-2", queen="Q-4")
SPLIT = call("move_hive", {"split": "HV-2", "hive": "HV-9", "meadow": "heath"}, hive="HV-2", to="heath")
REFUSED = call("move_hive", {"message": "The hive stays where it is until June."}, hive="HV-2", to="heath")


def hive(name: str = "HV-2", **told: Any) -> Observed:
    return call("hive", {"hive": name, **APIARY["hives"][name], **told}, hive=name)


def hives(*names: str) -> Observed:
    return call(
        "hives", {"hives": [{"hive": one, "meadow": APIARY["hives"][one]["meadow"]} for one in names]}
    )


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([MOVED, hive(meadow="heath")], []),
        ([MOVED, hive()], ["HV-2"]),
        ([MOVED, hive("HV-1")], []),
        ([MOVED, hives("HV-1", "HV-2", "HV-3", "HV-4")], ["HV-2"]),
        ([SWAPPED, hive()], []),
        ([call("carry", {"ok": True}, hive="HV-2", meadow="heath"), hive()], []),
        ([REFUSED, hive()], []),
        ([SPLIT, hive()], []),
        ([MOVED, call("move_hive", {"ok": True}, hive="HV-2", to="clover"), hive()], []),
    ],
)
def test_what_was_put_elsewhere_is_there_no_more(calls: list[Observed], wrong: list[str]) -> None:
    assert [name for _, name in said(apiary(), *calls)] == wrong


def test_a_choice_that_was_changed_is_the_new_one() -> None:
    changed = call("change_voice", {"done": True}, singer="S2", voice="bass")
    row = {"singer": "S2", **CHOIR["singers"]["S2"]}
    assert said(choir(), changed, call("singer", row, singer="S2")) == [("contradiction", "S2")]
    assert said(choir(), changed, call("singer", {**row, "voice": "bass"}, singer="S2")) == []
