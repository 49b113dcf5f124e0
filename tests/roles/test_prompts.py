from __future__ import annotations

import re
from importlib import resources

import pytest

from replaylab.errors import UsageError
from replaylab.faults.plan import named
from replaylab.roles.prompts import GENERATOR, VERSIONS, all_prompts, prompt, prompts_of, render

# A changed text is another prompt: give it the next version and its digest here. Recordings name both.
DIGESTS = {
    "agent/1": "5253aba38466d127",
    "agent_json/3": "d918063bd2af1526",
    "contract_judge/1": "b2ceb5b4e293f211",
    "generator/1": "519c67ef329b2ffb",
    "generator_again/1": "9063c93f10e91056",
    "generator_checks/1": "d494e6b2cfac2c40",
    "generator_diagnosis/1": "30f47517ea0eada3",
    "generator_environment/1": "275dea8d54e71a78",
    "generator_guided/1": "77c8dcfa71b66ef7",
    "generator_more_subtopics/1": "1ab58961bce98510",
    "generator_plan/1": "90174068dcb6b1e6",
    "generator_reference/1": "11068a301c29ac55",
    "generator_repair/1": "e443ef6e32efc304",
    "generator_rubric/1": "894718f5b19037b1",
    "generator_state/1": "2cd3431009f5bc41",
    "generator_subtopics/1": "2472c5f7aa2f58e6",
    "generator_task/1": "d5ce7bb435c9005d",
    "generator_tools/1": "246c005a4c29b012",
    "generator_twin/1": "730d12396bc398df",
    "simulator/1": "ab0fe76660748f51",
    "simulator_again/1": "ffff978dbd046127",
    "simulator_faults/1": "6fb98b15708d0397",
    "verifier/1": "1681e39fa6cb88b1",
    "verifier_again/1": "ac5d87b3b458364a",
}


def test_every_version_has_one_text() -> None:
    assert {one.version: one.digest[:16] for one in map(prompt, VERSIONS)} == DIGESTS


def test_the_prompts_of_a_contract_judge_and_of_a_generator_take_part_in_no_trial() -> None:
    assert set(VERSIONS) - set(all_prompts(faults=True)) == {"contract_judge"} | GENERATOR
    assert {name.partition("_")[0] for name in GENERATOR} == {"generator"}


def test_every_file_has_a_version_and_every_version_a_file() -> None:
    folder = resources.files("replaylab.roles") / "prompts"
    assert {file.name for file in folder.iterdir() if file.is_file()} == {f"{name}.md" for name in VERSIONS}


def test_the_prompt_that_asks_for_faults_takes_part_only_where_a_plan_wants_it() -> None:
    assert set(all_prompts(faults=True)) - set(all_prompts()) == {"simulator_faults"}
    assert prompts_of([named("E0"), named("E3")]) == all_prompts()
    assert prompts_of([named("E0"), named("E3+prompt")]) == all_prompts(faults=True)


def test_an_unknown_name_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="verifier_again"):
        prompt("judgement")


def test_the_clock_is_told_when_there_is_one() -> None:
    assert "2025-03-01T08:00:00Z" in render("agent", clock="2025-03-01T08:00:00Z")


def test_nothing_is_said_about_a_date_when_there_is_no_clock() -> None:
    for text in (render("agent", clock=""), render("agent_json", clock="", tools="[]", answer_tool="x")):
        assert not re.search(r"\bdate\b|\btime\b|\bclock\b|\b20\d\d\b|\{\{", text)


def test_what_is_inserted_is_not_rendered_again() -> None:
    text = render(
        "simulator",
        system_prompt="{{tools}}\n\n{{e}}",
        tools="T",
        initial_state="{{tools}}",
        state_description="D",
    )
    assert text.startswith("{{tools}}\n\n{{e}}\n\n## Tools")
    assert "```json\n{{tools}}\n```" in text
