from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import canonical
from replaylab.errors import CallFailed
from replaylab.faults.plan import named
from replaylab.roles.simulator import (
    Simulator,
    ask_for_faults,
    read_observation,
    read_system,
    render_system,
    without_faults,
)
from replaylab.schema.completion import Completion
from replaylab.schema.scenario import Environment, Tool
from tests.roles.fakes import ASSIGN, BARE, BOUND, ENVIRONMENT, NAMES, NATIVE, PING, ROOMS, FakeChat
from tests.roles.test_parsing import OBJECTS

PROMPTS = st.text(max_size=60) | st.sampled_from(
    [
        "## Tools\n\n```json\n[]\n```",
        "## Initial state\n\n```json\n{",
        "```json",
        "{{initial_state}}",
        "## Tools\n",
    ]
)


@given(PROMPTS, OBJECTS, OBJECTS, st.lists(st.tuples(st.text(min_size=1, max_size=8), OBJECTS), max_size=3))
def test_a_program_finds_tools_and_state_again_whatever_the_prompt_says(
    prompt: str, state: dict[str, Any], description: dict[str, Any], tools: list[tuple[str, dict[str, Any]]]
) -> None:
    environment = Environment(
        id="e",
        system_prompt=prompt,
        tools=tuple(Tool(name=name, description=name, parameters=x, example_output=x) for name, x in tools),
        initial_state=state,
        state_description=description,
    )
    view = read_system(render_system(environment, NATIVE))
    assert view is not None
    assert canonical(view.initial_state) == canonical(state)
    assert canonical(view.state_description) == canonical(description)
    wanted = [{"name": n, "description": n, "parameters": x, "example_output": x} for n, x in tools]
    assert canonical(view.tools) == canonical(wanted)


def test_another_prompt_has_no_sections() -> None:
    rendered = render_system(ENVIRONMENT, NATIVE)
    for text in (
        "",
        "You are a helpful assistant.",
        rendered.replace("## Tools", "## Tool"),
        rendered[:-700],
    ):
        assert read_system(text) is None


def test_placeholders_point_to_the_section_below_and_foreign_ones_stay() -> None:
    prompt = "{{initial_state}} {{state_descriptions}} {{ action_set_definitions }} {{new_state}} o_{{t+1}} {0} {x}"
    environment = ENVIRONMENT.model_copy(update={"system_prompt": prompt})
    assert render_system(environment, NATIVE).startswith(
        "(see «Initial state» below) (see «State description» below) (see «Tools» below)"
        " {{new_state}} o_{{t+1}} {0} {x}\n\n## Tools\n"
    )


def test_placeholders_inside_the_state_stay() -> None:
    state = {"template": "{{initial_state}} {{tools}} }}"}
    text = render_system(ENVIRONMENT.model_copy(update={"initial_state": state}), NATIVE)
    view = read_system(text)
    assert view is not None
    assert view.initial_state == state


def test_the_state_is_shown_once_and_as_json() -> None:
    text = render_system(ENVIRONMENT, NATIVE)
    assert text.count('"free":true') == 1
    assert "{'" not in text
    assert "True" not in text


def test_the_prompt_does_not_depend_on_the_order_of_keys() -> None:
    state = dict(reversed(ENVIRONMENT.initial_state.items()))
    other = ENVIRONMENT.model_copy(update={"initial_state": state})
    assert render_system(other, NATIVE) == render_system(ENVIRONMENT, NATIVE)


def test_a_model_bound_by_a_schema_sees_shapes_and_no_example_values() -> None:
    assert "R-EXAMPLE" in render_system(ENVIRONMENT, NATIVE)
    bound = render_system(ENVIRONMENT, BOUND)
    assert "R-EXAMPLE" not in bound
    view = read_system(bound)
    assert view is not None
    assert view.tools[0]["returns"] == {"rooms": [{"id": "string", "beds": "number"}]}
    assert "returns" not in view.tools[4]


def test_whether_a_tool_writes_is_told_only_where_it_is_declared() -> None:
    guessed = ROOMS.model_copy(update={"effect_from": "inferred"})
    environment = ENVIRONMENT.model_copy(update={"tools": (guessed, ASSIGN)})
    view = read_system(render_system(environment, NATIVE))
    assert view is not None
    assert [tool.get("effect") for tool in view.tools] == [None, "write"]


def test_the_history_is_actions_and_clean_observations_in_canonical_json() -> None:
    chat = FakeChat(['```json\n{"rooms": [ ]}\n```', '{"success": true}'])
    simulator = Simulator(chat, ENVIRONMENT, NATIVE)
    assert simulator.step(ROOMS, {"floor": 1}) == {"rooms": []}
    assert simulator.step(ASSIGN, {"room": "R1", "patient": "P-1"}) == {"success": True}
    assert [(m["role"], m["content"]) for m in chat.messages(1)[1:]] == [
        ("user", '{"arguments":{"floor":1},"name":"list_rooms"}'),
        ("assistant", '{"rooms":[]}'),
        ("user", '{"arguments":{"patient":"P-1","room":"R1"},"name":"assign_room"}'),
    ]
    assert all(a is b for a, b in zip(chat.messages(0), chat.messages(1), strict=False))


