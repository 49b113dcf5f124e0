"""Claims about single numbers: what stands in a cell, what follows from others, what a figure shows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from replaylab.audit import assertions as say
from replaylab.audit.book import Book
from replaylab.audit.cells import (
    RULE_WORDS,
    RULES,
    Cell,
    digits_of,
    either,
    listed,
    number,
    plural,
    prints,
    shown,
)
from replaylab.audit.compute import Checked, follows
from replaylab.audit.computed import around
from replaylab.audit.explain import drawn, nearest_counts, slips, why_impossible
from replaylab.audit.formula import Terms, evaluate
from replaylab.audit.joint import adds_up
from replaylab.audit.same import agree
from replaylab.audit.value import Outcome
from replaylab.errors import UsageError
from replaylab.score.rounding import Rule


def where_of(claim: say.Assertion) -> str:
    """How messages call a claim."""
    return f"claims/{claim.id}"


def equals(book: Book, claim: say.Equals) -> Checked:
    """The text's number is the cell's, or what the cell's becomes with the text's digits."""
    cell = book.cell(claim.cell, where_of(claim))
    return same_number(claim.value, cell, book)


def same_number(said: str, cell: Cell, book: Book) -> Checked:
    """Whether a number of the text can be the one of a cell."""
    if cell.unit == "text":
        outcome = said == cell.text
        return Checked("holds" if outcome else "fails", said, cell.text, f"{cell.address} says {cell.text}")
    span, value = cell.span(), number(said)
    if span is None or value is None:
        what = (
            f"{cell.address} has no number to compare"
            if span is None
            else f"{ascii(said)[:60]} is no plain number"
        )
        return Checked("undecided", said, cell.text, what)
    numbers = {cell.address: cell.fraction(), "low": str(span.low), "high": str(span.high)}
    if said == cell.text:
        return Checked("holds", said, cell.text, f"{cell.address} says so", "", numbers)
    reason = f"{cell.address} says {cell.text}"
    counts = cell.counts()
    if counts and digits_of(said) > cell.digits and cell.n and not _possible(said, cell):
        reason += f", and no whole number of {cell.n} tasks prints as {said}"
        return Checked("fails", said, cell.text, reason, _why_other(said, cell, book), numbers)
    if prints(span, said, cell.rule):
        return Checked("holds", said, cell.text, f"{reason}, which can be {said}", "", numbers)
    return Checked("fails", said, cell.text, reason, _why_other(said, cell, book), numbers)


def _possible(said: str, cell: Cell) -> bool:
    counts = Cell(cell.table, cell.row, cell.column, said, n=cell.n, rule=cell.rule).counts()
    return bool(set(counts or ()) & set(cell.counts() or ()))


def _why_other(said: str, cell: Cell, book: Book) -> str:
    """How far off the number is, and where else it stands."""
    parts = []
    value = cell.value
    if value is not None and any(other == cell.text for other, what in slips(said) if "off" in what):
        parts.append("the last digit is off by one")
    elif value is not None and any(other == cell.text for other, _ in slips(said)):
        parts.append("two digits are swapped")
    rules = [
        rule for rule in RULES if rule != cell.rule and (span := cell.span()) and prints(span, said, rule)
    ]
    if rules:
        parts.append(f"fits when rounded {either([RULE_WORDS[rule] for rule in rules])}")
    same = [
        one.address
        for one in book.cells
        if one.text == said
        and one.table == cell.table
        and one.unit == cell.unit
        and (one.row == cell.row or one.column == cell.column)
    ]
    if same:
        parts.append(f"it is the number of {either(same)}")
    return "; ".join(parts)


def recompute(book: Book, claim: say.Recompute) -> Checked:
    """A number follows by a formula."""
    where = where_of(claim)
    cell = book.cell(claim.cell, where) if claim.cell else None
    formula = claim.formula
    of = tuple(book.operands(formula, where, cell))
    over = book.cell(formula.over, where) if formula.over else None
    terms = book.complete(formula, of, over, where)
    rule = cell.rule if cell else rule_of(list(of))
    if cell is not None and formula.how == "pooled":
        return adds_up(cell, of, around=around(book))
    text = cell.text if cell is not None else claim.value or ""
    return follows(text, terms, rule, cell.tolerance if cell else None)


def rule_of(cells: list[Cell]) -> Rule:
    """The rule of the cells that a number is computed from."""
    return cells[0].rule if cells else "half_even"


def grim(book: Book, claim: say.Grim) -> Checked:
    """A percentage is a whole number of n."""
    if claim.cell is not None:
        cell = book.cell(claim.cell, where_of(claim))
    else:
        rule = book.file.rounding if book.file.rounding != "detect" else "half_even"
        cell = Cell("", "", claim.id, claim.value or "", n=claim.n, rule=rule)
    counts = cell.counts()
    if counts is None:
        return Checked("undecided", cell.text, reason="it is no rate of a known number of tasks")
    if counts:
        return Checked("holds", cell.text, cell.fraction(), f"{cell.fraction()} prints as {cell.text}")
    near = nearest_counts(cell)
    reason = f"no whole number of {cell.n} tasks {drawn(cell)}"
    return Checked(
        "fails", cell.text, either(near), reason, why_impossible(cell), {"n": cell.n, "nearest": near}
    )


def joint_sum(book: Book, claim: say.JointSum) -> Checked:
    """Parts add up to their total in whole tasks."""
    where = where_of(claim)
    total = book.cell(claim.total, where)
    parts = [one for ref in claim.of for one in book.refer(ref, where) if one.address != total.address]
    return adds_up(total, parts, claim.missing, around(book))


def rounding_rule(book: Book, claim: say.RoundingRule) -> Checked:
    """A table was rounded by a rule: no other leaves fewer impossible cells."""
    table = book.table(claim.table, where_of(claim))
    fit = table.fit
    counts = {RULE_WORDS[rule]: fit.impossible[rule] for rule in RULES}
    said, best = RULE_WORDS[claim.rule], [RULE_WORDS[rule] for rule in fit.fitting]
    told = ", ".join(f"{count} {rule}" for rule, count in counts.items())
    reason = f"impossible cells of {fit.rates} by rule: {told}"
    if not fit.rates or (claim.rule in fit.fitting and len(best) > 1):
        return Checked("undecided", said, either(best), f"{reason}; the cells don't tell", "", dict(counts))
    if claim.rule in fit.fitting:
        return Checked("holds", said, said, reason, "", dict(counts))
    return Checked("fails", said, either(best), reason, f"fits {either(best)}", dict(counts))


def same_condition(book: Book, claim: say.SameCondition) -> Checked:
    """Cells are one measurement; with `any` the first is one of the others."""
    cells = book.several(claim.cells, where_of(claim))
    if not claim.any:
        return agree(cells, book.cells)
    first, *others = cells
    if first.value is None or all(other.value is None for other in others):
        return Checked("undecided", first.text, reason="a number is missing")
    each = [(other, agree([first, other], book.cells)) for other in others]
    same = [other.address for other, one in each if one.outcome == "holds"]
    told = ", ".join(f"{other.text} ({other.column})" for other in others[:12])
    if same:
        return Checked("holds", first.text, either(same), f"{first.text} is {either(same)}")
    known = [other for other in others if other.value is not None and first.value is not None]
    reason = f"{first.address} says {first.text}, and the others {told}"
    near = min(
        known, key=lambda one: abs((one.value or Fraction(0)) - (first.value or Fraction(0))), default=None
    )
    explanation = f"{near.text} ({near.address}) comes closest" if near else ""
    return Checked("fails", first.text, told, reason, explanation)


def unit(book: Book, claim: say.UnitClaim) -> Checked:
    """A difference in points or in per cent of the second number."""
    where = where_of(claim)
    a, b = book.cell(claim.a, where), book.cell(claim.b, where)
    points = evaluate(Terms("difference", (a, b)), "counts")
    share = evaluate(Terms("relative", (a, b)), "counts")
    value = number(claim.value)
    if points is None or share is None or value is None:
        return Checked("undecided", claim.value, reason="a number that it needs is not published")
    rule, digits = rule_of([a]), digits_of(claim.value)
    fits = {"points": prints(points, claim.value, rule), "%": prints(share, claim.value, rule)}
    found = f"{shown(points, digits)} points, {shown(share, digits)} % of {b.text}"
    numbers = {"points": str(points.low), "relative": str(share.low)}
    said = f"{claim.value} {claim.unit}"
    if fits[claim.unit]:
        also = "; both units fit" if all(fits.values()) else ""
        return Checked("holds", said, found, f"{found}{also}", "", numbers)
    other = "points" if claim.unit == "%" else "%"
    explanation = f"fits in {'percentage points' if other == 'points' else 'per cent'}" if fits[other] else ""
    if not explanation:
        explanation = (
            "fits the difference of the rounded cells" if _printed_difference(a, b, claim.value) else ""
        )
    return Checked("fails", said, found, found, explanation, numbers)


def _printed_difference(a: Cell, b: Cell, text: str) -> bool:
    span = evaluate(Terms("difference", (a, b)), "printed")
    return span is not None and prints(span, text, a.rule)


def figure(book: Book, claim: say.Figure) -> Checked:
    """What was read off a figure and the number of the text can be the same."""
    where = where_of(claim)
    cell = book.cell(claim.cell, where) if claim.cell else Cell("", "", "text", claim.text or "")
    seen = (
        book.cell(claim.figure_cell, where)
        if claim.figure_cell
        else Cell("", "", "figure", claim.figure or "", n=cell.n, tolerance=Fraction(claim.tolerance or "0"))
    )
    if claim.tolerance is not None and seen.tolerance is None:
        seen = replace(seen, tolerance=Fraction(claim.tolerance))
    if cell.n is None and seen.n is not None and cell.unit == "%":
        cell = replace(cell, n=seen.n)
    span, read = cell.printed_span(), seen.printed_span()
    if span is None or read is None:
        return Checked("undecided", cell.text, seen.text, "a number is missing")
    found = f"{seen.text} ± {float(seen.tolerance):g}" if seen.tolerance is not None else seen.text
    checked = agree([cell, seen], book.cells)
    counts = seen.counts()
    numbers = {"figure": seen.fraction(), "text": cell.fraction()}
    if checked.outcome == "holds":
        return Checked("holds", cell.text, found, f"the figure shows {found}", "", numbers)
    gap = abs((cell.value or Fraction(0)) - (seen.value or Fraction(0)))
    reason = f"the figure shows {found}, the text says {cell.text}"
    explanation = checked.explanation
    if counts and seen.n and not explanation:
        explanation = f"the figure is {either([str(k) for k in counts])} of {plural(seen.n, 'task')}"
    return Checked("fails", cell.text, found, reason, explanation, numbers | {"gap": str(gap)})


def cross_reference(book: Book, claim: say.CrossReference) -> Checked:
    """Two columns (or rows) say the same of every name that both have."""
    where = where_of(claim)
    book.left_out(claim.without, [claim.a, claim.b], where)
    one, other = (book.refer(ref, where, without=claim.without) for ref in (claim.a, claim.b))
    by_row = len({cell.row for cell in one}) > 1 or len({cell.column for cell in one}) == 1
    left = {(cell.row if by_row else cell.column): cell for cell in one}
    right = {(cell.row if by_row else cell.column): cell for cell in other}
    shared = [name for name in left if name in right]
    if not shared:
        raise UsageError("the two have no name in common", where=f"{book.name}: {where}")
    outcomes = {name: _alike(left[name], right[name]) for name in shared}
    odd = [name for name, outcome in outcomes.items() if outcome == "fails"]
    unclear = [name for name, outcome in outcomes.items() if outcome == "undecided"]
    alone = [name for name in (*left, *right) if name not in shared]
    found = "; ".join(f"{name}: {left[name].text} and {right[name].text}" for name in odd[:12])
    reason = f"{len(shared) - len(odd) - len(unclear)} of {len(shared)} names agree"
    if alone:
        reason += f"; {plural(len(alone), 'name')} stand in one alone"
    numbers = {
        "names": len(shared),
        "differ": {name: [left[name].text, right[name].text] for name in odd[:60]},
    }
    if unclear and not odd:
        return Checked(
            "undecided", "", "", f"{reason}; a number is missing for {listed(unclear, 6)}", "", numbers
        )
    if not odd:
        return Checked("holds", "", "", reason, "", numbers)
    return Checked("fails", f"{claim.a} = {claim.b}", found, f"{reason}: {found}", "", numbers)


def _alike(one: Cell, other: Cell) -> Outcome:
    """Whether two cells say the same: texts by what is written, numbers as one measurement."""
    if one.unit == other.unit == "text":
        return "holds" if one.text == other.text else "fails"
    return agree([one, other]).outcome
