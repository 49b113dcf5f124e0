from __future__ import annotations

import base64
import gzip
from typing import Any

import brotli
import pytest

from replaylab.errors import UsageError
from replaylab.interop.vcr.pair import Note
from replaylab.schema.outcome import body_bytes
from replaylab.wire.redact import PLACEHOLDER
from tests.interop.vcr.made import converter, pair

SECRET = "sk-" + "Ab12" * 8
OWN = "4f1e9c7a2b8d6035"  # the shape of no key that anybody knows


def kinds(notes: tuple[Note, ...]) -> list[str]:
    return [note.kind for note in notes if not note.kind.startswith("dropped")]


def test_the_exchange_and_the_attempt() -> None:
    one = converter().convert(pair(uri="https://api.openai.com/v1/x?b=2&a=1#f", status=429), "here")
    assert (one.exchange.endpoint, one.exchange.method, one.exchange.path) == (
        "openai",
        "POST",
        "/v1/x?a=1&b=2",
    )
    assert (one.attempt.status, one.attempt.failure and one.attempt.failure.kind) == (429, "rate_limited")
    assert one.kept["uri"] == "https://api.openai.com/v1/x?b=2&a=1#f"
    assert kinds(one.notes) == []


@pytest.mark.parametrize("place", ["uri", "body", "content", "asked", "headers", "reason"])
def test_a_secret_is_taken_out_wherever_it_stands(place: str) -> None:
    with_secret = {
        "uri": f"https://h.example/{SECRET}?x=1",
        "body": b'{"a":"%b"}' % SECRET.encode(),
        "content": b"data: %b\n\n" % SECRET.encode(),
        "asked": {"accept": [SECRET], "authorization": [f"Bearer {SECRET}"]},
        "headers": {"etag": [SECRET, SECRET], "set-cookie": [SECRET]},
        "reason": f"no {SECRET}",
    }
    one = converter().convert(pair(**{place: with_secret[place]}), "here")
    assert SECRET not in repr(one)
    assert PLACEHOLDER in repr(one)


def test_a_secret_in_a_compressed_body_is_taken_out() -> None:
    content = gzip.compress(b"key: " + SECRET.encode())
    one = converter().convert(pair(content=content, headers={"Content-Encoding": ["gzip"]}), "here")
    assert body_bytes(one.attempt) == b"key: " + PLACEHOLDER.encode()
    assert kinds(one.notes) == ["redacted"]


def test_the_key_that_an_exchange_carries_is_a_secret_in_all_of_it() -> None:
    made = converter()
    told = b'{"error":"wrong key %b"}' % OWN.encode()
    one = made.convert(pair(asked={"x-api-key": [OWN]}, content=told), "here")
    assert OWN not in repr(one)
    other = made.convert(pair(content=told), "there")
    assert OWN in repr(other)  # nobody can know it there


@pytest.mark.parametrize(
    "asked",
    [
        {"uri": f"https://h.example/v1?subscription-key={OWN}"},
        {
            "body": f"client_secret={OWN}&a=1".encode(),
            "asked": {"content-type": ["application/x-www-form-urlencoded"]},
        },
    ],
    ids=["query", "form"],
)
def test_a_key_in_the_query_or_a_form_is_one_too(asked: dict[str, Any]) -> None:
    one = converter().convert(pair(**asked, content=b'{"error":"wrong key %b"}' % OWN.encode()), "here")
    assert OWN not in repr(one)


def test_known_secrets_are_taken_out() -> None:
    one = converter("a phrase that nobody else knows").convert(
        pair(content=b"a phrase that nobody else knows"), "x"
    )
    assert body_bytes(one.attempt) == PLACEHOLDER.encode()


def test_a_body_that_was_decoded_before_it_was_stored_loses_its_coding() -> None:
    one = converter().convert(pair(headers={"Content-Encoding": ["gzip"]}, content=b"plain"), "here")
    assert (body_bytes(one.attempt), one.attempt.complete) == (b"plain", True)
    assert kinds(one.notes) == ["decoded_before"]
    assert "content-encoding" not in one.attempt.headers


