from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.score.rounding import Rule, percent
from replaylab.score.stats.grim import Counts, joint, possible

# RC14: what the published row of one agent says of each industry, and how many tasks the industry has.
ROW = {
    "agri": ("84", 31),
    "biz": ("86", 63),
    "comm": ("67", 36),
    "edu": ("77", 32),
    "hlth": ("76", 21),
    "ind": ("85", 55),
    "pub": ("84", 25),
    "sci": ("94", 16),
    "tech": ("80", 50),
    "trans": ("72", 53),
}


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [
        ("79.6", 382, [304]),
        ("77", 32, []),
        ("77", 31, [24]),
        ("85", 55, [47]),
        ("85", 54, [46]),
        ("62", 16, [10]),
        ("62", 32, [20]),
        ("38", 32, [12]),
        ("78", 31, []),
        ("28.3", 382, [108]),
        ("79.5", 382, []),
        ("66.0", 382, [252]),
    ],
)
def test_printed_shares_come_from_the_reference_counts(text: str, n: int, expected: list[int]) -> None:
    assert possible(text, n) == expected


@given(st.integers(1, 450), st.integers(0, 2), st.sampled_from(["half_even", "half_up"]), st.data())
def test_every_count_that_prints_as_the_text_is_found_and_no_other(
    n: int, digits: int, rule: Rule, data: st.DataObject
) -> None:
    text = percent(Fraction(data.draw(st.integers(0, n)), n), digits, rule)
    expected = [k for k in range(n + 1) if percent(Fraction(k, n), digits, rule) == text]
    assert possible(text, n, rule) == expected


def test_the_rounding_rule_decides_ties() -> None:
    assert (possible("62", 16), possible("62", 16, "half_up")) == ([10], [])
    assert (possible("63", 16), possible("63", 16, "half_up")) == ([], [10])


def test_a_text_is_taken_digit_by_digit() -> None:
    assert possible("50", 4) == [2]
    assert possible("50.0", 4) == [2]
    assert possible("50.00", 4) == [2]
    for odd in ("050", "5e1", "50.", " 50", "100/2", "1/0", "fifty", "", "-0", "nan", "101"):
        assert possible(odd, 4) == []
    assert possible("0", 0) == []


def test_the_published_row_lacks_two_tasks_at_least() -> None:
    found = joint(
        "79.6", {name: text for name, (text, _) in ROW.items()}, {name: n for name, (_, n) in ROW.items()}
    )
    expected: list[Counts] = [
        {"edu": (23, 30)},
        {"edu": (24, 31), "ind": (46, 54)},
        {"edu": (24, 31), "tech": (39, 49)},
    ]
    assert (found.missing, found.ways) == (2, 3)
    assert list(found.changed) == expected
    for changed, row in zip(found.changed, found.solutions, strict=True):
        assert sum(k for k, _ in row.values()) == 304
        assert {name: kn for name, kn in row.items() if kn[1] != ROW[name][1]} == changed
        assert all(percent(Fraction(k, n), 0) == ROW[name][0] for name, (k, n) in row.items())


def test_no_row_fits_with_one_task_missing() -> None:
    texts, ns = {name: text for name, (text, _) in ROW.items()}, {name: n for name, (_, n) in ROW.items()}
    assert joint("79.6", texts, ns, missing=1) == (None, 0, (), ())


def by_search(total: str, texts: dict[str, str], ns: dict[str, int], missing: int) -> tuple[int | None, int]:
    """The fewest tasks missing and the rows that fit, by trying every k and n of every cell."""
    everything = sum(ns.values())
    cells = [
        [(k, n) for n in range(max(ns[name] - missing, 1), ns[name] + 1) for k in possible(texts[name], n)]
        for name in texts
    ]
    fitting = [
        everything - sum(n for _, n in row)
        for row in product(*cells)
        if percent(Fraction(sum(k for k, _ in row), everything), 1) == total
    ]
    fewest = min((lacking for lacking in fitting if lacking <= missing), default=None)
    return fewest, sum(lacking == fewest for lacking in fitting)


@given(st.lists(st.tuples(st.integers(3, 40), st.integers(0, 100)), min_size=1, max_size=3), st.data())
def test_rows_are_found_that_a_full_search_finds(cells: list[tuple[int, int]], data: st.DataObject) -> None:
    ns = {f"c{number}": n for number, (n, _) in enumerate(cells)}
    ks = {name: round(n * share / 100) for (name, n), (_, share) in zip(ns.items(), cells, strict=True)}
    # The total may be off by a task or two, as if some were missing from a cell.
    k = min(max(sum(ks.values()) + data.draw(st.integers(-2, 2)), 0), sum(ns.values()))
    texts = {name: percent(Fraction(ks[name], ns[name]), 0) for name in ns}
    total = percent(Fraction(k, sum(ns.values())), 1)
    found = joint(total, texts, ns)
    assert (found.missing, found.ways) == by_search(total, texts, ns, 2)
    for row in found.solutions:
        assert sum(ns.values()) - sum(n for _, n in row.values()) == found.missing
        assert all(percent(Fraction(k, n), 0) == texts[name] for name, (k, n) in row.items())
        assert percent(Fraction(sum(k for k, _ in row.values()), sum(ns.values())), 1) == total


def test_a_row_that_fits_as_it_is_lacks_nothing() -> None:
    found = joint("50.0", {"a": "50", "b": "50"}, {"a": 4, "b": 6})
    assert (found.missing, found.ways, found.changed) == (0, 1, ({},))
    assert found.solutions == ({"a": (2, 4), "b": (3, 6)},)


def test_wide_cells_are_counted_and_not_listed_one_by_one() -> None:
    texts, ns = {f"c{n}": "50" for n in range(10)}, {f"c{n}": 999 for n in range(10)}
    found = joint("50.0", texts, ns)
    assert found.missing == 0
    assert found.ways > 10**8
    assert len(found.solutions) == 1


def test_every_total_that_prints_alike_counts() -> None:
    found = joint("50", {"a": "50"}, {"a": 300})
    assert possible("50", 300) == [149, 150, 151]
    assert (found.missing, found.ways) == (0, 3)


def test_the_rounding_rule_holds_for_cells_and_total() -> None:
    for rule, text in (("half_even", "62"), ("half_up", "63")):  # 10 of 16 is 62.5
        for printed in ("62", "63"):
            found = joint(printed, {"a": printed}, {"a": 16}, 0, rule)  # type: ignore[arg-type]
            assert found.ways == (printed == text)


def test_no_cells_are_no_row() -> None:
    assert joint("50", {}, {}) == (None, 0, (), ())
