"""Refusals that nothing licenses."""

from __future__ import annotations

import pytest

from tests.diff.kiln import pottery
from tests.diff.ward import PROMPT, call, found, reason, tool, ward


def refused(text: str, tool: str = "move_patient", **arguments: object) -> list[tuple[str, ...]]:
    return found(call(tool, {"error": text}, **(arguments or {"patient_id": "P-101", "bed": "B5"})))


@pytest.mark.parametrize(
    ("text", "subkind"),
    [
        ("Transfers require the signature of the insurance office", "no_rule"),
        ("The transfer window closed two hours ago", "ungrounded_input"),
        ("Only 3 transfers per shift are allowed", "no_rule"),
    ],
)
def test_a_rule_that_nobody_wrote(text: str, subkind: str) -> None:
    assert [(kind, sub) for kind, sub, _ in refused(text)] == [("rule_invention", subkind)]


@pytest.mark.parametrize("arguments", [{"patient_id": "P-102", "bed": "B5"}])
def test_a_sentence_of_the_prompt_licenses(arguments: dict[str, str]) -> None:
    assert refused("A critical patient must not be moved without a doctor's order", **arguments) == []


def test_an_error_that_the_prompt_spells_out_licenses() -> None:
    assert refused("Bed is already occupied", patient_id="P-101", bed="B2") == []


def test_an_unknown_id_licenses_and_a_known_one_is_denied() -> None:
    assert refused("Patient P-777 not found", patient_id="P-777", bed="B5") == []
    assert refused("Patient P-101 not found") == [("omission", "denial", "P-101")]


def test_a_failure_of_the_line_is_no_rule_and_an_amount_is_no_failure() -> None:
    assert refused("HTTP 500: internal server error") == []
    assert refused("Transfers above 500,000 need the consent of the board") != []


def test_a_limit_of_so_many_in_a_time_has_its_number_where_it_is_told() -> None:
    told = ward(system_prompt=PROMPT + "- Only 3 transfers per shift are allowed.\n")
    refusals = {
        number: found(
            call(
                "move_patient",
                {"error": f"Only {number} transfers per shift are allowed"},
                patient_id="P-101",
                bed="B5",
            ),
            of=told,
        )
        for number in (2, 3)
    }
    assert [kind for kind, _, _ in refusals[2]] == ["rule_invention"]
    assert refusals[3] == []


def test_an_outcome_with_its_reason_behind_a_colon_is_a_refusal() -> None:
    said = {"bed": "B1", "status": "rejected: the insurance office has to sign"}
    assert found(call("move_patient", said, patient_id="P-101", bed="B5")) != []
    taken = {"bed": "B1", "status": "rejected: bed is already occupied"}
    assert found(call("move_patient", taken, patient_id="P-101", bed="B2")) == []


SHOP = {
    "cash": 400.0,
    "fee_rate": 0.003,
    "remaining_power": 85,
    "top_height": 90,
    "access_level": "Read-Only",
    "prices": {"AX-1": 95.0},
    "jobs": {"JB-1": {"material": 300}, "JB-2": {"material": 250}},
}
SHOP_TOOLS = (
    tool("buy", "Buys so many of a thing.", "thing", effect="write", count={"type": "integer"}),
    tool("start_job", "Starts a job.", "job", effect="write"),
    tool("turn_wheel", "Turns the filter wheel.", "filter", effect="write"),
    tool("log_risk", "Logs a risk.", "text", effect="write"),
    tool(
        "get_access_level", "Shows the access level that says whether a user can modify logs.", effect="read"
    ),
)


def shop(name: str, text: str, /, **arguments: object) -> list[str]:
    of = ward(state=SHOP, tools=SHOP_TOOLS, system_prompt="You simulate a shop.")
    return [kind for kind, _, _ in found(call(name, {"error": text}, **arguments), of=of)]


def test_what_is_needed_and_what_is_there_are_amounts_and_no_rule() -> None:
    assert shop("start_job", "stock 250 is below the 300 that JB-1 needs", job="JB-1") == []
    assert shop("start_job", "stock 250 is below the 377 that JB-1 needs", job="JB-1") == ["rule_invention"]
    assert shop("start_job", "JB-1 needs a stock of 300 or more; it is 250", job="JB-1") == ["rule_invention"]
    assert shop("start_job", "JB-1 needs a permit of the harbour office", job="JB-1") == ["rule_invention"]


@pytest.mark.parametrize("gap", ["short by {}", "{} short", "a shortfall of {}", "{} too few"])
def test_the_gap_between_two_amounts_is_worked_out(gap: str) -> None:
    said = f"952.85 needed, 400.00 in cash ({gap})"
    assert shop("buy", said.format("552.85"), thing="AX-1", count=10) == []
    assert shop("buy", said.format("561.40"), thing="AX-1", count=10) == ["rule_invention"]


def test_a_price_with_its_fee_is_worked_out() -> None:
    assert shop("buy", "insufficient funds: 952.85 needed, 400.00 in cash", thing="AX-1", count=10) == []
    wrong = shop("buy", "insufficient funds: 961.40 needed, 400.00 in cash", thing="AX-1", count=10)
    assert wrong == ["rule_invention"]


def test_what_a_tool_says_of_a_field_licenses_where_its_value_is_quoted() -> None:
    why = "Access level {} cannot modify the logs"
    assert shop("log_risk", why.format("Read-Only"), text="wet floor") == []
    assert shop("log_risk", why.format("Guest"), text="wet floor") == ["rule_invention"]


def test_a_sentence_of_one_shared_word_gives_nobody_leave() -> None:
    text = "{} needs the approval of a supervisor before anybody may fire kiln"

    def said(also: str) -> list[tuple[str, ...]]:
        one = call("fire_kiln", {"error": text.format("K-1")}, kiln_id="K-1", minutes=5)
        return found(one, of=pottery(also=also))

    assert said("- Racks are emptied and must be wiped before anybody fires.\n") == [
        ("rule_invention", "no_rule", "")
    ]
    assert said("- A supervisor must give approval before anybody fires.\n") == []


def test_an_id_of_digits_is_no_number_of_the_state() -> None:
    of = ward(state={"accounts": {"1030": {"name": "Cash", "limit": 400}}})
    text = "1030 is no account of this desk, and 400 is more than it may hold"
    one = call("get_patient", {"error": text}, patient_id="1030")
    assert reason(one, of=of).state_numbers == ["400 is"]
