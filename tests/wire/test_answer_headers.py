from __future__ import annotations

import pytest

from replaylab.errors import UsageError
from replaylab.wire.answer_headers import KeptHeaders, credentials
from replaylab.wire.redact import PLACEHOLDER, Redactor


def test_only_what_is_on_the_list_is_kept() -> None:
    headers = [
        ("Content-Type", "text/plain"),
        ("Set-Cookie", "a=b"),
        ("X-Odd", "1"),
        ("X-RateLimit-Left", "2"),
    ]
    kept = KeptHeaders().answer(Redactor(), headers)
    assert kept == {"content-type": "text/plain", "x-ratelimit-left": "2"}


def test_a_user_may_add_a_header() -> None:
    assert KeptHeaders(["X-Odd"]).answer(Redactor(), [("x-odd", "1")]) == {"x-odd": "1"}


@pytest.mark.parametrize(
    "name",
    ["Set-Cookie", "Authorization", "x-api-key", "X-Auth-Token", "apikey", "X-Amz-Security-Token", "key"],
)
def test_nobody_may_add_one_that_holds_credentials(name: str) -> None:
    with pytest.raises(UsageError, match="holds a credential"):
        KeptHeaders([name])


def test_a_name_that_only_looks_like_one_may_be_added() -> None:
    assert KeptHeaders(["x-monkey-business"]).of_answer("X-Monkey-Business")


def test_twins_are_joined_and_values_are_redacted() -> None:
    secret = "sk-" + "a1B2" * 8
    headers = [("Vary", "a"), ("vary", "b"), ("Location", "https://h/?key=short&x=1"), ("ETag", secret)]
    assert KeptHeaders().answer(Redactor(), headers) == {
        "etag": PLACEHOLDER,
        "location": f"https://h/?key={PLACEHOLDER}&x=1",
        "vary": "a, b",
    }


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("Authorization", "Bearer abcdef123456", "abcdef123456"),
        ("api-key", "abcdef123456", "abcdef123456"),
        ("X-Auth-Token", "abcdef123456", "abcdef123456"),
        ("Authorization", "Bearer DUMMY_API_KEY", ""),
        ("x-api-key", "**********", ""),
        ("x-api-key", "short1", ""),
        ("cookie", "__cf_bm=abc-1754902196-1.0.1.1", ""),
        ("x-request-id", "abcdef123456", ""),
    ],
)
def test_the_credentials_that_an_exchange_carries(name: str, value: str, found: str) -> None:
    assert credentials([(name, value)]) == ({found} if found else set())


def test_the_credentials_of_a_query_and_of_a_form() -> None:
    key, form = "abcdef123456", [("content-type", "application/x-www-form-urlencoded; charset=utf-8")]
    assert credentials([], f"/v1/x?subscription-key={key}&q=abcdef123457#f") == {key}
    assert credentials([], "/v1/x?key=DUMMY_API_KEY") == set()
    assert credentials(form, "/token", f"a=1&client_secret={key}".encode()) == {key}
    assert credentials([], "/token", f"a=1&client_secret={key}".encode()) == set()
