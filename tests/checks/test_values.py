from __future__ import annotations

import pytest

from replaylab.errors import UsageError
from replaylab.schema.base import JsonObject
from tests.checks.trials import Call, check, disturbed


def read(level: object, tank: str = "T1") -> Call:
    return ("read", {"tank": tank}, {"sensor": {"level": level}})


def observed(calls: list[Call], **more: object) -> tuple[str, int]:
    result = check({"kind": "observed", "key": "level", "value": {"ge": 5}, **more}, calls)
    return result.result, result.call


CALLS = [read(5), read(3), read(7), read(4)]


def test_observed_takes_any_first_last_or_all() -> None:
    assert observed(CALLS) == ("pass", 0)
    assert observed(CALLS, when="first") == ("pass", 0)
    assert observed(CALLS, when="last") == ("fail", 3)
    assert observed(CALLS, when="all") == ("fail", 1)
    assert observed([read(6), read(5)], when="all") == ("pass", 1)


def test_nothing_observed_fails() -> None:
    for when in ("any", "first", "last", "all"):
        assert observed([], when=when) == ("fail", -1)


def test_observed_reads_dotted_keys_and_several_names() -> None:
    assert observed(CALLS, key="sensor.level") == ("pass", 0)
    assert observed(CALLS, key="tank.level") == ("fail", -1)
    assert observed(CALLS, key=["height", "level"]) == ("pass", 0)


def test_where_looks_in_the_row_then_around_it_then_in_the_arguments() -> None:
    rows: Call = (
        "list",
        {"site": "S"},
        {"zone": "Z", "rows": [{"id": "a", "level": 1}, {"id": "b", "level": 9}]},
    )
    assert observed([rows], where={"id": "a"}) == ("fail", 0)
    assert observed([rows], where={"id": "b"}) == ("pass", 0)
    assert observed([rows], where={"id": "b", "zone": "Z", "site": "S"}) == ("pass", 0)
    assert observed([rows], where={"site": "other"}) == ("fail", -1)
    assert observed([rows], where={"nowhere": {"absent": True}}) == ("pass", 0)


def test_after_and_before_bound_what_counts() -> None:
    calls = [read(9), ("set", {}, {"ok": True}), read(3)]
    setting = {"kind": "called", "tool": "set"}
    assert observed(calls, after=setting) == ("fail", 2)
    assert observed(calls, before=setting) == ("pass", 0)
    assert observed([read(9)], after=setting) == ("fail", -1)
    assert observed([read(9)], before=setting) == ("pass", 0)


def test_failed_calls_show_nothing() -> None:
    assert observed([("read", {}, {"error": "broken", "level": 9})]) == ("fail", -1)


def test_observed_is_about_what_the_agent_was_shown_unless_asked_otherwise() -> None:
    hidden = disturbed(0, "read", {}, {"level": 9}, {"level": None})
    written: JsonObject = {"kind": "observed", "key": "level", "value": 9}
    assert check(written, [hidden]).result == "fail"
    assert check({**written, "view": "clean"}, [hidden]).result == "pass"


def invariant(calls: list[Call], **more: object) -> tuple[str, int]:
    result = check({"kind": "invariant", "key": "level", "value": {"le": 5}, **more}, calls)
    return result.result, result.call


def test_an_invariant_fails_at_the_first_observation_that_breaks_it() -> None:
    assert invariant([read(5), read(6), read(7)]) == ("fail", 1)
    assert invariant([read(5), read(4)]) == ("pass", 1)
    assert invariant([read(6, "T2"), read(5)], where={"tank": "T1"}) == ("pass", 1)


def test_an_invariant_can_start_later() -> None:
    calls = [read(9), ("set", {}, {"ok": True}), read(4)]
    assert invariant(calls, **{"from": {"kind": "called", "tool": "set"}}) == ("pass", 2)


def test_an_invariant_that_nothing_shows_fails_unless_optional() -> None:
    assert invariant([read(None)]) == ("fail", -1)
    assert invariant([], optional=True) == ("pass", -1)


def test_a_fault_neither_breaks_nor_hides_an_invariant() -> None:
    written: JsonObject = {"kind": "invariant", "key": "level", "value": {"le": 5}}
    assert check(written, [disturbed(0, "read", {}, {"level": 4}, {"level": 9})]).result == "pass"
    assert check(written, [disturbed(0, "read", {}, {"level": 9}, {"level": 4})]).result == "fail"


LOW: Call = ("look", {}, {"stock": 10})
HIGH: Call = ("look", {}, {"stock": 90})


def whenever(calls: list[Call], **more: object) -> tuple[str, int]:
    written = {"kind": "whenever", "whenever": {"stock": {"lt": 50}}, "then": {"price": {"ge": 300}}}
    result = check({key: value for key, value in {**written, **more}.items() if value is not None}, calls)
    return result.result, result.call


def test_whenever_compares_fields_of_one_row() -> None:
    rows = [{"stock": 60, "price": 100}, {"stock": 40, "price": 300}]
    assert whenever([("list", {}, {"rows": rows})]) == ("pass", -1)
    assert whenever([("list", {}, {"rows": [*rows, {"stock": 40, "price": 299}]})]) == ("fail", 0)


def test_whenever_carries_the_last_known_value_over() -> None:
    assert whenever([HIGH, ("cost", {}, {"price": 100})]) == ("pass", -1)
    assert whenever([("cost", {}, {"price": 100}), LOW]) == ("fail", 1)
    assert whenever([("cost", {}, {"price": 400}), LOW, ("cost", {}, {"price": 100})]) == ("fail", 2)


