"""Small studies, written down as letters: what tests of tables play with.

    study({"ann": {"s1": "ppf", "s2": "pe"}, "bob|E1": {"s1": ["pf", "ff"]}})

A condition is `agent|faults|simulator|verifier`; what is left out is E0, "sim", "judge". Its scenarios hold one letter
a task (p pass, f fail, e error, m missing, u unjudged), or where tasks have several trials a list with one word a task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from replaylab.canonical import digest
from replaylab.faults.plan import NAMES, named
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import Outcome
from replaylab.score.facts import CassetteFacts, RunRef, Study, Trial, TrialOutcome

LETTERS: dict[str, TrialOutcome] = {
    "p": "pass",
    "f": "fail",
    "e": "error",
    "m": "missing",
    "u": "unjudged",
}
Outcomes = str | Sequence[str]
More = Callable[[TrialKey, TrialOutcome], Mapping[str, Any]]
UNKNOWN = ScenarioFacts(id="?", name="?", industry="?", domain="?")


def scenario(name: str, industry: str = "Technology & IT", domain: str = "") -> ScenarioFacts:
    return ScenarioFacts(id=name, name=name.title(), industry=industry, domain=domain or f"domain of {name}")


def model(alias: str, **settings: Any) -> ModelSettings:
    return ModelSettings(alias=alias, model=f"vendor/{alias}", **settings)


def plan(name: str) -> FaultPlan:
    """The plan of a known name, or one of that name that nobody knows."""
    return (
        named(name) if all(part in (*NAMES, "prompt") for part in name.split("+")) else FaultPlan(name=name)
    )


def condition(text: str) -> Condition:
    agent, faults, simulator, verifier = [*text.split("|"), *["", "", "", ""]][:4]
    return Condition(agent, simulator or "sim", verifier or "judge", faults or "E0")


def study(
    conditions: Mapping[str, Mapping[str, Outcomes]],
    *,
    scenarios: Mapping[str, ScenarioFacts] | None = None,
    models: Mapping[str, ModelSettings] | None = None,
    plans: Mapping[str, FaultPlan] | None = None,
    more: More | None = None,
    **fields: Any,
) -> Study:
    """A study of those outcomes. `more` gives further fields of a trial's facts, `fields` those of the study."""
    told, models, plans = scenarios or {}, models or {}, plans or {}
    trials: list[Trial] = []
    for text, outcomes in conditions.items():
        where = condition(text)
        players = {name: models.get(name) or model(name) for name in where[:3]}
        for name, letters in outcomes.items():
            facts = told.get(name) or (UNKNOWN if name.startswith("?") else scenario(name))
            faults = plans.get(where.faults) or plan(where.faults)
            for task, repeats in enumerate(letters):
                for number, letter in enumerate(repeats):
                    key = TrialKey(where, f"{name}-{task}", number)
                    trials.append(_trial(key, LETTERS[letter], facts, (players, faults), more))
    return study_of(trials, models=models, plans=plans, **fields)


def _trial(
    key: TrialKey,
    outcome: TrialOutcome,
    scenario: ScenarioFacts,
    setting: tuple[Mapping[str, ModelSettings], FaultPlan],
    more: More | None,
) -> Trial:
    where = key.condition
    return Trial(
        run="run",
        key=str(key),
        agent=where.agent,
        simulator=where.simulator,
        verifier=where.verifier,
        faults=where.faults,
        task=key.task,
        trial=key.trial,
        outcome=outcome,
        scenario=scenario,
        facts=None if outcome == "missing" else _facts(key, outcome, scenario, setting, more),
        tries=0 if outcome == "missing" else 1,
    )


def _facts(
    key: TrialKey,
    outcome: TrialOutcome,
    scenario: ScenarioFacts,
    setting: tuple[Mapping[str, ModelSettings], FaultPlan],
    more: More | None,
) -> CassetteFacts:
    where = key.condition
    players, faults = setting
    verdicts: dict[TrialOutcome, Outcome] = {"pass": "pass", "fail": "fail", "error": "error"}
    verdict = verdicts.get(outcome, "none")
    values: dict[str, Any] = {
        "cassette": digest({"key": str(key)}),
        "key": str(key),
        "attempt": 0,
        "scenario": scenario,
        "difficulty": 1,
        "faults": faults,
        "evidence": "recorded",
        "players": {
            "agent": players[where.agent],
            "simulator": players[where.simulator],
            "verifier": players[where.verifier],
        },
        "stored": verdict,
        "derived": verdict,
        "termination": "agent_error" if outcome == "error" else "answered",
    }
    return CassetteFacts(**values | dict(more(key, outcome) if more else {}))


def study_of(
    trials: Sequence[Trial],
    *,
    models: Mapping[str, ModelSettings] | None = None,
    plans: Mapping[str, FaultPlan] | None = None,
    **fields: Any,
) -> Study:
    """A study of these trials; names are in the order in which they first occur."""
    models, plans = models or {}, plans or {}

    def settings(names: list[str]) -> dict[str, ModelSettings]:
        return {name: models.get(name) or model(name) for name in dict.fromkeys(names)}

    simulators = settings([trial.simulator for trial in trials])
    verifiers = settings([trial.verifier for trial in trials])
    faults = {name: plans.get(name) or plan(name) for name in dict.fromkeys(trial.faults for trial in trials)}
    values: dict[str, Any] = {
        "runs": (RunRef(name="run", run=digest("run"), created="2026-01-02T03:04:05.000Z", mode="run"),),
        "evidence": "recorded",
        "trials": tuple(trials),
        "agents": settings([trial.agent for trial in trials]),
        "simulators": simulators,
        "verifiers": verifiers,
        "faults": faults,
        "sim": next(iter(simulators), ""),
        "judge": next(iter(verifiers), ""),
        "clean": "E0" if "E0" in faults else next(iter(faults), ""),
        "draws": 199,
    }
    return Study(**values | fields)
