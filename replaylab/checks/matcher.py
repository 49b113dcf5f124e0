"""Matchers: what a value has to be. A literal, or an object of conditions that all have to hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Mapping
from datetime import date, datetime, time
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator

from replaylab.checks.numbers import exact
from replaylab.checks.prose import names, normal, quantity
from replaylab.errors import UsageError
from replaylab.near import closest
from replaylab.schema.base import Json
from replaylab.schema.patterns import compile_pattern, search

Test = Callable[[Json], bool]


class Missing:
    """The value of a field that is not there."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = Missing()


class Matcher:
    """A condition on a value. `text` is how the rubric wrote it."""

    def __init__(self, written: Json, tests: tuple[Test, ...], *, literal: bool) -> None:
        self.written, self.tests, self.literal = written, tests, literal

    def __call__(self, value: Json) -> bool:
        """Whether the value fulfils every condition. Raises patterns.TextTooLong."""
        return all(test(value) for test in self.tests)

    def __str__(self) -> str:
        return brief(self.written)

    def __repr__(self) -> str:
        return f"Matcher({self})"


def parse_matcher(written: Json) -> Matcher:
    """A literal, or an object whose keys are all matchers. Raises UsageError naming the closest key."""
    if isinstance(written, Matcher):
        return written
    if not isinstance(written, dict):
        return Matcher(written, (lambda value: same(written, value),), literal=True)
    if not written:
        raise UsageError("an empty matcher matches nothing", fix=f"one of {', '.join(MATCHERS)}")
    conditions = dict(written)
    tolerance = conditions.pop("tol", None)
    tests = []
    for key, argument in conditions.items():
        if key not in MATCHERS:
            raise unknown("matcher", key, [*MATCHERS, "tol"])
        tests.append(_approx(argument, tolerance) if key == "approx" else MATCHERS[key](argument))
    if tolerance is not None and "approx" not in conditions:
        raise UsageError("`tol` stands without `approx`", fix='{"approx": 250000, "tol": 0.5}')
    return Matcher(written, tuple(tests), literal=False)


AnyMatcher = Annotated[Matcher, BeforeValidator(parse_matcher)]


def unknown(what: str, name: object, known: Collection[str]) -> UsageError:
    """An error for a name that is not known, with the known one that is closest."""
    return UsageError(
        f"unknown {what} {str(name)[:80]!r}",
        closest=closest(str(name), known),
        fix=f"one of {', '.join(known)}",
    )


def brief(value: Json) -> str:
    """A value on one short line, for a message."""
    if isinstance(value, Missing):
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text if len(text) <= 120 else text[:117] + "..."


def same(wanted: Json, value: Json) -> bool:
    """Equality as people mean it: numbers by value, also as text; text without regard to case, width and gaps."""
    if isinstance(value, Missing) or isinstance(wanted, Missing):
        return False
    if isinstance(wanted, bool) or isinstance(value, bool) or wanted is None or value is None:
        return wanted is value
    if isinstance(wanted, dict) and isinstance(value, dict):
        return wanted.keys() == value.keys() and all(same(part, value[key]) for key, part in wanted.items())
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(map(same, wanted, value))
    if isinstance(wanted, (dict, list)) or isinstance(value, (dict, list)):
        return False
    if isinstance(wanted, str) and isinstance(value, str) and (wanted == value or _is_code(wanted, value)):
        return wanted.strip() == value.strip()
    left, right = exact(wanted), exact(value)
    if left is not None or right is not None:
        return left == right
    return normal(str(wanted)) == normal(str(value))


def equality(value: str | float) -> Hashable:
    """What two numbers, or two texts, have in common when they are the same (`same`), and else have not. A text of digits with
    a leading zero, which is the same as a number, has it not in common with that.
    """
    if isinstance(value, str) and _is_code(value):
        return "code", value.strip()
    number = exact(value)
    return normal(str(value)) if number is None else number


def _is_code(*texts: str) -> bool:
    """Digits with a leading zero are a code and no number: "0042" is not 42."""
    return any(len(text.strip()) > 1 and text.strip().isdigit() and text.strip()[0] == "0" for text in texts)


