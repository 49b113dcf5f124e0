from __future__ import annotations

import pytest

from replaylab.errors import UsageError
from replaylab.schema.model import ModelSettings
from replaylab.wire.asking import Asking

SETTINGS = ModelSettings(alias="m", model="vendor/m", sampling={"temperature": 0.5, "seed": 7})
MESSAGES = [{"role": "user", "content": "hi"}]


def test_a_request_holds_model_sampling_and_extra() -> None:
    request = Asking(SETTINGS).request(MESSAGES, (), {"response_format": {"type": "json_object"}})
    assert request.alias == "m"
    assert request.path == "/chat/completions"
    assert request.body() == {
        "model": "vendor/m",
        "temperature": 0.5,
        "seed": 7,
        "response_format": {"type": "json_object"},
        "messages": MESSAGES,
    }


def test_a_streaming_model_is_asked_for_usage_as_well() -> None:
    params = Asking(SETTINGS.model_copy(update={"stream": True})).request(MESSAGES, (), None).params
    assert params["stream"] is True
    assert params["stream_options"] == {"include_usage": True}


def test_extra_of_one_question_does_not_stay_for_the_next() -> None:
    asking = Asking(SETTINGS)
    asking.request(MESSAGES, (), {"response_format": {}})
    assert "response_format" not in asking.request(MESSAGES, (), None).params


def test_equal_params_and_what_was_given_stay_the_same_objects() -> None:
    asking, tools = Asking(SETTINGS), [{"type": "function"}]
    first = asking.request(MESSAGES, tools, {"response_format": {"a": 1}})
    second = asking.request(MESSAGES, tools, {"response_format": {"a": 1}})
    assert first.params is second.params
    assert second.tools is tools
    assert second.messages is MESSAGES


@pytest.mark.parametrize("name", ["model", "messages", "tools", "stream", "stream_options"])
def test_sampling_may_not_set_what_is_ours(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        Asking(SETTINGS.model_copy(update={"sampling": {name: "x"}}))
