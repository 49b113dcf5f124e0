"""`replaylab env`: an environment's tools over MCP, for whatever agent speaks it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import INTERRUPTED, Command, Group
from replaylab.cli.naming import run_option
from replaylab.cli.options import MAX_TRIALS, scenarios_option, trust_option
from replaylab.errors import EXIT_FINDINGS, EXIT_STORE

if TYPE_CHECKING:
    from replaylab.engine.ledger import Order
    from replaylab.engine.plan import Choice
    from replaylab.engine.record import Recorded
    from replaylab.foreign.desk import Desk

EXAMPLES = (
    (
        "replaylab env serve ed-sepsis-room",
        "on stdin and stdout: the command for an MCP client's configuration",
    ),
    (
        "replaylab env serve ed-sepsis-room --http --port 8766 --sim gemini --env E2",
        "at http://127.0.0.1:8766/mcp, an LLM behind the tools, with implicit faults",
    ),
    ("replaylab show", "then shows who called what, and the verdict"),
)
SEAT_S = 60.0  # until the first trial is seated; a large catalogue takes a second


@click.group(cls=Group, examples=EXAMPLES)
def command() -> None:
    """Serve environments to agents that speak MCP."""


@command.command(cls=Command, exits=(EXIT_FINDINGS, EXIT_STORE, INTERRUPTED), examples=EXAMPLES)
@click.argument("task", metavar="TASK")
@click.option("--sim", default="twin", show_default=True, metavar="NAME", help="Who plays the environment.")
@click.option("--verifier", default="rubric", show_default=True, metavar="NAME", help="Who judges.")
@click.option("--env", "faults", default="E0", show_default=True, metavar="NAME", help="The fault plan.")
@click.option("--fault-seed", metavar="N", type=int, default=0, help="Of the schedule of faults.")
@click.option(
    "--trials",
    metavar="N",
    type=click.IntRange(1, MAX_TRIALS),
    default=1,
    show_default=True,
    help="How many trials to play, one after the other.",
)
@click.option("--votes", metavar="N", type=click.IntRange(1, 999), default=3, help="Votes of the verifier.")
@click.option("--max-steps", metavar="N", type=click.IntRange(1), default=60, help="Tool calls at most.")
@run_option("The run's name. Each call adds trials to it.")
@click.option("--http", is_flag=True, help="Listen on loopback HTTP instead of stdin and stdout.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8766,
    show_default=True,
    help="With --http: where; 0 is a free port.",
)
@click.option(
    "--silence",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    help="End a trial as an error when nobody calls a tool for so long. Default: never.",
)
@scenarios_option()
@trust_option()
@json_option
@pass_app
def serve(app: App, /, task: str, **given: Any) -> int:
    """Play the agent of TASK from an MCP client.

    The client gets the environment's tools and `submit_answer`, which takes the final answer and ends the trial. The task
    is in the server's instructions and in its prompt `task`. Each trial is recorded into a run, judged, and replays like
    any other. A client that goes away without an answer leaves an error, which counts neither way.
    """
    from replaylab.cli.extra import require_mcp
    from replaylab.cli.recorded import show_recorded
    from replaylab.foreign.desk import Desk

    require_mcp("env serve")
    desk = Desk(trials=given["trials"])
    if not given["http"]:
        app.output.out = app.output.err  # stdout is the client's
    recorded, order = _play(app, task, given, desk)
    return show_recorded(app, recorded, order)


@command.command(cls=Command, examples=(("replaylab env stdio http://127.0.0.1:8766/mcp", ""),))
@click.argument("url", metavar="URL")
@pass_app
def stdio(app: App, url: str) -> None:
    """Offer on stdin and stdout what the MCP server at URL offers, for clients that can only start a program."""
    from replaylab.cli.extra import require_mcp

    require_mcp("env stdio")
    from replaylab.foreign.mcp.stdio import bridge_stdio

    bridge_stdio(url)


def _play(app: App, task: str, given: dict[str, Any], desk: Desk) -> tuple[Recorded, Order]:
    from replaylab.cli.agents import OwnAgents, client_agent
    from replaylab.cli.record import spec_name
    from replaylab.cli.stage import (
        Play,
        catalogue_of,
        check_twins,
        models_of,
        perform,
        redactor_of,
        trusted_folders,
    )
    from replaylab.engine.ledger import Order
    from replaylab.engine.plan import make_spec, planned_trials

    folders: tuple[Path, ...] = given["folders"]
    trusted = trusted_folders(app, folders) if given["trust_twins"] else []
    catalogue, redactor = catalogue_of(app, folders), redactor_of(app)
    (sim,), (verifier,) = (
        models_of(app, [given["sim"]], "simulator"),
        models_of(app, [given["verifier"]], "verifier"),
    )
    models = [client_agent(), sim, verifier]
    check_twins(catalogue, [task], models, trusted)

    def choice(trials: int) -> Choice:
        return _choice(models, catalogue.task(task).task.id, given, trials)

    name = given["name"] or f"served-{spec_name(make_spec(choice(1), catalogue, redactor.value))}"
    played = _played(app, name)
    spec = make_spec(choice(played + given["trials"]), catalogue, redactor.value)
    order = Order(name, spec, planned_trials(spec, catalogue, redactor.value))
    silence = given["silence"] or float("inf")
    play = Play(models, trusted, own=OwnAgents(silence_s=silence, desk=desk))

    def record() -> Recorded:
        return perform(app, f"serve {name}", order, catalogue, redactor, play)

    return (
        _over_http(app, desk, given["port"], record) if given["http"] else _over_stdio(desk, record)
    ), order


def _choice(models: list[Any], task: str, given: dict[str, Any], trials: int) -> Choice:
    from replaylab.engine.plan import Choice
    from replaylab.faults.plan import named
    from replaylab.schema.cassette import Limits

    agent, sim, verifier = (model.settings for model in models)
    return Choice(
        agents=[agent],
        simulators=[sim],
        verifiers=[verifier],
        faults=[named(given["faults"], 2, 2, given["fault_seed"])],
        tasks=[task],
        trials=trials,
        limits=Limits(votes=given["votes"], max_steps=given["max_steps"]),
    )


def _played(app: App, name: str) -> int:
    """How many trials of the run were played already, or begun: those are ended first, without the client of today."""
    from replaylab.engine.journal import RunJournal
    from replaylab.schema.cassette import key_of
    from replaylab.store.library import Library

    library = Library(app.library)
    found, journal = library.named(name), RunJournal(library.journal(name))
    played = {entry.key for entry in found[1].ledger if entry.tries} if found else set[str]()
    played |= {one.key for one in journal.sealed()}
    return len(played | {str(key_of(header)) for header in journal.begun()})


def _over_http(app: App, desk: Desk, port: int, record: Callable[[], Recorded]) -> Recorded:
    """Record while another thread serves, from when the first trial is seated to the end of the last one."""
    from replaylab.foreign.mcp.http import HttpServer, listen
    from replaylab.foreign.mcp.server import tool_server

    bound, done = listen("127.0.0.1", port), threading.Event()

    def serve() -> None:
        if desk.seated(SEAT_S) is not None:
            with HttpServer(tool_server(desk, submit=True), bound) as server:
                app.output.say(f"MCP server: {server.url}")
                done.wait()

    thread = threading.Thread(target=serve, name="replaylab-serve", daemon=True)
    thread.start()
    try:
        return record()
    finally:
        done.set()
        desk.close()  # where the recording failed before its first trial, such as for a lock, nobody is to wait for one
        thread.join()
        bound.close()


def _over_stdio(desk: Desk, record: Callable[[], Recorded]) -> Recorded:
    """Record while another thread serves; the client may stay until it has had enough."""
    from replaylab.foreign.mcp.server import tool_server
    from replaylab.foreign.mcp.stdio import serve_stdio

    def serve() -> None:
        desk.seated(SEAT_S)
        if desk.closed:
            return
        try:
            serve_stdio(tool_server(desk, submit=True))
        finally:
            desk.leave()

    thread = threading.Thread(target=serve, name="replaylab-serve", daemon=True)
    thread.start()
    try:
        recorded = record()
    except BaseException:
        desk.close()  # a client that is served finds its calls refused; one that waits for a trial is not served
        raise
    if not recorded.interrupted:
        thread.join()
    return recorded
