from __future__ import annotations

import pytest
from pydantic import ValidationError

from replaylab.schema.interaction import Attempt, Chunk, Interaction, RequestLine


def test_the_last_attempt_decides() -> None:
    attempts = (Attempt(status=503), Attempt(status=200, text="{}"))
    request = RequestLine(digest="0" * 64, alias="m")
    assert Interaction(path="p", request=request, attempts=attempts, outcome="0" * 64).final is attempts[1]


@pytest.mark.parametrize("text", ["!!!", "YQ", "YQ==YQ==x", "\u00e9"])
def test_what_is_no_base64_is_no_body(text: str) -> None:
    with pytest.raises(ValidationError):
        Attempt(b64=text)
    with pytest.raises(ValidationError):
        Chunk(ms=0, b64=text)
    assert Attempt(b64="YQ==").b64 == "YQ=="
