from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.roles.shapes import observation_schema
from replaylab.roles.simulator import render_system
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Tool
from tests.builtin.playing import asked, said, trial

FREE = ModelSettings(alias="example", model="example")
BOUND = FREE.model_copy(update={"observations": "json_schema"})
SHOP = Environment(
    id="shop",
    system_prompt="You play a shop.",
    tools=(
        Tool(
            name="get_item",
            parameters={"type": "object", "properties": {"item": {"type": "string"}}},
            example_output={"item": "I-0", "price": 1.5, "tags": ["x"], "stock": {"count": 0}},
        ),
        Tool(name="ping", has_example=False),
        Tool(name="list_items", example_output=[{"item": "I-0", "price": 1.5}]),
    ),
    initial_state={
        "items": [{"item": "I-1", "price": 20.5, "count": 3}, {"item": "I-2", "price": 7.25, "count": 9}]
    },
    state_description={"items": "what is for sale"},
)


def observed(
    models: Responder, tool: str, arguments: Any, settings: ModelSettings = FREE, **more: Any
) -> Any:
    messages = [
        {"role": "system", "content": render_system(SHOP, settings)},
        {"role": "user", "content": json.dumps({"name": tool, "arguments": arguments})},
    ]
    return json.loads(said(asked(models, "example", *messages, **more)[1]))


def test_arguments_and_the_state_go_into_the_example(models: Responder) -> None:
    found = observed(models, "get_item", {"item": "I-2"})
    assert found == {"item": "I-2", "price": 7.25, "tags": ["x"], "stock": {"count": 9}}


def test_a_thing_that_is_not_in_the_state_still_gets_an_answer_of_the_shape(models: Responder) -> None:
    found = observed(models, "get_item", {"item": "I-77"})
    assert found["item"] == "I-77"
    assert set(found) == {"item", "price", "tags", "stock"}


def test_the_request_decides_where_the_arguments_point_to_nothing(models: Responder) -> None:
    found = {json.dumps(observed(models, "list_items", {}, seed=seed)) for seed in range(20)}
    assert len(found) == 2
    assert observed(models, "list_items", {}, seed=1) == observed(models, "list_items", {}, seed=1)


def test_a_tool_without_an_example_gives_an_empty_object(models: Responder) -> None:
    assert observed(models, "ping", {}) == {}


def test_an_unknown_tool_is_an_error_observation(models: Responder) -> None:
    assert observed(models, "get_itme", {}) == {"error": "unknown tool: get_itme"}


def test_where_only_the_shape_is_told_the_answer_has_it(models: Responder) -> None:
    found = observed(models, "get_item", {"item": "I-1"}, BOUND)
    assert found == {"item": "I-1", "price": 20.5, "tags": [""], "stock": {"count": 3}}


def test_a_prompt_without_the_sections_is_refused(models: Responder) -> None:
    messages = [
        {"role": "system", "content": "You play a shop."},
        {"role": "user", "content": '{"name": "ping"}'},
    ]
    status, body = asked(models, "example", *messages)
    assert status == 400
    assert "sections" in body["error"]["message"]


@pytest.mark.parametrize("task", [task.id for task in Catalogue.load([shipped()]).tasks])
@pytest.mark.parametrize("observations", ["free", "json_schema"])
def test_observations_have_the_shape_that_the_tool_declares(
    models: Responder, task: str, observations: str
) -> None:
    played = trial(models, task, "scripted:explorer", simulator="example", observations=observations)
    assert played.trajectory.termination == "answered"
    _, environment, _ = models.models.index.catalogue.task(task)
    for action in played.trajectory.actions:
        tool = environment.tool(action.tool)
        assert tool is not None
        Draft202012Validator(observation_schema(tool)).validate(action.observation)
