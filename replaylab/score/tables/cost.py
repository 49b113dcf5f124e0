"""cost (T8): what each agent's trials took: calls, tokens, time and money, and money for each trial that passed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Protocol

import numpy as np

from replaylab.score.cells import decimal_cell, empty, number_cell, plural, text_cell
from replaylab.score.facts import Study, Trial
from replaylab.score.footer import FEW_SCENARIOS, evidence_notes, reference_notes
from replaylab.score.money import Money, Prices, Tab, dollars, total
from replaylab.score.slices import slices
from replaylab.score.stats.bootstrap import Floats, percentile, resample
from replaylab.score.value import Cell, Column, Interval, Layout, Selector, Table

COLUMNS = (
    Column(key="agent", title="Agent", numeric=False),
    Column(key="trials", title="Recorded trials"),
    Column(key="calls", title="Calls"),
    Column(key="retries", title="Retries"),
    Column(key="prompt_tokens", title="Prompt tokens", unit="tokens"),
    Column(key="completion_tokens", title="Completion tokens", unit="tokens"),
    Column(key="wall_s", title="Wall time", unit="s"),
    Column(key="money", title="Money", unit="USD"),
    Column(key="money_per_solved", title="Money per solved", unit="USD"),
)
NOTES = (
    "All roles of a trial are counted: agent, simulator and verifier. Wall time adds up the latencies of calls.",
    "Money per solved: the money of all recorded trials, failed and errored ones too, over those that passed.",
    "Prices are those of the price list and the settings; dearer prices for long prompts are not applied.",
    "Programs cost nothing. Where a price is unknown, so is the money.",
)
_COPIED = "copied lanes (replayed with another model): those calls were paid when they were first recorded."
_ROLES = ("agent", "simulator", "verifier")


class Took(Protocol):
    """Tokens and times that were added up, and of how many trials they are not known."""

    @property
    def prompt_tokens(self) -> int: ...
    @property
    def completion_tokens(self) -> int: ...
    @property
    def uncounted(self) -> int: ...
    @property
    def untimed(self) -> int: ...


@dataclass
class Bill:
    """What trials took. `tabs` and `solved` (trials that passed) are by scenario. `uncounted` and `untimed` are
    trials in which somebody answered and no tokens were counted, or no time was taken.
    """

    prices: Prices
    trials: int = 0
    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    wall_ms: float = 0
    uncounted: int = 0
    untimed: int = 0
    tabs: dict[str, Tab] = field(default_factory=dict)
    solved: dict[str, int] = field(default_factory=dict)

    def add(self, trial: Trial) -> None:
        """Counts a trial in; a missing one took nothing."""
        if trial.facts is None:
            return
        self.trials += 1
        for spent in trial.facts.spent.values():
            self.calls += spent.calls
            self.retries += max(spent.attempts - spent.calls, 0)
            self.prompt_tokens += spent.prompt_tokens
            self.completion_tokens += spent.completion_tokens
            self.wall_ms += spent.wall_ms
        self.uncounted += not all(spent.is_counted for spent in trial.facts.spent.values())
        self.untimed += not all(spent.is_timed for spent in trial.facts.spent.values())
        scenario = trial.scenario.id
        self.tabs.setdefault(scenario, Tab()).add(trial.facts)
        self.solved[scenario] = self.solved.get(scenario, 0) + (trial.outcome == "pass")

    @property
    def passed(self) -> int:
        return sum(self.solved.values())

    @cached_property
    def by_scenario(self) -> dict[str, dict[str, Money]]:
        """Money by scenario and role."""
        return {scenario: tab.by_role(self.prices) for scenario, tab in self.tabs.items()}

    def totals(self, scenario: str) -> tuple[float, int]:
        """Dollars and passed trials of a scenario."""
        usd = total(self.by_scenario.get(scenario, {}).values()).usd
        return float(usd), self.solved.get(scenario, 0)

    @cached_property
    def by_role(self) -> dict[str, Money]:
        found: dict[str, Money] = {}
        for roles in self.by_scenario.values():
            for role, money in roles.items():
                found.setdefault(role, Money()).add(money)
        return found

    @cached_property
    def whole(self) -> Money:
        return total(self.by_role.values())


def bill(trials: Iterable[Trial], prices: Prices) -> Bill:
    """What these trials took."""
    whole = Bill(prices)
    for trial in trials:
        whole.add(trial)
    return whole


def build(study: Study, layout: Layout, prices: Prices) -> Table | None:
    """One row an agent under the reference condition, their total, and where there are more conditions all of them."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    where = {agent: sliced.reference(agent=agent) for agent in study.agents}
    bills = {agent: bill(sliced.select(which), prices) for agent, which in where.items()}
    per_solved = _per_solved(study, bills)
    rows = [_row(agent, where[agent], bills[agent], per_solved[agent]) for agent in study.agents]
    reference = sliced.select(sliced.reference())
    wholes = {"total": (sliced.reference(), bill(reference, prices))}
    if len(reference) < len(study.trials):
        wholes["all conditions"] = (Selector(), bill(study.trials, prices))
    for name, (which, whole) in wholes.items():
        rows.append(_row(name, which, whole, _per_solved(study, {name: whole})[name]))
    return Table(
        id="cost",
        title="What trials cost",
        layout=layout,
        columns=COLUMNS,
        rows=tuple(rows),
        notes=(*reference_notes(study, reference), *_notes(study, [whole for _, whole in wholes.values()])),
    )


def why_not(study: Study) -> str:
    """Somebody has to have been called."""
    if any(spent.calls for trial in study.trials if trial.facts for spent in trial.facts.spent.values()):
        return ""
    return "no call is recorded, so what the trials cost is not known"


