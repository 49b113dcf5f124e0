"""Contradiction: shapes that show a known value otherwise than it is, though nothing has changed it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.ground import Ground, Path, Said, changed, is_plain, nodes, pointer
from replaylab.schema.base import Json
from replaylab.schema.seeded import Seeded

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_HOUR = re.compile(r"(?<!\d)([01]\d|2[0-3]):([0-5]\d)")
_COUNT = re.compile(r"(?<![\w.:-])\d+(?:\.\d+)?(?![\w:-]|\.\d)")


class Known(NamedTuple):
    """A place of the truth that shows what the state says, of which entity, under which name."""

    path: Path
    entity: str
    field: str
    value: Json


def changed_number(ground: Ground, draw: Draw) -> Said | None:
    """A number of the state is shown as another."""
    places = [one for one in _known(ground) if _is_number(one.value) and one.entity]
    return _otherwise(ground, draw, places, "number")


def changed_text(ground: Ground, draw: Draw) -> Said | None:
    """A text of the state is shown as that of another entity."""
    places = [one for one in _known(ground) if isinstance(one.value, str) and one.entity]
    return _otherwise(ground, draw, places, "text")


def changed_flag(ground: Ground, draw: Draw) -> Said | None:
    """Yes is shown where the state says no."""
    places = [one for one in _known(ground) if isinstance(one.value, bool) and one.entity]
    return _otherwise(ground, draw, places, "flag")


def filled_in(ground: Ground, draw: Draw) -> Said | None:
    """A value is shown where the state says that there is none."""
    return _otherwise(ground, draw, [one for one in _known(ground) if one.value is None], "filled_in")


def changed_constant(ground: Ground, draw: Draw) -> Said | None:
    """A value that belongs to no entity, such as a limit or the time, is shown as another."""
    places = [one for one in _known(ground) if not one.entity]
    return _otherwise(ground, draw, places, "constant")


def forgotten_write(ground: Ground, draw: Draw) -> Said | None:
    """What an earlier call changed is shown as it was at first."""
    places = [
        (one, ground.at_first[one.entity][one.field])
        for one in _known(ground)
        if one.field in ground.at_first.get(one.entity, {})
        and ground.at_first[one.entity][one.field] != one.value
        and not isinstance(ground.at_first[one.entity][one.field], (dict, list))
    ]
    if not places:
        return None
    one, former = draw.one(places)
    return _said(ground, one, former, "forgotten_write")


def changed_rule(ground: Ground, draw: Draw) -> Said | None:
    """A number in a rule's text is another."""
    if not ground.reads:
        return None
    rules = {text for _, text in nodes(ground.environment.initial_state) if isinstance(text, str)}
    places = [
        (path, text, match)
        for path, text in nodes(ground.truth)
        if isinstance(text, str) and len(text) > 40 and text in rules
        for match in _COUNT.finditer(text)
    ]
    if not places:
        return None
    path, text, match = draw.one(places)
    new = text[: match.start()] + _other_number(match[0], draw) + text[match.end() :]
    seeded = Seeded(
        kind="contradiction", shape="rule_text", pointer=pointer(path), expected=text, observed=new
    )
    return Said(changed(ground.truth, path, new), (seeded,))


def another_answered_for(ground: Ground, draw: Draw) -> Said | None:
    """The answer is that for another entity than was asked for."""
    if not ground.reads or len(ground.asked) != 1 or (not ground.rows and not ground.subjects):
        return None
    ((argument, name),) = ground.asked.items()
    for other in draw.shuffled(ground.peers(name)):
        shown = ground.put({**ground.arguments, argument: other})
        if (
            isinstance(shown, dict)
            and "error" not in shown
            and other in shown.values()
            and shown != ground.truth
        ):
            seeded = Seeded(
                kind="contradiction", shape="another_entity", entity=name, expected=name, observed=other
            )
            return Said(shown, (seeded,))
    return None


SHAPES = (
    changed_number,
    changed_text,
    changed_flag,
    filled_in,
    changed_constant,
    forgotten_write,
    changed_rule,
    another_answered_for,
)


def _known(ground: Ground) -> Iterator[Known]:
    """What a read shows of the state under the state's own names, each place once."""
    if not ground.reads:
        return
    for subject in ground.subjects:
        for field, value in subject.row.items():
            plain = value is None or is_plain(value)
            if plain and field in subject.record and _same(subject.record[field], value):
                yield Known((*subject.path, field), subject.entity, field, value)
    for field, value in ground.truth.items():
        if is_plain(value) and field in ground.state and _same(ground.state[field], value):
            yield Known((field,), "", field, value)


def _same(one: Json, other: Json) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _otherwise(ground: Ground, draw: Draw, places: list[Known], shape: str) -> Said | None:
    for one in draw.shuffled(places):
        new = _other_value(ground, draw, one)
        if new is not None and not _same(new, one.value):
            return _said(ground, one, new, shape)
    return None


def _said(ground: Ground, one: Known, new: Json, shape: str) -> Said:
    seeded = Seeded(
        kind="contradiction",
        shape=shape,
        entity=one.entity,
        pointer=pointer(one.path),
        expected=one.value,
        observed=new,
    )
    return Said(changed(ground.truth, one.path, new), (seeded,))


def _other_value(ground: Ground, draw: Draw, one: Known) -> Json:
    """Another value that could stand there: none of another sort than the true one."""
    value = one.value
    if isinstance(value, bool):
        return not value
    if _is_number(value):
        return type(value)(_other_number(str(value), draw))
    if isinstance(value, str) and (_DAY.search(value) or _HOUR.search(value)):
        return _other_time(value, draw)
    peers = [ground.entities[name].get(one.field) for name in ground.peers(one.entity)]
    others = sorted({peer for peer in peers if is_plain(peer) and peer != value}, key=str)
    return draw.one(others) if others else None


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _other_number(text: str, draw: Draw) -> str:
    """A number that is at least a fifth away, with as many decimals."""
    decimals = len(text.partition(".")[2])
    value = float(text)
    step = max(1.0, abs(value) * (0.2 + draw.below(5) / 10))
    return f"{value + step if value < step or draw.once_in(2) else value - step:.{decimals}f}"


def _other_time(text: str, draw: Draw) -> str:
    """A day or an hour later or earlier."""
    day = _DAY.search(text)
    if day and draw.once_in(2):
        try:
            moved = date.fromisoformat(day[0]) + timedelta(days=1 + draw.below(9))
        except ValueError:
            return text
        return text[: day.start()] + moved.isoformat() + text[day.end() :]
    hour = _HOUR.search(text)
    if hour:
        return (
            text[: hour.start()]
            + f"{(int(hour[1]) + 1 + draw.below(5)) % 24:02d}:{hour[2]}"
            + text[hour.end() :]
        )
    return text
