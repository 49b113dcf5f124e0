"""Scores to write down: a study of any size whose tables are counted from its trials, and one full of attacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from replaylab.report.score_parts import Scored
from replaylab.schema.callpath import Condition
from replaylab.schema.cassette import Evidence, ScenarioFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.finding import Finding
from replaylab.schema.model import ModelSettings
from replaylab.score.facts import CassetteFacts, RunRef, Study, Trial, TrialOutcome
from replaylab.score.value import Cell, Column, Count, Interval, Layout, Selector, Table
from tests.report.recordings import EVIL

INDUSTRIES = {
    "agri": "Agriculture & Environment",
    "biz": "Business & Enterprise",
    "comm": "Commerce & Consumer",
    "edu": "Education & Culture",
    "hlth": "Healthcare & Life Sciences",
    "ind": "Industrial & Engineering",
    "pub": "Public Service & Governance",
    "sci": "Science & Research",
    "tech": "Technology & IT",
    "trans": "Transportation & Logistics",
}
AGENTS = (
    "GPT-5.2",
    "Gemini 3.1 Pro",
    "Claude Opus 4.6",
    "Qwen 3.5 Plus",
    "DeepSeek V3.2",
    "Claude Opus 4.5",
    "Claude Sonnet 4.5",
    "Claude Sonnet 4.6",
    "Gemini 3.1 Flash Lite",
    "Kimi K2.5",
    "GLM-5",
    "MiniMax M2.5",
    "Qwen 3.5 Flash",
    "Claude Opus 4",
    "org/Claude-Sonnet_4",
)
RUN = "5" * 64
LONG = "x" * 2_500 + "<b>" + "y" * 2_497
# Each runs, pings, ends or hides something somewhere.
HOSTILE = (
    EVIL.replace("\u2028", ""),
    '=HYPERLINK("http://x","y")',
    "| a || `b` [c](http://d) @owner #1",
    LONG,
    "~0",
    "\\input{/etc/passwd} $x^2$ % &",
)


class Picture(NamedTuple):
    """A figure that nobody drew."""

    svg: bytes
    png: bytes
    pdf: bytes
    title: str
    alt: str


# One grey pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c63680000008200817"
    "74cdb410000000049454e44ae426082"
)


def picture(title: str) -> Picture:
    """A drawing of ten bars."""
    bars = "".join(
        f'<rect x="120" y="{20 + 28 * at}" width="{400 - 22 * at}" height="18" fill="#777"/>'
        for at in range(10)
    )
    words = "".join(f'<text x="10" y="{34 + 28 * at}" font-size="13">agent {at}</text>' for at in range(10))
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 576 320" width="576pt" height="320pt">{bars}{words}</svg>'
    return Picture(svg.encode(), PNG, b"%PDF-1.4\n", title, f"Ten bars: {title}")


@dataclass(frozen=True)
class Size:
    """How many of each; every agent meets every task under every fault plan and simulator."""

    agents: Sequence[str] = AGENTS
    simulators: Sequence[str] = ("Gemini-3-Flash",)
    faults: Sequence[str] = ("E0", "E2")
    industries: int = 10
    scenarios: int = 2
    tasks: int = 2


TINY = Size(agents=("scripted:careful", "scripted:hasty"), faults=("E0",), industries=2, scenarios=1)


def outcome(*numbers: int) -> TrialOutcome:
    """An outcome for a trial: mostly passes and failures, seldom an error or nothing at all."""
    roll = sum((number + 3) * prime for number, prime in zip(numbers, (7, 31, 11, 17, 5), strict=False)) % 41
    return "error" if roll == 0 else "missing" if roll == 40 else "pass" if roll < 27 else "fail"


def study(size: Size = Size(), evidence: Evidence = "recorded", player: str = "llm") -> Study:
    """A study of one run."""
    players = {"agent": size.agents, "simulator": size.simulators, "verifier": ("judge",)}
    models = {
        role: {
            name: ModelSettings.model_validate({"alias": name, "model": name, "player": player})
            for name in names
        }
        for role, names in players.items()
    }
    return Study(
        runs=(RunRef(name="study", run=RUN, created="2026-02-03T04:05:06Z", mode="run"),),
        evidence=evidence,
        trials=tuple(_trials(size, evidence)),
        agents=models["agent"],
        simulators=models["simulator"],
        verifiers=models["verifier"],
        faults={name: FaultPlan(name=name) for name in size.faults},
        sim=size.simulators[0],
        judge="judge",
        clean=size.faults[0],
        findings=(Finding.of("duplicate", "key", "two cassettes for one trial <b>"),),
    )


def _trials(size: Size, evidence: Evidence) -> Iterable[Trial]:
    places = []
    for industry in list(INDUSTRIES.values())[: size.industries]:
        for number in range(size.scenarios):
            name = f"{industry.split()[0].lower()}-{number}"
            scenario = ScenarioFacts(id=name, name=name, industry=industry, domain="domain")
            places += [(scenario, f"{name}-task-{task}") for task in range(size.tasks)]
    count = 0
    for a, agent in enumerate(size.agents):
        for s, simulator in enumerate(size.simulators):
            for f, faults in enumerate(size.faults):
                condition = Condition(agent, simulator, "judge", faults)
                text = str(condition)
                for p, (scenario, task) in enumerate(places):
                    count += 1
                    yield _trial(
                        condition, f"{text}/{task}/0", task, scenario, outcome(a, p, f, s), evidence, count
                    )


def _trial(
    condition: Condition,
    key: str,
    task: str,
    scenario: ScenarioFacts,
    result: TrialOutcome,
    evidence: Evidence,
    number: int,
) -> Trial:
    facts = None
    if result != "missing":
        # Not validated: thirty thousand of them are made in one test.
        known: dict[str, Any] = {"cassette": f"{number:064x}", "key": key, "evidence": evidence}
        known |= {"termination": "answered", "votes": ("pass", "fail"), "failures": ()}
        facts = CassetteFacts.model_construct(**known)
    return Trial.model_construct(
        run=RUN,
        key=key,
        task=task,
        trial=0,
        outcome=result,
        scenario=scenario,
        facts=facts,
        tries=0 if facts is None else 1,
        **condition._asdict(),
    )


class Counting:
    """Counts trials of a study one by one, without anything that is tested."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._by_agent: dict[str, list[tuple[dict[str, str], str]]] = {"": []}
        names = ("agent", "simulator", "verifier", "faults", "task", "outcome")
        for one in study.trials:
            has = {name: getattr(one, name) for name in names}
            has |= {"industry": one.scenario.industry, "scenario": one.scenario.id}
            self._by_agent[""].append((has, one.outcome))
            self._by_agent.setdefault(one.agent, []).append((has, one.outcome))

    def counted(self, **fixed: str) -> tuple[Count, Selector]:
        """The count of a group of trials, and the group."""
        counts = {"pass": 0, "fail": 0, "error": 0, "missing": 0}
        for has, outcome in self._by_agent[fixed.get("agent", "")]:
            if all(has[name] == value for name, value in fixed.items()):
                counts[outcome] += 1
        words = {"pass": "passed", "fail": "failed"}
        count = Count(**{words.get(name, name): number for name, number in counts.items()})
        return count, Selector(**fixed)


