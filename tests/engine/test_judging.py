"""Asking a judge: each question once, its answers a cassette of their own that verifies and is found again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import Lane
from replaylab.engine.judging import KIND, Judging
from replaylab.engine.seams import Seams
from replaylab.engine.verify import deep_check, verify
from replaylab.errors import OfflineError
from replaylab.roles.chat import Chat, message
from replaylab.roles.prompts import CONTRACT_JUDGE, prompt
from replaylab.schema.base import JsonObject
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Failure
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from replaylab.wire.asking import Asking
from replaylab.wire.completion import read_answer
from tests.derive.recording import header

JUDGE = ModelSettings(alias="judge", model="judge-1", sampling={"seed": 7})
SEAMS = Seams(now=lambda: "2026-03-04T05:06:07.000Z", elapsed_ms=lambda: 0.0, sleep=lambda seconds: None)
ASKED = (message("system", "decide"), message("user", "the case"))
ABOUT = {"candidate": "c1"}


class Scripted:
    """Chats that answer `said` in turn; None is a server that refuses the connection."""

    def __init__(self, *said: str | None) -> None:
        self.said = list(said)
        self.requests: list[JsonObject] = []

    def __call__(self, lane: Lane, settings: ModelSettings) -> Chat:
        outer = self

        class One:
            def ask(self, messages: Sequence[JsonObject], **more: Any) -> Completion:
                request = Asking(settings).request(messages, (), None)
                outer.requests.append(request.body())
                slot = lane.begin(request)
                text = outer.said[len(outer.requests) - 1]
                if text is None:
                    attempt = Attempt(failure=Failure(kind="refused"))
                    slot.commit([attempt], None)
                    return read_answer(attempt, "here")
                attempt = Attempt(status=200, text=body(text))
                completion = read_answer(attempt)
                slot.commit([attempt], completion)
                return completion

        return One()


def body(text: str) -> str:
    from json import dumps

    return dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]})


def judging(root: Path, chats: Scripted | None, judge: ModelSettings = JUDGE) -> Judging:
    return Judging(Library(root), judge, SEAMS, chats)


def only(root: Path) -> Cassette:
    (name,) = Library(root).objects("cassette")
    return open_cassette(Library(root), name)


def test_each_vote_is_asked_in_a_lane_of_its_own_and_as_a_sample_of_its_own(tmp_path: Path) -> None:
    chats = Scripted("a", "b", "c")
    assert judging(tmp_path, chats).ask(header(), ASKED, ABOUT) == ("a", "b", "c")
    assert [one["seed"] for one in chats.requests] == [7, 1007, 2007]
    assert sorted(only(tmp_path).lanes) == ["judge.0", "judge.1", "judge.2"]


def test_the_cassette_says_what_it_is_and_verifies(tmp_path: Path) -> None:
    judging(tmp_path, Scripted("a", "b", "c")).ask(header(), ASKED, ABOUT)
    one = only(tmp_path)
    assert (one.header.subject.kind, one.header.players[KIND]) == (KIND, JUDGE)
    assert one.header.subject.condition.split(",")[2] == "judge"
    assert one.header.prompts == {CONTRACT_JUDGE: prompt(CONTRACT_JUDGE)}
    assert (one.seal.verdict, [label.value for label in one.labels]) == ("none", [ABOUT])
    assert verify(Library(tmp_path)).findings == []


def test_what_is_recorded_is_not_asked_again_by_anybody(tmp_path: Path) -> None:
    first = judging(tmp_path, Scripted("a", "b", "c"))
    first.ask(header(), ASKED, ABOUT)
    assert first.ask(header(), ASKED, ABOUT) == ("a", "b", "c")
    first.close()
    later = judging(tmp_path, Scripted())
    assert later.ask(header(), ASKED, ABOUT) == ("a", "b", "c")
    assert (first.asked, later.asked) == (1, 0)
    (tmp_path / "index.db").unlink()
    assert judging(tmp_path, None).ask(header(), ASKED, ABOUT) == ("a", "b", "c")


@pytest.mark.parametrize(
    ("messages", "judge"),
    [
        ((*ASKED, message("user", "more")), JUDGE),
        (ASKED, JUDGE.model_copy(update={"alias": "other"})),
        (ASKED, JUDGE.model_copy(update={"model": "judge-2"})),
        (ASKED, JUDGE.model_copy(update={"sampling": {"seed": 8}})),
    ],
)
def test_another_question_or_judge_is_asked(tmp_path: Path, messages: Any, judge: ModelSettings) -> None:
    judging(tmp_path, Scripted("a", "b", "c")).ask(header(), ASKED, ABOUT)
    other = judging(tmp_path, Scripted("d", "e", "f"), judge)
    assert other.ask(header(), messages, ABOUT) == ("d", "e", "f")


def test_offline_nobody_is_asked(tmp_path: Path) -> None:
    with pytest.raises(OfflineError, match="was never asked this"):
        judging(tmp_path, None).ask(header(), ASKED, ABOUT)
    assert not Library(tmp_path).exists()


def test_a_vote_without_an_answer_is_none_and_stays_recorded(tmp_path: Path) -> None:
    assert judging(tmp_path, Scripted("a", None, "c")).ask(header(), ASKED, ABOUT) == ("a", None, "c")
    assert judging(tmp_path, None).ask(header(), ASKED, ABOUT) == ("a", None, "c")
    assert verify(Library(tmp_path)).findings == []


def test_where_nobody_answered_nothing_is_kept_and_it_is_asked_again(tmp_path: Path) -> None:
    assert judging(tmp_path, Scripted(None, None, None)).ask(header(), ASKED, ABOUT) == (None, None, None)
    assert not list(Library(tmp_path).objects("cassette"))
    assert judging(tmp_path, Scripted("a", "b", "c")).ask(header(), ASKED, ABOUT) == ("a", "b", "c")


def test_a_seal_that_says_something_else_is_found(tmp_path: Path) -> None:
    judging(tmp_path, Scripted("a", "b", "c")).ask(header(), ASKED, ABOUT)
    one = only(tmp_path)
    lines = [row for rows in one.lanes.values() for row in rows]
    lines[0] = lines[0].model_copy(update={"path": lines[0].path.replace("judge.0", "judge.7")})
    one.lanes["judge.0"][0] = lines[0]
    assert {finding.kind for finding in deep_check(one)} >= {"outcome-digest"}


def test_a_verdict_of_a_judge_is_none(tmp_path: Path) -> None:
    judging(tmp_path, Scripted("a", "b", "c")).ask(header(), ASKED, ABOUT)
    one = only(tmp_path)
    one.seal = one.seal.model_copy(update={"verdict": "pass"})
    assert [finding.kind for finding in deep_check(one)] == ["verdict"]
