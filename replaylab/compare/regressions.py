"""Two runs trial by trial: which verdicts changed and where those trials first part, what the rates do, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from replaylab.compare.agreeing import Between, between
from replaylab.compare.divergence import Divergence
from replaylab.compare.metrics import DECIDED, Metric, metrics
from replaylab.compare.pairing import Changed, Match, Pair, pair_trials
from replaylab.compare.recorded import divergence_of
from replaylab.errors import UsageError
from replaylab.schema.base import DigestField, Frozen
from replaylab.schema.cassette import Evidence
from replaylab.schema.finding import Finding
from replaylab.schema.model import played_by
from replaylab.schema.run import RunSpec
from replaylab.score.facts import Trial, TrialOutcome
from replaylab.score.money import Prices
from replaylab.score.read import read_study
from replaylab.score.tables.cost import bill, why_unknown
from replaylab.store.library import Library

Progress = Callable[[int, int], None]
OUTCOMES: tuple[TrialOutcome, ...] = ("pass", "fail", "error", "missing", "unjudged")


class Flip(Frozen):
    """A trial whose outcome is another one in the second run.

    `kind` is `regressed` (pass, then fail), `improved` (fail, then pass), or `undecided`: an error, a missing or an
    unjudged trial on either side, which is no verdict. `first` is None where a side is not recorded.
    """

    kind: str
    key_a: str
    key_b: str
    task: str
    scenario: str
    industry: str
    faults: str
    trial: int
    before: TrialOutcome
    after: TrialOutcome
    cassette_a: str = ""
    cassette_b: str = ""
    reason_a: str = ""
    reason_b: str = ""
    failures: tuple[str, ...] = ()
    first: Divergence | None = None


class Spending(Frozen):
    """What one side's trials took. `usd` is exact, as text; None where it is not known, and `why` says so."""

    trials: int
    calls: int
    retries: int
    prompt_tokens: int
    completion_tokens: int
    wall_ms: float
    uncounted: int = 0
    untimed: int = 0
    passed: int
    usd: str | None
    money: str
    why: str = ""
    by_role: dict[str, str]


class RunSide(Frozen):
    """One of the two runs."""

    name: str
    run: DigestField
    players: dict[str, str]


class Regressions(Frozen):
    """What became of the trials of one run in another, of one kind of evidence on each side.

    `outcomes` counts pairs by (before, after). `alone_a` and `alone_b` are trials without a counterpart, which take
    part in nothing here. `between` is there where the runs differ in their simulator.
    """

    a: RunSide
    b: RunSide
    evidence: tuple[Evidence, Evidence]
    changed: tuple[Changed, ...]
    pairs: int
    outcomes: dict[str, int]
    flips: tuple[Flip, ...]
    metrics: tuple[Metric, ...]
    spending: tuple[Spending, Spending]
    alone_a: int
    alone_b: int
    between: tuple[Between, ...] = ()
    findings: tuple[Finding, ...] = ()

    def count(self, kind: str) -> int:
        """How many flips are of that kind."""
        return sum(one.kind == kind for one in self.flips)

    @property
    def regressed(self) -> tuple[Flip, ...]:
        return tuple(one for one in self.flips if one.kind == "regressed")


class _Read(NamedTuple):
    side: RunSide
    spec: RunSpec
    trials: tuple[Trial, ...]
    evidence: dict[str, Evidence]
    findings: tuple[Finding, ...]


def regressions(
    library: Library,
    run_a: str,
    run_b: str,
    *,
    match: Match | None = None,
    prices: Prices | None = None,
    jobs: int = 1,
    progress: Progress = lambda done, planned: None,
) -> tuple[Regressions, ...]:
    """The second run held against the first, one value for each kind of evidence that is paired with another.

    `match` says by role which model of the first run belongs to which of the second, where that can't be told. Raises
    UsageError for an unknown run, and where no two trials belong together.
    """
    run_id, _ = library.trial_run(run_a)
    if run_id == library.trial_run(run_b)[0]:
        raise UsageError(
            f"{run_a!r} and {run_b!r} are the same run",
            where=run_id,
            fix="name two; `replaylab runs` lists them",
        )
    first, second = (_read(library, name, jobs, progress) for name in (run_a, run_b))
    paired = pair_trials(first.trials, second.trials, (first.spec, second.spec), match)
    groups: dict[tuple[Evidence, Evidence], list[Pair]] = {}
    for pair in paired.pairs:
        groups.setdefault((first.evidence[pair.a.key], second.evidence[pair.b.key]), []).append(pair)
    return tuple(
        Regressions(
            a=first.side,
            b=second.side,
            evidence=kinds,
            changed=paired.changed,
            pairs=len(pairs),
            outcomes=_outcomes(pairs),
            flips=tuple(_flip(library, pair) for pair in pairs if pair.a.outcome != pair.b.outcome),
            metrics=metrics(pairs),
            spending=_spending(pairs, prices or {}),
            alone_a=len(paired.alone_a),
            alone_b=len(paired.alone_b),
            between=_between(library, pairs, jobs),
            findings=(*first.findings, *second.findings),
        )
        for kinds, pairs in sorted(groups.items())
    )


