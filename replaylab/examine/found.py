"""How a rule says what it found: the file, the field in it, and what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

from replaylab.schema.base import Json
from replaylab.schema.finding import Finding

_WORD = re.compile(r"[^\W\d]\w*")


def finding(
    kind: str, path: Path, field: str, what: str, observed: Json = None, *, closest: str = ""
) -> Finding:
    """A finding at a field of a file, `tasks/a.json: plan.calls.3.tool`. `kind` names the rule."""
    plain = re.fullmatch(r"[\w.-]+", field) is not None
    return Finding.of(
        kind,
        f"{path.as_posix()}: {field}",
        what,
        observed=observed,
        pointer="/" + field.replace(".", "/") if plain else "",
        closest=closest,
    )


def phrases(text: str, length: int) -> dict[tuple[str, ...], str]:
    """Every run of `length` words of a text, numbers left out, with the words as they stand there."""
    words = _WORD.findall(text)
    runs = (tuple(words[start : start + length]) for start in range(len(words) - length + 1))
    return {tuple(word.casefold() for word in run): " ".join(run) for run in runs}
