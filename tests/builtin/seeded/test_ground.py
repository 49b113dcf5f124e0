from __future__ import annotations

from replaylab.builtin.seeded.ground import changed, entities_of, holds, pointer
from tests.builtin.seeded.crafted import LIST, ONE, STATE, VISITS, ground


def test_the_things_of_a_state_are_its_objects_by_name_and_rows_with_an_id() -> None:
    assert set(entities_of(STATE)) >= {"D-1", "D-4", "k.osei", "m.sato"}
    assert "2025-03-01" not in entities_of(STATE), "a day is no id"
    assert "AL-2" in entities_of({"alerts": [{"alert": "AL-1"}, {"alert": "AL-2"}]})
    assert entities_of({"options": {"OP-1": ["F-1"]}}) == {"OP-1": {}}
    assert entities_of({"lines": {"1": {"kg": 1}, "2": {"kg": 2}}}) == {}


def test_rows_are_named_by_the_field_that_tells_them_apart() -> None:
    (rows,) = ground(LIST).rows
    assert (rows.path, rows.field, rows.ids, rows.own) == (
        ("docks",),
        "dock",
        ("D-1", "D-2", "D-3", "D-4"),
        True,
    )
    (visits,) = ground(VISITS).rows
    assert (visits.field, visits.ids) == ("", ())
    (turns,) = ground({"turns": [{"keeper": "k.osei", "from": "06:00"}]}).rows
    assert (turns.field, turns.own) == ("keeper", False)


def test_an_object_is_about_what_was_asked_for() -> None:
    (subject,) = ground(ONE, "get_dock", {"dock": "D-2"}).subjects
    assert (subject.path, subject.entity) == ((), "D-2")
    assert ground(ONE, "get_dock").subjects == ()


def test_a_changed_copy_leaves_the_value_alone() -> None:
    value = {"a/b": [{"~": 1}]}
    assert changed(value, ("a/b", 0, "~"), 2) == {"a/b": [{"~": 2}]}
    assert value == {"a/b": [{"~": 1}]}
    assert pointer(("a/b", 0, "~")) == "/a~1b/0/~0"
    assert holds(value, "A/B")
    assert not holds(value, "c")
