from __future__ import annotations

from replaylab.report.audit_text import markdown, plain
from tests.report.audits import hostile_report, plain_report


def test_text_shows_failures_first_and_what_holds_on_request() -> None:
    text = plain(plain_report())
    assert text.index("Checks of every table: fails (1)") < text.index("Claims: fails (1)")
    assert "Claims: can't be decided (1)" in text
    assert "equal (equals)" not in text
    assert "more hold; --all lists them" in text
    everything = plain(plain_report(), everything=True)
    assert "equal (equals)" in everything
    assert "--all" not in everything


def test_text_has_claim_place_finding_and_explanation() -> None:
    text = plain(plain_report())
    assert (
        "  wrong (equals)\n    where:   section 3\n    said:    it is 63\n    found:   t / y / a says 62\n"
        in text
    )
    assert "    nearest: fits 24 of 31: 1 task left the denominator\n" in text
    assert "checks of every table: 1 fail" in text


def test_text_is_wrapped_to_the_terminal() -> None:
    assert all(len(line) <= 60 for line in plain(plain_report(), 60, everything=True).splitlines()[3:])


def test_markdown_has_everything() -> None:
    text = markdown(plain_report()).decode()
    assert "### Fails" in text
    assert "### Holds" in text
    assert "**wrong (equals)**" in text
    assert "Nearest: fits 24 of 31" in text


def test_what_a_file_says_breaks_no_line_and_no_markup() -> None:
    text = markdown(hostile_report()).decode()
    assert "\n# h" not in text
    assert "<script>" not in text.replace("\\<script", "")
    assert "\x1b" not in text
    shown = plain(hostile_report(), everything=True)
    assert "\x1b" not in shown
    assert "\n# h" not in shown


def test_steps_stand_in_both() -> None:
    assert "warn" in plain(hostile_report())
    assert "## Checklist" in markdown(hostile_report()).decode()
