"""An honest run with agents that pass and agents that fail, and what a forger who seals everything anew can make of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from replaylab.audit.dossier import open_dossier
from replaylab.audit.run import audit_run
from replaylab.audit.value import Step
from replaylab.cassette.stored import open_cassette
from replaylab.engine.ledger import make_run
from replaylab.schema.run import LedgerEntry, Run, Try
from replaylab.store.library import Library
from tests.playground import record

TASKS = ("ed-sepsis-room", "hazmat-power-station")
AGENTS = ("scripted:careful", "scripted:hasty")
WISH: dict[str, Any] = {"tasks": TASKS, "agents": AGENTS, "faults": ("E0", "E2"), "votes": 2, "trials": 2}


def recorded(root: Path, **changed: Any) -> Library:
    """The honest run, named `run`."""
    return record(root, **WISH | changed)[0]


def audited(library: Library, name: str = "run", *, expected: str = "") -> dict[int, Step]:
    """The steps by number."""
    return {step.number: step for step in audit_run(open_dossier(library, name, expected=expected))}


def alarms(steps: dict[int, Step]) -> dict[int, set[str]]:
    """The kinds of findings of the steps that failed."""
    return {
        number: {one.kind for one in step.findings}
        for number, step in steps.items()
        if step.outcome == "fail"
    }


def reseal(
    library: Library, change: Callable[[Run], dict[str, Any]], *, clean: bool = False, follow: bool = False
) -> str:
    """Put another run object in the place of the run's. `change` gives the fields of `make_run` that differ.

    With `clean` what it no longer names goes, as a forger would have it; with `follow` it names the old one.
    """
    before, run = library.run("run")
    made: dict[str, Any] = {
        "spec": run.spec,
        "ledger": run.ledger,
        "created": run.created,
        "follows": [before] if follow else run.follows,
    }
    made |= change(run)
    spec, ledger = made.pop("spec"), made.pop("ledger")
    after = library.put_run(make_run("run", spec, ledger, **made))
    library.set_ref("run", after)
    if not follow and after != before:
        library.path(before, "run").unlink()
    if clean:
        named = {one.cassette for entry in ledger for one in entry.tries}
        for name in list(library.objects("cassette")):
            if name not in named:
                library.path(name, "cassette").unlink()
    return after


def failed(run: Run) -> int:
    """The place in the ledger of the first trial that failed."""
    return next(
        place for place, entry in enumerate(run.ledger) if entry.counting and entry.counting.verdict == "fail"
    )


def with_entry(run: Run, place: int, entry: LedgerEntry | None) -> tuple[LedgerEntry, ...]:
    """The ledger with another entry there, or without it."""
    ledger = list(run.ledger)
    ledger[place : place + 1] = [entry] if entry else []
    return tuple(ledger)


def try_of(library: Library, name: str) -> Try:
    """What a ledger says of a cassette."""
    seal = open_cassette(library, name).seal
    return Try(cassette=name, outcome=seal.outcome, verdict=seal.verdict, termination=seal.termination)
