"""`replaylab proxy`: record or replay the LLM calls of whoever is pointed at it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.naming import run_option
from replaylab.errors import EXIT_DIVERGED, EXIT_OFFLINE, EXIT_STORE

if TYPE_CHECKING:
    from replaylab.cli.capturing import Staged

DEFAULT_PORT = 8788


@click.command(
    cls=Command,
    exits=(EXIT_DIVERGED, EXIT_STORE, EXIT_OFFLINE),
    examples=(
        ("replaylab proxy", "records until Ctrl-C, and says at which addresses"),
        ("replaylab proxy --run demo --offline", "plays what was recorded under that name"),
        (
            "OPENAI_BASE_URL=http://127.0.0.1:8765/v1 replaylab proxy --port 0",
            "asks another server for OpenAI's API, as the variable says",
        ),
    ),
)
@run_option("The run's name.", default="proxy", show_default=True)
@click.option("--offline", is_flag=True, help="Play what is recorded; ask nobody.")
@click.option("--extend", is_flag=True, help="Play what is recorded, and ask for what is new.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Where to listen; 0 takes a free port.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--public", is_flag=True, help="Allow a --host that other machines can reach.")
@json_option
@pass_app
def command(app: App, name: str, offline: bool, extend: bool, port: int, host: str, public: bool) -> int:
    """Stand between programs and LLM APIs: record what is asked and answered, or play it back.

    Point a client's base URL at one of the addresses that are shown; its key passes through and is never stored. Ends
    with Ctrl-C, which seals the recording. Messages go to stderr. `replaylab capture -- COMMAND` does all of it for one
    program.
    """
    from replaylab.cli.capturing import Wanted, mode_of, staged
    from replaylab.cli.ending import Ending
    from replaylab.cli.extra import require_capture

    require_capture("proxy")
    wanted = Wanted(name, mode_of(offline=offline, extend=extend), host, port, public)
    with _until_stopped() as stopped, staged(app, wanted) as stage:
        _announce(app, stage, wanted.mode)
        stopped.wait()
        stage.server.stop()
        ending = Ending.of(stage, wanted, None)
    ending.show(app)
    return ending.code


@contextmanager
def _until_stopped() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set. Afterwards they do again what they did before."""
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    # A shell starts background jobs with Ctrl-C ignored, and service managers send SIGTERM.
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _announce(app: App, stage: Staged, mode: str) -> None:
    address = stage.server.address
    addresses = {name: f"{address}/{name}{one.mount}" for name, one in sorted(stage.routes.upstreams.items())}
    say = app.output.say
    say(f"replaylab: {'playing' if mode == 'offline' else 'recording'} at {address} until Ctrl-C")
    for name, url in addresses.items():
        asked = stage.asked.get(name)
        say(f"  {url}" + (f"  asks {asked}" if asked else ""))
