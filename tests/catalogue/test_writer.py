"""What is written reads back as it was, with the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.catalogue.reader import read_scenario
from replaylab.catalogue.writer import write_scenario
from replaylab.errors import StoreError
from replaylab.schema.scenario import Environment, Plan, PlannedCall, Rubric, Scenario, Task, Tool

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=30)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    given_example = draw(st.booleans())
    tool = Tool(
        name="look",
        description=draw(TEXT),
        parameters=draw(OBJECT) | {"type": "object"},
        effect=draw(st.sampled_from(["read", "write", "unknown"])),
        effect_from=draw(st.sampled_from(["declared", "inferred"])),
        has_example=given_example,
        example_output=draw(JSON) if given_example else None,
    )
    environment = Environment(
        id="env-1",
        system_prompt=draw(TEXT),
        tools=(tool,),
        initial_state=draw(OBJECT),
        state_description=draw(OBJECT),
        clock=draw(st.sampled_from(["", "2025-01-01T00:00:00Z"])),
        origin=draw(st.sampled_from(["authored", "imported"])),
        notes=tuple(draw(st.lists(TEXT, max_size=2))),
    )
    plan = Plan(
        calls=(PlannedCall(tool="look", arguments=draw(OBJECT), purpose="verify"),), answer=draw(TEXT)
    )
    task = Task(
        id="task-1",
        scenario="made-up",
        environment="env-1",
        instruction="Do " + draw(TEXT),
        rubric=Rubric(text=draw(TEXT), checks=tuple(draw(st.lists(OBJECT, max_size=2)))),
        plan=draw(st.none() | st.just(plan)),
        difficulty=draw(st.integers(1, 5)),
        expected_calls=draw(st.integers(1, 40)),
    )
    return Scenario(
        id="made-up",
        name="N" + draw(TEXT),
        industry="I",
        domain="D",
        summary=draw(TEXT),
        subtopics=tuple(draw(st.lists(TEXT, max_size=2))),
        environments=(environment,),
        tasks=(task,),
    )


@given(scenarios())
def test_every_scenario_reads_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, one: Scenario) -> None:
    folder = write_scenario(one, tmp_path_factory.mktemp("written"))
    assert read_scenario(folder) == one


def test_the_shipped_scenarios_read_back_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    for scenario in Catalogue.load([shipped()]).scenarios:
        first, second = (write_scenario(scenario, tmp_path / name) for name in "ab")
        assert read_scenario(first) == scenario
        files = [path.relative_to(first) for path in sorted(first.rglob("*")) if path.is_file()]
        assert len(files) > 6
        assert all((first / name).read_bytes() == (second / name).read_bytes() for name in files)


def test_a_folder_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    scenario = Catalogue.load([shipped()]).scenarios[0]
    write_scenario(scenario, tmp_path)
    with pytest.raises(StoreError, match=scenario.id):
        write_scenario(scenario, tmp_path)
