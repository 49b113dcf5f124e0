"""What an audit takes from one cassette: everything that it says of itself, computed again, and what it was asked."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from replaylab.audit.leaks import leaks
from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import cassette_row, open_cassette
from replaylab.diff.reading import CheckedTrial, check_cassette
from replaylab.engine.replay import replay_cassette
from replaylab.engine.verify import deep_check
from replaylab.errors import ReplaylabError
from replaylab.schema.base import Frozen
from replaylab.schema.callpath import role_of
from replaylab.schema.cassette import Engine, Evidence, evidence_of, key_of
from replaylab.schema.finding import Finding
from replaylab.schema.interaction import Interaction
from replaylab.score.derive_facts import facts_of
from replaylab.score.facts import CassetteFacts
from replaylab.store.library import Library
from replaylab.store.rows import CassetteRow

_INCOHERENT = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


class Answered(Frozen):
    """What servers said of who answered a role: the models and fingerprints, in order of their first answer."""

    models: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()


class Sight(Frozen):
    """One cassette. `findings` are what does not hang together in it, `diverged` what a replay gave otherwise.

    `leaks` are texts that an agent must not see and did. `last_ms` is the end of the last attempt, counted from
    `created`. `disorder` are attempts that began before the one they follow had ended. `facts`, `checked` and `row` are
    derived here and not taken from the index, which anyone can write; None where the cassette can't be read.
    """

    cassette: str
    key: str = ""
    attempt: int = 0
    evidence: Evidence = "recorded"
    created: str = ""
    clock: str = ""
    engine: Engine = Engine(replaylab="", engine="", parser="")
    verdict: str = "none"
    outcome: str = ""
    replayed: str = ""
    interactions: int = 0
    last_ms: float = 0
    answered: dict[str, Answered] = Field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    diverged: tuple[Finding, ...] = ()
    leaks: tuple[Finding, ...] = ()
    disorder: tuple[Finding, ...] = ()
    facts: CassetteFacts | None = None
    checked: CheckedTrial | None = None
    row: CassetteRow | None = None


def look(library: Library, name: str) -> Sight:
    """Read one cassette whole, and replay it. What is damaged is a finding and stops nothing."""
    where = str(library.path(name, "cassette"))
    try:
        return _look(open_cassette(library, name))
    except ReplaylabError as error:
        found = Finding.of("damaged", error.where or where, error.what)
    except _INCOHERENT as error:
        found = Finding.of("damaged", where, f"its content does not hang together: {error!r}"[:300])
    return Sight(cassette=name, findings=(found,))


def _look(cassette: Cassette) -> Sight:
    header, lanes = cassette.header, cassette.lanes
    again = replay_cassette(cassette)
    rows = [row for lane in lanes.values() for row in lane]
    return Sight(
        cassette=cassette.name,
        key=str(key_of(header)),
        attempt=header.subject.attempt,
        evidence=evidence_of(header),
        created=header.created,
        clock=header.clock,
        engine=header.engine,
        verdict=cassette.seal.verdict,
        outcome=cassette.seal.outcome,
        replayed=again.outcome,
        interactions=len(rows),
        last_ms=max((one.started_ms + one.latency_ms for row in rows for one in row.attempts), default=0),
        answered=_answered(lanes),
        findings=tuple(deep_check(cassette)),
        diverged=again.findings,
        leaks=tuple(leaks(cassette)),
        disorder=tuple(_disorder(cassette)),
        facts=facts_of(cassette),
        checked=check_cassette(cassette),
        row=cassette_row(cassette),
    )


def _answered(lanes: dict[str, list[Interaction]]) -> dict[str, Answered]:
    models: dict[str, dict[str, None]] = {}
    prints: dict[str, dict[str, None]] = {}
    for lane, rows in lanes.items():
        role = role_of(lane)
        for row in rows:
            if row.answered_by:
                models.setdefault(role, {})[row.answered_by] = None
            if row.fingerprint:
                prints.setdefault(role, {})[row.fingerprint] = None
    return {
        role: Answered(models=tuple(models.get(role, ())), fingerprints=tuple(prints.get(role, ())))
        for role in sorted({*models, *prints})
    }


def _disorder(cassette: Cassette) -> Iterator[Finding]:
    """A lane is strictly ordered: what comes later in it was asked later. Copied lanes keep the times of their origin."""
    for rows in cassette.lanes.values():
        ended = 0.0
        for row in rows:
            for attempt in row.attempts:
                if attempt.started_ms < ended:
                    yield Finding.of(
                        "time-order",
                        row.path,
                        "it began before the call that it follows had ended",
                        expected=ended,
                        observed=attempt.started_ms,
                    )
                ended = attempt.started_ms + attempt.latency_ms
