"""Agents of the user's own on the command line: who they are, and where what they ask LLMs goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from replaylab.cli.app import App
from replaylab.cli.config import BUILT_IN, ModelConfig
from replaylab.cli.keys import key_of
from replaylab.cli.price import Price
from replaylab.cli.prices import price_of
from replaylab.errors import UsageError
from replaylab.foreign.named import agent_settings, command_version, command_words, recorded_name
from replaylab.schema.model import MCP, PYTHON, ModelSettings

if TYPE_CHECKING:
    import httpx2

    from replaylab.cassette.tape import Lane
    from replaylab.foreign.chat import ForeignChat, Starts
    from replaylab.wire.client import Outside
    from replaylab.wire.handed import Upstream, Way

VENDOR = "https://api.openai.com/v1"


@dataclass(frozen=True)
class Live:
    """What live calls need: the way out, the built-in models, and what raises when the run is being stopped."""

    outside: Outside
    programs: httpx2.BaseTransport
    check: Callable[[], None]


@dataclass(frozen=True)
class OwnAgents:
    """How agents of the user's own play. `desk` seats those that come from outside; `silence_s` ends a silent one."""

    silence_s: float = 600.0
    desk: Starts | None = None


def own_agent(app: App, name: str, role: str = "agent") -> ModelConfig:
    """Who plays where an agent of the user's own is named. Raises UsageError where there is none or no agent is due."""
    if role != "agent":
        raise UsageError(f"{name!r} can play the agent, not the {role}", fix=f"name a model as {role}")
    if name.startswith(PYTHON):
        from replaylab.foreign.python import load_python

        version = load_python(name, app.cwd)[1]
    else:
        version = command_version(command_words(name), app.cwd)
    return ModelConfig(settings=agent_settings(name, version), source="own")


def own_chats(
    app: App, models: Iterable[ModelConfig], live: Live, agents: OwnAgents
) -> Callable[[Lane, ModelSettings], ForeignChat]:
    """Chats of agents of the user's own. Each trial starts its agent anew."""
    from replaylab.foreign.chat import Around, ForeignChat

    outside, way = live.outside, way_of(app, live)
    starts = {
        model.alias: agents.desk or starts_of(app, model.settings, way)
        for model in models
        if model.source == "own"
    }
    around = Around(outside.redactor, outside.clock_ms, live.check, agents.silence_s)
    return lambda lane, settings: ForeignChat(lane, settings, starts[settings.alias], around)


def starts_of(app: App, settings: ModelSettings, way: Way) -> Starts:
    """What starts an agent at a trial."""
    from replaylab.cli.doors import doors_of
    from replaylab.foreign.command import CommandAgent
    from replaylab.foreign.python import PythonAgent, load_python
    from replaylab.wire.handed import Handed

    name, _ = recorded_name(settings)
    if name.startswith(PYTHON):
        function, _ = load_python(name, app.cwd)
        doors = doors_of(app, way.gate, tools=False)
        return PythonAgent(function, lambda calls: Handed(calls, way), doors, app.output.say)
    doors = doors_of(app, way.gate, tools=True)
    return CommandAgent(command_words(name), app.cwd, app.env, doors, app.output.say)


def way_of(app: App, live: Live) -> Way:
    """What the clients of a run share."""
    from replaylab.wire.handed import Way

    outside = live.outside
    return Way(
        upstream=_upstreams(app, live),
        redactor=outside.redactor,
        gate=outside.gate,
        clock_ms=outside.clock_ms,
        now_s=outside.now_s,
        sleep=outside.sleep,
        policy=outside.policy,
    )


def _upstreams(app: App, live: Live) -> Callable[[str], Upstream]:
    """Where a request for a model goes: to what OPENAI_BASE_URL says; else to the configured or built-in model of that
    name; else to the vendor.
    """
    from replaylab.wire.handed import Upstream

    network = live.outside.inner
    assert network is not None, "only live calls go anywhere"  # noqa: S101

    def upstream(name: str) -> Upstream:
        named = app.config.models.get(name)
        said = app.env.get("OPENAI_BASE_URL", "")
        if named is not None and not said:
            return _configured(app, named, live.programs if named.source == "built-in" else network)
        key = app.env.get("OPENAI_API_KEY", "")
        if not (said or key):
            raise UsageError(
                f"the agent asks the model {name!r}, and nothing says where that is",
                fix="set OPENAI_BASE_URL or OPENAI_API_KEY, or give the model as [models.NAME] in replaylab.toml",
            )
        return Upstream(network, said or VENDOR, key)

    return upstream


def _configured(app: App, model: ModelConfig, inner: httpx2.BaseTransport) -> Upstream:
    from replaylab.wire.handed import Upstream

    key = key_of(model, app.env)
    if model.api_key_env and not key:
        raise UsageError(
            f"the agent asks the model {model.alias!r}, which needs an API key",
            where=f"environment variable {model.api_key_env}",
            fix=f"export {model.api_key_env}=…",
        )
    return Upstream(
        inner,
        model.base_url or "http://built-in.invalid/v1",
        key,
        model.settings.model,
        timeout_s=model.timeout_s,
        max_attempts=model.max_attempts,
    )


def own_price(app: App, model: str, now: datetime) -> Price | None:
    """The price of a model that an agent of the user's own asked, by the name that the server gave."""
    player = "program" if model in BUILT_IN else "llm"
    settings = ModelSettings(alias=model, model=model, player=player)
    return price_of(ModelConfig(settings=settings, base_url=VENDOR, source="own"), app.config.prices, now)


def client_agent() -> ModelConfig:
    """Who plays where the agent is whoever connects over MCP: nobody knows more of it."""
    settings = ModelSettings(alias="mcp", model=f"{MCP}client", player="own")
    return ModelConfig(settings=settings, source="own")
