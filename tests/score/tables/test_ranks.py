from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.score.facts import Study
from replaylab.score.stats.bootstrap import rank_distribution
from replaylab.score.tables.ranks import build, why_not
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, texts


def small(**fields: object) -> Study:
    return study(
        {
            "bob": {"s1": "ppf", "s2": "pf", "s3": "f"},
            "ann": {"s1": "ppf", "s2": "ff", "s3": "p"},
            "cat": {"s1": "fff", "s2": "pf", "s3": "f"},
        }
    ).model_copy(update=fields)


def test_shares_are_those_of_the_rank_distribution_over_scenarios() -> None:
    held = small()
    table = build(held, "full")
    assert table is not None
    assert keys(table) == ["agent", "rank", "mean_rank", "p_first", "r1", "r2", "r3"]
    assert texts(table, "agent", "rank") == [["ann", "1"], ["bob", "1"], ["cat", "3"]]
    k = [[2, 2, 0], [0, 1, 1], [1, 0, 0]]
    expected = rank_distribution(k, [3, 2, 1], held.draws, held.seed)
    for place, agent in enumerate(("ann", "bob", "cat")):
        shares = [cell(table, agent, f"r{rank}").value for rank in (1, 2, 3)]
        assert shares == pytest.approx([100 * float(share) for share in expected[place]])
        assert cell(table, agent, "p_first").value == shares[0]
        assert cell(table, agent, "mean_rank").value == pytest.approx(
            sum(rank * share / 100 for rank, share in enumerate(shares, start=1))
        )


@settings(max_examples=20)
@given(data=st.data(), agents=st.integers(2, 4))
def test_every_agent_has_some_rank_in_every_resample(data: st.DataObject, agents: int) -> None:
    held = study(
        {
            f"a{n}": {f"s{s}": data.draw(st.text("pfe", min_size=2, max_size=2)) for s in range(4)}
            for n in range(agents)
        },
        draws=50,
    )
    table = build(held, "full")
    for agent in range(agents):
        shares = [cell(table, f"a{agent}", f"r{rank}").value for rank in range(1, agents + 1)]
        assert sum(shares) == pytest.approx(100)
        assert 1 <= cell(table, f"a{agent}", "mean_rank").value <= agents
    assert sum(cell(table, f"a{agent}", "r1").value for agent in range(agents)) >= 100 - 1e-9


def test_the_seed_and_the_draws_are_the_studys() -> None:
    assert texts(build(small(), "full")) == texts(build(small(), "full"))
    assert texts(build(small(seed=2), "full")) != texts(build(small(), "full"))
    assert "Scenarios resampled 199 times, the same for all of them; seed 1." in notes(build(small(), "full"))
    assert "3 scenarios are few for resampling" in notes(build(small(), "full"))


def test_the_order_of_trials_is_no_part_of_the_shares() -> None:
    held = small()
    turned = held.model_copy(update={"trials": tuple(reversed(held.trials))})
    assert texts(build(turned, "full")) == texts(build(held, "full"))


def test_one_scenario_is_not_testable() -> None:
    held = study({"ann": {"s1": "pp"}, "bob": {"s1": "pf"}})
    assert build(held, "full") is None
    assert "not testable" in why_not(held)


def test_one_agent_has_no_rank() -> None:
    held = study({"ann": {"s1": "pp", "s2": "p"}, "bob|E1": {"s1": "pp"}})
    assert build(held, "full") is None
    assert why_not(held) == "fewer than two agents have a rate under the reference condition"


def test_an_agent_that_lacks_a_scenario_is_ranked_by_what_it_has() -> None:
    held = study({"ann": {"s1": "p", "s2": "p"}, "bob": {"s1": "f", "s2": "f"}, "cat": {"s2": "p"}})
    table = build(held, "full")
    assert texts(table, "agent", "rank") == [["ann", "1"], ["cat", "1"], ["bob", "3"]]
    # cat is first unless s1 alone was drawn, and ann always is.
    assert cell(table, "ann", "p_first").text == "100.0"
    assert cell(table, "cat", "p_first").value < 100


def test_agents_with_other_numbers_of_tasks_have_their_own_denominators() -> None:
    held = study({"ann": {"s1": "ppff", "s2": "p"}, "bob": {"s1": "ppp", "s2": "pf"}})
    expected = rank_distribution([[3, 2], [1, 1]], [[3, 4], [2, 1]], held.draws, held.seed)
    table = build(held, "full")
    assert texts(table, "agent", "rank") == [["bob", "1"], ["ann", "2"]]
    for place, agent in enumerate(("bob", "ann")):
        shares = [cell(table, agent, f"r{rank}").value for rank in (1, 2)]
        assert shares == pytest.approx([100 * float(share) for share in expected[place]])
    assert 0 < cell(table, "ann", "p_first").value < 100


def test_the_paper_has_no_such_table() -> None:
    assert build(small(), "paper") is None
    assert why_not(small()) == ""
