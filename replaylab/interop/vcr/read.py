"""Reads a file of vcrpy, YAML or JSON, whatever its name says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from replaylab.errors import UsageError
from replaylab.given import read_given
from replaylab.interop.vcr.pair import VcrFile
from replaylab.interop.vcr.shapes import file_of
from replaylab.interop.vcr.yaml_text import MAX_DEPTH, read_yaml
from replaylab.schema.base import Json

MAX_BYTES = 512 << 20
SUFFIXES = (".yaml", ".yml", ".json")


def read_file(path: Path, name: str) -> VcrFile:
    """The cassette in a file; `name` is what messages call it. Raises UsageError where it is none."""
    try:
        data = read_given(path, MAX_BYTES)
    except OSError as error:
        raise UsageError(f"the cassette can't be read: {error.strerror}", where=name) from error
    return file_of(read_text(data, name), name)


def read_text(data: bytes, name: str) -> Json:
    """The value of a text. Raises UsageError where it is neither JSON nor plain YAML."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("not UTF-8", where=name, fix="save the file as UTF-8") from error
    if not text.strip():
        raise UsageError("the file is empty", where=name, fix="record the cassette again, or leave it out")
    if name.lower().endswith(".json") or text.lstrip()[:1] in ("{", "["):
        return _json(text, name)
    return read_yaml(text, name)


def _json(text: str, name: str) -> Json:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in found if keys.count(key) > 1)
            raise UsageError(f"the key {twice[:80]!r} stands twice", where=name, fix="keep one of them")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise UsageError(f"not JSON: {error.msg}", where=f"{name}:{error.lineno}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(
            f"not JSON that can be read: nested more than {MAX_DEPTH} levels deep, or a number without end",
            where=name,
        ) from error
