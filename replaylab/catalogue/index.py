"""Where the shipped scenarios lie, and the index of the published ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from replaylab.catalogue import files
from replaylab.errors import UsageError
from replaylab.schema.base import Frozen
from replaylab.schema.scenario import Scenario

INDEX_FILE = "index.json"
INDEX_FORMAT = "replaylab.index/1"


class Published(Frozen):
    """A scenario that the published benchmark names."""

    name: str
    industry: str
    domain: str


class IndexFile(Frozen):
    """`index.json`: the published names in the order of their source."""

    format: Literal["replaylab.index/1"]
    scenarios: tuple[Published, ...]


class Listed(NamedTuple):
    """A published scenario and the id under which this catalogue holds it, "" when it does not."""

    published: Published
    scenario: str


def shipped() -> Path:
    """The scenarios that come with replaylab: a wheel's copy, else the folder of the checkout.

    Raises UsageError when there is neither.
    """
    package = Path(__file__).resolve().parent.parent
    candidates = (package / "_shipped" / "scenarios", package.parent / "scenarios")
    for candidate in candidates:
        if (candidate / INDEX_FILE).is_file():
            return candidate
    raise UsageError(
        "the shipped scenarios are not there",
        where=" or ".join(map(str, candidates)),
        fix="install replaylab again",
    )


def read_index(folder: Path) -> tuple[Published, ...]:
    """The published scenarios that `folder`/index.json lists. Raises UsageError naming file and field."""
    path = folder / INDEX_FILE
    published = files.read_shape(path, IndexFile).scenarios
    names = [one.name for one in published]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise UsageError(f"the scenario {name!r} stands twice", where=f"{path}: scenarios.{number}.name")
    return published


def listed(published: Iterable[Published], scenarios: Iterable[Scenario]) -> tuple[Listed, ...]:
    """Every published scenario with the id of the scenario of that name, where there is one."""
    ids = {scenario.name: scenario.id for scenario in scenarios}
    return tuple(Listed(one, ids.get(one.name, "")) for one in published)
