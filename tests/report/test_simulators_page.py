from __future__ import annotations

import re

from replaylab.compare.agreeing import Agreement
from replaylab.compare.ranking import rank
from replaylab.report.simulators_page import simulators_page
from replaylab.schema.model import ModelSettings
from tests.compare.made import answer, study_of

HOSTILE = '<script>alert(1)</script>"\u202e'


def test_the_page_is_one_file_that_fetches_nothing_and_is_the_same_again() -> None:
    made = rank(study_of({"good": [0] * 8, "bad": [5] * 8}))
    page = simulators_page(made)
    assert page == simulators_page(made)
    said = page.decode()
    assert "default-src 'none'" in said
    assert not re.search(r'(?:src|href)="(?!#)', said)
    for title in ("Violations by kind", "What could be checked", "What answering takes"):
        assert title in said


def test_every_link_leads_somewhere_and_no_id_stands_twice() -> None:
    made = rank([*study_of({"a": [1] * 8}), *study_of({"a": [1] * 8}, evidence="authored")])
    agreed = [
        Agreement(evidence="recorded", simulators={}, between=(), ranks=(), why_not="there is one alone")
    ]
    said = simulators_page(made, agreed).decode()
    ids = re.findall(r' id="([^"]*)"', said)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', said)) <= set(ids)
    assert "there is one alone" in said
    assert "Authored, not recorded" in said


def test_a_hostile_name_is_text() -> None:
    hostile = ModelSettings(alias=HOSTILE, model="m")
    said = simulators_page(rank([answer("a", f"s{at}", model=hostile) for at in range(8)])).decode()
    assert "<script>alert" not in said
    assert "\u202e" not in said
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in said