def _row(name: str, which: Selector, found: Bill, per_solved: Cell) -> tuple[Cell, ...]:
    if not found.trials:
        return (text_cell(name, which), *[empty("no recorded trials") for _ in COLUMNS[1:]])
    numbers = (
        found.trials,
        found.calls,
        found.retries,
    )
    return (
        text_cell(name, which),
        *[number_cell(number, which) for number in numbers],
        tokens_cell(found.prompt_tokens, found, which),
        tokens_cell(found.completion_tokens, found, which),
        seconds_cell(found.wall_ms, found, which),
        money_cell(found.whole, which),
        per_solved.model_copy(update={"trials": (which,)}),
    )


def tokens_cell(number: int, found: Took, *which: Selector) -> Cell:
    """Tokens, or that nobody counted any; where some trials are without a count, that is said."""
    note = f"{plural(found.uncounted, 'trial')} without a count of all tokens" if found.uncounted else ""
    if found.uncounted and not (found.prompt_tokens or found.completion_tokens):
        return Cell(text="unknown", trials=which, note=note)
    return number_cell(number, *which, note=note)


def seconds_cell(ms: float, found: Took, *which: Selector) -> Cell:
    """Seconds, or that nobody took the time; where some trials are without one, that is said."""
    note = f"{plural(found.untimed, 'trial')} without all times" if found.untimed else ""
    if found.untimed and not ms:
        return Cell(text="unknown", trials=which, note=note)
    return decimal_cell(Fraction(ms) / 1000, 1, *which, note=note)


def money_cell(money: Money, which: Selector) -> Cell:
    """Dollars, or that they are unknown and why."""
    value = None if money.known is None else float(money.known)
    return Cell(text=money.text, value=value, trials=(which,), note=why_unknown(money))


def why_unknown(money: Money) -> str:
    """Whose price is missing, and what is known beside."""
    if not money.unknown:
        return ""
    told = ", ".join(f"{name}: {why}" for name, why in sorted(money.unknown.items()))
    return f"{told}; without it {dollars(money.usd)} USD"


def _per_solved(study: Study, bills: dict[str, Bill]) -> dict[str, Cell]:
    """The cells of all bills, their intervals from the same resamples of scenarios."""
    intervals = _intervals(study, {name: one for name, one in bills.items() if _has_price(one)})
    cells = {}
    for name, one in bills.items():
        money = one.whole
        if money.known is None:
            cells[name] = Cell(text="unknown", note=why_unknown(money))
        elif not one.passed:
            cells[name] = empty("no trial passed")
        else:
            each = money.known / one.passed
            interval, note = intervals.get(name, (None, ""))
            cells[name] = Cell(text=dollars(each), value=float(each), interval=interval, note=note)
    return cells


def _has_price(one: Bill) -> bool:
    return bool(one.passed and one.whole.known)


def _intervals(study: Study, bills: dict[str, Bill]) -> dict[str, tuple[Interval | None, str]]:
    scenarios = sorted({scenario for one in bills.values() for scenario in one.tabs})
    if len(scenarios) < 2 or not study.draws:
        return dict.fromkeys(bills, (None, "no interval: fewer than two scenarios"))
    table = np.array(
        [[one.totals(name) for one in bills.values()] for name in scenarios],
        dtype=np.float64,
    )
    drawn = resample(table, _ratio, study.draws, study.seed)
    return {name: _limits(drawn[:, number], len(scenarios)) for number, name in enumerate(bills)}


def _ratio(sums: Floats) -> Floats:
    """Dollars per passed trial of each draw; infinite where none passed."""
    money, passed = sums[..., 0], sums[..., 1]
    ratios: Floats = np.divide(money, passed, out=np.full_like(money, inf), where=passed > 0)
    return ratios


def _limits(ratios: Floats, scenarios: int) -> tuple[Interval | None, str]:
    low, high = percentile(ratios)
    if high == inf:
        return None, "no interval: on many draws of scenarios no trial passed"
    note = "" if scenarios >= FEW_SCENARIOS else f"{scenarios} scenarios are few: too narrow"
    return Interval(low=low, high=high, method="scenario bootstrap", note=note), ""


def _notes(study: Study, wholes: Sequence[Bill]) -> tuple[str, ...]:
    """`wholes` are the bills of the reference condition and, where there are more, of all."""
    reference, every = wholes[0], wholes[-1]
    by_role = ", ".join(f"{role} {reference.by_role[role].text}" for role in _in_order(reference.by_role))
    notes = [*NOTES, *([f"By role, in USD: {by_role}."] if by_role else [])]
    if every.whole.unknown:
        told = ", ".join(f"{name} ({why})" for name, why in sorted(every.whole.unknown.items()))
        notes.append(f"Unknown, and not taken for nothing: {told}.")
    copied = sum(trial.facts is not None and trial.facts.mode != "run" for trial in study.trials)
    if copied:
        notes.append(f"{plural(copied, 'trial')} {'holds' if copied == 1 else 'hold'} {_COPIED}")
    again = sum(max(trial.tries - 1, 0) for trial in study.trials)
    if again:
        notes.append(f"Further tries of trials, not in these sums: {again}. Only the try that counts is.")
    if _has_price(every):
        notes.append(f"Scenarios resampled {study.draws} times for intervals; seed {study.seed}.")
    return (*notes, *evidence_notes(study, study.trials))


def _in_order(roles: Iterable[str]) -> list[str]:
    return sorted(roles, key=lambda role: (_ROLES.index(role) if role in _ROLES else len(_ROLES), role))
