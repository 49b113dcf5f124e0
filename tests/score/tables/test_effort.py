from __future__ import annotations

from replaylab.score.tables.effort import build, why_not
from tests.score.studies import model, study
from tests.score.tables.look import keys, notes, texts

MODELS = {
    "most": model("most", family="G", effort="xhigh").model_copy(update={"model": "g"}),
    "none": model("none", family="G", effort="none").model_copy(update={"model": "g"}),
    "plain": model("plain", family="G").model_copy(update={"model": "g"}),
    "some": model("some", family="G", effort="low").model_copy(update={"model": "g"}),
}
SIX = [f"s{number}" for number in range(6)]


def test_efforts_stand_from_least_to_most_and_gain_on_the_one_before() -> None:
    letters = {"most": "ppp", "none": "ppf", "plain": "fff", "some": "pff"}
    made = study({name: dict.fromkeys(SIX, word) for name, word in letters.items()}, models=MODELS)
    table = build(made, "full")
    assert table is not None
    assert keys(table) == ["model", "effort", "agent", "k_n", "rate", "difference", "p", "p_holm"]
    assert texts(table, "model", "effort", "agent", "rate", "difference") == [
        ["g", "none", "none", "66.7", ""],
        ["g", "low", "some", "33.3", "-33.3"],
        ["g", "xhigh", "most", "100.0", "66.7"],
    ]
    assert "Not shown: g: no place on the ladder for the effort of plain (none stated)." in notes(table)


def test_without_two_efforts_there_is_no_table() -> None:
    none = study({"ann": {"s": "p"}})
    assert build(none, "full") is None
    assert why_not(none) == "no model has two reasoning efforts (settings: effort)"
    unplayed = study({"none": {"s": "p"}, "most|E1": {"s": "p"}}, models=MODELS)
    assert why_not(unplayed) == "no two efforts of a model played under the reference condition"
