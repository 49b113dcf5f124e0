"""The contract of `request/1` and `raw/1`: one test for each thing that takes part, and for each that does not."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import Digest, digest, digest_bytes
from replaylab.cassette import request as module
from replaylab.cassette.request import BlobPool, Request, digest_request, request_digest
from tests.strategies import json_objects

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are careful."},
    {"role": "user", "content": "Order two beds."},
]
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "order", "parameters": {"type": "object"}}}
]
PARAMS: dict[str, Any] = {"model": "m-1", "temperature": 0.8, "seed": 7, "max_tokens": 100, "n": 1}


def name_of(request: Request) -> str:
    return digest_request(request, BlobPool()).digest


def request(**changed: Any) -> Request:
    fields: dict[str, Any] = {"alias": "gpt", "params": PARAMS, "messages": MESSAGES, "tools": TOOLS}
    return Request(**{**fields, **changed})


BASE = name_of(request())


def test_the_digest_is_the_documented_one() -> None:
    body = {**PARAMS, "messages": [digest(one) for one in MESSAGES], "tools": digest(TOOLS)}
    expected = {"v": "request/1", "alias": "gpt", "method": "POST", "path": "/chat/completions", "body": body}
    assert digest(expected) == BASE


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"alias": "gpt-2"}, id="alias"),
        pytest.param({"method": "PUT"}, id="method"),
        pytest.param({"path": "/responses"}, id="path"),
        pytest.param({"params": PARAMS | {"model": "m-2"}}, id="model"),
        pytest.param({"params": PARAMS | {"temperature": 0.7}}, id="temperature"),
        pytest.param({"params": PARAMS | {"seed": 8}}, id="seed"),
        pytest.param({"params": PARAMS | {"n": 3}}, id="n"),
        pytest.param({"params": PARAMS | {"max_tokens": 101}}, id="max_tokens"),
        pytest.param({"params": PARAMS | {"logit_bias": {"1": 2}}}, id="a field nobody thought of"),
        pytest.param({"params": {k: v for k, v in PARAMS.items() if k != "n"}}, id="a field left out"),
        pytest.param({"params": PARAMS | {"n": True}}, id="true is not 1"),
        pytest.param({"params": PARAMS | {"n": "1"}}, id="text is not a number"),
        pytest.param({"params": PARAMS | {"n": None}}, id="null is not absent"),
        pytest.param({"messages": MESSAGES[::-1]}, id="order of messages"),
        pytest.param({"messages": [*MESSAGES, MESSAGES[1]]}, id="a message twice"),
        pytest.param(
            {"messages": [MESSAGES[0], {**MESSAGES[1], "content": "Order two beds. "}]}, id="a space"
        ),
        pytest.param({"messages": [MESSAGES[0], {**MESSAGES[1], "role": "tool"}]}, id="role"),
        pytest.param({"messages": [MESSAGES[0], {**MESSAGES[1], "name": "x"}]}, id="a field of a message"),
        pytest.param({"messages": []}, id="no messages"),
        pytest.param({"tools": ()}, id="no tools"),
        pytest.param({"tools": [*TOOLS, *TOOLS]}, id="a tool more"),
    ],
)
def test_it_takes_part(changed: dict[str, Any]) -> None:
    assert name_of(request(**changed)) != BASE


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"params": dict(reversed(PARAMS.items()))}, id="key order of the body"),
        pytest.param(
            {"messages": [dict(reversed(one.items())) for one in MESSAGES]}, id="key order of a message"
        ),
        pytest.param({"params": PARAMS | {"seed": 7.0}}, id="7.0 is 7 in JSON's number space"),
        pytest.param({"messages": tuple(MESSAGES), "tools": tuple(TOOLS)}, id="list or tuple"),
        pytest.param({"messages": copy.deepcopy(MESSAGES)}, id="equal objects"),
    ],
)
def test_it_takes_no_part(changed: dict[str, Any]) -> None:
    assert name_of(request(**changed)) == BASE


def test_composed_and_decomposed_letters_differ() -> None:
    one, other = ({"role": "user", "content": text} for text in ("\u00e9", "e\u0301"))
    assert name_of(request(messages=[one])) != name_of(request(messages=[other]))


def test_two_names_of_a_message_with_tools_never_collide_with_messages() -> None:
    assert name_of(request(tools=(), params=PARAMS | {"tool": digest(TOOLS)})) != BASE


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b'{"messages": NaN}',
        b'{"messages": [], "n": 18446744073709551616}',
        b'{"messages": [], "messages": []}',
        b'{"messages": [], "t": "\\ud800"}',
        b'{"messages": [], "x": 1e999}',
        b'[{"messages": []}]',
        b'"hello"',
        b'{"messages": [], "tools": "a text"}',
    ],
)
def test_what_is_no_i_json_object_gets_raw_1_over_its_bytes(body: bytes) -> None:
    read = Request.from_bytes("gpt", "/chat/completions", body)
    found = digest_request(read, BlobPool())
    expected = {"v": "raw/1", "alias": "gpt", "method": "POST", "path": "/chat/completions"}
    assert (found.form, found.digest) == ("raw/1", digest({**expected, "body": digest_bytes(body)}))


@pytest.mark.parametrize(
    ("body", "turns", "count"),
    [
        ({"messages": [{"a": 1}], "contents": [{"b": 1}], "input": [{"c": 1}]}, "messages", 1),
        ({"contents": [{"parts": []}, {"parts": [{"text": "a"}]}]}, "contents", 2),
        ({"input": [{"role": "user", "content": "a"}], "tools": [{"type": "web_search"}]}, "input", 1),
        ({"messages": ["a"], "input": [{"c": 1}]}, "input", 1),
        ({"messages": []}, "messages", 0),
        ({"input": "one text"}, "", 0),
        ({"input": ["a", "b"]}, "", 0),
        ({"messages": "a text"}, "", 0),
        ({"tools": [], "n": 1}, "", 0),
        ({"tools": {"a": 1}}, "", 0),
        ({"tools": [1]}, "", 0),
        ({}, "", 0),
    ],
)
def test_the_list_that_grows_goes_by_its_own_name(body: Any, turns: str, count: int) -> None:
    read = Request.from_bytes("a", "/p", json.dumps(body).encode())
    assert (read.turns, len(read.messages), read.raw) == (turns, count, None)
    assert read.body() == body
    found = digest_request(read, BlobPool())
    assert (found.form, len(found.messages)) == ("request/1", count)
    listed = {turns: [digest(one) for one in body[turns]]} if turns else {}
    tools = {"tools": digest(body["tools"])} if read.tools else {}
    named = {} if turns == "messages" else {"turns": turns}
    expected = {
        "v": "request/1",
        "alias": "a",
        "method": "POST",
        "path": "/p",
        "body": {**body, **listed, **tools},
    }
    assert found.digest == digest({**expected, **named})


def test_a_body_that_holds_digests_itself_is_not_the_one_that_they_are_of() -> None:
    for turns in ("messages", "contents", "input"):
        said = [{"role": "user", "content": "a"}]
        bodies = [{turns: said}, {turns: [digest(one) for one in said]}]
        names = {name_of(Request.from_bytes("a", "/p", json.dumps(body).encode())) for body in bodies}
        assert len(names) == 2
    tools = [{"messages": [], "tools": TOOLS}, {"messages": [], "tools": digest(TOOLS)}]
    assert len({name_of(Request.from_bytes("a", "/p", json.dumps(body).encode())) for body in tools}) == 2


def test_two_huge_integers_that_a_double_would_unite_stay_apart() -> None:
    bodies = [b'{"messages": [], "seed": %d}' % (2**64 + n) for n in (0, 1)]
    assert len({name_of(Request.from_bytes("a", "/p", body)) for body in bodies}) == 2


@given(json_objects, st.lists(json_objects, max_size=3))
def test_a_request_from_bytes_has_the_digest_of_the_request_it_was(params: Any, messages: Any) -> None:
    params = {key: value for key, value in params.items() if key not in ("messages", "tools")}
    data = json.dumps({**params, "messages": messages}, ensure_ascii=False).encode()
    built = Request("a", params, messages)
    assert name_of(Request.from_bytes("a", "/chat/completions", data)) == name_of(built)


def test_the_digest_costs_what_a_step_adds() -> None:
    pool = BlobPool()
    digest_request(request(), pool)
    before = len(pool.blobs)
    digest_request(request(messages=[*MESSAGES, {"role": "user", "content": "more"}]), pool)
    assert len(pool.blobs) == before + 1


def test_digests_alone_give_the_request_digest() -> None:
    names = [digest(one) for one in MESSAGES]
    assert request_digest("gpt", "POST", "/chat/completions", PARAMS, names, digest(TOOLS)) == BASE


def test_what_was_seen_before_is_not_digested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    digested: list[object] = []

    def noted(value: Any) -> str:
        digested.append(value)
        return digest(value)

    monkeypatch.setattr(module, "digest", noted)
    pool, messages = BlobPool(), [{"role": "user", "content": str(number)} for number in range(3)]
    first = pool.add_all(messages)
    again = pool.add_all([*messages, messages[0]])
    assert again == (*first, first[0]) == tuple(map(digest, [*messages, messages[0]]))
    assert digested == messages


def test_what_a_conversation_goes_on_from_is_not_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []

    class Noting(BlobPool):
        def add(self, value: Any) -> Digest:
            looked.append(value)
            return super().add(value)

    pool, messages = Noting(), [{"role": "user", "content": str(number)} for number in range(100)]
    for length in range(101):
        assert pool.add_all(messages[:length]) == tuple(map(digest, messages[:length]))
    assert looked == messages


def test_a_conversation_that_goes_on_otherwise_has_its_own_digests() -> None:
    pool, first, last = BlobPool(), {"role": "system", "content": "x"}, {"role": "user", "content": "y"}
    yes, one = {"content": True}, {"content": 1}  # equal to Python, and not to a reader
    for values in ([first, yes, last], [first, one, last], [first, one], [first], [first, yes, last, one]):
        assert pool.add_all(values) == tuple(map(digest, values))
