from __future__ import annotations

import re
from html import escape

from replaylab.derive.verdict import Derived
from replaylab.report.lanes import Shown
from replaylab.report.sections import Detail, trial_html
from replaylab.report.view import Trial
from replaylab.schema.trajectory import CheckResult, Verdict, Vote
from replaylab.store.library import Library
from tests.report.recordings import JUDGED, trial


def made(shown: Trial, detail: Detail | None = None) -> str:
    return trial_html(shown, "t0", Shown(), detail or Detail(), 2)


def test_instruction_calls_answer_and_votes_are_there(study: Library) -> None:
    shown = trial(study, "study", lambda key: key == JUDGED)
    page = made(shown)
    assert escape(shown.header.task.instruction) in page
    assert escape(shown.trajectory.answer) in page
    for action in shown.trajectory.actions:
        assert f'id="t0-c{action.call}"' in page
    for check in shown.verdict.votes[0].checks:
        assert f"<code>{check.id}</code>" in page


def test_a_fault_shows_what_was_said_and_what_was_delivered(study: Library) -> None:
    shown = trial(study, "study", lambda key: key == JUDGED)
    assert any(action.fault for action in shown.trajectory.actions)
    page = made(shown)
    assert page.count("The simulator had said") == sum(1 for one in shown.trajectory.actions if one.fault)
    assert "The agent was shown" in page
    assert "What the fault did: " in page


def test_every_link_leads_to_something_on_the_page(study: Library) -> None:
    page = made(trial(study, "study", lambda key: key == JUDGED))
    links, ids = re.findall(r'href="#([^"]+)"', page), re.findall(r' id="([^"]+)"', page)
    assert links
    assert set(links) <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_check_that_decided_links_to_its_call(study: Library) -> None:
    shown = trial(study, "study")
    checks = (
        CheckResult(id="late", result="fail", call=1),
        CheckResult(id="absent", result="fail"),
        CheckResult(id="fine", result="pass", call=2),
    )
    verdict = Verdict(outcome="fail", votes=(Vote(vote=0, outcome="fail", checks=checks),))
    shown.__dict__["_derived"] = Derived(shown.trajectory, verdict)
    decided = made(shown).partition("Decided by")[2].partition("Ended")[0]
    assert "check late" in decided
    assert "check absent" in decided
    assert "fine" not in decided
    assert decided.count("<a ") == decided.count('<a href="#t0-c1">call 1</a>') == 1


def test_programs_are_said_to_be_no_llms(study: Library) -> None:
    assert made(trial(study, "study")).count("program, not an LLM") == 3


def test_a_broken_trial_has_no_answer_and_says_why(broken: Library) -> None:
    page = made(trial(broken, "broken"))
    assert "No answer" in page
    assert "agent_error: turn 0: http_status" in page


def test_a_trial_with_several_tries_says_which_one_this_is(broken: Library) -> None:
    assert "1 of 2 tries, counted from 0" in made(trial(broken, "broken"))


def test_without_raw_the_interactions_are_left_out_and_texts_are_cut(study: Library) -> None:
    page = made(trial(study, "study"), Detail(raw=False, cut=20))
    assert "Raw interactions" not in page
    assert "more characters are not on this page" in page
