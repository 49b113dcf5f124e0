from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.audit.value import Assessment, AuditReport
from replaylab.report.audit_text import plain
from tests.audit.files import OCCUBENCH, REPO, audited, occubench, table
from tests.published import TABLES, counts, needs_tables, rows


@pytest.fixture(scope="module")
def report() -> AuditReport:
    return occubench()


@pytest.fixture(scope="module")
def found(report: AuditReport) -> dict[str, Assessment]:
    return {one.id: one for one in report.assessments}


def test_exactly_one_cell_of_table_2_is_impossible_and_the_right_tasks_are_missing(
    found: dict[str, Assessment],
) -> None:
    bad = [name for name, one in found.items() if name.startswith("grim:t2 /") and one.outcome == "fails"]
    assert bad == ["grim:t2 / GPT-5.2 / edu"]
    assert found["grim:t2, the others"].reason.startswith("164 of 165 cells")
    assert found["grim:t2 / GPT-5.2 / edu"].explanation == "fits 24 of 31: 1 task left the denominator"
    row = found["pooled:t2 / GPT-5.2 / avg"]
    assert row.outcome == "fails"
    assert row.explanation.startswith(
        "fits if two tasks left the denominator: edu 24/31 and ind 46/54 (the only one of 3"
    )
    assert found["pooled:t2 / * / avg, the others"].reason.startswith("14 of 15 numbers follow")


def test_rates_were_rounded_half_to_even(found: dict[str, Assessment]) -> None:
    assert found["rounding_rule:t2"].found == "half to even"
    assert found["rounding_rule:t2"].numbers["half to even"] == 1
    assert found["rounding_rule:t2"].numbers["half away from zero"] == 8


def test_the_averages_of_industries_fit_fourteen_models_and_not_fifteen(found: dict[str, Assessment]) -> None:
    for name in ("mean:fig12 / * / average", "mean:fig12 / * / drawn"):
        assert found[name].outcome == "fails"
        assert (
            found[name].explanation == "all 10 fit without GPT-5.2 (the 14 others of 15), 0 with all of them"
        )
    assert (found["averages-over-15"].outcome, found["averages-over-14"].outcome) == ("fails", "holds")


@pytest.mark.parametrize(
    ("name", "follows"),
    [
        ("robustness:t3 / Kimi K2.5 / R", "0.6245"),
        ("mean:t3 / Avg / E3", "54.334"),
        ("decline-14-1", "14.165"),
        ("opus-drop-17-6", "17.539"),
        ("effort-opus-3-6", "3.665"),
    ],
)
def test_what_was_computed_from_rounded_cells_is_found(
    found: dict[str, Assessment], name: str, follows: str
) -> None:
    assert (found[name].outcome, found[name].found) == ("fails", follows)
    assert found[name].explanation.startswith("fits when computed from the rounded cells")


def test_agreement_and_its_rule_for_ties(found: dict[str, Assessment]) -> None:
    assert found["agreement-85-7"].reason.startswith("24 of 28 pairs")
    for pair in ("Gemini Flash, GPT-5.2", "Qwen 3.5 Plus, GPT-5.2"):
        one = found[f"agreement:fig8 / {pair} / agreement"]
        assert one.outcome == "holds"
        assert "1 tied: fits, tied pairs count as disagreement" in one.reason


@pytest.mark.parametrize(
    ("name", "outcome", "words"),
    [
        ("all-scenarios-have-tasks", "fails", "Industrial & Engineering: 12 and 11"),
        ("one-per-family", "fails", "8 different in 9 rows"),
        ("ablation-three-models", "fails", "2 rows"),
        ("lead-sci-gemini", "fails", "GPT-5.2 94"),
        ("lead-hlth-qwen", "fails", "Kimi K2.5"),
        ("qwen-agri-78", "fails", "says 77"),
        ("opus-best-three", "fails", "hlth 76"),
        ("faults-hurt-all-e1", "fails", "Gemini 3.1 Pro"),
        ("implicit-harder-than-explicit", "holds", "all 9"),
        ("implicit-harder-than-mixed", "fails", "4 of 9"),
        ("four-of-nine", "holds", "Claude Sonnet 4.6"),
        ("count-opus", "fails", "fc2 to fc3"),
        ("duration-qwen", "fails", "fd2 to fd3"),
        ("newer-is-better", "fails", "falls"),
        ("effort-gpt", "holds", "82.196"),
        ("effort-opus", "fails", "low to medium"),
        ("gap-gemini", "fails", "10.995 points"),
        ("qwen-beats-gpt-comm", "fails", "0.0625 to 0.359"),
        ("gpt-beats-gemini", "holds", "every pairing"),
        ("default-is-one-run", "holds", "all 3"),
        ("default-is-one-run-summary", "fails", "66.0"),
        ("four-disagreements", "fails", "10.2 apart"),
        ("one-fault-is-none", "undecided", "273/382"),
    ],
)
def test_claims_the_study_is_known_for(
    found: dict[str, Assessment], name: str, outcome: str, words: str
) -> None:
    assert found[name].outcome == outcome
    assert words in found[name].reason


def test_the_exact_tie_of_one_fault_and_none_is_seen_without_being_asked(
    found: dict[str, Assessment],
) -> None:
    ties = found["exact_tie:all tables"]
    assert ties.outcome == "undecided"
    assert any(
        "Claude Opus 4.6 / avg = fig4_text / Claude Opus 4.6 / fc1 = 273/382" in one
        for one in ties.numbers["ties"]
    )


