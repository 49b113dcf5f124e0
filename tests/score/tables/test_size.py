from __future__ import annotations

from typing import Any

import pytest

from replaylab.score.facts import Study
from replaylab.score.tables.size import build, why_not
from tests.score.studies import model, study
from tests.score.tables.look import cell, keys, notes, text, texts

SIX = [f"s{number}" for number in range(6)]


def played(sizes: dict[str, dict[str, Any]], **letters: str) -> Study:
    models = {
        name: model(name, **({"family": "Q", "generation": "3"} | more)) for name, more in sizes.items()
    }
    return study({name: dict.fromkeys(SIX, word) for name, word in letters.items()}, models=models)


THREE: dict[str, dict[str, Any]] = {"small": {"size": 8}, "big": {"size": 80}, "mid": {"size": 30}}


def test_the_larger_stands_against_the_next_smaller() -> None:
    table = build(played(THREE, small="pff", big="ppp", mid="ppf"), "full")
    assert texts(
        table, "family", "generation", "large", "large_rate", "small", "small_rate", "difference"
    ) == [
        ["Q", "3", "big", "100.0", "mid", "66.7", "33.3"],
        ["Q", "3", "mid", "66.7", "small", "33.3", "33.3"],
    ]
    assert cell(table, 0, "p").value == pytest.approx(2 / 64)
    assert cell(table, 0, "p_holm").value == pytest.approx(4 / 64)


def test_a_smaller_model_that_does_better_has_a_negative_difference() -> None:
    assert text(build(played(THREE, small="ppp", mid="ppf"), "paper"), 0, "difference") == "-33.3"


def test_a_size_that_did_not_play_is_in_no_pair() -> None:
    made = played(THREE, small="pff", big="ppp")
    assert build(made, "full") is not None
    assert texts(build(made, "full"), "large", "small") == [["big", "small"]]


def test_the_paper_layout_has_no_tests_and_no_intervals() -> None:
    table = build(played(THREE, small="pff", mid="ppf"), "paper")
    assert table is not None
    assert keys(table) == [
        "family",
        "generation",
        "large",
        "large_rate",
        "small",
        "small_rate",
        "difference",
    ]
    assert all(one.interval is None for row in table.rows for one in row)


def test_an_unknown_size_and_an_unlike_effort_are_said() -> None:
    sizes: dict[str, dict[str, Any]] = {
        "small": {"size": 8, "effort": "low"},
        "big": {"size": 80},
        "odd": {},
    }
    told = notes(build(played(sizes, small="p", big="p", odd="p"), "full"))
    assert "Not shown: Q 3: the size is not stated for odd." in told
    assert "big and small: the reasoning effort differs too: small low, big not stated." in told


def test_without_two_sizes_there_is_no_table() -> None:
    unknown = played({"a": {}, "b": {"size": 3}}, a="p", b="p")
    assert build(unknown, "full") is None
    assert why_not(unknown) == "Q 3: the size is not stated for a"
    one = study({"ann": {"s": "p"}})
    assert why_not(one) == "no family has two sizes in one generation (settings: family, generation, size)"
    unplayed = study(
        {"big": {"s": "p"}, "small|E1": {"s": "p"}},
        models={name: model(name, family="Q", **more) for name, more in THREE.items()},
    )
    assert why_not(unplayed) == "no two sizes of a family played under the reference condition"
