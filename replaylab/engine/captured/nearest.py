"""What comes closest to a request that is not recorded, and where the two part. The work is bounded whatever is recorded."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from replaylab.canonical import canonical
from replaylab.engine.captured.recorded import Entry, Recorded
from replaylab.engine.captured.rules import Parts, Rules, body_of
from replaylab.engine.explain import first_difference
from replaylab.schema.base import Json

_POSTINGS = 50  # recordings that are remembered of one message
_LOOKED_UP = 20  # messages from each end that are looked up
_CANDIDATES = 100
_READ = 8  # candidates whose texts are compared
_TEXT = 2000
_UNPLAYED = 50


class Difference(NamedTuple):
    """`pointer` leads to the first field that differs; "" where nothing of the body does."""

    pointer: str
    expected: Json
    observed: Json


class Nearest:
    """Finds recordings by what they have in common with a request. Made at the first miss; it reads each one once."""

    def __init__(self, recorded: Recorded) -> None:
        self._places: dict[tuple[str, str, str], list[Entry]] = {}
        self._holding: dict[tuple[tuple[str, str, str], str], list[Entry]] = {}
        self._behind: dict[tuple[str, str, str], int] = {}  # how many from the first on were asked for
        for entry in recorded:
            request = entry.row.request
            place = _place(request.alias, request.method, request.path)
            self._places.setdefault(place, []).append(entry)
            for name in _ends(entry.part.messages[entry.ordinal]):
                holding = self._holding.setdefault((place, name), [])
                if len(holding) < _POSTINGS:
                    holding.append(entry)

    def has_place(self, asked: Parts) -> bool:
        """Whether anything is recorded at that endpoint, method and path."""
        return _place(asked.alias, asked.method, asked.path) in self._places

    def find(self, asked: Parts) -> Entry | None:
        """The recording that comes closest; at another path only where nothing is recorded at this one."""
        place = _place(asked.alias, asked.method, asked.path)
        if place not in self._places:
            return self._elsewhere(place)
        found: Counter[int] = Counter()
        entries: dict[int, Entry] = {}
        for name in _ends(asked.digested.messages):
            for entry in self._holding.get((place, name), ()):
                entries[id(entry)] = entry
                found[id(entry)] += 1
        for entry in self._unplayed(place):
            entries.setdefault(id(entry), entry)
        shared = sorted(entries, key=lambda at: (-found[at], entries[at].path))[:_CANDIDATES]
        best = sorted(
            (entries[at] for at in shared), key=lambda entry: _rank(entry, asked, found[id(entry)])
        )[:_READ]
        if len(best) > 1 and _rank(best[0], asked, 0)[0] == 0:
            text = _text(asked)
            best.sort(key=lambda entry: -_alike(text, _text(entry.part.parts(entry.ordinal))))
        return best[0]

    def _unplayed(self, place: tuple[str, str, str]) -> list[Entry]:
        """Some that nobody asked for yet, and the first and last ones."""
        entries, at = self._places[place], self._behind.get(place, 0)
        while at < len(entries) and entries[at].served:
            at += 1
        self._behind[place] = at
        waiting = [entry for entry in entries[at : at + 4 * _UNPLAYED] if not entry.served][:_UNPLAYED]
        return [*waiting, *entries[:2], *entries[-2:]]

    def _elsewhere(self, place: tuple[str, str, str]) -> Entry | None:
        spelled = {"\n".join(one): one for one in self._places}
        close = difflib.get_close_matches("\n".join(place), list(spelled)[:1000], n=1, cutoff=0.5)
        return self._places[spelled[close[0]]][0] if close else None


def difference(entry: Entry, asked: Parts, rules: Rules) -> Difference:
    """Where a request first differs from a recorded one, after the rules in force."""
    request = entry.row.request
    expected = rules.body(request.alias, request.path, body_of(entry.part.parts(entry.ordinal)))
    observed = rules.body(asked.alias, asked.path, body_of(asked))
    turns = asked.turns if asked.turns == request.turns else ""
    at, pairs = _first_unlike(expected.get(turns), observed.get(turns))
    around = [{key: part for key, part in side.items() if key != turns} for side in (expected, observed)]
    pointer, was, now = first_difference(*around)
    if pointer:
        return Difference(pointer, was, now)
    if at is None:
        return Difference("", request.path, asked.path)
    pointer, was, now = first_difference(*pairs)
    if not pointer:  # one of them is missing, or is no object
        was, now = pairs
    return Difference(f"/{turns}/{at}{pointer}", was, now)


def _first_unlike(expected: Any, observed: Any) -> tuple[int | None, tuple[Json, Json]]:
    """The first place at which two lists differ, and what stands there; None for none."""
    mine, theirs = (side if isinstance(side, list) else [] for side in (expected, observed))
    for at in range(max(len(mine), len(theirs))):
        pair = tuple(side[at] if at < len(side) else None for side in (mine, theirs))
        if canonical(pair[0]) != canonical(pair[1]):
            return at, (pair[0], pair[1])
    return None, (None, None)


def _place(alias: str, method: str, path: str) -> tuple[str, str, str]:
    return alias, method, path.partition("?")[0]


def _ends(messages: Sequence[str]) -> Iterable[str]:
    if len(messages) <= 2 * _LOOKED_UP:
        return dict.fromkeys(messages)
    return dict.fromkeys((*messages[:_LOOKED_UP], *messages[-_LOOKED_UP:]))


def _rank(entry: Entry, asked: Parts, shared: int) -> tuple[int, int, bool, bool, int, bool, str, int]:
    """The smaller, the closer: leading messages, then others in common, then the rest of the body, then the length."""
    messages, request = entry.part.messages[entry.ordinal], entry.row.request
    leading = 0
    for mine, theirs in zip(messages, asked.digested.messages, strict=False):
        if mine != theirs:
            break
        leading += 1
    return (
        -leading,
        -shared,
        request.tools != asked.digested.tools,
        request.params != asked.digested.params,
        abs(len(messages) - len(asked.digested.messages)),
        bool(entry.served),
        entry.lane,
        entry.ordinal,
    )


def _text(parts: Parts) -> str:
    return parts.path + canonical(body_of(parts)).decode("utf-8")[-_TEXT:]


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
