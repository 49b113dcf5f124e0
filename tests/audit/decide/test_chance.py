from __future__ import annotations

from itertools import combinations
from math import sqrt

import pytest
from scipy.stats import fisher_exact

from tests.audit.files import decided, table


def rates(*texts: str, n: int = 36) -> dict[str, object]:
    return {"t": table({f"m{at}": [text] for at, text in enumerate(texts)}, {"x": {"n": n}})}


@pytest.mark.parametrize(
    ("texts", "n", "more", "outcome", "words"),
    [
        (("81", "67"), 36, {}, "fails", "supported under no pairing"),
        (("79.6", "72.3"), 382, {}, "holds", "supported under every pairing"),
        (("79.6", "72.3"), 382, {"family": 105}, "undecided", "depends on which tasks"),
        (("65.2", "64.9"), 382, {}, "fails", "supported under no pairing"),
        (("79.6", "72.3"), 382, {"same_tasks": False}, "holds", "supported"),
        (("81", "67"), 36, {"alpha": "0.3"}, "undecided", "depends"),
    ],
)
def test_a_difference_is_supported_under_every_pairing_none_or_some(
    texts: tuple[str, str], n: int, more: dict[str, object], outcome: str, words: str
) -> None:
    found = decided(rates(*texts, n=n), type="differs", a="t / m0 / x", b="t / m1 / x", **more)
    assert (found.outcome, words in found.reason) == (outcome, True)


def test_the_bounds_are_those_of_the_reference_cases() -> None:
    found = decided(rates("81", "67"), type="differs", a="t / m0 / x", b="t / m1 / x")
    assert (found.numbers["p_low"], found.numbers["p_high"]) == ("0.0625", "0.359")
    assert (found.numbers["a"], found.numbers["b"]) == ("29/36", "24/36")
    assert float(found.numbers["p_unpaired"]) == pytest.approx(
        fisher_exact([[29, 7], [24, 12]]).pvalue, rel=1e-2
    )


def test_several_counts_behind_a_cell_widen_the_bounds() -> None:
    # 60 of 382 can be 228 to 231 tasks.
    found = decided(rates("60", "64.9", n=382), type="differs", a="t / m0 / x", b="t / m1 / x")
    exact = decided(rates("60.2", "64.9", n=382), type="differs", a="t / m0 / x", b="t / m1 / x")
    assert float(found.numbers["p_low"]) < float(exact.numbers["p_low"])
    assert float(found.numbers["p_high"]) > float(exact.numbers["p_high"])


def test_an_impossible_cell_or_no_number_of_tasks_decides_nothing() -> None:
    assert (
        decided(rates("77", "62", n=32), type="differs", a="t / m0 / x", b="t / m1 / x").outcome
        == "undecided"
    )
    free = {"t": table({"a": ["50"], "b": ["60"]}, {"x": {}})}
    assert decided(free, type="differs", a="t / a / x", b="t / b / x").outcome == "undecided"
    assert decided(free, type="equivalent", a="t / a / x", b="t / b / x", margin="3").outcome == "undecided"


@pytest.mark.parametrize(
    ("texts", "margin", "outcome"),
    [
        (("65.2", "64.9"), "3", "undecided"),
        (("65.2", "64.9"), "8", "holds"),
        (("65.2", "64.9"), "0.3", "fails"),
        (("79.6", "53.4"), "5", "fails"),
    ],
)
def test_being_alike_needs_more_than_no_difference(texts: tuple[str, str], margin: str, outcome: str) -> None:
    found = decided(rates(*texts, n=382), type="equivalent", a="t / m0 / x", b="t / m1 / x", margin=margin)
    assert found.outcome == outcome


def test_the_reach_of_an_equivalence_covers_every_pairing() -> None:
    n, k, m = 8, 5, 4
    reach = []
    for a in combinations(range(n), k):
        for b in combinations(range(n), m):
            only_a, only_b = len(set(a) - set(b)), len(set(b) - set(a))
            spread = only_a + only_b + 1 - (only_a - only_b) ** 2 / n
            reach.append(100 * abs(k - m) / n + 100 * 1.6448536269514722 * sqrt(spread) / n)
    found = decided(rates("62.5", "50.0", n=n), type="equivalent", a="t / m0 / x", b="t / m1 / x", margin="1")
    assert float(found.numbers["reaches_low"]) == pytest.approx(min(reach), abs=1e-3)
    assert float(found.numbers["reaches_high"]) == pytest.approx(max(reach), abs=1e-3)


@pytest.mark.parametrize(
    ("texts", "outcome"),
    [(("61.3", "61.3"), "undecided"), (("61.3", "61.0"), "holds"), (("61.3",) * 4, "fails")],
)
def test_a_tie_to_the_task_is_possible_and_four_are_not(texts: tuple[str, ...], outcome: str) -> None:
    cells = [f"t / m{at} / x" for at in range(len(texts))]
    assert decided(rates(*texts, n=382), type="exact_tie", cells=cells).outcome == outcome