def test_spacing_and_key_order_of_the_agents_arguments_do_not_reach_the_simulator() -> None:
    one, two = FakeChat(["{}"]), FakeChat(["{}"])
    Simulator(one, ENVIRONMENT, NATIVE).step(ASSIGN, json.loads('{"room":"R1",  "patient":"P"}'))
    Simulator(two, ENVIRONMENT, NATIVE).step(ASSIGN, json.loads('{"patient":"P","room":"R1"}'))
    assert one.messages(0)[1] == two.messages(0)[1]


def test_an_unusable_answer_is_asked_again_and_leaves_no_trace_in_the_history() -> None:
    chat = FakeChat(["One moment.", "", '{"rooms": []}', '{"success": true}'])
    simulator = Simulator(chat, ENVIRONMENT, NATIVE)
    assert simulator.step(ROOMS, {}) == {"rooms": []}
    assert [m["content"] for m in chat.messages(2)[2:5:2]] == ["One moment.", "(empty)"]
    assert "it holds no JSON object" in chat.messages(2)[3]["content"]
    simulator.step(ASSIGN, {})
    assert [m["role"] for m in chat.messages(3)] == ["system", "user", "assistant", "user"]
    assert "One moment." not in json.dumps(chat.messages(3))


def test_no_usable_answer_within_the_askings_is_a_failure_and_never_an_observation() -> None:
    chat = FakeChat(["no", "no", "no", "{}"])
    with pytest.raises(CallFailed) as caught:
        Simulator(chat, ENVIRONMENT, NATIVE, asks=3).step(ROOMS, {})
    assert caught.value.kind == "unparsable"
    assert len(chat.asked) == 3


def test_a_failed_call_is_not_asked_again_here() -> None:
    chat = FakeChat([CallFailed("boom", kind="rate_limited"), "{}"])
    with pytest.raises(CallFailed, match="boom"):
        Simulator(chat, ENVIRONMENT, NATIVE).step(ROOMS, {})
    assert len(chat.asked) == 1


@pytest.mark.parametrize(
    ("tool", "text", "usable"),
    [
        (ROOMS, '<think>{"a": 0}</think>{"a": 1}', True),
        (ROOMS, "[1]", False),
        (ROOMS, "null", False),
        (NAMES, '["R1"]', True),
        (NAMES, '{"error": "closed"}', True),
        (NAMES, "null", False),
        (PING, "null", True),
        (PING, '{"error": "closed"}', True),
        (PING, "[]", False),
        (BARE, "{}", True),
        (BARE, "null", False),
    ],
)
def test_a_list_or_null_is_an_observation_only_where_the_tools_example_is_one(
    tool: Tool, text: str, usable: bool
) -> None:
    if usable:
        read_observation(Completion(text=text), tool)
    else:
        with pytest.raises(CallFailed):
            read_observation(Completion(text=text), tool)


def test_only_a_bound_simulator_sends_a_schema_and_it_is_the_tools_own() -> None:
    free, bound = FakeChat(["{}"]), FakeChat(['{"success": true}', '{"rooms": []}'])
    Simulator(free, ENVIRONMENT, NATIVE).step(ROOMS, {})
    simulator = Simulator(bound, ENVIRONMENT, BOUND)
    simulator.step(ASSIGN, {})
    simulator.step(ROOMS, {})
    assert free.asked[0][2] is None
    assert "success" in json.dumps(bound.asked[0][2])
    assert "beds" in json.dumps(bound.asked[1][2])


def test_the_history_can_hold_another_observation_than_the_one_that_was_given() -> None:
    chat = FakeChat(['{"success": true}', "{}"])
    simulator = Simulator(chat, ENVIRONMENT, NATIVE)
    simulator.step(ASSIGN, {})
    simulator.remember_instead({"success": False})
    simulator.step(ASSIGN, {})
    assert chat.messages(1)[2]["content"] == '{"success":false}'


def test_a_simulator_is_asked_for_the_kinds_number_and_length_of_faults_of_its_plan() -> None:
    both = ask_for_faults(named("E3+prompt", 3, 4), 17)
    assert [number in both for number in (" 3 separate", " 4 actions", "about 17 actions")] == [True] * 3
    open_, hidden = (ask_for_faults(named(name), 17) for name in ("E1+prompt", "E2+prompt"))
    for text, words in ((open_, "HTTP 500"), (hidden, "first one or two items")):
        assert words in text
        assert words in both
    assert "HTTP 500" not in hidden
    assert "first one or two" not in open_
    assert "about half" in both
    assert "about half" not in open_ + hidden


def test_nothing_is_asked_for_where_the_harness_injects_or_nobody_does() -> None:
    for plan in (named("E0"), named("E3"), named("semantic"), named("E1+prompt", 0)):
        assert ask_for_faults(plan, 9) == ""


def test_the_paragraph_ends_the_system_prompt_and_leaves_the_environment_known() -> None:
    asked = ask_for_faults(named("E1+prompt"), 9)
    chat = FakeChat(["{}"])
    Simulator(chat, ENVIRONMENT, NATIVE, faults=asked).step(ROOMS, {})
    plain = render_system(ENVIRONMENT, NATIVE)
    system = chat.messages(0)[0]["content"]
    assert system == f"{plain}\n\n{asked}"
    assert without_faults(system) == without_faults(plain) == plain


def test_a_heading_of_the_environments_own_is_not_taken_for_the_paragraph() -> None:
    own = ENVIRONMENT.model_copy(update={"system_prompt": "You play.\n\n## Disturbances\n\nNone."})
    assert without_faults(render_system(own, NATIVE)) == render_system(own, NATIVE)
