"""Views: a run, a trial and an interaction as they are shown, read from cassettes and added up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from replaylab.canonical import Digest
from replaylab.cassette.codec import Cassette, lane_order
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import expand
from replaylab.derive.conformance import Conformance, conformance_of
from replaylab.derive.exposure import Exposure, exposure_of, summed
from replaylab.derive.recovery import Recovery, recovery_of
from replaylab.derive.taxonomy import FailureLabel, failures_of
from replaylab.derive.verdict import Derived, checks_of, derive, tally, unjudged
from replaylab.errors import CassetteGone, StoreError, UsageError
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import OWN_CALLS, escape
from replaylab.schema.cassette import IMPORT_LABEL, Header
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Failure, Interaction, Usage
from replaylab.schema.model import PROGRAM, UNKNOWN, ModelSettings, Player
from replaylab.schema.run import LedgerEntry, Run, Try
from replaylab.schema.trajectory import CheckResult, Trajectory, Verdict, Vote
from replaylab.store.library import Library
from replaylab.wire.completion import judge

# US dollars for one answer of a model, at the time of the recording (ISO 8601); None where no price is known.
Price = Callable[[ModelSettings, str, Usage], Decimal | None]


def unpriced(settings: ModelSettings, created: str, usage: Usage) -> Decimal | None:
    """A price list that knows nothing but that programs are free."""
    return None if settings.player == "llm" else Decimal(0)


@dataclass(frozen=True)
class Tally:
    """What some interactions took. `model_ms` adds up the latencies of all attempts.

    `unmetered` counts answers for which the server counted no tokens. `cost` is in US dollars, None when unknown.
    """

    calls: int = 0
    attempts: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unmetered: int = 0
    model_ms: float = 0.0
    cost: Decimal | None = Decimal(0)

    @property
    def tokens(self) -> str:
        """All tokens for a table. Unknown where nobody counted any: 0 would be a measurement."""
        return f"{self.prompt_tokens + self.completion_tokens:,}" if self.is_counted else UNKNOWN

    @property
    def in_and_out(self) -> str:
        """The tokens of both ways, or that they are unknown."""
        known = f"{self.prompt_tokens:,} in, {self.completion_tokens:,} out"
        return known if self.is_counted else UNKNOWN

    @property
    def is_counted(self) -> bool:
        """Whether any tokens were counted, or there was nothing to count."""
        return bool(self.prompt_tokens or self.completion_tokens or not self.unmetered)

    @property
    def seconds(self) -> str:
        """The time of all attempts. Calls that took no time at all are calls that nobody timed."""
        return f"{self.model_ms / 1000:,.1f} s" if self.model_ms or not self.calls else UNKNOWN

    def __add__(self, other: Tally) -> Tally:
        unknown = self.cost is None or other.cost is None
        return Tally(
            self.calls + other.calls,
            self.attempts + other.attempts,
            self.failed + other.failed,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.unmetered + other.unmetered,
            self.model_ms + other.model_ms,
            None if unknown else (self.cost or Decimal(0)) + (other.cost or Decimal(0)),
        )


def add_up(tallies: Iterable[Tally]) -> Tally:
    """The sum; of nothing, an empty tally."""
    return sum(tallies, Tally())


class Asked:
    """One interaction, with its request put together and its answer read."""

    def __init__(self, cassette: Cassette, lane: str, ordinal: int) -> None:
        self.cassette, self.lane, self.ordinal = cassette, lane, ordinal
        self.row: Interaction = cassette.lanes[lane][ordinal]

    @cached_property
    def body(self) -> JsonObject:
        """The whole body of the request; `{"raw": base64}` for one that was not I-JSON."""
        return expand(self.cassette.lanes[self.lane], self.ordinal, self.cassette.blob)

    @cached_property
    def result(self) -> Completion | Failure:
        """What the last attempt says: an answer, or why there is none."""
        return judge(self.row.final)

    @property
    def brief(self) -> str:
        """The answer in one line: its text, the tools that it calls, or why there is none."""
        result = self.result
        if isinstance(result, Failure):
            return f"{result.kind}: {result.message}" if result.message else result.kind
        calls = ", ".join(f"{call.name}({call.arguments})" for call in result.tool_calls)
        said = " ".join((result.text or result.refusal).split())
        return " ".join(filter(None, (said, f"-> {calls}" if calls else "")))


@dataclass(frozen=True)
class Trial:
    """One try of a trial. `tries` and `number` say which of the run's tries it is; a bare cassette has no run."""

    cassette: Cassette
    price: Price = unpriced
    run_id: Digest | None = None
    run_name: str = ""
    tries: Sequence[Try] = field(default=())
    number: int = 0

    @property
    def header(self) -> Header:
        return self.cassette.header

    @property
    def key(self) -> str:
        """The text of the trial's key."""
        subject = self.header.subject
        return f"{subject.condition}/{escape(subject.task)}/{subject.trial}"

    @cached_property
    def _derived(self) -> Derived:
        return derive(self.header, self.cassette.lanes)

    @property
    def trajectory(self) -> Trajectory:
        return self._derived.trajectory

    @property
    def verdict(self) -> Verdict:
        return self._derived.verdict

    @cached_property
    def exposure(self) -> Exposure:
        return exposure_of(self.header, self.trajectory)

    @property
    def conformance(self) -> Conformance | None:
        """What a simulator that was asked for faults injected; None where it was not asked."""
        return conformance_of(self.header, self.trajectory)

    @property
    def recovery(self) -> Recovery:
        return recovery_of(self.trajectory)

    @cached_property
    def failures(self) -> tuple[FailureLabel, ...]:
        """Why the trial failed; nothing where it did not."""
        return failures_of(self.header, self.trajectory, self.verdict)

    @cached_property
    def checks(self) -> tuple[CheckResult, ...]:
        """The task's checks beside the votes, also where they took no part; none that a vote says already."""
        told = {vote.checks for vote in self.verdict.votes}
        if not self.header.task.rubric.checks or unjudged(self.trajectory) is not None:
            return ()
        results = self.verdict.checks or checks_of(self.header, self.trajectory)
        return () if results in told and not self.verdict.checks else results

    @cached_property
    def source(self) -> JsonObject:
        """What the file says of the trial from which it was imported: scores, how it ended. Nobody here checked that."""
        for label in self.cassette.labels:
            kept = label.value.get("source") if isinstance(label.value, dict) else None
            if label.kind == IMPORT_LABEL and isinstance(kept, dict):
                return kept
        return {}

    @property
    def checks_title(self) -> str:
        """What the checks are to the verdict."""
        part = "they take part in the verdict" if self.verdict.checks else "shown beside the votes"
        return f"checks: {tally(self.checks)} ({part})"

    @property
    def lanes(self) -> list[str]:
        """The lanes in reading order: agent, simulator, votes."""
        return sorted(self.cassette.lanes, key=lane_order)

    def asked(self, lane: str) -> Iterator[Asked]:
        """The interactions of a lane, in order."""
        return (Asked(self.cassette, lane, ordinal) for ordinal in range(len(self.cassette.lanes[lane])))

    def tally(self, lane: str) -> Tally:
        """What a lane took."""
        return add_up(self._tally_of(row) for row in self.cassette.lanes[lane])

    @property
    def total(self) -> Tally:
        return add_up(self.tally(lane) for lane in self.lanes)

    def settings(self, alias: str) -> ModelSettings | None:
        """The recorded settings of the model that goes by that alias."""
        return next((one for one in self.header.players.values() if one.alias == alias), None)

    def _tally_of(self, row: Interaction) -> Tally:
        failed = isinstance(judge(row.final), Failure)
        return Tally(
            calls=1,
            attempts=len(row.attempts),
            failed=int(failed),
            prompt_tokens=row.usage.prompt_tokens if row.usage else 0,
            completion_tokens=row.usage.completion_tokens if row.usage else 0,
            unmetered=int(row.usage is None and not failed),
            model_ms=sum(attempt.latency_ms for attempt in row.attempts),
            cost=self._cost(row, failed),
        )

    def _cost(self, row: Interaction, failed: bool) -> Decimal | None:
        """Nothing for a failed call, as endpoints bill; unknown for an answer whose tokens nobody counted."""
        # Which models an agent of the user's own asks is known by their answers alone.
        own = f"/{OWN_CALLS}." in row.path
        settings = _answerer(row) if own else self.settings(row.request.alias)
        if settings is None or (row.usage is None and not failed and settings.player == "llm"):
            return None
        return self.price(settings, self.header.created, row.usage or Usage())


