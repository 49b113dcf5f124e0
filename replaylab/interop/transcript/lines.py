"""Reads a file of transcripts line by line. What does not fit becomes a problem that names file, line and field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from pydantic import Field, ValidationError

from replaylab.canonical import NotIJson, dumps, parse_strict
from replaylab.errors import UsageError
from replaylab.given import open_given
from replaylab.near import closest
from replaylab.schema.base import Frozen, Json, JsonObject
from replaylab.schema.model import Player

MAX_LINE = 2**28  # bytes
MAX_TRIALS = 10_000  # as in a run's spec
_LINE = re.compile(r"line 1 (?=column \d)")  # each line is read by itself: `where` has its number in the file
_BOM = b"\xef\xbb\xbf"
Shape = TypeVar("Shape", bound=Frozen)
Redact = Callable[[Any], Any]


class Problem(NamedTuple):
    """Why a line can't be imported. `field` is the path of what is wrong, "" for the line as a whole."""

    where: str
    field: str
    why: str

    def __str__(self) -> str:
        return ": ".join(filter(None, self))


class Wrong(Exception):
    """What is wrong with a line, inside of this package."""

    def __init__(self, *problems: tuple[str, str]) -> None:
        super().__init__(problems)
        self.problems = problems


class TranscriptsRefused(UsageError):
    """Nothing was imported. `problems` has all that is wrong, `what` the first of it."""

    def __init__(
        self, what: str, problems: Sequence[Problem] = (), *, where: str = "", fix: str = ""
    ) -> None:
        super().__init__(what, where=where, fix=fix)
        self.problems = tuple(problems)


class StepLine(Frozen):
    """A tool call and what came back. `text` is what the agent said with it."""

    tool: str = Field(min_length=1)
    arguments: Json = Field(default_factory=dict)
    observation: Json
    text: str = ""


class PlayerLine(Frozen):
    """Who played a role. `model` is what the endpoint was asked for; left out, the alias."""

    alias: str = Field(min_length=1)
    model: str = ""
    player: Player = "llm"
    family: str = ""
    size: float = Field(default=0, ge=0)
    generation: str = ""
    effort: str = ""


class TaskLine(Frozen):
    """A task that stands in no imported catalogue. Without an id it gets one from what it says."""

    id: str = ""
    instruction: str = Field(min_length=1)
    rubric: str = ""
    difficulty: int = Field(default=1, ge=1)
    expected_calls: int = Field(default=16, ge=1)


class ScenarioLine(Frozen):
    """What tables group a task by; with an id alone, that is its name too."""

    id: str = Field(min_length=1)
    name: str = ""
    industry: str = ""
    domain: str = ""


class TranscriptLine(Frozen):
    """A line. What may be a text or an object is `Json` here and read by `meaning`."""

    environment: Json
    simulator: Json
    task: Json
    steps: tuple[StepLine, ...]
    final_answer: str | None = None
    agent: Json = "unknown"
    trial: int | None = Field(default=None, ge=0, lt=MAX_TRIALS)
    condition: str = Field(default="E0", min_length=1)
    scenario: Json = None
    industry: str = ""
    domain: str = ""
    created: str = ""
    provenance: Json = None


class Raw(NamedTuple):
    """A line that fits. `kept` are the fields that nobody knows, by path."""

    where: str
    line: TranscriptLine
    kept: JsonObject


def read_lines(
    paths: Mapping[str, Path], redact: Redact, *, keep_unknown: bool = False
) -> Iterator[Raw | list[Problem]]:
    """What each line holds, or what is wrong with it. `paths` are files by the name that messages use.

    A byte order mark in front of a file and carriage returns are none of its text; empty lines are no lines. Raises
    UsageError for a file that can't be read.
    """
    for name, path in paths.items():
        try:
            with open_given(path) as file:
                for number, data in enumerate(_lines(file, path), 1):
                    text = data.removeprefix(_BOM) if number == 1 else data
                    if text.strip():
                        yield _read(f"{name}:{number}", text.strip(), redact, keep_unknown=keep_unknown)
        except OSError as error:
            raise UsageError(f"the transcripts can't be read: {error.strerror}", where=str(path)) from error


def _lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    while data := file.readline(MAX_LINE + 1):
        if len(data) > MAX_LINE:
            raise UsageError(f"a line is longer than {MAX_LINE:,} bytes", where=str(path))
        yield data


def _read(where: str, data: bytes, redact: Redact, *, keep_unknown: bool) -> Raw | list[Problem]:
    try:
        value = redact(parse_strict(data))
    except NotIJson as error:
        return [Problem(where, "", _LINE.sub("", error.what))]
    except RecursionError:
        return [Problem(where, "", "not I-JSON: nested too deeply")]
    kept: JsonObject | None = {} if keep_unknown else None
    try:
        line = fit(TranscriptLine, _renamed(value), "", kept)
    except Wrong as wrong:
        return [Problem(where, *one) for one in wrong.problems]
    return Raw(where, line, kept or {})


def _renamed(value: Json) -> Json:
    """`mode` is another word for `condition`, as the published evaluation calls it."""
    if not isinstance(value, dict) or "mode" not in value:
        return value
    if "condition" in value:
        raise Wrong(("mode", "it says the same as condition: give one of them"))
    return {"condition" if key == "mode" else key: part for key, part in value.items()}


def fit(shape: type[Shape], value: Json, field: str, kept: JsonObject | None) -> Shape:
    """The value as that shape. Fields that nobody knows go into `kept`, or are wrong where there is none. Raises Wrong."""
    if not isinstance(value, dict):
        raise Wrong((field, f"it is {_kind(value)} and not an object"))
    known = _known(shape, value, field, kept)
    try:
        return shape.model_validate_json(dumps(known), strict=True)
    except ValidationError as error:
        every = error.errors(include_input=False)
        # A list of which no part fits is too short in pydantic's eyes; its parts say what is wrong.
        parts = {one["loc"][:at] for one in every for at in range(1, len(one["loc"]))}
        told = [one for one in every if one["type"] != "too_short" or one["loc"] not in parts]
        raise Wrong(*((_path(field, *one["loc"]), _said(one["msg"])) for one in told)) from error


def _known(shape: type[Frozen], value: JsonObject, field: str, kept: JsonObject | None) -> JsonObject:
    names = list(shape.model_fields)
    wrong = []
    known = {}
    for key, part in value.items():
        if key in shape.model_fields:
            known[key] = part
        elif kept is not None:
            kept[_path(field, key)] = part
        else:
            near = closest(key, names)
            hint = f"; did you mean {near}?" if near else f"; known are {', '.join(names)}"
            wrong.append((_path(field, key), f"nobody knows this field{hint}"))
    if wrong:
        raise Wrong(*wrong)
    if shape is TranscriptLine and isinstance(value.get("steps"), list):
        known["steps"] = [
            _known(StepLine, step, f"steps.{at}", kept) if isinstance(step, dict) else step
            for at, step in enumerate(value["steps"])
        ]
    return known


def _path(field: str, *parts: object) -> str:
    shown = [str(part) if str(part).isprintable() else ascii(part)[1:-1] for part in parts]
    return ".".join(filter(None, [field, *(part[:80] for part in shown)]))


def _kind(value: Json) -> str:
    kinds = {str: "a text", bool: "a truth value", int: "a number", float: "a number", list: "a list"}
    return "null" if value is None else kinds.get(type(value), "an object")


def _said(message: str) -> str:
    return message[:1].lower() + message[1:]
