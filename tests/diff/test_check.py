"""The contract check on labelled observations. Whole environments are looked up in the published data, never copied.

The batches were written one after the other, each before the check was run on it: what it reached at first is noted beside
each. The figures asserted here are in-sample by now, and guard against falling back.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.cassette.stored import open_cassette
from replaylab.derive.verdict import derive
from replaylab.diff.check import Observed
from replaylab.diff.trial import check_trajectory
from replaylab.schema.scenario import Environment, Task
from replaylab.store.library import Library
from tests.diff.ward import STATE, TOOLS, call, check, found, patients
from tools.score_detector import document, judge, load, main

CASES = Path(__file__).parent / "cases"
REPO = Path(__file__).resolve().parents[2]
OCCUBENCH = Path(os.environ.get("REPLAYLAB_OCCUBENCH", REPO.parent / "shared" / "occubench"))
GENERATED = OCCUBENCH.parent / "diff_cases.jsonl"
needs_data = pytest.mark.skipif(
    not OCCUBENCH.is_dir(),
    reason=f"OccuBench data not at {OCCUBENCH}: set REPLAYLAB_OCCUBENCH to its folder. NOT TESTED.",
)
needs_cases = pytest.mark.skipif(
    not GENERATED.is_file(), reason=f"labelled cases not at {GENERATED}. NOT TESTED."
)


@cache
def environments() -> dict[str, tuple[Environment, Task | None]]:
    return load(OCCUBENCH)


def scored(path: Path) -> dict[str, Any]:
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return document(judge(cases, environments()))


@needs_data
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("tuned", (1.0, 1.0, 1.0, 1.0)),
        ("held_out", (1.0, 0.97, 1.0, 1.0)),
        ("third", (1.0, 0.96, 1.0, 1.0)),  # at first 0.89, 0.69, 0.87, 1.00
        ("fourth", (0.94, 0.9, 1.0, 0.94)),  # at first 0.89, 0.80, 0.96, 0.94
        ("fifth", (0.92, 1.0, 1.0, 0.81)),  # at first 0.77, 0.91, 0.87, 0.64
        ("sixth", (0.97, 0.94, 1.0, 0.71)),  # at first 0.89, 0.59, 0.92, 0.46
        ("seventh", (0.95, 0.66, 0.83, 0.66)),  # at first 0.96, 0.62, 0.78, 0.53
        ("eighth", (0.97, 0.94, 0.97, 0.72)),  # at first 0.93, 0.77, 0.88, 0.67
        ("ninth", (0.97, 0.9, 0.99, 0.92)),  # at first 0.90, 0.61, 0.77, 0.57
        ("tenth", (0.88, 0.66, 0.99, 0.83)),  # at first 0.89, 0.64, 0.40, 0.80
        ("real", (0.0, 0.7, 0.57, 0.5)),  # of real small models; at first 0, 0.67, 0.17, 0.18
        ("flagship", (1.0, 1.0, 1.0, 1.0)),  # the three published failures and their faithful variants
    ],
)
def test_hand_written_observations_are_judged_as_labelled(name: str, least: tuple[float, ...]) -> None:
    found = scored(CASES / f"{name}.jsonl")["call"]
    kinds = ("fabrication", "omission", "rule_invention", "contradiction")
    asked = [kind for kind in kinds if found[kind]["tp"] + found[kind]["fp"] + found[kind]["fn"]]
    floor = dict(zip(kinds, least, strict=True))
    assert {kind: found[kind]["f1"] for kind in asked if (found[kind]["f1"] or 0) < floor[kind]} == {}


@needs_data
@needs_cases
def test_generated_cases_do_not_fall_back() -> None:
    found = scored(GENERATED)
    for level in ("call", "entity"):
        assert found[level]["fabrication"]["f1"] >= 0.95
        assert found[level]["omission"]["f1"] >= 0.92
        assert found[level]["rule_invention"]["f1"] >= 0.95


@needs_data
def test_the_scores_are_the_same_again_and_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for _ in range(2):
        assert main([str(CASES / "tuned.jsonl"), "--json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    read = json.loads(said[0])
    assert {"precision", "recall", "f1"} <= set(read["call"]["fabrication"])
    assert {"precision", "recall", "f1"} <= set(read["entity"]["omission"])


def test_the_faithful_twin_breaks_no_contract_under_any_fault_plan() -> None:
    library = Library(REPO / "cassettes")
    checked, plans = 0, set()
    _, run = library.run("builtin")
    for entry in run.ledger:
        assert entry.counting is not None
        cassette = open_cassette(library, entry.counting.cassette)
        assert cassette.header.players["simulator"].alias == "twin"
        trajectory = derive(cassette.header, cassette.lanes).trajectory
        report = check_trajectory(cassette.header, trajectory, cassette.lanes.get("simulator", ()))
        assert report.findings == (), entry.key
        checked += report.coverage.checked()
        plans.add(cassette.header.faults.name)
    assert plans == {"E0", "E1", "E2", "E3"}
    assert checked > 100


def test_coverage_counts_calls_and_holds_whatever_was_found() -> None:
    library = Library(REPO / "cassettes")
    found = 0
    for name in ("builtin", "real-qwen2.5-coder-1.5b"):
        for entry in library.run(name)[1].ledger:
            assert entry.counting is not None
            cassette = open_cassette(library, entry.counting.cassette)
            trajectory = derive(cassette.header, cassette.lanes).trajectory
            report = check_trajectory(cassette.header, trajectory, cassette.lanes.get("simulator", ()))
            coverage, every = report.coverage, (*report.findings, *report.candidates)
            asked = sum(action.by == "simulator" for action in trajectory.actions)
            assert coverage.calls == asked >= coverage.checkable >= len({one.call for one in every})
            for row in coverage.rows:
                against = {one.call for one in every if (one.kind, one.tool) == (row.kind, row.tool)}
                assert row.calls - sum(row.why_not.values()) == row.checked >= len(against)
            found += len(every)
    assert found > 10


# Whatever a simulator says, the check ends, and says the same of what is the same.
scalars = (
    st.none() | st.booleans() | st.integers(-200, 200) | st.floats(allow_nan=False, allow_infinity=False)
)
names = st.sampled_from(
    ["patients", "error", "P-101", "bed", "status", "result", "P-900", "", "nurses", "72", "string"]
)
anything = st.recursive(
    scalars | names | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
calls = st.tuples(
    st.sampled_from([*(one.name for one in TOOLS), "no_such_tool"]),
    st.dictionaries(st.sampled_from(["patient_id", "bed", "shift", "count", "x"]), anything, max_size=3),
    anything,
).map(lambda parts: Observed(*parts))


@settings(max_examples=60, deadline=None)
@given(st.lists(calls, max_size=4))
def test_it_ends_with_a_report_on_any_json(steps: list[Observed]) -> None:
    report = check(*steps)
    assert all(0 <= one.call < len(steps) for one in (*report.findings, *report.candidates, *report.faults))


@settings(max_examples=30, deadline=None)
@given(st.permutations(list(STATE["patients"])), st.booleans())
def test_neither_order_nor_case_adds_anything(ids: list[str], lower: bool) -> None:
    rows = patients(*ids)["patients"]
    rows = [
        dict(reversed({**row, "patient_id": row["patient_id"].lower()}.items())) if lower else row
        for row in rows
    ]
    assert found(call("list_patients", {"patients": rows})) == []


def lists() -> list[Any]:
    whole = patients()
    return [
        whole,
        whole["patients"],
        {"result": whole},
        {"observation": whole},
        {"data": {"patients": whole["patients"]}, "status": "success"},
        {"patients": STATE["patients"]},
        {"state": STATE},
        STATE,
    ]


@pytest.mark.parametrize("node", lists())
def test_wrappers_and_echoes_of_the_state_are_faithful(node: Any) -> None:
    assert found(call("list_patients", node)) == []


def test_an_example_that_is_copied_is_a_leak_and_leaves_the_rest_out() -> None:
    said = found(call("list_patients", {"patients": [{"patient_id": "P-900", "bed": "B9"}]}))
    assert ("fabrication", "example_leak", "P-900") in said
    assert {one[2] for one in said if one[0] == "omission"} == set(STATE["patients"])


def test_a_value_of_another_type_is_the_same_value() -> None:
    assert found(call("get_status", {"beds_occupied": "3", "oxygen_level": "94.5"})) == []
    assert found(call("get_status", {"beds_occupied": "5"})) == [("contradiction", "changed_value", "")]


def test_json_that_breaks_off_and_a_placeholder_say_nothing() -> None:
    cut = '{"patients": [{"patient_id": "P-101", "bed": "B1"}, {"patient_id": "P-102", "be'
    assert found(call("list_patients", cut)) == []
    assert found(call("move_patient", {"error": "Reason for failure"}, patient_id="P-101", bed="B5")) == []


def test_doubled_braces_are_read() -> None:
    said = found(call("move_patient", '{{"error": "Patient P-101 not found"}}', patient_id="P-101", bed="B5"))
    assert said == [("omission", "denial", "P-101")]
