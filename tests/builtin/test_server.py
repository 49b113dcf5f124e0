from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from replaylab.builtin.responder import Responder
from replaylab.builtin.server import MAX_BODY, ModelServer, serve
from replaylab.errors import UsageError
from replaylab.roles.agent import function_tools

QUESTION: Any = [{"role": "user", "content": "Which side is up?"}]


@pytest.fixture
def server(models: Responder) -> Iterator[ModelServer]:
    with serve(models) as running:
        yield running


@pytest.fixture
def client(server: ModelServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as one:
        yield one


def raw(server: ModelServer, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(*server.server_address[:2])  # type: ignore[arg-type]
    try:
        connection.putrequest(method, path)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders(body)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_the_openai_client_gets_an_answer(client: openai.OpenAI, server: ModelServer) -> None:
    answer = client.chat.completions.create(model="coin", messages=QUESTION)
    assert json.loads(answer.choices[0].message.content or "")["is_correct"] in (True, False)
    assert answer.usage is not None
    assert server.answered == 1


def test_the_openai_client_lists_the_models(client: openai.OpenAI) -> None:
    assert "twin" in [model.id for model in client.models.list()]


def test_the_openai_client_gets_tool_calls_streamed_and_not(client: openai.OpenAI, models: Responder) -> None:
    _, environment, task = models.models.index.catalogue.task("oncall-database-handover")
    request: Any = {
        "model": "scripted:careful",
        "messages": [{"role": "user", "content": task.instruction}],
        "tools": list(function_tools(environment)),
    }
    message = client.chat.completions.create(**request).choices[0].message
    assert message.tool_calls
    call: Any = message.tool_calls[0]
    assert (call.function.name, json.loads(call.function.arguments)) == (
        "get_incident",
        {"incident": "INC-7302"},
    )

    name, arguments, usage, finish = "", "", None, None
    chunks: Any = client.chat.completions.create(
        **request, stream=True, stream_options={"include_usage": True}
    )
    for chunk in chunks:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            finish = choice.finish_reason or finish
            for part in choice.delta.tool_calls or ():
                name += part.function.name or ""
                arguments += part.function.arguments or ""
    assert (name, arguments, finish) == ("get_incident", call.function.arguments, "tool_calls")
    assert usage is not None
    assert usage.completion_tokens > 0


def test_an_unknown_model_is_the_clients_not_found(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="no built-in model"):
        client.chat.completions.create(model="gpt-none", messages=QUESTION)


def test_a_connection_answers_many_requests_with_the_bytes_of_the_responder(
    client: openai.OpenAI, models: Responder
) -> None:
    body = {"model": "coin", "messages": QUESTION}
    expected = b"".join(models.respond("/chat/completions", json.dumps(body).encode())[2])
    for _ in range(3):
        assert client.chat.completions.with_raw_response.create(**body).content == expected


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 411),
        ({"content_length": "many"}, 411),
        ({"transfer_encoding": "chunked"}, 411),
        ({"content_length": str(MAX_BODY + 1)}, 413),
        ({"content_length": "9" * 5000}, 413),
        ({"content_length": "1"}, 400),
    ],
)
def test_bodies_that_are_not_taken(server: ModelServer, headers: dict[str, str], status: int) -> None:
    found, body = raw(server, "POST", "/v1/chat/completions", b"{", **headers)
    assert found == status
    assert json.loads(body)["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("given", "status"),
    [("", 401), ("Bearer ", 401), ("Bearer wrong", 401), ("Bearer é", 401), ("Bearer right", 200)],
)
def test_with_a_key_set_every_request_has_to_carry_it(models: Responder, given: str, status: int) -> None:
    with serve(models, api_key="right") as server:
        assert raw(server, "GET", "/v1/models", authorization=given)[0] == status


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])
def test_an_address_that_others_reach_is_refused(models: Responder, host: str) -> None:
    with pytest.raises(UsageError, match="other machines"):
        serve(models, host)


def test_a_port_in_use_is_an_error_that_names_it(models: Responder, server: ModelServer) -> None:
    with pytest.raises(UsageError, match=f"port {server.server_port}"):
        serve(models, port=server.server_port)


def test_requests_wait_side_by_side_and_are_counted(models: Responder) -> None:
    with serve(models, delay_ms=200) as server:
        started = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: _flip(server), range(8)))
        took = time.monotonic() - started
    assert found == [200] * 8
    assert server.answered == 8
    assert 0.2 <= took < 1.2


def _flip(server: ModelServer) -> int:
    """One request to the coin; the status."""
    body = json.dumps({"model": "coin", "messages": QUESTION}).encode()
    return raw(server, "POST", "/v1/chat/completions", body, content_length=str(len(body)))[0]


def test_stopping_does_not_wait_for_the_delay(models: Responder) -> None:
    server = serve(models, delay_ms=60_000)
    started = time.monotonic()
    with server:
        asking = threading.Thread(target=_flip, args=(server,))
        asking.start()
        time.sleep(0.1)
    asking.join(10)
    assert time.monotonic() - started < 10
    assert not asking.is_alive()


def test_a_stopped_server_takes_no_connection(models: Responder) -> None:
    with serve(models) as server:
        pass
    with pytest.raises(ConnectionRefusedError):
        raw(server, "GET", "/v1/models")
