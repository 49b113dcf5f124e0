"""The files of a scenario folder: their shapes, and how one file is read.

    <scenario id>/
      scenario.json                 ScenarioFile
      reference.md                  for people: terms, workflow, state variables, edge cases, constraints
      environments/<env id>/
        environment.json            EnvironmentFile
        system_prompt.md            the prompt as it is; the file's last newline is not part of it
        tools.json                  a list of schema.scenario.Tool
        state.json                  the initial state, an object
        description.json            what each field of the state means and how it changes
        twin.py                     optional; see catalogue.twin
      tasks/<task id>.json          TaskFile

Ids are the names of the folders and files. Folders and files that begin with a dot are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from replaylab.canonical import NotIJson, parse_strict
from replaylab.errors import UsageError
from replaylab.given import read_given
from replaylab.near import closest
from replaylab.schema.base import Frozen
from replaylab.schema.scenario import Origin, Plan, Rubric

MAX_FILE = 2**26  # bytes

SCENARIO_FORMAT = "replaylab.scenario/1"

SCENARIO_FILE = "scenario.json"
REFERENCE_FILE = "reference.md"
ENVIRONMENT_FILE = "environment.json"
PROMPT_FILE = "system_prompt.md"
TOOLS_FILE = "tools.json"
STATE_FILE = "state.json"
DESCRIPTION_FILE = "description.json"
TWIN_FILE = "twin.py"

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DIGITS = re.compile(r"(\d+)")
_BUILD_LEFTOVERS = frozenset({"__pycache__"})

Shape = TypeVar("Shape", bound=BaseModel)


class ScenarioFile(Frozen):
    """`scenario.json`."""

    format: Literal["replaylab.scenario/1"]
    name: str = Field(min_length=1)
    industry: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    origin: Origin = "authored"
    summary: str = ""
    subtopics: tuple[str, ...] = ()


class EnvironmentFile(Frozen):
    """`environment.json`: what the other files of the folder don't say."""

    clock: str = ""
    origin: Origin = "authored"
    notes: tuple[str, ...] = ()


class TaskFile(Frozen):
    """`tasks/<id>.json`. Without `expected_calls` the length of the plan counts, and 16 where there is no plan."""

    environment: str
    instruction: str = Field(min_length=1)
    rubric: Rubric
    plan: Plan | None = None
    difficulty: int = Field(default=1, ge=1)
    expected_calls: int | None = Field(default=None, ge=1)
    origin: Origin = "authored"


def read_text(path: Path) -> str:
    """The file as UTF-8 text, its last newline left out. Raises UsageError naming the file."""
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path.name} is not a file", where=str(path), fix="put a file in its place")
        text = read_given(path, MAX_FILE).decode("utf-8")
    except FileNotFoundError as error:
        raise UsageError(
            f"the file {path.name} is missing", where=str(path), fix="write it, or remove the folder"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the file {path.name} can't be read: {error}", where=str(path)) from error
    if text.startswith("\ufeff"):
        raise UsageError(
            "the file begins with a byte order mark", where=str(path), fix="save it as plain UTF-8"
        )
    # A checkout with Windows line ends must give the same digests.
    return text.replace("\r\n", "\n").removesuffix("\n")


def read_json(path: Path) -> object:
    """The file as strict JSON. Raises UsageError naming the file and the place in it."""
    try:
        return parse_strict(read_text(path))
    except NotIJson as error:
        raise UsageError(
            error.what, where=str(path), fix="mend the JSON; a key may stand only once"
        ) from error


def read_shape(path: Path, shape: type[Shape]) -> Shape:
    """The JSON file as a `shape`. Raises UsageError naming the file and every wrong field."""
    read_json(path)  # refuses what is not I-JSON, which pydantic's own reader would change
    try:
        return shape.model_validate_json(read_text(path), strict=True)
    except ValidationError as error:
        raise wrong_fields(path, error, shape) from error


def wrong_fields(path: Path, error: ValidationError, shape: type[BaseModel] | None = None) -> UsageError:
    """The first wrong field as `where`, all of them in the message."""
    problems = [(".".join(map(str, one["loc"])) or "(the whole file)", one["msg"]) for one in error.errors()]
    text = "; ".join(f"{field}: {message}" for field, message in problems)
    known = list(shape.model_fields) if shape else []
    near = closest(problems[0][0], known) if error.errors()[0]["type"] == "extra_forbidden" else ""
    return UsageError(f"wrong fields: {text}", where=f"{path}: {problems[0][0]}", closest=near)


def entries(folder: Path, *, allowed: Iterable[str] = (), suffix: str = "") -> list[Path]:
    """What lies in `folder`, in natural order. Raises UsageError for a name that nothing would read.

    `allowed` are the names that may occur; `suffix` allows every file that ends with it.
    """
    names = list(allowed)
    found = []
    for path in sorted(folder.iterdir(), key=lambda path: natural(path.name)):
        if _is_left_alone(path.name):
            continue
        if path.name not in names and not (suffix and path.name.endswith(suffix)):
            raise UsageError(
                f"nothing reads a file of this name here: {path.name}",
                where=str(path),
                closest=closest(path.name, names),
                fix=f"rename it or remove it; read are {', '.join([*names, *([f'*{suffix}'] if suffix else [])])}",
            )
        found.append(path)
    return found


def subfolders(folder: Path) -> list[Path]:
    """The folders in `folder`, in natural order; a missing folder has none."""
    if not folder.is_dir():
        return []
    folders = [path for path in folder.iterdir() if path.is_dir() and not _is_left_alone(path.name)]
    return sorted(folders, key=lambda path: natural(path.name))


def _is_left_alone(name: str) -> bool:
    return name.startswith(".") or name in _BUILD_LEFTOVERS


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts `task-9` before `task-10`, the same in every locale."""
    parts = _DIGITS.split(name)
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts)


def check_id(name: str, path: Path) -> str:
    """`name` if it is safe as a file name and in a CallPath."""
    if not _ID.fullmatch(name) or name.endswith("."):
        raise UsageError(
            f"not an id: {name!r}",
            where=str(path),
            fix="use ASCII letters, digits, '.', '_' and '-', at most 100",
        )
    return name
