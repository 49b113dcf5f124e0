from __future__ import annotations

from replaylab.score.tables.generations import build, why_not
from tests.score.studies import model, study
from tests.score.tables.look import keys, notes, texts

MODELS = {
    "new": model("new", family="C", generation="10"),
    "old": model("old", family="C", generation="4"),
    "mid": model("mid", family="C", generation="4.5"),
    "odd": model("odd", family="C"),
    "one": model("one", family="D", generation="1"),
}
SIX = [f"s{number}" for number in range(6)]


def test_generations_stand_in_natural_order_and_gain_on_the_one_before() -> None:
    letters = {"new": "ppp", "old": "pff", "mid": "ppf", "odd": "ppp", "one": "fff"}
    made = study({name: dict.fromkeys(SIX, word) for name, word in letters.items()}, models=MODELS)
    table = build(made, "full")
    assert table is not None
    assert keys(table) == ["series", "generation", "agent", "k_n", "rate", "difference", "p", "p_holm"]
    assert texts(table, "series", "generation", "agent", "rate", "difference") == [
        ["C", "4", "old", "33.3", ""],
        ["C", "4.5", "mid", "66.7", "33.3"],
        ["C", "10", "new", "100.0", "33.3"],
    ]
    assert "Not shown: C: the generation is not stated for odd." in notes(table)
    assert texts(build(made, "paper"), "agent", "rate") == [
        ["old", "33.3"],
        ["mid", "66.7"],
        ["new", "100.0"],
    ]


def test_without_two_generations_there_is_no_table() -> None:
    none = study({"ann": {"s": "p"}})
    assert build(none, "full") is None
    assert why_not(none) == ("no family of models has two generations (settings: family, generation, size)")
    unplayed = study({"old": {"s": "p"}, "new|E1": {"s": "p"}}, models=MODELS)
    assert why_not(unplayed) == "no two generations of a family played under the reference condition"
