"""JSON values as readable text, and which of their fields differ."""

from __future__ import annotations

import json
from collections.abc import Iterator

from replaylab.schema.base import Json

WIDTH = 100


def pretty(value: Json, width: int = WIDTH, indent: int = 0) -> str:
    """JSON, each object and list on one line where it fits into `width` characters, else a line for each part.

    A text at the top stands for itself, without quotes.
    """
    if isinstance(value, str) and indent == 0:
        return value
    return _pretty(value, width, indent)


def _pretty(value: Json, width: int, indent: int, *, before: int = 0, open_: bool = False) -> str:
    """`before` is how many characters stand before the value on its first line, besides the indent."""
    line = json.dumps(value, ensure_ascii=False)
    fits = indent + before + len(line) <= width and not open_
    if fits or not isinstance(value, dict | list) or not value:
        return line
    inner, pad = indent + 2, " " * (indent + 2)
    if isinstance(value, dict):
        names = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        parts = [
            f"{pad}{name}{_pretty(part, width, inner, before=len(name))}"
            for name, part in zip(names, value.values(), strict=True)
        ]
    else:
        # Alike parts of a list look alike: one that needs lines of its own opens the others too.
        long = any(len(json.dumps(part, ensure_ascii=False)) + inner > width for part in value)
        parts = [pad + _pretty(part, width, inner, open_=long) for part in value]
    left, right = "{}" if isinstance(value, dict) else "[]"
    return f"{left}\n" + ",\n".join(parts) + f"\n{' ' * indent}{right}"


def differing(clean: Json, delivered: Json) -> list[str]:
    """What a fault did to an observation, field by field: `gone /a/b`, `new /a/b`, `changed /a/b`."""
    return list(_differing(clean, delivered, ""))


def _differing(clean: Json, delivered: Json, at: str) -> Iterator[str]:
    if clean == delivered:
        return
    if isinstance(clean, dict) and isinstance(delivered, dict):
        for name in dict.fromkeys([*clean, *delivered]):
            place = f"{at}/{name}"
            if name not in delivered:
                yield f"gone {place}"
            elif name not in clean:
                yield f"new {place}"
            else:
                yield from _differing(clean[name], delivered[name], place)
    elif isinstance(clean, list) and isinstance(delivered, list):
        for index, (was, now) in enumerate(zip(clean, delivered, strict=False)):
            yield from _differing(was, now, f"{at}/{index}")
        for index in range(len(delivered), len(clean)):
            yield f"gone {at}/{index}"
        for index in range(len(clean), len(delivered)):
            yield f"new {at}/{index}"
    else:
        yield f"changed {at or 'the whole answer'}"
