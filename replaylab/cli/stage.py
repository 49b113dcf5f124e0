"""Sets the stage for commands that run trials: catalogue, models, redactor, chats. The engine gets all of it handed in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.catalogue.twin import load_twin
from replaylab.cli.agents import Live, OwnAgents, own_agent, own_chats, own_price
from replaylab.cli.app import App
from replaylab.cli.config import BUILT_IN, RUN_TWINS, ModelConfig, resolve
from replaylab.cli.keys import key_of, secrets_of
from replaylab.cli.price import Price
from replaylab.cli.prices import no_price, price_of
from replaylab.cli.progress import Progress as ProgressBar
from replaylab.errors import UsageError
from replaylab.foreign.named import is_name
from replaylab.schema.interaction import Usage
from replaylab.schema.model import ModelSettings, is_foreign
from replaylab.wire.redact import Redactor

if TYPE_CHECKING:
    from replaylab.builtin.responder import Response
    from replaylab.cassette.tape import Lane
    from replaylab.engine.gate import Gate
    from replaylab.engine.ledger import Order
    from replaylab.engine.record import Progress, Recorded
    from replaylab.engine.trial import OpenChat
    from replaylab.roles.chat import Chat
    from replaylab.wire.endpoint import Endpoint

    Respond = Callable[[str, bytes], Response]


def catalogue_of(app: App, extra: Sequence[Path] = ()) -> Catalogue:
    """The shipped scenarios, those of the configuration, and the folders named on the command line."""
    # Once each: whoever names the shipped folder again means the same scenarios.
    folders = [path.resolve() for path in (shipped(), *trusted_folders(app, extra))]
    return Catalogue.load(list(dict.fromkeys(folders)))


def trusted_folders(app: App, extra: Sequence[Path] = ()) -> list[Path]:
    """The user's own folders of scenarios, which `--trust-twins` trusts: the configuration's and the named ones."""
    return [*app.config.scenarios, *(app.cwd / path for path in extra)]


def check_twins(
    catalogue: Catalogue, tasks: Iterable[str], models: Iterable[ModelConfig], trusted: Sequence[Path]
) -> None:
    """Raise UsageError when a built-in twin is to play an environment whose twin is missing or not trusted.

    Better here than as an error of every trial.
    """
    if not any(model.source == "built-in" and model.alias in RUN_TWINS for model in models):
        return
    for name in tasks:
        scenario, environment, _ = catalogue.task(name)
        try:
            load_twin(catalogue.folder(scenario.id), environment, trusted=[shipped(), *trusted])
        except UsageError as error:
            hint = "--trust-twins trusts your own folders; --sim example needs no twin"
            fix = f"{error.fix} ({hint})" if error.fix else hint
            raise UsageError(error.what, where=error.where, fix=fix) from error


def redactor_of(app: App) -> Redactor:
    """A redactor that knows every secret whose value is known here."""
    return Redactor(secrets_of(app))


def models_of(app: App, names: Iterable[str], role: str) -> list[ModelConfig]:
    """The models of these aliases, in the given order, to play a role: agent, simulator, verifier or generator.

    Raises UsageError with the closest name, and for a built-in model that plays another role.
    """
    return [
        own_agent(app, name, role) if is_name(name) else _fitting(resolve(name, app.config), role)
        for name in names
    ]


def _fitting(model: ModelConfig, role: str) -> ModelConfig:
    plays = BUILT_IN[model.alias][0] if model.source == "built-in" else role
    if plays == role:
        return model
    fitting = [name for name, (its_role, _) in BUILT_IN.items() if its_role == role]
    raise UsageError(
        f"the built-in model {model.alias!r} plays the {plays}, not the {role}",
        closest=", ".join(fitting),
        fix=f"name one of these or an LLM as {role}; `replaylab models` lists all",
    )


def price_table(app: App, models: Iterable[ModelConfig]) -> Callable[[str, Usage], Decimal | None]:
    """What a call to a model costs in US dollars, by alias; None where no price is known."""
    now = datetime.now(UTC)
    prices: dict[str, Price | None] = {one.alias: price_of(one, app.config.prices, now) for one in models}

    def cost(alias: str, usage: Usage) -> Decimal | None:
        if alias not in prices:
            prices[alias] = own_price(app, alias, now)
        price = prices[alias]
        return price.cost(usage) if price else None

    return cost


@dataclass(frozen=True)
class Play:
    """Who is called, which folders' twins may be run, how much may be spent (US dollars), and how own agents play."""

    models: Sequence[ModelConfig]
    trusted: Sequence[Path] = ()
    max_calls: int | None = None
    max_cost: Decimal | None = None
    own: OwnAgents = field(default_factory=OwnAgents)


