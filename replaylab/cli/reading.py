"""The library that a command reads: a folder that is none is named before anything is looked for in it, or written."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from replaylab.cli.app import LIBRARY_NAME
from replaylab.errors import StoreError, UsageError

if TYPE_CHECKING:
    from replaylab.cli.app import App
    from replaylab.store.library import Library

SHOWN_STRAYS = 5
LOOKED_AT = 200  # folders beside a wrong one, at most


def library_of(app: App, otherwise: str = "") -> Library:
    """The library of this call. Raises UsageError where its folder is none; `otherwise` is what else can be done."""
    from replaylab.store.library import Library

    library = Library(app.library)
    if library.exists():
        warn_of_strays(app, library)
        return library
    state = (
        "the folder holds neither cassettes nor runs" if library.root.is_dir() else "there is no such folder"
    )
    named = "name the folder of a library with --library, or leave it out for that of this folder"
    here = "`replaylab record` makes one; --library DIR names another folder"
    raise UsageError(
        f"there is no library here: {state}",
        where=str(library.root),
        closest=_closest(library.root),
        fix=otherwise or (here if app.library_option is None else named),
    )


def warn_of_strays(app: App, library: Library) -> None:
    """Name what lies among the runs and is none, once a command."""
    if app.warned:
        return
    app.warned = True
    strays = library.stray_refs()
    if strays:
        names = ", ".join(_shown(path.name) for path in strays[:SHOWN_STRAYS])
        more = f" and {len(strays) - SHOWN_STRAYS} more" if len(strays) > SHOWN_STRAYS else ""
        app.output.say(f"warning: no run, and left alone: {names}{more} in {strays[0].parent}")


def _shown(name: str) -> str:
    """A name of a file; bytes of it that are no UTF-8 are spelt."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _closest(root: Path) -> str:
    """A library below a folder that is none, or the one beside it whose name is most like it."""
    from replaylab.near import closest

    if _is_library(root / LIBRARY_NAME):
        return str(root / LIBRARY_NAME)
    try:
        beside = [one for one in islice(root.parent.iterdir(), LOOKED_AT) if one != root and _is_library(one)]
    except OSError:
        return ""
    name = closest(root.name, [one.name for one in beside])
    return str(root.parent / name) if name else ""


def _is_library(folder: Path) -> bool:
    from replaylab.store.library import Library

    try:
        return folder.is_dir() and Library(folder).exists()
    except (OSError, StoreError):
        return False