def test_whenever_can_ask_for_a_call_within_so_many_calls() -> None:
    act: JsonObject = {"then": None, "call": {"kind": "called", "tool": "order"}}
    other: Call = ("wait", {}, {})
    done: Call = ("order", {}, {"ok": True})
    assert whenever([LOW, other, done], **act) == ("pass", -1)
    assert whenever([LOW, other, done], **act, within=2) == ("pass", -1)
    assert whenever([LOW, other, done], **act, within=1) == ("fail", 0)
    assert whenever([done, LOW], **act) == ("fail", 1)


def join(calls: list[Call]) -> tuple[str, int]:
    result = check(
        {"kind": "join", "tool": "assign", "arg": "room", "key": "id", "where": {"type": "icu"}}, calls
    )
    return result.result, result.call


LISTING: Call = (
    "list",
    {},
    {"rooms": [{"id": "R1", "type": "ICU"}, {"id": "R2", "type": "ward"}, {"id": "R3", "type": "ICU"}]},
)


def test_join_wants_the_argument_seen_before_in_a_fitting_row() -> None:
    assert join([LISTING, ("assign", {"room": "r1"}, {"ok": True})]) == ("pass", 1)
    assert join([LISTING, ("assign", {"room": "R2"}, {"ok": True})]) == ("fail", 1)
    assert join([("assign", {"room": "R1"}, {"ok": True}), LISTING]) == ("fail", 0)
    assert join([LISTING, ("assign", {}, {"ok": True})]) == ("fail", 1)
    assert join([LISTING]) == ("fail", -1)


def test_join_takes_every_call_and_every_item() -> None:
    good: Call = ("assign", {"room": ["R1", "R3"]}, {"ok": True})
    assert join([LISTING, good]) == ("pass", 1)
    assert join([LISTING, good, ("assign", {"room": ["R1", "R2"]}, {"ok": True})]) == ("fail", 2)


def test_the_call_that_bounds_is_itself_left_out() -> None:
    reading = {"kind": "called", "tool": "read"}
    assert observed([read(9)], after=reading) == ("fail", -1)
    assert observed([read(9)], before=reading) == ("fail", -1)


def test_a_call_neither_backs_nor_follows_itself() -> None:
    assert join([("assign", {"room": "R1"}, {"id": "R1", "type": "icu"})]) == ("fail", 0)
    act: JsonObject = {"then": None, "call": {"kind": "called", "tool": "look"}}
    assert whenever([LOW], **act) == ("fail", 0)


TIRED: JsonObject = {
    "kind": "whenever",
    "whenever": {"fatigue": {"ge": 0.8}},
    "forbid": {"kind": "called", "tool": "teach"},
    "until": {"kind": "observed", "key": "fatigue", "value": {"le": 0.65}},
}


@pytest.mark.parametrize(
    ("calls", "result"),
    [
        (
            [
                ("teach", {}, {"fatigue": 0.8}),
                ("rest", {}, {"fatigue": 0.6}),
                ("teach", {}, {"fatigue": 0.7}),
            ],
            "pass",
        ),
        (
            [
                ("teach", {}, {"fatigue": 0.8}),
                ("rest", {}, {"fatigue": 0.7}),
                ("teach", {}, {"fatigue": 0.6}),
            ],
            "fail",
        ),
        ([("teach", {}, {"fatigue": 0.8})], "pass"),
        ([("teach", {}, {"fatigue": 0.7}), ("teach", {}, {"fatigue": 0.7})], "pass"),
    ],
)
def test_whenever_values_stand_so_a_call_may_be_forbidden_until_another(
    calls: list[Call], result: str
) -> None:
    assert check(TIRED, calls).result == result


def test_without_until_it_is_forbidden_ever_after() -> None:
    calls: list[Call] = [("teach", {}, {"fatigue": 0.8}), ("rest", {}, {"fatigue": 0}), ("teach", {}, {})]
    result = check({key: value for key, value in TIRED.items() if key != "until"}, calls)
    assert (result.result, result.call) == ("fail", 0)
    assert "call 2" in result.reason


@pytest.mark.parametrize(
    "extra", [{"until": {"kind": "judge", "question": "?"}}, {"then": {"a": 1}}, {"within": 2}]
)
def test_forbid_stands_alone_and_until_says_when(extra: JsonObject) -> None:
    with pytest.raises(UsageError):
        check({**TIRED, **extra})


SHIP: JsonObject = {
    "kind": "join",
    "tool": "ship",
    "arg": "box",
    "earlier": {"tool": "inspect", "arg": "boxes", "result": {"sound": True}},
}


@pytest.mark.parametrize(
    ("calls", "result"),
    [
        ([("inspect", {"boxes": ["b-1", "b-2"]}, {"sound": True}), ("ship", {"box": "B-2"}, {})], "pass"),
        ([("inspect", {"boxes": "b-1"}, {"sound": True}), ("ship", {"box": "b-2"}, {})], "fail"),
        ([("inspect", {"boxes": "b-1"}, {"sound": False}), ("ship", {"box": "b-1"}, {})], "fail"),
        ([("ship", {"box": "b-1"}, {}), ("inspect", {"boxes": "b-1"}, {"sound": True})], "fail"),
        ([], "fail"),
    ],
)
def test_an_argument_can_be_due_to_an_earlier_call(calls: list[Call], result: str) -> None:
    assert check(SHIP, [*calls, ("inspect", {}, {"error": "gone"})]).result == result
    assert check({**SHIP, "optional": True}, calls).result == (result if calls else "pass")


@pytest.mark.parametrize("both", [{"key": "box"}, {"earlier": {"tool": "a", "args": {}}}])
def test_a_join_has_one_origin(both: JsonObject) -> None:
    with pytest.raises(UsageError):
        check({**SHIP, **both})
