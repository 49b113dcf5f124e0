from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from replaylab.derive.taxonomy import Failure
from replaylab.score.facts import Study
from replaylab.score.tables.taxonomy import KINDS, build, why_not
from replaylab.score.value import Selector
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, text, texts


def labelled(conditions: Mapping[str, tuple[str, ...]], labels: tuple[tuple[str, ...], ...]) -> Study:
    """Failures of the trials in order, one scenario a condition."""
    given = iter(labels)
    return study(
        {name: {"s": "".join(letters)} for name, letters in conditions.items()},
        more=lambda key, outcome: {"failures": next(given)},
    )


def mixed() -> Study:
    return labelled(
        {"ann": ("f", "f", "p"), "bob": ("f", "e"), "ann|E1": ("f",)},
        (
            ("order_error", "tool_misuse"),
            ("tool_misuse",),
            (),
            ("unclassified",),
            ("infrastructure_error",),
            ("accepted_degraded_data",),
        ),
    )


def test_each_kind_has_a_column_in_the_order_of_the_taxonomy() -> None:
    table = build(mixed(), "full")
    assert table is not None
    assert keys(table) == ["agent", "failed", *get_args(Failure)]
    assert get_args(Failure) == KINDS


def test_a_trial_counts_once_in_each_kind_over_all_fault_plans() -> None:
    table = build(mixed(), "full")
    kinds = ("failed", "order_error", "tool_misuse", "accepted_degraded_data", "unclassified")
    assert texts(table, "agent", *kinds) == [
        ["ann", "3", "1", "2", "1", "0"],
        ["bob", "1", "0", "0", "0", "1"],
    ]


def test_a_kind_named_twice_in_a_trial_counts_once() -> None:
    table = build(labelled({"ann": ("f",)}, (("tool_misuse", "tool_misuse"),)), "full")
    assert text(table, "ann", "tool_misuse") == "1"


def test_errors_are_infrastructure_and_not_failed() -> None:
    table = build(mixed(), "full")
    assert (text(table, "bob", "failed"), text(table, "bob", "infrastructure_error")) == ("1", "1")
    assert cell(table, "bob", "infrastructure_error").trials == (
        Selector(agent="bob", simulator="sim", verifier="judge", outcome="error"),
    )
    assert cell(table, "bob", "failed").trials[0].outcome == "fail"


def test_agents_that_lack_a_plan_are_named() -> None:
    assert "bob did not play under E1." in notes(build(mixed(), "full"))


def test_a_kind_that_later_versions_add_has_a_column_at_the_end() -> None:
    table = build(labelled({"ann": ("f",)}, (("a_new_kind",),)), "full")
    assert table is not None
    assert keys(table)[-1] == "a_new_kind"


def test_an_agent_without_any_reason_has_no_numbers() -> None:
    made = labelled({"ann": ("f",), "bob": ("f", "p"), "cat": ("p",)}, (("tool_misuse",), (), (), ()))
    table = build(made, "full")
    shown = cell(table, "bob", "tool_misuse")
    assert (shown.text, shown.value, shown.note) == ("", None, "no reason is known for any of its trials")
    assert text(table, "bob", "failed") == "1"
    assert text(table, "cat", "tool_misuse") == "0"


def test_failed_trials_without_a_reason_are_counted() -> None:
    made = labelled({"ann": ("f", "f")}, (("tool_misuse",), ()))
    assert cell(build(made, "full"), "ann", "failed").note == "1 failed trial says no reason"


def test_where_nothing_failed_or_nothing_says_why_there_is_no_table() -> None:
    passed = study({"ann": {"s": "p"}})
    assert build(passed, "full") is None
    assert why_not(passed) == "no trial failed"
    assert why_not(study({"ann": {"s": "fe"}})) == "none of the 2 failed and errored trials says why"
