from __future__ import annotations

from typing import Any

import pytest

from replaylab.checks.words import counted, often
from tests.checks.trials import Call, check

LOOK: Call = ("look", {}, {"temperature": 5, "risk": "high"})
AFTER: dict[str, Any] = {"id": "told", "kind": "called", "tool": "tell"}
TOLD: Call = ("tell", {}, {"ok": True})


def test_numbers_of_times_and_of_things_are_words_where_english_has_them() -> None:
    assert [often(number) for number in (0, 1, 2, 11)] == ["never", "once", "2 times", "11 times"]
    assert [counted(number, "call") for number in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize(
    "written",
    [
        {"kind": "called", "tool": "look"},
        {"kind": "called", "tool": "look", "count": {"min": 5}},
        {"kind": "called", "tool": "look", "count": {"min": 0, "max": 0}},
        {"kind": "invariant", "key": "temperature", "value": 5},
        {"kind": "whenever", "whenever": {"risk": "high"}, "then": {"temperature": 5}},
        {"kind": "cited"},
    ],
)
def test_a_reason_has_no_plural_of_one_and_no_singular_of_more(written: Any, times: int) -> None:
    answer = "It is 5." if times == 1 else "It is 5, and 5.0 again."
    reason = check(written, [LOOK] * times, answer).reason
    assert "1 times" not in reason
    assert "1 observed values" not in reason
    assert "1 numbers" not in reason
    if times > 1 and written["kind"] in ("called", "whenever"):
        assert f"{times} times" in reason


@pytest.mark.parametrize(
    ("calls", "more", "span"),
    [
        ([LOOK], {"after": "told"}, " after told, which never happened"),
        ([LOOK, TOLD], {"after": "told"}, " after call 1"),
        ([TOLD, LOOK], {"before": "told"}, " before call 0"),
        ([], {}, ""),
        ([("look", {}, {"other": 1})], {"before": "told"}, ""),
    ],
)
def test_an_observation_that_is_missing_is_described_with_its_value_and_where_it_was_due(
    calls: list[Call], more: Any, span: str
) -> None:
    found = check({"kind": "observed", "key": "risk", "value": "high", **more}, calls, "", AFTER)
    assert (found.result, found.call) == ("fail", -1)
    assert found.reason == f'no observation showed risk{span}; "high" was due'


def test_an_input_that_is_missing_says_between_which_calls_it_was_due() -> None:
    let = {"warmth": {"key": "temperature", "after": "told"}}
    written: Any = {"kind": "derive", "let": let, "expr": "warmth", "said": True}
    reason = check(written, [LOOK, TOLD], "5", AFTER).reason
    assert reason == "warmth is due at temperature after call 1, where nothing was observed"
    assert "after told, which never happened" in check(written, [LOOK], "5", AFTER).reason