def test_the_readme_shows_what_comes_out(report: AuditReport) -> None:
    readme = (REPO / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("checks of every table: ")[2].partition("```")[0]
    printed = plain(report)
    lines = [line for line in f"checks of every table: {shown}".splitlines() if line not in ("", "...")]
    assert len(lines) > 12
    assert [line for line in lines if line not in printed.splitlines()] == []


def test_the_same_report_comes_out_again(report: AuditReport) -> None:
    assert occubench().model_dump_json() == report.model_dump_json()


@needs_tables()
def test_the_file_has_the_published_numbers() -> None:
    from replaylab.audit.claims import load

    tables = load(OCCUBENCH).file.tables
    with (TABLES / "table2_e0_by_industry_wide.csv").open(encoding="utf-8") as file:
        assert {row[0]: tuple(row[1:]) for row in list(csv.reader(file))[1:]} == {
            name: cells[1:] for name, cells in tables["t2"].rows.items()
        }
    for row in rows("table3_robustness.csv"):
        cells = dict(zip(tables["t3"].columns, tables["t3"].rows[row["model"]], strict=True))
        assert (cells[row["env"]], cells["R"]) == (row["published_pct"], row["published_R"])
    for row in rows("table4_cross_simulator.csv"):
        name = row["simulator"].replace("Gemini-3-Flash-Preview", "Gemini Flash")
        cells = dict(zip(tables["t4"].columns, tables["t4"].rows[row["agent"]], strict=True))
        assert (cells[name], cells[f"{name} rank"]) == (row["published_pct"], row["published_rank"])
    for row in rows("fig12_industry_difficulty.csv"):
        assert tables["fig12"].rows[row["industry"]] == (
            row["abbr"],
            row["published_pct"],
            f"{float(row['bar_length_pct']):.3f}",
        )
    for row in rows("table1_industries.csv"):
        if row["abbr"] != "all":
            assert tables["data"].rows[row["industry"]] == (
                row["abbr"],
                row["scenarios_with_tasks"],
                row["n_tasks"],
            )


@needs_tables()
def test_the_counts_behind_the_cells_are_the_known_ones() -> None:
    from replaylab.audit.book import Book
    from replaylab.audit.claims import load

    book = Book(load(OCCUBENCH).file, "occubench.yaml")
    for key, (k, n) in counts().items():
        model, _, column = key.partition("|")
        cell = book.tables["t2"].cells[model, {"all": "avg"}.get(column, column)]
        assert k in (cell.counts(n) or []), key


CELLS = st.sampled_from(
    ["50", "62.5", "0", "100", "7", "-3", "", "-", "x", "33.3", "−0.5", "1e3", "99999", "0.00"]
)
HOW = [
    "mean",
    "pooled",
    "sum",
    "min",
    "max",
    "robustness",
    "difference",
    "ratio",
    "relative",
    "rank",
    "agreement",
]


@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=5),
    st.lists(st.sampled_from([None, 1, 16, 32]), min_size=3, max_size=3),
    st.sampled_from(["%", "points", "ratio", "count", "rank", "text"]),
    st.sampled_from(HOW),
)
def test_any_table_gets_an_answer(cells: list[list[str]], ns: list[int | None], unit: str, how: str) -> None:
    over = {"over": "a"} if how in ("robustness", "rank") else {}
    of = ["t / * / a", "t / * / b"] if how in ("agreement", "rank") else ["a", "b"]
    columns = {name: {"n": n} if n else {} for name, n in zip("abc", ns, strict=True)}
    columns["c"] = {"unit": unit, "computed": {"how": how, "of": of} | over}  # type: ignore[dict-item]
    rows = {f"r{at}": row for at, row in enumerate(cells)}
    summary = {"r0": {"how": "mean"}} if len(rows) > 2 else {}
    one = table(rows, columns, summary=summary, sorted={"by": "a"}, condition={"x": "y"})
    two = table(rows, {name: {"condition": {"k": name}} for name in "abc"}, bold={"a": ["r0"]})
    claims = (
        {"id": "1", "type": "argmax", "of": "u / r0 / *", "named": ["a"]},
        {"id": "2", "type": "differs", "a": "t / r0 / a", "b": "t / r0 / b"},
        {"id": "3", "type": "monotone", "cells": ["t / r0 / a", "t / r0 / b", "t / r0 / c"]},
        {"id": "4", "type": "universal", "table": "t", "condition": "a < b"},
        {"id": "5", "type": "unit", "value": "1", "unit": "%", "a": "t / r0 / a", "b": "t / r0 / b"},
        {"id": "6", "type": "exact_tie", "cells": ["t / r0 / a", "u / r0 / a"]},
        {"id": "7", "type": "cross_reference", "a": "t / * / a", "b": "u / * / a"},
    )
    if rows["r0"][0] not in ("", "-", "x", "1e3") and len(rows) < 3:
        report, found = audited({"t": one, "u": two}, *claims)
    else:
        report, found = audited({"t": one, "u": two}, *claims[1:6])
    assert len(found) == len(report.assessments)  # no two have one id


def test_an_empty_file_holds_and_what_is_undecided_is_no_failure() -> None:
    report, _ = audited({})
    assert report.ok
    report, _ = audited(
        {"t": table({"x": ["50"], "y": ["60"]}, {"a": {}})},
        {"id": "c", "type": "differs", "a": "t / x / a", "b": "t / y / a"},
    )
    assert (report.ok, report.counts()["undecided"]) == (True, 1)


def test_a_failure_is_a_finding_with_its_explanation() -> None:
    report, _ = audited({"t": table({"x": ["77"]}, {"a": {"n": 32}})})
    assert not report.ok
    first = report.all_findings()[0]
    assert (first.kind, first.observed, first.closest) == (
        "claim-grim",
        "77",
        "fits 24 of 31: 1 task left the denominator",
    )
