"""Cassettes of a library, and what the index says of each."""

from __future__ import annotations

from replaylab.cassette.codec import Cassette
from replaylab.schema.interaction import Interaction
from replaylab.store.library import Library
from replaylab.store.rows import CassetteRow


def open_cassette(library: Library, name: str) -> Cassette:
    """Read one cassette of a library."""
    return Cassette(library.get(name, "cassette"), where=str(library.path(name, "cassette")), name=name)


def cassette_row(cassette: Cassette) -> CassetteRow:
    """The facts of one cassette that tables look up."""
    header, seal = cassette.header, cassette.seal
    rows: list[Interaction] = [row for lane in cassette.lanes.values() for row in lane]
    usages = [row.usage for row in rows if row.usage is not None]
    return CassetteRow(
        kind=header.subject.kind,
        condition=header.subject.condition,
        task=header.subject.task,
        trial=header.subject.trial,
        attempt=header.subject.attempt,
        scenario=header.scenario.id,
        industry=header.scenario.industry,
        domain=header.scenario.domain,
        termination=seal.termination,
        verdict=seal.verdict,
        created=header.created,
        calls=len(rows),
        attempts=sum([len(row.attempts) for row in rows]),
        prompt_tokens=sum([usage.prompt_tokens for usage in usages]),
        completion_tokens=sum([usage.completion_tokens for usage in usages]),
        cached_tokens=sum([usage.cached_tokens for usage in usages]),
        reasoning_tokens=sum([usage.reasoning_tokens for usage in usages]),
        outcome=seal.outcome,
    )
