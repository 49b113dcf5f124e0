"""What a command line was called with: the surroundings, read once and handed to the commands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.errors import UsageError

if TYPE_CHECKING:
    from replaylab.cli.config import Config
    from replaylab.cli.output import Output

CONFIG_NAME = "replaylab.toml"
LIBRARY_NAME = "cassettes"


class App:
    """One call of `replaylab`: environment, current folder, global options, output.

    `command` is the name of the command once it is known. Everything is worked out on first use, so that a command
    that doesn't need the configuration doesn't fail on a broken one.
    """

    def __init__(self, env: Mapping[str, str], cwd: Path, *, json: bool = False) -> None:
        self.env, self.cwd, self.json = env, cwd, json
        self.command = ""
        self.library_option: Path | None = None
        self.config_option: Path | None = None
        self.warned = False  # of what lies among the runs

    @cached_property
    def config_path(self) -> Path | None:
        """The file of `--config`, else the nearest `replaylab.toml` from the current folder upward, else None."""
        if self.config_option is not None:
            path = self.cwd / self.config_option
            if not path.is_file():
                raise UsageError(
                    "the configuration file does not exist",
                    where=str(path),
                    fix="name another file with --config, or write one with `replaylab init`",
                )
            return path
        candidates = (folder / CONFIG_NAME for folder in (self.cwd, *self.cwd.parents))
        return next((path for path in candidates if path.is_file()), None)

    @cached_property
    def library(self) -> Path:
        """The folder of `--library`, else `cassettes/` beside the configuration file, else in the current folder."""
        if self.library_option is not None:
            return self.cwd / self.library_option
        return (self.config_path.parent if self.config_path else self.cwd) / LIBRARY_NAME

    def again(self, rest: str) -> str:
        """A command line for a user to copy, with the global options that this one was called with."""
        from replaylab.report.commands import word

        words = ["replaylab"]
        for option, path, variable in (
            ("--library", self.library_option, "REPLAYLAB_LIBRARY"),
            ("--config", self.config_option, "REPLAYLAB_CONFIG"),
        ):
            # What the environment says is said to the next command too.
            if path is not None and self.env.get(variable) != str(path):
                words += [option, word(str(path))]
        return " ".join([*words, rest])

    def proposing(self, text: str) -> str:
        """A text of ours whose command lines have the global options of this call, so that they can be copied."""
        from replaylab.report.commands import proposing

        return proposing(text, self.again)

    @cached_property
    def config(self) -> Config:
        """The configuration. Raises UsageError when the file is not one."""
        from replaylab.cli.config import load

        return load(self.config_path)

    @cached_property
    def output(self) -> Output:
        """Where results go."""
        from replaylab.cli.output import Output

        return Output.of_process(self.command, self.env, json=self.json)


pass_app = click.make_pass_decorator(App)

json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    expose_value=False,
    help="One JSON document on stdout and nothing else there.",
)
