"""What the checks of a rubric depend on: which calls they ask for, and which values of an observation they look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from replaylab.checks.answer import Said
from replaylab.checks.arithmetic import Derive, Source
from replaylab.checks.base import Check, Look
from replaylab.checks.calls import Called
from replaylab.checks.evidence import dig, lookup
from replaylab.checks.matcher import Matcher, same
from replaylab.checks.rubric import parse_checks
from replaylab.checks.values import Invariant, Join, Observed, Whenever
from replaylab.schema.base import Json, JsonObject

Path = tuple[str | int, ...]


class Place(NamedTuple):
    """A value inside an observation that a check depends on, where it stands, and the name of its field."""

    path: Path
    key: str
    value: Json


class Dependence:
    """What a rubric's checks depend on; those inside other checks count too. What is forbidden does not."""

    def __init__(self, checks: Sequence[JsonObject]) -> None:
        """Raises UsageError where the rubric is wrong (see `rubric.parse_checks`)."""
        every = [part for check in parse_checks(checks) for part in _inside(check)]
        self._calls = [check for check in every if isinstance(check, Called)]
        self._looks = [look for check in every for look in _looks(check)]
        self._literals = [literal for check in every for literal in _literals(check)]

    def asks_for(self, tool: str, arguments: JsonObject) -> bool:
        """Whether a check depends on this call: one that has to be made, or one whose observation is looked into."""
        wanted = any(
            tool in check.tool and all(fits(dig(arguments, key)) for key, fits in check.args.items())
            for check in self._calls
        )
        return wanted or any(tool in look.tool for look in self._looks)

    def places(self, tool: str, arguments: JsonObject, observation: Json) -> list[Place]:
        """The numbers and texts in an observation that a check depends on, in document order.

        Those at a key that a check looks at, and those that equal what a check wants as an argument or in the answer.
        """
        looks = [look for look in self._looks if not look.tool or tool in look.tool]
        return [
            Place(path, _key(path), value)
            for path, value, scopes in _leaves(observation, (), (arguments,))
            if _is_looked_at(path, scopes, looks) or any(same(literal, value) for literal in self._literals)
        ]


def _inside(check: Check) -> Iterator[Check]:
    yield check
    for _, ref in check.refs():
        if ref.check is not None:
            yield from _inside(ref.check)


def _looks(check: Check) -> Iterator[Look]:
    if isinstance(check, Observed):
        yield check
    elif isinstance(check, Derive):
        yield from (source for source in check.let.values() if isinstance(source, Source))
    elif isinstance(check, Invariant):
        yield Look(key=check.key, tool=check.tool, where=check.where)
    elif isinstance(check, Join):
        yield Look(key=check.key, where=check.where)
    elif isinstance(check, Whenever):
        yield Look(key=(*check.whenever, *(check.then or {})), tool=check.tool)


def _literals(check: Check) -> Iterator[Json]:
    """What has to be given or said word for word. A small number stands in too many places to mean this one."""
    matchers: list[Matcher] = [*check.args.values()] if isinstance(check, Called) else []
    matchers += [check.value] if isinstance(check, Said) and check.ok else []
    for matcher in matchers:
        written = matcher.written
        if isinstance(written, dict):
            written = next((written[key] for key in ("eq", "has", "approx") if key in written), None)
        if _is_telling(written):
            yield written


def _is_telling(written: Json) -> bool:
    if isinstance(written, str):
        return len(written) > 1
    return isinstance(written, (int, float)) and not isinstance(written, bool) and abs(written) > 9


def _leaves(
    node: Json, path: Path, scopes: tuple[Mapping[str, Json], ...]
) -> Iterator[tuple[Path, Json, tuple[Mapping[str, Json], ...]]]:
    """Numbers and texts with what is around them, nearest first."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _leaves(value, (*path, key), (node, *scopes))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _leaves(value, (*path, index), scopes)
    elif isinstance(node, (int, float, str)) and not isinstance(node, bool):
        yield path, node, scopes


def _is_looked_at(path: Path, scopes: tuple[Mapping[str, Json], ...], looks: Sequence[Look]) -> bool:
    """Whether the value lies at a key of a look, or inside what lies there; list positions don't count."""
    names = tuple(part for part in path if isinstance(part, str))
    return any(
        _ends(names, tuple(key.split(".")))
        and all(matcher(lookup(scopes, name)) for name, matcher in look.where.items())
        for look in looks
        for key in look.key
    )


def _ends(names: tuple[str, ...], key: tuple[str, ...]) -> bool:
    return any(names[end - len(key) : end] == key for end in range(len(key), len(names) + 1))


def _key(path: Path) -> str:
    return next((part for part in reversed(path) if isinstance(part, str)), "")
