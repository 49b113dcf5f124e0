"""`replay --swap`: one role asked anew over recorded lanes."""

from __future__ import annotations

from decimal import Decimal
from typing import cast

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


def swap_role(
    app: App,
    library: Library,
    source: tuple[Digest, Run],
    role: str,
    alias: str,
    *,
    offline: bool,
    history: str,
    name: str | None,
    jobs: int,
    max_calls: int | None,
    max_cost: Decimal | None,
) -> Recorded:
    """Record the swapped run. Offline, only a built-in model can be swapped in."""
    models = models_of(app, [alias])
    if offline and models[0].source != "built-in":
        raise OfflineError(f"the model {alias!r} is called over the network", fix="leave --offline away")
    run_id, run = source
    swapped, kept = cast(Swapped, role), cast(History, history)
    spec, planned = swap_plan(library, run_id, run, swapped, models[0].settings, kept)
    name = name or swapped_name(run.name, swapped, models[0].settings, kept)
    gate = Gate(
        jobs,
        max_calls=max_calls,
        max_cost=max_cost,
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
