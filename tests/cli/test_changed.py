from __future__ import annotations

from typing import Any

from replaylab.cli.changed import SHOWN, changed_lines, changed_verdicts
from replaylab.engine.ledger import Order
from replaylab.engine.plan import PlannedTrial
from replaylab.schema.callpath import TrialKey
from replaylab.schema.run import LedgerEntry, Run, Try

DIGEST = "0" * 64


def key(verifier: str, trial: int) -> str:
    return f"a,s,{verifier},E0/task/{trial}"


def run(name: str, verifier: str, verdicts: list[Any]) -> Run:
    """A run whose trials have these verdicts, None where one is missing; the n-th cassette is n as a digest."""
    entries = [
        LedgerEntry.model_construct(
            key=key(verifier, number),
            status="recorded" if verdict else "missing",
            tries=(Try(cassette=f"{number:064x}", outcome=DIGEST, verdict=verdict, termination="answered"),)
            if verdict
            else (),
        )
        for number, verdict in enumerate(verdicts)
    ]
    return Run.model_construct(name=name, ledger=tuple(entries))  # type: ignore[call-arg] # nothing else is read


def order(trials: int) -> Order:
    planned = [
        PlannedTrial(TrialKey.parse(key("new", n)), None, source=f"{n:064x}")  # type: ignore[arg-type] # unused here
        for n in range(trials)
    ]
    return Order("swapped", None, planned)  # type: ignore[arg-type] # unused here


def test_only_verdicts_that_differ_are_listed_with_both_and_missing_trials_are_not() -> None:
    source, swapped = (
        run("src", "old", ["pass", "fail", "pass"]),
        run("swapped", "new", ["pass", "pass", None]),
    )
    assert changed_verdicts(source, swapped, order(3)) == [
        {
            "key": key("new", 1),
            "condition": "a,s,new,E0",
            "task": "task",
            "trial": 1,
            "before": "fail",
            "after": "pass",
        }
    ]


def test_the_first_few_are_shown_and_the_others_counted() -> None:
    many = SHOWN + 2
    source, swapped = run("src", "old", ["pass"] * many), run("swapped", "new", ["fail"] * many)
    lines = list(changed_lines(source, swapped, changed_verdicts(source, swapped, order(many))))
    assert lines[0] == f"verdicts changed: {many} of {many}, against run src"
    assert lines[1] == f"  {key('new', 0)}: pass -> fail"
    assert lines[-1] == f"  … and 2 more; --json lists all {many}"
    assert len(lines) == SHOWN + 2
