"""What can be left out of a true answer: all, the first, one in the middle, the last, several; with a counter that agrees."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

from replaylab.builtin.seeded.ground import changed, nodes
from tests.diff.views import COUNTERS

Node = Any


class Dropped(NamedTuple):
    """An answer without some items of one list, and what these were."""

    shape: str
    path: tuple[Any, ...]
    answer: Any
    gone: list[Any]


def dropped(answer: Any) -> Iterator[Dropped]:
    """Every way in which a list of an answer can be cut, where what is gone stands nowhere else in it."""
    for path, node in nodes(answer):
        if not isinstance(node, list) or not node or not path:
            continue
        for shape, gone in _shapes(len(node)):
            left = [one for at, one in enumerate(node) if at not in gone]
            out = [node[at] for at in gone]
            if any(one in left for one in out):
                continue
            cut = changed(answer, path, left)
            yield Dropped(shape, path, cut, out)
            counted = _counted(cut, len(node), len(left))
            if counted is not None:
                yield Dropped(f"{shape}_counted", path, counted, out)


def _shapes(count: int) -> Iterator[tuple[str, list[int]]]:
    yield "all", list(range(count))
    if count > 1:
        yield "first", [0]
        yield "last", [count - 1]
    if count > 2:
        yield "middle", [count // 2]
        yield "several", [0, count - 1]


def _counted(answer: Any, before: int, after: int) -> Any:
    """The answer with its counters of the list lowered, where it has any."""
    fields = [key for key in COUNTERS if isinstance(answer, dict) and answer.get(key) == before]
    return {**copy.deepcopy(answer), **dict.fromkeys(fields, after)} if fields else None
