"""Other ids for the things of an environment: `PT-204` becomes `PT-231`, everywhere, and keeps its place in every order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from replaylab.builtin.seeded.draw import Draw
from replaylab.schema.base import Json
from replaylab.schema.walk import texts

_ID = re.compile(r"(?<![\w-])([A-Z]{1,6})-(\d{1,6})(?![\w-])")
MOST = 89

Rename = Callable[[Json], Json]


def renaming(values: Iterable[Json], code: str, draw: Draw) -> Rename:
    """A function that renames ids in any value: those of `values`, but none that `code` spells itself.

    The numbers of one prefix move by the same step, so that what is sorted by id stays so; where they would get another
    number of digits they stay.
    """
    numbers: dict[str, set[str]] = {}
    for text in (text for value in values for text in texts(value)):
        for prefix, number in _ID.findall(text):
            numbers.setdefault(prefix, set()).add(number)
    steps: dict[str, int] = {}
    for prefix, known in sorted(numbers.items()):
        step = 1 + draw.below(MOST)
        fits = len({len(one) for one in known}) == 1 and all(len(str(int(n) + step)) == len(n) for n in known)
        # An id that the twin makes up or looks for by name must stay what its code says.
        if fits and re.search(rf"['\"]{prefix}-", code) is None:
            steps[prefix] = step

    def moved(match: re.Match[str]) -> str:
        prefix, number = match[1], match[2]
        if prefix not in steps or number not in numbers[prefix]:
            return match[0]
        return f"{prefix}-{int(number) + steps[prefix]}"

    return lambda value: _mapped(value, lambda text: _ID.sub(moved, text))


def _mapped(value: Json, change: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _mapped(part, change) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mapped(part, change) for part in value]
    return value
