from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.errors import UsageError
from replaylab.score.gate import Decision, Rule, decide, read_gate
from replaylab.score.stats.interval import clustered
from replaylab.score.value import Selector
from tests.score.studies import scenario, study

HEALTH = "Healthcare & Life Sciences"
SCENARIOS = {"s1": scenario("s1", HEALTH), "s2": scenario("s2", HEALTH), "s3": scenario("s3")}
STUDY = study(
    {
        "ann": {"s1": "pppp", "s2": "pppf", "s3": "ff"},
        "ann|E1": {"s1": "ppff", "s2": "pppf", "s3": "ff"},
        "ann|E2": {"s1": "pppf", "s2": "ppff", "s3": "ff"},
        "ann|E3": {"s1": "pppf", "s2": "pppf", "s3": "ff"},
        "bob": {"s1": "pfff", "s2": "ffff", "s3": "me"},
    },
    scenarios=SCENARIOS,
)


def one(**rule: Any) -> Decision:
    (decision,) = decide(STUDY, [Rule(name="r", **{"agent": "ann"} | rule)])
    return decision


def test_the_lower_bound_decides_by_default_and_the_value_where_it_is_named() -> None:
    low = clustered([[1, 1, 1, 1], [1, 1, 1, 0]]).low
    assert 0 < low < 0.8
    assert one(industry="hlth", at_least=0.8).outcome == "fail"
    assert one(industry="hlth", at_least=0.8, bound="value").outcome == "pass"
    assert one(industry="hlth", at_least=0.8).observed == pytest.approx(low)
    assert one(industry=HEALTH, at_least=low - 1e-9).outcome == "pass"


def test_an_upper_limit_fails_what_lies_above_it() -> None:
    assert one(bound="value", at_most=0.6).outcome == "fail"
    assert one(bound="value", at_most=0.7).outcome == "pass"
    assert one(bound="high", at_most=0.7).outcome == "fail"


def test_by_default_an_upper_limit_is_held_against_the_upper_bound() -> None:
    high = clustered([[1, 1, 1, 1], [1, 1, 1, 0]]).high
    assert one(industry="hlth", at_most=0.9).outcome == "fail"
    assert one(industry="hlth", at_most=0.9).bound == "high"
    assert one(industry="hlth", at_most=0.9).observed == pytest.approx(high)
    assert one(industry="hlth", at_most=0.9, bound="value").outcome == "pass"


def test_of_two_limits_each_has_its_worse_end() -> None:
    both = {"industry": "hlth", "at_least": 0.01}
    assert one(**both, at_most=1.0).outcome == "pass"
    assert "upper bound" in one(**both, at_most=0.9).reason
    assert "lower bound" in one(industry="hlth", at_least=0.8, at_most=1.0).reason
    assert one(**both, at_most=1.0).reason.count("bound") == 2


def test_a_rule_looks_at_the_fault_plan_that_it_names() -> None:
    decision = one(industry="hlth", faults="E2", bound="value", at_least=0.6)
    assert decision.value == pytest.approx(5 / 8)
    assert decision.trials == (
        Selector(agent="ann", simulator="sim", verifier="judge", faults="E2", industry=HEALTH),
    )


def test_without_an_agent_every_agent_is_decided_and_a_difference_leaves_out_its_other_side() -> None:
    decisions = decide(STUDY, [Rule(name="r", at_least=0.1, bound="value")])
    assert [(one.agent, one.outcome) for one in decisions] == [("ann", "pass"), ("bob", "pass")]
    (alone,) = decide(STUDY, [Rule(name="r", measure="difference", against="ann", at_least=0, bound="value")])
    assert (alone.agent, alone.outcome) == ("bob", "fail")
    assert alone.value == pytest.approx(1 / 10 - 7 / 10)


def test_robustness_is_the_worst_of_e1_to_e3_over_e0() -> None:
    decision = one(measure="R", bound="value", at_least=0.7)
    assert decision.value == pytest.approx(5 / 7)
    assert decision.outcome == "pass"
    assert decision.interval is not None
    assert one(measure="R", agent="bob", at_least=0.1).outcome == "undecided"


@pytest.mark.parametrize("trials", [{"s1": "pppp"}, {"s1": "pp", "s2": "pp", "s3": "pp"}])
def test_robustness_without_any_spread_is_no_certainty(trials: dict[str, str]) -> None:
    """Of one scenario, or of scenarios that are all alike, every resample is the same."""
    alike = study({"ann" + plan: trials for plan in ("", "|E1", "|E2", "|E3")}, scenarios=SCENARIOS)
    (decision,) = decide(alike, [Rule(name="r", agent="ann", measure="R", at_least=0.5)])
    assert (decision.outcome, decision.value, decision.interval) == ("undecided", 1.0, None)
    assert "no interval" in decision.reason


