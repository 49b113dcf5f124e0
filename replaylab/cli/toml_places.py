"""Where in a TOML file a key stands. `tomllib` doesn't say, and an error message should."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

_HEADER = re.compile(r"^\s*(\[\[?[^\]]+\]\]?)\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*((?:[A-Za-z0-9_.-]+|\"[^\"]*\"|'[^']*'|\s*\.\s*)+?)\s*=")


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line, counted from 1, of the key or table `path`; else of the innermost table around it, or None."""
    wanted, best, depth = tuple(path), None, 0
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = found = _path(header[1])
        elif key := _KEY.match(line):
            found = table + _path(f"{key[1]} = 0")
        else:
            continue
        shared = min(len(wanted), len(found))
        if shared > depth and wanted[:shared] == found[:shared]:
            best, depth = number, shared
    return best


def _path(line: str) -> tuple[str, ...]:
    """The dotted path that one header or key line means; the TOML parser itself takes it apart."""
    try:
        value: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:  # a line inside a multi-line string that only looks like a key
        return ()
    path: list[str] = []
    while isinstance(value, (dict, list)) and value:
        if isinstance(value, list):
            value = value[0]
            continue
        name, value = next(iter(value.items()))
        path.append(name)
    return tuple(path)
