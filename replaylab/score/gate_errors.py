"""What is wrong with a gate file, in words: the line, the rule, the field, what comes closest, and what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from replaylab.errors import UsageError

_LOOK = "SCORE.md has an example with all fields"
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
    if rule is None and field:
        return f"a gate file has no table {field!r}", "[[rule]]", f"each rule begins with [[rule]]; {_LOOK}"
    kind, given = first["type"], first.get("input")
    why = str(first["msg"]).removeprefix("Value error, ").replace("Input should be", "it has to be")
    if rule is None and kind == "value_error":
        return f"the gate file: {why}", "", "give each rule a name of its own"
    if rule is None and kind in ("tuple_type", "list_type"):
        return (
            "the rules of the gate file are no list of tables",
            "[[rule]]",
            f"each rule begins with [[rule]]; {_LOOK}",
        )
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return (
            f"rule {(rule or 0) + 1} of the gate file is no table",
            "[[rule]]",
            f"each rule begins with [[rule]]; {_LOOK}",
        )
    if rule is None:
        return "the gate file has no rule", "", f"each rule begins with [[rule]]; {_LOOK}"
    whose = f"rule {rule + 1} of the gate file"
    if kind == "extra_forbidden":
        near = get_close_matches(field, fields, n=1, cutoff=0.5)
        return (
            f"{whose} has a field {_shown(field)} that no rule has",
            "".join(near),
            f"fields are {', '.join(fields)}",
        )
    if kind == "missing":
        return f"{whose} has no {field}", "", f"give it one; {_LOOK}"
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", str(first.get("ctx", {}).get("expected", "")))
        near = get_close_matches(_shown(given), known, n=1, cutoff=0.5)
        return f"{whose} has the {field} {_shown(given)}", "".join(near), f"it is one of {', '.join(known)}"
    if not field:
        return f"{whose}: {why}", "", _LOOK
    share = "; shares: 0.6 and not 60" if field in ("at_least", "at_most") else ""
    return f"{whose} has the {field} {_shown(given)}: {why}{share}", "", _LOOK


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
