"""Asking a judge about one observation of a trial, each question once: its answers are a cassette of their own.

What is recorded is never asked again: a question is known by its requests, so another prompt, contract, judge or
candidate is another one. The cassette embeds the header of the judged trial; it has a lane for each vote, no trajectory
and no verdict, and no run names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from replaylab.cassette.codec import Cassette
from replaylab.cassette.indexing import cassettes_of, sync_index
from replaylab.cassette.request import BlobPool, digest_request
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import Tape
from replaylab.engine.plan import inputs_digest, this_engine
from replaylab.engine.seams import Seams
from replaylab.engine.trial import OpenChat, seeded
from replaylab.engine.untried import pack_lanes
from replaylab.errors import CallFailed, OfflineError
from replaylab.roles.prompts import CONTRACT_JUDGE, prompt
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath
from replaylab.schema.cassette import Header, Label, Limits, Provenance, key_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from replaylab.wire.asking import Asking
from replaylab.wire.completion import read_answer

KIND = "judge"


class Judging:
    """One judge over a library. `open_chat` is None offline: then only what is recorded is answered."""

    def __init__(
        self,
        library: Library,
        judge: ModelSettings,
        seams: Seams,
        open_chat: OpenChat | None = None,
        *,
        votes: int = 3,
    ) -> None:
        self._library, self._judge, self._seams, self._open_chat = library, judge, seams, open_chat
        self._votes = votes
        self.asked = 0  # questions that were put now and not taken from a recording
        self.failed = ""  # why the last vote that has none got no answer

    def ask(
        self, header: Header, messages: Sequence[JsonObject], about: JsonObject
    ) -> tuple[str | None, ...]:
        """The texts of the votes, None for one without an answer. `about` is kept as a label.

        Raises OfflineError where nothing is recorded and nobody may be asked.
        """
        wanted = self._wanted(header, messages)
        known = self._recorded.get(wanted)
        if known is None:
            if self._open_chat is None:
                raise OfflineError(
                    f"the judge {self._judge.alias!r} was never asked this, and there is no network offline",
                    where=str(key_of(header)),
                    fix="ask it first: the same command without --offline",
                )
            known = self._put(self._open_chat, header, messages, about)
            if known is None:
                return (None,) * self._votes
            self._recorded[wanted] = known
        return tuple(_text(known.lanes[lane][0]) for lane in _lanes(self._votes))

    def close(self) -> None:
        """Tell the index of what is new."""
        if self.asked:
            sync_index(self._library)

    @cached_property
    def _recorded(self) -> dict[tuple[str, ...], Cassette]:
        """Every recorded question by the digests of its requests."""
        found: dict[tuple[str, ...], Cassette] = {}
        for name in cassettes_of(self._library, KIND) if self._library.exists() else ():
            cassette = open_cassette(self._library, name)
            lanes = [cassette.lanes.get(lane, []) for lane in _lanes(len(cassette.lanes))]
            if all(lanes):
                found.setdefault(tuple(rows[0].request.digest for rows in lanes), cassette)
        return found

    def _wanted(self, header: Header, messages: Sequence[JsonObject]) -> tuple[str, ...]:
        return tuple(
            digest_request(Asking(self._seeded(header, vote)).request(messages, (), None), BlobPool()).digest
            for vote in range(self._votes)
        )

    def _seeded(self, header: Header, vote: int) -> ModelSettings:
        return seeded(self._judge, header.subject.trial, vote)

    def _put(
        self, open_chat: OpenChat, judged: Header, messages: Sequence[JsonObject], about: JsonObject
    ) -> Cassette | None:
        header = self._header(judged)
        key, started = key_of(header), self._seams.elapsed_ms()
        tape = Tape(key, elapsed_ms=lambda: round(self._seams.elapsed_ms() - started, 3))
        for vote, lane in enumerate(_lanes(self._votes)):
            try:
                open_chat(tape.lane(lane), self._seeded(judged, vote)).ask(tuple(messages))
            except CallFailed as error:
                self.failed = str(error)
                continue  # the attempt is recorded as it failed, and the vote has no word
        if all(one.final.failure for rows in tape.lanes.values() for one in rows):
            return None  # nothing was answered, so nothing is kept, and the next time it is asked again
        tape.label(Label(kind="question", path=str(CallPath(key, KIND)), value=about))
        data = pack_lanes(header, tape.lanes, tape.recorded_blob, tape.labels, self._seams.now())
        name = self._library.put(data, "cassette")
        self.asked += 1
        return open_cassette(self._library, name)

    def _header(self, judged: Header) -> Header:
        condition = key_of(judged).condition._replace(verifier=self._judge.alias)
        subject = judged.subject.model_copy(update={"kind": KIND, "condition": str(condition), "attempt": 0})
        header = judged.model_copy(
            update={
                "subject": subject,
                "created": self._seams.now(),
                "lanes": {lane: Provenance() for lane in _lanes(self._votes)},
                "players": {**judged.players, KIND: self._judge},
                "prompts": {CONTRACT_JUDGE: prompt(CONTRACT_JUDGE)},
                "limits": Limits(votes=self._votes, asks=1),
                "engine": this_engine(),
                "mode": "run",
                "judged_by": "votes",
            }
        )
        return header.model_copy(update={"inputs": inputs_digest(header)})


def _lanes(votes: int) -> list[str]:
    return [f"{KIND}.{vote}" for vote in range(votes)]


def _text(row: Interaction) -> str | None:
    try:
        return read_answer(row.final).text
    except CallFailed:
        return None
