from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.compare.agreeing import Agreement, agreements
from replaylab.compare.cards import violating
from replaylab.compare.reading import answered, counting
from replaylab.report.agreement_text import all_tables, as_markdown, fields, text
from replaylab.store.library import Library
from tests.playground import SHORT, record
from tests.score.written import write
from tools.authored import AuthoredTrial

AGENTS = ("scripted:careful", "scripted:greedy")
TASKS = (SHORT, "screening-nerve-pain")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    root = tmp_path_factory.mktemp("agreement")
    record(root, tasks=TASKS, agents=AGENTS, name="one")
    return record(root, tasks=TASKS, agents=AGENTS, simulators=("example",), name="two")[0]


@pytest.fixture(scope="module")
def found(library: Library) -> tuple[Agreement, ...]:
    return agreements(library)


def test_every_pair_of_simulators_is_compared_over_all_runs(found: tuple[Agreement, ...]) -> None:
    (one,) = found
    (between,) = one.between
    assert (between.found.a, between.found.b, between.found.agents) == ("twin", "example", AGENTS)
    assert between.found.whole.pairs == 4
    assert sum(driver.contribution for driver in between.found.scenarios) == pytest.approx(
        between.found.whole.difference
    )


def test_violations_are_those_of_the_contract_check(library: Library, found: tuple[Agreement, ...]) -> None:
    explained = found[0].between[0].explained
    critical = {
        name: sum(k for k, _ in violating([one], lambda violation: violation.rubric_critical).values())
        for name, one in answered(library, counting(library)).items()
    }
    assert explained.flipped.k + explained.unflipped.k == sum(count > 0 for count in critical.values()) > 0
    assert explained.flipped.n + explained.unflipped.n + explained.unchecked == 4


def test_the_tables_of_score_are_there_too(found: tuple[Agreement, ...]) -> None:
    ids = [table.id for table in all_tables(found[0])]
    assert ids[:4] == ["simulators", "agreement", "scenarios", "industries"]
    assert ids[-1] == "explained"
    said = text(found)
    assert "Agreement of simulators on the order of agents" in said
    assert "Some roles" in said or "Every role was played by a program" in said
    assert text(found) == said


def test_one_simulator_alone_has_nothing_to_agree_with(tmp_path: Path) -> None:
    library = write(tmp_path, "run", [AuthoredTrial("a", "care-1", "pass")])
    (one,) = agreements(library, ["run"])
    assert one.why_not == "there is one simulator alone: sim"
    assert "authored: no agreement to show: there is one simulator alone: sim" in text([one])
    assert agreements(Library(tmp_path / "empty")) == ()


def test_the_document_is_json_with_exact_counts(found: tuple[Agreement, ...]) -> None:
    told = fields(found)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    flipped = told[0]["between"][0]["explained"]["flipped"]
    assert flipped["share"] == (flipped["k"] / flipped["n"] if flipped["n"] else None)
    assert told[0]["why_not"] is None


def test_markdown_has_every_table(found: tuple[Agreement, ...]) -> None:
    said = as_markdown(found)
    assert said.count("\n## ") == len(list(all_tables(found[0])))
