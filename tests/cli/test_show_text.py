from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from replaylab.cli import show_text
from replaylab.cli.output import Output
from replaylab.cli.show_text import show_asked, show_lane, show_run, show_trial, took
from replaylab.cli.writer import Writer, cut
from replaylab.report.view import Tally, Trial
from replaylab.store.library import Library
from tests.report import recordings
from tests.report.recordings import JUDGED, trial, view

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recordings.plain(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recordings.hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def judged(study: Library) -> Trial:
    return trial(study, "study", lambda key: key == JUDGED)


def output(width: int | None = None) -> Output:
    return Output("show", json=False, out=io.StringIO(), err=io.StringIO(), width=width)


def written(out: Output) -> str:
    assert isinstance(out.out, io.StringIO)
    return out.out.getvalue()


@pytest.mark.parametrize("width", [None, 30, 100])
def test_no_control_character_and_no_mark_of_direction_reaches_the_terminal(
    hostile: Library, width: int | None
) -> None:
    shown, out = trial(hostile, "hostile"), output(width)
    show_run(out, view(hostile, "hostile"))
    show_trial(out, shown, full=True)
    for lane in shown.lanes:
        show_lane(out, shown, lane)
        for asked in shown.asked(lane):
            show_asked(out, shown, asked)
    text = written(out)
    assert "\\u202egnp.exe" in text
    assert "\\x1b[31mred" in text
    assert UNSAFE.findall(text) == []


def test_a_trial_reads_from_the_instruction_to_the_verdict(judged: Trial) -> None:
    out = output()
    show_trial(out, judged, full=True)
    text = written(out)
    places = [
        text.index(part)
        for part in (
            "INSTRUCTION",
            judged.header.task.instruction,
            "TRAJECTORY",
            "turn 0",
            "call 0",
            "ANSWER",
            "VERDICT",
        )
    ]
    assert places == sorted(places)
    assert judged.cassette.name in text
    for check in judged.verdict.votes[0].checks:
        assert f"[{check.result}] {check.id}: " in text
    assert "a program, not an LLM" in text


def test_a_fault_is_marked_with_what_was_said_and_what_was_shown(judged: Trial) -> None:
    out = output()
    show_trial(out, judged, full=True)
    fault = next(action.fault for action in judged.trajectory.actions if action.fault)
    text = written(out)
    place = text.index(f"FAULT {fault.fault} {fault.kind}")
    assert place < text.index("what the fault did: ") < text.index("the simulator had said:")


def test_long_texts_are_cut_with_a_count_unless_all_is_wanted(
    judged: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(show_text, "CUT", 100)
    short, whole = output(), output()
    show_trial(short, judged, full=False)
    show_trial(whole, judged, full=True)
    assert "more characters; --full shows them" in written(short)
    assert "more characters" not in written(whole)
    assert cut("x" * 100, 10) == ("x" * 10, 90)
    assert cut("x" * 12, 10) == ("x" * 12, 0)


def test_wrapped_lines_stay_within_a_narrow_terminal_and_lose_nothing() -> None:
    out = output(40)
    words = "word " * 30 + "w" * 90
    Writer(out, cut=None).block(words, 4, "agent: ")
    lines = written(out).splitlines()
    assert max(map(len, lines)) <= 40
    assert "".join("".join(line.split()) for line in lines) == "agent:" + words.replace(" ", "")


def test_in_a_pipe_nothing_is_wrapped() -> None:
    out = output()
    Writer(out, cut=None).block("word " * 100, 4)
    assert len(written(out).splitlines()) == 1


def test_a_run_shows_errors_and_missing_trials_apart_from_the_table(tmp_path: Path) -> None:
    library = recordings.broken(tmp_path)
    out = output()
    show_run(out, view(library, "broken"))
    text = written(out)
    assert "errors (1), no fail among them:" in text
    assert "missing (4), planned and not recorded:" in text
    assert "1 error, 4 missing" in text
    assert "Played by programs, not LLMs: " in text


def test_a_lane_lists_its_interactions(judged: Trial) -> None:
    out = output()
    show_lane(out, judged, "agent")
    lines = written(out).splitlines()
    assert lines[2].split()[:3] == ["#", "request", "adds"]
    assert lines[3].split()[1] == judged.cassette.lanes["agent"][0].request.digest[:12]
    assert len(lines) == 4 + len(judged.cassette.lanes["agent"])


def test_an_interaction_shows_the_whole_request_and_the_body_as_received(judged: Trial) -> None:
    out, asked = output(), list(judged.asked("agent"))[1]
    show_asked(out, judged, asked)
    text = written(out)
    assert "continues #0 (2 messages), adds 2" in text
    assert judged.header.task.instruction in text
    assert (asked.row.final.text or "?") in text
    assert asked.row.request.digest in text


@pytest.mark.parametrize("width", [50, 80, 120, 160, None])
def test_a_trial_key_stays_in_one_piece_whatever_the_terminal(study: Library, width: int | None) -> None:
    out = output(width)
    show_run(out, view(study, "study"))
    for entry in study.run("study")[1].ledger:
        assert entry.key in written(out)
        assert entry.tries[0].cassette[:12] in written(out)


def test_wrapping_takes_no_control_character_for_a_space() -> None:
    out = output(30)
    Writer(out, cut=None).block("word " * 4 + "left\x0b\x0cright\r " + "word " * 4, 4)
    joined = "".join(line.strip() for line in written(out).splitlines())
    assert "left\\x0b\\x0cright\\x0d" in joined


def test_what_it_took_reads_like_english() -> None:
    one = took(Tally(calls=1, attempts=2, prompt_tokens=1234, completion_tokens=5, unmetered=1))
    assert one.startswith("1 model call, 1 retry, 1,234 in + 5 out tokens (1 answer without a count), ")
    assert took(Tally(calls=2, attempts=2)).startswith("2 model calls, 0 in + 0 out tokens, ")
