"""Recording a run: what is missing is run, journaled, sealed into cassettes, and named by a new run object."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from replaylab.cassette.indexing import sync_index
from replaylab.cassette.tape import Tape
from replaylab.engine.gate import Gate, Stopped, Totals
from replaylab.engine.journal import RunJournal, TrialJournal
from replaylab.engine.ledger import Ledger, Order, carried_over, check_begun, check_journaled, spec_digest
from replaylab.engine.plan import PlannedTrial
from replaylab.engine.seal import seal
from replaylab.engine.seams import Seams
from replaylab.engine.swap import copied_lanes
from replaylab.engine.trial import OpenChat, in_turn, run_trial
from replaylab.engine.workers import at_once, run_all
from replaylab.errors import LimitReached, ReplaylabError
from replaylab.schema.callpath import OWN_CALLS, role_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.run import Run, Try
from replaylab.store.library import Library

UNREACHED = ("refused", "unauthorized")
UNREACHED_IN_A_ROW = 3


@dataclass(frozen=True)
class Progress:
    """Where a recording stands. `begun` counts trials that are being run now."""

    done: int
    planned: int
    begun: int
    totals: Totals


@dataclass(frozen=True)
class Recorded:
    """What a recording came to. `new` counts trials sealed by it; `stopped` says why it ended early, "" if it didn't.

    `anew` counts trials that were resumed and had to be begun again, as their agent did not repeat what it had done.
    """

    run_id: str
    run: Run
    new: int
    resumed: int
    in_progress: int
    totals: Totals
    stopped: str = ""
    interrupted: bool = False
    anew: int = 0


class Recording:
    """One `record` of one run. `open_chat` gives a role its model; the gate counts and limits the calls."""

    def __init__(
        self,
        library: Library,
        order: Order,
        *,
        open_chat: OpenChat,
        gate: Gate,
        seams: Seams,
        progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self.library, self.order = library, order
        self.open_chat, self.gate, self.seams = open_chat, gate, seams
        self._progress = progress
        self._journal = RunJournal(library.journal(order.name))
        self._spec = spec_digest(order.spec)
        self._lock = threading.Lock()
        self._begun = self._resumed = self._new = self._unreached = self._anew = 0

    def run(self) -> Recorded:
        """Record what is missing. Ctrl-C lets the calls in flight finish; everything answered is kept."""
        with self.library.lock(self.order.name):
            try:
                return self._run()
            finally:
                self._journal.close()

    def _run(self) -> Recorded:
        before = carried_over(self.library, self.order)
        sealed = self._journal.sealed()
        check_journaled(self.library, self.order, sealed)
        check_begun(self.order, self._journal.begun(), str(self._journal.folder))
        self._ledger = Ledger(self.order.planned, before.run)
        for one in sealed:
            self._ledger.add(one.key, one.sealed)
        self._journal.drop_done(self._ledger.done())
        interrupted, failure = run_all(self._todo(), self._one, self.order.jobs, self._stop)
        wanted = failure is None or isinstance(failure, (LimitReached, Stopped))
        if failure and not wanted and not self._ledger.recorded:
            raise failure  # a run that holds nothing would only stand in the way of the next one
        run_id, run = self._write(before.run_id, before.run)
        if failure and not wanted:
            raise failure
        return Recorded(
            run_id,
            run,
            self._new,
            self._resumed,
            self._journal.in_progress(),
            self.gate.totals,
            stopped="interrupted" if interrupted else failure.what if failure else "",
            interrupted=interrupted,
            anew=self._anew,
        )

    def _todo(self) -> Iterator[PlannedTrial]:
        return iter(
            [trial for trial in self.order.planned if self._ledger.wants(trial, self.order.retry_errors)]
        )

    def _stop(self, why: ReplaylabError | None) -> None:
        self.gate.stop(why)

    def _one(self, trial: PlannedTrial) -> None:
        while self._try(trial):
            self._count(anew=1)

    def _try(self, trial: PlannedTrial) -> bool:
        """One try of a trial. Whether another one is due at once, since its agent could not be brought back to where it
        was: an agent of the user's own has nothing that could be resumed, and did not do the same again.
        """
        key = str(trial.key)
        subject = trial.header.subject.model_copy(update={"attempt": self._ledger.tries(key)})
        header = trial.header.model_copy(update={"subject": subject})
        journal = self._journal.open_trial(key, header, self.seams.now)
        try:
            self._count(begun=1, resumed=bool(journal.lanes))
            tape = self._play(trial, journal)
        finally:
            self._journal.release(journal)
            self._count(begun=-1)
        last = tape.lanes.get("agent", [])[-1:]
        return any(row.final.failure and row.final.failure.kind == "agent_diverged" for row in last)

    def _play(self, trial: PlannedTrial, journal: TrialJournal) -> Tape:
        tape = self._tape(trial, journal)
        parallel = in_turn if self.order.jobs == 1 else at_once
        run_trial(journal.header, tape, self.open_chat, parallel)
        data, result = seal(journal.header, tape, self.seams.now())
        lockstep = journal.header.mode.startswith("lockstep/")
        if not (lockstep and result.trajectory.termination == "simulator_error"):
            tape.check_played()  # lockstep ends early where the swapped-in simulator fails; nothing else may
        cassette = self.library.put(data, "cassette")
        sealed = Try(
            cassette=cassette,
            outcome=result.outcome,
            verdict=result.verdict.outcome,
            termination=result.trajectory.termination,
        )
        self._journal.note_sealed(str(trial.key), sealed, self._spec)
        self._journal.drop_trial(journal)
        with self._lock:
            self._ledger.add(str(trial.key), sealed)
            self._new += 1
            self._check_reached(tape)
        return tape

    def _check_reached(self, tape: Tape) -> None:
        """Stop once several trials in a row ended because a model can't be reached: the rest would end so too."""
        crashed = any(row.final.failure for row in tape.lanes.get("agent", [])[-1:])
        # What an agent of the user's own could not reach may not have mattered to it.
        counting = (rows for lane, rows in tape.lanes.items() if crashed or role_of(lane) != OWN_CALLS)
        last = [rows[-1] for rows in counting]
        lost = [row for row in last if row.final.failure and row.final.failure.kind in UNREACHED]
        self._unreached = self._unreached + 1 if lost else 0
        if self._unreached >= UNREACHED_IN_A_ROW:
            what = (
                "refuses the key" if lost[0].final.status else "can't be reached: no connection could be made"
            )
            raise LimitReached(
                f"{self._unreached} trials in a row ended because the model {lost[0].request.alias!r} {what}",
                fix="see that its server runs and its address and key are right (`replaylab models`); then record "
                "again with --retry-errors",
            )

    def _tape(self, trial: PlannedTrial, journal: TrialJournal) -> Tape:
        started = self.seams.elapsed_ms() - journal.elapsed_ms
        copied, blob = copied_lanes(self.library, trial) if trial.source else ({}, journal.blob)
        tape = Tape(
            trial.key,
            elapsed_ms=lambda: round(self.seams.elapsed_ms() - started, 3),
            recorded={**copied, **journal.lanes},
            blob=lambda name: journal.blobs.get(name) or blob(name),
            # A lane that was never asked in the trial that is copied from is copied too, and not put live.
            closed=lambda lane: lane in trial.copies.values(),
            sink=journal,
        )
        tape.on_commit = self._committed
        return tape

    def _committed(self, interaction: Interaction) -> None:
        self.gate.count(interaction)
        self._count()

    def _count(self, begun: int = 0, resumed: bool = False, anew: int = 0) -> None:
        with self._lock:
            self._anew += anew
            self._begun += begun
            self._resumed += resumed
            done = self._ledger.recorded
            self._progress(Progress(done, len(self.order.planned), self._begun, self.gate.totals))

    def _write(self, before_id: str | None, before: Run | None) -> tuple[str, Run]:
        """Run object, reference, the journal's end, index, in this order. Nothing new means no new run object."""
        run = self._ledger.run(self.order, before_id, before, self.seams.now())
        if before is not None and before_id is not None and self._ledger.same_as(before, run):
            self._journal.clear_sealed()
            return before_id, before
        run_id = self.library.put_run(run)
        self.library.set_ref(self.order.name, run_id)
        self._journal.clear_sealed()
        sync_index(self.library)
        return run_id, run
