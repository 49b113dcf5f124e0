"""Imports files of any format whose reader gives conversations: all of them or none, the same bytes each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from replaylab.interop.talk.block import Block, read_block
from replaylab.interop.talk.conversation import Conversation
from replaylab.interop.talk.trials import Found, to_transcripts
from replaylab.interop.transcript.importer import NOTES, ImportedTranscripts, Reading, Source, land
from replaylab.interop.transcript.lines import Problem, Redact, Wrong
from replaylab.schema.model import UNKNOWN
from replaylab.store.library import Library

TALK_NOTES = NOTES | {
    "odd_number": "numbers that no reader can hold exactly (not a number, infinite, beyond 2^53): kept as texts",
    "not_text": "parts of messages that are no text (images, audio, files): named in brackets in their place",
    "joined_texts": "texts of the agent with nothing between them: joined to the next one",
    "said_beside": "words of a user or the harness where a trial has no place for them: kept in a label",
    "unanswered": "calls without a result in the source: their observation is null",
    "unfinished": "conversations that end with calls under way: these are kept in a label and no calls of the trial",
    "orphan_result": "results without a call: kept in a label",
    "task_differs": "trials whose task has a name that stands for something else too: the name got an ending",
    "renumbered": "trials whose number another conversation has: they took the next free one",
    "never_started": "conversations that broke off before anything came of an answer of the agent: left out",
    "user_tools": "calls that the simulated user made with tools of its own, and their results: left out",
    "failed_calls": "calls of models that failed in the source: left out",
}
LACKS = {
    "tools": "definitions of tools: only what was called is known",
    "results": "scores or verdicts",
    "tokens": "token counts",
    "times": "how long answers took",
    "created": "when it was",
    "model": "which model the agent was",
}


class Spoken(NamedTuple):
    """What a reader found at a place: a conversation, or what is wrong there."""

    where: str
    found: Conversation | Wrong


# The conversations of one file: its name in messages, where it lies, what takes secrets out, what counts odd things.
Reader = Callable[[str, Path, Redact, "Counter[str]"], Iterator[Spoken]]


@dataclass(frozen=True)
class Format:
    """A format that can be imported: `part` is what one conversation is called in it."""

    name: str
    read: Reader
    part: str = "conversation"
    wanted: str = ""


@dataclass(frozen=True)
class ImportedTalk:
    """What an import made, and what the source lacks: in how many conversations, by the names of `LACKS`."""

    done: ImportedTranscripts
    format: Format
    lacks: Mapping[str, int] = field(default_factory=dict)
    scored: int = 0


def import_talk(
    library: Library, name: str, paths: Mapping[str, Path], kind: Format, reading: Reading
) -> ImportedTalk:
    """Import the files as the run `name`, whose trials are marked as imported. Raises TranscriptsRefused."""
    odd: Counter[str] = Counter()
    found: list[Found] = []
    problems: list[Problem] = []
    for file, path in paths.items():
        for spoken in kind.read(file, path, reading.redact, odd):
            if isinstance(spoken.found, Wrong):
                problems += [Problem(spoken.where, *one) for one in spoken.found.problems]
                continue
            try:
                found.append((spoken.found, _block(spoken.found)))
            except Wrong as wrong:
                problems += [Problem(spoken.where, *one) for one in wrong.problems]
    transcripts, more = to_transcripts(found, odd)
    source = Source(
        ", ".join(paths),
        part=kind.part,
        whole="conversation",
        wanted=kind.wanted,
        notes=TALK_NOTES,
        odd=odd,
    )
    done = land(library, name, (transcripts, problems + more), reading, source)
    lacks = Counter(lack for one, _ in found for lack in lacking(one))
    return ImportedTalk(
        done,
        kind,
        {key: lacks[key] for key in LACKS if lacks[key]},
        sum(bool(one.source.get("scores")) for one, _ in found),
    )


def _block(one: Conversation) -> Block | None:
    return None if one.block is None else read_block(one.block)


def lacking(one: Conversation) -> Iterator[str]:
    """What a reader of this conversation would miss."""
    said = [message for message in one.messages if message.role == "assistant"]
    if not one.tools and any(message.calls for message in said) and one.block is None:
        yield "tools"
    if not one.source.get("scores"):
        yield "results"
    if not any(message.aside.usage for message in said):
        yield "tokens"
    if not any(message.aside.ms for message in said):
        yield "times"
    if not one.created:
        yield "created"
    if one.agent.alias == UNKNOWN:
        yield "model"