def _read(library: Library, name: str, jobs: int, progress: Progress) -> _Read:
    run_id, run = library.trial_run(name)
    studies = read_study(library, [name], jobs=jobs, progress=progress)
    spec = run.spec
    players = {one.alias: played_by(one) for one in (*spec.agents, *spec.simulators, *spec.verifiers)}
    return _Read(
        RunSide(name=run.name, run=run_id, players=players),
        spec,
        tuple(trial for study in studies for trial in study.trials),
        {trial.key: study.evidence for study in studies for trial in study.trials},
        tuple(finding for study in studies for finding in study.findings if finding.kind not in _EXPECTED),
    )


_EXPECTED = ("error", "tied-vote")  # shown as such among the outcomes


def _between(library: Library, pairs: Sequence[Pair], jobs: int) -> tuple[Between, ...]:
    """What drives the simulators apart, where the runs differ in those."""
    names = dict.fromkeys((pair.a.simulator, pair.b.simulator) for pair in pairs)
    found = [
        between(
            library,
            a,
            b,
            [pair for pair in pairs if (pair.a.simulator, pair.b.simulator) == (a, b)],
            jobs=jobs,
        )
        for a, b in names
        if a != b
    ]
    return tuple(one for one in found if one is not None)


def _outcomes(pairs: Sequence[Pair]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for pair in pairs:
        name = f"{pair.a.outcome} -> {pair.b.outcome}"
        counts[name] = counts.get(name, 0) + 1
    order = [f"{before} -> {after}" for before in OUTCOMES for after in OUTCOMES]
    return {name: counts[name] for name in order if name in counts}


def _flip(library: Library, pair: Pair) -> Flip:
    a, b = pair
    verdicts = a.outcome in DECIDED and b.outcome in DECIDED
    kind = "undecided" if not verdicts else "regressed" if b.outcome == "fail" else "improved"
    failed = next((one.facts for one in pair if one.facts and one.outcome == "fail"), None)
    return Flip(
        kind=kind,
        key_a=a.key,
        key_b=b.key,
        task=a.task,
        scenario=a.scenario.id,
        industry=a.scenario.industry,
        faults=a.faults,
        trial=a.trial,
        before=a.outcome,
        after=b.outcome,
        cassette_a=a.facts.cassette if a.facts else "",
        cassette_b=b.facts.cassette if b.facts else "",
        reason_a=a.facts.reason if a.facts else "",
        reason_b=b.facts.reason if b.facts else "",
        failures=failed.failures if failed else (),
        first=divergence_of(library, a, b),
    )


def _spending(pairs: Sequence[Pair], prices: Prices) -> tuple[Spending, Spending]:
    """Of the pairs that are recorded on both sides."""
    both = [pair for pair in pairs if pair.a.facts and pair.b.facts]
    first, second = (_spent([pair[side] for pair in both], prices) for side in (0, 1))
    return first, second


def _spent(trials: Sequence[Trial], prices: Prices) -> Spending:
    found = bill(trials, prices)
    known = found.whole.known
    return Spending(
        trials=found.trials,
        calls=found.calls,
        retries=found.retries,
        prompt_tokens=found.prompt_tokens,
        completion_tokens=found.completion_tokens,
        wall_ms=round(found.wall_ms, 3),
        uncounted=found.uncounted,
        untimed=found.untimed,
        passed=found.passed,
        usd=None if known is None else str(known),
        money=found.whole.text,
        why=why_unknown(found.whole),
        by_role={role: money.text for role, money in sorted(found.by_role.items())},
    )
