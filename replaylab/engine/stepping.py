"""Steps of a synthesis: each is a cassette of the kind `synthesis`, that is played where it is recorded and made where not.

A step is a question to the generator (lane `generator`), a trial of a task that is being made (the lanes of a trial), or
votes about something (lanes `verifier.0`, …). It is known by its inputs digest, which covers everything that it is given.
So the same synthesis asks nothing twice: a sealed step is played, one in progress goes on from its journal, and a killed
process loses at most the calls that were in flight. No run names these cassettes; the cassette of an order says what a
synthesis was to do, and everything else follows by playing it again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from replaylab.canonical import canonical, digest
from replaylab.cassette.codec import Cassette
from replaylab.cassette.indexing import cassettes_of, sync_index
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import Tape
from replaylab.engine.gate import Gate
from replaylab.engine.journal import RunJournal, TrialJournal
from replaylab.engine.plan import inputs_digest, this_engine
from replaylab.engine.replay import played_chat
from replaylab.engine.seal import seal
from replaylab.engine.seams import Seams
from replaylab.engine.trial import OpenChat
from replaylab.engine.untried import pack_lanes
from replaylab.errors import LimitReached, OfflineError
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import (
    FORMAT,
    Header,
    Label,
    Limits,
    Prompt,
    Provenance,
    ScenarioFacts,
    Subject,
    key_of,
)
from replaylab.schema.fault import FaultPlan
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Rubric, Task
from replaylab.store.library import Library

KIND = "synthesis"
ORDER_LABEL = "order"
UNREACHED = ("refused", "unauthorized")
UNREACHED_IN_A_ROW = 3
T = TypeVar("T")
Run = Callable[[Tape, OpenChat], T]


@dataclass(frozen=True)
class Names:
    """Who and what a step belongs to: the text of its condition, its address as a task, the number of a repeat."""

    condition: str
    task: str
    trial: int = 0


def blank(question: str, name: str) -> tuple[Environment, Task]:
    """What stands for environment and task in a step that has none: the question is the instruction."""
    environment = Environment(id="none", system_prompt="", tools=(), initial_state={}, state_description={})
    task = Task(
        id=name, scenario="none", environment="none", instruction=question, rubric=Rubric(text=""), plan=None
    )
    return environment, task


def step_header(
    names: Names,
    scenario: ScenarioFacts,
    about: tuple[Environment, Task],
    players: dict[str, ModelSettings],
    lanes: Iterable[str],
    *,
    prompts: dict[str, Prompt],
    limits: Limits,
) -> Header:
    """The header of a step that has not started."""
    environment, task = about
    header = Header(
        format=FORMAT,
        subject=Subject(kind=KIND, condition=names.condition, task=names.task, trial=names.trial),
        created="",
        lanes={lane: Provenance() for lane in lanes},
        players=players,
        scenario=scenario,
        environment=environment,
        task=task,
        faults=FaultPlan(),
        prompts=prompts,
        limits=limits,
        clock=environment.clock,
        engine=this_engine(),
        inputs=digest(None),
    )
    return header.model_copy(update={"inputs": inputs_digest(header)})


def is_trial_step(header: Header) -> bool:
    """Whether an agent and a simulator spoke with each other in a step."""
    return header.subject.kind == KIND and "agent" in header.players


class Steps:
    """The steps of one synthesis. `open_chat` is None offline: then only what is recorded is played.

    Hold the library's lock of `name` while it records. May be used from several threads.
    """

    def __init__(
        self,
        library: Library,
        name: str,
        seams: Seams,
        *,
        open_chat: OpenChat | None = None,
        gate: Gate | None = None,
        retry_errors: bool = False,
    ) -> None:
        self._library, self._seams, self._open_chat, self._gate = library, seams, open_chat, gate
        self._journal = RunJournal(library.journal(name))
        self._retry = retry_errors
        self._lock = threading.Lock()
        self._unreached = 0
        self.played = self.made = self.resumed = 0
        self.used: dict[str, str] = {}  # cassettes that took part, with the time at which each was begun
        self._recorded: dict[str, list[tuple[int, str]]] = {}
        for one in cassettes_of(library, KIND) if library.exists() else ():
            self._know(open_cassette(library, one))

    def _know(self, cassette: Cassette) -> None:
        header = cassette.header
        tries = self._recorded.setdefault(header.inputs, [])
        tries.append((header.subject.attempt, cassette.name))
        tries.sort()

    def take(self, header: Header, run: Run[T], failed: Callable[[T], bool]) -> tuple[T, str]:
        """Play the step, or make it; returns its value and cassette. `failed` says whether a value is an error.

        Of several tries the last that is no error counts, else the last. Raises OfflineError where nothing is recorded
        and nobody may be asked.
        """
        tries = self._recorded.get(header.inputs, [])
        last: tuple[T, str] | None = None
        for _, name in reversed(tries):
            value = self._play(header, run, name)
            last = last or (value, name)
            if not failed(value):
                last = value, name
                break
        if self._open_chat is not None:
            self._journal.drop_done((_journal_key(header), attempt) for attempt, _ in tries)
        if last is not None and not (self._retry and self._open_chat and failed(last[0])):
            with self._lock:
                self.played += 1
            return last
        if self._open_chat is None:
            raise OfflineError(
                f"the step {header.subject.task} was never recorded, and there is no network offline",
                where=str(key_of(header)),
                fix="record it first: the same command without --offline",
            )
        return self._make(self._open_chat, header, run, len(tries))

    def _play(self, header: Header, run: Run[T], name: str) -> T:
        cassette = open_cassette(self._library, name)
        tape = Tape(
            key_of(header),
            elapsed_ms=lambda: 0.0,
            recorded=cassette.lanes,
            blob=cassette.blob,
            closed=lambda lane: True,
        )
        value = run(tape, played_chat)
        tape.check_played()
        self._use(cassette.header, name)
        return value

    def _use(self, header: Header, name: str) -> None:
        with self._lock:
            self.used[name] = header.created

    def _make(self, open_chat: OpenChat, header: Header, run: Run[T], attempt: int) -> tuple[T, str]:
        subject = header.subject.model_copy(update={"attempt": attempt})
        header = header.model_copy(update={"subject": subject})
        journal = self._journal.open_trial(_journal_key(header), header, self._seams.now)
        try:
            tape = self._tape(header, journal)
            with self._lock:
                self.resumed += bool(journal.lanes)
            value = run(tape, open_chat)
            tape.check_played()
            name = self._library.put(_sealed(journal.header, tape, self._seams.now()), "cassette")
            self._journal.drop_trial(journal)
        finally:
            self._journal.release(journal)
        self._know(open_cassette(self._library, name))
        self._use(journal.header, name)
        with self._lock:
            self.made += 1
            self._check_reached(tape)
        return value, name

    def _tape(self, header: Header, journal: TrialJournal) -> Tape:
        started = self._seams.elapsed_ms() - journal.elapsed_ms
        tape = Tape(
            key_of(header),
            elapsed_ms=lambda: round(self._seams.elapsed_ms() - started, 3),
            recorded=journal.lanes,
            blob=journal.blob,
            sink=journal,
        )
        tape.on_commit = self._committed
        return tape

    def _committed(self, interaction: Interaction) -> None:
        if self._gate is not None:
            self._gate.count(interaction)

    def _check_reached(self, tape: Tape) -> None:
        """Stop once several steps in a row ended because a model can't be reached: the rest would end so too."""
        last = [rows[-1] for rows in tape.lanes.values()]
        lost = [row for row in last if row.final.failure and row.final.failure.kind in UNREACHED]
        self._unreached = self._unreached + 1 if lost else 0
        if self._unreached >= UNREACHED_IN_A_ROW:
            raise LimitReached(
                f"{self._unreached} steps in a row ended because the model {lost[0].request.alias!r} can't be reached",
                fix="see that its server runs and its address and key are right (`replaylab models`); then the same "
                "command with --retry-errors",
            )

    def put_order(self, names: Names, order: JsonObject) -> None:
        """Record what a synthesis is to do, unless that is recorded already."""
        header = step_header(
            names,
            ScenarioFacts(id="none", name="none", industry="none", domain="none"),
            blank(canonical(order).decode(), names.task),
            {},
            (),
            prompts={},
            limits=Limits(votes=0),
        )
        if header.inputs in self._recorded:
            return
        now = self._seams.now()
        header = header.model_copy(update={"created": now})
        tape = Tape(key_of(header), elapsed_ms=lambda: 0.0)
        tape.label(Label(kind=ORDER_LABEL, path=str(key_of(header)), value=order))
        self._know(open_cassette(self._library, self._library.put(_sealed(header, tape, now), "cassette")))

    def close(self) -> None:
        """Write nothing more, and tell the index of what is new."""
        self._journal.close()
        if self._open_chat is not None:
            self._journal.clear_sealed()  # there are none: this removes the folder where nothing is in progress
        if self.made or not self._library.exists():
            sync_index(self._library)


def _journal_key(header: Header) -> str:
    """What a step in progress is known by. Its address is not enough: a step anew may be given something else."""
    return f"{key_of(header)} {header.inputs}"


def orders_of(library: Library) -> list[tuple[str, JsonObject]]:
    """Every order of the library with its address, by time of making."""
    found = []
    for name in cassettes_of(library, KIND) if library.exists() else ():
        cassette = open_cassette(library, name)
        if cassette.header.players:
            continue
        begun, task = cassette.header.created, cassette.header.subject.task
        found += [(begun, task, label.value) for label in cassette.labels if label.kind == ORDER_LABEL]
    return [(task, order) for _, task, order in sorted(found, key=lambda one: (one[0], one[1]))]


def _sealed(header: Header, tape: Tape, sealed: str) -> bytes:
    if is_trial_step(header):
        return seal(header, tape, sealed)[0]
    return pack_lanes(header, tape.lanes, tape.recorded_blob, tape.labels, sealed)
