"""Names of new runs: what a run is called stands in file names and in every view, so that no secret may be in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from replaylab.errors import UsageError

if TYPE_CHECKING:
    from replaylab.cli.app import App


Command = TypeVar("Command", bound=Callable[..., Any])


def run_option(about: str, **more: Any) -> Callable[[Command], Command]:
    """The option `--run NAME` of a command that makes a run."""
    return click.option("--run", "name", metavar="NAME", help=about, callback=_without_secret, **more)


def named_after(app: App, path: Path) -> str:
    """A name for the run of a file or folder: its own, without what looks like a secret."""
    from replaylab.cli.stage import redactor_of
    from replaylab.store.refs import name_like

    return name_like(redactor_of(app).text(path.name))


def _without_secret(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Raises UsageError for a name that holds a secret, before anything is written; the secret is not repeated."""
    from replaylab.cli.app import App
    from replaylab.cli.stage import redactor_of
    from replaylab.wire.redact import Redactor

    if not value:
        return value
    app = context.find_object(App)
    redactor = redactor_of(app) if app is not None else Redactor()
    if redactor.text(value) != value:
        raise UsageError(
            f"the name of the run holds what looks like a secret: {redactor.text(value)}",
            where="--run",
            fix="choose another name: it is written to the disk and shown in every view",
        )
    return value
