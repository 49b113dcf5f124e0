"""The published tables of a claims file, as they are written there."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from replaylab.schema.base import Frozen
from replaylab.score.rounding import Rule

Unit = Literal["%", "points", "ratio", "count", "rank", "text"]
Ties = Literal["detect", "disagree", "half", "leave_out"]
How = Literal[
    "mean",
    "pooled",
    "sum",
    "min",
    "max",
    "robustness",
    "difference",
    "ratio",
    "relative",
    "rank",
    "agreement",
]
# An editor takes a bare 77.0 for a number; here it is the text that was written.
Text = Annotated[str, StringConstraints(max_length=2000), WithJsonSchema({"type": ["string", "number"]})]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


def _digits(value: object) -> object:
    """A whole number is written in plain digits: 2.0, 2_0 and +2 are other texts."""
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,20}", value):
        raise ValueError("a whole number is due, in plain digits")
    return value


Digits = BeforeValidator(_digits)
Whole = Annotated[int, Field(ge=0, le=10**5), Digits]

_NUMBER = re.compile(r"[-+−]?[0-9]+(\.[0-9]+)?")
_PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?")


def is_number(text: str) -> bool:
    """Whether a text is a plain decimal number: no exponent, no separator, one point at most."""
    return len(text) <= 40 and bool(_NUMBER.fullmatch(text))


def _plain(text: str) -> str:
    if not _PLAIN.fullmatch(text) or len(text) > 40:
        raise ValueError("a plain decimal number is due, as 0.05")
    return text


Decimal = Annotated[str, AfterValidator(_plain), WithJsonSchema({"type": ["string", "number"]})]


class Formula(Frozen):
    """How a number follows from others.

    A reference is `TABLE / ROW / COLUMN`; `*` as row or column stands for all (summary rows left out), and `@COLUMN` for
    what stands in that text column of the row that is computed. In a column of a table a reference may be a column of the
    same row alone. `without` names rows and columns that `*` passes over.
    """

    how: How
    of: tuple[Name, ...] = ()
    over: Name | None = None
    without: tuple[Name, ...] = ()
    ties: Ties = "detect"

    @model_validator(mode="after")
    def _complete(self) -> Formula:
        two = self.how in ("difference", "ratio", "relative", "agreement")
        if two and len(self.of) != 2:
            raise ValueError(f"{self.how} takes two references in `of`: the first and the second")
        if (self.how in ("robustness", "rank")) != (self.over is not None):
            raise ValueError(
                "`over` is what robustness divides by, and of whom a rank is taken; nothing else has it"
            )
        return self


class ColumnSpec(Frozen):
    """A column. `n` is what its rates are of; `tolerance` how far a number that was measured in a figure may be off.

    `condition` says what its numbers are of, beyond the table's own; a value `@COLUMN` is taken from that text column of
    the row. Cells of equal conditions are one measurement; a column without a condition is compared with no other. `computed` says what its numbers were computed from: then it is checked.
    """

    title: str = ""
    unit: Unit | None = None
    n: Whole | None = None
    tolerance: Decimal | None = None
    condition: dict[Name, str] = Field(default_factory=dict)
    computed: Formula | None = None


class Sorted(Frozen):
    """That the rows stand in the order of a column."""

    by: Name
    falls: bool = True


class TableSpec(Frozen):
    """A published table.

    `rows` has for each row its cells in the order of the columns; `csv` names a file beside the claims file instead, whose
    first column is the rows' names. An empty cell is "" or "-". `rows_are` is what rows differ in (model, industry).
    `summary` are rows that are computed from the others, and how. `bold` are the rows that are marked best, by column.
    `cell_n` are the denominators of single cells: row, then column. `rebuilds` is the table of `replaylab score` that this
    one is a printing of, and `names` says what its rows and columns are called there, where that is something else.
    """

    title: str = ""
    source: str = ""
    rebuilds: Name | None = None
    names: dict[Name, Name] = Field(default_factory=dict)
    unit: Unit = "%"
    n: Whole | None = None
    rounding: Rule | Literal["detect"] = "detect"
    rows_are: Name = "row"
    condition: dict[Name, str] = Field(default_factory=dict)
    columns: Annotated[dict[Name, ColumnSpec], Field(min_length=1, max_length=200)]
    rows: Annotated[dict[Name, tuple[Text, ...]], Field(max_length=2_000)] = Field(default_factory=dict)
    csv: Name | None = None
    summary: dict[Name, Formula] = Field(default_factory=dict)
    sorted: Sorted | None = None
    bold: dict[Name, tuple[Name, ...]] = Field(default_factory=dict)
    cell_n: dict[Name, dict[Name, Whole]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _whole(self) -> TableSpec:
        if bool(self.rows) == (self.csv is not None):
            raise ValueError("a table has rows or names a csv file, one of the two")
        for row, cells in self.rows.items():
            if len(cells) != len(self.columns):
                raise ValueError(
                    f"row {row!r} has {len(cells)} cells, and there are {len(self.columns)} columns"
                )
        return self
