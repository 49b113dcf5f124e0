"""The trials behind a number: which they are, how many, how a page links to them, and the list of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple, get_args
from urllib.parse import quote

from replaylab.report.score_csv import csv_text
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import Condition, escape
from replaylab.score.facts import Study, Trial, TrialOutcome
from replaylab.score.value import Selector

FIELDS = tuple(Selector.model_fields)
OUTCOMES: tuple[TrialOutcome, ...] = get_args(TrialOutcome)
LONGEST_IN_LINK = 64
_RUN_DIGITS = 12
_SAID = {"pass": "passed", "fail": "failed", "error": "errors", "missing": "missing", "unjudged": "unjudged"}

# A group of trials: for each field of a Selector the values that it may have; none listed is any.
Group = tuple[tuple[str, ...], ...]


_PLACE = ("agent", "simulator", "verifier", "faults", "scenario.industry", "scenario.id", "task", "outcome")
place = attrgetter(*_PLACE)  # what a trial has in each field of a Selector


def _by_field(trials: Sequence[Trial]) -> Iterator[tuple[str, list[str]]]:
    """The same of many trials, field by field."""
    return ((name, list(map(attrgetter(of), trials))) for name, of in zip(FIELDS, _PLACE, strict=True))


class Behind:
    """Looks up trials by selector. A set of them is an integer whose bit i stands for trial i: thirty thousand trials
    and a thousand selectors are looked up in no time.
    """

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.everything = (1 << len(trials)) - 1
        self._masks: dict[tuple[str, str], int] = {}
        for name, values in _by_field(trials):
            bits = {value: bytearray(len(trials) // 8 + 1) for value in dict.fromkeys(values)}
            for number, value in enumerate(values):
                bits[value][number >> 3] |= 1 << (number & 7)
            self._masks |= {(name, value): int.from_bytes(held, "little") for value, held in bits.items()}

    def mask(self, selectors: Iterable[Selector]) -> int:
        """The trials that any of the selectors takes."""
        found = 0
        for selector in selectors:
            one = self.everything
            for name in FIELDS:
                if value := getattr(selector, name):
                    one &= self._masks.get((name, value), 0)
            found |= one
        return found

    def count(self, mask: int) -> dict[TrialOutcome, int]:
        """How many of a set ended how."""
        return {
            outcome: (mask & self._masks.get(("outcome", outcome), 0)).bit_count() for outcome in OUTCOMES
        }


def ledger_line(counts: Mapping[TrialOutcome, int]) -> str:
    """`382 planned: 304 passed, 70 failed, 6 errors, 2 missing`."""
    told = [name for name in OUTCOMES if counts[name] or name != "unjudged"]
    said = ", ".join(
        f"{counts[name]:,} {_SAID[name] if name != 'error' or counts[name] != 1 else 'error'}"
        for name in told
    )
    return f"{sum(counts.values()):,} planned: {said}"


def groups(selectors: Iterable[Selector]) -> tuple[Group, ...]:
    """The same trials in fewer groups: those that differ in one field alone become one."""
    found: list[Group] = [
        tuple((value,) if (value := getattr(one, name)) else () for name in FIELDS) for one in selectors
    ]
    for at in range(len(FIELDS)) if len(found) > 1 else ():
        united: dict[tuple[tuple[str, ...], ...], list[tuple[str, ...]]] = {}
        for group in found:
            united.setdefault(group[:at] + group[at + 1 :], []).append(group[at])
        found = [(*rest[:at], _union(values), *rest[at:]) for rest, values in united.items()]
    return tuple(found)


def _union(values: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The values of any of these; () takes all, so it swallows the others."""
    return () if () in values else tuple(dict.fromkeys(one for some in values for one in some))


