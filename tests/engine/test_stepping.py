"""Steps of a synthesis: made once, played ever after, found again by what they are given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.codec import line
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import Tape
from replaylab.engine.gate import Gate
from replaylab.engine.stepping import KIND, Names, Steps, blank, is_trial_step, orders_of, step_header
from replaylab.engine.trial import OpenChat
from replaylab.engine.verify import deep_check, verify
from replaylab.errors import CallFailed, LimitReached, OfflineError
from replaylab.roles.chat import message
from replaylab.schema.cassette import Header, Limits, ScenarioFacts, key_of
from replaylab.store.frames import FrameWriter
from replaylab.store.library import Library
from tests.engine.test_judging import SEAMS, Scripted
from tests.playground import program, program_chats, reply

FACTS = ScenarioFacts(id="s", name="S", industry="i", domain="d")
NAMES = Names("a,b,c,E0", "s:task")


def header(question: str = "Which?", names: Names = NAMES) -> Header:
    return step_header(
        names,
        FACTS,
        blank(question, names.task),
        {"generator": program("g")},
        ("generator",),
        prompts={},
        limits=Limits(votes=0, asks=2),
    )


def ask(count: int = 1) -> Callable[[Tape, OpenChat], list[str]]:
    """A step that asks so often and gives the texts; "" for a call that failed."""

    def run(tape: Tape, open_chat: OpenChat) -> list[str]:
        chat, said = open_chat(tape.lane("generator"), program("g")), []
        for number in range(count):
            try:
                said.append(chat.ask((message("user", f"question {number}"),)).text)
            except CallFailed:
                said.append("")
        return said

    return run


def failed(said: list[str]) -> bool:
    return "" in said


def steps(root: Path, chats: Scripted | None = None, *, retry_errors: bool = False) -> Steps:
    return Steps(Library(root), "syn", SEAMS, open_chat=chats, retry_errors=retry_errors)


def test_a_step_is_asked_once_and_played_ever_after(tmp_path: Path) -> None:
    chats = Scripted("yes")
    first = steps(tmp_path, chats)
    value, name = first.take(header(), ask(), failed)
    assert first.take(header(), ask(), failed) == (value, name) == (["yes"], name)
    first.close()
    assert steps(tmp_path).take(header(), ask(), failed) == (["yes"], name)
    assert len(chats.requests) == 1
    assert not (tmp_path / "journal" / "syn").exists()


def test_it_is_known_by_what_it_is_given_and_not_by_its_address(tmp_path: Path) -> None:
    one = steps(tmp_path, Scripted("yes", "no", "maybe"))
    first = one.take(header(), ask(), failed)
    other = one.take(header("Which other?"), ask(), failed)
    elsewhere = one.take(header(names=Names("a,b,c,E0", "s:plan")), ask(), failed)
    assert [said for said, _ in (first, other, elsewhere)] == [["yes"], ["no"], ["maybe"]]


def test_the_cassette_is_a_synthesis_and_verifies(tmp_path: Path) -> None:
    _, name = steps(tmp_path, Scripted("yes")).take(header(), ask(), failed)
    cassette = open_cassette(Library(tmp_path), name)
    assert (cassette.header.subject.kind, cassette.seal.verdict) == (KIND, "none")
    assert not is_trial_step(cassette.header)
    assert verify(Library(tmp_path)).findings == []
    cassette.seal = cassette.seal.model_copy(update={"verdict": "pass"})
    assert [one.kind for one in deep_check(cassette)] == ["verdict"]


def test_offline_nothing_is_asked_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(OfflineError, match="s:task was never recorded"):
        steps(tmp_path).take(header(), ask(), failed)
    assert list(tmp_path.iterdir()) == []


def saying(*texts: str) -> tuple[OpenChat, list[str]]:
    """Chats that answer so, and then stop; with what was asked."""
    left, asked = list(texts), list[str]()

    def respond(path: str, body: bytes) -> Any:
        if not left:
            raise LimitReached("stopped here")
        asked.append(body.decode())
        return reply(left.pop(0))

    return program_chats(Gate(8), respond), asked


def test_a_step_that_was_stopped_goes_on_after_its_last_answer(tmp_path: Path) -> None:
    first = Steps(Library(tmp_path), "syn", SEAMS, open_chat=saying("a", "b")[0])
    with pytest.raises(LimitReached):
        first.take(header(), ask(3), failed)
    first.close()
    chats, asked = saying("c")
    again = Steps(Library(tmp_path), "syn", SEAMS, open_chat=chats)
    assert again.take(header(), ask(3), failed)[0] == ["a", "b", "c"]
    assert (len(asked), again.resumed) == (1, 1)


def test_what_a_crash_left_of_a_sealed_step_is_removed(tmp_path: Path) -> None:
    first = steps(tmp_path, Scripted("yes"))
    first.take(header(), ask(), failed)
    left = first._journal.path_of(f"{key_of(header())} {header().inputs}", 0)
    left.parent.mkdir(exist_ok=True)
    with FrameWriter(left) as writer:
        writer.append(line(header()))
    first.close()
    again = steps(tmp_path, Scripted())
    again.take(header(), ask(), failed)
    again.close()
    assert not left.exists()


def test_a_failed_call_is_kept_and_made_again_on_request(tmp_path: Path) -> None:
    assert steps(tmp_path, Scripted(None)).take(header(), ask(), failed)[0] == [""]
    assert steps(tmp_path, Scripted()).take(header(), ask(), failed)[0] == [""]
    retried = steps(tmp_path, Scripted("yes"), retry_errors=True)
    assert retried.take(header(), ask(), failed)[0] == ["yes"]
    assert steps(tmp_path).take(header(), ask(), failed)[0] == ["yes"]
    tries = [
        open_cassette(Library(tmp_path), name).header.subject.attempt
        for name in Library(tmp_path).objects("cassette")
    ]
    assert sorted(tries) == [0, 1]


def test_the_first_error_counts_no_longer_once_a_try_was_good(tmp_path: Path) -> None:
    steps(tmp_path, Scripted("yes")).take(header(), ask(), failed)
    chats = Scripted("no")
    assert steps(tmp_path, chats, retry_errors=True).take(header(), ask(), failed)[0] == ["yes"]
    assert chats.requests == []


def test_three_steps_in_a_row_that_reach_nobody_stop_it(tmp_path: Path) -> None:
    one = steps(tmp_path, Scripted(None, None, None, None))
    for number in range(2):
        one.take(header(str(number)), ask(), failed)
    with pytest.raises(LimitReached, match="can't be reached"):
        one.take(header("2"), ask(), failed)


def test_an_order_is_recorded_once_and_found_by_its_name(tmp_path: Path) -> None:
    one = steps(tmp_path, Scripted())
    for _ in range(2):
        one.put_order(Names("a,b,c,E0", "syn"), {"levels": 2})
    one.put_order(Names("a,b,c,E0", "other"), {"levels": 3})
    one.close()
    assert orders_of(Library(tmp_path)) == [("other", {"levels": 3}), ("syn", {"levels": 2})]
    assert verify(Library(tmp_path)).findings == []
