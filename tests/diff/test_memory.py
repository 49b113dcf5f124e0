"""What was said of things, and in which records."""

from __future__ import annotations

from typing import Any

from replaylab.diff.memory import naming_field, records, told
from replaylab.diff.observed import groups
from tests.diff.ward import call, look
from tests.diff.yard import boat, boats, yard


def said(one: Any, accused: frozenset[str] = frozenset()) -> dict[tuple[str, str], Any]:
    return {key: value.value for key, value in told(look(one, of=yard()), accused).items()}


def test_a_read_tells_the_fields_of_records_and_nothing_that_is_spoken_against() -> None:
    one = call("list_boats", boats("BT-1"))
    assert said(one) == {("bt1", "name"): "Lark", ("bt1", "status"): "moored"}
    assert said(one, frozenset({"/boats/0/status"})) == {("bt1", "name"): "Lark"}


def test_a_write_tells_of_the_one_thing_that_has_such_a_field() -> None:
    assert said(call("move_boat", {"berth": "BR-12", "status": "ok"}, boat="BT-1", berth="BR-12")) == {
        ("bt1", "berth"): "BR-12"
    }
    # Of which of two boats it speaks nobody can tell.
    assert said(call("move_boat", {"berth": "BR-12"}, boat="BT-1", berth="BT-2")) == {}


def test_a_refusal_tells_nothing() -> None:
    assert said(call("set_status", {"error": "no", "status": "ashore"}, boat="BT-1", status="ashore")) == {}


def test_the_record_of_an_answer_stands_inside_its_envelope() -> None:
    one = look(call("get_boat", {"status": "ok", "data": {"boat": "BT-1"}}, boat="BT-1"), of=yard())
    assert [(each.pointer, each.entity.id) for each in records(one)] == [("/data", "BT-1")]
    assert records(look(boat("BT-9"), of=yard())) == []


def test_rows_are_named_by_the_field_that_is_called_like_things() -> None:
    one = look(
        call("list_boats", {"rows": [{"depth": 3, "berth": "BR-11"}, {"depth": 4, "berth": "BR-12"}]}),
        of=yard(),
    )
    group = next(each for each in groups(one.step.observation) if each.shape == "rows")
    assert naming_field(one, group) == "berth"
