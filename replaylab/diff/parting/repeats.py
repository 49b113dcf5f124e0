"""A simulator's further answers to the very same questions, out of the lanes that `replay --swap --repeats` records."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.cassette.codec import Cassette
from replaylab.derive.answers import Answers, Read
from replaylab.derive.trajectory import RecordedSimulator
from replaylab.diff.trial import LANE
from replaylab.errors import CallFailed
from replaylab.schema.base import Json
from replaylab.schema.callpath import repeat_lane
from replaylab.schema.scenario import Tool
from replaylab.schema.trajectory import Action


def repeated(
    cassette: Cassette, actions: Sequence[Action], read: Read | None = None
) -> list[dict[int, Json]]:
    """What was said to each call, by its number, in each further lane. A call without a usable answer has none."""
    read = read or Answers()
    return [
        _said(cassette, repeat_lane(LANE, number), actions, read)
        for number in range(1, cassette.header.limits.repeats)
    ]


def _said(cassette: Cassette, lane: str, actions: Sequence[Action], read: Read) -> dict[int, Json]:
    header = cassette.header
    simulator = RecordedSimulator(header, cassette.lanes.get(lane, ()), read)
    said: dict[int, Json] = {}
    for action in actions:
        tool = header.environment.tool(action.tool) or Tool(name=action.tool)
        try:
            said[action.call] = simulator.step(tool, action.arguments or {})
        except CallFailed:
            continue
    return said
