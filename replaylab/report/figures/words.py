"""Words and numbers of figures: rounded as tables round, wrapped, shortened, and still distinct afterwards."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from replaylab.report.figures.value import Point

# Where a name may be broken: after what separates its parts, but not within a number.
_BREAK = re.compile(r"(?<=[\s/\-_:,@|])(?![\s/\-_:,@|])|(?<=\.)(?=[^\W\d])")
MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"

Width = Callable[[str], float]


def rounded(value: float, digits: int = 1) -> str:
    """Half to even on the fraction that the float stands for, so that a figure says what its table says."""
    # A rate is 100 k / n with n far below a million: the nearest such fraction is the exact one.
    exact = round(Fraction(value).limit_denominator(1_000_000), digits)
    text = f"{float(exact):.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", MINUS)


def signed(value: float, digits: int = 1) -> str:
    """With its sign, and a true minus; 0 has none."""
    text = rounded(value, digits)
    return text if text.startswith(MINUS) or float(text) == 0 else f"+{text}"


def span(point: Point, digits: int = 1, show: Callable[[float, int], str] = rounded) -> str:
    """`79.6 [75.3, 83.3]`; without brackets where there is no interval, a dash where there is nothing."""
    if point.value is None:
        return DASH
    if point.low is None or point.high is None:
        return show(point.value, digits)
    return f"{show(point.value, digits)} [{show(point.low, digits)}, {show(point.high, digits)}]"


def spoken(point: Point, unit: str, digits: int = 1) -> str:
    """`79.6 % (75.3 to 83.3)`: an interval as it is read aloud."""
    if point.value is None:
        return "no value"
    said = f"{rounded(point.value, digits)}{unit}"
    if point.low is None or point.high is None:
        return said
    return f"{said} ({rounded(point.low, digits)} to {rounded(point.high, digits)})"


def listed(words: Iterable[str]) -> str:
    """`a, b and c`."""
    given = list(words)
    return " and ".join([", ".join(given[:-1]), given[-1]]) if len(given) > 1 else "".join(given)


def counted(number: int, one: str, many: str = "") -> str:
    """`1 agent`, `2 agents`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def between(numbers: Sequence[int]) -> str:
    """`382` when all are the same, else `21 to 63`."""
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def wrap(text: str, width: float, measure: Width) -> list[str]:
    """Lines no wider than `width`, broken between the parts of names and, where a part is too wide, within it."""
    lines, line = [], ""
    for part in _pieces(text, width, measure):
        if line and measure((line + part).rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += part if line else part.lstrip()
    return [*lines, line.rstrip()]


def _pieces(text: str, width: float, measure: Width) -> Iterable[str]:
    for part in _BREAK.split(text):
        rest = part
        while len(rest) > 1 and _is_wider(rest, width, measure):
            at = _fitting(rest, width, measure)
            yield rest[:at]
            rest = rest[at:]
        yield rest


def _is_wider(text: str, width: float, measure: Width) -> bool:
    """Whether a text is too wide. Its beginnings tell it first: a name can have thousands of characters."""
    size = 16
    while size < len(text):
        if measure(text[:size].rstrip()) > width:
            return True
        size *= 2
    return measure(text.rstrip()) > width


def _fitting(text: str, width: float, measure: Width) -> int:
    """How many characters of a text that is too wide fit, at least one."""
    high = 2
    while high < len(text) and measure(text[:high]) <= width:
        high *= 2
    return 1 + bisect_right(range(2, min(high, len(text))), width, key=lambda n: measure(text[:n]))


def fit(text: str, width: float, lines: int, measure: Width) -> list[str]:
    """Wrapped into at most so many lines; what doesn't fit is left out in the middle, where names differ least."""
    wrapped = wrap(text, width, measure)
    if len(wrapped) <= lines:
        return wrapped
    low, high = 1, len(text)  # how many characters stay: `low` fit, `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if len(wrap(_cut(text, middle), width, measure)) <= lines else (low, middle)
        )
    return wrap(_cut(text, low), width, measure)


def _cut(text: str, left: int) -> str:
    tail = left // 2
    return f"{text[: left - tail]}…{text[len(text) - tail :]}"


def labels(names: Sequence[str], width: float, lines: int, measure: Width) -> list[list[str]]:
    """The names as lines of text. Those that look the same once they are shortened get a number; "" stays nothing."""
    fitted = [fit(name, width, lines, measure) for name in names]
    looks = Counter(map(tuple, fitted))
    taken = {look for look, count in looks.items() if count == 1}
    shown = []
    for name, one in zip(names, fitted, strict=True):
        label = one
        if name and looks[tuple(one)] > 1:
            # More candidates than can be taken.
            numbers = range(1, 2 * len(names) + 1)
            candidates = (_numbered(name, n, width, lines, measure) for n in numbers)
            label = next(candidate for candidate in candidates if tuple(candidate) not in taken)
            taken.add(tuple(label))
        shown.append(label)
    return shown


def _numbered(name: str, n: int, width: float, lines: int, measure: Width) -> list[str]:
    mark = f" ({n})"
    *above, last = fit(name, width - measure(mark), lines, measure)
    return [*above, last + mark]
