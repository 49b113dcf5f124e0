r"""Proposes normaliser rules from a miss and the recording that comes nearest.

Both bodies are walked together. Where two texts differ, what differs is held against shapes that change from run to run: a
time, a date, a uuid, a folder for temporary files, an id of a tool call that the client made, other hexadecimal or long
numbers. A rule is proposed for a shape that explains a difference, at its place; together they are tried on the miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.canonical import canonical
from replaylab.engine.captured.rules import Rules
from replaylab.schema.base import Json
from replaylab.schema.capture import NormaliseRule

MAX_RULES = 20
_MAX_TEXT = 100_000


class Shape(NamedTuple):
    """A kind of text that changes from run to run. The placeholder says what stood there."""

    name: str
    pattern: str
    replace: str


# The first that explains a difference is proposed, so the narrow ones come first.
SHAPES = (
    Shape(
        "a date and time", r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?", "*TIME*"
    ),
    Shape("a date", r"\d{4}[-/.]\d\d[-/.]\d\d", "*DATE*"),
    Shape("a date", r"\d\d?[-/.]\d\d?[-/.]\d{4}", "*DATE*"),
    Shape(
        "a date in words",
        r"((Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?(January|February|March|April|May|June|July|August|September"
        r"|October|November|December) \d\d?,? \d{4}",
        "*DATE*",
    ),
    Shape(
        "a date in words",
        r"((Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?\d\d? (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6},? \d{4}",
        "*DATE*",
    ),
    Shape("a time of day", r"\d\d:\d\d(:\d\d)?([.,]\d{1,9})?", "*TIME*"),
    Shape(
        "a uuid", r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}", "*UUID*"
    ),
    Shape(
        "a path of a temporary folder",
        r"(/private)?(/tmp|/var/tmp|/var/folders)/[A-Za-z0-9_.+/-]{1,200}",
        "*TEMP*",
    ),
    Shape(
        "a path of a temporary folder",
        r"[A-Za-z]:\\[A-Za-z0-9_. ~\\-]{1,150}\\Temp\\[A-Za-z0-9_.\\-]{1,150}",
        "*TEMP*",
    ),
    Shape(
        "an id that the client made",
        r"(call|toolu|tooluse|run|msg|req|chatcmpl|fc|item|id)[_-][A-Za-z0-9_-]{4,64}",
        "*ID*",
    ),
    Shape("a port on this machine", r"(localhost|127\.0\.0\.1):\d{2,5}", "*HOST*"),
    Shape("a hexadecimal id", r"0x[0-9a-fA-F]{4,16}", "*ID*"),
    Shape("a long number", r"\d{9,20}(\.\d{1,9})?", "*NUMBER*"),
    Shape("a hexadecimal id", r"\b(?=[0-9a-f]{0,63}[0-9])[0-9a-f]{4,64}\b", "*ID*"),
    Shape("a number", r"\d{1,20}(\.\d{1,20})?", "*NUMBER*"),
)


class Proposal(NamedTuple):
    """A rule, why, and how often what it is about differs."""

    rule: NormaliseRule
    why: str
    times: int


class Proposed(NamedTuple):
    """`solved` says that with these rules the miss would have been found. `left` is where the bodies still differ."""

    rules: tuple[Proposal, ...]
    solved: bool
    left: str


def propose(
    expected: Json, observed: Json, *, endpoint: str, path: str, known: Sequence[NormaliseRule] = ()
) -> Proposed:
    """Rules under which the two bodies are one, as far as shapes explain what differs after the rules that are known."""
    given = Rules(known)
    expected, observed = (given.body(endpoint, path, body) for body in (expected, observed))
    found: dict[NormaliseRule, tuple[str, int]] = {}
    for pointer, was, now in _texts_apart(expected, observed, ()):
        for shape in _shapes(was, now):
            rule = NormaliseRule(pattern=shape.pattern, pointer=_general(pointer), replace=shape.replace)
            found[rule] = (shape.name, found.get(rule, ("", 0))[1] + 1)
    proposals = tuple(Proposal(rule, f"{why} differs", times) for rule, (why, times) in found.items())[
        :MAX_RULES
    ]
    rules = Rules([one.rule for one in proposals])
    clean = [rules.body(endpoint, path, body) for body in (expected, observed)]
    left = next((pointer for pointer, *_ in _apart(clean[0], clean[1], ())), ())
    solved = canonical(clean[0]) == canonical(clean[1])
    return Proposed(proposals, solved, "" if solved else spelled(left))


def _shapes(was: str, now: str) -> Iterator[Shape]:
    """The shapes that explain how two texts differ, one difference after the other, as far as they can be explained."""
    while was != now and max(len(was), len(now)) <= _MAX_TEXT:
        at = next((at for at, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), None)
        shape = None if at is None else next((one for one in SHAPES if _covers(one, at, was, now)), None)
        if shape is None:
            return
        yield shape
        was, now = (re.sub(shape.pattern, shape.replace, text) for text in (was, now))


def _covers(shape: Shape, at: int, was: str, now: str) -> bool:
    """Whether both texts have such a thing where they begin to differ, and the same in front of it."""
    mine, theirs = (
        next((found for found in re.finditer(shape.pattern, text) if found.start() <= at < found.end()), None)
        for text in (was, now)
    )
    return mine is not None and theirs is not None and mine.start() == theirs.start()


def _texts_apart(
    expected: Json, observed: Json, at: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    for pointer, was, now in _apart(expected, observed, at):
        if isinstance(was, str) and isinstance(now, str):
            yield pointer, was, now


def _apart(
    expected: Json, observed: Json, at: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Json, Json]]:
    """Every place at which two values differ, as deep as both have it."""
    if isinstance(expected, dict) and isinstance(observed, dict):
        for key in dict.fromkeys((*expected, *observed)):
            if key in expected and key in observed:
                yield from _apart(expected[key], observed[key], (*at, key))
            else:
                yield (*at, key), expected.get(key), observed.get(key)
    elif isinstance(expected, list) and isinstance(observed, list) and len(expected) == len(observed):
        for number, pair in enumerate(zip(expected, observed, strict=True)):
            yield from _apart(*pair, (*at, str(number)))
    elif canonical(expected) != canonical(observed):
        yield at, expected, observed


def _general(pointer: Sequence[str]) -> str:
    """The pointer with the numbers of list items left open, since what changes in one message is repeated in later ones;
    but for the first item, which is mostly what the program says of itself and of the day.
    """
    return spelled(["*" if part.isdecimal() and part != "0" else part for part in pointer])


def spelled(pointer: Sequence[str]) -> str:
    """A JSON Pointer."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in pointer)
