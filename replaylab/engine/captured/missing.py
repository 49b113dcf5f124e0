"""Says of a question that has no answer why: the reason, the nearest recording, where the two part, what to do."""

from __future__ import annotations

import threading
from functools import partial

from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.header import MAIN
from replaylab.engine.captured.miss import Miss, Reason
from replaylab.engine.captured.missed import KEPT, Kept
from replaylab.engine.captured.nearest import Difference, Nearest, difference
from replaylab.engine.captured.played import Found
from replaylab.engine.captured.recorded import Entry, Recorded
from replaylab.engine.captured.rules import Parts, Rules, body_of
from replaylab.schema.base import in_json

MAX_EXPLAINED = 200
MAX_LISTED = 1000
_SHOWN = 200
_GONE = 3
_ELSEWHERE = (
    "see which base URL the program has: what stands behind `at` is the first part of its path; or record again without "
    "--offline"
)


class Missing:
    """The misses of a session. Thread-safe. The first `MAX_EXPLAINED` are told with what comes nearest."""

    def __init__(self, recorded: Recorded, rules: Rules, run_name: str) -> None:
        self._recorded, self._rules, self._run = recorded, rules, run_name
        self._nearest: Nearest | None = None
        self._lock = threading.Lock()
        self.count = 0
        self.listed: list[Miss] = []
        self.kept: list[Kept] = []

    def add(self, asked: Exchange, key: str, parts: Parts, found: Found) -> Miss:
        """One more miss."""
        with self._lock:
            self.count += 1
            miss = self._made(asked, key, parts, found)
            if len(self.listed) < MAX_LISTED:
                self.listed.append(miss)
            return miss

    def _made(self, asked: Exchange, key: str, parts: Parts, found: Found) -> Miss:
        lane = asked.lane or MAIN
        made = partial(
            Miss,
            key=key,
            endpoint=asked.endpoint,
            method=asked.method,
            path=asked.path,
            lane=lane,
            recorded=found.recorded,
            asked=found.asked,
        )
        if found.stands is None and found.recorded:
            message, nearest = self._exhausted(lane, key, found)
            fix = (
                "see what the program asks again that it did not ask then; or record again without --offline"
            )
            return self._keep(
                made(reason="asked_more_often", message=message, nearest=nearest, fix=fix), parts, None
            )
        if self.count > MAX_EXPLAINED:
            message = f"not recorded: {asked.method} {asked.path} at {asked.endpoint}"
            return self._keep(made(reason="no_such_request", message=message, fix=self._fix()), parts, None)
        if self._nearest is None:
            self._nearest = Nearest(self._recorded)
        known = self._nearest.has_place(parts)
        entry = found.stands or self._nearest.find(parts)
        elsewhere = found.stands is None and not known
        apart = difference(entry, parts, self._rules) if entry and not elsewhere else None
        reason: Reason = (
            "out_of_order" if found.stands else "no_such_request" if known else "nothing_recorded"
        )
        miss = made(
            reason=reason,
            message=self._message(asked, known, found, entry, apart),
            nearest=entry.path if entry else "",
            pointer=apart.pointer if apart else "",
            expected=apart.expected if apart else entry and _place_of(entry),
            observed=apart.observed if apart else entry and _said(parts),
            fix=self._fix_elsewhere() if elsewhere else self._fix(),
        )
        return self._keep(miss, parts, entry if apart else None)

    def _keep(self, miss: Miss, parts: Parts, entry: Entry | None) -> Miss:
        """Keep a miss for `explain-miss`, with the body that comes nearest; the first few."""
        if len(self.kept) < KEPT:
            body = body_of(entry.part.parts(entry.ordinal)) if entry else None
            self.kept.append(Kept(miss.to_json(), body_of(parts), body))
        return miss

    def _exhausted(self, lane: str, key: str, found: Found) -> tuple[str, str]:
        if lane == MAIN:
            entries = self._recorded.by_key[key]
            what = "this request was asked more often than recorded"
        else:
            entries, what = self._recorded.lanes[lane], f"the lane {lane!r} ran dry"
        message = f"{what}: recorded {found.recorded}, this is the {ordinal(found.asked)}"
        return message, entries[-1].path

    def _message(
        self, asked: Exchange, known: bool, found: Found, entry: Entry | None, apart: Difference | None
    ) -> str:
        if found.stands is not None:
            what = f"question {found.asked} of the lane {asked.lane!r} is not the recorded one"
        elif known:
            what = f"no such request is recorded: {asked.method} {asked.path} at {asked.endpoint}"
        else:
            message = f"nothing is recorded at all for {asked.method} {asked.path} at {asked.endpoint}"
            if gone := self._recorded.gone:
                more = " …" if len(gone) > _GONE else ""
                return f"{message}; of this run {', '.join(gone[:_GONE])}{more}"
            return f"{message}; what comes nearest is {_place_of(entry)}" if entry else message
        if entry is None or apart is None:
            return what
        if not apart.pointer:
            return (
                f"{what}; it differs from {entry.path} in nothing of its body: {apart.expected} is recorded"
            )
        return f"{what}; it differs from {entry.path} at {apart.pointer}: {_values(apart)}"

    def _fix_elsewhere(self) -> str:
        return "record again without --offline" if self._recorded.gone else _ELSEWHERE

    def _fix(self) -> str:
        return (
            f"`replaylab explain-miss {self._run}` proposes a rule for what changes from run to run; "
            "or record again without --offline"
        )


def _place_of(entry: Entry) -> str:
    request = entry.row.request
    return f"{request.method} {request.path} at {request.alias}"


def _said(parts: Parts) -> str:
    return f"{parts.method} {parts.path} at {parts.alias}"


def _values(apart: Difference) -> str:
    def shown(value: object) -> str:
        text = f"…{value}…" if isinstance(value, str) else in_json(value)
        return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"

    return f"recorded {shown(apart.expected)}, now {shown(apart.observed)}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"
