from __future__ import annotations

import pytest

from replaylab.capture.routes import Upstream
from replaylab.capture.variables import VENDORS
from replaylab.errors import UsageError
from replaylab.wire.origins import address_of


@pytest.mark.parametrize(
    ("uri", "alias", "origin", "target"),
    [
        ("https://api.openai.com/v1/x?a=1#f", "openai", "https://api.openai.com", "/v1/x?a=1"),
        ("https://API.OpenAI.com:443", "openai", "https://api.openai.com", "/"),
        ("http://api.openai.com/", "http-api-openai-com", "http://api.openai.com", "/"),
        ("https://api.example.ai/v1", "api-example-ai", "https://api.example.ai", "/v1"),
        ("https://openrouter.ai/api/v1/x", "openrouter", "https://openrouter.ai/api", "/v1/x"),
        ("http://localhost:11434/v1", "http-localhost-11434", "http://localhost:11434", "/v1"),
        ("https://me:secret@h.example/p", "h-example", "https://h.example", "/p"),
        ("http://[::1]:80/", "http-1", "http://[::1]", "/"),
    ],
)
def test_an_address_has_an_alias_an_origin_and_a_target(
    uri: str, alias: str, origin: str, target: str
) -> None:
    assert address_of(uri) == (alias, origin, target)


@pytest.mark.parametrize("uri", ["", "tool://x/y", "https://", "/v1", "https://h:99999/", "https://[::1/"])
def test_what_is_no_web_address_is_refused(uri: str) -> None:
    with pytest.raises(UsageError, match="not a web address"):
        address_of(uri)


def test_an_alias_can_be_the_name_of_an_upstream() -> None:
    long = "https://" + "a" * 60 + ".example.com/"
    assert address_of(long).alias == "a" * 60 + "-exa"


def test_what_the_proxy_knows_by_name_has_that_name_here_too() -> None:
    """So that a cassette that was imported, or a call that was caught in a program, is found behind the proxy."""
    for vendor in VENDORS:
        if vendor.base_url.startswith("https:"):
            upstream = Upstream.at(vendor.name, vendor.base_url, vendor.mount)
            asked = f"{vendor.mount or '/v1'}/chat?a=1"
            assert upstream.base is not None
            found = address_of(upstream.base.origin + upstream.target(asked))
            assert (found.alias, found.target) == (vendor.name, asked)
