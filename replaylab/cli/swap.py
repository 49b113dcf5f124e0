"""`replay --swap`: one role asked anew over recorded lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from replaylab.canonical import Digest
from replaylab.cli.app import App
from replaylab.cli.recorded import nothing_recorded
from replaylab.cli.stage import Play, catalogue_of, check_twins, models_of, perform, redactor_of
from replaylab.engine.ledger import Order
from replaylab.engine.record import Recorded
from replaylab.engine.swap import History, Swapped, swap_plan, swapped_name
from replaylab.errors import OfflineError, UsageError
from replaylab.schema.run import Run
from replaylab.store.library import Library


@dataclass(frozen=True)
class SwapOrder:
    """What to swap in, and within which limits. `name` is the new run's, made from the old one's when None."""

    role: Swapped
    alias: str
    offline: bool = False
    history: History = "recorded"
    repeats: int = 1
    name: str | None = None
    jobs: int = 8
    max_calls: int | None = None
    max_cost: Decimal | None = None
    folders: Sequence[Path] = ()
    trusted: Sequence[Path] = ()


def swap_role(
    app: App,
    library: Library,
    source: tuple[Digest, Run],
    order: SwapOrder,
) -> tuple[Recorded, Order]:
    """Record the swapped run. Offline, only a built-in model can be swapped in."""
    (model,) = models_of(app, [order.alias], order.role)
    if order.offline and model.source != "built-in":
        raise OfflineError(
            f"the model {order.alias!r} is called over the network",
            fix="leave --offline out, or swap in a built-in model",
        )
    run_id, run = source
    if run.spec.mode != "run" and run.spec.swapped is not None:
        here = library.has(run.spec.swapped, "run")
        original = library.run(run.spec.swapped)[1].name if here else run.spec.swapped[:12]
        raise UsageError(
            f"the run {run.name!r} was itself made by a swap, of the run {original!r}",
            fix=f"name that one: {app.again(f'replay {original} --swap …')}",
        )
    spec, planned = swap_plan(library, run_id, run, order.role, model.settings, order.history, order.repeats)
    if not planned:
        raise nothing_recorded(app, run)
    name = order.name or swapped_name(run.name, order.role, model.settings, order.history, order.repeats)
    play = Play([model], order.trusted, order.max_calls, order.max_cost)
    catalogue = catalogue_of(app, order.folders)
    check_twins(catalogue, [task.task for task in spec.tasks], [model], order.trusted)
    ordered = Order(name, spec, planned, jobs=order.jobs, evidence=run.evidence)
    return perform(app, f"swap {name}", ordered, catalogue, redactor_of(app), play), ordered