def rate(counting: Counting, layout: Layout, digits: int, **fixed: str) -> Cell:
    """A cell with the rate of a group."""
    count, selector = counting.counted(**fixed)
    share = count.rate(counting.study.denominator)
    if share is None:
        return Cell(text="-")
    value = float(100 * share)
    interval = Interval(low=max(0, value - 9.87), high=min(100, value + 7.65), method="made up")
    return Cell(
        text=f"{value:.{digits}f}",
        value=value,
        count=count,
        interval=interval if layout == "full" else None,
        trials=(selector,),
    )


def industries(counting: Counting, layout: Layout) -> Table:
    """Agents by industry, with an average and a row that sums up."""
    study = counting.study
    present = list(dict.fromkeys(one.scenario.industry for one in study.trials))
    short = {full: key for key, full in INDUSTRIES.items()}
    clean = {"faults": study.clean, "simulator": study.sim}
    rows = []
    for agent in study.agents:
        cells = [rate(counting, layout, 0, agent=agent, industry=one, **clean) for one in present]
        rows.append((Cell(text=agent), rate(counting, layout, 1, agent=agent, **clean), *cells))
    best = [max(float(row[at].value or 0) for row in rows) for at in range(1, len(rows[0]))]
    rows = [
        (
            row[0],
            *(
                cell.model_copy(update={"best": cell.value == top})
                for cell, top in zip(row[1:], best, strict=True)
            ),
        )
        for row in rows
    ]
    last = (Cell(text="tasks"), *(Cell(text="40", value=40) for _ in best))
    columns = (
        Column(key="agent", title="Model", numeric=False),
        Column(key="avg", title="Avg", unit="%"),
        *(Column(key=short[one], title=short[one].capitalize(), unit="%") for one in present),
    )
    notes = ("Denominator: planned trials.", "Cluster: scenario; ICC 0.12, design effect 1.4.", "Seed 1.")
    return Table(
        id="industries",
        title="Completion by industry",
        layout=layout,
        columns=columns,
        rows=(*rows, last),
        notes=notes,
    )


