"""Typed assertions: what a sentence of a publication says about its tables, written so that it can be decided."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from replaylab.audit.tables import Decimal, Digits, Formula, Name, Text, Whole
from replaylab.schema.base import Frozen
from replaylab.score.rounding import Rule

Names = Annotated[tuple[Name, ...], Field(min_length=1)]
Two = Annotated[tuple[Name, ...], Field(min_length=2)]
Where = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^.+ (<|<=|>|>=|=|!=) .+$")]


def _level(text: str) -> str:
    if not 0 < Fraction(text) < 1:
        raise ValueError("a level between 0 and 1 is due, as 0.05 for 5 %")
    return text


Alpha = Annotated[Decimal, AfterValidator(_level)]


class Assertion(Frozen):
    """`id` names the claim; `said` repeats it in words of your own, `where` is the place in the publication."""

    id: Name
    where: str = ""
    said: str = ""


class Equals(Assertion):
    """A number of the text stands in a table."""

    type: Literal["equals"]
    cell: Name
    value: Text


class Recompute(Assertion):
    """A number follows from a table by a formula. `value` is what was published, or `cell` where it stands."""

    type: Literal["recompute"]
    value: Text | None = None
    cell: Name | None = None
    formula: Formula

    @model_validator(mode="after")
    def _one(self) -> Recompute:
        if (self.value is None) == (self.cell is None):
            raise ValueError("recompute takes a value or a cell, one of the two")
        return self


class Grim(Assertion):
    """A percentage can come from a whole number of n."""

    type: Literal["grim"]
    value: Text | None = None
    n: Annotated[int, Field(ge=1, le=10**5), Digits] | None = None
    cell: Name | None = None

    @model_validator(mode="after")
    def _one(self) -> Grim:
        if (self.cell is None) == (self.value is None or self.n is None):
            raise ValueError("grim takes a cell, or a value and its n")
        return self


class JointSum(Assertion):
    """Parts of a row add up to its total, in whole numbers of tasks. `missing` is how many may be looked for."""

    type: Literal["joint_sum"]
    total: Name
    of: Names
    missing: Annotated[int, Field(ge=0, le=3), Digits] = 2


class RoundingRule(Assertion):
    """The table was rounded by this rule."""

    type: Literal["rounding_rule"]
    table: Name
    rule: Rule


class Order(Assertion):
    """The cells stand in falling order (or rising), each strictly beyond the next."""

    type: Literal["order"]
    cells: Two
    falls: bool = True


class Argmax(Assertion):
    """Who is best among the cells. `named` are all of the best, or with `top` all of the first so many.

    `of` is a column (`T / * / COLUMN`) or a row (`T / ROW / *`); `named` are its rows or columns. `shared` says that the
    claim speaks of a tie. `least` asks for the lowest.
    """

    type: Literal["argmax"]
    of: Name
    named: Names
    without: tuple[Name, ...] = ()
    least: bool = False
    shared: bool = False
    top: Annotated[int, Field(ge=1), Digits] = 1


class Universal(Assertion):
    """In every row a condition holds: `COLUMN < COLUMN`, or a number on the right."""

    type: Literal["universal"]
    table: Name
    condition: Where
    rows: tuple[Name, ...] = ()
    without: tuple[Name, ...] = ()


class Count(Assertion):
    """In so many rows a condition holds; `of` is how many rows there are, `members` which ones they are."""

    type: Literal["count"]
    table: Name
    condition: Where
    expect: Whole
    of: Whole | None = None
    members: tuple[Name, ...] | None = None
    at_least: bool = False
    rows: tuple[Name, ...] = ()
    without: tuple[Name, ...] = ()


class Monotone(Assertion):
    """The cells only rise (or fall) in this order; equal neighbours are allowed unless `strict`."""

    type: Literal["monotone"]
    cells: Two
    falls: bool = False
    strict: bool = False


class SameCondition(Assertion):
    """The cells are one measurement, so they say the same number. With `any`, the first is one of the others."""

    type: Literal["same_condition"]
    cells: Two
    any: bool = False


class CrossReference(Assertion):
    """Two columns, or two rows, of two tables say the same of each name that both have."""

    type: Literal["cross_reference"]
    a: Name
    b: Name
    without: tuple[Name, ...] = ()


class UnitClaim(Assertion):
    """A difference of two rates, and whether it is in points or in per cent of the second."""

    type: Literal["unit"]
    value: Text
    unit: Literal["%", "points"]
    a: Name
    b: Name


class Scope(Assertion):
    """How many there are: rows of a table, columns, or different texts in a column."""

    type: Literal["scope"]
    table: Name
    expect: Whole
    what: Literal["rows", "columns", "distinct"] = "rows"
    column: Name | None = None
    without: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _column(self) -> Scope:
        if (self.what == "distinct") != (self.column is not None):
            raise ValueError("distinct takes the column whose texts are counted")
        return self


class Differs(Assertion):
    """Two rates differ by more than chance. `family` is how many such comparisons were made (Bonferroni's bound)."""

    type: Literal["differs"]
    a: Name
    b: Name
    alpha: Alpha = "0.05"
    family: Annotated[int, Field(ge=1, le=10**6), Digits] = 1
    same_tasks: bool = True


class Equivalent(Assertion):
    """Two rates are the same within a margin in points."""

    type: Literal["equivalent"]
    a: Name
    b: Name
    margin: Decimal
    same_tasks: bool = True


class ExactTie(Assertion):
    """The cells were measured apart: that they agree to the last task would be chance."""

    type: Literal["exact_tie"]
    cells: Two


class Figure(Assertion):
    """A number read off a figure agrees with the text. `tolerance` is how far the reading may be off."""

    type: Literal["figure"]
    text: Text | None = None
    cell: Name | None = None
    figure: Text | None = None
    figure_cell: Name | None = None
    tolerance: Decimal | None = None

    @model_validator(mode="after")
    def _both(self) -> Figure:
        if (self.text is None) == (self.cell is None):
            raise ValueError("figure takes the text's number as `text`, or the cell where it stands")
        if (self.figure is None) == (self.figure_cell is None):
            raise ValueError("figure takes what was read as `figure`, or as `figure_cell`")
        if self.figure is not None and self.tolerance is None:
            raise ValueError("`figure` needs the tolerance of the reading")
        return self


class SameTop(Assertion):
    """Two columns have the same first so many, in the same order."""

    type: Literal["same_top"]
    a: Name
    b: Name
    top: Annotated[int, Field(ge=1), Digits]


class Disagreements(Assertion):
    """The pairs that two columns put in another order: how many, among whom, how far apart in the first column."""

    type: Literal["disagreements"]
    a: Name
    b: Name
    expect: Whole | None = None
    among: tuple[Name, ...] = ()
    gap_at_most: Decimal | None = None


Claim = Annotated[
    Equals
    | Recompute
    | Grim
    | JointSum
    | RoundingRule
    | Order
    | Argmax
    | Universal
    | Count
    | Monotone
    | SameCondition
    | CrossReference
    | UnitClaim
    | Scope
    | Differs
    | Equivalent
    | ExactTie
    | Figure
    | SameTop
    | Disagreements,
    Field(discriminator="type"),
]
