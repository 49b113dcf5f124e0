"""`replay --swap`: one role asked anew over recorded lanes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from replaylab.canonical import Digest
from replaylab.cli.app import App
from replaylab.cli.progress import Progress as ProgressBar
from replaylab.cli.record import shown_on
from replaylab.cli.stage import catalogue_of, live_chats, models_of, price_table, redactor_of
from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.record import Recorded, Recording
from replaylab.engine.seams import real_seams
from replaylab.engine.swap import History, Swapped, swap_plan, swapped_name
from replaylab.errors import OfflineError
from replaylab.schema.run import Run
from replaylab.store.library import Library


@dataclass(frozen=True)
class SwapOrder:
    """What to swap in, and within which limits. `name` is the new run's, made from the old one's when None."""

    role: Swapped
    alias: str
    offline: bool = False
    history: History = "recorded"
    name: str | None = None
    jobs: int = 8
    max_calls: int | None = None
    max_cost: Decimal | None = None


def swap_role(
    app: App,
    library: Library,
    source: tuple[Digest, Run],
    order: SwapOrder,
) -> Recorded:
    """Record the swapped run. Offline, only a built-in model can be swapped in."""
    models, jobs = models_of(app, [order.alias]), order.jobs
    if order.offline and models[0].source != "built-in":
        raise OfflineError(
            f"the model {order.alias!r} is called over the network", fix="leave --offline away"
        )
    run_id, run = source
    spec, planned = swap_plan(library, run_id, run, order.role, models[0].settings, order.history)
    name = order.name or swapped_name(run.name, order.role, models[0].settings, order.history)
    gate = Gate(
        jobs,
        max_calls=order.max_calls,
        max_cost=order.max_cost,
        price=price_table(app, models),
        players={model.alias: model.settings.player for model in models},
    )
    chats = live_chats(app, models, catalogue_of(app), jobs=jobs, gate=gate, redactor=redactor_of(app))
    with ProgressBar(f"swap {name}", err=app.output.err) as bar:
        recording = Recording(
            library,
            Order(name, spec, planned, jobs=jobs),
            open_chat=chats,
            gate=gate,
            seams=real_seams(),
            progress=shown_on(bar),
        )
        return recording.run()
