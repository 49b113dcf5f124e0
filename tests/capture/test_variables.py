from __future__ import annotations

import pytest

from replaylab.capture.routes import Routes
from replaylab.capture.variables import (
    PLACEHOLDER_KEY,
    VENDORS,
    address_of,
    child_variables,
    known_secrets,
    known_upstream,
    placeholder_keys,
)
from replaylab.wire.redact import Redactor

BY_NAME = {vendor.name: vendor for vendor in VENDORS}


def routes(env: dict[str, str], *, offline: bool = False) -> Routes:
    found = [known_upstream(vendor, env, offline=offline) for vendor in VENDORS]
    return Routes([one for one in found if one])


def test_what_the_environment_says_is_where_an_upstream_is() -> None:
    assert address_of(BY_NAME["openai"], {}) == "https://api.openai.com/v1"
    assert address_of(BY_NAME["openai"], {"OPENAI_BASE_URL": "http://x/v1"}) == "http://x/v1"
    assert (
        address_of(BY_NAME["openai"], {"OPENAI_API_BASE": " http://y/v1 ", "OPENAI_BASE_URL": ""})
        == "http://y/v1"
    )
    assert address_of(BY_NAME["ollama"], {"OLLAMA_HOST": "box:11434"}) == "http://box:11434"


def test_a_program_is_told_the_proxy_in_each_variable() -> None:
    told = child_variables("http://127.0.0.1:9", routes({}), {}, {})
    assert told["OPENAI_BASE_URL"] == told["OPENAI_API_BASE"] == "http://127.0.0.1:9/openai/v1"
    assert told["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:9/anthropic"
    assert told["GOOGLE_GEMINI_BASE_URL"] == "http://127.0.0.1:9/gemini"


def test_an_api_without_an_address_is_left_alone_while_recording_and_told_offline() -> None:
    assert "AZURE_OPENAI_ENDPOINT" not in child_variables("http://p", routes({}), {}, {})
    known = routes({"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com/"})
    assert child_variables("http://p", known, {}, {})["AZURE_OPENAI_ENDPOINT"] == "http://p/azure"
    assert (
        child_variables("http://p", routes({}, offline=True), {}, {})["AZURE_OPENAI_ENDPOINT"]
        == "http://p/azure"
    )


def test_a_company_proxy_is_not_asked_for_the_loopback() -> None:
    told = child_variables("http://p", routes({}), {"NO_PROXY": "a.example"}, {})
    assert told["NO_PROXY"] == "a.example,127.0.0.1,localhost,::1"
    assert told["no_proxy"] == "127.0.0.1,localhost,::1"


def test_offline_upstreams_have_no_address() -> None:
    assert all(
        one.base is None
        for one in routes({"OPENAI_BASE_URL": "http://x/v1"}, offline=True).upstreams.values()
    )


def test_keys_that_are_set_stay_and_others_get_a_placeholder() -> None:
    keys = placeholder_keys({"OPENAI_API_KEY": "mine", "GEMINI_API_KEY": "g"})
    assert "OPENAI_API_KEY" not in keys
    assert "GOOGLE_API_KEY" not in keys  # google-genai warns where both are set
    assert keys["ANTHROPIC_API_KEY"] == PLACEHOLDER_KEY


@pytest.mark.parametrize(
    "text", ["replaylab offline placeholder key", "sk-proj-", "recorded and replayed", "sk-ant-api03"]
)
def test_the_placeholder_tears_no_hole_into_a_text(text: str) -> None:
    assert Redactor([PLACEHOLDER_KEY]).text(text) == text


def test_the_keys_of_the_environment_are_known() -> None:
    assert known_secrets({"OPENAI_API_KEY": " k1 ", "OTHER": "x", "GROQ_API_KEY": ""}) == ("k1",)


def test_each_variable_belongs_to_one_api() -> None:
    names = [one.name for vendor in VENDORS for one in vendor.variables]
    assert len(names) == len(set(names))
