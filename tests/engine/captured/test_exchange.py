"""What takes part in the digest of a captured request and what does not: one case a rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replaylab.cassette.request import BlobPool, digest_request
from replaylab.engine.captured.exchange import BOUNDARY, Exchange, sorted_target
from replaylab.wire.redact import Redactor

KEYS = ("sk-live-3f9Qz81LmPq72Wc0", "sk-live-77aaBBcc88ddEE99ff")
REDACTOR = Redactor(KEYS)
BODY: dict[str, Any] = {
    "model": "m",
    "n": 1,
    "messages": [{"role": "user", "content": "a"}],
    "tools": [{"t": 1}],
}


def exchange(body: Any = None, target: str = "/v1/chat/completions?a=1&b=2", **changed: Any) -> Exchange:
    data = body if isinstance(body, bytes) else json.dumps(BODY if body is None else body).encode()
    given = {"endpoint": "openai", "method": "POST", **changed}
    return Exchange.of(given.pop("endpoint"), given.pop("method"), target, data, REDACTOR, **given)


def name_of(one: Exchange) -> str:
    return digest_request(one.request(), BlobPool()).digest


def multipart(boundary: str, text: str = "hello", name: str = "a.wav") -> Exchange:
    lines = [
        f"--{boundary}",
        f'Content-Disposition: form-data; name="file"; filename="{name}"',
        "",
        text,
        f"--{boundary}--",
        "",
    ]
    kind = f'multipart/form-data; boundary="{boundary}"'
    return exchange("\r\n".join(lines).encode(), content_type=kind)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(exchange(endpoint="anthropic"), id="the endpoint"),
        pytest.param(exchange(method="PUT"), id="the method"),
        pytest.param(exchange(target="/v1/responses?a=1&b=2"), id="the path"),
        pytest.param(exchange(target="/v1/chat/completions?a=1&b=3"), id="a value of the query"),
        pytest.param(exchange(target="/v1/chat/completions?a=1"), id="a name of the query"),
        pytest.param(exchange(target="/v1/chat%2Fcompletions?a=1&b=2"), id="an escaped slash"),
        pytest.param(exchange({**BODY, "model": "m-2"}), id="the model"),
        pytest.param(exchange({**BODY, "n": "1"}), id="a text is no number"),
        pytest.param(exchange({**BODY, "n": True}), id="true is no number"),
        pytest.param(exchange({**BODY, "seed": None}), id="null is not absent"),
        pytest.param(exchange({**BODY, "messages": [*BODY["messages"], *BODY["messages"]]}), id="a message"),
        pytest.param(exchange({**BODY, "tools": [{"t": 2}]}), id="a tool"),
        pytest.param(exchange({key: BODY[key] for key in BODY if key != "tools"}), id="the tool list"),
        pytest.param(exchange(b""), id="an empty body"),
    ],
)
def test_it_takes_part(other: Exchange) -> None:
    assert name_of(other) != name_of(exchange())


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(exchange(dict(reversed(BODY.items()))), id="the order of keys"),
        pytest.param(exchange(json.dumps(BODY, indent=3).encode()), id="white space"),
        pytest.param(exchange({**BODY, "n": 1.0}), id="how a number is written"),
        pytest.param(exchange(target="/v1/chat/completions?b=2&a=1"), id="the order of the query"),
        pytest.param(exchange(target="/v1/chat/completions?a=1&b=2#top"), id="the fragment"),
        pytest.param(exchange(target="https://host.example:8/v1/chat/completions?a=1&b=2"), id="the host"),
        pytest.param(exchange(target="/v1/chat/completions?&a=1&&b=2&"), id="an empty pair of the query"),
        pytest.param(exchange(method="post"), id="how the method is written"),
        pytest.param(exchange(content_type="application/json; charset=utf-8"), id="a header"),
        pytest.param(exchange(lane="x"), id="the lane"),
        pytest.param(exchange(retry=2), id="the attempt"),
    ],
)
def test_it_takes_no_part(other: Exchange) -> None:
    assert name_of(other) == name_of(exchange())


@pytest.mark.parametrize("place", ["query", "body", "text"])
def test_whose_key_it_was_takes_no_part(place: str) -> None:
    def sent(key: str) -> Exchange:
        if place == "query":
            return exchange(target=f"/v1/models?key={key}")
        return exchange({**BODY, "api_key": key} if place == "body" else {**BODY, "x": f"Bearer {key}."})

    one, other = map(sent, KEYS)
    assert one == other
    assert "*REDACTED*" in one.path + one.body.decode()


def test_values_of_one_name_keep_their_order() -> None:
    assert sorted_target("/p?b=2&a=2&a=1") == "/p?a=2&a=1&b=2"
    assert sorted_target("/p?a=1&a=2") != sorted_target("/p?a=2&a=1")


@pytest.mark.parametrize(
    ("target", "path"), [("", "/"), ("?b&a", "/?a&b"), ("v1/x", "/v1/x"), ("/a//b/", "/a//b/")]
)
def test_a_path_begins_with_a_slash_and_is_else_as_it_came(target: str, path: str) -> None:
    assert sorted_target(target) == path


def test_the_boundary_of_a_multipart_body_takes_no_part_and_all_else_in_it_does() -> None:
    one, other = multipart("f00d"), multipart("----WebKitFormBoundaryQ8zL")
    assert one == other
    assert one.body.startswith(b"--" + BOUNDARY + b"\r\n")
    assert one.body.endswith(b"--" + BOUNDARY + b"--\r\n")
    assert len({name_of(multipart("f", *rest)) for rest in ((), ("hi",), ("hello", "b.wav"))}) == 3


def test_a_boundary_that_stands_inside_a_line_stays() -> None:
    said = multipart("f00d", text="it says --f00d here and --f00dx\r\n--f00dy")
    assert b"says --f00d here and --f00dx\r\n--f00dy" in said.body


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    data = bytes(range(256))
    assert exchange(data).body == data
    assert exchange(data, content_type="multipart/form-data").body == data


def test_a_lane_and_a_retry_are_read_as_the_headers_say_them() -> None:
    found = exchange(lane=f" case {KEYS[0]} ", retry=-3)
    assert (found.lane, found.retry) == ("case *REDACTED*", 0)