def _answerer(row: Interaction) -> ModelSettings | None:
    """The model that answered an agent of the user's own, as far as its answer says."""
    if not row.answered_by:
        return None
    player: Player = "program" if row.fingerprint.startswith(PROGRAM) else "llm"
    return ModelSettings(alias=row.answered_by, model=row.answered_by, player=player)


@dataclass(frozen=True)
class Row:
    """A line of a run's table. `problem` says why the cassette of a recorded trial can't be read.

    `gone` says that it was purged or redacted and why: then it has no verdict that anybody can look into.
    """

    entry: LedgerEntry
    tool_calls: int = 0
    tally: Tally = Tally()
    problem: str = ""
    gone: str = ""
    exposure: Exposure | None = None
    conformance: Conformance | None = None


@dataclass(frozen=True)
class RunView:
    """A run with a row for each planned trial, in the order of the ledger."""

    run_id: Digest
    run: Run
    rows: tuple[Row, ...]

    @property
    def total(self) -> Tally:
        return add_up(row.tally for row in self.rows)

    @property
    def exposure(self) -> Exposure:
        """The counts of all recorded trials together, but for those whose simulator was asked for faults."""
        return summed([row.exposure for row in self.rows if row.exposure and not row.conformance])

    @property
    def conformances(self) -> list[Conformance]:
        """One for each trial whose simulator was asked for faults."""
        return [row.conformance for row in self.rows if row.conformance]

    @property
    def problems(self) -> list[Row]:
        return [row for row in self.rows if row.problem]

    @property
    def gone(self) -> dict[str, str]:
        """Why the counting cassettes are not here, by cassette, of those that were purged or redacted."""
        found = ((row.entry.counting, row.gone) for row in self.rows if row.gone)
        return {counting.cassette: gone for counting, gone in found if counting}


