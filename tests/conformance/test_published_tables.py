"""The published tables, rebuilt by `score` from authored cassettes that have exactly the published counts.

Where exact arithmetic on the counts doesn't give the published value, the cell stands in a list here, with what it gives.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from replaylab.cli.main import run
from replaylab.score.rounding import decimal, percent
from tests import published

pytestmark = published.needs_tables()

# (agent, fault plan or "R") -> (published, what the counts give). The study averaged rates that it had rounded before.
T3_DIFFERS: dict[tuple[str, str], tuple[str, str]] = {
    ("Avg", "E3"): ("54.4", "54.3"),
    ("Kimi K2.5", "R"): ("0.63", "0.62"),
}
T2_DIFFERS: dict[tuple[str, str], tuple[str, str]] = {}
T4_DIFFERS: dict[tuple[str, str], tuple[str, str]] = {}

Tables = dict[str, list[dict[str, str]]]


# One whose R is listed below, and one that is not. The soak has all.
SOME = ("Kimi K2.5", "Claude Opus 4.6")


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The document of one score over the three runs together, of which two agents meet faults."""
    return document_of(tmp_path_factory.mktemp("published"), SOME)


def document_of(root: Path, disturbed_agents: tuple[str, ...] = ()) -> dict[str, Any]:
    """The document of one score over the three runs together, declared denominators included."""
    published.write(root / "library", disturbed_agents)
    declared = root / "declared.json"
    declared.write_text(json.dumps(published.declared()))
    out = root / "out.json"
    with pytest.MonkeyPatch.context() as patch, out.open("w", encoding="utf-8") as stdout:
        patch.chdir(root)
        patch.setattr("sys.stdout", stdout)
        code = run(
            [
                "--library",
                str(root / "library"),
                "score",
                *("e0", "faults", "simulators"),
                *("--declare", str(declared), "--print-only", "--draws", "999", "--json"),
            ]
        )
    document: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert code in (0, 1)
    return document


def table(scored: dict[str, Any], name: str, layout: str = "paper") -> list[dict[str, dict[str, Any]]]:
    """The rows of a table, cells by column key."""
    (found,) = [one[layout] for one in scored["tables"] if one["id"] == name]
    keys = [column["key"] for column in found["columns"]]
    return [dict(zip(keys, row, strict=True)) for row in found["rows"]]


def texts(rows: list[dict[str, dict[str, Any]]]) -> list[dict[str, str]]:
    return [{key: cell["text"] for key, cell in row.items()} for row in rows]


def test_authored_cassettes_are_said_to_be_authored_and_nothing_else_is_beside_them(
    scored: dict[str, Any],
) -> None:
    assert scored["evidence"] == "authored"
    assert scored["apart"] == []
    assert any("uthored" in notice for notice in scored["notices"])


def test_every_cell_of_the_table_by_industry_is_the_published_one(scored: dict[str, Any]) -> None:
    rebuilt = {row["agent"]: row for row in texts(table(scored, "industries"))}
    wide = published.rows("table2_e0_by_industry_wide.csv")
    differs = {
        (row["model"], key): (row[key], rebuilt[row["model"]][key])
        for row in wide
        for key in ("avg", *published.KEYS)
        if rebuilt[row["model"]][key] != row[key]
    }
    assert differs == T2_DIFFERS
    assert [name for name in rebuilt if name in published.agents()] == _in_order(wide)


def _in_order(wide: tuple[dict[str, str], ...]) -> list[str]:
    """By pooled counts, ties by name."""
    passed = {row["model"]: published.counts()[f"{row['model']}|all"][0] for row in wide}
    return sorted(passed, key=lambda name: (-passed[name], name))


def test_every_declared_denominator_is_named_below_the_table(scored: dict[str, Any]) -> None:
    (found,) = [one["paper"] for one in scored["tables"] if one["id"] == "industries"]
    notes = " ".join(found["notes"])
    assert published.declared()
    for key, number in published.declared().items():
        agent, _, column = key.partition("|")
        assert agent in notes
        assert column in notes.lower()
        assert str(number) in notes


