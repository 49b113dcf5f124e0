from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.errors import UsageError
from replaylab.score.cells import (
    Rate,
    by_value,
    decimal_cell,
    empty,
    fraction_cell,
    groups,
    in_points,
    mark_best,
    mean,
    means_of,
    number_cell,
    outcomes,
    p_cell,
    p_text,
    plural,
    rate,
    rate_cell,
    rate_of,
    share_cell,
    task_means,
    text_cell,
)
from replaylab.score.facts import Study
from replaylab.score.slices import slices
from replaylab.score.stats.interval import clustered, exact, wilson
from replaylab.score.value import Count, Denominator, Selector
from tests.score.studies import Outcomes, study

ANN = Selector(agent="ann", simulator="sim", verifier="judge", faults="E0")


def of(outcomes: dict[str, Outcomes], **fields: Any) -> Study:
    return study({"ann": outcomes}, **fields)


def found(held: Study, column: str = "all") -> Rate:
    return rate(slices(held), ANN, column)


def test_planned_counts_errors_and_missing_trials_in_the_denominator_and_not_as_failed() -> None:
    one = found(of({"s1": "ppf", "s2": "pem"}))
    assert (one.value, one.passed, one.whole) == (Fraction(3, 6), 3, 6)
    assert one.counted == Count(passed=3, failed=1, error=1, missing=1)


def test_decided_leaves_errors_and_missing_trials_out() -> None:
    one = found(of({"s1": "ppf", "s2": "pem"}, denominator="decided"))
    assert (one.value, one.passed, one.whole, one.tasks) == (Fraction(3, 4), 3, 4, 4)
    assert one.counted == Count(passed=3, failed=1, error=1, missing=1)


@pytest.mark.parametrize("denominator", ["planned", "decided"])
def test_worst_and_best_case_take_every_open_trial_for_failed_and_for_passed(
    denominator: Denominator,
) -> None:
    one = found(of({"s1": "ppf", "s2": "pem"}, denominator=denominator))
    assert (one.worst, one.best) == (Fraction(3, 6), Fraction(5, 6))


def test_without_open_trials_worst_and_best_are_the_rate() -> None:
    one = found(of({"s1": "ppf"}, denominator="decided"))
    assert one.worst == one.best == one.value == Fraction(2, 3)


def test_trials_that_nobody_judged_are_in_no_denominator() -> None:
    one = found(of({"s1": "pfuu"}))
    assert (one.value, one.whole, one.worst, one.best) == (Fraction(1, 2), 2, Fraction(1, 2), Fraction(1, 2))
    none = found(of({"s1": "uu"}))
    assert (none.value, none.worst, none.best, none.interval) == (None, None, None, None)


def test_repeats_are_averaged_by_task_first() -> None:
    means = task_means(of({"s1": ["ppp", "pff"], "s2": ["eep"]}).trials, "planned")
    assert means == {("s1", "s1-0"): 1, ("s1", "s1-1"): Fraction(1, 3), ("s2", "s2-0"): Fraction(1, 3)}
    assert groups(means) == [[1.0, 1 / 3], [1 / 3]]


def test_a_task_counts_once_however_often_it_was_played() -> None:
    """One task passed in 9 of 9 trials and three that failed once are 1/4 and not 9/12."""
    one = found(of({"s1": ["p" * 9, "f", "f", "f"]}))
    assert one.value == Fraction(1, 4)
    assert (one.passed, one.whole, one.tasks) == (9, 12, 4)
    cell = rate_cell(one, ANN)
    assert cell.text == "25.0"
    assert "not k/n" in cell.note


def test_repeats_are_no_further_tasks_for_the_interval() -> None:
    once = found(of({"s1": "pf", "s2": "pp", "s3": "f"}))
    thrice = found(of({"s1": ["ppp", "fff"], "s2": ["ppp", "ppp"], "s3": ["fff"]}))
    assert once.interval == thrice.interval
    assert (thrice.passed, thrice.whole, thrice.tasks) == (9, 15, 5)


def test_a_decided_repeat_is_averaged_over_what_was_decided() -> None:
    means = task_means(of({"s1": ["pe", "em", "fm"]}).trials, "decided")
    assert means == {("s1", "s1-0"): 1, ("s1", "s1-2"): 0}


