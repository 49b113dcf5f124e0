from __future__ import annotations

from replaylab.schema.interaction import Attempt, Interaction, RequestLine


def test_the_last_attempt_decides() -> None:
    attempts = (Attempt(status=503), Attempt(status=200, text="{}"))
    request = RequestLine(digest="0" * 64, alias="m")
    assert Interaction(path="p", request=request, attempts=attempts, outcome="0" * 64).final is attempts[1]
