from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from replaylab.compare.cards import card, copied, grouped, names_of, violating
from replaylab.schema.model import ModelSettings
from replaylab.score.facts import Spent
from tests.compare.made import answer, report, violation


def test_a_call_counts_once_however_much_is_wrong_with_it() -> None:
    several = [
        violation(3),
        violation(3, "fabrication", critical=True),
        violation(3, "fabrication"),
        violation(5),
    ]
    found = card("a", [answer("a", "s1", calls=20, checkable=8, found=several)], {})
    assert (found.share.k, found.share.n, found.calls, found.checkable) == (2, 8, 20, 8)
    assert (found.critical.k, found.critical.n) == (1, 8)
    by_kind = {one.kind: (one.share.k, one.violations, one.critical) for one in found.kinds}
    assert by_kind == {
        "fabrication": (1, 2, 1),
        "omission": (2, 2, 0),
        "rule_invention": (0, 0, 0),
        "contradiction": (0, 0, 0),
    }


def test_each_kind_is_out_of_the_calls_that_could_be_checked_for_it() -> None:
    one = answer("a", "s1", report=report(20, 9, [violation(1)], {"omission": 4, "rule_invention": 0}))
    found = {kind.kind: kind for kind in card("a", [one, one], {}).kinds}
    assert (found["omission"].share.k, found["omission"].share.n, found["omission"].calls) == (2, 8, 40)
    assert found["omission"].why_not == {"nothing to see": 32}
    assert found["rule_invention"].share.value is None


def test_industries_are_told_apart() -> None:
    care = answer("a", "s1", found=[violation(1)], industry="Healthcare & Life Sciences")
    found = card("a", [care, answer("a", "s2")], {}).industries
    assert {name: (share.k, share.n) for name, share in found.items()} == {
        "Healthcare & Life Sciences": (1, 10),
        "Technology & IT": (0, 10),
    }


def test_kinds_of_evidence_and_models_are_never_put_together() -> None:
    other = ModelSettings(alias="a", model="vendor/other")
    played = ModelSettings(alias="a", model="vendor/other", player="program")
    trials = [
        answer("a", "s1", evidence="authored"),
        answer("a", "s1"),
        answer("a", "s1", model=other),
        answer("a", "s1", model=played),
    ]
    groups = grouped(trials)
    names = names_of(groups)
    assert [(who[0], names[who]) for who in groups] == [
        ("recorded", "a (vendor/a)"),
        ("recorded", "a (vendor/other), llm"),
        ("recorded", "a (vendor/other), program"),
        ("authored", "a"),
    ]


def test_copied_answers_count_where_they_were_recorded() -> None:
    trials = [answer("a", "s1"), answer("a", "s1", source="f" * 64, mode="rejudge")]
    assert copied(trials) == 1
    assert [len(some) for some in grouped(trials).values()] == [1]


def test_money_is_exact_and_an_unknown_price_is_no_price_of_nothing() -> None:
    one = answer("a", "s1", calls=10)
    assert card("a", [one], {}).price.usd is None
    assert "no price is known" in card("a", [one], {}).price.why
    price = card("a", [one, one], {"a": (Decimal(3), Decimal(7), None)}).price
    assert price.usd == str(Fraction(2 * (1000 * 3 + 10 * 7), 1_000_000))
    assert price.per_call == float(Fraction(2 * (1000 * 3 + 10 * 7), 1_000_000) / 20)


def test_what_was_not_recorded_here_has_no_cost_here() -> None:
    one = answer("a", "s1", evidence="imported", model=ModelSettings(alias="a", model="m", player="program"))
    assert (card("a", [one], {}).price.usd, card("a", [one], {}).price.per_call) == (None, None)


def test_latency_is_the_median_of_what_was_timed() -> None:
    timed = answer("a", "s1", latencies=(100.0, 0.0, 300.0, 900.0))
    found = card("a", [timed], {})
    assert (found.latency_ms, found.timed) == (300.0, 3)
    assert card("a", [answer("a", "s1", latencies=(0.0,))], {}).latency_ms is None


def test_a_trial_that_it_broke_off_is_counted_beside_violations() -> None:
    broken = answer(
        "a", "s1", calls=1, checkable=0, termination="simulator_error", spent=Spent(calls=3, attempts=3)
    )
    found = card("a", [broken, answer("a", "s2")], {})
    assert (found.broke, found.trials, found.share.n, found.price.asked) == (1, 2, 10, 13)


def test_calls_are_counted_by_scenario_or_by_task() -> None:
    trials = [answer("a", "s1", task=task, found=[violation(0)]) for task in (0, 1)]
    assert violating(trials) == {("s1",): (2, 20)}
    assert violating(trials, by_task=True) == {("s1", "s1-0"): (1, 10), ("s1", "s1-1"): (1, 10)}
