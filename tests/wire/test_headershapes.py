"""Credentials in headers that stand in a body go; what only sounds like them stays."""

from __future__ import annotations

import json
import time

import pytest

from replaylab.wire.redact import PLACEHOLDER, Redactor

SECRET = "Zq8vLr3mXw7pTn1kYb5d"
HAR = {"name": "Cookie", "value": f"sid={SECRET}; theme=dark"}

HOLDS = [
    f"x-api-key: {SECRET}",
    f"X-API-Key={SECRET}",
    json.dumps({"headers": {"x-goog-api-key": SECRET}}),
    json.dumps({"headers": {"Api-Key": [SECRET]}}),
    json.dumps({"X-Amz-Security-Token": SECRET}),
    json.dumps({"proxy-authorization": SECRET}),
    f"Cookie: sid={SECRET}; theme=dark\r\nHost: x",
    f"curl -H 'cookie: a=1; sid={SECRET}'",
    json.dumps({"cookie": f"a=1; sid={SECRET}"}),
    f"Set-Cookie: __cf_bm={SECRET}; path=/; HttpOnly",
    json.dumps({"set-cookie": ["a=1; Path=/", f"b={SECRET}; Max-Age=5", f"c={SECRET}; Secure; HttpOnly"]}),
    json.dumps([HAR]),
    json.dumps([HAR], indent=8),
    json.dumps([{"value": f"sid={SECRET}", "name": "set-cookie"}]),
    json.dumps([{"name": "Authorization", "value": f"Basic {SECRET}"}]),
    json.dumps([{"name": "x-api-key", "value": SECRET, "comment": ""}]),
    json.dumps({"log": json.dumps([HAR])}),
]


@pytest.mark.parametrize("text", HOLDS)
def test_credentials_in_headers_go(text: str) -> None:
    redactor = Redactor()
    clean = redactor.text(text)
    assert SECRET not in clean
    assert PLACEHOLDER in clean
    assert redactor.text(clean) == clean


@pytest.mark.parametrize("text", [text for text in HOLDS if text[0] in "{["])
def test_json_stays_json(text: str) -> None:
    clean = json.loads(Redactor().text(text))
    assert clean != json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "The cookie: it was sweet.",
        "Ask for a cookie = a biscuit.",
        '{"name": "cookie", "price": 3}',
        '{"name": "Authorization", "description": "who may open the gate"}',
        '{"api-key": null, "max_tokens": 12}',
        "Send the x-api-key header with your key.",
        "text/html; charset=utf-8; secure",
        "path=/; domain=example.com; secure",
        "timeout=30; path=/x",
        "expires=Wednesday; secure",
    ],
)
def test_words_and_attributes_stay(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "cookie: ",
        "cookie: a=",
        '"name": "cookie", "value": "',
        '"value": "x',
        "a=b;",
        "a=bbbbbbbbbbbbb;path=/",
        "x-api-key:" + " " * 4,
        '"name"' + " " * 80,
        "set-cookie: [",
        "; path=/ api-key",
    ],
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    """Twice the text takes about twice the time, and not four times."""

    def took(size: int) -> float:
        data = (piece * (size // len(piece) + 1)).encode()[:size]
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            Redactor().body(data)
            best = min(best, time.process_time() - start)
        return best

    small, large = took(50_000), took(200_000)
    assert large < 10 * max(small, 0.005)
