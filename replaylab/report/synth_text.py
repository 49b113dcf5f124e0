"""A synthesis in words: the funnel, the reasons, the chosen tasks; and how alike two of them are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.synthesis.compare import Stability
from replaylab.synthesis.funnel import Funnel, mended
from replaylab.synthesis.history import History, TaskHistory


class TextTable(NamedTuple):
    """A table as commands print it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def funnel_table(found: Funnel) -> TextTable:
    """What was left after each stage."""
    rows: list[tuple[object, ...]] = [("planned", found.planned, "", "")]
    rows += [(one.name, one.left, one.lost or "", one.repaired or "") for one in found.stages]
    return TextTable("candidate tasks", ("stage", "left", "lost", "repaired"), tuple(rows))


def lost_table(found: Funnel) -> TextTable:
    """Why the others were dropped."""
    rows = tuple(
        (one.reason, one.number, ", ".join(f"{rule} {count}" for rule, count in one.rules))
        for one in found.lost
    )
    return TextTable("dropped", ("reason", "candidates", "of these"), rows)


def mended_table(history: History) -> TextTable:
    """Which rules were broken on the way, and whether repairs mended them."""
    rows = tuple((rule, broken, stood) for rule, (broken, stood) in mended(history).items())
    return TextTable("repairs", ("rule", "broken by", "of them left"), rows)


def kept_table(history: History) -> TextTable:
    """The chosen tasks."""
    rows = tuple(
        (task.id, instance.set, task.level, len(task.plan_tools), _rate(task), task.similar)
        for instance in history.instances
        for task in instance.tasks
        if task.status == "kept"
    )
    return TextTable("kept", ("task", "set", "level", "calls", "solved alone", "most alike"), rows)


def _rate(task: TaskHistory) -> str:
    passed = sum(one.passed for one in task.alone.values())
    decided = sum(one.decided for one in task.alone.values())
    errors = sum(one.error for one in task.alone.values())
    return f"{passed} of {decided}" + (f", {errors} without a verdict" if errors else "")


def head(history: History, found: Funnel) -> Iterator[str]:
    """What a reader has to know besides the tables."""
    programs = sorted(alias for alias, player in history.players.items() if player == "program")
    yield f"synthesis {history.name}: {len(history.kept)} of {found.planned} candidate tasks kept"
    if programs:
        yield f"Played by programs, not LLMs: {', '.join(programs)}"
    yield (
        f"duplicates from a similarity of {found.threshold:g} on; the most alike that were left: {found.most_alike:g}; "
        f"{found.shapes} different rows of tools among those kept"
    )
    checked = [task.agreement for task in history.tasks if task.agreement is not None]
    if checked:
        kept = sum(len(one.kept) for one in checked)
        alike, of = sum(one.alike for one in checked), sum(one.of for one in checked)
        yield (
            f"checks from prose: {sum(one.proposed for one in checked)} proposed, {kept} kept, "
            f"{sum(len(one.contradict) for one in checked)} contradict them, "
            f"{sum(len(one.idle) for one in checked)} decide nothing alone; together {alike} of {of} verdicts alike"
        )
        if all(one.circular for one in checked):
            yield "The votes are a program's that runs these checks, so that agreement says nothing of them."


def stability_tables(found: Stability) -> Iterator[TextTable]:
    """Scenario by scenario, then the agents."""
    a, b = found.names
    yield TextTable(
        f"alike in {a} and {b} (shares from 0 to 1)",
        ("scenario", "kept", "tools", "state", "plans", "levels", "mean rate"),
        tuple(
            (
                one.scenario,
                f"{one.kept[0]} / {one.kept[1]}",
                _shown(one.tools),
                _shown(one.state),
                _shown(one.plans),
                _shown(one.levels),
                f"{_shown(one.rates[0])} / {_shown(one.rates[1])}",
            )
            for one in found.scenarios
        ),
    )
    yield TextTable(
        "agents, over all tasks that were tried",
        ("agent", f"rate in {a}", f"rate in {b}", "trials"),
        tuple(
            (one.agent, _shown(one.rates[0]), _shown(one.rates[1]), f"{one.tried[0]} / {one.tried[1]}")
            for one in found.agents
        ),
    )


def stability_line(found: Stability) -> str:
    """The answer in a sentence."""
    if not found.pairs:
        return "no pair of agents is put in an order by both, so rankings can't be compared"
    return f"{found.agree} of {found.pairs} pairs of agents stand in the same order by both"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
