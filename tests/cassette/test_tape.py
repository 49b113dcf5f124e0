from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.cassette.request import Request
from replaylab.cassette.tape import Tape, expand, message_digests
from replaylab.errors import DivergenceError, StoreError
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.interaction import Attempt, Interaction

KEY = TrialKey(Condition("a", "s", "v", "E0"), "task", 0)
ANSWER = Attempt(status=200, text="{}")


def user(text: str) -> JsonObject:
    return {"role": "user", "content": text}


def ask(*texts: str, **params: Any) -> Request:
    return Request("m", {"model": "m", **params}, [user(text) for text in texts])


def blank(**changed: Any) -> Tape:
    return Tape(KEY, elapsed_ms=lambda: 0.0, **changed)


def answered(tape: Tape, requests: Sequence[Request], lane: str = "agent") -> list[Interaction]:
    return [tape.lane(lane).begin(one).commit([ANSWER], None) for one in requests]


def replaying(tape: Tape) -> Tape:
    return blank(recorded=tape.lanes, blob=tape.recorded_blob, closed=lambda lane: True)


CHAT = [ask("a"), ask("a", "b", "c"), ask("a", "b", "c", "d", "e")]


def test_what_was_recorded_plays_in_order() -> None:
    tape = blank()
    recorded = answered(tape, CHAT)
    replay = replaying(tape)
    assert [replay.lane("agent").begin(one).play() for one in CHAT] == recorded
    replay.check_played()


def test_identical_requests_play_their_own_answers() -> None:
    tape = blank()
    for text in ("first", "second", "third"):
        tape.lane("verifier.0").begin(ask("vote")).commit([Attempt(status=200, text=text)], None)
    lane = replaying(tape).lane("verifier.0")
    assert [lane.begin(ask("vote")).play().final.text for _ in range(3)] == ["first", "second", "third"]


def test_the_ordinal_is_taken_when_a_request_starts() -> None:
    lane = blank().lane("agent")
    first, second = lane.begin(ask("1")), lane.begin(ask("2"))
    second.commit([ANSWER], None)
    first.commit([ANSWER], None)
    assert (first.path.ordinal, second.path.ordinal) == (0, 1)


def test_lanes_don_t_share_ordinals() -> None:
    tape = blank()
    assert [
        tape.lane(name).begin(ask("x")).path.ordinal for name in ("agent", "simulator", "verifier.0")
    ] == [0, 0, 0]


def test_another_request_is_a_divergence_that_names_place_and_both_requests() -> None:
    tape = blank()
    answered(tape, CHAT)
    lane = replaying(tape).lane("agent")
    lane.begin(CHAT[0]).play()
    with pytest.raises(DivergenceError) as caught:
        lane.begin(ask("a", "b", "C"))
    assert caught.value.kind == "request"
    assert caught.value.callpath == "a,s,v,E0/task/0/agent#1"
    assert caught.value.expected == CHAT[1].body()
    assert caught.value.observed == ask("a", "b", "C").body()


def test_a_lane_that_runs_dry_is_a_divergence() -> None:
    tape = blank()
    answered(tape, CHAT[:1])
    lane = replaying(tape).lane("agent")
    lane.begin(CHAT[0]).play()
    with pytest.raises(DivergenceError, match="ran dry: 1 recorded, this is request 2"):
        lane.begin(CHAT[1])


def test_a_lane_that_is_not_played_to_its_end_is_a_divergence() -> None:
    tape = blank()
    answered(tape, CHAT)
    replay = replaying(tape)
    replay.lane("agent").begin(CHAT[0]).play()
    with pytest.raises(DivergenceError, match="1 of 3 interactions") as caught:
        replay.check_played()
    assert caught.value.callpath == "a,s,v,E0/task/0/agent#1"


def test_a_lane_that_was_never_opened_is_a_divergence_too() -> None:
    tape = blank()
    answered(tape, CHAT, "verifier.2")
    with pytest.raises(DivergenceError, match="0 of 3"):
        replaying(tape).check_played()


def test_resuming_plays_what_is_journaled_and_goes_on_live() -> None:
    tape = blank()
    answered(tape, CHAT[:2])
    resumed = blank(recorded=tape.lanes, blob=tape.recorded_blob)
    lane = resumed.lane("agent")
    slots = [lane.begin(one) for one in CHAT]
    assert [slot.recorded is not None for slot in slots] == [True, True, False]


def test_a_played_answer_is_not_journaled_again() -> None:
    written: list[bytes] = []

    class Sink:
        append: Callable[[bytes], None] = staticmethod(written.append)

    tape = blank()
    answered(tape, CHAT[:2])
    resumed = blank(recorded=tape.lanes, blob=tape.recorded_blob, sink=Sink())
    lane = resumed.lane("agent")
    for one in CHAT[:2]:
        lane.begin(one).play()
    assert written == []
    lane.begin(CHAT[2]).commit([ANSWER], None)
    assert len(written) == 1
    assert written[0].count(b'"type":"blob"') == 2  # the two messages that the third request adds


