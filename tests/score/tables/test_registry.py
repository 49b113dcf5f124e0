from __future__ import annotations

import csv
import json
import os
from fractions import Fraction
from pathlib import Path

import pytest

from replaylab.score.facts import Study
from replaylab.score.industries import INDUSTRIES
from replaylab.score.tables import TABLES, Built, build_all, build_document
from replaylab.score.tables.registry import NOT_PUBLISHED
from replaylab.score.value import Layout, Table
from tests.conftest import REPO
from tests.score.studies import Outcomes, model, scenario, study, study_of
from tests.score.tables.look import keys, texts

# In the order of a document. Each has its module; what is not written yet is not in TABLES.
IDS = [
    "ledger", "scenarios", "overall", "industries", "difficulty", "faults", "fault_effects", "ranks", "simulators",
    "agreement", "fault_ablation", "size", "generations", "effort", "effort_cost", "pairwise", "repeats", "judge",
    "cost", "taxonomy", "recovery", "exposure",
]  # fmt: skip
MINE = IDS[:8]
LAYOUTS: tuple[Layout, ...] = ("full", "paper")


def small() -> Study:
    conditions: dict[str, dict[str, Outcomes]] = {
        f"{agent}|{plan}": {
            f"s{n}": "".join("pfem"[(n * k + len(plan) + j) % 4] for j in range(3)) for n in range(7)
        }
        for k, agent in enumerate(("ann", "bob", "cat"))
        for plan in ("E0", "E1", "E2", "E3")
    }
    return study(conditions, models={"ann": model("ann", player="program")})


def by_id(built: Built) -> dict[str, Table]:
    return {table.id: table for table in built.tables}


def test_tables_stand_in_the_order_of_a_document() -> None:
    assert [name for name in IDS if name in TABLES] == list(TABLES)
    assert list(TABLES)[:8] == MINE


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_table_is_there_or_says_why_not(layout: Layout) -> None:
    built = build_document(small(), layout)
    there = [table.id for table in built.tables]
    absent = [one.id for one in built.left_out]
    assert sorted(there + absent) == sorted(TABLES)
    assert [name for name in TABLES if name in there] == there
    assert all(one.why for one in built.left_out)
    assert build_all(small(), layout) == built.tables


def test_the_paper_layout_has_what_was_published_and_the_ledger() -> None:
    built = build_document(small(), "paper")
    assert [name for name in MINE if name in by_id(built)] == [
        "ledger",
        "scenarios",
        "industries",
        "difficulty",
        "faults",
    ]
    why = {one.id: one.why for one in built.left_out}
    assert why["overall"] == why["ranks"] == why["fault_effects"] == NOT_PUBLISHED


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tables_are_rectangular_with_keys_that_differ(layout: Layout) -> None:
    for table in build_all(small(), layout):
        assert table.layout == layout
        assert len(set(keys(table))) == len(keys(table)), table.id
        assert {len(row) for row in table.rows} <= {len(table.columns)}, table.id
        assert table.title
        assert table.notes


def test_tables_are_the_same_when_made_again_and_survive_json() -> None:
    for layout in LAYOUTS:
        first, second = (build_all(small(), layout) for _ in range(2))
        assert [table.model_dump_json() for table in first] == [table.model_dump_json() for table in second]
        for table in first:
            assert Table.model_validate(json.loads(table.model_dump_json())) == table


def test_programs_are_named_under_every_table() -> None:
    for layout in LAYOUTS:
        for table in build_all(small(), layout):
            assert "ann" in table.notes[-1], table.id
            assert "programs, not LLMs" in table.notes[-1], table.id


def test_numbers_and_empty_cells_are_never_confused() -> None:
    """A cell without text has no value; one that counts trials or has an interval has both."""
    for layout in LAYOUTS:
        for table in build_all(small(), layout):
            for row in table.rows:
                assert all(one.value is None for one in row if not one.text), table.id
                assert all(one.text and one.value is not None for one in row if one.interval or one.count), (
                    table.id
                )


def test_a_study_without_trials_has_reasons_and_no_tables() -> None:
    for layout in LAYOUTS:
        built = build_document(study_of([]), layout)
        assert built.tables == ()
        assert [one.id for one in built.left_out] == list(TABLES)


def test_one_agent_one_scenario_one_task_is_enough() -> None:
    for letter in "pfemu":
        for layout in LAYOUTS:
            built = build_document(study({"ann": {"s1": letter}}), layout)
            assert "ledger" in by_id(built)
            assert all(one.why for one in built.left_out)


# --------------------------------------------------------------------------------- the published tables


@pytest.fixture(scope="module")
def published() -> Path:
    folder = Path(os.environ.get("REPLAYLAB_PAPER_TABLES", REPO.parent / "shared" / "paper_tables"))
    if not (folder / "table2_counts.json").is_file():
        pytest.skip(
            f"the published tables are not at {folder}: set REPLAYLAB_PAPER_TABLES to their folder. NOT TESTED."
        )
    return folder


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_published_table_by_industry_comes_out_in_every_cell(published: Path) -> None:
    counts = json.loads((published / "table2_counts.json").read_text(encoding="utf-8"))
    tasks: dict[str, int] = json.loads((published / "data_facts.json").read_text(encoding="utf-8"))["n_tasks"]
    outcomes: dict[str, dict[str, Outcomes]] = {}
    declared: dict[str, int] = {}
    for name, (passed, whole) in counts.items():
        agent, _, key = name.partition("|")
        if key != "all":
            missing = tasks[key] - whole
            outcomes.setdefault(agent, {})[key] = "p" * passed + "f" * (whole - passed) + "m" * missing
            declared |= {name: whole} if missing else {}
    where = {industry.key: scenario(industry.key, industry.name) for industry in INDUSTRIES}
    table = TABLES["industries"].build(study(outcomes, scenarios=where, declared=declared), "paper")
    expected = [list(line.values()) for line in lines(published / "table2_e0_by_industry_wide.csv")]
    assert len(expected) == 15
    assert texts(table) == expected


def test_the_published_table_by_fault_plan_comes_out_but_where_it_was_computed_from_rounded_rates(
    published: Path,
) -> None:
    told = lines(published / "table3_robustness.csv")
    outcomes: dict[str, dict[str, Outcomes]] = {
        f"{line['model']}|{line['env']}": {
            "s": "p" * int(line["k_recovered"]) + "f" * (int(line["n"]) - int(line["k_recovered"]))
        }
        for line in told
        if line["model"] != "Avg"
    }
    table = TABLES["faults"].build(study(outcomes), "paper")
    found = {
        (row[0], key): text
        for row in texts(table)
        for key, text in zip(("", "E0", "E1", "E2", "E3", "R"), row, strict=True)
    }
    expected = {(line["model"], line["env"]): line["published_pct"] for line in told}
    expected |= {(line["model"], "R"): line["published_R"] for line in told}
    differ = {name: (text, found[name]) for name, text in expected.items() if found[name] != text}
    assert differ == {("Kimi K2.5", "R"): ("0.63", "0.62"), ("Avg", "E3"): ("54.4", "54.3")}
    assert round(Fraction(401, 641), 2) == Fraction(63, 100)  # from the rounded rates
