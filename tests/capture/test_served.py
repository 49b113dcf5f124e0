"""What is played, and what is said where nothing can be."""

from __future__ import annotations

import json
from pathlib import Path

from replaylab.capture.routes import Upstream
from tests.capture.proxying import CHAT, Call, api, ask, both, echo, proxied, recorded

# ---------------------------------------------------------------------------------------------- misses


def test_a_miss_is_final_and_says_what_comes_nearest(tmp_path: Path) -> None:
    """mitmproxy#2076, inspect_ai#1529: a miss that nobody can understand. multicloudj#547: one that goes live."""
    question = {"model": "m", "messages": [{"role": "user", "content": "today is Monday"}]}
    with api(echo) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            ask(serving.address, CHAT, json.dumps(question).encode())
        asked = len(upstream.got)
        question["messages"] = [{"role": "user", "content": "today is Friday"}]
        with proxied(tmp_path, base, mode="offline") as serving:
            seen = ask(serving.address, CHAT, json.dumps(question).encode())
        assert len(upstream.got) == asked
    error = json.loads(seen.body)["error"]
    assert (seen.status, seen.headers["x-should-retry"]) == (404, "false")
    assert (error["type"], error["code"]) == ("replaylab_miss", "no_such_request")
    assert error["nearest"] == recorded(tmp_path)[0].path
    assert error["pointer"] == "/messages/0/content"
    assert ("Monday" in error["expected"], "Friday" in error["observed"]) == (True, True)
    assert list(serving.unplayed) == [recorded(tmp_path)[0].path]


def test_offline_there_is_nothing_that_could_ask(tmp_path: Path) -> None:
    """kiwicom/pytest-recording#150: a guard that did nothing. Here there is no upstream client at all."""
    with api(echo) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            ask(serving.address, CHAT)
        with proxied(tmp_path, base, mode="offline") as serving:
            assert serving.app.forward is None
            assert all(one.base is None for one in serving.app.routes.upstreams.values())
            ask(serving.address, CHAT, b'{"other": 1}')
    assert len(upstream.got) == 1


def test_nothing_asked_leaves_no_empty_recording(tmp_path: Path) -> None:
    """docker-agent#4250: an empty cassette, which the next replay takes for one."""
    with api(echo) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        pass
    assert serving.run is None
    assert not list(tmp_path.rglob("*.cassette"))


def test_extending_plays_what_is_there_and_asks_for_the_rest(tmp_path: Path) -> None:
    """vcrpy#842, #245: an answer that was recorded in a session is never played to it."""
    count = iter(range(100))
    with api(lambda call: call.reply(b'{"n": %d}' % next(count))) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            assert ask(serving.address, CHAT).body == b'{"n": 0}'
        with proxied(tmp_path, base, mode="extend") as serving:
            bodies = [ask(serving.address, CHAT).body for _ in range(3)]
    assert bodies == [b'{"n": 0}', b'{"n": 1}', b'{"n": 2}']


def test_a_lane_is_exact(tmp_path: Path) -> None:
    count = iter(range(100))

    def use(address: str) -> list[bytes]:
        lanes = ("a", "b", "a", "b")
        return [ask(address, CHAT, x_replaylab_lane=lane).body for lane in lanes]

    live, played, _ = both(tmp_path, lambda call: call.reply(b'{"n": %d}' % next(count)), use)
    assert live == played
    with proxied(tmp_path, Upstream("openai", mount="/v1"), mode="offline") as serving:
        assert ask(serving.address, CHAT, x_replaylab_lane="b").body == live[1]
        wrong = ask(serving.address, CHAT, b'{"other": 1}', x_replaylab_lane="a")
    assert json.loads(wrong.body)["error"]["code"] == "out_of_order"


def test_a_lane_that_is_no_name_is_the_clients_mistake(tmp_path: Path) -> None:
    with api(echo) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        seen = ask(serving.address, CHAT, x_replaylab_lane="x" * 5000)
        assert seen.status in (200, 400)


def test_another_budget_is_another_question(tmp_path: Path) -> None:
    """HKUDS/LightRAG#3446, litellm#894: an answer that was cut by its limit, kept for whoever asks with a higher one."""

    def answer(call: Call) -> None:
        call.reply(b'{"choices": [{"finish_reason": "length"}], "asked": %s}' % call.got.body)

    with api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            live = ask(serving.address, CHAT, b'{"max_tokens": 5, "logit_bias": {"7": 1}}')
    with proxied(tmp_path, base, mode="offline") as serving:
        for other in (
            b'{"max_tokens": 6, "logit_bias": {"7": 1}}',
            b'{"max_tokens": 5}',
            b'{"max_tokens": 5.5}',
        ):
            assert ask(serving.address, CHAT, other).status == 404
        again = ask(
            serving.address, CHAT, b'{"logit_bias":{"7":1},"max_tokens":5}'
        )  # php-vcr#506: order and space
    assert again.body == live.body
