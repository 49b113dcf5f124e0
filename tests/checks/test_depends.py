from __future__ import annotations

from replaylab.checks.depends import Dependence
from replaylab.schema.base import Json, JsonObject


def values(check: JsonObject, observation: Json, tool: str = "look", **arguments: Json) -> list[Json]:
    return [place.value for place in Dependence([{"id": "c", **check}]).places(tool, arguments, observation)]


ROWS = {"rows": [{"id": "A-1", "level": 4, "at": {"level": 5}}, {"id": "A-2", "level": 9}], "note": "x"}


def test_a_look_depends_on_the_values_at_its_key() -> None:
    check = {"kind": "observed", "key": "level", "value": 4}
    assert values(check, ROWS) == [4, 5, 9]
    assert values(check | {"where": {"id": "A-2"}}, ROWS) == [9]
    assert values(check | {"key": "at.level"}, ROWS) == [5]
    assert values(check | {"key": "at"}, ROWS) == [5]
    assert values(check | {"tool": "other"}, ROWS) == []


def test_inputs_of_arithmetic_invariants_rules_and_joins_are_looks_too() -> None:
    derive = {
        "kind": "derive",
        "let": {"a": {"key": "level", "where": {"id": "A-1"}}},
        "expr": "a",
        "said": True,
    }
    assert values(derive, ROWS) == [4, 5]
    assert values({"kind": "invariant", "key": "level", "value": 1}, ROWS) == [4, 5, 9]
    assert values({"kind": "whenever", "whenever": {"level": 9}, "then": {"id": "A-2"}}, ROWS) == [
        "A-1", 4, 5, "A-2", 9,
    ]  # fmt: skip
    assert values({"kind": "join", "tool": "put", "arg": "row", "key": "id"}, ROWS) == ["A-1", "A-2"]


def test_what_has_to_be_given_or_said_is_depended_on_where_it_stands() -> None:
    assert values({"kind": "called", "tool": "put", "args": {"row": "A-2"}}, ROWS) == ["A-2"]
    assert values({"kind": "said", "value": {"has": "A-1"}}, ROWS) == ["A-1"]
    assert values({"kind": "said", "value": "A-1", "ok": False}, ROWS) == []
    assert values({"kind": "said", "value": 9}, ROWS) == []  # a small number stands anywhere
    assert values({"kind": "forbid", "tool": "put", "args": {"row": "A-2"}}, ROWS) == []


def test_checks_inside_others_count() -> None:
    inner = {"kind": "called", "tool": "put", "args": {"row": "A-2"}}
    assert values({"kind": "any", "of": [{"kind": "not", "of": inner}]}, ROWS) == ["A-2"]


def test_a_call_is_depended_on_when_it_is_asked_for_or_looked_into() -> None:
    depends = Dependence(
        [
            {"id": "a", "kind": "called", "tool": "put", "args": {"row": "A-2"}},
            {"id": "b", "kind": "observed", "tool": "look", "key": "level", "value": 4},
            {"id": "c", "kind": "forbid", "tool": "drop"},
        ]
    )
    assert depends.asks_for("put", {"row": "a-2"})
    assert not depends.asks_for("put", {"row": "A-1"})
    assert depends.asks_for("look", {})
    assert not depends.asks_for("drop", {})
