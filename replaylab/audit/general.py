"""The checks that are made of every table without being asked: none of them knows which table it looks at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from replaylab.audit.book import Book, Published
from replaylab.audit.cells import RULE_WORDS, RULES, either, listed, plural
from replaylab.audit.compute import Checked
from replaylab.audit.computed import columns, made, summaries
from replaylab.audit.explain import drawn, nearest_counts, why_impossible
from replaylab.audit.formula import sign
from replaylab.audit.same import BEYOND_CHANCE, agree, groups, odd_ones, ties
from replaylab.audit.value import Assessment, Outcome

MOST_TOLD = 500  # ties of a file; how many there are is told anyway


def general(book: Book) -> list[Assessment]:
    """All of them: table by table, then across tables."""
    found = [one for table in book.tables.values() for one in _table(book, table)]
    found += _rounding(book)
    found += _same_conditions(book)
    found += _exact_ties(book)
    return found


def _table(book: Book, table: Published) -> Iterator[Assessment]:
    yield from _texts(table)
    yield from _grim(table)
    yield from columns(book, table)
    yield from summaries(book, table)
    yield from _sorted(table)
    yield from _bold(table)


def _texts(table: Published) -> Iterator[Assessment]:
    """Cells that are no numbers, shares beyond 0 to 100, and columns that are printed to different digits."""
    for column in table.columns:
        if table.unit(column) == "text":
            continue
        cells = [table.cells[row, column] for row in table.rows if table.cells[row, column].text]
        place = f"{table.key} / * / {column}"
        odd = [cell for cell in cells if cell.value is None]
        if odd:
            told = listed([f"{cell.row}: {cell.text!r}" for cell in odd], 6)
            yield made("number", place, Checked("fails", told, "", f"no plain number: {told}"))
        beyond = [
            cell
            for cell in cells
            if cell.unit == "%" and cell.n and cell.value is not None and not 0 <= cell.value <= 100
        ]
        if beyond:
            told = listed([f"{cell.row}: {cell.text}" for cell in beyond], 6)
            yield made("range", place, Checked("fails", told, "0 to 100", f"no share of a whole: {told}"))
        digits = {cell.digits for cell in cells if cell.value is not None and cell.tolerance is None}
        if len(digits) > 1:
            told = listed([str(one) for one in sorted(digits)])
            reason = f"cells have {told} digits after the point: they were not rounded alike"
            yield made("digits", place, Checked("undecided", told, "", reason))


def _grim(table: Published) -> Iterator[Assessment]:
    """Every rate of n tasks is the printing of some whole number of them."""
    rates = [cell for cell in table.cells.values() if cell.counts() is not None]
    if not rates:
        return
    bad = [cell for cell in rates if not cell.counts()]
    for cell in bad:
        near = nearest_counts(cell)
        reason = f"no whole number of {cell.n} tasks {drawn(cell)}"
        numbers = {"n": cell.n, "nearest": near}
        yield made(
            "grim",
            cell.address,
            Checked("fails", cell.text, either(near), reason, why_impossible(cell), numbers),
        )
    good = len(rates) - len(bad)
    if good:
        reason = f"{good} of {plural(len(rates), 'cell')} can come from whole numbers of tasks"
        numbers = {"cells": len(rates), "impossible": len(bad)}
        place = f"{table.key}, the others" if bad else table.key
        yield made("grim", place, Checked("holds", "", "", reason, "", numbers))


def _rounding(book: Book) -> Iterator[Assessment]:
    """Under which rule the fewest rates of a table are impossible; what was declared has to be among the best.

    Tables of few digits and many tasks don't tell rules apart; they are named together.
    """
    silent: list[str] = []
    for table in book.tables.values():
        fit = table.fit
        if not fit.rates:
            continue
        best = [RULE_WORDS[rule] for rule in fit.fitting]
        counts = {RULE_WORDS[rule]: fit.impossible[rule] for rule in RULES}
        told = ", ".join(f"{count} {rule}" for rule, count in counts.items())
        reason = f"impossible cells of {fit.rates} by rule: {told}"
        if fit.declared and fit.rule not in fit.fitting:
            said, explanation = RULE_WORDS[fit.rule], f"fits {either(best)}"
            checked = Checked("fails", said, either(best), reason, explanation, dict(counts))
        elif len(best) == 1:
            checked = Checked("holds", "", best[0], reason, "", dict(counts))
        else:
            silent.append(f"{table.key} ({either(best)}; {RULE_WORDS[fit.rule]} is taken)")
            continue
        yield made("rounding_rule", table.key, checked)
    if silent:
        reason = f"the cells don't tell rules apart in {listed(silent)}"
        yield made("rounding_rule", "other tables", Checked("undecided", reason=reason))


def _sorted(table: Published) -> Iterator[Assessment]:
    """Rows stand in the order that the table says."""
    order = table.spec.sorted
    if order is None:
        return
    cells = table.column(order.by)
    wrong, open_ = [], 0
    for a, b in pairwise(cells):
        found = sign(a, b)
        open_ += found is None
        printed = (a.value or 0) < (b.value or 0) if order.falls else (a.value or 0) > (b.value or 0)
        if printed or found == (-1 if order.falls else 1):
            wrong.append(f"{a.row} ({a.text}) stands before {b.row} ({b.text})")
    reason = f"{plural(len(cells), 'row')} by {order.by}"
    if wrong:
        checked = Checked("fails", f"sorted by {order.by}", "", listed(wrong, 4))
    else:
        also = f"; {plural(open_, 'pair')} of neighbours could be either way" if open_ else ""
        checked = Checked("holds", f"sorted by {order.by}", "", reason + also)
    yield made("order", f"{table.key} / * / {order.by}", checked)


def _bold(table: Published) -> Iterator[Assessment]:
    """What is marked best is the maximum, and everything that shares it is marked."""
    for column, rows in table.spec.bold.items():
        cells = table.column(column)
        top = max((cell.value for cell in cells if cell.value is not None), default=None)
        best = [cell.row for cell in cells if cell.value == top]
        same = set(best) == set(rows)
        reason = f"the best printed: {listed(best)}"
        explanation = "" if same else f"marked: {listed(list(rows))}"
        checked = Checked("holds" if same else "fails", listed(list(rows)), listed(best), reason, explanation)
        yield made("bold", f"{table.key} / * / {column}", checked)


def _same_conditions(book: Book) -> list[Assessment]:
    """Cells of one condition, wherever they stand, say the same."""
    found, held, cells = [], 0, 0
    for group in groups(book.cells):
        checked = agree(group, book.cells)
        if checked.outcome == "holds":
            held, cells = held + 1, cells + len(group)
        else:
            odd = odd_ones(group)
            found.append(made("same_condition", (odd[0] if len(odd) == 1 else group[0]).address, checked))
    if held:
        reason = f"{plural(held, 'measurement')} printed in {cells} places, each the same everywhere"
        found.append(made("same_condition", "all tables", Checked("holds", "", "", reason)))
    return found


def _exact_ties(book: Book) -> list[Assessment]:
    """Rates of different conditions that agree to the task: told, with how many chance would give."""
    seen = ties(book.cells)
    if not seen.found:
        return []
    told = [f"{one.a.address} = {one.b.address} = {one.k}/{one.a.n}" for one in seen.found[:MOST_TOLD]]
    p = seen.p
    outcome: Outcome = "fails" if p < BEYOND_CHANCE else "undecided"
    reason = (
        f"{plural(len(seen.found), 'pair')} of {seen.pairs} that differ in one condition agree to the task; "
        f"chance would give about {seen.expected:.1f} (p = {p:.2g} of so many or more)"
    )
    numbers = {
        "ties": told,
        "tied": len(seen.found),
        "pairs": seen.pairs,
        "expected": f"{seen.expected:.3f}",
        "p": f"{p:.3g}",
    }
    return [made("exact_tie", "all tables", Checked(outcome, listed(told, 8), "", reason, "", numbers))]
