"""The ledger of a run: every planned trial, its tries, and which of them counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from replaylab.canonical import digest
from replaylab.cassette.stored import open_cassette
from replaylab.engine.journal import SealedTrial
from replaylab.engine.plan import PlannedTrial, keys
from replaylab.errors import UsageError
from replaylab.schema.cassette import Evidence, Header, key_of
from replaylab.schema.outcome import run_outcome
from replaylab.schema.run import RUN_FORMAT, LedgerEntry, Run, RunSpec, Try
from replaylab.store.library import Library


@dataclass(frozen=True)
class Order:
    """What to record, under which name, and how much at a time.

    `planned` is this shard's part. `inputs` gives the inputs digest of every trial of the spec by key; without it,
    trials of other shards that are recorded already can't be checked. `evidence` is that of a run whose lanes are copied.
    """

    name: str
    spec: RunSpec
    planned: Sequence[PlannedTrial]
    shard: str = ""
    jobs: int = 1
    retry_errors: bool = False
    inputs: Mapping[str, str] = field(default_factory=dict)
    evidence: Evidence = "recorded"

    def given(self) -> dict[str, str]:
        """The inputs digest of each trial that can be checked, by key."""
        return {**self.inputs, **{str(trial.key): trial.header.inputs for trial in self.planned}}


@dataclass(frozen=True)
class Before:
    """The newest run object of a name, or nothing."""

    run_id: str | None = None
    run: Run | None = None


def carried_over(library: Library, order: Order) -> Before:
    """The run that a recording goes on with. It may grow by models, tasks and trials; it may not change or shrink."""
    found = library.named(order.name)
    if found is None:
        return Before()
    run_id, run = found
    if run.spec != order.spec:
        tries = [(entry.key, one) for entry in run.ledger for one in entry.tries]
        _check_fit(library, order, tries, _changed(run.spec, order.spec))
    return Before(run_id, run)


def check_journaled(library: Library, order: Order, sealed: Sequence[SealedTrial]) -> None:
    """Raise UsageError when trials that no run object names yet were recorded under a spec that they don't fit."""
    now = spec_digest(order.spec)
    others = [(one.key, one.sealed) for one in sealed if one.spec != now]
    _check_fit(library, order, others, "the settings of a model, a task or a prompt")


def check_begun(order: Order, begun: Sequence[Header], where: str) -> None:
    """Raise UsageError when a trial in progress belongs to another plan: its answers are paid and must not be lost."""
    wanted, given = {str(key) for key in keys(order.spec)}, order.given()
    for header in begun:
        key = str(key_of(header))
        if key not in wanted or given.get(key, header.inputs) != header.inputs:
            raise UsageError(
                f"the run {order.name!r} has {len(begun)} trials in progress that were begun with other options, "
                f"among them {key}",
                where=where,
                fix="give the options that began them, and they go on; or record under another name: --run NAME",
            )


def _check_fit(library: Library, order: Order, tries: Sequence[tuple[str, Try]], changed: str) -> None:
    wanted = {str(key) for key in keys(order.spec)}
    given = order.given()
    for key, one in tries:
        if key not in wanted:
            raise _other(order.name, f"it holds the trial {key}, which is not planned now")
        if key in given and open_cassette(library, one.cassette).header.inputs != given[key]:
            raise _other(order.name, f"the trial {key} was recorded with other settings: {changed}")


def spec_digest(spec: RunSpec) -> str:
    """The digest that says which spec it is."""
    return digest(spec.to_json())


def _other(name: str, why: str) -> UsageError:
    return UsageError(
        f"the run {name!r} was recorded with another spec: {why}", fix="record under another name: --run NAME"
    )


def _changed(before: RunSpec, now: RunSpec) -> str:
    old, new = before.to_json(), now.to_json()
    fields = sorted(field for field in old.keys() | new.keys() if old.get(field) != new.get(field))
    return ", ".join(fields) or "task or prompt content"


class Ledger:
    """What is recorded of what is planned. Not thread-safe; its owner locks."""

    def __init__(self, planned: Sequence[PlannedTrial], before: Run | None) -> None:
        self._tries: dict[str, list[Try]] = {str(trial.key): [] for trial in planned}
        for entry in before.ledger if before else ():
            self._tries[entry.key] = list(entry.tries)

    def add(self, key: str, sealed: Try) -> None:
        """One more try of a trial."""
        tries = self._tries.setdefault(key, [])
        if sealed not in tries:  # a crash between reference and journal leaves it in both
            tries.append(sealed)

    def tries(self, key: str) -> int:
        return len(self._tries[key])

    def done(self) -> Iterator[tuple[str, int]]:
        """Key and number of every try."""
        return ((key, number) for key, tries in self._tries.items() for number in range(len(tries)))

    @property
    def recorded(self) -> int:
        return sum(1 for tries in self._tries.values() if tries)

    def wants(self, trial: PlannedTrial, retry_errors: bool) -> bool:
        entry = self._entry(str(trial.key))
        return entry.status == "missing" or (retry_errors and entry.status == "error")

    def _entry(self, key: str) -> LedgerEntry:
        entry = LedgerEntry(key=key, status="missing", tries=tuple(self._tries.get(key, ())))
        counting = entry.counting
        if counting is None:
            return entry
        return entry.model_copy(update={"status": "error" if counting.verdict == "error" else "recorded"})

    def run(self, order: Order, before_id: str | None, before: Run | None, now: str) -> Run:
        """The run object for what is recorded now. It lists every trial of the spec, this shard's or not."""
        return make_run(
            order.name,
            order.spec,
            tuple(self._entry(str(key)) for key in keys(order.spec)),
            created=now,
            follows=(before_id,) if before_id else (),
            shard=order.shard if before is None or before.shard == order.shard else "",
            evidence=order.evidence,
        )

    @staticmethod
    def same_as(before: Run, run: Run) -> bool:
        return before.ledger == run.ledger and before.spec == run.spec


def make_run(
    name: str,
    spec: RunSpec,
    ledger: tuple[LedgerEntry, ...],
    *,
    created: str,
    follows: Sequence[str],
    shard: str = "",
    evidence: Evidence = "recorded",
) -> Run:
    """A run object with its outcome digest, which covers the spec and each counting try and nothing of when or where."""
    outcomes = {entry.key: entry.counting.outcome if entry.counting else None for entry in ledger}
    return Run(
        format=RUN_FORMAT,
        name=name,
        created=created,
        follows=tuple(follows),
        spec=spec,
        shard=shard,
        ledger=ledger,
        outcome=run_outcome(spec.to_json(), outcomes),
        evidence=evidence,
    )


def status_counts(run: Run) -> dict[str, int]:
    """Planned, recorded, error, missing, and how the recorded ones were judged: pass, fail."""
    counts = Counter(entry.status for entry in run.ledger)
    verdicts = Counter(entry.counting.verdict for entry in run.ledger if entry.counting)
    return {
        "planned": len(run.ledger),
        "recorded": counts["recorded"],
        "error": counts["error"],
        "missing": counts["missing"],
        "pass": verdicts["pass"],
        "fail": verdicts["fail"],
    }
