"""The `replaylab` command: global options, and a table of commands that are imported when they are called."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from replaylab import __version__
from replaylab.cli.app import App
from replaylab.cli.errors import guarded
from replaylab.cli.help import EXIT_CODES, write_examples, write_exit_codes
from replaylab.near import closest

# name: (module, what it does in a line). The line stands here so that `--help` imports no command.
COMMANDS: dict[str, tuple[str, str]] = {
    "record": ("replaylab.cli.record", "Run agents against simulated worlds and record every call."),
    "replay": ("replaylab.cli.replay", "Run the engine over the cassettes and compare; or swap one role."),
    "merge": ("replaylab.cli.merge", "Unite libraries, for example the shards of a run."),
    "diff": (
        "replaylab.cli.diff",
        "Show where simulators part, and which one broke its contract.",
    ),
    "check": ("replaylab.cli.check", "Hold what a simulator said against the contract of its environment."),
    "score": ("replaylab.cli.score", "Make every table and figure from the cassettes alone; decide gates."),
    "simulators": (
        "replaylab.cli.simulators",
        "Rank the recorded simulators by how often they broke their contract.",
    ),
    "audit": (
        "replaylab.cli.audit",
        "Check a published result: its recordings, its tables, its claims.",
    ),
    "verify": ("replaylab.cli.verify", "Check that nothing of a library or a pack is damaged."),
    "scan": ("replaylab.cli.scan", "Look for secrets in a library or in other files."),
    "pack": ("replaylab.cli.pack", "Write one archive of a run, to publish."),
    "unpack": ("replaylab.cli.unpack", "Verify such an archive and make a library of it."),
    "sign": ("replaylab.cli.sign", "Sign a pack or a run with an SSH or PEM key."),
    "purge": ("replaylab.cli.purge", "Remove a cassette's content for good; its name and the reason stay."),
    "cite": ("replaylab.cli.cite", "Print what a paper says of a run, with BibTeX and CITATION.cff."),
    "runs": ("replaylab.cli.runs", "List the runs of a library."),
    "show": ("replaylab.cli.show", "Show a run, a trial, a lane or one interaction, here or as a page."),
    "env": ("replaylab.cli.env", "Serve an environment's tools over MCP, and record who plays in it."),
    "explain-miss": (
        "replaylab.cli.explain_miss",
        "Say why a captured program's question was not found, and propose a rule.",
    ),
    "scenarios": ("replaylab.cli.scenarios", "List the scenarios and their tasks."),
    "models": ("replaylab.cli.models", "List the models that can play a role, and which keys are set."),
    "serve-models": (
        "replaylab.cli.serve_models",
        "Serve the built-in models on this machine, in the shape of the OpenAI API.",
    ),
    "capture": (
        "replaylab.cli.capture",
        "Run any program that calls an LLM, and record it; or play it what was recorded.",
    ),
    "proxy": (
        "replaylab.cli.proxy",
        "Record or replay the LLM calls of whoever is pointed at it.",
    ),
    "import": ("replaylab.cli.import_", "Import data of another project: scenarios, trials, captures."),
    "export": ("replaylab.cli.export", "Write recordings in the format of another tool."),
    "synth": ("replaylab.cli.synth", "Make new tasks, prove them solvable, and keep every call."),
    "init": ("replaylab.cli.init", "Write a commented replaylab.toml and a library folder here."),
    "doctor": (
        "replaylab.cli.doctor",
        "Say what is configured, which keys are set, whether the library is sound.",
    ),
}

EXAMPLES = (
    ("replaylab init", "prepares the current folder"),
    ("replaylab models", "shows who can play, and which keys are missing"),
    ("replaylab COMMAND --help", "explains one command, with examples"),
)


class LazyGroup(click.Group):
    """A group whose commands are modules; a module's command is its attribute `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        app = ctx.find_object(App)
        if app is not None:
            app.command = cmd_name
        command = import_module(COMMANDS[cmd_name][0]).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name][0]}.command is not a command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = closest(name, COMMANDS)
            hint = f"\nDid you mean {near!r}?" if near else "\n`replaylab --help` lists the commands."
            raise click.UsageError(f"there is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (_, does) in COMMANDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, EXAMPLES)
        write_exit_codes(formatter, EXIT_CODES)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option(
    "--library",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="REPLAYLAB_LIBRARY",
    show_envvar=True,
    help="The folder of cassettes and runs. Default: cassettes/ beside the configuration file, else here.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="REPLAYLAB_CONFIG",
    show_envvar=True,
    help="The configuration file. Default: the nearest replaylab.toml from here upward.",
)
@click.version_option(__version__, prog_name="replaylab", message="%(prog)s %(version)s")
@click.pass_obj
def cli(app: App, library: Path | None, config: Path | None) -> None:
    """Record agent benchmarks that run on simulated worlds, and replay, check and score them without a network."""
    app.library_option, app.config_option = library, config


def run(argv: Sequence[str]) -> int:
    """Runs one command line and returns its exit code; whatever goes wrong is reported by then."""
    own = list(argv)[: list(argv).index("--")] if "--" in argv else list(argv)
    app = App(os.environ, Path.cwd(), json="--json" in own)

    def call() -> int:
        if "_REPLAYLAB_COMPLETE" in app.env:
            cli.main(
                args=list(argv), prog_name="replaylab", obj=app
            )  # a shell asks for completions; it exits
        # Not cli.main: it would swallow a broken pipe and end with 1, which here means findings.
        with cli.make_context("replaylab", list(argv), obj=app) as context:
            code = cli.invoke(context)
        return code if isinstance(code, int) else 0

    return guarded(app, call)


def main() -> NoReturn:
    """The entry point of the program. A supervisor's SIGTERM ends a command as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    code = run(sys.argv[1:])
    gc.freeze()  # the end of a process looks through all that is left for cycles: a second after a large `score`
    sys.exit(code)
