from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.playground import SHORT, record


@pytest.fixture
def after(study: Path) -> Path:
    """Beside `study` a run in which the greedy agent plays for the careful one."""
    record(study, tasks=(SHORT,), agents=("scripted:greedy",), name="after")
    return study


@pytest.mark.usefixtures("after")
def test_two_runs_are_held_against_each_other(call: Call) -> None:
    ended = call("diff", "study", "after", "--match", "agent", "scripted:careful", "scripted:greedy")
    assert ended.code == 1
    assert "1 pairs: 1 regressed" in ended.out
    assert "differs: agent: scripted:careful -> scripted:greedy" in ended.out
    assert "first difference: call 1 is get_patient and assess_patient" in ended.out
    assert "Every role was played by a program" in ended.out


@pytest.mark.usefixtures("after")
def test_where_nothing_became_worse_there_is_no_finding(call: Call) -> None:
    ended = call("diff", "study", "after")
    assert (ended.code, "0 regressed, 0 improved" in ended.out) == (0, True)
    better = call(
        "diff", "after", "study", "--match", "agent", "scripted:greedy", "scripted:careful", "--json"
    )
    assert (better.code, better.document["ok"], better.document["findings"]) == (0, True, [])


@pytest.mark.usefixtures("after")
def test_json_is_one_document_with_a_finding_for_each_regression(call: Call) -> None:
    line = ("diff", "study", "after", "--match", "agent", "scripted:careful", "scripted:greedy", "--json")
    ended = call(*line)
    document = ended.document
    assert (ended.code, document["schema"], document["ok"]) == (1, "replaylab/diff/1", False)
    (one,) = document["findings"]
    assert (one["kind"], one["pointer"]) == ("regressed", "/tool")
    assert document["comparisons"][0]["flips"][0]["key_b"] == one["where"]
    assert call(*line).out == ended.out


@pytest.mark.usefixtures("after")
def test_the_comparison_is_written_as_markdown_and_as_a_page(call: Call, tmp_path: Path) -> None:
    line = ("diff", "study", "after", "--markdown", "x.md", "--html", "x.html")
    ended = call(*line)
    assert (ended.code, f"wrote {tmp_path / 'x.html'}" in ended.out) == (0, True)
    assert (tmp_path / "x.md").read_text().startswith("# study and after\n")
    page = (tmp_path / "x.html").read_bytes()
    assert b"Two runs trial by trial" in page
    assert call(*line).code == 0
    assert (tmp_path / "x.html").read_bytes() == page


@pytest.mark.usefixtures("after")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        (("study", "study"), "are the same run"),
        (("study", "aftr"), "after"),
        (("study", "after", "--match", "agnt", "a", "b"), "no role 'agnt'"),
        (("study", "after", "--match", "agent", "a", "b"), "it has scripted:careful"),
        (("study", "after", *("--match", "sim", "twin", "twin") * 2), "twice"),
        (("study", "--match", "sim", "a", "b"), "two runs with verdicts"),
        (("--markdown", "x.md"), "two runs with verdicts"),
        (("study", "after", "--judge", "coin"), "--judge is about violations"),
    ],
)
def test_what_cannot_be_compared_says_why(call: Call, line: tuple[str, ...], says: str) -> None:
    ended = call("diff", *line)
    assert (ended.code, says in ended.err) == (2, True), ended.err


@pytest.mark.usefixtures("study")
def test_a_run_in_lockstep_has_no_verdicts_so_its_simulators_are_compared(call: Call) -> None:
    assert call("replay", "study", "--swap", "sim=example").code == 0
    document = call("diff", "study", "study.simulator-example", "--json").document
    assert document["simulators"] == ["twin", "example"]
    assert "comparisons" not in document
