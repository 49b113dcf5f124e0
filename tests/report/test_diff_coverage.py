from __future__ import annotations

from replaylab.report.diff_coverage import MEANING, brief_html, coverage_html, merged, totals
from replaylab.schema.violation import Coverage, Covered

ONE = Coverage(
    environment="ward",
    rows=(
        Covered(tool="b", kind="omission", calls=2, checked=1, why_not={"silent": 1}),
        Covered(tool="a", kind="fabrication", calls=3, checked=3),
    ),
)
NONE = Coverage(environment="lab", rows=(Covered(tool="x", kind="omission", calls=4, why_not={"<b>": 4}),))


def test_trials_of_an_environment_are_added_up_by_tool_and_kind() -> None:
    lab, ward = merged([ONE, NONE, ONE])
    assert (lab.environment, ward.environment) == ("lab", "ward")
    assert [(row.tool, row.calls, row.checked, row.why_not) for row in ward.rows] == [
        ("a", 6, 6, {}),
        ("b", 4, 2, {"silent": 2}),
    ]
    assert {one.kind: (one.checked, one.calls) for one in totals([ONE, NONE])} == {
        "fabrication": (3, 3),
        "omission": (1, 6),
        "rule_invention": (0, 0),
        "contradiction": (0, 0),
    }


def test_it_says_what_no_coverage_means_and_where_there_is_none() -> None:
    assert MEANING in brief_html([ONE])
    page = coverage_html([ONE, NONE], 10_000)
    assert page.count("nothing could be checked, so no findings here mean nothing") == 1
    assert "&lt;b&gt;: 4" in page


def test_environments_without_room_are_counted() -> None:
    many = [NONE.model_copy(update={"environment": f"e{at}"}) for at in range(10)]
    page = coverage_html(many, 1_200)
    shown = page.count("<table")
    assert 0 < shown < 10
    assert f"{10 - shown} more environments are not on this page" in page
