from __future__ import annotations

import json
from pathlib import Path

from replaylab.cassette.stored import open_cassette
from replaylab.schema.violation import KINDS
from tests.conftest import REPO
from tests.playground import record
from tools.real_cases import cases_of

HERE = REPO / "tests" / "diff"
LABELS = [
    json.loads(line) for line in (HERE / "real" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_each_observation_of_the_simulator_is_a_case_with_what_it_said_before(tmp_path: Path) -> None:
    library, _ = record(tmp_path, faults=("E1",))
    (name,) = library.objects("cassette")
    cassette = open_cassette(library, name)
    cases = list(cases_of(cassette))
    assert len(cases) == len(cassette.lanes["simulator"])
    for number, case in enumerate(cases):
        assert case["id"] == f"ed-sepsis-room/twin/{number}"
        assert (case["target"], len(case["trajectory"]), case["labels"]) == (number, number + 1, [])
    assert cases[0]["trajectory"] == cases[-1]["trajectory"][:1]
    assert cases[0]["env"] == cassette.header.environment.id


def test_there_are_four_calls_of_twenty_environments_to_two_models() -> None:
    assert len(LABELS) == len({one["id"] for one in LABELS}) == 160
    assert len({one["env"] for one in LABELS}) == 20
    assert {one["id"].split("/")[1] for one in LABELS} == {"qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"}


def test_both_passes_name_known_kinds_and_mostly_the_same() -> None:
    assert all(set(kinds) <= set(KINDS) for one in LABELS for kinds in one["passes"])
    assert sum(one["passes"][0] == one["passes"][1] for one in LABELS) == 152


def test_a_label_is_a_kind_an_entity_and_a_pointer_and_no_text() -> None:
    for label in (label for one in LABELS for label in one["labels"]):
        assert set(label) == {"kind", "entity", "pointer"}
        assert label["pointer"] == "" or label["pointer"].startswith("/")


def test_the_observations_that_are_here_have_the_same_labels() -> None:
    kinds = {one["id"]: [label["kind"] for label in one["labels"]] for one in LABELS}
    cases = [
        json.loads(line) for line in (HERE / "cases" / "real.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(cases) == 137
    assert all([label["kind"] for label in case["labels"]] == kinds[case["id"]] for case in cases)
