"""Agents of the user's own by name: `python:package.module:function` and `command:PROGRAM…`.

The recorded model is the name with a version behind an "@": twelve digits of the SHA-256 over the source of the function's
module, or over the words of the command and those files among them that lie in the folder it is run in. So a run that is
gone on with after its agent was changed is refused, like one whose model was changed.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from replaylab.canonical import digest, digest_bytes
from replaylab.errors import UsageError
from replaylab.schema.model import COMMAND, PYTHON, ModelSettings

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PYTHON = re.compile(rf"(?P<module>{_NAME}):(?P<function>{_NAME})")
_VERSION = re.compile(r"@[0-9a-f]{12}$")
FORMS = "python:package.module:function, or command:'PROGRAM ARGUMENT…'"


class PythonName(NamedTuple):
    """Where a Python function is found."""

    module: str
    function: str


def is_name(text: str) -> bool:
    """Whether a text names an agent of the user's own."""
    return text.startswith((PYTHON, COMMAND))


def python_name(text: str) -> PythonName:
    """The module and the function of `python:package.module:function`. Raises UsageError."""
    match = _PYTHON.fullmatch(text.removeprefix(PYTHON))
    if match is None:
        raise UsageError(f"not a Python agent: {text!r}", fix=f"{PYTHON}package.module:function")
    return PythonName(match["module"], match["function"])


def command_words(text: str) -> list[str]:
    """The words of `command:PROGRAM…`, split as a shell splits them; no shell runs it. Raises UsageError."""
    try:
        words = shlex.split(text.removeprefix(COMMAND))
    except ValueError as error:
        raise UsageError(f"not a command: {text!r}: {error}", fix=f"{COMMAND}'PROGRAM ARGUMENT…'") from error
    if not words:
        raise UsageError("the agent's command is empty", fix=f"{COMMAND}'PROGRAM ARGUMENT…'")
    return words


def command_version(words: list[str], folder: Path) -> str:
    """The version of a command: what its words are, and what is in those that name a file under `folder`."""
    home = folder.resolve()
    files = {word: (home / word).resolve() for word in words}
    inside = {word: path for word, path in files.items() if path.is_file() and path.is_relative_to(home)}
    return digest([words, {word: digest_bytes(path.read_bytes()) for word, path in inside.items()}])


def agent_settings(name: str, version: str, alias: str = "") -> ModelSettings:
    """Who plays, as it is recorded."""
    return ModelSettings(alias=alias or name, model=f"{name}@{version[:12]}", player="own")


def recorded_name(settings: ModelSettings) -> tuple[str, str]:
    """The name and the version that a recording says."""
    match = _VERSION.search(settings.model)
    return (settings.model[: match.start()], match[0][1:]) if match else (settings.model, "")
