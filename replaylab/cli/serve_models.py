"""`replaylab serve-models`: the built-in models as a local server."""

from __future__ import annotations

import signal
import textwrap
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.config import BUILT_IN
from replaylab.cli.help import Command
from replaylab.cli.output import counted
from replaylab.cli.stage import catalogue_of
from replaylab.errors import UsageError

if TYPE_CHECKING:
    from replaylab.builtin.server import ModelServer

DEFAULT_PORT = 8765


@click.command(
    cls=Command,
    examples=(
        ("replaylab serve-models", "serves until Ctrl-C, and says at which address"),
        ("replaylab serve-models --port 0 --delay-ms 200", "on a free port, as slow as a real model"),
        ("curl http://127.0.0.1:8765/v1/models", "lists the models, from another terminal"),
    ),
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Where to listen; 0 takes a free port.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--public", is_flag=True, help="Allow a --host that other machines can reach.")
@click.option(
    "--api-key-env",
    metavar="NAME",
    default="",
    help="Refuse requests without the key that stands in this environment variable.",
)
@click.option(
    "--delay-ms",
    type=click.FloatRange(0, 600_000),
    default=0,
    help="Wait before each answer, for load tests.",
)
@click.option(
    "--scenarios",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="One more folder of scenarios.",
)
@click.option(
    "--trust",
    "trusted",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Run the twins of this folder too: they are code. The shipped ones are trusted.",
)
@json_option
@pass_app
def command(
    app: App,
    port: int,
    host: str,
    public: bool,
    api_key_env: str,
    delay_ms: float,
    folders: Sequence[Path],
    trusted: Sequence[Path],
) -> None:
    """Serve the built-in models on this machine, in the shape of the OpenAI API.

    Chat completions with tools and streaming, and the list of models. They are programs, not language models; they
    need no key and no network. Ends with Ctrl-C.
    """
    from replaylab.builtin.responder import Responder
    from replaylab.builtin.server import serve
    from replaylab.catalogue.loader import shipped

    responder = Responder(catalogue_of(app, folders), [shipped(), *(app.cwd / folder for folder in trusted)])
    key = _key(app, api_key_env)
    server = serve(responder, host, port, api_key=key, delay_ms=delay_ms, public=public)
    _announce(app, server, api_key_env)
    # A shell starts background jobs with Ctrl-C ignored, and service managers send SIGTERM.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        server.run()
    except KeyboardInterrupt:
        app.output.say(f"stopped after {counted(server.answered, 'request')}")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _key(app: App, name: str) -> str:
    if name and not app.env.get(name):
        raise UsageError(
            f"the environment variable {name} is not set", fix="set it, or leave out --api-key-env"
        )
    return app.env[name] if name else ""


def toml_table(server: ModelServer, api_key_env: str) -> str:
    """A table of replaylab.toml for the first model; for another one, only the names differ."""
    name = next(iter(server.responder.models.programs))
    lines = (
        f"[models.served-{name.replace(':', '-')}]",
        f'base_url = "{server.base_url}"',
        f'model = "{name}"',
        'player = "program"',
        *([f'api_key_env = "{api_key_env}"'] if api_key_env else []),
    )
    return "\n".join(lines) + "\n"


def _announce(app: App, server: ModelServer, api_key_env: str) -> None:
    names = list(server.responder.models.programs)
    key = f'os.environ["{api_key_env}"]' if api_key_env else '"none"'
    app.output.text(f"base URL: {server.base_url}\n")
    app.output.table(("model", "role", "what it does"), [(name, *BUILT_IN[name]) for name in names])
    app.output.text(
        "\nWith the openai package:\n\n"
        f"    {'import os; ' if api_key_env else ''}from openai import OpenAI\n"
        f'    client = OpenAI(base_url="{server.base_url}", api_key={key})\n'
        '    question = [{"role": "user", "content": "Which side is up?"}]\n'
        '    print(client.chat.completions.create(model="coin", messages=question).choices[0].message.content)\n'
    )
    app.output.text("In replaylab.toml, to record with them over HTTP:\n")
    app.output.text(textwrap.indent(toml_table(server, api_key_env), "    "))
    app.output.document(ok=True, base_url=server.base_url, models=names)
    app.output.out.flush()
