"""judge (T7): how often votes part, and how much of the agents' order hangs on how they fell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

from replaylab.score.cells import decimal_cell, empty, in_points, number_cell, plural, points, text_cell
from replaylab.score.facts import Study, Trial
from replaylab.score.footer import Foot, footer
from replaylab.score.rounding import percent
from replaylab.score.slices import Slices, count, slices
from replaylab.score.stats.interval import clustered
from replaylab.score.stats.judge import fleiss, krippendorff
from replaylab.score.value import Cell, Column, Interval, Layout, Selector, Table
from replaylab.score.votes import RHO, Ballots, ballots, flips, survival, valid, votes_of

COLUMNS = (
    Column(key="verifier", title="Verifier", numeric=False),
    Column(key="trials", title="Trials with votes"),
    Column(key="votes", title="Votes"),
    Column(key="split", title="Split"),
    Column(key="split_rate", title="Split rate", unit="%"),
    Column(key="vote_errors", title="Error votes"),
    Column(key="tied", title="Tied"),
    Column(key="kappa", title="Fleiss kappa"),
    Column(key="alpha", title="Krippendorff alpha"),
    Column(key="flip", title="Flip (independent)", unit="%"),
    Column(key="flip_correlated", title=f"Flip (correlated {RHO})", unit="%"),
    Column(key="survive", title="Orders that survive", unit="%"),
)
NOTES = (
    "Split: a trial whose valid votes are not unanimous, out of those with two valid votes or more.",
    "An error vote gave no valid answer. It counts neither for nor against, and never as failed.",
    "Flip: the chance that a verdict would come out the other way if the votes were cast again, estimated from splits.",
    "Errors that all votes share leave no split, so the estimates are least values; only human labels could tell more.",
)


class _Judge(NamedTuple):
    """A verifier, the trials that it judged by agent, and their votes."""

    name: str
    which: Selector
    by_agent: dict[str, tuple[Trial, ...]]
    found: Ballots

    @property
    def trials(self) -> list[Trial]:
        return [trial for trials in self.by_agent.values() for trial in trials]


def build(study: Study, layout: Layout) -> Table | None:
    """One row a verifier that judged trials under the reference simulator and fault plan."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    judges = _judges(sliced)
    silent = [
        f"{judge.name}: {plural(times, 'trial')} without votes ({why})."
        for judge in judges
        for why, times in judge.found.silent.items()
    ]
    redrawn = (
        f"Orders: pairs of agents with unlike rates, each trial's votes redrawn {study.draws} times from the "
    )
    redrawn += f"shares in which they fell; seed {study.seed}. The share of pairs, over all draws, that keep their order."
    foot = Foot(compares=False, more=[*NOTES, redrawn, *silent])
    return Table(
        id="judge",
        title="Votes of the verifiers",
        layout=layout,
        columns=COLUMNS,
        rows=tuple(_row(study, judge) for judge in judges),
        notes=footer(sliced, [judge.which for judge in judges], foot, layout),
    )


def why_not(study: Study) -> str:
    """Somebody has to have voted."""
    judges = _judges(slices(study))
    if any(judge.found.rows for judge in judges):
        return ""
    reasons = sum((Counter(judge.found.silent) for judge in judges), Counter[str]())
    told = ", ".join(f"{times} {why}" for why, times in sorted(reasons.items()))
    return f"no trial holds a vote, so nothing can be said of judges ({told or 'nothing was recorded'})"


def _judges(sliced: Slices) -> list[_Judge]:
    judges = []
    for name in sliced.study.verifiers:
        which = sliced.reference(verifier=name)
        by_agent = {
            agent: trials
            for agent in sliced.study.agents
            if (trials := sliced.select(which.model_copy(update={"agent": agent})))
        }
        found = ballots(trial for trials in by_agent.values() for trial in trials)
        if found.rows or found.silent:
            judges.append(_Judge(name, which, by_agent, found))
    return judges


def _row(study: Study, judge: _Judge) -> tuple[Cell, ...]:
    found, which = judge.found, judge.which
    named = text_cell(judge.name, which)
    if not found.rows:
        why = f"nobody voted: {', '.join(found.silent)}"
        return (named, number_cell(0, which, note=why), *[empty(why) for _ in COLUMNS[2:]])
    counts = (number_cell(len(found.rows), which), number_cell(found.votes, which))
    errors = (number_cell(found.errors, which), number_cell(found.tied, which))
    if not found.compared:
        why = "no trial has two valid votes, so no two can be compared"
        blank = empty(why)
        return (named, *counts, blank, blank, *errors, *[blank for _ in range(4)], empty(why))
    return (
        named,
        *counts,
        number_cell(found.split, which),
        _split_rate(judge),
        *errors,
        *_kappas(found, which),
        *_flips(found, which),
        _survive(study, judge),
    )


def _split_rate(judge: _Judge) -> Cell:
    share = Fraction(judge.found.split, len(judge.found.compared))
    return Cell(
        text=percent(share, 1),
        value=points(share),
        interval=_split_interval(judge.trials),
        trials=(judge.which,),
    )


def _split_interval(trials: Sequence[Trial]) -> Interval | None:
    """Clustered by scenario: some tasks are hard to judge whoever played them."""
    by_scenario: dict[str, list[float]] = {}
    for trial in trials:
        votes = valid(votes_of(trial))
        if len(votes) > 1:
            by_scenario.setdefault(trial.scenario.id, []).append(float(len(set(votes)) > 1))
    return in_points(clustered([by_scenario[name] for name in sorted(by_scenario)]))


def _kappas(found: Ballots, which: Selector) -> tuple[Cell, Cell]:
    kappa, alpha = fleiss(found.rows), krippendorff(found.rows)
    most = max(map(len, found.rows))
    complete = sum(len(valid(row)) == most for row in found.rows)
    none = "all votes say the same, so there is no chance agreement to compare with"
    whole = (
        ""
        if complete == len(found.rows)
        else f"over the {plural(complete, 'trial')} of which every vote is valid"
    )
    return (
        decimal_cell(
            kappa,
            3,
            which,
            note=(none if complete else "no trial has all its votes valid") if kappa is None else whole,
        ),
        decimal_cell(alpha, 3, which, note=none if alpha is None else ""),
    )


def _flips(found: Ballots, which: Selector) -> tuple[Cell, Cell]:
    estimated = flips(found)
    if estimated is None:
        why = "no trial has the usual number of valid votes, two or more"
        return empty(why), empty(why)
    error = f"one vote is wrong in {percent(Fraction(estimated.error), 1)} % as splits tell"
    return (
        decimal_cell(points(estimated.independent), 1, which, note=error),
        decimal_cell(points(estimated.correlated), 1, which, note="votes on a trial err together"),
    )


def _survive(study: Study, judge: _Judge) -> Cell:
    if len(judge.by_agent) < 2:
        return empty("one agent alone has no order")
    counts = [count(trials) for trials in judge.by_agent.values()]
    wholes = [one.planned if study.denominator == "planned" else one.decided for one in counts]
    found = survival(list(judge.by_agent.values()), wholes, judge.found.usual, study.draws, study.seed)
    if found.share is None:
        return empty("the rates of all agents are equal, so there is no order to keep")
    pairs = plural(comb(len(wholes), 2), "pair")
    note = f"{found.pairs} of {pairs} of agents {'has' if found.pairs == 1 else 'have'} an order"
    return decimal_cell(points(found.share), 1, judge.which, note=note)
