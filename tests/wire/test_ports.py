from __future__ import annotations

import base64
from dataclasses import replace

from replaylab.cassette.request import Request
from replaylab.cassette.tape import Tape
from replaylab.errors import CallFailed
from replaylab.schema.callpath import CallPath
from replaylab.wire.ports import LanePort, Redacts
from replaylab.wire.redact import Redactor
from tests.wire.server import ANSWER, KEY, Bench, delta, event, reply, serving, stream

SECRET = "correct-horse-battery-staple-1234567890"
MESSAGES = [{"role": "user", "content": "hi"}]


def test_a_lane_of_the_tape_is_a_lane_of_the_wire() -> None:
    lane: LanePort = Tape(KEY, elapsed_ms=lambda: 0.0).lane("verifier.2")
    slot = lane.begin(Request("m", {}, MESSAGES))
    assert slot.path == CallPath(KEY, "verifier.2", 0)
    assert slot.recorded is None


def test_nothing_secret_of_an_answer_reaches_the_tape_or_the_role() -> None:
    redactor: Redacts = Redactor([SECRET])
    coded = base64.b64encode(SECRET.encode()).decode()
    pieces = [SECRET[at : at + 5] for at in range(0, len(SECRET), 5)]
    streamed = [event(delta(content=piece)) for piece in (*pieces, " ", coded)] + [event(delta("stop"))]
    whole = {**ANSWER, "choices": [{"message": {"content": f"{SECRET} {coded}"}}]}
    refused = {"error": {"message": f"Incorrect API key provided: {SECRET}"}}
    for step in (stream(*streamed), reply(whole, x_request_id=SECRET), reply(refused, 401)):
        with serving(step) as server:
            bench = Bench(server.url, key=SECRET)
            bench.outside = replace(bench.outside, redactor=redactor)
            with bench as chat:
                try:
                    seen = str(chat.ask(MESSAGES))
                except CallFailed as error:
                    seen = str(error)
        seen += bench.interactions[0].model_dump_json()
        for start in range(len(SECRET) - 7):
            assert SECRET[start : start + 8] not in seen
        assert coded[:16] not in seen
