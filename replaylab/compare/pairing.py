"""Which trials of two runs belong together, and in what the two runs differ. Pure.

Trials are paired by task, trial and fault plan, and role by role: a model that both runs have is paired with itself; one
that stands alone on each side is what was changed. Anything else is left to whoever asks, and is never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from replaylab.errors import UsageError
from replaylab.schema.base import Frozen, Json, in_json
from replaylab.schema.run import RunSpec
from replaylab.score.facts import Trial

ROLES = ("agent", "simulator", "verifier")
Match = Mapping[str, tuple[str, str]]
"""By role, which model of the first run is held against which of the second."""


class Changed(Frozen):
    """Something in which the two runs differ: a role, its settings, the tasks, the prompts, the way of judging."""

    what: str
    name: str = ""
    a: Json = None
    b: Json = None
    message: str


class Pair(NamedTuple):
    """Two trials that belong together."""

    a: Trial
    b: Trial


class Paired(NamedTuple):
    """The pairs in the order of the first run, what differs, and the trials that stand alone on each side."""

    pairs: tuple[Pair, ...]
    changed: tuple[Changed, ...]
    alone_a: tuple[Trial, ...]
    alone_b: tuple[Trial, ...]


def pair_trials(
    a: Sequence[Trial], b: Sequence[Trial], specs: tuple[RunSpec, RunSpec], match: Match | None = None
) -> Paired:
    """The trials of two runs, two and two. Raises UsageError where nothing can be paired, and says what comes closest."""
    if a and b and _apart(a, b):  # whoever plays: no choice of models could pair them
        raise _nothing(a, b)
    roles = {role: _role(role, a, b, (match or {}).get(role)) for role in ROLES}
    there = {_address(trial, {}): trial for trial in b}
    pairs: list[Pair] = []
    for trial in a:
        other = there.get(_address(trial, roles))
        if other is not None:
            pairs.append(Pair(trial, other))
    if not pairs:
        raise _nothing(a, b)
    used = {one.key for pair in pairs for one in pair[:1]}, {pair.b.key for pair in pairs}
    return Paired(
        pairs=tuple(pairs),
        changed=tuple(_changed(roles, specs)),
        alone_a=tuple(trial for trial in a if trial.key not in used[0]),
        alone_b=tuple(trial for trial in b if trial.key not in used[1]),
    )


Names = dict[str, str]
"""What a model of the first run is called in the second."""


def _role(role: str, a: Sequence[Trial], b: Sequence[Trial], asked: tuple[str, str] | None) -> Names:
    first, second = ({getattr(trial, role): None for trial in side} for side in (a, b))
    if asked is not None:
        for name, known, which in zip(asked, (first, second), ("first", "second"), strict=True):
            if name not in known:
                raise UsageError(
                    f"the {which} run has no {role} {name!r}", fix=f"it has {', '.join(known) or 'none'}"
                )
        return {asked[0]: asked[1]}
    shared = {name: name for name in first if name in second}
    if shared:
        return shared
    if len(first) == len(second) == 1:
        return {next(iter(first)): next(iter(second))}
    raise UsageError(
        f"the runs have no {role} in common, and it can't be told which of them belong together",
        closest=f"{', '.join(first) or 'none'} in the first, {', '.join(second) or 'none'} in the second",
        fix=f"say it: --match {role} {next(iter(first), 'A')} {next(iter(second), 'B')}",
    )


def _address(trial: Trial, roles: Mapping[str, Names]) -> tuple[object, ...]:
    """Where the trial stands, its roles as the second run calls them; a role that is not compared stands nowhere."""
    named = (roles[role].get(getattr(trial, role)) if roles else getattr(trial, role) for role in ROLES)
    return (*named, trial.faults, trial.task, trial.trial)


def _parts(a: Sequence[Trial], b: Sequence[Trial]) -> dict[str, tuple[set[str], set[str]]]:
    return {
        "task": ({one.task for one in a}, {one.task for one in b}),
        "fault plan": ({one.faults for one in a}, {one.faults for one in b}),
        "trial number": ({str(one.trial) for one in a}, {str(one.trial) for one in b}),
    }


def _apart(a: Sequence[Trial], b: Sequence[Trial]) -> list[str]:
    """The parts of the address that no trial of one run has in common with one of the other."""
    return [what for what, (first, second) in _parts(a, b).items() if not first & second]


def _nothing(a: Sequence[Trial], b: Sequence[Trial]) -> UsageError:
    """Which part of the address keeps them apart: the one that the fewest trials have in common."""
    parts, apart = _parts(a, b), _apart(a, b)
    told = (
        f"they have no {' and no '.join(apart)} in common" if apart else "no two trials agree in all of these"
    )
    what = apart[0] if apart else "task"
    return UsageError(
        f"no trial of one run belongs to one of the other: {told}",
        closest=_nearest(*parts[what]),
        fix="trials are paired by task, fault plan and number; record one run with the --task, --env and --trials "
        "of the other",
    )


def _nearest(first: set[str], second: set[str]) -> str:
    """The two names that are most alike."""
    from difflib import SequenceMatcher  # noqa: PLC0415 # only where something is wrong

    few = [(one, other) for one in sorted(first)[:50] for other in sorted(second)[:50]]
    if not few:
        return ""
    one, other = max(few, key=lambda pair: SequenceMatcher(None, *pair).ratio())
    return f"{one} and {other}"


def _changed(roles: Mapping[str, Names], specs: tuple[RunSpec, RunSpec]) -> list[Changed]:
    found = []
    for role, names in roles.items():
        sides = [{one.alias: one for one in getattr(spec, f"{role}s")} for spec in specs]
        for name, other in names.items():
            if name != other:
                found.append(
                    Changed(what=role, name=name, a=name, b=other, message=f"{role}: {name} -> {other}")
                )
                continue
            before, after = sides[0].get(name), sides[1].get(other)
            if before is None or after is None or before == after:
                continue
            fields = [
                field
                for field in type(before).model_fields
                if getattr(before, field) != getattr(after, field)
            ]
            told = ", ".join(
                f"{field} {in_json(getattr(before, field))} -> {in_json(getattr(after, field))}"
                for field in fields
            )
            found.append(
                Changed(
                    what=role,
                    name=name,
                    a={field: getattr(before, field) for field in fields},
                    b={field: getattr(after, field) for field in fields},
                    message=f"{role} {name}: other settings: {told}",
                )
            )
    return [*found, *_conditions(*specs)]


def _conditions(a: RunSpec, b: RunSpec) -> list[Changed]:
    """Everything but who played."""
    found = []
    before, after = ({one.name: one for one in spec.faults} for spec in (a, b))
    for name in before:
        if name in after and before[name] != after[name]:
            told = f"the fault plan {name} is not the same"
            one, other = (side[name].model_dump(mode="json") for side in (before, after))
            found.append(Changed(what="faults", name=name, a=one, b=other, message=told))
    contents = [{one.task: one.content for one in spec.tasks} for spec in (a, b)]
    for task, content in contents[0].items():
        if contents[1].get(task, content) != content:
            told = f"task {task}: its environment, instruction or rubric is not the same"
            found.append(Changed(what="task", name=task, a=content, b=contents[1][task], message=told))
    for name in sorted({*a.prompts, *b.prompts}):
        texts = a.prompts.get(name), b.prompts.get(name)
        if texts[0] != texts[1]:
            told = f"prompt {name}: another text"
            found.append(Changed(what="prompt", name=name, a=texts[0], b=texts[1], message=told))
    for field in ("limits", "mode", "judged_by", "trials"):
        one, other = (getattr(spec, field) for spec in (a, b))
        if one != other:
            said = [
                value.model_dump(mode="json") if isinstance(value, Frozen) else value
                for value in (one, other)
            ]
            found.append(
                Changed(what=field, a=said[0], b=said[1], message=f"{field}: {said[0]} -> {said[1]}")
            )
    return found