def overall(counting: Counting) -> Table:
    """Agents with rank and what is undecided."""
    study = counting.study
    cells = [
        rate(counting, "full", 1, agent=agent, faults=study.clean, simulator=study.sim)
        for agent in study.agents
    ]
    order = sorted(range(len(cells)), key=lambda at: -float(cells[at].value or 0))
    rows = []
    for rank, at in enumerate(order):
        cell, count = cells[at], cells[at].count or Count()
        rows.append(
            (
                Cell(text=list(study.agents)[at]),
                Cell(text=f"{count.passed}/{count.planned}", value=count.passed, trials=cell.trials),
                cell,
                Cell(text=str(rank + 1), value=rank + 1),
                Cell(text=f"{rank + 1} to {len(order)}", value=[rank + 1, len(order)]),
                Cell(text=str(count.error), value=count.error, trials=_narrow(cell, "error")),
                Cell(text=str(count.missing), value=count.missing, trials=_narrow(cell, "missing")),
            )
        )
    columns = tuple(
        Column(key=key, title=title, unit=unit, numeric=key != "agent")
        for key, title, unit in (
            ("agent", "Agent", ""),
            ("k_n", "Passed", ""),
            ("rate", "Rate", "%"),
            ("rank", "Rank", ""),
            ("rank_interval", "Rank interval", ""),
            ("error", "Errors", ""),
            ("missing", "Missing", ""),
        )
    )
    return Table(id="overall", title="Overall completion", layout="full", columns=columns, rows=tuple(rows))


def _narrow(cell: Cell, outcome: str) -> tuple[Selector, ...]:
    return tuple(one.model_copy(update={"outcome": outcome}) for one in cell.trials)


def pairs(counting: Counting) -> Table:
    """Differences, which stand on two groups and may be negative or untestable."""
    study = counting.study
    agents = list(study.agents)
    rates = {
        name: rate(counting, "full", 1, agent=name, faults=study.clean, simulator=study.sim)
        for name in agents
    }
    rows = []
    for a, first in enumerate(agents):
        for second in agents[a + 1 :]:
            one, other = rates[first], rates[second]
            value = float(one.value or 0) - float(other.value or 0)
            interval = Interval(
                low=value - 8, high=value + 8, method="made up", note="clusters ignored" if a == 1 else ""
            )
            rows.append(
                (
                    Cell(text=first),
                    Cell(text=second),
                    Cell(
                        text=f"{value:.1f}", value=value, interval=interval, trials=one.trials + other.trials
                    ),
                    Cell(text="not testable", note="smallest attainable p = 0.0625")
                    if a == 2
                    else Cell(text="0.0123", value=0.0123),
                )
            )
    columns = (
        Column(key="a", title="Agent", numeric=False),
        Column(key="b", title="Compared with", numeric=False),
        Column(key="difference", title="Difference", unit="points"),
        Column(key="p", title="p"),
    )
    return Table(id="pairwise", title="Pairs of agents", layout="full", columns=columns, rows=tuple(rows))


def ledger(counting: Counting) -> Table:
    """The ledger by condition, and in all."""
    study = counting.study
    rows = []
    for agent, faults in [(agent, faults) for agent in study.agents for faults in study.faults] + [("", "")]:
        fixed = {"agent": agent, "faults": faults} if agent else {}
        count, selector = counting.counted(**fixed)
        numbers = [
            (count.planned, ""),
            (count.passed, "pass"),
            (count.failed, "fail"),
            (count.error, "error"),
            (count.missing, "missing"),
        ]
        cells = [
            Cell(text=f"{number:,}", value=number, trials=(selector.model_copy(update={"outcome": word}),))
            for number, word in numbers
        ]
        rows.append((Cell(text=agent or "total"), Cell(text=faults), *cells))
    columns = tuple(
        Column(key=key, title=key.capitalize(), numeric=key not in {"agent", "faults"})
        for key in ("agent", "faults", "planned", "passed", "failed", "error", "missing")
    )
    return Table(id="ledger", title="Ledger", layout="full", columns=columns, rows=tuple(rows))


def scored(
    size: Size = Size(), evidence: Evidence = "recorded", player: str = "llm", name: str = "study"
) -> Scored:
    """A score with all that a page has."""
    made = study(size, evidence, player)
    counting = Counting(made)
    return Scored(
        name=name,
        study=made,
        full=(overall(counting), ledger(counting), industries(counting, "full"), pairs(counting)),
        paper=(industries(counting, "paper"),),
        figures={
            "overall": picture("Overall completion"),
            "radar": picture("By industry"),
            "odd": picture("Odd"),
        },
        left_out={"repeats": "one trial a task: nothing to repeat", "size": "no family with two sizes"},
        versions={"replaylab": "0.1.0", "scipy": "1.17.1"},
        choice={"run": ["study"], "sim": None},
    )


def hostile() -> Scored:
    """Agents, a simulator, a scenario, titles and notes that attack whoever shows them."""
    size = Size(agents=HOSTILE, simulators=(EVIL.replace("\u2028", ""),), industries=2, scenarios=1)
    made = scored(size, name=EVIL)
    extra = (EVIL, LONG, "1. no list", "- no list", "# no heading")
    paper = tuple(one.model_copy(update={"title": EVIL, "notes": extra}) for one in made.paper)
    full = tuple(one.model_copy(update={"notes": extra}) for one in made.full)
    drawn = {
        name: one._replace(title=EVIL, alt=EVIL)
        for name, one in made.figures.items()
        if isinstance(one, Picture)
    }
    return replace(made, full=full, paper=paper, figures=drawn, choice={EVIL: EVIL})