def test_the_rows_of_the_table_by_fault_plan_are_the_published_ones_or_listed(scored: dict[str, Any]) -> None:
    assert differing(scored, SOME) == {key: cells for key, cells in T3_DIFFERS.items() if key[0] in SOME}


@pytest.mark.soak
def test_every_cell_of_the_table_by_fault_plan_is_the_published_one_or_listed(tmp_path: Path) -> None:
    names = {row["model"] for row in published.rows("table3_robustness.csv")}
    scored = document_of(tmp_path)
    assert differing(scored, tuple(names)) == T3_DIFFERS
    assert {row["agent"] for row in texts(table(scored, "faults"))} == names


def differing(scored: dict[str, Any], names: tuple[str, ...]) -> dict[tuple[str, str], tuple[str, str]]:
    """The cells of these rows that are not the published ones: (published, rebuilt)."""
    rebuilt = {row["agent"]: row for row in texts(table(scored, "faults"))}
    differs = {}
    for row in published.rows("table3_robustness.csv"):
        if row["model"] not in names:
            continue
        for column, cell in ((row["env"], row["published_pct"]), ("R", row["published_R"])):
            found = rebuilt[row["model"]][column]
            if found != cell:
                differs[row["model"], column] = (cell, found)
    return differs


def test_every_rate_and_rank_under_each_simulator_is_the_published_one(scored: dict[str, Any]) -> None:
    rebuilt = {row["agent"]: row for row in texts(table(scored, "simulators"))}
    differs = {}
    for row in published.rows("table4_cross_simulator.csv"):
        mine = rebuilt[row["agent"]]
        for column, cell in (
            (row["simulator"], row["published_pct"]),
            (f"{row['simulator']}_rank", row["published_rank"]),
        ):
            if mine[column] != cell:
                differs[row["agent"], column] = (cell, mine[column])
    assert differs == T4_DIFFERS


def test_the_agreement_of_simulators_is_the_published_one(scored: dict[str, Any]) -> None:
    rebuilt = {
        frozenset((row["a"]["text"], row["b"]["text"])): row for row in table(scored, "agreement", "full")
    }
    for row in published.rows("fig8_pairwise_agreement.csv"):
        found = rebuilt[frozenset((row["sim_a"], row["sim_b"]))]
        assert found["agreement"]["text"] == row["published_pct"]
        assert (found["concordant"]["text"], found["pairs"]["text"]) == (row["pairs_of_28"], "28")


def test_the_lists_of_differing_cells_follow_from_the_counts() -> None:
    """What the lists say is arithmetic on the published counts, not what the code happens to print."""
    rows = [row for row in published.rows("table3_robustness.csv") if row["model"] != "Avg"]
    rates = {(row["model"], row["env"]): Fraction(int(row["k_recovered"]), int(row["n"])) for row in rows}
    models = list(dict.fromkeys(row["model"] for row in rows))
    r = {name: min(rates[name, env] for env in published.FAULTS[1:]) / rates[name, "E0"] for name in models}
    for (model, column), (_, gives) in T3_DIFFERS.items():
        if model == "Avg" and column != "R":
            mean = sum((rates[name, column] for name in models), Fraction(0)) / len(models)
            assert percent(mean, 1) == gives
        elif model == "Avg":
            assert decimal(sum(r.values(), Fraction(0)) / len(r), 2) == gives
        else:
            assert (decimal(r[model], 2) if column == "R" else percent(rates[model, column], 1)) == gives
    assert not T2_DIFFERS
    assert not T4_DIFFERS


def test_the_tasks_are_those_of_the_published_data() -> None:
    assert sum(published.sizes().values()) == 382
    assert len({one.scenario.id for found in published.tasks().values() for one in found}) == 98
