"""The published counts as authored cassettes: verdicts with exactly these counts, and nothing else of the study.

Read from the folder of published tables, which is not part of this project. Each scenario of an industry gets as many
tasks as the published data has; which tasks pass is our choice (the first ones), since only their number was published.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from replaylab.faults.plan import named
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.score.industries import INDUSTRIES
from replaylab.store.library import Library
from tools.authored import AuthoredTask, AuthoredTrial, Cast, author, authored_task
from tools.make_library import put_bulk

SHARED = Path(os.environ.get("REPLAYLAB_SHARED", Path(__file__).resolve().parents[2] / "shared"))
TABLES = SHARED / "paper_tables"
JUDGE = "judge"
FAULTS = ("E0", "E1", "E2", "E3")


def needs_tables() -> pytest.MarkDecorator:
    """Skips loudly where the published tables are not on this machine."""
    return pytest.mark.skipif(
        not TABLES.is_dir(),
        reason=f"published tables not at {TABLES}: set REPLAYLAB_SHARED to the folder above them. NOT TESTED.",
    )


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a published table, cells as strings."""
    with (TABLES / name).open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def counts() -> dict[str, tuple[int, int]]:
    """Passed and denominator by "agent|industry", "all" for all industries."""
    found = json.loads((TABLES / "table2_counts.json").read_text(encoding="utf-8"))
    return {key: (k, n) for key, (k, n) in found.items()}


@cache
def sizes() -> dict[str, int]:
    """Tasks by industry."""
    return {row["abbr"]: int(row["n_tasks"]) for row in rows("table1_industries.csv") if row["abbr"] in KEYS}


KEYS = [industry.key for industry in INDUSTRIES]


def declared() -> dict[str, int]:
    """The denominators that the published cells have and the data does not."""
    return {
        key: n for key, (_, n) in counts().items() if n != (sizes() | {"all": 382})[key.rpartition("|")[2]]
    }


@cache
def tasks() -> dict[str, tuple[AuthoredTask, ...]]:
    """The tasks of each industry, spread evenly over as many scenarios as have any."""
    found: dict[str, tuple[AuthoredTask, ...]] = {}
    for row in rows("table1_industries.csv"):
        key = row["abbr"]
        if key not in KEYS:
            continue
        scenarios = [
            ScenarioFacts(
                id=f"{key}-{number}",
                name=f"{key} {number}",
                industry=row["industry"],
                domain=f"{key} {number // 2}",
            )
            for number in range(int(row["scenarios_with_tasks"]))
        ]
        found[key] = tuple(
            authored_task(f"{key}-task-{number}", scenarios[number % len(scenarios)])
            for number in range(int(row["n_tasks"]))
        )
    return found


def model(name: str) -> ModelSettings:
    return ModelSettings(alias=name, model=name)


def _of(rows_of: str, column: str) -> list[str]:
    return list(dict.fromkeys(row[column] for row in rows(rows_of) if row[column] != "Avg"))


def agents() -> list[str]:
    return [row["model"] for row in rows("table2_e0_by_industry_wide.csv")]


def simulators() -> list[str]:
    return _of("table4_cross_simulator.csv", "simulator")


def cast(
    names: list[str], simulators_of: list[str], faults: tuple[str, ...], votes: int = 1, trials: int = 1
) -> Cast:
    return Cast(
        agents=[model(name) for name in names],
        simulators=[model(name) for name in simulators_of],
        verifiers=[model(JUDGE)],
        faults=[named(name) for name in faults],
        tasks=[one for key in KEYS for one in tasks()[key]],
        trials=trials,
        votes=votes,
    )


def first_table(agent: str) -> Iterator[AuthoredTrial]:
    """E0 by industry: in each industry the first k tasks pass."""
    for key in KEYS:
        passed = counts()[f"{agent}|{key}"][0]
        for number, one in enumerate(tasks()[key]):
            yield AuthoredTrial(agent, one.task.id, "pass" if number < passed else "fail")


def spread(agent: str, passed: int, **where: Any) -> Iterator[AuthoredTrial]:
    """All industries together: every task in turn, so that `passed` of all pass."""
    everything = [one for key in KEYS for one in tasks()[key]]
    for number, one in enumerate(everything):
        # Evenly over the list, so that no industry takes them all.
        hit = (number + 1) * passed // len(everything) > number * passed // len(everything)
        yield AuthoredTrial(agent, one.task.id, "pass" if hit else "fail", **where)


def robust() -> list[str]:
    """The agents of the table by fault plan."""
    return _of("table3_robustness.csv", "model")


def write(root: Path, disturbed_agents: Sequence[str] = (), *, jobs: int = 1) -> Library:
    """Three runs: agents by industry, agents by fault plan, agents by simulator. They make one study together.

    Each trial costs milliseconds to write and to read: `disturbed_agents` leaves out the others by fault plan.
    """
    library, first = Library(root), simulators()[0]
    chosen = list(disturbed_agents or robust())
    author(
        library,
        "e0",
        cast(agents(), [first], ("E0",)),
        (trial for agent in agents() for trial in first_table(agent)),
        jobs=jobs,
        put=put_bulk,
    )
    disturbed = [
        row for row in rows("table3_robustness.csv") if row["model"] in chosen and row["env"] != "E0"
    ]
    author(
        library,
        "faults",
        cast(chosen, [first], FAULTS[1:]),
        (
            trial
            for row in disturbed
            for trial in spread(row["model"], int(row["k_recovered"]), faults=row["env"])
        ),
        jobs=jobs,
        put=put_bulk,
    )
    others = [row for row in rows("table4_cross_simulator.csv") if row["simulator"] != first]
    author(
        library,
        "simulators",
        cast(_of("table4_cross_simulator.csv", "agent"), simulators()[1:], ("E0",)),
        (
            trial
            for row in others
            for trial in spread(row["agent"], int(row["k_recovered"]), simulator=row["simulator"])
        ),
        jobs=jobs,
        put=put_bulk,
    )
    return library
