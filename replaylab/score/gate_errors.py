"""What is wrong with a gate file, in words: the line, the rule, the field, what comes closest, and what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from replaylab.errors import UsageError
from replaylab.near import closest

_LOOK = "SCORE.md has an example with all fields"
_BEGIN = f"each rule begins with [[rule]]; {_LOOK}"
_MOST_SHOWN = 80
_HEAD = re.compile(r"\s*\[\[\s*([\w.-]+)\s*\]\]")


def bad_gate(path: Path, text: str, error: ValidationError, fields: Sequence[str]) -> UsageError:
    """The first thing that is wrong with the rules of a file, and where that stands. `fields` are those of a rule."""
    every = error.errors(include_url=False)
    # A table of another name is why the rules are missing, so it is told first.
    first = next((one for one in every if one["type"] == "extra_forbidden"), every[0])
    location = first["loc"]
    rule = next((part for part in location if isinstance(part, int)), None)
    field = str(location[-1]) if location and isinstance(location[-1], str) and location != ("rule",) else ""
    line = _line(text, rule, field)
    what, closest, fix = _told(first, rule, field, fields)
    return UsageError(what, where=f"{path}:{line}" if line else str(path), closest=closest, fix=fix)


def _told(
    first: Mapping[str, Any], rule: int | None, field: str, fields: Sequence[str]
) -> tuple[str, str, str]:
    """What is wrong, what comes closest, what to do."""
    kind = first["type"]
    if rule is not None:
        return _told_of(first, f"rule {rule + 1} of the gate file", field, fields)
    if field:
        return f"a gate file has no table {field!r}", "[[rule]]", _BEGIN
    if kind == "value_error":
        return f"the gate file: {_why(first)}", "", "give each rule a name of its own"
    if kind in ("tuple_type", "list_type"):
        return "the rules of the gate file are no list of tables", "[[rule]]", _BEGIN
    return "the gate file has no rule", "", _BEGIN


def _told_of(first: Mapping[str, Any], whose: str, field: str, fields: Sequence[str]) -> tuple[str, str, str]:
    """What is wrong with a rule, what comes closest, what to do."""
    kind, given = first["type"], first.get("input")
    if kind == "extra_forbidden":
        what = f"{whose} has a field {_shown(field)} that no rule has"
        return what, closest(field, fields), f"fields are {', '.join(fields)}"
    if kind == "missing":
        return f"{whose} has no {field}", "", f"give it one; {_LOOK}"
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", str(first.get("ctx", {}).get("expected", "")))
        what = f"{whose} has the {field} {_shown(given)}"
        return (
            what,
            closest(str(given)[:80] if isinstance(given, str) else "", known),
            f"it is one of {', '.join(known)}",
        )
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"{whose} is no table", "[[rule]]", _BEGIN
    if not field:
        return f"{whose}: {_why(first)}", "", _LOOK
    share = "; shares: 0.6 and not 60" if field in ("at_least", "at_most") else ""
    return f"{whose} has the {field} {_shown(given)}: {_why(first)}{share}", "", _LOOK


def _why(first: Mapping[str, Any]) -> str:
    return str(first["msg"]).removeprefix("Value error, ").replace("Input should be", "it has to be")


def _shown(given: object) -> str:
    """What a file gives, cut where it is long; an integer of thousands of digits can't be written out at all."""
    try:
        text = repr(given)
    except ValueError:
        return "of thousands of digits"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _line(text: str, rule: int | None, field: str) -> int:
    """The line of a field of a rule, else that of the rule, or of a table of another name; 0 where it can't be told."""
    at, found = -1, 0
    for number, line in enumerate(text.splitlines(), 1):
        head = _HEAD.match(line)
        at += bool(head and head[1] == "rule")
        if rule is None:
            if field and re.match(rf"\s*\[*\s*[\"']?{re.escape(field)}\b", line):
                return number
        elif at == rule:
            found = found or number
            if field and re.match(rf"\s*[\"']?{re.escape(field)}[\"']?\s*=", line):
                return number
    return found
