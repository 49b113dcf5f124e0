"""Whether a contract has a clock. Who says that time has passed must be able to tell what time it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.words.identity import words
from replaylab.diff.words.lexicon import CLOCK_FIELDS, NOW_WORDS
from replaylab.diff.words.observed import leaves
from replaylab.schema.scenario import Environment

_ELAPSED = re.compile(
    r"\bexpir|\bwindow\b[^.]*\b(?:passed|closed|elapsed|over)|\bdeadline\b|\btoo late\b|\boverdue\b|\bpast (?:due|the)\b"
    r"|\b(?:older|younger|more|less|longer|earlier|later) than \S+ (?:minute|hour|day|week|month|year)s?\b"
    r"|\b\d+ (?:minute|hour|day|week|month|year)s? (?:ago|old|after|since|have|has|late)\b|\bno longer (?:eligible|valid)\b"
    r"|\bwithin (?:the )?(?:last|past)?\s*\S+ (?:minute|hour|day|week|month|year)s?\b|\bhas not (?:yet )?(?:ended|elapsed)\b"
    r"|\b(?:elapsed|cooling|waiting|cool-?down|grace) period\b|\bmust elapse\b",
    re.IGNORECASE,
)
_TIMES = frozenset(("date", "day", "time"))


def clocks(environment: Environment) -> Iterator[str]:
    """Pointers to what tells the time: a field of the state that is named so, or the environment's own clock."""
    if environment.clock:
        yield "/clock"
    for pointer, key, value in leaves(environment.initial_state):
        depth = pointer.count("/")
        if is_clock(key) and depth <= 2 and not re.search(r"/\d+/", pointer) and value is not None:
            yield f"/initial_state{pointer}"


def is_clock(field: str) -> bool:
    """Whether a field is named as one that tells the time."""
    parts = words(field)
    if len(parts) > 1 and parts[-1] == "today" and not set(parts[:-1]) & (NOW_WORDS | _TIMES):
        return False  # `passages_today` is what came about today
    return bool(set(parts) & CLOCK_FIELDS) or (
        bool(set(parts) & NOW_WORDS)
        and parts[-1] in ("time", "date", "day", "step", "tick", "hour", "minute", "minutes", "week")
    )


def is_elapsed(text: str) -> bool:
    """Whether a reason says that time has passed, or has yet to."""
    return _ELAPSED.search(text) is not None
