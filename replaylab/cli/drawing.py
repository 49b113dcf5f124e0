"""The figures of a score, drawn while the rest of it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from replaylab.report.figures.draw import FIGURES, LOOKED_INTO, draw_all
from replaylab.report.figures.read import CONTEXT
from replaylab.report.figures.value import Drawn
from replaylab.score.tables import TABLES
from replaylab.score.value import Table
from replaylab.store.processes import Beside

SOURCES = frozenset(
    {*CONTEXT, *(source for source, _ in FIGURES.values())}
)  # the tables that figures look into


# All tables in the order in which they are best made: what figures look into, what they are drawn from, the rest.
ORDER = tuple(sorted(TABLES, key=lambda name: (name not in CONTEXT, name not in SOURCES)))


class Drawing(Mapping[str, Drawn]):
    """Figures by name, none before `begin`. They are waited for where they are first looked at; without a process beside,
    they are drawn there.
    """

    def __init__(self, beside: Beside | None, *, radar: bool) -> None:
        self._beside, self._radar = beside, radar
        self._waits: list[Callable[[], dict[str, Drawn]]] = []

    def begin(self, source: str, tables: Mapping[str, Table]) -> None:
        """Draw the figures of one of these full layouts. What they look into besides has to be there by then."""
        names = tuple(name for name, (table, _) in FIGURES.items() if table == source and source in tables)
        needed = {one: tables[one] for one in (source, *LOOKED_INTO.get(source, ())) if one in tables}
        if names and self._beside is not None:
            self._waits.append(self._beside.ask(draw, needed, names, self._radar))
        elif names:
            self._waits.append(lambda: draw(needed, names, self._radar))

    @cached_property
    def _drawn(self) -> dict[str, Drawn]:
        found = {name: drawn for wait in self._waits for name, drawn in wait().items()}
        return {name: found[name] for name in FIGURES if name in found}

    def __getitem__(self, name: str) -> Drawn:
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)


def draw(tables: Mapping[str, Table], names: Sequence[str], radar: bool) -> dict[str, Drawn]:
    """`draw_all` as a function of positions."""
    return draw_all(tables, names, radar=radar)
