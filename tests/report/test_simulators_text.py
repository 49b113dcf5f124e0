from __future__ import annotations

import json
import re

import pytest

from replaylab.compare.ranking import Ranking, rank
from replaylab.report.simulators_text import as_markdown, fields, parts, sentence, text
from replaylab.schema.model import ModelSettings
from tests.compare.made import answer, study_of, violation

HOSTILE = "x\n| a | b |\x1b[31m<b>\u202eend</b>"


@pytest.fixture
def ranking() -> Ranking:
    program = ModelSettings(alias="twin", model="twin", player="program")
    return rank(
        [
            *study_of({"good": [0] * 8, "bad": [5] * 8}),
            *(answer("twin", f"s{at:02}", model=program) for at in range(8)),
            answer("thin", "s00", checkable=1),
            *study_of({"good": [9] * 8}, evidence="authored"),
            answer("good", "s99", source="f" * 64),
        ]
    )


def test_a_sentence_says_what_there_is_to_know(ranking: Ranking) -> None:
    told = [sentence(one) for one in ranking.cards]
    assert told[0] == (
        "good: rank 1, may be 1 to 2; 0 of 80 checkable calls break the contract (95 %: 0.0 to 4.5 %); "
        "0 of 80 calls could not be checked."
    )
    assert told[2].startswith("bad: rank 3; 40 of 80 checkable calls break the contract")
    assert told[3].startswith("thin: no rank; 1 of its 10 calls could be checked")


def test_evidence_stands_in_parts_of_its_own(ranking: Ranking) -> None:
    recorded, authored = parts(ranking)
    assert (recorded.evidence, authored.evidence) == ("recorded", "authored")
    assert [len(part.told) for part in (recorded, authored)] == [4, 1]
    assert any("Authored, not recorded" in notice for notice in authored.notices)
    assert "Programs and not LLMs: twin." in recorded.notices
    assert not any(
        "Programs" in notice for notice in authored.notices
    )  # who wrote answers down played nothing
    assert {row[1].text for table in authored.tables if table.id == "ranking" for row in table.rows} == {
        "nobody, written down"
    }
    assert {row[0].text for table in authored.tables if table.id == "ranking" for row in table.rows} == {
        "good"
    }


def test_the_terminal_shows_the_main_tables_and_all_when_asked(ranking: Ranking) -> None:
    few, every = text(ranking), text(ranking, every=True)
    assert "Violations by kind" in few
    assert "What could be checked" not in few
    assert "What could be checked" in every
    assert "Violations by industry" in every
    assert "Every two simulators on the same tasks" in every
    assert "program, no LLM" in few
    assert few.count("Not counted: 1 trials with copied answers") == 1
    assert text(ranking) == few


def test_each_number_stands_with_what_it_is_of(ranking: Ranking) -> None:
    rows = [line for line in text(ranking).splitlines() if line.startswith("bad ")]
    assert "40/80" in rows[0]
    assert re.search(r"50\.0 \[\d+\.\d, \d+\.\d\]", rows[0])


def test_a_hostile_name_begins_no_line_and_moves_no_cursor() -> None:
    hostile = ModelSettings(alias=HOSTILE, model="m")
    made = rank([answer("a", f"s{at}", model=hostile, found=[violation(1)]) for at in range(8)])
    for said in (text(made, every=True, width=100), as_markdown(made)):
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert not any(line.startswith(("| a | b", "end")) for line in said.splitlines())
    assert "<b>" not in as_markdown(made)


def test_the_document_has_every_number_with_its_counts(ranking: Ranking) -> None:
    told = fields(ranking)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    bad = next(one for one in told["simulators"] if one["name"] == "bad")
    assert (bad["rank"], bad["ranks"], bad["share"]["k"], bad["share"]["n"], bad["share"]["share"]) == (
        3,
        [3, 3],
        40,
        80,
        0.5,
    )
    thin = next(one for one in told["simulators"] if one["name"] == "thin")
    assert (thin["rank"], thin["unranked"] != "") == (None, True)
    assert len(told["pairs"]) == 3
    assert told["copied"] == 1


def test_markdown_has_every_table(ranking: Ranking) -> None:
    said = as_markdown(ranking)
    assert said.count("\n## ") == len([table for part in parts(ranking) for table in part.tables])
    assert said == as_markdown(ranking)
