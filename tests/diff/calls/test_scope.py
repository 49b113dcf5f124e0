"""What a list need not show, and what it shows under another field."""

from __future__ import annotations

from typing import Any

from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

STATE: dict[str, Any] = {
    "planes": [{"plane_id": one, "height": at * 100} for at, one in enumerate(("HV-1", "DL-22", "SK-3"))],
    "prices": {"AX_SPOT": 95.5, "AX_FUT": 90.5, "BX_SPOT": 2.5, "BX_FUT": 3.5},
    "inventory": {
        "Tin_T1": {"status": "new"},
        "Tin_T2": {"status": "new"},
        "Gas_Supply": {"amount": 3000, "unit": "PSI"},
    },
    "orders": {"OR-71": {"buyer": "North Mill"}},
    "terminal": {
        "logs": {"Shortage_Log": "Order OR-71 misses ten pieces of the grey sort, said the night shift."}
    },
    "criteria": [
        "Documented illness of the fourth stage (FST) in the lung, with proof",
        "Earlier treatment with the blue drug (code: 154) within half a year of the screening",
        "Liver values <= 2x the upper limit (ULN) of the house, by its own reference",
    ],
}
ENVIRONMENT = Environment(
    id="odds",
    initial_state=STATE,
    system_prompt="You simulate a place.",
    state_description={"planes": "All planes in the sector.", "prices": "The price of each ticker.",
                       "inventory": "A mapping of names to quantities."},
    tools=(
        tool("scan_planes", "Lists all planes.", example={"plane_list": [{"callsign": "HV-1", "id": "u-1"}]}),
        tool("get_prices", "Shows the prices of all tickers."),
        tool("get_inventory_list", "Lists the tins in the inventory.", example={"tins": [{"id": "Tin_T9"}]}),
        tool("get_shortage_logs", "Reads the log of what an order misses.", "order_id",
             example={"shortages": [{"sku": "SK-5", "missing": 2}]}),
        tool("get_criteria", "Shows the criteria.", example={"stages": ["Stage III"], "limits": {"liver": "x 3"}}),
    ),
)  # fmt: skip


def left_out(name: str, observation: Any, **arguments: Any) -> set[str]:
    said = found(call(name, observation, **arguments), of=ENVIRONMENT)
    return {entity for kind, _, entity in said if kind == "omission"}


def planes(*names: str, field: str = "callsign") -> dict[str, Any]:
    return {"plane_list": [{field: one, "id": f"a{at}"} for at, one in enumerate(names)]}


def test_an_id_under_another_field_is_shown_where_the_row_has_one_of_its_own() -> None:
    assert left_out("scan_planes", planes("HV-1", "DL-22", "SK-3")) == set()
    assert left_out("scan_planes", planes("HV-1", "DL-22")) == {"SK-3"}


def test_two_members_in_a_row_are_shown_where_their_fields_are_called_alike() -> None:
    rows = [
        {"name": one, "spot_ticker": f"{one}_SPOT", "futures_ticker": f"{one}_FUT"} for one in ("AX", "BX")
    ]
    assert left_out("get_prices", {"prices": rows}) == set()
    assert left_out("get_prices", {"prices": rows[:1]}) == {"BX_SPOT", "BX_FUT"}
    other = [{"spot_ticker": f"{one}_SPOT", "instead_of": f"{one}_FUT"} for one in ("AX", "BX")]
    assert left_out("get_prices", {"prices": other}) == {"AX_FUT", "BX_FUT"}, "that only refers"


def test_a_list_that_is_called_after_one_sort_shows_that_sort() -> None:
    assert left_out("get_inventory_list", {"tins": [{"id": "Tin_T1"}, {"id": "Tin_T2"}]}) == set()
    assert left_out("get_inventory_list", {"tins": [{"id": "Tin_T1"}]}) == {"Tin_T2"}
    mixed = {"tins": [{"id": "Tin_T1"}, {"id": "Gas_Supply"}]}
    assert left_out("get_inventory_list", mixed) == {"Tin_T2"}
    mixed = {"supplies": [{"id": "Tin_T1"}, {"id": "Gas_Supply"}]}
    assert left_out("get_inventory_list", mixed) == {"Tin_T2"}, "what shows both is called after neither"
    whole = {"inventory": [{"id": "Tin_T1"}, {"id": "Tin_T2"}]}
    assert left_out("get_inventory_list", whole) == {"Gas_Supply"}, "the inventory as such holds it too"


def test_prose_in_other_words_leaves_nothing_out() -> None:
    assert left_out("get_criteria", {"stages": ["Fourth stage"], "limits": {"liver": "x 2"}}) == set()
    two = [one for one in STATE["criteria"] if "drug" not in one]
    assert left_out("get_criteria", {"criteria": two}) == {STATE["criteria"][1]}


def test_what_an_order_misses_is_no_list_of_logs() -> None:
    rows = {"shortages": [{"sku": "GR-7", "missing": 10}]}
    assert left_out("get_shortage_logs", rows, order_id="OR-71") == set()
    assert left_out("get_shortage_logs", {"logs": rows["shortages"]}, order_id="OR-71") == {"Shortage_Log"}
