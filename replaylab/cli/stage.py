"""Sets the stage for commands that run trials: catalogue, models, redactor, chats. The engine gets all of it handed in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.cli.app import App
from replaylab.cli.config import ModelConfig, resolve
from replaylab.cli.keys import key_of, known_keys
from replaylab.cli.price import Price
from replaylab.cli.prices import price_of
from replaylab.schema.interaction import Usage
from replaylab.wire.redact import Redactor

if TYPE_CHECKING:
    from replaylab.engine.gate import Gate
    from replaylab.engine.trial import OpenChat
    from replaylab.wire.endpoint import Endpoint


def catalogue_of(app: App, extra: Sequence[Path] = ()) -> Catalogue:
    """The shipped scenarios, those of the configuration, and the folders named on the command line."""
    return Catalogue.load([shipped(), *app.config.scenarios, *(app.cwd / path for path in extra)])


def redactor_of(app: App) -> Redactor:
    """A redactor that knows the value of every key that a configured model names."""
    return Redactor(known_keys(app.config.models.values(), app.env))


def models_of(app: App, names: Iterable[str]) -> list[ModelConfig]:
    """The models of these aliases, in the given order. Raises UsageError with the closest name."""
    return [resolve(name, app.config) for name in names]


def price_table(app: App, models: Iterable[ModelConfig]) -> Callable[[str, Usage], Decimal | None]:
    """What a call to a model costs in US dollars, by alias; None where no price is known."""
    now = datetime.now(UTC)
    prices: dict[str, Price | None] = {one.alias: price_of(one, app.config.prices, now) for one in models}

    def cost(alias: str, usage: Usage) -> Decimal | None:
        price = prices.get(alias)
        return price.cost(usage) if price else None

    return cost


def live_chats(
    app: App,
    models: Iterable[ModelConfig],
    catalogue: Catalogue,
    *,
    jobs: int,
    trusted: Sequence[Path] = (),
    gate: Gate,
    redactor: Redactor,
) -> OpenChat:
    """Chats that call the models; built-in ones run in this process, behind the same boundary. Imports the SDK.

    `trusted` names scenario folders besides the shipped ones whose twins may be run: they are code.

    Raises UsageError when a key that a model wants is not set, before anything is sent.
    """
    from replaylab.builtin.responder import Responder
    from replaylab.wire.client import Chats, Outside
    from replaylab.wire.endpoint import network
    from replaylab.wire.played import PlayedChat
    from replaylab.wire.transport import ProgramTransport

    programs = ProgramTransport(Responder(catalogue, [shipped(), *trusted]).respond)
    endpoints = {model.alias: _endpoint(model, app) for model in models}
    for endpoint in endpoints.values():
        endpoint.require_key()
    chats = Chats(
        endpoints,
        Outside(
            inner=network(jobs),
            redactor=redactor,
            gate=gate,
            clock_ms=lambda: time.monotonic() * 1000,
            now_s=time.time,
            sleep=gate.sleep,
        ),
        {model.alias: programs for model in models if model.source == "built-in"},
    )
    return lambda lane, settings: (
        PlayedChat(lane, settings) if lane.tape.closed(lane.name) else chats.open(lane, settings)
    )


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