def view_run(
    library: Library,
    run_id: Digest,
    run: Run,
    price: Price = unpriced,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> RunView:
    """Read every counting cassette of a run once. A damaged one becomes a row with a problem: all of it is named."""
    rows = []
    for done, entry in enumerate(run.ledger):
        progress(done, len(run.ledger))
        rows.append(_row(library, run_id, run, entry, price))
    return RunView(run_id, run, tuple(rows))


def _row(library: Library, run_id: Digest, run: Run, entry: LedgerEntry, price: Price) -> Row:
    if entry.counting is None:
        return Row(entry)
    try:
        trial = open_trial(library, run_id, run, entry, price=price)
        calls = len(trial.trajectory.actions)
        return Row(entry, calls, trial.total, exposure=trial.exposure, conformance=trial.conformance)
    except CassetteGone as error:
        return Row(entry, gone=f"{error.why} ({error.reason})" if error.reason else error.why)
    except StoreError as error:
        return Row(entry, problem=str(error))


def open_trial(
    library: Library,
    run_id: Digest,
    run: Run,
    entry: LedgerEntry,
    *,
    number: int | None = None,
    price: Price = unpriced,
) -> Trial:
    """A try of a ledger entry; the one that counts when `number` (from 0) is None. Raises UsageError for none."""
    if entry.counting is None:
        raise UsageError(
            f"the trial {entry.key} is planned and not recorded",
            where=f"run {run.name}",
            fix=f"replaylab record --run {run.name} goes on with it",
        )
    if number is None:
        number = entry.tries.index(entry.counting)
    if not 0 <= number < len(entry.tries):
        raise UsageError(
            f"the trial {entry.key} has no try {number}",
            where=f"run {run.name}",
            closest=f"tries 0 to {len(entry.tries) - 1}",
            fix="leave --try out to see the one that counts",
        )
    cassette = open_cassette(library, entry.tries[number].cassette)
    return Trial(cassette, price, run_id, run.name, entry.tries, number)


def deciders(verdict: Verdict) -> list[CheckResult]:
    """The checks that failed, each once: the task's, then those of the votes. `call` is the tool call that decided."""
    results = [*verdict.checks, *(one for vote in verdict.votes for one in vote.checks)]
    return list(dict.fromkeys(one for one in results if one.result == "fail"))


def undecided(verdict: Verdict) -> str:
    """What stands in place of a failed check where there is none."""
    if not verdict.votes and not verdict.checks:
        return "nobody judged it"
    checked = verdict.checks or any(vote.checks for vote in verdict.votes)
    return "no check failed" if checked else "the votes alone: no checks came with them"


def same_votes(votes: Iterable[Vote]) -> list[list[Vote]]:
    """The votes, those that say the very same together, in the order of their first."""
    alike: dict[Vote, list[Vote]] = {}
    for vote in votes:
        alike.setdefault(vote.model_copy(update={"vote": 0}), []).append(vote)
    return list(alike.values())
