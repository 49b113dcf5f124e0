from __future__ import annotations

from tools.real_mistakes import chosen

LISTED = [(f"t{number:02}", number % 7) for number in range(40)]


def test_only_environments_with_tools_enough_are_chosen_and_evenly_spread() -> None:
    names = chosen(LISTED, 5, 4)
    able = sorted(name for name, tools in LISTED if tools >= 4)
    assert names == [able[index * len(able) // 5] for index in range(5)]


def test_the_choice_does_not_depend_on_the_order_of_the_list() -> None:
    assert chosen(LISTED[::-1], 5, 4) == chosen(LISTED, 5, 4)


def test_an_offset_chooses_other_environments_by_the_same_rule() -> None:
    first, second = chosen(LISTED, 5, 4), chosen(LISTED, 5, 4, offset=1)
    assert len(second) == 5
    assert not set(first) & set(second)


def test_more_than_there_are_is_all_of_them() -> None:
    assert chosen(LISTED, 1000, 4) == sorted(name for name, tools in LISTED if tools >= 4)
