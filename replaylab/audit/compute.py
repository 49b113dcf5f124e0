"""Whether a published number follows from others, and if not what comes nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from replaylab.audit.cells import (
    Cell,
    Span,
    digits_of,
    either,
    number,
    plural,
    prints,
    shown,
)
from replaylab.audit.explain import MOST_FITS, MOST_LEFT_OUT, MOST_PARTS, SUBSETS, part_names, why_not
from replaylab.audit.formula import Basis, Pair, Terms, agreed, evaluate, pairs_of
from replaylab.audit.tables import Ties
from replaylab.audit.value import Outcome
from replaylab.schema.base import JsonObject
from replaylab.score.rounding import Rule, decimal

TIES: dict[Ties, str] = {
    "disagree": "tied pairs count as disagreement",
    "half": "tied pairs count as half",
    "leave_out": "tied pairs are left out",
}


class Checked(NamedTuple):
    """What came of a check, before it has a name and a place."""

    outcome: Outcome
    said: str = ""
    found: str = ""
    reason: str = ""
    explanation: str = ""
    numbers: JsonObject | None = None


def follows(text: str, terms: Terms, rule: Rule, tolerance: Fraction | None = None) -> Checked:
    """Whether a printed number is what the formula gives; `tolerance` where it was measured in a figure."""
    if terms.how == "agreement":
        return agreement_follows(text, terms, rule)
    span = evaluate(terms, "counts")
    value = number(text)
    if span is None or value is None:
        return Checked("undecided", text, reason="a number that it needs is not published, or is 0")
    digits = digits_of(text)
    found = shown(span, digits)
    numbers = {
        "from": [_shown_part(cell) for cell in terms.of[:40]],
        "low": str(span.low),
        "high": str(span.high),
    }
    if terms.over is not None:
        numbers["over"] = _shown_part(terms.over)
    if not _can_be(span, text, rule, tolerance):
        reason = f"{text} was published, {found} follows"
        return Checked("fails", text, found, reason, why_not(text, terms, rule), numbers)
    if span.exact or _only(span, text, rule):
        return Checked("holds", text, found, f"{found} follows", "", numbers)
    printed = evaluate(terms, "printed")
    if tolerance is not None or (printed is not None and prints(printed, text, rule)):
        return Checked("holds", text, found, f"the printed numbers allow {found}", "", numbers)
    reason = f"the printed numbers allow {found}; computed from them as they are printed it would be another"
    return Checked("undecided", text, found, reason, "", numbers)


def _can_be(span: Span, text: str, rule: Rule, tolerance: Fraction | None) -> bool:
    value = number(text)
    if tolerance is None or value is None:
        return prints(span, text, rule)
    return span.low <= value + tolerance and span.high >= value - tolerance


def _only(span: Span, text: str, rule: Rule) -> bool:
    digits = digits_of(text)
    return all(decimal(end, digits, rule) == text for end in span)


def _shown_part(cell: Cell) -> str:
    return f"{cell.address}: {cell.fraction()}"


def agreement_follows(text: str, terms: Terms, rule: Rule) -> Checked:
    """Whether the share of pairs of rows that two columns order alike is what was published, and under which rule for ties."""
    pairs = _pairs(terms)
    counts = agreed(pairs)
    numbers: JsonObject = {**counts._asdict(), **{f"share_{name}": str(counts.share(name)) for name in TIES}}
    if counts.unclear or not counts.pairs:
        return Checked(
            "undecided", text, reason=f"{plural(counts.unclear, 'pair')} can't be ordered", numbers=numbers
        )
    shares = {name: counts.share(name) for name in TIES}
    fits = [
        name for name, share in shares.items() if share is not None and prints(Span(share, share), text, rule)
    ]
    digits = digits_of(text)
    found = f"{counts.same} of {counts.pairs} pairs in the same order, {counts.other} in the other, {counts.tied} tied"
    wanted: list[Ties] = list(TIES) if terms.ties == "detect" else [terms.ties]
    good = [name for name in fits if name in wanted]
    others = ", ".join(
        f"{decimal(share, digits, rule)} if {TIES[name]}"
        for name, share in shares.items()
        if share is not None and name not in fits
    )
    if good:
        how = "no pair is tied" if not counts.tied else either([TIES[name] for name in good])
        reason = f"{found}: fits, {how}" + (f" ({others})" if others and counts.tied else "")
        return Checked("holds", text, found, reason, "", numbers)
    explanation = (
        f"fits if {either([TIES[name] for name in fits])}" if fits else _near_share(text, counts.pairs, rule)
    )
    return Checked("fails", text, found, f"{found}: {others}", explanation, numbers)


def _near_share(text: str, pairs: int, rule: Rule) -> str:
    same = [
        k
        for k in range(pairs + 1)
        if prints(Span(Fraction(100 * k, pairs), Fraction(100 * k, pairs)), text, rule)
    ]
    return f"fits {same[0]} of {pairs} pairs" if same else f"is no whole number of {pairs} pairs"


def _pairs(terms: Terms) -> list[Pair]:
    columns: dict[tuple[str, str], list[Cell]] = {}
    for cell in terms.of:
        columns.setdefault((cell.table, cell.column), []).append(cell)
    if len(columns) != 2:
        return []
    first, second = columns.values()
    return pairs_of(first, second)


class Row(NamedTuple):
    """A published number with what it should follow from."""

    text: str
    terms: Terms
    rule: Rule
    tolerance: Fraction | None = None

    def fits(self, basis: Basis, left_out: Sequence[str] = ()) -> bool:
        kept = tuple(
            cell
            for cell, name in zip(self.terms.of, part_names(self.terms.of, self.terms), strict=True)
            if name not in left_out
        )
        span = evaluate(self.terms._replace(of=kept), basis) if kept else None
        return span is not None and _can_be(span, self.text, self.rule, self.tolerance)


def why_together(rows: Mapping[str, Row]) -> str:
    """What explains a whole column of numbers at once: the same parts left out of each, or rounding before computing.

    One part left out of one mean is easily chance; the same part left out of ten that all fit is not.
    """
    if len(rows) < 2 or any(row.terms.how not in SUBSETS for row in rows.values()):
        return ""
    whole = len(rows)
    as_is = sum(row.fits("counts") for row in rows.values())
    names = _common(rows)
    for basis in ("counts", "printed"):
        words = " computed from the rounded cells" if basis == "printed" else ""
        if basis == "printed" and all(row.fits(basis) for row in rows.values()):
            return f"all {whole} fit{words}, {as_is} as they are"
        for size in range(1, MOST_LEFT_OUT + 1):
            if not size + 2 <= len(names) <= MOST_PARTS[size]:
                break
            fits = [
                left
                for left in combinations(names, size)
                if all(row.fits(basis, left) for row in rows.values())
            ]
            if 0 < len(fits) <= MOST_FITS:
                left = either([" and ".join(one) for one in fits])
                kept = f"the {len(names) - size} others of {len(names)}"
                return f"all {whole} fit{words} without {left} ({kept}), {as_is} with all of them"
    return ""


def _common(rows: Mapping[str, Row]) -> list[str]:
    """The names of parts that every row is computed from."""
    found: list[str] | None = None
    for row in rows.values():
        names = part_names(row.terms.of, row.terms)
        found = names if found is None else [name for name in found if name in set(names)]
    return list(dict.fromkeys(found or []))
