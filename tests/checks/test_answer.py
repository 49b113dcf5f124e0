from __future__ import annotations

import pytest

from replaylab.errors import UsageError
from replaylab.schema.base import Json, JsonObject
from tests.checks.trials import Call, check, disturbed


def said(value: Json, answer: str, **more: object) -> str:
    return check({"kind": "said", "value": value, **more}, [], answer).result


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (250000, "The NOI is $250,000."),
        (250000, "NOI: 250.000,00 EUR"),
        ({"approx": 1.19, "tol": 0.005}, "a DSCR of 1.1905x"),
        ({"between": [10, 20]}, "about 15%"),
        ({"lt": 0}, "It was −4 °C"),
        ("MOC_Global", "I paged moc global."),
        ("1200", "it costs 1,200"),
        (0.1, "0.10"),
        ({"in": ["approved", "accepted"]}, "It was Accepted."),
        ({"in": [3, 4]}, "4 rooms"),
        ({"re": "not .{0,20}certified"}, "It is not yet certified"),
        ({"has": "RA-900"}, "ra 900"),
        ({"lacks": "RA-900"}, "ra 9001"),
    ],
)
def test_an_answer_says_a_value(value: Json, answer: str) -> None:
    assert said(value, answer) == "pass"
    assert said(value, answer, ok=False) == "fail"


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (250000, "The NOI is $1,250,000."),
        (500, "the price is 1500"),
        (404, "id 4042, room P-404"),
        (2024, "on 2024-05-01"),
        ({"approx": 1.19, "tol": 0.005}, "1.2x"),
        ("fail", "The failure was averted"),
        ("compliant", "It is non-compliant"),
        ({"in": [3, 4]}, "34 rooms"),
        (2, "two rooms"),
    ],
)
def test_an_answer_does_not_say_a_value(value: Json, answer: str) -> None:
    assert said(value, answer) == "fail"
    assert said(value, answer, ok=False) == "pass"


def test_no_answer_says_nothing_not_even_a_silence() -> None:
    assert said(1, " ") == said({"lacks": "x"}, "") == said(1, "", ok=False) == "fail"


def test_a_unit_has_to_stand_with_the_number() -> None:
    assert said(5, "5 kg and 6 mg", unit="KG") == "pass"
    assert said(6, "5 kg and 6 mg", unit="kg") == "fail"
    assert said(250000, "$250,000", unit=["$", "USD"]) == "pass"


def test_near_binds_a_value_to_its_sentence() -> None:
    answer = "Revenue is $392,000. The NOI is approx. $250,000.\n- DSCR: 1.19x"
    assert said(250000, answer, near="NOI") == "pass"
    assert said(392000, answer, near="NOI") == "fail"
    assert said(1.19, answer, near={"re": "dscr"}) == "pass"


def test_spelled_numbers_count_when_asked_for() -> None:
    assert said(2, "Two rooms", words=True) == "pass"


@pytest.mark.parametrize(
    "value", [None, True, [1], "", {"fields": {"a": 1}}, {"absent": True}, {"ne": 1}], ids=repr
)
def test_what_no_answer_can_say_is_refused(value: Json) -> None:
    with pytest.raises(UsageError):
        said(value, "x")


SEEN: Call = ("look", {}, {"certified": True})
GROUNDED: JsonObject = {
    "kind": "grounded",
    "claim": {"re": "certified"},
    "requires": [{"kind": "observed", "key": "certified", "value": True}],
}


def test_a_claim_needs_its_observation() -> None:
    assert check(GROUNDED, [SEEN], "It is certified.").result == "pass"
    assert check(GROUNDED, [], "It is certified.").result == "fail"
    assert check(GROUNDED, [], "Nothing to say.").result == "pass"


def test_a_claim_that_only_a_reader_can_back_stays_open() -> None:
    judge = {"kind": "judge", "question": "?"}
    assert check({**GROUNDED, "requires": [judge]}, [], "certified").result == "open"
    assert check({**GROUNDED, "requires": [judge, *GROUNDED["requires"]]}, [], "certified").result == "fail"


BOOKS: list[Call] = [
    ("income", {}, {"rows": [{"group": "A", "rent": "1,000.10"}, {"group": "B", "rent": 2000.2}]}),
    ("costs", {}, {"costs": "$500"}),
]
NET: JsonObject = {
    "kind": "derive",
    "let": {"rents": {"key": "rent", "when": "all"}, "costs": {"key": "costs"}, "months": 12},
    "expr": "sum(rents) * months - costs",
}