@given(
    outcomes=st.lists(st.text("pfem", min_size=1, max_size=5), min_size=1, max_size=5),
    denominator=st.sampled_from(["planned", "decided"]),
)
def test_with_one_trial_a_task_the_rate_is_k_over_n(outcomes: list[str], denominator: Denominator) -> None:
    one = found(of({f"s{n}": text for n, text in enumerate(outcomes)}, denominator=denominator))
    letters = "".join(outcomes)
    whole = len(letters) if denominator == "planned" else letters.count("p") + letters.count("f")
    assert one.value == (Fraction(letters.count("p"), whole) if whole else None)
    assert one.worst == Fraction(letters.count("p"), len(letters))
    assert one.best == 1 - Fraction(letters.count("f"), len(letters))
    assert one.worst == one.counted.worst
    assert one.best == one.counted.best
    if one.value is not None and one.interval is not None:
        assert 0 <= one.interval.low <= one.value <= one.interval.high <= 1


def test_clusters_are_scenarios() -> None:
    one = found(of({"s1": "pppp", "s2": "ffff", "s3": "ppff"}))
    assert one.interval == clustered([[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]])
    assert one.scenarios == 3
    assert one.interval.high - one.interval.low > wilson(6, 12).high - wilson(6, 12).low


def test_all_passed_has_the_exact_interval_and_says_that_clusters_are_ignored() -> None:
    cell = rate_cell(found(of({"s1": "ppp", "s2": "pp"})), ANN)
    assert cell.interval is not None
    assert (cell.interval.low, cell.interval.high) == (100 * exact(5, 5).low, 100.0)
    assert "clusters ignored" in cell.note


# ------------------------------------------------------------------------------- declared denominators


def test_a_declared_denominator_is_that_of_its_one_cell() -> None:
    held = of({"s1": "ppf", "s2": "pf"}, declared={"ann|edu": 4})
    assert found(held, "edu").value == Fraction(3, 4)
    assert (found(held, "edu").whole, found(held, "edu").declared) == (4, 4)
    for other in ("all", "hlth", ""):
        assert found(held, other).value == Fraction(3, 5)


def test_a_declared_denominator_of_another_agent_is_not_ones_own() -> None:
    assert found(of({"s1": "pf"}, declared={"bob|all": 1}), "all").value == Fraction(1, 2)


def test_a_declared_denominator_knows_nothing_of_clusters() -> None:
    cell = rate_cell(found(of({"s1": "ppf", "s2": "pf"}, declared={"ann|edu": 4}), "edu"), ANN)
    assert cell.interval is not None
    assert cell.interval.low == 100 * wilson(3, 4).low
    assert "declared denominator 4, planned 5" in cell.note
    assert "clusters ignored" in cell.note


@pytest.mark.parametrize(("declared", "denominator"), [(5, "planned"), (3, "decided")])
def test_a_declared_denominator_that_is_a_rule_keeps_its_clusters(
    declared: int, denominator: Denominator
) -> None:
    outcomes: dict[str, Outcomes] = {"s1": "ppe", "s2": "fm"}
    plain = found(of(outcomes, denominator=denominator))
    for rule in ("planned", "decided"):
        one = found(of(outcomes, denominator=rule, declared={"ann|all": declared}))
        assert (one.value, one.interval, one.whole) == (plain.value, plain.interval, declared)
        assert (one.worst, one.best) == (Fraction(2, 5), Fraction(4, 5))


def test_more_passed_than_declared_is_an_error() -> None:
    with pytest.raises(UsageError, match="2 trials were declared as a denominator, and 3 passed"):
        found(of({"s1": "pppf"}, declared={"ann|all": 2}))


def test_a_declared_denominator_makes_no_rate_of_no_trials() -> None:
    held = study({"bob": {"s1": "p"}}, declared={"ann|all": 31})
    one = found(held)
    assert one.value is None
    assert rate_cell(one, ANN).text == ""
    assert fraction_cell(one, ANN).text == ""


# ------------------------------------------------------------------------------------------------ cells


def test_a_rate_is_shown_in_percent_points_with_its_count_interval_and_trials() -> None:
    one = found(of({"s1": "ppf", "s2": "pf"}))
    cell = rate_cell(one, ANN)
    assert (cell.text, cell.value, cell.trials) == ("60.0", 60.0, (ANN,))
    assert cell.count == Count(passed=3, failed=2)
    assert one.interval is not None
    assert cell.interval == in_points(one.interval)
    assert rate_cell(one, ANN, layout="paper").interval is None
    assert rate_cell(one, ANN, digits=0).text == "60"


def test_rates_round_half_to_even_on_the_exact_fraction() -> None:
    assert rate_cell(found(of({"s1": "p" + "f" * 7})), ANN).text == "12.5"
    assert rate_cell(found(of({"s1": "p" + "f" * 7})), ANN, digits=0).text == "12"
    assert rate_cell(found(of({"s1": "ppp" + "f" * 5})), ANN, digits=0).text == "38"


