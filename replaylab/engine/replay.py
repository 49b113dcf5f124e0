"""Replay: the same engine over the cassettes, without a network. Compares every request, trajectory and verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import Lane, Tape
from replaylab.engine.explain import explain
from replaylab.engine.seal import Result, result_of
from replaylab.engine.trial import OpenChat, run_trial
from replaylab.errors import DivergenceError, OfflineError
from replaylab.roles.chat import Chat
from replaylab.roles.parsing import PARSER_VERSION
from replaylab.schema.cassette import key_of
from replaylab.schema.finding import Finding
from replaylab.schema.model import ModelSettings
from replaylab.schema.outcome import run_outcome
from replaylab.schema.run import Run
from replaylab.schema.tombstone import Tombstone
from replaylab.store.library import Library
from replaylab.store.processes import in_processes
from replaylab.wire.offline import first_refusal, refuse_network
from replaylab.wire.played import PlayedChat

FEW = 2000  # interactions; below this, starting processes costs more than it saves


@dataclass(frozen=True)
class ReplayedTrial:
    """What the replay of one cassette came to. `outcome` is "" when it diverged."""

    key: str
    cassette: str
    outcome: str
    interactions: int
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Replayed:
    """What the replay of a run came to. `outcome` is the run outcome digest as replayed.

    It is "" when a trial diverged, or when one that counts is among `gone`: purged or redacted, so nobody can replay it.
    """

    trials: tuple[ReplayedTrial, ...]
    outcome: str
    findings: tuple[Finding, ...]
    missing: int
    gone: dict[str, Tombstone] = field(default_factory=dict)

    @property
    def interactions(self) -> int:
        return sum(trial.interactions for trial in self.trials)


def played_chat(lane: Lane, settings: ModelSettings) -> Chat:
    """A model that answers from its lane alone, without the SDK."""
    return PlayedChat(lane, settings)


def replay_cassette(cassette: Cassette, open_chat: OpenChat = played_chat) -> ReplayedTrial:
    """Run the engine over one cassette and compare all that follows with what was sealed."""
    header = cassette.header
    key = key_of(header)
    tape = Tape(
        key, elapsed_ms=lambda: 0.0, recorded=cassette.lanes, blob=cassette.blob, closed=lambda lane: True
    )
    try:
        run_trial(header, tape, open_chat)
        tape.check_played()
    except DivergenceError as error:
        return ReplayedTrial(str(key), cassette.name, "", _count(tape), (explain(error, cassette),))
    result = result_of(header, tape.lanes)
    findings = tuple(_compared(str(key), cassette, result))
    return ReplayedTrial(str(key), cassette.name, "" if findings else result.outcome, _count(tape), findings)


def _count(tape: Tape) -> int:
    return sum(map(len, tape.lanes.values()))


def _compared(key: str, cassette: Cassette, result: Result) -> Iterator[Finding]:
    seal, parser = cassette.seal, cassette.header.engine.parser
    note = (
        f" (recorded with parser {parser}, replayed with {PARSER_VERSION})"
        if parser != PARSER_VERSION
        else ""
    )
    for kind, sealed, now in (
        ("trajectory", seal.trajectory_digest, result.trajectory_digest),
        ("verdict", seal.verdict_digest, result.verdict_digest),
        ("outcome", seal.outcome, result.outcome),
    ):
        if sealed != now:
            yield Finding.of(
                kind,
                key,
                f"the {kind} that follows from the same answers is not the sealed one{note}",
                expected=sealed,
                observed=now,
            )
            return


def replay_run(
    library: Library,
    run: Run,
    *,
    jobs: int = 1,
    offline: bool = True,
    open_chat: OpenChat = played_chat,
    progress: Callable[[int, int], None] = lambda done, planned: None,
) -> Replayed:
    """Replay every recorded try of a run; the order of trials is the plan's, whatever finishes first.

    A damaged or missing cassette raises StoreError. `jobs` is a number of processes: replay is CPU work. Another
    `open_chat` than the one that plays lanes works in this process, one trial after the other.
    """
    tries = [one.cassette for entry in run.ledger for one in entry.tries]
    gone = {name: stone for name, stone in library.all_gone().items() if name in set(tries)}
    names = [name for name in tries if name not in gone]
    trials: dict[str, ReplayedTrial] = {}
    for trial in _replay_all(
        library.root, names, jobs if open_chat is played_chat else 1, offline, open_chat
    ):
        trials[trial.cassette] = trial
        progress(len(trials), len(names))
    ordered = tuple(trials[name] for name in dict.fromkeys(names))
    findings = tuple(finding for trial in ordered for finding in trial.findings)
    missing = sum(entry.status == "missing" for entry in run.ledger)
    return Replayed(ordered, _outcome(run, trials), findings, missing, gone)


def _outcome(run: Run, trials: dict[str, ReplayedTrial]) -> str:
    outcomes: dict[str, str | None] = {}
    for entry in run.ledger:
        counting = entry.counting
        if counting and counting.cassette not in trials:
            return ""  # it is gone
        outcomes[entry.key] = trials[counting.cassette].outcome if counting else None
    return "" if "" in outcomes.values() else run_outcome(run.spec.to_json(), outcomes)


def _replay_all(
    root: Path, names: list[str], jobs: int, offline: bool, open_chat: OpenChat
) -> Iterable[ReplayedTrial]:
    work = partial(_replay_named, root, offline, open_chat)
    names = list(dict.fromkeys(names))
    if jobs <= 1 or len(names) < 2:
        return map(work, names)
    return in_processes(work, names, jobs, at_once=max(1, min(16, len(names) // (jobs * 4))))


def _replay_named(root: Path, offline: bool, open_chat: OpenChat, name: str) -> ReplayedTrial:
    if offline:
        refuse_network()
    trial = replay_cassette(open_cassette(Library(root), name), open_chat)
    refused = first_refusal()
    if refused is not None:
        raise OfflineError(refused.what, where=refused.where, fix=refused.fix)
    return trial