def _pattern(argument: Json) -> Test:
    patterns = [compile_pattern(text) for text in (argument if isinstance(argument, list) else [argument])]
    return lambda value: (
        not isinstance(value, Missing) and any(search(pattern, _as_text(value)) for pattern in patterns)
    )


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _one_of(argument: Json) -> Test:
    if not isinstance(argument, list) or not argument:
        raise UsageError(f"`in` needs a list, not {brief(argument)}")
    options = [parse_matcher(option) for option in argument]
    return lambda value: any(option(value) for option in options)


def _comparison(key: str, holds: Callable[[Any, Any], bool]) -> Callable[[Json], Test]:
    def build(argument: Json) -> Test:
        if _ordered(argument) is None:
            raise UsageError(f"`{key}` needs a number, a date or a time, not {brief(argument)}")
        return lambda value: _compare(value, argument, holds)

    return build


def _ordered(value: Json) -> Fraction | datetime | date | time | None:
    number = quantity(value)
    if number is not None or not isinstance(value, str):
        return number
    for kind in (time, date, datetime):
        try:
            return kind.fromisoformat(value.strip())
        except ValueError:
            continue
    return None


def _compare(value: Json, bound: Json, holds: Callable[[Any, Any], bool]) -> bool:
    left, right = _ordered(value), _ordered(bound)
    if left is None or right is None:
        return False
    if isinstance(left, datetime) and type(right) is date:
        left = left.date()
    if type(left) is not type(right):
        return False
    # A zone on one side only: the clock readings are compared.
    if not isinstance(left, (Fraction, date)) or isinstance(left, datetime):
        left, right = _zones_alike(left, right)
    return holds(left, right)


def _zones_alike(left: Any, right: Any) -> tuple[Any, Any]:
    if (left.tzinfo is None) == (right.tzinfo is None):
        return left, right
    return left.replace(tzinfo=None), right.replace(tzinfo=None)


def _between(argument: Json) -> Test:
    if not isinstance(argument, list) or len(argument) != 2:
        raise UsageError(f"`between` needs [least, greatest], not {brief(argument)}")
    low, high = MATCHERS["ge"](argument[0]), MATCHERS["le"](argument[1])
    return lambda value: low(value) and high(value)


def _approx(argument: Json, tolerance: Json) -> Test:
    wanted, distance = exact(argument), exact(0 if tolerance is None else tolerance)
    if wanted is None or distance is None or distance < 0:
        raise UsageError(f"`approx` needs a number and `tol` a number of 0 or more, not {brief(argument)}")
    return lambda value: (number := quantity(value)) is not None and abs(number - wanted) <= distance


def _has(argument: Json) -> Test:
    item = parse_matcher(argument)

    def test(value: Json) -> bool:
        if isinstance(value, list):
            return any(item(part) for part in value)
        if isinstance(value, dict):
            return any(item(key) for key in value)
        return isinstance(value, str) and isinstance(argument, str) and names(value, argument)

    return test


def _lacks(argument: Json) -> Test:
    has = _has(argument)
    return lambda value: not isinstance(value, Missing) and not has(value)


def _not_equal(argument: Json) -> Test:
    return lambda value: not isinstance(value, Missing) and not same(argument, value)


def _fields(argument: Json) -> Test:
    if not isinstance(argument, dict) or not argument:
        raise UsageError(f"`fields` needs an object of matchers, not {brief(argument)}")
    wanted = {key: parse_matcher(part) for key, part in argument.items()}
    return lambda value: (
        isinstance(value, Mapping) and all(part(value.get(key, MISSING)) for key, part in wanted.items())
    )


def _absent(argument: Json) -> Test:
    if not isinstance(argument, bool):
        raise UsageError(f"`absent` needs true or false, not {brief(argument)}")
    return lambda value: isinstance(value, Missing) is argument


MATCHERS: dict[str, Callable[[Json], Test]] = {
    "eq": lambda argument: lambda value: same(argument, value),
    "re": _pattern,
    "in": _one_of,
    "lt": _comparison("lt", lambda left, right: left < right),
    "le": _comparison("le", lambda left, right: left <= right),
    "gt": _comparison("gt", lambda left, right: left > right),
    "ge": _comparison("ge", lambda left, right: left >= right),
    "ne": _not_equal,
    "between": _between,
    "approx": lambda argument: _approx(argument, None),
    "has": _has,
    "lacks": _lacks,
    "fields": _fields,
    "absent": _absent,
}