def test_no_trials_are_an_empty_cell_and_never_a_zero() -> None:
    cell = rate_cell(found(study({"bob": {"s1": "p"}})), ANN)
    assert (cell.text, cell.value, cell.count, cell.trials) == ("", None, None, ())
    assert cell.note == "no trials"


def test_only_errors_are_an_empty_cell_when_errors_are_left_out() -> None:
    cell = rate_cell(found(of({"s1": "eem"}, denominator="decided")), ANN)
    assert (cell.text, cell.value) == ("", None)
    assert cell.note == "no judged trials (2 errors, 1 missing)"
    assert cell.trials == (ANN,)


def test_all_failed_is_a_zero() -> None:
    assert rate_cell(found(of({"s1": "ff"})), ANN).text == "0.0"


def test_what_is_neither_passed_nor_failed_is_said_beside_the_rate() -> None:
    assert rate_cell(found(of({"s1": "pfeem", "s2": "p"})), ANN).note == "2 errors; 1 missing"
    assert outcomes(Count(error=1, missing=2, unjudged=3)) == ["1 error", "2 missing", "3 not judged"]


def test_k_of_n_is_printed_as_it_was_counted() -> None:
    cell = fraction_cell(found(of({"s1": "pfe"})), ANN)
    assert (cell.text, cell.value) == ("1/3", 1)
    assert fraction_cell(found(of({"s1": "pfe"}, denominator="decided")), ANN).text == "1/2"
    assert fraction_cell(found(of({"s1": "pfe"}, declared={"ann|all": 9})), ANN).text == "1/9"


def test_other_cells() -> None:
    assert share_cell(Fraction(1, 3), ANN).text == "33.3"
    assert share_cell(None, ANN).text == ""
    assert number_cell(7, ANN).value == 7
    assert text_cell("ann", ANN).trials == (ANN,)
    assert decimal_cell(Fraction(5, 8), 2).text == "0.62"
    assert decimal_cell(None, 2, note="no R").note == "no R"
    assert (empty("why").text, empty("why").note, empty("why", ANN).trials) == ("", "why", (ANN,))
    assert p_cell(None, "why").text == ""
    assert p_cell(0.25).value == 0.25
    assert [plural(n, "task") for n in (0, 1, 2)] == ["0 tasks", "1 task", "2 tasks"]


@pytest.mark.parametrize(
    ("p", "text"), [(1.0, "1"), (0.0462453, "0.0462"), (0.125, "0.125"), (7.45e-9, "<1e-06"), (2e-5, "2e-05")]
)
def test_p_has_three_significant_digits(p: float, text: str) -> None:
    assert p_text(p) == text


def test_every_tied_maximum_is_the_best() -> None:
    cells = [text_cell(name) for name in "abcd"]
    values = [Fraction(2, 3), None, Fraction(4, 6), Fraction(1, 2)]
    assert [cell.best for cell in mark_best(cells, values)] == [True, False, True, False]
    assert [cell.best for cell in mark_best(cells, [None] * 4)] == [False] * 4


def test_what_rounds_alike_is_no_tie() -> None:
    cells = [text_cell(name) for name in "ab"]
    assert [cell.best for cell in mark_best(cells, [Fraction(8001, 10000), Fraction(8, 10)])] == [True, False]


def test_a_rate_of_which_nothing_was_judged_is_never_the_best() -> None:
    unseen, seen = text_cell("a"), text_cell("b")
    cells = [
        unseen.model_copy(update={"count": Count(missing=2)}),
        seen.model_copy(update={"count": Count(failed=2)}),
    ]
    assert [cell.best for cell in mark_best(cells, [Fraction(0), Fraction(0)])] == [False, True]
    assert [cell.best for cell in mark_best(cells[:1], [Fraction(0)])] == [False]


def test_names_go_by_falling_value_then_by_name_and_those_without_come_last() -> None:
    values = {"d": None, "c": Fraction(1, 2), "b": Fraction(1, 2), "a": Fraction(0), "e": Fraction(1)}
    assert by_value(values, values) == ["e", "b", "c", "a", "d"]


def test_the_mean_of_nothing_is_nothing() -> None:
    assert mean([]) is None
    assert mean([1, Fraction(1, 2)]) == Fraction(3, 4)


def test_means_follow_the_denominator_of_the_study() -> None:
    held = of({"s1": "pe"}, denominator="decided")
    assert dict(means_of(slices(held), ANN)) == {("s1", "s1-0"): 1}


def test_the_order_of_trials_is_no_part_of_a_rate() -> None:
    held = of({"s2": ["pf", "e"], "s1": "ppf"})
    turned = tuple(reversed(held.trials))
    assert rate_of(held, held.trials) == rate_of(held, turned)
