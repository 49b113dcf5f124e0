"""What an agent asks LLMs: lanes by stream, given back in order or by content."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.tape import Tape
from replaylab.engine.gate import Gate, Stopped
from replaylab.engine.replay import replay_cassette
from replaylab.engine.trial import run_trial
from replaylab.engine.verify import deep_check
from replaylab.errors import LimitReached
from replaylab.schema.cassette import key_of
from tests.foreign.playing import Stage, header, play, sealed
from tests.playground import reply


def question(client: Any, text: str) -> str:
    said = client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    return str(said.choices[0].message.content)


def echo(path: str, body: bytes) -> Any:
    return reply("re: " + json.loads(body)["messages"][-1]["content"])


def lanes(cassette: Cassette) -> dict[str, list[str]]:
    return {
        name: [json.loads(row.final.text or "")["choices"][0]["message"]["content"] for row in rows]
        for name, rows in cassette.lanes.items()
        if name.startswith("llm")
    }


def one_after_the_other(task: Any, tools: Any, call: Any) -> str:
    client = task.client()
    return " ".join(question(client, text) for text in ("a", "b", "a"))


class AtOnce:
    """Asks three things at the same time, in this order; the answers wait for each other when they are asked live."""

    def __init__(self, order: str = "abc") -> None:
        self.order = order
        self.all_asked = threading.Barrier(3, timeout=60)

    def respond(self, path: str, body: bytes) -> Any:
        self.all_asked.wait()
        return echo(path, body)

    def __call__(self, task: Any, tools: Any, call: Any) -> str:
        client = task.client()
        with ThreadPoolExecutor(3) as threads:
            return " ".join(sorted(threads.map(lambda text: question(client, text), self.order)))


def kinds(cassette: Cassette, agent: Any) -> list[str]:
    def nobody(path: str, body: bytes) -> Any:
        raise AssertionError("asked live")

    return [one.kind for one in replay_cassette(cassette, Stage(agent, respond=nobody).open_chat()).findings]


def test_an_agent_that_asks_one_thing_after_the_other_has_one_lane() -> None:
    cassette = sealed(Stage(one_after_the_other, respond=echo))
    assert lanes(cassette) == {"llm.0": ["re: a", "re: b", "re: a"]}
    assert kinds(cassette, one_after_the_other) == []


def test_its_order_counts() -> None:
    cassette = sealed(Stage(one_after_the_other, respond=echo))

    def swapped(task: Any, tools: Any, call: Any) -> str:
        client = task.client()
        return " ".join(sorted((question(client, text) for text in ("b", "a", "a")), reverse=True))

    assert kinds(cassette, swapped) == ["request"]


def test_what_is_asked_at_the_same_time_has_lanes_of_its_own() -> None:
    agent = AtOnce()
    cassette = sealed(Stage(agent, respond=agent.respond))
    assert sorted(lanes(cassette)) == ["llm.0", "llm.1", "llm.2"]
    assert sorted(text for lane in lanes(cassette).values() for text in lane) == ["re: a", "re: b", "re: c"]
    assert list(deep_check(cassette)) == []


def test_what_was_asked_at_the_same_time_is_given_back_in_any_order() -> None:
    agent = AtOnce()
    cassette = sealed(Stage(agent, respond=agent.respond))
    assert kinds(cassette, AtOnce("cab")) == []
    assert kinds(cassette, AtOnce("bbc")) == ["request"]


def test_a_lane_is_used_again_once_it_is_free() -> None:
    agent = AtOnce()

    def then(task: Any, tools: Any, call: Any) -> str:
        return agent(task, tools, call) + question(task.client(), "d")

    def respond(path: str, body: bytes) -> Any:
        return (echo if b'"d"' in body else agent.respond)(path, body)

    cassette = sealed(Stage(then, respond=respond))
    assert sorted(lanes(cassette)) == ["llm.0", "llm.1", "llm.2"]
    assert lanes(cassette)["llm.0"][1] == "re: d"
    assert [row.path.rpartition("/")[2] for row in cassette.lanes["llm.0"]] == ["llm.0#0", "llm.0#1"]


def test_the_kth_time_that_the_same_is_asked_gets_the_kth_answer() -> None:
    count = [0]
    both = threading.Barrier(2, timeout=60)

    def respond(path: str, body: bytes) -> Any:
        if b'"x"' in body and count[0] < 2:
            count[0] += 1
            both.wait()
            return reply("parallel")
        count[0] += 1
        return reply(f"answer {count[0]}")

    def agent(task: Any, tools: Any, call: Any) -> str:
        client = task.client()
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda text: question(client, text), "xx"))
        return " ".join(question(client, "y") for _ in range(3))

    cassette = sealed(Stage(agent, respond=respond))
    assert len(lanes(cassette)) == 2
    replayed = replay_cassette(cassette, Stage(agent).open_chat())
    assert replayed.findings == ()


def test_a_recording_that_ends_while_an_answer_is_under_way_waits_for_it() -> None:
    asked, go_on = threading.Event(), threading.Event()

    def respond(path: str, body: bytes) -> Any:
        asked.set()
        go_on.wait(10)
        return reply("late")

    def agent(task: Any, tools: Any, call: Any) -> str:
        threading.Thread(target=question, args=(task.client(), "z"), daemon=True).start()
        asked.wait(10)
        threading.Timer(0.3, go_on.set).start()
        return "done"

    assert lanes(sealed(Stage(agent, respond=respond))) == {"llm.0": ["late"]}


def test_what_is_asked_after_the_end_is_neither_asked_nor_recorded() -> None:
    client: list[Any] = []
    live: list[bytes] = []

    def respond(path: str, body: bytes) -> Any:
        live.append(body)
        return reply("x")

    def agent(task: Any, tools: Any, call: Any) -> str:
        client.append(task.client())
        return "done"

    tape = play(Stage(agent, respond=respond), header())
    with pytest.raises(BaseException, match="has ended"):
        question(client[0], "late")
    assert live == []
    assert "llm.0" not in tape.lanes


def test_a_limit_that_is_hit_in_the_agents_thread_stops_the_recording() -> None:
    def respond(path: str, body: bytes) -> Any:
        raise LimitReached("enough")

    with pytest.raises(LimitReached, match="enough"):
        play(Stage(one_after_the_other, respond=respond))


def test_an_answer_that_was_never_recorded_leaves_no_gap() -> None:
    first = [True]

    def respond(path: str, body: bytes) -> Any:
        if first.pop() if first else False:
            raise RuntimeError("the call was lost")
        return echo(path, body)

    def agent(task: Any, tools: Any, call: Any) -> str:
        client = task.client()
        with pytest.raises(RuntimeError):
            question(client, "a")
        return question(client, "b")

    cassette = sealed(Stage(agent, respond=respond))
    assert lanes(cassette) == {"llm.1": ["re: b"]}
    assert list(deep_check(cassette)) == []


def test_a_run_that_is_stopped_keeps_the_answer_that_is_under_way() -> None:
    gate = Gate(1)
    asked = threading.Event()

    def respond(path: str, body: bytes) -> Any:
        gate.stop()
        asked.set()
        time.sleep(0.5)
        return reply("in time")

    head = header()
    tape = Tape(key_of(head), elapsed_ms=lambda: 0.0)
    with pytest.raises(Stopped):
        run_trial(head, tape, Stage(one_after_the_other, respond=respond, check=gate.check).open_chat())
    assert asked.is_set()
    assert [row.final.status for row in tape.lanes["llm.0"]] == [200]
