"""All figures of a set of tables. matplotlib is loaded when the first one is drawn."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType, ModuleType

from replaylab.errors import UsageError
from replaylab.report.figures import difficulty, faults, heat, industries, overall, ranks, read, scaling
from replaylab.report.figures.value import Drawn, Plot
from replaylab.score.value import Table

Draw = Callable[[Table, read.Tables], Plot | None]

# In the order in which a reader wants them. Each is drawn from the full layout of one table; a few look into others
# for what stands only there (how many scenarios an industry has, how many trials a difference stands on).
FIGURES: Mapping[str, tuple[str, Draw]] = MappingProxyType(
    {
        "overall": ("overall", overall.overall),
        "ranks": ("ranks", ranks.ranks),
        "faults": ("faults", faults.faults),
        "fault_effects": ("fault_effects", faults.fault_effects),
        "fault_ablation": ("fault_ablation", scaling.fault_ablation),
        "industries": ("industries", industries.industries),
        "radar": ("industries", industries.radar),
        "industry_agents": ("industries", heat.industry_agents),
        "difficulty": ("difficulty", difficulty.difficulty),
        "agreement": ("agreement", heat.agreement),
        "size": ("size", scaling.size),
        "generations": ("generations", scaling.generations),
        "effort": ("effort", scaling.effort),
    }
)
ON_REQUEST = "radar"
# The further tables that the figures of a table look into. All are above it in the order in which tables are made.
LOOKED_INTO: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"industries": read.CONTEXT, "ranks": ("overall",), "fault_effects": ("faults",)}
)


def plots(
    tables: Mapping[str, Table], names: Collection[str] = tuple(FIGURES), *, radar: bool = False
) -> dict[str, Plot]:
    """What the figures of these names show, before they are drawn. One without anything to show is left out."""
    found = {}
    for name, (source, figure) in FIGURES.items():
        if name not in names or source not in tables or (name == ON_REQUEST and not radar):
            continue
        table = tables[source]
        if table.layout != "full":
            raise ValueError(f"figures are drawn from full layouts, and {source!r} is {table.layout!r}")
        plot = figure(table, tables)
        if plot:
            found[name] = plot
    return found


def draw_all(
    tables: Mapping[str, Table], names: Collection[str] = tuple(FIGURES), *, radar: bool = False
) -> dict[str, Drawn]:
    """Every figure of these names that the tables have something for, as SVG, PNG and PDF; a radar only on request.

    Not from two threads at once: matplotlib's settings are one for the process, and are put back afterwards.
    """
    wanted = plots(tables, names, radar=radar)
    if not wanted:
        return {}
    with _quiet():
        press = _press()
        return {name: press.press(name, plot) for name, plot in wanted.items()}


def draw_one(name: str, plot: Plot) -> Drawn:
    """A figure that is drawn from no table of a score."""
    with _quiet():
        drawn: Drawn = _press().press(name, plot)
    return drawn


@contextmanager
def _quiet() -> Iterator[None]:
    """Without matplotlib's remarks about its cache, its settings and the fonts of this machine: none is used."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def load() -> None:
    """Load what drawing needs, which takes a second. Raises UsageError where that can't be loaded."""
    _press()


def _press() -> ModuleType:
    try:
        # Here and not above: loading matplotlib takes longer than most commands.
        from replaylab.report.figures.paint import press  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(
            f"figures need matplotlib, which can't be imported: {error}",
            fix="`make stats` in the checkout installs it (the extra `stats`)",
        ) from error
    except ValueError as error:
        # matplotlib reads MPLBACKEND while it is imported, and refuses what it doesn't know.
        raise UsageError(f"matplotlib refuses its settings: {error}", fix="unset MPLBACKEND") from error
    return press
