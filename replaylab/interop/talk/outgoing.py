"""Trials on their way into other formats: the conversation as it was, who else was asked, and what formats can't say."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from replaylab.canonical import Digest
from replaylab.cassette.codec import Cassette, lane_order
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import expand
from replaylab.derive.digests import trajectory_digest
from replaylab.derive.verdict import Derived, derive
from replaylab.errors import CassetteGone
from replaylab.interop.talk.block import BLOCK_FORMAT, Block
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import role_of
from replaylab.schema.cassette import IMPORT_LABEL, Header, evidence_of
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Failure, Interaction
from replaylab.schema.run import LedgerEntry, Run
from replaylab.schema.trajectory import Turn
from replaylab.store.library import Library
from replaylab.wire.completion import judge


class LeftOut(NamedTuple):
    """A trial that is in no file, and why."""

    key: str
    why: str


class Asked(NamedTuple):
    """One question to a model: where, what, and the answer, or why there is none."""

    lane: str
    row: Interaction
    body: JsonObject
    answer: Completion | Failure

    @property
    def ms(self) -> float:
        return self.row.final.latency_ms


class Outgoing:
    """A trial that is written into another format."""

    def __init__(self, key: str, cassette: Cassette) -> None:
        self.key, self.cassette = key, cassette

    @property
    def header(self) -> Header:
        return self.cassette.header

    @cached_property
    def derived(self) -> Derived:
        return derive(self.header, self.cassette.lanes)

    @property
    def turns(self) -> tuple[Turn, ...]:
        return self.derived.trajectory.turns

    @property
    def lanes(self) -> list[str]:
        return sorted(self.cassette.lanes, key=lane_order)

    def asked(self, lane: str) -> Iterator[Asked]:
        """The questions of a lane, in order."""
        rows = self.cassette.lanes.get(lane, [])
        for ordinal, row in enumerate(rows):
            yield Asked(lane, row, expand(rows, ordinal, self.cassette.blob), judge(row.final))

    def others(self) -> Iterator[Asked]:
        """The questions to everybody but the agent: simulators and judges."""
        for lane in self.lanes:
            if role_of(lane) != "agent":
                yield from self.asked(lane)

    def row(self, turn: int) -> Interaction | None:
        """The question that a turn of the agent answered."""
        rows = self.cassette.lanes.get("agent", [])
        return rows[turn] if turn < len(rows) else None

    def when(self, ms: float) -> str:
        """The time so many milliseconds after the cassette began, ISO 8601."""
        start = datetime.fromisoformat(self.header.created)
        return (start + timedelta(milliseconds=ms)).astimezone(UTC).isoformat(timespec="milliseconds")

    def facts(self) -> JsonObject:
        """Where the trial comes from, and how it ended."""
        trajectory, verdict = self.derived
        return {
            "key": self.key,
            "cassette": self.cassette.name,
            "evidence": evidence_of(self.header),
            "termination": trajectory.termination,
            "trajectory_digest": trajectory_digest(trajectory),
            "verdict": verdict.outcome,
            "players": {role: one.player for role, one in self.header.players.items()},
        } | ({"error": trajectory.error} if trajectory.error else {})

    def source_scores(self) -> list[JsonObject]:
        """What the file that a trial was imported from says of it: `name`, `value` and more. No verdict of ours."""
        found: list[JsonObject] = []
        for label in self.cassette.labels:
            value = label.value if label.kind == IMPORT_LABEL and isinstance(label.value, dict) else {}
            source = value.get("source")
            scores = source.get("scores") if isinstance(source, dict) else None
            found += [one for one in scores or () if isinstance(one, dict) and one.get("value") is not None]
        return found

    def block(self) -> JsonObject:
        """What an import needs to give the same trial back."""
        header, actions = self.header, self.derived.trajectory.actions
        return Block(
            format=BLOCK_FORMAT,
            scenario=header.scenario,
            environment=header.environment,
            task=header.task,
            faults=header.faults,
            agent=header.players["agent"],
            simulator=header.players["simulator"],
            trial=header.subject.trial,
            cassette=self.cassette.name,
            raw_arguments={str(one.call): one.raw_arguments for one in actions if one.arguments is None},
            undisturbed={str(one.call): one.clean for one in actions if one.fault and one.by == "simulator"},
            unheard=tuple(one.call for one in actions if one.by != "simulator"),
            finish_reasons={
                str(number): turn.finish_reason
                for number, turn in enumerate(self.turns)
                if turn.finish_reason != ("tool_calls" if turn.actions else "stop")
            },
        ).model_dump(mode="json", exclude_defaults=True) | {"format": BLOCK_FORMAT}


def outgoing(library: Library, run: Run) -> Iterator[Outgoing | LeftOut]:
    """The try that counts of each trial of a run, in the order of its plan. Raises StoreError for a damaged cassette."""
    for entry in run.ledger:
        yield _trial(library, entry)


def _trial(library: Library, entry: LedgerEntry) -> Outgoing | LeftOut:
    if entry.counting is None:
        return LeftOut(entry.key, "missing")
    try:
        return Outgoing(entry.key, open_cassette(library, Digest(entry.counting.cassette)))
    except CassetteGone as gone:
        return LeftOut(entry.key, gone.why)
