"""Logs that grow by certain acts alone ("grows only by starts and stops"): each accepted act has left its row, and no row
stands there for an act that nobody made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import lists_on_face
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.told import sentences_in
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import key_of, name_key, stems
from replaylab.diff.words.lexicon import LOWER_BOUND
from replaylab.diff.words.observed import Group, Item, leaves
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_GROWS = re.compile(r"^\W*(?:it |each )?grows? only (?:by|with|through|when) (?P<acts>.+)", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_MOMENT = re.compile(r"(?:0000-00-00(?:[T ]00:00(?::00)?)?|00:00(?::00)?)$")


class Log(NamedTuple):
    """A log that an answer shows: the rows that it held at first and that the call lets pass, and the accepted acts on its
    thing. `strange` are the items that are none of these rows.
    """

    group: Group
    pointer: str
    rows: tuple[JsonObject, ...]
    acts: tuple[Step, ...]
    strange: tuple[Item, ...]

    @property
    def is_told_alike(self) -> bool:
        """Whether it shows rows that it held at first, and others in the same form."""
        known = [item for item in self.group.items if item not in self.strange]
        return bool(known) and all(item.row.keys() == known[0].row.keys() for item in self.strange)


def unlogged(look: Look) -> Iterator[Violation]:
    """Logs with fewer rows of their own than there were acts."""
    for log in logs(look):
        known = len(log.group.items) - len(log.strange)
        if log.acts and known and len(log.strange) < len(log.acts):
            act = log.acts[-1]
            yield look.violation(
                kind="omission",
                subkind="missing",
                pointer=log.group.pointer,
                contract=log.pointer,
                expected=len(log.rows) + len(log.acts),
                observed=[item.row for item in log.group.items][:12],
                confidence=0.7,
                message=f"{look.step.tool.name} shows {len(log.strange)} new rows of {log.pointer}, which grows by each act, and "
                f"{len(log.acts)} were accepted, the last of them {act.tool.name} in call {act.call}",
            )


def unmade(look: Look) -> Iterator[Violation]:
    """Rows of a log on whose thing nothing was done."""
    for log in logs(look):
        if log.acts or _is_spoken_of(look, log) or not log.is_told_alike:
            continue
        for item in log.strange if len(log.group.items) > len(log.rows) else ():
            yield look.violation(
                kind="fabrication",
                subkind="unknown",
                pointer=item.pointer,
                contract=log.pointer,
                expected=len(log.rows),
                observed=item.row,
                confidence=0.75,
                message=f"{look.step.tool.name} shows a row that {log.pointer} does not hold, and nothing was done since by which "
                f"it grows: {item.row}",
            )


def _is_spoken_of(look: Look, log: Log) -> bool:
    """Whether an accepted call has the name of what the log is of in it, however it is put."""
    name = name_key(log.pointer.rpartition("/")[2])
    given = (value for step in look.world.writes for _, _, value in leaves(step.arguments))
    return any(name in name_key(str(value)) for value in given)


def logs(look: Look) -> Iterator[Log]:
    """The logs of an answer. Of one that a call may cut in another way, or that time may make longer, nobody can tell."""
    if is_write(look.step.tool) or look.world.time_moved:
        return
    state = look.contract.environment.initial_state
    for part, told in look.contract.environment.state_description.items():
        makers = _makers(look, str(told))
        shown = [
            one for one in lists_on_face(look) if stems(one.name) == stems(part) and one.shape != "names"
        ]
        found = _rows_of(state.get(part), look.step.arguments) if makers and len(shown) == 1 else None
        if found is None:
            continue
        key, rows, others = found
        passing = _since(rows, others)
        if passing is None:
            continue
        acts = tuple(
            one
            for one in look.world.writes
            if one.tool.name in makers and (not key or key_of(key) in one.named)
        )
        pointer = f"/initial_state/{part}" + (f"/{key}" if key else "")
        yield Log(shown[0], pointer, passing, acts, _strange(shown[0], passing))


def _makers(look: Look, told: str) -> list[str]:
    """The tools by which alone a part of the state grows."""
    acts = next((found["acts"] for one in sentences_in(told) if (found := _GROWS.match(one))), "")
    writing = [one for one in look.contract.environment.tools if is_write(one)]
    named = [one.name for one in writing if re.search(rf"\b{re.escape(one.name)}\b", acts)]
    return named or [one.name for one in writing if verb_of(one) in stems(acts)]


def _rows_of(part: Json, arguments: JsonObject) -> tuple[str, list[JsonObject], JsonObject] | None:
    """Whose log a call asks for, what it held, and what else the call gives."""
    given = {name: value for name, value in arguments.items() if value not in (None, "")}
    if isinstance(part, dict):
        keys = {key_of(key): key for key in part}
        named = [name for name, value in given.items() if key_of(value) in keys]
        if len(named) != 1:
            return None
        key = keys[key_of(given.pop(named[0]))]
        part = part[key]
    else:
        key = ""
    if not isinstance(part, list) or not part or not all(isinstance(one, dict) for one in part):
        return None
    return key, [one for one in part if isinstance(one, dict)], given


def _since(rows: Sequence[JsonObject], others: JsonObject) -> tuple[JsonObject, ...] | None:
    """The rows that pass a moment since which is asked for. What comes later than a row that passes does as well, so one at
    least has to; None where it doesn't, or where something else is asked for.
    """
    if not others:
        return tuple(rows)
    ((name, since), *more) = others.items()
    form = _DIGIT.sub("0", since) if isinstance(since, str) else ""
    if more or not stems(name) & LOWER_BOUND or not _MOMENT.match(form):
        return None
    fields = [field for field in rows[0] if all(_DIGIT.sub("0", str(row.get(field))) == form for row in rows)]
    if len(fields) != 1:
        return None
    moments = [str(row[fields[0]]) for row in rows]
    passing = tuple(row for row, moment in zip(rows, moments, strict=True) if moment >= str(since))
    return passing if passing and moments == sorted(moments) and moments[-1] > str(since) else None


def _strange(group: Group, rows: Sequence[JsonObject]) -> tuple[Item, ...]:
    left, strange = list(rows), []
    for item in group.items:
        own = next((row for row in left if _is_row(item.row, row)), None)
        if own is None:
            strange.append(item)
        else:
            left.remove(own)
    return tuple(strange)


def _is_row(shown: JsonObject, row: JsonObject) -> bool:
    shared = [field for field in shown if field in row]
    return bool(shared) and all(
        same(row[field], shown[field]) or name_key(str(row[field])) == name_key(str(shown[field]))
        for field in shared
    )
