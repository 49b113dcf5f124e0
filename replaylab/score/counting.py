"""Which recording of a planned trial counts, and what is odd about it.

Of several tries of a run the last one without an error counts, else the last, by what is derived and not by what a
ledger says. Of several runs that hold the same trial the newest counts. A cassette counts for the trial that its
header names and for no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from replaylab.schema.finding import Finding
from replaylab.schema.run import LedgerEntry, Try
from replaylab.schema.tombstone import Tombstone
from replaylab.score.facts import CassetteFacts

NEWEST = "the newest run's counts"


class Held(NamedTuple):
    """What one run (its id and its name) holds of a planned trial. `age` orders runs, the newest last."""

    run: str
    name: str
    age: tuple[object, ...]
    entry: LedgerEntry


class Counted(NamedTuple):
    """What counts for a planned trial. `facts` is None where nothing does, so it is missing."""

    held: Held
    facts: CassetteFacts | None
    findings: tuple[Finding, ...]


def count(
    holds: Sequence[Held], facts: Mapping[str, CassetteFacts], keys: Mapping[str, Sequence[str]]
) -> Counted:
    """Decide for one key, of which `holds` tell. `keys` gives every key that a cassette stands under."""
    if len(holds) == 1 and len(holds[0].entry.tries) == 1:
        return _count_one(holds[0], facts, keys)
    found = [(held, counting(held.entry, facts)) for held in holds]
    recorded = [(held, mine) for held, mine in found if mine is not None]
    chosen, mine = max(recorded or found, key=lambda one: one[0].age)
    findings = [finding for held in holds for finding in _misplaced(held, facts, keys)]
    if mine is not None:
        findings += _twice(chosen, mine, recorded)
        findings += _unlike(chosen, mine)
    return Counted(chosen, mine, tuple(findings))


def _count_one(held: Held, facts: Mapping[str, CassetteFacts], keys: Mapping[str, Sequence[str]]) -> Counted:
    """What `count` says of one try of one run, as the most trials have; thousands of them are told in no time."""
    mine = facts[held.entry.tries[0].cassette]
    if mine.key != held.entry.key:
        return Counted(held, None, tuple(_misplaced(held, facts, keys)))
    return Counted(held, mine, tuple(_unlike(held, mine)))


def without_gone(
    name: str, entry: LedgerEntry, gone: Mapping[str, Tombstone]
) -> tuple[LedgerEntry, tuple[Finding, ...]]:
    """An entry of the run `name` without the tries that were purged or redacted, and a finding for each of these.

    Where the try that counted is gone none is left: an earlier one, an error, must not come to count in its place.
    """
    lost = [one for one in entry.tries if one.cassette in gone] if gone else []
    if not lost:
        return entry, ()
    mine = entry.counting
    left = () if mine in lost else tuple(one for one in entry.tries if one not in lost)
    return entry.model_copy(update={"tries": left}), tuple(_gone(name, entry, one, gone) for one in lost)


def _gone(name: str, entry: LedgerEntry, one: Try, gone: Mapping[str, Tombstone]) -> Finding:
    stone = gone[one.cassette]
    said = f" ({stone.reason})" if stone.reason else ""
    counts = "the trial counts as missing" if one == entry.counting else "another try counts"
    return Finding.of(
        stone.why,
        entry.key,
        f"run {name}: the cassette {one.cassette[:12]} was {stone.why}{said}; {counts}, neither as passed nor as failed",
    )


def counting(entry: LedgerEntry, facts: Mapping[str, CassetteFacts]) -> CassetteFacts | None:
    """The try that counts; None where no cassette of this trial is in the ledger."""
    tries = [facts[one.cassette] for one in entry.tries if facts[one.cassette].key == entry.key]
    good = [one for one in tries if one.derived != "error"] or tries
    return good[-1] if good else None


def _misplaced(
    held: Held, facts: Mapping[str, CassetteFacts], keys: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    for one in held.entry.tries:
        right = facts[one.cassette].key
        if right == held.entry.key:
            continue
        if right in keys[one.cassette]:
            kind, also = "same-cassette", "stands there too"
        else:
            kind, also = "other-key", "is not asked for here"
        yield Finding.of(
            kind,
            held.entry.key,
            f"run {held.name}: the cassette {one.cassette[:12]} is a recording of {right}, which {also}; it does not "
            "count here",
            expected=held.entry.key,
            observed=right,
        )


def _twice(
    chosen: Held, mine: CassetteFacts, recorded: Sequence[tuple[Held, CassetteFacts]]
) -> Iterator[Finding]:
    """Another recording of the trial, unless the chosen run's own tries hold it: then it was tried again."""
    own = {one.cassette for one in chosen.entry.tries}
    others = {
        theirs.cassette: f"in run {held.name} ({theirs.derived})"
        for held, theirs in recorded
        if theirs.cassette not in own
    }
    if others:
        yield Finding.of(
            "duplicate-trial",
            chosen.entry.key,
            f"the trial is recorded more than once: in run {chosen.name} ({mine.derived}), "
            f"{', '.join(others.values())}; {NEWEST}",
            expected=mine.cassette,
            observed=sorted(others),
        )


def _unlike(held: Held, facts: CassetteFacts) -> Iterator[Finding]:
    """What was said of the trial and does not follow; and what left it undecided."""
    key = held.entry.key
    if facts.stored != facts.derived:
        yield Finding.of(
            "stored-verdict",
            key,
            f"the seal of {facts.cassette[:12]} says {facts.stored}, its answers give {facts.derived}; the answers "
            f"count (recorded with parser {facts.parser})",
            expected=facts.stored,
            observed=facts.derived,
        )
    said = _said(held.entry.tries, facts.cassette)
    if said != facts.stored:
        yield Finding.of(
            "ledger-verdict",
            key,
            f"the ledger of run {held.name} says {said} of {facts.cassette[:12]}, its seal says {facts.stored}",
            expected=said,
            observed=facts.stored,
        )
    if facts.derived == "error":
        passed, failed = facts.votes.count("pass"), facts.votes.count("fail")
        if passed == failed > 0:
            kind, why = "tied-vote", f"the vote is tied: {facts.reason}"
        else:
            kind, why = "error", f"no verdict: {facts.reason}"
        yield Finding.of(
            kind, key, f"{why}; it counts neither as passed nor as failed", observed=facts.reason
        )


def _said(tries: Sequence[Try], cassette: str) -> str:
    return next(one.verdict for one in tries if one.cassette == cassette)
