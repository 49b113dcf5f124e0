"""Which verdicts a swapped verifier changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from replaylab.engine.ledger import Order
from replaylab.schema.base import JsonObject
from replaylab.schema.run import Run

SHOWN = 5


def changed_verdicts(source: Run, swapped: Run, order: Order) -> list[JsonObject]:
    """The trials that are judged otherwise than in the run they come from, in the order of the plan.

    Each as {key, condition, task, trial, before, after}: the key is the swapped run's. A trial that is missing in the
    swapped run is left out.
    """
    before = {one.cassette: one.verdict for entry in source.ledger for one in entry.tries}
    after = {entry.key: entry.counting.verdict for entry in swapped.ledger if entry.counting}
    return [
        {
            "key": str(trial.key),
            "condition": str(trial.key.condition),
            "task": trial.key.task,
            "trial": trial.key.trial,
            "before": before[trial.source],
            "after": after[str(trial.key)],
        }
        for trial in order.planned
        if trial.source in before
        and str(trial.key) in after
        and before[trial.source] != after[str(trial.key)]
    ]


def changed_lines(source: Run, swapped: Run, changed: list[JsonObject]) -> Iterator[str]:
    """How many verdicts changed, and the first few of them."""
    judged = sum(1 for entry in swapped.ledger if entry.counting)
    yield f"verdicts changed: {len(changed)} of {judged}, against run {source.name}"
    yield from (_line(one) for one in changed[:SHOWN])
    if len(changed) > SHOWN:
        yield f"  … and {len(changed) - SHOWN} more; --json lists all {len(changed)}"


def _line(one: Mapping[str, object]) -> str:
    return f"  {one['key']}: {one['before']} -> {one['after']}"
