from __future__ import annotations

import pytest

from replaylab.audit.value import AuditReport
from replaylab.report.audit_page import audit_page
from tests.report.audits import hostile_report, plain_report
from tests.report.test_page import Outline


@pytest.mark.parametrize("report", [plain_report(), hostile_report()], ids=["plain", "hostile"])
def test_every_element_is_closed_and_nothing_fetches_or_acts(report: AuditReport) -> None:
    found = Outline()
    found.feed(audit_page(report).decode())
    found.close()
    assert found.open == []
    assert found.suspects == []


def test_a_page_says_what_fails_why_and_what_comes_nearest() -> None:
    page = audit_page(plain_report()).decode()
    assert "fits 24 of 31: 1 task left the denominator" in page
    assert "no whole number of 32 tasks prints as 77" in page
    assert page.count('class="badge fail"') == 2
    assert "The step" not in page


def test_what_a_file_says_is_text() -> None:
    page = audit_page(hostile_report()).decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_the_same_page_comes_out_again() -> None:
    assert audit_page(plain_report()) == audit_page(plain_report())
