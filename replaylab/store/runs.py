"""Run objects as bytes: canonical JSON and a newline."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from replaylab.canonical import NotIJson, canonical, parse_strict
from replaylab.errors import StoreError
from replaylab.schema.base import misfit
from replaylab.schema.run import RUN_FORMAT, Run

_FORMAT = re.compile(r"replaylab\.run/([1-9][0-9]{0,8})")
_NEWEST = 1


def encode(run: Run) -> bytes:
    """The bytes of a run object; their SHA-256 is the run id."""
    return canonical(run.to_json()) + b"\n"


def decode(data: bytes, path: Path) -> Run:
    """The run in `data`. Raises StoreError naming the file `path`, the field, and what to do."""
    try:
        value = parse_strict(data)
    except NotIJson as error:
        raise _bad(path, f"is not a run object: {error.what}") from error
    if not isinstance(value, dict):
        raise _bad(path, "is not a run object: not a JSON object")
    _check_format(value.get("format"), path)
    if canonical(value) + b"\n" != data:
        raise _bad(path, "is not a run object: not in canonical form")
    try:
        run = Run.model_validate(value)
    except ValidationError as error:
        raise _bad(path, f"has a bad field {misfit(error)}") from error
    created(run, path)
    return run


def created(run: Run, path: Path) -> datetime:
    """When the run was created; a time without a zone counts as UTC. Raises StoreError when it is no time."""
    try:
        when = datetime.fromisoformat(run.created)
    except ValueError as error:
        raise _bad(path, "has a bad field /created: not an ISO 8601 time") from error
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _check_format(name: Any, path: Path) -> None:
    match = _FORMAT.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        shown = "no format" if name is None else f"the unknown format {ascii(name)[:80]}"
        raise _bad(path, f"has {shown} in its field /format")
    if int(match[1]) > _NEWEST:
        raise StoreError(
            f"{path.name} has format {name}, newer than {RUN_FORMAT}, which this replaylab reads",
            where=str(path),
            fix="use the replaylab that wrote it, or a newer one",
        )


def _bad(path: Path, how: str) -> StoreError:
    return StoreError(
        f"{path.name} {how}",
        where=str(path),
        fix="restore the run from a copy, or `replaylab merge` a library that has it, or record again",
    )
