"""The worlds of tests/diff/worlds as environments, and what the check finds in calls to them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from replaylab.catalogue.loader import Catalogue
from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import found

_WORLDS = Path(__file__).resolve().parent / "worlds"


@cache
def world(task: str) -> Environment:
    """The environment of a task."""
    return Catalogue.load([_WORLDS]).task(task).environment


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
