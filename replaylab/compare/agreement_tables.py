"""The agreement of two simulators as tables: what drives a disagreement, and what explains it."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.compare.agreeing import Between
from replaylab.compare.agreement import Disagreement, Driver, Inversion
from replaylab.compare.cells import counted_cell, number_column, points_cell, table, text_column
from replaylab.compare.explained import Explained
from replaylab.compare.values import Share
from replaylab.score.cells import empty, number_cell, p_text, text_cell
from replaylab.score.value import Cell, Table

DRIVERS = 3  # of an inversion, in its row


def tables(between: Between) -> tuple[Table, ...]:
    """The tables of two simulators."""
    found = between.found
    made = [
        _drivers(found, found.scenarios, "scenarios", "Scenarios"),
        _drivers(found, found.industries, "industries", "Industries"),
    ]
    made += [_inversions(found)] if found.inversions else []
    return (*made, _explained(found, between.explained))


def _drivers(found: Disagreement, drivers: Sequence[Driver], name: str, title: str) -> Table:
    one = title[:-1] if name == "scenarios" else "Industry"
    counted = any(driver.inversions is not None for driver in drivers)
    columns = [
        text_column("name", one),
        number_column("a", found.a, "%"),
        number_column("b", found.b, "%"),
        number_column("contribution", "Moves the rate by", "points"),
        number_column("regressed", f"Passed under {found.a} alone"),
        number_column("improved", f"Under {found.b} alone"),
        number_column("pairs", "Pairs"),
        number_column("tasks", "Tasks"),
    ]
    columns += [number_column("inversions", "Inversions gone without it")] if counted else []
    rows = [(*_driver(driver), *([_gone(driver)] if counted else [])) for driver in drivers]
    return table(name, f"{title} that drive {found.a} and {found.b} apart", columns, rows, _notes(found))


def _notes(found: Disagreement) -> list[str]:
    whole, orders = found.whole, found.agent_pairs
    difference = "" if whole.difference is None else percent_text(whole.difference)
    told = f"{whole.pairs} pairs of trials with verdicts on both sides, {whole.tasks} tasks, {whole.scenarios} scenarios"
    notes = [
        f"All together: {difference} points ({found.b} minus {found.a}), over {told}. The column adds up to that."
    ]
    if sum(orders.values()):
        notes.append(
            f"Pairs of agents on the {found.shared} tasks that all have: {orders['same']} in the same order, "
            f"{orders['other']} in the other, {orders['tied']} tied under either."
        )
    elif len(found.agents) > 1:
        notes.append("No task has a verdict of every agent under both, so agents are not ranked here.")
    return notes


def percent_text(value: float) -> str:
    """A share in points, with one digit."""
    return points_cell(value).text


def _driver(one: Driver) -> tuple[Cell, ...]:
    return (
        text_cell(one.name),
        points_cell(one.rate_a),
        points_cell(one.rate_b),
        points_cell(one.contribution),
        number_cell(one.regressed),
        number_cell(one.improved),
        number_cell(one.pairs),
        number_cell(one.tasks),
    )


def _gone(one: Driver) -> Cell:
    return empty("") if one.inversions is None else number_cell(one.inversions)


def _inversions(found: Disagreement) -> Table:
    columns = (
        text_column("first", "Agent"),
        text_column("second", "Other agent"),
        number_column("a", f"Ahead under {found.a}", "points"),
        number_column("b", f"Ahead under {found.b}", "points"),
        text_column("drivers", "Driven by"),
    )
    rows = [
        (
            text_cell(one.first),
            text_cell(one.second),
            points_cell(one.margin_a),
            points_cell(one.margin_b),
            text_cell(_driven(one)),
        )
        for one in found.inversions
    ]
    notes = ["Driven by: how far a scenario moves the lead, in points; the greatest first."]
    return table("inversions", "Agents that stand the other way round", columns, rows, notes)


def _driven(one: Inversion) -> str:
    told = [f"{name} {percent_text(share)}" for name, share in list(one.drivers.items())[:DRIVERS]]
    more = len(one.drivers) - DRIVERS
    return ", ".join(told) + (f" and {more} more" if more > 0 else "")


def _explained(found: Disagreement, known: Explained) -> Table:
    columns = (
        text_column("pairs", "Verdicts"),
        number_column("critical", "With a violation that the rubric depends on", "%"),
        number_column("before", "No later than where the two part", "%"),
    )
    none = "no such pair"
    rows = [
        (text_cell(name), _share(share, none), _share(before, none))
        for name, share, before in (
            ("flipped", known.flipped, known.flipped_before),
            ("alike", known.unflipped, known.unflipped_before),
        )
    ]
    title = f"Whether violations explain the flips between {found.a} and {found.b}"
    return table("explained", title, columns, rows, explained_notes(known))


def _share(share: Share, why: str) -> Cell:
    return counted_cell(share, why)


def explained_notes(known: Explained) -> list[str]:
    """What the shares come to."""
    notes = ["Of pairs of trials, in either of the two; intervals with scenarios as clusters."]
    if known.difference is not None:
        told = f"Flipped minus alike: {percent_text(known.difference)} points"
        bounds = known.interval
        within = f" [{100 * bounds.low:.1f}, {100 * bounds.high:.1f}], scenarios drawn anew" if bounds else ""
        notes.append(f"{told}{within}." if within else f"{told} ({known.why_not}).")
    else:
        notes.append(f"No difference to show: {known.why_not}.")
    if known.flipped.n:
        notes.append(
            f"Of the {known.flipped.n} flips {known.failed_alone} have one in the failed trial alone, "
            f"{known.passed_alone} in the passed one alone; were violations no part of it, both would be alike "
            f"(McNemar p {p_text(known.p)}, scenarios ignored)."
        )
    if known.unchecked:
        notes.append(f"In no share: {known.unchecked} pairs with a trial of which no call could be checked.")
    return notes
