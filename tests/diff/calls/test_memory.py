"""What was said of things, and in which records."""

from __future__ import annotations

from typing import Any

from replaylab.diff.calls.memory import lists_on_face, naming_field, reading, records, told
from replaylab.diff.words.observed import groups
from tests.diff.ward import call, look, tool
from tests.diff.yard import STATE, TOOLS, boat, boats, seen, yard


def said(one: Any, accused: frozenset[str] = frozenset()) -> dict[tuple[str, str], Any]:
    return {key: value.value for key, value in told(look(one, of=yard()), accused).items()}


def test_a_read_tells_the_fields_of_records_and_nothing_that_is_spoken_against() -> None:
    one = call("list_boats", boats("BT-1"))
    own = {key: value for key, value in said(one).items() if " " not in key[1]}
    assert own == {("bt1", "name"): "Lark", ("bt1", "status"): "moored"}
    name = reading(look(one, of=yard()).step, "name")
    assert said(one, frozenset({"/boats/0/status"})) == {("bt1", "name"): "Lark", ("bt1", name): "Lark"}


def test_a_write_tells_of_the_one_thing_that_has_such_a_field() -> None:
    assert said(call("move_boat", {"berth": "BR-12", "status": "ok"}, boat="BT-1", berth="BR-12")) == {
        ("bt1", "berth"): "BR-12"
    }
    # Of which of two boats it speaks nobody can tell.
    assert said(call("move_boat", {"berth": "BR-12"}, boat="BT-1", berth="BT-2")) == {}


def test_a_field_that_never_changes_is_not_what_a_write_returns() -> None:
    given = {"boat": "BT-1", "hand": "HN-51", "length": 3, "trade": "joiner"}
    assert said(call("book_hand", given, boat="BT-1", hand="HN-51")) == {}


def test_what_a_call_is_about_may_be_called_otherwise_than_its_sort() -> None:
    crew = yard(tools=(tool("get_worker", "Shows a worker.", "worker"), *TOOLS))
    answer = call("get_worker", {"worker": "HN-52", "trade": "joiner"}, worker="HN-52")
    assert [each.entity.id for each in records(look(answer, of=crew))] == ["HN-52"]
    other = call("get_worker", {"name": "HN-52", "trade": "joiner"}, worker="HN-52")
    assert records(look(other, of=crew)) == []


def test_what_several_parts_of_the_state_hold_has_a_record_in_each() -> None:
    state = {**STATE, "logs": {"BT-1": {"miles": 40, "status": "kept"}}}
    of = yard(initial_state=state, tools=(tool("get_log", "Shows a log.", "vessel"), *TOOLS))
    shown = records(
        look(
            call("get_log", {"vessel": "BT-1", "miles": 40, "length": 9, "status": "x"}, vessel="BT-1"), of=of
        )
    )
    assert [(each.collection.name, sorted(each.row)) for each in shown] == [
        ("boats", ["length", "vessel"]),
        ("logs", ["miles", "vessel"]),
    ]


def test_a_row_says_the_title_of_what_it_refers_to() -> None:
    def row(name: str) -> list[tuple[str, str]]:
        shown = {
            "hand": "HN-52",
            "trade": "joiner",
            "aboard": [{"since": "2025-03-01", "boat": "BT-2", "hull": name}],
        }
        return seen(call("get_hand", shown, hand="HN-52"))

    assert row("pine planks over iron ribs") == []
    assert row("a hull of pine") == []
    assert row("oak planks over steel ribs") == [("contradiction", "BT-2")]  # that is BT-1's


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


def test_the_lists_on_an_answers_face_are_looked_for_once() -> None:
    one = look(call("list_boats", boats("BT-1", "BT-2")), of=yard())
    assert [(group.name, len(group.items)) for group in lists_on_face(one)] == [("boats", 2)]
    assert lists_on_face(one) is lists_on_face(one)
