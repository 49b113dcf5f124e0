from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from replaylab.score.facts import Study
from replaylab.score.tables.judge import build, why_not
from replaylab.score.value import Selector
from tests.score.studies import study
from tests.score.tables.look import cell, notes, text, texts

WORDS = {"p": "pass", "f": "fail", "e": "error"}
RC11 = ("ppp", "ppf", "fff", "pff", "ppp", "ffp", "ppp", "fff", "ppp", "fpp")


def majority(votes: str) -> str:
    passed, failed = votes.count("p"), votes.count("f")
    return "p" if passed > failed else "f" if failed > passed else "e"


def voted(conditions: Mapping[str, tuple[str, ...]], judged_by: str = "votes", **fields: Any) -> Study:
    """One scenario a task; outcomes follow from the votes, or pass where there are none."""
    rows = iter([votes for given in conditions.values() for votes in given])

    def more(key: object, outcome: object) -> dict[str, Any]:
        return {"votes": tuple(WORDS[letter] for letter in next(rows)), "judged_by": judged_by}

    letters = {
        name: {f"s{number}": majority(votes) if votes else "p" for number, votes in enumerate(given)}
        for name, given in conditions.items()
    }
    return study(letters, more=more, **fields)


def test_the_reference_case_of_ten_trials() -> None:
    table = build(voted({"ann": RC11}), "full")
    assert texts(table, "verifier", "trials", "votes", "split", "split_rate", "vote_errors", "tied") == [
        ["judge", "10", "30", "4", "40.0", "0", "0"]
    ]
    assert cell(table, "judge", "kappa").value == pytest.approx(0.4444444444)
    assert cell(table, "judge", "alpha").value == pytest.approx(0.462962963)
    error = (1 - (1 - 4 * 0.4 / 3) ** 0.5) / 2
    assert cell(table, "judge", "flip").value == pytest.approx(100 * (3 * error**2 - 2 * error**3))
    correlated = cell(table, "judge", "flip_correlated").value
    assert correlated > cell(table, "judge", "flip").value


def test_error_votes_are_counted_apart_and_never_as_failed() -> None:
    table = build(voted({"ann": ("ppe", "pfe", "eee", "fff", "ppf")}), "full")
    assert texts(table, "votes", "split", "split_rate", "vote_errors", "tied") == [
        ["15", "2", "50.0", "5", "1"]
    ]
    assert "never as failed" in notes(table)
    # fff and ppf are complete: seen agreement (1 + 1/3) / 2, chance (16 + 4) / 36.
    assert cell(table, "judge", "kappa").value == pytest.approx((2 / 3 - 20 / 36) / (1 - 20 / 36))
    assert cell(table, "judge", "kappa").note == "over the 2 trials of which every vote is valid"


def test_the_split_rate_has_an_interval_by_scenario() -> None:
    shown = cell(build(voted({"ann": RC11, "bob": RC11}), "full"), "judge", "split_rate")
    assert shown.interval is not None
    assert shown.interval.low < 40 < shown.interval.high
    # Both agents part on the same tasks, so twenty trials are worth ten.
    alone = cell(build(voted({"ann": RC11}), "full"), "judge", "split_rate").interval
    assert alone is not None
    assert shown.interval.high - shown.interval.low == pytest.approx(alone.high - alone.low, rel=0.01)


def test_the_share_of_orders_that_survive() -> None:
    made = voted({"ann": ("ppf",), "bob": ("fff",)}, draws=20_000)
    shown = cell(build(made, "full"), "judge", "survive")
    assert shown.value == pytest.approx(100 * 20 / 27, abs=1)
    assert shown.note == "1 of 1 pair of agents has an order"
    assert cell(build(made, "full"), "judge", "survive") == shown


def test_another_seed_draws_other_votes() -> None:
    given = {"ann": ("ppf",) * 9, "bob": ("pff",) * 4 + ("ppf",) * 5}
    shown = {cell(build(voted(given, seed=seed), "full"), "judge", "survive").value for seed in (1, 2, 3)}
    assert len(shown) > 1


def test_equal_agents_and_one_agent_have_no_order() -> None:
    equal = cell(build(voted({"ann": ("ppf",), "bob": ("ppf",)}), "full"), "judge", "survive")
    assert (equal.text, equal.note) == ("", "the rates of all agents are equal, so there is no order to keep")
    alone = cell(build(voted({"ann": ("ppf",)}), "full"), "judge", "survive")
    assert (alone.text, alone.note) == ("", "one agent alone has no order")


def test_one_vote_a_trial_says_nothing_of_splits_and_it_is_said() -> None:
    table = build(voted({"ann": ("p", "f"), "bob": ("p", "p")}), "full")
    assert texts(table, "trials", "votes", "vote_errors") == [["4", "4", "0"]]
    for key in ("split", "split_rate", "kappa", "alpha", "flip", "flip_correlated", "survive"):
        shown = cell(table, "judge", key)
        assert (shown.text, shown.value) == ("", None)
        assert shown.note == "no trial has two valid votes, so no two can be compared"


def test_trials_judged_by_checks_alone_are_named_with_the_reason() -> None:
    table = build(voted({"ann": ("ppp", ""), "bob": ("ppp", "")}, judged_by="checks"), "full")
    assert text(table, "judge", "trials") == "2"
    assert "judge: 2 trials without votes (judged by checks alone)." in notes(table)


def test_a_verifier_without_votes_has_no_numbers_and_says_why() -> None:
    made = voted({"ann": ("ppp",), "ann|E0|sim|checker": ("",)}, judged_by="checks")
    table = build(made, "full")
    assert text(table, "checker", "trials") == "0"
    assert text(table, "checker", "split_rate") == ""
    assert cell(table, "checker", "split_rate").note == "nobody voted: judged by checks alone"


def test_no_votes_at_all_are_no_table() -> None:
    made = voted({"ann": ("", "")}, judged_by="checks")
    assert build(made, "full") is None
    assert why_not(made) == (
        "no trial holds a vote, so nothing can be said of judges (2 judged by checks alone)"
    )


def test_votes_that_always_say_the_same_have_no_kappa() -> None:
    table = build(voted({"ann": ("ppp", "ppp")}), "full")
    for key in ("kappa", "alpha"):
        assert text(table, "judge", key) == ""
        assert "all votes say the same" in cell(table, "judge", key).note
    assert text(table, "judge", "flip") == "0.0"


def test_each_verifier_has_a_row_under_the_same_condition() -> None:
    conditions = {
        "ann": ("ppp",),
        "ann|E0|sim|strict": ("pff",),
        "ann|E1": ("ppf",),
        "ann|E0|other": ("ppf",),
    }
    table = build(voted(conditions), "full")
    assert texts(table, "verifier", "trials", "split") == [["judge", "1", "0"], ["strict", "1", "1"]]
    assert cell(table, "strict", "split").trials == (
        Selector(simulator="sim", verifier="strict", faults="E0"),
    )
