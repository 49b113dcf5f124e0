"""Claims about chance: whether two published rates differ, are as good as equal, or agree too well.

Of a table alone it isn't known which tasks both passed, so p is bounded over every pairing that the counts allow. Tasks
of one scenario are alike, which these bounds ignore: what no pairing supports is not supported, and what every pairing
supports is so for tasks that are independent.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from replaylab.audit import assertions as say
from replaylab.audit.book import Book
from replaylab.audit.cells import Cell, listed
from replaylab.audit.compute import Checked
from replaylab.audit.decide.values import where_of
from replaylab.audit.same import BEYOND_CHANCE, compatible, tie_chance
from replaylab.score.stats.margins import discordant, fisher, mcnemar_bounds

MOST_COUNTS = (
    12  # numbers of passes behind one cell that are tried; more come of cells with few digits and many tasks
)
MOST_TASKS = 5000
Z = 1.6448536269514722  # one-sided 5 %: two such tests are a test of equivalence


def _counts(a: Cell, b: Cell) -> tuple[list[int], list[int], str]:
    """The counts behind two cells, or why there are none."""
    one, other = a.counts(), b.counts()
    if one is None or other is None or a.n is None or b.n is None:
        return [], [], "the number of tasks of one of them is not published"
    if max(a.n, b.n) > MOST_TASKS:
        return [], [], f"more than {MOST_TASKS} tasks"
    if not one or not other:
        impossible = listed([cell.address for cell, ks in ((a, one), (b, other)) if not ks])
        return [], [], f"no whole number of tasks is behind {impossible}"
    if len(one) > MOST_COUNTS or len(other) > MOST_COUNTS:
        return [], [], "too many numbers of tasks can be behind them"
    return one, other, ""


def differs(book: Book, claim: say.Differs) -> Checked:
    """Two rates differ: under every pairing of the tasks, under none, or depending on it."""
    where = where_of(claim)
    a, b = book.cell(claim.a, where), book.cell(claim.b, where)
    ones, others, why = _counts(a, b)
    said = f"{a.text} and {b.text} differ"
    if why or a.n is None or b.n is None:
        return Checked("undecided", said, reason=why)
    alpha = Fraction(claim.alpha) / claim.family
    paired = claim.same_tasks and a.n == b.n
    apart = [float(fisher(k, a.n, m, b.n)) for k in ones for m in others]
    bounds = (
        [mcnemar_bounds(k, m, a.n) for k in ones for m in others] if paired else [(min(apart), max(apart))]
    )
    low, high = min(p for p, _ in bounds), max(p for _, p in bounds)
    tested = f"alpha {claim.alpha}" + (f" / {claim.family} comparisons" if claim.family > 1 else "")
    without = _p(min(apart)) if _p(min(apart)) == _p(max(apart)) else f"{_p(min(apart))} to {_p(max(apart))}"
    how = f"exact McNemar, over all pairings; {without} without pairing" if paired else "Fisher's exact test"
    found = f"p from {_p(low)} to {_p(high)}" if low != high else f"p = {_p(low)}"
    numbers = {
        "a": a.fraction(),
        "b": b.fraction(),
        "p_low": _p(low),
        "p_high": _p(high),
        "p_unpaired": without,
        "alpha": str(alpha),
    }
    note = f"{a.fraction()} and {b.fraction()}: {found} ({how}; {tested})"
    if high <= alpha:
        words = "supported under every pairing" if paired else "supported"
        return Checked("holds", said, found, f"{words}: {note}", "", numbers)
    if low > alpha:
        words = "supported under no pairing" if paired else "not supported"
        single = f"below {claim.alpha} for a single comparison" if low <= Fraction(claim.alpha) else ""
        return Checked("fails", said, found, f"{words}: {note}", single, numbers)
    return Checked("undecided", said, found, f"depends on which tasks both passed: {note}", "", numbers)


def _p(p: float) -> str:
    return f"{p:.3g}"


def equivalent(book: Book, claim: say.Equivalent) -> Checked:
    """Two rates lie within a margin: the 90 % interval of their difference does (two one-sided tests at 5 %)."""
    where = where_of(claim)
    a, b = book.cell(claim.a, where), book.cell(claim.b, where)
    ones, others, why = _counts(a, b)
    said = f"{a.text} and {b.text} within {claim.margin} points"
    if why or a.n is None or b.n is None:
        return Checked("undecided", said, reason=why)
    margin = float(Fraction(claim.margin))
    far = []
    for k in ones:
        for m in others:
            difference = 100 * abs(k / a.n - m / b.n)
            far += [difference + half for half in _halves(k, m, a.n, b.n, claim.same_tasks)]
    low, high = min(far), max(far)
    between = (
        f"{low:.1f} points" if f"{low:.1f}" == f"{high:.1f}" else f"between {low:.1f} and {high:.1f} points"
    )
    found = f"the far end of the 90 % interval lies at {between}"
    numbers = {
        "a": a.fraction(),
        "b": b.fraction(),
        "reaches_low": f"{low:.3f}",
        "reaches_high": f"{high:.3f}",
    }
    note = f"{a.fraction()} and {b.fraction()}: {found}"
    if high <= margin:
        return Checked("holds", said, found, f"under every pairing: {note}", "", numbers)
    if low > margin:
        explanation = "that a difference is not significant is no sign that there is none"
        return Checked("fails", said, found, f"under no pairing: {note}", explanation, numbers)
    return Checked("undecided", said, found, f"depends on which tasks both passed: {note}", "", numbers)


def _halves(k: int, m: int, n: int, other_n: int, same_tasks: bool) -> list[float]:
    """Half of the interval of the difference, in points: of the most and the least alike pairing."""
    if not same_tasks or n != other_n:
        p, q = k / n, m / other_n
        return [100 * Z * sqrt(p * (1 - p) / n + q * (1 - q) / other_n)]
    halves = []
    for only_a, only_b in (discordant(k, m, n)[0], discordant(k, m, n)[-1]):
        # One task more on either side, so that no spread of 0 is estimated from few tasks (Agresti and Min).
        spread = only_a + only_b + 1 - (only_a - only_b) ** 2 / n
        halves.append(100 * Z * sqrt(max(spread, 0.0)) / n)
    return halves


def exact_tie(book: Book, claim: say.ExactTie) -> Checked:
    """Cells that were measured apart: a tie to the last task is possible, and how likely is said."""
    cells = book.several(claim.cells, where_of(claim))
    told = listed([f"{cell.text} ({cell.address})" for cell in cells], 8)
    if any(cell.value is None for cell in cells):
        return Checked("undecided", told, reason="a number is missing")
    if not compatible(cells):
        return Checked("holds", told, "", "they are not equal")
    counts = [cell.counts() for cell in cells]
    known = [ks[0] for ks in counts if ks and len(ks) == 1]
    n = cells[0].n
    if len(known) != len(cells) or n is None or any(cell.n != n for cell in cells):
        return Checked("undecided", told, "", "they print alike; how many tasks are behind them is not known")
    chance = 1.0
    for k in known[1:]:
        chance *= tie_chance(known[0], k, n)
    found = f"{len(cells)} equal to the task ({known[0]}/{n}), by chance about {chance:.2g}"
    outcome = chance < BEYOND_CHANCE
    return Checked(
        "fails" if outcome else "undecided",
        told,
        found,
        found,
        "",
        {"k": known[0], "n": n, "chance": f"{chance:.3g}"},
    )
