"""Small libraries that somebody wrote, with everything in them that a study has to show."""

from __future__ import annotations

from pathlib import Path

from replaylab.cassette.codec import Cassette
from replaylab.faults.plan import named
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from tools.authored import AuthoredTrial, Cast, author, authored_cassette, authored_task

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


EVERYTHING = [
    AuthoredTrial("a", "care-1", "pass", votes=("pass", "fail", "pass")),
    AuthoredTrial("a", "care-2", "fail", calls=4),
    AuthoredTrial("a", "farm-1", "error"),
    AuthoredTrial("b", "care-1", "error", votes=("pass", "fail", "error")),
    AuthoredTrial("b", "care-2", "error"),
    AuthoredTrial("b", "care-2", "pass"),
]
