"""Small libraries that somebody wrote, with everything in them that a study has to show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from replaylab.cassette.codec import Cassette
from replaylab.faults.plan import named
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Tool
from replaylab.store.library import Library
from tools.authored import AuthoredTrial, Cast, Said, author, authored_cassette, authored_task

CARE = ScenarioFacts(id="care", name="Care", industry="Healthcare & Life Sciences", domain="Wards")
FARM = ScenarioFacts(id="farm", name="Farm", industry="Agriculture & Environment", domain="Fields")
TASKS = [
    authored_task("care-1", CARE, difficulty=1),
    authored_task("care-2", CARE, difficulty=3),
    authored_task("farm-1", FARM, difficulty=2),
]


def model(alias: str, **more: object) -> ModelSettings:
    return ModelSettings.model_validate({"alias": alias, "model": f"{alias}-model", **more})


def cast(*agents: str, faults: tuple[str, ...] = ("E0",), sim: str = "sim", created: str = "") -> Cast:
    models = [model(agent) for agent in agents or ("a", "b")]
    plans = [named(name) for name in faults]
    when = created or "2026-01-01T00:00:00.000Z"
    return Cast(models, [model(sim)], [model("judge")], plans, TASKS, created=when)


def write(root: Path, name: str, trials: list[AuthoredTrial], given: Cast | None = None) -> Library:
    """A run of authored trials in a library."""
    library = Library(root)
    author(library, name, given or cast(), trials)
    return library


def one_cassette(trial: AuthoredTrial, attempt: int = 0) -> Cassette:
    """A cassette of its own, of agent `a` under E0 or E3."""
    data, _ = authored_cassette(cast("a", faults=("E0", "E3")), trial, attempt)
    return Cassette(data, where="x.cassette")


ROWS = [
    {"id": f"R-{n}", "status": status, "level": n + 0.5, "by": "nobody"}
    for n, status in enumerate(("open", "shut", "open"))
]
RULED = authored_task(
    "ruled",
    FARM,
    expected_calls=12,
    tools=[
        Tool(name="look", effect="read", example_output={"rows": ROWS, "note": "x"}),
        Tool(name="count", effect="read", example_output={"open": 2, "rows": ROWS[:2]}),
        Tool(name="set_level", effect="write", example_output={"done": True}),
        Tool(name="close", effect="write", example_output={"done": True}),
    ],
    checks=[
        {"id": "looked", "kind": "called", "tool": "look"},
        {"id": "closed", "kind": "called", "tool": "close"},
        {"id": "once", "kind": "called", "tool": "set_level", "count": {"min": 1, "max": 1}},
        {"id": "order", "kind": "order", "before": "looked", "then": "closed"},
        {"id": "seen", "kind": "observed", "key": "status", "value": "open", "when": "last"},
        {"id": "said", "kind": "said", "value": {"re": "after 9 calls"}},
    ],
)
OUTCOMES: tuple[Said, ...] = ("pass", "fail", "error")
PLANS = ("E0", "E1", "E2", "E3", "E3+persistent")


def ruled() -> Iterator[Cassette]:
    """Trials of one task that fail and pass in many ways. Nothing here is drawn by chance."""
    # Under their plain names: what is pinned was made before other numbers stood in the name.
    made = [named(name, duration=1 if name in ("E1", "E2") else 2) for name in PLANS]
    plans = [plan.model_copy(update={"name": name}) for name, plan in zip(PLANS, made, strict=True)]
    given = Cast([model("a")], [model("sim")], [model("judge")], plans, [RULED])
    for plan in PLANS:
        for calls in (0, 1, 5, 9, 14):
            for outcome in OUTCOMES:
                trial = AuthoredTrial("a", "ruled", outcome, faults=plan, calls=calls)
                yield Cassette(authored_cassette(given, trial)[0], where=f"{plan} {calls} {outcome}")


EVERYTHING = [
    AuthoredTrial("a", "care-1", "pass", votes=("pass", "fail", "pass")),
    AuthoredTrial("a", "care-2", "fail", calls=4),
    AuthoredTrial("a", "farm-1", "error"),
    AuthoredTrial("b", "care-1", "error", votes=("pass", "fail", "error")),
    AuthoredTrial("b", "care-2", "error"),
    AuthoredTrial("b", "care-2", "pass"),
]
