"""Claims about order: who is best, what rises, which pairs two columns put another way round."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from replaylab.audit import assertions as say
from replaylab.audit.book import Book
from replaylab.audit.cells import Cell, listed, plural
from replaylab.audit.compute import Checked
from replaylab.audit.decide.values import where_of
from replaylab.audit.formula import agreed, pairs_of, sign
from replaylab.errors import UsageError


def order(book: Book, claim: say.Order) -> Checked:
    """Each cell is strictly beyond the next."""
    cells = book.several(claim.cells, where_of(claim))
    wanted = 1 if claim.falls else -1
    steps = [(a, b, sign(a, b)) for a, b in pairwise(cells)]
    return _chain(steps, wanted, strict=True)


def monotone(book: Book, claim: say.Monotone) -> Checked:
    """The cells go one way only."""
    cells = book.several(claim.cells, where_of(claim))
    wanted = -1 if not claim.falls else 1
    steps = [(a, b, sign(a, b)) for a, b in pairwise(cells)]
    return _chain(steps, wanted, strict=claim.strict)


def _chain(steps: list[tuple[Cell, Cell, int | None]], wanted: int, *, strict: bool) -> Checked:
    """Whether every step goes the wanted way: 1 where the first of the two is larger."""
    told = " ".join([steps[0][0].text, *(f"{_sign(found)} {b.text}" for _, b, found in steps)])
    numbers = {"cells": {cell.address: cell.fraction() for step in steps for cell in step[:2]}}
    wrong = [(a, b, found) for a, b, found in steps if found == -wanted or (found == 0 and strict)]
    if wrong:
        places = listed([_step(a, b, found, wanted) for a, b, found in wrong], 4)
        rest = len(steps) - len(wrong)
        return Checked(
            "fails",
            "",
            told,
            f"{told}: {places}",
            f"{rest} of {plural(len(steps), 'step')} go the way that is said",
            numbers,
        )
    # Printed alike, two numbers go neither way for a reader; where nothing is printed nobody can tell.
    alike = [a.value is not None and a.text == b.text and not strict for a, b, _ in steps]
    unclear = [step for step, same in zip(steps, alike, strict=True) if step[2] is None and not same]
    if unclear:
        reason = f"{told}: the printed numbers leave {plural(len(unclear), 'step')} open"
        return Checked("undecided", "", told, reason, "", numbers)
    return Checked("holds", "", told, told, "", numbers)


def _sign(found: int | None) -> str:
    return {1: ">", -1: "<", 0: "=", None: "≈"}[found]


def _step(a: Cell, b: Cell, found: int | None, wanted: int) -> str:
    if found == 0:
        return (
            f"{a.column if a.row == b.row else a.row} and {b.column if a.row == b.row else b.row} are equal"
        )
    names = (a.column, b.column) if a.row == b.row else (a.address, b.address)
    rises = "rises" if found == -1 else "falls"
    return f"from {names[0]} to {names[1]} it {rises} ({a.text} to {b.text})"


def argmax(book: Book, claim: say.Argmax) -> Checked:
    """The named are the best, all of them, alone unless a tie is spoken of."""
    where = where_of(claim)
    book.left_out(claim.without, [claim.of], where)
    cells = [one for one in book.refer(claim.of, where, without=claim.without) if one.value is not None]
    along_row = claim.of.rpartition(" / ")[2].strip() == "*"
    by_name = {(cell.column if along_row else cell.row): cell for cell in cells}
    absent = [name for name in claim.named if name not in by_name]
    if absent:
        raise UsageError(
            f"{absent[0]!r} is not among the cells of {claim.of}",
            where=f"{book.name}: {where}",
            fix=f"known: {listed(list(by_name), 20)}",
        )
    best, doubtful = _top(by_name, claim.top, least=claim.least)
    named = list(claim.named)
    told = [f"{name} {by_name[name].text}" for name in best]
    said = listed([f"{name} {by_name[name].text}" for name in named])
    found, numbers = listed(told), {"best": {name: by_name[name].fraction() for name in best}}
    if doubtful:
        return Checked(
            "undecided",
            said,
            found,
            f"the printed numbers leave open who is among them: {listed(doubtful)}",
            "",
            numbers,
        )
    reason = f"{'lowest' if claim.least else 'highest'}: {found}"
    if set(best) == set(named):
        if len(best) > claim.top and not claim.shared:
            return Checked("fails", said, found, f"{reason}: a tie", "holds as a tie", numbers)
        return Checked("holds", said, found, reason, "", numbers)
    return Checked("fails", said, found, reason, _why_not_best(claim, by_name, best), numbers)


def _top(by_name: dict[str, Cell], top: int, *, least: bool) -> tuple[list[str], list[str]]:
    """The first so many with all that are tied with the last of them; and names that may or may not be among them."""
    best, doubtful = [], []
    wanted = -1 if least else 1
    possible = _possible(by_name, top, least=least)
    for name, cell in possible.items():
        signs = [sign(other, cell) for key, other in possible.items() if key != name]
        surely_before = sum(found == wanted for found in signs)
        maybe_before = sum(found is None for found in signs)
        if surely_before + maybe_before < top:
            best.append(name)
        elif surely_before < top:
            best.append(name)
            doubtful.append(name)
    ranked = sorted(best, key=lambda name: by_name[name].value or Fraction(0), reverse=not least)
    # Printed alike and impossible to tell apart is a tie for a reader, not a doubt.
    if doubtful and len({by_name[name].text for name in doubtful}) == 1:
        doubtful = []
    return ranked, doubtful


def _possible(by_name: dict[str, Cell], top: int, *, least: bool) -> dict[str, Cell]:
    """Those that can be among the first so many. Whoever is surely before one of them is one of them."""
    spans = {name: span for name, cell in by_name.items() if (span := cell.span()) is not None}
    ends = sorted((-span.high if least else span.low for span in spans.values()), reverse=True)
    limit = ends[min(top, len(ends)) - 1]
    return {
        name: by_name[name] for name, span in spans.items() if (-span.low if least else span.high) >= limit
    }


def _why_not_best(claim: say.Argmax, by_name: dict[str, Cell], best: list[str]) -> str:
    """Which of the named are not among them, and at which place they stand; or whom the claim forgets."""
    wanted = -1 if claim.least else 1
    parts = []
    for name in claim.named:
        if name not in best:
            place = 1 + sum(sign(other, by_name[name]) == wanted for other in by_name.values())
            ties = sum(sign(other, by_name[name]) == 0 for other in by_name.values()) - 1
            shared = f", shared by {ties + 1}" if ties > 0 else ""
            parts.append(f"{name} ({by_name[name].text}) is at place {place}{shared}")
    if not parts:
        forgot = [name for name in best if name not in claim.named]
        tied = [name for name in forgot if any(sign(by_name[name], by_name[one]) == 0 for one in claim.named)]
        parts.append(f"shared with {listed(tied)}" if tied else f"{listed(forgot)} belongs to them too")
    return "; ".join(parts)


def same_top(book: Book, claim: say.SameTop) -> Checked:
    """Two columns begin with the same names."""
    where = where_of(claim)
    tops = []
    for ref in (claim.a, claim.b):
        cells = sorted(
            (one for one in book.refer(ref, where) if one.value is not None),
            key=lambda one: one.value or Fraction(0),
            reverse=True,
        )
        tops.append([cell.row for cell in cells[: claim.top]])
        if len(cells) < claim.top:
            return Checked(
                "undecided", "", listed(tops[-1]), f"{ref}: there are only {plural(len(cells), 'number')}"
            )
        close = cells[: claim.top + 1]
        if any(sign(a, b) in (0, None) for a, b in pairwise(close)):
            return Checked("undecided", "", listed(tops[-1]), f"{ref}: places are shared, or open as printed")
    same = tops[0] == tops[1]
    found = f"both begin with {listed(tops[0])}" if same else f"{listed(tops[0])}; {listed(tops[1])}"
    return Checked("holds" if same else "fails", "", found, found)


def disagreements(book: Book, claim: say.Disagreements) -> Checked:
    """Pairs that two columns order differently: how many, whom they involve, how far apart."""
    where = where_of(claim)
    first, second = book.refer(claim.a, where), book.refer(claim.b, where)
    pairs = pairs_of(first, second)
    counts = agreed(pairs)
    if not pairs:
        return Checked("undecided", reason="the two have fewer than two names in common")
    if counts.unclear:
        return Checked("undecided", reason=f"{plural(counts.unclear, 'pair')} can't be ordered as printed")
    values = {cell.row: cell.value or Fraction(0) for cell in first}
    apart = [pair for pair in pairs if pair.agrees is not True]
    told = [
        f"{pair.one} and {pair.other} ({float(abs(values[pair.one] - values[pair.other])):.1f} apart)"
        for pair in apart
    ]
    problems = []
    if claim.expect is not None and len(apart) != claim.expect:
        problems.append(f"{plural(len(apart), 'pair')}, not {claim.expect}")
    if claim.among:
        outside = sorted({name for pair in apart for name in pair[:2] if name not in claim.among})
        problems += [f"also about {listed(outside)}"] if outside else []
    if claim.gap_at_most is not None:
        far = [
            pair for pair in apart if abs(values[pair.one] - values[pair.other]) > Fraction(claim.gap_at_most)
        ]
        problems += [f"{plural(len(far), 'pair')} further apart than {claim.gap_at_most}"] if far else []
    found, numbers = listed(told, 8), {"pairs": told}
    if problems:
        return Checked("fails", "", found, f"{'; '.join(problems)}: {found}", "", numbers)
    return Checked("holds", "", found, found, "", numbers)