def perform(
    app: App, label: str, order: Order, catalogue: Catalogue, redactor: Redactor, play: Play
) -> Recorded:
    """Record what is missing of an order, with a progress bar."""
    from replaylab.engine.gate import Gate
    from replaylab.engine.record import Recording
    from replaylab.engine.seams import real_seams
    from replaylab.store.library import Library

    gate = Gate(
        order.jobs,
        max_calls=play.max_calls,
        max_cost=play.max_cost,
        price=price_table(app, play.models),
        players={model.alias: model.settings.player for model in play.models},
    )
    chats = live_chats(
        app,
        play.models,
        built_in(catalogue, play.trusted),
        jobs=order.jobs,
        gate=gate,
        redactor=redactor,
        agents=play.own,
    )
    unpriced = no_price(play.models, app.config.prices)
    with ProgressBar(label, unpriced=unpriced, err=app.output.err) as bar:
        recording = Recording(
            Library(app.library),
            order,
            open_chat=chats,
            gate=gate,
            seams=real_seams(),
            progress=_shown_on(bar),
        )
        return recording.run()


def _shown_on(bar: ProgressBar) -> Callable[[Progress], None]:
    """Feeds the engine's progress to the bar."""

    def show(now: Progress) -> None:
        totals = now.totals
        cost = None if totals.unpriced else totals.cost
        bar.update(now.done, now.planned, totals.calls, totals.prompt_tokens + totals.completion_tokens, cost)

    return show


def built_in(catalogue: Catalogue, trusted: Sequence[Path] = ()) -> Respond:
    """The built-in models over a catalogue. `trusted` names scenario folders besides the shipped ones whose twins may be
    run: they are code.
    """
    from replaylab.builtin.responder import Responder

    return Responder(catalogue, [shipped(), *trusted]).respond


def live_chats(
    app: App,
    models: Iterable[ModelConfig],
    programs: Respond,
    *,
    jobs: int,
    gate: Gate,
    redactor: Redactor,
    agents: OwnAgents | None = None,
) -> OpenChat:
    """Chats that call the models; built-in ones are `programs`, which run in this process, behind the same boundary.
    Imports the SDK.

    Raises UsageError when a key that a model wants is not set, before anything is sent.
    """
    from replaylab.wire.client import Chats, Outside
    from replaylab.wire.endpoint import network
    from replaylab.wire.played import PlayedChat
    from replaylab.wire.transport import ProgramTransport

    inside = ProgramTransport(programs)
    models = list(models)
    endpoints = {model.alias: _endpoint(model, app) for model in models if model.source != "own"}
    for endpoint in endpoints.values():
        endpoint.require_key()

    def clock_ms() -> float:
        return time.monotonic() * 1000

    outside = Outside(
        inner=network(jobs, clock_ms),
        redactor=redactor,
        gate=gate,
        clock_ms=clock_ms,
        now_s=time.time,
        sleep=gate.sleep,
    )
    chats = Chats(endpoints, outside, {model.alias: inside for model in models if model.source == "built-in"})
    own = own_chats(app, models, Live(outside, inside, gate.check), agents or OwnAgents())

    def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
        if lane.tape.closed(lane.name):
            return PlayedChat(lane, settings)
        return own(lane, settings) if is_foreign(settings) else chats.open(lane, settings)

    return open_chat


def _endpoint(model: ModelConfig, app: App) -> Endpoint:
    from replaylab.wire.endpoint import Endpoint

    return Endpoint(
        settings=model.settings,
        base_url=model.base_url or "http://built-in.invalid/v1",
        api_key=key_of(model, app.env),
        api_key_env=model.api_key_env,
        requests_per_minute=model.requests_per_minute or 0,
        tokens_per_minute=model.tokens_per_minute or 0,
        timeout_s=model.timeout_s,
        max_attempts=model.max_attempts,
    )
