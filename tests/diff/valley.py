"""The worlds of tests/diff/worlds as environments, and what the check finds in calls to them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from replaylab.catalogue.loader import Catalogue
from replaylab.catalogue.twin import load_twin
from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import found

Asked = tuple[str, dict[str, Any]]
MUSEUM, LOCKS, BRIGADE = "museum-rooms", "canal-mill-queue", "fire-open-swaps"
_WORLDS = Path(__file__).resolve().parent / "worlds"


@cache
def world(task: str) -> Environment:
    """The environment of a task."""
    return Catalogue.load([_WORLDS]).task(task).environment


def said_by_twin(task: str, *asked: tuple[str, dict[str, Any]]) -> list[Observed]:
    """These calls with what the twin of the task's environment answers to them."""
    found = Catalogue.load([_WORLDS]).task(task)
    twin = load_twin(_WORLDS / found.scenario.id, found.environment, trusted=[_WORLDS])
    return [Observed(tool, given, twin.call(tool, given)) for tool, given in asked]


def told_of(task: str, *calls: Observed) -> list[tuple[str, ...]]:
    """Kind and entity of what is found in the last of these calls to the environment of a task."""
    return _told(task, calls)


def in_valley(*calls: Observed) -> list[tuple[str, ...]]:
    """Kind and entity of what is found in the last of these calls to the control room of the lifts."""
    return _told("ski-swap-crews", calls)


def in_store(*calls: Observed) -> list[tuple[str, ...]]:
    """The same of the chemical store."""
    return _told("chem-inventory", calls)


def in_bank(*calls: Observed) -> list[tuple[str, ...]]:
    """The same of the gene bank."""
    return _told("seed-stocktake", calls)


def _told(task: str, calls: tuple[Observed, ...]) -> list[tuple[str, ...]]:
    return [(kind, entity) for kind, _, entity in found(*calls, of=world(task))]


def true_of(task: str, *asked: Asked) -> list[tuple[str, ...]]:
    return told_of(task, *said_by_twin(task, *asked))


def without(task: str, name: str, key: str, gone: str, *asked: Asked, **other: Any) -> list[tuple[str, ...]]:
    """What is found where the last answer leaves out the row of a list with that key, and has other values."""
    *before, last = said_by_twin(task, *asked)
    assert isinstance(last.observation, dict)
    rows = [one for one in last.observation[name] if (one if isinstance(one, str) else one[key]) != gone]
    assert len(rows) < len(last.observation[name])
    return told_of(
        task, *before, Observed(last.tool, last.arguments, {**last.observation, name: rows, **other})
    )
