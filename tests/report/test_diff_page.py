from __future__ import annotations

import base64
import hashlib
import re

import pytest

from replaylab.report.diff_coverage import MEANING
from replaylab.report.diff_page import check_page, diff_page
from replaylab.schema.difference import DiffReport
from tests.report.compared import flagship, hostile, large, needs_data, shipped, small
from tests.report.test_page import outline

LARGE = large(40, 16, found=4, words=80)


@pytest.fixture(params=["small", "hostile", "check", "large"], scope="module")
def page(request: pytest.FixtureRequest) -> bytes:
    if request.param == "check":
        return check_page(*shipped("real-qwen2.5-coder-1.5b"))
    if request.param == "small":
        return diff_page(*small())
    return diff_page(hostile() if request.param == "hostile" else LARGE, limit=700_000)


def test_every_element_is_closed_and_nothing_fetches_or_acts(page: bytes) -> None:
    found = outline(page)
    assert (found.open, found.suspects) == ([], [])
    assert len(found.ids) == len(set(found.ids))
    assert {link for link in found.links if not link.startswith("#")} == set()
    assert {link[1:] for link in found.links} <= set(found.ids)


def test_the_policy_allows_this_style_and_this_script_alone(page: bytes) -> None:
    found = outline(page)
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in found.scripts
    ]
    assert len(hashes) == 2
    assert found.policy == (
        f"default-src 'none'; style-src '{hashes[0]}'; script-src '{hashes[1]}'; base-uri 'none'; form-action 'none'"
    )


def test_each_finding_and_each_call_has_the_id_that_it_has_everywhere() -> None:
    report, contract = small()
    ids = outline(diff_page(report, contract)).ids
    for trial in report.trials:
        assert {one.id for one in (*trial.violations, *trial.candidates, *trial.faults_found)} <= set(ids)
        assert {row.id for row in trial.rows} <= set(ids)


def test_candidates_and_possible_faults_stand_apart() -> None:
    text = diff_page(*small()).decode()
    order = ["findings", "candidates", "faults", "differences", "trials", "coverage"]
    assert re.findall(r'<h2 id="(\w+)"', text) == order
    assert "4 in 2 trials: fabrication 1, omission 1, rule_invention 1, contradiction 1." in text
    part = text[text.index('<h2 id="candidates"') : text.index('<h2 id="faults"')]
    assert part.count('<details class="finding"') == 1
    assert "counted nowhere" in part


def test_the_first_finding_alone_is_open() -> None:
    text = diff_page(*small()).decode()
    assert text.count('<details open="" class="finding"') == 1
    assert text.index('<details open="" class="finding"') < text.index('<details class="finding"')


def test_what_nobody_recorded_and_programs_played_is_said_before_the_first_finding() -> None:
    text = diff_page(*small()).decode()
    at = [
        text.index(words) for words in ("Played by programs", "Authored, not recorded", '<h2 id="findings"')
    ]
    assert at == sorted(at)


def test_what_was_not_compared_is_told() -> None:
    assert "<li>2 trials: their tasks are not the same</li>" in diff_page(*small()).decode()


def test_no_finding_without_coverage_is_said_to_mean_nothing() -> None:
    report = small()[0]
    bare = [trial.model_copy(update={"violations": (), "coverage": ()}) for trial in report.trials]
    text = diff_page(report.model_copy(update={"trials": tuple(bare)})).decode()
    assert f"Nothing could be checked. {MEANING}" in text
    assert f"No finding. {MEANING}" in text
    assert "Nothing could be checked" not in diff_page(*small()).decode()


def test_a_report_of_nothing_is_a_page() -> None:
    assert b"Nothing could be checked" in diff_page(DiffReport(simulators=("a", "b")))
    assert outline(check_page(())).open == []


def test_a_check_shows_one_side_and_no_differences() -> None:
    text = check_page(*shipped("real-qwen2.5-coder-1.5b")).decode()
    assert "What qwen2.5-coder-1.5b said against the contract" in text
    assert 'id="differences"' not in text
    assert "side by side" not in text


@needs_data
def test_the_three_published_failures_are_told_with_the_contract() -> None:
    text = diff_page(*flagship()).decode()
    for words in (
        "Exam Room 3 is invented",
        "<mark>at maximum capacity</mark>",
        "Raj_NYC is left out",
        "Refused by a rule that nobody wrote: “Return window expired",
        "The closest that the contract comes: it allows realism in general, and this rule is not in it.",
    ):
        assert words in text, words


@pytest.mark.parametrize("limit", [250_000, 400_000, 700_000, 1_200_000, 8_000_000])
def test_a_large_report_stays_within_its_limit_and_says_what_is_left_out(limit: int) -> None:
    page = diff_page(LARGE, limit=limit)
    text = page.decode()
    assert len(page) <= limit
    kept = text.count('<details class="trial"')
    short = text.count('class="finding short"')
    listed = short + len(re.findall(r'<details (?:open="" )?class="finding"', text))
    assert ("Calls at which nothing was found" in text) == (limit < 8_000_000)
    assert (f"The trajectories of the last {40 - kept} trials are left out" in text) == (kept < 40)
    assert (f"The last {short:,} findings stand here without their evidence" in text) == (short > 0)
    assert (f"{160 - listed:,} more findings had no room" in text) == (listed < 160)
    assert listed >= min(160, limit // 1_600)


def test_the_limit_is_in_bytes_whatever_the_script() -> None:
    wide = large(40, 16, found=8, words=80, task="задача" * 8)
    assert len(diff_page(wide, limit=500_000)) <= 500_000


def test_the_same_report_gives_the_same_bytes() -> None:
    assert diff_page(*small()) == diff_page(*small())
    assert diff_page(hostile()) == diff_page(hostile())