def test_a_divergence_in_a_message_does_not_point_at_the_tools() -> None:
    tools = ({"type": "function", "function": {"name": "f"}},)
    tape = blank()
    tape.lane("agent").begin(Request("m", {}, [user("a")], tools)).commit([ANSWER], None)
    with pytest.raises(DivergenceError) as caught:
        replaying(tape).lane("agent").begin(Request("m", {}, [user("b")], tools))
    expected, observed = caught.value.expected, caught.value.observed
    assert isinstance(expected, dict)
    assert isinstance(observed, dict)
    assert expected["tools"] == observed["tools"]


def test_a_request_holds_only_what_it_adds() -> None:
    tape = blank()
    rows = answered(tape, CHAT)
    assert [(row.request.continues, row.request.keep, len(row.request.adds)) for row in rows] == [
        (None, 0, 1),
        (0, 1, 2),
        (1, 3, 2),
    ]


def test_a_request_that_takes_something_back_keeps_the_common_prefix() -> None:
    tape = blank()
    rows = answered(tape, [ask("a", "b"), ask("a", "b", "bad", "again"), ask("a", "b", "good", "next")])
    assert [(row.request.continues, row.request.keep) for row in rows] == [(None, 0), (0, 2), (1, 2)]


words = st.lists(st.sampled_from("abc"), max_size=5)


@given(st.lists(words, min_size=1, max_size=6))
def test_every_recorded_request_can_be_put_together_again(chats: list[list[str]]) -> None:
    tape = blank()
    requests = [ask(*chat, top_p=0.5) for chat in chats]
    rows = answered(tape, requests)
    for ordinal, request in enumerate(requests):
        assert expand(rows, ordinal, tape.recorded_blob) == request.body()
        assert len(message_digests(rows, ordinal)) == len(request.messages)


def test_many_threads_each_get_their_own_lane_without_gaps() -> None:
    tape = blank()

    def vote(number: int) -> None:
        for turn in range(20):
            slot = tape.lane(f"verifier.{number}").begin(ask(f"{turn}"))
            slot.commit([Attempt(status=200, text=f"{number}.{turn}")], None)

    threads = [threading.Thread(target=vote, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        assert [row.final.text for row in tape.lanes[f"verifier.{number}"]] == [
            f"{number}.{t}" for t in range(20)
        ]


def raw(data: bytes) -> Request:
    return Request("m", {}, (), raw=data)


def test_a_raw_request_that_differs_shows_both_texts() -> None:
    tape = blank()
    answered(tape, [raw(b'{"n": NaN}')])
    with pytest.raises(DivergenceError) as caught:
        replaying(tape).lane("agent").begin(raw(b'{"m": NaN\xff}'))
    assert caught.value.expected == {"raw": '{"n": NaN}'}
    assert caught.value.observed == {"raw": '{"m": NaN\\xff}'}


def test_a_raw_request_beyond_the_end_shows_its_text() -> None:
    with pytest.raises(DivergenceError) as caught:
        blank(closed=lambda lane: True).lane("agent").begin(raw(b"NaN"))
    assert caught.value.observed == {"raw": "NaN"}


@pytest.mark.parametrize("continues", [1, 2, -1])
def test_a_request_that_continues_itself_a_later_or_no_one_is_damage(continues: int) -> None:
    tape = blank()
    rows = answered(tape, [ask("a"), ask("a", "b"), ask("a", "b", "c")])
    request = rows[1].request.model_copy(update={"continues": continues})
    rows[1] = rows[1].model_copy(update={"request": request})
    with pytest.raises(StoreError, match="agent#1 continues interaction"):
        message_digests(rows, 1)


@pytest.mark.parametrize(("continues", "keep"), [(0, 2), (0, 9), (None, 1), (0, 0)])
def test_a_request_that_keeps_more_or_less_than_there_is_is_damage(continues: int | None, keep: int) -> None:
    tape = blank()
    rows = answered(tape, [ask("a"), ask("a", "b"), ask("a", "b", "c")])
    request = rows[1].request.model_copy(update={"continues": continues, "keep": keep})
    rows[1] = rows[1].model_copy(update={"request": request})
    with pytest.raises(StoreError, match="agent#1"):
        message_digests(rows, 1)


def test_what_is_kept_counts_as_played_and_what_is_asked_next_comes_after_it() -> None:
    before = blank()
    answered(before, CHAT[:2], "llm.0")
    answered(before, CHAT[:1])
    tape = blank(recorded=before.lanes, blob=before.recorded_blob)
    assert list(tape.recorded("llm")) == ["llm.0"]
    tape.keep("llm")
    assert tape.lanes == {"llm.0": before.lanes["llm.0"]}
    (added,) = answered(tape, CHAT[2:], "llm.0")
    assert added.path.endswith("llm.0#2")
    assert (added.request.continues, added.request.keep) == (1, 3)
    tape.keep("llm")  # once is enough
    assert len(tape.lanes["llm.0"]) == 3
    with pytest.raises(DivergenceError, match="not played to its end"):
        tape.check_played()


def test_what_is_kept_is_not_journaled_again() -> None:
    class Sink:
        written = b""

        def append(self, payload: bytes) -> None:
            self.written += payload

    before = blank()
    answered(before, CHAT[:2], "llm.0")
    sink = Sink()
    tape = blank(recorded=before.lanes, blob=before.recorded_blob, sink=sink)
    tape.keep("llm")
    assert sink.written == b""
    answered(tape, CHAT[2:], "llm.0")
    assert sink.written.count(b'"type":"blob"') == 2
