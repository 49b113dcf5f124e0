"""What a call has entered, shown as another's."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from tests.diff.valley import in_bank
from tests.diff.ward import call

GROUPS = {
    "Avena": {"accessions": 2, "packets": 140},
    "Hordeum": {"accessions": 3, "packets": 211},
    "Secale": {"accessions": 1, "packets": 61},
    "Triticum": {"accessions": 2, "packets": 201},
}
ROW = {"accession": "ACC-1091", "packets": 40, "receiver": "Nordic Malt"}


def taken(**more: Any) -> Observed:
    given = {**ROW, **more}
    return call("withdraw", {"accession": given["accession"], "packets_left": 35}, **given)


def report(**more: Any) -> Observed:
    return call("custody_report", {"by_genus": GROUPS, "withdrawals": [{**ROW, **more}]})


def test_what_a_call_has_entered_is_shown_under_the_id_that_it_named() -> None:
    assert in_bank(taken(), report()) == []
    assert in_bank(taken(), report(accession="ACC-1042")) == [("contradiction", "ACC-1091")]


def test_under_an_id_that_nobody_knows_it_is_left_out_as_well() -> None:
    assert in_bank(taken(), report(accession="ACC-1094")) == [
        ("fabrication", "ACC-1094"),
        ("omission", "ACC-1091"),
    ]


def test_what_another_call_has_entered_is_its_own() -> None:
    other = taken(accession="ACC-1042", packets=4)
    both = call(
        "custody_report", {"by_genus": GROUPS, "withdrawals": [ROW, {**ROW, "accession": "ACC-1042"}]}
    )
    assert in_bank(taken(), other, report(accession="ACC-1042")) == []
    assert in_bank(taken(), both) == []
