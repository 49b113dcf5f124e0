"""Which conditions differ in one thing alone: counts and durations of faults, sizes, generations, reasoning efforts.

Two agents are compared where their settings say that nothing else differs. What the settings leave open is no series
and is said: a size that nobody stated is not smaller than another one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

Agents = Mapping[str, ModelSettings]
Name = TypeVar("Name", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)


class Axis(NamedTuple):
    """Fault plans that differ in count alone or in duration alone, by rising value; in spec order where it is equal."""

    axis: Literal["count", "duration"]
    plans: tuple[str, ...]


class SizePair(NamedTuple):
    """Two agents of neighbouring sizes. `note` says what differs besides the size."""

    family: str
    generation: str
    large: str
    small: str
    note: str = ""


class Series(NamedTuple):
    """Agents along one axis. `steps` are (value, agents) in order: values are generations or efforts."""

    name: str
    steps: tuple[tuple[str, tuple[str, ...]], ...]
    note: str = ""

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(agent for _, agents in self.steps for agent in agents)


class Found(NamedTuple):
    """What can be compared, and a sentence for each thing that can't."""

    series: tuple[Series, ...]
    left_out: tuple[str, ...]


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts 4, 4.5, 4.6, 4.10, 10: numbers by value and before words, words without case."""
    parts = re.findall(r"[0-9]+|[^\W\d_]+", text.casefold())
    return tuple((0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts)


def fault_axes(plans: Mapping[str, FaultPlan]) -> tuple[Axis, ...]:
    """The axes along which the plans of a study can be compared: first those of count, then those of duration.

    A plan without faults lasts no time, so it is on no axis of duration.
    """
    lasting = {name: plan for name, plan in plans.items() if plan.count}
    return (*_axes(plans, "count"), *_axes(lasting, "duration"))


def _axes(plans: Mapping[str, FaultPlan], axis: Literal["count", "duration"]) -> Iterator[Axis]:
    along: dict[str, int] = {name: getattr(plan, axis) for name, plan in plans.items()}
    for names in grouped(plans, lambda name: _apart_from(plans[name], axis)).values():
        if len({along[name] for name in names}) > 1:
            yield Axis(axis, tuple(sorted(names, key=lambda name: along[name])))


def _apart_from(plan: FaultPlan, axis: Literal["count", "duration"]) -> str:
    return plan.model_copy(update={"name": "", axis: 1}).model_dump_json()


def same_plans(plans: Mapping[str, FaultPlan], name: str) -> tuple[str, ...]:
    """The other plans that are this one in all but the name: runs of the same condition."""
    wanted = plans[name].model_copy(update={"name": ""})
    return tuple(
        other
        for other, plan in plans.items()
        if other != name and plan.model_copy(update={"name": ""}) == wanted
    )


def size_pairs(agents: Agents) -> tuple[tuple[SizePair, ...], tuple[str, ...]]:
    """Neighbouring sizes within a family and generation at the same effort, the largest first; and what is left out."""
    pairs: list[SizePair] = []
    left_out: list[str] = []
    for (family, generation), names in _families(agents).items():
        sized = [name for name in names if agents[name].size]
        if len(sized) < len(names) and len(names) > 1:
            unknown = ", ".join(name for name in names if not agents[name].size)
            left_out.append(f"{family} {generation}".strip() + f": the size is not stated for {unknown}")
        for group, note in _at_one_effort(agents, sized, lambda name: agents[name].size):
            steps = sorted(grouped(group, lambda name: agents[name].size).items(), reverse=True)
            pairs += [
                SizePair(family, generation, large, small, note)
                for (_, larger), (_, smaller) in itertools.pairwise(steps)
                for large in larger
                for small in smaller
            ]
    return tuple(pairs), tuple(left_out)


def _families(agents: Agents) -> dict[tuple[str, str], list[str]]:
    return grouped(
        (name for name in agents if agents[name].family),
        lambda name: (agents[name].family, agents[name].generation),
    )


def generation_series(agents: Agents) -> Found:
    """Generations of a family at the same size class and effort, in natural order."""
    found: list[Series] = []
    left_out: list[str] = []
    by_family = grouped((name for name in agents if agents[name].family), lambda name: agents[name].family)
    for family, names in by_family.items():
        dated = {name: agents[name] for name in names if agents[name].generation}
        if dated and len(dated) < len(names):
            unknown = ", ".join(name for name in names if name not in dated)
            left_out.append(f"{family}: the generation is not stated for {unknown}")
        series = _generations(family, dated)
        found += series
        if not series and len({one.generation for one in dated.values()}) > 1:
            classes = ", ".join(f"{name}: {label}" for name, label in size_classes(dated).items())
            left_out.append(f"{family}: no two generations have an agent of the same size ({classes})")
    return Found(tuple(found), tuple(left_out))


def _generations(family: str, agents: Agents) -> list[Series]:
    classes = size_classes(agents)
    found = []
    for label, alike in grouped(agents, lambda name: classes[name]).items():
        groups = _at_one_effort(agents, alike, lambda name: agents[name].generation)
        for group, note in groups:
            effort = agents[group[0]].effort if len(groups) > 1 else ""
            parts = [part for part in (label, f"effort {effort}" if effort else "") if part]
            steps = grouped(group, lambda name: agents[name].generation)
            order = sorted(steps, key=lambda generation: (natural(generation), generation))
            name = f"{family} ({', '.join(parts)})" if parts else family
            found.append(Series(name, tuple((step, tuple(steps[step])) for step in order), note))
    return found


def size_classes(agents: Agents) -> dict[str, str]:
    """What size an agent is within its family, comparable from one generation to the next; "" where sizes don't differ.

    The number of parameters where one number occurs in several generations; else the place among the sizes of the
    generation, which compares generations with as many sizes only.
    """
    sizes = {name: settings.size for name, settings in agents.items()}
    if len(set(sizes.values())) <= 1:
        return dict.fromkeys(agents, "")
    lived = grouped(agents, lambda name: sizes[name])
    shared = any(size and len({agents[one].generation for one in names}) > 1 for size, names in lived.items())
    classes = {}
    for name, settings in agents.items():
        peers = sorted({sizes[one] for one in agents if agents[one].generation == settings.generation} - {0})
        if not sizes[name]:
            classes[name] = "size not stated"
        elif shared:
            classes[name] = f"{sizes[name]:g}B"
        else:
            classes[name] = _place(len(peers) - 1 - peers.index(sizes[name]), len(peers))
    return classes


def _place(position: int, of: int) -> str:
    if of == 1:
        return "the only size"
    if position in (0, of - 1):
        return f"{'largest' if position == 0 else 'smallest'} of {of} sizes"
    return f"size {position + 1} of {of}"


def effort_ladders(agents: Agents) -> Found:
    """Agents that are one model at several efforts, from the least effort to the most."""
    found: list[Series] = []
    left_out: list[str] = []
    for (model, *_), names in grouped(agents, lambda name: _model(agents[name])).items():
        stated = [name for name in names if agents[name].effort in EFFORTS]
        steps = grouped(stated, lambda name: agents[name].effort)
        if len(names) > len(stated) and len({agents[name].effort for name in names}) > 1:
            unplaced = [
                f"{name} ({agents[name].effort or 'none stated'})" for name in names if name not in stated
            ]
            left_out.append(f"{model}: no place on the ladder for the effort of {', '.join(unplaced)}")
        if len(steps) > 1:
            order = sorted(steps, key=EFFORTS.index)
            note = _other_differences(agents, stated)
            found.append(Series(model, tuple((step, tuple(steps[step])) for step in order), note))
    return Found(_distinct(found, agents), tuple(left_out))


def _model(settings: ModelSettings) -> tuple[str, str, float, str, str]:
    return settings.model, settings.family, settings.size, settings.generation, settings.player


def _distinct(ladders: Sequence[Series], agents: Agents) -> tuple[Series, ...]:
    """The ladders, told apart by family and generation where two models have one name."""
    names = [ladder.name for ladder in ladders]
    told = []
    for ladder in ladders:
        one = agents[ladder.agents[0]]
        more = ", ".join(
            part for part in (one.family, one.generation, f"{one.size:g}B" if one.size else "") if part
        )
        told.append(
            ladder._replace(name=f"{ladder.name} ({more})") if names.count(ladder.name) > 1 else ladder
        )
    return tuple(told)


def _other_differences(agents: Agents, names: Sequence[str]) -> str:
    """Which settings differ besides the effort, as they may be how the effort is asked for, or may not."""
    apart = {"alias", "effort"}
    dumps = [agents[name].model_dump(mode="json", exclude=apart) for name in names]
    flat = [
        {**dump, **{f"sampling.{key}": value for key, value in dump["sampling"].items()}} for dump in dumps
    ]
    keys = sorted({key for one in flat for key in one} - {"sampling", "sampling.reasoning_effort"})
    differing = [key for key in keys if any(one.get(key) != flat[0].get(key) for one in flat)]
    return f"these settings differ too: {', '.join(differing)}" if differing else ""


def _at_one_effort(
    agents: Agents, names: Sequence[str], value: Callable[[str], Hashable]
) -> list[tuple[list[str], str]]:
    """The groups of one effort that hold several values; where no effort has several, all agents, with a note."""
    groups = grouped(names, lambda name: agents[name].effort).values()
    several = [(group, "") for group in groups if len({value(name) for name in group}) > 1]
    if several or len({value(name) for name in names}) < 2:
        return several
    efforts = ", ".join(f"{name} {agents[name].effort or 'not stated'}" for name in names)
    return [(list(names), f"the reasoning effort differs too: {efforts}")]


def grouped(names: Iterable[Name], key: Callable[[Name], Key]) -> dict[Key, list[Name]]:
    """Names by key, in the order in which they come."""
    groups: dict[Key, list[Name]] = {}
    for name in names:
        groups.setdefault(key(name), []).append(name)
    return groups
