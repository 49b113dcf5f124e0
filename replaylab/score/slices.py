"""Which trials of a study are behind a number: selected by condition, industry, scenario, task, outcome. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar, cast

from replaylab.schema.callpath import Condition
from replaylab.score.facts import Study, Trial
from replaylab.score.value import Count, Selector

T = TypeVar("T")

UNKNOWN = "?"  # the scenario and industry of a trial that is missing and whose task nobody else played
_COUNTED = {"pass": "passed", "fail": "failed"}
_OUTCOME = attrgetter("outcome")
_SCENARIO = attrgetter("scenario.id")
_TASK = attrgetter("scenario.id", "task")
_CONDITION = tuple(map(attrgetter, ("agent", "simulator", "verifier", "faults")))
_DOMAIN = attrgetter("scenario.id", "scenario.domain")


class Names(NamedTuple):
    """The names that some trials hold."""

    agents: frozenset[str]
    simulators: frozenset[str]
    verifiers: frozenset[str]
    faults: frozenset[str]


class Slices:
    """The trials of a study by condition, in plan order. A table asks `slices(study)` for it, so that all share one."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._kept: dict[Hashable, object] = {}
        self._names: dict[int, tuple[Sequence[Trial], Names]] = {}
        self._by: dict[Condition, list[int]] = {}
        for number, trial in enumerate(study.trials):
            self._by.setdefault(_condition(trial), []).append(number)

    def select(self, which: Selector) -> tuple[Trial, ...]:
        """The trials that agree with every field that is set, in plan order."""
        return self.kept(which, lambda: self._select(which))

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gave when this key was first asked for: tables ask for the same numbers again and again."""
        if key not in self._kept:
            self._kept[key] = make()
        return cast("T", self._kept[key])

    def _select(self, which: Selector) -> tuple[Trial, ...]:
        wanted = (which.agent, which.simulator, which.verifier, which.faults)
        fitting = [
            numbers
            for condition, numbers in self._by.items()
            if all(not want or want == have for want, have in zip(wanted, condition, strict=True))
        ]
        # The numbers of one condition are in order; those of several have to be put in order.
        numbers = fitting[0] if len(fitting) == 1 else sorted(chain.from_iterable(fitting))
        trials = [self.study.trials[number] for number in numbers]
        if which.industry or which.scenario or which.task or which.outcome:
            trials = [trial for trial in trials if _within(which, trial)]
        return tuple(trials)

    def names(self, trials: Sequence[Trial]) -> Names:
        """The names that these trials hold; of the same tuple they are read once, since each footer asks."""
        known = self._names.get(id(trials))
        if known is None or known[0] is not trials:
            held = [frozenset(map(field, trials)) for field in _CONDITION]
            known = (trials, Names(*held))
            if isinstance(trials, tuple):  # nothing else is sure to stay as it is
                self._names[id(trials)] = known
        return known[1]

    def conditions(self) -> tuple[Condition, ...]:
        """Every condition that has a planned trial, in the order of the specs."""
        study = self.study
        orders = [list(names) for names in (study.agents, study.simulators, study.verifiers, study.faults)]
        return tuple(
            sorted(
                self._by,
                key=lambda one: [_place(order, part) for order, part in zip(orders, one, strict=True)],
            )
        )

    def reference(self, **fields: str) -> Selector:
        """The selector of the reference condition, with some fields set otherwise: `reference(agent="ann")`."""
        study = self.study
        return Selector(**{"simulator": study.sim, "verifier": study.judge, "faults": study.clean} | fields)


def slices(study: Study) -> Slices:
    """The slices of a study; asked again for the same study, the same ones."""
    return _slices(_Same(study))


class _Same:
    """A study as a key of the memory below: the same object, not an equal one, which would take as long to find out."""

    def __init__(self, study: Study) -> None:
        self.study = study

    def __hash__(self) -> int:
        return id(self.study)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.study is other.study


@lru_cache(maxsize=2)
def _slices(same: _Same) -> Slices:
    return Slices(same.study)


def count(trials: Iterable[Trial]) -> Count:
    """How many trials ended how."""
    found = Counter(map(_OUTCOME, trials))
    return Count(**{_COUNTED.get(outcome, outcome): number for outcome, number in found.items()})


class Extent(NamedTuple):
    """How many there are. The unknown scenario of missing trials is none."""

    trials: int
    tasks: int
    scenarios: int
    domains: int


def extent(trials: Iterable[Trial]) -> Extent:
    """How much a slice holds: tasks and scenarios are counted once, however often they were played."""
    held = tuple(trials)
    tasks = set(map(_TASK, held))
    known = {pair for pair in map(_DOMAIN, held) if pair[0] != UNKNOWN}
    return Extent(
        trials=len(held),
        tasks=len(tasks),
        scenarios=len({scenario for scenario, _ in known}),
        domains=len({domain for _, domain in known}),
    )


def scenarios_of(trials: Iterable[Trial]) -> int:
    """How many known scenarios a slice holds."""
    return len(set(map(_SCENARIO, trials)) - {UNKNOWN})


def _condition(trial: Trial) -> Condition:
    return Condition(trial.agent, trial.simulator, trial.verifier, trial.faults)


def _within(which: Selector, trial: Trial) -> bool:
    return (
        (not which.industry or which.industry == trial.scenario.industry)
        and (not which.scenario or which.scenario == trial.scenario.id)
        and (not which.task or which.task == trial.task)
        and (not which.outcome or which.outcome == trial.outcome)
    )


def _place(order: list[str], name: str) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order)), name