def test_errors_and_missing_trials_have_measures_of_their_own() -> None:
    assert one(agent="bob", measure="error_rate", bound="value", at_most=0.05).outcome == "fail"
    assert one(agent="bob", measure="missing_rate", bound="value", at_most=0.1).outcome == "pass"
    assert one(agent="bob", measure="missing_rate", bound="value", at_most=0.1).value == pytest.approx(0.1)


@pytest.mark.parametrize(
    "rule",
    [
        {"agent": "bob", "faults": "E1", "at_least": 0.0},
        {"agent": "bob", "scenario": "s3", "at_least": 0.0},
        {"agent": "bob", "at_least": 0.0, "least_trials": 9},
    ],
)
def test_what_nobody_can_know_is_undecided_and_never_passed(rule: dict[str, Any]) -> None:
    decision = one(**rule)
    assert decision.outcome == "undecided"
    assert decision.reason


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("agent", "anne"),
        ("faults", "E9"),
        ("industry", "Health"),
        ("scenario", "s9"),
        ("sim", "x"),
        ("verifier", "x"),
    ],
)
def test_a_name_that_matches_nothing_is_an_error_and_not_a_pass(field: str, value: str) -> None:
    with pytest.raises(UsageError, match=value):
        one(**{field: value, "at_least": 0.0})


def test_a_file_is_read_and_what_is_wrong_in_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text('[[rule]]\nname = "a"\nagent = "ann"\nat_least = 0.5\nbound = "value"\n')
    (decision,) = decide(STUDY, read_gate(path).rule)
    assert decision.outcome == "pass"
    for text, named in (
        ('[[rule]]\nname = "a"\nat_last = 1\n', "at_last"),
        ('[[rule]]\nname = "a"\n', "at_least or at_most"),
        ('[[rule]]\nname = "a"\nat_least = 60\n', "less than or equal to 1"),
        ('[[rule]]\nname = "a"\nmeasure = "difference"\nat_least = 0\n', "against"),
        ("rule = 1\n", "rule"),
        ("", "rule"),
        ("[[rule", "no TOML"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=named):
            read_gate(path)
    with pytest.raises(UsageError, match="can't be read"):
        read_gate(tmp_path / "none.toml")


@pytest.mark.parametrize("agents", [{"ann": {"s1": "pp"}}, {"ann": {"s1": "pp"}, "ann|E1": {"s1": "ff"}}])
def test_a_difference_that_nobody_is_left_for_is_undecided(agents: dict[str, dict[str, str]]) -> None:
    alone = study(agents, scenarios=SCENARIOS)
    (decision,) = decide(alone, [Rule(name="r", measure="difference", against="ann", at_least=-1)])
    assert (decision.outcome, decision.reason) == ("undecided", "the study has no agent but ann")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ("at_least = true", "valid number"),
        ('at_least = "0.5"', "valid number"),
        ("at_least = nan", "less than or equal to 1"),
        ("at_least = 0.5\nleast_trials = true", "valid integer"),
        (f"at_least = 0.5\nleast_trials = {10**60}", "less than or equal"),
        (f"at_least = {'9' * 5000}", "too long"),
        ("at_least = 0.9\nat_most = 0.1", "nothing can hold"),
        ('measure = "R"\nfaults = "E1"\nat_least = 0.1', "takes no faults"),
        ('measure = "difference"\nagent = "a"\nagainst = "a"\nat_least = 0.1', "one agent"),
        ('at_least = 0.1\n[[rule]]\nname = "r"\nat_most = 0.1', "two rules are called 'r'"),
        (f"at_least = 0.1\nx = {'[' * 5000}", "too deep"),
    ],
)
def test_a_rule_that_can_not_mean_what_it_says_is_refused(tmp_path: Path, fields: str, says: str) -> None:
    (tmp_path / "gate.toml").write_text(f'[[rule]]\nname = "r"\n{fields}\n')
    with pytest.raises(UsageError, match=says) as refused:
        read_gate(tmp_path / "gate.toml")
    assert refused.value.where.startswith(str(tmp_path / "gate.toml"))


def test_whole_shares_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text('\ufeff[[rule]]\nname = "r"\nat_least = 1\n', encoding="utf-8")
    assert read_gate(tmp_path / "gate.toml").rule == (Rule(name="r", at_least=1.0),)
