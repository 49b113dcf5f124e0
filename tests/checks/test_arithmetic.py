from __future__ import annotations

import pytest

from replaylab.checks import parse_checks
from replaylab.errors import UsageError
from replaylab.schema.base import JsonObject
from tests.checks.trials import Call, check

ROWS: Call = ("list", {}, {"rows": [{"name": "a", "units": 3, "open": True}, {"name": "b", "units": 4}]})
LATER: Call = ("list", {}, {"rows": [{"name": "a", "units": 5}, {"name": "b", "units": 6}]})


def derived(expr: str, value: object, calls: list[Call], **source: object) -> str:
    let = {"x": {"key": "units", "when": "all", **source}}
    return check({"kind": "derive", "let": let, "expr": expr, "value": value}, calls).result


def test_count_counts_rows_whose_values_are_no_numbers() -> None:
    assert derived("count(x)", 2, [ROWS], key="name") == "pass"


def test_count_is_zero_where_rows_were_seen_and_none_fits() -> None:
    assert derived("count(x)", 0, [ROWS], key="name", where={"units": {"gt": 9}}) == "pass"


def test_count_of_what_was_never_observed_fails() -> None:
    assert derived("count(x)", 0, [ROWS], key="colour") == "fail"


def test_a_name_that_is_counted_and_summed_has_to_be_a_number() -> None:
    assert derived("sum(x) / count(x)", {"ge": 0}, [ROWS], key="name") == "fail"


def test_latest_takes_what_one_call_showed_so_that_reading_again_counts_once() -> None:
    assert derived("sum(x)", 11, [ROWS, LATER], when="latest") == "pass"
    assert derived("count(x)", 2, [ROWS, LATER], when="latest") == "pass"
    assert derived("sum(x)", 18, [ROWS, LATER], when="all") == "pass"


def test_each_asks_it_of_every_call_that_showed_a_value() -> None:
    assert derived("sum(x)", {"le": 11}, [ROWS, LATER], when="each") == "pass"
    result = check(
        {
            "kind": "derive",
            "let": {"x": {"key": "units", "when": "each"}},
            "expr": "sum(x)",
            "value": {"le": 7},
        },
        [ROWS, LATER, ROWS],
    )
    assert (result.result, result.call) == ("fail", 1)
    assert derived("sum(x)", {"le": 7}, [], when="each") == "fail"


def test_each_needs_value() -> None:
    let: JsonObject = {"x": {"key": "units", "when": "each"}}
    with pytest.raises(UsageError, match="each"):
        parse_checks([{"id": "a", "kind": "derive", "let": let, "expr": "sum(x)", "said": True}])


@pytest.mark.parametrize("name", ["from", "class", "a b", "1st"])
def test_a_name_that_an_expression_cannot_hold_is_named_with_another(name: str) -> None:
    written: JsonObject = {"id": "a", "kind": "derive", "let": {name: 1}, "expr": "1", "value": 1}
    with pytest.raises(UsageError, match="take another") as caught:
        parse_checks([written])
    assert repr(name) in caught.value.what


def test_a_name_may_be_that_of_a_function_since_a_call_tells_them_apart() -> None:
    let: JsonObject = {"floor": 2, "count": {"key": "units", "when": "all"}}
    written: JsonObject = {"kind": "derive", "let": let, "expr": "count(count) + floor(floor)", "value": 4}
    assert check(written, [ROWS]).result == "pass"
