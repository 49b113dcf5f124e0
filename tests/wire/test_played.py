from __future__ import annotations

import socket
from typing import Any

import pytest

from replaylab.errors import CallFailed, OfflineError
from replaylab.schema.interaction import Interaction
from replaylab.wire.played import PlayedChat
from tests.wire.misbehaving import BAD, STREAMED
from tests.wire.server import (
    Bench,
    reply,
    serving,
    silent,
    stream,
)

MESSAGES = [{"role": "user", "content": "hi"}]


def fails(bench: Bench) -> CallFailed:
    with bench as chat, pytest.raises(CallFailed) as caught:
        chat.ask(MESSAGES)
    return caught.value


def replayed(recorded: list[Interaction], **options: Any) -> tuple[object, object, list[Bench]]:
    """The same question over the SDK without an inner transport, and without SDK."""
    ends: list[object] = []
    benches = [Bench(offline=True, recorded=recorded, key="", **options) for _ in range(2)]
    for bench, played in zip(benches, (False, True), strict=True):
        with bench as live:
            chat = PlayedChat(bench.lane, bench.settings) if played else live
            try:
                ends.append(chat.ask(MESSAGES))
            except CallFailed as error:
                ends.append((error.kind, str(error)))
    return ends[0], ends[1], benches


@pytest.mark.parametrize("name", BAD)
def test_a_failure_plays_the_same_with_and_without_the_sdk(name: str) -> None:
    step, kind, _ = BAD[name]
    with serving(step) as server:
        bench = Bench(server.url, attempts=1, timeout_s=0.2 if step is silent else 5)
        error = fails(bench)
    over_sdk, played, benches = replayed(bench.interactions)
    assert over_sdk == played == (kind, str(error))
    assert all(one.interactions == bench.interactions for one in benches)


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_plays_the_same_with_and_without_the_sdk(streamed: bool) -> None:
    with serving(stream(*STREAMED) if streamed else reply()) as server:
        bench = Bench(server.url, stream=streamed)
        with bench as chat:
            live = chat.ask(MESSAGES)
    assert live.text == "hello"
    assert live.usage is not None
    assert (live.usage.prompt_tokens, live.usage.completion_tokens) == (11, 2)
    over_sdk, played, benches = replayed(bench.interactions, stream=streamed)
    assert over_sdk == played == live
    assert all(one.interactions == bench.interactions for one in benches)


def test_a_refused_connection_plays_the_same_and_every_attempt_is_kept() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        bench = Bench(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", attempts=3)
        assert fails(bench).kind == "refused"
    (interaction,) = bench.interactions
    assert [attempt.status for attempt in interaction.attempts] == [None] * 3
    over_sdk, played, _ = replayed(bench.interactions)
    assert over_sdk == played


def test_a_replay_never_waits() -> None:
    with serving(reply(b"", 429, Retry_After="7"), reply()) as server:
        bench = Bench(server.url)
        with bench as chat:
            chat.ask(MESSAGES)
    _, _, benches = replayed(bench.interactions)
    assert [one.clock.slept for one in benches] == [[], []]


def test_a_lane_that_is_open_and_has_nothing_recorded_cannot_go_on() -> None:
    bench = Bench(network=False)
    with pytest.raises(OfflineError, match="agent#0"):
        PlayedChat(bench.lane, bench.settings).ask(MESSAGES)
