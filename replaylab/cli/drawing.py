"""The figures of a score, drawn while the rest of it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from replaylab.report.figures.draw import FIGURES, draw_all
from replaylab.report.figures.read import CONTEXT
from replaylab.report.figures.value import Drawn
from replaylab.score.value import Table
from replaylab.store.processes import Beside

SOURCES = frozenset(
    {*CONTEXT, *(source for source, _ in FIGURES.values())}
)  # the tables that figures look into


class Drawing(Mapping[str, Drawn]):
    """Figures by name, none before `begin`. They are waited for where they are first looked at; without a process beside,
    they are drawn there.
    """

    def __init__(self, beside: Beside | None, *, radar: bool) -> None:
        self._beside, self._radar = beside, radar
        self._wait: Callable[[], dict[str, Drawn]] = dict

    def begin(self, tables: Mapping[str, Table]) -> None:
        """Draw from these full layouts."""
        if self._beside is None:
            self._wait = lambda: draw(tables, self._radar)
        else:
            self._wait = self._beside.ask(draw, dict(tables), self._radar)

    @cached_property
    def _drawn(self) -> dict[str, Drawn]:
        return self._wait()

    def __getitem__(self, name: str) -> Drawn:
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)


def draw(tables: Mapping[str, Table], radar: bool) -> dict[str, Drawn]:
    """`draw_all` as a function of positions."""
    return draw_all(tables, radar=radar)
