"""vcrpy as a second opinion: one of its cassettes for each lane, driven without patching, plays the same bytes."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from vcr.cassette import Cassette as VcrCassette
from vcr.matchers import body as same_body
from vcr.matchers import method as same_method
from vcr.matchers import uri as same_uri
from vcr.record_mode import RecordMode
from vcr.request import Request as VcrRequest

from replaylab.canonical import dumps
from replaylab.cassette.codec import Cassette
from replaylab.cassette.request import Request
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import Lane, expand
from replaylab.engine.replay import replay_cassette
from replaylab.roles.chat import Chat
from replaylab.schema.base import JsonObject
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import ModelSettings
from replaylab.schema.outcome import body_bytes
from replaylab.wire.asking import Asking
from replaylab.wire.played import PlayedChat
from tests.playground import record, reply, responder

TASKS = ("ed-sepsis-room", "hazmat-power-station")
MATCH = (same_method, same_uri, same_body)


@pytest.fixture(scope="module")
def cassettes(tmp_path_factory: pytest.TempPathFactory) -> list[Cassette]:
    """A run whose judge answers the identical questions of its votes differently, and whose simulator stumbles."""
    numbers, lock = itertools.count(), threading.Lock()

    def respond(path: str, body: bytes) -> Any:
        model = json.loads(body)["model"]
        if model == "judge":
            with lock:
                number = next(numbers)
            return reply(json.dumps({"is_correct": number % 3 > 0, "feedback": f"{number}: größer\n…"}))
        return responder().respond(path, body)

    root = tmp_path_factory.mktemp("oracle") / "library"
    library, _ = record(root, tasks=TASKS, verifiers=("judge",), faults=("E0", "E3"), respond=respond)
    return [open_cassette(library, name) for name in library.objects("cassette")]


def vcr_request(alias: str, body: bytes) -> VcrRequest:
    return VcrRequest("POST", f"http://{alias.replace(':', '-')}.invalid/v1/chat/completions", body, {})


def recorded(cassette: Cassette, lane: str) -> Iterator[tuple[VcrRequest, JsonObject]]:
    """The exchanges of a lane as vcrpy would have recorded them."""
    rows = cassette.lanes[lane]
    for ordinal, row in enumerate(rows):
        request = vcr_request(row.request.alias, dumps(expand(rows, ordinal, cassette.blob)))
        yield request, response(row)


def response(row: Interaction) -> JsonObject:
    final = row.final
    headers = {name: [value] for name, value in final.headers.items()}
    return {
        "status": {"code": final.status, "message": "OK"},
        "headers": headers,
        "body": {"string": body_bytes(final)},
    }


def through_file(path: Path, exchanges: Iterator[tuple[VcrRequest, JsonObject]]) -> Any:
    """A vcrpy cassette that was written to its file and read again."""
    written = VcrCassette(str(path), record_mode=RecordMode.ONCE, match_on=MATCH)
    for request, answer in exchanges:
        written.append(request, answer)
    written._save(force=True)
    return VcrCassette.load(path=str(path), record_mode=RecordMode.NONE, match_on=MATCH)


class Oracle:
    """Asks vcrpy for the request that the engine makes, then plays ours, and keeps both answers."""

    def __init__(
        self, lane: Lane, settings: ModelSettings, vcr: Any, notes: list[tuple[bytes, bytes]]
    ) -> None:
        self._lane, self._vcr, self._notes = lane, vcr, notes
        self._chat, self._asking = PlayedChat(lane, settings), Asking(settings)

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        made: Request = self._asking.request(messages, tools, extra)
        request = vcr_request(made.alias, dumps(made.body()))
        assert self._vcr.can_play_response_for(request)
        theirs = self._vcr.play_response(request)["body"]["string"]
        answer = self._chat.ask(messages, tools=tools, extra=extra)
        self._notes.append((theirs, body_bytes(self._lane.interactions[-1].final)))
        return answer


def replayed(cassette: Cassette, vcr_of: Callable[[str], Any]) -> list[tuple[bytes, bytes]]:
    notes: list[tuple[bytes, bytes]] = []

    def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
        return Oracle(lane, settings, vcr_of(lane.name), notes)

    trial = replay_cassette(cassette, open_chat)
    assert (trial.findings, trial.outcome) == ((), cassette.seal.outcome)
    assert len(notes) == trial.interactions == sum(map(len, cassette.lanes.values()))
    return notes


def test_a_vcr_cassette_for_each_lane_plays_the_same_bytes(cassettes: list[Cassette], tmp_path: Path) -> None:
    asked = 0
    for number, cassette in enumerate(cassettes):
        lanes = {
            lane: through_file(tmp_path / f"{number}.{lane}.yaml", recorded(cassette, lane))
            for lane in cassette.lanes
        }
        notes = replayed(cassette, lanes.__getitem__)
        assert [theirs for theirs, _ in notes] == [ours for _, ours in notes]
        assert all(vcr.all_played for vcr in lanes.values())
        asked += len(notes)
    assert asked > 60


def test_one_vcr_cassette_for_all_lanes_would_swap_the_votes(
    cassettes: list[Cassette], tmp_path: Path
) -> None:
    """The oracle can tell: without lanes, whoever asks first gets the first answer."""
    (cassette, *_) = cassettes
    backwards = [lane for lane in cassette.lanes if not lane.startswith("verifier")]
    backwards += sorted((lane for lane in cassette.lanes if lane.startswith("verifier")), reverse=True)
    exchanges = (pair for lane in backwards for pair in recorded(cassette, lane))
    mixed = through_file(tmp_path / "all.yaml", exchanges)
    notes = replayed(cassette, lambda lane: mixed)
    assert sum(theirs != ours for theirs, ours in notes) == 2
