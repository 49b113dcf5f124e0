from __future__ import annotations

import re

from replaylab.report.diff_collect import Collected
from replaylab.report.diff_filter import filter_html
from tests.report.compared import hostile, small
from tests.report.test_page import outline


def test_each_field_lists_what_there_is_with_counts() -> None:
    form = filter_html(Collected(small()[0], 100).all)
    assert re.findall(r'<select name="(\w+)">', form) == [
        *("kind", "subkind", "tool", "simulator", "task", "against", "confidence")
    ]
    assert '<option value="fabrication">fabrication: invented (2)</option>' in form
    assert '<option value="second">second (2)</option>' in form
    assert form.startswith('<form id="filter" hidden')


def test_options_hold_text_alone() -> None:
    form = filter_html(Collected(hostile(), 100).all)
    assert outline(form.encode()).suspects == []
    assert "<span" not in form


def test_without_findings_there_is_nothing_to_filter() -> None:
    assert filter_html([]) == ""