@pytest.mark.parametrize(
    ("coding", "content"),
    [
        ("gzip", gzip.compress(SECRET.encode())[:-4]),
        ("rot13", b"anything"),
        ("gzip, rot13", brotli.compress(b"x")),
    ],
    ids=[
        "cut",
        "unknown",
        "unknown on top",
    ],  # gzip holds the time, and each worker collects the tests itself
)
def test_what_nobody_can_look_into_is_not_kept(coding: str, content: bytes) -> None:
    one = converter().convert(pair(headers={"Content-Encoding": [coding]}, content=content), "here")
    assert (body_bytes(one.attempt), one.attempt.complete) == (b"", False)
    assert base64.b64encode(content).decode() not in repr(one)
    assert kinds(one.notes) == ["not_kept"]


@pytest.mark.parametrize(
    ("coding", "content"),
    [([], bytes(2_000)), (["gzip"], gzip.compress(bytes(2_000), mtime=0))],
    ids=["as it is", "a bomb"],
)
def test_what_is_larger_than_a_recording_may_be_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, coding: list[str], content: bytes
) -> None:
    monkeypatch.setattr("replaylab.interop.vcr.convert.MAX_BODY", 1_000)
    one = converter().convert(pair(headers={"Content-Encoding": coding}, content=content), "here")
    assert (body_bytes(one.attempt), one.attempt.complete) == (b"", False)
    assert kinds(one.notes) == ["not_kept"]


@pytest.mark.parametrize(
    "odd",
    [
        {"uri": "https://a.example/\ud800"},
        {"reason": "\ud800"},
        {"headers": {"content-type": ["\ud800"]}},
        {"asked": {"\ud800": ["x"]}},
    ],
    ids=lambda odd: next(iter(odd)),
)
def test_half_of_a_character_is_named_by_its_place(odd: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="lone surrogate") as caught:
        converter().convert(pair(**odd), "a.json, interaction 0")
    assert caught.value.where == "a.json, interaction 0"
    assert converter().convert(pair(content="\ud800".encode("utf-8", "surrogatepass")), "x").attempt.b64


def test_what_is_dropped_is_said_by_name() -> None:
    asked = {"Authorization": ["x"], "content-type": ["a/b"], "Host": ["h"]}
    headers = {"Set-Cookie": ["a"], "X-Odd": ["b"], "Content-Length": ["3"]}
    one = converter().convert(pair(asked=asked, headers=headers), "here")
    assert one.notes == (
        Note("dropped_request_header", "here", "authorization"),
        Note("dropped_header", "here", "set-cookie"),
        Note("dropped_header", "here", "x-odd"),
    )
    kept = converter(keep=("x-odd",)).convert(pair(headers=headers), "here")
    assert kept.attempt.headers == {"x-odd": "b"}


def test_headers_that_came_twice_are_kept_apart() -> None:
    one = converter().convert(pair(headers={"Vary": ["a", "b"], "vary": ["c"], "ETag": ["x"]}), "here")
    assert one.kept["repeated"] == {"vary": ["a", "b", "c"]}
    assert one.attempt.headers == {"etag": "x", "vary": "a, b, c"}


def test_the_retry_count_makes_an_attempt() -> None:
    asked = {"X-Stainless-Retry-Count": ["2"]}
    assert converter().convert(pair(asked=asked), "x").exchange.retry == 2
    assert converter().convert(pair(asked={"x-stainless-retry-count": ["²"]}), "x").exchange.retry == 0


def test_an_address_that_is_none_is_refused_with_its_place() -> None:
    with pytest.raises(UsageError, match="not a web address: 'tool://x'") as error:
        converter().convert(pair(uri="tool://x"), "a.yaml, interaction 3")
    assert error.value.where == "a.yaml, interaction 3"
