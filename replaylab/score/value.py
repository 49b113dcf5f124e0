"""The values that tables are made of: counts, intervals, cells, tables. They know nothing of how they are printed."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from replaylab.schema.base import Frozen, Json

Layout = Literal["paper", "full"]
Denominator = Literal["planned", "decided"]


class Interval(Frozen):
    """`low` and `high` in the unit of what they bound; `method` in words; `note` says what was ignored, if anything."""

    low: float
    high: float
    method: str
    level: float = 0.95
    note: str = ""


class Count(Frozen):
    """Trials of a cell by outcome. Errors and missing trials are never in `passed` or `failed`.

    `unjudged` trials were recorded for another purpose than a verdict: they are in no rate and in no denominator.
    """

    passed: int = 0
    failed: int = 0
    error: int = 0
    missing: int = 0
    unjudged: int = 0

    @property
    def planned(self) -> int:
        return self.passed + self.failed + self.error + self.missing

    @property
    def decided(self) -> int:
        return self.passed + self.failed

    def rate(self, denominator: Denominator) -> Fraction | None:
        """Passed trials over the denominator; None where that is 0."""
        whole = self.planned if denominator == "planned" else self.decided
        return Fraction(self.passed, whole) if whole else None

    @property
    def worst(self) -> Fraction | None:
        """The rate if every errored and missing trial had failed."""
        return Fraction(self.passed, self.planned) if self.planned else None

    @property
    def best(self) -> Fraction | None:
        """The rate if every errored and missing trial had passed."""
        return Fraction(self.passed + self.error + self.missing, self.planned) if self.planned else None


class Selector(Frozen):
    """Which trials are behind a number: those that agree in every field that is set. "" is any."""

    agent: str = ""
    simulator: str = ""
    verifier: str = ""
    faults: str = ""
    industry: str = ""
    scenario: str = ""
    task: str = ""
    outcome: str = ""


class Cell(Frozen):
    """One cell. `text` is what is printed; `value` the number behind it, unrounded (a rate is in percent points).

    `count` is set where the number is a rate over trials. `best` marks every tied maximum of a column that is marked.
    `trials` says which trials are behind it; a number may stand on several groups (a difference, a mean).
    """

    text: str
    value: Json = None
    count: Count | None = None
    interval: Interval | None = None
    best: bool = False
    trials: tuple[Selector, ...] = ()
    note: str = ""


class Column(Frozen):
    """`unit` is "%", "points", "tokens", "s", "USD", … or "" for text and counts."""

    key: str
    title: str
    unit: str = ""
    numeric: bool = True


class Table(Frozen):
    """`notes` is the footer: denominator rule, clusters, ICC, least detectable difference, family size, seed.

    Every row has one cell a column. `sections` names what a row belongs to where rows are grouped, "" otherwise.
    """

    id: str
    title: str
    layout: Layout
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
