"""What is found by the values of members is what going through all of them finds."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from replaylab.checks.matcher import equality, same
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.likeness import Likeness, is_plain
from replaylab.diff.contract.members import Key, by_name, by_values, is_row_of, owners_of
from replaylab.diff.words.identity import key_of, name_key, names_whole

VALUE = st.sampled_from(
    [
        1,
        1.0,
        2.5,
        "1",
        "01",
        "2.5",
        "A-1",
        "a 1",
        "oak",
        "OAK",
        "",
        "long oak planks over steel",
        None,
        True,
        [1],
        {"x": 1},
    ]
)
ROW = st.dictionaries(st.sampled_from("abcde"), VALUE, max_size=5)
ROWS = st.lists(ROW, max_size=8)


def members(rows: list[dict[str, Any]]) -> tuple[Entity, ...]:
    return tuple(Entity(f"M-{at}", f"/m/{at}", frozenset({f"m{at}"}), row) for at, row in enumerate(rows))


def collection(rows: list[dict[str, Any]]) -> Collection:
    return Collection("m", "/m", "rows", "id", members(rows))


def score(row: dict[str, Any], one: Entity) -> int:
    """How much a row repeats of a member, by the definition and without any index."""
    plain = {name: value for name, value in row.items() if is_plain(value)}
    shared = [name for name in plain if name in one.attributes]
    equal = sum(same(one.attributes[name], plain[name]) for name in shared)
    texts = {
        key_of(value): value
        for value in plain.values()
        if isinstance(value, str) and len(key_of(value)) > 3 and key_of(value) in one.value_keys
    }
    by_text = len(texts) if any(char.isdigit() for text in texts.values() for char in text) else 0
    if any(len(text.split()) >= 5 for text in texts.values()):
        by_text = max(by_text, 2)
    return max(equal if shared and equal * 2 > len(shared) else 0, by_text)


@given(ROWS, ROW)
def test_the_likest_member_is_the_first_with_the_highest_score(
    rows: list[dict[str, Any]], row: dict[str, Any]
) -> None:
    scores = [score(row, one) for one in members(rows)]
    best = max(scores, default=0)
    found = by_values(collection(rows), row)
    assert (found.id if found else None) == (f"M-{scores.index(best)}" if best >= 2 else None)


@given(ROWS, ROWS)
def test_each_row_has_the_first_member_that_it_shows_and_no_other_row_has(
    rows: list[dict[str, Any]], shown: list[dict[str, Any]]
) -> None:
    left, expected = list(range(len(rows))), []
    for row in shown:
        own = next((place for place in left if is_row_of(row, rows[place])), None)
        expected.append(own)
        if own is not None:
            left.remove(own)
    assert owners_of(shown, members(rows)) == expected


@given(ROWS, ROW)
def test_whole_leaves_out_no_member_that_has_a_rows_values_wherever_both_have_the_field(
    rows: list[dict[str, Any]], row: dict[str, Any]
) -> None:
    found = Likeness(rows, [frozenset()] * len(rows)).whole(row)
    for place, one in enumerate(rows):
        shared = [name for name in row if name in one]
        if shared and all(same(one[name], row[name]) for name in shared):
            assert place in found


@given(VALUE.filter(is_plain), VALUE.filter(is_plain))
def test_equality_is_the_same_where_two_values_are_the_same(one: Any, other: Any) -> None:
    if isinstance(one, str) == isinstance(other, str) or "01" not in (one, other):
        assert (equality(one) == equality(other)) is same(one, other)


def test_a_code_is_another_text_than_its_number() -> None:
    assert equality("01") != equality("1")
    assert equality("01") == equality(" 01 ")


def test_of_members_with_one_id_the_first_is_found_and_ids_come_before_other_names() -> None:
    first = Entity("oak", "/m/0", frozenset({"oak", "pine"}))
    second = Entity("pine", "/m/1", frozenset({"pine"}))
    third = Entity("pine", "/m/2", frozenset({"pine"}))
    found = Collection("m", "/m", "map", "", (first, second, third))
    assert (found.find("pine"), found.find("oak"), found.find("")) == (second, first, None)
    assert found.shared_ids == {"pine"}


@given(
    st.lists(
        st.sampled_from(["Room 2", "Room 2 (vacant)", "Room 21", "2", "Hall", "B+", "B", "--", "a", "Öl 3"]),
        unique=True,
    ),
    st.lists(
        st.sampled_from(["Room", "2", "(vacant)", "21", "hall", "B+", "b", "Öl", "3", "-", "x"]), max_size=5
    ),
)
def test_a_name_with_more_around_it_is_the_longest_that_it_holds_whole(
    names: list[str], said: list[str]
) -> None:
    text = " ".join(said)
    held = Collection(
        "m", "/m", "names", "", tuple(Entity(one, f"/m/{one}", frozenset({name_key(one)})) for one in names)
    )
    found = by_name(Key(held), text)
    whole = [one for one in names if len(name_key(one)) > 1 and names_whole(text, one)]
    if held.find(name_key(text)) is None:
        assert len(found.id if found else "") == max(map(len, whole if " " in text else []), default=0)