def test_a_derived_number_is_said() -> None:
    written = {**NET, "said": True, "tol": 0.5}
    result = check(written, BOOKS, "Net: $35,503.60")
    assert (result.result, result.call) == ("pass", 1)
    assert check(written, BOOKS, "Net: $35,504").result == "pass"
    assert check(written, BOOKS, "Net: $35,505").result == "fail"
    assert check({**NET, "said": True}, BOOKS, "Net: $35,504").result == "fail"


def test_a_derived_number_is_given_to_a_tool() -> None:
    written = {**NET, "tool": "report", "arg": "net.amount"}
    assert check(written, [*BOOKS, ("report", {"net": {"amount": 35503.6}}, {"ok": True})]).result == "pass"
    result = check(written, [*BOOKS, ("report", {"net": {"amount": 35503}}, {"ok": True})])
    assert (result.result, result.call) == ("fail", 2)
    assert "35503.6" in result.reason
    assert check(written, BOOKS).result == "fail"


def test_a_derived_number_fulfils_a_matcher() -> None:
    assert check({**NET, "value": {"gt": 35503.5}}, BOOKS).result == "pass"
    assert check({**NET, "value": {"gt": 35503.6}}, BOOKS).result == "fail"
    third = {"kind": "derive", "let": {"a": 1, "b": 3}, "expr": "a / b", "value": {"between": [0.333, 0.334]}}
    assert check(third).result == "pass"


def test_a_number_worked_out_from_a_disturbed_observation_does_not_pass() -> None:
    rows = [{"rent": 100}, {"rent": 200}]
    short = disturbed(0, "income", {}, {"rows": rows}, {"rows": rows[:1]})
    written: JsonObject = {
        "kind": "derive",
        "let": {"r": {"key": "rent", "when": "all"}},
        "expr": "sum(r)",
        "said": True,
    }
    assert check(written, [short], "It is 100.").result == "fail"
    assert check(written, [short], "It is 300.").result == "pass"


def test_a_derivation_without_its_inputs_or_without_a_value_fails() -> None:
    assert "costs is due" in check({**NET, "said": True}, BOOKS[:1], "1").reason
    assert check({**NET, "said": True}, [BOOKS[0], ("costs", {}, {"costs": "many"})], "1").result == "fail"
    zero = {"kind": "derive", "let": {"a": 0}, "expr": "1 / a", "said": True}
    assert "division by zero" in check(zero, [], "1").reason


@pytest.mark.parametrize(
    "change",
    [
        {"expr": "rents + unknown"},
        {"said": False},
        {"value": 1},
        {"tol": -1},
        {"tol": "x"},
        {"let": {}},
        {"let": {"rents": {"keys": "a"}}},
        {"let": {"rents": "x"}},
        {"expr": "rents ** 2"},
    ],
    ids=repr,
)
def test_a_senseless_derivation_is_refused(change: JsonObject) -> None:
    with pytest.raises(UsageError):
        check({**NET, "said": True, **change})


def test_a_derivation_takes_the_last_reading_or_the_first() -> None:
    calls: list[Call] = [("read", {}, {"x": 1}), ("read", {}, {"x": 2}), ("read", {}, {"x": 3})]
    for when, result in (("first", 1), ("last", 3)):
        let = {"x": {"key": "x", "when": when}}
        assert check({"kind": "derive", "let": let, "expr": "x", "value": result}, calls).result == "pass"


PRICED: list[Call] = [
    ("look", {}, {"price": 85, "note": "about 1,200 units", "ids": [7]}),
    ("look", {}, {"error": "550 left"}),
]


@pytest.mark.parametrize(
    ("answer", "more", "result"),
    [
        ("The price is $85.00 for 1,200 units.", {}, "pass"),
        ("1. It is $85.\n2. There are 7.", {}, "pass"),
        ("The price is $86.", {}, "fail"),
        ("550 are left.", {}, "fail"),
        ("550 are left.", {"allow": [550]}, "pass"),
        ("The price is $86, for 99 days.", {"tol": 1, "unit": ["$"]}, "pass"),
        ("There are 99. The price is $85.", {"near": "price"}, "pass"),
        ("The price of order ORD-99 is $85.", {}, "pass"),
        ("", {}, "fail"),
    ],
)
def test_a_cited_number_has_to_be_one_that_was_observed(answer: str, more: JsonObject, result: str) -> None:
    assert check({"kind": "cited", **more}, PRICED, answer).result == result
