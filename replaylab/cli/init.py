"""`replaylab init`: prepares a folder."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from replaylab.cli.app import CONFIG_NAME, LIBRARY_NAME, App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import UsageError
from replaylab.given import read_given

# The index is derived, the journal is unfinished work; cassettes and runs are what is committed.
IGNORED = (f"{LIBRARY_NAME}/index.db", f"{LIBRARY_NAME}/index.db-*", f"{LIBRARY_NAME}/journal/")


@click.command(
    cls=Command,
    examples=(
        (
            "mkdir study && cd study && replaylab init",
            "prepares a new folder; run it again and nothing changes",
        ),
    ),
)
@json_option
@pass_app
def command(app: App) -> None:
    """Write a commented replaylab.toml, a library folder and .gitignore lines into the current folder.

    What is there already is kept: no file is overwritten, and .gitignore only gains the lines that it lacks.
    """
    steps = [_config(app.cwd), _library(app.cwd), _gitignore(app.cwd)]
    for path, did in steps:
        app.output.text(f"{did:<8} {path.name}")
    app.output.text("\nNext: `replaylab models` shows who can play.")
    app.output.document(ok=True, steps=[{"path": str(path), "did": did} for path, did in steps])


def _config(folder: Path) -> tuple[Path, str]:
    path = folder / CONFIG_NAME
    text = resources.files("replaylab.cli").joinpath("init.toml").read_text(encoding="utf-8")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return path, "kept"
    except OSError as error:
        raise _unwritable(path, error) from error
    return path, "written"


def _library(folder: Path) -> tuple[Path, str]:
    path = folder / LIBRARY_NAME
    if path.is_dir():
        return path, "kept"
    try:
        path.mkdir()
    except OSError as error:
        raise _unwritable(path, error) from error
    return path, "written"


def _gitignore(folder: Path) -> tuple[Path, str]:
    path = folder / ".gitignore"
    try:
        text = read_given(path).decode("utf-8") if path.exists() else ""
        missing = [line for line in IGNORED if line not in text.splitlines()]
        if not missing:
            return path, "kept"
        gap = "" if not text or text.endswith("\n") else "\n"
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(gap + "".join(f"{line}\n" for line in missing))
    except OSError as error:
        raise _unwritable(path, error) from error
    except UnicodeDecodeError as error:
        fix = "add these lines yourself: " + ", ".join(IGNORED)
        raise UsageError(".gitignore is not UTF-8", where=str(path), fix=fix) from error
    return path, "extended" if text else "written"


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"can't write: {error.strerror}", where=str(path), fix="choose a folder that you may write to"
    )
