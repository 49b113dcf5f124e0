"""Which known names are near an unknown one."""

from __future__ import annotations

import pytest

from replaylab.near import closest, listed, nearest


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("nosuch", ["study", "mini"], ""),
        ("zzz", ["study"], ""),
        ("stduy", ["study", "mini"], "study"),
        ("gtp", ["gpt", "gemini"], "gpt"),
        ("STUDY", ["study"], "study"),
        ("sepsis", ["ed-sepsis-room", "ed-chest-pain"], "ed-sepsis-room"),
        ("study-of-may", ["study", "mini"], "study"),
        ("x", ["exams"], ""),
        ("fo", ["how", "of"], "of"),
        ("x", [], ""),
        ("Scripted:Carful", ["scripted:careful", "scripted:hasty"], "scripted:careful"),
        ("fence", ["gates", "fences"], "fences"),
        ("", ["a"], ""),
    ],
)
def test_a_name_is_near_where_it_is_alike_or_one_holds_the_other(
    name: str, known: list[str], near: str
) -> None:
    assert closest(name, known) == near


def test_which_is_the_nearest_does_not_depend_on_the_order_of_the_names() -> None:
    assert closest("ab", ["abx", "aby"]) == closest("ab", ["aby", "abx"])


def test_the_nearest_come_first() -> None:
    assert nearest("run-1", ["run-10", "walk", "run-2", "run-1-again"]) == ["run-10", "run-2", "run-1-again"]
    assert nearest("run-1", ["run-10", "walk", "run-2"], most=1) == ["run-10"]


def test_what_there_is_is_listed_with_how_many_more_there_are() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed("abcdefg") == "a, b, c, d, e and 2 more"
    assert listed([]) == "none"
