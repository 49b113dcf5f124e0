"""Names are one after normalising and never by likeness."""

from __future__ import annotations

import pytest

from replaylab.diff.words.identity import (
    closest,
    family,
    ids_in,
    is_near,
    is_sibling,
    key_of,
    last_word,
    name_key,
    names_whole,
    stem,
    stems,
    words,
)
from replaylab.schema.base import Json


def test_case_and_separators_do_not_tell_ids_apart() -> None:
    assert name_key("tr-101") == name_key("TR_101") == name_key("Tr 101")


@pytest.mark.parametrize(
    ("one", "other"), [("UP-740", "UP-7400"), ("B-89-ALPHA", "B-89-ALFA"), ("P-1", "P-01")]
)
def test_near_duplicates_stay_two(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def test_what_can_not_be_a_name_has_no_key() -> None:
    nothing: list[Json] = [True, None, [], {}, 1.5]
    assert [key_of(value) for value in nothing] == [""] * 5
    assert [key_of(value) for value in (7, 7.0, "7")] == ["7"] * 3


def test_letters_of_any_script_make_words() -> None:
    assert words("Café_au lait") == ("café", "au", "lait")
    assert words("пациент_ID 7") == ("пациент", "id", "7")
    assert stems("病房") == {"病房"}


def test_a_name_without_a_letter_or_a_digit_has_no_last_word() -> None:
    assert (last_word("bed_id"), last_word("#"), last_word("")) == ("id", "", "")


def test_words_are_the_same_in_every_style() -> None:
    assert words("exam_rooms") == words("examRooms") == words("Exam Rooms") == ("exam", "rooms")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cities", "city"),
        ("boxes", "box"),
        ("listing", "list"),
        ("planned", "plan"),
        ("people", "person"),
        ("indices", "index"),
    ],
)
def test_counts_and_tenses_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_numbers_have_no_stem() -> None:
    assert stems("3 rooms") == {"room"}


def test_ids_in_a_sentence() -> None:
    assert ids_in("Moved P-101 to room_2, not to the hall") == ["P-101", "room_2"]


def test_an_article_is_not_the_last_part_of_an_id() -> None:
    assert not names_whole("give it a rest", "TP_A")
    assert not names_whole("Room 21 and Room 2-B", "Room 2")
    assert names_whole("Room 2 (vacant)", "Room 2")


def test_a_family_differs_in_numbers_alone() -> None:
    assert family("TR-101") == family("tr_7") != family("XR-101")


def test_siblings_and_near_names_are_only_called_so() -> None:
    assert is_sibling("P-101", "P-205")
    assert not is_sibling("P-101", "Q-205")
    assert is_near("CR-112", "CR-1122")
    assert not is_near("CR-112", "CR-112")
    assert closest("P-11", ["Q-9", "P-12"]) == "P-12"


@pytest.mark.parametrize(
    ("one", "other"), [("A+", "A-"), ("B", "B+"), ("C", "C#"), ("C", "C++"), ("-1", "1"), ("🚀", "🌙")]
)
def test_signs_at_the_end_and_of_numbers_are_part_of_a_name(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)
    assert name_key(one)
    assert not names_whole(f"the grade is {other} now", one) or other == "-1"


@pytest.mark.parametrize(
    ("one", "other"), [("TR-101", "tr_101"), ("A +", "a +"), ("-", ""), ("P-1 - ", "P 1")]
)
def test_gaps_and_case_are_no_part_of_a_name(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)
