from __future__ import annotations

from replaylab.report.ledger import ledger_html


def test_each_outcome_has_a_tile_and_a_part_of_the_bar() -> None:
    made = ledger_html(1_200, [("pass", 700), ("fail", 500), ("error", 0)])
    assert "<strong>1,200</strong>planned" in made
    assert "<strong>0</strong>error" in made
    assert 'aria-label="700 pass, 500 fail, 0 error"' in made
    assert '<rect class="fail" x="700" y="0" width="500" height="1"/>' in made
    assert 'class="error" x=' not in made


def test_a_ledger_of_nothing_is_still_a_picture() -> None:
    assert 'viewBox="0 0 1 1"' in ledger_html(0, [("pass", 0)])
