"""The votes behind verdicts: how often judges part, and what their parting says of an order of agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

from replaylab.score.facts import CassetteFacts, Trial
from replaylab.score.stats.judge import flip, flip_correlated, redraw, split, vote_error

RHO = 0.3  # the correlation of the votes on one trial that is assumed where correlated errors are spoken of

Row = tuple[str | None, ...]


class Ballots(NamedTuple):
    """The votes of trials: "pass" or "fail", None for a vote that gave no valid answer.

    `silent` counts the trials without a vote by the reason. `usual` is how many votes most trials have.
    """

    rows: tuple[Row, ...]
    silent: dict[str, int]

    @property
    def usual(self) -> int:
        sizes = Counter(len(row) for row in self.rows)
        return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 0

    @property
    def votes(self) -> int:
        return sum(len(row) for row in self.rows)

    @property
    def errors(self) -> int:
        """Votes without a valid answer; they are no votes against."""
        return sum(vote is None for row in self.rows for vote in row)

    @property
    def compared(self) -> tuple[Row, ...]:
        """The trials with two valid votes or more: on one alone nobody can part."""
        return tuple(row for row in self.rows if len(valid(row)) > 1)

    @property
    def split(self) -> int:
        return sum(len(set(valid(row))) > 1 for row in self.rows)

    @property
    def tied(self) -> int:
        """Trials with as many valid votes for as against: they have no verdict."""
        return sum(bool(valid(row)) and 2 * valid(row).count("pass") == len(valid(row)) for row in self.rows)


class Flips(NamedTuple):
    """The chance that a verdict would come out the other way, as far as split votes tell.

    `error` is the chance that one vote is wrong. Errors that all votes of a trial share leave no trace in votes, so
    both are least values.
    """

    error: float
    independent: float
    correlated: float


def valid(row: Sequence[str | None]) -> list[str]:
    """The votes that gave an answer."""
    return [vote for vote in row if vote is not None]


def ballots(trials: Iterable[Trial]) -> Ballots:
    """The votes of the trials that were recorded."""
    rows: list[Row] = []
    silent: Counter[str] = Counter()
    for trial in trials:
        if trial.facts is None:
            continue
        if trial.facts.votes:
            rows.append(votes_of(trial))
        else:
            silent[_why_silent(trial.facts)] += 1
    return Ballots(tuple(rows), dict(sorted(silent.items())))


def votes_of(trial: Trial) -> Row:
    """The votes of a trial in order, None for one without a valid answer; none of a missing trial."""
    votes = trial.facts.votes if trial.facts else ()
    return tuple(vote if vote in ("pass", "fail") else None for vote in votes)


def _why_silent(facts: CassetteFacts) -> str:
    if facts.termination == "lockstep":
        return "replayed in lockstep, where nobody is asked to judge"
    if facts.termination not in ("answered", "step_limit"):
        return "ended before anybody could judge"
    if facts.judged_by == "checks":
        return "judged by checks alone"
    if facts.evidence == "authored":
        return "authored with a verdict and no votes"
    return "recorded without votes"


def flips(found: Ballots) -> Flips | None:
    """What the split trials say of the chance of a flip; None where no two votes can be compared.

    Only trials with the usual number of valid votes count, since how often votes part depends on how many there are.
    """
    votes = found.usual
    rows = [row for row in found.rows if len(valid(row)) == votes]
    if votes < 2 or not rows:
        return None
    share = sum(len(set(row)) > 1 for row in rows) / len(rows)
    error = vote_error(share, votes)
    return Flips(error, flip(error, votes), flip_correlated(_correlated_error(share, votes), RHO, votes))


def _correlated_error(share: float, votes: int) -> float:
    """The chance that a vote is wrong which gives this share of splits when the votes on a trial err together."""
    if share <= 0:
        return 0.0
    if share >= split(0.5, votes, RHO):
        return 0.5
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to load, and without split votes nobody asks

    return float(brentq(lambda error: split(error, votes, RHO) - share, 0.0, 0.5, xtol=1e-14))


class Survival(NamedTuple):
    """`share` is how much of the order stays, over all draws; None where no two rates differ. `pairs` have an order."""

    share: float | None
    pairs: int


def survival(
    by_agent: Sequence[Sequence[Trial]], wholes: Sequence[int], votes: int, draws: int, seed: int
) -> Survival:
    """How much of the agents' order stays when each trial's votes fall anew by the shares in which they fell.

    The order is that of rates: passed trials out of `wholes`.
    """
    shares = [[pass_share(trial) for trial in trials] for trials in by_agent]
    drawn = redraw(shares, votes, draws, seed).passed
    observed = [sum(share > 0.5 for share in one) for one in shares]
    kept, pairs = 0, 0
    for a, b in permutations(range(len(shares)), 2):
        if (
            observed[a] * wholes[b] > observed[b] * wholes[a]
        ):  # rates, without a division that could make ties
            pairs += 1
            kept += int((drawn[:, a] * wholes[b] > drawn[:, b] * wholes[a]).sum())
    return Survival(kept / (draws * pairs) if draws and pairs else None, pairs)


def pass_share(trial: Trial) -> float:
    """The share of valid votes that passed the trial. Where no vote can pass it, 0; where nobody voted, its verdict."""
    votes = valid(votes_of(trial))
    if not votes:
        return float(trial.outcome == "pass")
    share = votes.count("pass") / len(votes)
    # Judged by votes and checks both: a check that failed can't be outvoted.
    return 0.0 if share > 0.5 and trial.outcome != "pass" else share
