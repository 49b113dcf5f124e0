"""The notes under a table: what its numbers stand on, and what they can't carry. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple

from replaylab.schema.model import ModelSettings, Player
from replaylab.score.cells import groups, means_of, plural
from replaylab.score.facts import Study, Trial
from replaylab.score.rounding import decimal
from replaylab.score.slices import Slices, extent, slices
from replaylab.score.stats.groups import Groups
from replaylab.score.stats.power import least_difference
from replaylab.score.stats.spread import design_effect, icc, kish
from replaylab.score.value import Layout, Selector

ALPHA = 0.05
FEWEST = 6  # scenarios that have to differ: 2^(1 - 6) is the first below 0.05
FEW_SCENARIOS = 30  # below this many, bootstrap intervals are too narrow
_PLAYED = attrgetter("agent", "simulator", "verifier", "faults", "scenario.id", "task")
_PLAYERS: dict[Player, str] = {
    "program": "programs, not LLMs",
    "human": "humans",
    "own": "agents of one's own, which may ask LLMs",
}


class Family(NamedTuple):
    """Tests whose p values are adjusted together. `untestable` are the pairs that no p could be given for."""

    tests: int
    of: str
    untestable: int = 0


class Foot(NamedTuple):
    """What the footer of a table says besides what follows from its trials.

    `declared` are the keys "agent|column" of the cells; `family` is set where p values are printed; `drawn` where
    scenarios were resampled; `compares` where two of the rated slices are likely to be compared, and `each` is what
    such slices are called; `more` comes last.
    """

    declared: Sequence[str] = ()
    family: Family | None = None
    drawn: bool = False
    compares: bool = True
    each: str = "agents"
    more: Sequence[str] = ()


def footer(slices: Slices, rated: Sequence[Selector], foot: Foot, layout: Layout = "full") -> tuple[str, ...]:
    """The notes of a table that rates these slices, each of which can be compared with another.

    The paper layout has what a reader must not miss: the denominator, and what the numbers are no measurement of.
    """
    study = slices.study
    every = [trial for which in rated for trial in slices.select(which)]
    notes = [denominator_note(study), *declared_notes(study, foot.declared)]
    if layout == "full":
        notes += reference_notes(study, every)
        notes += [*repeat_notes(every), *cluster_notes(slices, rated, foot)]
        notes += [*family_notes(foot.family), *seed_notes(study, every, drawn=foot.drawn)]
    return (*notes, *foot.more, *evidence_notes(study, every))


def denominator_note(study: Study) -> str:
    """The rule for what a rate is out of."""
    if study.denominator == "planned":
        return "Denominator: planned trials. An errored or missing trial is not a pass; it is shown apart, not as failed."
    return "Denominator: decided trials (passed and failed). Errored and missing trials are left out and shown apart."


def declared_notes(study: Study, keys: Iterable[str]) -> list[str]:
    """Every declared denominator among these cells."""
    used = [f"{key} = {study.declared[key]}" for key in dict.fromkeys(keys) if key in study.declared]
    if not used:
        return []
    return [f"Declared denominators: {', '.join(used)}. Tests don't use them."]


def reference_notes(study: Study, trials: Sequence[Trial]) -> list[str]:
    """What is fixed in all of these trials although the study has several."""
    fixed, used = [], slices(study).names(trials)
    for word, names, held in (
        ("simulator", study.simulators, used.simulators),
        ("verifier", study.verifiers, used.verifiers),
        ("faults", study.faults, used.faults),
    ):
        if len(held) == 1 and len(names) > 1:
            fixed.append(f"{word} {next(iter(held))}")
    return [f"Condition: {', '.join(fixed)}."] if fixed else []


def repeat_notes(trials: Sequence[Trial]) -> list[str]:
    """What is done with several trials of one task."""
    found = Counter(map(_PLAYED, trials))
    most, least = max(found.values(), default=1), min(found.values(), default=1)
    if most == 1:
        return []
    each = str(most) if most == least else f"{least} to {most}"
    return [
        f"Repeats: {each} trials a task. They are averaged first: a task counts once, however often it was played."
    ]


def cluster_notes(slices: Slices, rated: Sequence[Selector], foot: Foot) -> list[str]:
    """Clusters, how much their tasks go together, and the least difference that two of them could show."""
    every = extent(trial for which in rated for trial in slices.select(which))
    sets = [groups(means) for which in rated if (means := means_of(slices, which))]
    if not sets:
        return []
    told = f"{plural(every.scenarios, 'scenario')} with {plural(every.tasks, 'task')}"
    if max(map(len, sets)) < 2:
        alone = "No slice has more than one, so intervals take its tasks for independent."
        return [f"Clusters: {told}. {alone}", *_reach(sets, 1.0, foot)]
    effect, spread = _spread(sets, foot.each)
    reach = _reach(sets, effect, foot) if foot.compares else []
    return [f"Clusters: {told}; 95 % intervals allow for them.", spread, *reach]


def _reach(sets: Sequence[Groups], effect: float, foot: Foot) -> list[str]:
    """The least difference that a test could find, or why none can; a family of tests says that of its own pairs."""
    clusters = max(map(len, sets))
    smallest = min(2.0 ** (1 - clusters), 1.0)
    if smallest > ALPHA:
        few = plural(clusters, "scenario")
        no = f"Not testable: with {few} no p can be below {smallest:.3g}; {FEWEST} would have to differ."
        return [] if foot.family else [no]
    tasks = max(map(_tasks, sets))
    least = decimal(Fraction(least_difference(tasks, design_effect=effect)) * 100, 1)
    same = f"two {foot.each} on the same {plural(tasks, 'task')}"
    how = "power 80 %, 5 % two-sided, a quarter of the tasks discordant"
    return [f"Least detectable difference of {same}: {least} points ({how})."]


def _spread(sets: Sequence[Groups], each: str) -> tuple[float, str]:
    """The design effect for planning, and the sentence about it."""
    found = [value for one in sets if (value := icc(one)) is not None]
    if not found:
        return 1.0, "ICC: can't be estimated here (one task a scenario, or outcomes all alike)."
    size = kish([len(group) for group in max(sets, key=_tasks)])
    middle = fmean(found)
    effect = design_effect(middle, size)
    some = f"{len(found)} of {len(sets)}" if len(found) < len(sets) else str(len(found))
    over = f" (mean over {some} {each}, {_two(min(found))} to {_two(max(found))})"
    return effect, (
        f"ICC {_two(middle)}{over if len(sets) > 1 else ''}; {_two(size)} tasks a cluster (Kish); design effect "
        f"{_two(effect)}."
    )


def _tasks(groups: Groups) -> int:
    return sum(map(len, groups))


def family_notes(family: Family | None) -> list[str]:
    """What the adjusted p values are adjusted for."""
    if family is None:
        return []
    notes = (
        [f"p adjusted by Holm in one family of {family.tests} tests: {family.of}."] if family.tests else []
    )
    if family.untestable:
        notes.append(
            f"Not testable: {family.untestable} of {family.tests + family.untestable} comparisons differ in so few "
            "scenarios that no outcome could reach p = 0.05 (smallest attainable p = 2^(1 - scenarios that differ))."
        )
    return notes


def seed_notes(study: Study, trials: Sequence[Trial], *, drawn: bool) -> list[str]:
    """How scenarios were resampled."""
    if not drawn:
        return []
    scenarios = extent(trials).scenarios
    notes = [f"Scenarios resampled {study.draws} times, the same for all of them; seed {study.seed}."]
    if scenarios < FEW_SCENARIOS:
        notes.append(
            f"{scenarios} scenarios are few for resampling (under {FEW_SCENARIOS}): such intervals are too narrow."
        )
    return notes


def evidence_notes(study: Study, trials: Sequence[Trial]) -> list[str]:
    """Where the numbers come from, and who played: what no reader may miss."""
    notes = {
        "recorded": "Evidence: recorded.",
        "imported": "Evidence: imported, recorded by another program.",
        "authored": "Evidence: authored. These verdicts were written down, not recorded: they measure nothing.",
    }
    return [notes[study.evidence], *played_notes(study, trials)]


def played_notes(study: Study, trials: Sequence[Trial]) -> list[str]:
    """Which names of these trials are no LLMs."""
    used = slices(study).names(trials)
    roles: tuple[tuple[str, dict[str, ModelSettings], frozenset[str]], ...] = (
        ("agent", study.agents, used.agents),
        ("simulator", study.simulators, used.simulators),
        ("verifier", study.verifiers, used.verifiers),
    )
    notes = []
    for player, words in _PLAYERS.items():
        names = [
            f"{name} ({role})"
            for role, settings, held in roles
            for name, setting in settings.items()
            if name in held and setting.player == player
        ]
        notes += [f"Played by {words}: {', '.join(names)}."] if names else []
    return notes


def _two(value: float) -> str:
    return decimal(Fraction(value), 2)
