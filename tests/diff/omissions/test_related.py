"""Lists of those that refer to what a call names."""

from __future__ import annotations

from replaylab.diff.omissions.related import names_of
from replaylab.diff.words.observed import groups
from tests.diff.valley import MUSEUM, true_of
from tests.diff.ward import call
from tests.diff.yard import hand, seen, yard


def test_all_that_refer_have_to_be_there() -> None:
    assert seen(hand("HN-51", "BT-1", "BT-2")) == []
    assert seen(hand("HN-51", "BT-2")) == [("omission", "BT-1")]


def test_an_empty_list_shows_what_the_example_shows_there() -> None:
    assert seen(hand("HN-53")) == []
    assert seen(hand("HN-52")) == [("omission", "BT-2")]


def test_without_an_example_an_empty_list_may_be_of_anything() -> None:
    tools = tuple(one.model_copy(update={"example_output": {}}) for one in yard().tools)
    bare = yard(tools=tools)
    assert seen(hand("HN-52"), of=bare) == []
    # What the same tool has shown before tells as much as an example.
    assert seen(hand("HN-51", "BT-1", "BT-2"), hand("HN-52"), of=bare) == [("omission", "BT-2")]


def test_a_list_that_shows_only_some_lists_by_something_else() -> None:
    tools = tuple(
        one.model_copy(update={"example_output": {"hand": "HN-51", "aboard": [{"boat": "BT-1"}]}})
        for one in yard().tools
    )
    assert seen(hand("HN-51", "BT-2"), of=yard(tools=tools)) == []


def test_a_plain_field_is_not_what_a_list_goes_by_that_showed_only_some() -> None:
    state = {
        "hands": {"HN-1": {"x": 1}, "HN-2": {"x": 1}},
        "boats": {f"BT-{at}": {"hand": "HN-1"} for at in range(1, 4)},
    }
    example = {"hand": "HN-1", "aboard": [{"boat": "BT-1"}]}
    tools = tuple(one.model_copy(update={"example_output": example}) for one in yard().tools)
    assert seen(hand("HN-1", "BT-1"), of=yard(initial_state=state, state_description={}, tools=tools)) == []


def test_where_a_plain_field_refers_no_example_is_needed() -> None:
    state = {
        "hands": {"HN-1": {"x": 1}, "HN-2": {"x": 1}},
        "boats": {f"BT-{at}": {"hand": "HN-1"} for at in range(1, 4)},
    }
    of = yard(initial_state=state, state_description={})
    assert seen(hand("HN-1", "BT-1", "BT-2"), of=of) == [("omission", "BT-3")]


def test_what_a_call_may_have_changed_is_not_missed() -> None:
    off = call(
        "cancel_hand", {"boat": "BT-1", "hand": "HN-51", "status": "success"}, boat="BT-1", hand="HN-51"
    )
    assert seen(off, hand("HN-51", "BT-2")) == []


def test_names_stand_in_the_field_that_is_called_like_the_members() -> None:
    boats = next(one for one in _collections() if one.name == "boats")
    rows = {"aboard": [{"since": "Monday", "boat": "BT-1"}, {"since": "Friday", "boat": "BT-2"}]}
    group = next(one for one in groups(rows) if one.shape == "rows")
    assert names_of(group, boats) == ["bt1", "bt2"]


def _collections() -> tuple:  # type: ignore[type-arg]
    from replaylab.diff.contract.contract import contract_of

    return contract_of(yard()).collections


def test_an_empty_list_that_is_called_after_its_members_needs_no_example_either() -> None:
    state = {
        "hands": {"HN-1": {"x": 1}, "HN-2": {"x": 1}},
        "boats": {f"BT-{at}": {"hand": "HN-1"} for at in (1, 2)},
    }
    of = yard(initial_state=state, state_description={})
    empty = [call("get_hand", {"hand": "HN-1", name: []}, hand="HN-1") for name in ("boats", "aboard")]
    assert seen(empty[0], of=of) == [("omission", "BT-1"), ("omission", "BT-2")]
    assert seen(empty[1], of=of) == []


def test_a_list_of_the_active_shows_none_that_stands_otherwise() -> None:
    assert true_of(MUSEUM, ("borrowerRecord", {"borrower": "BR-04"})) == []
