"""What a score is made of when it is written down: the tables, the figures, and what they were made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

from replaylab.report.notice import evidence_notices, players_notices
from replaylab.report.score_trials import Behind, ledger_line
from replaylab.schema.base import JsonObject
from replaylab.schema.model import NOBODY, ModelSettings
from replaylab.score.facts import Study, TrialOutcome
from replaylab.score.value import Denominator, Layout, Selector, Table


class Drawn(Protocol):
    """A figure: the same picture three times, what it is called, and what it shows in words."""

    @property
    def svg(self) -> bytes: ...
    @property
    def png(self) -> bytes: ...
    @property
    def pdf(self) -> bytes: ...
    @property
    def title(self) -> str: ...
    @property
    def alt(self) -> str: ...


class Around(NamedTuple):
    """What stands above a table, and by which rule its rates are divided."""

    ledger: str
    notices: tuple[str, ...] = ()
    denominator: Denominator = "planned"


@dataclass(frozen=True)
class Scored:
    """A score of one study, ready to be written.

    `name` is the run's, or what several are called together. `figures` are named after the table whose full layout
    they are drawn from (`FIGURE_OF` has the others). `left_out` says why a table is not there, by its id.
    `choice` is what was asked for. `extra` are further fields of the JSON document, such as the decisions of a gate.
    """

    name: str
    study: Study
    full: tuple[Table, ...]
    paper: tuple[Table, ...] = ()
    figures: Mapping[str, Drawn] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    choice: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)
    ok: bool = True

    @cached_property
    def behind(self) -> Behind:
        """The trials, to look up what is behind a number."""
        return Behind(self.study.trials)

    @cached_property
    def _counts(self) -> dict[int, tuple[object, dict[TrialOutcome, int]]]:
        return {}

    @cached_property
    def evidence_notes(self) -> tuple[str, ...]:
        """What holds for all trials, and stands in the footer of each table too."""
        from replaylab.score.footer import evidence_notes  # noqa: PLC0415 - an audit of tables has no scipy

        return tuple(evidence_notes(self.study, self.study.trials))

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know before the first number."""
        return (
            *evidence_notices(self.study.evidence),
            *players_notices(one.player for one in self.players() if one != NOBODY),
        )

    def players(self) -> Iterator[ModelSettings]:
        """Everybody who played, role by role."""
        for role in (self.study.agents, self.study.simulators, self.study.verifiers):
            yield from role.values()

    def tables(self) -> dict[str, dict[Layout, Table]]:
        """The tables by id, the ledger first, each in the layouts that it has."""
        found: dict[str, dict[Layout, Table]] = {"ledger": {}}
        for table in (*self.full, *self.paper):
            found.setdefault(table.id, {})[table.layout] = table
        return {name: layouts for name, layouts in found.items() if layouts}

    def around(self, table: Table) -> Around:
        """What stands above this table: the ledger of the trials that its cells stand on."""
        return Around(self.ledger(table), self.notices, self.study.denominator)

    def ledger(self, table: Table | None = None) -> str:
        """The ledger as a line: of the trials behind a table, or of all."""
        return ledger_line(self.counts(table))

    def counts(self, table: Table | None = None) -> dict[TrialOutcome, int]:
        """How the trials behind a table ended; those of the whole study where a table doesn't say."""
        rows = table.rows if table else ()
        # Copies of a table have the same rows. They are kept with what was counted, so that no others get their number.
        known = self._counts.get(id(rows))
        if known is None:
            selectors = selectors_of(table) if table else ()
            mask = self.behind.mask(selectors) if selectors else self.behind.everything
            known = self._counts[id(rows)] = rows, self.behind.count(mask)
        return known[1]


def selectors_of(table: Table) -> tuple[Selector, ...]:
    """The groups of trials behind the numbers of a table, each once."""
    numeric = [at for at, column in enumerate(table.columns) if column.numeric]
    return tuple(dict.fromkeys(one for row in table.rows for at in numeric for one in row[at].trials))


# Figures that are not named after the table that they are drawn from.
FIGURE_OF = {"radar": "industries", "industry_agents": "industries"}


def table_of(figure: str, tables: Mapping[str, object]) -> str | None:
    """The id of the table that a figure is drawn from; None when that table is not there."""
    name = FIGURE_OF.get(figure, figure)
    return name if name in tables else None
