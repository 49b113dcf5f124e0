"""Which trial each transcript is: numbers where none are given, and refusal of what contradicts itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from replaylab.canonical import digest
from replaylab.interop.transcript.lines import TranscriptsRefused
from replaylab.interop.transcript.meaning import Transcript
from replaylab.interop.transcript.trial import key_of


def number(found: Iterable[Transcript]) -> tuple[list[Transcript], int]:
    """The transcripts with a number each, and how many lines said the same again.

    Those without a number take the free ones in their order. Raises TranscriptsRefused for two different ones of one
    number, and for one name that stands for different things.
    """
    transcripts = list(found)
    _one_thing_each(transcripts)
    taken: dict[str, Transcript] = {}
    numbered: list[Transcript] = []
    twice = 0
    for one in transcripts:
        key = str(key_of(one))
        before = taken.get(key) if one.trial is not None else None
        if before is not None:
            if said_digest(before) != said_digest(one):
                raise _conflict(
                    f"the trial {key} is another one at {before.where}", one, "give each its own `trial`"
                )
            twice += 1
            continue
        if one.trial is not None:
            taken[key] = one
        numbered.append(one)
    free: Counter[str] = Counter()
    return [one if one.trial is not None else _first_free(one, free, taken) for one in numbered], twice


def _first_free(one: Transcript, free: Counter[str], taken: dict[str, Transcript]) -> Transcript:
    base = str(key_of(one.at(0)))
    while str(key_of(one.at(free[base]))) in taken:
        free[base] += 1
    fresh = one.at(free[base])
    taken[str(key_of(fresh))] = fresh
    return fresh


def said_digest(one: Transcript) -> str:
    """The digest over all that a transcript says: two that say the same are one."""
    steps = [step.to_json() for step in one.steps]
    return digest([one.content(), steps, one.answer, one.closing.to_json(), one.created, one.kept])


def _one_thing_each(found: Sequence[Transcript]) -> None:
    """Raise TranscriptsRefused where a task, an agent or a simulator of one name is two different ones."""
    first: dict[tuple[str, str], tuple[str, Transcript]] = {}
    for one in found:
        for what, name, content in (
            ("task", one.task.id, one.content()),
            ("agent", one.agent.alias, digest(one.agent.to_json())),
            ("simulator", one.simulator.alias, digest(one.simulator.to_json())),
        ):
            seen, before = first.setdefault((what, name), (content, one))
            if seen != content:
                part = _difference(before, one) if what == "task" else "its settings"
                raise _conflict(
                    f"the {what} {name!r} is not the same as at {before.where}: {part} differ",
                    one,
                    f"give the {what} another name, or the same content",
                )


def _difference(before: Transcript, one: Transcript) -> str:
    """The first part of a task's content that differs."""
    for part in ("scenario", "environment", "task"):
        old, new = getattr(before, part).to_json(), getattr(one, part).to_json()
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                return f"{part}.{key}"
    return "its parts"


def _conflict(what: str, one: Transcript, fix: str) -> TranscriptsRefused:
    return TranscriptsRefused(f"{what}; nothing was written", where=one.where, fix=fix)
