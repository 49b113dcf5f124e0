from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue
from replaylab.interop.occubench.importer import to_scenarios
from replaylab.interop.occubench.source import read_source
from replaylab.roles.shapes import observation_schema
from tests.builtin.playing import trial


@pytest.fixture(scope="module")
def published(occubench: Path) -> Responder:
    scenarios = to_scenarios(read_source(occubench))
    return Responder(Catalogue([(one, occubench / one.id) for one in scenarios]), [])


def test_explorer_and_example_play_in_foreign_environments(published: Responder) -> None:
    catalogue = published.models.index.catalogue
    for number, task in enumerate(catalogue.tasks[::8]):
        played = trial(
            published,
            task.id,
            "scripted:explorer",
            simulator="example",
            tools="json_schema" if number % 2 else "native",
            observations="json_schema" if number % 4 > 1 else "free",
        )
        environment = catalogue.task(task.id).environment
        actions = played.trajectory.actions
        assert [action.tool for action in actions] == [tool.name for tool in environment.tools]
        for action, tool in zip(actions, environment.tools, strict=True):
            Draft202012Validator(tool.parameters).validate(action.arguments)
            Draft202012Validator(observation_schema(tool)).validate(action.observation)
        assert played.verdict.outcome == "error", "their rubrics are text, which no program can decide"


def test_agents_with_a_plan_and_the_twin_say_why_they_can_not(published: Responder) -> None:
    task = published.models.index.catalogue.tasks[0].id
    planless = trial(published, task, "scripted:careful")
    assert b"no reference plan" in planless.log[0][1]
    twinless = trial(published, task, "scripted:explorer", simulator="twin")
    assert any(b"has no twin" in answer for _, answer in twinless.log)
