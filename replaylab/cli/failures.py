"""Why a model gave no answer, in words, and who a server's answers say that they come from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from replaylab.schema.callpath import OWN_CALLS, role_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import PROGRAM

CONNECTION = frozenset({"refused", "timeout", "read_error"})


def programs_behind(lanes: Mapping[str, Sequence[Interaction]]) -> dict[str, str]:
    """The built-in model that answered for an alias, as its fingerprint names it; only where one did."""
    # Which models an agent of the user's own asks is not configured.
    asked = (rows for lane, rows in lanes.items() if role_of(lane) != OWN_CALLS)
    return {row.request.alias: row.fingerprint for row in _programs(asked)}


def _programs(lanes: Iterable[Sequence[Interaction]]) -> Iterable[Interaction]:
    return (row for rows in lanes for row in rows if row.fingerprint.startswith(PROGRAM))


def mistaken(alias: str, fingerprint: str) -> str:
    """What to do about a program that is configured as an LLM."""
    table = alias if re.fullmatch(r"[A-Za-z0-9_-]+", alias) else json.dumps(alias, ensure_ascii=False)
    return (
        f'{alias} answered as {fingerprint}, which is a program: set player = "program" in [models.{table}]'
    )
