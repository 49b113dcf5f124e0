from __future__ import annotations

import json
from typing import Any

import pytest

from replaylab.builtin.asked import Asked, read_asked, text_of
from replaylab.builtin.responder import Responder


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"messages": [{"role": "user", "content": "x"}]}',
        b'{"model": 1, "messages": [{"role": "user", "content": "x"}]}',
        b'{"model": "coin"}',
        b'{"model": "coin", "messages": []}',
        b'{"model": "coin", "messages": "x"}',
        b'{"model": "coin", "messages": ["x"]}',
        b'{"model": "coin", "messages": [{"role": "nobody", "content": "x"}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": 1}]}',
        b'{"model": "coin", "messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": "x"}], "tools": [{}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": "x"}], "n": 2}',
        b'{"model": "coin", "model": "coin", "messages": [{"role": "user", "content": "x"}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": NaN}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": "\xff"}]}',
    ],
)
def test_a_bad_body_is_a_400_in_the_error_shape(models: Responder, body: bytes) -> None:
    status, headers, pieces = models.respond("/chat/completions", body)
    error = json.loads(b"".join(pieces))["error"]
    assert (status, headers["content-type"]) == (400, "application/json")
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert error["message"]


def request(**more: Any) -> Asked:
    return read_asked({"model": "coin", "messages": [{"role": "user", "content": "x"}], **more})


def test_text_parts_are_read_as_one_text() -> None:
    parts = [{"type": "text", "text": "one "}, {"type": "image_url"}, {"type": "text", "text": "two"}]
    assert text_of({"role": "user", "content": parts}) == "one two"
    assert text_of({"role": "assistant", "content": None}) == ""


def test_the_system_text_is_the_first_of_system_or_developer() -> None:
    messages = [{"role": role, "content": role} for role in ("user", "developer", "system")]
    assert request(messages=messages).system == "developer"
    assert request().system == ""


def test_the_schema_that_binds_an_answer_is_found_or_none() -> None:
    schema = {"type": "object"}
    bound = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    assert request(response_format=bound).bound == schema
    assert request(response_format={"type": "json_object"}).bound is None
    assert request().bound is None


def test_the_digest_is_of_the_canonical_body() -> None:
    assert request(a=1, b=2.0).digest == request(b=2, a=1).digest
    assert request(a=1).digest != request(a=2).digest
