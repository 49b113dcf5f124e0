"""Clients that are handed to agents: what goes out, what is recorded, what comes back."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import openai
import pytest

from replaylab.errors import UsageError
from replaylab.wire.handed import Upstream, Way
from replaylab.wire.redact import Redactor
from tests.foreign.playing import Stage, sealed, way
from tests.foreign.test_own import question
from tests.playground import reply, responder

JSON = {"content-type": "application/json"}


class Asked(httpx2.BaseTransport):
    """Keeps what would go out."""

    def __init__(self, *answers: tuple[int, dict[str, str], bytes]) -> None:
        self.answers, self.requests = list(answers), list[httpx2.Request]()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        self.requests.append(request)
        status, headers, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return httpx2.Response(status, headers=headers, content=body)


GOOD = (200, JSON, reply("yes")[2][0])


def recorded(
    asks: Any, *answers: tuple[int, dict[str, str], bytes], monkeypatch: pytest.MonkeyPatch, **upstream: Any
) -> tuple[Asked, list[Any], list[Any]]:
    """What went out, what the agent got of it, and the recorded interactions; a rerun must give the agent the same."""
    out, got = Asked(*(answers or (GOOD,))), list[Any]()

    def agent(task: Any, tools: Any, call: Any) -> str:
        try:
            got.append(asks(task.client()))
        except openai.APIError as error:
            got.append(type(error).__name__)
        return "done"

    def handed(respond: Any = None, gate: Any = None) -> Way:
        plain = way()
        made = Upstream(out, "https://host.example/v9/", **upstream)
        return Way(
            lambda model: made,
            Redactor(["sk-upstream-key"]),
            plain.gate,
            plain.clock_ms,
            plain.now_s,
            plain.sleep,
        )

    monkeypatch.setattr("tests.foreign.playing.way", handed)
    cassette = sealed(agent)
    from replaylab.engine.replay import replay_cassette

    live = len(out.requests)
    assert replay_cassette(cassette, Stage(agent).open_chat()).findings == ()
    assert len(out.requests) == live
    assert got[0] == got[1]
    return out, got, cassette.lanes.get("llm.0", [])


def test_a_request_goes_to_the_upstream_with_its_key_and_model(monkeypatch: pytest.MonkeyPatch) -> None:
    out, got, rows = recorded(
        lambda client: question(client, "a"), monkeypatch=monkeypatch, api_key="sk-upstream-key", model="real"
    )
    (request,) = out.requests
    assert str(request.url) == "https://host.example/v9/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-upstream-key"
    assert request.headers["host"] == "host.example"
    assert json.loads(request.content)["model"] == "real"
    assert got[0] == "yes"
    assert rows[0].request.alias == "openai"


def test_without_another_name_the_body_goes_out_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _, _ = recorded(lambda client: question(client, "a"), monkeypatch=monkeypatch)
    assert json.loads(out.requests[0].content)["model"] == "m"
    assert "authorization" not in out.requests[0].headers


def test_failures_that_may_pass_are_attempts_of_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = (429, JSON, b'{"error": {"message": "busy"}}')
    out, got, rows = recorded(
        lambda client: question(client, "a"), busy, busy, GOOD, monkeypatch=monkeypatch, max_attempts=3
    )
    assert len(out.requests) == 3
    assert [attempt.status for attempt in rows[0].attempts] == [429, 429, 200]
    assert got[0] == "yes"


def test_a_failure_that_stays_reaches_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = (400, JSON, b'{"error": {"message": "no such model"}}')
    _, got, rows = recorded(lambda client: question(client, "a"), bad, monkeypatch=monkeypatch)
    assert got[0] == "BadRequestError"
    assert rows[0].final.failure is not None


def test_streams_are_handed_on_in_their_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    def asks(client: openai.OpenAI) -> Any:
        said = client.chat.completions.create(
            model="coin", messages=[{"role": "user", "content": "a"}], stream=True
        )
        return [one.choices[0].delta.content for one in said]

    _, _, pieces = responder().respond(
        "/v1/chat/completions",
        b'{"model":"coin","stream":true,"messages":[{"role":"user","content":"a"}]}',
    )
    events = (200, {"content-type": "text/event-stream"}, b"".join(pieces))
    _, got, rows = recorded(asks, events, monkeypatch=monkeypatch)
    assert len(got[0]) > 2
    assert rows[0].final.chunks


def test_other_paths_are_recorded_and_are_no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    vector = {
        "object": "list",
        "model": "m",
        "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}],
    }
    answer = (200, JSON, json.dumps(vector).encode())

    def asks(client: openai.OpenAI) -> Any:
        made = client.embeddings.create(model="m", input="a", encoding_format="float")
        return made.data[0].embedding

    out, got, rows = recorded(asks, answer, monkeypatch=monkeypatch)
    assert got[0] == [0.5]
    assert out.requests[0].url.path == "/v9/embeddings"
    assert rows[0].request.path == "/embeddings"
    assert rows[0].final.failure is None


def test_a_request_without_a_body_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    listing = (
        200,
        JSON,
        b'{"object": "list", "data": [{"id": "m", "object": "model", "created": 0, "owned_by": "x"}]}',
    )
    out, got, rows = recorded(
        lambda client: [one.id for one in client.models.list()], listing, monkeypatch=monkeypatch
    )
    assert got[0] == ["m"]
    assert (out.requests[0].method, rows[0].request.method) == ("GET", "GET")


def test_secrets_in_answers_are_taken_out_before_the_agent_sees_them(monkeypatch: pytest.MonkeyPatch) -> None:
    leaking = (200, JSON, reply("the key is sk-upstream-key")[2][0])
    _, got, rows = recorded(lambda client: question(client, "a"), leaking, monkeypatch=monkeypatch)
    assert "sk-upstream-key" not in got[0]
    assert "sk-upstream-key" not in json.dumps(rows[0].to_json())


def test_a_model_that_is_nowhere_stops_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    def handed(respond: Any = None, gate: Any = None) -> Way:
        def nowhere(model: str) -> Upstream:
            raise UsageError(f"no {model}")

        plain = way()
        return Way(nowhere, Redactor(), plain.gate, plain.clock_ms, plain.now_s, plain.sleep)

    monkeypatch.setattr("tests.foreign.playing.way", handed)
    with pytest.raises(UsageError, match="no m"):
        sealed(lambda task, tools, call: question(task.client(), "a"))
