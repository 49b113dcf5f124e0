"""How things come into a collection, by what a contract says."""

from __future__ import annotations

from replaylab.diff.contract.arriving import last_number, makers_of, numbers_on, said_of
from replaylab.diff.contract.contract import Contract
from tests.diff.ward import tool, ward


def of(ids: list[str], **more: object) -> Contract:
    """A contract with kegs of these ids."""
    return Contract(ward(state={"kegs": {one: {"litres": 5} for one in ids}}, **more))


def counted(*ids: str) -> tuple[tuple[str, ...], int] | None:
    kegs = next(one for one in of(list(ids)).collections if one.name == "kegs")
    return numbers_on(kegs)


def test_ids_count_where_they_are_of_one_family_and_follow_closely() -> None:
    assert counted("KG-7", "KG-8", "KG-10") == (("kg", "#"), 10)
    assert counted("KG-7", "KG-8") is None
    assert counted("KG-7", "KG-8", "VAT-9") is None
    assert counted("KG-7", "KG-80", "KG-900") is None


def test_a_maker_returns_an_id_of_its_own() -> None:
    tools = (
        tool("fill", "Fills one.", "litres", effect="write", example={"keg": "KG-11"}),
        tool("tap", "Taps one.", "keg", effect="write", example={"keg": "KG-11"}),
        tool("roll", "Rolls one.", effect="write", example={"keg": "KG-8"}),
        tool("find", "Finds one.", example={"keg": "KG-12"}),
    )
    contract = of(["KG-7", "KG-8", "KG-9"], tools=tools)
    kegs = next(one for one in contract.collections if one.name == "kegs")
    assert makers_of(contract.environment, kegs) == {"fill"}


def test_what_is_said_field_by_field_is_said_too() -> None:
    told = {"kegs": {"about": "All that is brewed.", "litres": "Never changes"}}
    contract = of(["KG-7"], state_description=told)
    kegs = next(one for one in contract.collections if one.name == "kegs")
    assert said_of(contract.environment, kegs) == "All that is brewed. litres: Never changes."


def test_the_last_number_of_a_name() -> None:
    assert (last_number("KG-7-12"), last_number("Annex")) == (12, None)