class Names(NamedTuple):
    """The names that a page knows, by field. A link gives a long one by its number."""

    by_field: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> Names:
        """All names of these trials, in the order in which they come."""
        found: dict[str, Mapping[str, int]] = {
            name: {value: number for number, value in enumerate(dict.fromkeys(values))}
            for name, values in _by_field(trials)
        }
        return cls(found | {"outcome": {name: number for number, name in enumerate(OUTCOMES)}})

    def link(self, selectors: Iterable[Selector]) -> str:
        """The address of the list of these trials: `#trials?agent=a&agent=b;agent=c&faults=E1`.

        Groups are parted by `;`, and a field that stands twice in one may have either value.
        """
        return "#trials?" + ";".join(
            "&".join(
                f"{name}={self._spelt(name, value)}"
                for name, values in zip(FIELDS, group, strict=True)
                for value in values
            )
            for group in groups(selectors)
        )

    def _spelt(self, name: str, value: str) -> str:
        number = self.by_field[name].get(value)
        if number is not None and (len(value) > LONGEST_IN_LINK or value.startswith("~")):
            return f"~{number}"
        return quote(value, safe="", errors="replace")


def embedded(study: Study, names: Names, digits: int = 64) -> JsonObject:
    """The ledger for a page, each name written once. A row: number of condition, of place, trial, outcome, cassette.

    `runs` are pairs: the name of a run, and what `--run` finds it by whatever the name means later. `keys` holds the keys that don't follow from the parts, by number of row.
    """
    known = names.by_field
    called = {one.run: one.name for one in study.runs}
    runs: dict[str, int] = {}
    conditions: dict[tuple[int, ...], int] = {}
    places: dict[tuple[int, ...], int] = {}
    rows, keys, parts = [], {}, _KeyParts()
    numbers = [list(map(known[name].__getitem__, values)) for name, values in _by_field(study.trials)]
    for number, (trial, *at) in enumerate(zip(study.trials, *numbers, strict=True)):
        run = runs.setdefault(trial.run, len(runs))
        condition = conditions.setdefault((*at[:4], run), len(conditions))
        where = places.setdefault((at[4], at[5], at[6]), len(places))
        cassette = trial.facts.cassette[:digits] if trial.facts else ""
        rows.append([condition, where, trial.trial, at[7], cassette])
        if trial.key != parts.key(trial):
            keys[str(number)] = trial.key
    return {
        "names": {name: list(values) for name, values in known.items()},
        "runs": [[called.get(run, run), run[:_RUN_DIGITS]] for run in runs],
        "conditions": [list(one) for one in conditions],
        "places": [list(one) for one in places],
        "rows": rows,
        "keys": keys,
        "digits": digits,
    }


class _KeyParts:
    """Spells the keys of many trials, each condition and task once."""

    def __init__(self) -> None:
        self._conditions: dict[Condition, str] = {}
        self._tasks: dict[str, str] = {}

    def key(self, trial: Trial) -> str:
        """The key that follows from the parts of a trial."""
        condition = Condition(trial.agent, trial.simulator, trial.verifier, trial.faults)
        if condition not in self._conditions:
            self._conditions[condition] = str(condition)
        if trial.task not in self._tasks:
            self._tasks[trial.task] = escape(trial.task)
        return f"{self._conditions[condition]}/{self._tasks[trial.task]}/{trial.trial}"


_COLUMNS = (
    "run",
    "key",
    *FIELDS[:4],
    "industry",
    "domain",
    "scenario",
    "task",
    "trial",
    "outcome",
    "termination",
    "votes",
    "failures",
    "tries",
    "evidence",
    "cassette",
)


def trials_csv(trials: Iterable[Trial]) -> bytes:
    """All trials, one a line."""
    return csv_text(_COLUMNS, map(_line, trials)).encode()


def _line(trial: Trial) -> list[object]:
    facts, scenario = trial.facts, trial.scenario
    return [
        trial.run,
        trial.key,
        trial.agent,
        trial.simulator,
        trial.verifier,
        trial.faults,
        scenario.industry,
        scenario.domain,
        scenario.id,
        trial.task,
        trial.trial,
        trial.outcome,
        facts.termination if facts else "",
        " ".join(facts.votes) if facts else "",
        " ".join(facts.failures) if facts else "",
        trial.tries,
        facts.evidence if facts else "",
        facts.cassette if facts else "",
    ]
