"""The nearest reading under which a number that does not follow would follow, found by search.

Nothing here knows a table: other rounding rules, rounding before computing, parts left out, another formula, a digit
swapped or off by one, the neighbour's number. Of each kind all that fit are found, and how many were tried is said
where more than one fits: an explanation that anything would fit explains nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from replaylab.audit.cells import RULE_WORDS, RULES, Cell, digits_of, either, number, plural, prints
from replaylab.audit.formula import Basis, Terms, evaluate
from replaylab.audit.tables import How
from replaylab.score.rounding import Rule, decimal

MOST_LEFT_OUT = 2
MOST_PARTS = {1: 60, 2: 20}  # of which so many are left out in every way
MOST_FITS = 4  # so many different things that could be left out are told; more explain nothing
SUBSETS = ("mean", "pooled", "sum", "min", "max", "robustness")
_BASIS = {"counts": "", "printed": " of the rounded cells"}
_OTHER: dict[How, tuple[How, ...]] = {
    "mean": ("pooled",),
    "pooled": ("mean",),
    "difference": ("relative", "ratio"),
    "relative": ("difference",),
}
_WORDS: dict[str, str] = {
    "mean": "the plain mean",
    "pooled": "the mean weighted by numbers of tasks",
    "relative": "the relative change in per cent",
    "difference": "the difference in points",
    "ratio": "the ratio",
}


def why_not(text: str, terms: Terms, rule: Rule) -> str:
    """The first kind of explanation that fits; "" where none does."""
    for kind in (_other_ranks, _rounded_first, _other_rule, _left_out, _other_formula, _slip):
        found = kind(text, terms, rule)
        if found:
            return found
    return ""


def _other_ranks(text: str, terms: Terms, rule: Rule) -> str:
    """Ranks of another kind: how many are better, and how many different numbers, and how many are as good."""
    values = [cell.value for cell in terms.of if cell.value is not None]
    own = terms.over.value if terms.over else None
    if terms.how != "rank" or own is None:
        return ""
    kinds = {
        "ranks without gaps (1, 2, 2, 3)": 1 + len({value for value in values if value > own}),
        "the last of the tied ranks (1, 3, 3, 4)": sum(value >= own for value in values),
        "ranks from the lowest up": 1 + sum(value < own for value in values),
    }
    fits = [what for what, rank in kinds.items() if str(rank) == text]
    return f"fits {either(fits)}" if fits else ""


def _fits(text: str, terms: Terms, rule: Rule, basis: Basis) -> bool:
    span = evaluate(terms, basis)
    return span is not None and prints(span, text, rule)


def _rounded_first(text: str, terms: Terms, rule: Rule) -> str:
    return "fits when computed from the rounded cells" if _fits(text, terms, rule, "printed") else ""


def _other_rule(text: str, terms: Terms, rule: Rule) -> str:
    for basis in ("counts", "printed"):
        rules = [one for one in RULES if one != rule and _fits(text, terms, one, basis)]
        if rules:
            return f"fits when rounded {either([RULE_WORDS[one] for one in rules])}{_BASIS[basis]}"
    return ""


def _left_out(text: str, terms: Terms, rule: Rule) -> str:
    for basis in ("counts", "printed"):
        for size in range(1, MOST_LEFT_OUT + 1):
            fits = [left for left, rest in without(terms, size) if _fits(text, rest, rule, basis)]
            if 0 < len(fits) <= MOST_FITS:
                names = either([" and ".join(part_names(left, terms)) for left in fits])
                tried = len(list(without(terms, size)))
                what = _WORDS.get(terms.how, "the same")
                return f"fits {what}{_BASIS[basis]} without {names} ({len(fits)} of {tried} ways to leave {size} out)"
    return ""


def without(terms: Terms, size: int) -> Iterator[tuple[tuple[Cell, ...], Terms]]:
    """The formula with so many of its parts left out, in every way; at least two parts stay."""
    if terms.how not in SUBSETS or not size + 2 <= len(terms.of) <= MOST_PARTS[size]:
        return
    for left in combinations(terms.of, size):
        yield left, terms._replace(of=tuple(cell for cell in terms.of if cell not in left))


def part_names(left: Sequence[Cell], terms: Terms) -> list[str]:
    """What tells the parts apart: their row, or their column where all stand in one row."""
    rows = {cell.row for cell in terms.of}
    return [cell.row if len(rows) > 1 else cell.column for cell in left]


def _other_formula(text: str, terms: Terms, rule: Rule) -> str:
    fits = [how for how in _OTHER.get(terms.how, ()) if _fits(text, terms._replace(how=how), rule, "counts")]
    return f"fits {either([_WORDS[how] for how in fits])}" if fits else ""


def _slip(text: str, terms: Terms, rule: Rule) -> str:
    """What the printed text would become by one slip of the pen."""
    span = evaluate(terms, "counts")
    if span is None:
        return ""
    for other, what in slips(text):
        if prints(span, other, rule):
            return f"{other} fits: {what}"
    equal = [cell.address for cell in terms.of if cell.text == text]
    return f"is the number of {equal[0]}" if equal and terms.how not in ("min", "max") else ""


def slips(text: str) -> Iterator[tuple[str, str]]:
    """Texts that differ from this one by a slip, and which."""
    value, digits = number(text), digits_of(text)
    if value is None:
        return
    for step in (1, -1):
        yield decimal(value + Fraction(step, 10**digits), digits), "the last digit is off by one"
    plain = text.lstrip("-+−")
    for at in range(len(plain) - 1):
        pair = plain[at : at + 2]
        if "." not in pair and pair[0] != pair[1]:
            swapped = plain[:at] + pair[::-1] + plain[at + 2 :]
            yield text[: len(text) - len(plain)] + swapped, "two digits are swapped"


def why_impossible(cell: Cell, most: int = 3) -> str:
    """Why a percentage is no whole number of n tasks: the least change of n, or of the rule, that makes it one."""
    if cell.n is None:
        return ""
    rules = [rule for rule in RULES if rule != cell.rule and cell.counts(rule=rule)]
    for step in range(1, most + 1):
        fits = [(n, counts) for n in (cell.n - step, cell.n + step) if n > 0 and (counts := cell.counts(n))]
        if fits:
            ways = either([f"{either([str(k) for k in counts])} of {n}" for n, counts in fits])
            tasks = plural(step, "task")
            left = (
                f"{tasks} left the denominator" if fits[0][0] < cell.n else f"{tasks} came to the denominator"
            )
            more = f"; or when rounded {either([RULE_WORDS[rule] for rule in rules])}" if rules else ""
            return f"fits {ways}: {left}{more}"
    if rules:
        return f"fits when rounded {either([RULE_WORDS[rule] for rule in rules])}"
    return next(
        (f"{other} fits: {what}" for other, what in slips(cell.text) if replace(cell, text=other).counts()),
        "",
    )


def drawn(cell: Cell) -> str:
    """What a whole number of tasks would have to do to be the cell."""
    if cell.tolerance is None:
        return f"prints as {cell.text}"
    return f"lies within {float(cell.tolerance):g} of {cell.text}"


def nearest_counts(cell: Cell) -> list[str]:
    """What the two nearest whole numbers of tasks would print."""
    value = cell.value
    if value is None or not cell.n:
        return []
    low = int(value * cell.n / 100)
    ks = [k for k in (low, low + 1) if 0 <= k <= cell.n]
    return [f"{k}/{cell.n} = {decimal(Fraction(100 * k, cell.n), cell.digits + 2)}" for k in ks]
