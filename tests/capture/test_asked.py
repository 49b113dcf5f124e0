from __future__ import annotations

import base64

import pytest

from replaylab.capture.asked import Asked, Redactors, secrets_of
from replaylab.wire.redact import Redactor

Pairs = list[tuple[bytes, bytes]]


def basic(text: str) -> bytes:
    return b"Basic " + base64.b64encode(text.encode())


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        (b"authorization", b"Bearer abc.def-123", {"abc.def-123"}),
        (b"authorization", b"bare-token-x1", {"bare-token-x1"}),
        (
            b"authorization",
            basic("me:pass:word"),
            {basic("me:pass:word")[6:].decode(), "me:pass:word", "pass:word"},
        ),
        (b"authorization", b"Basic !!!", {"!!!"}),
        (b"api-key", b"k1", {"k1"}),
        (b"x-goog-api-key", b"k2", {"k2"}),
        (b"cookie", b"a=1; sid=abcdef123456", {"abcdef123456"}),
        (
            b"cookie",
            b"__cf_bm=aB3dE5-1754902196-1.0.1.1-x9Y8z7W6v5_U4; theme=dark-mode",
            {"aB3dE5", "x9Y8z7W6v5", "U4"},
        ),
        (b"x-other", b"not a credential", set()),
        (b"x-custom-auth", b"Tq7mZ2pXw9LkR4vB", {"Tq7mZ2pXw9LkR4vB"}),
        (b"x-gateway-token", b"Bearer Tq7mZ2pX", {"Tq7mZ2pX"}),
        (b"my_api_key", b"Tq7mZ2pX", {"Tq7mZ2pX"}),
        (b"x-access-key", b"Tq7mZ2pX", {"Tq7mZ2pX"}),
        (b"x-max-token", b"40961234", set()),
        (b"x-needs-auth", b"true", set()),
        (b"idempotency-key", b"stainless-python-retry-1234abcd", set()),
        (b"x-author", b"someone1", set()),
        (b"authorization", b"Bearer not-needed", set()),
    ],
)
def test_credentials_are_known_by_their_header(name: bytes, value: bytes, found: set[str]) -> None:
    assert secrets_of([(name, value)], "") == found


def test_credentials_of_a_query_are_known_by_their_name() -> None:
    assert secrets_of([], "key=AIza%2Bx&alt=json&Access_Token=t1&q=key") == {"AIza+x", "t1"}


def test_credentials_of_a_form_are_known_by_their_name() -> None:
    """Also the first one, and so they are found in an answer that repeats them."""
    form = [(b"content-type", b"application/x-www-form-urlencoded; charset=utf-8")]
    body = b"client_secret=Tq7mZ2pX%2Bw9&grant_type=x&refresh_token=r1"
    assert secrets_of(form, "", body) == {"Tq7mZ2pX+w9", "r1"}
    assert secrets_of([(b"content-type", b"text/plain")], "", body) == set()


def test_what_is_forwarded_is_what_came_without_what_is_of_one_connection_or_ours() -> None:
    headers: Pairs = [
        (b"host", b"proxy"), (b"connection", b"keep-alive, X-Hop"), (b"x-hop", b"1"), (b"content-length", b"2"),
        (b"accept-encoding", b"gzip"), (b"x-replaylab-lane", b"a"), (b"x-two", b"1"), (b"x-two", b"2"),
        (b"expect", b"100-continue"), (b"content-encoding", b"gzip"),
    ]  # fmt: skip
    kept = Asked("POST", "/v1", headers, b"{}").forwarded()
    assert kept == [
        (b"x-two", b"1"), (b"x-two", b"2"), (b"content-encoding", b"gzip"), (b"accept-encoding", b"identity"),
    ]  # fmt: skip


def test_a_post_without_a_body_says_so() -> None:
    assert (b"content-length", b"0") in Asked("POST", "/", [], b"").forwarded()
    assert (b"content-length", b"0") not in Asked("GET", "/", [], b"").forwarded()


@pytest.mark.parametrize(("said", "retry"), [(b"2", 2), (b"", 0), (b"-1", 0), (b"x", 0), (b"99999999", 0)])
def test_the_retry_count_is_read_from_the_sdks_header(said: bytes, retry: int) -> None:
    asked = Asked("POST", "/v1", [(b"x-stainless-retry-count", said)], b"{}")
    assert asked.exchange("openai", Redactor()).retry == retry


def test_a_body_that_is_not_what_its_encoding_says_is_taken_as_it_is() -> None:
    asked = Asked("POST", "/v1", [(b"content-encoding", b"gzip")], b'{"plain": 1}')
    assert asked.exchange("openai", Redactor()).body == b'{"plain": 1}'


def test_each_set_of_secrets_has_its_redactor() -> None:
    redactors = Redactors(["k9Xq27Lm-Zw84"])
    first = redactors.knowing(frozenset({"Rb61VyHd05Tt"}))
    assert first.text("k9Xq27Lm-Zw84 Rb61VyHd05Tt") == "*REDACTED* *REDACTED*"
    assert redactors.knowing(frozenset({"Rb61VyHd05Tt"})) is first
    assert redactors.knowing(frozenset()).text("Rb61VyHd05Tt") == "Rb61VyHd05Tt"
    for number in range(200):  # a client that has a new key each time fills no memory
        redactors.knowing(frozenset({f"secret-{number:09}"}))
    assert len(redactors._made) <= 64
