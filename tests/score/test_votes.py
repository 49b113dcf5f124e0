from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.score.facts import Trial, TrialOutcome
from replaylab.score.stats.judge import split
from replaylab.score.votes import RHO, Ballots, _correlated_error, ballots, flips, pass_share, survival
from tests.score.studies import study

WORDS = {"p": "pass", "f": "fail", "e": "error"}
OUTCOMES: dict[str, TrialOutcome] = {"p": "pass", "f": "fail", "e": "error"}

# The votes of RC11, by trial.
RC11 = ("ppp", "ppf", "fff", "pff", "ppp", "ffp", "ppp", "fff", "ppp", "fpp")


def majority(votes: str) -> str:
    passed, failed = votes.count("p"), votes.count("f")
    return "p" if passed > failed else "f" if failed > passed else "e"


def voted(votes: Sequence[str], outcomes: str = "", **facts: Any) -> tuple[Trial, ...]:
    """Trials with these votes; their outcome is the majority's unless it is given."""
    letters = outcomes or "".join(majority(one) for one in votes)
    rows = iter(votes)
    made = study(
        {"ann": {"s": letters}},
        more=lambda key, outcome: {"votes": tuple(WORDS[letter] for letter in next(rows))} | facts,
    )
    return made.trials


def test_split_trials_and_error_votes_are_counted_apart() -> None:
    found = ballots(voted(["ppp", "ppf", "pee", "eee", "pfe", "ffe"]))
    assert (len(found.rows), found.votes, found.errors) == (6, 18, 7)
    assert found.split == 2
    assert len(found.compared) == 4
    assert found.tied == 1


def test_an_error_vote_is_no_vote_against() -> None:
    found = ballots(voted(["ppe", "pee"]))
    assert (found.split, found.tied, found.errors) == (0, 0, 3)


def test_trials_without_a_vote_are_counted_by_reason() -> None:
    trials = (
        *voted([""], "p", judged_by="checks"),
        *voted([""], "e", termination="agent_error"),
        *voted([""], "p", evidence="authored"),
        *voted([""], "u", termination="lockstep"),
        *voted([""], "p"),
        *study({"ann": {"s": "m"}}).trials,
    )
    assert ballots(trials) == Ballots(
        (),
        {
            "authored with a verdict and no votes": 1,
            "ended before anybody could judge": 1,
            "judged by checks alone": 1,
            "recorded without votes": 1,
            "replayed in lockstep, where nobody is asked to judge": 1,
        },
    )


def test_most_trials_say_how_many_votes_are_usual() -> None:
    assert ballots(voted(["ppp", "pp", "ppp"])).usual == 3
    assert Ballots((), {}).usual == 0


def test_the_flip_estimate_follows_from_the_split_rate() -> None:
    found = flips(ballots(voted(RC11)))
    assert found is not None
    # 4 of 10 split: 3e(1-e) = 0.4
    error = (1 - (1 - 4 * 0.4 / 3) ** 0.5) / 2
    assert found.error == pytest.approx(error, abs=1e-9)
    assert found.independent == pytest.approx(3 * error**2 - 2 * error**3, abs=1e-9)
    assert found.correlated > found.independent


@given(st.floats(0.001, 0.6), st.sampled_from([2, 3, 5]))
def test_the_correlated_error_gives_back_the_split_rate(share: float, votes: int) -> None:
    error = _correlated_error(share, votes)
    most = split(0.5, votes, RHO)
    assert 0 <= error <= 0.5
    assert split(error, votes, RHO) == pytest.approx(min(share, most), abs=1e-9)


def test_the_estimates_are_those_of_the_reference_case() -> None:
    # One vote in ten is wrong and errors are correlated 0.3: 18.9 % of trials split, 7.29 % flip.
    assert split(0.1, 3, RHO) == pytest.approx(0.189)
    assert _correlated_error(0.189, 3) == pytest.approx(0.1)
    rows = (("pass", "pass", "fail"),) * 189 + (("pass",) * 3,) * 811
    found = flips(Ballots(rows, {}))
    assert found is not None
    assert found.correlated == pytest.approx(0.07286153846)


def test_trials_with_an_error_vote_take_no_part_in_the_flip_estimate() -> None:
    assert flips(ballots(voted(["ppp", "ppf", "pfe"]))) == flips(ballots(voted(["ppp", "ppf"])))


@pytest.mark.parametrize("votes", [[], ["p", "f"], ["pee", "eee"]])
def test_without_two_votes_to_compare_nothing_is_estimated(votes: list[str]) -> None:
    assert flips(ballots(voted(votes))) is None


def test_votes_that_never_part_give_no_error() -> None:
    assert flips(ballots(voted(["ppp", "fff"]))) == (0.0, 0.0, 0.0)


def test_votes_that_always_part_are_a_coin() -> None:
    found = flips(ballots(voted(["ppf", "pff"])))
    assert found is not None
    assert found == pytest.approx((0.5, 0.5, 0.5))


def test_a_trial_is_redrawn_from_its_valid_votes() -> None:
    assert [pass_share(one) for one in voted(["ppp", "ppf", "pff", "fff", "ppe", "pfe"])] == pytest.approx(
        [1, 2 / 3, 1 / 3, 0, 1, 1 / 2]
    )


def test_what_a_check_failed_no_vote_can_pass() -> None:
    (trial,) = voted(["ppf"], "f", judged_by="both")
    assert pass_share(trial) == 0


def test_a_trial_that_nobody_voted_on_keeps_its_verdict() -> None:
    passed, failed, broken = voted(["", "", ""], "pfe", judged_by="checks")
    assert [pass_share(passed), pass_share(failed), pass_share(broken)] == [1, 0, 0]
    assert [pass_share(one) for one in study({"ann": {"s": "m"}}).trials] == [0]


def test_an_order_survives_as_often_as_the_votes_say() -> None:
    # One agent passes its one trial by 2 of 3; the other fails. The order stays while the majority does: 20/27.
    given = ([voted(["ppf"]), voted(["fff"])], [1, 1], 3, 20_000, 7)
    assert survival(*given).pairs == 1
    assert survival(*given).share == pytest.approx(20 / 27, abs=0.01)
    assert survival(*given) == survival(*given)


def test_unanimous_votes_keep_every_order() -> None:
    assert survival([voted(["ppp", "ppp"]), voted(["ppp", "fff"])], [2, 2], 3, 50, 1).share == 1


def test_equal_agents_have_no_order_to_keep() -> None:
    assert survival([voted(["ppp"]), voted(["ppf"])], [1, 1], 3, 50, 1) == (None, 0)


def test_the_order_is_that_of_rates_and_not_of_passed_trials() -> None:
    # 2 of 4 and 1 of 1: the second is better, whatever is drawn.
    by_agent = [voted(["ppp", "ppp", "fff", "fff"]), voted(["ppp"])]
    assert survival(by_agent, [4, 1], 3, 50, 1) == (1, 1)
    assert survival(by_agent, [4, 2], 3, 50, 1) == (None, 0)
