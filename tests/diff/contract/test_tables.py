"""The state as tables."""

from __future__ import annotations

from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.tables import Record, column_stems, tables_of
from tests.diff.domains_held import ARCHIVE, BAKERY, BINS, SCHOOL


def columns(contract: Contract, pointer: str) -> list[dict[str, object]]:
    (table,) = (one for one in tables_of(contract) if one.pointer == pointer)
    return [one.columns for one in table.records]


def test_records_know_what_is_around_them() -> None:
    contract = Contract(ARCHIVE.environment())
    papers = columns(contract, "/boxes/*/papers/*")
    assert len(papers) == 5
    assert (papers[0]["^"], papers[0]["^shelf"], papers[0]["year"]) == ("BX-4", "S2", 1871)
    assert [one["@"] for one in columns(contract, "/boxes/*")] == ["BX-4", "BX-5"]


def test_plain_lists_are_records_too() -> None:
    pairs = [(one["^"], one["@"]) for one in columns(Contract(BINS.environment()), "/rounds/*/*")]
    assert ("friday", "Kiln Hill") in pairs
    assert len(pairs) == 7
    pupils = columns(Contract(SCHOOL.environment()), "/classes/*/pupils/*")
    assert {one["@"] for one in pupils if one["^teacher"] == "T-4"} == {"PU-4", "PU-5"}


def test_amounts_by_name_may_be_a_map() -> None:
    amounts = columns(Contract(BAKERY.environment()), "/recipes/*/ingredients/*")
    assert {"^": "RC-1", "^name": "Rye loaf", "@": "water", "value": 400}.items() <= amounts[1].items()


def test_a_record_has_a_name_or_none() -> None:
    named, nameless = Record("/a/0", {"@": "BX-4", "on": True}), Record("/a/1", {"year": 1871})
    assert (named.name, named.key, nameless.name, nameless.key) == ("BX-4", "bx4", "", "")
    assert nameless.values == {"1871"}
    assert column_stems("zone.ids_2") == {"zone", "id"}
