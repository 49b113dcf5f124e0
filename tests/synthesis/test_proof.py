from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.canonical import canonical
from replaylab.roles.generator import Step, read_written
from replaylab.roles.parsing import Unparsable
from replaylab.schema.base import copied
from replaylab.schema.finding import Finding
from replaylab.synthesis.diversity import print_of
from replaylab.synthesis.parts import (
    Misfit,
    Place,
    environment_of,
    reference_of,
    scenario_of,
    task_of,
)
from replaylab.synthesis.proof import Prover, part_of, same_tools, twin_code
from tests.playground import catalogue
from tests.synthesis.playing import order, source
from tests.synthesis.test_parts import PARTS

KEYS = [
    "type",
    "properties",
    "required",
    "name",
    "tool",
    "kind",
    "id",
    "args",
    "re",
    "items",
    "enum",
    "value",
    "$ref",
]


@pytest.mark.parametrize(
    ("kind", "where", "part"),
    [
        ("tool-schema", "environments/e/tools.json: 0.parameters", "tools"),
        ("state-description", "environments/e/description.json: gates", "state"),
        ("prompt", "environments/e/system_prompt.md: (the whole file)", "environment"),
        ("subtopic-overlap", "scenario.json: subtopics.3", "subtopics"),
        ("leak-tool", "tasks/t.json: instruction", "task"),
        ("plan-length", "tasks/t.json: plan.calls", "plan"),
        ("unknown-id", "tasks/t.json: plan.calls.0.arguments", "plan"),
        ("plan-fails", "tasks/t.json: rubric.checks.3", "checks"),
        ("wrong-passes", "tasks/t.json: rubric.checks (the plan backwards)", "checks"),
        ("placeholder", "tasks/t.json: rubric.text", "rubric"),
        ("diagnosis", "plan: said of t", "plan"),
        ("shape", "checks: 0", "checks"),
    ],
)
def test_a_finding_is_mended_where_it_stands(kind: str, where: str, part: str) -> None:
    assert part_of(Finding.of(kind, where, "wrong")) == part


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("the agent reads 'a b c d e', which stands in rubric.text", "rubric"),
        ("the agent reads 'a b c d e', which stands in rubric.checks", "checks"),
        ("the agent reads 'a b c d e', which stands in plan.answer", "task"),
    ],
)
def test_what_leaks_is_put_in_other_words_where_it_was_written_later(message: str, part: str) -> None:
    assert part_of(Finding.of("leak", "tasks/t.json: instruction", message)) == part


def test_findings_name_no_folder_of_this_machine(tmp_path: Path) -> None:
    place = Place(order(), source(), 0, 1)
    scenario = scenario_of(place, PARTS, environment_of(place, PARTS), (task_of(place, PARTS),))
    prover = Prover(tmp_path)
    folder = prover.place(scenario, reference_of(source(), PARTS, "c"), None)
    findings = prover.findings(folder, scenario, trusted=False)
    assert {"tool-count", "tool-effect", "plan-length", "subtopics"} <= {one.kind for one in findings}
    assert not [one for one in findings if str(tmp_path) in one.where + one.message]
    assert not [one for one in findings if one.kind in ("task-count", "difficulty")]


def test_a_shipped_twin_runs_what_has_its_tools_and_nothing_else() -> None:
    one, other = catalogue().environments[:2]
    assert same_tools(one, one)
    assert not same_tools(one, other)
    fewer = one.model_copy(update={"tools": one.tools[1:]})
    assert not same_tools(fewer, one)
    tool = one.tools[0].model_copy(update={"parameters": {"type": "object", "properties": 7}})
    assert not same_tools(one.model_copy(update={"tools": (tool, *one.tools[1:])}), one)


def test_the_code_of_a_twin_is_the_file_byte_for_byte() -> None:
    for scenario in catalogue().scenarios:
        folder, name = catalogue().folder(scenario.id), scenario.environments[0].id
        path = folder / "environments" / name / "twin.py"
        assert twin_code(folder, name).encode() == path.read_bytes()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(-9, 9)
    | st.sampled_from(["", "x", "A-1", "string", "object"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.data())
def test_whatever_a_generator_writes_is_a_finding_and_never_breaks_the_proof(data: st.DataObject) -> None:
    parts = copied(PARTS)
    for _ in range(data.draw(st.integers(1, 3))):
        _spoil(parts, data)
    answers = {
        "tools": {"tools": parts["tools"]},
        "state": {"state": parts["state"], "description": parts["description"]},
        "plan": parts["plan"],
        "checks": {"checks": parts["checks"]},
        "environment": parts["environment"],
        "task": {"instruction": parts["instruction"]},
        "rubric": {"text": parts["rubric"]},
    }
    try:
        for step, value in answers.items():
            read_written(cast(Step, step), canonical(value).decode())
    except Unparsable:
        return  # it is asked for again
    place = Place(order(), source(), 0, 1)
    with TemporaryDirectory() as folder:
        try:
            environment, task = environment_of(place, parts), task_of(place, parts)
        except Misfit:
            return  # a finding too: test_parts
        scenario = scenario_of(place, parts, environment, (task,))
        prover = Prover(Path(folder))
        placed = prover.place(scenario, reference_of(source(), parts, "c"), None)
        assert prover.findings(placed, scenario, trusted=False)
        print_of(task, environment)


def _spoil(parts: Any, data: st.DataObject) -> None:
    """Another value somewhere in the parts, at any depth."""
    node = {name: part for name, part in parts.items() if name not in ("reference", "summary", "subtopics")}
    name = data.draw(st.sampled_from(sorted(node)))
    if not isinstance(parts[name], (dict, list)):
        parts[name] = data.draw(JSON)
        return
    node, depth = parts[name], data.draw(st.integers(1, 5))
    for _ in range(depth):
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if not isinstance(node[key], (dict, list)) or data.draw(st.booleans()):
            node[key] = data.draw(JSON)
            return
        node = node[key]
