from __future__ import annotations

import json
from dataclasses import replace

from replaylab.canonical import canonical, parse_strict
from replaylab.report.score_json import document, score_json
from replaylab.score.value import Cell
from tests.report.scored import TINY, hostile, scored


def test_the_document_holds_every_table_in_both_layouts_unrounded() -> None:
    made = scored()
    found = json.loads(score_json(made))
    assert found["schema"] == "replaylab/score/1"
    assert [one["id"] for one in found["tables"]] == ["ledger", "overall", "industries", "pairwise"]
    industries = found["tables"][2]
    assert set(industries) == {"id", "full", "paper"}
    table = next(one for one in made.full if one.id == "industries")
    for row, given in zip(industries["full"]["rows"], table.rows, strict=True):
        for cell, one in zip(row, given, strict=True):
            assert (cell["text"], cell["value"], cell["best"]) == (one.text, one.value, one.best)
            assert cell["count"] == (one.count.model_dump() if one.count else None)
            assert cell["interval"] == (one.interval.model_dump() if one.interval else None)
            assert cell["trials"] == [selector.to_json() for selector in one.trials]


def test_the_document_says_what_it_was_made_from() -> None:
    made = scored(TINY, evidence="authored", player="program")
    found = document(made)
    assert (found["run"], found["ok"], found["evidence"], found["seed"]) == ("study", True, "authored", 1)
    assert "Authored" in found["notices"][0]
    assert found["study"]["runs"][0]["run"] == "5" * 64
    assert found["study"]["trials"] == len(made.study.trials) == found["ledger"]["planned"]
    assert found["left_out"][0] == {"id": "repeats", "why": "one trial a task: nothing to repeat"}
    assert found["findings"][0]["kind"] == "duplicate"
    assert found["versions"]["scipy"] == "1.17.1"
    assert found["choice"] == {"run": ["study"], "sim": None}
    assert [(one["id"], one["table"]) for one in found["figures"]] == [
        ("overall", "overall"),
        ("radar", "industries"),
        ("odd", None),
    ]


def test_further_fields_replace_none() -> None:
    made = replace(scored(TINY), extra={"gate": [{"rule": "r"}], "schema": "forged"})
    found = document(made)
    assert (found["gate"], found["schema"]) == ([{"rule": "r"}], "replaylab/score/1")


def test_the_document_is_canonical_and_the_same_twice() -> None:
    for one, again in ((scored(TINY), scored(TINY)), (hostile(), hostile())):
        data = score_json(one)
        assert data == canonical(parse_strict(data)) + b"\n"
        assert data == score_json(again)


def test_what_is_not_finite_is_null() -> None:
    made = scored(TINY)
    table = made.full[0]
    odd = (Cell(text="-", value=float("nan")), *table.rows[0][1:])
    found = document(replace(made, full=(table.model_copy(update={"rows": (odd,)}), *made.full[1:])))
    assert found["tables"][1]["full"]["rows"][0][0]["value"] is None
