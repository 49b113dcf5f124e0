from __future__ import annotations

import re

from replaylab.report.diff_collect import Collected
from replaylab.report.diff_trial import Detail, Links, notable, trial_diff_html
from replaylab.schema.difference import Difference
from tests.report.compared import compared, small


def html(detail: Detail | None = None) -> str:
    made = Collected(small()[0], 99)
    return trial_diff_html(made.report.trials[0], 0, made.links, detail or Detail())


def test_each_call_is_a_row_with_its_id_its_answers_and_links_to_its_findings() -> None:
    trial = small()[0].trials[0]
    page = html()
    assert re.findall(r'<li id="([0-9a-f]+)"', page) == [row.id for row in trial.rows]
    for one in (*trial.violations, *trial.faults_found):
        assert f'href="#{one.id}" class="kind {one.kind}"' in page
    assert page.count("first difference") == 1
    assert "Lockstep, same history" in page
    assert 'agent,gemini,judge,E0/first/0</code> <span class="badge pass">pass</span>' in page


def test_answers_that_are_alike_stand_once_and_folded() -> None:
    row = html().split("<li id=")[4]
    assert "the same" in row
    assert row.count('class="side"') == 1
    assert "All of them" in row
    assert "<details" in row


def test_calls_with_nothing_on_them_may_be_left_out_and_are_counted() -> None:
    page = html(Detail(all=False))
    assert page.count("<li id=") == 3
    assert "1 call at which nothing was found and nothing differs: not on this page." in page


def test_differences_name_whom_they_are_held_against() -> None:
    trial = compared("t", [[1, 2], [1, 3]])
    value = Difference(
        kind="value", pointer="/a", contract="/initial_state/a", blamed=("gpt",), values={"gpt": "<b>"}
    )
    rows = (trial.rows[0], trial.rows[1].model_copy(update={"differences": (value,), "parted": True}))
    page = trial_diff_html(trial.model_copy(update={"rows": rows}), 0, Links(), Detail())
    assert "Explained by a violation of gpt." in page
    assert "<code>&lt;b&gt;</code>" in page
    assert "after the divergence" in page
    assert [notable(trial, at) for at in (0, 1)] == [False, True]


def test_a_call_that_a_side_never_made_is_told() -> None:
    trial = compared("t", [[1], [2]])
    row = trial.rows[0].model_copy(update={"answers": (trial.rows[0].answers[0], None), "calls": (0, None)})
    page = trial_diff_html(trial.model_copy(update={"rows": (row,)}), 0, Links(), Detail())
    assert "No such call in this trial." in page


def test_repeats_and_other_answerers_are_told() -> None:
    trial = compared("t", [[1], [2]])
    first, second = trial.rows[0].answers
    assert first is not None
    again = first.model_copy(update={"repeats": 3, "same_again": 2, "refused": True, "by": "faults"})
    row = trial.rows[0].model_copy(update={"answers": (again, second)})
    page = trial_diff_html(trial.model_copy(update={"rows": (row,)}), 0, Links(), Detail())
    for words in (
        "asked 3 more times, 2 times the same",
        "refused",
        "The fault plan answered, not the simulator.",
    ):
        assert words in page
