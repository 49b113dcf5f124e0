"""The ways by which an agent of the user's own reaches its tools and its LLMs: servers on loopback, one set a trial."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from replaylab.cli.app import App

if TYPE_CHECKING:
    from replaylab.foreign.chat import Assigned, Doors
    from replaylab.foreign.own import OwnCalls
    from replaylab.foreign.session import Session

MCP_NAME = "replaylab"


def doors_of(app: App, gate: AbstractContextManager[object], *, tools: bool) -> Doors:
    """What opens the ways of a trial. With `tools` the environment's tools are offered over MCP too."""

    @contextmanager
    def doors(assigned: Assigned, session: Session, calls: OwnCalls) -> Iterator[Mapping[str, str]]:
        from replaylab.cli.extra import require_capture, require_mcp

        require_capture("an agent's base URL")
        with ExitStack() as stack:
            told = dict(stack.enter_context(_llms(app, calls, gate)))
            if tools:
                require_mcp("an agent that is a program")
                told |= stack.enter_context(_tools(app, assigned, session))
            yield told

    return doors


@contextmanager
def _llms(app: App, calls: OwnCalls, gate: AbstractContextManager[object]) -> Iterator[Mapping[str, str]]:
    """A proxy to LLM APIs whose recording is the trial's, and the variables that name it."""
    from replaylab.capture.app import Proxy
    from replaylab.capture.asked import Redactors
    from replaylab.capture.server import ProxyServer, drop, listen
    from replaylab.capture.trial import TrialCalls
    from replaylab.capture.variables import child_variables, placeholder_keys
    from replaylab.cli.capturing import forward_of, mode_of, routes_of
    from replaylab.cli.keys import secrets_of

    mode = mode_of(offline=calls.offline, extend=False)
    routes, own = routes_of(app, mode)
    forward, places = forward_of(mode), TrialCalls(calls, gate)
    proxy = Proxy(places, routes, Redactors(secrets_of(app)), forward, drop)
    try:
        with ProxyServer(proxy, listen("127.0.0.1", 0), forward.close if forward else None) as server:
            # A server of one's own mostly wants no key, and SDKs want one to be set.
            keyless = calls.offline or bool(app.env.get("OPENAI_BASE_URL"))
            keys = placeholder_keys(app.env) if keyless else {}
            yield {**keys, **child_variables(server.address, routes, app.env, own)}
    finally:
        places.close()


@contextmanager
def _tools(app: App, assigned: Assigned, session: Session) -> Iterator[Mapping[str, str]]:
    """An MCP server with the environment's tools, and what a program is told of it and of its task."""
    from replaylab.foreign.desk import Desk
    from replaylab.foreign.mcp.http import HttpServer, listen
    from replaylab.foreign.mcp.server import tool_server

    desk = Desk(assigned, session)
    with (
        HttpServer(tool_server(desk, submit=False), listen("127.0.0.1", 0)) as server,
        tempfile.TemporaryDirectory(prefix="replaylab-agent-") as folder,
    ):
        config, task = Path(folder, "mcp.json"), Path(folder, "task.json")
        config.write_text(json.dumps(_client_config(app, server.url), indent=2), encoding="utf-8")
        told = {"instruction": assigned.instruction, "system": assigned.system, "tools": assigned.tools}
        task.write_text(json.dumps(told, indent=2, ensure_ascii=False), encoding="utf-8")
        yield {
            "REPLAYLAB_MCP_URL": server.url,
            "REPLAYLAB_MCP_CONFIG": str(config),
            "REPLAYLAB_TASK": str(task),
            "REPLAYLAB_INSTRUCTION": assigned.instruction,
        }


def _client_config(app: App, url: str) -> dict[str, object]:
    """The form in which MCP clients are told of servers; this one is a program that they start."""
    # Clients hand on few variables, and a checkout that is not installed is found by this one.
    path = {"env": {"PYTHONPATH": app.env["PYTHONPATH"]}} if app.env.get("PYTHONPATH") else {}
    args = ["-m", "replaylab", "env", "stdio", url]
    return {"mcpServers": {MCP_NAME: {"command": sys.executable, "args": args, **path}}}
