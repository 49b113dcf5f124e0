"""How a published prompt is cut and cleaned, and what a tool's name tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.interop.occubench.convert import (
    appendix_differs,
    clean,
    effect_of,
    split_prompt,
    to_environment,
    to_task,
)
from replaylab.interop.occubench.source import SourceEnvironment, SourceTask
from replaylab.schema.base import Json
from tests.interop.occubench.made import STATE, config, task


def published(body: str | None = None, **changes: Json) -> SourceEnvironment:
    one = config("env_a", **changes) if body is None else config("env_a", body=body, **changes)
    return SourceEnvironment.model_validate(one)


def test_the_copies_at_the_end_of_a_prompt_are_cut_and_the_placeholders_inside_it_stay() -> None:
    text = to_environment(published(), ()).system_prompt
    assert text.startswith("You simulate tanks.")
    assert text.endswith('On an error say {"error": {"code": 1}}.')
    assert all(text.count("{{" + name + "}}") == 1 for name in ("initial_state", "action_set_definitions"))
    assert "T-1" not in text


def test_a_prompt_without_copies_is_kept_whole() -> None:
    assert split_prompt("Just {{initial_state}} in a line.") == ("Just {{initial_state}} in a line.", "")


@given(st.text(alphabet='{} ab"\n', max_size=40))
def test_cleaning_undoes_exactly_the_escaping_of_the_author_s_text(text: str) -> None:
    escaped = text.replace("{", "{{").replace("}", "}}")
    assert clean(escaped) == text
    assert clean(f"{{{{initial_state}}}}:{escaped}") == f"{{{{initial_state}}}}:{text}"


@pytest.mark.parametrize(
    ("escaped", "meant"),
    [
        ('{{"error": "Reason"}}', '{"error": "Reason"}'),
        ("o_{{t+1}}", "o_{t+1}"),
        ("{{new_state}}", "{new_state}"),
        ("{{state_descriptions}}", "{{state_descriptions}}"),
        ('{{"a": {{"b": {{}}}}}}', '{"a": {"b": {}}}'),
    ],
)
def test_doubled_braces_become_single_but_for_the_three_placeholders(escaped: str, meant: str) -> None:
    assert clean(escaped) == meant


def test_copies_that_say_the_same_as_the_fields_do_not_differ() -> None:
    one = published()
    assert not appendix_differs(split_prompt(one.world_model_system_prompt).appendix, one)


def test_fields_win_over_copies_that_say_something_else() -> None:
    one = SourceEnvironment.model_validate(
        config("env_a") | {"task_initial_state": STATE | {"mode": "manual"}}
    )
    assert appendix_differs(split_prompt(one.world_model_system_prompt).appendix, one)
    assert to_environment(one, ()).initial_state["mode"] == "manual"


def test_a_missing_example_and_a_null_example_stay_apart() -> None:
    examples = {
        tool.name: (tool.has_example, tool.example_output) for tool in to_environment(published(), ()).tools
    }
    assert examples == {
        "get_level": (True, {"level": 4}),
        "set_mode": (False, None),
        "run_test": (True, None),
    }


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("get_level", "read"),
        ("searchCatalog", "read"),
        ("set_mode", "write"),
        ("updateRecord", "write"),
        ("run_test", "unknown"),
        ("verify_result", "unknown"),
        ("getaway_car", "unknown"),
        ("", "unknown"),
    ],
)
def test_the_first_word_of_a_name_tells_the_effect_or_nothing_does(name: str, effect: str) -> None:
    assert effect_of(name) == effect


def test_a_guessed_effect_says_that_it_was_guessed() -> None:
    assert {tool.effect_from for tool in to_environment(published(), ()).tools} == {"inferred"}


def test_a_task_keeps_its_number_and_has_no_plan() -> None:
    one = to_task(SourceTask.model_validate(task(11, "env_a")), "occubench-tanks")
    assert (one.id, one.plan, one.expected_calls, one.origin) == ("occubench-11", None, 16, "imported")
    assert (one.rubric.text, one.difficulty) == ("The level is right.", 2)
