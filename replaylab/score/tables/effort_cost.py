"""effort_cost: what each point costs that more reasoning effort gains."""

from __future__ import annotations

from fractions import Fraction

from replaylab.score.cells import decimal_cell, empty, plural, text_cell
from replaylab.score.facts import Study, Trial
from replaylab.score.footer import ALPHA, Foot, footer
from replaylab.score.money import Money, Prices, Tab, dollars, total
from replaylab.score.pairs import Compared, difference_cell
from replaylab.score.slices import Slices, slices
from replaylab.score.tables import effort
from replaylab.score.tables.cost import money_cell
from replaylab.score.tables.steps import Step
from replaylab.score.value import Cell, Column, Layout, Selector, Table

COLUMNS = (
    Column(key="model", title="Model", numeric=False),
    Column(key="effort", title="Effort", numeric=False),
    Column(key="agent", title="Agent", numeric=False),
    Column(key="tokens", title="Tokens a trial", unit="tokens"),
    Column(key="money", title="Money a trial", unit="USD"),
    Column(key="points", title="Gained", unit="points"),
    Column(key="money_per_point", title="Money per point", unit="USD"),
)
NOTES = (
    "Tokens and money are the agent's alone, as means over recorded trials: whoever uses it pays for no simulator.",
    "Gained: points against the effort before, on the same tasks.",
    "Money per point: the further money of one point on 100 tasks, which is that of one more solved task.",
)


def build(study: Study, layout: Layout, prices: Prices) -> Table | None:
    """One row an agent, by model, from the least effort to the most."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    steps = effort.ladder_steps(sliced)
    spent = {step.agent: _Mean(sliced.select(step.which), prices) for step in steps}
    return Table(
        id="effort_cost",
        title="What reasoning effort costs",
        layout=layout,
        columns=COLUMNS,
        rows=tuple(_row(sliced, step, spent) for step in steps),
        notes=footer(sliced, [step.which for step in steps], Foot(more=NOTES), layout),
    )


def why_not(study: Study) -> str:
    """Two efforts of a model have to be played, by agents whose calls are recorded."""
    if missing := effort.why_not(study):
        return missing
    sliced = slices(study)
    for step in effort.ladder_steps(sliced):
        if any(_agent_calls(trial) for trial in sliced.select(step.which)):
            return ""
    return "no call of an agent is recorded, so what its effort costs is not known"


class _Mean:
    """What the agent's calls took in a recorded trial, on average."""

    def __init__(self, trials: tuple[Trial, ...], prices: Prices) -> None:
        self.tokens, self.trials, self.uncounted, tab = 0, 0, 0, Tab()
        for trial in trials:
            if trial.facts is None or not _agent_calls(trial):
                continue
            spent = trial.facts.spent["agent"]
            self.trials += 1
            self.tokens += spent.prompt_tokens + spent.completion_tokens
            self.uncounted += not spent.is_counted
            tab.add(trial.facts, ["agent"])
        money = total(tab.by_role(prices).values())
        self.each = Money(money.usd / max(self.trials, 1), money.unknown)
        """Money a trial."""


def _agent_calls(trial: Trial) -> int:
    spent = trial.facts.spent.get("agent") if trial.facts else None
    return spent.calls if spent else 0


def _row(sliced: Slices, step: Step, spent: dict[str, _Mean]) -> tuple[Cell, ...]:
    named = [text_cell(text, step.which) for text in (step.series.name, step.value, step.agent)]
    mean = spent[step.agent]
    if not mean.trials:
        return (*named, *[empty("no calls recorded") for _ in COLUMNS[3:]])
    points = empty(step.why) if step.compared is None else difference_cell(step.compared)
    return (
        *named,
        _tokens(mean, step.which),
        money_cell(mean.each, step.which),
        points,
        _per_point(step, spent),
    )


def _tokens(mean: _Mean, which: Selector) -> Cell:
    if mean.uncounted:
        return Cell(
            text="unknown", trials=(which,), note=f"{plural(mean.uncounted, 'trial')} without a count"
        )
    return decimal_cell(Fraction(mean.tokens, mean.trials), 0, which)


def _per_point(step: Step, spent: dict[str, _Mean]) -> Cell:
    if step.compared is None or step.compared.difference is None:
        return empty(step.why or "no task in common")
    before = spent[step.compared.b.agent]
    if not before.trials:
        return empty(f"no calls recorded of {step.compared.b.agent}")
    both = Money()
    both.add(spent[step.agent].each)
    both.add(before.each)
    if both.unknown:
        return Cell(
            text="unknown", note=", ".join(f"{name}: {why}" for name, why in sorted(both.unknown.items()))
        )
    if step.compared.difference <= 0:
        return empty("nothing gained")
    more = spent[step.agent].each.usd - before.each.usd
    each = more / step.compared.difference
    return Cell(
        text=dollars(each),
        value=float(each),
        trials=(step.compared.a, step.compared.b),
        note=_doubt(step.compared),
    )


def _doubt(compared: Compared) -> str:
    """Whether the gain itself is more than chance."""
    if compared.adjusted is None:
        return f"the gain is not testable: {compared.why_not}"
    return "" if compared.adjusted < ALPHA else "the gain is not supported: adjusted p is not below 0.05"
