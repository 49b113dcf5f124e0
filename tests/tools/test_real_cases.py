from __future__ import annotations

from pathlib import Path

from replaylab.cassette.stored import open_cassette
from tests.playground import record
from tools.real_cases import cases_of


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
